"""The items of lists: which list each is in, which are masked, what their labels mean."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.lists import Lists, RowLists, SegmentLists
from jmetrics._core.numerics import accumulator
from jmetrics._core.types import Number
from jmetrics._core.weights import admissible, combine, over_trailing

NOT_NAN = "`y_true` must not be NaN"


def item_lists(
    score: Array, where: Array | None, segment_ids: Array | None, count: int
) -> tuple[Array, Lists]:
    """Which items are not masked, and the lists of those."""
    on = combine(None, where, score.shape, jnp.int32) != 0
    on = jnp.broadcast_to(over_trailing(on, score.ndim), score.shape)
    return on, _lists_of(segment_ids, None if where is None else on, count)


def _lists_of(segment_ids: Array | None, on: Array | None, count: int) -> Lists:
    """Rows, or segments, with only the items that are on."""
    if segment_ids is None:
        return RowLists(count, on)
    inside = (segment_ids >= 0) & (segment_ids < count)
    if on is not None:
        inside = inside & on
    return SegmentLists(count, jnp.where(inside, segment_ids, count).astype(jnp.int32))


def of_items(lists: Lists, per_list: Array | None) -> Array | None:
    """Broadcast values per list to items, along the first axis of the items."""
    if per_list is None or isinstance(lists, RowLists):
        return per_list
    return lists.of_each(per_list)


def valid_lists(lists: Lists, on: Array, weight: Array, valid: Array) -> Array:
    """Whether each list has weight 0, or only valid items and a finite weight."""
    invalid_items = lists.sum((on & ~valid).astype(jnp.int32))
    return admissible(weight, invalid_items == 0)


def in_some_list(values: Array, segment_ids: Array | None, on: Array, count: int) -> Array:
    """Set all values to NaN if an unmasked item is in no segment."""
    if segment_ids is None:
        return values
    inside = (segment_ids >= 0) & (segment_ids < count)
    reason = "`segment_ids` must be at least 0 and below `num_segments`"
    return check.nan_unless(values, jnp.all(inside | ~on), reason)


def in_dtype_of(y_true: Array, threshold: Number | None) -> Array | None:
    """Round a threshold to the precision of the labels, which may be computed in a wider one."""
    return None if threshold is None else jnp.asarray(threshold, accumulator(y_true))


def relevant(y_true: Array, threshold: Number) -> tuple[Array, Array]:
    """Labels: 1 for items of at least the threshold, 0 for the others."""
    label = y_true >= jnp.asarray(threshold, y_true.dtype)
    return label.astype(y_true.dtype), y_true == y_true
