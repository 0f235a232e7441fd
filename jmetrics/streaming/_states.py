"""States of streams: statistics in which every sum is exact, however long the stream."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import check
from jmetrics._core.limbs import Compensated
from jmetrics._core.merging import (
    ALL,
    LEAST,
    MOST,
    PLACE,
    STEADY,
    SUM,
    Tally,
    map_fields,
    merge,
    number,
    scale,
)

_NEUTRAL = {ALL: True, LEAST: np.inf, MOST: -np.inf, PLACE: 0}


def empty(statistic: Any) -> Any:
    """State of no data, for statistics with these shapes and dtypes."""

    def nothing(kind: str, leaf: Any) -> Any:
        if kind not in (SUM, STEADY):
            return jnp.full(leaf.shape, _NEUTRAL[kind], leaf.dtype)
        if jnp.issubdtype(leaf.dtype, jnp.floating):
            return Compensated.zeros(leaf.shape, leaf.dtype)
        return Tally.zeros(leaf.shape, jnp.result_type(float))

    return map_fields(nothing, statistic)


def advance(state: Any, statistic: Any) -> Any:
    """Take what a batch adds into the state."""
    return merge(state, map_fields(_fitting, state, statistic))


def _fitting(kind: str, held: Any, leaf: Array) -> Array:
    """Part of the statistic of a batch, in the shape and the precision of the state."""
    del kind
    like = number(held)
    check.require(
        like.shape == leaf.shape,
        f"this batch gives numbers of shape {leaf.shape} where the stream holds {like.shape}; "
        "make the stream with `like`, a batch of the right shapes",
    )
    return leaf.astype(like.dtype) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf


def settled(state: Any) -> Any:
    """The state as the statistic that a finisher takes; what was counted becomes floats."""
    return map_fields(lambda kind, held: number(held), state)


def faded(state: Any, factor: Array) -> Any:
    """State in which everything so far weighs less."""

    def fade(kind: str, held: Any) -> Any:
        if kind != SUM:
            return held
        dtype = number(held).dtype
        return scale(held, jnp.asarray(factor, dtype))

    return map_fields(fade, state)


def to_numpy(state: Any) -> dict[str, np.ndarray]:
    """Turn the state of a stream into NumPy arrays by name, to store it or to send it around.

    With them a reduction of Beam, Spark, Ray or Dask can carry the states of parts. For a Dask
    bag of parts, where `of_part` makes these arrays of one part:

        def merge(a, b):
            states = [streaming.from_numpy(stream, arrays) for arrays in (a, b)]
            return streaming.to_numpy(stream.merge(*states))

        arrays = bag.map(of_part).fold(merge).compute()
        value = stream.compute(streaming.from_numpy(stream, arrays))

    Shapes: those of the state; `from_numpy` is the inverse.
    Cost: one copy to the host.
    Raises: nothing.
    Source: `jax.tree_util.tree_flatten_with_path`.

    >>> from jmetrics import accuracy_score, streaming
    >>> stream = streaming.stream(accuracy_score)
    >>> sorted(streaming.to_numpy(stream.init()))[:2]
    ['counts/right/rest/rest', 'counts/right/rest/total']
    """
    leaves, _ = jax.tree_util.tree_flatten_with_path(state)
    return {
        jax.tree_util.keystr(path, simple=True, separator="/"): np.asarray(leaf)
        for path, leaf in leaves
    }


def from_numpy(stream: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Turn named arrays into the state that `to_numpy` made them of.

    Shapes: those of `stream.init()`.
    Cost: one copy to the device.
    Raises: ValueError for names, shapes or dtypes that are not those of the state.
    Source: `jax.tree_util.tree_unflatten`.

    >>> from jmetrics import accuracy_score, streaming
    >>> stream = streaming.stream(accuracy_score)
    >>> arrays = streaming.to_numpy(stream.update(stream.init(), [0, 1, 1], [0, 1, 0]))
    >>> round(float(stream.compute(streaming.from_numpy(stream, arrays))), 6)
    0.666667
    """
    template = stream.init()
    known = to_numpy(template)
    found = {name: np.asarray(array) for name, array in arrays.items()}
    for name in sorted({*known, *found}):
        expected, got = (
            f"{a[name].dtype}{list(a[name].shape)}" if name in a else "nothing"
            for a in (known, found)
        )
        check.require(expected == got, f"`arrays[{name!r}]` must be {expected}, got {got}")
    leaves = [jnp.asarray(found[name]) for name in known]
    return jax.tree.unflatten(jax.tree.structure(template), leaves)
