"""Order, tie groups and ranked counts against exact comparison in Python."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

import jmetrics._core.order
from jmetrics._core.order import order, ranked_weights
from tests.programs import sorted_shapes

INTEGERS = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32]
FLOATS = [jnp.bfloat16, jnp.float16, np.float32]
WIDE = [np.int64, np.uint64, np.float64]


def extremes(dtype) -> list:
    """Values whose order a sort on bits could get wrong."""
    if dtype == np.bool_:
        return [False, True]
    if np.issubdtype(dtype, np.integer):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return [low, low + 1, 0, 1, high - 1, high]
    info = jnp.finfo(dtype)
    below = [info.smallest_subnormal, 2 * info.smallest_subnormal, info.tiny, 1, info.max, np.inf]
    return [0.0, -0.0, *below, *(-np.asarray(below, np.float64))]


def scores_of(dtype, rng: np.random.Generator) -> np.ndarray:
    """Extremes, each of them twice, and numbers in between, in random order."""
    between = [0, 1] if dtype == np.bool_ else rng.integers(0, 100, 20)
    return rng.permutation(np.array([*extremes(dtype) * 2, *between], np.dtype(dtype)))


def check_order(scores: np.ndarray) -> None:
    result = order(jnp.asarray(scores))
    item, start, end = (np.asarray(field) for field in (result.item, result.start, result.end))
    values = [s.item() if hasattr(s, "item") else s for s in scores[item].tolist()]
    assert sorted(item.tolist()) == list(range(scores.size))
    assert all(a >= b for a, b in itertools.pairwise(values))
    last = {value: position for position, value in enumerate(values)}  # 0.0 and -0.0 are one key
    first = {value: position for position, value in reversed(list(enumerate(values)))}
    assert end.tolist() == [last[value] for value in values]
    assert start.tolist() == [first[value] for value in values]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=lambda d: np.dtype(d).name)
def test_falls_with_ties_together(dtype, rng: np.random.Generator) -> None:
    check_order(scores_of(dtype, rng))


@pytest.mark.parametrize("dtype", WIDE, ids=lambda d: np.dtype(d).name)
def test_falls_with_ties_together_in_64_bits(dtype, rng: np.random.Generator, x64) -> None:
    check_order(scores_of(dtype, rng))


@pytest.mark.parametrize("size", [0, 1, 2])
def test_few(size: int) -> None:
    check_order(np.ones(size, np.float32))


def brute_counts(scores: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> set:
    corners = set()
    for threshold in set(scores.tolist()):
        above = scores >= threshold
        corners.add((weight[above & positive].sum(), weight[above & ~positive].sum()))
    return corners


@pytest.mark.parametrize("block", [7, 30, 60, 2**19])
@pytest.mark.parametrize("dtype", [np.int8, jnp.bfloat16, jnp.float16], ids=lambda d: d.__name__)
def test_counting_values_and_sorting_agree(
    dtype, block: int, rng: np.random.Generator, monkeypatch
) -> None:
    """Whole weights of 16-bit scores are counted in a table, others along a sort."""
    monkeypatch.setattr(jmetrics._core.order, "_BLOCK", block)
    scores = rng.integers(-20, 20, 60).astype(np.dtype(dtype))
    positive, weight = rng.random(60) < 0.4, rng.integers(0, 4, 60).astype(np.int32)
    expected = brute_counts(scores.astype(np.float64), positive, weight)
    for same in (jnp.asarray(scores), jnp.asarray(scores.astype(np.float32))):
        counts = ranked_weights(same, jnp.asarray(positive), jnp.asarray(weight))
        tp, fp = (running.inclusive for running in counts)
        steps = set(zip(np.asarray(tp).tolist(), np.asarray(fp).tolist(), strict=True))
        assert steps - {(0, 0)} == expected - {(0, 0)}
        assert np.all(np.diff(tp) >= 0)
        assert np.all(np.diff(fp) >= 0)
        for c in counts:
            assert set(np.asarray(c.exclusive).tolist()) <= {0, *np.asarray(c.inclusive).tolist()}
            assert int(jnp.sum(c.weight)) == int(c.inclusive[-1])


@pytest.mark.parametrize("size", [12, 13])
def test_values_are_counted_in_blocks_on_a_mesh(size: int, monkeypatch) -> None:
    monkeypatch.setattr(jmetrics._core.order, "_BLOCK", 4)
    mesh = Mesh(np.array(jax.devices()[:1]), ("list",))
    scores = jnp.arange(2 * size).reshape(2, size).astype(jnp.bfloat16)
    positive = jnp.arange(2 * size).reshape(2, size) % 3 == 0

    def count(scores: jax.Array, positive: jax.Array) -> jax.Array:
        ones = jnp.ones(size, jnp.int32)
        return jax.vmap(lambda s, p: ranked_weights(s, p, ones).tp.inclusive[-1])(scores, positive)

    spec = PartitionSpec("list")
    sharded = jax.shard_map(count, mesh=mesh, in_specs=spec, out_specs=spec)
    np.testing.assert_array_equal(sharded(scores, positive), jnp.sum(positive, axis=1))


def test_order_does_not_depend_on_a_batch_of_weights(rng: np.random.Generator) -> None:
    """One sort serves every weight: the batch adds no sort of its own."""
    scores = jnp.asarray(rng.normal(size=30).astype(np.float32))
    positive = jnp.asarray(rng.random(30) < 0.5)
    weights = jnp.asarray(rng.random((7, 30)).astype(np.float32))
    batched = jax.vmap(lambda w: ranked_weights(scores, positive, w))
    assert sorted_shapes(batched, weights) == 2 * [(1, 30)]
