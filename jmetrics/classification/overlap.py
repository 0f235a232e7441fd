"""How well predicted and true members of a class overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.anatomy import NONNEGATIVE, Ends, Step, including, metric, plan
from jmetrics._core.counts import BinaryCounts
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import ArrayLike, Number
from jmetrics.classification._averages import as_counts, averaged, count_dtype, or_zero_division


@metric(range=or_zero_division, greater_is_better=True)
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
) -> Array:
    """Share of what is predicted positive that is, tp / (tp + fp).

    `average`: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
    classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
    those in `labels`; "samples" averages over rows of indicators. Under `jit`, classes need
    `num_classes` or `labels`; labels beyond are dropped.

    Shapes: both arrays (n,) of classes or (n, n_labels) of indicators, `sample_weight` and
    `where` (n,). A scalar; with `average=None` one value for each class up to the largest
    label, or for `num_classes` of them, or for each of `labels`.
    Range: [0, 1], higher is better.
    Undefined: `zero_division` for a class that is never predicted; averages
    leave out what that makes NaN. NaN when nothing counts, and for labels that are
    not whole numbers, or not 0 or 1 for "binary" and in indicators.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n + n_classes) time and memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.precision_score`.

    >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
    >>> round(float(precision_score(y_true, y_pred, average="macro")), 6)
    0.222222
    """
    return averaged(
        precision,
        y_true,
        y_pred,
        average,
        labels,
        pos_label,
        zero_division,
        num_classes,
        sample_weight,
        where,
    )


@metric(range=or_zero_division, greater_is_better=True)
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
) -> Array:
    """Share of what is positive that is predicted so, tp / (tp + fn).

    `average`: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
    classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
    those in `labels`; "samples" averages over rows of indicators. Under `jit`, classes need
    `num_classes` or `labels`; labels beyond are dropped.

    Shapes: both arrays (n,) of classes or (n, n_labels) of indicators, `sample_weight` and
    `where` (n,). A scalar; with `average=None` one value for each class up to the largest
    label, or for `num_classes` of them, or for each of `labels`.
    Range: [0, 1], higher is better.
    Undefined: `zero_division` for a class that is never true; averages
    leave out what that makes NaN. NaN when nothing counts, and for labels that are
    not whole numbers, or not 0 or 1 for "binary" and in indicators.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n + n_classes) time and memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.recall_score`.

    >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
    >>> round(float(recall_score(y_true, y_pred, average="macro")), 6)
    0.333333
    """
    return averaged(
        recall,
        y_true,
        y_pred,
        average,
        labels,
        pos_label,
        zero_division,
        num_classes,
        sample_weight,
        where,
    )


@metric(range=or_zero_division, greater_is_better=True)
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
) -> Array:
    """Harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn).

    `average`: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
    classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
    those in `labels`; "samples" averages over rows of indicators. Under `jit`, classes need
    `num_classes` or `labels`; labels beyond are dropped.

    Shapes: both arrays (n,) of classes or (n, n_labels) of indicators, `sample_weight` and
    `where` (n,). A scalar; with `average=None` one value for each class up to the largest
    label, or for `num_classes` of them, or for each of `labels`.
    Range: [0, 1], higher is better.
    Undefined: `zero_division` for a class that is neither true nor predicted; averages
    leave out what that makes NaN. NaN when nothing counts, and for labels that are
    not whole numbers, or not 0 or 1 for "binary" and in indicators.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n + n_classes) time and memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.f1_score`; van Rijsbergen (1979).

    >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
    >>> round(float(f1_score(y_true, y_pred, average="macro")), 6)
    0.266667
    """
    return averaged(
        fbeta,
        y_true,
        y_pred,
        average,
        labels,
        pos_label,
        zero_division,
        num_classes,
        sample_weight,
        where,
        check.number("beta", 1.0),
    )


@metric(range=or_zero_division, greater_is_better=True)
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
) -> Array:
    """Mean of precision and recall that takes recall for β times as important.

    (1 + β²) tp / ((1 + β²) tp + fp + β² fn).
    `beta` is a traced number: 0 gives precision, infinity recall.
    `average`: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
    classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
    those in `labels`; "samples" averages over rows of indicators. Under `jit`, classes need
    `num_classes` or `labels`; labels beyond are dropped.

    Shapes: both arrays (n,) of classes or (n, n_labels) of indicators, `sample_weight` and
    `where` (n,). A scalar; with `average=None` one value for each class up to the largest
    label, or for `num_classes` of them, or for each of `labels`.
    Range: [0, 1], higher is better.
    Undefined: `zero_division` for a class that is neither true nor predicted; averages
    leave out what that makes NaN. NaN when nothing counts, for a negative `beta`, and for
    labels that are not whole numbers, or not 0 or 1 for "binary" and in indicators.
    Gradient: smooth in `beta` and in the weights, 0 in the labels.
    Cost: O(n + n_classes) time and memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.fbeta_score`; van Rijsbergen (1979).

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
        average,
        labels,
        pos_label,
        zero_division,
        num_classes,
        sample_weight,
        where,
        check.number("beta", beta),
    )


