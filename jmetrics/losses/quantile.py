"""Losses whose minimiser is a quantile."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import absolute, safe_divide, weighted_mean
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import resolve


def pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: Number = 0.5,
    smoothing: Number = 0.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean smoothed pinball loss of a predicted quantile.

    max(α u, (α − 1) u) + τ log(1 + exp(−|u| / τ)) with u = y_true − y_pred: the exact loss of
    a target with logistic noise of scale τ = `smoothing` added, so its minimiser is the
    α-quantile of that. Stands for `jmetrics.mean_pinball_loss`, is never below it, and at
    most τ log 2 above.

    Shapes: all (n,); `alpha` and `smoothing` are traced numbers. A scalar.
    Range: [0, ∞), in units of y; lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for `alpha` outside [0, 1] or
    negative `smoothing`.
    Gradient: smooth for positive `smoothing`; convex in y_pred.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: Zheng (2011); He, Pan, Tan & Zhou (2023) on smoothing by a kernel.

    >>> float(pinball_loss([1.0, 2.0, 3.0], [0.0, 2.0, 4.0], alpha=0.25))
    0.3333333432674408
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where
    )
    alpha, smoothing = check.number("alpha", alpha), check.number("smoothing", smoothing)
    return _pinball_loss(*arrays, sample_weight, where, alpha, smoothing)


@jax.jit
def _pinball_loss(y_true, y_pred, sample_weight, where, alpha, smoothing):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    alpha, smoothing = (jnp.asarray(option, y_true.dtype) for option in (alpha, smoothing))
    alpha = check.defined(alpha, (alpha >= 0) & (alpha <= 1), "`alpha` must be in [0, 1]")
    smoothing = check.defined(smoothing, smoothing >= 0, "`smoothing` must not be negative")
    loss = _smooth_pinball(y_true - y_pred, alpha, smoothing)
    return weighted_mean(loss, weight, undefined=0.0)


def _smooth_pinball(error: Array, alpha: Array, smoothing: Array) -> Array:
    size = absolute(error)
    # 100 widths away the smoothing adds nothing, and its derivatives must be that.
    width = jnp.maximum(smoothing, jnp.maximum(size / 100, jnp.finfo(error.dtype).tiny))
    near = alpha * error + smoothing * jax.nn.softplus(-safe_divide(error, width, 0.0))
    far = jnp.maximum(alpha * error, (alpha - 1) * error)
    far += smoothing * jnp.log1p(jnp.exp(-safe_divide(size, width, 0.0)))
    # The first form is smooth at 0, and loses digits to cancellation far from it.
    return jnp.where(size < smoothing, near, far)
