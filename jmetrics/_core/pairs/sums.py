"""Weighted kernel sums over points on a line."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.bits import sortable_bits
from jmetrics._core.numerics import weighted_sum
from jmetrics._core.pairs import grid
from jmetrics._core.pairs.kernels import KERNELS, Kernel, Remainder
from jmetrics._core.pairs.prefix import State, prefix


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
    places = lax.iota(jnp.int32, points.shape[0])

    def falling() -> Array:
        keys = ~sortable_bits(points if by is None else by)
        return lax.sort((keys, places), num_keys=1, is_stable=True)[1]

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
    out = _along(places, KERNELS[name], weight, temperature)
    n = weight.shape[0]
    inverse = (
        jnp.zeros(n, jnp.int32).at[places.item].set(lax.iota(jnp.int32, n), unique_indices=True)
    )
    return _permuted(out, inverse)


def pair_sum(
    name: str, points: Array | Line, query: Array, key: Array, temperature: Array | float = 1.0
) -> Array:
    """Σ_ij query_i key_j φ((z_i − z_j) / τ): the sum of `kernel_sum` with weights on both sides."""
    places = points if isinstance(points, Line) else line(points)
    out = _along(places, KERNELS[name], key, temperature)
    return weighted_sum(out, _permuted(query, places.item))


def _permuted(a: Array, item: Array) -> Array:
    return jnp.asarray(a).at[item].get(unique_indices=True, mode="promise_in_bounds")


def _along(places: Line, kernel: Kernel, weight: Array, temperature: Array | float) -> Array:
    weight = _permuted(weight, places.item)
    scale = jnp.asarray(temperature, places.place.dtype)
    (out,) = _sums((kernel,), places.place, places.rest, places.step, scale, weight)
    return out


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _sums(
    kernels: tuple[Kernel, ...],
    place: Array,
    rest: Array,
    step: Array | None,
    scale: Array,
    weight: Array,
) -> tuple[Array, ...]:
    """Kernel sums at each of the places, for members of one family."""

    def in_order() -> tuple[Array, ...]:
        gap = (place[:-1] - place[1:]) + (rest[:-1] - rest[1:])
        gap = jnp.concatenate([jnp.zeros_like(place[:1]), gap])[: place.shape[0]]
        return _in_order(kernels, gap, scale, weight)

    if step is None:
        return in_order()
    # The convolution is between two choices, not within: compilers do it better there.
    fits, n = step > 0, grid.size(place.shape[0])
    even = lax.cond(
        fits,
        lambda: grid.deposited(grid.located(place, rest, step), weight),
        lambda: jnp.zeros(n, weight.dtype),
    )
    gap = ((n - 1) - lax.iota(step.dtype, 2 * n - 1)) * step / scale
    sums = [grid.convolved(kernel(gap), even) for kernel in kernels]

    def on_grid() -> tuple[Array, ...]:
        at = grid.located(place, rest, step)
        return tuple(grid.interpolated(at, values)[: place.shape[0]] for values in sums)

    return lax.cond(fits, on_grid, in_order)


def _in_order(
    kernels: tuple[Kernel, ...], gap: Array, scale: Array, weight: Array
) -> tuple[Array, ...]:
    """Sums at places that fall by gaps."""
    both = kernels[0].family != "hinge"
    gaps, weights = gap[None], weight[None]
    if both:
        back = jnp.concatenate([gap[:1], gap[:0:-1]])
        gaps, weights = jnp.stack([gap, back]), jnp.stack([weight, weight[::-1]])
    remainders = [kernel.remainder(gap.dtype) for kernel in kernels]
    read = functools.partial(_read, kernels, remainders, scale)
    drops = max((len(r.drops) for r in remainders if r is not None), default=None)
    sides = prefix(gaps, weights, scale, read, drops=drops)
    outs = []
    for kernel, remainder, side in zip(kernels, remainders, sides, strict=True):
        out = side[0] + side[1, ::-1] if both else side[0]
        if kernel.own and remainder is not None:
            out = out + remainder.decay * weight
        outs.append(kernel.factor * out)
    return tuple(outs)


def _read(
    kernels: tuple[Kernel, ...], remainders: list[Remainder | None], scale: Array, state: State
) -> tuple[Array, ...]:
    """Read sums over one side: over the points above in the first row, below in the second."""
    above = lax.broadcasted_iota(jnp.int32, state.apart.shape, state.apart.ndim - 2) == 0
    outs = []
    for kernel, remainder in zip(kernels, remainders, strict=True):
        tail = _exponentials(remainder, state)
        power = kernel.slope * _power(kernel, scale, state)
        outs.append(jnp.where(above, power + kernel.mirror * tail, tail))
    return tuple(outs)


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


def _sums_jvp(kernels, primals, tangents):
    place, rest, step, scale, weight = primals
    d_place, _, _, d_scale, d_weight = (
        None if isinstance(t, jax.custom_derivatives.SymbolicZero) else t for t in tangents
    )
    higher = tuple(kernel.next for kernel in kernels)
    every = tuple(dict.fromkeys(kernels + higher))
    sums = dict(zip(every, _sums(every, place, rest, step, scale, weight), strict=True))
    changes = [jnp.zeros_like(place)] * len(kernels)
    if d_place is not None or d_scale is not None:
        shift = jnp.zeros_like(place) if d_place is None else d_place
        if d_scale is not None:
            middle = place[place.shape[0] // 2 :][:1]
            shift = shift - (place - middle) / scale * d_scale
        dragged = _sums(higher, place, rest, step, scale, weight * shift)
        changes = [
            (shift * sums[kernel] - drag) / scale
            for kernel, drag in zip(higher, dragged, strict=True)
        ]
    if d_weight is not None:
        grown = _sums(kernels, place, rest, step, scale, d_weight)
        changes = [change + more for change, more in zip(changes, grown, strict=True)]
    return tuple(sums[kernel] for kernel in kernels), tuple(changes)


_sums.defjvp(_sums_jvp, symbolic_zeros=True)
