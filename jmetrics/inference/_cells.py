"""Samples of labels that are alike, drawn together.

What most metrics make of samples depends neither on their order nor on whether two alike are
two or one of twice the weight. Labels of few classes make few kinds of samples, so that a
resample of all of them is one draw of how many there are of each.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core.anatomy import Plan
from jmetrics._core.counts import as_labels
from jmetrics._core.merging import STEADY, map_fields
from jmetrics._core.numerics import tabulate
from jmetrics._core.weights import combine
from jmetrics.inference._plans import Problem
from jmetrics.inference._samples import Given

_MOST_CELLS = 100
"""With more, drawing them costs more than drawing samples of common numbers."""


def in_cells(asked: Problem) -> Problem:
    """Return the problem for cells of samples that are alike, if there are few of these."""
    plans, given = asked.plans, asked.given
    labels = [plans[0].arrays[0], *(plan.arrays[1] for plan in plans)]
    weighted = given.sample_weight is not None and given.sample_weight.dtype != jnp.bool_
    joined = given.groups is not None or given.segments is not None
    if weighted or joined or not all(map(_of_labels, plans)):
        return asked
    classes = _number_of(labels, given, asked.num_classes)
    strata = _number_of([given.strata], given, None)
    if classes is None or strata is None or classes ** len(labels) * strata > _MOST_CELLS:
        return asked
    return _tabulated(asked, labels, classes=classes, num_strata=strata)


def _of_labels(plan: Any) -> bool:
    """Whether this is a plan for one whole number a sample, and of nothing else of samples."""
    if not isinstance(plan, Plan):
        return False
    (n, *more), *_ = (array.shape for array in plan.arrays[:2])
    whole = all(not jnp.issubdtype(array.dtype, jnp.floating) for array in plan.arrays[:2])
    others = jax.tree.leaves((plan.measure, plan.finish))
    alone = not more and whole and all(jnp.shape(other)[:1] != (n,) for other in others)
    return alone and not _counts_entries(plan)


def _counts_entries(plan: Plan) -> bool:
    """Whether two samples are more than one of twice the weight, as for R² of one sample."""
    kinds = []
    map_fields(lambda kind, leaf: kinds.append(kind), jax.eval_shape(plan.statistic))
    return STEADY in kinds


def _number_of(ids: Sequence[Array | None], given: Given, said: int | None) -> int | None:
    """One more than the largest of whole numbers, if this may be known and none is negative."""
    known = [a for a in ids if a is not None]
    if not known or all(a.dtype == jnp.bool_ for a in known):
        return 2 if known else 1
    if said is not None:
        return said + 1  # what is beyond makes one more class
    if any(isinstance(a, jax.core.Tracer) for a in jax.tree.leaves((given, known))):
        return None
    low, high = map(int, jax.device_get(_range(known, given)))
    return high + 1 if low >= 0 else None


@jax.jit
def _range(ids: list[Array], given: Given) -> Array:
    """Least and largest number of samples that count, or 0 beyond it."""
    counted = _counted(given, ids[0].shape) != 0
    numbers = [jnp.where(counted, as_labels(a), jnp.zeros_like(as_labels(a))) for a in ids]
    ends = functools.reduce(jnp.minimum, numbers), functools.reduce(jnp.maximum, numbers)
    zero = jnp.zeros((), ends[0].dtype)
    # Both at once: CPUs take ten times as long for one alone.
    return jnp.stack(jax.lax.reduce(ends, (zero, zero), _wider, (0,)))


def _wider(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    return jnp.minimum(a[0], b[0]), jnp.maximum(a[1], b[1])


def _counted(given: Given, shape: tuple[int, ...]) -> Array:
    """Whether each sample counts, as 1 or 0."""
    return combine(given.sample_weight, given.where, shape, jnp.int32)


@functools.partial(jax.jit, static_argnames=("classes", "num_strata"))
def _tabulated(asked, labels, *, classes, num_strata):
    strata = asked.given.strata
    shape = (classes,) * len(labels)
    place = jnp.zeros(labels[0].shape, jnp.int32) if strata is None else strata.astype(jnp.int32)
    for label in labels:
        number = as_labels(label)
        number = jnp.where((number < 0) | (number >= classes), classes - 1, number)
        place = classes * place + number.astype(jnp.int32)
    size = num_strata * math.prod(shape)
    table = tabulate(place, _counted(asked.given, place.shape), size).reshape(num_strata, -1)
    alike = [
        row.ravel().astype(label.dtype)
        for row, label in zip(jnp.indices(shape, jnp.int32), labels, strict=True)
    ]
    plans = tuple(
        dataclasses.replace(plan, arrays=(alike[0], predicted, None, None))
        for plan, predicted in zip(asked.plans, alike[1:], strict=True)
    )
    return Problem(plans, Given(), table)
