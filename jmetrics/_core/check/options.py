"""Options: what is traced, what is static, and what each may be."""

from __future__ import annotations

import functools
import operator
from collections.abc import Collection, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import settings
from jmetrics._core.check.numbers import array
from jmetrics._core.types import Number


def cutoffs(name: str, value: Any) -> int | tuple[int, ...] | None:
    """Return a static number of ranks, or several; None stands for all ranks."""
    if isinstance(value, (tuple, list)):
        require(len(value) > 0, f"`{name}` must have at least one entry, got {value!r}")
        return tuple(positive_integer(name, k) for k in value)
    return None if value is None else positive_integer(name, value)


def split_options(options: dict[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, Any], ...]]:
    """Split the options of a metric: numbers are traced, what picks a branch is static."""
    plain, arrays = (float, np.floating), jax.Array
    traced: dict[str, Any] = {k: v for k, v in options.items() if isinstance(v, arrays)}
    traced |= {k: number(k, v) for k, v in options.items() if isinstance(v, plain)}
    for name, value in options.items():
        if hasattr(value, "__array__") and not isinstance(value, (np.generic, jax.Array)):
            traced[name] = array(name, value, compared=False)
    return traced, tuple((k, _hashable(v)) for k, v in options.items() if k not in traced)


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def level(name: str, value: Number) -> Array:
    """Return a traced fraction between 0 and 1; a plain number must be one."""
    converted = number(name, value)
    if isinstance(value, PLAIN) and not 0 < value < 1:
        raise ValueError(f"`{name}` must be between 0 and 1, got {value!r}")
    return converted


PLAIN = (bool, int, float)
"""Numbers of Python, which take the precision of the arrays that they meet."""


def number(name: str, value: Number) -> Array:
    """Return a traced option: a plain number as an array that stays on the device.

    A call would move it there each time, and `jax.transfer_guard` would not let it.
    """
    if isinstance(value, PLAIN):
        state = settings.x64(), settings.default_device()
        moved = _on_device(float(value), *state)
        if moved.is_deleted():  # as all arrays are by those who free memory
            _on_device.cache_clear()
            moved = _on_device(float(value), *state)
        return moved
    converted = array(name, value, compared=False)
    if converted.shape != ():
        raise ValueError(f"`{name}` must be a single number, got shape {converted.shape}")
    return converted


@functools.lru_cache(maxsize=1024)
def _on_device(value: float, x64: bool, device: Any) -> Array:
    """The number as an array of JAX, the same for each call under such settings."""
    with jax.ensure_compile_time_eval():
        return jax.device_put(value)


def _numbers(name: str, value: Any) -> Array:
    """Return a traced option of several numbers; plain ones are moved to the device, as one is."""
    converted = array(name, value, compared=False)
    return jax.device_put(converted) if isinstance(value, (list, tuple)) else converted


def number_or_samples(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Return a traced option that is one number or has one a sample."""
    if isinstance(value, PLAIN):
        return number(name, value)
    converted = array(name, value, compared=False)
    if converted.shape not in ((), shape):
        raise ValueError(
            f"`{name}` must be a number or have one entry a sample, shape {shape}, "
            f"got {converted.shape}"
        )
    return converted


def number_for_each(
    name: str, value: Number | Mapping[str, Number], keys: tuple[str, ...]
) -> tuple[Array, ...]:
    """Return a traced option for each of `keys`, from a dict with just these or one number."""
    if not isinstance(value, Mapping):
        return (number(name, value),) * len(keys)
    if set(value) != set(keys):
        expected = " and ".join(map(repr, keys))
        raise ValueError(f"`{name}` must be a number or have the keys {expected}, got {value!r}")
    return tuple(number(name, value[key]) for key in keys)


def number_or_vector(name: str, value: Any) -> Array:
    """Return a traced option that may have one axis."""
    if isinstance(value, PLAIN):
        return number(name, value)
    converted = _numbers(name, value)
    if converted.ndim > 1:
        raise ValueError(f"`{name}` must be a number or have one axis, got shape {converted.shape}")
    return converted


def positive_integer(name: str, value: Any) -> int:
    """Return a static count, which must be a whole number of at least 1."""
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool):
        raise TypeError(f"`{name}` must be a whole number, got {value!r}")
    if count < 1:
        raise ValueError(f"`{name}` must be at least 1, got {count}")
    return count


def random_key(name: str, value: Any) -> None:
    """Raise unless this is one random key, typed or of raw bits."""
    expected = f"`{name}` must be one random key of `jax.random`, such as `jax.random.key(0)`"
    bits = isinstance(value, (jax.Array, np.ndarray)) and value.dtype == jnp.uint32
    if bits:
        shape = _shape_of_bits(settings.prng_implementation())
    elif isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        shape = ()
    elif isinstance(value, (jax.Array, np.ndarray)):
        raise TypeError(f"{expected}, got an array of {value.dtype}")
    else:
        raise TypeError(f"{expected}, got {value!r}")
    if value.shape != shape:
        raise ValueError(f"{expected}, of shape {shape}, got shape {value.shape}")


def default_key() -> Array:
    """Return the raw bits of `jax.random.key(0)`, without a program that makes them."""
    return jax.device_put(np.zeros(_shape_of_bits(settings.prng_implementation()), np.uint32))


@functools.cache
def _shape_of_bits(implementation: str) -> tuple[int, ...]:
    key = jax.eval_shape(lambda: jax.random.key(0, impl=implementation))
    return jax.eval_shape(jax.random.key_data, key).shape


def one_of(name: str, value: Any, options: Collection[str | None]) -> None:
    """Raise unless a static option is one of those that exist."""
    if not (isinstance(value, str | None) and value in options):
        raise ValueError(f"`{name}` must be one of {', '.join(map(repr, options))}, got {value!r}")


def flag_or_auto(name: str, value: Any, *, auto: bool) -> bool:
    """Return a static flag, for which "auto" stands for what suits the shapes."""
    if isinstance(value, str) and value == "auto":
        return auto
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"`{name}` must be True, False or 'auto', got {value!r}")


def require(condition: bool, message: str) -> None:
    """Raise for static options that do not go together."""
    if not condition:
        raise ValueError(message)


def levels(name: str, value: Any, count: int) -> Array:
    """Return `count` traced levels, one for each column of the predictions."""
    converted = _numbers(name, value)
    if converted.shape != (count,):
        raise ValueError(
            f"`{name}` must have one entry a column of `y_pred`, shape {(count,)}, "
            f"got {converted.shape}"
        )
    return converted


def output_weights(
    multioutput: Any, shape: tuple[int, ...], options: Collection[str]
) -> tuple[str, Array | None]:
    """Split `multioutput` into the static way of averaging and traced weights of outputs."""
    if isinstance(multioutput, str):
        one_of("multioutput", multioutput, options)
        return multioutput, None
    weights = _numbers("multioutput", multioutput)
    if len(shape) < 2 or weights.shape != shape[1:]:
        raise ValueError(
            f"`multioutput` as weights needs one entry an output of a target with 2 axes; "
            f"got shape {weights.shape} for a target of shape {shape}"
        )
    return "weights", weights
