"""Areas under curves of scores, for two classes, several classes or several labels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.numerics import (
    Whole,
    accumulator,
    safe_divide,
    weighted_bincount,
    weighted_mean,
)
from jmetrics._core.order import (
    Order,
    RankedWeights,
    RunningWeights,
    order,
    ranked_weights,
    running_sums,
    tied_weight,
)
from jmetrics._core.plan import SYMMETRIC, UNIT, declared
from jmetrics._core.scores import LabelledScores, inputs, labelled_scores, nan_if_invalid
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics.curves._averages import AVERAGES, averaged, column_inputs
from jmetrics.curves._presorted import presorted_auc

MULTI_CLASS = ("raise", "ovr", "ovo")
CLASS_AVERAGES = {"ovr": ("micro", "macro", "weighted", None), "ovo": ("macro", "weighted")}


def auc(x: ArrayLike, y: ArrayLike) -> Array:
    """Area under a curve through given points, by the trapezoidal rule.

    Σ (x_{i+1} − x_i) (y_i + y_{i+1}) / 2, with the opposite sign if x falls. A repeated point, such
    as those that pad a curve, adds nothing.

    Args:
        x: Abscissas, rising or falling throughout, any unit, shape (n,), with n at least 2.
        y: Ordinates, any unit, shape (n,).

    Returns:
        Scalar in (−∞, ∞), in units of x y.

    Undefined:
        NaN unless x rises or falls throughout, and for a NaN.

    Gradient:
        Smooth in y and in x.

    Cost:
        O(n) time, no temporary arrays.

    Raises:
        ValueError: If there are fewer than 2 points.

    References:
        `sklearn.metrics.auc`.

    Examples:
        >>> float(auc([0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0]))
        0.625
    """
    arrays = check.samples(x=x, y=y, sample_weight=None, where=None)[:2]
    n = arrays[0].shape[0]
    check.require(n >= 2, f"`x` must have at least 2 points, got {n}")
    return _auc(*arrays)


@jax.jit
def _auc(x: Array, y: Array) -> Array:
    dtype = accumulator(x, y)
    at, y = Whole.of(x, dtype), y.astype(dtype)
    step = at[1:] - at[:-1]
    rises, falls = jnp.all(step >= 0), jnp.all(step <= 0)
    area = jnp.sum(step * ((y[1:] + y[:-1]) / 2))
    area = jnp.where(rises, area, -area)
    return check.nan_unless(area, rises | falls, "`x` must rise or fall all the way")


@declared(range=UNIT, greater_is_better=True, predictions="scores", presort=presorted_auc)
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    max_fpr: Number | None = None,
    min_tpr: Number | None = None,
    multi_class: str = "raise",
    labels: Sequence[int] | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Area under the ROC curve: the fraction of (positive, negative) pairs ranked correctly.

    Σ_ij w_i w_j ([s_i > s_j] + [s_i = s_j] / 2) / Σ_ij w_i w_j over positives i and negatives j.

    With `max_fpr` or `min_tpr` it is a standardised partial area, restricted to where the false
    positive rate is at most `max_fpr` and the true positive rate at least `min_tpr`: with area A
    between the curve and `min_tpr` there, of at most M = max_fpr (1 − min_tpr), and
    C = max(max_fpr − min_tpr, 0)² / 2 by chance, McClish's (1 + (A − C) / (M − C)) / 2. It is ½ for
    uninformative scores, 1 for perfect ones.

    Args:
        y_true: True labels: 0 and 1, shape (n,), for scores (n,); classes 0 to n_classes − 1, or
            those in `labels`, shape (n,), for scores (n, n_classes); or indicators 0 and 1, shape
            (n, n_labels).
        y_score: Scores, any numbers, infinities included, shape (n,), (n, n_classes) or
            (n, n_labels), compared at the precision in which they are given; rows need not sum to
            1.
        average: For indicators, and for classes with "ovr": "micro" pools all columns; "macro" and
            "weighted" (by weight of positives) average over columns; "samples" over rows of
            indicators; None gives all columns. For "ovo", "macro" or "weighted" (each pair by the
            weight of both classes).
        max_fpr: Largest false positive rate of a partial area, in (0, 1], traced; None for 1.
        min_tpr: Smallest true positive rate of a partial area, in [0, 1), traced; None for 0.
        multi_class: Required for classes: "ovr" scores each against the rest; "ovo" is the mean,
            over all ordered pairs of classes that occur, of the AUC of the first class's scores
            among the samples of both (Hand & Till).
        labels: Classes of the columns of `y_score`, rising whole numbers, static; None for 0 to
            n_classes − 1.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,) or, for indicators, also (n, n_labels); samples or entries
            where it is False are ignored.

    Returns:
        Scalar in [0, 1], or shape (n_columns,) for `average=None`; higher is better, 0.5 for
            uninformative scores.

    Undefined:
        NaN unless both classes have positive weight; "macro" is NaN if any column is undefined.
        "weighted" ignores columns without positives and is 0 if no column has any. NaN for a NaN
        score with positive weight, for a label that is not one of the classes, for `max_fpr`
        outside (0, 1] and for `min_tpr` outside [0, 1). With `average=None`, an invalid score or
        indicator makes only its own column NaN.

    Gradient:
        Smooth in the weights, 0 in the scores; `jmetrics.losses.auc_loss` has a gradient in those.

    Cost:
        O(n log n) time per column, also for "ovo", from one weight-independent sort, shared under
        `vmap` over weights; O(n n_classes²) for a partial area with "ovo". Scores of 16 bits or
        fewer without weights: O(n) and no sort, except for "ovo".

    References:
        `sklearn.metrics.roc_auc_score`; Hanley & McNeil (1982); McClish (1989); Hand & Till (2001);
        Yang, Lu, Lyu & Hu (2019) for two-way partial areas.

    Examples:
        >>> float(roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
        0.75
        >>> y_score = [[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.1, 0.6, 0.3], [0.4, 0.1, 0.5]]
        >>> float(roc_auc_score([0, 1, 2, 2], y_score, multi_class="ovo"))
        0.875
    """
    check.one_of("average", average, AVERAGES)
    check.one_of("multi_class", multi_class, MULTI_CLASS)
    arrays = column_inputs(y_true, y_score, sample_weight, where)
    classes = arrays[0].ndim < arrays[1].ndim
    if classes:
        check.class_averages(multi_class, average, CLASS_AVERAGES)
    return _roc_auc_score(
        *arrays,
        None if max_fpr is None else check.number("max_fpr", max_fpr),
        None if min_tpr is None else check.number("min_tpr", min_tpr),
        average=average,
        multi_class=multi_class if classes else "ovr",
        labels=check.column_labels(labels, arrays[1].shape[1]) if classes else None,
    )


