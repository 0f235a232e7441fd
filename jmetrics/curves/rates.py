"""Curves of rates against rates: ROC, precision and recall, detection error trade-off."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.curve_points import Points, distinct, length_of, trimmed
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import NONNEGATIVE, REAL, UNIT, declared
from jmetrics._core.scores import inputs, labelled_scores, thresholds_of
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics.curves._points import (
    corners,
    from_nothing,
    rates,
    recall_changes,
    rising,
    sized,
    without,
)


@exportable
class RocCurve(NamedTuple):
    """Points of a ROC curve from (0, 0) to (1, 1).

    Attributes:
        fpr: False positive rates, rising, shape (n_points,).
        tpr: True positive rates, rising, shape (n_points,).
        thresholds: Thresholds, falling, shape (n_points,); infinity for (0, 0).
        size: Number of points, an integer scalar.
    """

    fpr: Array
    tpr: Array
    thresholds: Array
    size: Array


@declared(range=(UNIT, UNIT, REAL, NONNEGATIVE), greater_is_better=None, predictions="scores")
def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    drop_intermediate: bool = True,
    size: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> RocCurve:
    """True against false positive rate, tp / (tp + fn) and fp / (tn + fp), at all thresholds.

    Called eagerly without `size`, the arrays hold all points and no more. Under a transformation
    their length is `size`, n + 1 by default, and entries beyond the last point repeat it, which
    changes neither a plot nor an area.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        drop_intermediate: Whether to leave out points in the middle of two equal steps.
        size: Length of the result, static. None for n + 1 under a transformation, such as `jit`,
            and for the number of points otherwise.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of the rates `fpr` and `tpr` in [0, 1], both rising, the `thresholds`, and the
            number of points, `size`. Use the names, or `fpr, tpr, thresholds = roc_curve(...)[:3]`.

    Undefined:
        The rate of a class without weight is NaN throughout. All NaN for a NaN score with positive
        weight, a label other than 0 and 1, and a `size` too small.

    Gradient:
        Smooth in the weights, 0 in the scores.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `sklearn.metrics.roc_curve`; Fawcett (2006).

    Examples:
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
def _roc_curve(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    length: int,
    drop: bool,
) -> RocCurve:
    data = labelled_scores(y_true, y_score, sample_weight, where)
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
    """Points of a precision-recall curve from the lowest threshold to (1, 0).

    The last point, of precision 1 and recall 0, has no threshold.

    Attributes:
        precision: Precisions, shape (n_points,).
        recall: Recalls, falling, shape (n_points,).
        thresholds: Thresholds, rising, shape (n_points − 1,).
        size: Number of points, an integer scalar.
    """

    precision: Array
    recall: Array
    thresholds: Array
    size: Array


@declared(range=(UNIT, UNIT, REAL, NONNEGATIVE), greater_is_better=None, predictions="scores")
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

    The last point, precision 1 and recall 0, is that of a threshold above all scores. Called
    eagerly without `size`, the arrays hold all points and no more. Under a transformation their
    length is `size`, n + 1 by default, and entries beyond the last point repeat it, which changes
    neither a plot nor an area.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        drop_intermediate: Whether to leave out points with the recall of both their neighbours.
        size: Length of the result, static. None for n + 1 under a transformation, such as `jit`,
            and for the number of points otherwise.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of `precision` and `recall` in [0, 1], recall falling, the `thresholds`, one
            shorter, and the number of points, `size`. Use the names, or
            `precision, recall, thresholds = precision_recall_curve(...)[:3]`.

    Undefined:
        Recall is 1 at each threshold if there are no positives. All NaN if no sample has positive
        weight, for a NaN score with positive weight, a label other than 0 and 1, and a `size` too
        small.

    Gradient:
        Smooth in the weights, 0 in the scores.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `sklearn.metrics.precision_recall_curve`.

    Examples:
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
def _precision_recall_curve(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    length: int,
    drop: bool,
) -> PrecisionRecallCurve:
    data = labelled_scores(y_true, y_score, sample_weight, where)
    points = distinct(thresholds_of(data), y_true.shape[0])
    return sized(precision_recall_of(points, data.dtype, drop=drop), data, length)


def precision_recall_of(points: Points, dtype: DTypeLike, *, drop: bool) -> PrecisionRecallCurve:
    """Precision and recall at the thresholds, and 1 and 0 above them."""
    if drop:
        points = without(points, recall_changes(points))
    tp, fp = (count.astype(dtype) for count in points.counts)
    recall = rates(points.counts, dtype).tpr
    recall = jnp.where(tp[-1] == 0, jnp.ones_like(recall), recall)
    index = rising(jnp.zeros_like(points.size), points.size - 1, tp.shape[0])
    return PrecisionRecallCurve(
        _ended(safe_divide(tp, tp + fp, jnp.nan)[index], 1.0, points.size),
        _ended(recall[index], 0.0, points.size),
        points.score[index],
        points.size + 1,
    )


def _ended(rate: Array, end: float, size: Array) -> Array:
    """Append an end point to the real points; NaN if there are none."""
    beyond = lax.iota(jnp.int32, rate.shape[0] + 1) >= size
    rate = jnp.where(beyond, jnp.asarray(end, rate.dtype), jnp.pad(rate, (0, 1)))
    return jnp.where(size > 0, rate, jnp.nan)


@exportable
class DetCurve(NamedTuple):
    """Points of a detection error trade-off curve, by rising threshold.

    Attributes:
        fpr: False positive rates, falling, shape (n_points,).
        fnr: False negative rates, rising, shape (n_points,).
        thresholds: Thresholds, rising, shape (n_points,).
        size: Number of points, an integer scalar.
    """

    fpr: Array
    fnr: Array
    thresholds: Array
    size: Array


@declared(range=(UNIT, UNIT, REAL, NONNEGATIVE), greater_is_better=None, predictions="scores")
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
    which may be infinity. Called eagerly without `size`, the arrays hold all points and no more.
    Under a transformation their length is `size`, n + 1 by default, and entries beyond the last
    point repeat it, which changes neither a plot nor an area.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        drop_intermediate: Whether to leave out points with the false negative rate of both their
            neighbours.
        size: Length of the result, static. None for n + 1 under a transformation, such as `jit`,
            and for the number of points otherwise.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of the rates `fpr` and `fnr` in [0, 1], the first falling and the second rising,
            the `thresholds`, and the number of points, `size`. Use the names, or
            `fpr, fnr, thresholds = det_curve(...)[:3]`.

    Undefined:
        The rate of a class without weight is NaN. All NaN for a NaN score with positive weight, a
        label other than 0 and 1, and a `size` too small.

    Gradient:
        Smooth in the weights, 0 in the scores.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `sklearn.metrics.det_curve`; Martin et al. (1997).

    Examples:
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
def _det_curve(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    length: int,
    drop: bool,
) -> DetCurve:
    data = labelled_scores(y_true, y_score, sample_weight, where)
    points = from_nothing(distinct(thresholds_of(data), y_true.shape[0]))
    if drop:
        points = without(points, recall_changes(points))
    tp, fp = points.counts
    free = (fp == 0) & (lax.iota(jnp.int32, fp.shape[0]) < points.size)
    first = jnp.maximum(jnp.sum(free, dtype=jnp.int32) - 1, 0)
    last = jnp.maximum(lax.argmax(tp == tp[-1], 0, jnp.int32), first)
    index = rising(first, last, tp.shape[0])
    _, fpr, _, fnr = rates(points.counts, data.dtype)
    curve = DetCurve(fpr[index], fnr[index], points.score[index], last - first + 1)
    return sized(curve, data, length)
