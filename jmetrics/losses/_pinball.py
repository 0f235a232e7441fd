"""The pinball loss of a target with added noise, and its derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.numerics import absolute

KERNELS = ("logistic", "gaussian", "uniform", "laplace", "huber")


class _Noise(NamedTuple):
    """A symmetric distribution of scale 1."""

    tail: Callable[[Array], Array]
    """P(Z > z) for any z."""
    excess: Callable[[Array], Array]
    """E max(Z − r, 0) for r ≥ 0: what the noise adds to the loss."""


def _normal_tail(z: Array) -> Array:
    return jax.scipy.special.erfc(z * math.sqrt(0.5)) / 2


def _normal_excess(r: Array) -> Array:
    return jnp.exp(-jnp.square(r) / 2) / math.sqrt(2 * math.pi) - r * _normal_tail(r)


def _laplace_tail(z: Array) -> Array:
    positive, zero = z > 0, jnp.zeros_like(z)
    right, left = jnp.where(positive, -z, zero), jnp.where(positive, zero, z)
    return jnp.where(positive, jnp.exp(right) / 2, 1 - jnp.exp(left) / 2)


def _uniform_excess(r: Array) -> Array:
    return jnp.square(jnp.maximum(1 - r, 0)) / 4


_NOISES = {
    "logistic": _Noise(lambda z: jax.nn.sigmoid(-z), lambda r: jnp.log1p(jnp.exp(-r))),
    "gaussian": _Noise(_normal_tail, _normal_excess),
    "uniform": _Noise(lambda z: jnp.clip((1 - z) / 2, 0, 1), _uniform_excess),
    "laplace": _Noise(_laplace_tail, lambda r: jnp.exp(-r) / 2),
}


def smooth_pinball(error: Array, alpha: Array, smoothing: Array, kernel: str) -> Array:
    """Loss of each error, for a level and a smoothing of the same shape."""
    alpha = check.nan_unless(alpha, (alpha >= 0) & (alpha <= 1), "`alpha` must be in [0, 1]")
    smoothing = check.nan_unless(smoothing, smoothing >= 0, "`smoothing` must not be negative")
    if kernel == "huber":
        return _moreau(error, alpha, smoothing)
    return _convolved(_NOISES[kernel])(error, alpha, smoothing)


def _moreau(error: Array, alpha: Array, smoothing: Array) -> Array:
    """Largest v u − τ v² / 2 for slopes v from α − 1 to α."""
    # Beyond a width of |u| the slope is at its end, whatever the width.
    slope = jnp.clip(error / _width(error, smoothing, 1), alpha - 1, alpha)
    return slope * error - smoothing / 2 * jnp.square(slope)


def _convolved(noise: _Noise) -> Callable[[Array, Array, Array], Array]:
    """E ρ_α(u + τ Z) = max(α u, (α − 1) u) + τ E max(Z − |u| / τ, 0)."""

    @jax.custom_jvp
    def loss(error: Array, alpha: Array, smoothing: Array) -> Array:
        exact = jnp.maximum(alpha * error, (alpha - 1) * error)
        return exact + smoothing * noise.excess(absolute(_standardised(error, smoothing)))

    @loss.defjvp
    def loss_jvp(
        primals: tuple[Array, Array, Array], tangents: tuple[Array, Array, Array]
    ) -> tuple[Array, Array]:
        # The kinks of the two terms cancel, but not in their separate derivatives.
        error, alpha, smoothing = primals
        z = _standardised(error, smoothing)
        r = absolute(z)
        slopes = alpha - noise.tail(z), error, noise.excess(r) + r * noise.tail(r)
        changes = [s * t for s, t in zip(slopes, tangents, strict=True)]
        return loss(*primals), changes[0] + changes[1] + changes[2]

    return loss


def _standardised(error: Array, smoothing: Array) -> Array:
    """u / τ; beyond 100 widths the noise adds nothing, and its derivatives must be 0."""
    return error / _width(error, smoothing, 100)


def _width(error: Array, smoothing: Array, most: float) -> Array:
    """The smoothing, or what is at least |u| / most; infinite where both are 0, as in a kink."""
    width = jnp.maximum(smoothing, jnp.abs(lax.stop_gradient(error)) / most)
    return jnp.where(width == 0, jnp.inf, width)
