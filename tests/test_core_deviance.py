"""The Tweedie deviance against 80-digit arithmetic, for every power and every y / mu."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance as reference

from jmetrics import mean_tweedie_deviance
from jmetrics._core.deviance import Power, representable, unit_deviance as deviance
from jmetrics.losses import tweedie_loss
from tests.oracles.regression import unit_deviance

POWERS = [-1, 0, 1, 1 + 1e-6, 1 + 1e-4, 1.01, 1.5, 1.99, 2 - 1e-6, 2, 2.5, 3]
RATIOS = [
    1e-3,
    0.1,
    0.5,
    0.66,
    0.9,
    0.999,
    1 - 1e-6,
    1,
    1 + 1e-6,
    1.001,
    1.01,
    1.1,
    1.34,
    2,
    10,
    1000,
]
MEANS = [0.37, 1.9, 55]


def grid(dtype=np.float32) -> tuple[np.ndarray, np.ndarray]:
    mu = np.repeat(np.array(MEANS, dtype), len(RATIOS))
    ratio = np.tile(np.array(RATIOS), len(MEANS))
    return np.where(ratio == 1, mu, ratio * mu).astype(dtype), mu


@functools.cache
def single(power: float, order: int = 0):
    """Deviance, or its gradient in y_true, y_pred and power, of many single samples."""

    def one(y, mu, p):
        return mean_tweedie_deviance(y[None], mu[None], power=p)

    if order == 0:
        return jax.jit(jax.vmap(lambda y, mu: one(y, mu, power)))
    return jax.jit(jax.vmap(jax.grad(one, argnums=(0, 1, 2)), in_axes=(0, 0, None)))


def exact(y: np.ndarray, mu: np.ndarray, power: float) -> np.ndarray:
    pairs = zip(y.tolist(), mu.tolist(), strict=True)
    return np.array([float(unit_deviance(a, b, power)) for a, b in pairs])


@pytest.mark.parametrize("power", POWERS)
def test_value_in_float32(power: float) -> None:
    y, mu = grid()
    value = np.asarray(single(power)(y, mu))
    np.testing.assert_allclose(value, exact(y, mu, power), rtol=1e-6)
    assert np.all(value >= 0)
    assert np.all(value[y == mu] == 0)


@pytest.mark.parametrize("power", POWERS)
def test_value_in_float64(power: float, x64) -> None:
    y, mu = grid(np.float64)
    value = np.asarray(single(power)(y, mu))
    np.testing.assert_allclose(value, exact(y, mu, power), rtol=1e-12)


@pytest.mark.parametrize(
    ("power", "y", "mu"),
    [(-3, 1e8, 1.0000001e8), (1.5, 1e20, 1e-20), (1.5, 1e-20, 1e20), (1.75, 1e20, 1e-20)],
)
def test_parts_out_of_range(power: float, y: float, mu: float) -> None:
    """Of a deviance that is in it."""
    pair = np.array([y], np.float32), np.array([mu], np.float32)
    np.testing.assert_allclose(single(power)(*pair), exact(*pair, power), rtol=3e-6)


@pytest.mark.parametrize(
    ("power", "y", "mu"), [(-0.1, 1e22, 1e16), (1.3, 1.3e35, 3.6e-12), (3, 1e10, 1e-20)]
)
def test_out_of_range(power: float, y: float, mu: float) -> None:
    pair = np.array([y], np.float32), np.array([mu], np.float32)
    assert np.asarray(single(power)(*pair)) == np.inf


@pytest.mark.parametrize(("power", "at"), [(-3, 1e8), (2.5, 1e-30), (3, 1e-20), (4, 2e-38)])
def test_perfect_far_from_1(power: float, at: float) -> None:
    pair = 2 * (np.array([at], np.float32),)
    by_y, by_mu, _ = single(power, 1)(*pair, np.float32(power))
    assert np.asarray(single(power)(*pair)) == by_y == by_mu == 0


@pytest.mark.parametrize("power", [-1, 0, 1, 1 + 1e-6, 1.5, 1.99])
def test_targets_at_0(power: float) -> None:
    mu = np.array(MEANS, np.float32)
    y = np.zeros_like(mu)
    np.testing.assert_allclose(single(power)(y, mu), exact(y, mu, power), rtol=1e-6)


def test_a_real_power_of_minus_one_takes_negative_targets() -> None:
    """Powers up to 0 are for targets of any sign; the term with y^(2−p) is then left out."""
    y, mu = np.array([-2, -0.5, 0, 3], np.float32), np.array([0.5, 1, 2, 2.5], np.float32)
    for power in (-1, -0.5):
        expected = reference(y.astype(float), mu.astype(float), power=power)
        assert float(mean_tweedie_deviance(y, mu, power=power)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("at", [1, 2])
def test_continuous_in_the_power(at: int) -> None:
    """From the side where both powers are allowed."""
    y, mu = grid()
    sides = (1e-7, 1e-6) if at == 1 else (-1e-6, -1e-7, 1e-7, 1e-6)
    for step in sides:
        bound = 1e-5 + 20 * abs(step)
        np.testing.assert_allclose(single(at + step)(y, mu), single(at)(y, mu), rtol=bound)


def slopes(y: float, mu: float, power: float) -> list[float]:
    """Derivatives in y, mu and the power, by differences at 200 digits."""
    with mpmath.workdps(200):
        point, h = [mpmath.mpf(v) for v in (y, mu, power)], mpmath.mpf(10) ** -25

        def along(i: int) -> float:
            up, down = ([v + s * h * (j == i) for j, v in enumerate(point)] for s in (1, -1))
            return float((of(*up) - of(*down)) / (2 * h))

        return [along(i) for i in range(3)]


def of(y, mu, p):
    """The textbook formula; 200 digits carry it past a power of exactly 1 or 2."""
    nudge = mpmath.mpf(10) ** -60 if p in (1, 2) else 0
    a, b = 2 - (p + nudge), 1 - (p + nudge)
    return 2 * (y**a / (a * b) - y * mu**b / b + mu**a / a)


@pytest.mark.parametrize("power", [-1, 1 + 1e-6, 1.01, 1.5, 1.99, 2, 2.5, 3])
def test_derivatives(power: float, x64) -> None:
    y, mu = grid(np.float64)
    gradient = np.stack(single(power, 1)(y, mu, float(power)), axis=1)
    expected = [slopes(*pair, power) for pair in zip(y.tolist(), mu.tolist(), strict=True)]
    scale = np.maximum(np.abs(expected), 1e-9)
    np.testing.assert_array_less(np.abs(gradient - expected) / scale, 1e-6)


@pytest.mark.parametrize("power", [1, 1.5, 2])
def test_derivatives_in_float32_are_finite_and_right(power: float) -> None:
    y, mu = grid()
    by_y, by_mu, by_power = (np.asarray(g) for g in single(power, 1)(y, mu, np.float32(power)))
    assert all(np.all(np.isfinite(g)) for g in (by_y, by_mu, by_power))
    gap = 2 * (mu.astype(np.float64) - y) * mu.astype(np.float64) ** -power
    np.testing.assert_allclose(by_mu, gap, rtol=1e-5)


@pytest.mark.parametrize("power", [1, 1.5])
def test_derivatives_at_targets_of_0(power: float) -> None:
    mu = np.array(MEANS, np.float32)
    _, by_mu, by_power = single(power, 1)(np.zeros_like(mu), mu, np.float32(power))
    np.testing.assert_allclose(by_mu, 2 * mu.astype(np.float64) ** (1 - power), rtol=1e-6)
    assert np.all(np.isfinite(by_power))


def test_a_power_can_be_learned_through_the_loss() -> None:
    y, eta = np.array([0, 1, 2.5], np.float32), np.array([-0.5, 0.25, 1], np.float32)
    slope = jax.grad(lambda p: tweedie_loss(y, eta, power=p))(1.5)
    high, low = (np.mean(exact(y, np.exp(eta.astype(np.float64)), 1.5 + h)) for h in (1e-5, -1e-5))
    assert float(slope) == pytest.approx((high - low) / 2e-5, rel=1e-4)


@pytest.mark.parametrize("power", [0, 1, 1.5, 2, 3])
def test_loss_is_the_deviance_of_the_exponential(power: float) -> None:
    y, eta = np.array([0.5, 1, 2.5], np.float32), np.array([-0.5, 0.25, 1], np.float32)
    expected = np.mean(exact(y, np.exp(eta.astype(np.float64)), power))
    assert float(tweedie_loss(y, eta, power=power)) == pytest.approx(expected, rel=2e-6)
    assert jnp.isnan(tweedie_loss(y, eta, power=0.5))


@pytest.mark.parametrize("power", [-3, *POWERS])
def test_what_is_called_representable_is_finite(power: float, rng: np.random.Generator) -> None:
    """Over 75 decades, with targets of 0 and below where the power allows them."""
    y, mu = (10 ** rng.uniform(-37, 38, (2, 5000))).astype(np.float32)
    y[:500] *= 0 if 1 <= power < 2 else 1 if power >= 2 else -1
    split = Power.of(float(power)).astype(np.float32)
    inside = representable(y, mu, split)
    value, (by_y, by_mu) = jax.vmap(
        jax.value_and_grad(lambda y, mu: deviance(y, mu, split), argnums=(0, 1))
    )(y, mu)
    assert jnp.mean(inside) > 0.25
    assert np.all(np.isfinite(value + by_y + by_mu), where=inside)
