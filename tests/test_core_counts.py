"""Exact counts: of classes, into bins, and of all but one."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jmetrics._core.counts import class_counts, sum_of_others
from jmetrics._core.numerics import weighted_bincount
from tests.compare import assert_same


@pytest.mark.parametrize("num_classes", [4, 100])
def test_class_counts_are_those_of_a_loop(num_classes: int, rng: np.random.Generator) -> None:
    """From one table of pairs, and from one table for each array."""
    y_true, y_pred = rng.integers(-2, 6, (2, 200))
    whole_weight = rng.integers(0, 2, 200).astype(np.int32)
    some_weight = (rng.random(200) * whole_weight).astype(np.float32)
    for weight in (whole_weight, some_weight):
        counts = class_counts(
            jnp.asarray(y_true), jnp.asarray(y_pred), jnp.asarray(weight), num_classes
        )
        assert all(cell.dtype == weight.dtype for cell in counts)
        for k in range(num_classes):
            a, b = y_true == k, y_pred == k
            cells = [weight[c].sum(dtype=np.float64) for c in (a & b, ~a & b, a & ~b, ~a & ~b)]
            assert_same([cell[k] for cell in counts], cells, rtol=1e-6)


def test_tabulate_counts_beyond_24_bits() -> None:
    bins = jnp.zeros(2**24 + 10, jnp.int8)
    ones = jnp.ones(bins.size, jnp.int32)
    assert weighted_bincount(bins, ones, 2).tolist() == [2**24 + 10, 0]
    floats = weighted_bincount(bins, ones.astype(jnp.float32), 2)
    assert floats.tolist() == [2**24 + 10, 0]


@pytest.mark.parametrize("size", [1, 5, 100])
def test_tabulate_does_not_drift(size: int) -> None:
    weight = jnp.full(2_000_000, 0.1, jnp.float32)
    exact = weight.size * np.float64(np.float32(0.1))
    assert_same(
        weighted_bincount(jnp.zeros(weight.size, jnp.int32), weight, size)[0], exact, rtol=1e-6
    )


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_tabulate_is_bincount(dtype: type, rng: np.random.Generator) -> None:
    """Bins outside are dropped, not wrapped; batches and derivatives are those of a sum."""
    bins = rng.integers(-3, 9, 300)
    weight: np.ndarray = rng.integers(1, 9, (2, 300)).astype(dtype)
    inside = (bins >= 0) & (bins < 6)
    known = [np.bincount(bins[inside], w[inside], minlength=6) for w in weight]
    table = jax.vmap(lambda w: weighted_bincount(jnp.asarray(bins), w, 6))
    assert_same(table(jnp.asarray(weight)), np.array(known))
    assert weighted_bincount(jnp.zeros(0, jnp.int32), jnp.zeros(0, dtype), 3).tolist() == [0, 0, 0]
    if dtype is np.float32:
        slope = jax.grad(
            lambda w: jnp.dot(weighted_bincount(jnp.asarray(bins), w, 6), jnp.arange(6.0))
        )
        assert_same(slope(jnp.asarray(weight[0])), np.where(inside, bins, 0))


def test_sum_of_others() -> None:
    assert sum_of_others(jnp.array([1, 2, 4])).tolist() == [6, 5, 3]
    assert sum_of_others(jnp.array([3.0])).tolist() == [0]
    assert sum_of_others(jnp.array([1e8, 1.0, 1e-3], jnp.float32))[0] == np.float32(1.001)
