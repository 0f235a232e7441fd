"""A metric for many weights of the same samples, at less than a call for each.

Pick the cheapest re-evaluation under new weights; fall back to calling the metric. For a statistic
that is a sum over samples, the terms are computed once. For a Mann-Whitney statistic the scores are
sorted once, and the weights are drawn in that order, in which they are as random as in any other.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.merging import Reduction, map_fields
from jmetrics._core.plan import Bound, Plan, PresortedMetric
from jmetrics._core.tangents import value_or_nan
from jmetrics.inference._plans import Problem, Reweightable

_MAX_SUMS = 32
"""With more, adding them up for each resample costs as much as calling the metric."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SummedMetric:
    """A metric whose statistic is a sum over samples."""

    arrays: tuple[Array, Array, Array | None, Array | None]
    statistic: Any
    """The statistic for other weights, except for its sums."""
    sums: Array
    """What each sample (column) adds to each number of the statistic, for a weight of 1."""
    finisher: Bound

    def reweighted(self, sample_weight: Array) -> SummedMetric:
        """Return the metric for other weights of the same samples."""
        lost = ~jnp.all(jnp.isfinite(self.sums), axis=1, keepdims=True)
        known = jnp.where(lost, jnp.zeros_like(self.sums), self.sums)
        total = jnp.matmul(known, sample_weight, precision=lax.Precision.HIGHEST)
        total = value_or_nan(total, ~lost[:, 0])  # and no other sum than this
        return dataclasses.replace(self, statistic=_with_sums(self.statistic, total))

    def value(self) -> Any:
        """Finish."""
        return self.finisher(self.statistic)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SortedMetric:
    """A metric whose samples are sorted."""

    arrays: tuple[Array, Array, Array | None, Array | None]
    metric: PresortedMetric
    presorted: bool = field(metadata={"static": True})
    """Whether the samples are in that order already."""
    sorted_weight: Array | None = None

    def reweighted(self, sample_weight: Array) -> SortedMetric:
        """Return the metric for other weights of the same samples."""
        sorted_weight = sample_weight if self.presorted else sample_weight[self.metric.item]
        return dataclasses.replace(self, sorted_weight=sorted_weight)

    def value(self) -> Any:
        """Evaluate the metric assuming that it is defined."""
        return self.metric.evaluate(self.sorted_weight)

    def checked_value(self) -> Any:
        """Evaluate the metric."""
        assert self.sorted_weight is not None
        valid = jnp.all(self.metric.valid | (self.sorted_weight == 0))
        return check.nan_unless(self.value(), valid, self.metric.domain)


def precompute_invariants(problem: Problem) -> Problem:
    """Return the problem with all that does not depend on the weights precomputed."""
    if problem.table is not None:
        return problem
    if problem.presort is not None:
        return _sorted(problem)
    source = problem.source()
    weight = source.weight * source.entries(source.observed_counts)
    return dataclasses.replace(
        problem, plans=tuple(_summed(plan, weight) for plan in problem.plans)
    )


def _sorted(problem: Problem) -> Problem:
    """Sort by each prediction; only one of several can have samples in its order."""
    assert problem.presort is not None
    found = [problem.presort(*plan.arrays[:2]) for plan in problem.plans]
    alone, info = len(found) == 1, problem.info
    arrays = [plan.arrays for plan in problem.plans]
    if alone:
        arrays[0], info = jax.tree.map(lambda a: a[found[0].item], (arrays[0], info))
    plans = tuple(SortedMetric(a, f, alone) for a, f in zip(arrays, found, strict=True))
    return dataclasses.replace(problem, plans=plans, info=info)


def _summed(plan: Reweightable, weight: Array) -> Reweightable:
    if not isinstance(plan, Plan):
        return plan
    shapes = jax.eval_shape(lambda w: plan.reweighted(w).statistic(), weight)
    fields = fields_of(shapes)
    sums = [leaf for reduction, leaf in fields if reduction is Reduction.SUM]
    known = all(
        reduction in (Reduction.SUM, Reduction.ALL) and hasattr(leaf, "size")
        for reduction, leaf in fields
    )
    floating = known and all(jnp.issubdtype(leaf.dtype, jnp.floating) for leaf in sums)
    if not (plan.merges and floating and 0 < sum(leaf.size for leaf in sums) <= _MAX_SUMS):
        return plan

    def total(w: Array) -> Array:
        found = fields_of(plan.reweighted(w).statistic())
        return jnp.concatenate(
            [leaf.ravel() for reduction, leaf in found if reduction is Reduction.SUM]
        )

    statistic = plan.reweighted(weight).statistic()
    return SummedMetric(plan.arrays, statistic, jax.jacrev(total)(weight), plan.finisher)


def fields_of(statistic: Any) -> list[tuple[Reduction, Any]]:
    """Every array of a statistic with its kind, and what joins in its own way as a whole."""
    fields: list[tuple[Reduction, Any]] = []

    def collect(reduction: Reduction, leaf: Any) -> Any:
        fields.append((reduction, leaf))
        return leaf

    map_fields(collect, statistic, leaf=lambda node: hasattr(node, "joined"))
    return fields


def _with_sums(statistic: Any, total: Array) -> Any:
    start = 0

    def fill(reduction: Reduction, leaf: Array) -> Array:
        nonlocal start
        if reduction is not Reduction.SUM:
            return leaf
        start += leaf.size
        return total[start - leaf.size : start].reshape(leaf.shape).astype(leaf.dtype)

    return map_fields(fill, statistic)
