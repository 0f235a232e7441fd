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
        metric=losses.expectile_loss,
        make=real,
        oracle=oracles.expectile_loss,
        traits=TRAITS,
        traced={"alpha": (0.25, 0.9)},
        outside=(Outside("alpha", 1.5, "`alpha` must be in [0, 1]"),),
    ),
    Row(
        metric=losses.interval_score_loss,
        make=intervals,
        oracle=oracles.interval_score_loss,
        traits=TRAITS,
        variants=(Variant({"smoothing": 0.5}),),
        traced={"alpha": (0.05, 0.5), "smoothing": (0.5, 2.0)},
        refused={"kernel": "cubic"},
        outside=(Outside("alpha", 1.5, "`alpha` must be in (0, 1]"), COLD),
    ),
    Row(
        metric=losses.crps_loss,
        make=ensembles,
        oracle=oracles.crps_loss,
        traits=TRAITS,
        variants=(Variant({"smoothing": 0.5}),),
        traced={"smoothing": (0.5, 2.0)},
        refused={"kernel": "cubic"},
        outside=(COLD,),
    ),
)
