"""Detect metrics that are proportions of samples, by their values and slopes on counts."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.merging import Reduction, map_fields
from jmetrics._core.plan import Plan
from jmetrics._core.types import Number
from jmetrics.inference._interval import Interval
from jmetrics.inference._reweighting.problem import Problem
from jmetrics.inference._reweighting.routes import fields_of
from jmetrics.inference.proportions import proportion_interval

_PRIMES = (3.0, 5.0, 7.0, 11.0, 13.0, 17.0)


def wilson_interval_of(problem: Problem, level: Number) -> Interval | None:
    """Return Wilson's interval of a metric that is a proportion of samples of equal weight.

    A sample of one label is in one of the counts of the statistic. A proportion of a total that
    is kept beside them is not recognised.
    """
    (plan,), weight = problem.plans, problem.info.sample_weight
    alike = weight is None or weight.dtype == jnp.bool_
    if not (isinstance(plan, Plan) and alike and plan.arrays[0].ndim == plan.arrays[1].ndim == 1):
        return None
    numbers, finisher = jax.tree.flatten(plan.finisher)
    if not plan.merges or any(isinstance(number, jax.core.Tracer) for number in numbers):
        return None
    statistic = jax.eval_shape(Plan.statistic, plan)
    known = [float.hex(float(number)) for number in jax.device_get(numbers)]
    key = (finisher, tuple(known), *_hashable(statistic))
    parts = _parts(*key)
    return None if parts is None else _interval(plan, weight, jax.device_put(parts), level)


def _hashable(tree: Any) -> tuple[Any, tuple[Any, ...]]:
    leaves, structure = jax.tree.flatten(tree)
    return structure, tuple(leaves)


@functools.lru_cache
def _parts(
    finisher: Any, numbers: tuple[str, ...], structure: Any, leaves: tuple[Any, ...]
) -> np.ndarray | None:
    """Which counts are hits (first row), and which are in the denominator (second row).

    Counts that are different primes show what the finisher does with them: the proportion p
    of h in d has the slope (1 − p) / d in a hit, −p / d in the rest of d, and 0 in other counts.
    """
    statistic = jax.tree.unflatten(structure, leaves)
    fields = fields_of(statistic)
    n_counts = sum(reduction is Reduction.SUM for reduction, _ in fields)
    scalars = all(
        reduction in (Reduction.SUM, Reduction.ALL) and getattr(leaf, "shape", None) == ()
        for reduction, leaf in fields
    )
    if not scalars or not 1 < n_counts <= len(_PRIMES):
        return None
    counts = np.array(_PRIMES[:n_counts], np.float32)

    def finished(counts: Array) -> Array:
        left = list(counts)
        step = jax.tree.unflatten(finisher, map(float.fromhex, numbers))
        value = step(
            map_fields(
                lambda reduction, _: left.pop(0) if reduction is Reduction.SUM else jnp.bool_(True),
                statistic,
            )
        )
        return cast(Array, value.astype(counts.dtype))

    if jax.eval_shape(finished, counts).shape != ():
        return None
    # Compiled at once, it has values also where this is called while something is traced.
    with jax.transfer_guard("allow"), jax.debug_nans(False):
        probe = jax.jit(jax.value_and_grad(finished)).lower(counts).compile()
        value, slope = jax.device_get(probe(counts))
    whole = np.abs(slope) > 1e-6
    parts = np.stack([slope > 1e-6, whole])
    hits, total = parts @ counts
    expected = np.where(parts[0], 1, 0) - np.where(whole, value, 0)
    same = np.allclose(total * slope, expected, atol=1e-5) and np.isclose(value * total, hits)
    return parts if same else None


@jax.jit
def _interval(plan, weight, parts, level):
    counted = plan if weight is None else plan.reweighted(weight)
    statistic = counted.statistic()
    dtype = jnp.result_type(float)
    counts = jnp.stack(
        [
            leaf.astype(dtype)
            for reduction, leaf in fields_of(statistic)
            if reduction is Reduction.SUM
        ]
    )
    hits, total = jnp.sum(jnp.where(parts, counts[None], jnp.zeros_like(counts[None])), axis=1)
    value = counted.finisher(statistic)
    hits = jnp.where(jnp.isnan(value), jnp.nan, hits)
    found = proportion_interval(hits, total, confidence_level=level)
    return dataclasses.replace(found, estimate=value)
