"""Weight of the pairs that two variables order differently, in O(n log n) time, O(n) memory."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.numerics import bit_length
from jmetrics._core.order import Order, order, tie_bounds, tied_weight, unsort
from jmetrics._core.sorting import sort_items


class Pairs(NamedTuple):
    """Sums of w_i w_j over unordered pairs of samples."""

    discordant: Array
    """Pairs that x and y order differently."""
    apart: Array
    """Pairs that differ in both x and y."""
    apart_x: Array
    apart_y: Array


def pairs(x: Array, y: Array, weight: Array | None, dtype: DTypeLike) -> Pairs:
    """Compare every pair of samples by x and by y; without weights, all count one."""
    w = jnp.ones_like(x, jnp.int32) if weight is None else weight
    by_value = order(x, y, stable=True)
    rank, tied_both = lax.cond(
        jnp.all(by_value.start == by_value.end), _ranks, _ranks_with_ties, by_value, w
    )
    _, tied = tied_weight(w[by_value.item], by_value.start, by_value.end)
    tied_x, tied_y = unsort(tied, by_value.item)
    by_x = jnp.zeros_like(rank[0]).at[rank[0]].set(jnp.arange(x.size, dtype=jnp.int32))
    total = jnp.sum(w, dtype=w.dtype)

    def half_sum(apart: Array) -> Array:
        return jnp.sum(w.astype(dtype) * apart.astype(dtype)) / 2

    return Pairs(
        discordant=_inversions(rank[1][by_x], None if weight is None else weight[by_x], dtype),
        apart=half_sum(total - tied_x - tied_y + tied_both),
        apart_x=half_sum(total - tied_x),
        apart_y=half_sum(total - tied_y),
    )


def _ranks(by_value: Order, w: Array) -> tuple[Array, Array]:
    """Positions of the items by x and by y, and the weight tied with them in both: their own."""
    return unsort(by_value.start, by_value.item), w


def _ranks_with_ties(by_value: Order, w: Array) -> tuple[Array, Array]:
    """Order ties of x by y and ties of y by x, so that no tied pair looks discordant."""
    group = unsort(by_value.start, by_value.item)
    other = by_value.item[::-1]
    keys = jnp.take_along_axis(group, other, axis=1)
    (keys,), position = sort_items(keys, stable=True)
    item = jnp.take_along_axis(other, position, axis=1)
    rank = unsort(lax.broadcasted_iota(jnp.int32, item.shape, 1), item)
    start, end = tie_bounds(keys[:1], group[1][item[:1]])
    _, tied = tied_weight(w[item[:1]], start, end)
    return rank, unsort(tied, item[:1])[0]


_Carry = tuple[Array, Array | None, Array]
"""Ranks, weights in their order, and the total so far."""


def _inversions(rank: Array, weight: Array | None, dtype: DTypeLike) -> Array:
    """Σ w_i w_j over i < j with rank_i > rank_j, for a permutation of 0 .. n − 1.

    Splits the ranks by one bit at a time, from the highest: where a block is split, every
    item of its lower half is inverted with the items of its upper half that come before it.
    """
    positions = jnp.arange(rank.size, dtype=jnp.int32)
    levels = bit_length(max(rank.size - 1, 0))

    def split(level: Array, carry: _Carry) -> _Carry:
        rank, weight, total = carry
        bit = levels - 1 - level
        upper = (rank >> bit) & 1 == 1
        start = (rank >> (bit + 1)) << (bit + 1)

        def uppers_before(values: Array) -> Array:
            values = jnp.where(upper, values, jnp.zeros_like(values))
            running = jnp.cumsum(values) - values
            return running - running[start]

        count = uppers_before(jnp.ones_like(rank))
        position = start + jnp.where(upper, (1 << bit) + count, positions - start - count)

        def move(values: Array) -> Array:
            return jnp.zeros_like(values).at[position].set(values, unique_indices=True)

        if weight is None:
            inverted = jnp.where(upper, 0, count).astype(dtype)
        else:
            inverted = uppers_before(weight).astype(dtype) * weight.astype(dtype)
            inverted = jnp.where(upper, jnp.zeros_like(inverted), inverted)
            weight = move(weight)
        return move(rank), weight, total + jnp.sum(inverted)

    # A zero that varies over the mesh as the ranks do, for `shard_map`.
    zero = jnp.sum(rank[:0]).astype(dtype)
    return lax.fori_loop(0, levels, split, (rank, weight, zero))[2]
