"""Streams that keep their samples: any metric, exact, up to a fixed number of them."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import Limbs
from jmetrics._core.merging import Reducer
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Metric, Tree
from jmetrics._core.weights import combine
from jmetrics.streaming._states import intact

Sample = jax.ShapeDtypeStruct
_NUMBER = Sample((), jnp.float32)


@exportable
class Samples(NamedTuple):
    """The first samples with positive weight, and the number of further ones."""

    y_true: Array
    y_pred: Array
    sample_weight: Array | None
    kept: Array
    dropped: Limbs
    whole: Array
    """True, but a number once states were summed."""


@exportable
class Buffered(NamedTuple):
    """A metric of all samples, if all were kept.

    Attributes:
        value: What the metric returns; NaN if the buffer has overflowed.
        n_dropped: Number of samples there was no room for, a float scalar: 0 for an exact value.
    """

    value: Tree
    n_dropped: Array


@dataclass(frozen=True)
class BufferStream:
    """Samples of any metric of arrays; those that are masked or of weight 0 take no room."""

    metric: Metric
    y_true: Sample
    y_pred: Sample
    weighted: bool
    capacity: int

    @property
    def supports_decay(self) -> bool:
        """Whether accumulated weights can be rescaled: not those of samples."""
        return False

    def init(self) -> Samples:
        """Return the state of no samples, which changes nothing that it is merged with."""
        weight = _NUMBER if self.weighted else None
        return _nothing((self.y_true, self.y_pred, weight), self.capacity)

    def update(
        self,
        state: Samples,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Samples:
        """Return the state with more samples along the first axis, `where` of shape (n,)."""
        arrays = y_true, y_pred, sample_weight, where
        if self.y_true.shape == self.y_pred.shape == ():
            arrays = check.as_vectors(*arrays)
        y_true, y_pred, sample_weight, where = check.resampled(*arrays)
        for name, given, kept in (("y_true", y_true, self.y_true), ("y_pred", y_pred, self.y_pred)):
            _fits(name, given, kept.shape)
            whole = jnp.issubdtype(kept.dtype, jnp.integer)
            broken = whole and jnp.issubdtype(given.dtype, jnp.floating)
            message = f"`{name}` must be whole numbers in this stream, got {given.dtype}"
            check.require(not broken, message)
        _fits("where", where, ())
        plain = sample_weight is None or sample_weight.dtype == bool
        message = "`sample_weight` needs a stream made with `weighted=True`"
        check.require(self.weighted or plain, message)
        return _keep(state, y_true, y_pred, sample_weight, where)

    def merge(self, a: Samples, b: Samples) -> Samples:
        """Return the state of two sets of samples taken together, as many as there is room for."""
        return _join(a, b)

    def reduce(self, state: Samples, axis_name: Hashable) -> Samples:
        """Return the state of all devices along an axis of a mesh, for inside `jax.shard_map`.

        Each device has room for all of them.
        """
        return _gathered(state, axis_name)

    def compute(self, state: Samples) -> Buffered:
        """Return the metric of the samples that were kept."""
        return _compute(state, metric=self.metric)


def _fits(name: str, given: Any, shape: tuple[int, ...]) -> None:
    if given is not None:
        axes = ", ".join(["n", *map(str, shape)])
        advice = "" if shape else check.instead({name: given})
        message = f"`{name}` must have shape ({axes}) in this stream, got {given.shape}{advice}"
        check.require(given.shape[1:] == shape, message)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _nothing(samples: tuple[Sample, Sample, Sample | None], capacity: int) -> Samples:
    y_true, y_pred, weight = jax.tree.map(
        lambda a: jnp.zeros((capacity, *a.shape), a.dtype), samples
    )
    kept, whole = jnp.zeros((), jnp.int32), jnp.ones((), jnp.bool_)
    return Samples(y_true, y_pred, weight, kept, Limbs.zeros(), whole)


@jax.jit
@with_auto_axes
def _keep(
    state: Samples,
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
) -> Samples:
    on = combine(sample_weight, where, y_true.shape, jnp.float32) != 0
    weight = None
    if state.sample_weight is not None:
        weight = combine(sample_weight, None, y_true.shape, jnp.float32)
    return _appended(state, (y_true, y_pred, weight), on)


@jax.jit
@with_auto_axes
def _join(a: Samples, b: Samples) -> Samples:
    room = lax.iota(jnp.int32, b.y_true.shape[0])
    joined = _appended(a, intact(b)[:3], room < b.kept)
    return joined._replace(dropped=joined.dropped.merge(b.dropped))


def _appended(state: Samples, arrays: Any, on: Array) -> Samples:
    """Put samples that are `on` after those there are; beyond the capacity they are dropped."""
    capacity = intact(state).y_true.shape[0]
    spot = jnp.where(on, state.kept + jnp.cumsum(on, dtype=jnp.int32) - 1, capacity)
    y_true, y_pred, weight = jax.tree.map(
        lambda a, more: a.at[spot].set(more.astype(a.dtype), mode="drop"), state[:3], tuple(arrays)
    )
    state = state._replace(y_true=y_true, y_pred=y_pred, sample_weight=weight)
    return _counted(state, jnp.sum(on, dtype=jnp.int32))


def _counted(state: Samples, more: Array) -> Samples:
    whole = state.kept + more
    kept = jnp.minimum(whole, state.y_true.shape[0])
    return state._replace(kept=kept, dropped=state.dropped.plus(whole - kept))


def _gathered(state: Samples, axis_name: Hashable) -> Samples:
    """Give each device a place after those before it, and add what is at different places."""
    capacity = intact(state).y_true.shape[0]
    device = lax.axis_index(axis_name)
    one_hot = lax.iota(jnp.int32, lax.axis_size(axis_name)) == device
    filled = lax.psum(jnp.where(one_hot, state.kept, 0), axis_name)
    room = lax.iota(jnp.int32, capacity)
    first = jnp.sum(jnp.where(lax.iota(jnp.int32, filled.shape[0]) < device, filled, 0))
    spot = jnp.where(room < state.kept, first + room, capacity)

    def together(a: Array) -> Array:
        whole = a.astype(jnp.int32) if a.dtype == jnp.bool_ else a
        placed = jnp.zeros_like(whole).at[spot].set(whole, mode="drop")
        return lax.psum(placed, axis_name).astype(a.dtype)

    y_true, y_pred, weight = jax.tree.map(together, state[:3])
    none, dropped = jnp.zeros_like(filled[0]), state.dropped.psum(axis_name)
    whole = Reducer(axis_name).all([state.whole])
    return _counted(Samples(y_true, y_pred, weight, none, dropped, whole), jnp.sum(filled))


@functools.partial(jax.jit, static_argnames="metric")
@with_auto_axes
def _compute(state: Samples, *, metric: Metric) -> Buffered:
    on = lax.iota(jnp.int32, intact(state).y_true.shape[0]) < state.kept
    weight = {} if state.sample_weight is None else {"sample_weight": state.sample_weight}
    value = metric(state.y_true, state.y_pred, where=on, **weight)
    dropped = state.dropped.to_float(jnp.float32)
    reason = "`capacity` must be at least the number of samples"
    value = jax.tree.map(lambda v: check.nan_unless(v, dropped == 0, reason), value)
    return Buffered(value, dropped)


def buffered(
    metric: Metric,
    capacity: int,
    *,
    y_true: Sample = _NUMBER,
    y_pred: Sample = _NUMBER,
    weighted: bool = False,
) -> BufferStream:
    """Stream of any metric, exact, that keeps up to `capacity` samples and says if that is too few.

    Samples that are masked or of weight 0 take no room. `compute` calls the metric with the kept
    samples and the mask of the places that are taken. `update` takes batches of shape (n, ...),
    `where` of shape (n,), and `sample_weight` of shape (n,) only if `weighted`.

    Args:
        metric: Any metric of arrays, with options by `functools.partial`; static: pass the same
            object to compile once.
        capacity: Largest number of samples, a positive integer; static.
        y_true: Shape and dtype of the target of one sample, such as
            `jax.ShapeDtypeStruct((n_classes,), jnp.float32)`; a float32 by default, which holds
            integers up to 2²⁴. Arrays are converted to this dtype.
        y_pred: Shape and dtype of the prediction for one sample, likewise.
        weighted: Whether samples have a `sample_weight`.

    Returns:
        A stream whose value is a `Buffered`.

    Undefined:
        NaN once samples were dropped, `n_dropped` of them, and where the metric is.

    Gradient:
        That of the metric, in the samples that are kept.

    Cost:
        A state of `capacity` samples; `update` O(n) time, `compute` that of the metric.

    Raises:
        ValueError: By `update`, for floats where samples are integers.

    References:
        The metric.

    Examples:
        >>> from jmetrics import mean_absolute_error, streaming
        >>> stream = streaming.buffered(mean_absolute_error, capacity=3)
        >>> state = stream.update(stream.init(), [1.0, 2.0], [1.5, 2.0])
        >>> float(stream.compute(state).value)
        0.25
        >>> state = stream.update(state, [3.0, 4.0], [3.0, 4.0])
        >>> float(stream.compute(state).value), float(stream.compute(state).n_dropped)
        (nan, 1.0)
    """
    capacity = check.positive_integer("capacity", capacity)
    return BufferStream(metric, y_true, y_pred, bool(weighted), capacity)
