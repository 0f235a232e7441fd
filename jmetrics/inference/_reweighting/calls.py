"""Calls of functions from outside this library, with other weights or other rows."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core import check
from jmetrics._core.types import Tree

RESAMPLES = ("weights", "rows")
_STATIC = {"static": True}
_ON_HOST = (
    jax.errors.TracerArrayConversionError,
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerIntegerConversionError,
)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Call:
    """A call of any function that takes weights and has no plan."""

    metric: Callable[..., Tree] = field(metadata=_STATIC)
    arrays: tuple[Array, Array, Array | None, Array | None]
    traced: dict[str, Any]
    static: tuple[tuple[str, Any], ...] = field(metadata=_STATIC)

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of the function."""
        return self.traced | dict(self.static)

    def reweighted(self, sample_weight: Array) -> Call:
        """Return the call for other weights of the same samples."""
        y_true, y_pred, _, where = self.arrays
        return dataclasses.replace(self, arrays=(y_true, y_pred, sample_weight, where))

    def value(self) -> Tree:
        """Evaluate the metric, without the keyword `where` if it does not take it."""
        y_true, y_pred, sample_weight, where = self.arrays
        mask = {"where": where} if _takes(self.metric, "where") else {}
        return self.metric(y_true, y_pred, sample_weight=sample_weight, **mask, **self.options)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class RowCall(Call):
    """A call of any function of two arrays, for rows of them."""

    like: Any = field(default=None, metadata=_STATIC)
    """Shapes of the result, if the function runs on the host; hashable."""

    def reweighted(self, sample_weight: Array) -> RowCall:
        """Return the call for each row so many times, as many in all as there are."""
        y_true, y_pred, *_ = self.arrays
        n = y_true.shape[0]
        counts = sample_weight.astype(jnp.int32)
        item = jnp.repeat(jnp.arange(n, dtype=jnp.int32), counts, total_repeat_length=n)
        return dataclasses.replace(self, arrays=(y_true[item], y_pred[item], None, None))

    def value(self) -> Tree:
        """Evaluate the function."""
        y_true, y_pred, *_ = self.arrays
        if self.like is None:
            return self.metric(y_true, y_pred, **self.options)
        structure, shapes = self.like
        dtype = jnp.result_type(float)
        like = jax.tree.unflatten(structure, [jax.ShapeDtypeStruct(s, dtype) for s in shapes])

        def on_host(y_true: np.ndarray, y_pred: np.ndarray) -> Tree:
            found = self.metric(np.asarray(y_true), np.asarray(y_pred), **self.options)
            return jax.tree.map(lambda a: np.asarray(a, dtype), found)

        return jax.pure_callback(on_host, like, y_true, y_pred, vmap_method="sequential")


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class CheckedCall(Call):
    """A call of a function that may ignore weights, which is known when the program runs."""

    depends_on_weights: Any = True

    def value(self) -> Tree:
        """Evaluate the function: NaN if its value does not depend on the weights."""
        reason = _weights_ignored(self.metric)
        values = jax.tree.map(jnp.asarray, super().value())
        return jax.tree.map(
            lambda value: check.nan_unless(value, self.depends_on_weights, reason), values
        )


def call_of(
    metric: Callable[..., Tree], arrays: Any, options: dict[str, Any], size: int, rows: bool
) -> Call:
    """Return the call of a function of `size` samples or lists; raise if resamples are alike."""
    traced, static = check.split_options(options)
    if rows:
        return _by_rows(RowCall(metric, (*arrays[:2], None, None), traced, static))
    call = Call(metric, (*arrays[:2], None, arrays[3]), traced, static)
    if _is_of_this_library(metric):
        return call
    given = ("sample_weight",) if arrays[3] is None else ("sample_weight", "where")
    for name in given:
        check.require(_takes(metric, name), _without(metric, name))
    try:
        depends_on_weights = _depends_on_weights(call, np.ones(size, np.float32))
    except _ON_HOST as error:
        raise TypeError(
            f"{_named(metric)} does not run on JAX's arrays. Give the metric of this library, or "
            "resample rows on the host:\n"
            '    bootstrap(key, metric, y_true, y_pred, resample="rows", method="percentile")'
        ) from error
    if not isinstance(depends_on_weights, jax.core.Tracer):
        check.require(bool(depends_on_weights), _weights_ignored(metric))
        return call
    return CheckedCall(**vars(call), depends_on_weights=depends_on_weights)


@jax.jit
def _depends_on_weights(call: Call, ones: Array) -> Array:
    """Whether a value changes when all weights become NaN, or is NaN for other weights too."""
    with check.unchecked():
        values, others = (
            jax.tree.leaves(call.reweighted(weight).value()) for weight in (ones, ones * jnp.nan)
        )
    changed = [jnp.any((a != b) | (a != a)) for a, b in zip(values, others, strict=True)]
    return jnp.any(jnp.stack(changed))


def _by_rows(call: RowCall) -> RowCall:
    """Find out what a function of rows returns, and whether it runs on the host."""
    try:
        jax.eval_shape(RowCall.value, call)
    except _ON_HOST:
        if any(isinstance(a, jax.core.Tracer) for a in jax.tree.leaves(call)):
            raise ValueError(
                f"{_named(call.metric)} runs on the host, so that its rows cannot be resampled "
                "inside `jit`"
            ) from None
        found = call.metric(*map(np.asarray, call.arrays[:2]), **call.options)
        leaves, structure = jax.tree.flatten(found)
        return dataclasses.replace(call, like=(structure, tuple(map(np.shape, leaves))))
    return call


def _is_of_this_library(metric: Callable[..., Tree]) -> bool:
    """Whether the very function is defined here, and does not wrap another."""
    module = getattr(metric, "__globals__", {}).get("__name__", "")
    return (
        not hasattr(metric, "__wrapped__")
        and module.partition(".")[0] == __name__.partition(".")[0]
    )


def _takes(metric: Callable[..., Tree], name: str) -> bool:
    try:
        parameters = inspect.signature(metric).parameters.values()
    except (TypeError, ValueError):  # some built-in functions have no signature
        return True
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in parameters)


def _named(metric: Callable[..., Tree]) -> str:
    return f"`{getattr(metric, '__name__', repr(metric))}`"


_LINES = (
    "\n    def metric(y_true, y_pred, *, sample_weight):"
    "\n        return jnp.average(loss(y_true, y_pred), weights=sample_weight)"
    '\nor resample rows: bootstrap(..., resample="rows", method="percentile")'
)


def _without(metric: Callable[..., Tree], name: str) -> str:
    if name == "where":
        return f"{_named(metric)} takes no `where`: give `sample_weight` 0 to what is masked"
    return f"{_named(metric)} takes no `sample_weight`, by which resamples differ. Write{_LINES}"


def _weights_ignored(metric: Callable[..., Tree]) -> str:
    return (
        f"{_named(metric)} has the same value for any `sample_weight`, by which resamples differ: "
        f"its interval would have no width. Write{_LINES}"
    )
