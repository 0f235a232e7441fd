"""The unit deviance of the Tweedie family, accurate for every power and every y / mu.

With a = 2 − power, d(y, mu) = 2 mu^a φ(y / mu − 1), φ(x) = ((1 + x)^a − 1 − a x) / (a (a − 1)).
φ is entire in a, so no power is special once it is evaluated without its cancellations: by
its series for small x, elsewhere through (r^a − 1) / a, which is finite for every a.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_derivatives import SymbolicZero
from jax.typing import DTypeLike

from jmetrics._core.numerics import power_of


class Power(NamedTuple):
    """A Tweedie power with its distances from 1 and 2.

    Taken before anything is rounded to the precision of the data: a float32 of 1.999 is
    too coarse to tell how far it is from 2.
    """

    value: float | Array
    less_one: float | Array
    to_two: float | Array

    @classmethod
    def of(cls, power: float | Array) -> Power:
        """Split a plain number in double precision, an array in its own."""
        return cls(power, power - 1, 2 - power)

    def astype(self, dtype: DTypeLike) -> Power:
        """All three in the precision of the data."""
        return Power(*(jnp.asarray(part, dtype) for part in self))


def inside(y: Array, mu: Array, power: Power) -> Array:
    """Whether y and mu are in the domain of the deviance of this power."""
    p = jnp.asarray(power.value)
    allowed_y = jnp.where(p < 1, True, jnp.where(p < 2, y >= 0, y > 0))
    return jnp.where(p == 0, True, (mu > 0) & allowed_y & ((p < 0) | (p >= 1)))


def unit_deviance(y: Array, mu: Array, power: Power) -> Array:
    """Deviance of each entry; outside the domain any finite number."""
    ok = mu > 0
    general = _positive_mean(
        jnp.where(ok, y, jnp.ones_like(y)), jnp.where(ok, mu, jnp.ones_like(mu)), power
    )
    return jnp.where(power.value == 0, jnp.square(y - mu), general)


@jax.custom_jvp
def _positive_mean(y: Array, mu: Array, power: Power) -> Array:
    return _product(y, mu, power)


def _product(y: Array, mu: Array, power: Power) -> Array:
    return 2 * power_of(mu, power.to_two) * _phi(y, mu, power)


def _positive_mean_jvp(primals, tangents):
    # Derivatives of the branches, taken one by one, would cancel far from y = mu.
    (y, mu, power), (dy, dmu, dpower) = primals, tangents
    value, tangent = _positive_mean(y, mu, power), jnp.zeros_like(y)
    if not isinstance(dmu, SymbolicZero):
        tangent += dmu * 2 * (mu - y) * power_of(mu, -power.value)
    if not isinstance(dy, SymbolicZero):
        tangent += dy * _slope_in_y(y, mu, power)
    if not all(isinstance(part, SymbolicZero) for part in dpower):
        by_power = functools.partial(_product, y, mu)
        tangent += jax.jvp(by_power, (power,), (Power(*map(_instantiate, dpower)),))[1]
    return value, tangent


_positive_mean.defjvp(_positive_mean_jvp, symbolic_zeros=True)


def _instantiate(tangent: Array | SymbolicZero) -> Array:
    if isinstance(tangent, SymbolicZero):
        return jnp.zeros(tangent.shape, tangent.dtype)
    return tangent


def _slope_in_y(y: Array, mu: Array, power: Power) -> Array:
    """2 (y^b − mu^b) / b with b = 1 − power; 0 where that is −∞, at y = 0 from power 1 on."""
    b = -power.less_one
    positive = y > 0
    log_ratio = _log_ratio(jnp.where(positive, y, mu), mu)
    at_zero = jnp.where(b > 0, -_divide(jnp.ones_like(y), b), jnp.zeros_like(y))
    return 2 * power_of(mu, b) * jnp.where(positive, _power_less_one(log_ratio, b), at_zero)


def _phi(y: Array, mu: Array, power: Power) -> Array:
    a = power.to_two
    one = jnp.ones_like(y)
    x, ratio = (y - mu) / mu, y / mu
    positive = ratio > 0
    small = (jnp.abs(x) < 0.45) & (jnp.abs(a * x) < 1)
    near = _series(jnp.where(small, x, jnp.zeros_like(x)), power)
    far = _far(jnp.where(positive & ~small, ratio, 2 * one), power)
    zero_or_less = _divide(one, a) + _divide(jnp.minimum(ratio, 0), power.less_one)
    return jnp.where(positive, jnp.where(small, near, far), zero_or_less)


def _series(x: Array, power: Power) -> Array:
    """x²/2 (1 + (a−2)x/3 (1 + (a−3)x/4 (1 + …))), for |x| < 0.45 and |a x| < 1."""
    tail = jnp.ones_like(x)
    for k in range(_terms(x, 26, 52), 2, -1):
        tail = 1 + (power.to_two - (k - 1)) / k * x * tail
    return jnp.square(x) / 2 * tail


def _terms(x: Array, single: int, double: int) -> int:
    """How many terms of a series the precision of `x` can see."""
    return double if x.dtype.itemsize > 4 else single


def _far(ratio: Array, power: Power) -> Array:
    """φ away from x = 0, by whichever of its two forms has the larger denominator."""
    a, log_ratio = power.to_two, jnp.log(ratio)
    low = _divide(ratio - 1 - _power_less_one(log_ratio, a), power.less_one)
    high = _divide(1 - ratio + ratio * _power_less_one(log_ratio, -power.less_one), a)
    return jnp.where(a <= 0.5, low, high)


def _log_ratio(y: Array, mu: Array) -> Array:
    x = (y - mu) / mu
    small = jnp.abs(x) < 0.5
    ratio = jnp.where(small, jnp.ones_like(y), y / mu)
    return jnp.where(small, jnp.log1p(jnp.where(small, x, jnp.zeros_like(x))), jnp.log(ratio))


def _power_less_one(log_ratio: Array, a: Array | float) -> Array:
    """(r^a − 1) / a, which is log r at a = 0."""
    z = a * log_ratio
    small = jnp.abs(z) < 0.5
    series = jnp.ones_like(z)
    for k in range(_terms(z, 10, 18), 1, -1):
        series = 1 + z * (1 / k) * series
    far = jnp.where(small, jnp.ones_like(z), z)
    return log_ratio * jnp.where(small, series, jnp.expm1(far) / far)


def _divide(numerator: Array, denominator: Array | float) -> Array:
    """Divide where the branch is taken; elsewhere a zero denominator must stay harmless."""
    return numerator / jnp.where(denominator == 0, jnp.ones_like(denominator), denominator)
