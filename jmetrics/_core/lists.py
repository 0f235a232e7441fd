"""Many lists ranked at once: the rank of every item in its own list, and which items tie.

Lists are the rows of an array, or segments of a flat one. Of item i of a list with scores s, the
metrics need

    start_i = #{j : s_j > s_i}   and   end_i = #{j : s_j ≥ s_i}:

the ranks from `start` to `end` − 1, counted from 0, are those that the items tied with it share. In
a random order of these, each of them is equally likely at each of the ranks. So with discounts d
and D(r) = d(0) + … + d(r − 1) an item of gain g_i adds in the mean

    g_i (D(end_i) − D(start_i)) / (end_i − start_i)

(McSherry & Najork 2008), which no order of storage has a part in. A rule that breaks ties makes
every item a run of its own, end_i = start_i + 1.

Order. All lists are ranked by one sort, of integers that compare as the scores do (`bits`), so that
no derivative goes through it. Keys, in turn: the segment; the complement of the score, so that
scores fall; what breaks ties, if anything does. Masked items take the last key of their row, or a
segment after all others. Items are then at sorted positions, where the lists are again rows or
segments. In short rows all pairs of items are compared instead, and items stay where they are.

Sums. Those of integers along a list are differences of one running sum, which is exact. For floats
that would cost a short list behind a long one its digits. So sums of segments are by runs of 32
first, sums up to each position double in length within their list, and D is kept as a rounded sum
and the rounding error (`prefix_sums`): D(end) − D(start), however small, is as exact as its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeGuard

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.bits import float_from_bits, sortable_bits
from jmetrics._core.limbs import two_sum
from jmetrics._core.numerics import bit_length, weighted_bincount
from jmetrics._core.order import tie_bounds
from jmetrics._core.sorting import sort_items

TIES = ("average", "pessimistic", "optimistic", "stable")
"""Tied items are averaged over their orders, or come less relevant first, more relevant first,
or as they are stored. "last", which users do not see, reverses that order."""

_RUN = 32

_SHORT = 128
"""Up to this length, lists are ranked by comparing all of their items, without a sort."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class RowLists:
    """Lists as the rows of an array."""

    count: int = field(metadata={"static": True})
    on: Array | None
    """Items that count, if there are some that do not."""

    def sum(self, values: Array) -> Array:
        """Sum of each list."""
        return jnp.sum(values, axis=-1, dtype=values.dtype)

    def max(self, values: Array) -> Array:
        """Largest of each list, at least 0."""
        return jnp.max(values, axis=-1, initial=0)

    def running(self, values: Array) -> Array:
        """Sum of each list up to each position."""
        return jnp.cumsum(values, axis=-1, dtype=values.dtype)

    def of_each(self, per_list: Array) -> Array:
        """Give each item or position what belongs to its list."""
        return per_list[:, None]


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SegmentLists:
    """Lists as segments of a flat array."""

    count: int = field(metadata={"static": True})
    segment: Array
    """The list of each item or position; `count` for what is in none, or does not count."""
    contiguous: bool = field(default=False, metadata={"static": True})
    """Whether the segments follow each other, as they do at the positions."""

    def sum(self, values: Array) -> Array:
        """Sum of each list."""
        if not self.contiguous:
            return weighted_bincount(self.segment, values, self.count)
        return _sum_runs(values, self.segment, self.count)

    def max(self, values: Array) -> Array:
        """Largest of each list, at least 0."""
        zeros = jnp.zeros(self.count, values.dtype)
        return zeros.at[self.segment].max(values, mode="drop", indices_are_sorted=self.contiguous)

    def running(self, values: Array) -> Array:
        """Sum of each list up to each position."""
        if not jnp.issubdtype(values.dtype, jnp.floating):
            return self._running_counts(values)
        position = lax.iota(jnp.int32, values.shape[0])
        rank = position - self.first()[self.segment]

        def double(i: Array, sums: Array) -> Array:
            step = lax.shift_left(jnp.int32(1), jnp.int32(i))
            earlier = sums[jnp.maximum(position - step, 0)]
            return sums + jnp.where(rank >= step, earlier, jnp.zeros_like(sums))

        return lax.fori_loop(0, bit_length(values.shape[0]), double, values)

    def _running_counts(self, counts: Array) -> Array:
        running = jnp.cumsum(counts, dtype=counts.dtype)
        above = jnp.append(running - counts, running[-1:])
        return running - above[self.first()[self.segment]]

    def first(self) -> Array:
        """First position of each list, and of the items that do not count."""
        return jnp.searchsorted(self.segment, lax.iota(jnp.int32, self.count + 1)).astype(jnp.int32)

    def of_each(self, per_list: Array) -> Array:
        """Give each item or position what belongs to its list."""
        return jnp.take(per_list, self.segment, mode="clip")


