"""Units of resampling: samples, groups of them, or cells of equal samples.

A resample is a count for each unit. `entries` spreads counts over what the metric weights, and
`by_unit` adds up over units what each of those contributes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.bits import sortable_bits
from jmetrics._core.lists import SegmentLists
from jmetrics._core.numerics import weighted_bincount
from jmetrics._core.order import tie_bounds, unsort
from jmetrics._core.sorting import sort_items
from jmetrics._core.weights import combine

Bounds = tuple[Array, Array]
"""The first unit of the stratum of each unit, and the first after it."""


class SampleInfo(NamedTuple):
    """What may be known of samples besides what a metric is of; each (n,) or None.

    Where samples are items of lists, all but the mask have an entry a list instead.
    """

    sample_weight: Any = None
    where: Any = None
    groups: Any = None
    strata: Any = None
    segments: SegmentLists | None = None
    """Lists, if they are not rows."""


class Samples(NamedTuple):
    """Samples (or lists) with weights; a unit is one of them, or a group of them."""

    weight: Array
    """0 where everything is masked."""
    total: int | Array
    """Number of units with positive weight."""
    unit: Array | None
    """Number of the unit of each sample, counting only units with positive weight."""
    bounds: Bounds | None

    @property
    def observed_counts(self) -> Array:
        """Times that each unit is in the data: 1, or 0 beyond the last."""
        exists = jnp.arange(self.weight.shape[0], dtype=jnp.int32) < self.total
        return exists.astype(self.weight.dtype)

    def entries(self, counts: Array) -> Array:
        """How often each sample is drawn: as often as its unit."""
        return counts if self.unit is None else counts[self.unit]

    def by_unit(self, influences: Array) -> Array:
        """Sum the influences of the samples of each unit, along the last axis."""
        if self.unit is None:
            return influences
        size, unit = self.weight.shape[0], self.unit
        return jax.vmap(lambda influence: weighted_bincount(unit, influence, size))(influences)


class CellCounts(NamedTuple):
    """How many samples of each stratum (row) are in each cell; a unit is one sample."""

    cell_sizes: Array
    dtype: DTypeLike

    @property
    def weight(self) -> Array:
        """Weight of a sample."""
        return jnp.ones(self.cell_sizes.shape[1:], self.dtype)

    @property
    def observed_counts(self) -> Array:
        """Times that each cell is in the data."""
        return jnp.sum(self.cell_sizes, axis=0).astype(self.dtype)

    def entries(self, counts: Array) -> Array:
        """Times of each cell."""
        return counts

    def by_unit(self, influences: Array) -> Array:
        """Return the influence of one sample of each cell."""
        return influences


def samples_of(info: SampleInfo, size: int, dtype: DTypeLike) -> Samples:
    """Find the units among samples, and number those with positive weight."""
    sample_weight, where, groups, strata, segments = info
    if segments is not None:
        where = segments.sum(combine(None, where, (size,), jnp.int32)) > 0
        size = segments.count
    shape = (size,)
    weight = jnp.ones(shape, dtype) if sample_weight is None else sample_weight.astype(dtype)
    alive = None
    if sample_weight is not None or where is not None:
        alive = combine(sample_weight, where, shape, dtype) != 0
        alive = jnp.any(alive, axis=tuple(range(1, alive.ndim)))
        weight = jnp.where(alive, weight, jnp.zeros_like(weight))
    if groups is not None or strata is not None:
        alive = jnp.ones(shape, jnp.bool_) if alive is None else alive
        return Samples(weight, *_units(alive, groups, strata))
    if alive is None:
        return Samples(weight, size, None, None)
    unit = jnp.cumsum(alive, dtype=jnp.int32)
    return Samples(weight, jnp.sum(alive, dtype=jnp.int32), jnp.maximum(unit - 1, 0), None)


def _units(
    alive: Array, groups: Array | None, strata: Array | None
) -> tuple[Array, Array, Bounds | None]:
    """Number the units by stratum and group, from samples sorted by these."""
    positions = lax.iota(jnp.int32, alive.shape[0])
    by = [~alive]
    by += [] if strata is None else [sortable_bits(strata)]
    within = len(by)
    by += [sortable_bits(positions if groups is None else groups)]
    keys, item = sort_items(*by)
    start, _ = tie_bounds(*(key[None] for key in keys))
    opens = start[0] == positions
    unit = jnp.cumsum(opens, dtype=jnp.int32) - 1
    total = jnp.sum(opens & ~keys[0], dtype=jnp.int32)
    unit_of_sample = unsort(unit[None], item[None])[0]
    if strata is None:
        return total, unit_of_sample, None
    first, last = (bound[0] for bound in tie_bounds(*(key[None] for key in keys[:within])))
    start, end = (jnp.zeros_like(unit).at[unit].set(b) for b in (unit[first], unit[last] + 1))
    return total, unit_of_sample, (start, end)
