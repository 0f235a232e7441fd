"""Independent references in double precision: other libraries, or the definition spelled out.

An oracle takes arrays without masks and a weight or None, and the options of its metric.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from sklearn import metrics as sk

Oracle = Callable[..., Any]


def unless_nothing_counts(undefined: Any, at_least: int = 1) -> Callable[[Oracle], Oracle]:
    """Answer for the oracle, which may refuse to, when too few samples have weight."""

    def decorate(oracle: Oracle) -> Oracle:
        @functools.wraps(oracle)
        def with_rule(y_true, y_pred, sample_weight=None, **options):
            y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
            weight = np.ones(len(y_true)) if sample_weight is None else np.asarray(sample_weight)
            weight = weight.astype(np.float64)
            on = weight != 0
            if np.count_nonzero(on) < at_least:
                return undefined
            return oracle(y_true[on], y_pred[on], weight[on], **options)

        return with_rule

    return decorate


def from_sklearn(score: Callable[..., Any], *, undefined: Any = np.nan, at_least: int = 1):
    @unless_nothing_counts(undefined, at_least)
    def oracle(y_true, y_pred, weight, **options):
        y_true, y_pred = y_true.astype(np.float64), y_pred.astype(np.float64)
        return score(y_true, y_pred, sample_weight=weight, **options)

    return oracle


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


def r2(y_true, y_pred, sample_weight=None, **options):
    raw = options.get("multioutput") == "raw_values"
    undefined = np.full(np.shape(y_true)[1:] or (1,), np.nan) if raw else np.nan
    return from_sklearn(sk.r2_score, undefined=undefined, at_least=2)(
        y_true, y_pred, sample_weight, **options
    )


def pairwise(undefined: float, penalty: Callable[..., Any]) -> Oracle:
    """Weighted mean of a penalty on s_i − s_j over positives i and negatives j."""

    @unless_nothing_counts(undefined)
    def oracle(y_true, y_score, weight, **options):
        positive, score = y_true == 1, y_score.astype(np.float64)
        v, w = weight[positive], weight[~positive]
        if not (v.size and w.size):
            return undefined
        gap = score[positive][:, None] - score[~positive][None]
        return v @ penalty(gap, **options) @ w / (v.sum() * w.sum())

    return oracle


def _auc_penalty(gap, surrogate="squared_hinge", margin=1.0, temperature=1.0):
    if surrogate == "squared_hinge":
        return np.maximum(margin - gap, 0) ** 2
    return np.logaddexp(0, -gap / temperature)


auc_loss = pairwise(0.0, _auc_penalty)


@unless_nothing_counts(0.0)
def pinball_loss(y_true, y_pred, weight, *, alpha=0.5, smoothing=0.0):
    u = y_true.astype(np.float64) - y_pred.astype(np.float64)
    loss = np.where(u >= 0, alpha * u, (alpha - 1) * u)
    if smoothing > 0:
        loss = alpha * u + smoothing * np.logaddexp(0, -u / smoothing)
    return np.average(loss, weights=weight)


def tweedie_loss(y_true, y_pred, sample_weight=None, *, power=1.5):
    mu = np.exp(np.asarray(y_pred, np.float64))
    scored = from_sklearn(sk.mean_tweedie_deviance, undefined=0.0)
    return scored(y_true, mu, sample_weight, power=power)


def unit_deviance(y: float, mu: float, power: float) -> mpmath.mpf:
    """The textbook formula at 80 digits, exact for the numbers that come in."""
    with mpmath.workdps(80):
        y, mu, p = mpmath.mpf(y), mpmath.mpf(mu), mpmath.mpf(power)
        if y == mu:
            return mpmath.mpf(0)
        if p == 1:
            return 2 * ((y * mpmath.log(y / mu) if y else 0) - y + mu)
        if p == 2:
            return 2 * (mpmath.log(mu / y) + y / mu - 1)
        lead = y ** (2 - p) if y else mpmath.mpf(0)
        lead, middle = lead / ((1 - p) * (2 - p)), y * mu ** (1 - p) / (1 - p)
        return 2 * (lead - middle + mu ** (2 - p) / (2 - p))
