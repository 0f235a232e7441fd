"""Samples of labels that are alike, drawn together.

What most metrics make of samples depends neither on their order nor on whether two alike are
two or one of twice the weight. Labels of few classes make few kinds of samples, so that a
resample of all of them is one draw of how many there are of each.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, cast

import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.counts import as_labels
from jmetrics._core.numerics import weighted_bincount
from jmetrics._core.plan import SAME, Plan
from jmetrics._core.weights import combine
from jmetrics.inference._plans import Problem
from jmetrics.inference._samples import SampleInfo

_MAX_CELLS = 64
"""With more, drawing them costs more than drawing samples of common numbers."""


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


def _classes(plan: Any) -> int | None:
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


def _counted(info: SampleInfo, shape: tuple[int, ...]) -> Array:
    """Whether each sample counts, as 1 or 0."""
    return combine(info.sample_weight, info.where, shape, jnp.int32)


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
    table = weighted_bincount(
        cell, _counted(problem.info, cell.shape), num_strata * math.prod(shape)
    )
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
