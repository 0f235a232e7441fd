"""Rates of correct and incorrect predictions per class, and scores made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import BinaryCounts, as_labels, binary_counts
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import accumulator, safe_divide, weighted_mean
from jmetrics._core.plan import (
    NONNEGATIVE,
    SYMMETRIC,
    UNIT,
    Bound,
    Ends,
    Plan,
    including,
    metric,
    plan,
)
from jmetrics._core.types import ArrayLike, Number
from jmetrics.classification._averages import (
    Labelled,
    Proportion,
    all_labels,
    averaged,
    class_cells,
    or_zero_division,
    score_counts,
    weight_of,
)
from jmetrics.classification.overlap import recall


@metric(range=or_zero_division, greater_is_better=True, predictions="labels")
def specificity_score(
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
    """Fraction of negatives that are predicted negative, tn / (tn + fp).

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
        `zero_division` for a class to which every sample belongs; averages leave out a value that
        is NaN because of it. NaN if no sample has positive weight, and for labels that are not
        whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `torchmetrics.functional.specificity`.

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(specificity_score(y_true, y_pred, average="macro")), 6)
        0.666667
    """
    return averaged(
        specificity,
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
def negative_predictive_value(
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
    """Fraction of predicted negatives that are negative, tn / (tn + fn).

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
        `zero_division` for a class that is always predicted; averages leave out a value that is NaN
        because of it. NaN if no sample has positive weight, and for labels that are not whole
        numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `torchmetrics.functional.negative_predictive_value`.

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(negative_predictive_value(y_true, y_pred, average="macro")), 6)
        0.7
    """
    return averaged(
        _negative_predictive_value,
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


@metric(range=or_zero_division, greater_is_better=False, predictions="labels")
def false_positive_rate(
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
    """Fraction of negatives that are predicted positive, fp / (tn + fp).

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
        Scalar in [0, 1]; lower is better; 1 − `specificity_score`. With `average=None` one value
            for each class up to the largest label, or for `num_classes` of them, or for each of
            `labels`.

    Undefined:
        `zero_division` for a class to which every sample belongs; averages leave out a value that
        is NaN because of it. NaN if no sample has positive weight, and for labels that are not
        whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `fairlearn.metrics.false_positive_rate`.

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(false_positive_rate(y_true, y_pred, average="macro")), 6)
        0.333333
    """
    return averaged(
        _false_positive_rate,
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


@metric(range=or_zero_division, greater_is_better=False, predictions="labels")
def false_negative_rate(
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
    """Fraction of positives that are predicted negative, fn / (tp + fn).

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
        Scalar in [0, 1]; lower is better; 1 − `recall_score`. With `average=None` one value for
            each class up to the largest label, or for `num_classes` of them, or for each of
            `labels`.

    Undefined:
        `zero_division` for a class that does not occur in `y_true`; averages leave out a value that
        is NaN because of it. NaN if no sample has positive weight, and for labels that are not
        whole numbers, or not 0 or 1 for "binary" and in indicators.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + n_classes) time and memory.

    References:
        `fairlearn.metrics.false_negative_rate`.

    Examples:
        >>> y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
        >>> round(float(false_negative_rate(y_true, y_pred, average="macro")), 6)
        0.666667
    """
    return averaged(
        _false_negative_rate,
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


@metric(
    range=lambda adjusted: SYMMETRIC if adjusted else UNIT,
    greater_is_better=True,
    predictions="labels",
)
def balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    adjusted: bool = False,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean of the recalls of the classes in `y_true`: accuracy if all were equally frequent.

    Args:
        y_true: True classes, whole numbers from 0, shape (n,).
        y_pred: Predicted classes, shape (n,).
        adjusted: Whether to rescale the score so that chance level is 0 and a perfect score still
            1.
        num_classes: Number of classes, static; required under `jit`. Samples whose true class is
            `num_classes` or more are ignored.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `adjusted`, 0 is chance level and 1 still perfect.

    Undefined:
        NaN if no sample has positive weight, for labels that are not whole numbers and, with
        `adjusted`, if `y_true` has only one class.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n + num_classes) time and memory.

    References:
        `sklearn.metrics.balanced_accuracy_score`; Brodersen et al. (2010).

    Examples:
        >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
        Array(0.625, dtype=float32)
    """
    return _of_classes(
        mean_recall,
        y_true,
        y_pred,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
        adjusted=bool(adjusted),
    )


