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
    return along(item, points, rest)._replace(step=step)


def along(item: Array, points: Array, rest: Array | None = None) -> Line:
    """Put points in an order that is known to let them fall."""
    rest = jnp.zeros_like(points) if rest is None else lax.stop_gradient(rest)
    return Line(item, _permuted(points, item), _permuted(rest, item))


def kernel_sum(
    name: str, points: Array | Line, weight: Array, temperature: Array | float = 1.0
) -> Array:
    """Σ_j w_j φ((z_i − z_j) / τ) for every point i, itself included, for φ of `KERNELS`.

    Arrays have one axis; `jax.vmap` does rows. A point of weight 0 adds nothing. Smooth in
    points, weights and temperature as φ is, to any order and in both modes.
    """
    places = points if isinstance(points, Line) else line(points)
    weights = (_permuted(weight, places.item),)
    (out,) = _sums((Term(KERNELS[name]),), Scaled.of(places, temperature), weights)
    n = out.shape[0]
    inverse = (
        jnp.zeros(n, jnp.int32).at[places.item].set(lax.iota(jnp.int32, n), unique_indices=True)
    )
    return _permuted(out, inverse)


def pair_sum(
    name: str, points: Array | Line, query: Array, key: Array, temperature: Array | float = 1.0
) -> Array:
    """Σ_ij query_i key_j φ((z_i − z_j) / τ): the sum of `kernel_sum` with weights on both sides."""
    places = points if isinstance(points, Line) else line(points)
    query, key = (_permuted(weight, places.item) for weight in (query, key))
    return _total(KERNELS[name], Scaled.of(places, temperature), query, key)


def _permuted(a: Array, item: Array) -> Array:
    return jnp.asarray(a).at[item].get(unique_indices=True, mode="promise_in_bounds")


class Scaled(NamedTuple):
    """Places of a line, and what differences of them are divided by."""

    place: Array
    rest: Array
    step: Array | None
    scale: Array

    @classmethod
    def of(cls, places: Line, temperature: Array | float) -> Scaled:
        """From a line and a temperature."""
        scale = jnp.asarray(temperature, places.place.dtype)
        return cls(places.place, places.rest, places.step, scale)


class Term(NamedTuple):
    """A sum at every place."""

    kernel: Kernel
    of: int = 0
    """Which of the weights are summed."""

    @property
    def next(self) -> Term:
        """The same with the derivative of the kernel."""
        return self._replace(kernel=self.kernel.next)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _total(kernel: Kernel, at: Scaled, query: Array, key: Array) -> Array:
    """Sum over pairs of places.

    Its slopes are sums over the keys and over the queries, so a gradient needs no transposed pass.
    """
    (out,) = _sums((Term(kernel),), at, (key,))
    return weighted_sum(out, query)


def _total_jvp(kernel, primals, tangents):
    at, query, key = primals
    moved, d_query, d_key = jax.tree.map(_or_none, tangents)
    by_key, by_query = Term(kernel, 0), Term(kernel.mirror, 1)
    terms = [by_key]
    if moved.place is not None:
        terms += [by_key.next, by_query.next]
    if d_key is not None:
        terms += [by_query]
    sums = dict(zip(terms, _sums(tuple(terms), at, (key, query)), strict=True))
    change = jnp.zeros_like(at.place, shape=())
    if moved.place is not None:
        slope = times(sums[by_key.next], query) + times(sums[by_query.next], key)
        change += long_sum(slope / at.scale * moved.place)
    if moved.scale is not None:
        (by_scale,) = _by_scale((by_key,), at, (key,))
        change += weighted_sum(by_scale, query) * moved.scale
    if d_query is not None:
        change += long_sum(sums[by_key] * d_query)
    if d_key is not None:
        change += long_sum(sums[by_query] * d_key)
    return weighted_sum(sums[by_key], query), change


_total.defjvp(_total_jvp, symbolic_zeros=True)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _sums(terms: tuple[Term, ...], at: Scaled, weights: tuple[Array, ...]) -> tuple[Array, ...]:
    """Kernel sums at each of the places, for members of one family."""
    return _passes(terms, at, weights)


def _sums_jvp(terms, primals, tangents):
    at, weights = primals
    moved, d_weights = jax.tree.map(_or_none, tangents)
    higher = tuple(term.next for term in terms)
    every = tuple(dict.fromkeys(terms + higher)) if moved.place is not None else terms
    sums = dict(zip(every, _sums(every, at, weights), strict=True))
    changes = [jnp.zeros_like(at.place)] * len(terms)
    if moved.place is not None:
        slopes = [sums[term] for term in higher]
        changes = _carried(higher, slopes, at, weights, moved.place)
    if moved.scale is not None:
        drawn = _by_scale(terms, at, weights)
        changes = [a + slope * moved.scale for a, slope in zip(changes, drawn, strict=True)]
    if any(d is not None for d in d_weights):
        grown = [
            jnp.zeros_like(w) if d is None else d for w, d in zip(weights, d_weights, strict=True)
        ]
        more = _sums(terms, at, tuple(grown))
        changes = [a + b for a, b in zip(changes, more, strict=True)]
    return tuple(sums[term] for term in terms), tuple(changes)


