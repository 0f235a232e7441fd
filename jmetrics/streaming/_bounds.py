"""Certified bounds of metrics of the numbers in a histogram.

Of what shares a bin the order is unknown: bounds take the worst and the best there can be.
Everything is a sum or quotient of numbers of at least 0, so that rounding is a small fraction of
each result, and bounds give way by more than that fraction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import Compensated, cumsum
from jmetrics._core.numerics import safe_divide
from jmetrics._core.order import RankedCounts, Thresholds
from jmetrics.streaming._histogram import Histogram, HistogramSpec


@exportable
class Bounded(NamedTuple):
    """An estimate with certified bounds.

    Attributes:
        estimate: Estimate of the exact value.
        low: Lower bound of the exact value, shape of `estimate`.
        high: Upper bound of the exact value, shape of `estimate`.
    """

    estimate: Array
    low: Array
    high: Array


class BinnedCounts(NamedTuple):
    """Positives and negatives above each bin, bins falling, in it, and in both."""

    exclusive: RankedCounts
    within: RankedCounts
    inclusive: RankedCounts
    several: Array
    """Whether the scores in the bin differ."""

    @property
    def total(self) -> RankedCounts:
        """All positives and all negatives."""
        return RankedCounts(self.inclusive.tp[-1], self.inclusive.fp[-1])


def binned_counts(state: Histogram, bins: HistogramSpec) -> BinnedCounts:
    """Count from the highest bin without rounding, then round."""
    parts = (sums.to_float(bins.result).T for sums in _running(state, reverse=True))
    exclusive, within, inclusive = (RankedCounts(tp, fp) for fp, tp in parts)
    return BinnedCounts(exclusive, within, inclusive, (state.most > state.least)[::-1])


def _running(state: Histogram, *, reverse: bool) -> tuple[Any, ...]:
    """Weight before each bin, in it, and in both: (bins, n_classes)."""
    order = slice(None, None, -1 if reverse else 1)
    kind = type(state.weight)
    within = kind(*(a[:, order].T for a in state.weight))
    inclusive = cumsum(within)
    before = kind(*(jnp.pad(a, [(1, 0), (0, 0)])[:-1] for a in inclusive))
    return before, within, inclusive


def area_under_roc(state: Histogram, bins: HistogramSpec) -> Bounded:
    """Proportion of correctly ranked pairs, which pairs in one bin may or may not be."""
    r = binned_counts(state, bins)
    positives, negatives = r.total
    negative = safe_divide(r.within.fp, negatives, 0.0)
    right = negative * safe_divide(r.exclusive.tp, positives, 0.0)
    close = negative * safe_divide(r.within.tp, positives, 0.0)
    tied = jnp.where(r.several, jnp.zeros_like(close), close / 2)
    low, high = right + tied, right + jnp.where(r.several, close, tied)
    defined = (positives > 0) & (negatives > 0)
    return _summed(state, (low + high) / 2, low, high, defined, jnp.nan)


def average_precision(state: Histogram, bins: HistogramSpec) -> Bounded:
    """Mean over the positives of the precision at their score.

    Let T positives and F negatives be above a bin that holds p and n of them. A positive has
    precision tp / (tp + fp), where tp counts the positives that have its score or more, itself
    included, and fp such negatives. This rises with tp and falls with fp, and

        tp ≤ T + p   and   fp ≥ F,   so it is at most   (T + p) / (T + p + F),

    which all have that are tied and above the negatives of the bin. From below, order the
    positives of the bin by falling score, ties in any order. The one that ends at t, counted
    from the first of all, has

        tp ≥ t       and   fp ≤ F + n,   so it has at least   f(t) = t / (t + F + n).

    f is concave, so the mean of f over t = T + 1, ..., T + p is at least (f(T + 1) + f(T + p)) / 2.
    With weights, t runs over all of [T, T + p]; the mean is at least (f(T) + f(T + p)) / 2.
    """
    r = binned_counts(state, bins)
    first = 0 if bins.weighted else 1
    tied = _precision(*r.inclusive)
    low = (_precision(r.exclusive.tp + first, r.inclusive.fp) + tied) / 2
    middle = _precision(
        r.exclusive.tp + (r.within.tp + first) / 2, r.exclusive.fp + r.within.fp / 2
    )
    high = _precision(r.inclusive.tp, r.exclusive.fp)
    positives, negatives = r.total
    recall = safe_divide(r.within.tp, positives, 0.0)
    middle, low, high = (recall * jnp.where(r.several, part, tied) for part in (middle, low, high))
    undefined = jnp.where(positives + negatives > 0, 0.0, jnp.nan)
    return _summed(state, middle, low, high, positives > 0, undefined)


def _precision(tp: Array, fp: Array) -> Array:
    return safe_divide(tp, tp + fp, 1.0)


def _summed(
    state: Histogram,
    estimate: Array,
    low: Array,
    high: Array,
    defined: Array,
    undefined: float | Array,
) -> Bounded:
    """Sum over bins, and widen the bounds for rounding, also of terms that underflowed to 0."""
    terms = jnp.stack([estimate, low, high], axis=1)
    total = Compensated(*(a[-1] for a in cumsum(Compensated(terms, jnp.zeros_like(terms)))))
    estimate, low, high = total.to_float(terms.dtype)
    slack = _slack(state, low)
    low, high = low * jnp.maximum(1 - slack, 0), jnp.minimum(high * (1 + slack) + 1e-30, 1)
    result = Bounded(jnp.clip(estimate, low, high), low, high)
    return Bounded(*(jnp.where(defined, value, undefined) for value in result))


def _slack(state: Histogram, like: Array) -> Array:
    """Bound of the relative error of a product or quotient of a few sums of weights."""
    return 16 * jnp.finfo(like.dtype).eps + 5 * state.rounding


def thresholds(state: Histogram, bins: HistogramSpec) -> Thresholds:
    """Counts at or above the least number in each bin: exact for this threshold."""
    r = binned_counts(state, bins)
    # The limbs of a count beyond 2^40 round one by one, which may make it fall.
    counts = RankedCounts(*map(lax.cummax, r.inclusive))
    real = (r.within.tp > 0) | (r.within.fp > 0)
    return Thresholds(counts, r.within, bins.values(state.least)[::-1], real)


def quantile(state: Histogram, bins: HistogramSpec, level: Array) -> Bounded:
    """The averaged inverse of the distribution function at one level, from the bins it is in.

    The weight up to the end of a bin is known, so that the bin of the quantile is, or the two
    bins it is in the middle of. Where rounding leaves open which, the bounds are those of all.
    """
    before, within, inclusive = (
        a.to_float(bins.result)[:, 0] for a in _running(state, reverse=False)
    )
    total = inclusive[-1]
    target = level * total

    def around(slack: Array) -> tuple[Array, Array]:
        filled = within > 0
        last = jnp.max(jnp.where(filled, lax.iota(jnp.int32, filled.shape[0]), 0))
        passes = filled & (inclusive > target + slack)
        following = jnp.where(jnp.any(passes), jnp.argmax(passes).astype(jnp.int32), last)
        return jnp.argmax(filled & (inclusive >= target - slack)).astype(jnp.int32), following

    least, most = around(_slack(state, target) * target)
    first, second = around(jnp.finfo(target.dtype).eps / 2 * jnp.minimum(target, total - target))
    sure = _is_whole(bins, level, total)

    low, high = bins.values(state.least), bins.values(state.most)
    fraction = jnp.clip(safe_divide(target - before, within, 0.0), 0, 1)
    inside = jnp.where(state.most > state.least, low + fraction * (high - low), low)
    defined = (total > 0) & (level >= 0) & (level <= 1)

    def middle(value: Array) -> Array:
        return value[first] / 2 + value[second] / 2

    result = (
        middle(jnp.clip(inside, low, high)),
        jnp.where(sure, middle(low), low[least]),
        jnp.where(sure, middle(high), high[most]),
    )
    return Bounded(*(jnp.where(defined, a, jnp.nan) for a in result))


def _is_whole(bins: HistogramSpec, level: Array, total: Array) -> Array:
    """Whether counts are so few, and the level so short, that no product of them rounds."""
    few = (total > 0) & (total < 2.0**23)
    _, exponent = jnp.frexp(2.0**23 / jnp.where(few, total, 1))
    scaled = level * jnp.ldexp(jnp.ones_like(level), exponent - 1)
    return few & (scaled == jnp.floor(scaled)) & (not bins.weighted)
