"""Metrics of real-valued predictions: errors, explained fractions, deviances."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from jmetrics._core import check
from jmetrics._core.deviance import Power, inside, unit_deviance
from jmetrics._core.moments import moments
from jmetrics._core.numerics import safe_divide, weighted_mean, weighted_sum
from jmetrics._core.types import Number
from jmetrics._core.weights import resolve

_AVERAGES = ("raw_values", "uniform_average")
_EXPLAINED_AVERAGES = (*_AVERAGES, "variance_weighted")


def mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean of the squared errors, Σ w (y_true − y_pred)² / Σ w.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`; an array of
    (n_outputs,) weights the outputs.
    Range: [0, ∞), in squared units of y; lower is better.
    Undefined: NaN when nothing counts.
    Gradient: smooth in both arrays and in the weights.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.mean_squared_error`.

    >>> float(mean_squared_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]))
    0.375
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true,
        y_pred=y_pred,
        sample_weight=sample_weight,
        where=where,
        ndim=(1, 2),
        entry_mask=True,
    )
    average, outputs = check.output_weights(multioutput, arrays[0].shape, _AVERAGES)
    return _mean_squared_error(*arrays, sample_weight, where, outputs, average=average)


@functools.partial(jax.jit, static_argnames="average")
def _mean_squared_error(y_true, y_pred, sample_weight, where, outputs, *, average):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    per_output = weighted_mean(jnp.square(y_true - y_pred), weight)
    return _over_outputs(per_output, average, outputs)


def mean_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean of the absolute errors, Σ w |y_true − y_pred| / Σ w.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`; an array of
    (n_outputs,) weights the outputs.
    Range: [0, ∞), in units of y; lower is better.
    Undefined: NaN when nothing counts.
    Gradient: that of |x|, 0 at a perfect fit; smooth in the weights.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.mean_absolute_error`.

    >>> float(mean_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]))
    0.5
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true,
        y_pred=y_pred,
        sample_weight=sample_weight,
        where=where,
        ndim=(1, 2),
        entry_mask=True,
    )
    average, outputs = check.output_weights(multioutput, arrays[0].shape, _AVERAGES)
    return _mean_absolute_error(*arrays, sample_weight, where, outputs, average=average)


@functools.partial(jax.jit, static_argnames="average")
def _mean_absolute_error(y_true, y_pred, sample_weight, where, outputs, *, average):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    per_output = weighted_mean(jnp.abs(y_true - y_pred), weight)
    return _over_outputs(per_output, average, outputs)


def mean_pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: Number = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean pinball loss of a predicted quantile.

    Σ w max(α u, (α − 1) u) / Σ w with u = y_true − y_pred.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays; `alpha` is one traced number, the level of the quantile. A scalar, or one
    value an output with `multioutput="raw_values"`; an array of (n_outputs,) weights the outputs.
    Range: [0, ∞), in units of y; lower is better.
    Undefined: NaN when nothing counts, and when `alpha` is outside [0, 1].
    Gradient: −α or 1 − α in y_pred, α and 1 − α averaged at a perfect fit; smooth in the weights.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.mean_pinball_loss`; Koenker & Bassett (1978).

    >>> float(mean_pinball_loss([1.0, 2.0, 3.0], [0.0, 2.0, 4.0], alpha=0.25))
    0.3333333432674408
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true,
        y_pred=y_pred,
        sample_weight=sample_weight,
        where=where,
        ndim=(1, 2),
        entry_mask=True,
    )
    average, outputs = check.output_weights(multioutput, arrays[0].shape, _AVERAGES)
    alpha = check.number("alpha", alpha)
    return _mean_pinball_loss(*arrays, sample_weight, where, outputs, alpha, average=average)


@functools.partial(jax.jit, static_argnames="average")
def _mean_pinball_loss(y_true, y_pred, sample_weight, where, outputs, alpha, *, average):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    alpha = jnp.asarray(alpha, y_true.dtype)
    alpha = check.defined(alpha, (alpha >= 0) & (alpha <= 1), "`alpha` must be in [0, 1]")
    error = y_true - y_pred
    per_output = weighted_mean(jnp.maximum(alpha * error, (alpha - 1) * error), weight)
    return _over_outputs(per_output, average, outputs)


def r2_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Fraction of the variance that is explained, 1 − Σ w (y_true − y_pred)² / Σ w (y_true − ȳ)².

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`;
    "variance_weighted" or an array of (n_outputs,) weights the outputs.
    Range: (−∞, 1], without unit; higher is better, 0 is as good as predicting the mean.
    Undefined: NaN with fewer than two samples of non-zero weight. A constant target (all
    values equal) gives 1 for a perfect fit and 0 otherwise; with `force_finite=False`, NaN
    and −∞.
    Gradient: smooth in both arrays and in the weights; 0 where a rule decided.
    Cost: O(n) time, no temporary arrays. Deviations are taken before squaring, so a large
    mean costs no digits.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.r2_score`.

    >>> round(float(r2_score([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])), 6)
    0.948608
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true,
        y_pred=y_pred,
        sample_weight=sample_weight,
        where=where,
        ndim=(1, 2),
        entry_mask=True,
    )
    average, outputs = check.output_weights(multioutput, arrays[0].shape, _EXPLAINED_AVERAGES)
    return _r2_score(
        *arrays, sample_weight, where, outputs, average=average, force_finite=bool(force_finite)
    )


@functools.partial(jax.jit, static_argnames=("average", "force_finite"))
def _r2_score(y_true, y_pred, sample_weight, where, outputs, *, average, force_finite):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    target = moments(y_true, weight)
    residual = weighted_sum(jnp.square(y_true - y_pred), weight)
    per_output = explained_fraction(residual, target.deviation, target.constant, force_finite)
    per_output = jnp.where(target.entries >= 2, per_output, jnp.full_like(per_output, jnp.nan))
    return _over_outputs(per_output, average, outputs, target.deviation)


def explained_fraction(residual: Array, total: Array, constant: Array, force_finite: bool) -> Array:
    """1 − residual / total, and the rule for a target that is constant."""
    perfect, imperfect = (1.0, 0.0) if force_finite else (jnp.nan, -jnp.inf)
    rule = jnp.where(residual == 0, perfect, imperfect).astype(residual.dtype)
    return jnp.where(constant, rule, 1 - safe_divide(residual, total, jnp.nan))


def mean_tweedie_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number = 0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean unit deviance of a Tweedie distribution, Σ w d(y_true, y_pred) / Σ w.

    d(y, μ) = 2 (y^(2−p) / ((1−p)(2−p)) − y μ^(1−p) / (1−p) + μ^(2−p) / (2−p)), by limits
    at p = 1 and 2. Power 0 is the squared error, 1 Poisson, 2 gamma, 3 inverse Gaussian,
    and between 1 and 2 compound Poisson–gamma.

    Shapes: both arrays and the optional `sample_weight` and `where` (n,); `power` is one
    traced number, ≤ 0 or ≥ 1. A scalar.
    Range: [0, ∞), in units of y^(2−p); lower is better.
    Undefined: NaN when nothing counts, for a power between 0 and 1, and outside the domain:
    y_pred > 0 unless p = 0; y_true ≥ 0 for 1 ≤ p < 2; y_true > 0 for p ≥ 2.
    Gradient: smooth in y_pred and in `power`; also at y_true = 0, p = 1.
    Cost: O(n) time, no temporary arrays. Relative error near 1e-6 for every p and y / μ.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `sklearn.metrics.mean_tweedie_deviance`; Jørgensen (1987).

    >>> round(float(mean_tweedie_deviance([2.0, 0.0, 1.0], [0.5, 0.5, 2.0], power=1.5)), 5)
    2.04738
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where
    )
    powers = Power.of(check.number("power", power))
    return _mean_tweedie_deviance(*arrays, sample_weight, where, powers)


@jax.jit
def _mean_tweedie_deviance(y_true, y_pred, sample_weight, where, power):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    power = power.astype(y_true.dtype)
    deviance = check.defined(
        unit_deviance(y_true, y_pred, power),
        inside(y_true, y_pred, power) | (weight == 0),
        "`power` must be at most 0 or at least 1, `y_pred` positive unless power is 0, and "
        "`y_true` non-negative from power 1 and positive from power 2",
    )
    return weighted_mean(deviance, weight)


def _over_outputs(
    per_output: Array, average: str, weights: Array | None, variance: Array | None = None
) -> Array:
    if average == "raw_values":
        return jnp.atleast_1d(per_output)
    if per_output.ndim == 0:
        return per_output
    if variance is not None and average == "variance_weighted":
        # With no variance anywhere the outputs count alike, as in scikit-learn.
        weights = jnp.where(jnp.any(variance != 0), variance, jnp.ones_like(variance))
    if weights is None:
        weights = jnp.ones(per_output.shape, jnp.int32)
    return weighted_mean(per_output, weights)
