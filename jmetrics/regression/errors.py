"""Errors in units of the target: means, medians and maxima."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.merging import Maximum
from jmetrics._core.moments import InUnits, Squares, root_mean_square, squares
from jmetrics._core.numerics import Whole, absolute, nearest
from jmetrics._core.plan import NONNEGATIVE, Bound, Plan, declared, metric, plan
from jmetrics._core.quantiles import weighted_quantile
from jmetrics._core.sampling import jumping
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import resolve_exactly
from jmetrics.regression._outputs import (
    absolute_error,
    mean_error,
    over_outputs,
    regression_inputs,
)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean squared error, Σ w (y_true − y_pred)² / Σ w.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in squared units of y; lower is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        Smooth in both arrays and the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.mean_squared_error`.

    Examples:
        >>> float(mean_squared_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]))
        0.375
    """
    return mean_error(
        _squared, y_true, y_pred, multioutput=multioutput, sample_weight=sample_weight, where=where
    )


def _squared(y_true: Array, y_pred: Array, weight: Array) -> Array:
    del weight
    return jnp.square(y_true - y_pred)


def _difference(y_true: Array, y_pred: Array, weight: Array) -> Array:
    del weight
    return y_true - y_pred


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def root_mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Root mean squared error, √(Σ w (y_true − y_pred)² / Σ w).

    The root is taken of each output, before averaging.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        Smooth in both arrays and the weights; 0 at a perfect fit.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.root_mean_squared_error`.

    Examples:
        >>> float(root_mean_squared_error([0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, -1.0]))
        1.0
    """
    return _root_mean(
        _difference,
        y_true,
        y_pred,
        multioutput=multioutput,
        sample_weight=sample_weight,
        where=where,
    )


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def mean_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean absolute error, Σ w |y_true − y_pred| / Σ w.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        That of the absolute value, 0 at a perfect fit; smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.mean_absolute_error`.

    Examples:
        >>> float(mean_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]))
        0.5
    """
    return mean_error(
        absolute_error,
        y_true,
        y_pred,
        multioutput=multioutput,
        sample_weight=sample_weight,
        where=where,
    )


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean squared logarithmic error, Σ w (log(1 + y_true) − log(1 + y_pred))² / Σ w.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), greater than −1.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), dimensionless; lower is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight, or if a value of either array is −1 or less.

    Gradient:
        Smooth in both arrays and the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.mean_squared_log_error`.

    Examples:
        >>> round(float(mean_squared_log_error([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0])), 6)
        0.03973
    """
    return mean_error(
        _squared_log,
        y_true,
        y_pred,
        multioutput=multioutput,
        sample_weight=sample_weight,
        where=where,
    )


def _squared_log(y_true: Array, y_pred: Array, weight: Array) -> Array:
    return jnp.square(_log_difference(y_true, y_pred, weight))


