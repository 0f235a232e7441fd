"""References of the losses of the Tweedie family."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn import metrics as sk

from tests.oracles import from_sklearn, unless_nothing_counts

LINKS: dict[str, Callable[..., np.ndarray]] = {
    "log": np.exp,
    "softplus": lambda x: np.logaddexp(0, x),
    "identity": lambda x: x,
}


def tweedie_loss(y_true, y_pred, sample_weight=None, *, power=1.5, link="log", floor=1e-6):
    mu = LINKS[link](np.asarray(y_pred, np.float64))
    scored = from_sklearn(sk.mean_tweedie_deviance, undefined=0.0)
    return scored(y_true, mu, sample_weight, power=power)


@unless_nothing_counts(0.0)
def tweedie_nll(y_true, y_pred, weight, *, power=1.5):
    y, eta = y_true.astype(np.float64), y_pred.astype(np.float64)
    terms = np.exp((2 - power) * eta) / (2 - power) - y * np.exp((1 - power) * eta) / (1 - power)
    return np.average(terms, weights=weight)
