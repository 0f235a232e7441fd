"""Relevant items among the first ranks of each list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.items import NOT_NAN, relevant
from jmetrics._core.lists import RankedGains, RankedLabels, ranked_gains, ranked_labels
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import Plan, metric
from jmetrics._core.types import ArrayLike, Number
from jmetrics.ranking._lists import (
    Cutoff,
    Score,
    depth_of,
    first_relevant,
    hits_within,
    irrelevant,
    known_ties,
    list_metric,
    or_empty,
)


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def precision_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: Cutoff = None,
    denominator: str = "k",
    relevance_threshold: Number = 1.0,
    ties: str = "average",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of relevant items among the first k ranks of each list.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        denominator: "k" to divide by k even for lists of fewer than k items, or "min" to divide
            these by the number of their items.
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
        Scalar in [0, 1], higher is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN label or score. Lists without unmasked items are left out of the mean; with
        `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `torchmetrics.functional.retrieval_precision` (`adaptive_k` is "min"); trec_eval's P.

    Examples:
        >>> round(float(precision_at_k([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)), 4)
        0.6667
    """
    check.one_of("denominator", denominator, tuple(_PRECISION))
    return list_metric(
        _PRECISION[denominator],
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
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def recall_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
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
    """Fraction of the relevant items of each list that are among its first k ranks.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
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
        Scalar in [0, 1], higher is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN label or score. Lists without unmasked items are left out of the mean; with
        `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `torchmetrics.functional.retrieval_recall`; trec_eval's recall.

    Examples:
        >>> round(float(recall_at_k([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)), 4)
        0.6667
    """
    return list_metric(
        _RECALL,
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
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def f1_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: Cutoff = None,
    denominator: str = "k",
    relevance_threshold: Number = 1.0,
    ties: str = "average",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Harmonic mean of precision and recall at the first k ranks of each list.

    2 hits / (k + relevant), where hits is the number of relevant items among the first k ranks and
    relevant their total number.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        denominator: "k", or "min" to replace k by the number of items of lists with fewer than k.
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
        Scalar in [0, 1], higher is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN label or score. Lists without unmasked items are left out of the mean; with
        `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        ranx's f1.

    Examples:
        >>> round(float(f1_at_k([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)), 4)
        0.6667
    """
    check.one_of("denominator", denominator, tuple(_F1))
    return list_metric(
        _F1[denominator],
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
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def hit_rate_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
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
    """Hit rate, whether a relevant item is among the first k ranks of each list.

    Under ties, the probability that one is.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
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
        Scalar in [0, 1], higher is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN label or score. Lists without unmasked items are left out of the mean; with
        `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `torchmetrics.functional.retrieval_hit_rate`; trec_eval's success.

    Examples:
        >>> round(float(hit_rate_at_k([[0, 0, 1], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]], k=2)), 4)
        0.5
    """
    return list_metric(
        _HIT,
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
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def r_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    relevance_threshold: Number = 1.0,
    ties: str = "average",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Precision at rank R of each list, where R is the number of its relevant items.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
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
        Scalar in [0, 1], higher is better. Shape (n_lists,) for `average=None`.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN label or score. Lists without unmasked items are left out of the mean; with
        `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `torchmetrics.functional.retrieval_r_precision`; trec_eval's Rprec.

    Examples:
        >>> round(float(r_precision([[1, 0, 1, 0]], [[4, 3, 2, 1]])), 4)
        0.5
    """
    return list_metric(
        _R_PRECISION,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=known_ties(ties),
        empty=empty,
        option=check.number("relevance_threshold", relevance_threshold),
    )


@metric(range=or_empty, greater_is_better=False, predictions="lists")
def fall_out_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
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
    """Fraction of the irrelevant items of each list that are among its first k ranks.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        relevance_threshold: Items with a label of at least this are relevant.
        ties: How to break ties in `y_score`: "average" (the expected value under random
            tie-breaking), "pessimistic" or "optimistic" (relevant items last or first among ties)
            or "stable" (in the order stored).
        empty: Value of a list without irrelevant items, or "skip" to leave such lists out of the
            mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in [0, 1], lower is better. Shape (n_lists,) for `average=None`; a tuple `k` adds a
            trailing axis.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN label or score. Lists without unmasked items are left out of the mean; with
        `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `torchmetrics.functional.retrieval_fall_out`.

    Examples:
        >>> round(float(fall_out_at_k([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)), 4)
        0.5
    """
    return list_metric(
        _FALL_OUT,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=_OPPOSITE[known_ties(ties)],
        empty=empty,
        k=k,
        option=check.number("relevance_threshold", relevance_threshold),
    )


# Fall-out counts irrelevant items, so pessimistic and optimistic swap.
_OPPOSITE = {
    "average": "average",
    "pessimistic": "optimistic",
    "optimistic": "pessimistic",
    "stable": "stable",
}


def _every_place(size: Array, k: int | None) -> Array:
    return depth_of(k, size)


def _filled_places(size: Array, k: int | None) -> Array:
    return jnp.minimum(depth_of(k, size), size)


_DEPTH_RULES: dict[str, Callable[..., Array]] = {"k": _every_place, "min": _filled_places}


def _hits(ranked: RankedGains, k: int | None) -> tuple[Array, Array]:
    """Number of relevant items among the first k ranks, and in total."""
    return hits_within(ranked, depth_of(k, ranked.size)), ranked.lists.sum(ranked.gain)


def _precision(
    ranked: RankedGains, k: int | None, *, depth_rule: Callable[..., Array]
) -> tuple[Array, Array]:
    hits, total = _hits(ranked, k)
    return safe_divide(hits, depth_rule(ranked.size, k).astype(hits.dtype), 0.0), total > 0


def _f1(
    ranked: RankedGains, k: int | None, *, depth_rule: Callable[..., Array]
) -> tuple[Array, Array]:
    hits, total = _hits(ranked, k)
    both = depth_rule(ranked.size, k).astype(hits.dtype) + total
    return safe_divide(2 * hits, both, 0.0), total > 0


def _share_found(ranked: RankedGains, k: int | None) -> tuple[Array, Array]:
    hits, total = _hits(ranked, k)
    return safe_divide(hits, total, 0.0), total > 0


def _r_precision(ranked: RankedGains, _: None) -> tuple[Array, Array]:
    total = ranked.lists.sum(ranked.gain)
    return safe_divide(hits_within(ranked, total.astype(jnp.int32)), total, 0.0), total > 0


def _hit(ranked: RankedLabels, k: int | None) -> tuple[Array, Array]:
    lists = ranked.lists
    depth = lists.of_each(depth_of(k, ranked.size))
    chance = first_relevant(ranked)
    opens = jnp.where(ranked.rank == ranked.start, jnp.ones_like(chance), 0)
    chance = jnp.where((ranked.end <= depth) & (chance > 0), opens, chance)
    return lists.sum(jnp.where(ranked.rank < depth, chance, 0)), ranked.total > 0


_PRECISION = {
    name: Score(relevant, NOT_NAN, ranked_gains, partial(_precision, depth_rule=depth_rule))
    for name, depth_rule in _DEPTH_RULES.items()
}
_F1 = {
    name: Score(relevant, NOT_NAN, ranked_gains, partial(_f1, depth_rule=depth_rule))
    for name, depth_rule in _DEPTH_RULES.items()
}
_RECALL = Score(relevant, NOT_NAN, ranked_gains, _share_found)
_FALL_OUT = Score(irrelevant, NOT_NAN, ranked_gains, _share_found)
_R_PRECISION = Score(relevant, NOT_NAN, ranked_gains, _r_precision)
_HIT = Score(relevant, NOT_NAN, ranked_labels, _hit)
