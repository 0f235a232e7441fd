"""Agreement of predicted and true labels, as such or beyond chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import (
    BinaryCounts,
    Matches,
    are_classes,
    as_labels,
    class_counts,
    matches,
    sum_of_others,
)
from jmetrics._core.limbs import difference_of_products
from jmetrics._core.numerics import (
    accumulator,
    kept_within,
    power_near,
    safe_divide,
    safe_sqrt,
    weighted_sum,
)
from jmetrics._core.plan import (
    AT_MOST_ONE,
    SAME,
    SYMMETRIC,
    UNIT,
    Bound,
    Plan,
    including,
    metric,
    plan,
)
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import over_trailing
from jmetrics.classification._averages import (
    Counts,
    Labelled,
    all_labels,
    fraction_or_total,
    score_counts,
    weight_of,
)
from jmetrics.classification.tables import pair_cells

_DISTANCES = ("linear", "quadratic", None)


@metric(range=fraction_or_total, greater_is_better=True, predictions="labels")
def accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of samples whose label is predicted correctly, Σ w [y_true = y_pred] / Σ w.

    Args:
        y_true: True labels, whole numbers, shape (n,); or indicators, shape (n, n_labels), where a
            sample is predicted correctly if its whole row is.
        y_pred: Predicted labels or indicators, shape of `y_true`.
        normalize: True for the fraction, False for the weight of the correct samples.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `normalize=False` the weight of the correct
            samples.

    Undefined:
        NaN if no sample has positive weight, and for labels that are not whole numbers.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n) time, no temporary arrays. Counts are exact up to n = 2³¹.

    References:
        `sklearn.metrics.accuracy_score`.

    Examples:
        >>> float(accuracy_score([0, 1, 2, 3], [0, 2, 1, 3]))
        0.5
    """
    return _fraction(
        correct, y_true, y_pred, normalize=normalize, sample_weight=sample_weight, where=where
    )


@metric(range=fraction_or_total, greater_is_better=False, predictions="labels")
def zero_one_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of samples whose label is predicted incorrectly, Σ w [y_true ≠ y_pred] / Σ w.

    Args:
        y_true: True labels, whole numbers, shape (n,); or indicators, shape (n, n_labels), where a
            sample is predicted correctly if its whole row is.
        y_pred: Predicted labels or indicators, shape of `y_true`.
        normalize: True for the fraction, False for the weight of the incorrect samples.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better. With `normalize=False` the weight of the incorrect
            samples.

    Undefined:
        NaN if no sample has positive weight, and for labels that are not whole numbers.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n) time, no temporary arrays. Counts are exact up to n = 2³¹, so a few incorrect samples
        among very many are not lost.

    References:
        `sklearn.metrics.zero_one_loss`.

    Examples:
        >>> float(zero_one_loss([0, 1, 2, 3], [0, 2, 1, 3], normalize=False))
        2.0
    """
    return _fraction(
        incorrect, y_true, y_pred, normalize=normalize, sample_weight=sample_weight, where=where
    )


def _fraction(
    parts: Callable[[Labelled[Matches]], tuple[Array, Array]],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Plan[Array]:
    arrays = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where, ndim=(1, 2)
    )
    finisher = Bound.finisher(
        fraction_of, parts=parts, normalize=bool(normalize), dtype=accumulator(*arrays[:3])
    )
    kernel = Bound.kernel(_matching_samples)
    return plan(arrays, kernel, finisher, labels=SAME, proportion=parts if normalize else None)


def _matching_samples(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> Labelled[Matches]:
    weight = weight_of(y_true, y_pred, sample_weight, where)
    right = as_labels(y_true) == as_labels(y_pred)
    counts = matches(jnp.all(right, axis=tuple(range(1, right.ndim))), weight)
    return Labelled(counts, (all_labels(y_true, y_pred, weight, indicators=False),))


def fraction_of(
    statistic: Labelled[Counts],
    *,
    parts: Callable[[Labelled[Counts]], tuple[Array, Array]],
    normalize: bool,
    dtype: DTypeLike,
) -> Array:
    """Finisher: the fraction, or the weight, of correct or incorrect samples."""
    count, total = parts(statistic)
    if not normalize:
        return statistic.finished(count.astype(dtype))
    return statistic.finished(safe_divide(count.astype(dtype), total.astype(dtype), jnp.nan))


def correct(statistic: Labelled[Matches]) -> tuple[Array, Array]:
    """The number of correct samples, and that of all."""
    return statistic.counts.right, statistic.counts.right + statistic.counts.wrong


def incorrect(statistic: Labelled[Matches]) -> tuple[Array, Array]:
    """The number of incorrect samples, and that of all."""
    return statistic.counts.wrong, statistic.counts.right + statistic.counts.wrong


@metric(range=UNIT, greater_is_better=False, predictions="labels")
def hamming_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of labels that are predicted incorrectly, each entry of an indicator row by itself.

    For labels of shape (n,) this is `zero_one_loss`.

    Args:
        y_true: True labels, whole numbers, shape (n,); or indicators, shape (n, n_labels).
        y_pred: Predicted labels or indicators, shape of `y_true`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better.

    Undefined:
        NaN if no sample has positive weight, and for labels that are not whole numbers.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.hamming_loss`; Tsoumakas & Katakis (2007).

    Examples:
        >>> float(hamming_loss([[0, 1], [1, 1]], [[0, 0], [0, 0]]))
        0.75
    """
    arrays = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where, ndim=(1, 2)
    )
    finisher = Bound.finisher(_fraction_of_labels, dtype=accumulator(*arrays[:3]))
    return plan(arrays, Bound.kernel(_wrong_by_column), finisher, labels=SAME)


