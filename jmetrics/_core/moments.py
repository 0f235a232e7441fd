"""Weighted moments of each column, without sums of squares, so that parts merge exactly."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import two_sum
from jmetrics._core.merging import Reducer, Reduction, join, number, plus, reductions, scale
from jmetrics._core.numerics import (
    Total,
    Whole,
    masked_min_max,
    mean_of,
    nearest,
    power_of_two_scale,
    safe_divide,
    safe_sqrt,
    weighted_sum,
)

Statistic = TypeVar("Statistic")


@exportable
@reductions(
    entries=Reduction.COUNT,
    mean=Reduction.LOCATION,
    compensation=Reduction.LOCATION,
    low=Reduction.MIN,
    high=Reduction.MAX,
)
class Moments(NamedTuple):
    """Weighted moments of columns; all fields have one entry a column."""

    entries: Array
    """Number of entries with weight, an integer."""
    weight: Array
    mean: Array
    compensation: Array
    """Rounding error of the mean, to be added to it."""
    deviation: Array
    """Σ w (x − mean)²."""
    low: Array
    """Least entry with weight; +inf when there is none."""
    high: Array

    @staticmethod
    def joined(parts: Sequence[Moments], reducer: Reducer) -> Moments:
        """Moments of all parts taken together."""
        return _about_one_mean(parts, reducer)[0]

    def rescaled(self, factor: Array) -> Moments:
        """Moments of the column times a positive factor."""
        return self._replace(
            mean=self.mean * factor,
            compensation=self.compensation * factor,
            deviation=scale(scale(self.deviation, factor), factor),
            low=self.low * factor,
            high=self.high * factor,
        )

    @property
    def constant(self) -> Array:
        """Whether all entries with weight are equal, found by comparing them.

        Integers that are one as floats differ in what the deviation is made of.
        """
        return (self.low >= self.high) & ~(self.deviation > 0)


@exportable
class CoMoments(NamedTuple):
    """Weighted moments of two columns, and their co-moment."""

    x: Moments
    y: Moments
    product: Array
    """Σ w (x − mean x)(y − mean y)."""

    @staticmethod
    def joined(parts: Sequence[CoMoments], reducer: Reducer) -> CoMoments:
        """Moments of all parts taken together."""
        x, from_x = _about_one_mean([part.x for part in parts], reducer)
        y, from_y = _about_one_mean([part.y for part in parts], reducer)
        products = (
            plus(part.product, number(part.x.weight) * dx * dy)
            for part, dx, dy in zip(parts, from_x, from_y, strict=True)
        )
        return CoMoments(x, y, reducer.sum(products))

    def rescaled(self, x_factor: Array, y_factor: Array | None = None) -> CoMoments:
        """Moments of the columns times a positive factor, or one for each."""
        y_factor = x_factor if y_factor is None else y_factor
        product = scale(scale(self.product, x_factor), y_factor)
        return CoMoments(self.x.rescaled(x_factor), self.y.rescaled(y_factor), product)


@exportable
@reductions(units=Reduction.MAX)
class InUnits(NamedTuple, Generic[Statistic]):
    """A statistic of numbers over powers of two near the largest, so that squares stay in range."""

    units: tuple[Array, ...]
    """0 means that all values are 0: it is treated as 1, and replaced on merge."""
    statistic: Statistic
    """Has a method `rescaled` that changes its units."""

    @staticmethod
    def joined(parts: Sequence[InUnits], reducer: Reducer) -> InUnits:
        """Statistic of all parts in their largest unit."""
        units = tuple(map(reducer.max, zip(*(part.units for part in parts), strict=True)))
        in_units = [part.statistic.rescaled(*map(_unit_ratio, part.units, units)) for part in parts]
        return InUnits(units, join(in_units, reducer))


@exportable
@reductions(
    low=Reduction.MIN,
    low_compensation=Reduction.MIN,
    high=Reduction.MAX,
    high_compensation=Reduction.MAX,
)
class Extent(NamedTuple):
    """The least and the largest number of each column, in two parts each; ±inf without any."""

    low: Array
    low_compensation: Array
    high: Array
    high_compensation: Array

    @staticmethod
    def joined(parts: Sequence[Extent], reducer: Reducer) -> Extent:
        """Extent of all parts together."""
        low = reducer.min(part.low for part in parts)
        low_compensation = reducer.min(
            _if(part.low == low, part.low_compensation, jnp.inf) for part in parts
        )
        high = reducer.max(part.high for part in parts)
        high_compensation = reducer.max(
            _if(part.high == high, part.high_compensation, -jnp.inf) for part in parts
        )
        return Extent(low, low_compensation, high, high_compensation)

    def rescaled(self, factor: Array) -> Extent:
        """Extent of numbers times a positive factor."""
        return Extent(*(end * factor for end in self))

    @property
    def width(self) -> Array:
        """How far the extremes are apart."""
        return (self.high - self.low) + (self.high_compensation - self.low_compensation)


def _if(chosen: Array, x: Array, other: float) -> Array:
    return jnp.where(chosen, x, jnp.full_like(x, other))


def extent(x: Array | Whole, on: Array) -> Extent:
    """Extremes over the first axis of what is `on`; that has the axes of `x`, or 1."""
    near, compensation = x.parts if isinstance(x, Whole) else (x, jnp.zeros_like(x))
    low, high = masked_min_max(near, on)
    low_compensation, _ = masked_min_max(compensation, on & (near == low))
    _, high_compensation = masked_min_max(compensation, on & (near == high))
    return Extent(low, low_compensation, high, high_compensation)


def merging_unit(unit: Array, *columns: Moments | Extent) -> Array:
    """The unit that columns of these extremes were divided by, and 0 if all are 0."""
    some = [(column.low != 0) | (column.high != 0) for column in columns]
    counted = functools.reduce(jnp.logical_or, some) & (columns[0].low <= columns[0].high)
    return jnp.where(counted, unit, jnp.zeros_like(unit))


def unit_of(unit: Array) -> Array:
    """What a column was divided by."""
    return jnp.where(unit > 0, unit, jnp.ones_like(unit))


def _unit_ratio(part: Array, whole: Array) -> Array:
    # What a small part loses beyond is nothing beside the others, but 0 × ∞ would be NaN.
    return jnp.maximum(unit_of(part) / unit_of(whole), jnp.finfo(part.dtype).tiny)


@exportable
class Squares(NamedTuple):
    """What a mean of squares is made of."""

    value: Array
    """Σ w d²."""
    weight: Array

    def rescaled(self, factor: Array) -> Squares:
        """The same of numbers times a positive factor."""
        return self._replace(value=scale(scale(self.value, factor), factor))


def squares(
    weighted_difference: Callable[..., tuple[Array, Array]], arrays: tuple[Any, ...]
) -> InUnits[Squares]:
    """Squares of d, summed over the first axis, for measure(*arrays) = d, weight.

    Mostly they are in range as they are, so only where their sum is not are the arrays looked at
    again. What is made of them is made anew then, since to keep it for that takes time.
    """
    d, weight = weighted_difference(*arrays)
    plain = _sum_of_squares(d, weight)
    size = jnp.finfo(plain.dtype).maxexp / 2
    in_range = (plain > 2.0**-size) & (plain < 2.0**size)

    def rescaled(arrays: tuple[Any, ...], _: Array) -> tuple[Array, Array]:
        d, weight = weighted_difference(*arrays)
        unit = power_of_two_scale(d, weight != 0)
        return unit[0], _sum_of_squares(d / unit, weight)

    def unscaled(_: tuple[Any, ...], value: Array) -> tuple[Array, Array]:
        return jnp.ones_like(value), value

    unit, value = lax.cond(jnp.all(in_range), unscaled, rescaled, arrays, plain)
    unit = jnp.where(value > 0, lax.stop_gradient(unit), jnp.zeros_like(unit))
    total = jnp.broadcast_to(jnp.sum(weight, axis=0), value.shape)
    return InUnits((unit,), Squares(value, total))


@jax.custom_jvp
def _sum_of_squares(d: Array, weight: Array) -> Array:
    return weighted_sum(jnp.square(d), weight)


@_sum_of_squares.defjvp
def _sum_of_squares_jvp(primals: Any, tangents: Any) -> tuple[Array, Array]:
    # A sum out of range is not used, but 0 × ∞ in its derivative would be NaN.
    d, weight = primals
    held = jnp.where(jnp.isfinite(jnp.square(d)), d, jnp.zeros_like(d))
    _, change = jax.jvp(lambda *p: weighted_sum(jnp.square(p[0]), p[1]), (held, weight), tangents)
    return _sum_of_squares(d, weight), change


def root_mean_square(of: InUnits[Squares]) -> Array:
    """Root of the mean square; NaN where no weight is left."""
    (unit,), (value, weight) = of.units, of.statistic
    return safe_sqrt(mean_of(Total(value, weight))) * unit_of(unit)


class _Centred(NamedTuple):
    """A column as deviations from a centre near its mean, and their weighted sum."""

    moments: Moments
    d: Array
    first: Array


def moments(x: Array | Whole, weight: Array, unit: Array | None = None) -> Moments:
    """Moments over the first axis of floats `x`, or of x / unit; `weight` has its axes, or 1."""
    return _centred(x, weight, unit).moments


def comoments(
    x: Array | Whole,
    y: Array | Whole,
    weight: Array,
    units: tuple[Array | None, Array | None] = (None, None),
) -> CoMoments:
    """Moments of both over the first axis, and their product; all three have the same axes."""
    (of_x, dx, first_x), (of_y, dy, first_y) = (
        _centred(column, weight, unit) for column, unit in zip((x, y), units, strict=True)
    )
    # Not the product of both sums first: it is out of range before they are.
    product = weighted_sum(dx * dy, weight) - first_x * safe_divide(first_y, of_x.weight, 0.0)
    return CoMoments(of_x, of_y, product)


def _centred(x: Array | Whole, weight: Array, unit: Array | None) -> _Centred:
    """Take deviations from a centre between the extremes.

    Σ w d² − (Σ w d)² / Σ w is the same for every centre, so the centre carries no derivative
    and its rounding does no harm. The unit, a power of two, is divided by where deviations are
    taken: to divide first would write the whole column once more.
    """
    unit = jnp.ones((1,) * x.ndim, x.dtype) if unit is None else unit
    on, near = weight != 0, nearest(x)
    low, high = masked_min_max(near, on)
    total = jnp.broadcast_to(jnp.sum(weight, axis=0).astype(x.dtype), low.shape)
    centre = safe_divide(weighted_sum(near, weight), total, 0.0)
    centre = jnp.where(jnp.isfinite(centre), centre, low / 2 + high / 2)  # the sum overflowed
    centre = jnp.where(low <= high, jnp.clip(centre, low, high), jnp.zeros_like(centre))
    low, centre, high = (a / unit[0] for a in (low, lax.stop_gradient(centre), high))
    d = x / unit - centre[None]
    step = jnp.zeros_like(centre)
    if isinstance(x, Whole):
        # Floats, of which the centre is one, may be further apart than such integers are.
        step = lax.stop_gradient(safe_divide(weighted_sum(d, weight), total, 0.0))
        step = jnp.where(jnp.isfinite(step), step, jnp.zeros_like(step))
        d = d - step[None]
    first = weighted_sum(d, weight)
    shift = safe_divide(first, total, 0.0)
    # NaN is in the squares already, and must not meet a cotangent of 0 in the product too.
    a, b = (jnp.where(jnp.isfinite(first), x, jnp.zeros_like(x)) for x in (first, shift))
    deviation = jnp.maximum(weighted_sum(jnp.square(d), weight) - a * b, 0)
    entries = jnp.sum(jnp.broadcast_to(on, x.shape), axis=0, dtype=jnp.int32)
    mean, compensation = two_sum(centre, step + shift)
    return _Centred(Moments(entries, total, mean, compensation, deviation, low, high), d, first)


def mean_difference(a: Moments, b: Moments) -> Array:
    """How far the mean of `a` is above that of `b`, with the digits that the means have lost."""
    return (a.mean - b.mean) + (a.compensation - b.compensation)


def _about_one_mean(parts: Sequence[Moments], reducer: Reducer) -> tuple[Moments, list[Array]]:
    """Moments of all parts, and how far the mean of each is from that of all.

    The formula of Chan, Golub & LeVeque (1983), for any number of parts. Distances are taken
    from the mean of one part, which is near the others, and not from 0.
    """
    weight = reducer.sum(part.weight for part in parts)
    fraction = [safe_divide(number(part.weight), number(weight), 0.0) for part in parts]
    some = [number(part.weight) > 0 for part in parts]
    nowhere = jnp.full(parts[0].mean.shape, -jnp.inf, parts[0].mean.dtype)
    origin = reducer.max(
        [jnp.where(on, part.mean, nowhere) for on, part in zip(some, parts, strict=True)]
    )
    origin = lax.stop_gradient(jnp.where(origin == nowhere, jnp.zeros_like(nowhere), origin))
    gap = [
        jnp.where(on, (part.mean - origin) + part.compensation, jnp.zeros_like(origin))
        for on, part in zip(some, parts, strict=True)
    ]
    shift = reducer.sum(g * s for g, s in zip(gap, fraction, strict=True))
    offset = [jnp.where(on, g - shift, 0) for on, g in zip(some, gap, strict=True)]
    deviations = (
        plus(part.deviation, number(part.weight) * jnp.square(d))
        for part, d in zip(parts, offset, strict=True)
    )
    mean, compensation = two_sum(origin, shift)
    together = Moments(
        entries=reducer.sum(part.entries for part in parts),
        weight=weight,
        mean=mean,
        compensation=compensation,
        deviation=reducer.sum(deviations),
        low=reducer.min(part.low for part in parts),
        high=reducer.max(part.high for part in parts),
    )
    return together, offset
