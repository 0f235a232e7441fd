"""Tweedie deviances and the fraction of deviance explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.deviance import Power, inside, representable, unit_deviance
from jmetrics._core.exporting import exportable
from jmetrics._core.merging import Reducer, number, plus, scale
from jmetrics._core.moments import InUnits, Moments, mean_difference, merging_unit, moments
from jmetrics._core.numerics import (
    Total,
    Whole,
    mean_of,
    nearest,
    power_of,
    power_of_two_scale,
    weighted_sum,
    weighted_total,
)
from jmetrics._core.plan import AT_MOST_ONE, NONNEGATIVE, Bound, Plan, metric, plan
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import resolve_exactly
from jmetrics.regression.explained import explained_fraction

_DOMAIN = (
    "`power` must be at most 0 or at least 1, `y_pred` positive unless power is 0, and "
    "`y_true` non-negative from power 1 and positive from power 2"
)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="means")
def mean_tweedie_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number = 0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean unit deviance of a Tweedie distribution, Σ w d(y_true, y_pred) / Σ w.

    d(y, μ) = 2 (y^(2−p) / ((1−p)(2−p)) − y μ^(1−p) / (1−p) + μ^(2−p) / (2−p)), with its limits at
    p = 1 and p = 2. Power 0 is the squared error, 1 Poisson, 2 gamma, 3 inverse Gaussian, and
    between 1 and 2 compound Poisson–gamma.

    Args:
        y_true: Targets, shape (n,); non-negative for 1 ≤ p < 2, positive for p ≥ 2.
        y_pred: Predicted means, with the shape and unit of `y_true`; positive unless p = 0.
        power: Power p of the variance function, a traced scalar, p ≤ 0 or p ≥ 1.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y^(2−p); lower is better.

    Undefined:
        NaN if no sample has positive weight, for a power between 0 and 1, and outside the domain:
        y_pred > 0 unless p = 0; y_true ≥ 0 for 1 ≤ p < 2; y_true > 0 for p ≥ 2.

    Gradient:
        Smooth in `y_pred` and `power`, also at y_true = 0 with p = 1.

    Cost:
        O(n) time, no temporary arrays. The relative error is near 1e-6 for every p and y / μ.

    References:
        `sklearn.metrics.mean_tweedie_deviance`; Jørgensen (1987).

    Examples:
        >>> round(float(mean_tweedie_deviance([2.0, 0.0, 1.0], [0.5, 0.5, 2.0], power=1.5)), 5)
        2.04738
    """
    return _mean_deviance(y_true, y_pred, power, sample_weight=sample_weight, where=where)


def _mean_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    power: Number,
    *,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Plan[Array]:
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    powers = Power.of(power)
    return plan(arrays, Bound.kernel(_total_deviance, powers), Bound.finisher(mean_of))


def _total_deviance(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, power: Power
) -> Total:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    return weighted_total(_deviance(y_true, y_pred, weight, power.astype(y_true.dtype)), weight)


def _deviance(
    y_true: Array | Whole, y_pred: Array | Whole, weight: Array, power: Power, compensation: Any = 0
) -> Array:
    """Deviance of each sample, of a prediction that is `compensation` above its float."""
    off, weighted = weight == 0, jnp.issubdtype(weight.dtype, jnp.floating)
    error = (y_true - y_pred) - compensation
    y_true, y_pred = nearest(y_true), nearest(y_pred)
    domain = inside(y_true, y_pred, power) | off
    if weighted:
        # An overflow must not reach the gradient even at weight 0: 0·∞ is NaN.
        lost = off & ~representable(y_true, y_pred, power)
        one = jnp.ones_like(y_true)
        y_true, y_pred = jnp.where(lost, one, y_true), jnp.where(lost, one, y_pred)
        error = jnp.where(lost, jnp.zeros_like(error), error)
    deviance = check.nan_unless(unit_deviance(y_true, y_pred, power, error), domain, _DOMAIN)
    # Fused into a weighted sum, XLA computes it several times slower.
    return lax.optimization_barrier(deviance) if weighted else deviance


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="means")
def mean_poisson_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean Poisson deviance, Σ w 2 (y log(y / μ) − y + μ) / Σ w with μ = y_pred.

    Equal to `mean_tweedie_deviance` with power 1.

    Args:
        y_true: Targets, shape (n,), non-negative.
        y_pred: Predicted means, with the shape and unit of `y_true`, positive.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight, for y_true < 0 and for y_pred ≤ 0.

    Gradient:
        Smooth in `y_pred`, also at y_true = 0, and in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.mean_poisson_deviance`.

    Examples:
        >>> round(float(mean_poisson_deviance([2.0, 0.0, 1.0, 4.0], [0.5, 0.5, 2.0, 2.0])), 6)
        1.426015
    """
    return _mean_deviance(y_true, y_pred, 1, sample_weight=sample_weight, where=where)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="means")
def mean_gamma_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean gamma deviance, Σ w 2 (log(μ / y) + y / μ − 1) / Σ w with μ = y_pred.

    Equal to `mean_tweedie_deviance` with power 2.

    Args:
        y_true: Targets, shape (n,), positive.
        y_pred: Predicted means, with the shape and unit of `y_true`, positive.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), dimensionless; lower is better.

    Undefined:
        NaN if no sample has positive weight, or if a value of either array is not positive.

    Gradient:
        Smooth in both arrays and the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.mean_gamma_deviance`.

    Examples:
        >>> round(float(mean_gamma_deviance([2.0, 0.5, 1.0, 4.0], [0.5, 0.5, 2.0, 2.0])), 6)
        1.056853
    """
    return _mean_deviance(y_true, y_pred, 2, sample_weight=sample_weight, where=where)


@metric(range=AT_MOST_ONE, greater_is_better=True, predictions="means")
def d2_tweedie_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    power: Number = 0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """D², the fraction of the Tweedie deviance explained, 1 − Σ w d(y, ŷ) / Σ w d(y, ȳ).

    Args:
        y_true: Targets, shape (n,); non-negative for 1 ≤ p < 2, positive for p ≥ 2.
        y_pred: Predicted means, with the shape and unit of `y_true`; positive unless p = 0.
        power: Power p of the variance function, a traced scalar, p ≤ 0 or p ≥ 1.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in (−∞, 1], dimensionless; higher is better, 0 is as good as predicting the mean.

    Undefined:
        NaN if fewer than two samples have positive weight, and outside the domain of
        `mean_tweedie_deviance`, which the mean of `y_true` must be in too. A constant target (all
        values equal) gives 1 for a perfect fit and 0 otherwise.

    Gradient:
        Smooth in `y_pred`, `power` and the weights; 0 where the target is constant.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `sklearn.metrics.d2_tweedie_score`, which divides by zero for a constant target; Hastie,
        Tibshirani & Wainwright (2015).

    Examples:
        >>> round(float(d2_tweedie_score([0.5, 1.0, 2.5, 7.0], [1.0, 1.0, 5.0, 3.5], power=1)), 6)
        0.487915
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    powers = Power.of(power)
    return plan(arrays, Bound.kernel(_deviances, powers), Bound.finisher(_explained))


