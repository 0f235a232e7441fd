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

from jmetrics._core.bits import float_from_bits, sortable_bits
from jmetrics._core.sorting import sort_items

_BLOCK = 2**19
"""How many scores are counted at a time, for which all that it takes stays in the cache."""


class Order(NamedTuple):
    """Positions by falling score along the last axis, ties together."""

    item: Array
    """The item at each position."""
    start: Array
    """The first position tied with each position."""
    end: Array
    """The last position tied with each position."""


class RankedCounts(NamedTuple):
    """Weight of positives and of negatives at or above each threshold, thresholds falling.

    The points (fp, tp) are the corners of the ROC curve. Tied items repeat their point, so
    the length depends on shapes alone, and a sum over steps sees each step once.
    """

    tp: Array
    fp: Array


class RunningWeights(NamedTuple):
    """Weights by falling score, with an entry a position: alone, and added up.

    Sums over positions weigh each by `weight`. Differences of running sums would do for the value,
    but its gradient would add up terms that cancel, and drift with their rounding.
    """

    weight: Array
    """At the position alone."""
    exclusive: Array
    """At higher scores."""
    inclusive: Array
    """At higher scores and tied ones."""


class RankedWeights(NamedTuple):
    """Weight of positives and of negatives along the scores."""

    tp: RunningWeights
    fp: RunningWeights


class Thresholds(NamedTuple):
    """The scores that a threshold may be, falling, and what is at or above each of them.

    The length depends on shapes alone: only a `real` position is a threshold of its own.
    """

    counts: RankedCounts
    """Running counts. They never fall, and stay as they are where nothing is added."""
    step: RankedCounts
    """What is tied at the threshold, added up without a difference of running counts."""
    score: Array
    real: Array
    """Whether this is the one position of its threshold, and something with weight is there."""


def order(*scores: Array, stable: bool = False) -> Order:
    """Order scores from high to low, in O(n log n).

    Several arrays make several rows of the result; one call sorts them side by side. Which
    of two tied items comes first matters to nobody who does not ask for `stable`.
    """
    bits = [sortable_bits(score) for score in scores]
    widest = max((row.dtype for row in bits), key=lambda dtype: dtype.itemsize)
    (keys,), item = sort_items(jnp.stack([~row.astype(widest) for row in bits]), stable=stable)
    result = Order(item, *tie_bounds(keys))
    return Order(*(field[0] for field in result)) if len(scores) == 1 else result


def tie_bounds(*keys: Array) -> tuple[Array, Array]:
    """First and last position of the run that each position of sorted rows is in.

    Positions are in one run while no key changes.
    """
    rows, size = keys[0].shape
    changes = functools.reduce(jnp.logical_or, (row[:, 1:] != row[:, :-1] for row in keys))
    edge = jnp.ones((rows, 1), jnp.bool_)
    opens = jnp.append(edge, changes, axis=1)[:, :size]
    closes = jnp.append(changes, edge, axis=1)[:, :size]
    positions = lax.broadcasted_iota(jnp.int32, (rows, size), 1)
    end = lax.cummin(jnp.where(closes, positions, size), axis=1, reverse=True)
    # The last position of a run gets its first one, which takes less than a second cumulation.
    last = end + size * lax.broadcasted_iota(jnp.int32, (rows, size), 0)
    first = jnp.zeros(rows * size, jnp.int32)
    first = first.at[jnp.where(opens, last, rows * size)].set(positions, mode="drop")
    return first[last], end


def tied_weight(weight: Array, start: Array, end: Array) -> tuple[Array, Array]:
    """Weight before and within the run of each position, from weights in sorted rows."""
    running = jnp.cumsum(weight, axis=-1)
    before = jnp.take_along_axis(running - weight, start, axis=-1)
    return before, jnp.take_along_axis(running, end, axis=-1) - before


def unsort(values: Array, item: Array) -> Array:
    """Take values from the positions of sorted rows back to their items."""
    rows = lax.broadcasted_iota(jnp.int32, item.shape, 0)
    return jnp.zeros_like(values).at[rows, item].set(values, unique_indices=True)


