"""Derivatives that are NaN for what depends on a lost value, and stay 0 for what does not."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax


def nan_if(tangent: Array, lost: Array) -> Array:
    """Turn a tangent that is `lost`, and its cotangent, into NaN unless it is 0.

    0 × NaN would be NaN. Two finite factors leave 0 what it is, and make ∞ of any other number,
    and ∞ − ∞ is NaN. Barriers keep a compiler from multiplying the factors first, and from
    rounding a product and a sum once; those of each term keep the transpose from adding first.
    """
    far = jnp.where(lost, jnp.finfo(tangent.dtype).max, jnp.ones_like(tangent))
    alone = lax.optimization_barrier
    above, below = (alone(alone(alone(tangent) * far) * end) for end in (far, -far))
    return jnp.where(lost, above + below, tangent)


def slope_times(slope: Array, tangent: Array) -> Array:
    """slope × tangent, where a slope that is not finite leaves a tangent of 0, and a cotangent, 0.

    What nothing is asked of then gives no NaN to weights that it shares with other outputs.
    """
    lost = ~jnp.isfinite(slope)
    known = jnp.where(lost, jnp.zeros_like(slope), slope) * tangent
    return known + jnp.where(lost, nan_if(tangent, lost), jnp.zeros_like(tangent))


def over_slope(tangent: Array, divisor: Array) -> Array:
    """tangent / divisor, where a divisor that is NaN leaves a tangent of 0, and a cotangent, 0."""
    lost = jnp.isnan(divisor)
    return nan_if(tangent / jnp.where(lost, jnp.ones_like(divisor), divisor), lost)


@jax.custom_jvp
def value_or_nan(value: Array, inside: Array) -> Array:
    """Turn a value into NaN, with NaN gradient unless the cotangent is 0, where not `inside`."""
    return jnp.where(inside, value, jnp.full_like(value, jnp.nan))


@value_or_nan.defjvp
def _value_or_nan_jvp(primals: tuple[Array, Array], tangents: Any) -> tuple[Array, Array]:
    (value, inside), (tangent, _) = primals, tangents
    return value_or_nan(value, inside), nan_if(tangent, ~inside)
