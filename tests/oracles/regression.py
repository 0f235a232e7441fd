"""References of the regression metrics."""

from __future__ import annotations

import mpmath
import numpy as np
from scipy import stats
from sklearn import metrics as sk

from tests.oracles import by_output, unless_nothing_counts


@by_output
def log_cosh(t, p, w):
    return np.average(np.logaddexp(t - p, p - t) - np.log(2), weights=w)


@by_output
def symmetric_percentage(t, p, w):
    size = np.abs(t) + np.abs(p)
    return np.average(2 * np.abs(t - p) / np.where(size > 0, size, 1), weights=w)


@by_output
def weighted_percentage(t, p, w):
    return w @ np.abs(t - p) / (w @ np.abs(t))


@by_output
def normalized_root(t, p, w, *, normalization="mean"):
    center = np.average(t, weights=w)
    divisor = {
        "mean": np.abs(center),
        "range": np.ptp(t),
        "std": np.sqrt(np.average((t - center) ** 2, weights=w)),
        "l2": np.sqrt(np.average(t**2, weights=w)),
    }[normalization]
    root = np.sqrt(np.average((t - p) ** 2, weights=w))
    return root / divisor if divisor else np.nan


@by_output
def relative_squared(t, p, w, *, squared=True):
    if np.ptp(t) == 0:
        return np.nan
    ratio = w @ (t - p) ** 2 / (w @ (t - np.average(t, weights=w)) ** 2)
    return ratio if squared else np.sqrt(ratio)


@by_output
def adjusted_r2(t, p, w, *, n_features):
    free = w.sum() - n_features - 1
    if len(t) < 2 or free <= 0:
        return np.nan
    return 1 - (1 - sk.r2_score(t, p, sample_weight=w)) * (w.sum() - 1) / free


@unless_nothing_counts(np.nan)
def max_error(t, p, w):
    return np.max(np.abs(t.astype(np.float64) - p))


@unless_nothing_counts(np.nan)
def scaled(t, p, w, *, y_train, seasonality=1):
    steps = np.abs(np.subtract(y_train[seasonality:], y_train[:-seasonality]))
    return np.average(np.abs(t.astype(np.float64) - p), weights=w) / np.mean(steps)


@unless_nothing_counts(np.nan)
def weighted_interval_score(t, p, w, *, alpha):
    """The paper's form: the median's error and interval scores, weighted by half their level."""
    t, p = t.astype(np.float64), p.astype(np.float64)
    low, median, high = p.T
    level = 2 * alpha[0]
    assert alpha == (level / 2, 0.5, 1 - level / 2)
    score = np.abs(t - median) / 2 + level / 2 * _interval(t, low, high, level)
    return np.average(score / 1.5, weights=w)


@unless_nothing_counts(np.nan)
def interval_score(t, p, w, *, alpha=0.05):
    low, high = p.astype(np.float64).T
    return np.average(_interval(t.astype(np.float64), low, high, alpha), weights=w)


def _interval(t, low, high, alpha):
    below, above = (t < low) * (low - t), (t > high) * (t - high)
    return high - low + 2 / alpha * (below + above)


def coverage(t, p, sample_weight=None):
    undefined = np.full(np.shape(p)[1:], np.nan)
    inside = unless_nothing_counts(undefined)(_coverage)
    return inside(t, p, sample_weight)


def _coverage(t, p, w):
    return np.average(t[:, None] <= p, axis=0, weights=w)


@unless_nothing_counts(np.nan)
def pearson(t, p, w):
    t, p = t.astype(np.float64), p.astype(np.float64)
    t, p = t - np.average(t, weights=w), p - np.average(p, weights=w)
    scale = np.sqrt((w @ t**2) * (w @ p**2))
    return w @ (t * p) / scale if scale else np.nan


@unless_nothing_counts(np.nan)
def concordance(t, p, w):
    t, p = t.astype(np.float64), p.astype(np.float64)
    center, off = np.average(t, weights=w), np.average(p, weights=w)
    cov = np.average((t - center) * (p - off), weights=w)
    spread = np.average((t - center) ** 2 + (p - off) ** 2, weights=w) + (center - off) ** 2
    return 2 * cov / spread if spread else np.nan


@unless_nothing_counts(np.nan)
def spearman(t, p, w):
    return pearson(_weighted_ranks(t, w), _weighted_ranks(p, w), w)


def _weighted_ranks(x, w):
    """Weight below each value, and half the weight tied with it."""
    _, group = np.unique(x, return_inverse=True)
    tied = np.bincount(group, weights=w)
    return (np.cumsum(tied) - tied / 2)[group]


@unless_nothing_counts(np.nan, at_least=2)
def kendall(t, p, w):
    """Vigna's weighted τ with the product of two weights for a pair, each sample its own rank."""
    ranks = np.arange(len(t))
    weigh = w.tolist().__getitem__
    return stats.weightedtau(t, p, rank=ranks, weigher=weigh, additive=False).statistic


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
