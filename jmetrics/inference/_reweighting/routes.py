"""A metric for many weights of the same samples, at less than a call for each.

The package docstring has the table of routes. What they have in common: the part of a metric that
no weight changes is computed once, and a resample only pays for the rest. In order of the table,

* `in_cells`: most metrics of labels depend neither on the order of the samples nor on whether two
  that are alike are two, or one of twice the weight. Few classes make few kinds of samples, so that
  a resample is one draw of how many there are of each;
* `SortedMetric`: a Mann-Whitney statistic needs the scores in order. Those of one prediction get
  weights that are drawn in that order, in which they are as random as in any other, so that
  nothing is gathered;
* `SummedMetric`: a statistic that is linear in the weights is known for all of them from what each
  sample adds to it.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.counts import as_labels
from jmetrics._core.merging import Reduction, map_fields
from jmetrics._core.numerics import weighted_bincount
from jmetrics._core.plan import SAME, Finisher, Plan, PresortedMetric
from jmetrics._core.tangents import value_or_nan
from jmetrics._core.types import Tree
from jmetrics._core.weights import combine
from jmetrics.inference._drawing.units import SampleInfo
from jmetrics.inference._reweighting.problem import Problem, Reweightable

_MAX_CELLS = 64
"""With more, drawing them costs more than drawing samples of common numbers."""

_MAX_SUMS = 32
"""With more, adding them up for each resample costs as much as calling the metric."""


def in_cells(problem: Problem) -> Problem:
    """Return the problem for cells of samples that are alike, if there are few of these.

    What decides is known while tracing, so that a call draws alike with and without `jit`.
    """
    info = problem.info
    counted = info.sample_weight is None or info.sample_weight.dtype == jnp.bool_
    alone = info.groups is None and info.segments is None
    drawn = info.strata is None or info.strata.dtype == jnp.bool_
    if not (counted and alone and drawn):
        return problem
    classes = [_classes(plan) for plan in problem.plans]
    if None in classes:
        return problem
    most = max(cast(list[int], classes))
    # Where the data say how many classes there are, this is a power of two.
    axes, strata = 1 + len(classes), 1 if info.strata is None else 2
    if (1 << (most - 1).bit_length()) ** axes * strata > _MAX_CELLS:
        return problem
    beyond = any(array.dtype != jnp.bool_ for plan in problem.plans for array in plan.arrays[:2])
    return _tabulated(problem, classes=most + beyond, num_strata=strata)


def _classes(plan: Reweightable) -> int | None:
    """How many classes there are, if this is a plan for one label a sample and nothing else."""
    if not isinstance(plan, Plan) or plan.labels is None:
        return None
    whole = all(
        array.ndim == 1
        and array.dtype != jnp.uint32  # of which some are no labels
        and not jnp.issubdtype(array.dtype, jnp.floating)
        for array in plan.arrays[:2]
    )
    return (2 if plan.labels == SAME else plan.labels) if whole else None


def _tabulated(problem: Problem, *, classes: int, num_strata: int) -> Problem:
    """Count the samples of each cell; labels of no class have one of their own, the last."""
    strata = problem.info.strata
    plans = cast(tuple[Plan, ...], problem.plans)
    labels = _labels(plans)
    cell = jnp.zeros(labels[0].shape, jnp.int32) if strata is None else strata.astype(jnp.int32)
    for label in labels:
        number = jnp.where((label < 0) | (label >= classes), classes - 1, label)
        cell = classes * cell + number.astype(jnp.int32)
    shape = (classes,) * len(labels)
    counted = combine(problem.info.sample_weight, problem.info.where, cell.shape, jnp.int32)
    table = weighted_bincount(cell, counted, num_strata * math.prod(shape))
    order, cells = _ordered_cells(shape)
    alike = tuple(
        row.astype(array.dtype)
        for row, array in zip(
            cells, (plans[0].arrays[0], *(plan.arrays[1] for plan in plans)), strict=True
        )
    )
    replaced = tuple(
        dataclasses.replace(plan, arrays=(alike[0], predicted, None, None))
        for plan, predicted in zip(plans, alike[1:], strict=True)
    )
    table = table.reshape(num_strata, -1)[:, order]
    return Problem(replaced, SampleInfo(), table, problem.range)


def _labels(plans: tuple[Plan, ...]) -> list[Array]:
    """True and predicted labels, or labels 0 and 1 that are the same where these are."""
    labels = [as_labels(plans[0].arrays[0]), *(as_labels(plan.arrays[1]) for plan in plans)]
    if plans[0].labels != SAME:
        return labels
    same = [(label == labels[0]).astype(label.dtype) for label in labels[1:]]
    return [jnp.ones_like(labels[0]), *same]


def _ordered_cells(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Cells by their largest label, so that none changes position if there are more classes.

    Returns the position of each among all, and its labels in rows.
    """
    labels = np.indices(shape).reshape(len(shape), -1)
    order = np.argsort(labels.max(axis=0), kind="stable").astype(np.int32)
    return order, labels[:, order]


