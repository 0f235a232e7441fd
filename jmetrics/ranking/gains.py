"""Gains discounted by rank."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.items import NOT_NAN, relevant
from jmetrics._core.lists import (
    Lists,
    RankedGains,
    falling_gains,
    mean_over_tied_ranks,
    prefix_sums,
    ranked_gains,
)
from jmetrics._core.numerics import kept_within, safe_divide
from jmetrics._core.plan import REAL, Plan, metric
from jmetrics._core.types import ArrayLike, Number
from jmetrics.ranking._lists import Cutoff, Score, depth_of, known_ties, list_metric, or_empty

Gain = str | Callable[[Array], Array]


@metric(range=REAL, greater_is_better=True, predictions="lists")
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: Cutoff = None,
    gain: Gain = "linear",
    log_base: Number = 2.0,
    ignore_ties: bool = False,
    ties: str = "average",
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Discounted cumulative gain, Σ gain(y_true) / log(1 + rank) over the first k ranks.

    Args:
        y_true: Relevance grades, negative ones allowed, shape (n_lists, list_size), or (n,) with
            `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        gain: Gain of a label y: "linear" (y), "exponential" (2^y − 1) or a function of arrays.
        log_base: Base of the logarithm, positive and not 1.
        ignore_ties: If True, override `ties`: the last of tied items comes first, as in a reversed
            sort.
        ties: How to break ties in `y_score`: "average" (the expected value under random
            tie-breaking), "pessimistic" or "optimistic" (less or more relevant items first among
            ties) or "stable" (in the order stored).
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in (−∞, ∞), higher is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, if an unmasked item of a list with positive weight has a
        NaN label or score, or if `log_base` is not positive or is 1. Lists without unmasked items
        are left out of the mean; with `average=None` they are NaN.

    Gradient:
        In `y_true` that of `gain`, smooth in the weights, 0 in the scores.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `sklearn.metrics.dcg_score`; McSherry & Najork (2008) on ties.

    Examples:
        >>> round(float(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])), 4)
        9.4995
    """
    return list_metric(
        discounted(gain, ideal=False),
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=_ties_rule(ties, ignore_ties),
        k=k,
        options=(check.number("log_base", log_base),),
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: Cutoff = None,
    gain: Gain = "linear",
    ignore_ties: bool = False,
    ties: str = "average",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Normalized discounted cumulative gain, DCG over that of the ideal order of each list.

    Args:
        y_true: Relevance grades, non-negative, shape (n_lists, list_size), or (n,) with
            `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        gain: Gain of a label y: "linear" (y), "exponential" (2^y − 1) or a function of arrays.
        ignore_ties: If True, override `ties`: the last of tied items comes first, as in a reversed
            sort.
        ties: How to break ties in `y_score`: "average" (the expected value under random
            tie-breaking), "pessimistic" or "optimistic" (less or more relevant items first among
            ties) or "stable" (in the order stored).
        empty: Value of a list without gain, or "skip" to leave such lists out of the mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in [0, 1], higher is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN score or a negative or NaN label. Lists without unmasked items are left out of the
        mean; with `average=None` they are NaN.

    Gradient:
        In `y_true` that of both sums with their orders held fixed, smooth in the weights, 0 in the
        scores.

    Cost:
        O(n log n) time for two weight-independent sorts, shared under `vmap` over weights; O(n)
        memory.

    References:
        `sklearn.metrics.ndcg_score`; Järvelin & Kekäläinen (2002); McSherry & Najork (2008) on
        ties; Burges et al. (2005) for the exponential gain.

    Examples:
        >>> round(float(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])), 4)
        0.6957
    """
    return list_metric(
        discounted(gain, ideal=True),
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=_ties_rule(ties, ignore_ties),
        empty=empty,
        k=k,
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def rank_biased_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    persistence: Number = 0.8,
    k: Cutoff = None,
    relevance_threshold: Number = 1.0,
    ties: str = "average",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Rank-biased precision, (1 − p) Σ p^(rank − 1) over the relevant items of the first k ranks.

    It models a user who continues to the next rank with probability p.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        persistence: Probability p of continuing to the next rank, in [0, 1).
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        relevance_threshold: Items with a label of at least this are relevant.
        ties: How to break ties in `y_score`: "average" (the expected value under random
            tie-breaking), "pessimistic" or "optimistic" (relevant items last or first among ties)
            or "stable" (in the order stored).
        empty: Value of a list without relevant items, or "skip" to leave such lists out of the
            mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in [0, 1], higher is better; a finite list stays below 1. Shape (n_lists,) for
            `average=None`; a tuple `k` adds a trailing axis.

    Undefined:
        NaN if no list has positive weight, if an unmasked item of a list with positive weight has a
        NaN label or score, or if `persistence` is outside [0, 1). Lists without unmasked items are
        left out of the mean; with `average=None` they are NaN.

    Gradient:
        Smooth in the weights and in `persistence`, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        Moffat & Zobel (2008).

    Examples:
        >>> round(float(rank_biased_precision([[1, 0, 1]], [[3, 2, 1]], persistence=0.5)), 4)
        0.625
    """
    return list_metric(
        _RANK_BIASED,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=known_ties(ties),
        empty=empty,
        k=k,
        option=check.number("relevance_threshold", relevance_threshold),
        options=(check.number("persistence", persistence),),
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def expected_reciprocal_rank(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: Cutoff = None,
    max_grade: Number = 4.0,
    ties: str = "pessimistic",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Expected reciprocal of the rank at which a user reading from the top is satisfied.

    Σ P(rank) / rank over the first k ranks, where P(rank) is the probability that the user is
    satisfied first at that rank: an item of grade g satisfies a user who reaches it with
    probability (2^g − 1) / 2^`max_grade`.

    Args:
        y_true: Relevance grades in [0, max_grade], shape (n_lists, list_size), or (n,) with
            `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        max_grade: Highest grade.
        ties: How to break ties in `y_score`: "pessimistic" or "optimistic" (lower or higher grades
            first among ties) or "stable" (in the order stored).
        empty: Value of a list without a grade above 0, or "skip" to leave such lists out of the
            mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in [0, 1), higher is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN score or a label that is NaN or outside [0, `max_grade`]. Lists without unmasked
        items are left out of the mean; with `average=None` they are NaN.

    Gradient:
        Smooth in the grades with their order held fixed and in the weights, 0 in the scores.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    Raises:
        ValueError: If `ties` is "average": the expectation over random orders of graded items has
            no closed form of O(n log n) cost.

    References:
        Chapelle et al. (2009).

    Examples:
        >>> round(float(expected_reciprocal_rank([[4, 0, 2]], [[3, 2, 1]])), 4)
        0.9414
    """
    grade = check.number("max_grade", max_grade)
    return list_metric(
        _CASCADE,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=known_ties(ties, closed_form=False),
        empty=empty,
        k=k,
        option=grade,
        options=(grade,),
    )


def _ties_rule(ties: str, ignore_ties: bool) -> str:
    known_ties(ties)
    return "last" if check.flag_or_auto("ignore_ties", ignore_ties, auto=False) else ties


@functools.lru_cache(maxsize=64)
def discounted(gain: Gain, *, ideal: bool) -> Score:
    """Score for a gain; cached, so that each gain compiles once."""
    if isinstance(gain, str):
        check.one_of("gain", gain, tuple(_GAINS))
        of_relevance = _GAINS[gain]
    else:
        check.require(callable(gain), f"`gain` must be a name or a function, got {gain!r}")
        of_relevance = gain

    def prepare(y_true: Array, lists: Lists) -> tuple[Array, Array]:
        valid = (y_true >= 0) if ideal else (y_true == y_true)
        if ideal and of_relevance is _exponential:
            return _scaled_exponential(y_true, lists), valid
        return of_relevance(y_true).astype(y_true.dtype), valid

    if ideal:
        negative = "`y_true` must not be negative or NaN"
        return Score(prepare, negative, rank=_with_gains, of_lists=_normalised)
    return Score(prepare, NOT_NAN, rank=ranked_gains, of_lists=_cumulative)


def _linear(y: Array) -> Array:
    return y


def _exponential(y: Array) -> Array:
    return jnp.expm1(math.log(2) * y)


def _scaled_exponential(y: Array, lists: Lists) -> Array:
    """(2^y − 1) / 2^(largest y of the list), which does not overflow for large grades."""
    most = lists.of_each(lists.max(lax.stop_gradient(y)))
    return -jnp.expm1(-math.log(2) * y) * _power_of_2(y - most)


def _power_of_2(x: Array) -> Array:
    """2^x, exact for integers."""
    whole = jnp.floor(lax.stop_gradient(x))
    return jnp.ldexp(jnp.exp2(x - whole), whole.astype(jnp.int32))


_GAINS: dict[str, Callable[[Array], Array]] = {"linear": _linear, "exponential": _exponential}


class _NdcgInputs(NamedTuple):
    """What NDCG needs to know of the lists: gains in the order of the scores, and in any."""

    by_score: RankedGains
    gain: Array
    lists: Lists


def _with_gains(score: Array, gain: Array, lists: Lists, ties: str) -> _NdcgInputs:
    """Rank by score; the ideal order is found in `_normalised`."""
    return _NdcgInputs(ranked_gains(score, gain, lists, ties), gain, lists)


def _normalised(ranked: _NdcgInputs, k: int | None) -> tuple[Array, Array]:
    value, best = _discounted_gain(ranked.by_score, k), ideal_gain(ranked.gain, ranked.lists, k)
    return safe_divide(kept_within(value, -jnp.inf, best), best, 0.0), best != 0


def _cumulative(ranked: RankedGains, k: int | None, log_base: Number) -> tuple[Array, Array]:
    value = _discounted_gain(ranked, k)
    base = jnp.asarray(log_base, value.dtype)
    valid = (base > 0) & (base != 1)
    value = value * jnp.log2(jnp.where(valid, base, 2))
    value = check.nan_unless(value, valid, "`log_base` must be positive and not 1")
    return value, jnp.ones(value.shape, jnp.bool_)


def _discounted_gain(ranked: RankedGains, k: int | None) -> Array:
    """Sum of gain over log2(1 + rank) of each list."""
    most_ranks = ranked.gain.shape[-1]
    rank = lax.iota(ranked.gain.dtype, most_ranks if k is None else jax.core.min_dim(k, most_ranks))
    prefix = prefix_sums(discount(rank + 1))
    return ranked.lists.sum(ranked.gain * mean_over_tied_ranks(ranked, prefix))


def discount(rank: Array) -> Array:
    """1 / log2(1 + rank), for ranks from 1, fractional ones too."""
    return math.log(2) / jnp.log1p(rank)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def ideal_gain(gain: Array, lists: Lists, k: int | None) -> Array:
    """Discounted gain of the ideal order of each list."""
    return _discounted_gain(falling_gains(gain, lists), k)


@ideal_gain.defjvp
def _ideal_gain_jvp(
    k: int | None, primals: tuple[Array, Lists], tangents: tuple[Array, Any]
) -> tuple[Array, Array]:
    """Equal gains share their discounts equally, regardless of the order stored."""
    (gain, lists), (change, _) = primals, tangents
    by_gain = ranked_gains(gain, change, lists, "average")
    return ideal_gain(gain, lists, k), _discounted_gain(by_gain, k)


def _rank_biased(ranked: RankedGains, k: int | None, persistence: Number) -> tuple[Array, Array]:
    lists, gain = ranked.lists, ranked.gain
    p = jnp.asarray(persistence, gain.dtype)
    depth = lists.of_each(depth_of(k, ranked.size))
    ranks = jnp.minimum(ranked.start, depth), jnp.minimum(ranked.end, depth)
    start, end = (rank.astype(p.dtype) for rank in ranks)
    log_p = jnp.log(jnp.clip(p, jnp.finfo(p.dtype).tiny, 1))
    weight = -jnp.exp(start * log_p) * jnp.expm1((end - start) * log_p)
    value = lists.sum(gain * weight / (ranked.end - ranked.start).astype(p.dtype))
    value = check.nan_unless(value, (p >= 0) & (p < 1), "`persistence` must be in [0, 1)")
    return value, lists.sum(gain) > 0


_RANK_BIASED = Score(relevant, NOT_NAN, ranked_gains, _rank_biased)


def _grades(y_true: Array, max_grade: Number) -> tuple[Array, Array]:
    return y_true, (y_true >= 0) & (y_true <= jnp.asarray(max_grade, y_true.dtype))


def _cascade(ranked: RankedGains, k: int | None, max_grade: Number) -> tuple[Array, Array]:
    lists, grade, rank = ranked.lists, ranked.gain, ranked.start
    most = jnp.asarray(max_grade, grade.dtype)
    satisfied = jnp.expm1(math.log(2) * grade) * jnp.exp2(-most)
    # log(1 − satisfied), without the cancellation that makes 1 − satisfied 0 for high grades.
    goes_on = jnp.log(jnp.exp2(-most) - jnp.expm1(math.log(2) * (grade - most)))
    comes = jnp.exp(lists.running(goes_on) - goes_on)
    seen = rank < lists.of_each(depth_of(k, ranked.size))
    value = jnp.where(seen, satisfied * comes / (rank + 1).astype(grade.dtype), 0)
    return lists.sum(value), lists.sum(grade) > 0


_CASCADE = Score(
    _grades, "`y_true` must be in [0, `max_grade`] and not NaN", ranked_gains, _cascade
)
