"""How fast and how exact is the AUC? `python -m benchmarks.curves`"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import sklearn.metrics

import jmetrics
from benchmarks.measure import Row, compare, print_table


def auc_row(name: str, n: int, dtype: str, *, weighted: bool = False) -> Row:
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, n)
    y_score = jnp.asarray(rng.standard_normal(n) + y_true, dtype)
    # The peer gets the same rounded scores, in the type that it computes in.
    y_score_peer = np.asarray(y_score.astype(jnp.float32))
    weight = rng.random(n).astype(np.float32) if weighted else None

    def ours(y_true, y_score, weight):
        return jmetrics.roc_auc_score(y_true, y_score, sample_weight=weight)

    def peer(y_true, y_score, weight):
        return sklearn.metrics.roc_auc_score(y_true, y_score, sample_weight=weight)

    return compare(name, ours, (y_true, y_score, weight), peer, (y_true, y_score_peer, weight))


def main() -> None:
    rows = [
        auc_row(
            f"roc_auc_score {dtype}{', weighted' if weighted else ''}", n, dtype, weighted=weighted
        )
        for n in (10_000, 1_000_000, 10_000_000)
        for dtype, weighted in (("float32", False), ("float32", True), ("bfloat16", False))
    ]
    print_table("AUC", rows, "scikit-learn")


if __name__ == "__main__":
    main()