@functools.partial(jax.jit, static_argnames=("average", "multi_class", "labels"))
@with_auto_axes
def _roc_auc_score(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    max_fpr: Array | None,
    min_tpr: Array | None,
    *,
    average: str | None,
    multi_class: str,
    labels: tuple[int, ...] | None,
) -> Array:
    data = labelled_scores(y_true, y_score, sample_weight, where, labels)
    region = _roc_region(max_fpr, min_tpr, data.dtype)

    def area(score: Array, positive: Array, weight: Array) -> Array:
        return area_under_roc(ranked_weights(score, positive, weight), data.dtype, region)

    if y_score.ndim == 1:
        value = area(data.score, data.positive, data.weight)
    elif multi_class == "ovo":
        value = _over_pairs(data, average, region)
    else:
        value = averaged(area, data, average)
    return nan_if_invalid(value, data)


class RocRegion(NamedTuple):
    """The part of the ROC curve with fpr ≤ `max_fpr` and tpr ≥ `min_tpr`."""

    max_fpr: Array
    min_tpr: Array

    def standardised(self, area: Array) -> Array:
        """McClish's correction: ½ by chance, 1 at most."""
        chance = jnp.square(jnp.maximum(self.max_fpr - self.min_tpr, 0)) / 2
        most = self.max_fpr * (1 - self.min_tpr)
        return (1 + safe_divide(area - chance, most - chance, jnp.nan)) / 2


def _roc_region(
    max_fpr: float | Array | None, min_tpr: float | Array | None, dtype: DTypeLike
) -> RocRegion | None:
    """None for the whole curve; NaN for an invalid bound."""
    if max_fpr is None and min_tpr is None:
        return None
    most = jnp.asarray(1.0 if max_fpr is None else max_fpr, dtype)
    least = jnp.asarray(0.0 if min_tpr is None else min_tpr, dtype)
    return RocRegion(
        check.nan_unless(most, (most > 0) & (most <= 1), "`max_fpr` must be in (0, 1]"),
        check.nan_unless(least, (least >= 0) & (least < 1), "`min_tpr` must be in [0, 1)"),
    )