def centred_ranks(x: Array, y: Array, weight: Array) -> Array:
    """Weight above minus weight below each item, for x and y: twice the tie-averaged ranks."""
    by_score = order(x, y)
    before, tied = tied_weight(weight[by_score.item], by_score.start, by_score.end)
    return unsort(2 * before + tied - jnp.sum(weight, dtype=weight.dtype), by_score.item)


def ranked_weights(scores: Array, positive: Array, weight: Array) -> RankedWeights:
    """Count positives and negatives above and at every score."""
    if _few_values(scores, weight):
        tables = ((table, jnp.cumsum(table)) for table in _tables(scores, positive, weight))
        return RankedWeights(*(RunningWeights(table, sums - table, sums) for table, sums in tables))
    item, start, end = order(scores)
    steps = _split(positive[item], weight[item])
    return RankedWeights(*(running_sums(step, start, end) for step in steps))


def running_sums(weight: Array, start: Array, end: Array) -> RunningWeights:
    """Add up weights in order, of which those from `start` to `end` of each position are tied."""
    sums = jnp.cumsum(weight)
    return RunningWeights(weight, (sums - weight)[start], sums[end])


def ranked_thresholds(scores: Array, positive: Array, weight: Array) -> Thresholds:
    """Count at or above every score, and tell which scores are thresholds.

    Scores and positions have at least one entry.
    """
    if _few_values(scores, weight) and jnp.issubdtype(scores.dtype, jnp.floating):
        step = _tables(scores, positive, weight)
        bits = ~jnp.arange(step.tp.shape[0], dtype=f"uint{8 * scores.dtype.itemsize}")
        counts = RankedCounts(*(jnp.cumsum(table) for table in step))
        return Thresholds(counts, step, float_from_bits(bits, scores.dtype), _any(step))
    item, _, end = order(scores)
    parts = _split(positive[item], weight[item])
    step = RankedCounts(*(jnp.zeros_like(part).at[end].add(part)[end] for part in parts))
    counts = RankedCounts(
        *(_steady(jnp.cumsum(p)[end], s != 0) for p, s in zip(parts, step, strict=True))
    )
    closes = end == lax.iota(jnp.int32, end.shape[0])
    return Thresholds(counts, step, lax.stop_gradient(scores)[item], closes & _any(step))


def _steady(running: Array, grows: Array) -> Array:
    """Undo the rounding of running sums, added up in no particular order, that makes them fall.

    The derivative is that of the sums, also with respect to a weight that is 0.
    """
    if not jnp.issubdtype(running.dtype, jnp.floating):
        return running
    steady = lax.cummax(jnp.where(grows, running, jnp.zeros_like(running)))
    return running + lax.stop_gradient(steady - running)


def _any(step: RankedCounts) -> Array:
    return (step.tp != 0) | (step.fp != 0)


def _split(positive: Array, weight: Array) -> RankedCounts:
    none = jnp.zeros_like(weight)
    return RankedCounts(jnp.where(positive, weight, none), jnp.where(positive, none, weight))


def _few_values(scores: Array, weight: Array) -> bool:
    """Whether counting each value, exact for whole weights alone, beats a sort."""
    return jnp.issubdtype(weight.dtype, jnp.integer) and scores.dtype.itemsize <= 2


def _tables(scores: Array, positive: Array, weight: Array) -> RankedCounts:
    """Weight of positives and of negatives at each value that scores may have, falling."""
    values = 1 << (8 * scores.dtype.itemsize)

    def add(table: Array, scores: Array, positive: Array, weight: Array) -> Array:
        slot = positive.astype(jnp.int32) * values + (~sortable_bits(scores)).astype(jnp.int32)
        return table.at[slot].add(weight)

    def add_block(i: Array, table: Array) -> Array:
        at = first + i * _BLOCK
        return add(table, *(lax.dynamic_slice_in_dim(a, at, _BLOCK) for a in arrays))

    arrays, n = (scores, positive, weight), scores.shape[0]
    blocks = max(n - 1, 0) // _BLOCK if isinstance(n, int) else 0  # or a name, in exported programs
    first = n - blocks * _BLOCK
    table = add(jnp.zeros(2 * values, jnp.int32), *(a[:first] for a in arrays))
    if blocks:
        table = lax.fori_loop(0, blocks, add_block, table)
    fp, tp = table.reshape(2, values)
    return RankedCounts(tp, fp)
