"""All metrics at once inside loops and across devices."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from tests.compare import assert_same
from tests.harness import Data, blend, eager, sample
from tests.registry import main_cases

pytestmark = pytest.mark.usefixtures("quick_compile")


def all_metrics(batch: list) -> list:
    return [eager(case, Data(*data)) for case, data in zip(main_cases(), batch, strict=True)]


def two_batches() -> tuple[list, list]:
    """Two data sets for each metric, apart and stacked."""
    pairs = [[sample(case, seed=seed) for seed in (0, 1)] for case in main_cases()]
    return pairs, [[np.stack(a) for a in zip(*pair, strict=True)] for pair in pairs]


def test_scan_over_batches() -> None:
    pairs, stacked = two_batches()

    def step(total, batch):
        values = all_metrics([list(data) for data in batch])
        return [t + blend(v) for t, v in zip(total, values, strict=True)], values

    start = [jnp.zeros(()) for _ in pairs]
    total, each = lax.scan(step, start, stacked)
    expected = [
        [eager(case, data) for data in pair] for case, pair in zip(main_cases(), pairs, strict=True)
    ]
    assert_same(each, [jax.tree.map(lambda *v: np.stack(v), *values) for values in expected])
    assert_same(total, [sum(map(blend, values)) for values in expected])


def test_shard_map_over_batches() -> None:
    """A batch a device; here there is one."""
    _, stacked = two_batches()
    mesh = Mesh(np.array(jax.devices()[:1]), ("batch",))

    def on_device(batches):
        return jax.vmap(all_metrics)(batches)

    spec = PartitionSpec("batch")
    sharded = jax.jit(jax.shard_map(on_device, mesh=mesh, in_specs=spec, out_specs=spec))
    assert_same(sharded(stacked), jax.vmap(all_metrics)(stacked))
