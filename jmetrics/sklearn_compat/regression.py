"""Regression metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import jmetrics
from jmetrics._core.types import Tree
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import numeric, same_length, weights
from jmetrics.sklearn_compat._call import of_samples
from jmetrics.sklearn_compat._params import Data, Score
from jmetrics.sklearn_compat._warn import undefined

AVERAGES = ("raw_values", "uniform_average")
EXPLAINED_AVERAGES = (*AVERAGES, "variance_weighted")


def mean_absolute_error(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Mean absolute error.

    Same as `sklearn.metrics.mean_absolute_error`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in [0, ∞), in units of y; lower is better. Array (n_outputs,) for "raw_values".
    """
    return _error(jmetrics.mean_absolute_error, y_true, y_pred, sample_weight, multioutput)


def mean_squared_error(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Mean squared error.

    Same as `sklearn.metrics.mean_squared_error`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in [0, ∞), in squared units of y; lower is better. Array (n_outputs,) for
            "raw_values".
    """
    return _error(jmetrics.mean_squared_error, y_true, y_pred, sample_weight, multioutput)


def root_mean_squared_error(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Root mean squared error of each output, averaged.

    Same as `sklearn.metrics.root_mean_squared_error`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in [0, ∞), in units of y; lower is better. Array (n_outputs,) for "raw_values".
    """
    return _error(jmetrics.root_mean_squared_error, y_true, y_pred, sample_weight, multioutput)


def mean_absolute_percentage_error(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Mean absolute error as a fraction of the target.

    Same as `sklearn.metrics.mean_absolute_percentage_error`, except that numbers given as strings
    raise ValueError.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in [0, ∞), without unit; lower is better. Array (n_outputs,) for "raw_values".
    """
    metric = jmetrics.mean_absolute_percentage_error
    return _error(metric, y_true, y_pred, sample_weight, multioutput)


def median_absolute_error(
    y_true: Data,
    y_pred: Data,
    *,
    multioutput: str | Data = "uniform_average",
    sample_weight: Data | None = None,
) -> Score:
    """Weighted median of the absolute errors.

    Same as `sklearn.metrics.median_absolute_error`, except that numbers given as strings raise
    ValueError, booleans are the numbers 0 and 1, and negative weights have no meaning.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, ∞), in units of y; lower is better. Array (n_outputs,) for "raw_values".
    """
    return _error(jmetrics.median_absolute_error, y_true, y_pred, sample_weight, multioutput)


def mean_squared_log_error(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Mean squared error of log(1 + y).

    Same as `sklearn.metrics.mean_squared_log_error`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in [0, ∞), without unit; lower is better. Array (n_outputs,) for "raw_values".
    """
    metric = jmetrics.mean_squared_log_error
    return _error(metric, y_true, y_pred, sample_weight, multioutput, domain=_beyond_minus_one)


def root_mean_squared_log_error(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Root mean squared error of log(1 + y) of each output, averaged.

    Same as `sklearn.metrics.root_mean_squared_log_error`, except that numbers given as strings
    raise ValueError.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in [0, ∞), without unit; lower is better. Array (n_outputs,) for "raw_values".
    """
    metric = jmetrics.root_mean_squared_log_error
    return _error(metric, y_true, y_pred, sample_weight, multioutput, domain=_beyond_minus_one)


def mean_pinball_loss(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    alpha: float = 0.5,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Mean pinball loss of predicted quantiles of level `alpha`.

    Same as `sklearn.metrics.mean_pinball_loss`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        alpha: Level of the quantile, in [0, 1].
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in [0, ∞), in units of y; lower is better. Array (n_outputs,) for "raw_values".
    """
    params.real("alpha", alpha, params.between(alpha, 0, 1), "in [0, 1]")
    metric = jmetrics.mean_pinball_loss
    return _error(metric, y_true, y_pred, sample_weight, multioutput, alpha=float(alpha))


def explained_variance_score(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
    force_finite: bool = True,
) -> Score:
    """Fraction of the variance explained, ignoring a constant error.

    Same as `sklearn.metrics.explained_variance_score`, except that numbers given as strings raise
    ValueError, and negative weights have no meaning.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "variance_weighted", "raw_values"
            for the value of each, or weights of shape (n_outputs,).
        force_finite: Whether a constant target gives 1 for a perfect prediction and 0 otherwise,
            instead of NaN and −∞.

    Returns:
        Float in (−∞, 1]; higher is better. Array (n_outputs,) for "raw_values".
    """
    params.flags(force_finite=force_finite)
    metric = jmetrics.explained_variance_score
    return _error(
        metric,
        y_true,
        y_pred,
        sample_weight,
        multioutput,
        averages=EXPLAINED_AVERAGES,
        force_finite=bool(force_finite),
    )


def r2_score(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data | None = "uniform_average",
    force_finite: bool = True,
) -> Score:
    """Coefficient of determination R², the fraction of the variance explained.

    Same as `sklearn.metrics.r2_score`, except that fewer than two samples of non-zero weight give
    NaN and a warning, numbers given as strings raise ValueError, and negative weights have no
    meaning.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "variance_weighted", "raw_values"
            for the value of each, or weights of shape (n_outputs,).
        force_finite: Whether a constant target gives 1 for a perfect prediction and 0 otherwise,
            instead of NaN and −∞.

    Returns:
        Float in (−∞, 1]; higher is better. Array (n_outputs,) for "raw_values".
    """
    params.flags(force_finite=force_finite)
    return _error(
        jmetrics.r2_score,
        y_true,
        y_pred,
        sample_weight,
        "uniform_average" if multioutput is None else multioutput,
        averages=EXPLAINED_AVERAGES,
        at_least=2,
        force_finite=bool(force_finite),
    )


def d2_pinball_score(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    alpha: float = 0.5,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Fraction of the pinball loss explained, relative to a constant quantile.

    Same as `sklearn.metrics.d2_pinball_score`, except that fewer than two samples of non-zero
    weight give NaN and a warning, numbers given as strings raise ValueError, and negative weights
    have no meaning.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        alpha: Level of the quantile, in [0, 1].
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in (−∞, 1]; higher is better. Array (n_outputs,) for "raw_values".
    """
    params.real("alpha", alpha, params.between(alpha, 0, 1), "in [0, 1]")
    metric = jmetrics.d2_pinball_score
    return _error(
        metric, y_true, y_pred, sample_weight, multioutput, at_least=2, alpha=float(alpha)
    )


def d2_absolute_error_score(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    multioutput: str | Data = "uniform_average",
) -> Score:
    """Fraction of the absolute error explained, relative to the median.

    Same as `sklearn.metrics.d2_absolute_error_score`, except that fewer than two samples of
    non-zero weight give NaN and a warning, numbers given as strings raise ValueError, and negative
    weights have no meaning.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs).
        y_pred: Predictions, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        multioutput: How to average outputs: "uniform_average", "raw_values" for the value of each,
            or weights of shape (n_outputs,).

    Returns:
        Float in (−∞, 1]; higher is better. Array (n_outputs,) for "raw_values".
    """
    metric = jmetrics.d2_absolute_error_score
    return _error(metric, y_true, y_pred, sample_weight, multioutput, at_least=2)


def max_error(y_true: Data, y_pred: Data) -> float:
    """Largest absolute error.

    Same as `sklearn.metrics.max_error`, except that numbers given as strings raise ValueError.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predictions, shape (n,).

    Returns:
        Float in [0, ∞), in units of y; lower is better.
    """
    params.array_likes(y_true=y_true, y_pred=y_pred)
    true, pred, _ = _targets(y_true, y_pred, None)
    _one_output(true)
    return float(of_samples(jmetrics.max_error, true, pred))


def mean_tweedie_deviance(
    y_true: Data, y_pred: Data, *, sample_weight: Data | None = None, power: float = 0
) -> float:
    """Mean deviance of the Tweedie family of distributions.

    Same as `sklearn.metrics.mean_tweedie_deviance`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Targets, shape (n,): y ≥ 0 for 1 ≤ p < 2, y > 0 for p ≥ 2.
        y_pred: Predicted means, shape (n,), positive unless p = 0.
        sample_weight: Weights, shape (n,).
        power: Power p of the Tweedie variance, ≤ 0 or ≥ 1.

    Returns:
        Float in [0, ∞), in units of y^(2−p); lower is better.
    """
    arrays, weight = _positive_targets(y_true, y_pred, sample_weight, power)
    metric = jmetrics.mean_tweedie_deviance
    return float(of_samples(metric, *arrays, sample_weight=weight, power=float(power)))


def mean_poisson_deviance(
    y_true: Data, y_pred: Data, *, sample_weight: Data | None = None
) -> float:
    """Mean Poisson deviance.

    Same as `sklearn.metrics.mean_poisson_deviance`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Non-negative targets, shape (n,).
        y_pred: Positive predicted means, shape (n,).
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, ∞), in units of y; lower is better.
    """
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=1)


def mean_gamma_deviance(y_true: Data, y_pred: Data, *, sample_weight: Data | None = None) -> float:
    """Mean gamma deviance.

    Same as `sklearn.metrics.mean_gamma_deviance`, except that numbers given as strings raise
    ValueError.

    Args:
        y_true: Positive targets, shape (n,).
        y_pred: Positive predicted means, shape (n,).
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, ∞), without unit; lower is better.
    """
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=2)


def d2_tweedie_score(
    y_true: Data, y_pred: Data, *, sample_weight: Data | None = None, power: float = 0
) -> float:
    """Fraction of the Tweedie deviance explained, relative to a constant mean.

    Same as `sklearn.metrics.d2_tweedie_score`, except that fewer than two samples of non-zero
    weight give NaN and a warning, a constant target gives 1 for a perfect prediction and 0
    otherwise, numbers given as strings raise ValueError, and negative weights have no meaning.

    Args:
        y_true: Targets, shape (n,): y ≥ 0 for 1 ≤ p < 2, y > 0 for p ≥ 2.
        y_pred: Predicted means, shape (n,), positive unless p = 0.
        sample_weight: Weights, shape (n,).
        power: Power p of the Tweedie variance, ≤ 0 or ≥ 1.

    Returns:
        Float in (−∞, 1]; higher is better.
    """
    arrays, weight = _positive_targets(y_true, y_pred, sample_weight, power, at_least=2)
    if _too_few(arrays[0], weight, 2):
        return float("nan")
    metric = jmetrics.d2_tweedie_score
    return float(of_samples(metric, *arrays, sample_weight=weight, power=float(power)))


def _error(
    metric: Callable[..., Tree],
    y_true: Data,
    y_pred: Data,
    sample_weight: Data | None,
    multioutput: str | Data,
    *,
    averages: tuple[str, ...] = AVERAGES,
    domain: Callable[[np.ndarray, np.ndarray], None] | None = None,
    at_least: int = 1,
    **options: Any,
) -> Any:
    """Check the arguments and call a metric of one output or several."""
    params.array_likes(y_true=y_true, y_pred=y_pred)
    params.optional_arrays(sample_weight=sample_weight)
    if isinstance(multioutput, str):
        params.one_of("multioutput", multioutput, averages)
    else:
        params.array_likes(multioutput=multioutput)
    *arrays, weight = _targets(y_true, y_pred, sample_weight)
    multioutput = _output_weights(multioutput, arrays[0])
    if domain is not None:
        domain(*arrays)
    if _too_few(arrays[0], weight, at_least):
        return float("nan")
    options["sample_weight"] = weight
    if _has_no_product(metric, arrays, multioutput, options):
        return float("nan")
    value = of_samples(metric, *arrays, multioutput=multioutput, **options)
    return value if value.ndim else float(value)


def _has_no_product(
    metric: Callable[..., Tree],
    arrays: list[np.ndarray],
    multioutput: str | Data,
    options: dict[str, Any],
) -> bool:
    """Whether some but not all scores are non-finite in a variance-weighted mean."""
    if options.get("force_finite", True) or not isinstance(multioutput, str):
        return False
    if multioutput != "variance_weighted" or arrays[0].ndim == 1:
        return False
    finite = np.isfinite(of_samples(metric, *arrays, multioutput="raw_values", **options))
    return bool(np.any(finite) and not np.all(finite))


def _targets(
    y_true: Data, y_pred: Data, sample_weight: Data | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Targets and predictions (n,), or (n, n_outputs) for two or more, as float64."""
    same_length(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    true, pred = (
        numeric(name, value).astype(np.float64, copy=False)
        for name, value in (("y_true", y_true), ("y_pred", y_pred))
    )
    weight = weights(sample_weight, len(true))
    true, pred = (a[:, 0] if a.ndim == 2 and a.shape[1] == 1 else a for a in (true, pred))
    if true.shape != pred.shape:
        raise ValueError(
            f"`y_true` and `y_pred` must have as many outputs, got {true.shape} and {pred.shape}"
        )
    return true, pred, weight


def _output_weights(multioutput: str | Data, y_true: np.ndarray) -> Any:
    if isinstance(multioutput, str):
        return multioutput
    found = numeric("multioutput", multioutput)
    if y_true.ndim == 1 or found.shape != y_true.shape[1:]:
        raise ValueError(
            "`multioutput` as weights needs one entry for each of two or more outputs; "
            f"got shape {found.shape} for a target of shape {y_true.shape}"
        )
    if np.sum(found) == 0:
        raise ZeroDivisionError("`multioutput` must not add up to 0")
    return found.astype(np.float64)


def _too_few(y_true: np.ndarray, weight: np.ndarray | None, at_least: int) -> bool:
    """Whether there are too few samples of non-zero weight for a score, after a warning."""
    count = len(y_true) if weight is None or at_least < 2 else np.count_nonzero(weight)
    if count >= at_least:
        return False
    undefined(f"the score needs {at_least} samples or more that count, got {count}: NaN instead")
    return True


def _beyond_minus_one(y_true: np.ndarray, y_pred: np.ndarray) -> None:
    if min(y_true.min(), y_pred.min()) <= -1:
        raise ValueError("`y_true` and `y_pred` must exceed -1, for a logarithm of 1 + y")


def _one_output(y_true: np.ndarray) -> None:
    if y_true.ndim > 1:
        raise ValueError(f"`y_true` must have one output, got shape {y_true.shape}")


def _positive_targets(
    y_true: Data, y_pred: Data, sample_weight: Data | None, power: float, *, at_least: int = 1
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray | None]:
    """Targets and predictions in the domain of the Tweedie deviance of this power."""
    params.array_likes(y_true=y_true, y_pred=y_pred)
    params.optional_arrays(sample_weight=sample_weight)
    fits = params.between(power, -np.inf, 0) or params.between(power, 1, np.inf)
    params.real("power", power, fits, "of at most 0 or at least 1")
    true, pred, weight = _targets(y_true, y_pred, sample_weight)
    _one_output(true)
    if len(true) < at_least:
        return (true, pred), weight
    if power != 0 and pred.min() <= 0:
        raise ValueError(f"`y_pred` must be positive for a `power` of {power}")
    if power >= 2 and true.min() <= 0:
        raise ValueError(f"`y_true` must be positive for a `power` of {power}")
    if 1 <= power < 2 and true.min() < 0:
        raise ValueError(f"`y_true` must not be negative for a `power` of {power}")
    return (true, pred), weight
