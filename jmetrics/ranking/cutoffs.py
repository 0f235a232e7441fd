"""Relevant items among the first places of each list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.anatomy import metric
from jmetrics._core.lists import RankedGains, RankedLabels, ranked_gains, ranked_labels
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import ArrayLike, Number
from jmetrics.ranking._lists import (
    NOT_NAN,
    Cutoff,
    Score,
    depth_of,
    first_relevant,
    hits_within,
    irrelevant,
    known_ties,
    or_empty,
    over_lists,
    relevant,
)


@metric(range=or_empty, greater_is_better=True)
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
) -> Array:
    """Share of relevant items among the first k places of each list.

    With `denominator` "k" a list of fewer than k items is divided by k all the same, with "min" by
    the number of its items. Items with a label of at least `relevance_threshold` are relevant.
    `ties` is "average" (the expected value if ties are broken by chance), "pessimistic" or
    "optimistic" (relevant items last or first) or "stable" (as stored). A list with nothing
    relevant has the value `empty`, or stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`; a tuple of `k` adds an axis at the end.
    Range: [0, 1], higher is better.
    Undefined: NaN when nothing counts, and for NaN in an item that does. Lists without an item do
    not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.retrieval_precision` (`adaptive_k` is "min"); trec_eval's P.

    >>> round(float(precision_at_k([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)), 4)
    0.6667
    """
    check.one_of("denominator", denominator, tuple(_PRECISION))
    return over_lists(
        _PRECISION[denominator],
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        ties=known_ties(ties),
        empty=empty,
        k=k,
        option=check.number("relevance_threshold", relevance_threshold),
    )


@metric(range=or_empty, greater_is_better=True)
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
) -> Array:
    """Share of the relevant items of each list that are among the first k places.

    Items with a label of at least `relevance_threshold` are relevant. `ties` is "average" (the
    expected value if ties are broken by chance), "pessimistic" or "optimistic" (relevant items
    last or first) or "stable" (as stored). A list with nothing relevant has the value `empty`, or
    stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`; a tuple of `k` adds an axis at the end.
    Range: [0, 1], higher is better.
    Undefined: NaN when nothing counts, and for NaN in an item that does. Lists without an item do
    not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.retrieval_recall`; trec_eval's recall.

    >>> round(float(recall_at_k([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)), 4)
    0.6667
    """
    return over_lists(
        _RECALL,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        ties=known_ties(ties),
        empty=empty,
        k=k,
        option=check.number("relevance_threshold", relevance_threshold),
    )


@metric(range=or_empty, greater_is_better=True)
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
) -> Array:
    """Harmonic mean of precision and recall of the first k places of each list.

    2 hits / (k + relevant), with the number of items in place of k where it is less and
    `denominator` is "min". Items with a label of at least `relevance_threshold` are relevant.
    `ties` is "average" (the expected value if ties are broken by chance), "pessimistic" or
    "optimistic" (relevant items last or first) or "stable" (as stored). A list with nothing
    relevant has the value `empty`, or stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`; a tuple of `k` adds an axis at the end.
    Range: [0, 1], higher is better.
    Undefined: NaN when nothing counts, and for NaN in an item that does. Lists without an item do
    not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: ranx's f1.

    >>> round(float(f1_at_k([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)), 4)
    0.6667
    """
    check.one_of("denominator", denominator, tuple(_F1))
    return over_lists(
        _F1[denominator],
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        ties=known_ties(ties),
        empty=empty,
        k=k,
        option=check.number("relevance_threshold", relevance_threshold),
    )


@metric(range=or_empty, greater_is_better=True)
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
) -> Array:
    """Whether a relevant item is among the first k places of each list.

    Under ties the chance of it. Items with a label of at least `relevance_threshold` are relevant.
    `ties` is "average" (the expected value if ties are broken by chance), "pessimistic" or
    "optimistic" (relevant items last or first) or "stable" (as stored). A list with nothing
    relevant has the value `empty`, or stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`; a tuple of `k` adds an axis at the end.
    Range: [0, 1], higher is better.
    Undefined: NaN when nothing counts, and for NaN in an item that does. Lists without an item do
    not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.retrieval_hit_rate`; trec_eval's success.

    >>> round(float(hit_rate_at_k([[0, 0, 1], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]], k=2)), 4)
    0.5
    """
    return over_lists(
        _HIT,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        ties=known_ties(ties),
        empty=empty,
        k=k,
        option=check.number("relevance_threshold", relevance_threshold),
    )


@metric(range=or_empty, greater_is_better=True)
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
) -> Array:
    """Precision of the first R places of each list, R the number of its relevant items.

    Items with a label of at least `relevance_threshold` are relevant. `ties` is "average" (the
    expected value if ties are broken by chance), "pessimistic" or "optimistic" (relevant items
    last or first) or "stable" (as stored). A list with nothing relevant has the value `empty`, or
    stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`.
    Range: [0, 1], higher is better.
    Undefined: NaN when nothing counts, and for NaN in an item that does. Lists without an item do
    not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.retrieval_r_precision`; trec_eval's Rprec.

    >>> round(float(r_precision([[1, 0, 1, 0]], [[4, 3, 2, 1]])), 4)
    0.5
    """
    return over_lists(
        _R_PRECISION,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        ties=known_ties(ties),
        empty=empty,
        option=check.number("relevance_threshold", relevance_threshold),
    )


@metric(range=or_empty, greater_is_better=False)
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
) -> Array:
    """Share of the items that are not relevant that are among the first k places of each list.

    Items with a label of at least `relevance_threshold` are relevant. `ties` is "average" (the
    expected value if ties are broken by chance), "pessimistic" or "optimistic" (relevant items
    last or first) or "stable" (as stored). A list with nothing that is not relevant has the value
    `empty`, or stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`; a tuple of `k` adds an axis at the end.
    Range: [0, 1], lower is better.
    Undefined: NaN when nothing counts, and for NaN in an item that does. Lists without an item do
    not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `torchmetrics.functional.retrieval_fall_out`.

    >>> round(float(fall_out_at_k([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)), 4)
    0.5
    """
    return over_lists(
        _FALL_OUT,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        ties=_OPPOSITE[known_ties(ties)],
        empty=empty,
        k=k,
        option=check.number("relevance_threshold", relevance_threshold),
    )


# Less relevant items first is here more gain first.
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


_PLACES: dict[str, Callable[..., Array]] = {"k": _every_place, "min": _filled_places}


def _hits(ranked: RankedGains, k: int | None) -> tuple[Array, Array]:
    """Relevant items among the first k places, and in all."""
    return hits_within(ranked, depth_of(k, ranked.size)), ranked.lists.sum(ranked.gain)


def _precision(
    ranked: RankedGains, k: int | None, *, places: Callable[..., Array]
) -> tuple[Array, Array]:
    hits, total = _hits(ranked, k)
    return safe_divide(hits, places(ranked.size, k).astype(hits.dtype), 0.0), total > 0


def _f1(ranked: RankedGains, k: int | None, *, places: Callable[..., Array]) -> tuple[Array, Array]:
    hits, total = _hits(ranked, k)
    both = places(ranked.size, k).astype(hits.dtype) + total
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
    name: Score(relevant, NOT_NAN, ranked_gains, partial(_precision, places=places))
    for name, places in _PLACES.items()
}
_F1 = {
    name: Score(relevant, NOT_NAN, ranked_gains, partial(_f1, places=places))
    for name, places in _PLACES.items()
}
_RECALL = Score(relevant, NOT_NAN, ranked_gains, _share_found)
_FALL_OUT = Score(irrelevant, NOT_NAN, ranked_gains, _share_found)
_R_PRECISION = Score(relevant, NOT_NAN, ranked_gains, _r_precision)
_HIT = Score(relevant, NOT_NAN, ranked_labels, _hit)
