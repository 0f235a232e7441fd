"""Exact metrics of scores that never leave their devices, and standard errors of any metric.

For use inside `jax.shard_map`, where each device has its own samples: the functions take the
name of the axis of the mesh that samples lie along, and return what they would of all samples
together. `on_mesh` makes functions of whole arrays of them.

Each device sorts its own scores, once. The sorted blocks then travel round the ring of devices,
and each device counts its own scores against the block at hand: for n samples on D devices,
O(n / D) memory, and in all the work of D binary searches for each score.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.bits import sortable_bits
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import accumulator, safe_divide, safe_sqrt, scaled
from jmetrics._core.sampling import sampling
from jmetrics._core.scores import inputs, labelled_scores, nan_if_invalid
from jmetrics._core.sorting import sort_items
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import combine

__all__ = [
    "Ranks",
    "average_precision_score",
    "on_mesh",
    "ranks",
    "roc_auc_score",
    "standard_error",
]


@exportable
class Ranks(NamedTuple):
    """How much weight of all samples is below each score, and how much is tied with it.

    Attributes:
        below: Weight of smaller scores on all devices, shape (n,).
        tied: Weight of equal scores on all devices, the sample itself included, shape (n,).
    """

    below: Array
    tied: Array

    @property
    def average(self) -> Array:
        """Mean rank of ties, counted from 1, shape (n,); exact up to 2²³ in float32."""
        dtype = accumulator(self.below)
        return self.below.astype(dtype) + (self.tied.astype(dtype) + 1) / 2


class _Block(NamedTuple):
    """Sorted scores of one device, and the cumulative sums of their weights."""

    keys: Array
    running: Array
    """(n_weights, n + 1)."""


class _Counts(NamedTuple):
    """Weight of smaller keys on all devices, and of those that are no larger."""

    before: Array
    through: Array


def _count(keys: Array, weights: Array, axis_name: Hashable) -> _Counts:
    """Count weights (n_weights, n) before and through the keys of all devices."""
    (keys,), item = sort_items(keys)
    running = jnp.cumsum(weights[:, item], axis=1)
    block = _Block(keys, jnp.pad(running, [(0, 0), (1, 0)]))
    devices = lax.axis_size(axis_name)
    ring = [(device, (device + 1) % devices) for device in range(devices)]

    def against(block: _Block) -> _Counts:
        positions = (jnp.searchsorted(block.keys, keys, side) for side in ("left", "right"))
        return _Counts(*(block.running[:, position] for position in positions))

    def step(carry: tuple[_Block, _Counts], _: None) -> tuple[tuple[_Block, _Counts], None]:
        block, sofar = carry
        block = lax.ppermute(block, axis_name, ring)
        return (block, jax.tree.map(jnp.add, sofar, against(block))), None

    (_, counts), _ = lax.scan(step, (block, against(block)), length=devices - 1)
    return jax.tree.map(lambda a: jnp.zeros_like(a).at[:, item].set(a, unique_indices=True), counts)


def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    axis_name: Hashable,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Area under the ROC curve of the samples of all devices along an axis.

    Args:
        y_true: Labels 0 and 1 of the samples on one device, shape (n,).
        y_score: Scores, shape (n,), any numbers, infinities included, compared at the precision
            they come in.
        axis_name: Name of the mesh axis that samples lie along, as for `jax.lax.psum`; static.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1], the same on all devices; higher is better, 0.5 for uninformative scores.

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight and for a
        label other than 0 and 1.

    Gradient:
        Smooth in the weights, first derivatives only; 0 in the scores.

    Cost:
        O(n log n) for the sort, O(D n log n) for the counts, and D − 1 messages of O(n), for n
        samples on each of D devices; O(n) memory, also for the gradient.

    References:
        `sklearn.metrics.roc_auc_score`.

    Examples:
        >>> import jax
        >>> from jmetrics import distributed
        >>> mesh = jax.make_mesh((jax.device_count(),), ("data",))
        >>> roc_auc_score = distributed.on_mesh(distributed.roc_auc_score, mesh, "data")
        >>> float(roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
        0.75
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _of_scores(*arrays, area=_area, axis_name=axis_name)


def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    axis_name: Hashable,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Average precision of the samples of all devices along an axis.

    Args:
        y_true: Labels 0 and 1 of the samples on one device, shape (n,).
        y_score: Scores, shape (n,), any numbers, infinities included, compared at the precision
            they come in.
        axis_name: Name of the mesh axis that samples lie along, as for `jax.lax.psum`; static.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1], the same on all devices; higher is better, near the proportion of
        positives for uninformative scores.

    Undefined:
        0 without a positive. NaN if no sample has positive weight, for a NaN score with positive
        weight and for a label other than 0 and 1.

    Gradient:
        Smooth in the weights, first derivatives only; 0 in the scores.

    Cost:
        That of `roc_auc_score` of this module, twice for the gradient.

    References:
        `sklearn.metrics.average_precision_score`.

    Examples:
        >>> import jax
        >>> from jmetrics import distributed
        >>> mesh = jax.make_mesh((jax.device_count(),), ("data",))
        >>> average_precision = distributed.on_mesh(
        ...     distributed.average_precision_score, mesh, "data"
        ... )
        >>> round(float(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), 6)
        0.833333
    """
    arrays = inputs(y_true, y_score, sample_weight, where)
    return _of_scores(*arrays, area=_average_precision, axis_name=axis_name)


