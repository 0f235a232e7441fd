"""Dimensionless errors: relative to the target, its spread or a naive forecast."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.moments import (
    Extent,
    InUnits,
    Squares,
    extent,
    merging_unit,
    moments,
    root_mean_square,
    squares,
    unit_of,
)
from jmetrics._core.numerics import (
    Total,
    absolute,
    mean_of,
    nearest,
    power_of_two_scale,
    safe_divide,
    safe_sqrt,
    weighted_mean,
    weighted_sum,
)
from jmetrics._core.plan import NONNEGATIVE, Bound, Plan, metric, plan
from jmetrics._core.sampling import jumping
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import combine, exactly, resolve_exactly
from jmetrics.regression._outputs import (
    absolute_error,
    mean_error,
    over_outputs,
    regression_inputs,
    total_error,
)

_FLOAT64_EPS = 2.0**-52


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def mean_absolute_percentage_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean absolute error relative to the target, as a fraction.

    Σ w |y_true − y_pred| / max(|y_true|, ε) / Σ w with ε = 2⁻⁵². A single target of 0 makes it
    huge.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), a fraction rather than a percentage; lower is better. Shape (n_outputs,)
            for `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        That of the absolute value in `y_pred`; smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.mean_absolute_percentage_error`, with its ε for every dtype.

    Examples:
        >>> round(float(mean_absolute_percentage_error([1.0, 10.0, 1e6], [0.9, 15.0, 1.2e6])), 6)
        0.266667
    """
    return mean_error(
        _percentage,
        y_true,
        y_pred,
        multioutput=multioutput,
        sample_weight=sample_weight,
        where=where,
    )


@metric(range=(0.0, 2.0), greater_is_better=False, predictions="numbers")
def symmetric_mean_absolute_percentage_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean absolute error relative to the mean size of target and prediction, as a fraction.

    Σ w 2 |y_true − y_pred| / (|y_true| + |y_pred|) / Σ w. Where both values are 0, the error is 0.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, 2], a fraction rather than a percentage; lower is better. Shape (n_outputs,)
            for `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight.

    Gradient:
        Continuous except where both values are 0; smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Armstrong (1985); `torchmetrics.functional.symmetric_mean_absolute_percentage_error`.

    Examples:
        >>> round(float(symmetric_mean_absolute_percentage_error([1.0, 10.0], [3.0, 10.0])), 6)
        0.5
    """
    return mean_error(
        _symmetric_percentage,
        y_true,
        y_pred,
        multioutput=multioutput,
        sample_weight=sample_weight,
        where=where,
    )


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def weighted_mean_absolute_percentage_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Total absolute error relative to the total target, Σ w |y_true − y_pred| / Σ w |y_true|.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), a fraction rather than a percentage; lower is better. Shape (n_outputs,)
            for `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight, or if all targets are 0.

    Gradient:
        That of the absolute value in `y_pred`; smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `torchmetrics.functional.weighted_mean_absolute_percentage_error`.

    Examples:
        >>> round(float(weighted_mean_absolute_percentage_error([1.0, 9.0], [2.0, 10.0])), 6)
        0.2
    """
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput
    )
    return plan(
        arrays, Bound.kernel(_error_and_size), Bound.finisher(_ratio, outputs, average=average)
    )


def _error_and_size(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> tuple[Array, Array]:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    error, size = absolute(y_true - y_pred), absolute(nearest(y_true))
    return weighted_sum(error, weight), weighted_sum(size, weight)


def _ratio(sums: tuple[Array, Array], outputs: Array | None, *, average: str) -> Array:
    error, size = sums
    return over_outputs(safe_divide(error, size, jnp.nan), average, outputs)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def mean_absolute_scaled_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    y_train: ArrayLike,
    seasonality: int = 1,
    train_where: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean absolute error relative to that of the naive forecast on the training series.

    (Σ w |y_true − y_pred| / Σ w) / mean_t |y_train[t] − y_train[t − m]| with m = `seasonality`.

    Args:
        y_true: Targets, shape (n,), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        y_train: Training series in order of time, shape (n_train,), in the unit of `y_true`.
        seasonality: Lag m of the naive forecast, a static positive integer.
        train_where: Mask, shape (n_train,); training values where it is False are ignored.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), dimensionless; lower is better, 1 is as good as the naive forecast.

    Undefined:
        NaN if no sample has positive weight, or if the training series has no two values
        `seasonality` apart or does not vary.

    Gradient:
        That of the absolute value in `y_pred`; smooth in the weights.

    Cost:
        O(n + n_train) time, no temporary arrays.

    References:
        Hyndman & Koehler (2006).

    Examples:
        >>> y_train = [1.0, 3.0, 2.0, 4.0]
        >>> round(float(mean_absolute_scaled_error([5.0, 6.0], [4.0, 6.5], y_train=y_train)), 6)
        0.45
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    y_train, train_where = check.masked("y_train", y_train, "train_where", train_where)
    seasonality = check.positive_integer("seasonality", seasonality)
    finisher = Bound.finisher(_over_naive, y_train, train_where, seasonality=seasonality)
    return plan(arrays, Bound.kernel(total_error, error=absolute_error), finisher)


def _over_naive(
    total: Total, y_train: Array, train_where: Array | None, *, seasonality: int
) -> Array:
    known = combine(None, train_where, y_train.shape, jnp.int32)
    y = exactly(y_train, total.value.dtype, None, train_where)
    steps = absolute(y[seasonality:] - y[:-seasonality])
    naive = weighted_mean(steps, known[seasonality:] * known[:-seasonality])
    return safe_divide(mean_of(total), naive, jnp.nan)


_NORMALIZATIONS = ("mean", "range", "std", "l2")


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="numbers")
def normalized_root_mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalization: str = "mean",
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Root mean squared error divided by the size or the spread of the target.

    √(Σ w (y_true − y_pred)² / Σ w) over, depending on `normalization`, |ȳ| ("mean"), max y − min y
    ("range"), √(Σ w (y_true − ȳ)² / Σ w) ("std") or √(Σ w y_true² / Σ w) ("l2").

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        normalization: The divisor: "mean", "range", "std" or "l2".
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), dimensionless; lower is better. Shape (n_outputs,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight, or if the divisor is 0.

    Gradient:
        Smooth in both arrays and the weights; 0 in `y_pred` at a perfect fit.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `torchmetrics.functional.normalized_root_mean_squared_error`.

    Examples:
        >>> round(float(normalized_root_mean_squared_error([1.0, 3.0], [2.0, 4.0])), 6)
        0.5
    """
    check.one_of("normalization", normalization, _NORMALIZATIONS)
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput
    )
    finisher = Bound.finisher(
        _root_over_size, outputs, average=average, normalization=normalization
    )
    return plan(arrays, Bound.kernel(_squares_and_size, normalization=normalization), finisher)


