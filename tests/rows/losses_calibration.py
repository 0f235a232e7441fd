"""Row of the calibration error of soft bins."""

from __future__ import annotations

from jmetrics import losses
from tests.oracles import calibration_losses as oracles
from tests.row import LOSS, SMOOTH, Outside, Row, Variant
from tests.rows.probability import IMPROBABLE, misplaced

CALIBRATION_LOSSES = (
    Row(
        metric=losses.calibration_error_loss,
        make=misplaced,
        oracle=oracles.calibration_error_loss,
        traits=frozenset({LOSS, SMOOTH}),
        variants=(Variant({"norm": "l2", "n_bins": 5}),),
        traced={"temperature": (0.01, 0.1)},
        refused={"norm": "max", "multi_class": "ovr", "n_bins": 0},
        outside=(
            Outside("y_true", 0.5, "`y_true` must be"),
            IMPROBABLE,
            Outside("temperature", 0.0, "`temperature` must be positive"),
        ),
    ),
)
