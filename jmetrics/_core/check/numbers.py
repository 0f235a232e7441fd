"""Anything as an array of real numbers."""

from __future__ import annotations

from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.check.advice import instead

_FLOATS = "give floats, or turn on `jax_enable_x64`"
NUMBERED = "number them from 0, as by `np.unique(ids, return_inverse=True)[1]`"
"""What helps where integers are names."""


def array(name: str, value: Any, *, if_wide: str = _FLOATS) -> Array:
    """Return `value` as an array of real numbers; `if_wide` says what helps where digits go.

    An array of NumPy's stays one, of a dtype that JAX has: programs take it as it is, at a
    third of the time that it takes to make it one of JAX's first.
    """
    if not fits(value):
        bits = jax.dtypes.canonicalize_dtype(value.dtype).itemsize * 8
        raise ValueError(f"`{name}` holds integers beyond {bits} bits; {if_wide}")
    try:
        converted = value if isinstance(value, Array) else _converted(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must be an array of numbers: {error}") from error
    if jnp.issubdtype(converted.dtype, jnp.complexfloating):
        raise TypeError(f"`{name}` must hold real numbers, got {converted.dtype}")
    return converted


def _converted(value: Any) -> Array:
    if type(value) is np.ndarray and value.dtype.isnative:
        return cast(Array, value.astype(jax.dtypes.canonicalize_dtype(value.dtype), copy=False))
    return jnp.asarray(value)


def vector(name: str, value: Any) -> Array:
    """Return an array that must have one axis."""
    converted = array(name, value)
    if converted.ndim != 1:
        told = instead({name: converted})
        raise ValueError(f"`{name}` must have one axis, got shape {converted.shape}{told}")
    return converted


def fits(value: Any) -> bool:
    """Whether these are no NumPy integers that `jnp.asarray` would wrap around without a word."""
    if not isinstance(value, np.ndarray | np.integer) or value.dtype.kind not in "iu":
        return True
    kept = jnp.iinfo(jax.dtypes.canonicalize_dtype(value.dtype))
    narrow = value.dtype.itemsize * 8 <= kept.bits or value.size == 0
    return narrow or bool(value.min() >= kept.min and value.max() <= kept.max)
