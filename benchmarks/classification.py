"""How fast and how exact are the metrics of labels? `python -m benchmarks.classification`"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.metrics

import jmetrics.classification
from benchmarks.measure import Row, compare, print_table

N = 1_000_000


def labels(num_classes: int, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Classes of which 60 % are predicted right, as the integers that NumPy makes.

    The peer gets them as they are; JAX, without x64, holds them in 32 bits.
    """
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, num_classes, n)
    return y_true, np.where(rng.random(n) < 0.6, y_true, rng.integers(0, num_classes, n))


def row(name: str, num_classes: int, *, weighted: bool = False, **options: Any) -> Row:
    y_true, y_pred = labels(num_classes)
    weight = np.random.default_rng(1).random(N).astype(np.float32) if weighted else None
    metric: Callable[..., Any] = getattr(jmetrics.classification, name)
    static = {} if name == "accuracy_score" else {"num_classes": num_classes}

    def ours(y_true, y_pred, weight):
        return metric(y_true, y_pred, sample_weight=weight, **static, **options)

    def peer(y_true, y_pred, weight):
        return getattr(sklearn.metrics, name)(y_true, y_pred, sample_weight=weight, **options)

    title = " ".join([name, str(num_classes), *options.values(), *["weighted"] * weighted])
    return compare(title, ours, (y_true, y_pred, weight), peer, (y_true, y_pred, weight))


def main() -> None:
    rows = [
        row("accuracy_score", 10),
        row("f1_score", 10, average="macro"),
        row("f1_score", 10, average="macro", weighted=True),
        row("f1_score", 1000, average="macro"),
        row("confusion_matrix", 10),
        row("confusion_matrix", 1000),
        row("confusion_matrix", 1000, weighted=True),
        row("matthews_corrcoef", 10),
        row("matthews_corrcoef", 10, weighted=True),
        row("cohen_kappa_score", 10),
        row("cohen_kappa_score", 10, weights="quadratic"),
    ]
    print_table("Labels, number of classes", rows, "scikit-learn")


if __name__ == "__main__":
    main()
