"""How fast and how exact are the metrics of probabilities? `python -m benchmarks.probability`"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import sklearn.metrics

import jmetrics.probability
from benchmarks.measure import Row, compare, print_table

N = 1_000_000


def data(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities in single precision; one column for two classes."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, n_classes, N, dtype=np.int32)
    odds = rng.gamma(1, size=(N, n_classes)) + 0.01
    odds[np.arange(N), y_true] += 2
    p = (odds / odds.sum(axis=1, keepdims=True)).astype(np.float32)
    return y_true, p[:, 1] if n_classes == 2 else p


def row(name: str, n_classes: int, *, weighted: bool = False) -> Row:
    """Compare with the function of that name; the error is against it in double precision."""
    y_true, y_proba = data(n_classes)
    weight = np.random.default_rng(1).random(N, np.float32) if weighted else None
    ours, peer = by_position(jmetrics.probability, name), by_position(sklearn.metrics, name)
    arguments = (y_true, y_proba, weight)
    with warnings.catch_warnings():  # in double precision, rows of rounded numbers miss 1
        warnings.simplefilter("ignore", UserWarning)
        exact = peer(y_true, y_proba.astype(np.float64), weight)
    label = f"{name} {n_classes}{' weighted' if weighted else ''}"
    return compare(label, ours, arguments, peer, arguments, exact=exact)


def by_position(module: ModuleType, name: str) -> Callable[..., Any]:
    metric = getattr(module, name)
    return lambda y_true, y_proba, weight: metric(y_true, y_proba, sample_weight=weight)


def calibration_in_bins(
    y_true: np.ndarray, y_proba: np.ndarray, strategy: str = "uniform"
) -> np.floating:
    """By the definition, with NumPy: scikit-learn does not have it."""
    confidence, hit = y_proba, y_true == 1
    if y_proba.ndim == 2:
        confidence, hit = y_proba.max(axis=1), y_true == y_proba.argmax(axis=1)
    if strategy == "uniform":
        edges = (np.arange(1, 15) / 15).astype(np.float32)
        bins = np.searchsorted(edges, confidence, side="right")
    else:
        _values, group = np.unique(confidence, return_inverse=True)
        mass = np.bincount(group)
        bins = ((2 * np.cumsum(mass) - mass) * 15 // (2 * N))[group]
    gap = np.bincount(bins, hit - confidence.astype(np.float64), 15)
    return np.abs(gap).sum() / N


def calibration_row(name: str, n_classes: int, strategy: str = "uniform") -> Row:
    ours = partial(jmetrics.probability.calibration_error, strategy=strategy)
    peer = partial(calibration_in_bins, strategy=strategy)
    arguments = data(n_classes)
    return compare(f"calibration_error {name}", ours, arguments, peer, arguments)


def main() -> None:
    names = ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score")
    rows = [
        row(name, n_classes, weighted=weighted)
        for name in names
        for n_classes, weighted in ((2, False), (2, True), (10, False), (10, True))
    ]
    print_table("Probabilities, number of classes", rows, "scikit-learn")
    rows = [
        calibration_row("2", 2),
        calibration_row("10", 10),
        calibration_row("2 quantile", 2, "quantile"),
    ]
    print_table("Calibration, number of classes", rows, "NumPy")


if __name__ == "__main__":
    main()
