"""Losses of the Tweedie family: links, extreme predictors, convexity and parity with boosting."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from jmetrics import (
    losses,
    mean_gamma_deviance,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)
from tests.compare import assert_same

POWERS = [1.0, 1 + 1e-6, 1.1, 1.5, 1.9, 2.0, 3.0]
ETAS = np.array([-300, -150, -100, -81, -80, -40, -1, 0, 1, 40, 80, 81, 100, 150], np.float32)
TARGETS = [0.0, 1e-3, 1.0, 100.0]


def single(link: str = "log"):
    """Loss of single samples, and its slope; the power is traced."""

    def one(eta, y, power):
        return losses.tweedie_loss(y[None], eta[None], power=power, link=link)

    return jax.jit(jax.vmap(jax.value_and_grad(one, argnums=(0, 2)), in_axes=(0, 0, None)))


EACH = single()


def exact(y: float, eta: float, power: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Deviance of exp(eta) and its slope, by the textbook formula in 80 digits."""
    with mpmath.workdps(80):
        y, eta = mpmath.mpf(y), mpmath.mpf(eta)
        p = mpmath.mpf(power) + (mpmath.mpf(10) ** -40 if power in (1, 2) else 0)
        a, b, mu = 2 - p, 1 - p, mpmath.exp(eta)
        value = (y**a / (a * b) if y else 0) - y * mu**b / b + mu**a / a
        return 2 * value, 2 * (mu**a - y * mu**b)


@pytest.mark.parametrize("power", POWERS)
def test_log_link_far_from_0(power: float) -> None:
    """Right wherever value and slope can be held; beyond, slopes are finite and keep their sign."""
    for y in TARGETS[power >= 2 :]:
        value, (slope, by_power) = EACH(ETAS, np.full_like(ETAS, y), np.float64(power))
        assert np.all(np.isfinite(slope))
        for eta, v, g, p in zip(ETAS.tolist(), value, slope, by_power, strict=True):
            v0, g0 = exact(y, eta, np.float32(power).item())
            if max(abs(v0), abs(g0)) < 1e33:
                assert float(v) == pytest.approx(float(v0), rel=1e-5, abs=1e-37)
                assert float(g) == pytest.approx(float(g0), rel=1e-5, abs=1e-37)
                assert np.isfinite(p)
            else:
                assert np.sign(g) == np.sign(float(mpmath.sign(g0)))


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
def test_convex_in_the_log(power: float) -> None:
    eta = np.linspace(-90, 90, 721).astype(np.float32)
    for y in (1e-3, 1.0, 50.0):
        _, (slope, _) = EACH(eta, np.full_like(eta, y), np.float64(power))
        assert np.all(np.diff(slope) >= -1e-6 * np.abs(slope[1:]))  # but for rounding


def test_not_convex_in_the_log_beyond_power_2() -> None:
    eta = np.linspace(2, 6, 41).astype(np.float32)
    _, (slope, _) = EACH(eta, np.ones_like(eta), np.float64(3))
    assert np.any(np.diff(slope) < 0)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_softplus_link(power: float, rng: np.random.Generator) -> None:
    linear, y = rng.normal(0, 3, 50).astype(np.float32), rng.gamma(2, 1, 50).astype(np.float32)
    mu = np.logaddexp(0, linear.astype(np.float64)).astype(np.float32)
    loss = functools.partial(losses.tweedie_loss, power=power, link="softplus")
    assert_same(loss(y, linear), mean_tweedie_deviance(y, mu, power=power), rtol=2e-6)
    far = np.array([-90, -80, -30, 80, 1e4], np.float32)
    value, (slope, _) = single("softplus")(far, np.ones_like(far), np.float64(power))
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(slope))
    log_value, (log_slope, _) = EACH(far[:3], np.ones(3, np.float32), np.float64(power))
    assert_same(value[:3], log_value, rtol=1e-6)
    assert_same(slope[:3], log_slope, rtol=1e-6)


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0])
def test_identity_link(power: float) -> None:
    mu, y = np.array([0.5, 1, 3], np.float32), np.array([1, 1e-3, 2.5], np.float32)
    each = single("identity")
    loss = losses.tweedie_loss(y, mu, power=power, link="identity")
    assert_same(loss, mean_tweedie_deviance(y, mu, power=power), rtol=1e-6)
    below = np.linspace(-80, -0.5, 20).astype(np.float32)
    for target in (1e-3, 2.0):
        value, (slope, _) = each(below, np.full_like(below, target), np.float64(power))
        assert np.all(np.isfinite(value))
        assert np.all(slope < 0), "leads back to where means are"


def test_floor_of_the_identity_link() -> None:
    """The value goes on from where the floor is, and for a target of 0 it rises below."""
    loss = functools.partial(losses.poisson_loss, link="identity", floor=0.5)
    for y in (0.0, 2.0):
        at, above, below = (
            float(loss(jnp.array([y]), jnp.array([mu]))) for mu in (0.5, 0.5001, 0.4999)
        )
        assert above == pytest.approx(at, abs=1e-3)
        assert below == pytest.approx(at, abs=1e-3)
        assert float(loss(jnp.array([y]), jnp.array([0.3]))) > at
    assert np.isnan(loss(jnp.ones(1), jnp.ones(1), floor=0.0))


def test_named_members_of_the_family(rng: np.random.Generator) -> None:
    eta, y = rng.normal(0, 1, 20).astype(np.float32), rng.gamma(2, 1, 20).astype(np.float32)
    mu = np.exp(eta)
    assert_same(losses.poisson_loss(y, eta), mean_poisson_deviance(y, mu), rtol=2e-6)
    assert_same(losses.gamma_loss(y, eta), mean_gamma_deviance(y, mu), rtol=2e-6)
    expected = np.mean((y - mu) ** 2 / (y * mu**2))
    assert_same(losses.inverse_gaussian_loss(y, eta), expected, rtol=1e-5)


def test_likelihood_differs_from_the_deviance_by_what_has_no_mean_in_it(
    rng: np.random.Generator,
) -> None:
    """With the gradient and Hessian that XGBoost documents for its objective."""
    eta, y = rng.normal(0, 1, 20).astype(np.float32), rng.gamma(2, 1, 20).astype(np.float32)
    p = 1.4
    apart = losses.tweedie_loss(y, eta, power=p) / 2 - losses.tweedie_nll(y, eta, power=p)
    assert_same(apart, np.mean(y ** (2 - p) / ((1 - p) * (2 - p))), rtol=1e-5)
    slope = jax.grad(lambda e: 20 * losses.tweedie_nll(y, e, power=p))
    wide = eta.astype(np.float64)
    expected = -y * np.exp((1 - p) * wide) + np.exp((2 - p) * wide)
    assert_same(slope(eta), expected, rtol=1e-5)
    curvature = jax.jvp(slope, (eta,), (jnp.ones_like(eta),))[1]
    bent = -y * (1 - p) * np.exp((1 - p) * wide) + (2 - p) * np.exp((2 - p) * wide)
    assert_same(curvature, bent, rtol=1e-5)


def test_hessian_of_the_loss(rng: np.random.Generator) -> None:
    eta, y = rng.normal(0, 1, 20).astype(np.float32), rng.poisson(1, 20).astype(np.float32)
    slope = jax.grad(lambda e: 20 * losses.tweedie_loss(y, e, power=1.5))
    curvature = jax.jvp(slope, (eta,), (jnp.ones_like(eta),))[1]
    wide = eta.astype(np.float64)
    assert_same(curvature, np.exp(wide / 2) + y * np.exp(-wide / 2), rtol=1e-5)
