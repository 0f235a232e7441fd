"""Confusion matrices."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import BinaryCounts, as_labels, confusion
from jmetrics._core.numerics import accumulator, safe_divide
from jmetrics._core.plan import NONNEGATIVE, UNIT, Bound, Plan, metric, plan
from jmetrics._core.types import ArrayLike
from jmetrics.classification._averages import (
    Labelled,
    all_labels,
    as_counts,
    class_cells,
    count_dtype,
    label_counts,
    num_classes_of,
    weight_of,
)

_NORMALIZATIONS = ("true", "pred", "all", None)


@metric(
    range=lambda normalize: NONNEGATIVE if normalize is None else UNIT,
    greater_is_better=None,
    predictions="labels",
)
def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    normalize: str | None = None,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Number of samples of each true class (row) predicted as each class (column).

    Samples with a label that is not one of the K classes are left out.

    Args:
        y_true: True classes, whole numbers from 0, shape (n,).
        y_pred: Predicted classes, shape (n,).
        labels: Classes in the order of rows and columns, distinct whole numbers of at least 0,
            static; None for all.
        normalize: None for counts, or proportions of the "true" class (row), of the "pred" class
            (column) or of "all".
        num_classes: Number of classes, static; under `jit` either this or `labels` is required.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Array (K, K) of counts in [0, ∞), or proportions in [0, 1] with `normalize`, for the K
            classes up to the largest label, or `num_classes` of them, or those in `labels`. Counts
            are integers for integer labels without weights, floats otherwise.

    Undefined:
        A proportion of a class that does not occur is 0; proportions are NaN if no sample has
        positive weight. NaN for labels that are not whole numbers.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + K²) time and memory, no n × K array.

    References:
        `sklearn.metrics.confusion_matrix`.

    Examples:
        >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2]).tolist()
        [[2, 0, 0], [0, 0, 1], [1, 0, 2]]
    """
    check.one_of("normalize", normalize, _NORMALIZATIONS)
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    labels = check.class_labels(labels)
    data = y_true, y_pred, sample_weight, where
    num_classes = check.table_size(check.class_count(num_classes, labels, *data, exact=True))
    dtype = count_dtype(*arrays) if normalize is None else accumulator(*arrays[:3])
    finisher = Bound.finisher(_normalized, normalize=normalize, dtype=dtype)
    kernel = Bound.kernel(pair_cells, labels=labels, num_classes=num_classes)
    return plan(arrays, kernel, finisher, labels=num_classes)


def pair_cells(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    labels: tuple[int, ...] | None,
    num_classes: int,
) -> Labelled[Array]:
    """Kernel: the confusion matrix."""
    weight = weight_of(y_true, y_pred, sample_weight, where)
    table = confusion_of(y_true, y_pred, weight, labels, num_classes)
    return Labelled(table, (all_labels(y_true, y_pred, weight),), jnp.sum(weight))


def _normalized(
    statistic: Labelled[Array], *, normalize: str | None, dtype: DTypeLike | None
) -> Array:
    table = as_counts(statistic.counts, dtype)
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        fractions = safe_divide(table, jnp.sum(table, axis=axis, keepdims=True), 0.0)
        table = jnp.where(statistic.total_weight != 0, fractions, jnp.nan)
    return statistic.finished(table)


def confusion_of(
    y_true: Array,
    y_pred: Array,
    weight: Array,
    labels: tuple[int, ...] | None,
    num_classes: int,
) -> Array:
    """Confusion matrix of all classes, or of those in `labels`, in that order."""
    table = confusion(as_labels(y_true), as_labels(y_pred), weight, num_classes)
    if labels is None:
        return table
    chosen = jnp.asarray(labels)
    return table[chosen][:, chosen]


@metric(range=NONNEGATIVE, greater_is_better=None, predictions="labels")
def multilabel_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    samplewise: bool = False,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Confusion matrix [[tn, fp], [fn, tp]] of each class or label against the rest.

    Args:
        y_true: True classes, whole numbers from 0, shape (n,); or indicators 0 and 1, shape
            (n, n_labels).
        y_pred: Predicted classes or indicators, shape of `y_true`.
        labels: Classes or columns in the order of the result, distinct whole numbers of at least 0,
            static; None for all.
        samplewise: Whether to count within each sample instead of each label; needs indicators.
        num_classes: Number of classes, static; under `jit`, classes need this or `labels`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Array (K, 2, 2) of counts in [0, ∞) for the K classes up to the largest label, or
            `num_classes` of them, or those in `labels`; (n, 2, 2) with `samplewise`. Integers for
            integer labels without weights, floats otherwise.

    Undefined:
        NaN for labels that are not whole numbers, or not 0 or 1 in indicators; where the result is
        an integer, which cannot be NaN, −2³¹.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + K) time and memory for classes, O(n K) time for indicators.

    References:
        `sklearn.metrics.multilabel_confusion_matrix`.

    Examples:
        >>> multilabel_confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])[2].tolist()
        [[2, 1], [1, 2]]
    """
    arrays = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where, ndim=(1, 2)
    )
    samplewise = bool(samplewise)
    check.fitting_average("samples" if samplewise else None, arrays)
    labels = check.class_labels(labels)
    data = y_true, y_pred, sample_weight, where
    num_classes = num_classes_of(num_classes, labels, arrays[0].shape, data, exact=True)
    finisher = Bound.finisher(_stacked, dtype=count_dtype(*arrays))
    if samplewise:
        kernel = Bound.kernel(_sample_cells, labels=labels, num_classes=num_classes)
        return plan(arrays, kernel, finisher, merges=False)
    kernel = Bound.kernel(class_cells, labels=labels, num_classes=num_classes)
    return plan(arrays, kernel, finisher, labels=num_classes)


def _sample_cells(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    labels: tuple[int, ...] | None,
    num_classes: int,
) -> Labelled[BinaryCounts]:
    weight = weight_of(y_true, y_pred, sample_weight, where)
    counts = label_counts(y_true, y_pred, weight, labels, num_classes, True)
    counts = jax.tree.map(lambda cell: cell.astype(weight.dtype) * weight, counts)
    return Labelled(counts, (all_labels(y_true, y_pred, weight),))


def _stacked(statistic: Labelled[BinaryCounts], *, dtype: DTypeLike | None) -> Array:
    counts = statistic.counts
    cells = jnp.stack([counts.tn, counts.fp, counts.fn, counts.tp], axis=-1)
    return statistic.finished(as_counts(cells.reshape(-1, 2, 2), dtype))
