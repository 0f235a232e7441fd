"""Points at all thresholds, in padded arrays of static length, and the number of real ones."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.numerics import safe_divide
from jmetrics._core.order import RankedCounts, Thresholds
from jmetrics.curves._scores import LabelledScores, nan_if_invalid


class Points(NamedTuple):
    """Counts at or above falling thresholds; entries from `size` on repeat the last."""

    counts: RankedCounts
    step: RankedCounts
    score: Array
    size: Array

    def at(self, index: Array, size: Array) -> Points:
        """The points at some indices."""
        counts, step, score = jax.tree.map(lambda a: a[index], self[:3])
        return Points(counts, step, score, size)


def distinct(ranked: Thresholds, n: int) -> Points:
    """The real thresholds, of which there are at most n."""
    size = jnp.sum(ranked.real, dtype=jnp.int32)
    score = jnp.where(size > 0, ranked.score, jnp.nan)
    points = Points(ranked.counts, ranked.step, score, size)
    return chosen(points, ranked.real, max(jax.core.min_dim(n, score.shape[0]), 1))


def chosen(points: Points, keep: Array, length: int) -> Points:
    """Keep only some points, in arrays of this length."""
    slot = jnp.where(keep, jnp.cumsum(keep, dtype=jnp.int32) - 1, length)
    index = lax.iota(jnp.int32, keep.shape[0])
    last = jnp.max(jnp.where(keep, index, 0))
    index = jnp.full(length, last, jnp.int32).at[slot].set(index, mode="drop")
    return points.at(index, jnp.sum(keep, dtype=jnp.int32))


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


def resized(a: Array, length: int) -> Array:
    """Truncate to this length, or pad with the last entry."""
    return a[jnp.minimum(jnp.arange(length), a.shape[0] - 1)]


Curve = TypeVar("Curve", bound=NamedTuple)
"""Columns, one entry a point, and how many points there are."""


def sized(curve: Curve, data: LabelledScores, length: int) -> Curve:
    """Truncate or pad a curve; NaN for invalid data, and if there are more than `length` points."""
    *fields, size = curve
    return fitted(curve._make([*nan_if_invalid(fields, data), size]), length)


def fitted(curve: Curve, length: int) -> Curve:
    """Truncate or pad a curve; NaN if there are more than `length` points."""
    *fields, size = curve
    surplus = max(field.shape[0] for field in fields) - length
    fields = [resized(field, field.shape[0] - surplus) for field in fields]
    reason = "`size` must be at least the number of points of the curve"
    return curve._make(
        [*(check.nan_unless(field, size <= length, reason) for field in fields), size]
    )


def trimmed(curve: Curve, size: int | None) -> Curve:
    """Drop the padding, if the number of points is known and no `size` was given."""
    if size is not None or any(isinstance(a, jax.core.Tracer) for a in curve):
        return curve
    *fields, count = jax.device_get(curve)
    surplus = max(field.shape[0] for field in fields) - int(count)
    return curve._make([*(jax.device_put(a[: a.shape[0] - surplus]) for a in fields), curve[-1]])


def length_of(size: int | None, default: int) -> int:
    return default if size is None else check.positive_integer("size", size)


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
