"""Rows of the regression metrics."""

from __future__ import annotations

import numpy as np
from sklearn import metrics as sk

import jmetrics
from tests.oracles import explained, from_sklearn, regression as oracles
from tests.row import (
    COPIES,
    EXPLAINED,
    EXTREMES,
    OUTPUTS,
    SMOOTH,
    STEPS,
    Outside,
    Row,
    Variant,
    columns,
    intervals,
    means,
    positive,
    positive_columns,
    positive_means,
    quantiles,
    real,
    tied,
)

NO_AVERAGE = {"multioutput": "mean"}
AVERAGES = (
    Variant({"multioutput": "uniform_average"}),
    Variant({"multioutput": "raw_values"}, columns),
)
POSITIVE_AVERAGES = (
    Variant({"multioutput": "uniform_average"}),
    Variant({"multioutput": "raw_values"}, positive_columns),
)
VARIANCE = Variant({"multioutput": "variance_weighted"}, columns)
FINITE = Variant({"force_finite": False})
ALPHA = Outside("alpha", 1.5, "`alpha` must be in [0, 1]")
POWER = Outside("power", 0.5, "`power` must be at most 0 or at least 1")
NOT_NUMBER = Outside("y_pred", np.nan, "must not be NaN")
BELOW = Outside("y_pred", -1.5, "`y_true` and `y_pred` must exceed -1")
LEVELS = (0.25, 0.5, 0.75)
SERIES = np.array((1.0, 3.0, 2.0, 4.5, 4.0, 6.0))

POINTWISE = tuple(
    Row(metric, make, from_sklearn(peer), frozenset({SMOOTH, OUTPUTS}), variants,
        refused=NO_AVERAGE, outside=outside)
    for metric, peer, make, variants, outside in (
        (jmetrics.mean_squared_error, sk.mean_squared_error, real, AVERAGES, ()),
        (jmetrics.root_mean_squared_error, sk.root_mean_squared_error, real, AVERAGES, ()),
        (jmetrics.mean_absolute_error, sk.mean_absolute_error, real, AVERAGES, ()),
        (
            jmetrics.mean_absolute_percentage_error,
            sk.mean_absolute_percentage_error,
            positive,
            POSITIVE_AVERAGES,
            (),
        ),
        (
            jmetrics.mean_squared_log_error,
            sk.mean_squared_log_error,
            positive,
            POSITIVE_AVERAGES,
            (BELOW,),
        ),
        (
            jmetrics.root_mean_squared_log_error,
            sk.root_mean_squared_log_error,
            positive,
            POSITIVE_AVERAGES,
            (BELOW,),
        ),
    )
)  # fmt: skip

OTHER_ERRORS = tuple(
    Row(metric, make, oracle, frozenset({SMOOTH, OUTPUTS}), variants, refused=NO_AVERAGE)
    for metric, oracle, make, variants in (
        (jmetrics.mean_log_cosh_error, oracles.log_cosh, real, AVERAGES),
        (
            jmetrics.symmetric_mean_absolute_percentage_error,
            oracles.symmetric_percentage,
            positive,
            POSITIVE_AVERAGES,
        ),
        (
            jmetrics.weighted_mean_absolute_percentage_error,
            oracles.weighted_percentage,
            positive,
            POSITIVE_AVERAGES,
        ),
    )
)

