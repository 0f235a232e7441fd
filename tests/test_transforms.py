"""All metrics at once inside loops and across devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from tests.compare import assert_same
from tests.harness import Data, blend, eager, sample
from tests.registry import main_cases, one_in
from tests.row import Case

EVERY = main_cases()
SOME = one_in(9, EVERY)
"""Those that are run; all are traced, where a loop or a mesh would refuse what it cannot take."""


def values(cases: tuple[Case, ...], batch: list) -> list:
    return [eager(case, Data(*data)) for case, data in zip(cases, batch, strict=True)]


def two_batches(cases: tuple[Case, ...]) -> list:
    """Two data sets for each metric, stacked."""
    pairs = [[sample(case, seed=seed) for seed in (0, 1)] for case in cases]
    return [[np.stack(a) for a in zip(*pair, strict=True)] for pair in pairs]


def holds(transformed: Callable[[tuple[Case, ...], list], Any]) -> None:
    """Trace it over every metric, and compare it with a batch for some."""
    jax.eval_shape(functools.partial(transformed, EVERY), two_batches(EVERY))
    batches = two_batches(SOME)
    expected = jax.vmap(functools.partial(values, SOME))(batches)
    assert_same(jax.jit(functools.partial(transformed, SOME))(batches), expected)


def test_scan_over_batches() -> None:
    def scanned(cases: tuple[Case, ...], batches: list) -> list:
        def step(total: Any, batch: Any) -> Any:
            each = values(cases, [list(data) for data in batch])
            return [t + blend(v) for t, v in zip(total, each, strict=True)], each

        start = [jnp.zeros(()) for _ in cases]
        return lax.scan(step, start, batches)[1]

    holds(scanned)


def test_shard_map_over_batches() -> None:
    """A batch a device; here there is one."""
    mesh = Mesh(np.array(jax.devices()[:1]), ("batch",))
    spec = PartitionSpec("batch")

    def sharded(cases: tuple[Case, ...], batches: list) -> list:
        on_device = jax.vmap(functools.partial(values, cases))
        return jax.shard_map(on_device, mesh=mesh, in_specs=spec, out_specs=spec)(batches)

    holds(sharded)
