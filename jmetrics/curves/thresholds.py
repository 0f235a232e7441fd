"""Confusion counts, and any metric of them, at all thresholds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import BinaryCounts
from jmetrics._core.curve_points import distinct, length_of, trimmed
from jmetrics._core.exporting import exportable
from jmetrics._core.plan import NONNEGATIVE, REAL, declared
from jmetrics._core.scores import inputs, labelled_scores, thresholds_of
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics.curves._points import sized


@exportable
class ThresholdCounts(NamedTuple):
    """The four cells of the confusion matrix at falling thresholds.

    Attributes:
        tn: True negatives, shape (n_points,).
        fp: False positives, shape (n_points,).
        fn: False negatives, shape (n_points,).
        tp: True positives, shape (n_points,).
        thresholds: Thresholds, falling, shape (n_points,).
        size: Number of points, an integer scalar.
    """

    tn: Array
    fp: Array
    fn: Array
    tp: Array
    thresholds: Array
    size: Array


@declared(
    range=(*[NONNEGATIVE] * 4, REAL, NONNEGATIVE), greater_is_better=None, predictions="scores"
)
def confusion_matrix_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    size: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> ThresholdCounts:
    """Confusion matrices of predicting the positive class from each score upwards.

    Called eagerly without `size`, there is one entry for each distinct score with positive weight,
    from high to low. Under a transformation the length is `size`, n by default, and entries beyond
    the last point repeat it.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        size: Length of the result, static. None for n under a transformation, such as `jit`, and
            for the number of points otherwise.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of the cells `tn`, `fp`, `fn` and `tp` in [0, Σ w], exact integers unless there
            are float weights, the `thresholds`, and the number of points, `size`.

    Undefined:
        For a NaN score with positive weight, a label other than 0 and 1, and a `size` too small:
        NaN thresholds, and cells that are NaN or, as integers, the smallest integer. If no sample
        has positive weight: no points eagerly, and NaN thresholds otherwise.

    Gradient:
        Smooth in the weights, 0 in the scores.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `sklearn.metrics.confusion_matrix_at_thresholds`.

    Examples:
        >>> counts = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> counts.tp, counts.fp
        (Array([1, 1, 2, 2], dtype=int32), Array([0, 1, 1, 2], dtype=int32))
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    length = length_of(size, max(arrays[0].shape[0], 1))
    return trimmed(_confusion_matrix_at_thresholds(*arrays, length=length), size)


@functools.partial(jax.jit, static_argnames=("length", "floating"))
@with_auto_axes
def _confusion_matrix_at_thresholds(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    length: int,
    floating: bool = False,
) -> ThresholdCounts:
    data = labelled_scores(y_true, y_score, sample_weight, where, totals=not floating)
    (tp, fp), _, thresholds, size = distinct(thresholds_of(data), y_true.shape[0])
    table = ThresholdCounts(fp[-1] - fp, fp, tp[-1] - tp, tp, thresholds, size)
    if floating:
        cells = (jnp.where(size > 0, cell.astype(data.dtype), jnp.nan) for cell in table[:4])
        table = table._replace(**dict(zip(table._fields[:4], cells, strict=True)))
    return sized(table, data, length)


@exportable
class ThresholdValues(NamedTuple):
    """A metric at falling thresholds.

    Attributes:
        values: Values of the metric, shape (n_points,).
        thresholds: Thresholds, falling, shape (n_points,).
        size: Number of points, an integer scalar.
    """

    values: Array
    thresholds: Array
    size: Array


@declared(range=(REAL, REAL, NONNEGATIVE), greater_is_better=None, predictions="scores")
def metric_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric_of_counts: Callable[[BinaryCounts], Array],
    size: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> ThresholdValues:
    """Score the predictions from each score upwards, by any formula of tp, fp, fn and tn.

    All thresholds cost one cumulative sum. Lengths are those of `confusion_matrix_at_thresholds`.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,).
        metric_of_counts: Function of the four cells, which it gets by name, as floats with one
            entry per threshold, to one number for each threshold.
        size: Length of the result, static. None for n under a transformation, such as `jit`, and
            for the number of points otherwise.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of the `values`, in the range of the formula within (−∞, ∞), the `thresholds`,
            and the number of points, `size`.

    Undefined:
        For a NaN score with positive weight, a label other than 0 and 1, and a `size` too small:
        what the formula gives for NaN cells, with NaN thresholds. If no sample has positive weight:
        no points eagerly, and NaN otherwise.

    Gradient:
        0 in the scores; in the weights that of the formula.

    Cost:
        O(n log n) time for one sort, and the formula. A second call with another function object
        does not compile again.

    References:
        `sklearn.metrics.metric_at_thresholds`, which calls the metric in a loop.

    Examples:
        >>> def f1(counts):
        ...     return counts.tp / (counts.tp + (counts.fp + counts.fn) / 2)
        >>> curve = metric_at_thresholds([0, 1, 1], [0.2, 0.4, 0.8], metric_of_counts=f1)
        >>> [round(float(value), 6) for value in curve.values]
        [0.666667, 1.0, 0.8]
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    length = length_of(size, max(arrays[0].shape[0], 1))
    table = _confusion_matrix_at_thresholds(*arrays, length=length, floating=True)
    values = metric_of_counts(BinaryCounts(table.tp, table.fp, table.fn, table.tn))
    values = check.one_each("metric_of_counts", values, table.thresholds.shape)
    return trimmed(ThresholdValues(values, table.thresholds, table.size), size)
