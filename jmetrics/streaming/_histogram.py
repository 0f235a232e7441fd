"""Histograms over the leading bits of numbers: their order, in bounded memory.

Numbers are compared by the integers that `sortable_bits` makes of them, here called keys.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.bits import float_from_bits, sortable_bits
from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import Compensated, Limbs
from jmetrics._core.merging import Reducer, Reduction, reductions
from jmetrics._core.sorting import sort_items
from jmetrics.streaming._states import intact

MOST_BITS = 20


@exportable
@reductions(
    least=Reduction.MIN,
    most=Reduction.MAX,
    unlabelled=Reduction.MAX,
    unordered=Reduction.MAX,
    rounding=Reduction.MAX,
    whole=Reduction.ALL,
)
class Histogram(NamedTuple):
    """Weight by class and by the leading bits of a key, and what the bits leave open."""

    weight: Any
    """(n_classes, bins): `Limbs` of whole numbers, or `Compensated` sums of floats."""
    least: Array
    """(bins,): least key in each bin; the largest there is if there is none."""
    most: Array
    """(bins,): largest key in each bin; 0 if there is none."""
    unlabelled: Array
    """1 once a label with positive weight was out of its domain."""
    unordered: Array
    """1 once a number with positive weight was NaN."""
    rounding: Array
    """Largest relative error that adding over devices left in a weight."""
    whole: Array
    """True, but a number once states were summed."""


class HistogramSpec(NamedTuple):
    """Static parameters of a histogram, which are not in its state."""

    bits: int
    dtype: jnp.dtype
    weighted: bool
    classes: int = 1

    @classmethod
    def checked(cls, bits: Any, dtype: DTypeLike, weighted: Any, classes: int) -> HistogramSpec:
        """Check the arguments of a user."""
        kind = jnp.dtype(dtype)
        floating = jnp.issubdtype(kind, jnp.floating)
        check.require(floating, f"`dtype` must be a float type, got {kind}")
        canonical = jax.dtypes.canonicalize_dtype(kind)
        check.require(kind == canonical, f"`dtype={kind}` needs `jax_enable_x64`")
        wanted = check.positive_integer("bits", bits)
        check.require(wanted <= MOST_BITS, f"`bits` must be at most {MOST_BITS}, got {wanted}")
        return cls(min(wanted, 8 * kind.itemsize), kind, bool(weighted), classes)

    @property
    def shift(self) -> int:
        """Number of bits that are dropped."""
        return 8 * self.dtype.itemsize - self.bits

    @property
    def key(self) -> jnp.dtype:
        """The type that keys are kept in."""
        return jnp.dtype(jnp.uint64 if self.dtype.itemsize == 8 else jnp.uint32)

    @property
    def result(self) -> jnp.dtype:
        """The type of a result."""
        return max(jnp.dtype(jnp.float32), self.dtype, key=lambda dtype: dtype.itemsize)

    @functools.partial(jax.jit, static_argnums=0)
    def empty(self) -> Histogram:
        """Return a histogram of nothing."""
        shape = (self.classes, 1 << self.bits)
        return Histogram(
            Compensated.zeros(shape, self.result) if self.weighted else Limbs.zeros(shape),
            least=~jnp.zeros(shape[1:], self.key),
            most=jnp.zeros(shape[1:], self.key),
            unlabelled=jnp.zeros((), jnp.int32),
            unordered=jnp.zeros((), jnp.int32),
            rounding=jnp.zeros((), self.result),
            whole=jnp.ones((), jnp.bool_),
        )

    def values(self, keys: Array) -> Array:
        """Return the numbers of keys as floats to compute with."""
        kind = f"uint{8 * self.dtype.itemsize}"
        return float_from_bits(keys.astype(kind), self.dtype).astype(self.result)


def add(
    state: Histogram,
    bins: HistogramSpec,
    values: Array,
    label: Array,
    weight: Array,
    labelled: Array,
) -> Histogram:
    """Add numbers (n,) of whole labels below the number of classes; O(n) but for float weights.

    Only the bins that are met are read and written, so a donated state is updated in place.
    """
    state, values = intact(state), values.astype(bins.dtype)
    keys, counts = sortable_bits(values).astype(bins.key), weight != 0
    slot = (keys >> bins.shift).astype(jnp.int32)
    cell = (label.astype(jnp.int32) << bins.bits) | slot
    tables = _add_to_cells(jax.tree.map(jnp.ravel, state.weight), cell, weight)
    return Histogram(
        jax.tree.map(lambda a: a.reshape(state.weight[0].shape), tables),
        state.least.at[slot].min(jnp.where(counts, keys, ~jnp.zeros_like(keys))),
        state.most.at[slot].max(jnp.where(counts, keys, jnp.zeros_like(keys))),
        state.unlabelled | (~labelled).astype(jnp.int32),
        state.unordered | jnp.any(jnp.isnan(values) & counts).astype(jnp.int32),
        state.rounding,
        state.whole,
    )


@jax.jit
def merge(a: Histogram, b: Histogram) -> Histogram:
    """Add two histograms."""
    return Histogram(
        intact(a).weight.merge(intact(b).weight),
        jnp.minimum(a.least, b.least),
        *(jnp.maximum(x, y) for x, y in zip(a[2:], b[2:], strict=True)),  # type: ignore[arg-type]
    )


def reduce(state: Histogram, axis_name: Hashable) -> Histogram:
    """Add the histograms of all devices along an axis, in one collective a leaf."""
    *largest, whole = intact(state)[2:]
    most, unlabelled, unordered, rounding = lax.pmax(largest, axis_name)
    if isinstance(state.weight, Compensated):
        rounding = rounding + lax.axis_size(axis_name) * jnp.finfo(rounding.dtype).eps
    weight, least = state.weight.psum(axis_name), lax.pmin(state.least, axis_name)
    whole = Reducer(axis_name).all([whole])
    return Histogram(weight, least, most, unlabelled, unordered, rounding, whole)


@functools.singledispatch
def _add_to_cells(weight: Any, cell: Array, more: Array) -> Any:
    """Add to the cells of a flat table that are met, each a whole number or a float."""
    raise TypeError(type(weight))


@_add_to_cells.register
def _(weight: Limbs, cell: Array, more: Array) -> Limbs:
    weight = weight._replace(low=weight.low.at[cell].add(more.astype(jnp.uint32)))
    # Equal cells carry alike, so that it does not matter which of them is written.
    carried = jax.tree.map(lambda a: a[cell], weight).plus(jnp.zeros_like(more))
    return jax.tree.map(lambda a, b: a.at[cell].set(b), weight, carried)


@_add_to_cells.register
def _(weight: Compensated, cell: Array, more: Array) -> Compensated:
    cell, batch = _sums_by_cell(cell, more)
    summed = jax.tree.map(lambda a: a.at[cell].get(mode="fill", fill_value=0), weight)
    return jax.tree.map(lambda a, b: a.at[cell].set(b, mode="drop"), weight, summed.merge(batch))


def _sums_by_cell(cell: Array, weight: Array) -> tuple[Array, Compensated]:
    """Sorted cells, and the sum of weight at the last of each; the others are out of range.

    Floats are added pairwise with what rounding takes, in as many rounds as the longest run
    of equal cells needs.
    """
    (cell,), item = sort_items(cell)
    weight = weight[item]
    index = lax.iota(jnp.int32, cell.shape[0])

    def further(step: Array) -> Array:
        return (jnp.roll(cell, step) == cell) & (index >= step)

    def double(carry: tuple[Array, Compensated]) -> tuple[Array, Compensated]:
        step, sums = carry
        on = further(step)
        back = (jnp.where(on, jnp.roll(a, step), jnp.zeros_like(a)) for a in sums)
        return 2 * step, sums.merge(Compensated(*back))

    start = jnp.int32(1), Compensated(weight, jnp.zeros_like(weight))
    _, sums = lax.while_loop(lambda carry: jnp.any(further(carry[0])), double, start)
    closes = jnp.append(cell[1:] != cell[:-1], jnp.ones(min(1, cell.shape[0]), jnp.bool_))
    return jnp.where(closes, cell, jnp.iinfo(jnp.int32).max), sums
