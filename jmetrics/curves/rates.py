"""Curves of rates against rates: ROC, precision and recall, detection error trade-off."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.anatomy import NONNEGATIVE, REAL, UNIT, declared
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import safe_divide
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics.curves._points import (
    Points,
    corners,
    distinct,
    from_nothing,
    length_of,
    rates,
    recall_changes,
    rising,
    sized,
    trimmed,
    without,
)
from jmetrics.curves._scores import inputs, scored, thresholds_of


@exportable
class RocCurve(NamedTuple):
    """Points of a ROC curve from (0, 0) to (1, 1)."""

    fpr: Array
    tpr: Array
    thresholds: Array
    """Falling; infinity for (0, 0)."""
    size: Array
    """How many points there are."""


@declared(range=(UNIT, UNIT, REAL, NONNEGATIVE), greater_is_better=None)
def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    drop_intermediate: bool = True,
    size: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> RocCurve:
    """True against false positive rate, fp / (tn + fp) and tp / (tp + fn), at all thresholds.

    Called eagerly without `size`, there are as many points as there are. Under a
    transformation the length is `size`, n + 1 by default, and entries beyond repeat the end
    point, which changes neither a plot nor an area. `drop_intermediate` leaves out points in
    the middle of two equal steps.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. Three arrays and the number of points: use
    `fpr, tpr, thresholds = roc_curve(...)[:3]`, or the names.
    Range: rates in [0, 1], both rising.
    Undefined: NaN rates along the axis of a class without weight. All NaN for a NaN score that
    counts, a label other than 0 and 1, and a `size` too small.
    Gradient: smooth in the weights, 0 in the scores.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.roc_curve`; Fawcett (2006).

    >>> curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.fpr.tolist(), curve.tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    length = length_of(size, arrays[0].shape[0] + 1)
    curve = _roc_curve(*arrays, length=length, drop=bool(drop_intermediate))
    return trimmed(curve, size)


@functools.partial(jax.jit, static_argnames=("length", "drop"))
@with_auto_axes
def _roc_curve(y_true, y_score, sample_weight, where, *, length, drop):
    data = scored(y_true, y_score, sample_weight, where)
    points = distinct(thresholds_of(data), y_true.shape[0])
    return sized(roc_of(points, data.dtype, drop=drop), data, length)


def roc_of(points: Points, dtype: DTypeLike, *, drop: bool) -> RocCurve:
    """Rates at the thresholds, and at one above them."""
    if drop:
        points = without(points, corners(points))
    points = from_nothing(points)
    tpr, fpr, _, _ = rates(points.counts, dtype)
    return RocCurve(fpr, tpr, points.score, points.size)


@exportable
class PrecisionRecallCurve(NamedTuple):
    """Points of a precision-recall curve from the lowest threshold to (1, 0)."""

    precision: Array
    recall: Array
    thresholds: Array
    """Rising; one fewer than points, since the last point (1, 0) has none."""
    size: Array
    """How many points there are."""


@declared(range=(UNIT, UNIT, REAL, NONNEGATIVE), greater_is_better=None)
def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    drop_intermediate: bool = False,
    size: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> PrecisionRecallCurve:
    """Precision against recall, tp / (tp + fp) and tp / (tp + fn), at all thresholds.

    The last point is (1, 0), of a threshold above all scores. Called eagerly without `size`,
    there are as many points as there are. Under a transformation the length is `size`, n + 1 by
    default, and entries beyond repeat the end point, which changes neither a plot nor an area.
    `drop_intermediate` leaves out points with the recall of both their neighbours.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. Three arrays, the thresholds one shorter, and the
    number of points: use `precision, recall, thresholds = precision_recall_curve(...)[:3]`, or
    the names.
    Range: shares in [0, 1], recall falling.
    Undefined: recall is 1 at each threshold without a positive. All NaN when nothing counts,
    for a NaN score that counts, a label other than 0 and 1, and a `size` too small.
    Gradient: smooth in the weights, 0 in the scores.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.precision_recall_curve`.

    >>> curve = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall.tolist(), [round(float(t), 6) for t in curve.thresholds]
    ([1.0, 1.0, 0.5, 0.5, 0.0], [0.1, 0.35, 0.4, 0.8])
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    length = length_of(size, arrays[0].shape[0] + 1)
    curve = _precision_recall_curve(*arrays, length=length, drop=bool(drop_intermediate))
    return trimmed(curve, size)


