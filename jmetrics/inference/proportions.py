"""Intervals of a proportion of samples, such as an accuracy or a recall."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.scipy.special import betainc, expit, ndtri

from jmetrics._core import check
from jmetrics._core.numerics import accumulator, safe_divide, safe_sqrt
from jmetrics._core.plan import UNIT
from jmetrics._core.types import ArrayLike, Number
from jmetrics.inference._interval import Interval, checked_level, within

METHODS = ("wilson", "clopper-pearson")

_HALVINGS = 48
_MAX_IN_FLOAT32 = 1e5


def proportion_interval(
    hits: ArrayLike,
    total: ArrayLike,
    *,
    confidence_level: Number = 0.95,
    method: str = "wilson",
) -> Interval:
    """Confidence interval of a proportion of independent samples, hits / total.

    "wilson" inverts the score test and has the nominal coverage on average over proportions: its
    centre is (p + z² / 2n) / (1 + z² / n), its half width
    z √(p (1 − p) / n + z² / 4n²) / (1 + z² / n). "clopper-pearson" inverts the exact binomial test
    and has at least the nominal coverage, mostly more: its ends are quantiles of
    Beta(hits, total − hits + 1) and Beta(hits + 1, total − hits).

    An accuracy is a proportion of all samples, a recall one of the positives, a precision one of
    the predicted positives: `hits` and `total` are entries of a confusion matrix and sums of them.
    Neither need be an integer, so that an effective number of samples can stand for `total`.

    Args:
        hits: Number of successes, any shape, in [0, total].
        total: Number of trials, shape of `hits`, positive.
        confidence_level: Coverage aimed at, in (0, 1); traced.
        method: "wilson" or "clopper-pearson"; static.

    Returns:
        An `Interval` whose arrays have the shape of `hits`, in [0, 1].

    Undefined:
        NaN unless 0 ≤ hits ≤ total and 0 < total. In float32, which has too few digits for the beta
        distribution of more, "clopper-pearson" is NaN beyond 10⁵ samples, where "wilson" gives the
        same, and up to there exact to 1 % of its width; in float64 it is exact.

    Cost:
        O(1) per entry; 48 evaluations of the incomplete beta function for "clopper-pearson".

    References:
        Wilson (1927); Clopper & Pearson (1934); Brown, Cai & DasGupta (2001);
        `statsmodels.stats.proportion.proportion_confint`.

    Examples:
        >>> found = proportion_interval(9, 10)
        >>> round(float(found.low), 4), round(float(found.high), 4)
        (0.5958, 0.9821)
    """
    check.one_of("method", method, METHODS)
    level = check.level("confidence_level", confidence_level)
    hits, total = check.array("hits", hits), check.array("total", total)
    check.require(
        hits.shape == total.shape,
        f"expected arrays of one shape, got `hits` {hits.shape} and `total` {total.shape}",
    )
    return _proportion_interval(hits, total, level, method=method)


@functools.partial(jax.jit, static_argnames="method")
def _proportion_interval(hits: Array, total: Array, level: Array, *, method: str) -> Interval:
    dtype = accumulator(hits, total)
    hits, total = hits.astype(dtype), total.astype(dtype)
    valid = (hits >= 0) & (hits <= total) & (total > 0)
    hits = check.nan_unless(hits, valid, "`hits` must be from 0 to `total`, above 0")
    proportion = safe_divide(hits, total, jnp.nan)
    level = checked_level(level, proportion)
    if method == "wilson":
        low, high = _wilson(hits, total, level)
    else:
        few = (total <= _MAX_IN_FLOAT32) | (dtype == jnp.float64)
        counted = check.nan_unless(hits, few, "`total` is too large for float32")
        low, high = _clopper_pearson(counted, total, level)
    low, high = within(low, high, *UNIT)
    error = safe_sqrt(safe_divide(proportion * (1 - proportion), total, jnp.nan))
    return Interval(proportion, low, high, error, method)


def _wilson(hits: Array, total: Array, level: Array) -> tuple[Array, Array]:
    z = ndtri((1 + level) / 2)
    misses = total - hits
    centre = hits + jnp.square(z) / 2
    reach = z * safe_sqrt(safe_divide(hits * misses, total, 0.0) + jnp.square(z) / 4)
    whole = total + jnp.square(z)
    low = jnp.where(hits == 0, jnp.zeros_like(hits), (centre - reach) / whole)
    high = jnp.where(misses == 0, jnp.ones_like(hits), (centre + reach) / whole)
    return low, high


def _clopper_pearson(hits: Array, total: Array, level: Array) -> tuple[Array, Array]:
    tail, misses = (1 - level) / 2, total - hits
    low = _beta_quantile(hits, misses + 1, tail)
    high = 1 - _beta_quantile(misses, hits + 1, tail)
    low = jnp.where(hits == 0, jnp.zeros_like(hits), low)
    high = jnp.where(misses == 0, jnp.ones_like(hits), high)
    unknown = jnp.isnan(hits)
    return jnp.where(unknown, jnp.nan, low), jnp.where(unknown, jnp.nan, high)


def _beta_quantile(a: Array, b: Array, proportion: Array) -> Array:
    """Quantile of the beta distribution, by halving the logit: exact in digits near 0 too."""
    a = jnp.where(a > 0, a, jnp.ones_like(a))

    def halve(_: Array, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = (low + high) / 2
        beyond = betainc(a, b, expit(middle)) > proportion
        return jnp.where(beyond, low, middle), jnp.where(beyond, middle, high)

    far = jnp.full_like(a, 80)
    low, high = lax.fori_loop(0, _HALVINGS, halve, (-far, far))
    return expit((low + high) / 2)
