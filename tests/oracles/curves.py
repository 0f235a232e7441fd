"""References of metrics of scores at all thresholds."""

from __future__ import annotations

import functools
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
from sklearn import metrics as sk

from tests.oracles import unless_nothing_counts


def exact_auc(y_true, y_score, sample_weight=None) -> Fraction:
    """Weighted share of pairs ranked right, ties one half, without any rounding."""
    weight = [1] * len(y_true) if sample_weight is None else sample_weight
    rows = [
        (float(s), Fraction(float(w)), int(y))
        for y, s, w in zip(y_true, y_score, weight, strict=True)
    ]
    positives = [(s, w) for s, w, y in rows if y]
    negatives = [(s, w) for s, w, y in rows if not y]
    right = pairs = Fraction(0)
    for s, v in positives:
        for t, w in negatives:
            right += v * w * Fraction(1 + (s > t) - (s < t), 2)
            pairs += v * w
    return right / pairs


def exact_area(y_true, y_score, weight=None, *, max_fpr=1.0, min_tpr=0.0) -> Fraction:
    """Area between the ROC polygon and `min_tpr` up to `max_fpr`, with McClish's correction."""
    most, least = Fraction(float(max_fpr)), Fraction(float(min_tpr))
    area = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(polygon(y_true, y_score, weight)):
        if x1 == x0 or x0 >= most:
            continue
        slope = (y1 - y0) / (x1 - x0)
        x1, y1 = min(x1, most), y0 + slope * (min(x1, most) - x0)
        if y0 < least < y1:
            x0, y0 = x0 + (least - y0) / slope, least
        area += (x1 - x0) * (max(y0, least) + max(y1, least) - 2 * least) / 2
    chance, best = max(most - least, Fraction(0)) ** 2 / 2, most * (1 - least)
    return (1 + (area - chance) / (best - chance)) / 2


def polygon(y_true, y_score, weight=None) -> list[tuple[Fraction, Fraction]]:
    """Corners (fpr, tpr) of the ROC curve, without any rounding."""
    weight = np.ones(len(y_true)) if weight is None else weight
    columns = (np.asarray(a, np.float64).tolist() for a in (y_true, y_score, weight))
    rows = [(y, float(s), Fraction(w)) for y, s, w in zip(*columns, strict=True)]
    positives, negatives = (Fraction(sum(w for y, _, w in rows if y == c)) for c in (1, 0))
    points = [(Fraction(0), Fraction(0))]
    for threshold in sorted({float(s) for _, s, _ in rows}, reverse=True):
        tp, fp = (sum(w for y, s, w in rows if y == c and s >= threshold) for c in (1, 0))
        points.append((Fraction(fp, negatives), Fraction(tp, positives)))
    return points


def counts(y_true, y_score, weight):
    """tp, fp and threshold at each distinct score, and before all of them."""
    _, fp, _, tp, thresholds = sk.confusion_matrix_at_thresholds(
        y_true == 1, y_score.astype(np.float64), sample_weight=weight
    )
    return np.append(0, tp), np.append(0, fp), np.append(np.inf, thresholds)


def area(y, s, w, max_fpr=None, min_tpr=None):
    """Of two classes, by the corners of the polygon in double precision."""
    if not (np.any(w[y == 1]) and np.any(w[y == 0])):
        return np.nan
    tp, fp, _ = counts(y, s, w)
    (x0, x1), (y0, y1) = ((a[:-1] / a[-1], a[1:] / a[-1]) for a in (fp, tp))
    if max_fpr is None and min_tpr is None:
        return np.sum((x1 - x0) * (y0 + y1)) / 2
    most = 1.0 if max_fpr is None else float(max_fpr)
    least = 0.0 if min_tpr is None else float(min_tpr)
    share = np.clip((most - x0) / np.where(x1 > x0, x1 - x0, 1), 0, 1)
    low, high = y0 - least, y0 + share * (y1 - y0) - least
    with np.errstate(invalid="ignore", divide="ignore"):
        crossing = high**2 / (2 * (high - low))
    height = np.where(low >= 0, (low + high) / 2, np.where(high > 0, crossing, 0))
    chance, best = max(most - least, 0) ** 2 / 2, most * (1 - least)
    found = np.sum(share * (x1 - x0) * height)
    return (1 + (found - chance) / (best - chance)) / 2


