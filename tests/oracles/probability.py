"""References of metrics of probabilities and of predicted distributions."""

from __future__ import annotations

import numpy as np
from scipy import stats

from tests.oracles import unless_nothing_counts

BRIER_PARTS = (np.nan, np.nan, np.nan)


def rows_of(y_proba):
    """Probabilities of all classes, in double precision."""
    p = np.asarray(y_proba).astype(np.float64)
    return np.stack([1 - p, p], axis=1) if p.ndim == 1 else p


def truth_of(y_true, n_classes):
    return np.eye(n_classes)[np.asarray(y_true).astype(int)]


def frequencies(y_true, weight, n_classes):
    return np.average(truth_of(y_true, n_classes), axis=0, weights=weight)


def log_loss(y_true, y_proba, sample_weight=None, *, normalize=True):
    total = unless_nothing_counts(np.nan if normalize else 0.0)(_log_loss)
    return total(y_true, y_proba, sample_weight, normalize=normalize)


def _log_loss(y_true, y_proba, weight, *, normalize=True):
    loss = -np.log(own_probability(y_true, y_proba))
    return weight @ loss / (weight.sum() if normalize else 1)


def own_probability(y_true, y_proba):
    """That of the true class, clipped at the spacing of what came in, which may be integers."""
    p, dtype = rows_of(y_proba), np.asarray(y_proba).dtype
    eps = float(np.finfo(dtype if dtype.kind == "f" else np.float32).eps)
    return np.clip((p * truth_of(y_true, p.shape[1])).sum(axis=1), eps, 1 - eps)


def log_loss_from_logits(y_true, logits, sample_weight=None, *, normalize=True):
    total = unless_nothing_counts(np.nan if normalize else 0.0)(_from_logits)
    return total(y_true, logits, sample_weight, normalize=normalize)


def _from_logits(y_true, logits, weight, *, normalize):
    z = np.asarray(logits).astype(np.float64)
    z = np.stack([np.zeros(len(z)), z], axis=1) if z.ndim == 1 else z
    own = np.where(truth_of(y_true, z.shape[1]), z, 0).sum(axis=1, keepdims=True)
    loss = np.logaddexp.reduce(z - own, axis=1)
    return weight @ loss / (weight.sum() if normalize else 1)


def _entropy(f):
    return -np.sum(f * np.log(f, where=f > 0, out=np.zeros_like(f)))


@unless_nothing_counts(np.nan)
def normalized_entropy(y_true, y_proba, weight):
    entropy = _entropy(frequencies(y_true, weight, rows_of(y_proba).shape[1]))
    return _log_loss(y_true, y_proba, weight) / entropy if entropy > 0 else np.nan


@unless_nothing_counts(np.nan, at_least=2)
def d2_log_loss(y_true, y_proba, weight):
    if len(np.unique(y_true)) == 1:
        certain = np.asarray(y_true).astype(np.asarray(y_proba).dtype)
        return float(_log_loss(y_true, y_proba, weight) == _log_loss(y_true, certain, weight))
    return 1 - normalized_entropy(y_true, y_proba, weight)


@unless_nothing_counts(np.nan)
def brier(y_true, y_proba, weight, *, scale_by_half="auto"):
    p = rows_of(y_proba)
    half = p.shape[1] < 3 if scale_by_half == "auto" else scale_by_half
    squares = np.square(p - truth_of(y_true, p.shape[1])).sum(axis=1)
    return np.average(squares, weights=weight) / (2 if half else 1)


@unless_nothing_counts(np.nan, at_least=2)
def d2_brier(y_true, y_proba, weight):
    f = frequencies(y_true, weight, rows_of(y_proba).shape[1])
    if len(np.unique(y_true)) == 1:
        return float(brier(y_true, y_proba, weight) == 0)
    return 1 - brier(y_true, y_proba, weight, scale_by_half=False) / np.sum(f * (1 - f))


@unless_nothing_counts(np.nan)
def ranked_probability(y_true, y_proba, weight):
    p = rows_of(y_proba)
    gap = np.cumsum(p, axis=1) - np.cumsum(truth_of(y_true, p.shape[1]), axis=1)
    return np.average(np.square(gap[:, :-1]).sum(axis=1), weights=weight)


def bin_of(confidence, weight, n_bins, strategy):
    """The bin of each sample; `confidence` still of the dtype that came in."""
    if strategy == "uniform":
        single = confidence.dtype != np.float64
        edges = (np.arange(1, n_bins) / n_bins).astype(np.float32 if single else np.float64)
        return np.searchsorted(edges, confidence.astype(edges.dtype), side="right")
    values, group = np.unique(confidence, return_inverse=True)
    mass = np.bincount(group, weight, len(values))
    middle = np.cumsum(mass) - mass / 2
    # Sums of multiples of 1/4 are exact, and so is the place of what lies on an edge.
    return np.floor(middle * n_bins / mass.sum()).astype(int)[group]


