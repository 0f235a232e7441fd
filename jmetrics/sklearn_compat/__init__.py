"""Scikit-learn's metrics under their names and signatures, computed by the core.

Labels may be numbers, strings, booleans or objects, in lists, NumPy or JAX arrays, or columns of
data frames. Results are Python floats and NumPy arrays, computed in float64 whatever the dtype of
the input, except that the clipping of probabilities follows their dtype. Samples of zero weight
are treated as absent. Messages of errors and warnings are not scikit-learn's, their classes are.

What else `sklearn.metrics` has, such as `make_scorer`, is passed on if scikit-learn is installed.
"""

import importlib
from typing import Any

from jmetrics.sklearn_compat._params import InvalidParameterError as InvalidParameterError
from jmetrics.sklearn_compat._warn import UndefinedMetricWarning as UndefinedMetricWarning
from jmetrics.sklearn_compat.areas import (
    average_precision_score as average_precision_score,
    roc_auc_score as roc_auc_score,
)
from jmetrics.sklearn_compat.curves import (
    auc as auc,
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
    det_curve as det_curve,
    metric_at_thresholds as metric_at_thresholds,
    precision_recall_curve as precision_recall_curve,
    roc_curve as roc_curve,
)
from jmetrics.sklearn_compat.decisions import (
    hinge_loss as hinge_loss,
    top_k_accuracy_score as top_k_accuracy_score,
)
from jmetrics.sklearn_compat.labels import (
    accuracy_score as accuracy_score,
    balanced_accuracy_score as balanced_accuracy_score,
    class_likelihood_ratios as class_likelihood_ratios,
    cohen_kappa_score as cohen_kappa_score,
    confusion_matrix as confusion_matrix,
    hamming_loss as hamming_loss,
    matthews_corrcoef as matthews_corrcoef,
    multilabel_confusion_matrix as multilabel_confusion_matrix,
    zero_one_loss as zero_one_loss,
)
from jmetrics.sklearn_compat.overlap import (
    f1_score as f1_score,
    fbeta_score as fbeta_score,
    jaccard_score as jaccard_score,
    precision_recall_fscore_support as precision_recall_fscore_support,
    precision_score as precision_score,
    recall_score as recall_score,
)
from jmetrics.sklearn_compat.probability import (
    brier_score_loss as brier_score_loss,
    d2_brier_score as d2_brier_score,
    d2_log_loss_score as d2_log_loss_score,
    log_loss as log_loss,
)
from jmetrics.sklearn_compat.ranking import (
    coverage_error as coverage_error,
    dcg_score as dcg_score,
    label_ranking_average_precision_score as label_ranking_average_precision_score,
    label_ranking_loss as label_ranking_loss,
    ndcg_score as ndcg_score,
)
from jmetrics.sklearn_compat.regression import (
    d2_absolute_error_score as d2_absolute_error_score,
    d2_pinball_score as d2_pinball_score,
    d2_tweedie_score as d2_tweedie_score,
    explained_variance_score as explained_variance_score,
    max_error as max_error,
    mean_absolute_error as mean_absolute_error,
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_gamma_deviance as mean_gamma_deviance,
    mean_pinball_loss as mean_pinball_loss,
    mean_poisson_deviance as mean_poisson_deviance,
    mean_squared_error as mean_squared_error,
    mean_squared_log_error as mean_squared_log_error,
    mean_tweedie_deviance as mean_tweedie_deviance,
    median_absolute_error as median_absolute_error,
    r2_score as r2_score,
    root_mean_squared_error as root_mean_squared_error,
    root_mean_squared_log_error as root_mean_squared_log_error,
)
from jmetrics.sklearn_compat.report import classification_report as classification_report

__all__ = [
    "InvalidParameterError",
    "UndefinedMetricWarning",
    "accuracy_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "coverage_error",
    "d2_absolute_error_score",
    "d2_brier_score",
    "d2_log_loss_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "dcg_score",
    "det_curve",
    "explained_variance_score",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "hinge_loss",
    "jaccard_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "log_loss",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_gamma_deviance",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "ndcg_score",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "r2_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "top_k_accuracy_score",
    "zero_one_loss",
]


def __getattr__(name: str) -> Any:
    """Return what only `sklearn.metrics` has; scikit-learn is not imported before it is asked for.

    Raises:
        AttributeError: If there is no such name, or scikit-learn is not installed.
    """
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        metrics = importlib.import_module("sklearn.metrics")
    except ModuleNotFoundError:
        reason = "`sklearn.metrics` may have it, but scikit-learn is not installed"
        raise AttributeError(f"{__name__!r} has no function `{name}`; {reason}") from None
    if not hasattr(metrics, name):
        raise AttributeError(f"neither {__name__!r} nor 'sklearn.metrics' has `{name}`")
    return getattr(metrics, name)


def __dir__() -> list[str]:
    """Return the names that are computed here."""
    return __all__
