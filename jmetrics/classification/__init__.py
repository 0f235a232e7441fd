"""Metrics of predicted labels, by what they compute."""

from jmetrics.classification.agreement import (
    accuracy_score as accuracy_score,
    cohen_kappa_score as cohen_kappa_score,
    hamming_loss as hamming_loss,
    matthews_corrcoef as matthews_corrcoef,
    zero_one_loss as zero_one_loss,
)
from jmetrics.classification.decisions import (
    hinge_loss as hinge_loss,
    squared_hinge_loss as squared_hinge_loss,
    top_k_accuracy_score as top_k_accuracy_score,
)
from jmetrics.classification.overlap import (
    f1_score as f1_score,
    fbeta_score as fbeta_score,
    jaccard_score as jaccard_score,
    precision_recall_fscore_support as precision_recall_fscore_support,
    precision_score as precision_score,
    recall_score as recall_score,
)
from jmetrics.classification.rates import (
    balanced_accuracy_score as balanced_accuracy_score,
    class_likelihood_ratios as class_likelihood_ratios,
    false_negative_rate as false_negative_rate,
    false_positive_rate as false_positive_rate,
    geometric_mean_score as geometric_mean_score,
    negative_predictive_value as negative_predictive_value,
    specificity_score as specificity_score,
)
from jmetrics.classification.tables import (
    confusion_matrix as confusion_matrix,
    multilabel_confusion_matrix as multilabel_confusion_matrix,
)

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
    "cohen_kappa_score",
    "confusion_matrix",
    "f1_score",
    "false_negative_rate",
    "false_positive_rate",
    "fbeta_score",
    "geometric_mean_score",
    "hamming_loss",
    "hinge_loss",
    "jaccard_score",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "negative_predictive_value",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "specificity_score",
    "squared_hinge_loss",
    "top_k_accuracy_score",
    "zero_one_loss",
]
