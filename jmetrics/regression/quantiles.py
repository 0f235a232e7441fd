"""Metrics of predicted quantiles and intervals."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.merging import DomainCheck
from jmetrics._core.moments import moments
from jmetrics._core.numerics import (
    Total,
    Whole,
    absolute,
    accumulator,
    mean_of,
    nearest,
    weighted_sum,
    weighted_total,
)
from jmetrics._core.plan import AT_MOST_ONE, NONNEGATIVE, UNIT, Bound, Plan, declared, metric, plan
from jmetrics._core.quantiles import weighted_quantile
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import relative, resolve_exactly
from jmetrics.regression._outputs import mean_error, over_outputs, regression_inputs
from jmetrics.regression.explained import explained_fraction


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="quantiles")
def mean_pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: ArrayLike = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean pinball loss of predicted quantiles.

    Σ w max(α u, (α − 1) u) / Σ w with u = y_true − y_pred. With a vector `alpha`, for several
    quantiles at once, the levels are the outputs.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit; shape (n,) for several levels.
        y_pred: Predicted quantiles, with the shape and unit of `y_true`; shape (n, n_levels) for
            several levels.
        alpha: Level α of the quantile, a traced scalar in [0, 1]; or levels of shape (n_levels,).
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_pred`; entries where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better. Shape (n_outputs,) or (n_levels,) for
            `multioutput="raw_values"`.

    Undefined:
        NaN if no sample has positive weight, or if a level is outside [0, 1].

    Gradient:
        In `y_pred` −α or 1 − α, their mean at a perfect fit; smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.mean_pinball_loss`; Koenker & Bassett (1978).

    Examples:
        >>> round(float(mean_pinball_loss([1.0, 2.0, 3.0], [0.0, 2.0, 4.0], alpha=0.25)), 6)
        0.333333
        >>> y_pred = [[0.0, 1.0], [2.0, 2.5], [2.0, 4.0]]
        >>> mean_pinball_loss([1.0, 2.0, 3.0], y_pred, alpha=[0.25, 0.75], multioutput="raw_values")
        Array([0.16666667, 0.125     ], dtype=float32)
    """
    alpha = check.number_or_vector("alpha", alpha)
    if not isinstance(alpha, float) and alpha.ndim:
        y_true, y_pred = check.columns(y_true, y_pred, len(alpha), "a vector `alpha` of levels")
        y_true = lax.broadcast_in_dim(y_true, y_pred.shape, (0,))
    return mean_error(
        _pinball,
        y_true,
        y_pred,
        multioutput=multioutput,
        sample_weight=sample_weight,
        where=where,
        options=(alpha,),
    )


def _pinball(y_true: Array, y_pred: Array, weight: Array, alpha: Array) -> Array:
    del weight
    alpha = _level(alpha, y_true.dtype)
    alpha = alpha if alpha.ndim == 0 else alpha[None]
    error = y_true - y_pred
    return jnp.maximum(alpha * error, (alpha - 1) * error)


