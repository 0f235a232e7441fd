"""How a metric is had for many weights of the same samples, at less than a call for each.

What is known of a metric decides, and where nothing is, it is called. A statistic that is a
sum over samples is measured once for each sample. A share of pairs ranked right has its
scores sorted once, in whose order what is drawn for each sample is as random as in any other.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.anatomy import InOrder, Plan, Step
from jmetrics._core.merging import ALL, SUM, map_fields
from jmetrics._core.tangents import nan_unless
from jmetrics.inference._plans import Problem, Weighable

_MOST_SUMS = 32
"""With more, adding them up for each resample costs as much as calling the metric."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Summed:
    """A metric whose statistic is a sum over samples."""

    arrays: tuple[Array, Array, Array | None, Array | None]
    statistic: Any
    """The statistic for other weights, except for its sums."""
    sums: Array
    """What each sample (column) adds to each number of the statistic, for a weight of 1."""
    finish: Step

    def reweighted(self, sample_weight: Array) -> Summed:
        """Return the metric for other weights of the same samples."""
        lost = ~jnp.all(jnp.isfinite(self.sums), axis=1, keepdims=True)
        known = jnp.where(lost, jnp.zeros_like(self.sums), self.sums)
        total = jnp.matmul(known, sample_weight, precision=lax.Precision.HIGHEST)
        total = nan_unless(total, ~lost[:, 0])  # and no other sum than this
        return dataclasses.replace(self, statistic=_with_sums(self.statistic, total))

    def value(self) -> Any:
        """Finish."""
        return self.finish(self.statistic)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Sorted:
    """A metric whose samples are sorted."""

    arrays: tuple[Array, Array, Array | None, Array | None]
    found: InOrder
    in_place: bool = field(metadata={"static": True})
    """Whether the samples are in that order already."""
    by_place: Array | None = None

    def reweighted(self, sample_weight: Array) -> Sorted:
        """Return the metric for other weights of the same samples."""
        by_place = sample_weight if self.in_place else sample_weight[self.found.item]
        return dataclasses.replace(self, by_place=by_place)

    def value(self) -> Any:
        """Evaluate the metric of what is legal."""
        return self.found.weigh(self.by_place)

    def checked_value(self) -> Any:
        """Evaluate the metric."""
        assert self.by_place is not None
        legal = jnp.all(self.found.legal | (self.by_place == 0))
        return check.defined(self.value(), legal, self.found.domain)


def measured_once(asked: Problem) -> Problem:
    """Return the problem with all that does not depend on the weights precomputed."""
    if asked.table is not None:
        return asked
    if asked.in_order is not None:
        return _sorted(asked)
    source = asked.source()
    weight = source.weight * source.entries(source.once)
    return dataclasses.replace(asked, plans=tuple(_summed(plan, weight) for plan in asked.plans))


def _sorted(asked: Problem) -> Problem:
    """Sort by each prediction; only one of several can have samples in its order."""
    assert asked.in_order is not None
    found = [asked.in_order(*plan.arrays[:2]) for plan in asked.plans]
    alone, given = len(found) == 1, asked.given
    arrays = [plan.arrays for plan in asked.plans]
    if alone:
        arrays[0], given = jax.tree.map(lambda a: a[found[0].item], (arrays[0], given))
    plans = tuple(Sorted(a, f, alone) for a, f in zip(arrays, found, strict=True))
    return dataclasses.replace(asked, plans=plans, given=given)


def _summed(plan: Weighable, weight: Array) -> Weighable:
    if not isinstance(plan, Plan):
        return plan
    shapes = jax.eval_shape(lambda w: plan.reweighted(w).statistic(), weight)
    fields = fields_of(shapes)
    sums = [leaf for kind, leaf in fields if kind == SUM]
    known = all(kind in (SUM, ALL) and hasattr(leaf, "size") for kind, leaf in fields)
    floating = known and all(jnp.issubdtype(leaf.dtype, jnp.floating) for leaf in sums)
    if not (plan.merges and floating and 0 < sum(leaf.size for leaf in sums) <= _MOST_SUMS):
        return plan

    def total(w: Array) -> Array:
        found = fields_of(plan.reweighted(w).statistic())
        return jnp.concatenate([leaf.ravel() for kind, leaf in found if kind == SUM])

    statistic = plan.reweighted(weight).statistic()
    return Summed(plan.arrays, statistic, jax.jacrev(total)(weight), plan.finish)


def fields_of(statistic: Any) -> list[tuple[str, Any]]:
    """Every array of a statistic with its kind, and what joins in its own way as a whole."""
    fields: list[tuple[str, Any]] = []

    def collect(kind: str, leaf: Any) -> Any:
        fields.append((kind, leaf))
        return leaf

    map_fields(collect, statistic, leaf=lambda node: hasattr(node, "joined"))
    return fields


def _with_sums(statistic: Any, total: Array) -> Any:
    start = 0

    def place(kind: str, leaf: Array) -> Array:
        nonlocal start
        if kind != SUM:
            return leaf
        start += leaf.size
        return total[start - leaf.size : start].reshape(leaf.shape).astype(leaf.dtype)

    return map_fields(place, statistic)
