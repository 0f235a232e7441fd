"""Closed-form intervals of metrics that are proportions of samples."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core.plan import Plan
from jmetrics._core.types import Number
from jmetrics.inference._interval import Interval
from jmetrics.inference._reweighting.problem import Problem
from jmetrics.inference.proportions import proportion_interval


def wilson_interval_of(problem: Problem, level: Number) -> Interval | None:
    """Return Wilson's interval of a metric that is a proportion of samples of equal weight."""
    (plan,), weight = problem.plans, problem.info.sample_weight
    alike = weight is None or weight.dtype == jnp.bool_
    if not (isinstance(plan, Plan) and plan.proportion is not None and alike):
        return None
    return _interval(plan if weight is None else plan.reweighted(weight), level)


@jax.jit
def _interval(plan: Plan[Array], level: Number) -> Interval:
    assert plan.proportion is not None
    statistic = plan.statistic()
    value = plan.finisher(statistic)
    dtype = jnp.result_type(float)
    hits, total = (count.astype(dtype) for count in plan.proportion(statistic))
    hits = jnp.where(jnp.isnan(value), jnp.nan, hits)
    found = proportion_interval(hits, total, confidence_level=level)
    return dataclasses.replace(found, estimate=value)
