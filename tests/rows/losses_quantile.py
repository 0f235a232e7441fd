"""Rows of the losses of expectiles, intervals and distributions."""

from __future__ import annotations

from jmetrics import losses
from tests.oracles import quantile_losses as oracles
from tests.row import LOSS, SMOOTH, Outside, Row, Variant, intervals, real
from tests.rows.probability import ensembles

TRAITS = frozenset({LOSS, SMOOTH})
COLD = Outside("smoothing", -1.0, "`smoothing` must not be negative")

QUANTILE_LOSSES = (
    Row(
        losses.expectile_loss,
        real,
        oracles.expectile_loss,
        TRAITS,
        traced={"alpha": (0.25, 0.9)},
        outside=(Outside("alpha", 1.5, "`alpha` must be in [0, 1]"),),
    ),
    Row(
        losses.interval_score_loss,
        intervals,
        oracles.interval_score_loss,
        TRAITS,
        (Variant({"smoothing": 0.5}),),
        traced={"alpha": (0.05, 0.5), "smoothing": (0.5, 2.0)},
        refused={"kernel": "cubic"},
        outside=(Outside("alpha", 1.5, "`alpha` must be in (0, 1]"), COLD),
    ),
    Row(
        losses.crps_loss,
        ensembles,
        oracles.crps_loss,
        TRAITS,
        (Variant({"smoothing": 0.5}),),
        traced={"smoothing": (0.5, 2.0)},
        refused={"kernel": "cubic"},
        outside=(COLD,),
    ),
)
