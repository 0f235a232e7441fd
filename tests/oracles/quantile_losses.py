"""References of the losses of quantiles and expectiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracles import unless_nothing_counts


def pinball(error: np.ndarray, alpha: Any, smoothing: float = 0.0) -> np.ndarray:
    """Exact, or of logistic noise: α u + τ log(1 + exp(−u / τ))."""
    if smoothing > 0:
        return alpha * error + smoothing * np.logaddexp(0, -error / smoothing)
    return np.where(error >= 0, alpha * error, (alpha - 1) * error)


@unless_nothing_counts(0.0)
def expectile_loss(y_true, y_pred, weight, *, alpha=0.5):
    u = y_true.astype(np.float64) - y_pred
    return np.average(np.abs(alpha - (u < 0)) * u**2, weights=weight)


@unless_nothing_counts(0.0)
def interval_score_loss(y_true, y_pred, weight, *, alpha=0.05, smoothing=0.0):
    y, ends = y_true.astype(np.float64), y_pred.astype(np.float64)
    low, high = (
        pinball(y - end, level, smoothing)
        for end, level in zip(ends.T, (alpha / 2, 1 - alpha / 2), strict=True)
    )
    return np.average(2 / alpha * (low + high), weights=weight)


@unless_nothing_counts(0.0)
def crps_loss(y_true, y_pred, weight, *, smoothing=0.0):
    members = np.sort(y_pred.astype(np.float64), axis=1)
    levels = (np.arange(members.shape[1]) + 0.5) / members.shape[1]
    losses = 2 * pinball(y_true.astype(np.float64)[:, None] - members, levels, smoothing)
    return np.average(losses.mean(axis=1), weights=weight)
