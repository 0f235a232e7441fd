"""What is counted, and any metric of counts, at all thresholds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.anatomy import NONNEGATIVE, REAL, declared
from jmetrics._core.counts import BinaryCounts
from jmetrics._core.exporting import exportable
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics.curves._points import distinct, length_of, sized, trimmed
from jmetrics.curves._scores import inputs, scored, thresholds_of


@exportable
class ThresholdCounts(NamedTuple):
    """The four cells of the confusion matrix at falling thresholds."""

    tn: Array
    fp: Array
    fn: Array
    tp: Array
    thresholds: Array
    size: Array
    """How many points there are."""


@declared(range=(*[NONNEGATIVE] * 4, REAL, NONNEGATIVE), greater_is_better=None)
def confusion_matrix_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    size: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> ThresholdCounts:
    """Confusion matrices of predicting the positive class from each score upwards.

    Called eagerly without `size`, there is one entry for each distinct score that counts, from
    high to low. Under a transformation the length is `size`, n by default; entries beyond
    those that there are repeat the last one.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A tuple of five arrays and the number of points.
    Range: [0, Σ w]; exact integers unless there are float weights.
    Undefined: for a NaN score that counts, a label other than 0 and 1, and a `size` too small,
    NaN thresholds, and cells that are NaN or, as integers, the least there is. Eagerly no
    points, and else NaN thresholds, when nothing counts.
    Gradient: smooth in the weights, 0 in the scores.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.confusion_matrix_at_thresholds`.

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
    y_true, y_score, sample_weight, where, *, length, floating=False
):
    data = scored(y_true, y_score, sample_weight, where)
    (tp, fp), _, thresholds, size = distinct(thresholds_of(data), y_true.shape[0])
    table = ThresholdCounts(fp[-1] - fp, fp, tp[-1] - tp, tp, thresholds, size)
    if floating:
        cells = (jnp.where(size > 0, cell.astype(data.dtype), jnp.nan) for cell in table[:4])
        table = table._replace(**dict(zip(table._fields[:4], cells, strict=True)))
    return sized(table, data, length)


@exportable
class ThresholdValues(NamedTuple):
    """A metric at falling thresholds."""

    values: Array
    thresholds: Array
    size: Array
    """How many points there are."""


@declared(range=(REAL, REAL, NONNEGATIVE), greater_is_better=None)
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

    `metric_of_counts` gets the four cells, as floats with one entry a threshold, by name, and
    returns one number for each. All thresholds cost one running sum. Lengths are those of
    `confusion_matrix_at_thresholds`.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included. A tuple
    of two arrays and the number of points.
    Range: that of the formula.
    Undefined: what the formula makes of cells that are NaN, with NaN thresholds, for a NaN
    score that counts, a label other than 0 and 1, and a `size` too small. Eagerly no points,
    and else NaN, when nothing counts.
    Gradient: 0 in the scores; in the weights that of the formula.
    Cost: O(n log n) time for one sort, and the formula, which need not be the same object again
    for a second call not to compile.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.metric_at_thresholds`, which calls the metric in a loop.

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
