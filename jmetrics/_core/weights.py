"""Mask and weight become one weight, and values that do not count become harmless.

Only this module interprets `where`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.numerics import Whole, accumulator, scaled


def combine(
    sample_weight: Array | None, where: Array | None, shape: tuple[int, ...], dtype: DTypeLike
) -> Array:
    """Return one weight for each sample, or for each entry where the mask has that shape.

    Without a weight, or with a boolean one, it is an int32 of zeros and ones, so that what
    is counted with it stays exact; otherwise it is of `dtype`.
    """
    if sample_weight is None:
        weight = jnp.ones(shape[:1], jnp.int32)
    else:
        counting = sample_weight.dtype == jnp.bool_
        weight = sample_weight.astype(jnp.int32 if counting else dtype)
    if where is not None:
        weight = jnp.broadcast_to(over_trailing(weight, where.ndim), where.shape)
        weight = jnp.where(where, weight, jnp.zeros_like(weight))
    return weight


def relative(sample_weight: Array | None, where: Array | None) -> Array | None:
    """Return weights over a power of two near the largest, so that their sums stay in range.

    For what depends on ratios of weights alone.
    """
    if sample_weight is None or where is None or where.shape[:1] != sample_weight.shape:
        return sample_weight if sample_weight is None else scaled(sample_weight)
    kept = jnp.any(where, axis=tuple(range(1, where.ndim)))
    return scaled(jnp.where(kept, sample_weight, jnp.zeros_like(sample_weight)))


def all_finite(weight: Array) -> Array:
    """Whether all weights are finite, by their sum, which most kernels need anyway."""
    return jnp.isfinite(jnp.sum(lax.stop_gradient(weight)))


def admissible(weight: Array, known: Array) -> Array:
    """Whether each entry is `known` and has a finite weight, or does not count.

    A sum that all weights are in is not finite unless they are. What is made of some of them,
    such as those of one class, may be: it is NaN unless all of these are true.
    """
    return (weight == 0) | (known & jnp.isfinite(weight))


def over_trailing(a: Array, ndim: int) -> Array:
    """Give `a` axes of length 1 at the end until it has `ndim`."""
    return a.reshape(a.shape + (1,) * (ndim - a.ndim))


def clean(
    values: Array, sample_weight: Array | None, where: Array | None, *, filler: float | Array = 0
) -> Array:
    """Replace what must not be computed with: all masked values, and non-finite ones of weight 0.

    Finite values of weight 0 stay, since the derivative with respect to that weight needs them.
    """
    fill = jnp.full_like(values, filler)
    if sample_weight is not None and jnp.issubdtype(values.dtype, jnp.floating):
        off = over_trailing(~sample_weight.astype(bool), values.ndim) & ~jnp.isfinite(values)
        values = jnp.where(off, fill, values)
    if where is not None:
        values = jnp.where(over_trailing(where, values.ndim), values, fill)
    return values


def resolve_exactly(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    beside: Array | None = None,
) -> tuple[Any, Any, Array]:
    """Return both arrays cleaned, and a weight with as many axes.

    They are floats, or `Whole` where floats would round integers, to be subtracted. The floats are
    wide enough for what is computed `beside` them too.
    """
    dtype = accumulator(y_true, y_pred, sample_weight, beside)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    true, pred = (exactly(y, dtype, sample_weight, where) for y in (y_true, y_pred))
    return true, pred, over_trailing(weight, y_true.ndim)


def exactly(
    y: Array, dtype: DTypeLike, sample_weight: Array | None, where: Array | None
) -> Whole | Array:
    """Cleaned numbers as floats of `dtype`, or integers that these would round."""
    whole = Whole.of(y, dtype)
    if isinstance(whole, Whole):
        return replace(whole, number=clean(y, None, where))
    return clean(whole, sample_weight, where)
