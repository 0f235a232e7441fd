"""Streams of recent batches: with exponentially decaying weights, or of the last ones alone."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.merging import Reducer
from jmetrics._core.types import ArrayLike, Number, Tree
from jmetrics.streaming._states import decayed_state, intact
from jmetrics.streaming.streams import State, Stream


@dataclass(frozen=True, eq=False)
class Decayed:
    """A stream with exponentially decaying weights; `decayed` makes it."""

    stream: Stream
    factor: float | Array

    @property
    def supports_decay(self) -> bool:
        """Whether accumulated weights can be rescaled (decay)."""
        return True

    def init(self) -> State:
        """State of no data."""
        return self.stream.init()

    def update(self, state: State, y_true: ArrayLike, y_pred: ArrayLike, **arrays: Any) -> State:
        """State with a batch added, beside which all earlier ones weigh less."""
        return self.stream.update(_rescaled(state, self.factor), y_true, y_pred, **arrays)

    def merge(self, a: State, b: State) -> State:
        """State of the batches of both, their last ones taken to be as recent."""
        return self.stream.merge(a, b)

    def compute(self, state: State) -> Tree:
        """Value of the metric with the weights that are left."""
        return self.stream.compute(state)

    def reduce(self, state: State, axis_name: Hashable) -> State:
        """State of the batches of all devices along an axis."""
        return self.stream.reduce(state, axis_name)


@jax.jit
def _rescaled(state: State, factor: Number) -> State:
    return decayed_state(state, jnp.asarray(factor))


def decayed(
    stream: Stream, *, half_life: Number | None = None, decay: Number | None = None
) -> Decayed:
    """Make a stream in which a batch counts for half after `half_life` more updates.

    Before each update all weights so far are multiplied by `decay`, or 2^(−1 / half_life). What
    is not a weight stays: a largest error, and the number of samples.

    Args:
        stream: Stream whose weights can be rescaled: not one of integer counts or of samples.
        half_life: Number of updates after which a batch counts for half, positive; traced.
        decay: Factor of one update, in [0, 1]; traced. Exactly one of the two must be given.

    Returns:
        A stream whose value is that of `stream` with the decayed weights.

    Undefined:
        NaN for a `decay` outside [0, 1] and a `half_life` that is not positive.

    Cost:
        One more multiplication of the state.

    Raises:
        ValueError: Unless exactly one of the two is given, and for a stream of integer counts or of
            samples, which cannot be decayed.

    References:
        Exponential smoothing, Brown (1956).

    Examples:
        >>> from jmetrics import accuracy_score, streaming
        >>> recent = streaming.decayed(streaming.stream(accuracy_score), half_life=1)
        >>> state = recent.update(recent.init(), [0, 1], [1, 0])
        >>> round(float(recent.compute(recent.update(state, [0, 1], [0, 1]))), 6)
        0.666667
    """
    check.require(
        (half_life is None) != (decay is None), "give either `half_life` or `decay`, and not both"
    )
    message = "the weights of this stream cannot decay; those of scores can with `weighted=True`"
    check.require(stream.supports_decay, message)
    if decay is not None:
        return Decayed(stream, _checked_decay(check.number("decay", decay)))
    assert half_life is not None
    return Decayed(stream, _decay_of(check.number("half_life", half_life)))


@jax.jit
def _checked_decay(decay: Array) -> Array:
    factor = jnp.asarray(decay, float)
    return check.nan_unless(factor, (factor >= 0) & (factor <= 1), "`decay` must be in [0, 1]")


@jax.jit
def _decay_of(half_life: Array) -> Array:
    updates = jnp.asarray(half_life, float)
    return jnp.exp2(-1 / check.nan_unless(updates, updates > 0, "`half_life` must be positive"))


@exportable
class Slots(NamedTuple):
    """The states of the last batches."""

    slots: State
    updates: Array
    """How many batches there were."""
    whole: Array
    """True, but a number once states were summed."""


@dataclass(frozen=True, eq=False)
class LastUpdates:
    """A stream of the last batches alone; `last_updates` makes it."""

    stream: Stream
    k: int

    @property
    def supports_decay(self) -> bool:
        """Whether accumulated weights can be rescaled: old batches leave all at once."""
        return False

    def init(self) -> Slots:
        """State of no data."""
        return _slots(self.stream.init(), k=self.k)

    def update(self, state: Slots, y_true: ArrayLike, y_pred: ArrayLike, **arrays: Any) -> Slots:
        """State with a batch in place of the oldest of k."""
        batch = self.stream.update(self.stream.init(), y_true, y_pred, **arrays)
        return _put(intact(state), batch)

    def merge(self, a: Slots, b: Slots) -> Slots:
        """State of the batches of two streams that are updated in step."""
        slots = jax.vmap(self.stream.merge)(intact(a).slots, intact(b).slots)
        return Slots(slots, jnp.maximum(a.updates, b.updates), a.whole)

    def compute(self, state: Slots) -> Tree:
        """Value of the metric on the last k batches."""

        def join_slot(together: State, slot: State) -> tuple[State, None]:
            return self.stream.merge(together, slot), None

        first = jax.tree.map(lambda a: jax.lax.index_in_dim(a, 0, keepdims=False), state.slots)
        others = jax.tree.map(lambda a: jax.lax.slice_in_dim(a, 1, None), state.slots)
        return self.stream.compute(jax.lax.scan(join_slot, first, others)[0])

    def reduce(self, state: Slots, axis_name: Hashable) -> Slots:
        """State of the batches of all devices along an axis, updated in step."""
        slots = jax.vmap(lambda slot: self.stream.reduce(slot, axis_name))(intact(state).slots)
        whole = Reducer(axis_name).all([state.whole])
        return Slots(slots, jax.lax.pmax(state.updates, axis_name), whole)


@functools.partial(jax.jit, static_argnames="k")
def _slots(state: State, *, k: int) -> Slots:
    slots = jax.tree.map(lambda a: jnp.broadcast_to(a, (k, *a.shape)), state)
    return Slots(slots, jnp.zeros((), jnp.int32), jnp.ones((), jnp.bool_))


@jax.jit
def _put(state: Slots, batch: State) -> Slots:
    slots, updates, whole = state
    count = jax.tree.leaves(slots)[0].shape[0]
    slots = jax.tree.map(lambda a, b: a.at[updates % count].set(b), slots, batch)
    return Slots(slots, updates + 1, whole)


def last_updates(stream: Stream, k: int) -> LastUpdates:
    """Make a stream of the last k batches, whatever came before.

    Args:
        stream: Any stream.
        k: Number of batches, a positive integer; static.

    Returns:
        A stream whose value is that of `stream` on the last k batches. Its state is k times that of
        `stream`, plus the number of updates.

    Cost:
        An update replaces one batch; the value merges k states.

    References:
        Sliding windows over a ring buffer.

    Examples:
        >>> from jmetrics import mean_squared_error, streaming
        >>> recent = streaming.last_updates(streaming.stream(mean_squared_error), 2)
        >>> state = recent.init()
        >>> for error in (5.0, 1.0, 3.0):
        ...     state = recent.update(state, [0.0], [error])
        >>> float(recent.compute(state))
        5.0
    """
    return LastUpdates(stream, check.positive_integer("k", k))
