"""Arithmetic with declared answers: dtypes, sums, divisions, roots."""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import settings
from jmetrics._core.exporting import exportable
from jmetrics._core.sharding import shards, with_auto_axes
from jmetrics._core.tangents import over_slope, slope_times


def accumulator(*arrays: Array | None) -> jnp.dtype:
    """Return the float type in which these arrays are computed with.

    Half precision becomes float32, float64 wins over float32, and integers and booleans
    follow the floats beside them or, alone, the default float.
    """
    dtypes = frozenset(a.dtype for a in arrays if a is not None)
    return _accumulator(dtypes, settings.x64())


@functools.cache
def _accumulator(dtypes: frozenset[jnp.dtype], x64: bool) -> jnp.dtype:
    floats = [dtype for dtype in dtypes if jnp.issubdtype(dtype, jnp.floating)]
    if not floats:
        return jnp.dtype(jnp.float64 if x64 else jnp.float32)
    return max((jnp.dtype(jnp.float32), *floats), key=lambda dtype: dtype.itemsize)


@jax.tree_util.register_dataclass
@dataclass(frozen=True, eq=False)
class Whole:
    """Integers that floats would round, over a power of two.

    They are subtracted from each other, and from floats, before a digit is lost: the result is
    a float, within rounding of the exact difference.
    """

    number: Array
    dtype: jnp.dtype = field(metadata={"static": True})
    """Of the floats."""
    unit: Array | float | None = None

    @classmethod
    def of(cls, x: Array, dtype: DTypeLike) -> Whole | Array:
        """Return numbers as floats, or as they are if these would round them."""
        dtype = jnp.dtype(dtype)
        if not jnp.issubdtype(x.dtype, jnp.integer):
            return x.astype(dtype)
        fits = jnp.iinfo(x.dtype).bits <= jnp.finfo(dtype).nmant + 1
        return x.astype(dtype) if fits else cls(x, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.number.shape

    @property
    def ndim(self) -> int:
        return self.number.ndim

    @property
    def parts(self) -> tuple[Array, Array]:
        """The nearest floats, and what they round off; of 64 bits in float64."""
        bits = jnp.iinfo(self.number.dtype).bits
        wide = jnp.dtype(jnp.float64) if bits == 64 else self.dtype
        half = 1 << (bits - jnp.finfo(wide).nmant - 2)
        most, below = (
            jnp.asarray(x, self.number.dtype)
            for x in (jnp.iinfo(self.number.dtype).max - half, 2 * half - 1)
        )
        # Each of these two is a float: floats back to integers take several times longer.
        high = (jnp.minimum(self.number, most) + half) & ~below
        low = lax.bitcast_convert_type(self.number - high, f"int{bits}").astype(wide)
        high = high.astype(wide)
        near = high + low
        remainder = low - (near - high)
        return self.over_unit(near), self.over_unit(remainder)

    def over_unit(self, x: Array) -> Array:
        """Numbers over the unit, if there is one."""
        return x if self.unit is None else x / self.unit

    def __getitem__(self, index: Any) -> Whole:
        return replace(self, number=self.number[index])

    def __truediv__(self, power_of_two: Array | float) -> Whole:
        unit = power_of_two if self.unit is None else self.unit * power_of_two
        return replace(self, unit=unit)

    def __sub__(self, other: Whole | Array) -> Array:
        if not isinstance(other, Whole):
            near, remainder = self.parts
            return ((near - other.astype(near.dtype)) + remainder).astype(self.dtype)
        if self.number.dtype == other.number.dtype and self.unit is other.unit:
            return self.over_unit(_difference(self.number, other.number, self.dtype))
        (near, remainder), (other_near, other_remainder) = self.parts, other.parts
        wide = max(near.dtype, other_near.dtype, key=lambda dtype: dtype.itemsize)
        near, remainder, other_near, other_remainder = (
            part.astype(wide) for part in (near, remainder, other_near, other_remainder)
        )
        return ((near - other_near) + (remainder - other_remainder)).astype(self.dtype)

    def __rsub__(self, other: Array) -> Array:
        return -(self - other)

    def __le__(self, other: Whole | Array) -> Array:
        return self - other <= 0

    def __ge__(self, other: Whole | Array) -> Array:
        return self - other >= 0


def _difference(a: Array, b: Array, dtype: DTypeLike) -> Array:
    """a − b of integers of one type, which could be out of its range."""
    above = a >= b
    size = jnp.where(above, a - b, b - a)
    size = lax.bitcast_convert_type(size, f"uint{jnp.iinfo(a.dtype).bits}").astype(dtype)
    return jnp.where(above, size, -size)


def nearest(x: Whole | Array) -> Array:
    """Numbers as floats."""
    return x.over_unit(x.number.astype(x.dtype)) if isinstance(x, Whole) else x


def from_largest(x: Array, dtype: DTypeLike) -> Array:
    """Rows as floats; integers that floats would round, counted from the largest of their row.

    For what depends on differences within a row alone.
    """
    whole = Whole.of(x, dtype)
    if not isinstance(whole, Whole):
        return whole
    return whole - Whole.of(jnp.max(x, axis=1, keepdims=True), dtype)


def safe_divide(numerator: Array, denominator: Array, undefined: float | Array) -> Array:
    """Divide; where the denominator is 0 the result is `undefined`, with zero gradient.

    It is NaN where the denominator, mostly a sum of weights, is out of range, and not 0.
    """
    ok = denominator != 0
    ratio = _ratio(numerator, jnp.where(ok, denominator, jnp.ones_like(denominator)))
    ratio = jnp.where(jnp.isinf(denominator), jnp.nan, ratio)
    return jnp.where(ok, ratio, jnp.asarray(undefined, ratio.dtype))


@jax.custom_jvp
def _ratio(numerator: Array, denominator: Array) -> Array:
    return numerator / denominator


@_ratio.defjvp
def _ratio_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    # JAX's own rule squares the denominator, which leaves float32 beyond 1e19 and below 1e-19.
    (numerator, denominator), (dn, dd) = primals, tangents
    ratio = _ratio(numerator, denominator)
    return ratio, over_slope(dn - slope_times(ratio, dd), denominator)


def absolute(x: Array) -> Array:
    """|x| whose derivative at 0 is 0, the middle of its slopes; that of `jnp.abs` is 1."""
    return x * lax.stop_gradient(jnp.sign(x))


def kept_within(x: Array, low: float, high: float | Array) -> Array:
    """x, which rounding alone takes out of [low, high], with its own derivative at the ends."""
    return x + lax.stop_gradient(jnp.clip(x, low, high) - x)


def power_near(size: Array) -> Array:
    """Power of two near a number, well within the range of the dtype; 1 for 0."""
    _, exponent = jnp.frexp(size)
    limit = jnp.finfo(size.dtype).maxexp - 8
    return jnp.ldexp(jnp.ones_like(size), jnp.clip(exponent, -limit, limit))


def scaled(weight: Array, axis_name: Hashable = None) -> Array:
    """Weights over a power of two near the largest, so that sums and products stay in range.

    Of all devices, if they are along an axis.
    """
    if not jnp.issubdtype(weight.dtype, jnp.floating):
        return weight
    size = jnp.max(lax.stop_gradient(weight), initial=0.0)
    return _over_power(weight, size if axis_name is None else lax.pmax(size, axis_name))


def scaled_by_sum(weight: Array) -> Array:
    """Weights over a power of two near their sum, so that sums of products stay in range."""
    weight = scaled(weight)
    return _over_power(weight, jnp.sum(lax.stop_gradient(weight)))


def _over_power(weight: Array, size: Array) -> Array:
    return weight / power_near(size)


@jax.custom_jvp
def safe_sqrt(x: Array) -> Array:
    """Square root whose derivative at 0 is 0, not infinity."""
    return jnp.sqrt(x)


@safe_sqrt.defjvp
def _safe_sqrt_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (x,), (dx,) = primals, tangents
    y = safe_sqrt(x)
    return y, jnp.where(y == 0, jnp.zeros_like(y), over_slope(dx, jnp.where(y == 0, 1, 2 * y)))


def power_of(x: Array, exponent: float | Array) -> Array:
    """x^exponent for positive x: as exact as `jnp.power` and several times faster.

    With x = m 2^e, the power is 2^(exponent e) m^exponent. Of the first exponent a multiple of
    1/64 is exact, and its whole part only scales; what is left is too small to lose digits.
    """
    exponent = jnp.asarray(exponent, x.dtype)
    m, e = jnp.frexp(x)
    e = e.astype(x.dtype)
    coarse = jnp.round(exponent * 64) / 64
    whole = jnp.round(coarse * e)
    remainder = ((coarse * e - whole) + (exponent - coarse) * e) * math.log(2) + exponent * jnp.log(
        m
    )
    # Either half of the exponent is in range where all of it need not be.
    half, one = jnp.floor(whole / 2), jnp.ones_like(remainder)
    first, second = (jnp.ldexp(one, e.astype(jnp.int32)) for e in (half, whole - half))
    return jnp.exp(remainder) * first * second


def masked_min_max(x: Array, on: Array) -> tuple[Array, Array]:
    """Least and largest entry of each column that is `on`; +inf and −inf where none is."""
    on = jnp.broadcast_to(on, x.shape)
    low = jnp.min(x, axis=0, where=on, initial=jnp.inf)
    return low, jnp.max(x, axis=0, where=on, initial=-jnp.inf)


def power_of_two_scale(x: Array, on: Array) -> Array:
    """Power of two near the largest entry that is `on`, kept as the first axis of length 1.

    Over it, squares neither overflow nor vanish, and no digit changes.
    """
    low, high = masked_min_max(lax.stop_gradient(x), on)
    size = jnp.where(low <= high, jnp.maximum(-low, high), jnp.zeros_like(low))
    return power_near(size)[None]


_LONG = 2**10


def bit_length(size: int) -> int:
    """How many bits a size has; or may have, if it is a name in an exported program."""
    return size.bit_length() if isinstance(size, int) else 31


def weighted_sum(values: Array, weight: Array, axis: int | None = 0) -> Array:
    """Sum of weight × value: an exact integer where both are integers or booleans."""
    dtype = _sum_dtype(values, weight)
    products = safe_multiply(values.astype(dtype), weight.astype(dtype))
    if axis == 0 and jnp.issubdtype(weight.dtype, jnp.floating):
        return blocked_sum(products)
    return jnp.sum(products, axis=axis)


def blocked_sum(x: Array) -> Array:
    """Sum along the first axis, by short runs: some XLA versions add one by one, and drift."""
    n = x.shape[0]
    known = isinstance(n, int)  # or a name, in exported programs
    if known and n < 2 * _LONG:
        return jnp.sum(x, axis=0)
    # Axes of a mesh that are automatic do not show while tracing.
    parts = max(shards(x), jax.device_count()) if known else 1
    run = _run_length(n, parts) if parts > 1 else None
    if run is not None:
        return jnp.sum(_sums_of_runs(x, run), axis=0)
    end = n // _LONG * _LONG
    return jnp.sum(jnp.concatenate([_sums_of_runs(x[:end], _LONG), x[end:]]), axis=0)


def _sums_of_runs(x: Array, run: int) -> Array:
    runs = x.reshape(x.shape[0] // run, run, *x.shape[1:])
    return lax.optimization_barrier(jnp.sum(runs, axis=1))


@functools.cache
def _run_length(n: int, parts: int) -> int | None:
    """How long runs are that make up n, and what each of several devices holds of it.

    A run across devices would have to be gathered. On one, XLA is faster with runs that leave
    something over.
    """
    size = n // math.gcd(n, parts)
    longest = min(_LONG, size)
    return next((run for run in range(longest, _LONG // 32, -1) if size % run == 0), None)


def safe_multiply(values: Array, weight: Array) -> Array:
    """weight × value, and 0 for a value that overflowed without weight."""
    if not jnp.issubdtype(values.dtype, jnp.floating):
        return values * weight
    values = jnp.where((weight == 0) & ~jnp.isfinite(values), jnp.zeros_like(values), values)
    # Weights of samples, which several outputs share, could take NaN from one to another.
    return values * weight if values.ndim == 1 else _product(values, weight)


@jax.custom_jvp
def _product(values: Array, weight: Array) -> Array:
    return values * weight


@_product.defjvp
def _product_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> Any:
    (values, weight), (by_values, by_weight) = primals, tangents
    return _product(values, weight), weight * by_values + slope_times(values, by_weight)


@exportable
class Total(NamedTuple):
    """What a mean is made of."""

    value: Array
    """Σ w x."""
    weight: Array
    """Σ w, in the same shape."""


def weighted_total(values: Array, weight: Array) -> Total:
    """Sums over the first axis; `weight` has the axes of `values`, or 1 in their place."""
    value = weighted_sum(values, weight)
    return Total(value, jnp.broadcast_to(jnp.sum(weight, axis=0), value.shape))


def mean_of(total: Total, *, undefined: float = jnp.nan, dtype: DTypeLike | None = None) -> Array:
    """Mean of what a total is of; `undefined` where no weight is left."""
    dtype = accumulator(*total) if dtype is None else dtype
    return safe_divide(total.value.astype(dtype), total.weight.astype(dtype), undefined)


def weighted_mean(
    values: Array,
    weight: Array,
    *,
    undefined: float = jnp.nan,
    dtype: DTypeLike | None = None,
) -> Array:
    """Mean over the first axis; `undefined` where no weight is left.

    `weight` has the axes of `values`, or 1 in place of those that it is the same along.
    """
    dtype = accumulator(values, weight) if dtype is None else dtype
    return mean_of(weighted_total(values, weight), undefined=undefined, dtype=dtype)


def _sum_dtype(values: Array, weight: Array) -> DTypeLike:
    exact = not any(jnp.issubdtype(a.dtype, jnp.floating) for a in (values, weight))
    return jnp.int32 if exact else accumulator(values, weight)


_RUN = 32
"""How many floats are added one after another; each may round the same way as the last."""


@with_auto_axes
def weighted_bincount(bins: Array, weight: Array, size: int, *, run: int = _RUN) -> Array:
    """Sums of weight by bin; entries with a bin outside [0, size) are left out.

    All arrays have one axis. Integer weights give exact int32 sums. A float table has rows
    for runs of `run` samples, which are added pairwise, so that a large sum neither freezes nor
    drifts; or of more, so that all rows fit in four times the memory of the weights.
    """
    n, bins = bins.shape[0], bins.astype(jnp.int32)
    exact = not jnp.issubdtype(weight.dtype, jnp.floating)
    weight = weight.astype(jnp.int32) if exact else weight
    run = max(run, -(-size // 4))
    rows = 1 if exact else max(-(-n // run), 1)
    slot = jnp.where((bins >= 0) & (bins < size), bins, rows * size)
    if rows != 1:
        row = jnp.arange(n, dtype=jnp.int32) // run
        slot = jnp.where(slot < size, row * size + slot, rows * size)
    table = jnp.zeros(rows * size, weight.dtype).at[slot].add(weight, mode="drop")
    return table if rows == 1 else jnp.sum(table.reshape(rows, size), axis=0)
