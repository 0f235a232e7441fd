"""Sums that stay exact over long streams: whole numbers in two limbs, floats with what they lost.

Both are small trees of arrays with the same four methods: `plus` adds numbers, `merge` adds
another sum, `psum` adds those of all devices along an axis, `to_float` reads the sum off.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.exporting import exportable

_BASE_BITS = 16
"""A low limb is short, so that as many as 2^16 of them add up without a carry."""


@exportable
class Limbs(NamedTuple):
    """Whole numbers high 2^16 + low, exact up to 2^48; up to 2^16 devices add theirs."""

    high: Array
    low: Array

    @classmethod
    def zeros(cls, shape: tuple[int, ...] = ()) -> Limbs:
        """Return no count at all."""
        return cls(jnp.zeros(shape, jnp.uint32), jnp.zeros(shape, jnp.uint32))

    def plus(self, number: Array) -> Limbs:
        """Add whole numbers of at least 0."""
        return _carried(self.high, self.low, number.astype(jnp.uint32))

    def merge(self, other: Limbs) -> Limbs:
        """Add another count."""
        return _carried(self.high + other.high, self.low, other.low)

    def psum(self, axis_name: Hashable) -> Limbs:
        """Add the counts of all devices."""
        high, low = lax.psum((self.high, self.low), axis_name)
        return _carried(high, low, jnp.zeros_like(low))

    def to_float(self, dtype: DTypeLike) -> Array:
        """Return the nearest floats, or the next ones: each limb rounds once."""
        return self.high.astype(dtype) * 2**_BASE_BITS + self.low.astype(dtype)


def _carried(high: Array, low: Array, more: Array) -> Limbs:
    high = high + ((low + more) >> _BASE_BITS)
    # With the high limb done, a loop can change the low one in place.
    low, high = lax.optimization_barrier((low, high))
    return Limbs(high, (low + more) & jnp.uint32((1 << _BASE_BITS) - 1))


@exportable
class Compensated(NamedTuple):
    """Compensated sum: the rounded sum and its accumulated rounding error."""

    total: Array
    compensation: Array

    @classmethod
    def zeros(cls, shape: tuple[int, ...] = (), dtype: DTypeLike = jnp.float32) -> Compensated:
        """Return an empty sum."""
        return cls(jnp.zeros(shape, dtype), jnp.zeros(shape, dtype))

    def plus(self, number: Array) -> Compensated:
        """Add floats."""
        return self.merge(
            Compensated(number.astype(self.total.dtype), jnp.zeros_like(self.compensation))
        )

    def merge(self, other: Compensated) -> Compensated:
        """Add another sum, to about the square of the precision of its floats."""
        total, compensation = two_sum(self.total, other.total)
        return _renormalised(total, compensation + (self.compensation + other.compensation))

    def psum(self, axis_name: Hashable) -> Compensated:
        """Add the sums of all devices; the totals round as often as there are devices."""
        return _renormalised(*lax.psum((self.total, self.compensation), axis_name))

    def to_float(self, dtype: DTypeLike) -> Array:
        """Return the sum as floats."""
        return self.total.astype(dtype) + self.compensation.astype(dtype)


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Sum of two floats, and exactly what its rounding lost (Knuth 1969).

    Nothing is lost of a sum that is not finite.
    """
    total = a + b
    part = total - a
    lost = (a - (total - part)) + (b - part)
    return total, jnp.where(jnp.isfinite(total), lost, jnp.zeros_like(lost))


def difference_of_products(a: Array, b: Array, c: Array, d: Array) -> Array:
    """a b − c d, right to its last digits where all digits of the products cancel.

    Halves of the factors have exact products (Dekker 1971), and sums carry what they lose.
    """
    halves = [(_halves(x), _halves(y)) for x, y in ((a, b), (-c, d))]
    terms = [x * y for i in range(3) for u, v in halves for x, y in _of_order(u, v, i)]
    total, compensation = terms[0], jnp.zeros_like(terms[0])
    for term in terms[1:]:
        total, lost = two_sum(total, term)
        compensation = compensation + lost
    return total + compensation


def _halves(x: Array) -> tuple[Array, Array]:
    """The leading half of the digits and the others (Veltkamp 1968)."""
    high = x * (2.0 ** (-(-jnp.finfo(x.dtype).nmant // 2)) + 1)
    high = high - (high - x)
    return high, x - high


def _of_order(
    u: tuple[Array, Array], v: tuple[Array, Array], order: int
) -> list[tuple[Array, Array]]:
    return [(u[i], v[order - i]) for i in (0, 1) if order - i in (0, 1)]


def _renormalised(total: Array, compensation: Array) -> Compensated:
    return Compensated(*two_sum(total, compensation))


Sum = TypeVar("Sum", Limbs, Compensated)


def cumsum(sums: Sum) -> Sum:
    """Add up along the first axis, in a square of short runs so that few steps are needed."""
    size, *shape = sums[0].shape
    run = math.isqrt(max(size - 1, 0)) + 1
    square = jax.tree.map(
        lambda a: (
            jnp.pad(a, [(0, run * run - size)] + [(0, 0)] * len(shape))
            .reshape(run, run, *shape)
            .swapaxes(0, 1)
        ),
        sums,
    )
    within, whole = _running(square)
    before, _ = _running(whole, exclusive=True)
    result = within.merge(jax.tree.map(lambda a: jnp.broadcast_to(a, (run, *a.shape)), before))
    return jax.tree.map(lambda a: a.swapaxes(0, 1).reshape(run * run, *shape)[:size], result)


def _running(sums: Sum, *, exclusive: bool = False) -> tuple[Sum, Sum]:
    """Running sums along the first axis, and all of it."""

    def step(sofar: Sum, more: Sum) -> tuple[Sum, Sum]:
        total = sofar.merge(more)
        return total, sofar if exclusive else total

    none = jax.tree.map(lambda a: _nothing(a[0]), sums)
    total, running = lax.scan(step, none, sums)
    return running, total


def _nothing(like: Array) -> Array:
    """Zeros that vary along the same axes of a mesh, which `zeros_like` does not promise."""
    zeros = jnp.zeros_like(like)
    return jnp.where(like == like, zeros, zeros)
