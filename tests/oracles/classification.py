"""References of the metrics of labels: scikit-learn's, or made of its counts."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable

import numpy as np
from sklearn import metrics as sk

from tests.oracles import Oracle, unless_nothing_counts


def of_kinds(oracle: Callable) -> Oracle:
    """Give the oracle one sample of each kind with the weight of all: the same, and fast."""

    @unless_nothing_counts(np.nan)
    @functools.wraps(oracle)
    def of_all(y_true, y_pred, weight, **options):
        rows = np.column_stack([y_true, y_pred]).astype(np.int64)
        base = 1 + rows.max()
        places = base ** np.arange(rows.shape[1])
        kind = rows @ places
        total = np.bincount(kind, weights=weight)
        kinds = np.flatnonzero(total)
        digits = kinds[:, None] // places % base
        y_true, y_pred = (
            half.reshape(len(kinds), *y_true.shape[1:]) for half in np.hsplit(digits, 2)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return oracle(y_true, y_pred, total[kinds], **options)

    return of_all


def of_sklearn(score: Callable) -> Oracle:
    @of_kinds
    def oracle(y_true, y_pred, weight, *, num_classes=None, **options):
        return score(y_true, y_pred, sample_weight=weight, **options)

    return oracle


# --- scores of counts --------------------------------------------------------------------


def overlap(score: Callable) -> Oracle:
    """A score of scikit-learn that has averages."""

    @of_kinds
    def oracle(y_true, y_pred, weight, *, average="binary", num_classes=None, **options):
        if average is None and options.get("labels") is None:
            options["labels"] = range(num_classes or y_true.shape[1])
        return score(y_true, y_pred, sample_weight=weight, average=average, **options)

    return oracle


def several_scores(y_true, y_pred, sample_weight=None, *, average=None, **options):
    """The same with another default."""
    scored = overlap(sk.precision_recall_fscore_support)
    return scored(y_true, y_pred, sample_weight, average=average, **options)


def ratio(cells: Callable) -> Oracle:
    """What scikit-learn makes of its own ratios of counts, made of others."""

    @of_kinds
    def oracle(
        y_true,
        y_pred,
        weight,
        *,
        average="binary",
        labels=None,
        pos_label=1,
        zero_division=0.0,
        num_classes=None,
    ):
        if average == "binary":
            labels = [int(pos_label)]
        elif average is None and labels is None:
            labels = range(num_classes or y_true.shape[1])
        table = sk.multilabel_confusion_matrix(
            y_true, y_pred, sample_weight=weight, labels=labels, samplewise=average == "samples"
        )
        if average == "micro":
            table = table.sum(axis=0, keepdims=True)
        above, below = cells(table[:, 0, 0], table[:, 0, 1], table[:, 1, 0], table[:, 1, 1])
        values = np.where(below == 0, zero_division, above / np.where(below == 0, 1, below))
        if average is None:
            return values
        support = {"weighted": table[:, 1].sum(axis=1), "samples": weight}.get(average)
        return _mean_of_numbers(values, support)

    return oracle


def _mean_of_numbers(values, weight):
    kept = ~np.isnan(values)
    if not kept.any():
        return np.nan
    if weight is None or not weight[kept].sum():
        return values[kept].mean()
    return np.average(values[kept], weights=weight[kept])


jaccard = ratio(lambda tn, fp, fn, tp: (tp, tp + fp + fn))
specificity = ratio(lambda tn, fp, fn, tp: (tn, tn + fp))
negative_predictive_value = ratio(lambda tn, fp, fn, tp: (tn, tn + fn))
false_positive_rate = ratio(lambda tn, fp, fn, tp: (fp, tn + fp))
false_negative_rate = ratio(lambda tn, fp, fn, tp: (fn, tp + fn))


# --- tables, agreement and rates ---------------------------------------------------------


@of_kinds
def confusion(y_true, y_pred, weight, *, labels=None, num_classes=None, normalize=None):
    labels = range(num_classes) if labels is None else labels
    if not np.isin(y_true, labels).any():
        return np.zeros((len(labels), len(labels)))
    return sk.confusion_matrix(
        y_true, y_pred, sample_weight=weight, labels=labels, normalize=normalize
    )


@of_kinds
def confusions(y_true, y_pred, weight, *, labels=None, num_classes=None):
    if labels is None and y_true.ndim == 1:
        labels = range(num_classes)
    return sk.multilabel_confusion_matrix(y_true, y_pred, sample_weight=weight, labels=labels)


@of_kinds
def kappa(y_true, y_pred, weight, *, labels=None, num_classes=None, **options):
    if labels is not None and not (np.isin(y_true, labels) & np.isin(y_pred, labels)).any():
        return np.nan
    return sk.cohen_kappa_score(y_true, y_pred, labels=labels, sample_weight=weight, **options)


@of_kinds
def balanced_accuracy(y_true, y_pred, weight, *, adjusted=False, num_classes=None):
    if adjusted and len(np.unique(y_true)) == 1:
        return np.nan  # scikit-learn divides by 0 and may get −∞
    return sk.balanced_accuracy_score(y_true, y_pred, adjusted=adjusted, sample_weight=weight)


@of_kinds
def geometric_mean(y_true, y_pred, weight, *, num_classes=None):
    present = np.unique(y_true)
    recalls = sk.recall_score(y_true, y_pred, sample_weight=weight, labels=present, average=None)
    return np.prod(recalls) ** (1 / len(present))


@of_kinds
def likelihood_ratios(y_true, y_pred, weight, *, labels=(0, 1), replace_undefined_by=np.nan):
    """By Bayes' rule: the odds of a prediction among the positives to those among the negatives."""
    negative, positive = labels
    tn, fp, fn, tp = (
        weight[(y_true == t) & (y_pred == p)].sum() for t in labels for p in (negative, positive)
    )
    return tuple(
        replace_undefined_by if wrong == 0 else right / (tp + fn) * (tn + fp) / wrong
        for right, wrong in ((tp, fp), (fn, tn))
    )


# --- scores that decide ------------------------------------------------------------------


def top_k(y_true, y_score, sample_weight=None, *, k=2, normalize=True):
    scored = unless_nothing_counts(np.nan if normalize else 0.0)(_top_k)
    return scored(y_true, y_score, sample_weight, k=k, normalize=normalize)


def _top_k(y_true, y_score, weight, **options):
    labels = np.arange(2 if y_score.ndim == 1 else y_score.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sk.top_k_accuracy_score(
            y_true, y_score, labels=labels, sample_weight=weight, **options
        )


def hinge(power: int) -> Oracle:
    @unless_nothing_counts(np.nan)
    def oracle(y_true, decision, weight):
        decision, label = decision.astype(np.float64), y_true.astype(int)
        if decision.ndim == 1:
            margin = np.where(label == 1, decision, -decision)
        else:
            own = np.eye(decision.shape[1], dtype=bool)[label]
            margin = decision[own] - np.where(own, -np.inf, decision).max(axis=1)
        return np.average(np.maximum(0, 1 - margin) ** power, weights=weight)

    return oracle
