"""One metric for each group of samples: how evenly does a model serve them?"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import safe_divide
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import combine, over_trailing

__all__ = ["GroupValues", "by_group"]

_ENTRIES_AT_ONCE = 4_000_000


@exportable
class GroupValues(NamedTuple):
    """A metric of each group, and how much the groups differ.

    Attributes:
        values: The metric of each group, shape (num_groups,) before the shape of the metric; NaN
            for a group without a value.
        difference: Largest minus smallest value of the groups that have one, of the metric's shape.
        ratio: Smallest over largest value of the groups that have one, of the metric's shape; NaN
            if the largest is 0.
    """

    values: Any
    difference: Any
    ratio: Any


def by_group(
    metric: Callable[..., Any],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    groups: ArrayLike,
    num_groups: int,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    **options: Any,
) -> GroupValues:
    """Evaluate a metric on each group of samples, in one compiled call.

    Args:
        metric: Metric of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)`. It is static: pass the same
            function object to compile once.
        y_true: Targets as `metric` takes them, samples along the first axis.
        y_pred: Predictions as `metric` takes them, samples along the first axis.
        groups: Group of each sample, shape (n,), integers from 0 to `num_groups` − 1.
        num_groups: Number of groups, a positive integer; static.
        sample_weight: Weights as `metric` takes them, shape (n,).
        where: Mask as `metric` takes it, samples along the first axis.
        **options: Options of `metric`. Floats and arrays are traced, everything else is static.

    Returns:
        A `GroupValues`. For a metric that returns several arrays each of the three fields is of
        that structure.

    Undefined:
        The value of a group in which no sample has positive weight is that of the metric, mostly
        NaN, and is left out of `difference` and `ratio`; those are NaN if no group has a value.
        NaN everywhere if a sample with positive weight is in no group.

    Gradient:
        That of the metric.

    Cost:
        `num_groups` evaluations, as many at a time as memory allows; what does not depend on the
        mask, such as a sort of scores, is computed once for those.

    References:
        Agarwal et al. (2018); `fairlearn.metrics.MetricFrame`.

    Examples:
        >>> from jmetrics import accuracy_score
        >>> result = by_group(
        ...     accuracy_score, [1, 1, 0, 0], [1, 1, 0, 1], groups=[0, 0, 1, 1], num_groups=2
        ... )
        >>> result.values, float(result.difference), float(result.ratio)
        (Array([1. , 0.5], dtype=float32), 0.5, 0.5)
    """
    arrays = check.resampled(y_true, y_pred, sample_weight, where)
    traced, static = check.split_options(options)
    return _by_group(
        *arrays,
        check.group_ids("groups", groups, arrays[0].shape[:1]),
        traced,
        metric=metric,
        num_groups=check.positive_integer("num_groups", num_groups),
        static=static,
    )


@functools.partial(jax.jit, static_argnames=("metric", "num_groups", "static"))
@with_auto_axes
def _by_group(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    groups: Array,
    options: dict[str, Any],
    *,
    metric: Callable[..., Any],
    num_groups: int,
    static: tuple[tuple[str, Any], ...],
) -> GroupValues:
    counts = combine(sample_weight, where, groups.shape, jnp.float32) != 0
    kept = combine(None, where, groups.shape, jnp.int32) != 0

    def of_group(group: Array) -> Any:
        within = kept & over_trailing(groups == group, kept.ndim)
        return metric(
            y_true, y_pred, sample_weight=sample_weight, where=within, **options, **dict(static)
        )

    numbers = jnp.arange(num_groups, dtype=groups.dtype)
    together = max(1, min(num_groups, _ENTRIES_AT_ONCE // max(1, y_true.size)))
    values = jax.lax.map(of_group, numbers, batch_size=together)
    inside = over_trailing((groups >= 0) & (groups < num_groups), counts.ndim)
    valid = jnp.all(inside | ~counts)
    reason = f"`groups` must be whole numbers from 0 to {num_groups - 1}"
    values = jax.tree.map(lambda a: check.nan_unless(a, valid, reason), values)
    return GroupValues(values, jax.tree.map(_difference, values), jax.tree.map(_ratio, values))


def _extremes(values: Array) -> tuple[Array, Array]:
    """Least and largest value along the first axis, NaN left out unless there is nothing else."""
    known = ~jnp.isnan(values)
    low = jnp.min(values, axis=0, where=known, initial=jnp.inf)
    high = jnp.max(values, axis=0, where=known, initial=-jnp.inf)
    found = jnp.any(known, axis=0)
    return jnp.where(found, low, jnp.nan), jnp.where(found, high, jnp.nan)


def _difference(values: Array) -> Array:
    low, high = _extremes(values)
    return high - low


def _ratio(values: Array) -> Array:
    low, high = _extremes(values)
    return safe_divide(low, high, jnp.nan)
