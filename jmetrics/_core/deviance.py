"""The unit deviance of the Tweedie family, accurate for every power and every y / mu."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core.types import Number


class Power(NamedTuple):
    """A Tweedie power with its distances from 0, 1 and 2.

    Taken before anything is rounded to the precision of the data: a float32 of 1.999 is
    too coarse to tell how far it is from 2.
    """

    value: Number
    less_one: Number
    to_two: Number

    @classmethod
    def of(cls, power: Number) -> Power:
        """Split a plain number in double precision, an array in its own."""
        return cls(power, power - 1, 2 - power)

    def astype(self, dtype: DTypeLike) -> Power:
        """All three in the precision of the data."""
        return Power(*(jnp.asarray(part, dtype) for part in self))


def inside(y: Array, mu: Array, power: Power) -> Array:
    """Whether y and mu are in the domain of the deviance of this power."""
    p = power.value
    positive = mu > 0
    allowed_y = jnp.where(p < 1, True, jnp.where(p < 2, y >= 0, y > 0))
    return jnp.where(p == 0, True, positive & allowed_y & ((p < 0) | (p >= 1)))


def unit_deviance(y: Array, mu: Array, power: Power) -> Array:
    """2 mu^a φ(y / mu − 1) with a = 2 − power; any finite number outside the domain.

    φ(x) = ((1 + x)^a − 1 − a x) / (a (a − 1)) is entire in a, so no power is special once
    it is evaluated without its cancellations: by its series for small x, and elsewhere
    through (r^a − 1) / a, which `_power_minus_one` gives for every a.
    """
    ok = mu > 0
    safe_mu = jnp.where(ok, mu, jnp.ones_like(mu))
    safe_y = jnp.where(ok, y, jnp.ones_like(y))
    general = 2 * safe_mu**power.to_two * _phi(safe_y, safe_mu, power)
    return jnp.where(power.value == 0, jnp.square(y - mu), general)


def _phi(y: Array, mu: Array, power: Power) -> Array:
    a = power.to_two
    one = jnp.ones_like(y)
    ratio, x = y / mu, (y - mu) / mu
    positive = ratio > 0
    safe_ratio = jnp.where(positive, ratio, one)
    small = (jnp.abs(x) < 0.35) & (jnp.abs(a * x) < 1)
    near = _series(jnp.where(small, x, jnp.zeros_like(x)), power)
    far = _difference(jnp.where(small, 2 * one, safe_ratio), power)
    zero_or_less = _divide(one, a) - _divide(jnp.minimum(ratio, 0), -power.less_one)
    return jnp.where(positive, jnp.where(small, near, far), zero_or_less)


def _series(x: Array, power: Power) -> Array:
    """x²/2 (1 + (a−2)x/3 (1 + (a−3)x/4 (1 + …))), for |x| < 0.35 and |a x| < 1."""
    tail = jnp.ones_like(x)
    for k in range(19, 2, -1):
        tail = 1 + (power.to_two - (k - 1)) * x / k * tail
    return jnp.square(x) / 2 * tail


def _difference(r: Array, power: Power) -> Array:
    """φ from r = 1 + x away from 1, by the form whose denominator is away from 0."""
    a, b = power.to_two, -power.less_one
    log_r = jnp.log(r)
    low = _divide(r - 1 - _power_minus_one(log_r, a), power.less_one)
    high = _divide(1 - r + r * _power_minus_one(log_r, b), a)
    return jnp.where(a <= 0.5, low, high)


def _power_minus_one(log_r: Array, a: Array) -> Array:
    """(r^a − 1) / a, which is log r at a = 0."""
    z = a * log_r
    small = jnp.abs(z) < 0.5
    series = jnp.ones_like(z)
    for k in range(11, 1, -1):
        series = 1 + z / k * series
    safe_z = jnp.where(small, jnp.ones_like(z), z)
    return log_r * jnp.where(small, series, jnp.expm1(safe_z) / safe_z)


def _divide(numerator: Array, denominator: Array) -> Array:
    """Divide where the branch is taken; elsewhere a zero denominator must stay harmless."""
    return numerator / jnp.where(denominator == 0, jnp.ones_like(denominator), denominator)
