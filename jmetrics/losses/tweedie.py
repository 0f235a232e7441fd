"""Losses of the Tweedie family, as functions of a linear predictor."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.deviance import (
    Power,
    inside,
    slope_in_mu,
    unit_deviance,
    unit_deviance_of_log,
)
from jmetrics._core.numerics import nearest, weighted_mean
from jmetrics._core.plan import NONNEGATIVE, declared
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import relative, resolve_exactly

_DOMAIN = (
    "`power` must be at most 0 or at least 1, and `y_true` non-negative from power 1 and "
    "positive from power 2"
)
_BETWEEN = "`power` must be between 1 and 2, and `y_true` non-negative"


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="linear predictors",
    surrogate_of="mean_tweedie_deviance",
)
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

    Surrogate of, and equal to, `jmetrics.mean_tweedie_deviance(y_true, μ)`, where `y_pred` is log μ
    with `link="log"`, log(e^μ − 1) with "softplus", and μ itself with "identity". With "identity",
    the deviance is extended below `floor` by its tangent there, or by a constant where the tangent
    would decrease towards smaller μ, plus (floor − μ)² / floor^p, which leads back to the domain.
    With "log" and "softplus", μ may exceed the range of the dtype; where μ^(2−p) or y μ^(1−p) comes
    within a factor of e^8 of the end of that range, the loss is extended by its tangent.

    Args:
        y_true: Targets, shape (n,): y ≥ 0 for 1 ≤ p < 2, y > 0 for p ≥ 2, any for p ≤ 0.
        y_pred: Linear predictor, any real numbers, shape (n,).
        power: Power p, ≤ 0 or ≥ 1, a traced number, which may be learned.
        link: Link of `y_pred` to the mean μ: "log", "softplus" or "identity".
        floor: Least μ at which the "identity" link evaluates the deviance, a traced positive
            number; other links ignore it.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y^(2−p); lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for a power between 0 and 1, for
        targets outside the domain, and for a `floor` of the identity link that is not positive.

    Gradient:
        Smooth in `y_pred` and `power`; the loss is convex in `y_pred` for 1 ≤ p ≤ 2 with the log
        link.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Jørgensen (1987).

    Examples:
        >>> round(float(tweedie_loss([2.0, 0.0, 1.0], [-0.69314718, -0.69314718, 0.69314718])), 5)
        2.04738
    """
    check.one_of("link", link, tuple(_LINKS))
    return _checked(
        _LINKS[link],
        y_true,
        y_pred,
        power=power,
        floor=floor,
        sample_weight=sample_weight,
        where=where,
    )


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="linear predictors",
    surrogate_of="mean_poisson_deviance",
)
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

    `tweedie_loss` with power 1 and the same links. Surrogate of `jmetrics.mean_poisson_deviance`;
    its gradient is twice that of the Poisson negative log-likelihood.

    Args:
        y_true: Targets, non-negative, shape (n,).
        y_pred: Linear predictor, any real numbers, shape (n,).
        link: Link of `y_pred` to the mean μ: "log", "softplus" or "identity", as in `tweedie_loss`.
        floor: Least μ at which the "identity" link evaluates the deviance, a traced positive
            number; other links ignore it.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for y_true < 0.

    Gradient:
        Smooth in `y_pred` except at `floor`, also at y_true = 0; the loss is convex in `y_pred`
        with every link.

    Cost:
        O(n) time, no temporary arrays.

    References:
        McCullagh & Nelder (1989).

    Examples:
        >>> round(float(poisson_loss([2.0, 0.0, 1.0], [0.0, -100.0, 0.0])), 6)
        0.25753
    """
    return tweedie_loss(
        y_true, y_pred, power=1, link=link, floor=floor, sample_weight=sample_weight, where=where
    )


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="linear predictors",
    surrogate_of="mean_gamma_deviance",
)
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

    `tweedie_loss` with power 2 and the same links. Surrogate of `jmetrics.mean_gamma_deviance`.

    Args:
        y_true: Targets, positive, shape (n,).
        y_pred: Linear predictor, any real numbers, shape (n,).
        link: Link of `y_pred` to the mean μ: "log", "softplus" or "identity", as in `tweedie_loss`.
        floor: Least μ at which the "identity" link evaluates the deviance, a traced positive
            number; other links ignore it.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), without unit; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for y_true ≤ 0.

    Gradient:
        Smooth in `y_pred`; the loss is convex in `y_pred` with the log link.

    Cost:
        O(n) time, no temporary arrays.

    References:
        McCullagh & Nelder (1989).

    Examples:
        >>> round(float(gamma_loss([2.0, 1.0], [0.0, 0.0])), 6)
        0.306853
    """
    return tweedie_loss(
        y_true, y_pred, power=2, link=link, floor=floor, sample_weight=sample_weight, where=where
    )


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="linear predictors",
    surrogate_of="mean_tweedie_deviance",
)
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

    `tweedie_loss` with power 3 and the same links.

    Args:
        y_true: Targets, positive, shape (n,).
        y_pred: Linear predictor, any real numbers, shape (n,).
        link: Link of `y_pred` to the mean μ: "log", "softplus" or "identity", as in `tweedie_loss`.
        floor: Least μ at which the "identity" link evaluates the deviance, a traced positive
            number; other links ignore it.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of 1 / y; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for y_true ≤ 0.

    Gradient:
        Smooth in `y_pred`; the loss is not convex where μ exceeds 2 y.

    Cost:
        O(n) time, no temporary arrays.

    References:
        McCullagh & Nelder (1989).

    Examples:
        >>> float(inverse_gaussian_loss([2.0, 1.0], [0.0, 0.0]))
        0.25
    """
    return tweedie_loss(
        y_true, y_pred, power=3, link=link, floor=floor, sample_weight=sample_weight, where=where
    )


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="linear predictors",
    surrogate_of="mean_tweedie_deviance",
)
def tweedie_nll(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number = 1.5,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean of the terms of the Tweedie negative log-likelihood that depend on the mean.

    Σ w (μ^(2−p) / (2−p) − y μ^(1−p) / (1−p)) / Σ w with `y_pred` = log μ: what XGBoost and LightGBM
    minimise as "tweedie". It is half of `tweedie_loss` plus the mean of y^(2−p) / ((p − 1)
    (2 − p)), which has no limit at p = 1; so a power cannot be learned from it.

    Args:
        y_true: Targets, non-negative, shape (n,).
        y_pred: Logarithm of the predicted mean, shape (n,).
        power: Power p in (1, 2), a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y^(2−p); lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for a power outside (1, 2) and
        for y_true < 0.

    Gradient:
        Smooth in `y_pred`; the loss is convex in `y_pred`.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `tweedie-nloglik` of XGBoost; Jørgensen (1987).

    Examples:
        >>> float(tweedie_nll([2.0, 0.0], [0.0, 0.0]))
        4.0
    """
    return _checked(
        _likelihood,
        y_true,
        y_pred,
        power=power,
        floor=1.0,
        sample_weight=sample_weight,
        where=where,
    )