_sums.defjvp(_sums_jvp, symbolic_zeros=True)


def _or_none(tangent: Any) -> Any:
    return None if isinstance(tangent, jax.custom_derivatives.SymbolicZero) else tangent


def _carried(
    higher: tuple[Term, ...],
    slopes: Sequence[Array],
    at: Scaled,
    weights: tuple[Array, ...],
    moved: Array,
) -> list[Array]:
    """What sums change by if the places move; `slopes` are sums of the derivatives, `higher`."""
    dragged = _sums(higher, at, tuple(weight * moved for weight in weights))
    return [(moved * slope - drag) / at.scale for slope, drag in zip(slopes, dragged, strict=True)]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _by_scale(terms: tuple[Term, ...], at: Scaled, weights: tuple[Array, ...]) -> tuple[Array, ...]:
    """Derivatives of sums by the scale.

    A larger scale moves all places to one in the middle. But between clusters that is a large
    way, times slopes that add up to 0 only but for rounding: so here it is gap by gap.
    """

    def sums(scale: Array) -> tuple[Array, ...]:
        return _passes(terms, at._replace(scale=scale), weights)

    return jax.jvp(sums, (at.scale,), (jnp.ones_like(at.scale),))[1]


@_by_scale.defjvp
def _by_scale_jvp(terms, primals, tangents):
    def as_moved(at: Scaled, weights: tuple[Array, ...]) -> tuple[Array, ...]:
        higher = tuple(term.next for term in terms)
        middle = at.place[at.place.shape[0] // 2 :][:1]
        slopes = _sums(higher, at, weights)
        return tuple(_carried(higher, slopes, at, weights, (middle - at.place) / at.scale))

    return _by_scale(terms, *primals), jax.jvp(as_moved, primals, tangents)[1]


def _passes(terms: tuple[Term, ...], at: Scaled, weights: tuple[Array, ...]) -> tuple[Array, ...]:
    """Kernel sums on a grid, where that is close enough, or in order."""
    place, rest, step, scale = at

    def in_order() -> tuple[Array, ...]:
        gap = (place[:-1] - place[1:]) + (rest[:-1] - rest[1:])
        gap = jnp.concatenate([jnp.zeros_like(place[:1]), gap])[: place.shape[0]]
        return _in_order(terms, gap, scale, weights)

    if step is None:
        return in_order()
    # The convolutions are between two choices, not within: compilers do them better there.
    fits, n = step > 0, grid.size(place.shape[0])
    even = lax.cond(
        fits,
        lambda: grid.deposited(grid.located(place, rest, step), jnp.stack(weights)),
        lambda: jnp.zeros_like(place, shape=(len(weights), n)),
    )
    gap = ((n - 1) - lax.iota(step.dtype, 2 * n - 1)) * step / scale
    sums = jnp.stack([grid.convolved(kernel(gap), even[of]) for kernel, of in terms])

    def on_grid() -> tuple[Array, ...]:
        values = grid.interpolated(grid.located(place, rest, step), sums)
        return tuple(values[:, : place.shape[0]])

    return lax.cond(fits, on_grid, in_order)


def _in_order(
    terms: tuple[Term, ...], gap: Array, scale: Array, weights: tuple[Array, ...]
) -> tuple[Array, ...]:
    """Sums at places that fall by gaps."""
    back = jnp.concatenate([gap[:1], gap[:0:-1]])
    rows = sorted({(of, side) for kernel, of in terms for side in kernel.sides})
    gaps = jnp.stack([back if side else gap for _, side in rows])
    added = jnp.stack([weights[of][::-1] if side else weights[of] for of, side in rows])
    starts = [rows.index((of, kernel.sides[0])) for kernel, of in terms]

    def read(state: State) -> list[Array]:
        return [
            _read(kernel, scale, state, start)
            for (kernel, _), start in zip(terms, starts, strict=True)
        ]

    remainders = [kernel.remainder(gap.dtype) for kernel, _ in terms]
    drops = max((len(r.drops) for r in remainders if r is not None), default=None)
    seen = prefix(gaps, added, scale, read, drops=drops)
    outs = []
    for (kernel, of), remainder, found in zip(terms, remainders, seen, strict=True):
        sides = zip(kernel.sides, found, strict=True)
        out = sum(values[::-1] if side else values for side, values in sides)
        if kernel.own and remainder is not None:
            out = out + remainder.decay * weights[of]
        outs.append(kernel.factor * out)
    return tuple(outs)


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
