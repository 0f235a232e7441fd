"""Pictures of curves, calibration, errors and intervals, with matplotlib (extra `plot`).

Every function takes arrays or a result, an optional `ax` to draw on, and returns it.
"""

from jmetrics.plot.calibration import (
    calibration_curve as calibration_curve,
    quantile_coverage as quantile_coverage,
)
from jmetrics.plot.curves import (
    det_curve as det_curve,
    precision_recall_curve as precision_recall_curve,
    roc_curve as roc_curve,
)
from jmetrics.plot.gains import gain_curve as gain_curve, lift_curve as lift_curve
from jmetrics.plot.intervals import forest as forest, ndcg_at_k as ndcg_at_k
from jmetrics.plot.labels import confusion_matrix as confusion_matrix
from jmetrics.plot.residuals import residuals as residuals

__all__ = [
    "calibration_curve",
    "confusion_matrix",
    "det_curve",
    "forest",
    "gain_curve",
    "lift_curve",
    "ndcg_at_k",
    "precision_recall_curve",
    "quantile_coverage",
    "residuals",
    "roc_curve",
]
