"""References of the losses."""

from __future__ import annotations

import numpy as np
from sklearn import metrics as sk

from tests.oracles import from_sklearn, unless_nothing_counts


@unless_nothing_counts(0.0)
def pinball_loss(y_true, y_pred, weight, *, alpha=0.5, smoothing=0.0):
    u = y_true.astype(np.float64) - y_pred.astype(np.float64)
    loss = np.where(u >= 0, alpha * u, (alpha - 1) * u)
    if smoothing > 0:
        loss = alpha * u + smoothing * np.logaddexp(0, -u / smoothing)
    return np.average(loss, weights=weight)


def tweedie_loss(y_true, y_pred, sample_weight=None, *, power=1.5, floor=1e-6):
    mu = np.exp(np.asarray(y_pred, np.float64))
    scored = from_sklearn(sk.mean_tweedie_deviance, undefined=0.0)
    return scored(y_true, mu, sample_weight, power=power)