def _wrong_by_column(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> Labelled[Array]:
    weight = weight_of(y_true, y_pred, sample_weight, where)
    wrong = as_labels(y_true) != as_labels(y_pred)
    # Count each column by itself, since an int32 may not hold the number of all entries.
    by_column = weighted_sum(wrong, over_trailing(weight, wrong.ndim))
    checks = all_labels(y_true, y_pred, weight, indicators=False)
    return Labelled(by_column, (checks,), jnp.sum(weight))


def _fraction_of_labels(statistic: Labelled[Array], *, dtype: DTypeLike) -> Array:
    by_column = statistic.as_floats(dtype)
    total = statistic.total_weight.astype(dtype) * by_column.size
    return statistic.finished(safe_divide(jnp.sum(by_column), total, jnp.nan))


@metric(range=SYMMETRIC, greater_is_better=True, predictions="labels")
def matthews_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Correlation of predicted and true classes, Σ_k (TP_k TN_k − FP_k FN_k) / √(V_true V_pred).

    The counts are those of class k against the rest, and V is the weight of the pairs of samples
    that have different classes. For two classes this is the Pearson correlation of the labels.

    Args:
        y_true: True classes, whole numbers from 0, shape (n,).
        y_pred: Predicted classes, shape (n,).
        num_classes: Number of classes, static; required under `jit`. Samples with a label of
            `num_classes` or more are left out.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [−1, 1]; higher is better, 0 is chance level.

    Undefined:
        0 if either array has only one class. NaN if no sample has positive weight, and for labels
        that are not whole numbers.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + num_classes) time and memory. Nothing overflows, and the difference of products keeps
        its digits.

    References:
        `sklearn.metrics.matthews_corrcoef`; Gorodkin (2004).

    Examples:
        >>> round(float(matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1])), 6)
        -0.333333
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    num_classes = check.class_count(num_classes, None, y_true, y_pred, sample_weight, where)
    finisher = Bound.finisher(
        score_counts, score=correlation_of_classes, dtype=accumulator(*arrays[:3])
    )
    kernel = Bound.kernel(_known_cells, num_classes=num_classes)
    return plan(arrays, kernel, finisher, labels=num_classes)


def _known_cells(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    num_classes: int,
) -> Labelled[BinaryCounts]:
    weight = weight_of(y_true, y_pred, sample_weight, where)
    labels = as_labels(y_true), as_labels(y_pred)
    known = are_classes(labels[0], num_classes) & are_classes(labels[1], num_classes)
    counts = class_counts(*labels, jnp.where(known, weight, jnp.zeros_like(weight)), num_classes)
    return Labelled(counts, (all_labels(y_true, y_pred, weight),))


