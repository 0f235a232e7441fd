"""Rows of the losses."""

from __future__ import annotations

from jmetrics import losses
from tests.oracles import losses as oracles
from tests.row import LOSS, QUADRATIC, SMOOTH, Outside, Row, Variant, log_means, real, scores

BINARY = Outside("y_true", 2.0, "`y_true` must be 0 or 1")
ALPHA = Outside("alpha", 1.5, "`alpha` must be in [0, 1]")
POWER = Outside("power", 0.5, "`power` must be at most 0 or at least 1")

LOSSES = (
    Row(
        losses.auc_loss,
        scores,
        oracles.auc_loss,
        frozenset({LOSS, SMOOTH, QUADRATIC}),
        (Variant({"surrogate": "squared_hinge"}), Variant({"surrogate": "logistic"})),
        traced={"margin": (0.5, 1.5), "temperature": (0.5, 2.0)},
        refused={"surrogate": "hinge"},
        outside=(BINARY,),
    ),
    Row(
        losses.pinball_loss,
        real,
        oracles.pinball_loss,
        frozenset({LOSS, SMOOTH}),
        (Variant(), Variant({"smoothing": 0.5})),
        traced={"alpha": (0.25, 0.9), "smoothing": (0.5, 2.0)},
        outside=(ALPHA, Outside("smoothing", -1.0, "`smoothing` must not be negative")),
    ),
    Row(
        losses.tweedie_loss,
        log_means,
        oracles.tweedie_loss,
        frozenset({LOSS, SMOOTH}),
        traced={"power": (1.25, 1.75)},
        outside=(Outside("y_true", -1.0, "`y_true` non-negative"), POWER),
    ),
)
