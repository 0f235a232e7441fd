"""One sort of the scores, and everything that can be counted along it.

Scores are sorted as order-preserving unsigned integers: faster than floats, exact for
subnormals, and the same for any weight or mask, so that one order serves many weights.
Scores of 16 bits or less are not sorted at all where only whole counts are wanted: there
are few enough of them to count each.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.bits import sortable_bits


class Order(NamedTuple):
    """Places by falling score along the last axis, ties together."""

    item: Array
    """The item at each place."""
    start: Array
    """The first place tied with each place."""
    end: Array
    """The last place tied with each place."""


class RankedCounts(NamedTuple):
    """Weight of positives and of negatives at or above each threshold, thresholds falling.

    The points (fp, tp) are the corners of the ROC curve. Tied items repeat their point, so
    the length depends on shapes alone, and a sum over steps sees each step once.
    """

    tp: Array
    fp: Array


def order(*scores: Array, stable: bool = False) -> Order:
    """Order scores from high to low, in O(n log n).

    Several arrays make several rows of the result; one call sorts them side by side. Which
    of two tied items comes first matters to nobody who does not ask for `stable`.
    """
    bits = [sortable_bits(score) for score in scores]
    widest = max((row.dtype for row in bits), key=lambda dtype: dtype.itemsize)
    keys = jnp.stack([~row.astype(widest) for row in bits])
    places = lax.broadcasted_iota(jnp.int32, keys.shape, 1)
    keys, item = lax.sort((keys, places), dimension=1, num_keys=1, is_stable=stable)
    result = Order(item, *tie_bounds(keys))
    return Order(*(field[0] for field in result)) if len(scores) == 1 else result


def tie_bounds(*keys: Array) -> tuple[Array, Array]:
    """First and last place of the run that each place of sorted rows is in.

    Places are in one run while no key changes.
    """
    rows, size = keys[0].shape
    changes = functools.reduce(jnp.logical_or, (row[:, 1:] != row[:, :-1] for row in keys))
    edge = jnp.ones((rows, 1), jnp.bool_)
    opens = jnp.append(edge, changes, axis=1)[:, :size]
    closes = jnp.append(changes, edge, axis=1)[:, :size]
    places = lax.broadcasted_iota(jnp.int32, (rows, size), 1)
    start = lax.cummax(jnp.where(opens, places, 0), axis=1)
    end = lax.cummin(jnp.where(closes, places, size), axis=1, reverse=True)
    return start, end


def tied_weight(weight: Array, start: Array, end: Array) -> tuple[Array, Array]:
    """Weight before and within the run of each place, from weights in sorted rows."""
    running = jnp.cumsum(weight, axis=-1)
    before = jnp.take_along_axis(running - weight, start, axis=-1)
    return before, jnp.take_along_axis(running, end, axis=-1) - before


def unsort(values: Array, item: Array) -> Array:
    """Take values from the places of sorted rows back to their items."""
    rows = lax.broadcasted_iota(jnp.int32, item.shape, 0)
    return jnp.zeros_like(values).at[rows, item].set(values, unique_indices=True)


def centred_ranks(x: Array, y: Array, weight: Array) -> Array:
    """Weight above minus weight below each item, for x and y: twice the tie-averaged ranks."""
    by_score = order(x, y)
    before, tied = tied_weight(weight[by_score.item], by_score.start, by_score.end)
    return unsort(2 * before + tied - jnp.sum(weight), by_score.item)


def ranked_counts(scores: Array, positive: Array, weight: Array) -> RankedCounts:
    """Count positives and negatives at or above every score."""
    whole = jnp.issubdtype(weight.dtype, jnp.integer)
    count = _counts_by_value if whole and scores.dtype.itemsize <= 2 else _counts_by_sorting
    return count(scores, positive, weight)


def _counts_by_sorting(scores: Array, positive: Array, weight: Array) -> RankedCounts:
    by_score = order(scores)
    weight, positive = weight[by_score.item], positive[by_score.item]
    none = jnp.zeros_like(weight)
    return RankedCounts(
        tp=jnp.cumsum(jnp.where(positive, weight, none))[by_score.end],
        fp=jnp.cumsum(jnp.where(positive, none, weight))[by_score.end],
    )


def _counts_by_value(scores: Array, positive: Array, weight: Array) -> RankedCounts:
    values = 1 << (8 * scores.dtype.itemsize)
    slot = positive.astype(jnp.int32) * values + (~sortable_bits(scores)).astype(jnp.int32)
    table = jnp.zeros(2 * values, jnp.int32).at[slot].add(weight).reshape(2, values)
    fp, tp = jnp.cumsum(table, axis=1)
    return RankedCounts(tp, fp)