def _level(alpha: Array | float, dtype: DTypeLike) -> Array:
    """`alpha` in this dtype, NaN where it is outside [0, 1]."""
    alpha = jnp.asarray(alpha, dtype)
    return check.nan_unless(alpha, (alpha >= 0) & (alpha <= 1), "`alpha` must be in [0, 1]")


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="quantiles")
def weighted_interval_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: ArrayLike,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Weighted interval score, twice the pinball loss averaged over many predicted quantiles.

    2 / K Σ_k ρ_k, where ρ_k is the mean pinball loss at the k-th of the K levels in `alpha`. For
    the median and levels in pairs α / 2, 1 − α / 2 it is the α-weighted mean of the interval scores
    and the absolute error of the median; for many equally spaced levels (k − ½) / K it tends to the
    continuous ranked probability score.

    Args:
        y_true: Targets, shape (n,), in any unit.
        y_pred: Predicted quantiles of one distribution per sample, shape (n, n_levels), in the unit
            of `y_true`.
        alpha: Levels of the quantiles, traced, shape (n_levels,), in [0, 1].
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight, or if a level is outside [0, 1].

    Gradient:
        That of `mean_pinball_loss`.

    Cost:
        O(n n_levels) time, no temporary arrays.

    References:
        Bracher, Ray, Gneiting & Reich (2021).

    Examples:
        >>> y_pred = [[1.0, 2.0, 4.0], [0.0, 1.0, 2.0]]
        >>> round(float(weighted_interval_score([2.0, 3.0], y_pred, alpha=[0.25, 0.5, 0.75])), 6)
        1.083333
    """
    y_true, y_pred = check.columns(y_true, y_pred, None, "predicted quantiles")
    alpha = check.levels("alpha", alpha, y_pred.shape[1])
    y_true = jnp.broadcast_to(y_true[:, None], y_pred.shape)
    return mean_error(
        _pinball,
        y_true,
        y_pred,
        multioutput="uniform_average",
        sample_weight=sample_weight,
        where=where,
        options=(alpha,),
        finisher=_twice,
    )


def _twice(loss: Array) -> Array:
    return 2 * loss


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="intervals")
def interval_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: Number = 0.05,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean interval score of central prediction intervals, their width plus a penalty for misses.

    (u − l) + 2 / α max(l − y, 0) + 2 / α max(y − u, 0) for an interval [l, u] with nominal coverage
    1 − α.

    Args:
        y_true: Targets, shape (n,), in any unit.
        y_pred: Lower and upper ends of the intervals, shape (n, 2), in the unit of `y_true`.
        alpha: One minus the nominal coverage, a traced scalar in (0, 1].
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight, for `alpha` outside (0, 1], and for a lower end above
        the upper one by more than rounding error, up to which they are taken as equal.

    Gradient:
        Piecewise constant in the ends, smooth in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Winkler (1972); Gneiting & Raftery (2007).

    Examples:
        >>> round(float(interval_score([2.0, 5.0], [[1.0, 3.0], [1.0, 3.0]], alpha=0.5)), 6)
        6.0
    """
    truth, intervals = check.columns(y_true, y_pred, 2, "prediction intervals")
    truth, weight, mask = check.samples(y_true=truth, sample_weight=sample_weight, where=where)
    kernel = Bound.kernel(_interval_scores, check.number("alpha", alpha))
    return plan((truth, intervals, weight, mask), kernel, Bound.finisher(mean_of))


def _interval_scores(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, alpha: Array
) -> Total:
    y_true, ends, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    low, high = ends[:, 0], ends[:, 1]
    alpha = jnp.asarray(alpha, low.dtype)
    alpha = check.nan_unless(alpha, (alpha > 0) & (alpha <= 1), "`alpha` must be in (0, 1]")
    missed = jnp.maximum(low - y_true, 0) + jnp.maximum(y_true - high, 0)
    width = high - low
    size = jnp.maximum(absolute(nearest(low)), absolute(nearest(high)))
    crossed = 0 if isinstance(ends, Whole) else 2 * jnp.finfo(size.dtype).eps * size
    score = check.nan_unless(
        jnp.maximum(width, 0) + 2 / alpha * missed,
        (-width <= crossed) | (weight == 0),
        "the lower ends in `y_pred` must not exceed the upper ends",
    )
    return weighted_total(score, weight)


