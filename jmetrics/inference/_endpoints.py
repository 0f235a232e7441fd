"""Intervals from the values of a metric in resamples.

"bca" is the bootstrap corrected for bias and acceleration (Efron 1987). Suppose that some
increasing function of the metric, which nobody need know, makes the estimate normal:

    φ̂ ~ N(φ − z₀ σ, σ²)   with   σ = 1 + a φ.

Shift and scale it so that φ̂ = 0. Resamples, for which 0 is the truth, are N(−z₀, 1), so that the
fraction Φ(z₀) of them is below the estimate, which tells z₀. The upper end is the φ for which the
estimate is z standard deviations below its expectation, and the lower end has −z for z:

    0 = φ − z₀ σ − z σ   and hence   φ = (z₀ + z) / (1 − a (z₀ + z)).

The fraction Φ(z₀ + φ) of resamples is below that. Fractions are the same on the scale of the
metric, so that its ends are the quantiles of the resamples at

    Φ(z₀ + (z₀ ± z) / (1 − a (z₀ ± z))).

As a (z₀ ± z) rises to 1, φ goes to infinity and the end to the most extreme resample, where it
stays. To first order a is a sixth of the skewness of the estimate, see `influence_moments`. With
z₀ = a = 0 all this is "percentile".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.numerics import safe_divide, safe_sqrt

METHODS = ("bca", "percentile", "basic", "normal", "studentized")


class Replicates(NamedTuple):
    """Estimates and their resamples, one per column; `estimate` to `acceleration` have one row."""

    estimate: Array
    error: Array
    """Their standard errors, from the influence of the units."""
    acceleration: Array
    distribution: Array
    """Their values in resamples, one a row."""
    errors: Array | None
    """Their standard errors in resamples."""


class ReplicateSummary(NamedTuple):
    """Interval, moments and p-value of each estimate."""

    low: Array
    high: Array
    standard_error: Array
    bias: Array
    p_value: Array
    n_undefined: Array


def spread(replicates: Replicates, scale: Array, level: Array, method: str) -> ReplicateSummary:
    """Interval, moments and p-value of each column; NaN where no resample has a value.

    Few operations on long arrays, since each takes a while to compile.
    """
    estimate, distribution = replicates.estimate, replicates.distribution
    used = distribution if replicates.errors is None else studentized(replicates)
    deviation = distribution - estimate
    known = ~jnp.isnan(deviation)
    slack = rounding_of(scale)
    conditions = (
        ~jnp.isnan(used),
        deviation < -slack,
        jnp.abs(deviation) <= slack,
        known,
        at_least_as_extreme(deviation, estimate, scale),
    )
    counts = jnp.sum(jnp.stack(conditions), axis=1, dtype=jnp.int32)
    whole, (defined, below, tied, n_known, far) = counts[0], counts.astype(estimate.dtype)
    deviation = jnp.where(known, deviation, jnp.zeros_like(deviation))
    bias = safe_divide(jnp.sum(deviation, axis=0), n_known, jnp.nan)
    square = jnp.where(known, jnp.square(deviation - bias[None]), jnp.zeros_like(deviation))
    error = safe_sqrt(safe_divide(jnp.sum(square, axis=0), n_known - 1, jnp.nan))
    error = jnp.where(n_known > 1, error, jnp.nan)
    # Half a resample away from none and from all of them, z0 is finite.
    fraction = jnp.clip(below + tied / 2, 0.5, jnp.maximum(defined - 0.5, 0.5))
    fraction = safe_divide(fraction, defined, 0.5)
    # z and z0, the normal quantiles of (1 + level) / 2 and of the fraction.
    level = jnp.broadcast_to(level, fraction.shape)
    z, z0 = math.sqrt(2) * lax.erf_inv(jnp.stack([level, 2 * fraction - 1]))
    only = estimate[0]
    if method == "normal":
        low, high = only - z * error, only + z * error
    else:
        tails = jnp.stack([(1 - level) / 2, (1 + level) / 2])
        if method == "bca":
            tails = _bca_levels(jnp.stack([-z, z]), z0, replicates.acceleration)
        low, high = _quantiles(jnp.sort(used, axis=0), defined, tails)
    if method == "basic":
        low, high = 2 * only - high, 2 * only - low
    elif method == "studentized":
        low, high = only - high * replicates.error[0], only - low * replicates.error[0]
    p_value = p_value_of(far, n_known, only)
    return ReplicateSummary(low, high, error, bias, p_value, distribution.shape[0] - whole)


def _bca_levels(z: Array, z0: Array, acceleration: Array) -> Array:
    """Φ(z0 + (z0 + z) / (1 − a (z0 + z))), the levels of the quantiles that are the ends."""
    shifted = z0[None] + z
    denominator = 1 - acceleration * shifted
    limit = jnp.where(shifted < 0, -jnp.inf, jnp.inf)
    end = jnp.where(denominator <= 0, limit, z0[None] + safe_divide(shifted, denominator, 0.0))
    return lax.erfc(-math.sqrt(0.5) * end) / 2


def studentized(replicates: Replicates) -> Array:
    """How many of its standard errors each resample is above the estimate; NaN without one."""
    assert replicates.errors is not None
    distance = replicates.distribution - replicates.estimate
    return safe_divide(distance, replicates.errors, jnp.nan)


def _quantiles(ordered: Array, defined: Array, levels: Array) -> Array:
    """Quantiles of sorted columns, of which so many entries are defined, by linear interpolation.

    `levels` has a row for each of them; NaN where nothing is defined, and for a NaN.
    """
    index = levels * (defined - 1)[None]
    below = jnp.floor(index)
    fraction = index - below
    rows = jnp.stack([below, jnp.ceil(index)])
    rows = jnp.clip(jnp.where(jnp.isnan(rows), 0, rows).astype(jnp.int32), 0, ordered.shape[0] - 1)
    low, high = jnp.take_along_axis(ordered[None], rows, axis=1)
    between = jnp.clip(low * (1 - fraction) + high * fraction, low, high)
    between = jnp.where(low == high, low, between)
    return jnp.where(jnp.isnan(index) | (defined == 0)[None], jnp.nan, between)


def at_least_as_extreme(deviation: Array, estimate: Array, scale: Array) -> Array:
    """Whether chance alone goes as far as the estimate.

    What differs by the rounding of numbers as large as `scale` is as far.
    """
    return jnp.abs(deviation) >= jnp.abs(estimate) - rounding_of(scale)


def rounding_of(scale: Array) -> Array:
    """The largest difference between equal numbers, as large as `scale`, that rounding may make."""
    slack = 8 * jnp.finfo(scale.dtype).eps * scale
    return jnp.where(jnp.isfinite(slack), slack, jnp.zeros_like(slack))


def p_value_of(far: Array, known: Array, estimate: Array) -> Array:
    """Two-sided p-value: how often chance alone goes as far as the estimate, which counts too."""
    p_value = (1 + far) / (1 + known)
    return jnp.where(jnp.isnan(estimate) | (known == 0), jnp.nan, p_value)


class InfluenceMoments(NamedTuple):
    """Moments of the distribution of an estimate, from the influence of the units."""

    error: Array
    """Its standard error."""
    acceleration: Array
    """How fast that changes with the estimate: a sixth of its skewness."""


def centred(influences: Array, counts: Array) -> Array:
    """Influence of each unit (last axis) less their mean, which is 0 unless the metric is a sum."""
    counts = jnp.broadcast_to(counts, influences.shape)
    of_all, total = jnp.sum(jnp.stack([influences * counts, counts]), axis=-1, keepdims=True)
    mean = safe_divide(of_all, total, 0.0)
    return jnp.where(counts > 0, influences - mean, jnp.zeros_like(influences))


def influence_moments(influences: Array, counts: Array) -> InfluenceMoments:
    """Moments of independent units along the last axis, each repeated `counts` times.

    A sum of independent terms of the size of the influences l has the variance Σ l² and the third
    moment Σ l³, so that its skewness is Σ l³ / (Σ l²)^(3/2). The powers are those of l / max |l|,
    whose sums do not underflow.
    """
    influences, counts = centred(influences, counts), jnp.broadcast_to(counts, influences.shape)
    unit = lax.stop_gradient(jnp.max(jnp.abs(influences), axis=-1, keepdims=True, initial=0.0))
    ratio = safe_divide(influences, jnp.broadcast_to(unit, influences.shape), 0.0)
    second, third = jnp.sum(jnp.stack([counts * ratio**2, counts * ratio**3]), axis=-1)
    error = safe_sqrt(second)
    return InfluenceMoments(error * unit[..., 0], safe_divide(third, 6 * error**3, 0.0))
