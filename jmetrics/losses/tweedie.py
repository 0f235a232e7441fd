"""Losses of the Tweedie family, as functions of a linear predictor."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.anatomy import NONNEGATIVE, REAL, declared
from jmetrics._core.deviance import (
    Power,
    inside,
    slope_in_mu,
    unit_deviance,
    unit_deviance_of_log,
)
from jmetrics._core.numerics import weighted_mean
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import resolve

_DOMAIN = (
    "`power` must be at most 0 or at least 1, and `y_true` non-negative from power 1 and "
    "positive from power 2"
)
_BETWEEN = "`power` must be between 1 and 2, and `y_true` non-negative"


@declared(range=NONNEGATIVE, greater_is_better=False, surrogate_of="mean_tweedie_deviance")
def tweedie_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number = 1.5,
    link: str = "log",
    floor: Number = 1e-6,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean Tweedie deviance of a linear predictor, which may be any real number.

    Stands for, and equals, `jmetrics.mean_tweedie_deviance(y_true, μ)`, where `y_pred` is log μ
    with `link="log"`, log(e^μ − 1) with "softplus", and μ itself with "identity". Below `floor`,
    which no other link looks at, the last goes on along its tangent, unless that falls, plus
    (floor − μ)² / floor^p, which leads back. With "log" and "softplus", μ may be out of the range
    of the dtype; where μ^(2−p) or y μ^(1−p) comes within e^8 of its end, the loss goes on along
    its tangent.

    Shapes: all (n,); `power`, ≤ 0 or ≥ 1, and `floor` are traced numbers, and the first may be
    learned. A scalar.
    Range: [0, ∞), in units of y^(2−p); lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for a power between 0 and 1, for
    targets outside the domain, y_true ≥ 0 for 1 ≤ p < 2 and y_true > 0 for p ≥ 2, and for a
    `floor` of the identity link that is not positive.
    Gradient: smooth in y_pred and `power`; convex in y_pred for 1 ≤ p ≤ 2 with the log link.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Jørgensen (1987).

    >>> round(float(tweedie_loss([2.0, 0.0, 1.0], [-0.69314718, -0.69314718, 0.69314718])), 5)
    2.04738
    """
    check.one_of("link", link, tuple(_LINKS))
    return _checked(_LINKS[link], y_true, y_pred, power, floor, sample_weight, where)


@declared(range=NONNEGATIVE, greater_is_better=False, surrogate_of="mean_poisson_deviance")
def poisson_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    link: str = "log",
    floor: Number = 1e-6,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean Poisson deviance of a linear predictor, Σ w 2 (y log(y / μ) − y + μ) / Σ w.

    `tweedie_loss` with power 1, of which it has the links. Stands for
    `jmetrics.mean_poisson_deviance`; its gradient is twice that of the Poisson likelihood.

    Shapes: all (n,); `floor` is a traced number. A scalar.
    Range: [0, ∞), in units of y; lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for y_true < 0.
    Gradient: smooth in y_pred but at `floor`, also at y_true = 0; convex with every link.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: McCullagh & Nelder (1989).

    >>> round(float(poisson_loss([2.0, 0.0, 1.0], [0.0, -100.0, 0.0])), 6)
    0.25753
    """
    return tweedie_loss(
        y_true, y_pred, power=1, link=link, floor=floor, sample_weight=sample_weight, where=where
    )


@declared(range=NONNEGATIVE, greater_is_better=False, surrogate_of="mean_gamma_deviance")
def gamma_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    link: str = "log",
    floor: Number = 1e-6,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean gamma deviance of a linear predictor, Σ w 2 (log(μ / y) + y / μ − 1) / Σ w.

    `tweedie_loss` with power 2, of which it has the links. Stands for
    `jmetrics.mean_gamma_deviance`.

    Shapes: all (n,); `floor` is a traced number. A scalar.
    Range: [0, ∞), without unit; lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for y_true ≤ 0.
    Gradient: smooth in y_pred, and convex with the log link.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: McCullagh & Nelder (1989).

    >>> round(float(gamma_loss([2.0, 1.0], [0.0, 0.0])), 6)
    0.306853
    """
    return tweedie_loss(
        y_true, y_pred, power=2, link=link, floor=floor, sample_weight=sample_weight, where=where
    )


