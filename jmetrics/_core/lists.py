"""Many lists ranked at once: the place of every item in its own list, and who shares it.

Lists are the rows of an array, or segments of a flat one. What is sorted are the scores,
as integers that compare as they do; weights have no part in it. Ties either stay together,
as a run of places that its items share by chance, or are broken by a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeGuard

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.bits import float_from_bits, sortable_bits
from jmetrics._core.numerics import bit_length, tabulate
from jmetrics._core.order import tie_bounds
from jmetrics._core.sorting import sort_items

TIES = ("average", "pessimistic", "optimistic", "stable")
"""Tied items share their places by chance, or come less relevant first, more relevant first,
in the order they are stored in. "last", which users do not see, reverses that order."""

_RUN = 32

_SHORT = 128
"""Up to this length, lists are ranked by comparing all of their items, without a sort."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Rows:
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
        """Sum of each list up to each place."""
        return jnp.cumsum(values, axis=-1, dtype=values.dtype)

    def of_each(self, per_list: Array) -> Array:
        """Give each item or place what belongs to its list."""
        return per_list[:, None]


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Segments:
    """Lists as segments of a flat array."""

    count: int = field(metadata={"static": True})
    segment: Array
    """The list of each item or place; `count` for what is in none, or does not count."""
    in_order: bool = field(default=False, metadata={"static": True})
    """Whether the segments follow each other, as they do at the places."""

    def sum(self, values: Array) -> Array:
        """Sum of each list."""
        if not self.in_order:
            return tabulate(self.segment, values, self.count)
        return _sum_runs(values, self.segment, self.count)

    def max(self, values: Array) -> Array:
        """Largest of each list, at least 0."""
        zeros = jnp.zeros(self.count, values.dtype)
        return zeros.at[self.segment].max(values, mode="drop", indices_are_sorted=self.in_order)

    def running(self, values: Array) -> Array:
        """Sum of each list up to each place."""
        if not jnp.issubdtype(values.dtype, jnp.floating):
            return self._running_counts(values)
        place = lax.iota(jnp.int32, values.shape[0])
        rank = place - self.first()[self.segment]

        def double(i: Array, sums: Array) -> Array:
            step = lax.shift_left(jnp.int32(1), jnp.int32(i))
            earlier = sums[jnp.maximum(place - step, 0)]
            return sums + jnp.where(rank >= step, earlier, jnp.zeros_like(sums))

        return lax.fori_loop(0, bit_length(values.shape[0]), double, values)

    def _running_counts(self, counts: Array) -> Array:
        running = jnp.cumsum(counts, dtype=counts.dtype)
        above = jnp.append(running - counts, running[-1:])
        return running - above[self.first()[self.segment]]

    def first(self) -> Array:
        """First place of each list, and of the items that do not count."""
        return jnp.searchsorted(self.segment, lax.iota(jnp.int32, self.count + 1)).astype(jnp.int32)

    def of_each(self, per_list: Array) -> Array:
        """Give each item or place what belongs to its list."""
        return jnp.take(per_list, self.segment, mode="clip")


Lists: TypeAlias = Rows | Segments


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
    """Gains of the items, in any order, each with the places that it shares."""

    lists: Lists
    gain: Array
    start: Array
    """How many items are ranked above all those tied with this one."""
    end: Array
    """How many are ranked above or tied, this one included."""
    size: Array
    """How many items each list has."""


class RankedLabels(NamedTuple):
    """Labels at each place of the lists, in rank order, with counts of the relevant ones."""

    lists: Lists
    label: Array
    """1.0 if the item sorted to this place is relevant, or else 0.0."""
    real: Array
    """Whether there is an item that counts."""
    rank: Array
    """How many places are above."""
    before: Array
    """How many relevant items are ranked above all those that share this place."""
    upto: Array
    """How many relevant items are ranked above or share it."""
    others_before: Array
    """How many items that are not relevant are ranked above all those that share this place."""
    others_upto: Array
    """How many that are not relevant are ranked above or share it."""
    total: Array
    """How many relevant items each list has."""
    size: Array
    """How many items each list has."""

    @property
    def start(self) -> Array:
        """How many items are ranked above all those that share each place."""
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
    score: Array, gain: Array, lists: Lists, ties: str, *, in_order: bool = False
) -> RankedGains:
    """Rank the lists and keep the gain of each item, 0 for what does not count.

    In order of the scores where that is asked for, or in any.
    """
    if ties == "average" and not in_order and _are_short(lists, score):
        (keys,) = _keys(score, lists)
        start, end = (_count(keys, compare, keys) for compare in (lax.lt, lax.le))
        gain = gain if lists.on is None else jnp.where(lists.on, gain, jnp.zeros_like(gain))
        return RankedGains(lists, gain, start, end, _sizes(lists, score))
    places = _places(score, gain, lists, ties)
    gain = jnp.where(places.real, places.of_items(gain), jnp.zeros_like(gain))
    return RankedGains(places.lists, gain, places.start, places.end, places.size)


def falling_gains(gain: Array, lists: Lists) -> RankedGains:
    """Rank the lists by their gains, which is the best order that they can have.

    Sorts keys alone, which is fast and has no derivative.
    """
    keys = _keys(gain, lists)
    *_, key = ordered = lax.sort(keys, num_keys=len(keys), is_stable=False)
    placed, rank, real, size = _ranks(lists, gain, ordered)
    falling = jnp.where(real, float_from_bits(~key, gain.dtype), jnp.zeros_like(gain))
    return RankedGains(placed, falling, rank, rank + 1, size)