def precompute_invariants(problem: Problem) -> Problem:
    """Return the problem with all that does not depend on the weights precomputed."""
    if problem.table is not None:  # `in_cells` has done it
        return problem
    if problem.presort is not None:
        return _sorted(problem)
    weight = problem.observed_weight
    plans = tuple(_summed(plan, weight) for plan in problem.plans)
    return dataclasses.replace(problem, plans=plans)


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

    def value(self) -> Array:
        """Evaluate the metric assuming that it is defined."""
        return self.metric.evaluate(self.sorted_weight)

    def checked_value(self) -> Array:
        """Evaluate the metric."""
        assert self.sorted_weight is not None
        valid = jnp.all(self.metric.valid | (self.sorted_weight == 0))
        return check.nan_unless(self.value(), valid, self.metric.domain)


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


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SummedMetric:
    """A metric whose statistic is a sum over samples."""

    arrays: tuple[Array, Array, Array | None, Array | None]
    statistic: Tree
    """The statistic for other weights, except for its sums."""
    sums: Array
    """What each sample (column) adds to each number of the statistic, for a weight of 1."""
    finisher: Finisher[Tree, Tree]

    def reweighted(self, sample_weight: Array) -> SummedMetric:
        """Return the metric for other weights of the same samples."""
        lost = ~jnp.all(jnp.isfinite(self.sums), axis=1, keepdims=True)
        known = jnp.where(lost, jnp.zeros_like(self.sums), self.sums)
        total = jnp.matmul(known, sample_weight, precision=lax.Precision.HIGHEST)
        total = value_or_nan(total, ~lost[:, 0])  # and no other sum than this
        return dataclasses.replace(self, statistic=_with_sums(self.statistic, total))

    def value(self) -> Tree:
        """Finish."""
        return self.finisher(self.statistic)


def _summed(plan: Reweightable, weight: Array) -> Reweightable:
    """Compute the terms of the sums of a statistic, if it is made of few sums.

    What merges by addition and takes a weight of 3 as three samples is Σ w_i t_i, so that its
    derivative with respect to w_i is the term t_i, at any weights. Integer counts have none.
    """
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


def fields_of(statistic: Tree) -> list[tuple[Reduction, Any]]:
    """Every array of a statistic with its kind, and what joins in its own way as a whole."""
    fields: list[tuple[Reduction, Any]] = []

    def collect(reduction: Reduction, leaf: Any) -> Any:
        fields.append((reduction, leaf))
        return leaf

    map_fields(collect, statistic, leaf=lambda node: hasattr(node, "joined"))
    return fields


def _with_sums(statistic: Tree, total: Array) -> Tree:
    """Replace the sums of a statistic by consecutive entries of `total`."""
    start = 0

    def fill(reduction: Reduction, leaf: Array) -> Array:
        nonlocal start
        if reduction is not Reduction.SUM:
            return leaf
        start += leaf.size
        return total[start - leaf.size : start].reshape(leaf.shape).astype(leaf.dtype)

    return map_fields(fill, statistic)
