"""Metrics as pure functions of JAX arrays: exact, weighted, masked, differentiable."""

from jmetrics import inference as inference, losses as losses
from jmetrics._core.check import checked as checked
from jmetrics.classification import accuracy_score as accuracy_score
from jmetrics.curves import roc_auc_score as roc_auc_score
from jmetrics.probability import log_loss as log_loss
from jmetrics.regression import (
    mean_absolute_error as mean_absolute_error,
    mean_pinball_loss as mean_pinball_loss,
    mean_squared_error as mean_squared_error,
    mean_tweedie_deviance as mean_tweedie_deviance,
    r2_score as r2_score,
)

__version__ = "0.1.0"

__all__ = [
    "accuracy_score",
    "checked",
    "inference",
    "log_loss",
    "losses",
    "mean_absolute_error",
    "mean_pinball_loss",
    "mean_squared_error",
    "mean_tweedie_deviance",
    "r2_score",
    "roc_auc_score",
]
