"""How fast and how exact are the ranking metrics? `python -m benchmarks.ranking`

5,000 lists of 100 items, as rows and as segments. The peers get float64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

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
    ranked = _ranked(y_true, y_score)
    precision = np.cumsum(ranked, axis=1) / np.arange(1, ranked.shape[1] + 1)
    return float(np.mean((precision * ranked).sum(axis=1) / np.maximum(ranked.sum(axis=1), 1)))


def mean_reciprocal_rank(y_true: np.ndarray, y_score: np.ndarray) -> float:
    ranked = _ranked(y_true, y_score)
    return float(np.mean(ranked.any(axis=1) / (1 + ranked.argmax(axis=1))))


def _ranked(y_true: np.ndarray, y_score: np.ndarray) -> np.ndarray:
    return np.take_along_axis(y_true, np.argsort(-y_score, axis=1), axis=1) > 0


class Judged(NamedTuple):
    """A metric, and what gives its value in double precision."""

    name: str
    metric: Callable[..., Any]
    reference: Callable[..., Any]


NDCG_AT_10 = Judged(
    "ndcg_score k=10",
    partial(ranking.ndcg_score, k=10),
    partial(sklearn.metrics.ndcg_score, k=10),
)
EXPONENTIAL_NDCG_AT_10 = Judged(
    "ndcg_score k=10, 2**y - 1",
    partial(ranking.ndcg_score, k=10, gain="exponential"),
    lambda y_true, y_score: sklearn.metrics.ndcg_score(2.0**y_true - 1, y_score, k=10),
)
MAP = Judged("average_precision_at_k", ranking.average_precision_at_k, mean_average_precision)
MRR = Judged("reciprocal_rank", ranking.reciprocal_rank, mean_reciprocal_rank)


def against_sklearn() -> list[Row]:
    rows = rows_of(*NDCG_AT_10)
    rows += rows_of("ndcg_score", ranking.ndcg_score, sklearn.metrics.ndcg_score)
    for name in ("label_ranking_average_precision_score", "label_ranking_loss"):
        rows += rows_of(name, getattr(ranking, name), getattr(sklearn.metrics, name), binary=True)
    return rows


def main() -> None:
    print_table("Lists", against_sklearn(), "scikit-learn")
    print_table("Lists", rows_of(*MAP) + rows_of(*MRR), "NumPy")


if __name__ == "__main__":
    main()