Lists: TypeAlias = RowLists | SegmentLists


def _sum_runs(values: Array, segment: Array, count: int) -> Array:
    """Sum by segment, 32 at a time, so that long segments are added pairwise."""
    if jnp.issubdtype(values.dtype, jnp.floating):
        for _ in range(6):  # after which as many as 2³¹ are few
            n = values.shape[0]
            if isinstance(n, int) and n <= _RUN * count:  # and no name, in an exported program
                break
            run = segment + lax.iota(jnp.int32, n) // _RUN
            size = count + 1 + (n - 1) // _RUN
            sums = jnp.zeros(size, values.dtype).at[run].add(values, indices_are_sorted=True)
            segment = jnp.full(size, count, jnp.int32).at[run].set(segment, indices_are_sorted=True)
            values = sums
    sums = jnp.zeros(count, values.dtype)
    return sums.at[segment].add(values, mode="drop", indices_are_sorted=True)


class RankedGains(NamedTuple):
    """Gains of the items, in any order, each with the positions that it shares."""

    lists: Lists
    gain: Array
    start: Array
    """How many items are ranked above all those tied with this one."""
    end: Array
    """How many are ranked above or tied, this one included."""
    size: Array
    """How many items each list has."""


class RankedLabels(NamedTuple):
    """Labels at each position of the lists, in rank order, with counts of the relevant ones."""

    lists: Lists
    label: Array
    """1.0 if the item sorted to this position is relevant, or else 0.0."""
    real: Array
    """Whether there is an item that counts."""
    rank: Array
    """How many positions are above."""
    before: Array
    """How many relevant items are ranked above all those that share this position."""
    upto: Array
    """How many relevant items are ranked above or share it."""
    others_before: Array
    """How many items that are not relevant are ranked above all those that share this position."""
    others_upto: Array
    """How many that are not relevant are ranked above or share it."""
    total: Array
    """How many relevant items each list has."""
    size: Array
    """How many items each list has."""

    @property
    def start(self) -> Array:
        """How many items are ranked above all those that share each position."""
        return self.before + self.others_before

    @property
    def end(self) -> Array:
        """How many are ranked above or share it."""
        return self.upto + self.others_upto

    @property
    def within(self) -> Array:
        """How many relevant items share it."""
        return self.upto - self.before


Ranking = Callable[[Array, Array, Lists, str], Any]
"""From scores, labels or gains, lists and a rule for ties to a statistic."""


def ranked_gains(
    score: Array, gain: Array, lists: Lists, ties: str, *, by_rank: bool = False
) -> RankedGains:
    """Rank the lists and keep the gain of each item, 0 for what does not count.

    In order of the scores where that is asked for, or in any.
    """
    if ties == "average" and not by_rank and _are_short(lists, score):
        (keys,) = _keys(score, lists)
        start, end = (_count(keys, compare, keys) for compare in (lax.lt, lax.le))
        gain = gain if lists.on is None else jnp.where(lists.on, gain, jnp.zeros_like(gain))
        return RankedGains(lists, gain, start, end, _sizes(lists, score))
    sorted_items = _sort_items(score, gain, lists, ties)
    gain = jnp.where(sorted_items.real, sorted_items.of_items(gain), jnp.zeros_like(gain))
    return RankedGains(
        sorted_items.lists, gain, sorted_items.start, sorted_items.end, sorted_items.size
    )


