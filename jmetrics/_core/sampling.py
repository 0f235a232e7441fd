"""Derivatives in the weights as sampling theory has them, where calculus has none.

A quantile, a largest number or a threshold stays where it is when weights change a little, and
jumps when they change more. Its derivative in the weights is 0, which would say that it does
not depend on the sample at all. While an influence is asked for, and only then, a quantile has
the derivative of its smoothed counterpart, and what has no such counterpart has NaN.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.tangents import nan_if

_weights = check.TracingMode("weights")


def sampling() -> AbstractContextManager[None]:
    """Trace with derivatives in the weights that are influences."""
    return _weights.set("sampled")


def is_sampling() -> bool:
    """Whether what is traced now is to have influences for derivatives in the weights."""
    return _weights.setting is not None


def jumping(value: Array, weight: Array) -> Array:
    """A value that jumps as weights change, so that no derivative tells how it varies: NaN."""
    if not is_sampling() or not jnp.issubdtype(weight.dtype, jnp.floating):
        return value
    return _jumping(value, weight)


@jax.custom_jvp
def _jumping(value: Array, weight: Array) -> Array:
    del weight
    return value


@_jumping.defjvp
def _jumping_jvp(
    primals: tuple[Array, Array], tangents: tuple[Array, Array]
) -> tuple[Array, Array]:
    (value, weight), (by_value, by_weight) = primals, tangents
    lost = nan_if(by_weight, weight == weight)
    return _jumping(value, weight), by_value + jnp.sum(lost).astype(value.dtype)
