"""One sort of the scores, and everything that can be counted along it.

Scores are sorted as order-preserving unsigned integers: faster than floats, exact for
subnormals, and the same for any weight or mask, so that one order serves many weights.
Scores of 16 bits or less are not sorted at all where only whole counts are wanted: there
are few enough of them to count each.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax


class Order(NamedTuple):
    """Positions by falling score, ties together."""

    item: Array
    """The item at each position."""
    end: Array
    """The last position tied with each position."""


class RankedCounts(NamedTuple):
    """Weight of positives and of negatives at or above each threshold, thresholds falling.

    The points (fp, tp) are the corners of the ROC curve. Tied items repeat their point, so
    the length depends on shapes alone, and a sum over steps sees each step once.
    """

    tp: Array
    fp: Array


def sortable_bits(x: Array) -> Array:
    """Map numbers to unsigned integers of the same order; −0 and 0 become one."""
    kind = jnp.dtype(f"uint{8 * x.dtype.itemsize}")
    if x.dtype == jnp.bool_ or jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return x.astype(kind)
    bits = lax.bitcast_convert_type(lax.stop_gradient(x), kind)
    sign = jnp.asarray(1 << (8 * x.dtype.itemsize - 1), kind)
    if jnp.issubdtype(x.dtype, jnp.signedinteger):
        return bits ^ sign
    bits = jnp.where(bits == sign, jnp.zeros_like(bits), bits)
    return jnp.where(bits >= sign, ~bits, bits | sign)


def order(scores: Array) -> Order:
    """Order one axis of scores from high to low, in O(n log n)."""
    positions = jnp.arange(scores.size, dtype=jnp.int32)
    # Which of two tied items comes first never matters, so the sort need not be stable.
    keys, index = lax.sort((~sortable_bits(scores), positions), num_keys=1, is_stable=False)
    closes = jnp.append(keys[1:] != keys[:-1], True)[: scores.size]
    end = lax.cummin(jnp.where(closes, positions, scores.size), reverse=True)
    return Order(index, end)


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
