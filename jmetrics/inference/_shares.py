"""Which metrics are shares of samples, found out by what they make of counts."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.anatomy import Plan
from jmetrics._core.merging import ALL, SUM, map_fields
from jmetrics.inference._plans import Problem
from jmetrics.inference._routes import fields_of

_PRIMES = (3.0, 5.0, 7.0, 11.0, 13.0, 17.0)


class Share(NamedTuple):
    """A metric that is a share of samples."""

    value: Array
    hits: Array
    """How many samples are in it."""
    total: Array
    """Of how many."""


def share_of(asked: Problem) -> Share | None:
    """Return what a metric divides, if it is a share of samples that all weigh the same.

    A sample of one label is in one of the counts that the statistic is made of. A share of a
    total that is kept beside them is not recognised.
    """
    (plan,), weight = asked.plans, asked.given.sample_weight
    alike = weight is None or weight.dtype == jnp.bool_
    if not (isinstance(plan, Plan) and alike and plan.arrays[0].ndim == plan.arrays[1].ndim == 1):
        return None
    structure = jax.eval_shape(lambda plan: plan.statistic(), plan)
    fields = fields_of(structure)
    scalars = all(
        kind in (SUM, ALL) and getattr(leaf, "shape", None) == () for kind, leaf in fields
    )
    traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(plan.finish))
    n_counts = sum(kind == SUM for kind, _ in fields)
    if not plan.merges or not scalars or traced or not 1 < n_counts <= len(_PRIMES):
        return None
    parts = _parts(plan, structure, n_counts)
    return None if parts is None else Share(*_counted(plan, weight, jax.device_put(parts)))


def _parts(plan: Plan, structure: object, n_counts: int) -> np.ndarray | None:
    """Which counts are hits (first row), and which are of all that they are a share of.

    Counts that are different primes show what the finisher does with them: the share of h in d
    has the slope (1 − share) / d in a hit, −share / d in the rest of d, and 0 in other counts.
    """
    if jax.eval_shape(plan.finish, structure).shape != ():
        return None
    counts = np.array(_PRIMES[:n_counts], np.float32)
    legal = map_fields(lambda kind, leaf: np.ones((), leaf.dtype), structure)
    # At compile time the constants of the finisher are arrays of their own, NaN among them.
    with jax.ensure_compile_time_eval(), jax.transfer_guard("allow"), jax.debug_nans(False):
        value, slope = jax.device_get(_sloped(plan.finish, legal, counts))
    whole = np.abs(slope) > 1e-6
    parts = np.stack([slope > 1e-6, whole])
    hits, total = parts @ counts
    expected = np.where(parts[0], 1, 0) - np.where(whole, value, 0)
    same = np.allclose(total * slope, expected, atol=1e-5) and np.isclose(value * total, hits)
    return parts if same else None


@jax.jit
def _sloped(finish, statistic, counts):
    """What a finisher makes of counts in place of the sums of a statistic, and its slopes."""

    def finished(counts: Array) -> Array:
        left = list(counts)
        value = finish(
            map_fields(lambda kind, leaf: left.pop(0) if kind == SUM else leaf, statistic)
        )
        return value.astype(counts.dtype)

    return jax.value_and_grad(finished)(counts)


@jax.jit
def _counted(plan, weight, parts):
    counted = plan if weight is None else plan.reweighted(weight)
    statistic = counted.statistic()
    dtype = jnp.result_type(float)
    counts = jnp.stack([leaf.astype(dtype) for kind, leaf in fields_of(statistic) if kind == SUM])
    hits, total = jnp.sum(jnp.where(parts, counts[None], jnp.zeros_like(counts[None])), axis=1)
    value = counted.finish(statistic)
    return value, jnp.where(jnp.isnan(value), jnp.nan, hits), total