def bins_of(y_true, y_proba, weight, n_bins, strategy):
    """Weight, frequency of hits and mean confidence of the bins that are not empty."""
    bins = bin_of(y_proba, weight, n_bins, strategy)
    mass = np.bincount(bins, weight, n_bins)
    on = mass > 0
    hits, sure = (
        np.bincount(bins, weight * np.asarray(a).astype(np.float64), n_bins)[on] / mass[on]
        for a in (y_true, y_proba)
    )
    return mass[on], hits, sure


@unless_nothing_counts(np.nan)
def calibration_error(y_true, y_proba, weight, *, multi_class="top_label", **options):
    if y_proba.ndim == 1:
        return _error(y_true, y_proba, weight, **options)
    if multi_class == "top_label":
        right = np.argmax(y_proba, axis=1) == y_true
        return _error(right, y_proba.max(axis=1), weight, **options)
    one_by_one = enumerate(y_proba.T)
    return np.mean([_error(y_true == k, column, weight, **options) for k, column in one_by_one])


def _error(y_true, y_proba, weight, *, norm="l1", n_bins=15, strategy="uniform", debiased=False):
    mass, hits, sure = bins_of(y_true, y_proba, weight, n_bins, strategy)
    if norm == "max":
        return np.max(np.abs(hits - sure))
    power = {"l1": 1, "l2": 2}[norm]
    terms = mass / mass.sum() * np.abs(hits - sure) ** power
    if debiased:
        several = mass > 1
        noise = hits[several] * (1 - hits[several]) / (mass[several] - 1)
        terms = terms[several] - mass[several] / mass.sum() * noise
    return max(terms.sum(), 0) ** (1 / power)


@unless_nothing_counts(BRIER_PARTS)
def brier_decomposition(y_true, y_proba, weight, *, n_bins=15, strategy="uniform"):
    mass, hits, sure = bins_of(y_true, y_proba, weight, n_bins, strategy)
    share, overall = mass / mass.sum(), np.average(y_true.astype(np.float64), weights=weight)
    return (
        share @ np.square(hits - sure),
        share @ np.square(hits - overall),
        overall * (1 - overall),
    )


@unless_nothing_counts(np.nan)
def crps_ensemble(y_true, y_pred, weight, *, fair=False):
    return energy(y_true[:, None], y_pred[:, :, None], weight, fair=fair)


@unless_nothing_counts(np.nan)
def energy(y_true, y_pred, weight, *, fair=False):
    y, x = y_true.astype(np.float64), y_pred.astype(np.float64)
    m = x.shape[1]
    near = np.sqrt(np.square(x - y[:, None]).sum(axis=2)).mean(axis=1)
    wide = sum(np.sqrt(np.square(x - x[:, [j]]).sum(axis=2)).sum(axis=1) for j in range(m))
    return np.average(near - wide / (2 * m * (m - fair)), weights=weight)


@unless_nothing_counts(np.nan)
def crps_quantiles(y_true, y_pred, weight, *, alpha):
    level = np.array(alpha, np.float64)
    error = y_true.astype(np.float64)[:, None] - y_pred.astype(np.float64)
    loss = 2 * np.where(error >= 0, level * error, (level - 1) * error)
    closed = np.pad(loss, ((0, 0), (1, 1)))
    return np.average(np.trapezoid(closed, np.array([0, *level, 1]), axis=1), weights=weight)


def located(score):
    """Mean of score(z, scale)."""

    @unless_nothing_counts(np.nan)
    def oracle(y_true, y_pred, weight, *, scale):
        z = (y_true.astype(np.float64) - y_pred.astype(np.float64)) / scale
        return np.average(score(z, scale), weights=weight)

    return oracle


@located
def crps_normal(z, scale):
    pdf, cdf = stats.norm.pdf(z), stats.norm.cdf(z)
    return scale * (z * (2 * cdf - 1) + 2 * pdf - 1 / np.sqrt(np.pi))


@located
def crps_logistic(z, scale):
    return scale * (z - 2 * stats.logistic.logcdf(z) - 1)


@located
def crps_laplace(z, scale):
    return scale * (np.abs(z) + np.exp(-np.abs(z)) - 0.75)


@located
def gaussian_nll(z, scale):
    return -stats.norm.logpdf(z) + np.log(scale)