def roc_auc(
    y_true,
    y_score,
    sample_weight=None,
    *,
    average="macro",
    multi_class="raise",
    labels=None,
    max_fpr=None,
    min_tpr=None,
):
    one = functools.partial(area, max_fpr=max_fpr, min_tpr=min_tpr)
    return by_column(one, y_true, y_score, sample_weight, average, labels, multi_class == "ovo")


def average_precision(y_true, y_score, sample_weight=None, *, average="macro"):
    if average == "samples":
        return precision_of_rows(np.asarray(y_true), np.asarray(y_score), sample_weight)
    return by_column(precision, y_true, y_score, sample_weight, average)


def precision(y, s, w):
    if not np.any(w[y == 1]):
        return 0.0 if np.any(w) else np.nan
    return sk.average_precision_score(y == 1, s, sample_weight=w)


@unless_nothing_counts(np.nan)
def precision_of_rows(y, s, w):
    """Mean over the positives of a row of the share of positives at or above them; else 0."""
    above = s[:, None, :] >= s[:, :, None]
    precise = (above & (y[:, None, :] == 1)).sum(axis=2) / above.sum(axis=2)
    return np.average((precise * y).sum(axis=1) / np.maximum(y.sum(axis=1), 1), weights=w)


def by_column(score, y_true, y_score, sample_weight, average, labels=None, in_pairs=False):
    """Two classes, classes or indicators, with the averages of scikit-learn."""
    y, s = np.asarray(y_true), np.asarray(y_score, np.float64)
    w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if s.ndim == 1:
        return score(y, s, w)
    if in_pairs:
        return over_pairs(score, y, s, w, average)
    if y.ndim == 1:
        y = y[:, None] == (np.arange(s.shape[1]) if labels is None else np.array(labels))
    if not np.any(w):
        return np.full(s.shape[1], np.nan) if average is None else np.nan
    if average == "micro":
        return score(y.ravel(), s.ravel(), np.repeat(w, s.shape[1]))
    values = np.array([score(a, b, w) for a, b in zip(y.T, s.T, strict=True)])
    if average is None:
        return values
    importance = w @ y if average == "weighted" else np.ones(len(values))
    values = np.where(importance == 0, 0, values)
    return np.average(values, weights=importance) if np.any(importance) else 0.0


def over_pairs(score, y, s, w, average):
    """Hand and Till's mean over ordered pairs of classes that occur."""
    values, importance = [], []
    for i, j in permutations([k for k in range(s.shape[1]) if np.any(w[y == k])], 2):
        both = (y == i) | (y == j)
        values.append(score(y[both] == i, s[both, i], w[both]))
        importance.append(w[both].sum() if average == "weighted" else 1.0)
    return np.average(values, weights=importance) if values else np.nan


def gini(y_true, y_score, sample_weight=None):
    return 2 * roc_auc(y_true, y_score, sample_weight) - 1


def at_points(choose):
    """A function of tp, fp and thresholds, which are the rates of classes that occur."""

    @unless_nothing_counts((np.nan, np.nan))
    def oracle(y_true, y_score, weight, **level):
        tp, fp, thresholds = counts(y_true, y_score, weight)
        with np.errstate(invalid="ignore"):
            precise = np.where(tp + fp > 0, tp / (tp + fp), 1.0)
            recall, specific = tp / tp[-1], (fp[-1] - fp) / fp[-1]
        value, other, least = choose(precise, recall, specific, **level)
        on = other >= least
        if np.any(np.isnan(value)) or not np.any(on):
            return np.nan, np.nan
        best, _, threshold = max(zip(value[on], other[on], thresholds[on], strict=True))
        return best, threshold

    return oracle


