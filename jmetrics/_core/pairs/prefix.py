"""Sums over everything before a place on a line, all terms of one sign.

A state holds Σ_j w_j f(d_j) over the places j passed so far, d_j their distance from here, for
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

_SHORT = 64
"""How many places are passed one by one; more are cut into runs that go side by side."""

_LONG = 128
"""Largest length, and number, of runs: more would round too much, so that runs are cut again."""


class State(NamedTuple):
    """Sums over what lies before a place, with x = exp(−d / scale)."""

    apart: Array
    """Weight at another point of the line, not at this one."""
    powers: tuple[Array, Array, Array]
    """Σ w d^p for p = 0, 1, 2."""
    decay: Array | None
    """Σ w x, where it is wanted."""
    drops: tuple[Array, ...]
    """Σ w x^k (1 − x) for k = 1, 2, …, as far as wanted: what a power of x loses to the next."""


Read = Callable[[State], Any]
"""A linear function of a state."""


def moved(state: State, gap: Array, scale: Array) -> State:
    """Move on over a gap."""
    zeroth, first, second = state.powers
    powers = (zeroth, first + zeroth * gap, second + gap * (2 * first + zeroth * gap))
    apart = jnp.where(gap > 0, zeroth, state.apart)
    if state.decay is None:
        return State(apart, powers, None, ())
    kept, lost = jnp.exp(-gap / scale), -jnp.expm1(-gap / scale)
    decay, factor, drops = state.decay, kept, []
    for drop in state.drops:
        drops.append(factor * (kept * drop + lost * decay))
        decay, factor = decay - drop, factor * kept  # on to the next power of x
    return State(apart, powers, kept * state.decay, tuple(drops))


def _with_weight(state: State, weight: Array) -> State:
    """Add a weight at this very place."""
    zeroth, first, second = state.powers
    decay = None if state.decay is None else state.decay + weight
    return state._replace(powers=(zeroth + weight, first, second), decay=decay)


def _together(state: State, other: State) -> State:
    """Add two states of one place."""
    return jax.tree.map(jnp.add, state, other)


def prefix(gap: Array, weight: Array, scale: Array, read: Read, *, drops: int | None) -> Any:
    """Read the state at every place along the last axis, before its own weight is added.

    `gap` is the distance from the place before. Runs of places go side by side, one step of
    each at a time; the sums of whole runs are carried over in the same way. The state has so
    many `drops`, or with None no exponentials at all.
    """
    zero = jnp.zeros_like(gap, shape=gap.shape[:-1])
    exponentials = (None, ()) if drops is None else (zero, (zero,) * drops)
    start = State(zero, (zero,) * 3, *exponentials)
    runs = _runs(gap.shape[-1], _SHORT)
    return _prefix(gap, weight, scale, start, _with_weight, read, runs)


def _runs(n: int, most: int) -> int:
    """Into how many runs to cut places of which at most so many may be passed one by one."""
    return 1 if n <= most else -(-n // min(math.isqrt(n - 1) + 1, _LONG))


def _prefix(
    gap: Array, added: Any, scale: Array, start: State, add: Callable, read: Read, runs: int
) -> Any:
    def step(state: State, place: tuple[Array, Any]) -> tuple[State, Any]:
        gap, added = place
        state = moved(state, gap, scale)
        return add(state, added), read(state)

    n = gap.shape[-1]
    gaps, added = jax.tree.map(lambda a: _side_by_side(a, runs), (gap, added))
    zero = jax.tree.map(lambda a: jnp.broadcast_to(a[..., None], (*a.shape, runs)), start)
    total, seen = lax.scan(step, zero, (gaps, added))
    if runs > 1:
        distance = _running(gaps)
        again = _runs(runs, _LONG)
        before = _prefix(distance[-1], total, scale, start, _together, lambda state: state, again)
        carried = jax.tree.map(_one_later, _together(before, total))
        carried = jax.tree.map(lambda a: a[None], carried)
        seen = jax.tree.map(jnp.add, seen, read(moved(carried, distance, scale)))
    return jax.tree.map(lambda a: _in_line(a, n), seen)


def _running(gaps: Array) -> Array:
    """Running sums along the first axis, one step after another."""
    return lax.scan(lambda d, gap: (d + gap, d + gap), jnp.zeros_like(gaps[0]), gaps)[1]


def _side_by_side(a: Array, runs: int) -> Array:
    """Cut the last axis into runs of equal length: one step of all runs is one row in front."""
    n = a.shape[-1]
    steps = -(-n // runs)
    padded = jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, steps * runs - n)])
    return jnp.moveaxis(padded.reshape(*a.shape[:-1], runs, steps), -1, 0)


def _in_line(a: Array, n: int) -> Array:
    """Undo `_side_by_side`."""
    a = jnp.moveaxis(a, 0, -1)
    return a.reshape(*a.shape[:-2], a.shape[-2] * a.shape[-1])[..., :n]


def _one_later(a: Array) -> Array:
    return jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(1, 0)])[..., :-1]
