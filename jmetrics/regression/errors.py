"""Errors in units of the target: means, medians and maxima."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.anatomy import NONNEGATIVE, Step, declared, metric, plan
from jmetrics._core.merging import Most
from jmetrics._core.moments import root_mean_square, squares
from jmetrics._core.numerics import Whole, absolute, nearest
from jmetrics._core.quantiles import weighted_quantile
from jmetrics._core.sampling import jumping
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import resolve_exactly
from jmetrics.regression._outputs import (
    absolute_error,
    checked_inputs,
    mean_error,
    over_outputs,
)


@metric(range=NONNEGATIVE, greater_is_better=False)
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
    return mean_error(_squared, y_true, y_pred, multioutput, sample_weight, where)


@metric(range=NONNEGATIVE, greater_is_better=False)
def root_mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Root of the mean squared error, √(Σ w (y_true − y_pred)² / Σ w), taken by output.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`; an array of
    (n_outputs,) weights the outputs.
    Range: [0, ∞), in units of y; lower is better.
    Undefined: NaN when nothing counts.
    Gradient: smooth in both arrays and in the weights; 0 at a perfect fit.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.root_mean_squared_error`.

    >>> float(root_mean_squared_error([0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, -1.0]))
    1.0
    """
    return _root_mean(_difference, y_true, y_pred, multioutput, sample_weight, where)


@metric(range=NONNEGATIVE, greater_is_better=False)
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
    return mean_error(absolute_error, y_true, y_pred, multioutput, sample_weight, where)


@metric(range=NONNEGATIVE, greater_is_better=False)
def mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean squared error of the logarithms, Σ w (log(1 + y_true) − log(1 + y_pred))² / Σ w.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`; an array of
    (n_outputs,) weights the outputs.
    Range: [0, ∞), without unit; lower is better.
    Undefined: NaN when nothing counts, and for a value of −1 or less in either array.
    Gradient: smooth in both arrays and in the weights.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.mean_squared_log_error`.

    >>> round(float(mean_squared_log_error([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0])), 6)
    0.03973
    """
    return mean_error(_squared_log, y_true, y_pred, multioutput, sample_weight, where)


@metric(range=NONNEGATIVE, greater_is_better=False)
def root_mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Root of the mean squared error of the logarithms, √ of `mean_squared_log_error` by output.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`; an array of
    (n_outputs,) weights the outputs.
    Range: [0, ∞), without unit; lower is better.
    Undefined: NaN when nothing counts, and for a value of −1 or less in either array.
    Gradient: smooth in both arrays and in the weights; 0 at a perfect fit.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.root_mean_squared_log_error`.

    >>> round(float(root_mean_squared_log_error([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0])), 6)
    0.199324
    """
    return _root_mean(_log_difference, y_true, y_pred, multioutput, sample_weight, where)


@metric(range=NONNEGATIVE, greater_is_better=False)
def mean_log_cosh_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean of log cosh(y_true − y_pred): squared for small errors, absolute for large ones.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`; an array of
    (n_outputs,) weights the outputs.
    Range: [0, ∞); lower is better. Errors are compared with 1, so the unit of y matters.
    Undefined: NaN when nothing counts.
    Gradient: smooth in both arrays and in the weights, at most 1 an error.
    Cost: O(n) time, no temporary arrays. No error overflows.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.log_cosh_error`.

    >>> round(float(mean_log_cosh_error([0.0, 1.0], [0.0, 2.0])), 6)
    0.21689
    """
    return mean_error(_log_cosh, y_true, y_pred, multioutput, sample_weight, where)


@metric(range=NONNEGATIVE, greater_is_better=False)
def max_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Largest absolute error, max |y_true − y_pred| over the samples with weight.

    Shapes: both arrays and the optional `sample_weight` and `where` (n,). A scalar.
    Range: [0, ∞), in units of y; lower is better.
    Undefined: NaN when nothing counts.
    Gradient: that of the largest error, shared among ties; 0 in the weights, which only say
    what counts.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `sklearn.metrics.max_error`.

    >>> float(max_error([3.0, 2.0, 7.0, 1.0], [4.0, 2.0, 7.0, 1.0]))
    1.0
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return plan(arrays, Step.of(_largest), Step.of(_or_nan))


def _largest(y_true, y_pred, sample_weight, where):
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    error = jnp.where(jnp.isfinite(weight), absolute(y_true - y_pred), jnp.nan)
    return Most(jumping(jnp.max(error, where=weight != 0, initial=-jnp.inf), weight))


def _or_nan(largest):
    return jnp.where(largest.number == -jnp.inf, jnp.nan, largest.number)


@declared(range=NONNEGATIVE, greater_is_better=False)
def median_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Weighted median of the absolute errors, the middle of all m that minimise Σ w ||e| − m|.

    Shapes: both arrays (n,) or (n, n_outputs), `sample_weight` (n,), `where` (n,) or that of
    the arrays. A scalar, or one value an output with `multioutput="raw_values"`; an array of
    (n_outputs,) weights the outputs.
    Range: [0, ∞), in units of y; lower is better.
    Undefined: NaN when nothing counts.
    Gradient: that of the errors that the median lies on; 0 in the weights. The influence of a
    sample on it is (½ − [its error is below]) over the density of errors there.
    Cost: O(n) time by selection, no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.median_absolute_error`.

    >>> float(median_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]))
    0.5
    """
    arrays, outputs, average = checked_inputs(y_true, y_pred, sample_weight, where, multioutput)
    return _median_absolute_error(*arrays, outputs, average=average)


