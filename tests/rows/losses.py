"""Rows of the losses."""

from __future__ import annotations

from jmetrics import losses
from tests.oracles import losses as oracles
from tests.row import LOSS, SMOOTH, Outside, Row, Variant, log_means, real
from tests.rows.losses_auc import AUC_LOSSES
from tests.rows.losses_calibration import CALIBRATION_LOSSES
from tests.rows.losses_deviance import DEVIANCE_LOSSES
from tests.rows.losses_lists import LIST_LOSSES
from tests.rows.losses_overlap import OVERLAP_LOSSES
from tests.rows.losses_quantile import QUANTILE_LOSSES

ALPHA = Outside("alpha", 1.5, "`alpha` must be in [0, 1]")
POWER = Outside("power", 0.5, "`power` must be at most 0 or at least 1")

LOSSES = (
    Row(
        metric=losses.pinball_loss,
        make=real,
        oracle=oracles.pinball_loss,
        traits=frozenset({LOSS, SMOOTH}),
        variants=(Variant(), Variant({"smoothing": 0.5})),
        traced={"alpha": (0.25, 0.9), "smoothing": (0.5, 2.0)},
        refused={"kernel": "cubic"},
        outside=(ALPHA, Outside("smoothing", -1.0, "`smoothing` must not be negative")),
    ),
    Row(
        metric=losses.tweedie_loss,
        make=log_means,
        oracle=oracles.tweedie_loss,
        traits=frozenset({LOSS, SMOOTH}),
        traced={"power": (1.25, 1.75), "floor": (1e-6, 1e-3)},
        refused={"link": "probit"},
        outside=(Outside("y_true", -1.0, "`y_true` non-negative"), POWER),
    ),
    *AUC_LOSSES,
    *QUANTILE_LOSSES,
    *DEVIANCE_LOSSES,
    *OVERLAP_LOSSES,
    *CALIBRATION_LOSSES,
    *LIST_LOSSES,
)
