"""How fast and how exact are the regression metrics? `python -m benchmarks.regression`

The peer gets float64, which is what it computes in and what NumPy makes; with float32 arrays
it is up to four times faster than here and less exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.stats
import sklearn.metrics

import jmetrics
from benchmarks.measure import Row, compare, print_table

N = 1_000_000


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y_true = rng.gamma(2.0, 1.0, N).astype(np.float32)
    y_pred = (y_true * np.exp(0.3 * rng.standard_normal(N))).astype(np.float32)
    return y_true, y_pred, rng.random(N).astype(np.float32)


def row(name: str, peer: Callable[..., Any], *, weighted: bool = False, **options: Any) -> Row:
    y_true, y_pred, weight = data()
    ours = partial(getattr(jmetrics, name), **options)
    label = name + "".join(f" {value}" for value in options.values()) + ", weighted" * weighted

    def call(metric, y_true, y_pred, weight):
        return metric(y_true, y_pred, sample_weight=weight) if weighted else metric(y_true, y_pred)

    wide = tuple(a.astype(np.float64) for a in (y_true, y_pred, weight))
    return compare(label, partial(call, ours), (y_true, y_pred, weight), partial(call, peer), wide)


def sklearn_row(name: str, *, weighted: bool = False, **options: Any) -> Row:
    peer = partial(getattr(sklearn.metrics, name), **options)
    return row(name, peer, weighted=weighted, **options)


def main() -> None:
    elementwise = (
        "mean_squared_error",
        "mean_absolute_error",
        "root_mean_squared_error",
        "mean_absolute_percentage_error",
        "mean_squared_log_error",
        "r2_score",
        "explained_variance_score",
        "max_error",
    )
    rows = [sklearn_row(name) for name in elementwise]
    rows += [
        sklearn_row("mean_squared_error", weighted=True),
        sklearn_row("r2_score", weighted=True),
    ]
    rows += [sklearn_row("mean_pinball_loss", alpha=0.9)]
    rows += [sklearn_row("mean_tweedie_deviance", power=power) for power in (1.0, 1.5, 2.0)]
    rows += [sklearn_row("median_absolute_error", weighted=weighted) for weighted in (False, True)]
    rows += [sklearn_row("d2_absolute_error_score")]
    print_table("Regression", rows, "scikit-learn")
    rows = [
        row("pearson_corrcoef", lambda a, b: scipy.stats.pearsonr(a, b).statistic),
        row("spearman_corrcoef", lambda a, b: scipy.stats.spearmanr(a, b).statistic),
        row("kendall_tau", lambda a, b: scipy.stats.kendalltau(a, b).statistic),
    ]
    print_table("Correlations", rows, "scipy")


if __name__ == "__main__":
    main()
