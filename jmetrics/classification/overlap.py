"""Overlap of the predicted and the true members of a class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import BinaryCounts
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import NONNEGATIVE, Bound, Ends, Finisher, Plan, including, metric, plan
from jmetrics._core.types import ArrayLike, Number
from jmetrics.classification._averages import (
    Labelled,
    Proportion,
    as_counts,
    averaged,
    count_dtype,
    or_zero_division,
)


@metric(range=or_zero_division, greater_is_better=True, predictions="labels")
def precision_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    pos_label: Number = 1,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of predicted positives that are positive, tp / (tp + fp).

    Args:
        y_true: True classes, whole numbers from 0, shape (n,); or indicators 0 and 1, shape
            (n, n_labels).
        y_pred: Predicted classes or indicators, shape of `y_true`.
        labels: Classes or columns to score, distinct whole numbers of at least 0, static; None for
            all.
        pos_label: Positive class for "binary", 0 or 1, traced.
        average: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
            classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
            those in `labels`; "samples" averages over rows of indicators; None gives one value per
            class.
        zero_division: Value of 0 / 0, traced; may be NaN.
        num_classes: Number of classes, static; under `jit`, classes need this or `labels`. Labels
            of `num_classes` or more are dropped.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `average=None` one value for each class up to the
            largest label, or for `num_classes` of them, or for each of `labels`.

    Undefined:
        `zero_division` for a class that is never predicted; averages leave out a value that is NaN
        because of it. NaN if no sample has positive weight, and for labels that are not whole
        numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `sklearn.metrics.precision_score`.

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(precision_score(y_true, y_pred, average="macro")), 6)
        0.222222
    """
    return averaged(
        precision,
        y_true,
        y_pred,
        average=average,
        labels=labels,
        pos_label=pos_label,
        zero_division=zero_division,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
    )


@metric(range=or_zero_division, greater_is_better=True, predictions="labels")
def recall_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    pos_label: Number = 1,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of positives that are predicted positive, tp / (tp + fn).

    Args:
        y_true: True classes, whole numbers from 0, shape (n,); or indicators 0 and 1, shape
            (n, n_labels).
        y_pred: Predicted classes or indicators, shape of `y_true`.
        labels: Classes or columns to score, distinct whole numbers of at least 0, static; None for
            all.
        pos_label: Positive class for "binary", 0 or 1, traced.
        average: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
            classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
            those in `labels`; "samples" averages over rows of indicators; None gives one value per
            class.
        zero_division: Value of 0 / 0, traced; may be NaN.
        num_classes: Number of classes, static; under `jit`, classes need this or `labels`. Labels
            of `num_classes` or more are dropped.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `average=None` one value for each class up to the
            largest label, or for `num_classes` of them, or for each of `labels`.

    Undefined:
        `zero_division` for a class that does not occur in `y_true`; averages leave out a value that
        is NaN because of it. NaN if no sample has positive weight, and for labels that are not
        whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `sklearn.metrics.recall_score`.

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(recall_score(y_true, y_pred, average="macro")), 6)
        0.333333
    """
    return averaged(
        recall,
        y_true,
        y_pred,
        average=average,
        labels=labels,
        pos_label=pos_label,
        zero_division=zero_division,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
    )


@metric(range=or_zero_division, greater_is_better=True, predictions="labels")
def f1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    pos_label: Number = 1,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn).

    Args:
        y_true: True classes, whole numbers from 0, shape (n,); or indicators 0 and 1, shape
            (n, n_labels).
        y_pred: Predicted classes or indicators, shape of `y_true`.
        labels: Classes or columns to score, distinct whole numbers of at least 0, static; None for
            all.
        pos_label: Positive class for "binary", 0 or 1, traced.
        average: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
            classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
            those in `labels`; "samples" averages over rows of indicators; None gives one value per
            class.
        zero_division: Value of 0 / 0, traced; may be NaN.
        num_classes: Number of classes, static; under `jit`, classes need this or `labels`. Labels
            of `num_classes` or more are dropped.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `average=None` one value for each class up to the
            largest label, or for `num_classes` of them, or for each of `labels`.

    Undefined:
        `zero_division` for a class that is neither true nor predicted; averages leave out a value
        that is NaN because of it. NaN if no sample has positive weight, and for labels that are not
        whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `sklearn.metrics.f1_score`; van Rijsbergen (1979).

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(f1_score(y_true, y_pred, average="macro")), 6)
        0.266667
    """
    return averaged(
        fbeta,
        y_true,
        y_pred,
        average=average,
        labels=labels,
        pos_label=pos_label,
        zero_division=zero_division,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
        options=(check.number("beta", 1.0),),
    )


