"""Intervals from what a metric is in resamples."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.scipy.special import ndtr, ndtri

from jmetrics._core.numerics import safe_divide, safe_sqrt

METHODS = ("bca", "percentile", "basic", "normal", "studentized")


class Evidence(NamedTuple):
    """What is known of some numbers, one a column; `estimate` to `acceleration` have one row."""

    estimate: Array
    error: Array
    """Their standard errors, from the influence of the units."""
    acceleration: Array
    distribution: Array
    """Their values in resamples, one a row."""
    errors: Array | None
    """Their standard errors in resamples."""


def endpoints(evidence: Evidence, level: Array, method: str) -> tuple[Array, Array]:
    """Both ends of the interval, (n_columns,); NaN where no resample has a value."""
    tail = (1 - level) / 2
    tails = jnp.stack([tail, 1 - tail])[:, None]
    if method == "bca":
        return _bca(evidence, ndtri(tails))
    if method == "studentized":
        return _studentized(evidence, tails)
    estimate, distribution = evidence.estimate[0], evidence.distribution
    if method == "normal":
        reach = ndtri(1 - tail) * spread(distribution)
        return estimate - reach, estimate + reach
    low, high = quantiles(distribution, tails)
    return (low, high) if method == "percentile" else (2 * estimate - high, 2 * estimate - low)


def _bca(evidence: Evidence, normal: Array) -> tuple[Array, Array]:
    """Percentiles moved by the bias and by the acceleration of the standard error."""
    distribution = evidence.distribution
    defined = jnp.sum(~jnp.isnan(distribution), axis=0).astype(normal.dtype)
    below, tied = distribution < evidence.estimate, distribution == evidence.estimate
    share = jnp.sum(below.astype(normal.dtype) + tied.astype(normal.dtype) / 2, axis=0)
    # Half a resample away from none and from all of them the bias is still a number.
    share = safe_divide(jnp.clip(share, 0.5, jnp.maximum(defined - 0.5, 0.5)), defined, 0.5)
    bias = ndtri(share)[None]
    moved = bias + normal
    room = 1 - evidence.acceleration * moved
    limit = jnp.where(moved < 0, -jnp.inf, jnp.inf)
    moved = jnp.where(room <= 0, limit, bias + safe_divide(moved, room, 0.0))
    return quantiles(distribution, ndtr(moved))


def _studentized(evidence: Evidence, tails: Array) -> tuple[Array, Array]:
    """Quantiles of the distance from the estimate, in standard errors of the resample."""
    estimate, error = evidence.estimate[0], evidence.error[0]
    low, high = quantiles(distances(evidence), tails)
    return estimate - high * error, estimate - low * error


def distances(evidence: Evidence) -> Array:
    """How many of its standard errors each resample is above the estimate; NaN without one."""
    assert evidence.errors is not None
    distance = evidence.distribution - evidence.estimate
    return safe_divide(distance, evidence.errors, jnp.nan)


def quantiles(distribution: Array, shares: Array) -> tuple[Array, Array]:
    """Two quantiles of each column, NaN left out; `shares` has a column for each or one for all."""
    shares = jnp.broadcast_to(shares, (2, distribution.shape[1]))
    found = jax.vmap(jnp.nanquantile, in_axes=(1, 1), out_axes=1)(distribution, shares)
    return found[0], found[1]


def spread(distribution: Array) -> Array:
    """Standard deviation of the values that are defined."""
    return jnp.nanstd(distribution, axis=0, ddof=1)


class Moments(NamedTuple):
    """What the influence of units says about the distribution of an estimate."""

    error: Array
    """Its standard error."""
    acceleration: Array
    """How fast that changes with the estimate: a sixth of its skewness."""


def centred(shares: Array, times: Array) -> Array:
    """Influence of each unit (last axis) less the mean of all: 0 but for a sum over samples."""
    times = jnp.broadcast_to(times, shares.shape)
    of_all, total = (jnp.sum(a, axis=-1, keepdims=True) for a in (shares * times, times))
    mean = safe_divide(of_all, total, 0.0)
    return jnp.where(times > 0, shares - mean, jnp.zeros_like(shares))


def moments(shares: Array, times: Array) -> Moments:
    """Moments of independent units along the last axis, each there so many times."""
    shares, times = centred(shares, times), jnp.broadcast_to(times, shares.shape)
    unit = lax.stop_gradient(jnp.max(jnp.abs(shares), axis=-1, keepdims=True, initial=0.0))
    ratio = safe_divide(shares, jnp.broadcast_to(unit, shares.shape), 0.0)
    second, third = (jnp.sum(times * ratio**power, axis=-1) for power in (2, 3))
    error = safe_sqrt(second)
    return Moments(error * unit[..., 0], safe_divide(third, 6 * error**3, 0.0))