def falling_gains(gain: Array, lists: Lists) -> RankedGains:
    """Rank the lists by their gains, which is the best order that they can have.

    Sorts keys alone, which is fast and has no derivative.
    """
    keys = _keys(gain, lists)
    *_, key = ordered = lax.sort(keys, num_keys=len(keys), is_stable=False)
    sorted_lists, rank, real, size = _ranks(lists, gain, ordered)
    falling = jnp.where(real, float_from_bits(~key, gain.dtype), jnp.zeros_like(gain))
    return RankedGains(sorted_lists, falling, rank, rank + 1, size)


def ranked_labels(score: Array, label: Array, lists: Lists, ties: str) -> RankedLabels:
    """Rank the lists and count relevant items along them."""
    sorted_items = _sort_items(score, label, lists, ties)
    ones = (sorted_items.real & (sorted_items.of_items(label) != 0)).astype(jnp.int32)
    running = sorted_items.lists.running(ones)
    before, upto = running - ones, running
    if ties == "average":
        before, upto = (
            sorted_items.at(before, sorted_items.start),
            sorted_items.at(upto, sorted_items.end - 1),
        )
    return RankedLabels(
        sorted_items.lists,
        ones.astype(label.dtype),
        sorted_items.real,
        sorted_items.rank,
        before,
        upto,
        sorted_items.start - before,
        sorted_items.end - upto,
        sorted_items.lists.sum(ones),
        sorted_items.size,
    )


def counted_labels(score: Array, label: Array, lists: Lists, ties: str) -> RankedLabels:
    """The same in any order, with the first position of each run of ties for all ranks in it."""
    if ties != "average" or not _are_short(lists, score):
        ranked = ranked_labels(score, label, lists, ties)
        return ranked._replace(rank=ranked.start)
    real = jnp.ones(score.shape, jnp.bool_) if lists.on is None else lists.on
    ones = (real & (label != 0)).astype(jnp.int32)
    (keys,) = _keys(score, lists)
    last = ~jnp.zeros_like(keys)
    relevant, others = jnp.where(ones > 0, keys, last), jnp.where(ones > 0, last, keys)
    before, others_before = (_count(of, lax.lt, keys) for of in (relevant, others))
    upto, others_upto = (_count(of, lax.le, keys) for of in (relevant, others))
    return RankedLabels(
        lists,
        ones.astype(label.dtype),
        real,
        before + others_before,
        before,
        upto,
        others_before,
        others_upto,
        lists.sum(ones),
        _sizes(lists, score),
    )


def _are_short(lists: Lists, score: Array) -> TypeGuard[RowLists]:
    """Whether to compare all items of a list takes less time than to sort them."""
    if not isinstance(lists, RowLists) or score.shape[1] not in range(_SHORT + 1):
        return False
    return jnp.issubdtype(score.dtype, jnp.floating)  # of which only NaN has the last key


def _count(some: Array, compare: Callable[[Array, Array], Array], keys: Array) -> Array:
    """How many of some keys compare so with each key of the same list.

    Each count has a loop of its own, so that compilers leave out those that a metric has no use
    for.
    """
    columns = keys.T

    def add(counts: Array, key: Array) -> tuple[Array, None]:
        return counts + compare(key[None], columns).astype(counts.dtype), None

    # A zero that varies over the mesh as the items do, for `shard_map`.
    none = (some - some).T.astype(jnp.uint8)  # holds `_SHORT`, at most 255
    return lax.scan(add, none, some.T, unroll=10)[0].T.astype(jnp.int32)


@dataclass(frozen=True)
class _SortedItems:
    """The positions of all lists."""

    lists: Lists
    item: Array
    real: Array
    rank: Array
    start: Array
    end: Array
    size: Array

    def of_items(self, values: Array) -> Array:
        """Values of the items at their positions."""
        return self._take(values, self.item)

    def at(self, values: Array, rank: Array) -> Array:
        """For each position, the value at some rank of the same list."""
        if isinstance(self.lists, SegmentLists):
            rank = rank + self.lists.first()[self.lists.segment]
        return self._take(values, rank)

    def _take(self, values: Array, index: Array) -> Array:
        return jnp.take_along_axis(values, index, axis=-1, mode="clip")


