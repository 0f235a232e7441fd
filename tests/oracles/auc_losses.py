"""References of the losses over pairs: every pair compared, in double precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from tests.oracles import unless_nothing_counts

PENALTIES: dict[str, Callable[[np.ndarray, float, float], np.ndarray]] = {
    "squared_hinge": lambda t, margin, _: np.maximum(margin - t, 0) ** 2,
    "hinge": lambda t, margin, _: np.maximum(margin - t, 0),
    "square": lambda t, margin, _: (margin - t) ** 2,
    "logistic": lambda t, _, temperature: np.logaddexp(0, -t / temperature),
    "sigmoid": lambda t, _, temperature: expit(-t / temperature),
    "exponential": lambda t, _, temperature: np.exp(-t / temperature),
    "laplace": lambda t, _, temperature: _laplace(t / temperature),
}


def _laplace(t: np.ndarray) -> np.ndarray:
    tail = np.exp(-np.abs(t)) / 2
    return np.where(t >= 0, tail, 1 - tail)


def penalties(
    s: np.ndarray,
    surrogate: str = "squared_hinge",
    margin: float = 1.0,
    temperature: float = 1.0,
) -> np.ndarray:
    """φ(s_i − s_j) for all i and j."""
    return PENALTIES[surrogate](s[:, None] - s[None], margin, temperature)


def mean_over_pairs(phi: np.ndarray, v: np.ndarray, w: np.ndarray) -> float:
    pairs = v.sum() * w.sum()
    return v @ phi @ w / pairs if pairs else 0.0


@unless_nothing_counts(0.0)
def auc_loss(y_true, y_score, weight, *, surrogate="squared_hinge", **options):
    s = y_score.astype(np.float64)
    v, w = weight * (y_true == 1), weight * (y_true != 1)
    if surrogate == "auc_margin":
        return auc_margin(s, v, w, options.get("margin", 1.0))
    return mean_over_pairs(penalties(s, surrogate, **options), v, w)


def auc_margin(s: np.ndarray, v: np.ndarray, w: np.ndarray, margin: float) -> float:
    """The min-max problem of Yuan et al. over (a, b, α) at its saddle, with α ≥ 0 on a grid."""
    if not (v.sum() and w.sum()):
        return 0.0
    a, b = np.average(s, weights=v), np.average(s, weights=w)
    spread = np.average((s - a) ** 2, weights=v) + np.average((s - b) ** 2, weights=w)
    alpha = max(margin - a + b, 0)
    return spread + 2 * alpha * (margin - a + b) - alpha**2


def lowest_share(s: np.ndarray, weight: np.ndarray, share: float) -> np.ndarray:
    """Weights of the lowest scores up to a share of all weight, tied scores alike."""
    kept, room = np.zeros_like(weight), share * weight.sum()
    for value in np.unique(s):
        tied = np.where(s == value, weight, 0)
        part = np.clip(room / max(tied.sum(), 1e-300), 0, 1)
        kept += part * tied
        room = max(room - tied.sum(), 0)
    return kept


@unless_nothing_counts(0.0)
def partial_auc_loss(y_true, y_score, weight, *, max_fpr=0.1, min_tpr=0.0, **options):
    s = y_score.astype(np.float64)
    v = lowest_share(s, weight * (y_true == 1), 1 - min_tpr)
    w = lowest_share(-s, weight * (y_true != 1), max_fpr)
    return mean_over_pairs(penalties(s, **options), v, w)


@unless_nothing_counts(0.0)
def p_norm_push_loss(y_true, y_score, weight, *, power=4.0, **options):
    s, positive = y_score.astype(np.float64), y_true == 1
    if positive.all() or not positive.any():
        return 0.0
    phi = penalties(s, **options)[positive][:, ~positive]
    height = np.average(phi, weights=weight[positive], axis=0)
    return np.average(height**power, weights=weight[~positive]) ** (1 / power)


@unless_nothing_counts(0.0)
def top_push_loss(y_true, y_score, weight, **options):
    s, positive = y_score.astype(np.float64), y_true == 1
    if positive.all() or not positive.any():
        return 0.0
    top = np.flatnonzero(~positive)[np.argmax(s[~positive])]
    return np.average(penalties(s, **options)[positive, top], weights=weight[positive])


@unless_nothing_counts(0.0)
def group_auc_loss(y_true, y_score, weight, *, group, kind="subgroup", **options):
    s = y_score.astype(np.float64)
    v = weight * (y_true == 1) * (~group if kind == "bpsn" else group)
    w = weight * (y_true != 1) * (~group if kind == "bnsp" else group)
    return mean_over_pairs(penalties(s, **options), v, w)


@unless_nothing_counts(0.0)
def multiclass_auc_loss(y_true, y_score, weight, *, multi_class="ovr", average="macro", **options):
    """Each class against the rest, or each ordered pair of classes on its own."""
    classes = np.unique(y_true).astype(int)
    if classes.size < 2:
        return 0.0
    found, importance = [], []
    for i in classes:
        phi = penalties(y_score[:, i].astype(np.float64), **options)
        v = weight * (y_true == i)
        for j in classes[classes != i] if multi_class == "ovo" else [None]:
            w = weight * (y_true != i if j is None else y_true == j)
            found.append(mean_over_pairs(phi, v, w))
            importance.append(v.sum() if j is None else v.sum() + w.sum())
    return np.average(found, weights=importance if average == "weighted" else None)


@unless_nothing_counts(0.0)
def average_precision_loss(y_true, y_score, weight, *, surrogate="laplace", **options):
    s, positive = y_score.astype(np.float64), y_true == 1
    if positive.all() or not positive.any():
        return 0.0
    phi = penalties(s, surrogate, **options)
    if surrogate == "laplace":
        phi = np.where(s[:, None] == s[None], 1, phi)
    missed = (phi @ (weight * ~positive)) / (phi @ weight)
    return np.average(missed[positive], weights=weight[positive])
