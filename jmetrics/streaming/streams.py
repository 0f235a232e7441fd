"""A metric as a stream: a state that batches are added to, and the value at any time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import check
from jmetrics._core.anatomy import Plan, Step, declare, plan_of
from jmetrics._core.merging import Union, join, merge
from jmetrics._core.numerics import accumulator, mean_of, weighted_total
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import combine
from jmetrics.streaming._states import advance, empty, intact, settled

State = Any
"""A tree of arrays of fixed shapes and dtypes."""


class Stream(Protocol):
    """Four pure functions on a state, and one more for many devices."""

    @property
    def fades(self) -> bool:
        """Whether the weight of what was may be multiplied by a number."""

    def init(self) -> State:
        """State of no data."""

    def update(self, *state_and_arrays: Any, **rest: Any) -> State:
        """State with a batch added: `update(state, y_true, y_pred, sample_weight=, where=)`."""

    def merge(self, a: State, b: State) -> State:
        """State of the batches of both."""

    def compute(self, state: State) -> Any:
        """Value of the metric on all batches so far."""

    def reduce(self, state: State, axis_name: Any) -> State:
        """State of the batches of all devices along an axis, inside `shard_map` or `pmap`."""


@dataclass(frozen=True, eq=False)
class MetricStream:
    """The stream of one metric; `stream` makes it."""

    metric: Callable[..., Any]
    options: Mapping[str, Any]
    measure: Step
    finish: Step
    shapes: Any
    """Those of the statistic, with dtypes."""
    axes: tuple[int, ...]
    """How many `y_true` and `y_pred` have."""

    @property
    def fades(self) -> bool:
        """Whether the weight of what was may be multiplied by a number."""
        return True

    def init(self) -> State:
        """State of no data, the neutral element of `merge`."""
        return empty(self.shapes)

    def update(
        self,
        state: State,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **arrays: Any,
    ) -> State:
        """State with a batch added; other `arrays` are those that the metric takes by name."""
        if self.axes == (1, 1):
            given = y_true, y_pred, sample_weight, where
            y_true, y_pred, sample_weight, where = check.as_vectors(*given)
        options = {**self.options, **arrays, "sample_weight": sample_weight, "where": where}
        now = plan_of(self.metric)(y_true, y_pred, **options)
        check.require(
            _axes(now) == self.axes,
            f"this batch has {_axes(now)} axes where the stream was made for {self.axes}; "
            "make it with `like`, a batch of the right shapes",
        )
        return _advance(state, now.arrays, now.measure)

    def merge(self, a: State, b: State) -> State:
        """State of the batches of both, in whatever order."""
        return _merge(a, b)

    def compute(self, state: State) -> Any:
        """Value of the metric on all batches so far."""
        return _compute(state, self.finish)

    def reduce(self, state: State, axis_name: Any) -> State:
        """State of the batches of all devices along an axis: one `psum` or the like a leaf."""
        return join((intact(state),), Union(axis_name))

    def key(self) -> Hashable:
        """Something equal for streams that hold the same statistic."""
        numbers = jax.tree.leaves(self.measure.traced)
        if any(isinstance(number, jax.core.Tracer) for number in numbers):
            return id(self)
        known = [np.asarray(number) for number in jax.device_get(numbers)]
        listed = str([(number.dtype, number.tolist()) for number in known])
        return self.measure.function, self.measure.static, listed, str(self.shapes)


@jax.jit
def _advance(state: State, arrays: Any, measure: Step) -> State:
    return advance(state, measure(*arrays))


@jax.jit
def _merge(a: State, b: State) -> State:
    return merge(intact(a), intact(b))


@jax.jit
def _compute(state: State, finish: Step) -> Any:
    return finish(settled(state))


def stream(
    metric: Callable[..., Any], *, like: tuple[Any, Any] | None = None, **options: Any
) -> MetricStream:
    """Make a stream of a metric: a state to which batches are added, and its value at any time.

    `init()` gives the state of no data, `update(state, y_true, y_pred, sample_weight=, where=)`
    adds a batch, `merge(a, b)` joins two states, and `compute(state)` gives what the metric
    would on all the data at once. `reduce(state, axis_name)` joins the states of all devices
    inside `shard_map`. All are pure: they run under `jit`, `vmap` and `lax.scan`.

    Every metric whose statistic is finite has a stream: what is counted, means and sums,
    moments, bins of uniform width, means over lists. Whole numbers are exact up to 2⁴⁸, sums
    carry what rounding takes from them, and moments are merged without sums of squares.

    Shapes: `options` are those of the metric, `num_classes` included where it needs that under
    `jit`. `like` is a batch (y_true, y_pred), of which only shapes and dtypes count; it is
    needed unless both have one number a sample. Batches may differ in their first axis.
    Undefined: as for the metric. Labels that are none, once met, make the value NaN for good.
    Cost: that of the metric for an update, and a few words of memory for every number of the
    statistic.
    Raises: ValueError for a metric, or an option, that needs all the data at once.
    Source: Chan, Golub & LeVeque (1983) for moments; Knuth (1969) for sums.

    >>> from jmetrics import r2_score, streaming
    >>> stream = streaming.stream(r2_score)
    >>> state = stream.update(stream.init(), [3.0, -0.5], [2.5, 0.0])
    >>> state = stream.update(state, [2.0, 7.0], [2.0, 8.0])
    >>> round(float(stream.compute(state)), 6)
    0.948608
    """
    make = plan_of(metric)
    example = jax.device_put(tuple(map(_blank, (0, 0) if like is None else like)))

    def statistic(*arrays: Array) -> Any:
        known = make(*arrays, **options)
        name = getattr(metric, "__name__", repr(metric))
        check.require(known.merges, f"`{name}` needs all data at once with these options")
        return known.statistic()

    try:
        shapes = jax.eval_shape(statistic, *example)
    except ValueError as error:
        if like is None:
            error.add_note("streams of other arrays than (n,) need `like`, a batch of theirs")
        raise
    known = make(*example, **options)
    return MetricStream(metric, options, known.measure, known.finish, shapes, _axes(known))


def _axes(known: Plan) -> tuple[int, ...]:
    return tuple(array.ndim for array in known.arrays[:2])


def batch_mean(
    function: Callable[..., Any], *, like: tuple[Any, Any] | None = None, **options: Any
) -> MetricStream:
    """Make a stream of the mean of what a function gives for each batch, by its weight.

    Σ_b W_b f(batch b) / Σ_b W_b, W_b the weight of what counts in batch b. For a loss that is a
    mean over samples this is the loss of all of them; for one of pairs or lists within a batch,
    the mean over batches, as training sees it.

    Shapes: `function` takes (y_true, y_pred, sample_weight=, where=) and `options`; the value
    has the shape of its value. `like` is as in `stream`.
    Undefined: NaN before anything counts, and once the function has given NaN for what does.
    Cost: that of the function.
    Raises: what the function raises. It is static: pass the same object to compile once.
    Source: `clu.metrics.Average`.

    >>> from jmetrics import losses, streaming
    >>> stream = streaming.batch_mean(losses.auc_loss, margin=0.5)
    >>> state = stream.update(stream.init(), [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> float(stream.compute(state))
    0.09375
    """
    return stream(_BatchMean(function), like=like, **options)


@dataclass(frozen=True)
class _BatchMean:
    """Any function of a batch as a metric that has a plan."""

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        declare(self, plan=self.plan)

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        return self.plan(*arrays, **options).value()

    def plan(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        sample_weight: Any = None,
        where: Any = None,
        **options: Any,
    ) -> Plan:
        traced, static = check.split_options(options)
        arrays = check.resampled(y_true, y_pred, sample_weight, where)
        measure = Step.of(_weighted_value, traced, loss=self.function, static=static)
        return Plan(arrays, measure, Step.of(mean_of))


def _weighted_value(y_true, y_pred, sample_weight, where, options, *, loss, static):
    weight = combine(sample_weight, where, y_true.shape, accumulator(y_true, y_pred, sample_weight))
    value = loss(
        y_true, y_pred, sample_weight=sample_weight, where=where, **options, **dict(static)
    )
    return weighted_total(value[None], jnp.sum(weight).reshape((1,) * (value.ndim + 1)))


def _blank(array: Any) -> np.ndarray:
    """Zeros like an array or its shape; like one sample for a number."""
    if not hasattr(array, "dtype"):
        array = np.asarray(array)
        array = array if array.ndim else array[None]
        array = array.astype(jax.dtypes.canonicalize_dtype(array.dtype))
    return np.zeros(array.shape, array.dtype)