def area_under_roc(
    counts: RankedWeights, dtype: DTypeLike, region: RocRegion | None = None
) -> Array:
    """Area under the polygon of (fp, tp) as a fraction of its bounding box; NaN if that is empty.

    The width of a trapezoid is the weight of its tied negatives: each of them adds a strip.
    """
    tp, fp = counts
    positives, negatives = (jnp.sum(c.weight).astype(dtype) for c in counts)
    width, low = fp.weight.astype(dtype), tp.exclusive.astype(dtype)
    rise = (tp.inclusive - tp.exclusive).astype(dtype)
    if region is not None:
        step = (fp.inclusive - fp.exclusive).astype(dtype)
        room = region.max_fpr * negatives - fp.exclusive.astype(dtype)
        within = jnp.where(room >= step, step, jnp.maximum(room, 0))
        fraction = safe_divide(within, step, (room > 0).astype(dtype))
        width, rise = width * fraction, rise * fraction
    height = safe_divide(low + rise / 2, positives, 0.0)
    if region is not None:
        low, rise = (safe_divide(a, positives, 0.0) for a in (low, rise))
        height = _mean_above(low - region.min_tpr, rise)
    area = safe_divide(jnp.sum(width * height), negatives, jnp.nan)
    area = jnp.where(positives != 0, area, jnp.nan)
    return area if region is None else region.standardised(area)


def _mean_above(start: Array, rise: Array) -> Array:
    """Mean of max(y, 0) over a straight line from y = `start` to `start` + `rise` ≥ `start`."""
    end = start + rise
    crossing = safe_divide(jnp.square(jnp.maximum(end, 0)), 2 * rise, 0.0)
    return jnp.where(start >= 0, start + rise / 2, crossing)


def _over_pairs(data: LabelledScores, average: str | None, region: RocRegion | None) -> Array:
    """Hand and Till's mean of the AUC over pairs of classes, from one sort per class."""
    n_classes = data.score.shape[1]
    label = jnp.argmax(data.positive, axis=1).astype(jnp.int32)
    weight = weighted_bincount(label, data.weight, n_classes).astype(data.dtype)

    def against_each(score: Array, chosen: Array) -> Array:
        by_score = order(score)
        arrays = label[by_score.item], data.weight[by_score.item], chosen, weight
        if region is None:
            return _pair_areas(by_score, *arrays)
        return _pair_parts(by_score, *arrays, region)

    areas = jax.vmap(against_each, in_axes=(1, 0))(
        data.score, jnp.arange(n_classes, dtype=jnp.int32)
    )
    first, second = weight[:, None], weight[None]
    pair = (first != 0) & (second != 0) & ~jnp.eye(n_classes, dtype=jnp.bool_)
    importance = first + second if average == "weighted" else jnp.ones_like(areas)
    importance = jnp.where(pair, importance, jnp.zeros_like(importance))
    return weighted_mean(areas.ravel(), importance.ravel())


def _pair_areas(by_score: Order, label: Array, weight: Array, chosen: Array, total: Array) -> Array:
    """AUC of the chosen class against each: mean, over the latter, of the fraction ranked above."""
    ours = jnp.where(label == chosen, weight, jnp.zeros_like(weight))
    before, tied = tied_weight(ours[None], by_score.start[None], by_score.end[None])
    before, tied = before[0].astype(total.dtype), tied[0].astype(total.dtype)
    above = safe_divide(before + tied / 2, total[chosen], 0.0)
    above = weighted_bincount(label, weight.astype(total.dtype) * above, total.shape[0])
    return safe_divide(above, total, 0.0)


def _pair_parts(
    by_score: Order, label: Array, weight: Array, chosen: Array, total: Array, region: RocRegion
) -> Array:
    """Partial AUC of the chosen class against each."""

    def running(one: Array) -> RunningWeights:
        of_one = jnp.where(label == one, weight, jnp.zeros_like(weight))
        return running_sums(of_one, by_score.start, by_score.end)

    ours = running(chosen)

    def against(other: Array) -> Array:
        return area_under_roc(RankedWeights(ours, running(other)), total.dtype, region)

    return jax.lax.map(against, jnp.arange(total.shape[0], dtype=jnp.int32))


