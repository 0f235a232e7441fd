"""Rows of the ranking metrics. The samples of the laws are lists here, all of one length."""

from __future__ import annotations

from typing import Any

import numpy as np

from jmetrics import ranking
from tests.oracles import ranking as oracles
from tests.row import STEPS, Arrays, Outside, Row, Variant

SIZE = 4
NOT_NAN = Outside("y_score", np.nan, "`y_score` must not be NaN")
UNKNOWN = Outside("y_true", np.nan, "`y_true` must not be NaN")
BINARY = Outside("y_true", 2.0, "`y_true` must be 0 or 1")
WRONG: dict[str, Any] = {"average": "macro", "empty": "none", "num_segments": 3}
TIES = {**WRONG, "ties": "random"}
THRESHOLD = {"relevance_threshold": (1.0, 2.0)}


def graded(rng: np.random.Generator, n: int) -> Arrays:
    """Few grades and scores, so that there are ties of all kinds; some lists have no grade."""
    y = rng.choice(4, p=[0.5, 0.25, 0.15, 0.1], size=(n, SIZE))
    return y, (rng.integers(0, 4, (n, SIZE)) + y) / 4


def binary(rng: np.random.Generator, n: int) -> Arrays:
    y, scores = graded(rng, n)
    return y > 0, scores


def by_threshold(metric: Any, formula: oracles.Formula, *variants: dict, **row: Any) -> Row:
    """A metric of graded labels, of which those from a threshold are relevant."""
    fixed = {"relevance_threshold": 1.0, **row.pop("fixed", {})}
    row = {"refused": TIES, "traced": THRESHOLD, "outside": (NOT_NAN, UNKNOWN), **row}
    options = tuple(Variant(options) for options in variants)
    oracle = row.pop("oracle", None) or oracles.over_lists(formula, **fixed)
    return Row(
        metric=metric,
        make=graded,
        oracle=oracle,
        traits=frozenset({STEPS}),
        variants=options,
        **row,
    )


def at_k(metric: Any, formula: oracles.Formula, *variants: dict, **row: Any) -> Row:
    return by_threshold(
        metric, formula, {"k": 2}, *variants, **{"refused": {**TIES, "k": 0}, **row}
    )


RANKING = (
    Row(
        metric=ranking.dcg_score,
        make=graded,
        oracle=oracles.over_lists(oracles.dcg),
        traits=frozenset({STEPS}),
        variants=(Variant(), Variant({"k": 2, "gain": "exponential", "ties": "stable"})),
        traced={"log_base": (2.0, 3.0)},
        refused={"average": "macro", "ties": "random", "k": 0, "gain": "cubic"},
        outside=(NOT_NAN, UNKNOWN, Outside("log_base", 1.0, "`log_base` must be positive")),
    ),
    Row(
        metric=ranking.ndcg_score,
        make=graded,
        oracle=oracles.over_lists(oracles.ndcg),
        traits=frozenset({STEPS}),
        variants=(Variant({"k": (2, 3)}), Variant({"gain": "exponential", "ties": "pessimistic"})),
        refused={**TIES, "k": 0, "gain": "cubic"},
        outside=(NOT_NAN, Outside("y_true", -1.0, "`y_true` must not be negative")),
    ),
    at_k(
        ranking.rank_biased_precision,
        oracles.rank_biased,
        traced={**THRESHOLD, "persistence": (0.5, 0.9)},
        outside=(NOT_NAN, UNKNOWN, Outside("persistence", 1.0, "`persistence` must be in [0, 1)")),
    ),
    Row(
        metric=ranking.expected_reciprocal_rank,
        make=graded,
        oracle=oracles.over_lists(oracles.cascade, ties="pessimistic"),
        traits=frozenset({STEPS}),
        variants=(Variant(), Variant({"k": 2, "ties": "optimistic"})),
        traced={"max_grade": (4.0, 5.0)},
        refused={**WRONG, "ties": "average"},
        outside=(NOT_NAN, Outside("y_true", 5.0, "`y_true` must be in [0, `max_grade`]")),
    ),
    at_k(ranking.precision_at_k, oracles.precision, {"k": 5, "denominator": "min"}),
    at_k(ranking.recall_at_k, oracles.recall),
    at_k(ranking.f1_at_k, oracles.f1),
    at_k(ranking.hit_rate_at_k, oracles.hit),
    at_k(ranking.fall_out_at_k, oracles.fall_out, fixed={"has_value": oracles.others}),
    by_threshold(ranking.r_precision, oracles.r_precision, {"ties": "average"}),
    at_k(ranking.reciprocal_rank, oracles.reciprocal),
    at_k(
        ranking.average_precision_at_k,
        oracles.average_precision,
        {"k": 3, "denominator": "hits", "ties": "stable"},
        refused={**TIES, "denominator": "all"},
    ),
    by_threshold(
        ranking.geometric_mean_average_precision,
        oracles.average_precision,
        {"ties": "average"},
        oracle=oracles.geometric,
        traced={**THRESHOLD, "floor": (0.01, 0.1)},
        refused={"empty": "none", "ties": "random"},
        outside=(NOT_NAN, UNKNOWN, Outside("floor", 0.0, "`floor` must be positive")),
    ),
    by_threshold(ranking.bpref, oracles.bpref, {"ties": "average"}),
    by_threshold(
        ranking.interpolated_precision,
        oracles.interpolated,
        {"ties": "pessimistic"},
        refused={**WRONG, "ties": "average"},
    ),
    by_threshold(
        ranking.eleven_point_average_precision,
        oracles.eleven_point,
        {"ties": "optimistic"},
        refused={**WRONG, "ties": "average"},
    ),
    *(
        Row(
            metric=metric,
            make=binary,
            oracle=oracle,
            traits=frozenset({STEPS}),
            refused=WRONG,
            outside=(NOT_NAN, BINARY),
        )
        for metric, oracle in (
            (ranking.coverage_error, oracles.coverage),
            (ranking.label_ranking_loss, oracles.ranking_loss),
            (ranking.label_ranking_average_precision_score, oracles.label_precision),
        )
    ),
)
