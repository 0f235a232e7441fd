"""What users hand in: shapes and types are checked while tracing, values on request.

Only this module raises for user input. Every message names the argument, what came and
what was expected.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.experimental import checkify

from jmetrics._core.types import Number


def array(name: str, value: Any) -> Array:
    """Return `value` as an array of real numbers."""
    try:
        converted = jnp.asarray(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must be an array of numbers: {error}") from error
    if jnp.issubdtype(converted.dtype, jnp.complexfloating):
        raise TypeError(f"`{name}` must hold real numbers, got {converted.dtype}")
    return converted


def samples(
    *,
    sample_weight: Any,
    where: Any,
    ndim: Collection[int] = (1,),
    entry_mask: bool = False,
    **values: Any,
) -> tuple[Any, ...]:
    """Check arrays of one shape with the weight and the mask that go with them.

    Returns the arrays of `values` in order, then `sample_weight` and `where` (or None).
    Both have one entry a sample, along the first axis; with `entry_mask` the mask may also
    have the shape of the arrays.
    """
    arrays = {name: array(name, value) for name, value in values.items()}
    shapes = {name: value.shape for name, value in arrays.items()}
    first, shape = next(iter(shapes.items()))
    if len(set(shapes.values())) > 1:
        raise ValueError(f"expected arrays of one shape, got {_listing(shapes)}")
    if len(shape) not in ndim:
        expected = " or ".join(map(str, ndim))
        raise ValueError(f"`{first}` must have {expected} axes, got shape {shape}")
    weight = _sample_weight(sample_weight, shape)
    return (
        *arrays.values(),
        weight,
        _mask(where, (shape[:1], shape) if entry_mask else (shape[:1],)),
    )


def _listing(shapes: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"`{name}` {shape}" for name, shape in shapes.items())


def _sample_weight(sample_weight: Any, shape: tuple[int, ...]) -> Array | None:
    if sample_weight is None:
        return None
    weight = array("sample_weight", sample_weight)
    if weight.shape != shape[:1]:
        raise ValueError(
            f"`sample_weight` must have one entry a sample, shape {shape[:1]}, got {weight.shape}"
        )
    return weight


def _mask(where: Any, shapes: Collection[tuple[int, ...]]) -> Array | None:
    if where is None:
        return None
    mask = array("where", where)
    if mask.dtype != jnp.bool_:
        raise TypeError(f"`where` must be a boolean array, got {mask.dtype}")
    if mask.shape not in shapes:
        expected = " or ".join(map(str, dict.fromkeys(shapes)))
        raise ValueError(f"`where` must have shape {expected}, got {mask.shape}")
    return mask


def resampled(
    y_true: Any, y_pred: Any, sample_weight: Any, where: Any
) -> tuple[Array, Array, Array | None, Array | None]:
    """Check what a resample needs to know; the metric itself checks the rest.

    Samples lie along the first axis of everything.
    """
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    shapes = {"y_true": y_true.shape, "y_pred": y_pred.shape}
    if where is not None:
        where = array("where", where)
        shapes["where"] = where.shape
    if () in shapes.values() or len({shape[0] for shape in shapes.values()}) > 1:
        raise ValueError(f"expected as many samples in each array, got {_listing(shapes)}")
    weight = _sample_weight(sample_weight, y_true.shape)
    return y_true, y_pred, weight, _mask(where, [shapes.get("where", ())])


def columns(y_true: Any, y_pred: Any, count: int | None, meaning: str) -> tuple[Array, Array]:
    """Check that `y_pred` has `count` columns (any number if None) for every entry of `y_true`."""
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    fits = y_pred.ndim == 2 and y_true.shape == y_pred.shape[:1]
    if not fits or (count is not None and y_pred.shape[1] != count):
        raise ValueError(
            f"with {meaning}, `y_true` must have shape (n,) and `y_pred` "
            f"(n, {'n_levels' if count is None else count}); got {y_true.shape} and {y_pred.shape}"
        )
    return y_true, y_pred


def number(name: str, value: Number) -> float | Array:
    """Return a traced option; a plain number stays one, so that its value compiles once."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    converted = array(name, value)
    if converted.shape != ():
        raise ValueError(f"`{name}` must be a single number, got shape {converted.shape}")
    return converted


def number_or_vector(name: str, value: Any) -> float | Array:
    """Return a traced option that may have one axis."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    converted = array(name, value)
    if converted.ndim > 1:
        raise ValueError(f"`{name}` must be a number or have one axis, got shape {converted.shape}")
    return converted


def positive_integer(name: str, value: Any) -> int:
    """Return a static count, which must be a whole number of at least 1."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be a whole number, got {value!r}") from None
    if count < 1:
        raise ValueError(f"`{name}` must be at least 1, got {count}")
    return count


def one_of(name: str, value: Any, options: Collection[str]) -> None:
    """Raise unless a static option is one of those that exist."""
    if not (isinstance(value, str) and value in options):
        raise ValueError(f"`{name}` must be one of {', '.join(map(repr, options))}, got {value!r}")


def output_weights(
    multioutput: Any, shape: tuple[int, ...], options: Collection[str]
) -> tuple[str, Array | None]:
    """Split `multioutput` into the static way of averaging and traced weights of outputs."""
    if isinstance(multioutput, str):
        one_of("multioutput", multioutput, options)
        return multioutput, None
    weights = array("multioutput", multioutput)
    if len(shape) < 2 or weights.shape != shape[1:]:
        raise ValueError(
            f"`multioutput` as weights needs one entry an output of a target with 2 axes; "
            f"got shape {weights.shape} for a target of shape {shape}"
        )
    return "weights", weights


def defined(value: Array, inside: Array, reason: str) -> Array:
    """Turn `value` into NaN, with NaN gradient, wherever `inside` is False.

    Under `checked` the call raises with `reason` instead. Otherwise this costs one select.
    """
    checkify.debug_check(jnp.all(inside), reason)
    return value * jnp.where(inside, jnp.ones_like(value), jnp.full_like(value, jnp.nan))


def checked(metric: Callable[..., Any]) -> Callable[..., Any]:
    """Make a metric raise where it would answer NaN because a value is out of its domain.

    Wraps any function of this library, or any function that calls some, jitted or not.

    Shapes: those of `metric`; the result is the same.
    Raises: ValueError with the reason. Inside someone else's `jit` the error is raised by
    the running program, and JAX wraps it in its own runtime error; the reason is in the text.
    Cost: that of `metric`, plus one host synchronisation a call.

    >>> import jmetrics
    >>> jmetrics.checked(jmetrics.log_loss)([0, 1], [0.5, 1.5])
    Traceback (most recent call last):
        ...
    ValueError: `y_proba` must be probabilities in [0, 1]
    """

    @functools.wraps(metric)
    def run(*args: Any, **kwargs: Any) -> Any:
        call = checkify.checkify(lambda: metric(*args, **kwargs), errors=checkify.user_checks)
        error, value = call()
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(error)):
            jax.debug.callback(_raise, error)
        else:
            _raise(error)
        return value

    return run


def _raise(error: checkify.Error) -> None:
    message = error.get()
    if message:
        raise ValueError(message.removesuffix(" (`check` failed)"))
