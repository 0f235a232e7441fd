"""Anything as an array of real numbers, none of which is another than was handed in."""

from __future__ import annotations

import functools
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import settings
from jmetrics._core.check.advice import instead

_FLOATS = "give floats, or turn on `jax_enable_x64`"
NUMBERED = "number them from 0, as by `np.unique(ids, return_inverse=True)[1]`"
"""What helps where integers are names."""


def array(name: str, value: Any, *, compared: bool = True, if_wide: str = _FLOATS) -> Array:
    """Return `value` as an array of real numbers, `compared` with one another or others or not.

    What is no JAX array becomes a NumPy array, of a dtype that JAX has, so that the same numbers
    are the same array, or the same error; `if_wide` says what helps where digits go. Programs
    take it as it is, at a third of the time that it takes to make it one of JAX's first.
    """
    if not isinstance(value, Array):
        numeric = type(value) is np.ndarray and value.dtype.kind != "O"
        host = value if numeric else _host(name, value)
        value = host if isinstance(host, Array) else _kept(name, host, compared, if_wide)
    if not _real(value.dtype):
        raise TypeError(f"`{name}` must hold real numbers, got {value.dtype}")
    return cast(Array, value)


def vector(name: str, value: Any) -> Array:
    """Return an array that must have one axis."""
    converted = array(name, value)
    if converted.ndim != 1:
        advice = instead({name: converted})
        raise ValueError(f"`{name}` must have one axis, got shape {converted.shape}{advice}")
    return converted


@functools.cache
def _real(dtype: Any) -> bool:
    return any(jnp.issubdtype(dtype, kind) for kind in (jnp.floating, jnp.integer, jnp.bool_))


_CPU = 1
"""The number of a processor's own memory in DLPack."""


def _host(name: str, value: Any) -> np.ndarray | Array:
    """Return what is no array yet as one: a NumPy array but for what is on a device."""
    try:
        if hasattr(value, "__jax_array__"):
            return value.__jax_array__()
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            on_host = value.__dlpack_device__()[0] == _CPU
            return np.from_dlpack(value) if on_host else jnp.from_dlpack(value)
        if isinstance(value, np.ma.MaskedArray):
            value = value.tolist()
        converted = np.asarray(value)
    except jax.errors.TracerArrayConversionError:  # a list of traced numbers
        return jnp.asarray(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise TypeError(f"`{name}` must be an array of numbers: {error}") from error
    return _of_numbers(name, converted) if converted.dtype == object else converted


def _of_numbers(name: str, objects: np.ndarray) -> np.ndarray:
    """Return Python objects as numbers, and those that are missing as NaN."""
    items = [np.nan if _missing(x) and objects.ndim else x for x in objects.ravel().tolist()]
    converted = np.array(items).reshape(objects.shape) if items else objects.astype(float)
    if converted.dtype != object:
        return converted
    if all(isinstance(x, int | float) for x in items):
        raise ValueError(f"`{name}` holds integers beyond 64 bits; give floats")
    strange = next(x for x in items if not isinstance(x, int | float))
    raise TypeError(f"`{name}` must be an array of numbers, got {strange!r}")


def _missing(x: Any) -> bool:
    """Whether this stands for a number that is not known: None, or the NA of pandas."""
    return x is None or type(x).__name__ == "NAType"


def _kept(name: str, x: np.ndarray, compared: bool, if_wide: str) -> np.ndarray:
    """Return numbers in a dtype that JAX keeps, or refuse to change them."""
    kept = _dtype_in_jax(name, x.dtype, settings.x64())
    if x.dtype == kept:
        return x
    if not fits(x):
        bits = 8 * kept.itemsize
        raise ValueError(f"`{name}` holds integers beyond {bits} bits; {if_wide}")
    if compared and kept == np.float32 and x.size:
        return _rounded(name, x)
    with np.errstate(over="ignore"):
        return x.astype(kept)


def fits(x: np.ndarray) -> bool:
    """Whether the dtype that JAX has for these holds all of them, if they are integers."""
    kept = jax.dtypes.canonicalize_dtype(x.dtype)
    if x.dtype.kind not in "iu" or x.dtype == kept or x.size == 0:
        return True
    return bool(x.min() >= np.iinfo(kept).min and x.max() <= np.iinfo(kept).max)


@functools.cache
def _dtype_in_jax(name: str, dtype: np.dtype, x64: bool) -> np.dtype:
    if dtype.kind in "USMmO" or dtype.fields is not None:
        raise TypeError(f"`{name}` must be an array of numbers, got {dtype}")
    if dtype.kind in "fc" and dtype.itemsize > 8 * (1 + (dtype.kind == "c")):
        dtype = np.dtype(np.float64 if dtype.kind == "f" else np.complex128)
    return jax.dtypes.canonicalize_dtype(dtype.newbyteorder("="))


_WHOLE = 2.0**24
"""From here on float32 no longer has all whole numbers."""

_ALIKE = 2.0**-10
"""Numbers whose range is more of the largest than this are told apart well enough."""

_NOISE = 2.0**-43
"""What float64 arithmetic leaves between numbers that are meant to be one."""


def _rounded(name: str, x: np.ndarray) -> np.ndarray:
    """Return float64 as float32, but whole numbers that it lacks as integers.

    Raises where rounding moves numbers by more than a tenth of their range: what they tell
    apart is lost then. Probabilities near 1 may be too near one another for it.
    """
    with np.errstate(over="ignore", under="ignore"):
        near = x.astype(np.float32)
    flat = near.ravel()
    low, high = float(np.fmin.reduce(flat)), float(np.fmax.reduce(flat))
    size = max(-low, high)
    if size >= _WHOLE and _whole(x) and np.max(np.abs(x)) < 2.0**31:
        return near if np.array_equal(near, x) else x.astype(np.int32)
    if high - low <= _ALIKE * size and not 0.5 <= low <= high <= 1:
        known = np.isfinite(near)
        _resolved(name, x[known], near[known])
    return near


def _whole(x: np.ndarray) -> bool:
    first = x.flat[0]  # most other arrays have no need of all
    return bool(first == np.floor(first) and np.all(x == np.floor(x)))


def _resolved(name: str, x: np.ndarray, near: np.ndarray) -> None:
    """Raise unless float32 tells apart what float64 does."""
    low, high = np.min(x, initial=np.inf), np.max(x, initial=-np.inf)
    if high - low > _NOISE * max(-low, high) and np.max(np.abs(x - near)) > (high - low) / 10:
        raise ValueError(
            f"`{name}` holds float64 numbers too near one another for float32, from {low} to "
            f"{high}; subtract an offset, or turn on `jax_enable_x64`"
        )
