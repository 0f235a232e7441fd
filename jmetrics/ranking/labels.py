"""Scikit-learn's metrics of rankings of labels, the lists being samples."""

from __future__ import annotations

from jax import Array

from jmetrics._core.anatomy import NONNEGATIVE, including, metric
from jmetrics._core.lists import RankedLabels, counted_labels
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import ArrayLike, Number
from jmetrics.ranking._lists import NOT_BINARY, Score, indicator, or_empty, over_lists


@metric(range=lambda empty: including(empty, *NONNEGATIVE), greater_is_better=False)
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
) -> Array:
    """How far down each list one must go to find all that is relevant.

    The number of items scored at least as high as the lowest relevant one. A list with nothing
    relevant has the value `empty`, or stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`.
    Range: [0, list_size]; lower is better. The number of relevant items is the best there is.
    Undefined: NaN when nothing counts, for NaN in an item that does, and for a label other than 0
    and 1. Lists without an item do not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.coverage_error`; Tsoumakas et al. (2010).

    >>> round(float(coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])), 4)
    1.5
    """
    return over_lists(
        _COVERAGE,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        empty=empty,
    )


@metric(range=or_empty, greater_is_better=False)
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
) -> Array:
    """Share of the pairs of a relevant and another item that each list has in the wrong order.

    Ties count as wrong. A list with nothing relevant, or nothing else, has the value `empty`, or
    stays out of the mean with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`.
    Range: [0, 1], lower is better.
    Undefined: NaN when nothing counts, for NaN in an item that does, and for a label other than 0
    and 1. Lists without an item do not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.label_ranking_loss`; Tsoumakas et al. (2010).

    >>> round(float(label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])), 4)
    0.75
    """
    return over_lists(
        _LOSS,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        empty=empty,
    )


@metric(range=or_empty, greater_is_better=True)
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
) -> Array:
    """Mean precision of each list at the scores of its relevant items, ties included.

    For each relevant item, the share of relevant ones among the items scored at least as high.
    A list with nothing relevant, or nothing else, has the value `empty`, or stays out of the mean
    with "skip".

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,). A scalar, or
    (n_lists,) with `average=None`.
    Range: (0, 1], higher is better.
    Undefined: NaN when nothing counts, for NaN in an item that does, and for a label other than 0
    and 1. Lists without an item do not count.
    Gradient: smooth in the weights, 0 in the scores and labels.
    Cost: O(n log n) time for one sort that the weights have no part in, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.label_ranking_average_precision_score`; Tsoumakas et al. (2010).

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
    return over_lists(
        _AVERAGE_PRECISION,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
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
    share = safe_divide(ranked.label * wrong, lists.of_each(others.astype(dtype)), 0.0)
    value = safe_divide(lists.sum(share), ranked.total.astype(dtype), 0.0)
    return value, (ranked.total > 0) & (others > 0)


def _average_precision(ranked: RankedLabels, _: None) -> tuple[Array, Array]:
    dtype = ranked.label.dtype
    found = ranked.upto.astype(dtype) / ranked.end.astype(dtype)
    value = safe_divide(ranked.lists.sum(ranked.label * found), ranked.total.astype(dtype), 0.0)
    return value, (ranked.total > 0) & (ranked.total < ranked.size)


_COVERAGE = Score(indicator, NOT_BINARY, counted_labels, _coverage)
_LOSS = Score(indicator, NOT_BINARY, counted_labels, _loss)
_AVERAGE_PRECISION = Score(indicator, NOT_BINARY, counted_labels, _average_precision)