def mean_recall(counts: BinaryCounts, adjusted: bool) -> Array:
    """Mean recall over the classes that occur in `y_true`; NaN if none does."""
    present = counts.true != 0
    score = weighted_mean(recall(counts, 0.0), present)
    if adjusted:
        chance = 1 / jnp.maximum(jnp.sum(present), 1).astype(score.dtype)
        score = safe_divide(score - chance, 1 - chance, jnp.nan)
    return score


@metric(range=UNIT, greater_is_better=True, predictions="labels")
def geometric_mean_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    num_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Geometric mean of the recalls of the classes in `y_true`, (Π recall_k)^(1 / K).

    Args:
        y_true: True classes, whole numbers from 0, shape (n,).
        y_pred: Predicted classes, shape (n,).
        num_classes: Number of classes, static; required under `jit`. Samples whose true class is
            `num_classes` or more are ignored.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. It is 0 if any class has a recall of 0.

    Undefined:
        NaN if no sample has positive weight, and for labels that are not whole numbers.

    Gradient:
        0 in the labels, smooth in the weights; 0 where the score is 0.

    Cost:
        O(n + num_classes) time and memory.

    References:
        Kubat & Matwin (1997); `imblearn.metrics.geometric_mean_score`.

    Examples:
        >>> round(float(geometric_mean_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])), 6)
        0.612372
    """
    return _of_classes(
        _geometric_mean,
        y_true,
        y_pred,
        num_classes=num_classes,
        sample_weight=sample_weight,
        where=where,
    )


def _geometric_mean(counts: BinaryCounts) -> Array:
    recalls, present = recall(counts, 0.0), counts.true != 0
    missed = present & (recalls == 0)
    logs = jnp.log(jnp.where(present & ~missed, recalls, jnp.ones_like(recalls)))
    score = jnp.exp(weighted_mean(logs, present))
    return jnp.where(jnp.any(missed), jnp.zeros_like(score), score)


def _of_classes(
    score: Callable[..., Array],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    num_classes: int | None,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    **options: Any,
) -> Plan[Array]:
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    num_classes = check.class_count(num_classes, None, y_true, y_pred, sample_weight, where)
    finisher = Bound.finisher(score_counts, score=score, dtype=accumulator(*arrays[:3]), **options)
    kernel = Bound.kernel(class_cells, labels=None, num_classes=num_classes)
    return plan(arrays, kernel, finisher, labels=num_classes)


_RATIOS = ("LR+", "LR-")


@exportable
class LikelihoodRatios(NamedTuple):
    """Likelihood ratios of a positive and of a negative prediction.

    Attributes:
        positive: LR+, recall / false positive rate, a scalar.
        negative: LR−, false negative rate / specificity, a scalar.
    """

    positive: Array
    negative: Array


def _range_of_ratios(replace_undefined_by: Number | Mapping[str, Number]) -> tuple[Ends, ...]:
    if isinstance(replace_undefined_by, Mapping):
        return tuple(including(replace_undefined_by[key], *NONNEGATIVE) for key in _RATIOS)
    return (including(replace_undefined_by, *NONNEGATIVE),) * len(_RATIOS)


@metric(range=_range_of_ratios, greater_is_better=None, predictions="labels")
def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    replace_undefined_by: Number | Mapping[str, Number] = jnp.nan,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[LikelihoodRatios]:
    """Ratios by which a positive and a negative prediction change the odds of being positive.

    LR+ = (tp / (tp + fn)) / (fp / (tn + fp)) and LR− = (fn / (tp + fn)) / (tn / (tn + fp)). Unlike
    precision they do not depend on how frequent the positives are.

    Args:
        y_true: True labels, 0 and 1 or the two `labels`, shape (n,).
        y_pred: Predicted labels, shape (n,).
        labels: The negative and the positive label, static; samples with any other label are
            dropped. None for 0 and 1.
        replace_undefined_by: Value of an undefined ratio: one number, or {"LR+": ..., "LR-": ...},
            all traced.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of two scalars, `positive` (LR+) in [0, ∞), higher is better, 1 is
            uninformative, and `negative` (LR−) in [0, ∞), lower is better.

    Undefined:
        NaN without positives. Otherwise LR+ without false positives, and LR− without true
        negatives, is `replace_undefined_by`. NaN if no sample has positive weight, and for labels
        other than 0 and 1 without `labels`.

    Gradient:
        0 in the labels, smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.class_likelihood_ratios`; Brenner & Gefeller (1997).

    Examples:
        >>> ratios = class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
        >>> round(float(ratios.positive), 6), round(float(ratios.negative), 6)
        (1.5, 0.75)
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    replacements = check.number_for_each("replace_undefined_by", replace_undefined_by, _RATIOS)
    pair = check.class_pair(labels)
    finisher = Bound.finisher(_ratios_of_pair, *replacements, dtype=accumulator(*arrays[:3]))
    return plan(
        arrays, Bound.kernel(_pair_counts, labels=pair), finisher, labels=1 + max(pair or (1,))
    )


def _pair_counts(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    labels: tuple[int, ...] | None,
) -> Labelled[BinaryCounts]:
    weight = weight_of(y_true, y_pred, sample_weight, where)
    negative, positive = labels or (0, 1)
    is_true, is_pred = as_labels(y_true) == positive, as_labels(y_pred) == positive
    known = (is_true | (as_labels(y_true) == negative)) & (
        is_pred | (as_labels(y_pred) == negative)
    )
    counts = binary_counts(is_true, is_pred, jnp.where(known, weight, jnp.zeros_like(weight)))
    checks = all_labels(y_true, y_pred, weight, binary=labels is None)
    return Labelled(counts, (checks,), jnp.sum(weight))


def _ratios_of_pair(
    statistic: Labelled[BinaryCounts], positive: Array, negative: Array, *, dtype: DTypeLike
) -> LikelihoodRatios:
    ratios = _likelihood_ratios(statistic.as_floats(dtype), positive, negative)
    some = statistic.total_weight != 0
    return statistic.finished(LikelihoodRatios(*(jnp.where(some, v, jnp.nan) for v in ratios)))


def _likelihood_ratios(
    counts: BinaryCounts, positive: float | Array, negative: float | Array
) -> LikelihoodRatios:
    false_positive, true_negative = (
        safe_divide(cell, counts.tn + counts.fp, 0.0) for cell in (counts.fp, counts.tn)
    )
    ratios = LikelihoodRatios(
        safe_divide(recall(counts, 0.0), false_positive, positive),
        safe_divide(_false_negative_rate(counts, 0.0), true_negative, negative),
    )
    return jax.tree.map(lambda ratio: jnp.where(counts.true != 0, ratio, jnp.nan), ratios)


@Proportion
def specificity(counts: BinaryCounts) -> tuple[Array, Array]:
    """Of negatives, those that are predicted negative."""
    return counts.tn, counts.tn + counts.fp


@Proportion
def _negative_predictive_value(counts: BinaryCounts) -> tuple[Array, Array]:
    return counts.tn, counts.tn + counts.fn


@Proportion
def _false_positive_rate(counts: BinaryCounts) -> tuple[Array, Array]:
    return counts.fp, counts.tn + counts.fp


@Proportion
def _false_negative_rate(counts: BinaryCounts) -> tuple[Array, Array]:
    return counts.fn, counts.true
