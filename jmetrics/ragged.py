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


@exportable
class Padded(NamedTuple):
    """Lists as rows of one length."""

    values: Array
    """The items of each list, then fillers: (n_lists, size)."""
    where: Array
    """Which of them are items: (n_lists, size)."""


@exportable
class Segments(NamedTuple):
    """The list of each item of a flat array."""

    segment_ids: Array
    """From 0 to n_lists − 1, or the last of these beyond the last item: (size,)."""
    where: Array
    """Which entries are items: (size,)."""


def pad_lists(
    lists: Sequence[ArrayLike] | ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    size: int | None = None,
    fill: float = 0,
) -> Padded:
    """Put lists of unequal length into the rows of one array, with a mask.

    Either a sequence of arrays, one a list, or one flat array with the `lengths` of the lists
    that follow each other in it.

    Shapes: each list (length,), or `lists` (n,) and `lengths` (n_lists,); the two results
    (n_lists, size). `size` is static. Without it, it is the longest length, which must be
    known: not so for traced `lengths`.
    Undefined: under `jit`, a list longer than `size` becomes NaN, or the least integer.
    Cost: O(n_lists × size) time and memory; one compilation a shape, so see `bucket_size`.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit, and for a list that
    is longer than `size` where that is known.
    Source: `jax.ops` and `numpy.pad` in one; the padding of rax.

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
def _padded(flat, lengths, fill, *, size):
    mask, fill = _inside(lengths, size), fill.astype(flat.dtype)
    if flat.shape[0] == 0:
        return Padded(jnp.broadcast_to(fill, mask.shape), mask)
    first = jnp.cumsum(lengths, dtype=jnp.int32) - lengths
    place = first[:, None] + lax.iota(jnp.int32, size)[None, :]
    values = clean(jnp.take(flat, place, mode="clip"), None, mask, filler=fill)
    short = (lengths <= size)[:, None]
    return Padded(check.defined(values, short, "`lengths` must not exceed `size`"), mask)


def where_from_lengths(lengths: ArrayLike, *, size: int) -> Array:
    """Mask of the items in rows that start with a list and end with padding.

    Shapes: `lengths` (n_lists,); the result (n_lists, size). `size` is static.
    Cost: O(n_lists × size).
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `tf.sequence_mask`.

    >>> where_from_lengths([2, 0], size=3).tolist()
    [[True, True, False], [False, False, False]]
    """
    return _inside(_lengths(lengths), size)


@functools.partial(jax.jit, static_argnums=1)
def _inside(lengths, size):
    return lax.iota(jnp.int32, size)[None, :] < lengths[:, None]


def segments_from_lengths(lengths: ArrayLike, *, size: int | None = None) -> Segments:
    """Number the items of lists that follow each other in a flat array.

    Shapes: `lengths` (n_lists,); both results (size,), padded beyond the last item. `size` is
    static. Without it, it is the sum of `lengths`, which must be known: not so if traced.
    Undefined: under `jit`, items beyond `size` are left out.
    Cost: O(size log n_lists) time.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit, and for more items
    than `size` where that is known.
    Source: the `segment_ids` of `jax.ops.segment_sum`.

    >>> segments_from_lengths([2, 0, 1]).segment_ids.tolist()
    [0, 0, 2]
    >>> segments_from_lengths([2, 1], size=5).where.tolist()
    [True, True, True, False, False]
    """
    known, lengths = _known(lengths), _lengths(lengths)
    size = _fitting(size, None if known is None else int(np.sum(known)))
    return _segments(lengths, size)


@functools.partial(jax.jit, static_argnums=1)
def _segments(lengths, size):
    ends = jnp.cumsum(lengths, dtype=jnp.int32)
    place = lax.iota(jnp.int32, size)
    segment = jnp.searchsorted(ends, place, side="right").astype(jnp.int32)
    last = max(lengths.shape[0] - 1, 0)
    return Segments(jnp.minimum(segment, last), segment < lengths.shape[0])


def bucket_size(size: int, *, steps: int = 4, minimum: int = 8) -> int:
    """Round a size up to one of few, so that ragged batches compile a bounded number of times.

    The sizes are `minimum` and, from there on, `steps` between a power of two and the next.
    Sizes up to n thus become at most 1 + `steps` × (⌈log2 n⌉ − ⌊log2 `minimum`⌋) different
    ones, and less than 1 / `steps` of a size beyond `minimum` is added to it.

    Shapes: plain integers, known while tracing.
    Cost: none to speak of.
    Raises: ValueError or TypeError for what is no positive integer; a `size` of 0 is welcome.
    Source: the size classes of memory allocators such as jemalloc.

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