@at_points
def recall_at_precision(precise, recall, specific, *, min_precision):
    return recall, precise, min_precision


@at_points
def precision_at_recall(precise, recall, specific, *, min_recall):
    return np.where(np.isnan(recall), np.nan, precise), recall, min_recall


@at_points
def sensitivity_at_specificity(precise, recall, specific, *, min_specificity):
    return recall, specific, min_specificity


@at_points
def specificity_at_sensitivity(precise, recall, specific, *, min_sensitivity):
    return specific, recall, min_sensitivity


def equal_error_rate(y_true, y_score, sample_weight=None):
    """Where the polygon meets the falling diagonal, by bisection along it."""
    fpr, tpr = roc(y_true, y_score, sample_weight)
    if np.isnan(fpr[-1] + tpr[-1]):
        return np.nan
    place, low, high = np.arange(len(fpr)), 0.0, len(fpr) - 1.0
    for _ in range(100):
        middle = (low + high) / 2
        beyond = np.interp(middle, place, fpr) + np.interp(middle, place, tpr) > 1
        low, high = (low, middle) if beyond else (middle, high)
    return np.round(np.interp(low, place, fpr), 15)


def ks_statistic(y_true, y_score, sample_weight=None):
    fpr, tpr = roc(y_true, y_score, sample_weight)
    return np.max(np.abs(tpr - fpr))


@unless_nothing_counts((np.array([np.nan]), np.array([np.nan])))
def roc(y_true, y_score, weight):
    tp, fp, _ = counts(y_true, y_score, weight)
    with np.errstate(invalid="ignore"):
        return fp / fp[-1], tp / tp[-1]


def roc_curve(y_true, y_score, sample_weight=None):
    """What `tests.rows.curves` makes of the curve."""
    fpr, tpr = roc(y_true, y_score, sample_weight)
    return np.trapezoid(tpr, fpr), moment(fpr, tpr)


def moment(x, y):
    """Area under y², y being straight between points."""
    low, high = y[:-1], y[1:]
    return np.sum(np.diff(x) * (low**2 + low * high + high**2)) / 3 + 0 * y[-1]


@unless_nothing_counts((np.nan, np.nan))
def precision_recall_curve(y_true, y_score, weight):
    tp, fp, thresholds = counts(y_true, y_score, weight)
    precise = tp[1:] / (tp + fp)[1:]
    recall = tp / tp[-1] if tp[-1] else np.append(0, np.ones(len(tp) - 1))
    return np.sum(np.diff(recall) * precise), -np.trapezoid(recall[1:], thresholds[1:])


@unless_nothing_counts((np.nan, np.nan))
def det_curve(y_true, y_score, weight):
    tp, fp, _ = counts(y_true, y_score, weight)
    with np.errstate(invalid="ignore"):
        fpr, fnr = fp / fp[-1], (tp[-1] - tp) / tp[-1]
    return np.trapezoid(fnr, fpr), moment(fpr, fnr)


@unless_nothing_counts((np.nan, np.nan))
def cells(y_true, y_score, weight):
    tp, fp, thresholds = (a[1:] for a in counts(y_true, y_score, weight))
    fn, tn = tp[-1] - tp, fp[-1] - fp
    total = tp[-1] + fp[-1]
    areas = [-np.trapezoid(cell / total, thresholds) for cell in (tn, fp, fn, tp)]
    return areas[0] + 2 * areas[1], areas[2] + 2 * areas[3]


@unless_nothing_counts(np.nan)
def f1_area(y_true, y_score, weight):
    tp, fp, thresholds = (a[1:] for a in counts(y_true, y_score, weight))
    return -np.trapezoid(2 * tp / (tp + fp + tp[-1]), thresholds)
