"""States of streams: statistics in which every sum is exact, however long the stream."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import Compensated
from jmetrics._core.merging import Reduction, Tally, map_fields, merge, number, reductions, scale
from jmetrics._core.types import Tree


@exportable
@reductions(whole=Reduction.ALL)
class Held(NamedTuple):
    """The statistic of a stream, which is more than a sum."""

    statistic: Tree
    whole: Array
    """True. A sum over states makes a number of it, by which it is recognised."""


def intact(state: Tree) -> Tree:
    """Return a state, unless it is a sum of states."""
    check.require(
        state.whole.dtype == jnp.bool_,
        "this state was summed, as by `lax.psum`, which means nothing for what is not a sum; "
        "take states together by `merge`, or across devices by `reduce`",
    )
    return state


_NEUTRAL = {
    Reduction.ALL: True,
    Reduction.MIN: np.inf,
    Reduction.MAX: -np.inf,
    Reduction.LOCATION: 0,
}


def empty(shapes: Tree) -> Held:
    """State of no data, for statistics with these shapes and dtypes."""
    leaves, structure = jax.tree.flatten(shapes)
    return _empty(structure, tuple(leaves))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _empty(structure: jax.tree_util.PyTreeDef, leaves: tuple[jax.ShapeDtypeStruct, ...]) -> Held:
    def nothing(reduction: Reduction, leaf: Any) -> Tree:
        if reduction not in (Reduction.SUM, Reduction.COUNT):
            return jnp.full(leaf.shape, _NEUTRAL[reduction], leaf.dtype)
        if jnp.issubdtype(leaf.dtype, jnp.floating):
            return Compensated.zeros(leaf.shape, leaf.dtype)
        return Tally.zeros(leaf.shape, jnp.result_type(float))

    statistic = jax.tree.unflatten(structure, leaves)
    return Held(map_fields(nothing, statistic), jnp.ones((), jnp.bool_))


def advance(state: Held, statistic: Tree) -> Held:
    """Take what a batch adds into the state."""
    held, whole = intact(state)
    return Held(merge(held, map_fields(_fitting, held, statistic)), whole)


def _fitting(reduction: Reduction, held: Tree, leaf: Array) -> Array:
    """Part of the statistic of a batch, in the shape and the precision of the state."""
    del reduction
    like = number(held)
    check.require(
        like.shape == leaf.shape,
        f"this batch gives numbers of shape {leaf.shape} where the stream holds {like.shape}; "
        "make the stream with `like`, a batch of the right shapes",
    )
    return leaf.astype(like.dtype) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf


def to_statistic(state: Held) -> Tree:
    """The state as the statistic that a finisher takes; counts become floats."""
    return map_fields(lambda reduction, held: number(held), intact(state).statistic)


def decayed_state(state: Tree, factor: Array) -> Tree:
    """State in which everything so far weighs less."""

    def rescaled(reduction: Reduction, held: Tree) -> Tree:
        if reduction is not Reduction.SUM:
            return held
        dtype = number(held).dtype
        return scale(held, jnp.asarray(factor, dtype))

    return map_fields(rescaled, state)


def to_numpy(state: Tree) -> dict[str, np.ndarray]:
    """Turn the state of a stream into NumPy arrays by name, to store it or to send it elsewhere.

    With them a reduction of Beam, Spark, Ray or Dask can carry the states of parts. For a Dask
    bag of parts, where `of_part` makes these arrays of one part:

        def merge(a, b):
            states = [streaming.from_numpy(stream, arrays) for arrays in (a, b)]
            return streaming.to_numpy(stream.merge(*states))

        arrays = bag.map(of_part).fold(merge).compute()
        value = stream.compute(streaming.from_numpy(stream, arrays))

    Args:
        state: State of any stream.

    Returns:
        The leaves of the state by their path, such as "statistic/total"; `from_numpy` is the
        inverse.

    Cost:
        One copy to the host.

    References:
        `jax.tree_util.tree_flatten_with_path`.

    Examples:
        >>> from jmetrics import accuracy_score, streaming
        >>> stream = streaming.stream(accuracy_score)
        >>> sorted(streaming.to_numpy(stream.init()))[:2]
        ['statistic/checks/0/valid', 'statistic/counts/right/floats/compensation']
    """
    leaves, _ = jax.tree_util.tree_flatten_with_path(jax.device_get(state))
    return {
        jax.tree_util.keystr(path, simple=True, separator="/"): np.asarray(leaf)
        for path, leaf in leaves
    }


def from_numpy(stream: Any, arrays: dict[str, np.ndarray]) -> Tree:
    """Turn named arrays into the state that `to_numpy` made them of.

    Args:
        stream: Stream that the state belongs to.
        arrays: Arrays by name, as `to_numpy` returns them.

    Returns:
        A state of the stream, on the default device.

    Cost:
        One copy to the device.

    Raises:
        ValueError: For names, shapes or dtypes that are not those of the state.

    References:
        `jax.tree_util.tree_unflatten`.

    Examples:
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
    leaves = [jax.device_put(found[name]) for name in known]
    return jax.tree.unflatten(jax.tree.structure(template), leaves)