@metric(range=or_zero_division, greater_is_better=True, predictions="labels")
def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: Number,
    labels: Sequence[int] | None = None,
    pos_label: Number = 1,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Weighted harmonic mean of precision and recall, with recall β times as important.

    (1 + β²) tp / ((1 + β²) tp + fp + β² fn).

    Args:
        y_true: True classes, whole numbers from 0, shape (n,); or indicators 0 and 1, shape
            (n, n_labels).
        y_pred: Predicted classes or indicators, shape of `y_true`.
        beta: Weight of recall relative to precision, not negative, traced; 0 gives precision,
            infinity recall.
        labels: Classes or columns to score, distinct whole numbers of at least 0, static; None for
            all.
        pos_label: Positive class for "binary", 0 or 1, traced.
        average: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
            classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
            those in `labels`; "samples" averages over rows of indicators; None gives one value per
            class.
        zero_division: Value of 0 / 0, traced; may be NaN.
        num_classes: Number of classes, static; under `jit`, classes need this or `labels`. Labels
            of `num_classes` or more are dropped.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `average=None` one value for each class up to the
            largest label, or for `num_classes` of them, or for each of `labels`.

    Undefined:
        `zero_division` for a class that is neither true nor predicted; averages leave out a value
        that is NaN because of it. NaN if no sample has positive weight, for a negative `beta`, and
        for labels that are not whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        Smooth in `beta` and in the weights, 0 in the labels.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `sklearn.metrics.fbeta_score`; van Rijsbergen (1979).

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(fbeta_score(y_true, y_pred, beta=0.5, average="macro")), 6)
        0.238095
        >>> fbeta_score(y_true, y_pred, beta=0.5, average=None)
        Array([0.71428573, 0.        , 0.        ], dtype=float32)
    """
    return averaged(
        fbeta,
        y_true,
        y_pred,
        average=average,
        labels=labels,
        pos_label=pos_label,
        zero_division=zero_division,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
        options=(check.number("beta", beta),),
    )


@metric(range=or_zero_division, greater_is_better=True, predictions="labels")
def jaccard_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    pos_label: Number = 1,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Size of the intersection over that of the union, tp / (tp + fp + fn).

    Args:
        y_true: True classes, whole numbers from 0, shape (n,); or indicators 0 and 1, shape
            (n, n_labels).
        y_pred: Predicted classes or indicators, shape of `y_true`.
        labels: Classes or columns to score, distinct whole numbers of at least 0, static; None for
            all.
        pos_label: Positive class for "binary", 0 or 1, traced.
        average: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
            classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
            those in `labels`; "samples" averages over rows of indicators; None gives one value per
            class.
        zero_division: Value of 0 / 0, traced; may be NaN.
        num_classes: Number of classes, static; under `jit`, classes need this or `labels`. Labels
            of `num_classes` or more are dropped.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `average=None` one value for each class up to the
            largest label, or for `num_classes` of them, or for each of `labels`.

    Undefined:
        `zero_division` for a class that is neither true nor predicted; averages leave out a value
        that is NaN because of it. NaN if no sample has positive weight, and for labels that are not
        whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `sklearn.metrics.jaccard_score`; Jaccard (1912).

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(jaccard_score(y_true, y_pred, average="macro")), 6)
        0.222222
    """
    return averaged(
        jaccard,
        y_true,
        y_pred,
        average=average,
        labels=labels,
        pos_label=pos_label,
        zero_division=zero_division,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
    )


@exportable
class PrecisionRecallFscore(NamedTuple):
    """Precision, recall, F-score and support of one prediction.

    Each score is a scalar or, with `average=None`, has shape (K,) for K classes.

    Attributes:
        precision: Precision, a scalar or shape (K,).
        recall: Recall, a scalar or shape (K,).
        fscore: F-score, a scalar or shape (K,).
        support: True count of each class, shape (K,); None where the scores are averages.
    """

    precision: Array
    recall: Array
    fscore: Array
    support: Array | None


def _range_of_scores(average: str | None, zero_division: Number) -> tuple[Ends, ...]:
    scores = [including(zero_division)] * 3
    return (*scores, NONNEGATIVE) if average is None else (*scores,)