@exportable
class Deviances(NamedTuple):
    """Deviances of a target from its mean and from its predictions."""

    target: Moments
    total: Array
    residual: Array
    power: Power
    """Equal in all parts that have data."""

    @staticmethod
    def joined(parts: Sequence[Deviances], reducer: Reducer) -> Deviances:
        """Deviances of the union of all parts.

        Σ w d(y, μ) = Σ w d(y, ȳ) + Σ w d(ȳ, μ), as in every exponential dispersion family.
        """
        target = Moments.joined([part.target for part in parts], reducer)
        power = jax.tree.map(lambda *powers: reducer.max(powers), *(part.power for part in parts))
        totals = (plus(part.total, _of_mean(part.target, target, power)) for part in parts)
        residual = reducer.sum(part.residual for part in parts)
        return Deviances(target, reducer.sum(totals), residual, power)

    def rescaled(self, factor: Array) -> Deviances:
        """Deviances after multiplying the data by a positive factor."""
        some = number(self.target.entries) > 0
        to_two = jnp.where(some, self.power.to_two, jnp.ones_like(self.power.to_two))
        grown = power_of(factor, to_two)
        total, residual = scale(self.total, grown), scale(self.residual, grown)
        return Deviances(self.target.rescaled(factor), total, residual, self.power)


def _of_mean(part: Moments, whole: Moments, power: Power) -> Array:
    """Weighted deviance of the mean of a part from the mean of all."""
    weight, difference = number(part.weight), mean_difference(part, whole)
    some = (weight > 0) & (difference != 0)
    one, zero = jnp.ones_like(difference), jnp.zeros_like(difference)
    own, mean, difference = (
        jnp.where(some, a, other)
        for a, other in ((part.mean, one), (whole.mean, one), (difference, zero))
    )
    return jnp.where(some, weight * unit_deviance(own, mean, power, difference), zero)


@with_auto_axes
def _deviances(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, power: Power
) -> InUnits[Deviances]:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    power = power.astype(y_true.dtype)
    unit = power_of_two_scale(nearest(y_true), weight != 0)
    target = moments(y_true, weight, unit)
    y_true, y_pred = y_true / unit, y_pred / unit
    # The mean of a constant target, such as 0, may be outside the domain.
    mean = jnp.broadcast_to(jnp.where(target.constant, 1, target.mean), y_true.shape)
    total = weighted_sum(_deviance(y_true, mean, weight, power, target.compensation), weight)
    total = jnp.where(target.constant, jnp.zeros_like(total), total)
    residual = weighted_sum(_deviance(y_true, y_pred, weight, power), weight)
    in_unit = Deviances(target, total, residual, power)
    return InUnits((merging_unit(unit[0], target),), in_unit)


def _explained(deviances: InUnits[Deviances]) -> Array:
    target = deviances.statistic.target
    residual, total = deviances.statistic.residual, deviances.statistic.total
    score = explained_fraction(residual, total, target.constant)
    return jnp.where(target.entries >= 2, score, jnp.nan)