@declared(range=NONNEGATIVE, greater_is_better=False, surrogate_of="mean_tweedie_deviance")
def inverse_gaussian_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    link: str = "log",
    floor: Number = 1e-6,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean inverse Gaussian deviance of a linear predictor, Σ w (y − μ)² / (y μ²) / Σ w.

    `tweedie_loss` with power 3, of which it has the links.

    Shapes: all (n,); `floor` is a traced number. A scalar.
    Range: [0, ∞), in units of 1 / y; lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for y_true ≤ 0.
    Gradient: smooth in y_pred; not convex where μ is above 2 y.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: McCullagh & Nelder (1989).

    >>> float(inverse_gaussian_loss([2.0, 1.0], [0.0, 0.0]))
    0.25
    """
    return tweedie_loss(
        y_true, y_pred, power=3, link=link, floor=floor, sample_weight=sample_weight, where=where
    )


@declared(range=REAL, greater_is_better=False, surrogate_of="mean_tweedie_deviance")
def tweedie_nll(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number = 1.5,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean of the part of the Tweedie log-likelihood with the mean in it, as boosting has it.

    Σ w (μ^(2−p) / (2−p) − y μ^(1−p) / (1−p)) / Σ w with `y_pred` = log μ: what XGBoost and
    LightGBM minimise as "tweedie". It is half of `tweedie_loss` less a function of y and p that
    has no limit at p = 1; so it is negative for y > 0, and a power cannot be learned from it.

    Shapes: all (n,); `power` is a traced number between 1 and 2. A scalar.
    Range: (−∞, ∞), in units of y^(2−p); lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for a power outside (1, 2) and for
    y_true < 0.
    Gradient: smooth and convex in y_pred.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `tweedie-nloglik` of XGBoost; Jørgensen (1987).

    >>> float(tweedie_nll([2.0, 0.0], [0.0, 0.0]))
    4.0
    """
    return _checked(_likelihood, y_true, y_pred, power, 1.0, sample_weight, where)


def _checked(
    deviance: Callable[..., Array],
    y_true: Any,
    y_pred: Any,
    power: Any,
    floor: Any,
    sample_weight: Any,
    where: Any,
) -> Array:
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    powers, floor = Power.of(power), check.number("floor", floor)
    return _tweedie_loss(*arrays, powers, floor, deviance=deviance)


@functools.partial(jax.jit, static_argnames="deviance")
def _tweedie_loss(y_true, y_pred, sample_weight, where, power, floor, *, deviance):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    power, floor = power.astype(y_true.dtype), jnp.asarray(floor, y_true.dtype)
    floor = check.defined(floor, floor > 0, "`floor` must be positive")
    one, off = jnp.ones_like(y_true), weight == 0
    domain = inside(y_true, one, power)
    if deviance is _likelihood:
        domain &= (power.to_one < 0) & (power.to_two > 0)

    def of(y: Array, linear: Array) -> Array:
        return deviance(y, linear, power, floor)

    if deviance in _STEEP and jnp.issubdtype(weight.dtype, jnp.floating):
        # Without weight, what overflows must not reach a derivative: 0 times ∞ is no 0.
        parts = jax.jvp(of, *lax.stop_gradient(((y_true, y_pred), (one, one))))
        lost = off & ~(domain & jnp.isfinite(sum(parts)))
        y_true, y_pred = jnp.where(lost, one, y_true), jnp.where(lost, 0, y_pred)
    reason = _BETWEEN if deviance is _likelihood else _DOMAIN
    values = check.defined(of(y_true, y_pred), domain | off, reason)
    return weighted_mean(lax.optimization_barrier(values), weight, undefined=0.0)


def _of_log(y: Array, linear: Array, power: Power, _: Array) -> Array:
    return unit_deviance_of_log(y, linear, power)


def _of_softplus(y: Array, linear: Array, power: Power, _: Array) -> Array:
    # Far below 0, log(1 + e^x) is e^x to all digits.
    low = linear < (-17.0 if linear.dtype.itemsize <= 4 else -37.0)
    log_mu = jnp.log(jax.nn.softplus(jnp.where(low, jnp.zeros_like(linear), linear)))
    return unit_deviance_of_log(y, jnp.where(low, linear, log_mu), power)


def _of_mean(y: Array, linear: Array, power: Power, floor: Array) -> Array:
    mu = jnp.where(linear > floor, linear, floor)
    short = mu - linear
    slope = lax.stop_gradient(jnp.minimum(slope_in_mu(y, mu, power), 0))
    bent = short * (short * jnp.exp(-power.value * jnp.log(floor)) - slope)
    positive = unit_deviance(y, mu, power) + bent
    return jnp.where(power.value == 0, jnp.square(y - linear), positive)


def _likelihood(y: Array, linear: Array, power: Power, _: Array) -> Array:
    a, b = power.to_two, power.to_one
    between = (a > 0) & (b < 0)
    a, b = jnp.where(between, a, 0.5), jnp.where(between, b, -0.5)
    return jnp.exp(a * linear) / a - y * jnp.exp(b * linear) / b


_STEEP = (_of_mean, _likelihood)
"""Deviances with slopes that may overflow."""
_LINKS = {"log": _of_log, "softplus": _of_softplus, "identity": _of_mean}
