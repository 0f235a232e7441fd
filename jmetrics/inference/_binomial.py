"""Binomial and Poisson counts of any size, with exact probabilities.

Chances of counts near a large mean are differences of huge logarithms, in which float32 keeps
nothing beyond 1e6 or so. Here a count is its distance from the mean, and its chance is that of
the distance: float32 tells it as well for 1e9 draws as for ten.
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

    There are two keys. The rest are int32 of one shape; `hits` and `total` may have fewer axes.
    Chances are computed in `dtype`. The mean, draws × hits / total, is kept as a whole number
    and a rest.
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
    """Counts of small means, the first up to which the chances exceed a random number."""
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
    """Distances of counts of large means from these less their rests, under a hat.

    The hat is that of Hörmann (1993), `The generation of binomial random variates`.
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

    Of Stirling's log k! = (k + ½) log (k + 1) − (k + 1) + …, for hits and for misses, what
    does not depend on the distance is left out, and what is large and cancels too.
    """
    tilt = jnp.log1p(1 / mean) - jnp.log1p(1 / misses)
    return -(_side(distance, mean) + _side(-distance, misses) + distance * tilt)


def _side(distance: Array, mean: Array) -> Array:
    """Log of (mean + distance)! less its value and slope at 0."""
    around = mean + 1
    t = jnp.maximum(distance / around, -1 + 0.5 / around)
    count = around * (1 + t)
    tail = (1 / 12 - (1 / 360 - 1 / (1260 * count**2)) / count**2) / count
    return around * _excess(t) - jnp.log1p(t) / 2 + tail


def _excess(t: Array) -> Array:
    """(1 + t) log(1 + t) − t, by its series near 0."""
    series = jnp.zeros_like(t)
    for k in range(_TERMS + 1, 1, -1):
        series = 1 / (k * (k - 1)) - t * series
    return jnp.where(jnp.abs(t) < 0.1, t * t * series, (1 + t) * jnp.log1p(t) - t)
