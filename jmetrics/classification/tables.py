"""Counts themselves: which class was taken for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.anatomy import NONNEGATIVE, UNIT, Step, metric, plan
from jmetrics._core.counts import as_labels, confusion
from jmetrics._core.numerics import accumulator, safe_divide
from jmetrics._core.types import ArrayLike
from jmetrics.classification._averages import (
    Labelled,
    all_labels,
    as_counts,
    class_cells,
    count_dtype,
    how_many,
    label_counts,
    weight_of,
)

_NORMALIZATIONS = ("true", "pred", "all", None)


@metric(range=lambda normalize: NONNEGATIVE if normalize is None else UNIT, greater_is_better=None)
def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    normalize: str | None = None,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Number of samples of each true class (row) predicted as each class (column).

    Shapes: both arrays, `sample_weight` and `where` (n,). The result is (K, K) for the K
    classes up to the largest label, or `num_classes` of them, which is needed under `jit`, or
    those in `labels`, in that order. Samples with another label are left out.
    Range: [0, ∞): integers for integer labels without weights, else floats; with `normalize`
    shares in [0, 1] of the "true" class, of the "pred" class or of "all".
    Undefined: 0 for a share of a class that does not occur, NaN for shares when nothing counts.
    NaN for labels that are not whole numbers.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n + K²) time and memory, no n × K array.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.confusion_matrix`.

    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2]).tolist()
    [[2, 0, 0], [0, 0, 1], [1, 0, 2]]
    """
    check.one_of("normalize", normalize, _NORMALIZATIONS)
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    labels = check.class_labels(labels)
    data = y_true, y_pred, sample_weight, where
    num_classes = check.table_size(check.class_count(num_classes, labels, *data, exact=True))
    dtype = count_dtype(*arrays) if normalize is None else accumulator(*arrays[:3])
    finish = Step.of(_normalized, normalize=normalize, dtype=dtype)
    measure = Step.of(pair_cells, labels=labels, num_classes=num_classes)
    return plan(arrays, measure, finish, labels=num_classes)


def pair_cells(y_true, y_pred, sample_weight, where, *, labels, num_classes):
    """Kernel: the table of all pairs of classes."""
    weight = weight_of(y_true, y_pred, sample_weight, where)
    table = confusion_of(y_true, y_pred, weight, labels, num_classes)
    return Labelled(table, (all_labels(y_true, y_pred, weight),), jnp.sum(weight))


def _normalized(statistic, *, normalize, dtype):
    table = as_counts(statistic.counts, dtype)
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        shares = safe_divide(table, jnp.sum(table, axis=axis, keepdims=True), 0.0)
        table = jnp.where(statistic.weight != 0, shares, jnp.nan)
    return statistic.finished(table)


def confusion_of(
    y_true: Array,
    y_pred: Array,
    weight: Array,
    labels: tuple[int, ...] | None,
    num_classes: int,
) -> Array:
    """Table of all pairs of classes, or of those that are named, in that order."""
    table = confusion(as_labels(y_true), as_labels(y_pred), weight, num_classes)
    if labels is None:
        return table
    chosen = jnp.asarray(labels)
    return table[chosen][:, chosen]


@metric(range=NONNEGATIVE, greater_is_better=None)
def multilabel_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    samplewise: bool = False,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Confusion matrix [[tn, fp], [fn, tp]] of each class or label against the rest.

    Shapes: both arrays (n,) of classes or (n, n_labels) of indicators, `sample_weight` and
    `where` (n,). The result is (K, 2, 2) for the K classes up to the largest label, or
    `num_classes` of them, which is needed under `jit`, or those in `labels`, in that order;
    with `samplewise`, for indicators, (n, 2, 2).
    Range: [0, ∞): integers for integer labels without weights, else floats.
    Undefined: NaN for labels that are not whole numbers, or not 0 or 1 in indicators; where
    the result is an integer, which cannot be NaN, −2³¹.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n + K) time and memory for classes, O(n K) time for indicators.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.multilabel_confusion_matrix`.

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
    num_classes = how_many(num_classes, labels, arrays[0].shape, data, exact=True)
    classes: dict[str, Any] = {"labels": labels, "num_classes": num_classes}
    finish = Step.of(_stacked, dtype=count_dtype(*arrays))
    if samplewise:
        return plan(arrays, Step.of(_sample_cells, **classes), finish, merges=False)
    return plan(arrays, Step.of(class_cells, **classes), finish, labels=num_classes)


def _sample_cells(y_true, y_pred, sample_weight, where, *, labels, num_classes):
    weight = weight_of(y_true, y_pred, sample_weight, where)
    counts = label_counts(y_true, y_pred, weight, labels, num_classes, True)
    counts = jax.tree.map(lambda cell: cell.astype(weight.dtype) * weight, counts)
    return Labelled(counts, (all_labels(y_true, y_pred, weight),))


def _stacked(statistic, *, dtype):
    counts = statistic.counts
    cells = jnp.stack([counts.tn, counts.fp, counts.fn, counts.tp], axis=-1)
    return statistic.finished(as_counts(cells.reshape(-1, 2, 2), dtype))