@metric(range=or_zero_division, greater_is_better=True)
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
) -> Array:
    """Size of the intersection over that of the union, tp / (tp + fp + fn).

    `average`: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
    classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
    those in `labels`; "samples" averages over rows of indicators. Under `jit`, classes need
    `num_classes` or `labels`; labels beyond are dropped.

    Shapes: both arrays (n,) of classes or (n, n_labels) of indicators, `sample_weight` and
    `where` (n,). A scalar; with `average=None` one value for each class up to the largest
    label, or for `num_classes` of them, or for each of `labels`.
    Range: [0, 1], higher is better.
    Undefined: `zero_division` for a class that is neither true nor predicted; averages
    leave out what that makes NaN. NaN when nothing counts, and for labels that are
    not whole numbers, or not 0 or 1 for "binary" and in indicators.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n + n_classes) time and memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.jaccard_score`; Jaccard (1912).

    >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
    >>> round(float(jaccard_score(y_true, y_pred, average="macro")), 6)
    0.222222
    """
    return averaged(
        jaccard,
        y_true,
        y_pred,
        average,
        labels,
        pos_label,
        zero_division,
        num_classes,
        sample_weight,
        where,
    )


@exportable
class PrecisionRecallFscore(NamedTuple):
    """Several scores of one prediction; each as `average` says."""

    precision: Array
    recall: Array
    fscore: Array
    support: Array | None
    """True count of each class; None where the scores are averages."""


def _range_of_scores(average: str | None, zero_division: Any) -> tuple[Ends, ...]:
    scores = [including(zero_division)] * 3
    return (*scores, NONNEGATIVE) if average is None else (*scores,)


@metric(range=_range_of_scores, greater_is_better=True)
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
) -> PrecisionRecallFscore:
    """Precision, recall, F-score and true counts of each class, from one count.

    Each as in `fbeta_score`; with `average=None`, the default here, for every class.
    `average`: "binary" scores `pos_label` of the labels 0 and 1; "micro" adds the counts of all
    classes; "macro" and "weighted" (by true counts) average over the classes that occur, or
    those in `labels`; "samples" averages over rows of indicators. Under `jit`, classes need
    `num_classes` or `labels`; labels beyond are dropped.

    Shapes: both arrays (n,) of classes or (n, n_labels) of indicators, `sample_weight` and
    `where` (n,). A scalar; with `average=None` one value for each class up to the largest
    label, or for `num_classes` of them, or for each of `labels`.
    Range: [0, 1], higher is better; counts are whole without weights.
    Undefined: `zero_division` for a class without a denominator; averages
    leave out what that makes NaN. NaN when nothing counts, and for labels that are
    not whole numbers, or not 0 or 1 for "binary" and in indicators.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n + n_classes) time and memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.precision_recall_fscore_support`.

    >>> result = precision_recall_fscore_support([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1])
    >>> result.recall.tolist(), result.support.tolist()
    ([1.0, 0.0, 0.0], [2, 2, 2])
    """
    scores = averaged(
        _precision_recall_fscore,
        y_true,
        y_pred,
        average,
        labels,
        pos_label,
        zero_division,
        num_classes,
        sample_weight,
        where,
        check.number("beta", beta),
    )
    of_class = average is None
    finish = Step.of(
        _with_support, scores.finish, of_class=of_class, dtype=count_dtype(*scores.arrays)
    )
    return plan(scores.arrays, scores.measure, finish, labels=scores.labels)


def _with_support(statistic, finish, *, of_class, dtype):
    support = None
    if of_class:
        support = statistic.finished(as_counts(statistic.counts.true, dtype))
    return PrecisionRecallFscore._make((*finish(statistic), support))


def precision(counts: BinaryCounts, zero_division: float | Array) -> Array:
    """Share of what is predicted that is true."""
    return safe_divide(counts.tp, counts.pred, zero_division)


def recall(counts: BinaryCounts, zero_division: float | Array) -> Array:
    """Share of what is true that is predicted."""
    return safe_divide(counts.tp, counts.true, zero_division)


def fbeta(counts: BinaryCounts, zero_division: float | Array, beta: float | Array) -> Array:
    """Precision and recall in one; NaN for a negative `beta`."""
    beta = jnp.asarray(beta, counts.tp.dtype)
    beta = check.defined(beta, beta >= 0, "`beta` must not be negative")
    # Shares of 1 / (1 + β²) and β² / (1 + β²), neither of which is rounded to 0 with the other.
    above = beta > 1
    square = jnp.square(jnp.where(above, 1 / jnp.where(above, beta, 1), beta))
    large, small = 1 / (1 + square), square / (1 + square)
    of_fp, of_fn = jnp.where(above, small, large), jnp.where(above, large, small)
    mixed = counts.tp + of_fp * counts.fp + of_fn * counts.fn
    return safe_divide(counts.tp, mixed, zero_division)


def jaccard(counts: BinaryCounts, zero_division: float | Array) -> Array:
    """Intersection over union."""
    return safe_divide(counts.tp, counts.tp + counts.fp + counts.fn, zero_division)


def _precision_recall_fscore(
    counts: BinaryCounts, zero_division: float | Array, beta: float | Array
) -> tuple[Array, Array, Array]:
    return (
        precision(counts, zero_division),
        recall(counts, zero_division),
        fbeta(counts, zero_division, beta),
    )
