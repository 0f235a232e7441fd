"""Fractions of the variation of the target explained by predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.merging import scale
from jmetrics._core.moments import InUnits, Moments, merging_unit, moments, unit_of
from jmetrics._core.numerics import (
    nearest,
    power_of_two_scale,
    safe_divide,
    safe_sqrt,
    weighted_sum,
)
from jmetrics._core.plan import AT_MOST_ONE, NONNEGATIVE, Bound, Plan, metric, plan
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import resolve_exactly
from jmetrics.regression._outputs import EXPLAINED_AVERAGES, over_outputs, regression_inputs

Residual = TypeVar("Residual")


@metric(range=AT_MOST_ONE, greater_is_better=True, predictions="numbers")
def r2_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """R², the fraction of variance explained, 1 − Σ w (y_true − y_pred)² / Σ w (y_true − ȳ)².

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average", "raw_values" (one value per
            output), "variance_weighted", or weights of shape (n_outputs,).
        force_finite: Whether a constant target scores 1 or 0 instead of NaN or −∞.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in (−∞, 1], dimensionless; higher is better, 0 is as good as predicting the mean.
            Shape (n_outputs,) for `multioutput="raw_values"`.

    Undefined:
        NaN if fewer than two samples have positive weight. A constant target (all values equal)
        gives 1 for a perfect fit and 0 otherwise; with `force_finite=False`, NaN and −∞
        respectively.

    Gradient:
        Smooth in both arrays and the weights; 0 where the target is constant.

    Cost:
        O(n) time, no temporary arrays. Deviations are taken before squaring, so a large mean does
        not cost precision.

    References:
        `sklearn.metrics.r2_score`.

    Examples:
        >>> round(float(r2_score([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])), 6)
        0.948608
    """
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput, averages=EXPLAINED_AVERAGES
    )
    finisher = Bound.finisher(_r2, outputs, average=average, force_finite=bool(force_finite))
    return plan(arrays, Bound.kernel(_fit, residual=_sum_of_squares), finisher)


@exportable
class Fit(NamedTuple, Generic[Residual]):
    """Moments of a target, and its residual."""

    target: Moments
    residual: Residual
    """Σ w (y_true − y_pred)², or the moments of the difference."""

    def rescaled(self, factor: Array) -> Fit:
        """Statistic after multiplying the data by a positive factor."""
        if isinstance(self.residual, Moments):
            return Fit(self.target.rescaled(factor), self.residual.rescaled(factor))
        return Fit(self.target.rescaled(factor), scale(scale(self.residual, factor), factor))


def _sum_of_squares(error: Array, weight: Array) -> Array:
    return weighted_sum(jnp.square(error), weight)


def _fit(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    residual: Callable[[Array, Array], Residual],
) -> InUnits[Fit[Residual]]:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    unit = power_of_two_scale(nearest(y_true), weight != 0)
    target = moments(y_true, weight, unit)
    fit = Fit(target, residual(y_true / unit - y_pred / unit, weight))
    return InUnits((merging_unit(unit[0], target),), fit)


def _over_outputs(
    per_output: Array, fit: InUnits[Fit[Any]], outputs: Array | None, average: str
) -> Array:
    unit = unit_of(fit.units[0])
    variance = fit.statistic.target.deviation * jnp.square(unit / jnp.max(unit, initial=0))
    return over_outputs(per_output, average, outputs, variance)


def _r2(
    fit: InUnits[Fit[Array]], outputs: Array | None, *, average: str, force_finite: bool
) -> Array:
    score = r2_of(fit.statistic.residual, fit.statistic.target, force_finite)
    return _over_outputs(score, fit, outputs, average)


def r2_of(residual: Array, target: Moments, force_finite: bool = True) -> Array:
    """R² of the sum of squared errors and the moments of the target."""
    score = explained_fraction(residual, target.deviation, target.constant, force_finite)
    return jnp.where(target.entries >= 2, score, jnp.nan)


def explained_fraction(
    residual: Array, total: Array, constant: Array, force_finite: bool = True
) -> Array:
    """1 − residual / total, with the convention for constant targets."""
    perfect, imperfect = (1.0, 0.0) if force_finite else (jnp.nan, -jnp.inf)
    rule = jnp.where(residual == 0, perfect, imperfect).astype(residual.dtype)
    # A NaN residual must not be taken for an imperfect fit.
    rule = jnp.where(jnp.isnan(residual), jnp.nan, rule)
    return jnp.where(constant, rule, 1 - safe_divide(residual, total, jnp.nan))


@metric(range=AT_MOST_ONE, greater_is_better=True, predictions="numbers")
def adjusted_r2_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    n_features: Number,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """R² adjusted for the number of features, 1 − (1 − R²) (n − 1) / (n − n_features − 1).

    n is the total weight Σ w: an integer weight stands for that many copies of a sample.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, with the shape and unit of `y_true`.
        n_features: Number of features of the model, a traced scalar in [0, n − 1).
        multioutput: How to average over outputs: "uniform_average", "raw_values" (one value per
            output), "variance_weighted", or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in (−∞, 1], dimensionless; higher is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if fewer than two samples have positive weight, or unless n > n_features + 1 and
        n_features ≥ 0.

    Gradient:
        Smooth in both arrays and the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Ezekiel (1930).

    Examples:
        >>> y_true, y_pred = [3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]
        >>> round(float(adjusted_r2_score(y_true, y_pred, n_features=1)), 6)
        0.922912
    """
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput, averages=EXPLAINED_AVERAGES
    )
    n_features = check.number("n_features", n_features)
    finisher = Bound.finisher(_adjusted_r2, outputs, n_features, average=average)
    return plan(arrays, Bound.kernel(_fit, residual=_sum_of_squares), finisher)


def _adjusted_r2(
    fit: InUnits[Fit[Array]], outputs: Array | None, n_features: Array, *, average: str
) -> Array:
    target = fit.statistic.target
    score = r2_of(fit.statistic.residual, target)
    n_features = jnp.asarray(n_features, score.dtype)
    free = target.weight - n_features - 1
    score = 1 - (1 - score) * safe_divide(target.weight - 1, free, jnp.nan)
    score = check.nan_unless(
        score,
        (free > 0) & (n_features >= 0),
        "`n_features` must be at least 0 and less than the number of samples minus 1",
    )
    return _over_outputs(score, fit, outputs, average)


@metric(range=AT_MOST_ONE, greater_is_better=True, predictions="numbers")
def explained_variance_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of variance explained up to a constant offset.

    1 − Var(y_true − y_pred) / Var(y_true), both variances weighted.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average", "raw_values" (one value per
            output), "variance_weighted", or weights of shape (n_outputs,).
        force_finite: Whether a constant target scores 1 or 0 instead of NaN or −∞.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in (−∞, 1], dimensionless; higher is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight. A constant target (all values equal, a single sample
        included) gives 1 if the errors are constant too and 0 otherwise; with `force_finite=False`,
        NaN and −∞ respectively.

    Gradient:
        Smooth in both arrays and the weights; 0 where the target is constant.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.explained_variance_score`.

    Examples:
        >>> round(float(explained_variance_score([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])), 6)
        0.957173
    """
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput, averages=EXPLAINED_AVERAGES
    )
    finisher = Bound.finisher(
        _explained_variance, outputs, average=average, force_finite=bool(force_finite)
    )
    return plan(arrays, Bound.kernel(_fit, residual=moments), finisher)


