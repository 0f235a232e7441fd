"""How fast and how exact are the ranking metrics? `python -m benchmarks.ranking`

5,000 lists of 100 items, as rows and as segments. The peers get float64. ranx gets its own
typed structures, built beforehand; pass `--ranx` where it is installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.metrics

from benchmarks.measure import Row, compare, print_table
from jmetrics import ranking

LISTS, SIZE = 5_000, 100


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    grades = rng.choice(5, p=[0.8, 0.1, 0.05, 0.03, 0.02], size=(LISTS, SIZE))
    scores = 0.5 * grades + rng.normal(size=grades.shape)
    return grades.astype(np.float32), scores.astype(np.float32)


def flattened(metric: Callable[..., Any]) -> Callable[..., Any]:
    """The same lists as segments of a flat array."""

    def flat(y_true: Any, y_score: Any, segments: Any) -> Any:
        return metric(y_true, y_score, segment_ids=segments, num_segments=LISTS)

    return flat


def rows_of(
    name: str, metric: Callable[..., Any], peer: Callable[..., Any], *, binary: bool = False
) -> list[Row]:
    grades, scores = data()
    grades = (grades >= 1).astype(np.float32) if binary else grades
    wide = grades.astype(np.float64), scores.astype(np.float64)
    flat = grades.ravel(), scores.ravel(), np.repeat(np.arange(LISTS, dtype=np.int32), SIZE)
    return [
        compare(name, metric, (grades, scores), peer, wide),
        compare(f"{name}, flat", flattened(metric), flat, peer, wide),
    ]


def mean_average_precision(y_true: np.ndarray, y_score: np.ndarray) -> float:
    """With NumPy; scikit-learn has no mean over lists."""
    ranked = np.take_along_axis(y_true, np.argsort(-y_score, axis=1), axis=1) > 0
    precision = np.cumsum(ranked, axis=1) / np.arange(1, ranked.shape[1] + 1)
    return float(np.mean((precision * ranked).sum(axis=1) / np.maximum(ranked.sum(axis=1), 1)))


def against_sklearn() -> list[Row]:
    ndcg = partial(sklearn.metrics.ndcg_score, k=10)
    rows = rows_of("ndcg_score k=10", partial(ranking.ndcg_score, k=10), ndcg)
    rows += rows_of("ndcg_score", ranking.ndcg_score, sklearn.metrics.ndcg_score)
    for name in ("label_ranking_average_precision_score", "label_ranking_loss"):
        rows += rows_of(name, getattr(ranking, name), getattr(sklearn.metrics, name), binary=True)
    return rows


def against_numpy() -> list[Row]:
    return rows_of("average_precision_at_k", ranking.average_precision_at_k, mean_average_precision)


def against_ranx() -> list[Row]:
    import ranx

    grades, scores = data()
    queries, items = ([str(i) for i in range(n)] for n in (LISTS, SIZE))
    tables = [
        {q: dict(zip(items, row.tolist(), strict=True)) for q, row in zip(queries, a, strict=True)}
        for a in (grades.astype(int), scores)
    ]
    qrels, run = ranx.Qrels(tables[0]), ranx.Run(tables[1])
    rows = []
    for name, metric in (
        ("ndcg@10", partial(ranking.ndcg_score, k=10)),
        ("map", ranking.average_precision_at_k),
    ):

        def peer(metric_name: str = name) -> Any:
            return ranx.evaluate(qrels, run, metric_name, make_comparable=False)

        peer()  # compiles
        rows.append(compare(name, metric, (grades, scores), peer, ()))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranx", action="store_true")
    print_table("Lists", against_sklearn(), "scikit-learn")
    print_table("Lists", against_numpy(), "NumPy")
    if parser.parse_args().ranx:
        print_table("Lists", against_ranx(), "ranx")


if __name__ == "__main__":
    main()
