"""Separate gradients of the outputs of one metric, so that an undefined one spoils no other.

A gradient adds up what comes back from every output. What comes from those that are not asked
for is 0, but 0 times a slope that is not finite is NaN: what makes such slopes must not be in
the data, where each column is one output.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jax import Array


class Weighable(Protocol):
    """A metric that can be evaluated for any weights: a plan, a call, and the like."""

    @property
    def arrays(self) -> tuple[Array, Array, Array | None, Array | None]:
        """`y_true`, `y_pred`, `sample_weight` and `where`."""
        ...

    def reweighted(self, sample_weight: Array) -> Weighable:
        """Return the metric for other weights of the same samples."""
        ...

    def value(self) -> Any:
        """Evaluate the metric."""
        ...


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Apart:
    """A metric of columns, some of which replace columns whose output is undefined."""

    metric: Weighable
    spoiled: Array
    """Whether each column is a replacement."""

    @property
    def arrays(self) -> tuple[Array, Array, Array | None, Array | None]:
        """`y_true`, `y_pred`, `sample_weight` and `where`."""
        return self.metric.arrays

    def reweighted(self, sample_weight: Array) -> Apart:
        """Return the metric for other weights of the same samples."""
        return dataclasses.replace(self, metric=self.metric.reweighted(sample_weight))

    def value(self) -> Any:
        """Evaluate the metric: NaN for replaced columns."""
        return jax.tree.map(self._defined, self.metric.value())

    def _defined(self, value: Array) -> Array:
        if not jnp.issubdtype(value.dtype, jnp.inexact):
            return value
        return jnp.where(jnp.broadcast_to(self.spoiled, value.shape), jnp.nan, value)


def apart(
    metric: Any, weight: Array, prepared: Callable[[Any], Weighable] = lambda metric: metric
) -> Weighable:
    """Return the metric, `prepared`, with gradients that undefined outputs do not spoil.

    A column of another output stands in for that of an undefined one, if no other changes.
    """
    true, predicted, *given = metric.arrays
    if isinstance(metric, Apart) or not _by_column(metric, weight):
        return prepared(metric)
    value = metric.reweighted(weight).value()
    spoiled = _spoiled(value, true, predicted)
    places = jnp.arange(spoiled.size, dtype=jnp.int32)
    columns = jnp.where(spoiled, jnp.argmin(spoiled).astype(jnp.int32), places)
    filled = (a if a.ndim < 2 else a[:, columns] for a in (true, predicted))
    other = dataclasses.replace(metric, arrays=(*filled, *given))
    kept = jax.tree.map(_same, value, other.reweighted(weight).value())
    leaves = [leaf | jnp.broadcast_to(spoiled, leaf.shape) for leaf in jax.tree.leaves(kept)]
    safe = functools.reduce(jnp.logical_and, map(jnp.all, leaves))
    chosen = (
        jnp.where(safe, a, b) for a, b in zip(other.arrays[:2], metric.arrays[:2], strict=True)
    )
    metric = dataclasses.replace(metric, arrays=(*chosen, *given))
    return Apart(prepared(metric), spoiled & safe)


def _by_column(metric: Weighable, weight: Array) -> bool:
    """Whether this is a metric of several columns of numbers, with values for each."""
    true, predicted, *_ = metric.arrays
    numbers = any(jnp.issubdtype(a.dtype, jnp.inexact) for a in (true, predicted))
    fits = predicted.ndim == 2 and true.shape in (predicted.shape, predicted.shape[:1])
    if not (numbers and fits and predicted.shape[1] > 1):
        return False
    like = jax.eval_shape(lambda w: metric.reweighted(w).value(), weight)
    return all(leaf.shape[-1:] == predicted.shape[1:] for leaf in jax.tree.leaves(like))


def _spoiled(value: Any, *arrays: Array) -> Array:
    """Which columns have a value that is NaN, or one that is infinite as its data are."""
    rows = [leaf.reshape(-1, leaf.shape[-1]) for leaf in jax.tree.leaves(value)]
    undefined, infinite = (
        functools.reduce(jnp.logical_or, (jnp.any(of(row), axis=0) for row in rows))
        for of in (jnp.isnan, jnp.isinf)
    )
    given = (jnp.any(~jnp.isfinite(a), axis=0) for a in arrays)
    given = (jnp.broadcast_to(a, undefined.shape) for a in given)
    return undefined | (infinite & functools.reduce(jnp.logical_or, given))


def _same(value: Array, other: Array) -> Array:
    if not jnp.issubdtype(value.dtype, jnp.inexact):
        return value == other
    return jnp.isclose(value, other, rtol=8 * jnp.finfo(value.dtype).eps, atol=0.0)
