"""Single points of the curves: the best at a given level, equal error rate, largest gap."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import absolute, safe_divide
from jmetrics._core.order import Thresholds
from jmetrics._core.plan import REAL, UNIT, declared
from jmetrics._core.sampling import jumping
from jmetrics._core.scores import (
    LabelledScores,
    inputs,
    labelled_scores,
    nan_if_invalid,
    thresholds_of,
)
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics.curves._points import infinity_first, rates, zero_first


@exportable
class OperatingPoint(NamedTuple):
    """The best value that a score attains under a constraint, and its threshold.

    Attributes:
        value: Best value of the metric, a scalar.
        threshold: Predict the positive class at scores of at least this, a scalar; infinity for
            never.
    """

    value: Array
    threshold: Array


@declared(range=(UNIT, REAL), greater_is_better=True, predictions="scores")
def recall_at_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_precision: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest recall at a threshold with a precision of at least `min_precision`.

    Among thresholds of equal recall it is the highest one, which has the best precision.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        min_precision: Smallest precision allowed, in [0, 1], traced.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of two scalars, the recall as `value` in [0, 1], higher is better, and its
            `threshold`. The recall is 0, at a threshold of infinity, if no precision suffices.

    Undefined:
        NaN without positives, for a NaN score with positive weight, for a label other than 0 and 1
        and for `min_precision` outside [0, 1].

    Gradient:
        In the weights, that of the value at the selected threshold; 0 in the scores and in the
        level.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `torchmetrics.functional.classification.binary_recall_at_fixed_precision`.

    Examples:
        >>> point = recall_at_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_precision=0.6)
        >>> round(float(point.value), 6), round(float(point.threshold), 6)
        (1.0, 0.35)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _recall_at_precision(*arrays, check.number("min_precision", min_precision))


@jax.jit
@with_auto_axes
def _recall_at_precision(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    min_precision: Array,
) -> OperatingPoint:
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_precision", min_precision, data)
    recall = rates(points.counts, data.dtype).tpr
    return _best(recall, _precision(points, data) >= level, points, data)


@declared(range=(UNIT, REAL), greater_is_better=True, predictions="scores")
def precision_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest precision at a threshold with a recall of at least `min_recall`.

    Among thresholds of equal precision it is the lowest one, which has the best recall.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        min_recall: Smallest recall allowed, in [0, 1], traced.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of two scalars, the precision as `value` in [0, 1], higher is better, and its
            `threshold`.

    Undefined:
        NaN without positives, for a NaN score with positive weight, for a label other than 0 and 1
        and for `min_recall` outside [0, 1].

    Gradient:
        In the weights, that of the value at the selected threshold; 0 in the scores and in the
        level.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `torchmetrics.functional.classification.binary_precision_at_fixed_recall`.

    Examples:
        >>> point = precision_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_recall=0.75)
        >>> round(float(point.value), 6), round(float(point.threshold), 6)
        (0.666667, 0.35)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _precision_at_recall(*arrays, check.number("min_recall", min_recall))


@jax.jit
@with_auto_axes
def _precision_at_recall(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    min_recall: Array,
) -> OperatingPoint:
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_recall", min_recall, data)
    recall = rates(points.counts, data.dtype).tpr
    precision = jnp.where(jnp.isnan(recall), recall, _precision(points, data))
    return _best(precision, recall >= level, points, data, lowest=True)


@declared(range=(UNIT, REAL), greater_is_better=True, predictions="scores")
def sensitivity_at_specificity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_specificity: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest sensitivity (recall) at a threshold with a specificity of at least `min_specificity`.

    Among thresholds of equal sensitivity it is the highest one, which has the best specificity.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        min_specificity: Smallest specificity allowed, in [0, 1], traced.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of two scalars, the sensitivity as `value` in [0, 1], higher is better, and its
            `threshold`. The sensitivity is 0, at a threshold of infinity, if no other threshold
            suffices.

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight, for a
        label other than 0 and 1 and for `min_specificity` outside [0, 1].

    Gradient:
        In the weights, that of the value at the selected threshold; 0 in the scores and in the
        level.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `torchmetrics.functional.classification.binary_sensitivity_at_specificity`.

    Examples:
        >>> y_score = [0.1, 0.4, 0.35, 0.8]
        >>> point = sensitivity_at_specificity([0, 0, 1, 1], y_score, min_specificity=0.5)
        >>> round(float(point.value), 6), round(float(point.threshold), 6)
        (1.0, 0.35)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _sensitivity_at_specificity(*arrays, check.number("min_specificity", min_specificity))


@jax.jit
@with_auto_axes
def _sensitivity_at_specificity(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    min_specificity: Array,
) -> OperatingPoint:
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_specificity", min_specificity, data)
    sensitivity, _, specificity, _ = rates(points.counts, data.dtype)
    return _best(sensitivity, specificity >= level, points, data)


@declared(range=(UNIT, REAL), greater_is_better=True, predictions="scores")
def specificity_at_sensitivity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_sensitivity: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest specificity at a threshold with a sensitivity (recall) of at least `min_sensitivity`.

    Among thresholds of equal specificity it is the lowest one, which has the best sensitivity.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        min_sensitivity: Smallest sensitivity allowed, in [0, 1], traced.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of two scalars, the specificity as `value` in [0, 1], higher is better, and its
            `threshold`.

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight, for a
        label other than 0 and 1 and for `min_sensitivity` outside [0, 1].

    Gradient:
        In the weights, that of the value at the selected threshold; 0 in the scores and in the
        level.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `torchmetrics.functional.classification.binary_specificity_at_sensitivity`.

    Examples:
        >>> y_score = [0.1, 0.4, 0.35, 0.8]
        >>> point = specificity_at_sensitivity([0, 0, 1, 1], y_score, min_sensitivity=0.5)
        >>> round(float(point.value), 6), round(float(point.threshold), 6)
        (1.0, 0.8)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _specificity_at_sensitivity(*arrays, check.number("min_sensitivity", min_sensitivity))


@jax.jit
@with_auto_axes
def _specificity_at_sensitivity(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    min_sensitivity: Array,
) -> OperatingPoint:
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_sensitivity", min_sensitivity, data)
    sensitivity, _, specificity, _ = rates(points.counts, data.dtype)
    return _best(specificity, sensitivity >= level, points, data, lowest=True)


@declared(range=UNIT, greater_is_better=False, predictions="scores")
def equal_error_rate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """False positive rate where it equals the false negative rate.

    It is where the ROC curve, whose points are joined by straight lines, meets the diagonal from
    (0, 1) to (1, 0). So it depends continuously on the weights, also for few or tied scores.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better, 0.5 for uninformative scores.

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight and for a
        label other than 0 and 1.

    Gradient:
        Smooth in the weights except where a point lies on the diagonal; 0 in the scores.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `torchmetrics.functional.classification.binary_eer`, which does not join points.

    Examples:
        >>> round(float(equal_error_rate([0, 0, 0, 1, 1], [0.1, 0.4, 0.6, 0.5, 0.8])), 6)
        0.333333
    """
    return _equal_error_rate(*inputs(y_true, y_score, sample_weight, where))


@jax.jit
@with_auto_axes
def _equal_error_rate(
    y_true: Array, y_score: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    data, points = _points(y_true, y_score, sample_weight, where)
    _, fpr, _, fnr = rates(points.counts, data.dtype, undefined=0.0)
    excess = fpr - fnr
    after = jnp.argmax(excess >= 0)
    before = jnp.maximum(after - 1, 0)
    fraction = safe_divide(-excess[before], excess[after] - excess[before], 0.0)
    return _of_both(fpr[before] + fraction * (fpr[after] - fpr[before]), points, data)


@declared(range=UNIT, greater_is_better=True, predictions="scores")
def ks_statistic(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Kolmogorov-Smirnov distance between the scores of positives and of negatives.

    max |tpr − fpr| over all thresholds; for scores that are better than chance, the maximum of
    Youden's J.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, infinities included, shape (n,), compared at the precision in
            which they are given.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better, near 0 for uninformative scores.

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight and for a
        label other than 0 and 1.

    Gradient:
        In the weights, that at the threshold of the largest distance; 0 in the scores.

    Cost:
        O(n log n) time, from one weight-independent sort, shared under `vmap` over weights. 16-bit
        floats without weights: O(n) and no sort.

    References:
        `scipy.stats.ks_2samp`; Youden (1950).

    Examples:
        >>> float(ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
        0.5
    """
    return _ks_statistic(*inputs(y_true, y_score, sample_weight, where))


