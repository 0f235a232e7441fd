"""Binomial and Poisson counts of any size, with exact probabilities.

Of N draws, each a hit with probability p, k are hits with probability

    P(k) = N! / (k! (N − k)!) p^k (1 − p)^(N − k).

Near a mean of 1e9, log k! is 2e10, which float32 rounds to a multiple of 2048, so that differences
of such logarithms tell nothing. Here a count is its distance d = k − μ from the mean. With μ = N p
hits and ν = N (1 − p) misses expected, `_log_chance` gives log P(μ + d), up to a constant, by terms
of the order of d² / μ, which is a few: float32 tells it as well for 1e9 draws as for ten. The
Poisson distribution is the limit of many misses.

A float32 of 1e9 is off by up to 32, so the mean is kept as `base` + `remainder`, a whole number and
a float. A bootstrap draws nearly as often from the cells that are left as these have samples, so
that the remainder is of the order of p √N.

Counts of a small mean come by inversion, one after the other, those of a large mean by rejection.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.numerics import safe_divide

_LARGE = 10.0
"""From this mean on, the hat of the rejection sampler covers the probabilities."""

_LEAST = 1e-9
"""A probability that random numbers cannot distinguish from 0."""

_NEARLY_ALL = 1e30
"""With this many misses the binomial distribution is Poisson's."""

_TERMS = 7


def binomial(keys: Array, draws: Array, hits: Array, total: Array, dtype: DTypeLike) -> Array:
    """Number of hits among draws, where `hits` of `total` are hits.

    There are two keys. All else is int32 of one shape; `hits` and `total` may have fewer axes.
    Chances are computed in `dtype`.

    Where hits are the larger part, misses are drawn. With draws = quotient × total + remaining, the
    mean draws × hits / total is quotient × hits, exactly, plus remaining × hits / total, where
    `remaining` is rounded to the nearest and thus at most total / 2 in size.
    """
    hits, total = (jnp.broadcast_to(a, draws.shape) for a in (hits, jnp.maximum(total, 1)))
    flipped = hits > total - hits
    rare = jnp.where(flipped, total - hits, hits)
    quotient, remaining = lax.div(draws, total), lax.rem(draws, total)
    up = remaining > total - remaining
    quotient, remaining = (
        quotient + up.astype(jnp.int32),
        jnp.where(up, remaining - total, remaining),
    )
    chance = rare.astype(dtype) / total.astype(dtype)
    remainder = chance * remaining.astype(dtype)
    found = _counts(keys, quotient * rare, remainder, (1 - chance) * draws.astype(dtype))
    found = jnp.minimum(found, draws)
    return jnp.where(flipped, draws - found, found)


def poisson(keys: Array, mean: Array, dtype: DTypeLike) -> Array:
    """Poisson counts of means that are whole numbers."""
    remainder = jnp.zeros(mean.shape, dtype)
    return _counts(keys, mean, remainder, jnp.full_like(remainder, _NEARLY_ALL))


def _counts(keys: Array, base: Array, remainder: Array, misses: Array) -> Array:
    """Counts of hits of mean `base` + `remainder`, for so many misses as likely or more so."""
    mean = jnp.maximum(base.astype(remainder.dtype) + remainder, 0)
    large = mean >= _LARGE
    from_small = _searched(keys[0], jnp.where(large, 0, mean), misses)
    off = _rejected(keys[1], large, jnp.maximum(mean, _LARGE), remainder, misses)
    return jnp.where(large, jnp.maximum(base + off, 0), from_small)


