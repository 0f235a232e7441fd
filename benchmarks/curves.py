"""How fast and how exact are areas and curves? `python -m benchmarks.curves [n ...]`"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import sklearn.metrics

import jmetrics.curves
from benchmarks.measure import Row, compare, print_table

SIZES = (1_000_000, 10_000_000)


def scores(n: int, dtype: str, *, weighted: bool = False) -> tuple[Any, ...]:
    """Labels, scores, those that the peer gets, and weights.

    The peer gets the same rounded scores, in the type that it computes in.
    """
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, n)
    y_score = jnp.asarray(rng.standard_normal(n) + y_true, dtype)
    weight = rng.random(n).astype(np.float32) if weighted else None
    return y_true, y_score, np.asarray(y_score.astype(jnp.float32)), weight


def row(
    name: str, n: int, dtype: str = "float32", *, weighted: bool = False, **options: Any
) -> Row:
    y_true, y_score, peer_score, weight = scores(n, dtype, weighted=weighted)
    metric: Callable[..., Any] = getattr(jmetrics.curves, name)
    reference: Callable[..., Any] = getattr(sklearn.metrics, name)

    def ours(y_true, y_score, weight):
        return summary(metric(y_true, y_score, sample_weight=weight, **options))

    def peer(y_true, y_score, weight):
        return summary(reference(y_true, y_score, sample_weight=weight, **options))

    short = " ".join([name.removesuffix("_score"), dtype, *["weighted"] * weighted])
    title = " ".join([short, *options])
    rounds = 3 if n > 1_000_000 else 5
    return compare(
        title, ours, (y_true, y_score, weight), peer, (y_true, peer_score, weight), rounds=rounds
    )


def summary(value: Any) -> Any:
    """An area, or that under the first two arrays of a curve."""
    if not isinstance(value, tuple):
        return value
    x, y = value[:2]
    backend = jnp if isinstance(x, jnp.ndarray) else np
    return abs(backend.sum(backend.diff(x) * (y[1:] + y[:-1])) / 2)


def classes_row(n: int, num_classes: int, **options: Any) -> Row:
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, num_classes, n)
    logits = rng.standard_normal((n, num_classes)) + 2 * np.eye(num_classes)[y_true]
    y_score = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    y_score = y_score.astype(np.float32)

    def ours(y_true, y_score):
        return jmetrics.curves.roc_auc_score(y_true, y_score, **options)

    def peer(y_true, y_score):
        return sklearn.metrics.roc_auc_score(y_true, y_score, **options)

    title = f"roc_auc {' '.join(options.values())} {num_classes} classes"
    return compare(title, ours, (y_true, y_score), peer, (y_true, y_score), rounds=3)


def areas(n: int) -> list[Row]:
    return [
        row("roc_auc_score", n),
        row("roc_auc_score", n, weighted=True),
        row("roc_auc_score", n, "bfloat16"),
        row("roc_auc_score", n, max_fpr=0.1),
        row("average_precision_score", n),
        row("average_precision_score", n, weighted=True),
        row("average_precision_score", n, "bfloat16"),
    ]


def curves(n: int) -> list[Row]:
    return [
        row("roc_curve", n),
        row("roc_curve", n, weighted=True),
        row("roc_curve", n, "bfloat16"),
        row("precision_recall_curve", n),
        row("det_curve", n),
    ]


def main() -> None:
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    for n in sizes:
        print_table(f"Areas, arrays of {n * 4 / 2**20:.1f} MB", areas(n), "scikit-learn")
    for n in sizes:
        print_table(f"Curves, arrays of {n * 4 / 2**20:.1f} MB", curves(n), "scikit-learn")
    rows = [
        classes_row(100_000, num_classes, multi_class=how, average="macro")
        for num_classes in (10, 50)
        for how in ("ovr", "ovo")
    ]
    print_table("Classes", rows, "scikit-learn")


if __name__ == "__main__":
    main()
