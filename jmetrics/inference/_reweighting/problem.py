"""A metric with its data, of which only the weights are still to come."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import check
from jmetrics._core.lists import SegmentLists
from jmetrics._core.numerics import accumulator
from jmetrics._core.plan import PresortedMetric, has_plan, plan_of, presort_of, range_of
from jmetrics._core.sampling import sampling
from jmetrics._core.types import Tree
from jmetrics.inference._drawing.units import CellCounts, SampleInfo, Samples, samples_of
from jmetrics.inference._interval import within
from jmetrics.inference._reweighting.calls import RESAMPLES, call_of

_STATIC = {"static": True}


class Reweightable(Protocol):
    """A metric of samples that may have any weights: a plan, a call, and what is like them."""

    @property
    def arrays(self) -> tuple[Array, Array, Array | None, Array | None]:
        """`y_true`, `y_pred`, `sample_weight` and `where`."""
        ...

    def reweighted(self, sample_weight: Array) -> Reweightable:
        """Return the metric for other weights of the same samples."""
        ...

    def value(self) -> Tree:
        """Evaluate the metric."""
        ...


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Problem:
    """One metric of several predictions for the same samples, with their weights and groups."""

    plans: tuple[Reweightable, ...]
    """One for each prediction: a `Plan`, a `Call`, or a fast form of either, see `routes`."""
    info: SampleInfo
    table: Array | None = None
    """Instead of samples, how many of each stratum are in each cell of `plans`."""
    range: tuple[tuple[Any, Any], ...] | None = None
    """Least and largest value of the metric, for each of its arrays or for all; None if unknown."""
    presort: Callable[[Array, Array], PresortedMetric] | None = field(
        default=None, metadata=_STATIC
    )
    """Sorts the samples of a metric for any weights of them."""

    @property
    def size(self) -> int:
        """Number of entries read for one evaluation of all predictions."""
        return sum(plan.arrays[0].size for plan in self.plans)

    def source(self) -> Samples | CellCounts:
        """Return what resamples are drawn from."""
        arrays = self.plans[0].arrays
        dtype = accumulator(*(a for plan in self.plans for a in plan.arrays[:2]), self.info[0])
        if self.table is not None:
            return CellCounts(self.table, dtype)
        return samples_of(self.info, arrays[0].shape[0], dtype)

    @property
    def observed_weight(self) -> Array:
        """Weight of each sample in the data themselves."""
        source = self.source()
        return source.weight * source.entries(source.observed_counts)

    def values(self, weight: Array) -> Array:
        """Every entry of the metric (columns) of each prediction (rows)."""
        return jnp.stack([_entries(plan.reweighted(weight).value()) for plan in self.plans])

    def checked_values(self, weight: Array) -> Array:
        """The same, with the checks of the domain that `values` leaves out on a fast route.

        Resamples need none: they have no value where the data have none.
        """
        plans = (plan.reweighted(weight) for plan in self.plans)
        return jnp.stack([_entries(getattr(p, "checked_value", p.value)()) for p in plans])

    def sample_influences(self, source: Samples | CellCounts, counts: Array) -> Array:
        """Influence of each sample, list or cell on each value; units are drawn `counts` times."""
        weight = source.weight * source.entries(counts)
        slope = jnp.stack([_slope(plan, weight) for plan in self.plans])
        return slope * jnp.broadcast_to(source.weight, slope.shape)

    def unit_influences(self, source: Samples | CellCounts, counts: Array) -> Array:
        """Influence of each unit on each value."""
        return jax.vmap(source.by_unit)(self.sample_influences(source, counts))

    def in_range(
        self, low: Array, high: Array, estimate: Array, *, contrast: bool = False
    ) -> tuple[Array, Array]:
        """Ends of intervals of every entry, or of a difference, that are values it can have.

        An estimate beyond the range, such as of rows of probabilities that do not sum to 1,
        stays inside its interval.
        """
        if self.range is None:
            return low, high
        leaves = jax.tree.leaves(self._like())
        ends = self.range * (len(leaves) if len(self.range) == 1 else 1)
        least, most = (
            jnp.concatenate(
                [
                    jnp.broadcast_to(jnp.asarray(end, low.dtype), leaf.shape).ravel()
                    for end, leaf in zip(of_each, leaves, strict=True)
                ]
            )
            for of_each in zip(*ends, strict=True)
        )
        if contrast:
            least, most = least - most, most - least
        least, most = (jnp.broadcast_to(end, estimate.shape) for end in (least, most))
        return within(low, high, jnp.fmin(least, estimate), jnp.fmax(most, estimate))

    def _like(self) -> Tree:
        return jax.eval_shape(lambda p: p.plans[0].reweighted(p.source().weight).value(), self)

    def restored(self, entries: Array) -> Tree:
        """Shape the last axis of numbers as the metric shapes its own."""
        leaves, structure = jax.tree.flatten(self._like())
        ends = list(itertools.accumulate(leaf.size for leaf in leaves))
        parts = jnp.split(entries, ends[:-1], axis=-1)
        lead = entries.shape[:-1]
        shaped = [part.reshape(lead + leaf.shape) for part, leaf in zip(parts, leaves, strict=True)]
        return jax.tree.unflatten(structure, shaped)


def _slope(plan: Reweightable, weight: Array) -> Array:
    with sampling():
        slope = jax.jacrev(lambda w: _entries(plan.reweighted(w).value()))(weight)
        like = jax.eval_shape(lambda w: plan.reweighted(w).value(), weight)
    leaves = jax.tree.leaves(like)
    # An integer, such as the number of points of a curve, is not differentiable.
    whole = [np.full(leaf.size, jnp.issubdtype(leaf.dtype, jnp.integer)) for leaf in leaves]
    return jnp.where(np.concatenate(whole)[:, None], jnp.nan, slope)


def _entries(value: Tree) -> Array:
    leaves = [jnp.asarray(leaf) for leaf in jax.tree.leaves(value)]
    return jnp.concatenate([leaf.astype(accumulator(leaf)).ravel() for leaf in leaves])


def make_problem(
    metric: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    info: SampleInfo,
    options: dict[str, Any],
    resample: str = "weights",
) -> Problem:
    """Check a call of a metric, and keep all of it; `predictions` have names for messages."""
    check.one_of("resample", resample, RESAMPLES)
    rows = resample == "rows"
    others = [name for name in info._fields[:3] if getattr(info, name) is not None]
    check.require(not (rows and others), f"`resample='rows'` takes no `{'`, `'.join(others)}`")
    while isinstance(metric, functools.partial) and not metric.args:
        metric, options = metric.func, metric.keywords | options
    segments = _segments(options, y_true)
    count = None if segments is None else segments.count
    arrays = [
        check.resampled(y_true, y_pred, info.sample_weight, info.where, name, num_lists=count)
        for name, y_pred in predictions.items()
    ]
    y_true, _, sample_weight, where = arrays[0]
    unit, shape = ("sample", y_true.shape[:1]) if count is None else ("list", (count,))
    groups, strata = (
        None if ids is None else check.any_ids(name, ids, shape, unit)
        for name, ids in (("groups", info.groups), ("strata", info.strata))
    )
    plans = tuple(_plan(metric, arrays_of, options, shape[0], rows) for arrays_of in arrays)
    plain = not (options or rows) and all(a[1].ndim == y_true.ndim == 1 for a in arrays)
    presort = presort_of(metric) if plain else None
    info = SampleInfo(sample_weight, where, groups, strata, segments)
    return Problem(plans, info, range=_range(metric, options), presort=presort)


def _range(
    metric: Callable[..., Tree], options: dict[str, Any]
) -> tuple[tuple[Any, Any], ...] | None:
    found: Any = range_of(metric, options)
    if found is None:
        return None
    pairs = found if isinstance(found[0], tuple) else (found,)
    return jax.tree.map(lambda end: end if np.ndim(end) else check.number("range", end), pairs)


def _segments(options: dict[str, Any], y_true: Any) -> SegmentLists | None:
    """Lists in flat arrays, which every metric of lists takes by the same two options."""
    ids, count = (options.get(name) for name in ("segment_ids", "num_segments"))
    if ids is None or count is None:
        return None
    shape = check.array("y_true", y_true).shape[:1]
    return SegmentLists(
        check.positive_integer("num_segments", count), check.group_ids("segment_ids", ids, shape)
    )


def _plan(
    metric: Callable[..., Tree], arrays: Any, options: dict[str, Any], size: int, rows: bool
) -> Reweightable:
    y_true, y_pred, sample_weight, where = arrays
    if has_plan(metric) and not rows:
        return plan_of(metric)(y_true, y_pred, sample_weight=sample_weight, where=where, **options)
    return call_of(metric, arrays, options, size, rows)