def _sort_items(score: Array, label: Array, lists: Lists, ties: str) -> _SortedItems:
    """Sort the items of all lists to their positions."""
    groups = _keys(score, lists)
    ordered, item = sort_items(*groups, *_breakers(label, ties), stable=ties == "stable")
    sorted_lists, rank, real, size = _ranks(lists, score, ordered)
    if ties != "average":
        return _SortedItems(sorted_lists, item, real, rank, rank, rank + 1, size)
    rows = [jnp.atleast_2d(key) for key in ordered[: len(groups)]]
    first = lax.broadcasted_iota(jnp.int32, score.shape, score.ndim - 1) - rank
    start, end = (bound.reshape(score.shape) - first for bound in tie_bounds(*rows))
    return _SortedItems(sorted_lists, item, real, rank, start, end + 1, size)


def _ranks(
    lists: Lists, items: Array, ordered: Sequence[Array]
) -> tuple[Lists, Array, Array, Array]:
    """The lists at sorted positions, the rank of each and whether it is real, and their sizes."""
    position = lax.broadcasted_iota(jnp.int32, items.shape, items.ndim - 1)
    if isinstance(lists, RowLists):
        size = _sizes(lists, items)
        return lists, position, position < size[:, None], size
    sorted_lists = SegmentLists(lists.count, ordered[0], contiguous=True)
    first = sorted_lists.first()
    rank = position - first[sorted_lists.segment]
    return sorted_lists, rank, sorted_lists.segment < lists.count, jnp.diff(first)


def _keys(score: Array, lists: Lists) -> tuple[Array, ...]:
    """Sort keys: lists follow each other, scores fall, and what does not count comes last."""
    key = ~sortable_bits(score)
    if isinstance(lists, SegmentLists):
        return lists.segment, key
    if lists.on is None:
        return (key,)
    if jnp.issubdtype(score.dtype, jnp.floating):
        return (jnp.where(lists.on, key, ~jnp.zeros_like(key)),)  # only NaN has that key
    return ~lists.on, jnp.where(lists.on, key, jnp.zeros_like(key))


def _breakers(label: Array, ties: str) -> tuple[Array, ...]:
    """Keys that break ties."""
    if ties == "pessimistic":
        return (sortable_bits(label),)
    if ties == "optimistic":
        return (~sortable_bits(label),)
    item = lax.broadcasted_iota(jnp.uint32, label.shape, label.ndim - 1)
    return (~item,) if ties == "last" else ()


def _sizes(lists: RowLists, items: Array) -> Array:
    if lists.on is None:
        return jnp.full(items.shape[:1], items.shape[1], jnp.int32)
    return lists.sum(lists.on.astype(jnp.int32))


def mean_over_tied_ranks(ranked: RankedGains, prefix: tuple[Array, Array]) -> Array:
    """Mean, over the positions that each item shares, of what `prefix` sums over the first ones.

    Positions beyond the end of `prefix` count 0.
    """
    high, low = prefix
    start, end = (
        jnp.minimum(position, high.shape[0] - 1) for position in (ranked.start, ranked.end)
    )
    total = (high[end] - high[start]) + (low[end] - low[start])
    mean = total / (ranked.end - ranked.start).astype(total.dtype)
    return lax.optimization_barrier(mean)  # XLA looks up several times slower inside a sum


def prefix_sums(terms: Array) -> tuple[Array, Array]:
    """Sums of the first 0, 1, 2, ... terms, each as a float and what rounding took from it.

    So their differences are as exact as the terms, however long the sums.
    """
    position = lax.iota(jnp.int32, terms.shape[0] + 1)

    def double(i: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        step = lax.shift_left(jnp.int32(1), jnp.int32(i))
        high, low = sums
        inside = position >= step
        earlier, short = (
            jnp.where(inside, part[jnp.maximum(position - step, 0)], jnp.zeros_like(part))
            for part in sums
        )
        total, lost = two_sum(high, earlier)
        return total, low + short + lost

    start = jnp.pad(terms, (1, 0))
    return lax.fori_loop(0, bit_length(position.shape[0]), double, (start, jnp.zeros_like(start)))
