"""References of metrics of labels, probabilities and scores."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np
from sklearn import metrics as sk

from tests.oracles import from_sklearn, unless_nothing_counts


def accuracy(y_true, y_pred, sample_weight=None, *, normalize=True):
    total = unless_nothing_counts(np.nan if normalize else 0.0)(_accuracy)
    return total(y_true, y_pred, sample_weight, normalize=normalize)


def _accuracy(y_true, y_pred, weight, *, normalize):
    right = y_true == y_pred
    right = right if right.ndim == 1 else right.all(axis=1)
    return np.sum(weight * right) / (np.sum(weight) if normalize else 1)


def log_loss(y_true, y_proba, sample_weight=None, *, normalize=True):
    scored = from_sklearn(
        functools.partial(sk.log_loss, labels=[0, 1]), undefined=np.nan if normalize else 0.0
    )
    return scored(y_true, y_proba, sample_weight, normalize=normalize)


@unless_nothing_counts(np.nan)
def roc_auc(y_true, y_score, weight):
    if len(set(y_true.tolist())) < 2:
        return np.nan
    return sk.roc_auc_score(y_true, y_score.astype(np.float64), sample_weight=weight)


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
