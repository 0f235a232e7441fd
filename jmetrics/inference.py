"""How sure is it: standard errors and intervals of any metric."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import accumulator, safe_sqrt
from jmetrics._core.types import ArrayLike, Metric, Number
from jmetrics._core.weights import combine

_ENTRIES_AT_ONCE = 300_000


class Bootstrap(NamedTuple):
    """What resampling says about a metric."""

    estimate: Array
    """The metric of the data themselves."""
    low: Array
    high: Array
    standard_error: Array
    """Standard deviation of the metric over the resamples."""
    distribution: Array
    """The metric of every resample, along the first axis; NaN where it is undefined."""
    n_undefined: Array
    """How many resamples had no value and were left out, such as those without a positive."""


def standard_error(metric: Metric) -> Callable[..., Array]:
    """Make a function that gives the standard error of a metric, √ Σ_i (w_i ∂metric/∂w_i)².

    The infinitesimal jackknife: what every sample contributes is read off one gradient with
    respect to the weights. For `roc_auc_score` this is DeLong's formula with population
    variances; for a mean, s / √n with the population standard deviation.

    Shapes: the new function takes what `metric` takes, and gives what it gives. It treats
    the samples as independent and `sample_weight` as fixed.
    Range: [0, ∞), in units of the metric.
    Undefined: NaN where the metric is.
    Cost: one gradient of the metric; one for each entry of a metric with several values.
    Raises: what the metric raises.
    Source: Jaeckel (1972); DeLong, DeLong & Clarke-Pearson (1988) for the AUC.

    >>> from jmetrics import roc_auc_score
    >>> error = standard_error(roc_auc_score)([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(float(error), 6)
    0.25
    """

    def error(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **options: Any,
    ) -> Array:
        arrays = check.resampled(y_true, y_pred, sample_weight, where)
        traced, static = check.split_options(options)
        return _standard_error(*arrays, traced, metric=metric, static=static)

    return error


@functools.partial(jax.jit, static_argnames=("metric", "static"))
def _standard_error(y_true, y_pred, sample_weight, where, options, *, metric, static):
    weight = _float_weight(sample_weight, y_true, y_pred)
    weight = jnp.where(_alive(weight, where), weight, jnp.zeros_like(weight))

    def of_weight(w: Array) -> Array:
        return metric(y_true, y_pred, sample_weight=w, where=where, **options, **dict(static))

    slope = jax.jacrev(of_weight)(weight)
    influence = slope * jnp.broadcast_to(weight, slope.shape)
    error = safe_sqrt(jnp.sum(jnp.square(influence), axis=-1))
    return jnp.where(jnp.isnan(of_weight(weight)), jnp.nan, error)


def _alive(weight: Array, where: Array | None) -> Array:
    """Whether each sample has weight, and some of it is not masked."""
    alive = combine(weight, where, weight.shape, weight.dtype) != 0
    return jnp.any(alive, axis=tuple(range(1, alive.ndim)))


def _float_weight(sample_weight: Array | None, y_true: Array, y_pred: Array) -> Array:
    dtype = accumulator(y_true, y_pred, sample_weight)
    if sample_weight is None:
        return jnp.ones(y_true.shape[:1], dtype)
    return sample_weight.astype(dtype)


def bootstrap(
    key: Array,
    metric: Metric,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    n_resamples: int = 1000,
    confidence_level: Number = 0.95,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    batch_size: int | None = None,
) -> Bootstrap:
    """Resample the data with replacement and give the percentile interval of a metric.

    A resample changes the weights and moves no rows: sample i gets w_i times the number of
    times it was drawn.

    Shapes: `key` is one random key of `jax.random`. Samples lie along the first axis of
    `y_true`, `y_pred`, `sample_weight` and `where`. Masked samples and those of weight 0 are
    never drawn. The result has the shape of the metric in every field, `distribution` with
    (n_resamples,) before it.
    Undefined: resamples without a value are left out and counted in `n_undefined`; the
    interval is NaN when there is no other.
    Cost: `n_resamples` evaluations, `batch_size` at a time (chosen to bound memory if None);
    what does not depend on the weights, such as a sort, once a batch.
    Raises: ValueError for a number of resamples or a level that makes no sense, and what the
    metric raises. `metric` is static: pass the same function object to compile once.
    Source: Efron (1979).

    >>> import jax
    >>> from jmetrics import accuracy_score
    >>> result = bootstrap(jax.random.key(0), accuracy_score, [1, 1, 0, 0], [1, 1, 0, 1])
    >>> float(result.estimate), float(result.low), float(result.high)
    (0.75, 0.25, 1.0)
    """
    y_true, y_pred, sample_weight, where = check.resampled(y_true, y_pred, sample_weight, where)
    n_resamples = check.positive_integer("n_resamples", n_resamples)
    if batch_size is None:
        batch_size = max(1, _ENTRIES_AT_ONCE // max(1, y_true.shape[0]))
    batch_size = check.positive_integer("batch_size", batch_size)
    return _bootstrap(
        key,
        y_true,
        y_pred,
        sample_weight,
        where,
        check.level("confidence_level", confidence_level),
        metric=metric,
        n_resamples=n_resamples,
        batch_size=min(batch_size, n_resamples),
    )


@functools.partial(jax.jit, static_argnames=("metric", "n_resamples", "batch_size"))
def _bootstrap(
    key, y_true, y_pred, sample_weight, where, level, *, metric, n_resamples, batch_size
):
    base = _float_weight(sample_weight, y_true, y_pred)
    alive = _alive(base, where)

    def resample(key: Array) -> Array:
        weight = base * draw_counts(key, alive).astype(base.dtype)
        return metric(y_true, y_pred, sample_weight=weight, where=where)

    keys = jax.random.split(key, n_resamples)
    level = jnp.asarray(level, base.dtype)
    level = check.defined(level, (level > 0) & (level < 1), "`confidence_level` must be in (0, 1)")
    distribution = jax.lax.map(resample, keys, batch_size=batch_size)
    tail = (1 - level) / 2
    low, high = jnp.nanquantile(distribution, jnp.stack([tail, 1 - tail]), axis=0)
    return Bootstrap(
        estimate=metric(y_true, y_pred, sample_weight=base, where=where),
        low=low,
        high=high,
        standard_error=jnp.nanstd(distribution, axis=0, ddof=1),
        distribution=distribution,
        n_undefined=jnp.sum(jnp.isnan(distribution), axis=0, dtype=jnp.int32),
    )


def draw_counts(key: Array, alive: Array) -> Array:
    """How often each sample is drawn when as many are drawn as are alive, from those alone."""
    total = jnp.sum(alive, dtype=jnp.int32)
    slots = jnp.arange(alive.size, dtype=jnp.int32)
    drawn = jax.random.randint(key, alive.shape, 0, jnp.maximum(total, 1))
    # Draws are of ranks among the samples alive, so that a mask and a deletion draw alike.
    times = jnp.zeros(alive.shape, jnp.int32).at[drawn].add((slots < total).astype(jnp.int32))
    rank = jnp.cumsum(alive, dtype=jnp.int32) - 1
    return jnp.where(alive, times[rank], jnp.zeros_like(times))
