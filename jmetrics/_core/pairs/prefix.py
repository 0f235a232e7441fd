"""Sums over everything before a point on a line, all terms of one sign.

A state holds Σ_j w_j f(d_j) over the points j passed so far, d_j their distance from here, for
several f. Moving on changes it linearly: powers d^p grow by sums of products of sums and
gaps, exponentials shrink by a factor. Nothing is subtracted, so nothing cancels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.numerics import bit_length

_SHORT = 64
"""How many points are passed one by one; more are cut into runs that go side by side."""

_LONG = 128
"""The longest run: more would round too much."""


class PrefixState(NamedTuple):
    """Sums over what lies before a point, with x = exp(−d / scale)."""

    apart: Array
    """Weight at another point of the line, not at this one."""
    powers: tuple[Array, Array, Array]
    """Σ w d^p for p = 0, 1, 2."""
    decay: Array | None
    """Σ w x, where it is wanted."""
    drops: tuple[Array, ...]
    """Σ w x^k (1 − x) for k = 1, 2, …, as far as wanted: what a power of x loses to the next."""


Read = Callable[[PrefixState], Any]
"""A linear function of a state."""


def moved(state: PrefixState, gap: Array, scale: Array) -> PrefixState:
    """Move on over a gap."""
    zeroth, first, second = state.powers
    powers = (zeroth, first + zeroth * gap, second + gap * (2 * first + zeroth * gap))
    apart = jnp.where(gap > 0, zeroth, state.apart)
    if state.decay is None:
        return PrefixState(apart, powers, None, ())
    kept, lost = jnp.exp(-gap / scale), -jnp.expm1(-gap / scale)
    decay, factor, drops = state.decay, kept, []
    for drop in state.drops:
        drops.append(factor * (kept * drop + lost * decay))
        decay, factor = decay - drop, factor * kept  # on to the next power of x
    return PrefixState(apart, powers, kept * state.decay, tuple(drops))


def _with_weight(state: PrefixState, weight: Array) -> PrefixState:
    """Add a weight at this very point."""
    zeroth, first, second = state.powers
    decay = None if state.decay is None else state.decay + weight
    return state._replace(powers=(zeroth + weight, first, second), decay=decay)


def prefix(gap: Array, weight: Array, scale: Array, read: Read, *, drops: int | None) -> Any:
    """Read the state at every point along the last axis, before its own weight is added.

    `gap` is the distance from the point before. Runs of points go side by side, one step of
    each at a time; the states after whole runs are then carried over. The state has so many
    `drops`, or with None no exponentials at all.
    """

    def step(state: PrefixState, point: tuple[Array, Array]) -> tuple[PrefixState, Any]:
        gap, weight = point
        state = moved(state, gap, scale)
        return _with_weight(state, weight), read(state)

    n = gap.shape[-1]
    runs, steps = _cut(n)
    zero = jnp.zeros_like(gap, shape=(*gap.shape[:-1], runs))
    exponentials = (None, ()) if drops is None else (zero, (zero,) * drops)
    points = gaps, _ = _side_by_side(gap, runs, steps), _side_by_side(weight, runs, steps)
    total, seen = lax.scan(step, PrefixState(zero, (zero,) * 3, *exponentials), points)
    if runs != 1:
        distance = _running(gaps)
        carried = jax.tree.map(lambda a: _later(a, 1)[None], _added(total, distance[-1], scale))
        seen = jax.tree.map(jnp.add, seen, read(moved(carried, distance, scale)))
    return jax.tree.map(lambda a: _in_line(a, n), seen)


def _cut(n: int) -> tuple[int, int]:
    """How many runs n points are cut into, and how long each is."""
    if not isinstance(n, int):  # but a name, in an exported program
        return -(-n // _LONG), _LONG
    runs = 1 if n <= _SHORT else -(-n // min(math.isqrt(n - 1) + 1, _LONG))
    return runs, -(-n // runs)


def _added(states: PrefixState, gap: Array, scale: Array) -> PrefixState:
    """Add to each state those before, which each round does for twice as many of them."""

    def widen(gap: Array, by: Array) -> tuple[Array, Array]:
        return gap + _later(gap, by), gap

    def add(states: PrefixState, points: tuple[Array, Array]) -> tuple[PrefixState, None]:
        by, gap = points
        earlier = jax.tree.map(lambda a: _later(a, by), states)
        return jax.tree.map(jnp.add, states, moved(earlier, gap, scale)), None

    n = gap.shape[-1]
    by = 2 ** lax.iota(jnp.int32, bit_length(n - 1))
    by = by if isinstance(n, int) else jnp.minimum(by, n)
    gaps = lax.scan(widen, gap, by)[1]
    return lax.scan(add, states, (by, gaps))[0]


def _running(gaps: Array) -> Array:
    """Running sums along the first axis, one step after another."""
    return lax.scan(lambda d, gap: (d + gap, d + gap), jnp.zeros_like(gaps[0]), gaps)[1]


def _side_by_side(a: Array, runs: int, steps: int) -> Array:
    """Cut the last axis into runs of equal length: one step of all runs is one row in front."""
    padded = jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, steps * runs - a.shape[-1])])
    return jnp.moveaxis(padded.reshape(*a.shape[:-1], runs, steps), -1, 0)


def _in_line(a: Array, n: int) -> Array:
    """Undo `_side_by_side`."""
    a = jnp.moveaxis(a, 0, -1)
    return a.reshape(*a.shape[:-2], a.shape[-2] * a.shape[-1])[..., :n]


def _later(a: Array, by: Array | int) -> Array:
    """Move along the last axis, with zeros in front."""
    n = a.shape[-1]
    padded = jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(n, 0)])
    return lax.dynamic_slice_in_dim(padded, n - by, n, axis=-1)
