"""Metrics of predicted probabilities and distributions, by what they compute."""

from jmetrics.probability.brier import (
    brier_score_loss as brier_score_loss,
    d2_brier_score as d2_brier_score,
    ranked_probability_score as ranked_probability_score,
)
from jmetrics.probability.calibration import (
    BrierDecomposition as BrierDecomposition,
    CalibrationCurve as CalibrationCurve,
    brier_decomposition as brier_decomposition,
    calibration_curve as calibration_curve,
    calibration_error as calibration_error,
)
from jmetrics.probability.forecasts import (
    crps_ensemble as crps_ensemble,
    crps_laplace as crps_laplace,
    crps_logistic as crps_logistic,
    crps_normal as crps_normal,
    crps_quantiles as crps_quantiles,
    energy_score as energy_score,
    gaussian_nll as gaussian_nll,
)
from jmetrics.probability.likelihood import (
    d2_log_loss_score as d2_log_loss_score,
    log_loss as log_loss,
    log_loss_from_logits as log_loss_from_logits,
    normalized_entropy as normalized_entropy,
)

__all__ = [
    "BrierDecomposition",
    "CalibrationCurve",
    "brier_decomposition",
    "brier_score_loss",
    "calibration_curve",
    "calibration_error",
    "crps_ensemble",
    "crps_laplace",
    "crps_logistic",
    "crps_normal",
    "crps_quantiles",
    "d2_brier_score",
    "d2_log_loss_score",
    "energy_score",
    "gaussian_nll",
    "log_loss",
    "log_loss_from_logits",
    "normalized_entropy",
    "ranked_probability_score",
]
