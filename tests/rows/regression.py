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
    Row(metric=metric, make=make, oracle=from_sklearn(peer), traits=frozenset({SMOOTH, OUTPUTS}),
        variants=variants, refused=NO_AVERAGE, outside=outside)
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
    Row(
        metric=metric,
        make=make,
        oracle=oracle,
        traits=frozenset({SMOOTH, OUTPUTS}),
        variants=variants,
        refused=NO_AVERAGE,
    )
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
        metric=jmetrics.median_absolute_error,
        make=real,
        oracle=from_sklearn(sk.median_absolute_error),
        traits=frozenset({SMOOTH, OUTPUTS}),
        variants=AVERAGES,
        refused=NO_AVERAGE,
    ),
    Row(
        metric=jmetrics.max_error,
        make=real,
        oracle=oracles.max_error,
        traits=frozenset({SMOOTH}),
    ),
    Row(
        metric=jmetrics.mean_absolute_scaled_error,
        make=real,
        oracle=oracles.scaled,
        traits=frozenset({SMOOTH}),
        variants=(Variant({"y_train": SERIES}), Variant({"y_train": SERIES, "seasonality": 2})),
        refused={"seasonality": 0},
    ),
    Row(
        metric=jmetrics.normalized_root_mean_squared_error,
        make=real,
        oracle=oracles.normalized_root,
        traits=frozenset({SMOOTH, OUTPUTS}),
        variants=(
            *(Variant({"normalization": how}) for how in ("mean", "std", "l2")),
            Variant({"normalization": "range"}, add=frozenset({EXTREMES})),
        ),
        refused={**NO_AVERAGE, "normalization": "median"},
    ),
    Row(
        metric=jmetrics.r2_score,
        make=real,
        oracle=explained(sk.r2_score, at_least=2),
        traits=frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        variants=(*AVERAGES, VARIANCE, FINITE),
        refused=NO_AVERAGE,
    ),
    Row(
        metric=jmetrics.adjusted_r2_score,
        make=real,
        oracle=oracles.adjusted_r2,
        traits=frozenset({EXPLAINED, SMOOTH, OUTPUTS, COPIES}),
        variants=(Variant({"n_features": 2.0}),),
        traced={"n_features": (1.0, 3.0)},
        refused=NO_AVERAGE,
        outside=(Outside("n_features", -1.0, "`n_features` must be at least 0"),),
    ),
    Row(
        metric=jmetrics.explained_variance_score,
        make=real,
        oracle=explained(sk.explained_variance_score, at_least=1),
        traits=frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        variants=(*AVERAGES, VARIANCE, FINITE),
        refused=NO_AVERAGE,
    ),
    Row(
        metric=jmetrics.relative_squared_error,
        make=real,
        oracle=oracles.relative_squared,
        traits=frozenset({SMOOTH, OUTPUTS}),
        variants=(Variant(), Variant({"squared": False})),
        refused=NO_AVERAGE,
    ),
    Row(
        metric=jmetrics.mean_tweedie_deviance,
        make=means,
        oracle=from_sklearn(sk.mean_tweedie_deviance),
        traits=frozenset({SMOOTH}),
        variants=(Variant({"power": 1.5}), Variant({"power": 2}, positive_means)),
        traced={"power": (1.25, 1.75)},
        outside=(Outside("y_pred", -1.0, "`y_pred` positive"), POWER),
    ),
    Row(
        metric=jmetrics.mean_poisson_deviance,
        make=means,
        oracle=from_sklearn(sk.mean_poisson_deviance),
        traits=frozenset({SMOOTH}),
        outside=(Outside("y_pred", -1.0, "`y_pred` positive"),),
    ),
    Row(
        metric=jmetrics.mean_gamma_deviance,
        make=positive_means,
        oracle=from_sklearn(sk.mean_gamma_deviance),
        traits=frozenset({SMOOTH}),
        outside=(Outside("y_true", -1.0, "positive from power 2"),),
    ),
    Row(
        metric=jmetrics.d2_tweedie_score,
        make=positive,
        oracle=from_sklearn(sk.d2_tweedie_score, at_least=2),
        traits=frozenset({EXPLAINED, SMOOTH}),
        variants=(Variant({"power": 1.5}), Variant({"power": 0})),
        traced={"power": (1.25, 1.75)},
        outside=(POWER,),
    ),
    Row(
        metric=jmetrics.mean_pinball_loss,
        make=real,
        oracle=from_sklearn(sk.mean_pinball_loss),
        traits=frozenset({SMOOTH, OUTPUTS}),
        variants=(*AVERAGES, Variant({"alpha": 0.2})),
        traced={"alpha": (0.25, 0.9)},
        refused=NO_AVERAGE,
        outside=(ALPHA,),
    ),
    Row(
        metric=jmetrics.d2_pinball_score,
        make=real,
        oracle=explained(sk.d2_pinball_score, at_least=2),
        traits=frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        variants=(*AVERAGES, Variant({"alpha": 0.2})),
        traced={"alpha": (0.25, 0.9)},
        refused=NO_AVERAGE,
        outside=(ALPHA,),
    ),
    Row(
        metric=jmetrics.d2_absolute_error_score,
        make=real,
        oracle=explained(sk.d2_absolute_error_score, at_least=2),
        traits=frozenset({EXPLAINED, SMOOTH, OUTPUTS}),
        refused=NO_AVERAGE,
    ),
    Row(
        metric=jmetrics.interval_score,
        make=intervals,
        oracle=oracles.interval_score,
        traits=frozenset({SMOOTH}),
        traced={"alpha": (0.1, 0.5)},
        outside=(Outside("alpha", 0.0, "`alpha` must be in (0, 1]"),),
    ),
    Row(
        metric=jmetrics.weighted_interval_score,
        make=quantiles,
        oracle=oracles.weighted_interval_score,
        traits=frozenset({SMOOTH}),
        variants=(Variant({"alpha": LEVELS}),),
    ),
    Row(
        metric=jmetrics.quantile_coverage,
        make=quantiles,
        oracle=oracles.coverage,
        traits=frozenset({STEPS}),
        outside=(NOT_NUMBER,),
    ),
    Row(
        metric=jmetrics.pearson_corrcoef,
        make=real,
        oracle=oracles.pearson,
        traits=frozenset({SMOOTH}),
    ),
    Row(
        metric=jmetrics.concordance_corrcoef,
        make=positive,
        oracle=oracles.concordance,
        traits=frozenset({SMOOTH}),
    ),
    Row(
        metric=jmetrics.spearman_corrcoef,
        make=tied,
        oracle=oracles.spearman,
        traits=frozenset({STEPS}),
        outside=(NOT_NUMBER,),
    ),
    Row(
        metric=jmetrics.kendall_tau,
        make=tied,
        oracle=oracles.kendall,
        traits=frozenset({STEPS}),
        outside=(NOT_NUMBER,),
    ),
)
