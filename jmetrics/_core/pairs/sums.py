"""Weighted kernel sums over points on a line."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jmetrics._core.bits import sortable_bits
from jmetrics._core.numerics import long_sum, times, weighted_sum
from jmetrics._core.pairs import grid
from jmetrics._core.pairs.kernels import KERNELS, Kernel, Remainder
from jmetrics._core.pairs.prefix import State, prefix
from jmetrics._core.sorting import sort_items


class Line(NamedTuple):
    """Points by falling coordinate."""

    item: Array
    """The point at each place."""
    place: Array
    """The coordinate at each place."""
    rest: Array
    """What rounding has cut off the coordinate."""
    step: Array | None = None
    """Spacing of a grid to sum on, for which the points are in any order; or 0, or none."""


def line(
    points: Array,
    rest: Array | None = None,
    *,
    by: Array | None = None,
    smooth: Array | None = None,
) -> Line:
    """Sort points. Their coordinate is `points` + `rest`, the latter within its rounding.

    Sorted `by` numbers of the same order, if those tell points apart that rounding does not. For
    a smooth kernel, of this temperature, not if a grid does; `points` are counted from one then.
    """
    # Plus zeros of the points, so that it varies over a mesh as they do.
    places = lax.iota(jnp.int32, points.shape[0]) + jnp.zeros_like(points, jnp.int32)

    def falling() -> Array:
        return sort_items(~sortable_bits(points if by is None else by))[1]

    step = None if smooth is None else grid.spacing(points, smooth)
    item = falling() if step is None else lax.cond(step > 0, lambda: places, falling)
    return along(item, points, rest, step)


def along(item: Array, points: Array, rest: Array | None = None, step: Array | None = None) -> Line:
    """Put points in an order that is known to let them fall, or is none for a grid."""
    rest = jnp.zeros_like(points) if rest is None else lax.stop_gradient(rest)
    place, rest = _permuted(item, step, points, rest)
    return Line(item, place, rest, step)


def kernel_sum(
    name: str, points: Array | Line, weight: Array, temperature: Array | float = 1.0
) -> Array:
    """Σ_j w_j φ((z_i − z_j) / τ) for every point i, itself included, for φ of `KERNELS`.

    Arrays have one axis; `jax.vmap` does rows. A point of weight 0 adds nothing. Smooth in
    points, weights and temperature as φ is, to any order and in both modes.
    """
    places = points if isinstance(points, Line) else line(points)
    (weight,) = _permuted(places.item, places.step, weight)
    (out,) = _sums((Term(KERNELS[name]),), Scaled.of(places, temperature), weight)
    n = out.shape[0]
    inverse = (
        jnp.zeros(n, jnp.int32).at[places.item].set(lax.iota(jnp.int32, n), unique_indices=True)
    )
    (out,) = _permuted(inverse, places.step, out)
    return out


def pair_sum(
    name: str, points: Array | Line, weight: Array, query: Array, temperature: Array | float = 1.0
) -> Array:
    """Σ_ij w_i w_j φ((z_i − z_j) / τ) over queries i, which `query` is true of, and others j."""
    places = points if isinstance(points, Line) else line(points)
    weight, query = _permuted(places.item, places.step, weight, query)
    at = Scaled.of(places, temperature)._replace(query=query)
    return _total(KERNELS[name], at, weight)


def _permuted(item: Array, step: Array | None, *arrays: Array) -> tuple[Array, ...]:
    """Entries by item, which for a grid is each in its place."""

    def permuted() -> tuple[Array, ...]:
        return tuple(
            jnp.asarray(a).at[item].get(unique_indices=True, mode="promise_in_bounds")
            for a in arrays
        )

    return permuted() if step is None else lax.cond(step > 0, lambda: arrays, permuted)


class Scaled(NamedTuple):
    """Places of a line, and what differences of them are divided by."""

    place: Array
    rest: Array
    step: Array | None
    scale: Array
    query: Array | None = None
    """Where each place is compared with those of the other side only: whether it is a query."""

    @classmethod
    def of(cls, places: Line, temperature: Array | float) -> Scaled:
        """From a line and a temperature."""
        scale = jnp.asarray(temperature, places.place.dtype)
        return cls(places.place, places.rest, places.step, scale)

    def sides(self, weight: Array) -> tuple[Array, ...]:
        """Weight of what is no query, and of queries; or of all places."""
        if self.query is None:
            return (weight,)
        none = jnp.zeros_like(weight)
        return jnp.where(self.query, none, weight), jnp.where(self.query, weight, none)


class Part(NamedTuple):
    """A sum over the places of one side."""

    kernel: Kernel
    over: int = 0
    """Which of `Scaled.sides`."""


class Term(NamedTuple):
    """A sum at every place: over all of them or, where there are sides, over the other side."""

    kernel: Kernel
    back: Kernel | None = None
    """The kernel at what is no query, where that is wanted."""

    @property
    def next(self) -> Term:
        """The same with the derivative of the kernel."""
        return Term(self.kernel.next, self.back and self.back.next)

    @property
    def parts(self) -> list[Part]:
        """What it is at places that are no queries, where that is wanted, and at the others."""
        return [Part(self.kernel)] if self.back is None else [Part(self.back, 1), Part(self.kernel)]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _total(kernel: Kernel, at: Scaled, weight: Array) -> Array:
    """Sum over pairs of a query and another place.

    Its slopes are sums over the other side, so a gradient needs no transposed pass.
    """
    (out,) = _sums((Term(kernel),), at, weight)
    return weighted_sum(out, at.sides(weight)[1])


def _total_jvp(kernel, primals, tangents):
    at, weight = primals
    moved, d_weight = jax.tree.map(_or_none, tangents)
    queries = at.sides(weight)[1]
    at_queries, at_all = Term(kernel), Term(kernel, kernel.mirror)
    own = at_queries if d_weight is None else at_all
    terms = (own,) if moved.place is None else (own, at_all.next)
    out, *slopes = _sums(terms, at, weight)
    change = jnp.zeros_like(at.place, shape=())
    for slope in slopes:
        change += long_sum(times(slope, weight) / at.scale * moved.place)
    if moved.scale is not None:
        (by_scale,) = _by_scale((at_queries,), at, weight)
        change += weighted_sum(by_scale, queries) * moved.scale
    if d_weight is not None:
        change += long_sum(out * d_weight)
    return weighted_sum(out, queries), change


_total.defjvp(_total_jvp, symbolic_zeros=True)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _sums(terms: tuple[Term, ...], at: Scaled, weight: Array) -> tuple[Array, ...]:
    """Kernel sums at each of the places, for members of one family."""
    return _passes(terms, at, weight)


def _sums_jvp(terms, primals, tangents):
    at, weight = primals
    moved, d_weight = jax.tree.map(_or_none, tangents)
    higher = tuple(term.next for term in terms)
    every = tuple(dict.fromkeys(terms + higher)) if moved.place is not None else terms
    sums = dict(zip(every, _sums(every, at, weight), strict=True))
    changes = [jnp.zeros_like(at.place)] * len(terms)
    if moved.place is not None:
        slopes = [sums[term] for term in higher]
        changes = _carried(higher, slopes, at, weight, moved.place)
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
    higher: tuple[Term, ...], slopes: Sequence[Array], at: Scaled, weight: Array, moved: Array
) -> list[Array]:
    """What sums change by if the places move; `slopes` are sums of the derivatives, `higher`."""
    dragged = _sums(higher, at, weight * moved)
    return [(moved * slope - drag) / at.scale for slope, drag in zip(slopes, dragged, strict=True)]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _by_scale(terms: tuple[Term, ...], at: Scaled, weight: Array) -> tuple[Array, ...]:
    """Derivatives of sums by the scale.

    A larger scale moves all places to one in the middle. But between clusters that is a large
    way, times slopes that add up to 0 only but for rounding: so here it is gap by gap.
    """

    def sums(scale: Array) -> tuple[Array, ...]:
        return _passes(terms, at._replace(scale=scale), weight)

    return jax.jvp(sums, (at.scale,), (jnp.ones_like(at.scale),))[1]


@_by_scale.defjvp
def _by_scale_jvp(terms, primals, tangents):
    def as_moved(at: Scaled, weight: Array) -> tuple[Array, ...]:
        higher = tuple(term.next for term in terms)
        middle = at.place[at.place.shape[0] // 2 :][:1]
        slopes = _sums(higher, at, weight)
        return tuple(_carried(higher, slopes, at, weight, (middle - at.place) / at.scale))

    return _by_scale(terms, *primals), jax.jvp(as_moved, primals, tangents)[1]


def _passes(terms: tuple[Term, ...], at: Scaled, weight: Array) -> tuple[Array, ...]:
    """Kernel sums on a grid, where that is close enough, or in order."""
    place, rest, step = at.place, at.rest, at.step

    def in_order() -> tuple[Array, ...]:
        gap = (place[:-1] - place[1:]) + (rest[:-1] - rest[1:])
        gap = jnp.concatenate([jnp.zeros_like(place[:1]), gap])[: place.shape[0]]
        return _in_order(terms, gap, at, weight)

    if step is None:
        return in_order()
    # The convolutions are between two choices, not within: compilers do them better there.
    fits, n = step > 0, grid.size(place.shape[0])
    cells = grid.located(place, rest, step, at.query)
    even = lax.cond(
        fits,
        lambda: grid.deposited(cells, weight),
        lambda: jnp.zeros_like(place, shape=(cells.rows, n)),
    )
    gap = ((n - 1) - lax.iota(step.dtype, 2 * n - 1)) * step / at.scale

    def spread(term: Term) -> Array:
        sums = [grid.convolved(kernel(gap), even[over]) for kernel, over in term.parts]
        return jnp.stack([jnp.zeros_like(sums[0])] * (cells.rows - len(sums)) + sums)

    sums = jnp.stack([spread(term) for term in terms])

    def on_grid() -> tuple[Array, ...]:
        values = grid.interpolated(cells, sums)
        return tuple(values[:, : place.shape[0]])

    return lax.cond(fits, on_grid, in_order)


def _in_order(terms: tuple[Term, ...], gap: Array, at: Scaled, weight: Array) -> tuple[Array, ...]:
    """Sums at places that fall by gaps."""
    parts = list(dict.fromkeys(part for term in terms for part in term.parts))
    summed = at.sides(weight)
    back = jnp.concatenate([gap[:1], gap[:0:-1]])
    rows = sorted({(over, side) for kernel, over in parts for side in kernel.sides})
    gaps = jnp.stack([back if side else gap for _, side in rows])
    added = jnp.stack([summed[over][::-1] if side else summed[over] for over, side in rows])
    starts = [rows.index((over, kernel.sides[0])) for kernel, over in parts]

    def read(state: State) -> list[Array]:
        return [
            _read(kernel, at.scale, state, start)
            for (kernel, _), start in zip(parts, starts, strict=True)
        ]

    remainders = [kernel.remainder(gap.dtype) for kernel, _ in parts]
    drops = max((len(r.drops) for r in remainders if r is not None), default=None)
    seen = prefix(gaps, added, at.scale, read, drops=drops)
    outs = {}
    for part, remainder, found in zip(parts, remainders, seen, strict=True):
        kernel, over = part
        sides = zip(kernel.sides, found, strict=True)
        out = sum(values[::-1] if side else values for side, values in sides)
        if kernel.own and remainder is not None:
            out = out + remainder.decay * summed[over]
        outs[part] = kernel.factor * out

    def of(term: Term) -> Array:
        *others, out = (outs[part] for part in term.parts)
        return out if at.query is None or not others else jnp.where(at.query, out, others[0])

    return tuple(of(term) for term in terms)


def _read(kernel: Kernel, scale: Array, state: State, start: int) -> Array:
    """Read sums over each side of a kernel, from the rows for these."""
    sides = np.array(kernel.sides)[:, None]
    state = jax.tree.map(lambda a: a[..., start : start + len(sides), :], state)
    tail = _exponentials(kernel.remainder(state.apart.dtype), state)
    power = kernel.slope * _power(kernel, scale, state)
    return jnp.where(sides == kernel.mirrored, power + kernel.parity * tail, tail)


def _exponentials(remainder: Remainder | None, state: State) -> Array:
    """Sum of the exponentials times their coefficients."""
    if remainder is None or state.decay is None:
        return jnp.zeros_like(state.apart)
    drops = zip(remainder.drops, state.drops[: len(remainder.drops)], strict=True)
    return sum((c * drop for c, drop in drops), start=remainder.decay * state.decay)


def _power(kernel: Kernel, scale: Array, state: State) -> Array:
    if kernel.power is None:
        return jnp.zeros_like(state.apart)
    if kernel.power == 0:
        return state.apart if kernel.family == "hinge" else state.powers[0]
    return state.powers[kernel.power] / scale**kernel.power
