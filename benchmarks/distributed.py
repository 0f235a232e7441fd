"""How do sharded metrics scale? `python -m benchmarks.distributed [n]`

The same n samples on 1, 2, 4 and 8 virtual devices of one processor. They share its cores, so that
the time shows the work of all devices together, which grows with their number where every score
is counted against every block; on devices of their own it would be spread over them. The memory
is what one device needs beside its samples. Each row is timed by turns with the plain metric.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import jmetrics
from benchmarks.measure import machine, relative_error
from jmetrics import distributed, inference, streaming

DEVICES = (1, 2, 4, 8)
AREAS = {"roc_auc_score": "AUC", "average_precision_score": "AP"}


def binned(name: str) -> Callable[..., Any]:
    """The estimate of a stream, which adds its histograms over the devices."""
    stream = getattr(streaming, name)()

    def value(y_true: Any, y_score: Any, *, axis_name: str, **rest: Any) -> Any:
        state = stream.update(stream.init(), y_true, y_score, **rest)
        return stream.compute(stream.reduce(state, axis_name)).estimate

    return value


def row(title: str, function: Callable[..., Any], peer: Any, mesh: Mesh, data: Any) -> None:
    plain = jax.jit(peer)
    reference = plain(*data)
    placed = jax.device_put(data, NamedSharding(mesh, PartitionSpec("data")))
    start = time.perf_counter()
    compiled = jax.jit(distributed.on_mesh(function, mesh, "data")).lower(*placed).compile()
    value = jax.block_until_ready(compiled(*placed))
    first_call = time.perf_counter() - start
    ours, theirs = [], []
    for _ in range(5):
        ours.append(milliseconds(lambda: compiled(*placed)))
        theirs.append(milliseconds(lambda: plain(*data)))
    memory: Any = compiled.memory_analysis()
    print(
        f"{title:24} {mesh.size:>8} {first_call:>9.2f} s {statistics.median(ours):>9.1f} "
        f"{statistics.median(ours) / statistics.median(theirs):>8.2f} "
        f"{relative_error(value, reference):>11.1e} {memory.temp_size_in_bytes / 2**20:>8.1f}"
    )


def milliseconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())
    return 1e3 * (time.perf_counter() - start)


def main() -> None:
    jax.config.update("jax_num_cpu_devices", max(DEVICES))
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n).astype(np.int32)
    data = jax.device_put((y, (rng.standard_normal(n) + y).astype(np.float32)), jax.devices()[0])
    print(f"{n} samples: {machine()}")
    print(
        f"{'':24} {'devices':>8} {'first call':>11} {'ms':>9} {'x plain':>8} "
        f"{'rel. error':>11} {'temp MB':>8}"
    )
    for name, short in AREAS.items():
        sharded, plain = getattr(distributed, name), getattr(jmetrics, name)
        kinds = {
            short: (sharded, plain),
            f"{short}, binned": (binned(name), plain),
            f"standard error of {short}": (
                distributed.standard_error(sharded),
                inference.standard_error(plain),
            ),
        }
        for title, (function, peer) in kinds.items():
            for count in DEVICES:
                mesh = jax.make_mesh((count,), ("data",), devices=jax.devices()[:count])
                row(title, function, peer, mesh, data)


if __name__ == "__main__":
    main()
