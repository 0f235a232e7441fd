"""Losses of quantiles: their kernels, bounds, biases and identities."""

from __future__ import annotations

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

import jmetrics
from jmetrics import losses
from tests.compare import assert_same, assert_zero

NOISES = {
    "logistic": (stats.logistic(), math.log(2)),
    "gaussian": (stats.norm(), 1 / math.sqrt(2 * math.pi)),
    "uniform": (stats.uniform(-1, 2), 1 / 4),
    "laplace": (stats.laplace(), 1 / 2),
}
KERNELS = [*NOISES, "huber"]
ALPHA, WIDTH = 0.8, 0.5

value_and_grad = {
    kernel: jax.jit(
        jax.vmap(
            jax.value_and_grad(
                lambda u, h, kernel=kernel: losses.pinball_loss(
                    jnp.zeros(1), -u[None], alpha=ALPHA, smoothing=h, kernel=kernel
                ),
                argnums=(0, 1),
            ),
            in_axes=(0, None),
        )
    )
    for kernel in KERNELS
}


def exact(u: np.ndarray) -> np.ndarray:
    return np.maximum(ALPHA * u, (ALPHA - 1) * u)


@pytest.mark.parametrize("kernel", NOISES)
def test_smoothed_loss_is_that_of_a_noisy_target(kernel: str) -> None:
    """The value, and its slopes in the error and in the width of the noise."""
    noise, _ = NOISES[kernel]
    errors = np.array([-2.0, -0.45, -0.1, 0.0, 0.3, 1.0])

    @np.vectorize
    def expected(u: float, h: float) -> float:
        ends = noise.ppf(1e-13), noise.ppf(1 - 1e-13)
        kinks = sorted({*ends, *np.clip([-u / h, 0.0], *ends)})
        return sum(
            integrate.quad(lambda z: exact(u + h * z) * noise.pdf(z), a, b)[0]
            for a, b in itertools.pairwise(kinks)
        )

    value, (by_error, by_width) = value_and_grad[kernel](errors.astype(np.float32), WIDTH)
    assert_same(value, expected(errors, WIDTH), rtol=1e-5)
    assert_same(by_error, ALPHA - noise.cdf(-errors / WIDTH), rtol=1e-5)
    slopes = (expected(errors, WIDTH + 1e-4) - expected(errors, WIDTH - 1e-4)) / 2e-4
    assert_same(by_width, slopes, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_bound_is_kept_and_reached(kernel: str) -> None:
    errors = np.linspace(-3, 3, 601).astype(np.float32)
    over = np.asarray(value_and_grad[kernel](errors, WIDTH)[0]) - exact(errors)
    if kernel == "huber":
        over, bound = -over, WIDTH / 2 * max(ALPHA, 1 - ALPHA) ** 2
    else:
        bound = WIDTH * NOISES[kernel][1]
    assert np.all(over >= -1e-6)
    assert over.max() == pytest.approx(bound, rel=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_without_smoothing_and_far_away_it_is_the_exact_loss(kernel: str) -> None:
    errors = np.array([-1e30, -2.0, -1e-30, 1e-30, 3.0, 1e30], np.float32)
    for width in (0.0, 1e-20):
        value, (slope, by_width) = value_and_grad[kernel](errors[[0, 1, 4, 5]], width)
        assert_same(value, exact(errors[[0, 1, 4, 5]].astype(np.float64)), rtol=1e-6)
        np.testing.assert_allclose(slope, [ALPHA - 1, ALPHA - 1, ALPHA, ALPHA], rtol=1e-6)
        assert np.all(np.isfinite(by_width))
    value, (slope, _) = value_and_grad[kernel](errors, 0.0)
    np.testing.assert_allclose(slope[2:4], [ALPHA - 1, ALPHA], rtol=1e-6)


def test_curvature_is_the_density_of_the_noise() -> None:
    """At u = 0 too, where kinks cancel."""
    for kernel, (noise, _) in NOISES.items():
        curvature = jax.grad(
            lambda u, kernel=kernel: jax.grad(
                lambda u: losses.pinball_loss(
                    jnp.zeros(1), -u[None], alpha=ALPHA, smoothing=WIDTH, kernel=kernel
                )
            )(u)
        )
        for u in (0.0, 0.2):
            assert float(curvature(u)) == pytest.approx(noise.pdf(u / WIDTH) / WIDTH, rel=1e-5)


@pytest.mark.parametrize(("kernel", "order"), [("logistic", 2), ("uniform", 2), ("huber", 1)])
def test_order_of_the_bias(kernel: str, order: int) -> None:
    """Of the quantile at 0.9 of an exponential distribution, found on a fine grid of it."""
    y = stats.expon().ppf((np.arange(20_000) + 0.5) / 20_000).astype(np.float32)
    slope = jax.jit(
        jax.grad(
            lambda q, h: losses.pinball_loss(
                y, jnp.full(len(y), q), alpha=0.9, smoothing=h, kernel=kernel
            )
        )
    )

    def minimiser(h: float) -> float:
        low, high = 1.5, 3.0
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (low, middle) if slope(middle, h) > 0 else (middle, high)
        return low

    wide, narrow = (minimiser(h) - stats.expon().ppf(0.9) for h in (0.4, 0.2))
    assert np.log2(wide / narrow) == pytest.approx(order, abs=0.15)
    if kernel == "huber":
        assert narrow == pytest.approx(-0.2 * 0.8 / 2, rel=0.1)


def test_several_levels_are_a_mean_of_each(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=6).astype(np.float32), rng.normal(size=(6, 3)).astype(np.float32)
    levels = np.array([0.1, 0.5, 0.9], np.float32)
    weight = np.arange(6, dtype=np.float32)
    y[0], p[0] = np.nan, np.inf
    value = losses.pinball_loss(y, p, alpha=levels, smoothing=0.3, sample_weight=weight)
    each = [
        losses.pinball_loss(y, p[:, k], alpha=levels[k], smoothing=0.3, sample_weight=weight)
        for k in range(3)
    ]
    assert_same(value, np.mean(each), rtol=1e-6)
    exact = jmetrics.mean_pinball_loss(y, p, alpha=levels, sample_weight=weight)
    assert_same(losses.pinball_loss(y, p, alpha=levels, sample_weight=weight), exact, rtol=1e-6)


# --- what they stand for -----------------------------------------------------------------


def test_interval_score(rng: np.random.Generator) -> None:
    y = rng.normal(0, 2, 30).astype(np.float32)
    ends = np.sort(rng.normal(0, 2, (30, 2)), axis=1).astype(np.float32)
    expected = jmetrics.interval_score(y, ends, alpha=0.2)
    assert_same(losses.interval_score_loss(y, ends, alpha=0.2), expected, rtol=1e-6)
    crossed = jax.grad(losses.interval_score_loss, argnums=1)(
        jnp.zeros(1), jnp.array([[1.0, -1.0]])
    )
    assert crossed[0, 0] > 0 > crossed[0, 1]


@pytest.mark.parametrize("fair", [False, True])
def test_crps_of_an_ensemble(fair: bool, rng: np.random.Generator) -> None:
    y, members = rng.normal(size=8), rng.normal(size=(8, 5))
    expected = np.mean(np.abs(members - y[:, None]), axis=1) - np.abs(
        members[:, None] - members[:, :, None]
    ).sum(axis=(1, 2)) / (2 * 5 * (5 - fair))
    value = losses.crps_loss(y.astype(np.float32), members.astype(np.float32), fair=fair)
    assert_same(value, expected.mean(), rtol=1e-5)


def test_crps_of_quantiles(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=6).astype(np.float32), rng.normal(size=(6, 3)).astype(np.float32)
    levels = np.array([0.1, 0.5, 0.8], np.float32)
    expected = jmetrics.crps_quantiles(y, p, alpha=levels)
    assert_same(losses.crps_loss(y, p, alpha=levels), expected, rtol=1e-6)
    smooth = losses.crps_loss(y, p, alpha=levels, smoothing=0.1)
    assert 0 <= float(smooth - expected) <= 2 * 0.1 * math.log(2)
    assert np.isnan(losses.crps_loss(y, p, alpha=levels[::-1]))
    with pytest.raises(ValueError, match="`fair` is for an ensemble"):
        losses.crps_loss(y, p, alpha=levels, fair=True)


def test_expectile_of_a_constant() -> None:
    """The minimiser balances shortfall and excess, weighted by the level."""
    y = np.array([0.0, 1.0, 4.0], np.float32)
    slope = jax.grad(lambda q: losses.expectile_loss(y, jnp.full(3, q), alpha=0.75))
    q = (0.75 * 4 + 0.25 * 1) / (0.75 + 0.5)  # 0.75 (4 − q) = 0.25 (q + q − 1)
    assert float(slope(q)) == pytest.approx(0, abs=1e-6)


# --- heads that do not cross -------------------------------------------------------------


def test_non_crossing_quantiles_rise(rng: np.random.Generator) -> None:
    raw = rng.normal(0, 20, (50, 4)).astype(np.float32)
    quantiles = np.asarray(losses.non_crossing_quantiles(raw), np.float64)
    assert np.all(np.diff(quantiles, axis=1) >= 0)
    expected = np.cumsum(np.append(raw[:, :1], np.logaddexp(0, raw[:, 1:]), axis=1), axis=1)
    assert_same(quantiles, expected, rtol=1e-6)
    with pytest.raises(ValueError, match="raw"):
        losses.non_crossing_quantiles(1.0)


def test_crossing_penalty() -> None:
    crossed = jnp.array([[1.0, 2.0, 1.5], [3.0, 1.0, 0.0], [jnp.nan, jnp.inf, 0.0]])
    penalty = functools.partial(losses.crossing_penalty, where=np.array([True, True, False]))
    value, gradient = jax.value_and_grad(penalty)(crossed)
    assert float(value) == (0.5 + 3) / 2
    np.testing.assert_array_equal(gradient[:2], [[0, 0.5, -0.5], [0.5, 0, -0.5]])
    assert_zero(gradient[2], "masked")
    assert float(penalty(crossed, margin=1.0)) == (0 + 1.5 + 3 + 2) / 2
    assert float(losses.crossing_penalty(jnp.zeros((0, 2)))) == 0
