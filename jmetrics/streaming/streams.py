"""A metric as a stream: a state that batches are added to, and the value at any time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import check
from jmetrics._core.merging import Reducer, join, merge
from jmetrics._core.numerics import Total, accumulator, mean_of, weighted_total
from jmetrics._core.plan import Arrays, Bound, Finisher, Kernel, Plan, declare, plan_of
from jmetrics._core.types import ArrayLike, Tree
from jmetrics._core.weights import combine
from jmetrics.streaming._states import advance, empty, intact, to_statistic

State: TypeAlias = Tree
"""A tree of arrays of fixed shapes and dtypes."""


class Stream(Protocol):
    """Interface of streams: four pure functions of a state, and one more for many devices."""

    @property
    def supports_decay(self) -> bool:
        """Whether accumulated weights can be rescaled, as `decayed` does."""

    def init(self) -> State:
        """State of no data.

        Returns:
            A tree of arrays of fixed shapes and dtypes.
        """

    def update(self, *state_and_arrays: Any, **named_arrays: Any) -> State:
        """State with a batch added: `update(state, y_true, y_pred, sample_weight=, where=)`.

        Args:
            *state_and_arrays: State, then the arrays of the batch, samples along the first axis.
            **named_arrays: `sample_weight`, `where` and other arrays that go by name.

        Returns:
            The new state.
        """

    def merge(self, a: State, b: State) -> State:
        """State of the batches of both.

        Args:
            a: State of this stream.
            b: State of this stream.

        Returns:
            The joint state.
        """

    def compute(self, state: State) -> Tree:
        """Value of the metric on all batches so far.

        Args:
            state: State of this stream.

        Returns:
            What the metric returns.
        """

    def reduce(self, state: State, axis_name: Hashable) -> State:
        """State of the batches of all devices along an axis, inside `shard_map` or `pmap`.

        Args:
            state: State of this device.
            axis_name: Name of the mesh axis, as for `jax.lax.psum`.

        Returns:
            The joint state, the same on all devices.
        """


@dataclass(frozen=True, eq=False)
class MetricStream:
    """The stream of one metric; `stream` makes it.

    Attributes:
        metric: The metric.
        options: Options of the metric.
        kernel: From a batch to its statistic.
        finisher: From the statistic to the value.
        shapes: Shapes and dtypes of the statistic.
        axes: Numbers of axes of `y_true` and of `y_pred`.
    """

    metric: Callable[..., Tree]
    options: Mapping[str, Any]
    kernel: Kernel[Tree]
    finisher: Finisher[Tree, Tree]
    shapes: Tree
    axes: tuple[int, ...]

    @property
    def supports_decay(self) -> bool:
        """Whether accumulated weights can be rescaled: always."""
        return True

    def init(self) -> State:
        """State of no data, the neutral element of `merge`.

        Returns:
            A tree of arrays of fixed shapes and dtypes.
        """
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
        """State with a batch added.

        Args:
            state: State of this stream.
            y_true: Targets as the metric takes them, samples along the first axis.
            y_pred: Predictions as the metric takes them, samples along the first axis.
            sample_weight: Weights, shape (n,).
            where: Mask as the metric takes it, samples along the first axis.
            **arrays: Other arrays that the metric takes by name, such as `segment_ids`.

        Returns:
            The new state.
        """
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
        return _advance(state, now.arrays, now.kernel)

    def merge(self, a: State, b: State) -> State:
        """State of the batches of both, in any order.

        Args:
            a: State of this stream.
            b: State of this stream.

        Returns:
            The joint state.
        """
        return _merge(a, b)

    def compute(self, state: State) -> Tree:
        """Value of the metric on all batches so far.

        Args:
            state: State of this stream.

        Returns:
            What the metric returns.
        """
        return _compute(state, self.finisher)

    def reduce(self, state: State, axis_name: Hashable) -> State:
        """State of the batches of all devices along an axis: one collective per leaf.

        Args:
            state: State of this device.
            axis_name: Name of the mesh axis, as for `jax.lax.psum`.

        Returns:
            The joint state, the same on all devices.
        """
        return join((intact(state),), Reducer(axis_name))

    def key(self) -> Hashable:
        """Key that is equal for streams with the same statistic.

        Returns:
            Anything hashable.
        """
        numbers = jax.tree.leaves(self.kernel.traced)
        if any(isinstance(number, jax.core.Tracer) for number in numbers):
            return id(self)
        known = [np.asarray(number) for number in jax.device_get(numbers)]
        listed = str([(number.dtype, number.tolist()) for number in known])
        return self.kernel.function, self.kernel.static, listed, str(self.shapes)


@jax.jit
def _advance(state: State, arrays: Arrays, kernel: Kernel[Tree]) -> State:
    return advance(state, kernel(*arrays))


@jax.jit
def _merge(a: State, b: State) -> State:
    return merge(intact(a), intact(b))


@jax.jit
def _compute(state: State, finisher: Finisher[Tree, Tree]) -> Tree:
    return finisher(to_statistic(state))


def stream(
    metric: Callable[..., Tree], *, like: tuple[Any, Any] | None = None, **options: Any
) -> MetricStream:
    """Make a stream of a metric: a state to which batches are added, and its value at any time.

    `init()` returns the state of no data, `update(state, y_true, y_pred, sample_weight=, where=)`
    adds a batch, `merge(a, b)` joins two states, and `compute(state)` returns what the metric
    would on all the data at once. `reduce(state, axis_name)` joins the states of all devices
    inside `shard_map`. All are pure: they run under `jit`, `vmap` and `lax.scan`.

    Every metric with a statistic of fixed size has a stream: counts, means and sums, moments, bins
    of uniform width, means over lists. Integers are exact up to 2⁴⁸, sums are compensated for
    rounding, and moments are merged without sums of squares.

    Args:
        metric: Metric of this library.
        like: Batch `(y_true, y_pred)`, of which only shapes and dtypes matter; their first axis may
            differ from that of the batches. Needed unless both have one number per sample.
        **options: Options of the metric, `num_classes` included where it needs that under `jit`.

    Returns:
        A `MetricStream`.

    Undefined:
        As for the metric. An invalid label makes the value NaN for good.

    Cost:
        That of the metric for an update, and a few words of memory for every number of the
        statistic.

    Raises:
        ValueError: For a metric, or an option, that needs all the data at once.

    References:
        Chan, Golub & LeVeque (1983) for moments; Knuth (1969) for sums.

    Examples:
        >>> from jmetrics import r2_score, streaming
        >>> stream = streaming.stream(r2_score)
        >>> state = stream.update(stream.init(), [3.0, -0.5], [2.5, 0.0])
        >>> state = stream.update(state, [2.0, 7.0], [2.0, 8.0])
        >>> round(float(stream.compute(state)), 6)
        0.948608
    """
    make = plan_of(metric)
    example = jax.device_put(tuple(map(_blank, (0, 0) if like is None else like)))

    def statistic(*arrays: Array) -> Tree:
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
    return MetricStream(metric, options, known.kernel, known.finisher, shapes, _axes(known))


def _axes(known: Plan[Tree]) -> tuple[int, ...]:
    return tuple(array.ndim for array in known.arrays[:2])


def batch_mean(
    function: Callable[..., Tree], *, like: tuple[Any, Any] | None = None, **options: Any
) -> MetricStream:
    """Make a stream of the mean over batches of what a function returns for each, by their weight.

    Σ_b W_b f(batch b) / Σ_b W_b, where W_b is the total weight of batch b. For a loss that is a
    mean over samples this is the loss of all of them; for one of pairs or lists within a batch, the
    mean over batches, as training sees it.

    Args:
        function: Function called as `function(y_true, y_pred, sample_weight=, where=, **options)`,
            such as a loss. It is static: pass the same object to compile once.
        like: Batch `(y_true, y_pred)`, of which only shapes and dtypes matter; their first axis may
            differ from that of the batches. Needed unless both have one number per sample.
        **options: Options of the function. Floats and arrays are traced, everything else is static.

    Returns:
        A `MetricStream` whose value has the shape of that of `function`.

    Undefined:
        NaN before any sample has positive weight, and once the function has returned NaN for a
        batch with positive weight.

    Cost:
        That of the function.

    References:
        `clu.metrics.Average`.

    Examples:
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

    function: Callable[..., Tree]

    def __post_init__(self) -> None:
        declare(self, plan=self.plan)

    def __call__(self, *arrays: Any, **options: Any) -> Tree:
        return self.plan(*arrays, **options).value()

    def plan(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        sample_weight: Any = None,
        where: Any = None,
        **options: Any,
    ) -> Plan[Array]:
        traced, static = check.split_options(options)
        arrays = check.resampled(y_true, y_pred, sample_weight, where)
        kernel = Bound.kernel(_weighted_value, traced, loss=self.function, static=static)
        return Plan(arrays, kernel, Bound.finisher(mean_of))


def _weighted_value(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    options: dict[str, Any],
    *,
    loss: Callable[..., Array],
    static: tuple[tuple[str, Any], ...],
) -> Total:
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