@functools.partial(jax.jit, static_argnames=("length", "drop"))
@with_auto_axes
def _precision_recall_curve(y_true, y_score, sample_weight, where, *, length, drop):
    data = scored(y_true, y_score, sample_weight, where)
    points = distinct(thresholds_of(data), y_true.shape[0])
    return sized(precision_recall_of(points, data.dtype, drop=drop), data, length)


def precision_recall_of(points: Points, dtype: DTypeLike, *, drop: bool) -> PrecisionRecallCurve:
    """Precision and recall at the thresholds, and 1 and 0 above them."""
    if drop:
        points = without(points, recall_changes(points))
    tp, fp = (count.astype(dtype) for count in points.counts)
    recall = rates(points.counts, dtype).tpr
    recall = jnp.where(tp[-1] == 0, jnp.ones_like(recall), recall)
    place = rising(jnp.zeros_like(points.size), points.size - 1, tp.shape[0])
    return PrecisionRecallCurve(
        _ended(safe_divide(tp, tp + fp, jnp.nan)[place], 1.0, points.size),
        _ended(recall[place], 0.0, points.size),
        points.score[place],
        points.size + 1,
    )


def _ended(rate: Array, end: float, size: Array) -> Array:
    """Put an end point after as many as there are; NaN if there is none."""
    beyond = lax.iota(jnp.int32, rate.shape[0] + 1) >= size
    rate = jnp.where(beyond, jnp.asarray(end, rate.dtype), jnp.pad(rate, (0, 1)))
    return jnp.where(size > 0, rate, jnp.nan)


@exportable
class DetCurve(NamedTuple):
    """Points of a detection error trade-off curve, from the lowest threshold that errs least."""

    fpr: Array
    fnr: Array
    thresholds: Array
    """Rising."""
    size: Array
    """How many points there are."""


@declared(range=(UNIT, UNIT, REAL, NONNEGATIVE), greater_is_better=None)
def det_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    drop_intermediate: bool = False,
    size: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> DetCurve:
    """False negative against false positive rate, fn / (tp + fn) and fp / (tn + fp).

    From the highest threshold without a false negative to the lowest without a false positive,
    which may be infinity. Called eagerly without `size`, there are as many points as there are.
    Under a transformation the length is `size`, n + 1 by default, and entries beyond repeat the
    end point, which changes neither a plot nor an area. `drop_intermediate` leaves out points
    with the false negative rate of both their neighbours.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. Three arrays and the number of points: use
    `fpr, fnr, thresholds = det_curve(...)[:3]`, or the names.
    Range: rates in [0, 1], `fpr` falling and `fnr` rising.
    Undefined: NaN rates of a class without weight. All NaN for a NaN score that counts, a label
    other than 0 and 1, and a `size` too small.
    Gradient: smooth in the weights, 0 in the scores.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.det_curve`; Martin et al. (1997).

    >>> curve = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.fpr.tolist(), curve.fnr.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    length = length_of(size, arrays[0].shape[0] + 1)
    curve = _det_curve(*arrays, length=length, drop=bool(drop_intermediate))
    return trimmed(curve, size)


@functools.partial(jax.jit, static_argnames=("length", "drop"))
@with_auto_axes
def _det_curve(y_true, y_score, sample_weight, where, *, length, drop):
    data = scored(y_true, y_score, sample_weight, where)
    points = from_nothing(distinct(thresholds_of(data), y_true.shape[0]))
    if drop:
        points = without(points, recall_changes(points))
    tp, fp = points.counts
    free = (fp == 0) & (lax.iota(jnp.int32, fp.shape[0]) < points.size)
    first = jnp.maximum(jnp.sum(free, dtype=jnp.int32) - 1, 0)
    last = jnp.maximum(lax.argmax(tp == tp[-1], 0, jnp.int32), first)
    place = rising(first, last, tp.shape[0])
    _, fpr, _, fnr = rates(points.counts, data.dtype)
    curve = DetCurve(fpr[place], fnr[place], points.score[place], last - first + 1)
    return sized(curve, data, length)
