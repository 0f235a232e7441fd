"""Precision at the ranks of the relevant items, of all of them or the first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.items import NOT_NAN, relevant
from jmetrics._core.lists import RankedLabels, counted_labels, ranked_labels
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import Plan, metric
from jmetrics._core.types import ArrayLike, Number
from jmetrics.ranking._lists import (
    Cutoff,
    Score,
    depth_of,
    first_relevant,
    known_ties,
    list_metric,
    or_empty,
)

ELEVEN = tuple(level / 10 for level in range(11))


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def reciprocal_rank(
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
    """Reciprocal rank of the first relevant item of each list; its mean is the MRR.

    0 if that item is not among the first k ranks. Under ties, the expected reciprocal.

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
        `torchmetrics.functional.retrieval_reciprocal_rank`; trec_eval's recip_rank.

    Examples:
        >>> round(float(reciprocal_rank([[0, 1, 1], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]])), 4)
        0.75
    """
    return list_metric(
        _RECIPROCAL,
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
def average_precision_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: Cutoff = None,
    denominator: str = "relevant",
    relevance_threshold: Number = 1.0,
    ties: str = "average",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Average precision at k of each list, the mean precision at its relevant items.

    The precision at the rank of each relevant item, 0 beyond the first k ranks, is averaged over
    the relevant items; the mean over lists is the MAP.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        k: Number of top ranks, a static positive integer, a tuple of several, or None for all
            ranks.
        denominator: "relevant" to average over all relevant items, "min" over as many of them as
            fit in k ranks, "hits" over those found.
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

    Raises:
        ValueError: If `denominator` is "hits", `k` is given and `ties` is "average", which has no
            simple closed form.

    References:
        trec_eval's map and map_cut, for "relevant";
        `torchmetrics.functional.retrieval_average_precision`, for "hits".

    Examples:
        >>> round(float(average_precision_at_k([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2)), 4)
        0.3333
    """
    check.one_of("denominator", denominator, tuple(_AVERAGE))
    check.require(
        denominator != "hits" or k is None or ties != "average",
        "`ties` must not be 'average' with `denominator='hits'` and `k`",
    )
    return list_metric(
        _AVERAGE[denominator],
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


@metric(
    range=lambda floor, empty: (floor, or_empty(empty)[1]),
    greater_is_better=True,
    predictions="lists",
)
def geometric_mean_average_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    floor: Number = 1e-5,
    relevance_threshold: Number = 1.0,
    ties: str = "average",
    empty: Number | str = 0.0,
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Geometric mean over lists of their average precisions.

    Average precisions below `floor` are raised to it.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        floor: Lower bound of the average precision of a list, positive.
        relevance_threshold: Items with a label of at least this are relevant.
        ties: How to break ties in `y_score`: "average" (the expected value under random
            tie-breaking), "pessimistic" or "optimistic" (relevant items last or first among ties)
            or "stable" (in the order stored).
        empty: Value of a list without relevant items, or "skip" to leave such lists out of the
            mean.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in [floor, 1], higher is better; the worst lists dominate.

    Undefined:
        NaN if no list has positive weight, if an unmasked item of a list with positive weight has a
        NaN label or score, or if `floor` is not positive. Lists without unmasked items are left out
        of the mean.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        trec_eval's gm_map; Robertson (2006).

    Examples:
        >>> round(float(geometric_mean_average_precision([[1, 0], [0, 1]], [[2, 1], [2, 1]])), 4)
        0.7071
    """
    return list_metric(
        _GEOMETRIC,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        ties=known_ties(ties),
        empty=empty,
        option=check.number("relevance_threshold", relevance_threshold),
        options=(check.number("floor", floor),),
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def bpref(
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
    """Binary preference, the fraction of irrelevant items ranked below relevant ones in each list.

    Only as many irrelevant items are considered as there are relevant ones: the mean over the
    relevant items of 1 − min(irrelevant above, R) / min(irrelevant, R), where R is the number of
    relevant items. Unjudged items should be masked with `where`.

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
        trec_eval's bpref; Buckley & Voorhees (2004).

    Examples:
        >>> round(float(bpref([[1, 0, 1, 0]], [[4, 3, 2, 1]])), 4)
        0.75
    """
    return list_metric(
        _BPREF,
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


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def interpolated_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: ArrayLike = ELEVEN,
    relevance_threshold: Number = 1.0,
    ties: str = "pessimistic",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Interpolated precision of each list, the highest at any rank that reaches a recall level.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        recall_levels: Recall levels in [0, 1], shape (n_levels,), or one.
        relevance_threshold: Items with a label of at least this are relevant.
        ties: How to break ties in `y_score`: "pessimistic" or "optimistic" (relevant items last or
            first among ties) or "stable" (in the order stored).
        empty: Value of a list without relevant items, or "skip" to leave such lists out of the
            mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Array in [0, 1], higher is better, of shape (n_levels,), or (n_lists, n_levels) for
            `average=None`.

    Undefined:
        NaN if no list has positive weight, if an unmasked item of a list with positive weight has a
        NaN label or score, or if a recall level is outside [0, 1]. Lists without unmasked items are
        left out of the mean; with `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights, and O(n)
        for each level; O(n) memory.

    Raises:
        ValueError: If `ties` is "average": the expected maximum over random orders has no simple
            closed form.

    References:
        trec_eval's iprec_at_recall; Manning, Raghavan & Schütze (2008), section 8.4.

    Examples:
        >>> [
        ...     round(float(p), 4)
        ...     for p in interpolated_precision([[1, 0, 1]], [[3, 2, 1]], recall_levels=[0.5, 1])
        ... ]
        [1.0, 0.6667]
    """
    return list_metric(
        _INTERPOLATED,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=known_ties(ties, closed_form=False),
        empty=empty,
        option=check.number("relevance_threshold", relevance_threshold),
        options=(check.number_or_vector("recall_levels", recall_levels),),
    )


@metric(range=or_empty, greater_is_better=True, predictions="lists")
def eleven_point_average_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    relevance_threshold: Number = 1.0,
    ties: str = "pessimistic",
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean of the interpolated precisions of each list at recall 0, 0.1, ..., 1.

    Args:
        y_true: Relevance labels, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        relevance_threshold: Items with a label of at least this are relevant.
        ties: How to break ties in `y_score`: "pessimistic" or "optimistic" (relevant items last or
            first among ties) or "stable" (in the order stored).
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

    Raises:
        ValueError: If `ties` is "average": the expected maximum over random orders has no simple
            closed form.

    References:
        trec_eval's 11pt_avg; Manning, Raghavan & Schütze (2008), section 8.4.

    Examples:
        >>> round(float(eleven_point_average_precision([[1, 0, 1]], [[3, 2, 1]])), 4)
        0.8485
    """
    return list_metric(
        _ELEVEN_POINT,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        ties=known_ties(ties, closed_form=False),
        empty=empty,
        option=check.number("relevance_threshold", relevance_threshold),
    )


def _reciprocal(ranked: RankedLabels, k: int | None) -> tuple[Array, Array]:
    depth = ranked.lists.of_each(depth_of(k, ranked.size))
    chance = first_relevant(ranked)
    value = jnp.where(ranked.rank < depth, chance / (ranked.rank + 1).astype(chance.dtype), 0)
    return ranked.lists.sum(value), ranked.total > 0


def _precisions(ranked: RankedLabels, depth: Array) -> Array:
    """Sum of the expected precisions at the relevant items among the first ranks.

    Of n tied items, m are relevant. Each of their ranks has a relevant one with probability m / n;
    given that, each of their ranks above it has one with probability (m − 1) / (n − 1).
    """
    dtype = ranked.label.dtype
    tied, relevant_tied = (
        count.astype(dtype) for count in (ranked.end - ranked.start, ranked.within)
    )
    position = (ranked.rank - ranked.start).astype(dtype)
    others = position * (relevant_tied - 1) / jnp.maximum(tied - 1, 1)
    found = ranked.before.astype(dtype) + 1 + others
    fraction = safe_divide(relevant_tied, tied, 0.0) * found / (ranked.rank + 1).astype(dtype)
    seen = ranked.real & (ranked.rank < ranked.lists.of_each(depth))
    return ranked.lists.sum(jnp.where(seen, fraction, 0))


def _all_relevant(ranked: RankedLabels, depth: Array) -> Array:
    del depth
    return ranked.total


def _as_many_as_fit(ranked: RankedLabels, depth: Array) -> Array:
    return jnp.minimum(ranked.total, depth)


def _found(ranked: RankedLabels, depth: Array) -> Array:
    seen = ranked.rank < ranked.lists.of_each(depth)
    return ranked.lists.sum(jnp.where(seen, ranked.label, 0)).astype(jnp.int32)


def _average(
    ranked: RankedLabels, k: int | None, *_: Number, over: Callable[..., Array]
) -> tuple[Array, Array]:
    depth = depth_of(k, ranked.size)
    total = over(ranked, depth).astype(ranked.label.dtype)
    return safe_divide(_precisions(ranked, depth), total, 0.0), ranked.total > 0


def _average_above(ranked: RankedLabels, k: int | None, floor: Number) -> tuple[Array, Array]:
    value, some = _average(ranked, k, over=_all_relevant)
    valid = jnp.asarray(floor, value.dtype) > 0
    return check.nan_unless(value, valid, "`floor` must be positive"), some


def _bpref(ranked: RankedLabels, _: None) -> tuple[Array, Array]:
    lists, dtype = ranked.lists, ranked.label.dtype
    total, others = (c.astype(dtype) for c in (ranked.total, ranked.size - ranked.total))
    most = lists.of_each(total)
    above = ranked.others_before.astype(dtype)
    tied = (ranked.others_upto - ranked.others_before).astype(dtype)
    # Each number of tied irrelevant items above, 0 to all, is equally likely; it is capped at R.
    below = jnp.clip(most - above, 0, tied + 1)
    counted = below * above + below * (below - 1) / 2 + (tied + 1 - below) * most
    wrong = safe_divide(counted / (tied + 1), lists.of_each(jnp.minimum(total, others)), 0.0)
    return safe_divide(lists.sum(ranked.label * (1 - wrong)), total, 0.0), ranked.total > 0


def _interpolated(ranked: RankedLabels, _: None, levels: Array) -> tuple[Array, Array]:
    lists, dtype = ranked.lists, ranked.label.dtype
    levels = jnp.atleast_1d(jnp.asarray(levels, dtype))
    hits = ranked.upto.astype(dtype)
    precision = jnp.where(ranked.real, hits / (ranked.rank + 1).astype(dtype), 0)

    def highest(level: Array) -> Array:
        # Rounding must not require one more hit: 0.1 × 10 in floats may exceed 1.
        needed = jnp.ceil(level * ranked.total.astype(dtype) * (1 - 16 * jnp.finfo(dtype).eps))
        return lists.max(jnp.where(hits >= lists.of_each(needed), precision, 0))

    values = lax.map(highest, levels).T
    inside = ((levels >= 0) & (levels <= 1))[None, :]
    return check.nan_unless(values, inside, "`recall_levels` must be in [0, 1]"), ranked.total > 0


def _eleven_point(ranked: RankedLabels, _: None) -> tuple[Array, Array]:
    values, some = _interpolated(ranked, None, jnp.asarray(ELEVEN))
    return jnp.mean(values, axis=1), some


_RECIPROCAL = Score(relevant, NOT_NAN, ranked_labels, _reciprocal)
_AVERAGE = {
    name: Score(relevant, NOT_NAN, ranked_labels, partial(_average, over=over))
    for name, over in (("relevant", _all_relevant), ("min", _as_many_as_fit), ("hits", _found))
}
_GEOMETRIC = Score(relevant, NOT_NAN, ranked_labels, _average_above, geometric=True)
_BPREF = Score(relevant, NOT_NAN, counted_labels, _bpref)
_INTERPOLATED = Score(relevant, NOT_NAN, ranked_labels, _interpolated)
_ELEVEN_POINT = Score(relevant, NOT_NAN, ranked_labels, _eleven_point)
