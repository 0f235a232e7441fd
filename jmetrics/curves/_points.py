"""Points at all thresholds, in arrays of a static length, and how many of them are real."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.numerics import safe_divide
from jmetrics._core.order import RankedCounts, Thresholds
from jmetrics.curves._scores import Scored, in_domain


class Points(NamedTuple):
    """Counts at or above falling thresholds; places from `size` on repeat the last of them."""

    counts: RankedCounts
    step: RankedCounts
    score: Array
    size: Array

    def at(self, place: Array, size: Array) -> Points:
        """Those at some places."""
        counts, step, score = jax.tree.map(lambda a: a[place], self[:3])
        return Points(counts, step, score, size)


def distinct(ranked: Thresholds, n: int) -> Points:
    """The real thresholds, of which there are at most n."""
    size = jnp.sum(ranked.real, dtype=jnp.int32)
    score = jnp.where(size > 0, ranked.score, jnp.nan)
    places = Points(ranked.counts, ranked.step, score, size)
    return chosen(places, ranked.real, max(jax.core.min_dim(n, score.shape[0]), 1))


def chosen(points: Points, keep: Array, length: int) -> Points:
    """Only some points, in arrays of this length."""
    slot = jnp.where(keep, jnp.cumsum(keep, dtype=jnp.int32) - 1, length)
    place = lax.iota(jnp.int32, keep.shape[0])
    last = jnp.max(jnp.where(keep, place, 0))
    place = jnp.full(length, last, jnp.int32).at[slot].set(place, mode="drop")
    return points.at(place, jnp.sum(keep, dtype=jnp.int32))


def rising(first: Array, last: Array, length: int) -> Array:
    """Places from the last to the first, so that thresholds rise, and the first again and again."""
    return jnp.maximum(last - lax.iota(jnp.int32, length), first)


def from_nothing(points: Points) -> Points:
    """Put the threshold above all scores in front."""
    counts, step = zero_first((points.counts, points.step))
    return Points(counts, step, infinity_first(points.score), points.size + 1)


def zero_first(arrays: Any) -> Any:
    """Put 0 in front of each array of a tree."""
    return jax.tree.map(lambda a: jnp.pad(a, (1, 0)), arrays)


def infinity_first(score: Array) -> Array:
    """Put infinity in front of scores."""
    return jnp.pad(score, (1, 0), constant_values=jnp.inf)


def without(points: Points, matters: Array) -> Points:
    """Leave out all but the first and last point and those where something `matters`."""
    place = lax.iota(jnp.int32, points.score.shape[0])
    keep = matters | (place == 0) | (place == points.size - 1)
    return chosen(points, keep & (place < points.size), place.shape[0])


def corners(points: Points) -> Array:
    """Whether a point is not in the middle of two equal steps of the ROC curve."""
    tp, fp = points.step
    return jnp.pad((tp[:-1] != tp[1:]) | (fp[:-1] != fp[1:]), (0, 1))


def recall_changes(points: Points) -> Array:
    """Whether the true positives change before or after a point."""
    rises = points.step.tp != 0
    return jnp.pad(rises[:-1] | rises[1:], (0, 1))


def resized(a: Array, length: int) -> Array:
    """Cut, or repeat the last entry, to this length."""
    return a[jnp.minimum(jnp.arange(length), a.shape[0] - 1)]


def sized(curve: Any, data: Scored, length: int) -> Any:
    """Give a curve a length; NaN for what is out of the domain, and with too many points."""
    *fields, size = curve
    return fitted(type(curve)(*in_domain(fields, data), size), length)


def fitted(curve: Any, length: int) -> Any:
    """Give a curve a length; NaN with too many points."""
    *fields, size = curve
    surplus = max(field.shape[0] for field in fields) - length
    fields = [resized(field, field.shape[0] - surplus) for field in fields]
    reason = "`size` must be at least the number of points of the curve"
    return type(curve)(*(check.defined(field, size <= length, reason) for field in fields), size)


def trimmed(curve: Any, size: int | None) -> Any:
    """Only the points that there are, if their number is known and no `size` was asked for."""
    if size is not None or any(isinstance(a, jax.core.Tracer) for a in curve):
        return curve
    *fields, count = jax.device_get(curve)
    surplus = max(field.shape[0] for field in fields) - int(count)
    return type(curve)(*(jax.device_put(a[: a.shape[0] - surplus]) for a in fields), curve[-1])


def length_of(size: Any, default: int) -> int:
    return default if size is None else check.positive_integer("size", size)


class Rates(NamedTuple):
    """Shares of the positives and of the negatives."""

    tpr: Array
    fpr: Array
    tnr: Array
    fnr: Array


def rates(counts: RankedCounts, dtype: DTypeLike, undefined: float = jnp.nan) -> Rates:
    """Running counts, and what is left of all, as shares of all; `undefined` of none."""
    tp, fp = counts
    fn, tn = tp[-1] - tp, fp[-1] - fp
    tp, fp, tn, fn = (count.astype(dtype) for count in (tp, fp, tn, fn))
    # XLA divides by one number for all places by multiplying with its inverse, and P / P is not 1.
    positives, negatives = tp + fn, tn + fp
    return Rates(
        tpr=safe_divide(tp, positives, undefined),
        fpr=safe_divide(fp, negatives, undefined),
        tnr=safe_divide(tn, negatives, undefined),
        fnr=safe_divide(fn, positives, undefined),
    )
