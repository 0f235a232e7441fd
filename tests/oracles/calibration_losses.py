"""Reference of the calibration error of soft bins."""

from __future__ import annotations

import numpy as np

from tests.oracles import unless_nothing_counts


@unless_nothing_counts(0.0)
def calibration_error_loss(y_true, y_proba, weight, *, norm="l1", n_bins=15, temperature=0.01):
    p = y_proba.astype(np.float64)
    centre = (np.arange(n_bins) + 0.5) / n_bins
    share = np.exp(-((p[:, None] - centre) ** 2) / temperature)
    share *= (weight / share.sum(axis=1))[:, None]
    mass, gap = share.sum(axis=0), (y_true - p) @ share
    error = np.abs(gap / mass) if norm == "l1" else (gap / mass) ** 2
    value = np.average(error, weights=mass)
    return value if norm == "l1" else np.sqrt(value)