@declared(range=UNIT, greater_is_better=True, predictions="scores")
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean over the positives of the precision at their score, with ties taken together.

    Σ_k (R_k − R_{k−1}) P_k with recall R and precision P at threshold k: the area under the
    precision-recall curve as a step function; trapezoids would overestimate it.

    Args:
        y_true: True labels: 0 and 1, shape (n,), for scores (n,); classes 0 to n_classes − 1, shape
            (n,), for scores (n, n_classes); or indicators 0 and 1, shape (n, n_labels).
        y_score: Scores, any numbers, infinities included, shape (n,), (n, n_classes) or
            (n, n_labels), compared at the precision in which they are given.
        average: For indicators and classes: "micro" pools all columns; "macro" and "weighted" (by
            weight of positives) average over columns, each class against the rest; "samples" over
            rows of indicators; None gives all columns.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,) or, for indicators, also (n, n_labels); samples or entries
            where it is False are ignored.

    Returns:
        Scalar in [0, 1], or shape (n_columns,) for `average=None`; higher is better, near the
            proportion of positives for uninformative scores.

    Undefined:
        0 without positives, also for a column of an average. NaN if no sample has positive weight,
        for a NaN score with positive weight and for a label that is not one of the classes. With
        `average=None`, an invalid score or indicator makes only its own column NaN.

    Gradient:
        Smooth in the weights, 0 in the scores.

    Cost:
        O(n log n) time per column, from one weight-independent sort, shared under `vmap` over
        weights. Scores of 16 bits or fewer without weights: O(n) and no sort.

    References:
        `sklearn.metrics.average_precision_score`.

    Examples:
        >>> round(float(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), 6)
        0.833333
    """
    check.one_of("average", average, AVERAGES)
    arrays = column_inputs(y_true, y_score, sample_weight, where)
    if arrays[0].ndim < arrays[1].ndim:
        check.class_averages("ovr", average, CLASS_AVERAGES)
    return _average_precision_score(*arrays, average=average)


@functools.partial(jax.jit, static_argnames="average")
@with_auto_axes
def _average_precision_score(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    average: str | None,
) -> Array:
    data = labelled_scores(y_true, y_score, sample_weight, where)

    def area(score: Array, positive: Array, weight: Array) -> Array:
        return average_precision(ranked_weights(score, positive, weight), data.dtype)

    if y_score.ndim == 1:
        value = area(data.score, data.positive, data.weight)
        value = jnp.where(jnp.any(data.weight != 0), value, jnp.nan)
    else:
        value = averaged(area, data, average)
    return nan_if_invalid(value, data)


def average_precision(counts: RankedWeights, dtype: DTypeLike) -> Array:
    """Precision at the score of each positive, averaged; 0 without a positive."""
    tp, fp = counts
    pred = (tp.inclusive + fp.inclusive).astype(dtype)
    precision = safe_divide(tp.inclusive.astype(dtype), pred, 1.0)
    positives = jnp.sum(tp.weight).astype(dtype)
    return safe_divide(jnp.sum(tp.weight.astype(dtype) * precision), positives, 0.0)


@declared(range=SYMMETRIC, greater_is_better=True, predictions="scores")
def gini(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Gini coefficient of a score, also its accuracy ratio: 2 AUC − 1.

    Also Somers' D of the score given the label: the fraction of (positive, negative) pairs that are
    ranked correctly, minus the fraction that are ranked incorrectly.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_score: Scores, any numbers, shape (n,).
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [−1, 1]; higher is better, 0 for uninformative scores.

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight and for a
        label other than 0 and 1.

    Gradient:
        Smooth in the weights, 0 in the scores.

    Cost:
        That of `roc_auc_score`.

    References:
        Somers (1962); Engelmann, Hayden & Tasche (2003).

    Examples:
        >>> float(gini([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
        0.5
    """
    y_true, y_score, sample_weight, where = inputs(y_true, y_score, sample_weight, where)
    return _gini(roc_auc_score(y_true, y_score, sample_weight=sample_weight, where=where))


@jax.jit
def _gini(area: Array) -> Array:
    return 2 * area - 1
