"""Single points of the curves: the best one at a given level, where errors are equal, the gap."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.anatomy import REAL, UNIT, declared
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import absolute, safe_divide
from jmetrics._core.order import Thresholds
from jmetrics._core.sampling import jumping
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics.curves._points import infinity_first, rates, zero_first
from jmetrics.curves._scores import Scored, in_domain, inputs, scored, thresholds_of


@exportable
class OperatingPoint(NamedTuple):
    """The best that a score can do, and where."""

    value: Array
    threshold: Array
    """Predict the positive class from here upwards; infinity for never."""


@declared(range=(UNIT, REAL), greater_is_better=True)
def recall_at_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_precision: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest recall at a threshold with a precision of at least `min_precision`.

    Of thresholds with the same recall the highest one, which has the best precision.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A pair of
    scalars; `min_precision` is traced.
    Range: [0, 1], higher is better; 0 at a threshold of infinity if no precision suffices.
    Undefined: NaN without a positive, for a NaN score that counts, for a
    label other than 0 and 1 and for `min_precision` outside [0, 1].
    Gradient: in the weights that at the threshold, 0 in the scores and the level.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.classification.binary_recall_at_fixed_precision`.

    >>> point = recall_at_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_precision=0.6)
    >>> round(float(point.value), 6), round(float(point.threshold), 6)
    (1.0, 0.35)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _recall_at_precision(*arrays, check.number("min_precision", min_precision))


@jax.jit
@with_auto_axes
def _recall_at_precision(y_true, y_score, sample_weight, where, min_precision):
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_precision", min_precision, data)
    recall = rates(points.counts, data.dtype).tpr
    return _best(recall, _precision(points, data) >= level, points, data)


@declared(range=(UNIT, REAL), greater_is_better=True)
def precision_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest precision at a threshold with a recall of at least `min_recall`.

    Of thresholds with the same precision the lowest one, which has the best recall.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A pair of
    scalars; `min_recall` is traced.
    Range: [0, 1], higher is better.
    Undefined: NaN without a positive, for a NaN score that counts, for a
    label other than 0 and 1 and for `min_recall` outside [0, 1].
    Gradient: in the weights that at the threshold, 0 in the scores and the level.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.classification.binary_precision_at_fixed_recall`.

    >>> point = precision_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_recall=0.75)
    >>> round(float(point.value), 6), round(float(point.threshold), 6)
    (0.666667, 0.35)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _precision_at_recall(*arrays, check.number("min_recall", min_recall))


@jax.jit
@with_auto_axes
def _precision_at_recall(y_true, y_score, sample_weight, where, min_recall):
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_recall", min_recall, data)
    recall = rates(points.counts, data.dtype).tpr
    precision = jnp.where(jnp.isnan(recall), recall, _precision(points, data))
    return _best(precision, recall >= level, points, data, lowest=True)


@declared(range=(UNIT, REAL), greater_is_better=True)
def sensitivity_at_specificity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_specificity: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest sensitivity (recall) at a threshold with a specificity of at least a level.

    Of thresholds with the same sensitivity the highest one, which has the best specificity.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A pair of
    scalars; `min_specificity` is traced.
    Range: [0, 1], higher is better; 0 at a threshold of infinity if no other suffices.
    Undefined: NaN unless both classes have weight, for a NaN score that counts, for a
    label other than 0 and 1 and for `min_specificity` outside [0, 1].
    Gradient: in the weights that at the threshold, 0 in the scores and the level.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.classification.binary_sensitivity_at_specificity`.

    >>> y_score = [0.1, 0.4, 0.35, 0.8]
    >>> point = sensitivity_at_specificity([0, 0, 1, 1], y_score, min_specificity=0.5)
    >>> round(float(point.value), 6), round(float(point.threshold), 6)
    (1.0, 0.35)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _sensitivity_at_specificity(*arrays, check.number("min_specificity", min_specificity))


@jax.jit
@with_auto_axes
def _sensitivity_at_specificity(y_true, y_score, sample_weight, where, min_specificity):
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_specificity", min_specificity, data)
    sensitivity, _, specificity, _ = rates(points.counts, data.dtype)
    return _best(sensitivity, specificity >= level, points, data)


@declared(range=(UNIT, REAL), greater_is_better=True)
def specificity_at_sensitivity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_sensitivity: Number,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> OperatingPoint:
    """Highest specificity at a threshold with a sensitivity (recall) of at least a level.

    Of thresholds with the same specificity the lowest one, which has the best sensitivity.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A pair of
    scalars; `min_sensitivity` is traced.
    Range: [0, 1], higher is better.
    Undefined: NaN unless both classes have weight, for a NaN score that counts, for a
    label other than 0 and 1 and for `min_sensitivity` outside [0, 1].
    Gradient: in the weights that at the threshold, 0 in the scores and the level.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.classification.binary_specificity_at_sensitivity`.

    >>> y_score = [0.1, 0.4, 0.35, 0.8]
    >>> point = specificity_at_sensitivity([0, 0, 1, 1], y_score, min_sensitivity=0.5)
    >>> round(float(point.value), 6), round(float(point.threshold), 6)
    (1.0, 0.8)
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _specificity_at_sensitivity(*arrays, check.number("min_sensitivity", min_sensitivity))


@jax.jit
@with_auto_axes
def _specificity_at_sensitivity(y_true, y_score, sample_weight, where, min_sensitivity):
    data, points = _points(y_true, y_score, sample_weight, where)
    level = _level("min_sensitivity", min_sensitivity, data)
    sensitivity, _, specificity, _ = rates(points.counts, data.dtype)
    return _best(specificity, sensitivity >= level, points, data, lowest=True)


@declared(range=UNIT, greater_is_better=False)
def equal_error_rate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """False positive rate where it equals the false negative rate.

    Where the ROC curve, whose points are joined by straight lines, meets the diagonal from
    (0, 1) to (1, 0). So it depends continuously on the weights, also for few or tied scores.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A scalar.
    Range: [0, 1], lower is better; 0.5 for scores that tell nothing.
    Undefined: NaN unless both classes have weight, for a NaN score that counts and for a
    label other than 0 and 1.
    Gradient: smooth in the weights but where a point is on the diagonal, 0 in the scores.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `torchmetrics.functional.classification.binary_eer`, which does not join points.

    >>> round(float(equal_error_rate([0, 0, 0, 1, 1], [0.1, 0.4, 0.6, 0.5, 0.8])), 6)
    0.333333
    """
    return _equal_error_rate(*inputs(y_true, y_score, sample_weight, where))


@jax.jit
@with_auto_axes
def _equal_error_rate(y_true, y_score, sample_weight, where):
    data, points = _points(y_true, y_score, sample_weight, where)
    _, fpr, _, fnr = rates(points.counts, data.dtype, undefined=0.0)
    excess = fpr - fnr
    after = jnp.argmax(excess >= 0)
    before = jnp.maximum(after - 1, 0)
    share = safe_divide(-excess[before], excess[after] - excess[before], 0.0)
    return _of_both(fpr[before] + share * (fpr[after] - fpr[before]), points, data)


@declared(range=UNIT, greater_is_better=True)
def ks_statistic(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Kolmogorov-Smirnov distance between the scores of positives and of negatives.

    max |tpr − fpr| over all thresholds; for scores that are better than chance, the highest
    value of Youden's J.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A scalar.
    Range: [0, 1], higher is better; near 0 for scores that tell nothing.
    Undefined: NaN unless both classes have weight, for a NaN score that counts and for a
    label other than 0 and 1.
    Gradient: in the weights that at the threshold with the largest distance, 0 in the scores.
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. 16-bit floats without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `scipy.stats.ks_2samp`; Youden (1950).

    >>> float(ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.5
    """
    return _ks_statistic(*inputs(y_true, y_score, sample_weight, where))


@jax.jit
@with_auto_axes
def _ks_statistic(y_true, y_score, sample_weight, where):
    data, points = _points(y_true, y_score, sample_weight, where)
    tpr, fpr, _, _ = rates(points.counts, data.dtype, undefined=0.0)
    distance = absolute(tpr - fpr)
    return _of_both(distance[jnp.argmax(distance)], points, data)


def _points(
    y_true: Array, y_score: Array, sample_weight: Array | None, where: Array | None
) -> tuple[Scored, Thresholds]:
    """All places, with the threshold above all scores in front."""
    data = scored(y_true, y_score, sample_weight, where)
    ranked = thresholds_of(data)
    counts, step = zero_first((ranked.counts, ranked.step))
    real = jnp.pad(ranked.real, (1, 0), constant_values=True)
    return data, Thresholds(counts, step, infinity_first(ranked.score), real)


def _of_both(value: Array, points: Thresholds, data: Scored) -> Array:
    """A value that needs both classes; NaN comes last, since 0 × NaN is no derivative of 0."""
    tp, fp = points.counts
    return in_domain(jnp.where((tp[-1] != 0) & (fp[-1] != 0), value, jnp.nan), data)


def _level(name: str, level: float | Array, data: Scored) -> Array:
    """A level in the type of the data, and NaN where it is none."""
    level = jnp.asarray(level, data.dtype)
    return check.defined(level, (level >= 0) & (level <= 1), f"`{name}` must be in [0, 1]")


def _precision(points: Thresholds, data: Scored) -> Array:
    """Precision at each place; 1 where nothing is predicted."""
    tp, fp = (count.astype(data.dtype) for count in points.counts)
    return safe_divide(tp, tp + fp, 1.0)


def _best(
    values: Array, allowed: Array, points: Thresholds, data: Scored, *, lowest: bool = False
) -> OperatingPoint:
    """The highest value at an allowed threshold, of equal ones the highest or lowest threshold."""
    allowed = allowed & points.real
    order = slice(None, None, -1) if lowest else slice(None)
    place = jnp.argmax(jnp.where(allowed, values, -jnp.inf)[order])
    place = values.shape[0] - 1 - place if lowest else place
    value = jnp.where(allowed[place], values[place], jnp.nan)
    threshold = jnp.where(jnp.isnan(value), jnp.nan, points.score[place])
    return in_domain(OperatingPoint(jumping(value, data.weight), threshold), data)
