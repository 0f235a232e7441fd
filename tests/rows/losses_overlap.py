"""Rows of the losses of soft labels."""

from __future__ import annotations

import numpy as np

from jmetrics import losses
from tests.oracles import overlap_losses as oracles
from tests.row import (
    LOSS,
    SMOOTH,
    Arrays,
    Outside,
    Row,
    Variant,
    indicators,
    probabilities,
    scores,
)
from tests.rows.probability import IMPROBABLE, class_probabilities

TRAITS = frozenset({LOSS, SMOOTH})
LABEL = Outside("y_true", 0.5, "`y_true` must be")


def indicator_probabilities(rng: np.random.Generator, n: int) -> Arrays:
    y, guess = indicators(rng, n)
    return y, np.clip(0.2 + 0.5 * guess + rng.normal(0, 0.1, y.shape), 0.02, 0.98)


OVERLAP_LOSSES = (
    Row(
        metric=losses.fbeta_loss,
        make=probabilities,
        oracle=oracles.fbeta_loss,
        traits=TRAITS,
        variants=(Variant({"beta": 2.0}),),
        traced={"beta": (0.5, 2.0), "zero_division": (0.0, 0.5)},
        refused={"average": "samples"},
        outside=(LABEL, IMPROBABLE, Outside("beta", -1.0, "`beta` must not be negative")),
    ),
    Row(
        metric=losses.dice_loss,
        make=indicator_probabilities,
        oracle=oracles.fbeta_loss,
        traits=TRAITS,
        variants=(Variant({"average": "weighted"}),),
        traced={"zero_division": (0.0, 0.5)},
        refused={"average": "binary"},
        outside=(Outside("y_true", 2.0, "indicators must be 0 or 1"), IMPROBABLE),
    ),
    Row(
        metric=losses.jaccard_loss,
        make=class_probabilities,
        oracle=oracles.jaccard_loss,
        traits=TRAITS,
        variants=(Variant({"average": "macro"}),),
        traced={"zero_division": (0.0, 0.5)},
        refused={"average": "binary"},
        outside=(LABEL, IMPROBABLE),
    ),
    Row(
        metric=losses.tversky_loss,
        make=probabilities,
        oracle=oracles.tversky_loss,
        traits=TRAITS,
        traced={"alpha": (0.3, 1.0), "beta": (0.7, 2.0), "zero_division": (0.0, 0.5)},
        refused={"average": "samples"},
        outside=(LABEL, IMPROBABLE, Outside("alpha", -1.0, "`alpha` must not be negative")),
    ),
    Row(
        metric=losses.mcc_loss,
        make=probabilities,
        oracle=oracles.mcc_loss,
        traits=TRAITS,
        outside=(LABEL, IMPROBABLE),
    ),
    Row(
        metric=losses.balanced_accuracy_loss,
        make=class_probabilities,
        oracle=oracles.balanced_accuracy_loss,
        traits=TRAITS,
        outside=(LABEL, IMPROBABLE),
    ),
    Row(
        metric=losses.cohen_kappa_loss,
        make=class_probabilities,
        oracle=oracles.cohen_kappa_loss,
        traits=TRAITS,
        variants=(Variant({"weights": "quadratic"}),),
        traced={"replace_undefined_by": (0.0, 0.5)},
        refused={"weights": "cubic"},
        outside=(LABEL, IMPROBABLE),
    ),
    Row(
        metric=losses.lovasz_hinge_loss,
        make=scores,
        oracle=oracles.lovasz_hinge_loss,
        traits=frozenset({LOSS, SMOOTH}),
        outside=(
            Outside("y_true", 2.0, "`y_true` must be 0 or 1"),
            Outside("y_score", np.nan, "`y_score` must not be NaN"),
        ),
    ),
    Row(
        metric=losses.lovasz_softmax_loss,
        make=probabilities,
        oracle=oracles.lovasz_softmax_loss,
        traits=TRAITS,
        variants=(Variant({"average": "binary"}),),
        refused={"average": "micro"},
        outside=(LABEL, IMPROBABLE),
    ),
)
