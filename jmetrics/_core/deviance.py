"""The unit deviance of the Tweedie family, accurate for every power and every y / mu.

With a = 2 − power, b = 1 − power and L(e) = ((y / mu)^e − 1) / e, which is l = log(y / mu)
at e = 0,

    d / 2 = mu^b (y L(b) − (y − mu)) / a = mu^a ((y − mu) / mu − L(a)) / −b

for y > 0. Since a − b = 1, one of them has a denominator of at least 1/2. So no power is special.
Near y = mu both cancel; with ψ(z) = (e^z − 1 − z) / z², and so L(e) = l + e l² ψ(e l), they are

    d / 2 = mu^b y l² (ψ(−l) + b ψ(b l)) / a = mu^a l² (ψ(l) − a ψ(a l)) / −b.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_derivatives import SymbolicZero
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import difference_of_products
from jmetrics._core.merging import Reduction, reductions
from jmetrics._core.numerics import power_of
from jmetrics._core.types import Number


@exportable
@reductions(value=Reduction.MAX, to_one=Reduction.MAX, to_two=Reduction.MAX)
@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Power:
    """A Tweedie power with its distances from 1 and 2.

    Taken before anything is rounded to the precision of the data: a float32 of 1.999 is
    too coarse to tell how far it is from 2.
    """

    value: float | Array
    to_one: float | Array
    to_two: float | Array
    is_limit: bool = field(metadata={"static": True})
    """Whether it is known to be 1 or 2, where an exponent is 0 and logarithms are enough."""

    @classmethod
    def of(cls, power: Number) -> Power:
        """Split a plain number in double precision, an array in its own."""
        if isinstance(power, check.PLAIN):
            value, to_one, to_two = (
                check.number("power", part) for part in (power, 1 - power, 2 - power)
            )
            return cls(value, to_one, to_two, is_limit=power in (1, 2))
        value = check.number("power", power)
        to_one, to_two = _distances(value)
        return cls(value, to_one, to_two, is_limit=False)

    def astype(self, dtype: DTypeLike) -> Power:
        """All three in the precision of the data."""
        return jax.tree.map(lambda part: jnp.asarray(part, dtype), self)


@jax.jit
def _distances(power: Array) -> tuple[Array, Array]:
    return 1 - power, 2 - power


def inside(y: Array, mu: Array, power: Power) -> Array:
    """Whether y and mu are in the domain of the deviance of this power."""
    p = jnp.asarray(power.value)
    allowed_y = jnp.where(p < 1, True, jnp.where(p < 2, y >= 0, y > 0))
    return jnp.where(p == 0, True, (mu > 0) & allowed_y & ((p < 0) | (p >= 1)))


def unit_deviance(y: Array, mu: Array, power: Power, error: Array | None = None) -> Array:
    """Deviance of each entry; outside the domain any finite number.

    The error y − mu may be known better than from both.
    """
    return _deviance(y, mu, y - mu if error is None else error, power)


def unit_deviance_of_log(y: Array, log_mu: Array, power: Power) -> Array:
    """Deviance by the logarithm of mu, also where mu itself is out of reach.

    Where mu^a or y mu^b is too, the tangent goes on.
    """
    reach, least = _reach(y.dtype), 1e-6
    a, b = power.to_two, power.to_one
    room = jnp.maximum(reach - jnp.log(_or_one(jnp.abs(y), y != 0)), 1)
    room = jnp.where(y != 0, room, jnp.inf)
    low = jnp.minimum(reach / jnp.maximum(-a, least), room / jnp.maximum(-b, least))
    high = jnp.minimum(reach / jnp.maximum(a, least), room / jnp.maximum(b, least))
    near = jnp.clip(log_mu, *jax.lax.stop_gradient((-low, high)))
    slope = jax.lax.stop_gradient(_slope_in_log(y, near, power))
    return _deviance_of_log(y, near, power) + slope * (log_mu - near)


def representable(y: Array, mu: Array, power: Power) -> Array:
    """Whether the deviance and its slopes are numbers well within the range of the dtype."""
    a, b = power.to_two, power.to_one
    # Whole logarithms are off by less than 1.
    of_y, of_mu = (jnp.frexp(_or_one(x, x != 0))[1].astype(y.dtype) for x in (y, mu))
    products = (a * of_y, b * of_y, a * of_mu, b * of_mu, of_y + b * of_mu, of_y + (b - 1) * of_mu)
    reach = jnp.finfo(y.dtype).maxexp - 16 - 2 * (jnp.abs(a) + jnp.abs(b))
    within = functools.reduce(jnp.maximum, products) < reach
    return within & jnp.isfinite(y) & jnp.isfinite(mu)


@jax.custom_jvp
def _deviance(y: Array, mu: Array, error: Array, power: Power) -> Array:
    return jnp.where(power.value == 0, jnp.square(error), _general(y, mu, error, power))


@jax.custom_jvp
def _deviance_of_log(y: Array, log_mu: Array, power: Power) -> Array:
    return _general_of_log(y, log_mu, power)


def _tangent(
    general: Callable[..., Array],
    slope_in_mu: Callable[..., Array],
    slope_in_y: Callable[..., Array],
    primals: Any,
    tangents: Any,
) -> Array:
    # Derivatives of the branches, taken one by one, would cancel far from y = mu. What the error
    # changes by is what y and mu do.
    (y, mu, *error, power), (dy, dmu, *_, dpower) = primals, tangents
    tangent = jnp.zeros_like(y)
    if not isinstance(dmu, SymbolicZero):
        tangent += dmu * slope_in_mu(y, mu, power, *error)
    if not isinstance(dy, SymbolicZero):
        tangent += dy * slope_in_y(y, mu, power)
    if not all(isinstance(part, SymbolicZero) for part in jax.tree.leaves(dpower)):
        by_power = functools.partial(general, y, mu, *error)
        tangent += jax.jvp(by_power, (power,), (jax.tree.map(_instantiate, dpower),))[1]
    return tangent


def _deviance_jvp(primals: Any, tangents: Any) -> tuple[Array, Array]:
    slopes = slope_in_mu, _slope_in_y
    return _deviance(*primals), _tangent(_general, *slopes, primals, tangents)


def _deviance_of_log_jvp(primals: Any, tangents: Any) -> tuple[Array, Array]:
    slopes = _slope_in_log, _slope_in_y_of_log
    return _deviance_of_log(*primals), _tangent(_general_of_log, *slopes, primals, tangents)


_deviance.defjvp(_deviance_jvp, symbolic_zeros=True)
_deviance_of_log.defjvp(_deviance_of_log_jvp, symbolic_zeros=True)


def _instantiate(tangent: Array | SymbolicZero) -> Array:
    if isinstance(tangent, SymbolicZero):
        return jnp.zeros(tangent.shape, tangent.dtype)
    return tangent


def slope_in_mu(y: Array, mu: Array, power: Power, error: Array | None = None) -> Array:
    """2 (mu − y) mu^−power."""
    error = y - mu if error is None else error
    safe = _or_one(mu, mu > 0)
    root = power_of(safe, power.to_one / 2)  # for the power itself may be out of range
    # An error of 0 has no part in what is out of range, but has a derivative.
    root = jnp.where((error == 0) & ~jnp.isfinite(root), jnp.ones_like(root), root)
    # What makes less of a small mu comes first: y / mu may be out of range where the slope is not.
    small, inverse = safe < 1, 1 / safe
    first, second = jnp.where(small, root, inverse), jnp.where(small, inverse, root)
    distance = jnp.where(mu > 0, -error, safe - y)
    general = distance * first * second * root
    return 2 * jnp.where(power.value == 0, -error, general)


def _slope_in_y(y: Array, mu: Array, power: Power) -> Array:
    """2 (y^b − mu^b) / b; 0 where that is −∞, at y = 0 from power 1 on."""
    b, positive, mu_or_one = power.to_one, y > 0, _or_one(mu, mu > 0)
    base = jnp.where(positive, y, mu_or_one)
    to_b = power_of(mu_or_one, b)
    apart = _powers_apart(base, to_b, _log_ratio(base, mu_or_one), b)
    at_zero = jnp.where(b > 0, -_divide(to_b, b), jnp.zeros_like(y))
    return 2 * jnp.where(power.value == 0, y - mu, jnp.where(positive, apart, at_zero))


def _reach(dtype: DTypeLike) -> float:
    """Logarithm of numbers that the dtype can hold, with room for what multiplies them."""
    return math.log(float(jnp.finfo(dtype).max)) - 8


def _slope_in_log(y: Array, log_mu: Array, power: Power) -> Array:
    """2 (mu − y) mu^b."""
    a, b, log = power.to_two, power.to_one, _log_over(y, log_mu)
    # Of y and mu, the larger comes before their difference.
    larger = jnp.where(log > 0, _times_exp(_or_one(y, y > 0), b, log_mu), _exp(a, log_mu))
    positive = jnp.sign(log) * jnp.expm1(-jnp.abs(log)) * larger
    return 2 * jnp.where(y > 0, positive, _exp(a, log_mu) - y * _exp(b, log_mu))


def _slope_in_y_of_log(y: Array, log_mu: Array, power: Power) -> Array:
    """2 (y^b − mu^b) / b; 0 where that is −∞, at y = 0 from power 1 on."""
    b, log = power.to_one, _log_over(y, log_mu)
    top, mu_to_b = jnp.maximum(b * log, 0), _exp(b, log_mu)
    larger = jnp.where(top > 0, power_of(_or_one(y, y > 0), b), mu_to_b)
    apart = larger * _apart(log, b, top)
    at_zero = jnp.where(b > 0, -_divide(mu_to_b, b), jnp.zeros_like(y))
    below = jnp.where(power.value == 0, y - mu_to_b, at_zero)
    return 2 * jnp.where(y > 0, apart, below)


def _general_of_log(y: Array, log_mu: Array, power: Power) -> Array:
    """Powers of mu and of y / mu over the largest of them, which the result may be far below."""
    a, b = power.to_two, power.to_one
    log, by_b = _log_over(y, log_mu), jnp.asarray(a >= 0.5)
    top = jax.lax.stop_gradient(jnp.maximum(jnp.maximum(log, a * log), 0))
    one, ratio = jnp.exp(-top), jnp.exp(log - top)
    exponent = jnp.where(by_b, b, a)
    # y (y^b − mu^b) / b − mu^b (y − mu), or (y^a − mu^a) / a − mu^b (y − mu), over mu^a e^top.
    far = _apart(log, exponent, top - jnp.where(by_b, log, 0)) - (ratio - one)
    near = (jnp.abs(log) < 0.5) & (jnp.abs(exponent * log) < 1)
    close = _near(jnp.where(near, log, 0), None if power.is_limit else exponent, by_b)
    close = jnp.where(by_b, ratio, -one) * close
    value = _divide(jnp.where(near, close, far), jnp.where(by_b, a, b)) * _largest(y, log_mu, power)
    return 2 * jnp.where(y > 0, value, _of_no_more_than_0(y, log_mu, power))


def _largest(y: Array, log_mu: Array, power: Power) -> Array:
    """The largest of mu^a, y mu^b and y^a, with the derivative in the power of the first."""
    a, b, log = power.to_two, power.to_one, _log_over(y, log_mu)
    y = _or_one(y, y > 0)
    of_y = jnp.where(a > 1, power_of(y, a), _times_exp(y, b, log_mu))
    positive = (log > 0) | (a * log > 0)
    fixed = jnp.where(positive, jnp.where(log > 0, of_y, power_of(y, a)), _exp(a, log_mu))
    return jax.lax.stop_gradient(fixed) * jnp.exp(a * log_mu - jax.lax.stop_gradient(a * log_mu))


def _of_no_more_than_0(y: Array, log_mu: Array, power: Power) -> Array:
    """Half the deviance of y ≤ 0, of which y < 0 is for powers up to 0."""
    a, b = power.to_two, power.to_one
    to_b, y = _exp(b, log_mu), jnp.minimum(y, 0)
    value = _divide(_exp(a, log_mu), a) - _divide(y * to_b, b)
    return value + jnp.where(power.value == 0, jnp.square(y) / 2, jnp.zeros_like(y))


def _log_over(y: Array, log_mu: Array) -> Array:
    """log(y / mu) for a positive y, as exact as if y were off by a rounding; 0 for others."""
    m, e = jnp.frexp(_or_one(y, y > 0))
    small = m < math.sqrt(0.5)
    m, e = jnp.where(small, 2 * m, m), (e - small.astype(e.dtype)).astype(y.dtype)
    digits = 2.0 ** (15 if y.dtype.itemsize <= 4 else 40)
    high = round(math.log(2) * digits) / digits  # so short that e times it is exact
    low = math.log(2) - high
    log = ((e * high - log_mu) + jnp.log1p(m - 1)) + e * low
    return jnp.where(y > 0, log, jnp.zeros_like(log))


def _apart(log: Array, exponent: Array | float, top: Array) -> Array:
    """(e^(exponent log) − 1) / (exponent e^top)."""
    z = exponent * log
    small = jnp.abs(z) < 1
    near = jnp.where(small, z, jnp.zeros_like(z))
    series = jnp.exp(-top) * log * (1 + near * _psi(near))
    return jnp.where(
        small, series, _divide(jnp.exp(z - top) - jnp.exp(-top), jnp.asarray(exponent))
    )


def _exp(exponent: Array | float, log: Array) -> Array:
    """e^(exponent log), the largest number of the dtype where that is larger."""
    exponent = jnp.asarray(exponent, log.dtype)
    x = exponent * log
    rest = difference_of_products(exponent, log, x, jnp.ones_like(x))  # what rounding took
    return jnp.exp(jnp.minimum(x, _reach(x.dtype) + 7.5)) * (1 + rest)


def _times_exp(y: Array, exponent: Array | float, log: Array) -> Array:
    """y e^(exponent log), which may be in range where the second is not."""
    half = _exp(jnp.asarray(exponent) / 2, log)
    return half * (y * half)


def _general(y: Array, mu: Array, error: Array, power: Power) -> Array:
    """The deviance by the formulas at the head of this file.

    From a = 1/2 on it is the one that divides by a, with powers of exponent e = b; below, the one
    that divides by −b, with e = a. Here `scale` is mu^e and `apart` is mu^e L(e), and

        high = y mu^b L(b) − mu^b (y − mu),      low = mu^a (y − mu) / mu − mu^a L(a)

    are for y and mu apart, and `close`, with ψ, for |l| < 1/2 and |e l| < 1. Outside these bounds
    little cancels: the first term of `high` over its second would be 1 for e = −1, and the second
    of `low` over its first for e = 1. The exponents nearest to these are e = ∓1/2, where the
    quotient is 2 / (1 + exp(∓l / 2)); with |l| ≥ 1/2 that is off 1 by a ninth or more.

    For y = 0 only mu^a / a is left of d / 2, and for y < 0, where the power is at most 0, that
    less y mu^b / b.
    """
    a, b = power.to_two, power.to_one
    ok = mu > 0
    y, mu, error = _or_one(y, ok), _or_one(mu, ok), jnp.where(ok, error, jnp.zeros_like(error))
    by_b = jnp.asarray(a >= 0.5)
    exponent = jnp.where(by_b, b, a)
    base, error = jnp.where(y > 0, y, 2 * mu), jnp.where(y > 0, error, mu)
    beside = jnp.abs(error) < mu / 4
    log = jnp.where(beside, jnp.log1p(jnp.where(beside, error, 0) / mu), _log_ratio(base, mu))
    if power.is_limit:
        scale, apart = jnp.ones_like(mu), log
    else:
        scale = power_of(mu, exponent)
        apart = _powers_apart(base, scale, log, exponent)
    relative = jnp.where(mu < 1, scale * error / mu, scale * (error / mu))
    high, low = _overflowing(base * apart, scale * error), _overflowing(relative, apart)
    near = (jnp.abs(log) < 0.5) & (jnp.abs(exponent * log) < 1)
    lead = jnp.where(by_b, base, jnp.ones_like(base))
    close_log = jnp.where(near, log, jnp.zeros_like(log))
    factor = _near(close_log, None if power.is_limit else exponent, by_b)
    # The product of all three is in range where that of two need not be.
    close = jnp.where(lead > 1, scale * (lead * factor), (scale * lead) * factor)
    close = jnp.where(factor == 0, jnp.zeros_like(close), close)
    value = jnp.where(near, close, jnp.where(by_b, high, low))
    # Below 0 is y only for negative powers, for which the exponent is b.
    to_a = jnp.where(by_b, mu * scale, scale)
    zero_or_less = _divide(to_a, a) - _divide(jnp.minimum(y, 0) * scale, b)
    return 2 * jnp.where(y > 0, _divide(value, jnp.where(by_b, a, -b)), zero_or_less)


def _overflowing(a: Array, b: Array) -> Array:
    """a − b of large a > b, which is too large as soon as one of them is."""
    return jnp.where(jnp.isfinite(a) & jnp.isfinite(b), a - b, jnp.inf)


def _near(log: Array, exponent: Array | None, by_b: Array) -> Array:
    """log² (ψ(−log) + b ψ(b log)) or log² (ψ(log) − a ψ(a log)), which hardly cancel near 0.

    An exponent of None is 0.
    """
    sign = jnp.where(by_b, 1.0, -1.0).astype(log.dtype)
    first = _psi(-sign * log)
    second = 0 if exponent is None else sign * exponent * _psi(exponent * log)
    return jnp.square(log) * (first + second)


def _psi(z: Array) -> Array:
    """(e^z − 1 − z) / z², for |z| < 1."""
    series = jnp.ones_like(z)
    for k in range(_terms(z, 11, 18), 2, -1):
        series = 1 + z * (1 / k) * series
    return series / 2


def _powers_apart(y: Array, mu_to_e: Array, log_ratio: Array, exponent: Array | float) -> Array:
    """(y^e − mu^e) / e, from mu^e unless y^e is so much larger that it might overflow."""
    z = exponent * log_ratio
    small, far = jnp.abs(z) < 1, z > 20
    near = jnp.where(small, z, jnp.zeros_like(z))
    growth = jnp.exp(jnp.where(far, exponent * jnp.log(y), z - near))
    y_to_e = jnp.where(far, growth, mu_to_e * growth)
    series = mu_to_e * log_ratio * (1 + near * _psi(near))
    series = jnp.where(log_ratio == 0, jnp.zeros_like(series), series)
    return jnp.where(small, series, _divide(y_to_e - mu_to_e, jnp.asarray(exponent)))


def _log_ratio(y: Array, mu: Array) -> Array:
    """log(y / mu), exact near 0 and where the ratio is out of range."""
    (y, y_exponent), (mu, mu_exponent) = jnp.frexp(y), jnp.frexp(mu)
    ratio = y / mu
    step = (ratio > math.sqrt(2)).astype(jnp.int32) - (ratio < math.sqrt(0.5)).astype(jnp.int32)
    y = jnp.where(step > 0, y / 2, jnp.where(step < 0, 2 * y, y))
    exponent = (y_exponent - mu_exponent + step).astype(y.dtype)
    return jnp.log1p((y - mu) / mu) + exponent * math.log(2)


def _terms(x: Array, single: int, double: int) -> int:
    """How many terms of a series the precision of `x` can see."""
    return double if x.dtype.itemsize > 4 else single


def _or_one(x: Array, ok: Array) -> Array:
    return jnp.where(ok, x, jnp.ones_like(x))


def _divide(numerator: Array, denominator: Array | float) -> Array:
    """Divide where the branch is taken; elsewhere a zero denominator must stay harmless."""
    return numerator / jnp.where(denominator == 0, jnp.ones_like(denominator), denominator)
