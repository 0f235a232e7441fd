"""How often each unit is drawn in a resample."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import DTypeLike

from jmetrics.inference._drawing.binomial import binomial, poisson
from jmetrics.inference._drawing.units import Bounds, CellCounts, Samples

SCHEMES = ("multinomial", "poisson", "bayesian")

EXCHANGE = "exchange"
"""Each sample once, with probability ½."""

_SPREAD = 6
"""How many standard deviations the Poisson counts of a resample stay below their number."""

_GRID = 4
_MOST = 12
"""A larger count is less likely than one random uint32 can represent."""


def starts_of(key: Array, source: Samples | CellCounts, scheme: str, n: int) -> Array:
    """What each of `n` resamples is drawn from: a key, or for cells the drawn counts themselves.

    Cells are so few that those of all resamples fit in memory, and are cheapest drawn at once.
    """
    if isinstance(source, CellCounts):
        return draw_cells(key, scheme, source.cell_sizes, n, source.dtype)
    return jax.random.split(key, n)


def draw(start: Array, source: Samples | CellCounts, scheme: str) -> Array:
    """Times that each unit is in the resample drawn from `start`."""
    return start if isinstance(source, CellCounts) else draw_units(start, source, scheme)


def draw_units(key: Array, samples: Samples, scheme: str) -> Array:
    """Times that each unit with positive weight is drawn; the positions beyond them get 0.

    What is drawn for a unit depends on its number and on how many there are, not on the number
    of samples, so that a mask and a deletion draw alike.
    """
    size, dtype = samples.weight.shape[0], samples.weight.dtype
    exists = _first(samples.total, size)
    if scheme == "bayesian":
        counts = jax.random.exponential(key, (size,), dtype)
    elif scheme == EXCHANGE:
        counts = jax.random.bernoulli(key, 0.5, (size,)).astype(dtype)
    elif scheme == "poisson":
        counts = _above(_words(key, size), _poisson_bounds(1.0)).astype(dtype)
    elif samples.bounds is None:
        counts = multinomial(key, samples.total, size).astype(dtype)
    else:
        counts = _within_strata(key, jnp.asarray(exists), samples.bounds).astype(dtype)
    return jnp.where(exists, counts, jnp.zeros_like(counts))


def multinomial(key: Array, total: int | Array, size: int) -> Array:
    """Counts of `total` draws with replacement among the first `total` of `size` units.

    Nearly all of them are independent Poisson counts, a few comparisons of one random word
    each; what they lack to `total` is drawn one by one. Given their sum, Poisson counts are
    multinomial, so the whole is (their sum leaves the room for this once in 1e9 resamples).
    """
    slots = min(size, math.ceil(2 * _SPREAD * 2 ** (0.5 / _GRID) * math.sqrt(size)))
    for_counts, for_rest = _two_kinds_of_words(key, size, slots)
    counts = jnp.zeros(size, jnp.int32)
    if size > _SPREAD**2:
        counts = _above(for_counts, _bounds_of(total))
        counts = jnp.where(_first(total, size), counts, jnp.zeros_like(counts))
    missing = total - jnp.sum(counts, dtype=jnp.int32)
    unit = _below(for_rest, jnp.maximum(total, 1))
    unit = jnp.where(jnp.arange(slots, dtype=jnp.int32) < missing, unit, size)
    return counts.at[unit].add(1, mode="drop")


def _first(total: int | Array, size: int) -> np.ndarray | Array:
    """Whether each of `size` units is one of the first `total`, which may be known to be all."""
    if isinstance(total, int) and total == size:
        return np.ones((), np.bool_)
    return jnp.arange(size, dtype=jnp.int32) < total


def _bounds_of(total: int | Array) -> np.ndarray | Array:
    """Bounds of counts whose sum stays below a number of units."""
    sizes, bounds = _tables()
    if isinstance(total, int):
        return bounds[np.searchsorted(sizes, total, side="right") - 1]
    row = jnp.searchsorted(jnp.asarray(sizes), total, side="right", method="compare_all") - 1
    return jnp.asarray(bounds)[row]


def _below(words: Array, total: int | Array) -> Array:
    """Whole numbers below `total`: the high word of the product with a random word.

    Their chances differ by `total` / 2³² of themselves, which no number of resamples shows.
    """
    total, low = jnp.asarray(total).astype(jnp.uint32), jnp.uint32(2**16 - 1)
    a, b = words >> 16, words & low
    c, d = total >> 16, total & low
    middle = a * d + (b * d >> 16)
    across = b * c + (middle & low)
    return (a * c + (middle >> 16) + (across >> 16)).astype(jnp.int32)


def _within_strata(key: Array, exists: Array, bounds: Bounds) -> Array:
    """As many draws from each stratum as it has units, one for the position of each."""
    start, end = bounds
    drawn = jax.random.randint(key, exists.shape, start, jnp.maximum(end, start + 1))
    return jnp.zeros(exists.shape, jnp.int32).at[drawn].add(exists.astype(jnp.int32))


def draw_cells(key: Array, scheme: str, counts: Array, n: int, dtype: DTypeLike) -> Array:
    """Weight of cells of samples (columns) in `n` resamples (rows): what their samples would get.

    Rows of `counts` are strata; what is drawn from each is added up. What is drawn for a cell
    depends on its position and on what is in the others, not on how many there are.
    """
    by_cell = counts.T
    indices = jnp.arange(2 * by_cell.shape[0], dtype=jnp.uint32)
    keys = jax.vmap(lambda index: jax.random.fold_in(key, index))(indices)
    keys = keys.reshape(-1, 2, *keys.shape[1:])
    if scheme == "multinomial":
        return _among_cells(keys, by_cell, n, dtype)
    shape = (n, counts.shape[0])

    def drawn(keys: Array, count: Array) -> Array:
        count = jnp.broadcast_to(count, shape)
        if scheme == "bayesian":
            drawn_counts = jax.random.gamma(keys[0], count.astype(dtype), shape, dtype)
            return jnp.where(count > 0, drawn_counts, jnp.zeros_like(drawn_counts))
        if scheme == "poisson":
            return poisson(keys, count, dtype)
        return binomial(keys, count, jnp.int32(1), jnp.int32(2), dtype)

    drawn_counts = jax.vmap(drawn)(keys, by_cell)
    return jnp.sum(drawn_counts.astype(dtype), axis=2).T


def _among_cells(keys: Array, by_cell: Array, n: int, dtype: DTypeLike) -> Array:
    """As many draws in each stratum as it has samples, cell by cell from those that remain."""
    total = jnp.cumsum(by_cell[::-1], axis=0, dtype=jnp.int32)[::-1]

    def step(left: Array, cell: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        drawn = binomial(cell[0], left, *cell[1:], dtype)
        return left - drawn, jnp.sum(drawn.astype(dtype), axis=1)

    left = jnp.broadcast_to(total[0], (n, by_cell.shape[1]))
    _, drawn_counts = jax.lax.scan(step, left, (keys, by_cell, total))
    return drawn_counts.T


def _two_kinds_of_words(key: Array, size: int, slots: int) -> tuple[Array, Array]:
    """Random words for `size` units and for so many slots, each the same for any larger number.

    Of four words three are for units. Split keys are random words too, and come two at a time,
    where `bits` makes one of two.
    """
    rows = max(-(-size // 3), slots)
    words = jax.random.key_data(jax.random.split(key, (rows, 2)))[..., :2].reshape(rows, 4)
    return words[:, :3].ravel()[:size], words[:slots, 3]


def _words(key: Array, size: int) -> Array:
    return jax.random.bits(key, (size,), jnp.uint32)


def _above(words: Array, bounds: np.ndarray | Array) -> Array:
    """How many of the bounds each word is above."""
    counts = jnp.zeros(words.shape, jnp.int32)
    for index in range(_MOST):
        counts = counts + (words > bounds[index]).astype(jnp.int32)
    return counts


def _poisson_bounds(mean: float) -> np.ndarray:
    """Words above the k-th of these, from 0, are Poisson counts above k."""
    mass = reached = math.exp(-mean)
    bounds = []
    for count in range(1, _MOST + 1):
        bounds.append(min(math.ceil(reached * 2**32), 2**32) - 1)
        mass *= mean / count
        reached += mass
    return np.array(bounds, np.uint32)


@functools.cache
def _tables() -> tuple[np.ndarray, np.ndarray]:
    """Numbers of units on a geometric grid, and bounds of counts whose sum stays below each."""
    sizes = [0] + [_SPREAD**2 * 2 ** (step / _GRID) for step in range(26 * _GRID)]
    means = [1 - _SPREAD / math.sqrt(max(size, _SPREAD**2)) for size in sizes]
    return np.array(sizes, np.int32), np.stack([_poisson_bounds(mean) for mean in means])
