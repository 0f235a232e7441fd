"""Weighted quantiles by exact selection, without a sort.

Let F(x) be the weight of values up to x over the total weight W. The quantile at level p is the
mean of

    low = the least value with W F(low) ≥ p W   and   high = the least value with W F(high) > p W

(Hyndman & Fan 1996, type 2). They differ only where p W is met exactly.

Selection. Values become integers of the same order (`bits`), of which `low` is found from the top,
8 or 16 bits at a time: a table has the weight of each pattern of the next bits, among values that
begin with the bits found so far, and its running sum passes p W in one of them. That is O(n) work
for each of 2 to 8 tables, and a value of the data to the last bit. `high` is `low` or the least
value above it.

Ties. Sums of weights such as 1/3 as floats may or may not meet W / 2 as they should. Weights
are therefore counted in units of the least one, where that keeps them below 2²⁴: often they are
whole then, and sums exact. Whatever rounding p W itself has, half an ulp of it or of (1 − p) W,
counts as a tie.

Derivatives. In the values: the quantile is the mean of two of them, so each passes on half of its
change, equal ones in equal parts. In the weights it is a step function, and 0 is its derivative.
But for standard errors (`sampling`) the derivative of the quantile q of a population is wanted. Its
density f makes Σ w_i 1[x_i ≤ q] smooth, and that this stays p Σ w_i implies

    ∂q / ∂w_i = (p − 1[x_i ≤ q]) / (W f(q)).

1 / f is estimated by the difference of the quantiles at p ± h over 2 h (Siddiqui 1960), where

    h = (4.5 φ(z)⁴ / (n (2 z² + 1)²))^(1/5),   z = Φ⁻¹(p),   n = (Σ w)² / Σ w²,

is best in the mean square for a normal population (Bofinger 1975).
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.scipy.special import ndtri

from jmetrics._core.bits import float_from_bits, sortable_bits
from jmetrics._core.numerics import safe_divide, scaled, weighted_bincount, weighted_sum
from jmetrics._core.sampling import is_sampling

_RUN = 2**23
"""Additions to one entry of a float table before its unit weights would be lost."""

_LONG = 2**18
"""Up to this length, passes over the data cost less than a table of 2¹⁶ entries for each."""


def rising_levels(alpha: Array) -> tuple[Array, Array, Array]:
    """Levels, kept within [0, 1], the fraction of the line that each stands for, and whether they
    rise within [0, 1], but for rounding.
    """
    none = jnp.zeros_like(alpha[:1])
    ends = jnp.concatenate([none, alpha, none + 1])
    rising = jnp.all(ends[1:] >= ends[:-1] - 4 * jnp.finfo(alpha.dtype).eps)
    return jnp.clip(alpha, 0, 1), jnp.clip(ends[2:], 0, 1) - jnp.clip(ends[:-2], 0, 1), rising


def weighted_quantile(x: Array, weight: Array, level: Array) -> Array:
    """Quantile over the first axis of floats `x`, at one level; `weight` has the axes of `x`, or 1.

    Where the weight up to a value is the level exactly, the mean of it and the next value.
    NaN where nothing has weight, or where a NaN has. O(n) time, differentiable in `x`.
    """
    of_column = _sampled_quantile if is_sampling() else _quantile
    if x.ndim == 1:
        return of_column(x, weight, level)
    # Plus zeros of the values, so that it varies over a mesh as they do.
    weight = weight + jnp.zeros_like(x, weight.dtype)
    return jax.vmap(of_column, in_axes=(1, 1, None))(x, weight, level)


@jax.custom_jvp
def _quantile(x: Array, weight: Array, level: Array) -> Array:
    low, high, defined = _bracket(x, weight, level)
    middle = float_from_bits(low, x.dtype) / 2 + float_from_bits(high, x.dtype) / 2
    return jnp.where(defined, middle, jnp.nan)


@_quantile.defjvp
def _quantile_jvp(
    primals: tuple[Array, Array, Array], tangents: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    # A quantile moves with the values that it lies on, and does not with weights and level.
    x, weight, level = primals
    low, high, _ = _bracket(x, weight, level)
    keys = sortable_bits(x)

    def moved(key: Array) -> Array:
        on = ((keys == key) & (weight != 0)).astype(x.dtype)
        return safe_divide(jnp.sum(on * tangents[0]), jnp.sum(on), 0.0)

    return _quantile(x, weight, level), (moved(low) + moved(high)) / 2


def _sampled_quantile(x: Array, weight: Array, level: Array) -> Array:
    """The quantile, whose derivative in the weights is that of the population: see above."""
    quantile = _quantile(x, weight, level)
    if not jnp.issubdtype(weight.dtype, jnp.floating):
        return quantile
    width = _bandwidth(weight, level)
    low, high = jnp.maximum(level - width, 0), jnp.minimum(level + width, 1)
    spacing = _quantile(x, weight, high) - _quantile(x, weight, low)
    total = jnp.sum(weight)
    slope = safe_divide(safe_divide(spacing, high - low, 0.0), total, 0.0)
    below, at = x < quantile, x == quantile
    # Those at the quantile count as below it in part, so that all influences add up to 0.
    short = level * total - weighted_sum(below, weight)
    fraction = safe_divide(short, weighted_sum(at, weight), 0.0)
    above = level - below.astype(x.dtype) - jnp.where(at, fraction, 0)
    influence = lax.stop_gradient(jnp.where(jnp.isfinite(slope), slope, 0) * above)
    return quantile + jnp.sum((weight - lax.stop_gradient(weight)) * influence)


def _bandwidth(weight: Array, level: Array) -> Array:
    """How far from a level to look for the density at its quantile."""
    weight, normal = scaled(weight), ndtri(level)
    count = safe_divide(jnp.square(jnp.sum(weight)), jnp.sum(jnp.square(weight)), 1.0)
    shape = 4.5 * jnp.exp(-2 * jnp.square(normal)) / (2 * math.pi) ** 2
    return jnp.power(shape / (jnp.square(2 * jnp.square(normal) + 1) * count), 0.2)


def _bracket(x: Array, weight: Array, level: Array) -> tuple[Array, Array, Array]:
    """Bits of the values that the quantile is the mean of, and whether there is one."""
    keys = sortable_bits(x)
    if jnp.issubdtype(weight.dtype, jnp.floating):
        weight = lax.optimization_barrier(_in_units(weight))  # divides once, not for each use
    total = jnp.sum(weight).astype(x.dtype)
    target = level * total
    slack = jnp.finfo(x.dtype).eps / 2 * jnp.minimum(target, total - target)
    low, reached = _first_to_reach(keys, weight, target - slack)
    tied = reached <= target + slack
    high = lax.cond(tied, _following, lambda *ends: ends[-1], keys, weight, low)
    most = jnp.max(x, where=weight != 0, initial=-jnp.inf)
    return low, high, (total > 0) & ~jnp.isnan(most)


def _following(keys: Array, weight: Array, low: Array) -> Array:
    """Least key with weight above `low`, or that if there is none."""
    none = ~jnp.zeros((), keys.dtype)
    following = jnp.min(keys, where=(keys > low) & (weight != 0), initial=none)
    return jnp.where(following == none, low, following)


def _in_units(weight: Array) -> Array:
    """Weights as multiples of the least: often whole numbers, whose sums are exact.

    Exact sums find the ties: half of the weight on either side of a value.
    """
    least = jnp.min(weight, where=weight > 0, initial=jnp.inf)
    most = jnp.max(weight, initial=0.0)
    return safe_divide(weight, jnp.where(most < 2.0**24 * least, least, most), 0.0)


def _first_to_reach(keys: Array, weight: Array, target: Array) -> tuple[Array, Array]:
    """Least key up to which the weight is `target` or more, and that weight.

    Decides the leading bits from a table of their weights, then the next ones among the
    keys that begin with those.
    """
    bits = 8 * keys.dtype.itemsize
    n = keys.shape[0]
    width = 16 if isinstance(n, int) and n > _LONG else 8
    prefix, below = jnp.zeros((), keys.dtype), jnp.zeros((), weight.dtype)
    for shift in range(bits - width, -1, -width):
        digit = ((keys >> shift) & jnp.asarray((1 << width) - 1, keys.dtype)).astype(jnp.int32)
        if shift + width < bits:
            digit = jnp.where(keys >> (shift + width) == prefix, digit, 1 << width)
        table = weighted_bincount(digit, weight, 1 << width, run=_RUN)
        running = (below + jnp.cumsum(table)).astype(target.dtype)
        filled = table > 0
        # Rounding may leave the sum of a table short of what the one before promised.
        enough = jnp.minimum(target, jnp.max(running, where=filled, initial=0.0))
        chosen = jnp.argmax(filled & (running >= enough)).astype(jnp.int32)
        lower = jnp.arange(1 << width, dtype=jnp.int32) < chosen
        below = below + jnp.sum(table, where=lower, dtype=table.dtype)
        prefix = prefix << width | chosen.astype(keys.dtype)
    return prefix, running[chosen]
