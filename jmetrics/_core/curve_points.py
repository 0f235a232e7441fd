"""Points of a curve, in padded arrays of static length, and the number of real ones."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.order import RankedCounts, Thresholds


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


def resized(a: Array, length: int) -> Array:
    """Truncate to this length, or pad with the last entry."""
    return a[jnp.minimum(jnp.arange(length), a.shape[0] - 1)]


Curve = TypeVar("Curve", bound=NamedTuple)
"""Columns, one entry a point, and how many points there are."""


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