def ranks(
    y_score: ArrayLike,
    *,
    axis_name: Hashable,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Ranks:
    """Rank of each score among those of all devices along an axis, in exact integers.

    `Ranks.average` is the mean rank of ties, 1 for the smallest score.

    Args:
        y_score: Scores of the samples on one device, shape (n,), any numbers.
        axis_name: Name of the mesh axis that samples lie along, as for `jax.lax.psum`; static.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        A `Ranks`, arrays of shape (n,) for the samples on this device.

    Undefined:
        0 for a sample of weight 0; for a NaN score with positive weight NaN, or without
        `sample_weight` the smallest integer.

    Gradient:
        Smooth in the weights, 0 in the scores.

    Cost:
        That of `roc_auc_score` of this module.

    References:
        `scipy.stats.rankdata`.

    Examples:
        >>> import jax
        >>> from jmetrics import distributed
        >>> mesh = jax.make_mesh((jax.device_count(),), ("data",))
        >>> ranks = distributed.on_mesh(distributed.ranks, mesh, "data", per_sample=True)
        >>> ranks([0.3, 0.1, 0.3]).average.tolist()
        [2.5, 1.0, 2.5]
    """
    arrays = check.samples(y_score=y_score, sample_weight=sample_weight, where=where)
    return _ranks(*arrays, axis_name=axis_name)


@functools.partial(jax.jit, static_argnames="axis_name")
def _ranks(
    y_score: Array, sample_weight: Array | None, where: Array | None, *, axis_name: Hashable
) -> Ranks:
    weight = combine(sample_weight, where, y_score.shape, accumulator(y_score, sample_weight))
    counts = _count(sortable_bits(y_score), weight[None], axis_name)
    before, through = (jnp.where(weight != 0, a[0], 0) for a in counts)
    numeric = _everywhere((y_score == y_score) | (weight == 0), axis_name)
    fields = (before, through - before)
    return Ranks(*(check.nan_unless(a, numeric, "`y_score` must not be NaN") for a in fields))


def _everywhere(condition: Array, axis_name: Hashable) -> Array:
    return lax.psum(jnp.any(~condition).astype(jnp.int32), axis_name) == 0


@functools.partial(jax.jit, static_argnames=("area", "axis_name"))
def _of_scores(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    area: Callable[..., Array],
    axis_name: Hashable,
) -> Array:
    data = labelled_scores(y_true, y_score, sample_weight, where, totals=True)
    weight = scaled(data.weight, axis_name)
    value = area(axis_name, data.dtype, ~sortable_bits(y_score), data.positive, weight)
    labelled, numeric = (_everywhere(ok, axis_name) for ok in (data.labelled, data.numeric))
    return nan_if_invalid(value, data._replace(labelled=labelled, numeric=numeric))


class _Class(NamedTuple):
    positive: Array
    negative: Array


class _Ranked(NamedTuple):
    """Weight of positives and negatives above each score, and at or above it, on all devices."""

    above: _Class
    through: _Class
    own: _Class
    """Weight of the sample itself, if it is a positive or a negative."""
    total: _Class


def _rank(
    axis_name: Hashable, dtype: DTypeLike, keys: Array, positive: Array, weight: Array
) -> _Ranked:
    none = jnp.zeros_like(weight)
    own = jnp.stack([jnp.where(positive, weight, none), jnp.where(positive, none, weight)])
    counts = _count(keys, own, axis_name)
    total = lax.psum(jnp.sum(own, axis=1), axis_name)
    return _Ranked(*(_Class(*a.astype(dtype)) for a in (*counts, own, total)))


def _mean(values: Array, own: Array, total: Array, axis_name: Hashable) -> Array:
    """Weighted mean over all devices; 0 of nothing."""
    return safe_divide(lax.psum(jnp.sum(values * own), axis_name), total, 0.0)


def _linear(slope: Array, weight: Array, change: Any, axis_name: Hashable) -> Array:
    """Change of a value by changes of float weights on all devices."""
    if not jnp.issubdtype(weight.dtype, jnp.floating):
        return jnp.zeros((), slope.dtype)
    return lax.psum(jnp.sum(slope * change.astype(slope.dtype)), axis_name)


_Primals = tuple[Array, Array, Array]
"""Keys, labels and weights, or their tangents."""


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _area(
    axis_name: Hashable, dtype: DTypeLike, keys: Array, positive: Array, weight: Array
) -> Array:
    return _area_and_slope(_rank(axis_name, dtype, keys, positive, weight), positive, axis_name)[0]


@_area.defjvp
def _area_jvp(
    axis_name: Hashable, dtype: DTypeLike, primals: _Primals, tangents: _Primals
) -> tuple[Array, Array]:
    keys, positive, weight = primals
    ranked = _rank(axis_name, dtype, keys, positive, weight)
    area, slope = _area_and_slope(ranked, positive, axis_name)
    return area, _linear(slope, weight, tangents[2], axis_name)


def _area_and_slope(ranked: _Ranked, positive: Array, axis_name: Hashable) -> tuple[Array, Array]:
    """Proportion of correctly ranked pairs, and its derivatives with respect to the weights."""
    above, through, own, total = ranked
    negative_below = 1 - _middle(above.negative, through.negative, total.negative)
    positive_above = _middle(above.positive, through.positive, total.positive)
    area = _mean(positive_above, own.negative, total.negative, axis_name)
    right = jnp.where(positive, negative_below, positive_above) - area
    slope = safe_divide(right, jnp.where(positive, total.positive, total.negative), 0.0)
    defined = (total.positive != 0) & (total.negative != 0)
    return jnp.where(defined, area, jnp.nan), jnp.where(defined, slope, 0.0)


def _middle(above: Array, through: Array, total: Array) -> Array:
    return safe_divide(above / 2 + through / 2, total, 0.0)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _average_precision(
    axis_name: Hashable, dtype: DTypeLike, keys: Array, positive: Array, weight: Array
) -> Array:
    _, tp_fp, own, total = _rank(axis_name, dtype, keys, positive, weight)
    return _mean_precision(_precision(tp_fp), own, total, axis_name)


@_average_precision.defjvp
def _average_precision_jvp(
    axis_name: Hashable, dtype: DTypeLike, primals: _Primals, tangents: _Primals
) -> tuple[Array, Array]:
    keys, positive, weight = primals
    _, (tp, fp), own, total = _rank(axis_name, dtype, keys, positive, weight)
    precision = _precision(_Class(tp, fp))
    value = _mean_precision(precision, own, total, axis_name)
    # A sample moves the precision at each positive that is not above it.
    each = safe_divide(own.positive, tp + fp, 0.0)
    moves = jnp.stack([each * safe_divide(part, tp + fp, 0.0) for part in (fp, tp)])
    above = _count(keys, moves, axis_name).before
    of_tp, of_fp = lax.psum(jnp.sum(moves, axis=1), axis_name)[:, None] - above
    slope = jnp.where(positive, precision - value + of_tp, -of_fp)
    slope = safe_divide(slope, jnp.broadcast_to(total.positive, slope.shape), 0.0)
    return value, _linear(slope, weight, tangents[2], axis_name)


def _precision(counts: _Class) -> Array:
    tp, fp = counts
    return safe_divide(tp, tp + fp, 1.0)


def _mean_precision(precision: Array, own: _Class, total: _Class, axis_name: Hashable) -> Array:
    value = _mean(precision, own.positive, total.positive, axis_name)
    return jnp.where(total.positive + total.negative != 0, value, jnp.nan)


def standard_error(metric: Callable[..., Array]) -> Callable[..., Array]:
    """Make a function that returns the standard error of a metric of the samples of all devices.

    √ Σ_i (w_i ∂metric/∂w_i)², the infinitesimal jackknife of `jmetrics.inference`, where the
    derivative is with respect to the weights on each device.

    Args:
        metric: A function of this module, or `compute` of what `reduce` of a
            `jmetrics.streaming.stream` returns: any function called as
            `metric(y_true, y_pred, sample_weight=, where=, axis_name=, **options)` whose result is
            the same on all devices, as that of `jax.lax.psum` is. It is static.

    Returns:
        A function with the arguments of `metric`, `axis_name` included, that returns the standard
        error in the shape of the metric: in [0, ∞), in units of the metric, the same on all
        devices.

    Undefined:
        NaN where the metric is NaN.

    Cost:
        One gradient of the metric; one per entry of a metric with several values.

    References:
        Jaeckel (1972); DeLong, DeLong & Clarke-Pearson (1988) for the AUC.

    Examples:
        >>> import jax
        >>> from jmetrics import distributed
        >>> mesh = jax.make_mesh((jax.device_count(),), ("data",))
        >>> error = distributed.standard_error(distributed.roc_auc_score)
        >>> error = distributed.on_mesh(error, mesh, "data")
        >>> round(float(error([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), 6)
        0.25
    """

    def error(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        axis_name: Hashable,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **options: Any,
    ) -> Array:
        arrays = check.resampled(y_true, y_pred, sample_weight, where)
        traced, static = check.split_options(options)
        return _standard_error(*arrays, traced, metric=metric, axis_name=axis_name, static=static)

    return error


@functools.partial(jax.jit, static_argnames=("metric", "axis_name", "static"))
def _standard_error(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    options: dict[str, Any],
    *,
    metric: Callable[..., Array],
    axis_name: Hashable,
    static: tuple[tuple[str, Any], ...],
) -> Array:
    dtype = accumulator(y_true, y_pred, sample_weight)
    # A weight that is the same on all devices would have one derivative, that of all together.
    first = y_true.reshape(y_true.shape[0], -1)[:, 0]
    weight = jnp.where(first == first, jnp.ones((), dtype), jnp.ones((), dtype))
    if sample_weight is not None:
        weight = weight * sample_weight.astype(dtype)
    alive = combine(sample_weight, where, weight.shape, dtype) != 0
    alive = jnp.any(alive, axis=tuple(range(1, alive.ndim)))
    weight = jnp.where(alive, weight, 0)

    def of_weight(w: Array) -> Array:
        options_of = {**options, **dict(static)}
        return metric(
            y_true, y_pred, sample_weight=w, where=where, axis_name=axis_name, **options_of
        )

    with sampling():
        value, pullback = jax.vjp(of_weight, weight)
        basis = jnp.eye(value.size, dtype=value.dtype).reshape(value.size, *value.shape)
        (slope,) = jax.vmap(pullback)(basis)
    variance = lax.psum(jnp.sum(jnp.square(slope * weight[None]), axis=1), axis_name)
    return jnp.where(jnp.isnan(value), jnp.nan, safe_sqrt(variance).reshape(value.shape))


def on_mesh(
    function: Callable[..., Any], mesh: Mesh, axis_name: str, *, per_sample: bool = False
) -> Callable[..., Any]:
    """Make a function of whole arrays out of one for use inside `jax.shard_map`, as of this module.

    The arrays are sharded along an axis of the mesh, unless they already are; masked samples are
    appended where the devices would otherwise have unequal numbers.

    Args:
        function: Function of arrays called with `axis_name`, such as those of this module.
        mesh: Mesh of the devices.
        axis_name: Name of the axis of `mesh` that samples are to lie along.
        per_sample: Whether `function` returns arrays with one entry per sample, which stay sharded
            along the axis. The number of samples must then be a multiple of the number of devices.

    Returns:
        A function of arrays with all samples along the first axis, `sample_weight`, `where` and
        options of `function`, that returns what `function` does: the same on all devices, or with
        `per_sample` arrays sharded along the axis.

    Cost:
        That of `function`, and of moving what is not yet on its device.

    References:
        `jax.shard_map`.

    Examples:
        >>> import jax
        >>> from jmetrics import distributed
        >>> mesh = jax.make_mesh((jax.device_count(),), ("data",))
        >>> auc = distributed.on_mesh(distributed.roc_auc_score, mesh, "data")
        >>> float(auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], where=[True, True, True, False]))
        0.5
    """
    spec = PartitionSpec(axis_name)
    placed = NamedSharding(mesh, spec)
    devices = mesh.shape[axis_name]

    def run(
        *arrays: ArrayLike,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **options: Any,
    ) -> Any:
        given = {f"argument {i}": a for i, a in enumerate(arrays, 1)}
        values = [check.array(name, a) for name, a in given.items()]
        weights = {"sample_weight": sample_weight, "where": where}
        named = {k: None if a is None else check.array(k, a) for k, a in weights.items()}
        size = _num_samples([a.shape for a in jax.tree.leaves((values, named))])
        missing = -size % devices
        even = f"`per_sample` needs a multiple of {devices} samples, got {size}"
        check.require(not (per_sample and missing), even)
        if missing and where is None:
            named["where"] = jnp.ones(size, jnp.bool_)

        def position(a: Array) -> Array:
            rest = [(0, 0)] * (a.ndim - 1)
            return jax.device_put(jnp.pad(a, [(0, missing), *rest]) if missing else a, placed)

        def on_device(values: Any, named: Any) -> Any:
            return function(*values, axis_name=axis_name, **named, **options)

        mapped = jax.shard_map(
            on_device, mesh=mesh, in_specs=spec, out_specs=spec if per_sample else PartitionSpec()
        )
        return mapped(*jax.tree.map(position, (values, named)))

    return run


def _num_samples(shapes: list[tuple[int, ...]]) -> int:
    """Length of the first axis, which all arrays must have alike."""
    alike = () not in shapes and len({shape[0] for shape in shapes}) == 1
    check.require(alike, f"expected as many samples in each array, got shapes {shapes}")
    return shapes[0][0]
