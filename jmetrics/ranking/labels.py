"""Scikit-learn's multilabel ranking metrics, where the lists are samples."""

from __future__ import annotations

from jax import Array

from jmetrics._core.lists import RankedLabels, counted_labels
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import NONNEGATIVE, Plan, including, metric
from jmetrics._core.types import ArrayLike, Number
from jmetrics.ranking._lists import NOT_BINARY, Score, indicator, list_metric, or_empty


@metric(
    range=lambda empty: including(empty, *NONNEGATIVE),
    greater_is_better=False,
    predictions="scores",
)
def coverage_error(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Depth in the ranking needed to cover all relevant items of each list.

    The number of items scored at least as high as the lowest-scored relevant one.

    Args:
        y_true: Labels, 0 or 1 (relevant), shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        empty: Value of a list without relevant items, or "skip" to leave such lists out of the
            mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in [0, list_size], lower is better; the best value is the number of relevant items.
            Shape (n_lists,) for `average=None`.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN score or a label other than 0 and 1. Lists without unmasked items are left out of
        the mean; with `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `sklearn.metrics.coverage_error`; Tsoumakas et al. (2010).

    Examples:
        >>> round(float(coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])), 4)
        1.5
    """
    return list_metric(
        _COVERAGE,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        empty=empty,
    )


@metric(range=or_empty, greater_is_better=False, predictions="scores")
def label_ranking_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    empty: Number | str = 0.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of the pairs of a relevant and an irrelevant item that each list misorders.

    Ties are counted as misordered.

    Args:
        y_true: Labels, 0 or 1 (relevant), shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        empty: Value of a list without relevant or without irrelevant items, or "skip" to leave such
            lists out of the mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in [0, 1], lower is better. Shape (n_lists,) for `average=None`.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN score or a label other than 0 and 1. Lists without unmasked items are left out of
        the mean; with `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `sklearn.metrics.label_ranking_loss`; Tsoumakas et al. (2010).

    Examples:
        >>> round(
        ...     float(label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])),
        ...     4,
        ... )
        0.75
    """
    return list_metric(
        _LOSS,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        empty=empty,
    )


@metric(range=or_empty, greater_is_better=True, predictions="scores")
def label_ranking_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    empty: Number | str = 1.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean precision of each list at the scores of its relevant items, ties included.

    For each relevant item, the fraction of relevant ones among the items scored at least as high.

    Args:
        y_true: Labels, 0 or 1 (relevant), shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, with the shape of `y_true`; higher scores are ranked first.
        empty: Value of a list without relevant or without irrelevant items, or "skip" to leave such
            lists out of the mean.
        average: "mean" for the mean over lists, None for one value per list.
        segment_ids: List of each item of flat arrays, shape (n,), integers in [0, num_segments).
        num_segments: Number of lists, static; required with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,).
        where: Mask, with the shape of `y_true`, or (n_lists,) without `segment_ids`; items where it
            is False are ignored.

    Returns:
        Scalar in (0, 1], higher is better. Shape (n_lists,) for `average=None`.

    Undefined:
        NaN if no list has positive weight, or if an unmasked item of a list with positive weight
        has a NaN score or a label other than 0 and 1. Lists without unmasked items are left out of
        the mean; with `average=None` they are NaN.

    Gradient:
        Smooth in the weights, 0 in the scores and labels.

    Cost:
        O(n log n) time for one weight-independent sort, shared under `vmap` over weights; O(n)
        memory.

    References:
        `sklearn.metrics.label_ranking_average_precision_score`; Tsoumakas et al. (2010).

    Examples:
        >>> round(
        ...     float(
        ...         label_ranking_average_precision_score(
        ...             [[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]
        ...         )
        ...     ),
        ...     4,
        ... )
        0.4167
    """
    return list_metric(
        _AVERAGE_PRECISION,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        empty=empty,
    )


def _coverage(ranked: RankedLabels, _: None) -> tuple[Array, Array]:
    lists = ranked.lists
    needed = ranked.real & (ranked.before < lists.of_each(ranked.total))
    return lists.sum(needed.astype(ranked.label.dtype)), ranked.total > 0


def _loss(ranked: RankedLabels, _: None) -> tuple[Array, Array]:
    lists, dtype = ranked.lists, ranked.label.dtype
    others = ranked.size - ranked.total
    wrong = ranked.others_upto.astype(dtype)
    fraction = safe_divide(ranked.label * wrong, lists.of_each(others.astype(dtype)), 0.0)
    value = safe_divide(lists.sum(fraction), ranked.total.astype(dtype), 0.0)
    return value, (ranked.total > 0) & (others > 0)


def _average_precision(ranked: RankedLabels, _: None) -> tuple[Array, Array]:
    dtype = ranked.label.dtype
    found = ranked.upto.astype(dtype) / ranked.end.astype(dtype)
    value = safe_divide(ranked.lists.sum(ranked.label * found), ranked.total.astype(dtype), 0.0)
    return value, (ranked.total > 0) & (ranked.total < ranked.size)


_COVERAGE = Score(indicator, NOT_BINARY, counted_labels, _coverage)
_LOSS = Score(indicator, NOT_BINARY, counted_labels, _loss)
_AVERAGE_PRECISION = Score(indicator, NOT_BINARY, counted_labels, _average_precision)