def correlation_of_classes(counts: BinaryCounts) -> Array:
    """Matthews correlation from the counts of all classes; NaN if the total weight is 0."""
    total = jnp.sum(counts.true)
    unit = power_near(lax.stop_gradient(total))
    tp, fp, fn, tn = (cell / unit for cell in counts)
    agreement = jnp.sum(difference_of_products(tp, tn, fp, fn))
    spread = [safe_sqrt(jnp.sum(x * sum_of_others(x))) for x in (tp + fn, tp + fp)]
    value = safe_divide(agreement, spread[0] * spread[1], 0.0)
    return jnp.where(total != 0, kept_within(value, -1, 1), jnp.nan)


@metric(
    range=lambda replace_undefined_by: including(replace_undefined_by, *AT_MOST_ONE),
    greater_is_better=True,
    predictions="labels",
)
def cohen_kappa_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    weights: str | None = None,
    replace_undefined_by: Number = jnp.nan,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Agreement beyond chance, 1 − Σ d_ij C_ij / Σ d_ij E_ij.

    C is the confusion matrix as proportions and E its expectation for independent labels. The
    disagreement d_ij is [i ≠ j], or |i − j| with `weights="linear"`, or (i − j)² with "quadratic".
    The two arrays may be interchanged.

    i and j are positions in `labels` or, without it, among the labels that occur. Samples with
    another label are left out.

    Args:
        y_true: Classes by one rater, whole numbers from 0, shape (n,).
        y_pred: Classes by the other rater, shape (n,).
        labels: Classes in their order, distinct whole numbers of at least 0, static; None for those
            that occur.
        weights: Disagreement of two classes: None, "linear" or "quadratic".
        replace_undefined_by: Value if there is only one class, traced.
        num_classes: Number of classes, static; under `jit` either this or `labels` is required.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in (−∞, 1]; higher is better, 0 is chance level.

    Undefined:
        `replace_undefined_by` if there is only one class. NaN if no sample has positive weight, and
        for labels that are not whole numbers.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + K²) time and memory for K classes. Nothing overflows.

    References:
        `sklearn.metrics.cohen_kappa_score`; Cohen (1968).

    Examples:
        >>> y1, y2 = [0, 1, 2, 2, 1], [0, 2, 2, 2, 1]
        >>> round(float(cohen_kappa_score(y1, y2)), 6)
        0.6875
        >>> round(float(cohen_kappa_score(y1, y2, weights="quadratic")), 6)
        0.83871
    """
    check.one_of("weights", weights, _DISTANCES)
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    labels = check.class_labels(labels)
    num_classes = check.class_count(num_classes, labels, y_true, y_pred, sample_weight, where)
    num_classes = check.table_size(num_classes)
    finisher = Bound.finisher(
        _agreement,
        check.number("replace_undefined_by", replace_undefined_by),
        distance=weights,
        named=labels is not None,
        dtype=accumulator(*arrays[:3]),
    )
    kernel = Bound.kernel(pair_cells, labels=labels, num_classes=num_classes)
    return plan(arrays, kernel, finisher, labels=num_classes)


def _agreement(
    statistic: Labelled[Array],
    undefined: Array,
    *,
    distance: str | None,
    named: bool,
    dtype: DTypeLike,
) -> Array:
    return statistic.finished(kappa(statistic.as_floats(dtype), distance, named, undefined))


def kappa(table: Array, distance: str | None, named: bool, undefined: float | Array) -> Array:
    """Kappa of a confusion matrix; `undefined` with one class, NaN if the total weight is 0.

    Unless the classes are `named`, those that do not occur have no position of their own.
    """
    total = jnp.sum(table)
    fractions = safe_divide(table, total, 0.0)
    occurs = (jnp.sum(table, axis=0) + jnp.sum(table, axis=1) != 0) | named
    position = jnp.cumsum(occurs).astype(table.dtype)
    gap = jnp.abs(position[:, None] - position[None])
    if distance is None:
        gap = jnp.minimum(gap, 1)
    elif distance == "quadratic":
        gap = jnp.square(gap)
    expected = jnp.outer(jnp.sum(fractions, axis=1), jnp.sum(fractions, axis=0))
    by_chance = jnp.sum(gap * expected)
    value = 1 - safe_divide(jnp.sum(gap * fractions), by_chance, 0.0)
    value = jnp.where(by_chance != 0, value, jnp.asarray(undefined, value.dtype))
    return jnp.where(total != 0, value, jnp.nan)
