"""Moments of parts, and of data far from 0."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jmetrics import (
    explained_variance_score,
    kendall_tau,
    pearson_corrcoef,
    r2_score,
    relative_squared_error,
    spearman_corrcoef,
)
from jmetrics._core.merging import merge
from jmetrics._core.moments import Moments, comoments, mean_difference, moments
from tests.compare import assert_same


def of(x: np.ndarray, weight: np.ndarray | None = None) -> Moments:
    values = jnp.asarray(x, jnp.float32)
    ones = jnp.ones(values.shape, jnp.int32)
    return moments(values, ones if weight is None else jnp.asarray(weight))


def test_definition(rng: np.random.Generator) -> None:
    x, w = rng.normal(3, 2, (20, 2)).astype(np.float32), rng.integers(0, 4, (20, 2))
    mean = np.average(x, axis=0, weights=w)
    on = w != 0
    expected = Moments(
        on.sum(0),
        w.sum(0),
        mean,
        np.zeros(2),
        np.sum(w * (x - mean) ** 2, axis=0),
        np.min(x, axis=0, where=on, initial=np.inf),
        np.max(x, axis=0, where=on, initial=-np.inf),
    )
    found = of(x, w.astype(np.float32))
    assert_same(found._replace(compensation=np.zeros(2)), expected, rtol=1e-6)


def test_deviation_far_from_0() -> None:
    """A sum of squares would lose everything: 1e8 ± 1 is the same float32."""
    x = np.array([1e4 - 1, 1e4 + 1] * 50, np.float32)
    assert float(of(x).deviation) == 100
    assert float(of(x).mean) == 1e4


def test_mean_far_from_0_keeps_its_digits(rng: np.random.Generator) -> None:
    """Between 1e6 and its neighbour in float32 there is room for 2^-4."""
    x = (1e6 + rng.integers(0, 9, 60) / 8).astype(np.float32)
    parts = [of(x[:13]), of(x[:0]), of(x[13:40]), of(x[40:])]
    for found in (of(x), functools.reduce(merge, parts)):
        offset = (float(found.mean) - 1e6) + float(found.compensation)
        assert offset == pytest.approx(np.mean(x.astype(np.float64) - 1e6), rel=1e-6)
        assert float(found.deviation) == pytest.approx(60 * np.var(x.astype(np.float64)), rel=1e-6)


@pytest.mark.parametrize("value", [0.1, 1e-30, 3e30, -7.3])
def test_a_constant_has_no_deviation(value: float) -> None:
    """The mean of three 0.1 in float32 is not 0.1."""
    constant = of(np.full(3, value))
    assert bool(constant.constant)
    assert float(constant.deviation) == 0


def test_nearly_constant_is_not_constant() -> None:
    x = np.array([7.25] * 5 + [7.25 + 2**-10], np.float32)
    assert not bool(of(x).constant)
    assert float(of(x).deviation) == pytest.approx(2**-20 * 5 / 6, rel=1e-6)


def test_nothing_is_the_neutral_element(rng: np.random.Generator) -> None:
    nothing = of(np.zeros(0))
    assert [float(field) for field in nothing] == [0, 0, 0, 0, 0, np.inf, -np.inf]
    some = of(rng.normal(size=5))
    assert_same(merge(nothing, some), some, rtol=0)
    assert_same(merge(some, nothing), some, rtol=0)
    assert_same(merge(nothing, nothing), nothing, rtol=0)


def test_samples_of_weight_0_are_no_samples(rng: np.random.Generator) -> None:
    x = rng.normal(size=6).astype(np.float32)
    weight = np.array([1, 1, 0, 2, 0, 1], np.float32)
    assert_same(of(x, weight), of(x[weight > 0], weight[weight > 0]), rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_merging_in_any_grouping(offset: float, rng: np.random.Generator) -> None:
    x = (offset + rng.choice([-1.0, 1.0], 40)).astype(np.float32)
    a, b, c = (of(part) for part in np.split(x, [7, 25]))
    whole = of(x)
    left = merge(merge(a, b), c)
    right = merge(a, merge(b, c))
    for merged in (left, right, merge(c, merge(a, b))):
        assert_alike(merged, whole)


def test_merging_one_sample_at_a_time(rng: np.random.Generator) -> None:
    x = rng.normal(50, 1, 64).astype(np.float32)
    merged = functools.reduce(merge, [of(x[i : i + 1]) for i in range(64)])
    assert_alike(merged, of(x))


def assert_alike(a: Moments, b: Moments) -> None:
    """The mean and what rounding took from it are one number."""
    assert float(mean_difference(a, b)) == pytest.approx(0, abs=1e-6)
    zeros = jnp.zeros_like(a.compensation)
    assert_same(
        a._replace(mean=b.mean, compensation=zeros), b._replace(compensation=zeros), rtol=1e-5
    )


def test_gradient_of_the_deviation(rng: np.random.Generator) -> None:
    """2 w (x − mean) in x, and (x − mean)² in the weights, for any centre."""
    x = (1e3 + rng.integers(-8, 8, 16)).astype(np.float32)
    w = rng.integers(0, 5, 16).astype(np.float32)
    by_x, by_w = jax.grad(lambda x, w: moments(x, w).deviation, argnums=(0, 1))(
        jnp.asarray(x), jnp.asarray(w)
    )
    gap = x - np.average(x.astype(np.float64), weights=w)
    assert_same(by_x, 2 * w * gap, rtol=1e-4)
    assert_same(by_w, gap**2, rtol=1e-4)


def test_comoments_merge_and_agree_with_numpy() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 60)).astype(np.float32) + np.float32(100)
    weight = rng.integers(0, 4, 60).astype(np.float32)
    whole = comoments(x, y, weight)
    parts = [comoments(x[s], y[s], weight[s]) for s in (slice(0, 7), slice(7, 7), slice(7, 60))]
    merged = merge(merge(parts[0], parts[1]), parts[2])
    cov = np.cov(x, y, aweights=weight, ddof=0)[0, 1] * weight.sum()
    np.testing.assert_allclose([whole.product, merged.product], cov, rtol=1e-4)
    np.testing.assert_allclose(merged.x.deviation, whole.x.deviation, rtol=1e-5)


@pytest.mark.parametrize("size", [1e-22, 1e30])
def test_only_the_shares_of_weights_matter(size: float, rng: np.random.Generator) -> None:
    x, noise, weight = rng.normal(size=(3, 50)).astype(np.float32)
    y, weight = x + noise, np.abs(weight)
    value_and_slope = jax.value_and_grad(pearson_corrcoef)
    expected = value_and_slope(x, y, sample_weight=weight)
    found = value_and_slope(x, y, sample_weight=weight * np.float32(size))
    for a, b in zip(found, expected, strict=True):
        assert_same(a, b, rtol=1e-4, atol=1e-6)


def test_differences_out_of_range() -> None:
    """Of numbers that are in it, over which none is."""
    y = np.array([3e38, -3e38, 1e38], np.float32)
    wide = y.astype(np.float64)
    left = np.sum(4 * wide**2) / np.sum((wide - wide.mean()) ** 2)
    np.testing.assert_allclose(relative_squared_error(y, -y), left, rtol=1e-6)
    np.testing.assert_allclose(r2_score(y, -y), 1 - left, rtol=1e-6)
    np.testing.assert_allclose(explained_variance_score(y, -y), -3, rtol=1e-6)


@pytest.mark.parametrize("metric", [spearman_corrcoef, kendall_tau])
def test_ranks_in_64_bits_without_weights(metric, x64) -> None:
    x = np.arange(4.0)
    assert float(metric(x, x)) == pytest.approx(1, rel=1e-12)