@functools.partial(jax.jit, static_argnames="average")
@with_auto_axes
def _median_absolute_error(y_true, y_pred, sample_weight, where, outputs, *, average):
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    half = jnp.asarray(0.5, y_true.dtype)
    per_output = weighted_quantile(absolute(y_true - y_pred), weight, half)
    return over_outputs(per_output, average, outputs)


def _root_mean(
    difference: Callable[..., Array],
    y_true: Any,
    y_pred: Any,
    multioutput: Any,
    sample_weight: Any,
    where: Any,
) -> Any:
    arrays, outputs, average = checked_inputs(y_true, y_pred, sample_weight, where, multioutput)
    finish = Step.of(_root_by_output, outputs, average=average)
    return plan(arrays, Step.of(_squares, difference=difference), finish)


def _squares(*arrays, difference):
    def measure(*arrays: Any) -> tuple[Array, Array]:
        y_true, y_pred, weight = resolve_exactly(*arrays)
        return difference(y_true, y_pred, weight), weight

    return squares(measure, arrays)


def _root_by_output(of_squares, outputs, *, average):
    return over_outputs(root_mean_square(of_squares), average, outputs)


def _difference(y_true: Array, y_pred: Array, weight: Array) -> Array:
    del weight
    return y_true - y_pred


def _squared(y_true: Array, y_pred: Array, weight: Array) -> Array:
    return jnp.square(_difference(y_true, y_pred, weight))


def _log_cosh(y_true: Array, y_pred: Array, weight: Array) -> Array:
    del weight
    size = absolute(y_true - y_pred)
    # log(1 + 2 sinh²(x / 2)) is exact near 0 and overflows; the other form does the reverse.
    near = jnp.log1p(2 * jnp.square(jnp.sinh(jnp.clip(y_true - y_pred, -1, 1) / 2)))
    far = size + jnp.log1p(jnp.expm1(-2 * size) / 2)
    return jnp.where(size < 1, near, far)


def _squared_log(y_true: Array, y_pred: Array, weight: Array) -> Array:
    return jnp.square(_log_difference(y_true, y_pred, weight))


def _log_difference(y_true: Array | Whole, y_pred: Array | Whole, weight: Array) -> Array:
    inside = (nearest(y_true) > -1) & (nearest(y_pred) > -1)
    a, b, gap = (
        jnp.where(inside, x, jnp.zeros_like(x))
        for x in (nearest(y_true), nearest(y_pred), y_true - y_pred)
    )
    # The logarithms of near values share their leading digits; that of their ratio does not.
    # Near 0 the sign stays, which the second derivative needs.
    ratio = gap / (1 + b)
    far = absolute(gap) / (1 + jnp.minimum(a, b))
    difference = jnp.log1p(jnp.where(absolute(ratio) < 0.5, ratio, far))
    return check.defined(difference, inside | (weight == 0), "`y_true` and `y_pred` must exceed -1")
