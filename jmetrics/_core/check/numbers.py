"""Anything as an array of real numbers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.check.advice import instead


def array(name: str, value: Any) -> Array:
    """Return `value` as an array of real numbers."""
    _fits(name, value)
    try:
        converted = jnp.asarray(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must be an array of numbers: {error}") from error
    if jnp.issubdtype(converted.dtype, jnp.complexfloating):
        raise TypeError(f"`{name}` must hold real numbers, got {converted.dtype}")
    return converted


def vector(name: str, value: Any) -> Array:
    """Return an array that must have one axis."""
    converted = array(name, value)
    if converted.ndim != 1:
        told = instead({name: converted})
        raise ValueError(f"`{name}` must have one axis, got shape {converted.shape}{told}")
    return converted


def _fits(name: str, value: Any) -> None:
    """Refuse NumPy integers that `jnp.asarray` would wrap around without a word."""
    if not isinstance(value, np.ndarray | np.integer) or value.dtype.kind not in "iu":
        return
    kept = jnp.iinfo(jax.dtypes.canonicalize_dtype(value.dtype))
    wide = value.dtype.itemsize * 8 > kept.bits and value.size > 0
    if wide and (value.min() < kept.min or value.max() > kept.max):
        raise ValueError(
            f"`{name}` holds integers beyond {kept.bits} bits; give floats, or turn on "
            "`jax_enable_x64`"
        )
