"""References of the losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics as sk

from tests.oracles import Oracle, from_sklearn, unless_nothing_counts


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
