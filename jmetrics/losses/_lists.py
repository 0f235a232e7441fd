"""Shared by the losses of lists: checks, clean arrays, one value per list, sums over pairs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.items import in_dtype_of, in_some_list, item_lists, of_items, valid_lists
from jmetrics._core.lists import Lists, RowLists
from jmetrics._core.numerics import Whole, accumulator, scaled, weighted_mean
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import clean, combine
from jmetrics.ranking.gains import Gain, discounted


class Items(NamedTuple):
    """The items of all lists."""

    score: Array
    label: Array
    """Labels or gains; 0 for masked items."""
    on: Array
    """Whether an item is not masked."""
    lists: Lists


PerList: TypeAlias = Callable[..., tuple[Array, Array]]
"""From items and options to the value of each list, and whether it is defined."""


class ListLoss(NamedTuple):
    """How a loss of lists is computed; static."""

    prepare: Callable[..., tuple[Array, Array]]
    """From `y_true` as floats and an option, or else the lists, to labels or gains, and which
    entries are valid."""
    reason: str
    """Why the other entries are invalid."""
    of_lists: PerList


@functools.lru_cache(maxsize=64)
def gain_loss(gain: Gain, of_lists: PerList, **static: Any) -> ListLoss:
    """A loss of gains over the best possible ones, cached so that each gain compiles once."""
    score = discounted(gain, ideal=True)
    return ListLoss(score.prepare, score.reason, functools.partial(of_lists, **static))


def list_loss(
    loss: ListLoss,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    segment_ids: ArrayLike | None,
    num_segments: int | None,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    average: str | None = "mean",
    option: Array | None = None,
    options: tuple[Any, ...] = (),
) -> Array:
    """Mean over the lists with a value, or all values with `average=None`, undefined ones 0.

    `option` is that of `loss.prepare`, `options` those of `loss.of_lists`; all are traced.
    """
    *arrays, count = check.lists(
        y_true=y_true,
        y_score=y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
    )
    check.one_of("average", average, ("mean", None))
    return _list_loss(*arrays, option, options, loss=loss, average=average, count=count)


@functools.partial(jax.jit, static_argnames=("loss", "average", "count"))
@with_auto_axes
def _list_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    segment_ids: Array | None,
    option: Array | None,
    options: tuple[Any, ...],
    *,
    loss: ListLoss,
    average: str | None,
    count: int,
) -> Array:
    dtype = accumulator(y_true, y_score, sample_weight)
    on, lists = item_lists(y_score, where, segment_ids, count)
    weight = scaled(combine(sample_weight, lists.sum(on.astype(jnp.int32)) > 0, (count,), dtype))
    of_each = of_items(lists, sample_weight)
    score = clean(scores_of_items(y_score, dtype, on, lists), of_each, where)
    relevance = clean(y_true.astype(dtype), of_each, where)
    label, valid = loss.prepare(relevance, lists if option is None else in_dtype_of(y_true, option))
    label = jnp.where(on, label, jnp.zeros_like(label))
    values, some = loss.of_lists(Items(score, label, on, lists), *options)
    values = jnp.where(some, values, jnp.zeros_like(values))
    if average == "mean":
        counted = jnp.where(some, weight, jnp.zeros_like(weight))
        values = weighted_mean(values, counted, undefined=0.0)
    for right, reason in ((valid, loss.reason), (score == score, "`y_score` must not be NaN")):
        fine = valid_lists(lists, on, weight, right)
        values = check.nan_unless(values, jnp.all(fine) if average == "mean" else fine, reason)
    return in_some_list(values, segment_ids, on, count)


def scores_of_items(score: Array, dtype: DTypeLike, on: Array, lists: Lists) -> Array:
    """Scores as floats; integers that floats would round, relative to one near their list."""
    parts = Whole.of(score, dtype)
    if not isinstance(parts, Whole):
        return parts
    score = jnp.where(on, score, jnp.zeros_like(score))
    near = lists.max(score) - lists.max(-score)  # of one sign, the largest or the least
    return parts - Whole.of(lists.of_each(near), dtype)


def total(items: Items, values: Array) -> Array:
    """Sum over the items of each list."""
    return items.lists.sum(jnp.where(items.on, values, jnp.zeros_like(values)))


def largest(items: Items, values: Array) -> Array:
    """Largest value of each list, without a derivative; 0 for a list without items."""
    values = lax.stop_gradient(values)
    if isinstance(items.lists, RowLists):
        most = jnp.max(jnp.where(items.on, values, -jnp.inf), axis=1, initial=-jnp.inf)
    else:
        least = jnp.full(items.lists.count, -jnp.inf, values.dtype)
        most = least.at[items.lists.segment].max(values, mode="drop")
    return jnp.where(jnp.isneginf(most), jnp.zeros_like(most), most)


def positive(name: str, value: Number, dtype: DTypeLike) -> Array:
    """A traced option in this dtype, NaN unless it is positive."""
    converted = jnp.asarray(value, dtype)
    return check.nan_unless(converted, converted > 0, f"`{name}` must be positive")


_BLOCK_ENTRIES = 2**18

OfItem: TypeAlias = Callable[[Any, Any, Array], Any]
"""From an item of each list, all items of the lists, and which of them are in the same list, to
sums over these, along the last axis."""


def over_pairs(of: OfItem, values: Any, items: Items) -> Any:
    """Sum over the list of each item, in blocks that the backward pass recomputes.

    `values` are arrays of the shape of the scores. Rows take O(list_size) time per item, segments
    O(n), since their lengths are not static; both take O(n) memory.
    """
    lists, rows = items.lists, isinstance(items.lists, RowLists)
    group = items.on if isinstance(lists, RowLists) else jnp.where(items.on, lists.segment, -1)
    values, group = jax.tree.map(lambda a: a if rows else a[None], (values, group))

    @jax.checkpoint
    def one(own: tuple[Any, Array]) -> Any:
        own, own_group = jax.tree.map(lambda a: a[:, None], own)
        together = group if rows else (group == own_group) & (group >= 0)
        return of(own, values, together)

    queries = jax.tree.map(jnp.transpose, (values, group))
    known = isinstance(group.size, int)  # and not symbolic, as in an exported program
    block = max(1, _BLOCK_ENTRIES // max(group.size, 1)) if known else None
    if block is not None and group.shape[1] <= block:
        sums = jax.vmap(one)(queries)
    else:
        sums = lax.map(one, queries, batch_size=block)
    return jax.tree.map(lambda a: a.T.reshape(items.score.shape), sums)


def sum_where(values: Array, on: Array) -> Array:
    """Sum along the last axis of the entries that are on."""
    return jnp.sum(jnp.where(on, values, jnp.zeros_like(values)), axis=-1)
