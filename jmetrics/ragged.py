"""Lists of unequal length as arrays of few shapes: padded rows with a mask, or segments."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import clean

__all__ = [
    "Padded",
    "Segments",
    "bucket_size",
    "pad_lists",
    "segments_from_lengths",
    "where_from_lengths",
]


@exportable
class Padded(NamedTuple):
    """Lists as rows of one length.

    Attributes:
        values: The items of each list, followed by padding, shape (n_lists, size).
        where: Which entries are items, shape (n_lists, size), boolean.
    """

    values: Array
    where: Array


@exportable
class Segments(NamedTuple):
    """The list of each item of a flat array.

    Attributes:
        segment_ids: Number of the list of each item, from 0 to n_lists − 1, shape (size,); padding
            after the last item gets n_lists − 1.
        where: Which entries are items, shape (size,), boolean.
    """

    segment_ids: Array
    where: Array


def pad_lists(
    lists: Sequence[ArrayLike] | ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    size: int | None = None,
    fill: float = 0,
) -> Padded:
    """Put lists of unequal length into the rows of one array, with a mask.

    Either a sequence of arrays, one per list, or one flat array of consecutive lists with their
    `lengths`.

    Args:
        lists: Sequence of arrays, each of shape (length,); or with `lengths` one array of shape
            (n,), numbers of any dtype.
        lengths: Length of each list, shape (n_lists,), integers.
        size: Length of the rows; static. The longest length by default, which must be known: it
            must be given where `lengths` are traced.
        fill: Value of the padding.

    Returns:
        A `Padded`, arrays of shape (n_lists, size).

    Undefined:
        Under `jit`, a list longer than `size` becomes NaN, or the smallest integer of its dtype.

    Cost:
        O(n_lists × size) time and memory; one compilation per shape, so see `bucket_size`.

    Raises:
        ValueError: For a list longer than `size` where its length is known.

    References:
        `jax.ops` and `numpy.pad` in one; the padding of rax.

    Examples:
        >>> padded = pad_lists([[3.0, 1.0], [2.0]])
        >>> padded.values.tolist(), padded.where.tolist()
        ([[3.0, 1.0], [2.0, 0.0]], [[True, True], [True, False]])
        >>> pad_lists(jax.numpy.array([3.0, 1.0, 2.0]), [2, 1], size=4).values.tolist()
        [[3.0, 1.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]]
    """
    if lengths is None:
        rows = [check.array("lists", row) for row in lists]  # type: ignore[union-attr]
        check.require(all(row.ndim == 1 for row in rows), "`lists` must have one axis each")
        lengths = jax.device_put(np.array([row.shape[0] for row in rows], np.int32))
        lists = jnp.concatenate(rows) if rows else jnp.zeros(0)
    flat, known, lengths = _flat("lists", lists), _known(lengths), _lengths(lengths)
    size = _fitting(size, None if known is None else int(np.max(known, initial=0)))
    return _padded(flat, lengths, jax.device_put(fill), size=size)


@functools.partial(jax.jit, static_argnames="size")
def _padded(flat: Array, lengths: Array, fill: Array, *, size: int) -> Padded:
    mask, fill = _inside(lengths, size), fill.astype(flat.dtype)
    if flat.shape[0] == 0:
        return Padded(jnp.broadcast_to(fill, mask.shape), mask)
    first = jnp.cumsum(lengths, dtype=jnp.int32) - lengths
    position = first[:, None] + lax.iota(jnp.int32, size)[None, :]
    values = clean(jnp.take(flat, position, mode="clip"), None, mask, filler=fill)
    short = (lengths <= size)[:, None]
    return Padded(check.nan_unless(values, short, "`lengths` must not exceed `size`"), mask)


def where_from_lengths(lengths: ArrayLike, *, size: int) -> Array:
    """Mask of the items in rows that start with a list and end with padding.

    Args:
        lengths: Length of each list, shape (n_lists,), integers.
        size: Length of the rows; static.

    Returns:
        Boolean mask, shape (n_lists, size).

    Cost:
        O(n_lists × size) time.

    References:
        `tf.sequence_mask`.

    Examples:
        >>> where_from_lengths([2, 0], size=3).tolist()
        [[True, True, False], [False, False, False]]
    """
    return _inside(_lengths(lengths), size)


@functools.partial(jax.jit, static_argnums=1)
def _inside(lengths: Array, size: int) -> Array:
    return lax.iota(jnp.int32, size)[None, :] < lengths[:, None]


def segments_from_lengths(lengths: ArrayLike, *, size: int | None = None) -> Segments:
    """Segment ids of the items of consecutive lists in a flat array.

    Args:
        lengths: Length of each list, shape (n_lists,), integers.
        size: Length of the flat array; static. The sum of `lengths` by default, which must be
            known: it must be given where `lengths` are traced.

    Returns:
        A `Segments`, arrays of shape (size,), padded after the last item.

    Undefined:
        Under `jit`, items beyond `size` are dropped.

    Cost:
        O(size log n_lists) time.

    Raises:
        ValueError: For more items than `size` where their number is known.

    References:
        The `segment_ids` of `jax.ops.segment_sum`.

    Examples:
        >>> segments_from_lengths([2, 0, 1]).segment_ids.tolist()
        [0, 0, 2]
        >>> segments_from_lengths([2, 1], size=5).where.tolist()
        [True, True, True, False, False]
    """
    known, lengths = _known(lengths), _lengths(lengths)
    size = _fitting(size, None if known is None else int(np.sum(known)))
    return _segments(lengths, size)


@functools.partial(jax.jit, static_argnums=1)
def _segments(lengths: Array, size: int) -> Segments:
    ends = jnp.cumsum(lengths, dtype=jnp.int32)
    position = lax.iota(jnp.int32, size)
    segment = jnp.searchsorted(ends, position, side="right").astype(jnp.int32)
    last = max(lengths.shape[0] - 1, 0)
    return Segments(jnp.minimum(segment, last), segment < lengths.shape[0])


def bucket_size(size: int, *, steps: int = 4, minimum: int = 8) -> int:
    """Round a size up to one of few, so that ragged batches compile a bounded number of times.

    The sizes are `minimum` and, from there on, `steps` sizes between a power of two and the next.
    Sizes up to n are thus rounded to at most 1 + `steps` × (⌈log2 n⌉ − ⌊log2 `minimum`⌋) different
    ones, and a size beyond `minimum` grows by a fraction of less than 1 / `steps`.

    Args:
        size: Size to round up, an integer of at least 0, known while tracing.
        steps: Number of sizes between a power of two and the next, a positive integer.
        minimum: The smallest size, a positive integer.

    Returns:
        The rounded size, an integer of at least `size`.

    Cost:
        O(1) time, on the host.

    References:
        The size classes of memory allocators such as jemalloc.

    Examples:
        >>> [bucket_size(n) for n in (0, 8, 9, 17, 100, 1000)]
        [8, 8, 10, 20, 112, 1024]
    """
    steps, minimum = (
        check.positive_integer(name, value)
        for name, value in (("steps", steps), ("minimum", minimum))
    )
    if size == 0 or check.positive_integer("size", size) <= minimum:
        return minimum
    below = 1 << ((size - 1).bit_length() - 1)  # the next power of two is twice this
    step = -(-below // steps)
    return max(minimum, min(below - (below - size) // step * step, 2 * below))


def _flat(name: str, value: Any) -> Array:
    flat = check.array(name, value)
    check.require(flat.ndim == 1, f"`{name}` must have one axis beside `lengths`, got {flat.shape}")
    return flat


def _lengths(value: Any) -> Array:
    lengths = check.array("lengths", value)
    check.require(
        lengths.ndim == 1 and not jnp.issubdtype(lengths.dtype, jnp.floating),
        f"`lengths` must be whole numbers with one axis, got {lengths.dtype} of {lengths.shape}",
    )
    return lengths.astype(jnp.int32)


def _known(lengths: ArrayLike) -> np.ndarray | None:
    """The lengths as they are now, unless they are traced."""
    return None if isinstance(lengths, jax.core.Tracer) else np.asarray(jax.device_get(lengths))


def _fitting(size: int | None, needed: int | None) -> int:
    """A static size, which what is needed must fit in where that is known."""
    if size is None:
        check.require(needed is not None, "`size` must be given where `lengths` are traced")
        return needed or 0
    fits = needed is None or needed <= size
    check.require(fits, f"`size` must be at least {needed}, for what `lengths` say, got {size}")
    return size