def _log_difference(y_true: Array | Whole, y_pred: Array | Whole, weight: Array) -> Array:
    inside = (nearest(y_true) > -1) & (nearest(y_pred) > -1)
    a, b, gap = (
        jnp.where(inside, x, jnp.zeros_like(x))
        for x in (nearest(y_true), nearest(y_pred), y_true - y_pred)
    )
    # Logarithms of nearly equal values cancel; log1p of their relative difference does not.
    # Small ratios keep their sign, which the second derivative needs.
    ratio = gap / (1 + b)
    far = absolute(gap) / (1 + jnp.minimum(a, b))
    difference = jnp.log1p(jnp.where(absolute(ratio) < 0.5, ratio, far))
    return check.nan_unless(
        difference, inside | (weight == 0), "`y_true` and `y_pred` must exceed -1"
    )


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def root_mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Root mean squared logarithmic error, the square root of `mean_squared_log_error`.

    The root is taken of each output, before averaging.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), greater than −1.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), dimensionless; lower is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight, or if a value of either array is −1 or less.

    Gradient:
        Smooth in both arrays and the weights; 0 at a perfect fit.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.root_mean_squared_log_error`.

    Examples:
        >>> round(float(root_mean_squared_log_error([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0])), 6)
        0.199324
    """
    return _root_mean(
        _log_difference,
        y_true,
        y_pred,
        multioutput=multioutput,
        sample_weight=sample_weight,
        where=where,
    )


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def mean_log_cosh_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean of log cosh(y_true − y_pred), quadratic for small errors and linear for large ones.

    The crossover is at errors near 1, so the unit of y matters.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞); lower is better. Shape (n_outputs,) for `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        Smooth in both arrays and the weights; at most 1 per error.

    Cost:
        O(n) time, no temporary arrays. No error overflows.

    References:
        `torchmetrics.functional.log_cosh_error`.

    Examples:
        >>> round(float(mean_log_cosh_error([0.0, 1.0], [0.0, 2.0])), 6)
        0.21689
    """
    return mean_error(
        _log_cosh, y_true, y_pred, multioutput=multioutput, sample_weight=sample_weight, where=where
    )


def _log_cosh(y_true: Array, y_pred: Array, weight: Array) -> Array:
    del weight
    size = absolute(y_true - y_pred)
    # log(1 + 2 sinh²(x / 2)) is accurate near 0 and overflows; the other form is the reverse.
    near = jnp.log1p(2 * jnp.square(jnp.sinh(jnp.clip(y_true - y_pred, -1, 1) / 2)))
    far = size + jnp.log1p(jnp.expm1(-2 * size) / 2)
    return jnp.where(size < 1, near, far)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers", smooth_in_weights=False)
def max_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Maximum absolute error, max |y_true − y_pred| over the samples with positive weight.

    Args:
        y_true: Targets, shape (n,), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        That of the largest error, split equally among ties; 0 in the weights, which only select
        samples.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.max_error`.

    Examples:
        >>> float(max_error([3.0, 2.0, 7.0, 1.0], [4.0, 2.0, 7.0, 1.0]))
        1.0
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return plan(arrays, Bound.kernel(_largest), Bound.finisher(_or_nan))


def _largest(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> Maximum:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    error = jnp.where(jnp.isfinite(weight), absolute(y_true - y_pred), jnp.nan)
    return Maximum(jumping(jnp.max(error, where=weight != 0, initial=-jnp.inf), weight))


def _or_nan(largest: Maximum) -> Array:
    return jnp.where(largest.value == -jnp.inf, jnp.nan, largest.value)


@declared(
    range=NONNEGATIVE, greater_is_better=False, predictions="numbers", smooth_in_weights=False
)
def median_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Weighted median of the absolute errors.

    The midpoint of all m that minimise Σ w ||y_true − y_pred| − m|.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        That of the errors at which the median lies; 0 in the weights. The influence of a sample is
        (½ − [its error is below the median]) over the density of errors at the median.

    Cost:
        O(n) time by selection, without sorting.

    References:
        `sklearn.metrics.median_absolute_error`.

    Examples:
        >>> float(median_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]))
        0.5
    """
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput
    )
    return _median_absolute_error(*arrays, outputs, average=average)


@functools.partial(jax.jit, static_argnames="average")
@with_auto_axes
def _median_absolute_error(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    outputs: Array | None,
    *,
    average: str,
) -> Array:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    half = jnp.asarray(0.5, y_true.dtype)
    per_output = weighted_quantile(absolute(y_true - y_pred), weight, half)
    return over_outputs(per_output, average, outputs)


def _root_mean(
    difference: Callable[..., Array],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Plan[Array]:
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput
    )
    finisher = Bound.finisher(_root_by_output, outputs, average=average)
    return plan(arrays, Bound.kernel(_squares, difference=difference), finisher)


def _squares(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    difference: Callable[[Array, Array, Array], Array],
) -> InUnits[Squares]:
    def weighted_difference(*arrays: Any) -> tuple[Array, Array]:
        y_true, y_pred, weight = resolve_exactly(*arrays)
        return difference(y_true, y_pred, weight), weight

    return squares(weighted_difference, (y_true, y_pred, sample_weight, where))


def _root_by_output(of_squares: InUnits[Squares], outputs: Array | None, *, average: str) -> Array:
    return over_outputs(root_mean_square(of_squares), average, outputs)
