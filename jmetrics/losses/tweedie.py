"""Losses of the Tweedie family, as functions of a linear predictor."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.deviance import Power, inside, representable, unit_deviance_of_log
from jmetrics._core.numerics import weighted_mean
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import resolve


def tweedie_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number = 1.5,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean Tweedie deviance under the log link: `y_pred` is log μ, any real number.

    Stands for, and equals, `jmetrics.mean_tweedie_deviance(y_true, exp(y_pred))`. Where exp
    leaves the range of the dtype, beyond ±87 in float32, the loss goes on along its tangent.

    Shapes: all (n,); `power` is one traced number, ≤ 0 or ≥ 1, and may be learned. A scalar.
    Range: [0, ∞), in units of y^(2−p); lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for a power between 0 and 1 and
    for targets outside the domain: y_true ≥ 0 for 1 ≤ p < 2, y_true > 0 for p ≥ 2.
    Gradient: smooth in y_pred and `power`; convex in y_pred for 1 ≤ p ≤ 2.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: Jørgensen (1987).

    >>> round(float(tweedie_loss([2.0, 0.0, 1.0], [-0.69314718, -0.69314718, 0.69314718])), 5)
    2.04738
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where
    )
    powers = Power.of(check.number("power", power))
    return _tweedie_loss(*arrays, sample_weight, where, powers)


@jax.jit
def _tweedie_loss(y_true, y_pred, sample_weight, where, power):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    power = power.astype(y_true.dtype)
    one, off = jnp.ones_like(y_true), weight == 0
    domain = inside(y_true, one, power) | off
    if jnp.issubdtype(weight.dtype, jnp.floating):
        # Without weight, what overflows must not reach a derivative: 0 times ∞ is no 0.
        lost = off & ~representable(y_true, jnp.exp(y_pred), power)
        y_true, y_pred = jnp.where(lost, one, y_true), jnp.where(lost, 0, y_pred)
    deviance = check.defined(
        unit_deviance_of_log(y_true, y_pred, power),
        domain,
        "`power` must be at most 0 or at least 1, and `y_true` non-negative from power 1 and "
        "positive from power 2",
    )
    return weighted_mean(deviance, weight, undefined=0.0)
