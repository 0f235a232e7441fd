"""Metrics of scores over all thresholds, by what they compute."""

from jmetrics.curves.areas import (
    auc as auc,
    average_precision_score as average_precision_score,
    gini as gini,
    roc_auc_score as roc_auc_score,
)
from jmetrics.curves.operating import (
    equal_error_rate as equal_error_rate,
    ks_statistic as ks_statistic,
    precision_at_recall as precision_at_recall,
    recall_at_precision as recall_at_precision,
    sensitivity_at_specificity as sensitivity_at_specificity,
    specificity_at_sensitivity as specificity_at_sensitivity,
)
from jmetrics.curves.rates import (
    det_curve as det_curve,
    precision_recall_curve as precision_recall_curve,
    roc_curve as roc_curve,
)
from jmetrics.curves.thresholds import (
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
    metric_at_thresholds as metric_at_thresholds,
)

__all__ = [
    "auc",
    "average_precision_score",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "equal_error_rate",
    "gini",
    "ks_statistic",
    "metric_at_thresholds",
    "precision_at_recall",
    "precision_recall_curve",
    "recall_at_precision",
    "roc_auc_score",
    "roc_curve",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
]