@jax.jit
@with_auto_axes
def _ks_statistic(
    y_true: Array, y_score: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    data, points = _points(y_true, y_score, sample_weight, where)
    tpr, fpr, _, _ = rates(points.counts, data.dtype, undefined=0.0)
    distance = absolute(tpr - fpr)
    return _of_both(distance[jnp.argmax(distance)], points, data)


def _points(
    y_true: Array, y_score: Array, sample_weight: Array | None, where: Array | None
) -> tuple[LabelledScores, Thresholds]:
    """Counts at all thresholds, the first of which is above all scores."""
    data = labelled_scores(y_true, y_score, sample_weight, where)
    ranked = thresholds_of(data)
    counts, step = zero_first((ranked.counts, ranked.step))
    real = jnp.pad(ranked.real, (1, 0), constant_values=True)
    return data, Thresholds(counts, step, infinity_first(ranked.score), real)


def _of_both(value: Array, points: Thresholds, data: LabelledScores) -> Array:
    """NaN without both classes; selected last, since 0 × NaN would spoil a gradient of 0."""
    tp, fp = points.counts
    return nan_if_invalid(jnp.where((tp[-1] != 0) & (fp[-1] != 0), value, jnp.nan), data)


def _level(name: str, level: float | Array, data: LabelledScores) -> Array:
    """A level in the dtype of the data; NaN outside [0, 1]."""
    level = jnp.asarray(level, data.dtype)
    return check.nan_unless(level, (level >= 0) & (level <= 1), f"`{name}` must be in [0, 1]")


def _precision(points: Thresholds, data: LabelledScores) -> Array:
    """Precision at each threshold; 1 where nothing is predicted positive."""
    tp, fp = (count.astype(data.dtype) for count in points.counts)
    return safe_divide(tp, tp + fp, 1.0)


def _best(
    values: Array, allowed: Array, points: Thresholds, data: LabelledScores, *, lowest: bool = False
) -> OperatingPoint:
    """The highest value at an allowed threshold, of equal ones the highest or lowest threshold."""
    allowed = allowed & points.real
    order = slice(None, None, -1) if lowest else slice(None)
    index = jnp.argmax(jnp.where(allowed, values, -jnp.inf)[order])
    index = values.shape[0] - 1 - index if lowest else index
    value = jnp.where(allowed[index], values[index], jnp.nan)
    threshold = jnp.where(jnp.isnan(value), jnp.nan, points.score[index])
    return nan_if_invalid(OperatingPoint(jumping(value, data.weight), threshold), data)
