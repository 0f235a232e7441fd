"""Rows of the losses of lists. The samples of the laws are lists here, all of one length."""

from __future__ import annotations

from typing import Any

import numpy as np

from jmetrics import losses
from tests.oracles import list_losses as oracles
from tests.row import LOSS, QUADRATIC, SMOOTH, Arrays, Outside, Row, Variant
from tests.rows.probability import class_logits

SIZE = 4
TRAITS = frozenset({LOSS, SMOOTH, QUADRATIC})
NOT_NAN = Outside("y_score", np.nan, "`y_score` must not be NaN")
UNKNOWN = Outside("y_true", np.nan, "`y_true` must not be NaN")
NEGATIVE = Outside("y_true", -1.0, "`y_true` must not be negative")
COLD = Outside("temperature", 0.0, "`temperature` must be positive")
WRONG: dict[str, Any] = {"average": "macro", "num_segments": 3}
TEMPERATURE = {"temperature": (0.5, 2.0)}


def untied(rng: np.random.Generator, n: int) -> Arrays:
    """Few grades, and scores of many digits; some lists have no grade."""
    y = rng.choice(4, p=[0.5, 0.25, 0.15, 0.1], size=(n, SIZE))
    y[:2] = [3, 0, 1, 0]
    return y, 0.5 * y + rng.normal(0, 1, (n, SIZE))


def of_lists(loss: Any, formula: oracles.Formula, *, label: Outside = NEGATIVE, **row: Any) -> Row:
    row = {"refused": WRONG, "traced": TEMPERATURE, "outside": (NOT_NAN, label, COLD), **row}
    return Row(
        metric=loss, make=untied, oracle=oracles.mean_over_lists(formula), traits=TRAITS, **row
    )


LIST_LOSSES = (
    of_lists(
        losses.approx_ndcg_loss,
        oracles.approx_ndcg,
        variants=(Variant({"gain": "exponential"}),),
        refused={**WRONG, "kernel": "cubic", "gain": "cubic"},
    ),
    of_lists(
        losses.approx_mrr_loss,
        oracles.approx_mrr,
        label=UNKNOWN,
        refused={**WRONG, "kernel": "cubic"},
        traced={**TEMPERATURE, "relevance_threshold": (1.0, 2.0)},
    ),
    of_lists(
        losses.approx_average_precision_loss,
        oracles.approx_average_precision,
        label=UNKNOWN,
        variants=(Variant({"kernel": "logistic"}),),
        refused={**WRONG, "kernel": "cubic"},
        traced={**TEMPERATURE, "relevance_threshold": (1.0, 2.0)},
    ),
    of_lists(losses.pairwise_logistic_loss, oracles.pairwise_logistic, label=UNKNOWN),
    of_lists(
        losses.pairwise_hinge_loss,
        oracles.pairwise_hinge,
        traced={"margin": (0.5, 2.0)},
        outside=(NOT_NAN, UNKNOWN),
    ),
    of_lists(
        losses.lambda_loss,
        oracles.lambda_loss,
        refused={**WRONG, "scheme": "ndcg_loss3", "gain": "cubic"},
        traced={**TEMPERATURE, "mu": (0.0, 5.0)},
    ),
    of_lists(losses.softmax_loss, oracles.softmax),
    of_lists(losses.listmle_loss, oracles.listmle, label=UNKNOWN),
    of_lists(
        losses.neural_ndcg_loss,
        oracles.neural_ndcg,
        refused={**WRONG, "gain": "cubic"},
    ),
    Row(
        metric=losses.soft_top_k_accuracy_loss,
        make=class_logits,
        oracle=oracles.soft_top_k_accuracy_loss,
        traits=frozenset({LOSS, SMOOTH}),
        traced=TEMPERATURE,
        refused={"k": 0},
        outside=(NOT_NAN, Outside("y_true", 3.0, "`y_true` must be a class from 0 to 2"), COLD),
    ),
)
