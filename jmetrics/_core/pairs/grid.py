"""Weights of points moved to an even grid, and sums at its points taken back to the others.

Both by the polynomials through the grid points around: sums over pairs by a smooth kernel stay
what they are, up to the fifth power of the spacing. Neither asks for an order of the points.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

_FINE = 1 / 8
"""The widest spacing, in scales of the kernel."""

_FEWEST = 4096
"""Fewer points than this are sorted as quickly."""

_MAX_GRID_CELLS = 1024

_BLOCK = 2**14
"""How many points are moved at a time, for which tables stay in the cache."""

_NODES = (-2, -1, 0, 1, 2)
"""Grid points around a point, from the one next to it."""

_RUNS = (128, *[1024] * (len(_NODES) - 1))
"""How many weights are added one by one, times each power of the coordinate: more would round too
much, which matters less the higher the power."""

_POLYNOMIALS = np.linalg.inv(np.vander(_NODES, increasing=True)).T
"""Row p: the coefficients of the polynomial that is 1 at node p and 0 at the others."""


class GridCells(NamedTuple):
    """Points between the points of a grid, in blocks."""

    cell: Array
    """The cell of each, counted from the highest, and those of the second row after the first."""
    inside: Array
    """How far below the middle of the cell, in cells."""
    rows: int
    number: int
    """How many cells there are in a row."""


def spacing(points: Array, scale: Array) -> Array | None:
    """Distance of grid points close enough for a kernel of a scale, or 0 if there are too many.

    None where a grid does not pay, or where it is less precise than the points. A power of two,
    so that no digit of a point is lost.
    """
    n = points.shape[0]
    if not isinstance(n, int) or n < _FEWEST or points.dtype.itemsize > 4:
        return None
    points, scale = lax.stop_gradient((points, scale))
    span = jnp.max(points) - jnp.min(points)
    _, exponent = jnp.frexp(jnp.maximum(span / (_cells(n) - 1), scale * 2.0**-20))
    step = jnp.ldexp(jnp.ones_like(scale), exponent)
    fits = (step <= _FINE * scale) & (span < (_cells(n) - 1) * step)
    return jnp.where(fits, step, jnp.zeros_like(step))


def _cells(n: int) -> int:
    return min(n // 16, _MAX_GRID_CELLS)


def size(n: int) -> int:
    """How many grid points there are for n points."""
    return _cells(n) + len(_NODES) - 1


def located(x: Array, compensation: Array, step: Array, second: Array | None = None) -> GridCells:
    """Find the cells of points at `x` + `compensation`, the latter much less than a cell.

    There is one row of cells, or one more for points of a `second` kind. Without a spacing, a
    row is one cell: under `jax.vmap` both sides of a choice are computed.
    """
    step = jnp.where(step > 0, step, jnp.inf)
    below = -x / step
    cell = jnp.round(below)
    inside = (below - cell) - compensation / step
    cell, number = (cell - jnp.min(cell)).astype(jnp.int32), _cells(x.shape[0])
    if second is not None:
        cell = cell + number * second.astype(jnp.int32)
    return GridCells(_blocks(cell), _blocks(inside), 1 if second is None else 2, number)


def _blocks(a: Array) -> Array:
    n = a.shape[0]
    length = min(n, _BLOCK)
    return jnp.pad(a, (0, -n % length)).reshape(-1, length)


def deposited(at: GridCells, weight: Array) -> Array:
    """Weights (rows, size) of the grid points, the highest first."""
    count = at.rows * at.number

    def add(moments: Array, block: tuple[Array, Array, Array]) -> tuple[Array, None]:
        cell, inside, weight = block
        sums = []
        for run in _RUNS:
            slot, runs = _slots(cell, count, run)
            table = jnp.zeros(runs * count, weight.dtype)
            table = table.at[slot].add(weight, mode="promise_in_bounds")
            sums.append(jnp.sum(table.reshape(runs, count), axis=0))
            weight = weight * inside
        return moments + jnp.stack(sums), None

    moments = jnp.zeros_like(weight, shape=(len(_NODES), count))
    moments, _ = lax.scan(add, moments, (at.cell, at.inside, _blocks(weight)))
    node_weights = _product(_POLYNOMIALS, moments).reshape(-1, at.rows, at.number)
    pads = ((p, len(_NODES) - 1 - p) for p in range(len(_NODES)))
    padded = (
        jnp.pad(node_weight, ((0, 0), pad))
        for node_weight, pad in zip(node_weights, pads, strict=True)
    )
    return functools.reduce(jnp.add, padded)


@functools.partial(jax.vmap, in_axes=(None, 0))
def interpolated(at: GridCells, values: Array) -> Array:
    """Values at the points, and as many more as fill blocks, from those (rows, size) of a grid."""
    count = at.rows * at.number
    nodes = [values[:, p : p + at.number].reshape(count) for p in range(len(_NODES))]
    coefficients = _product(_POLYNOMIALS.T, jnp.stack(nodes))

    def of_block(block: tuple[Array, Array]) -> Array:
        cell, inside = block
        value = jnp.zeros_like(inside)
        for coefficient, run in zip(coefficients[::-1], _RUNS[::-1], strict=True):
            # From a table for each run, so that the transpose adds up short runs as well.
            slot, runs = _slots(cell, count, run)
            tables = jnp.broadcast_to(coefficient, (runs, count)).reshape(-1)
            value = value * inside + tables.at[slot].get(mode="promise_in_bounds")
        return value

    return lax.map(of_block, (at.cell, at.inside)).reshape(-1)


def convolved(values: Array, weight: Array) -> Array:
    """Σ_j weight_j values_(i − j) at every grid point i; `values` begin with that of 1 − n."""
    return lax.conv_general_dilated(
        values[None, :, None],
        weight[::-1, None, None],
        window_strides=(1,),
        padding="VALID",
        dimension_numbers=("NWC", "WIO", "NWC"),
        precision=lax.Precision.HIGHEST,
    )[0, :, 0]


def _slots(cell: Array, count: int, run: int) -> tuple[Array, int]:
    """Points in tables that each have a row for a run of points, and how many of these."""
    n = cell.shape[0]
    return lax.iota(jnp.int32, n) // run * count + cell, -(-n // run)


def _product(factors: np.ndarray, rows: Array) -> Array:
    return jnp.dot(jnp.asarray(factors, rows.dtype), rows, precision=lax.Precision.HIGHEST)