@metric(range=UNIT, greater_is_better=None, predictions="quantiles")
def quantile_coverage(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of targets at or below each predicted quantile, Σ w [y_true ≤ y_pred] / Σ w.

    Calibrated quantiles of level α have coverage α. The difference of two columns is the coverage
    of the half-open interval (lower, upper] between them, since each column is compared by ≤: a
    target equal to the lower end is counted as below the interval. Where targets tie with predicted
    quantiles, as counts and rounded amounts do, the closed interval covers more.

    Args:
        y_true: Targets, shape (n,), in any unit.
        y_pred: Predicted quantiles, shape (n,) or (n, n_levels), in the unit of `y_true`.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1], best near the level of the quantile. Shape (n_levels,) if `y_pred` has two
            axes.

    Undefined:
        NaN if no sample has positive weight, or if a sample with positive weight is NaN.

    Gradient:
        0 in the arrays, smooth in the weights.

    Cost:
        O(n n_levels) time, no temporary arrays.

    References:
        Koenker & Bassett (1978).

    Examples:
        >>> quantile_coverage(
        ...     [1.0, 2.0, 3.0, 4.0], [[0.0, 3.0], [2.0, 3.0], [2.0, 4.0], [3.0, 5.0]]
        ... )
        Array([0.25, 1.  ], dtype=float32)
    """
    y_pred = check.array("y_pred", y_pred)
    if y_pred.ndim == 2:
        y_true, y_pred = check.columns(y_true, y_pred, None, "predicted quantiles")
        y_true = lax.broadcast_in_dim(y_true, y_pred.shape, (0,))
    arrays, *_ = regression_inputs(y_true, y_pred, sample_weight, where)
    return plan(
        arrays, Bound.kernel(_covered), Bound.finisher(_coverage, dtype=accumulator(*arrays[:3]))
    )


def _covered(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> tuple[Total, DomainCheck]:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    known = ~(jnp.isnan(nearest(y_true)) | jnp.isnan(nearest(y_pred)))
    known = jnp.all(known | (weight == 0), axis=0)
    domain = DomainCheck(known, "`y_true` and `y_pred` must not be NaN")
    return weighted_total(y_true <= y_pred, weight), domain


def _coverage(statistic: tuple[Total, DomainCheck], *, dtype: DTypeLike) -> Array:
    total, domain = statistic
    return domain.apply(mean_of(total, dtype=dtype))


@declared(range=AT_MOST_ONE, greater_is_better=True, predictions="quantiles")
def d2_pinball_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: Number = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """D², the fraction of the pinball loss explained, relative to the quantile of the target.

    1 − Σ w ρ(y_true − y_pred) / Σ w ρ(y_true − q), where ρ is the pinball loss and q the weighted
    α-quantile of `y_true`.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predicted quantiles, with the shape and unit of `y_true`.
        alpha: Level α of the quantile, a traced scalar in [0, 1].
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in (−∞, 1], dimensionless; higher is better, 0 is as good as a constant quantile.
            Shape (n_outputs,) for `multioutput="raw_values"`.

    Undefined:
        NaN if fewer than two samples have positive weight, or for `alpha` outside [0, 1]. A
        constant target (all values equal), or one that a constant fits without loss (levels 0 and
        1), gives 1 for a perfect fit and 0 otherwise.

    Gradient:
        That of `mean_pinball_loss`; smooth in the weights.

    Cost:
        O(n) time by selection, without sorting.

    References:
        `sklearn.metrics.d2_pinball_score`; Koenker & Machado (1999).

    Examples:
        >>> round(float(d2_pinball_score([1.0, 2.0, 3.0], [1.0, 3.0, 3.0])), 6)
        0.5
    """
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput
    )
    return _d2_pinball_score(*arrays, outputs, check.number("alpha", alpha), average=average)


@functools.partial(jax.jit, static_argnames="average")
@with_auto_axes
def _d2_pinball_score(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    outputs: Array | None,
    alpha: Array,
    *,
    average: str,
) -> Array:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, relative(sample_weight, where), where)
    alpha = _level(alpha, y_true.dtype)
    target = moments(y_true, weight)
    # Large integers keep their precision as differences from a value near them.
    split = isinstance(y_true, Whole)
    around = y_true - lax.stop_gradient(target.mean)[None] if split else y_true
    # The loss is stationary in its minimiser, so the weights need no gradient through it.
    fixed = lax.stop_gradient(weight)
    quantile = jnp.broadcast_to(weighted_quantile(around, fixed, alpha), around.shape)
    residual = weighted_sum(_pinball(y_true, y_pred, weight, alpha), weight)
    total = weighted_sum(_pinball(around, quantile, weight, alpha), weight)
    # At levels 0 and 1 a constant can fit a varying target without loss.
    score = explained_fraction(residual, total, target.constant | (total == 0))
    return over_outputs(jnp.where(target.entries >= 2, score, jnp.nan), average, outputs)


@declared(range=AT_MOST_ONE, greater_is_better=True, predictions="numbers")
def d2_absolute_error_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """D², the fraction of the absolute error explained, relative to the median of the target.

    Equal to `d2_pinball_score` at level ½: 1 − Σ w |y_true − y_pred| / Σ w |y_true − median|.

    Args:
        y_true: Targets, shape (n,) or (n, n_outputs), in any unit.
        y_pred: Predictions, with the shape and unit of `y_true`.
        multioutput: How to average over outputs: "uniform_average" or "raw_values" (one value per
            output), or weights of shape (n_outputs,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,) or that of `y_true`; entries where it is False are ignored.

    Returns:
        Scalar in (−∞, 1], dimensionless; higher is better, 0 is as good as a constant median. Shape
            (n_outputs,) for `multioutput="raw_values"`.

    Undefined:
        NaN if fewer than two samples have positive weight. A constant target (all values equal)
        gives 1 for a perfect fit and 0 otherwise.

    Gradient:
        That of `mean_absolute_error`; smooth in the weights.

    Cost:
        O(n) time by selection, without sorting.

    References:
        `sklearn.metrics.d2_absolute_error_score`.

    Examples:
        >>> round(float(d2_absolute_error_score([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])), 6)
        0.764706
    """
    return d2_pinball_score(
        y_true, y_pred, multioutput=multioutput, sample_weight=sample_weight, where=where
    )