REGRESSION = (
    *POINTWISE,
    *OTHER_ERRORS,
    Row(
        jmetrics.median_absolute_error,
        real,
        from_sklearn(sk.median_absolute_error),
        frozenset({SMOOTH, OUTPUTS}),
        AVERAGES,
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.max_error,
        real,
        oracles.max_error,
        frozenset({SMOOTH}),
    ),
    Row(
        jmetrics.mean_absolute_scaled_error,
        real,
        oracles.scaled,
        frozenset({SMOOTH}),
        (Variant({"y_train": SERIES}), Variant({"y_train": SERIES, "seasonality": 2})),
        refused={"seasonality": 0},
    ),
    Row(
        jmetrics.normalized_root_mean_squared_error,
        real,
        oracles.normalized_root,
        frozenset({SMOOTH, OUTPUTS}),
        (
            *(Variant({"normalization": how}) for how in ("mean", "std", "l2")),
            Variant({"normalization": "range"}, add=frozenset({EXTREMES})),
        ),
        refused={**NO_AVERAGE, "normalization": "median"},
    ),
    Row(
        jmetrics.r2_score,
        real,
        explained(sk.r2_score, at_least=2),
        frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        (*AVERAGES, VARIANCE, FINITE),
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.adjusted_r2_score,
        real,
        oracles.adjusted_r2,
        frozenset({EXPLAINED, SMOOTH, OUTPUTS, COPIES}),
        (Variant({"n_features": 2.0}),),
        traced={"n_features": (1.0, 3.0)},
        refused=NO_AVERAGE,
        outside=(Outside("n_features", -1.0, "`n_features` must be at least 0"),),
    ),
    Row(
        jmetrics.explained_variance_score,
        real,
        explained(sk.explained_variance_score, at_least=1),
        frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        (*AVERAGES, VARIANCE, FINITE),
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.relative_squared_error,
        real,
        oracles.relative_squared,
        frozenset({SMOOTH, OUTPUTS}),
        (Variant(), Variant({"squared": False})),
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.mean_tweedie_deviance,
        means,
        from_sklearn(sk.mean_tweedie_deviance),
        frozenset({SMOOTH}),
        (Variant({"power": 1.5}), Variant({"power": 2}, positive_means)),
        traced={"power": (1.25, 1.75)},
        outside=(Outside("y_pred", -1.0, "`y_pred` positive"), POWER),
    ),
    Row(
        jmetrics.mean_poisson_deviance,
        means,
        from_sklearn(sk.mean_poisson_deviance),
        frozenset({SMOOTH}),
        outside=(Outside("y_pred", -1.0, "`y_pred` positive"),),
    ),
    Row(
        jmetrics.mean_gamma_deviance,
        positive_means,
        from_sklearn(sk.mean_gamma_deviance),
        frozenset({SMOOTH}),
        outside=(Outside("y_true", -1.0, "positive from power 2"),),
    ),
    Row(
        jmetrics.d2_tweedie_score,
        positive,
        from_sklearn(sk.d2_tweedie_score, at_least=2),
        frozenset({EXPLAINED, SMOOTH}),
        (Variant({"power": 1.5}), Variant({"power": 0})),
        traced={"power": (1.25, 1.75)},
        outside=(POWER,),
    ),
    Row(
        jmetrics.mean_pinball_loss,
        real,
        from_sklearn(sk.mean_pinball_loss),
        frozenset({SMOOTH, OUTPUTS}),
        (*AVERAGES, Variant({"alpha": 0.2})),
        traced={"alpha": (0.25, 0.9)},
        refused=NO_AVERAGE,
        outside=(ALPHA,),
    ),
    Row(
        jmetrics.d2_pinball_score,
        real,
        explained(sk.d2_pinball_score, at_least=2),
        frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        (*AVERAGES, Variant({"alpha": 0.2})),
        traced={"alpha": (0.25, 0.9)},
        refused=NO_AVERAGE,
        outside=(ALPHA,),
    ),
    Row(
        jmetrics.d2_absolute_error_score,
        real,
        explained(sk.d2_absolute_error_score, at_least=2),
        frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.interval_score,
        intervals,
        oracles.interval_score,
        frozenset({SMOOTH}),
        traced={"alpha": (0.1, 0.5)},
        outside=(Outside("alpha", 0.0, "`alpha` must be in (0, 1]"),),
    ),
    Row(
        jmetrics.weighted_interval_score,
        quantiles,
        oracles.weighted_interval_score,
        frozenset({SMOOTH}),
        (Variant({"alpha": LEVELS}),),
    ),
    Row(
        jmetrics.quantile_coverage,
        quantiles,
        oracles.coverage,
        frozenset({STEPS}),
        outside=(NOT_NUMBER,),
    ),
    Row(jmetrics.pearson_corrcoef, real, oracles.pearson, frozenset({SMOOTH})),
    Row(jmetrics.concordance_corrcoef, positive, oracles.concordance, frozenset({SMOOTH})),
    Row(
        jmetrics.spearman_corrcoef,
        tied,
        oracles.spearman,
        frozenset({STEPS}),
        outside=(NOT_NUMBER,),
    ),
    Row(
        jmetrics.kendall_tau,
        tied,
        oracles.kendall,
        frozenset({STEPS}),
        outside=(NOT_NUMBER,),
    ),
)
