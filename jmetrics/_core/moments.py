"""Weighted moments of each column, without sums of squares, so that parts merge exactly."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.numerics import safe_divide, weighted_sum


class Moments(NamedTuple):
    """What a column of weighted numbers is like; all fields have one entry a column."""

    entries: Array
    """Number of entries with weight, an integer."""
    weight: Array
    mean: Array
    deviation: Array
    """Σ w (x − mean)²."""
    low: Array
    """Least entry with weight; +inf when there is none."""
    high: Array

    @property
    def constant(self) -> Array:
        """Whether all entries with weight are equal, found by comparing them."""
        return self.low >= self.high


class CoMoments(NamedTuple):
    """What two columns of weighted numbers are like together."""

    x: Moments
    y: Moments
    product: Array
    """Σ w (x − mean x)(y − mean y)."""


class _Centred(NamedTuple):
    """A column as deviations from a centre near its mean, and their weighted sum."""

    moments: Moments
    d: Array
    first: Array


def moments(x: Array, weight: Array) -> Moments:
    """Moments over the first axis of floats `x`; `weight` has the axes of `x`, or 1."""
    return _centred(x, weight).moments


def comoments(x: Array, y: Array, weight: Array) -> CoMoments:
    """Moments of both over the first axis, and their product; all three have the same axes."""
    (of_x, dx, first_x), (of_y, dy, first_y) = _centred(x, weight), _centred(y, weight)
    product = weighted_sum(dx * dy, weight) - safe_divide(first_x * first_y, of_x.weight, 0.0)
    return CoMoments(of_x, of_y, product)


def _centred(x: Array, weight: Array) -> _Centred:
    """Take deviations from a centre between the extremes.

    Σ w d² − (Σ w d)² / Σ w is the same for every centre, so the centre carries no derivative
    and its rounding does no harm.
    """
    on = jnp.broadcast_to(weight != 0, x.shape)
    low = jnp.min(x, axis=0, where=on, initial=jnp.inf)
    high = jnp.max(x, axis=0, where=on, initial=-jnp.inf)
    total = jnp.broadcast_to(jnp.sum(weight, axis=0).astype(x.dtype), low.shape)
    centre = jnp.clip(safe_divide(weighted_sum(x, weight), total, 0.0), low, high)
    centre = lax.stop_gradient(jnp.where(low <= high, centre, jnp.zeros_like(centre)))
    d = x - centre[None]
    first = weighted_sum(d, weight)
    shift = safe_divide(first, total, 0.0)
    deviation = jnp.maximum(weighted_sum(jnp.square(d), weight) - first * shift, 0)
    entries = jnp.sum(on, axis=0, dtype=jnp.int32)
    return _Centred(Moments(entries, total, centre + shift, deviation, low, high), d, first)


def merge_moments(a: Moments, b: Moments) -> Moments:
    """Moments of two sets taken together (Chan, Golub & LeVeque 1983)."""
    weight = a.weight + b.weight
    share = safe_divide(b.weight, weight, 0.0)
    gap = b.mean - a.mean
    return Moments(
        a.entries + b.entries,
        weight,
        a.mean + gap * share,
        a.deviation + b.deviation + jnp.square(gap) * a.weight * share,
        jnp.minimum(a.low, b.low),
        jnp.maximum(a.high, b.high),
    )


def merge_comoments(a: CoMoments, b: CoMoments) -> CoMoments:
    """Moments of two sets of pairs taken together."""
    share = safe_divide(a.x.weight * b.x.weight, a.x.weight + b.x.weight, 0.0)
    gap = (b.x.mean - a.x.mean) * (b.y.mean - a.y.mean)
    return CoMoments(
        merge_moments(a.x, b.x), merge_moments(a.y, b.y), a.product + b.product + gap * share
    )