def _checked(
    deviance: Callable[..., Array],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number,
    floor: Number,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Array:
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    powers, floor = Power.of(power), check.number("floor", floor)
    return _tweedie_loss(*arrays, powers, floor, deviance=deviance)


@functools.partial(jax.jit, static_argnames="deviance")
def _tweedie_loss(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    power: Power,
    floor: Array,
    *,
    deviance: Callable[..., Array],
) -> Array:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, relative(sample_weight, where), where)
    error, y_true, y_pred = y_true - y_pred, nearest(y_true), nearest(y_pred)
    power, floor = power.astype(y_true.dtype), jnp.asarray(floor, y_true.dtype)
    floor = check.nan_unless(floor, floor > 0, "`floor` must be positive")
    one, off = jnp.ones_like(y_true), weight == 0
    domain = inside(y_true, one, power)
    if deviance is _likelihood:
        domain &= (power.to_one < 0) & (power.to_two > 0)

    def of(y: Array, linear: Array, error: Array) -> Array:
        return deviance(y, linear, error, power, floor)

    if deviance in _STEEP and jnp.issubdtype(weight.dtype, jnp.floating):
        # An overflow must not reach the gradient even at weight 0: 0 · ∞ is NaN.
        changes = one, one, jnp.zeros_like(one)
        parts = jax.jvp(of, *lax.stop_gradient(((y_true, y_pred, error), changes)))
        lost = off & ~(domain & jnp.isfinite(sum(parts)))
        y_true, y_pred = jnp.where(lost, one, y_true), jnp.where(lost, 0, y_pred)
        error = jnp.where(lost, one, error)
    reason = _BETWEEN if deviance is _likelihood else _DOMAIN
    values = check.nan_unless(of(y_true, y_pred, error), domain | off, reason)
    return weighted_mean(lax.optimization_barrier(values), weight, undefined=0.0)


def _of_log(y: Array, linear: Array, _: Array, power: Power, __: Array) -> Array:
    return unit_deviance_of_log(y, linear, power)


def _of_softplus(y: Array, linear: Array, _: Array, power: Power, __: Array) -> Array:
    # Far below 0, log(1 + e^x) is e^x to all digits.
    low = linear < (-17.0 if linear.dtype.itemsize <= 4 else -37.0)
    log_mu = jnp.log(jax.nn.softplus(jnp.where(low, jnp.zeros_like(linear), linear)))
    return unit_deviance_of_log(y, jnp.where(low, linear, log_mu), power)


def _of_mean(y: Array, linear: Array, error: Array, power: Power, floor: Array) -> Array:
    allowed = (linear > floor) | (power.value == 0)
    mu, error = jnp.where(allowed, linear, floor), jnp.where(allowed, error, y - floor)
    short = mu - linear
    slope = lax.stop_gradient(jnp.minimum(slope_in_mu(y, mu, power, error), 0))
    bent = short * (short * jnp.exp(-power.value * jnp.log(floor)) - slope)
    return unit_deviance(y, mu, power, error) + bent


def _likelihood(y: Array, linear: Array, _: Array, power: Power, __: Array) -> Array:
    a, b = power.to_two, power.to_one
    between = (a > 0) & (b < 0)
    a, b = jnp.where(between, a, 0.5), jnp.where(between, b, -0.5)
    return jnp.exp(a * linear) / a - y * jnp.exp(b * linear) / b


_STEEP = (_of_mean, _likelihood)
"""Deviances whose slopes may overflow."""
_LINKS = {"log": _of_log, "softplus": _of_softplus, "identity": _of_mean}
