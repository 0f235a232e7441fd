"""One of two processes that evaluate together. `test_distributed` starts both.

Each has samples that the other never sees.
"""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import sys
from typing import Any

import jax
import numpy as np
import sklearn.metrics
from jax.sharding import NamedSharding, PartitionSpec

from jmetrics import accuracy_score, distributed, streaming

N = 24


def main(process: int, port: str) -> None:
    jax.distributed.initialize(
        f"127.0.0.1:{port}", num_processes=2, process_id=process, initialization_timeout=60
    )
    assert (jax.process_count(), jax.device_count(), jax.local_device_count()) == (2, 4, 2)
    mesh = jax.make_mesh((4,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    sharding = NamedSharding(mesh, PartitionSpec("data"))
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N).astype(np.int32)
    score = np.round(2 * (rng.standard_normal(N) + y)).astype(np.float32) / 2
    mine = slice(process * N // 2, (process + 1) * N // 2)
    arrays = [jax.make_array_from_process_local_data(sharding, a[mine]) for a in (y, score)]

    areas = streaming.average_precision_score(bits=8)

    def evaluate(y: Any, score: Any) -> Any:
        state = areas.reduce(areas.update(areas.init(), y, score), "data")
        return distributed.roc_auc_score(y, score, axis_name="data"), areas.compute(state)

    mapped = jax.shard_map(
        evaluate, mesh=mesh, in_specs=PartitionSpec("data"), out_specs=PartitionSpec()
    )
    auc, precision = jax.jit(mapped)(*arrays)
    np.testing.assert_allclose(auc, sklearn.metrics.roc_auc_score(y, score), rtol=1e-6)
    exact = sklearn.metrics.average_precision_score(y, score)
    assert float(precision.low) <= exact <= float(precision.high)
    hits = jax.jit(lambda y, score: accuracy_score(y, (score > 0.5).astype(y.dtype)))(*arrays)
    np.testing.assert_allclose(hits, np.mean(y == (score > 0.5)), rtol=1e-6)
    jax.distributed.shutdown()
    print(f"process {process} agrees")


if __name__ == "__main__":
    jax.config.update("jax_num_cpu_devices", 2)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.config.update("jax_numpy_dtype_promotion", "strict")
    jax.config.update("jax_disable_most_optimizations", True)
    main(int(sys.argv[1]), sys.argv[2])