@metric(range=_range_of_scores, greater_is_better=True, predictions="labels")
def precision_recall_fscore_support(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: Number = 1.0,
    labels: Sequence[int] | None = None,
    pos_label: Number = 1,
    average: str | None = None,
    zero_division: Number = 0.0,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[PrecisionRecallFscore]:
    """Precision, recall, F-score and support (true count) of each class, from one count.

    Each is as in `fbeta_score`; with `average=None`, the default here, for every class.

    Args:
        y_true: True classes, whole numbers from 0, shape (n,); or indicators 0 and 1, shape
            (n, n_labels).
        y_pred: Predicted classes or indicators, shape of `y_true`.
        beta: Weight of recall relative to precision, not negative, traced; 0 gives precision,
            infinity recall.
        labels: Classes or columns to score, distinct whole numbers of at least 0, static; None for
            all.
        pos_label: Positive class for "binary", 0 or 1, traced.
        average: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
            classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
            those in `labels`; "samples" averages over rows of indicators; None gives one value per
            class.
        zero_division: Value of 0 / 0, traced; may be NaN.
        num_classes: Number of classes, static; under `jit`, classes need this or `labels`. Labels
            of `num_classes` or more are dropped.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of `precision`, `recall` and `fscore`, in [0, 1], higher is better, and
            `support`, whole numbers without weights, None for averages. Scalars; with
            `average=None` one value for each class up to the largest label, or for `num_classes` of
            them, or for each of `labels`.

    Undefined:
        `zero_division` for a class without a denominator; averages leave out a value that is NaN
        because of it. NaN if no sample has positive weight, for an F-score with a negative `beta`,
        and for labels that are not whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `sklearn.metrics.precision_recall_fscore_support`.

    Examples:
        >>> result = precision_recall_fscore_support([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1])
        >>> result.recall.tolist(), result.support.tolist()
        ([1.0, 0.0, 0.0], [2, 2, 2])
    """
    scores = averaged(
        _precision_recall_fscore,
        y_true,
        y_pred,
        average=average,
        labels=labels,
        pos_label=pos_label,
        zero_division=zero_division,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
        options=(check.number("beta", beta),),
    )
    of_class = average is None
    finisher = Bound.finisher(
        _with_support, scores.finisher, of_class=of_class, dtype=count_dtype(*scores.arrays)
    )
    return plan(scores.arrays, scores.kernel, finisher, labels=scores.labels)


def _with_support(
    statistic: Labelled[BinaryCounts],
    finisher: Finisher[Labelled[BinaryCounts], tuple[Array, Array, Array]],
    *,
    of_class: bool,
    dtype: DTypeLike | None,
) -> PrecisionRecallFscore:
    support = None
    if of_class:
        support = statistic.finished(as_counts(statistic.counts.true, dtype))
    return PrecisionRecallFscore._make((*finisher(statistic), support))


@Proportion
def precision(counts: BinaryCounts) -> tuple[Array, Array]:
    """Of predicted positives, those that are positive."""
    return counts.tp, counts.pred


@Proportion
def recall(counts: BinaryCounts) -> tuple[Array, Array]:
    """Of positives, those that are predicted positive."""
    return counts.tp, counts.true


def fbeta(counts: BinaryCounts, zero_division: float | Array, beta: float | Array) -> Array:
    """F-beta score; NaN for a negative `beta`."""
    beta = jnp.asarray(beta, counts.tp.dtype)
    beta = check.nan_unless(beta, beta >= 0, "`beta` must not be negative")
    # The weights 1 / (1 + β²) and β² / (1 + β²), in terms of 1 / β above 1: β² may overflow.
    above = beta > 1
    square = jnp.square(jnp.where(above, 1 / jnp.where(above, beta, 1), beta))
    large, small = 1 / (1 + square), square / (1 + square)
    of_fp, of_fn = jnp.where(above, small, large), jnp.where(above, large, small)
    mixed = counts.tp + of_fp * counts.fp + of_fn * counts.fn
    return safe_divide(counts.tp, mixed, zero_division)


@Proportion
def jaccard(counts: BinaryCounts) -> tuple[Array, Array]:
    """Intersection and union."""
    return counts.tp, counts.tp + counts.fp + counts.fn


def _precision_recall_fscore(
    counts: BinaryCounts, zero_division: float | Array, beta: float | Array
) -> tuple[Array, Array, Array]:
    return (
        precision(counts, zero_division),
        recall(counts, zero_division),
        fbeta(counts, zero_division, beta),
    )
