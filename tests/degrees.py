"""In which units metrics of numbers come: what becomes of them in other units of the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jmetrics
from tests.row import Case

Degree = float | Callable[[Mapping[str, Any]], float]


def _tweedie(options: Mapping[str, Any]) -> float:
    return 2 - options.get("power", 0)


# k of f(c y_true, c y_pred) = c^k f(y_true, y_pred). A percentage error has a floor of its own,
# and log errors are compared with 1.
DEGREES: dict[Callable[..., Any], Degree] = {
    jmetrics.mean_squared_error: 2,
    jmetrics.root_mean_squared_error: 1,
    jmetrics.mean_absolute_error: 1,
    jmetrics.median_absolute_error: 1,
    jmetrics.max_error: 1,
    jmetrics.mean_pinball_loss: 1,
    jmetrics.interval_score: 1,
    jmetrics.weighted_interval_score: 1,
    jmetrics.crps_ensemble: 1,
    jmetrics.crps_quantiles: 1,
    jmetrics.crps_normal: 1,
    jmetrics.crps_logistic: 1,
    jmetrics.crps_laplace: 1,
    jmetrics.energy_score: 1,
    jmetrics.mean_tweedie_deviance: _tweedie,
    jmetrics.mean_poisson_deviance: 1,
    jmetrics.losses.expectile_loss: 2,
    **dict.fromkeys(
        (
            jmetrics.mean_gamma_deviance,
            jmetrics.mean_absolute_scaled_error,
            jmetrics.symmetric_mean_absolute_percentage_error,
            jmetrics.weighted_mean_absolute_percentage_error,
            jmetrics.normalized_root_mean_squared_error,
            jmetrics.r2_score,
            jmetrics.adjusted_r2_score,
            jmetrics.explained_variance_score,
            jmetrics.relative_squared_error,
            jmetrics.d2_tweedie_score,
            jmetrics.d2_pinball_score,
            jmetrics.d2_absolute_error_score,
            jmetrics.quantile_coverage,
            jmetrics.pearson_corrcoef,
            jmetrics.concordance_corrcoef,
            jmetrics.spearman_corrcoef,
            jmetrics.kendall_tau,
        ),
        0,
    ),
}

WITH_UNIT = ("scale", "y_train")
"""Options in the unit of the data."""


def degree_of(case: Case) -> float | None:
    """The degree of a case, or None if its data have no unit."""
    degree = case.row.degree
    known = DEGREES.get(case.row.metric) if degree is None else degree
    return known(case.options) if callable(known) else known


def in_unit(case: Case, unit: float) -> dict[str, Any]:
    """Options of the case that have a unit, in a smaller one."""
    return {
        name: [unit * v for v in value] if isinstance(value, tuple) else unit * value
        for name, value in case.options.items()
        if name in WITH_UNIT
    }
