"""Soft counts of what is ranked above each item of its list."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.bits import sortable_bits
from jmetrics._core.lists import SegmentLists, prefix_sums
from jmetrics._core.pairs import SortedPoints, kernel_sum, sort_points
from jmetrics._core.sorting import sort_items
from jmetrics.losses._lists import Items, largest

_KERNELS = {"laplace": "laplace", "logistic": "sigmoid"}
KERNELS = tuple(_KERNELS)

_APART = 200.0
"""Beyond this many temperatures a kernel is a step function in floating point."""


def soft_counts_above(
    items: Items, weights: tuple[Array, ...], temperature: Array, kernel: str
) -> tuple[Array, ...]:
    """Σ_j w_j F((s_j − s_i) / τ) over the list of each item, half of itself included.

    F is the distribution function of noise of the shape `kernel`; weights are whole numbers.
    O(n log n), by one sort.
    """
    weights = tuple(jnp.where(items.on, w, jnp.zeros_like(w)) for w in weights)
    if isinstance(items.lists, SegmentLists):
        return _of_segments(items, weights, items.lists, temperature, _KERNELS[kernel])

    def of_row(score: Array, *weights: Array) -> tuple[Array, ...]:
        return _sums(_KERNELS[kernel], sort_points(score), weights, temperature)

    return jax.vmap(of_row)(items.score, *weights)


def _sums(
    kernel: str, points: SortedPoints, weights: tuple[Array, ...], temperature: Array | float = 1.0
) -> tuple[Array, ...]:
    """Kernel sums of several weights, in one program."""

    def of_weight(weight: Array) -> Array:
        return kernel_sum(kernel, points, weight, temperature)

    return tuple(jax.vmap(of_weight)(jnp.stack(weights)))


def _of_segments(
    items: Items, weights: tuple[Array, ...], lists: SegmentLists, temperature: Array, kernel: str
) -> tuple[Array, ...]:
    """Place all lists one after the other on one line, far apart, in units of the temperature.

    Between two lists a point with minus the total weight of the first cancels it: so the sum above
    an item is over its own list alone, and exactly so, since sums of whole numbers are exact.
    """
    score, n = items.score, items.score.shape[0]
    (segment, _), item = sort_items(lists.segment, ~sortable_bits(score))
    slot = lax.iota(jnp.int32, n) + segment
    sorted_lists = SegmentLists(lists.count, segment, contiguous=True)
    ends = sorted_lists.first()[1:] + lax.iota(jnp.int32, lists.count)

    def spread(values: Array, at_end: Array) -> Array:
        spaced = jnp.zeros(n + lists.count, values.dtype)
        spaced = spaced.at[slot].set(values, unique_indices=True)
        return spaced.at[ends].set(at_end, unique_indices=True)

    nothing = jnp.zeros(lists.count, score.dtype)
    fixed = lax.stop_gradient(score)[item]
    gap = (fixed[:-1] - fixed[1:]) / lax.stop_gradient(temperature)
    gap = jnp.clip(gap, 0, _APART)
    gap = jnp.where(gap == gap, gap, 0)  # a NaN must not reach other lists
    gap = jnp.where(segment[1:] == segment[:-1], gap, _APART)
    gap = jnp.concatenate([jnp.full_like(fixed[:1], _APART), gap])[:n]
    high, low = prefix_sums(spread(gap, nothing + _APART))
    # Positions come from the gaps, derivatives from the points.
    points = ((score - lists.of_each(largest(items, score))) / temperature)[item]
    moved = points - lax.stop_gradient(points)
    moved = jnp.where(jnp.isfinite(moved), moved, jnp.zeros_like(moved))
    x = spread(moved, nothing) - high[1:]
    spaced = SortedPoints(lax.iota(jnp.int32, n + lists.count), x, -low[1:])
    weights = tuple(weight[item] for weight in weights)
    spaced_weights = tuple(spread(weight, -sorted_lists.sum(weight)) for weight in weights)
    sums = (out[slot] for out in _sums(kernel, spaced, spaced_weights))
    return tuple(jnp.zeros_like(out).at[item].set(out, unique_indices=True) for out in sums)
