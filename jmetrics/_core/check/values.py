"""Values are checked on request: NaN by default, an error under `checked`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.experimental import checkify

from jmetrics._core.check.numbers import array
from jmetrics._core.check.tracing import TracingMode
from jmetrics._core.tangents import value_or_nan

_checks = TracingMode("checks")
_RAISE, _SILENT = "raise", "silent"


def unchecked() -> AbstractContextManager[None]:
    """Trace so that a `checked` metric answers NaN as the metric itself does."""
    return _checks.set(_SILENT)


def nan_unless(value: Array, inside: Array, reason: str) -> Array:
    """Turn `value` into NaN, with NaN gradient, wherever `inside` is False.

    What does not depend on such a value, with a cotangent of 0, keeps its gradient.
    Integers, which have no NaN, become the least there is. Under `checked` the call raises
    with `reason` instead. Otherwise this costs one select, and leaves no effect in the program:
    JAX would take one off its fast path, and would not write it to a file.
    """
    if _checks.setting == _RAISE:
        checkify.debug_check(jnp.all(inside), reason)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.where(inside, value, jnp.iinfo(value.dtype).min)
    return value_or_nan(value, inside)


def checked(metric: Callable[..., Any]) -> Callable[..., Any]:
    """Make a metric raise where it would return NaN because a value is outside its domain.

    Args:
        metric: Any function of this library, or any function that calls some, jitted or not.

    Returns:
        A function with the arguments and the result of `metric`.

    Cost:
        That of `metric`, plus one host synchronisation per call.

    Raises:
        ValueError: With the reason, when the new function is called. Inside someone else's `jit`
            the error is raised by the running program, and JAX wraps it in its own runtime error,
            whose text contains the reason.

    References:
        `jax.experimental.checkify`, which this is built on.

    Examples:
        >>> import jmetrics
        >>> jmetrics.checked(jmetrics.log_loss)([0, 1], [0.5, 1.5])
        Traceback (most recent call last):
            ...
        ValueError: `y_proba` must be probabilities in [0, 1]
    """

    @functools.wraps(metric)
    def run(*args: Any, **kwargs: Any) -> Any:
        if _checks.setting == _SILENT:
            return metric(*args, **kwargs)
        call = checkify.checkify(lambda: metric(*args, **kwargs), errors=checkify.user_checks)
        with _checks.set(_RAISE):
            error, value = call()
        bad_weight = _has_bad_weight(value, kwargs.get("sample_weight"), kwargs.get("where"))
        verdict = error, bad_weight
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(verdict)):
            jax.debug.callback(_raise, *verdict)
        else:
            _raise(*verdict)
        return value

    return run


def _has_bad_weight(value: Any, sample_weight: Any, where: Any) -> Array | bool:
    """Whether a value is NaN, and a weight that is not masked is not finite.

    Seen from outside: JAX cannot take slopes of all that would follow a check of the weights.
    """
    if sample_weight is None:
        return False
    weight = array("sample_weight", sample_weight, compared=False)
    finite = jnp.isfinite(weight)
    if where is not None and jnp.shape(where)[:1] == weight.shape[:1]:
        mask = array("where", where)
        finite = finite | ~jnp.any(mask.reshape(mask.shape[0], -1), axis=1)
    undefined = [jnp.any(jnp.isnan(leaf)) for leaf in jax.tree.leaves(value)]
    return ~jnp.all(finite) & jnp.any(jnp.array(undefined, bool))


def _raise(error: checkify.Error, bad_weight: Array | bool) -> None:
    if bad_weight:
        raise ValueError("`sample_weight` must be finite")
    message = error.get()
    if message:
        raise ValueError(message.removesuffix(" (`check` failed)"))
