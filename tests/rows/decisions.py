"""Rows of the metrics of labels, probabilities and scores."""

from __future__ import annotations

import numpy as np

import jmetrics
from tests.oracles import decisions as oracles
from tests.row import (
    PROBABILITIES,
    SMOOTH,
    STEPS,
    TOTAL,
    Outside,
    Row,
    Variant,
    classes,
    indicators,
    probabilities,
    tied_scores,
)

BINARY = Outside("y_true", 2.0, "`y_true` must be 0 or 1")

DECISIONS = (
    Row(
        jmetrics.accuracy_score,
        classes,
        oracles.accuracy,
        frozenset({STEPS}),
        (
            Variant(),
            Variant({"normalize": False}, indicators, frozenset({TOTAL})),
        ),
        outside=(
            Outside("y_true", 0.5, "labels must be whole numbers"),
            Outside("y_pred", 0.5, "labels must be whole numbers"),
        ),
    ),
    Row(
        jmetrics.log_loss,
        probabilities,
        oracles.log_loss,
        frozenset({SMOOTH, PROBABILITIES}),
        (Variant(), Variant({"normalize": False}, add=frozenset({TOTAL}))),
        outside=(Outside("y_proba", 1.5, "`y_proba` must be probabilities"), BINARY),
    ),
    Row(
        jmetrics.roc_auc_score,
        tied_scores,
        oracles.roc_auc,
        frozenset({STEPS}),
        outside=(BINARY, Outside("y_score", np.nan, "`y_score` must not be NaN")),
    ),
)
