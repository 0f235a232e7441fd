"""Which points of a curve to keep, what comes before the first, and the rates at each."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.curve_points import Curve, Points, chosen, fitted
from jmetrics._core.numerics import safe_divide
from jmetrics._core.order import RankedCounts
from jmetrics._core.scores import LabelledScores, nan_if_invalid


def rising(first: Array, last: Array, length: int) -> Array:
    """Indices from the last to the first, so that thresholds rise, padded with the first."""
    return jnp.maximum(last - lax.iota(jnp.int32, length), first)


def from_nothing(points: Points) -> Points:
    """Prepend the threshold above all scores."""
    counts, step = zero_first((points.counts, points.step))
    return Points(counts, step, infinity_first(points.score), points.size + 1)


def zero_first(arrays: Any) -> Any:
    """Prepend 0 to each array of a tree."""
    return jax.tree.map(lambda a: jnp.pad(a, (1, 0)), arrays)


def infinity_first(score: Array) -> Array:
    """Prepend infinity to scores."""
    return jnp.pad(score, (1, 0), constant_values=jnp.inf)


def without(points: Points, matters: Array) -> Points:
    """Keep only the first and last point and those where `matters` is True."""
    index = lax.iota(jnp.int32, points.score.shape[0])
    keep = matters | (index == 0) | (index == points.size - 1)
    return chosen(points, keep & (index < points.size), index.shape[0])


def corners(points: Points) -> Array:
    """Whether a point is not in the middle of two equal steps of the ROC curve."""
    tp, fp = points.step
    return jnp.pad((tp[:-1] != tp[1:]) | (fp[:-1] != fp[1:]), (0, 1))


def recall_changes(points: Points) -> Array:
    """Whether the true positives change before or after a point."""
    rises = points.step.tp != 0
    return jnp.pad(rises[:-1] | rises[1:], (0, 1))


def sized(curve: Curve, data: LabelledScores, length: int) -> Curve:
    """Truncate or pad a curve; NaN for invalid data, and if there are more than `length` points."""
    *fields, size = curve
    return fitted(curve._make([*nan_if_invalid(fields, data), size]), length)


class Rates(NamedTuple):
    """Rates among the positives and among the negatives."""

    tpr: Array
    fpr: Array
    tnr: Array
    fnr: Array


def rates(counts: RankedCounts, dtype: DTypeLike, undefined: float = jnp.nan) -> Rates:
    """Rates at all thresholds, from cumulative counts; `undefined` for a class without weight."""
    tp, fp = counts
    fn, tn = tp[-1] - tp, fp[-1] - fp
    tp, fp, tn, fn = (count.astype(dtype) for count in (tp, fp, tn, fn))
    # XLA divides an array by one number through its reciprocal, so that P / P may not be 1.
    positives, negatives = tp + fn, tn + fp
    return Rates(
        tpr=safe_divide(tp, positives, undefined),
        fpr=safe_divide(fp, negatives, undefined),
        tnr=safe_divide(tn, negatives, undefined),
        fnr=safe_divide(fn, positives, undefined),
    )