def _searched(key: Array, mean: Array, misses: Array) -> Array:
    """Counts of small means: the first up to which the chances exceed a random number.

    P(0) = (1 − p)^N = (1 + odds)^−N and P(k + 1) = P(k) × odds × (N − k) / (k + 1), with odds
    p / (1 − p) = μ / ν. For a Poisson count ν is so large that N × odds is μ to the last digit.
    """
    number = jax.random.uniform(key, mean.shape, mean.dtype)
    odds, draws = safe_divide(mean, misses, 0.0), mean + misses
    nothing = jnp.exp(-draws * jnp.log1p(odds))

    def goes_on(remaining: Array, chance: Array, count: Array) -> Array:
        return (remaining >= chance) & ((count < mean) | (chance > _LEAST))

    def step(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        remaining, chance, count = state
        on = goes_on(remaining, chance, count)
        after = jnp.maximum(chance * odds * (draws - count) / (count + 1), 0)
        new = remaining - chance, after, count + 1
        return tuple(jnp.where(on, a, b) for a, b in zip(new, state, strict=True))  # type: ignore[return-value]

    start = number, nothing, jnp.zeros_like(mean)
    _, _, count = lax.while_loop(lambda state: jnp.any(goes_on(*state)), step, start)
    return count.astype(jnp.int32)


def _rejected(key: Array, wanted: Array, mean: Array, remainder: Array, misses: Array) -> Array:
    """Counts of large means less `base`, by transformed rejection with a squeeze.

    This is algorithm BTRS of Hörmann (1993), "The generation of binomial random variates". For u
    uniform in (−½, ½) and e = ½ − |u|, the function

        G(u) = (2 a / e + b) u + μ + ½   has the slope   G'(u) = a / e² + b,

    and is nearly the quantile function of the distribution, but with heavier tails. The count
    k = ⌊G(u)⌋ is accepted with probability proportional to P(k) G'(u), that is if a second uniform
    number v satisfies

        v ≤ P(k) / P(mode) × G'(u) / height,

    whose right side is at most 1 for the fitted a, b and height if μ ≥ 10. Where e ≥ 0.07 it is at
    least 0.92 − 4.2 / b, so that most are accepted without a look at P. The mode is ⌊μ + p⌋. The
    same holds for counts less `base`, with `remainder` in place of μ.
    """
    chance = mean / (mean + misses)
    scale = jnp.sqrt(mean * (1 - chance))
    b = 1.15 + 2.53 * scale
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    height = (2.83 + 5.1 / b) * scale
    least, most = -mean + remainder - 0.5, misses + remainder + 0.5
    top = _log_chance(jnp.floor(remainder + chance) - remainder, mean, misses)

    def step(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        i, done, off = state
        u, v = jax.random.uniform(jax.random.fold_in(key, i), (2, *mean.shape), mean.dtype)
        u = u - 0.5
        edge = jnp.maximum(0.5 - jnp.abs(u), jnp.finfo(mean.dtype).eps / 4)
        tried = jnp.floor((2 * a / edge + b) * u + remainder + 0.5)
        likely = (edge >= 0.07) & (v <= 0.92 - 4.2 / b)
        inside = (tried > least) & (tried < most)
        distance = jnp.where(inside, tried - remainder, 0)
        under = jnp.log(v * height / (a / edge**2 + b)) <= _log_chance(distance, mean, misses) - top
        return i + 1, done | likely | (inside & under), jnp.where(done, off, tried)

    start = jnp.int32(1), ~wanted, jnp.zeros_like(mean)
    *_, off = lax.while_loop(lambda state: ~jnp.all(state[1]), step, start)
    return off.astype(jnp.int32)


def _log_chance(distance: Array, mean: Array, misses: Array) -> Array:
    """Log-probability of a count at a distance from the mean, up to a constant.

    `_side` gives log (μ + d)! = `_side(d, μ)` + d log (μ + 1) + constant, and misses are ν − d. So

        log P = −log (μ + d)! − log (ν − d)! + (μ + d) log p + (ν − d) log (1 − p) + constant
              = −side(d, μ) − side(−d, ν) + d [log (ν + 1) − log (μ + 1) + log (μ / ν)] + constant,

    as p / (1 − p) = μ / ν. The bracket is log (1 + 1 / ν) − log (1 + 1 / μ): the large logarithms
    have cancelled before they are computed.
    """
    tilt = jnp.log1p(1 / mean) - jnp.log1p(1 / misses)
    return -(_side(distance, mean) + _side(-distance, misses) + distance * tilt)


def _side(distance: Array, mean: Array) -> Array:
    """Log of (mean + distance)! less a constant and its slope at 0.

    Stirling's series for z = k + 1 is log k! = (z − ½) log z − z + tail(z) + constant, where
    tail(z) = 1 / 12z − 1 / 360z³ + 1 / 1260z⁵. With m = μ + 1, t = d / m and z = m (1 + t)

        (z − ½) log z − z = m [(1 + t) log (1 + t) − t] − ½ log (1 + t) + d log m + constant,

    of which d log m, large, is the slope. Counts below 0, which are rejected, must not give NaN.
    """
    around = mean + 1
    t = jnp.maximum(distance / around, -1 + 0.5 / around)
    count = around * (1 + t)
    tail = (1 / 12 - (1 / 360 - 1 / (1260 * count**2)) / count**2) / count
    return around * _excess(t) - jnp.log1p(t) / 2 + tail


def _excess(t: Array) -> Array:
    """(1 + t) log (1 + t) − t; near 0 by its series, Σ_k≥2 (−t)^k / (k (k − 1)), as both cancel."""
    series = jnp.zeros_like(t)
    for k in range(_TERMS + 1, 1, -1):
        series = 1 / (k * (k - 1)) - t * series
    return jnp.where(jnp.abs(t) < 0.1, t * t * series, (1 + t) * jnp.log1p(t) - t)