@exportable
class ErrorAndSize(NamedTuple):
    """Errors of a target, and its own size."""

    error: InUnits[Squares]
    size: InUnits[Any]
    """Squares, extent or moments of the target, which is decided by `normalization`."""


def _squares_and_size(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    normalization: str,
) -> ErrorAndSize:
    arrays = y_true, y_pred, sample_weight, where

    def error(*arrays: Any) -> tuple[Array, Array]:
        y_true, y_pred, weight = resolve_exactly(*arrays)
        return y_true - y_pred, weight

    def target(*arrays: Any) -> tuple[Array, Array]:
        y_true, _, weight = resolve_exactly(*arrays)
        return nearest(y_true), weight

    errors = squares(error, arrays)
    if normalization == "l2":
        return ErrorAndSize(errors, squares(target, arrays))
    exact, _, weight = resolve_exactly(*arrays)
    on = weight != 0
    unit = power_of_two_scale(nearest(exact), on)
    if normalization == "range":
        size: Any = Extent(*(jumping(end, weight) for end in extent(exact / unit, on)))
    else:
        size = moments(exact, weight, unit)
    return ErrorAndSize(errors, InUnits((merging_unit(unit[0], size),), size))


def _root_over_size(
    statistic: ErrorAndSize, outputs: Array | None, *, average: str, normalization: str
) -> Array:
    error, size = statistic
    if normalization == "l2":
        divisor = root_mean_square(size)
    else:
        target = size.statistic
        divisor = (
            unit_of(size.units[0])
            * {
                "mean": lambda: absolute(target.mean),
                "range": lambda: target.width,
                "std": lambda: safe_sqrt(safe_divide(target.deviation, target.weight, jnp.nan)),
            }[normalization]()
        )
    ratio = safe_divide(root_mean_square(error), divisor, jnp.nan)
    return over_outputs(ratio, average, outputs)


def _percentage(y_true: Array, y_pred: Array, weight: Array) -> Array:
    del weight
    return absolute(y_true - y_pred) / jnp.maximum(absolute(nearest(y_true)), _FLOAT64_EPS)


def _symmetric_percentage(y_true: Array, y_pred: Array, weight: Array) -> Array:
    del weight
    half = absolute(nearest(y_true)) / 2 + absolute(nearest(y_pred)) / 2
    return safe_divide(2 * absolute(y_true / 2 - y_pred / 2), half, 0.0)