def _explained_variance(
    fit: InUnits[Fit[Moments]], outputs: Array | None, *, average: str, force_finite: bool
) -> Array:
    target, error = fit.statistic
    score = explained_fraction(error.deviation, target.deviation, target.constant, force_finite)
    score = jnp.where(target.entries >= 1, score, jnp.nan)
    return _over_outputs(score, fit, outputs, average)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def relative_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    squared: bool = True,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Squared error relative to that of the mean, Σ w (y_true − y_pred)² / Σ w (y_true − ȳ)².

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, with the shape and unit of `y_true`.
        squared: If False, return the square root, taken of each output before averaging.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), dimensionless; lower is better, 1 is as good as predicting the mean. Shape
            (n_outputs,) for `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight, or if the target is constant (all values equal).

    Gradient:
        Smooth in both arrays and the weights; 0 at a perfect fit with `squared=False`.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `torchmetrics.functional.relative_squared_error`.

    Examples:
        >>> y_true, y_pred = [3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]
        >>> round(float(relative_squared_error(y_true, y_pred)), 6)
        0.051392
    """
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput
    )
    finisher = Bound.finisher(_relative_square, outputs, average=average, squared=bool(squared))
    return plan(arrays, Bound.kernel(_fit, residual=_sum_of_squares), finisher)


def _relative_square(
    fit: InUnits[Fit[Array]], outputs: Array | None, *, average: str, squared: bool
) -> Array:
    target, residual = fit.statistic
    ratio = safe_divide(residual, target.deviation, jnp.nan)
    ratio = jnp.where(target.constant, jnp.nan, ratio)
    return over_outputs(ratio if squared else safe_sqrt(ratio), average, outputs)