def ranked_labels(score: Array, label: Array, lists: Lists, ties: str) -> RankedLabels:
    """Rank the lists and count relevant items along them."""
    places = _places(score, label, lists, ties)
    ones = (places.real & (places.of_items(label) != 0)).astype(jnp.int32)
    running = places.lists.running(ones)
    before, upto = running - ones, running
    if ties == "average":
        before, upto = places.at(before, places.start), places.at(upto, places.end - 1)
    return RankedLabels(
        places.lists,
        ones.astype(label.dtype),
        places.real,
        places.rank,
        before,
        upto,
        places.start - before,
        places.end - upto,
        places.lists.sum(ones),
        places.size,
    )


def counted_labels(score: Array, label: Array, lists: Lists, ties: str) -> RankedLabels:
    """The same in any order, with the first place of each run of ties for all ranks in it."""
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


def _are_short(lists: Lists, score: Array) -> TypeGuard[Rows]:
    """Whether to compare all items of a list takes less time than to sort them."""
    if not isinstance(lists, Rows) or score.shape[1] not in range(_SHORT + 1):
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
    none = (some - some).T.astype(jnp.uint8)
    return lax.scan(add, none, some.T, unroll=10)[0].T.astype(jnp.int32)


@dataclass(frozen=True)
class _Places:
    """The places of all lists."""

    lists: Lists
    item: Array
    real: Array
    rank: Array
    start: Array
    end: Array
    size: Array

    def of_items(self, values: Array) -> Array:
        """Values of the items at their places."""
        return self._take(values, self.item)

    def at(self, values: Array, rank: Array) -> Array:
        """For each place, the value at some rank of the same list."""
        if isinstance(self.lists, Segments):
            rank = rank + self.lists.first()[self.lists.segment]
        return self._take(values, rank)

    def _take(self, values: Array, index: Array) -> Array:
        return jnp.take_along_axis(values, index, axis=-1, mode="clip")


def _places(score: Array, label: Array, lists: Lists, ties: str) -> _Places:
    """Sort the items of all lists to their places."""
    groups = _keys(score, lists)
    ordered, item = sort_items(*groups, *_breakers(label, ties), stable=ties == "stable")
    placed, rank, real, size = _ranks(lists, score, ordered)
    if ties != "average":
        return _Places(placed, item, real, rank, rank, rank + 1, size)
    rows = [jnp.atleast_2d(key) for key in ordered[: len(groups)]]
    first = lax.broadcasted_iota(jnp.int32, score.shape, score.ndim - 1) - rank
    start, end = (bound.reshape(score.shape) - first for bound in tie_bounds(*rows))
    return _Places(placed, item, real, rank, start, end + 1, size)


def _ranks(
    lists: Lists, items: Array, ordered: Sequence[Array]
) -> tuple[Lists, Array, Array, Array]:
    """The lists at sorted places, the rank of each and whether it is real, and their sizes."""
    place = lax.broadcasted_iota(jnp.int32, items.shape, items.ndim - 1)
    if isinstance(lists, Rows):
        size = _sizes(lists, items)
        return lists, place, place < size[:, None], size
    placed = Segments(lists.count, ordered[0], in_order=True)
    first = placed.first()
    rank = place - first[placed.segment]
    return placed, rank, placed.segment < lists.count, jnp.diff(first)


def _keys(score: Array, lists: Lists) -> tuple[Array, ...]:
    """Sort keys: lists follow each other, scores fall, and what does not count comes last."""
    key = ~sortable_bits(score)
    if isinstance(lists, Segments):
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


def _sizes(lists: Rows, items: Array) -> Array:
    if lists.on is None:
        return jnp.full(items.shape[:1], items.shape[1], jnp.int32)
    return lists.sum(lists.on.astype(jnp.int32))


def mean_of_places(ranked: RankedGains, prefix: tuple[Array, Array]) -> Array:
    """Mean, over the places that each item shares, of what `prefix` sums over the first ones.

    Places beyond the end of `prefix` count 0.
    """
    high, low = prefix
    start, end = (jnp.minimum(place, high.shape[0] - 1) for place in (ranked.start, ranked.end))
    total = (high[end] - high[start]) + (low[end] - low[start])
    mean = total / (ranked.end - ranked.start).astype(total.dtype)
    return lax.optimization_barrier(mean)  # XLA looks up several times slower inside a sum


def prefix_sums(terms: Array) -> tuple[Array, Array]:
    """Sums of the first 0, 1, 2, ... terms, each as a float and what rounding took from it.

    So their differences are as exact as the terms, however long the sums.
    """
    place = lax.iota(jnp.int32, terms.shape[0] + 1)

    def double(i: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        step = lax.shift_left(jnp.int32(1), jnp.int32(i))
        high, low = sums
        inside = place >= step
        earlier, short = (
            jnp.where(inside, part[jnp.maximum(place - step, 0)], jnp.zeros_like(part))
            for part in sums
        )
        total = high + earlier
        added = total - high
        lost = (high - (total - added)) + (earlier - added)
        return total, low + short + lost

    start = jnp.pad(terms, (1, 0))
    return lax.fori_loop(0, bit_length(place.shape[0]), double, (start, jnp.zeros_like(start)))
