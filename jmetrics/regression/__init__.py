"""Regression metrics."""

from jmetrics.regression.correlations import (
    concordance_corrcoef as concordance_corrcoef,
    kendall_tau as kendall_tau,
    pearson_corrcoef as pearson_corrcoef,
    spearman_corrcoef as spearman_corrcoef,
)
from jmetrics.regression.deviances import (
    d2_tweedie_score as d2_tweedie_score,
    mean_gamma_deviance as mean_gamma_deviance,
    mean_poisson_deviance as mean_poisson_deviance,
    mean_tweedie_deviance as mean_tweedie_deviance,
)
from jmetrics.regression.errors import (
    max_error as max_error,
    mean_absolute_error as mean_absolute_error,
    mean_log_cosh_error as mean_log_cosh_error,
    mean_squared_error as mean_squared_error,
    mean_squared_log_error as mean_squared_log_error,
    median_absolute_error as median_absolute_error,
    root_mean_squared_error as root_mean_squared_error,
    root_mean_squared_log_error as root_mean_squared_log_error,
)
from jmetrics.regression.explained import (
    adjusted_r2_score as adjusted_r2_score,
    explained_variance_score as explained_variance_score,
    r2_score as r2_score,
    relative_squared_error as relative_squared_error,
)
from jmetrics.regression.quantiles import (
    d2_absolute_error_score as d2_absolute_error_score,
    d2_pinball_score as d2_pinball_score,
    interval_score as interval_score,
    mean_pinball_loss as mean_pinball_loss,
    quantile_coverage as quantile_coverage,
    weighted_interval_score as weighted_interval_score,
)
from jmetrics.regression.relative import (
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_absolute_scaled_error as mean_absolute_scaled_error,
    normalized_root_mean_squared_error as normalized_root_mean_squared_error,
    symmetric_mean_absolute_percentage_error as symmetric_mean_absolute_percentage_error,
    weighted_mean_absolute_percentage_error as weighted_mean_absolute_percentage_error,
)

__all__ = [
    "adjusted_r2_score",
    "concordance_corrcoef",
    "d2_absolute_error_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "explained_variance_score",
    "interval_score",
    "kendall_tau",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_absolute_scaled_error",
    "mean_gamma_deviance",
    "mean_log_cosh_error",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "normalized_root_mean_squared_error",
    "pearson_corrcoef",
    "quantile_coverage",
    "r2_score",
    "relative_squared_error",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "spearman_corrcoef",
    "symmetric_mean_absolute_percentage_error",
    "weighted_interval_score",
    "weighted_mean_absolute_percentage_error",
]
