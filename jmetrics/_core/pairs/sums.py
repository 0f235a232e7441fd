"""Weighted kernel sums over points on a line; the package has an overview of how and why."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jmetrics._core.bits import sortable_bits
from jmetrics._core.numerics import blocked_sum, safe_multiply, weighted_sum
from jmetrics._core.pairs import grid
from jmetrics._core.pairs.kernels import KERNELS, Kernel, Remainder
from jmetrics._core.pairs.prefix import PrefixState, prefix
from jmetrics._core.sorting import sort_items


class SortedPoints(NamedTuple):
    """Points by falling coordinate."""

    item: Array
    """Index of the point at each position."""
    x: Array
    """Its coordinate."""
    compensation: Array
    """Rounding error of the coordinate."""
    step: Array | None = None
    """Spacing of the grid to sum on, for which points are in any order; 0 if they do not fit one,
    so that they are sorted; None if no grid was considered."""


def sort_points(
    points: Array,
    compensation: Array | None = None,
    *,
    by: Array | None = None,
    smooth: Array | None = None,
) -> SortedPoints:
    """Sort points. Their coordinate is `points` + `compensation`, the latter within its rounding.

    Sorted `by` numbers of the same order, if those tell points apart that rounding does not. With
    `smooth`, the temperature of a smooth kernel, a grid may serve instead, and nothing is sorted;
    then `points` must be relative to one of them.
    """
    # Plus zeros of the points, so that it varies over a mesh as they do.
    positions = lax.iota(jnp.int32, points.shape[0]) + jnp.zeros_like(points, jnp.int32)

    def falling() -> Array:
        return sort_items(~sortable_bits(points if by is None else by))[1]

    step = None if smooth is None else grid.spacing(points, smooth)
    item = falling() if step is None else lax.cond(step > 0, lambda: positions, falling)
    return arrange(item, points, compensation, step)


def arrange(
    item: Array, points: Array, compensation: Array | None = None, step: Array | None = None
) -> SortedPoints:
    """Put points in an order that is known to let them fall, or is none for a grid."""
    compensation = (
        jnp.zeros_like(points) if compensation is None else lax.stop_gradient(compensation)
    )
    x, compensation = _permuted(item, step, points, compensation)
    return SortedPoints(item, x, compensation, step)


def kernel_sum(
    name: str, points: Array | SortedPoints, weight: Array, temperature: Array | float = 1.0
) -> Array:
    """Σ_j w_j φ((z_i − z_j) / τ) for every point i, itself included, for φ of `KERNELS`.

    Arrays have one axis; `jax.vmap` does rows. A point of weight 0 adds nothing. Smooth in
    points, weights and temperature as φ is, to any order and in both modes.
    """
    sorted_points = points if isinstance(points, SortedPoints) else sort_points(points)
    (weight,) = _permuted(sorted_points.item, sorted_points.step, weight)
    (out,) = _sums((KernelSum(KERNELS[name]),), Scaled.of(sorted_points, temperature), weight)
    n = out.shape[0]
    inverse = (
        jnp.zeros(n, jnp.int32)
        .at[sorted_points.item]
        .set(lax.iota(jnp.int32, n), unique_indices=True)
    )
    (out,) = _permuted(inverse, sorted_points.step, out)
    return out


def pair_sum(
    name: str,
    points: Array | SortedPoints,
    weight: Array,
    query: Array,
    temperature: Array | float = 1.0,
) -> Array:
    """Σ_ij w_i w_j φ((z_i − z_j) / τ) over queries i, which `query` is true of, and others j."""
    sorted_points = points if isinstance(points, SortedPoints) else sort_points(points)
    weight, query = _permuted(sorted_points.item, sorted_points.step, weight, query)
    at = Scaled.of(sorted_points, temperature)._replace(query=query)
    return _total(KERNELS[name], at, weight)


def _permuted(item: Array, step: Array | None, *arrays: Array) -> tuple[Array, ...]:
    """Entries by item, unchanged for a grid."""

    def permuted() -> tuple[Array, ...]:
        return tuple(
            jnp.asarray(a).at[item].get(unique_indices=True, mode="promise_in_bounds")
            for a in arrays
        )

    return permuted() if step is None else lax.cond(step > 0, lambda: arrays, permuted)


class Scaled(NamedTuple):
    """Points of a line, and what differences of them are divided by."""

    x: Array
    compensation: Array
    step: Array | None
    scale: Array
    query: Array | None = None
    """Where each point is compared with those of the other side only: whether it is a query."""

    @classmethod
    def of(cls, points: SortedPoints, temperature: Array | float) -> Scaled:
        """From a line and a temperature."""
        scale = jnp.asarray(temperature, points.x.dtype)
        return cls(points.x, points.compensation, points.step, scale)

    def sides(self, weight: Array) -> tuple[Array, ...]:
        """Weight of what is no query, and of queries; or of all points."""
        if self.query is None:
            return (weight,)
        none = jnp.zeros_like(weight)
        return jnp.where(self.query, none, weight), jnp.where(self.query, weight, none)


class OneSidedSum(NamedTuple):
    """A sum over the points of one side."""

    kernel: Kernel
    over: int = 0
    """Which of `Scaled.sides`."""


class KernelSum(NamedTuple):
    """A sum at every point: over all of them or, where there are sides, over the other side."""

    kernel: Kernel
    back: Kernel | None = None
    """The kernel at what is no query, where that is wanted. Without it, the sum there is not
    specified."""

    @property
    def next(self) -> KernelSum:
        """The same with the derivative of the kernel."""
        return KernelSum(self.kernel.next, self.back and self.back.next)

    @property
    def parts(self) -> list[OneSidedSum]:
        """What it is at points that are no queries, where that is wanted, and at the others."""
        return (
            [OneSidedSum(self.kernel)]
            if self.back is None
            else [OneSidedSum(self.back, 1), OneSidedSum(self.kernel)]
        )


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _total(kernel: Kernel, at: Scaled, weight: Array) -> Array:
    """Sum over pairs of a query and another point: T of the overview.

    Its slopes are sums over the other side, so a gradient needs no transposed pass.
    """
    (out,) = _sums((KernelSum(kernel),), at, weight)
    return weighted_sum(out, at.sides(weight)[1])


def _total_jvp(kernel: Kernel, primals: Any, tangents: Any) -> tuple[Array, Array]:
    at, weight = primals
    moved, d_weight = jax.tree.map(_or_none, tangents)
    queries = at.sides(weight)[1]
    at_queries, at_all = KernelSum(kernel), KernelSum(kernel, kernel.mirror)
    own = at_queries if d_weight is None else at_all
    # ∂T/∂w_i is the sum over the other side, of φ or its mirror, and ∂T/∂z_i is w_i / τ times
    # that of the derivative: all terms of one set of passes.
    terms = (own,) if moved.x is None else (own, at_all.next)
    out, *slopes = _sums(terms, at, weight)
    change = jnp.zeros_like(at.x, shape=())
    for slope in slopes:
        change += blocked_sum(safe_multiply(slope, weight) / at.scale * moved.x)
    if moved.scale is not None:
        (by_scale,) = _by_scale((at_queries,), at, weight)
        change += weighted_sum(by_scale, queries) * moved.scale
    if d_weight is not None:
        change += blocked_sum(out * d_weight)
    return weighted_sum(out, queries), change


_total.defjvp(_total_jvp, symbolic_zeros=True)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _sums(terms: tuple[KernelSum, ...], at: Scaled, weight: Array) -> tuple[Array, ...]:
    """Kernel sums at each of the points, for members of one family."""
    return _passes(terms, at, weight)


def _sums_jvp(
    terms: tuple[KernelSum, ...], primals: Any, tangents: Any
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    at, weight = primals
    moved, d_weight = jax.tree.map(_or_none, tangents)
    # Ṡ_i = S_i(φ, ẇ) + (ż_i S_i(φ′, w) − S_i(φ′, w ż)) / τ + τ̇ ∂S_i/∂τ
    higher = tuple(term.next for term in terms)
    every = tuple(dict.fromkeys(terms + higher)) if moved.x is not None else terms
    sums = dict(zip(every, _sums(every, at, weight), strict=True))
    changes = [jnp.zeros_like(at.x)] * len(terms)
    if moved.x is not None:
        slopes = [sums[term] for term in higher]
        changes = _carried(higher, slopes, at, weight, moved.x)
    if moved.scale is not None:
        drawn = _by_scale(terms, at, weight)
        changes = [a + slope * moved.scale for a, slope in zip(changes, drawn, strict=True)]
    if d_weight is not None:
        more = _sums(terms, at, d_weight)
        changes = [a + b for a, b in zip(changes, more, strict=True)]
    return tuple(sums[term] for term in terms), tuple(changes)


_sums.defjvp(_sums_jvp, symbolic_zeros=True)


def _or_none(tangent: Any) -> Any:
    return None if isinstance(tangent, jax.custom_derivatives.SymbolicZero) else tangent


def _carried(
    higher: tuple[KernelSum, ...], slopes: Sequence[Array], at: Scaled, weight: Array, moved: Array
) -> list[Array]:
    """(ż_i S_i(φ′, w) − S_i(φ′, w ż)) / τ, with ż = `moved`; `slopes` are S(φ′, w), φ′ `higher`."""
    dragged = _sums(higher, at, weight * moved)
    return [(moved * slope - drag) / at.scale for slope, drag in zip(slopes, dragged, strict=True)]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _by_scale(terms: tuple[KernelSum, ...], at: Scaled, weight: Array) -> tuple[Array, ...]:
    """Derivatives of sums by the scale.

    A larger scale moves all points to one in the middle. But between clusters that is a large
    way, times slopes that add up to 0 only but for rounding. So here the passes are differentiated,
    where each gap contributes what its own ratio to the scale changes.
    """

    def sums(scale: Array) -> tuple[Array, ...]:
        return _passes(terms, at._replace(scale=scale), weight)

    return jax.jvp(sums, (at.scale,), (jnp.ones_like(at.scale),))[1]


@_by_scale.defjvp
def _by_scale_jvp(
    terms: tuple[KernelSum, ...], primals: Any, tangents: Any
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    def as_moved(at: Scaled, weight: Array) -> tuple[Array, ...]:
        higher = tuple(term.next for term in terms)
        middle = at.x[at.x.shape[0] // 2 :][:1]
        slopes = _sums(higher, at, weight)
        return tuple(_carried(higher, slopes, at, weight, (middle - at.x) / at.scale))

    return _by_scale(terms, *primals), jax.jvp(as_moved, primals, tangents)[1]


def _passes(terms: tuple[KernelSum, ...], at: Scaled, weight: Array) -> tuple[Array, ...]:
    """Kernel sums on a grid, where that is close enough, or in order."""
    x, compensation, step = at.x, at.compensation, at.step

    def by_sorting() -> tuple[Array, ...]:
        gap = (x[:-1] - x[1:]) + (compensation[:-1] - compensation[1:])
        gap = jnp.concatenate([jnp.zeros_like(x[:1]), gap])[: x.shape[0]]
        return _in_sorted_order(terms, gap, at, weight)

    if step is None:
        return by_sorting()
    # The convolutions are between two choices, not within: compilers do them better there.
    fits, n = step > 0, grid.size(x.shape[0])
    cells = grid.located(x, compensation, step, at.query)
    even = lax.cond(
        fits,
        lambda: grid.deposited(cells, weight),
        lambda: jnp.zeros_like(x, shape=(cells.rows, n)),
    )
    t = ((n - 1) - lax.iota(step.dtype, 2 * n - 1)) * step / at.scale

    def spread(term: KernelSum) -> Array:
        sums = [grid.convolved(kernel(t), even[over]) for kernel, over in term.parts]
        return jnp.stack([jnp.zeros_like(sums[0])] * (cells.rows - len(sums)) + sums)

    sums = jnp.stack([spread(term) for term in terms])

    def by_grid() -> tuple[Array, ...]:
        values = grid.interpolated(cells, sums)
        return tuple(values[:, : x.shape[0]])

    return lax.cond(fits, by_grid, by_sorting)


def _in_sorted_order(
    terms: tuple[KernelSum, ...], gap: Array, at: Scaled, weight: Array
) -> tuple[Array, ...]:
    """Sums at points that fall by gaps, from one pass over several rows of weights.

    There is a row for each side of `Scaled.sides` and each sign of t that a kernel is not 0 for:
    in falling order for t < 0, in rising order for t > 0.
    """
    parts = list(dict.fromkeys(part for term in terms for part in term.parts))
    # Rows of both signs of t follow each other.
    rows = sorted({(over, rising) for kernel, over in parts for rising in kernel.signs})
    summed, back = at.sides(weight), jnp.concatenate([gap[:1], gap[:0:-1]])
    gaps = jnp.stack([back if rising else gap for _, rising in rows])
    added = jnp.stack([_turned(summed[over], rising) for over, rising in rows])

    def read(state: PrefixState) -> list[Array]:
        starts = (rows.index((over, kernel.signs[0])) for kernel, over in parts)
        pairs = zip(parts, starts, strict=True)
        return [_read(kernel, at.scale, state, start) for (kernel, _), start in pairs]

    remainders = (kernel.remainder(gap.dtype) for kernel, _ in parts)
    drops = max((len(r.drops) for r in remainders if r is not None), default=None)
    seen = prefix(gaps, added, at.scale, read, drops=drops)
    outs = {
        part: _both_signs(part.kernel, found, summed[part.over])
        for part, found in zip(parts, seen, strict=True)
    }
    return tuple(_by_query([outs[part] for part in term.parts], at.query) for term in terms)


def _turned(a: Array, rising: bool) -> Array:
    """From falling to rising order of the points, or back, for the sign of t that is summed so."""
    return a[::-1] if rising else a


def _both_signs(kernel: Kernel, found: Array, weight: Array) -> Array:
    """Add up the sums over each sign of t, and what a point adds at itself."""
    signs = zip(kernel.signs, found, strict=True)
    out = functools.reduce(jnp.add, (_turned(a, rising) for rising, a in signs))
    remainder = kernel.remainder(weight.dtype)
    if kernel.own and remainder is not None:
        out = out + remainder.decay * weight
    return kernel.factor * out


def _by_query(parts: list[Array], query: Array | None) -> Array:
    """A term from its sums at points that are no queries, where it has these, and at the others."""
    *others, out = parts
    return out if query is None or not others else jnp.where(query, out, others[0])


def _read(kernel: Kernel, scale: Array, state: PrefixState, start: int) -> Array:
    """Read sums over each sign of t of a kernel, from the rows for these."""
    rising = np.array(kernel.signs)[:, None]
    state = jax.tree.map(lambda a: a[..., start : start + len(rising), :], state)
    tail = _exponentials(kernel.remainder(state.apart.dtype), state)
    power = kernel.slope * _power(kernel, scale, state)
    return jnp.where(rising == kernel.mirrored, power + kernel.parity * tail, tail)


def _exponentials(remainder: Remainder | None, state: PrefixState) -> Array:
    """Sum of the exponentials times their coefficients."""
    if remainder is None or state.decay is None:
        return jnp.zeros_like(state.apart)
    drops = zip(remainder.drops, state.drops[: len(remainder.drops)], strict=True)
    return sum((c * drop for c, drop in drops), start=remainder.decay * state.decay)


def _power(kernel: Kernel, scale: Array, state: PrefixState) -> Array:
    if kernel.power is None:
        return jnp.zeros_like(state.apart)
    if kernel.power == 0:
        return state.apart if kernel.family == "hinge" else state.powers[0]
    return state.powers[kernel.power] / scale**kernel.power
