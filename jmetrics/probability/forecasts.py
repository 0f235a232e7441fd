"""Proper scores of predicted distributions of a number."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.numerics import (
    Total,
    Whole,
    absolute,
    mean_of,
    nearest,
    power_near,
    safe_sqrt,
    weighted_total,
)
from jmetrics._core.plan import NONNEGATIVE, REAL, Bound, Plan, metric, plan
from jmetrics._core.quantiles import rising_levels
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import clean, resolve_exactly


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="ensembles")
def crps_ensemble(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fair: bool = False,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Continuous ranked probability score of an ensemble of predictions.

    Mean over samples of mean_i |x_i − y| − Σ_ij |x_i − x_j| / (2 m²) for the m members x. With
    `fair=True` the second divisor is 2 m (m − 1): the expected score of an infinite ensemble of
    which the members are draws. For one member this is the absolute error.

    Args:
        y_true: Observations y, any numbers, shape (n,).
        y_pred: Ensembles, shape (n, m), in the unit of `y_true`.
        fair: Whether to correct for the size of the ensemble.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight or for a NaN in a sample with positive weight.

    Gradient:
        Piecewise constant in the members; smooth in the weights.

    Cost:
        O(n m log m) time, O(n m) memory, from one sort of each ensemble. All terms of the sum are
        positive, so nothing cancels.

    Raises:
        ValueError: If `fair` is set for a single member.

    References:
        Gneiting & Raftery (2007); Ferro (2014) for `fair`.

    Examples:
        >>> round(float(crps_ensemble([0.1], [[0.1, 0.3, 0.2]])), 6)
        0.055556
        >>> round(float(crps_ensemble([0.1], [[0.1, 0.3, 0.2]], fair=True)), 6)
        0.033333
    """
    truth, ensemble = check.ensemble(y_true, y_pred, axes=1, at_least=1 + bool(fair))
    truth, weight, mask = check.samples(y_true=truth, sample_weight=sample_weight, where=where)
    kernel = Bound.kernel(_of_ensembles, fair=bool(fair))
    return plan((truth, ensemble, weight, mask), kernel, Bound.finisher(mean_of))


def _of_ensembles(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, *, fair: bool
) -> Total:
    y_pred = jnp.sort(y_pred, axis=1)
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    m = y_pred.shape[1]
    # Σ_ij |x_i − x_j| / 2 is Σ_i (2 i − m − 1) x_i in rising order: a pinball loss for each.
    slope = (2 * np.arange(m) + 1 - m) / max(m - fair, 1)
    over, under = (jnp.asarray(s, y_pred.dtype)[None] for s in (1 - slope, -1 - slope))
    error = y_pred - y_true[:, None]
    return weighted_total(jnp.mean(jnp.maximum(over * error, under * error), axis=1), weight)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="quantiles")
def crps_quantiles(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: ArrayLike,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Continuous ranked probability score of a distribution given by some of its quantiles.

    2 ∫ ρ_α(y − q_α) dα by the trapezoidal rule over the levels, with 0 at the levels 0 and 1, where
    the integrand vanishes for every distribution whose support extends to y. The levels may be
    unevenly spaced; a mean with equal weights would be 1 / K too large for the K levels
    k / (K + 1).

    Args:
        y_true: Observations y, any numbers, shape (n,).
        y_pred: Predicted quantiles q, shape (n, n_levels), in the unit of `y_true`.
        alpha: Levels of the quantiles, non-decreasing within [0, 1], shape (n_levels,), traced.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight, and for levels that decrease or are outside [0, 1].

    Gradient:
        Piecewise constant in the quantiles; smooth in the weights.

    Cost:
        O(n n_levels) time.

    References:
        Laio & Tamea (2007).

    Examples:
        >>> y_pred = [[1.0, 2.0, 4.0], [0.0, 1.0, 2.0]]
        >>> round(float(crps_quantiles([2.0, 3.0], y_pred, alpha=[0.25, 0.5, 0.75])), 6)
        0.8125
    """
    truth, quantiles = check.columns(y_true, y_pred, None, "predicted quantiles")
    alpha = check.levels("alpha", alpha, quantiles.shape[1])
    truth, weight, mask = check.samples(y_true=truth, sample_weight=sample_weight, where=where)
    kernel = Bound.kernel(_of_quantiles, alpha)
    return plan((truth, quantiles, weight, mask), kernel, Bound.finisher(mean_of))


def _of_quantiles(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, alpha: Array
) -> Total:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    alpha, width, rising = rising_levels(alpha.astype(y_pred.dtype))
    alpha = check.nan_unless(alpha, rising, "`alpha` must rise within [0, 1]")
    error = y_true[:, None] - y_pred
    pinball = jnp.maximum(alpha[None] * error, (alpha[None] - 1) * error)
    return weighted_total(jnp.sum(width[None] * pinball, axis=1), weight)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="distributions")
def crps_normal(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    scale: ArrayLike,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Continuous ranked probability score of normal distributions.

    Mean of σ (z (2 Φ(z) − 1) + 2 φ(z) − 1 / √π) with z = (y − μ) / σ.

    Args:
        y_true: Observations y, any numbers, shape (n,).
        y_pred: Means μ, shape (n,), in the unit of `y_true`.
        scale: Standard deviations σ, positive, one number or shape (n,), traced, in the unit of
            `y_true`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight, and for a `scale` that is not positive.

    Gradient:
        Smooth in both arrays, in `scale` and in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Gneiting, Raftery, Westveld & Goldman (2005).

    Examples:
        >>> round(float(crps_normal([0.0, 1.0], [0.0, 0.0], scale=1.0)), 6)
        0.418068
    """
    return mean_score(
        _normal_score, y_true, y_pred, scale=scale, sample_weight=sample_weight, where=where
    )


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="distributions")
def crps_logistic(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    scale: ArrayLike,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Continuous ranked probability score of logistic distributions.

    Mean of s (|z| + 2 log(1 + exp(−|z|)) − 1) with z = (y − μ) / s.

    Args:
        y_true: Observations y, any numbers, shape (n,).
        y_pred: Locations μ, shape (n,), in the unit of `y_true`.
        scale: Scales s, positive, one number or shape (n,), traced, in the unit of `y_true`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight, and for a `scale` that is not positive.

    Gradient:
        Smooth in both arrays, in `scale` and in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Jordan, Krüger & Lerch (2019).

    Examples:
        >>> round(float(crps_logistic([0.0, 1.0], [0.0, 0.0], scale=1.0)), 6)
        0.506409
    """
    return mean_score(
        _logistic_score, y_true, y_pred, scale=scale, sample_weight=sample_weight, where=where
    )


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="distributions")
def crps_laplace(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    scale: ArrayLike,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Continuous ranked probability score of Laplace distributions.

    Mean of s (|z| + exp(−|z|) − ¾) with z = (y − μ) / s.

    Args:
        y_true: Observations y, any numbers, shape (n,).
        y_pred: Locations μ, shape (n,), in the unit of `y_true`.
        scale: Scales s, positive, one number or shape (n,), traced, in the unit of `y_true`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight, and for a `scale` that is not positive.

    Gradient:
        Smooth in both arrays, in `scale` and in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Jordan, Krüger & Lerch (2019).

    Examples:
        >>> round(float(crps_laplace([0.0, 1.0], [0.0, 0.0], scale=1.0)), 6)
        0.43394
    """
    return mean_score(
        _laplace_score, y_true, y_pred, scale=scale, sample_weight=sample_weight, where=where
    )


@metric(range=REAL, greater_is_better=False, predictions="distributions")
def gaussian_nll(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    scale: ArrayLike,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Negative log-likelihood of normal distributions.

    Mean of log σ + z² / 2 + log(2 π) / 2 with z = (y − μ) / σ.

    Args:
        y_true: Observations y, any numbers, shape (n,).
        y_pred: Means μ, shape (n,), in the unit of `y_true`.
        scale: Standard deviations σ, positive, one number or shape (n,), traced, in the unit of
            `y_true`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in (−∞, ∞), in nats; lower is better.

    Undefined:
        NaN if no sample has positive weight, and for a `scale` that is not positive.

    Gradient:
        Smooth in both arrays, in `scale` and in the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Good (1952); `torch.nn.GaussianNLLLoss` with `full=True`.

    Examples:
        >>> round(float(gaussian_nll([0.0, 1.0], [0.0, 0.0], scale=1.0)), 6)
        1.168939
    """
    return mean_score(
        _gaussian_nll, y_true, y_pred, scale=scale, sample_weight=sample_weight, where=where
    )


def mean_score(
    score: Callable[[Array, Array], Array],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    scale: ArrayLike,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Plan[Array]:
    """Mean of score(y_true − y_pred, scale)."""
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    scale = check.number_or_samples("scale", scale, arrays[0].shape)
    return plan(arrays, Bound.kernel(_scores, scale, score=score), Bound.finisher(mean_of))


def _scores(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    scale: Array,
    *,
    score: Callable[[Array, Array], Array],
) -> Total:
    if several := jnp.ndim(scale) == 1:
        scale = clean(scale, sample_weight, where, filler=1)
    y_true, y_pred, weight = resolve_exactly(
        y_true, y_pred, sample_weight, where, scale if several else None
    )
    scale = jnp.asarray(scale, y_true.dtype)
    positive = scale > 0
    scale = jnp.where(positive, scale, jnp.ones_like(scale))
    value = score(y_true - y_pred, scale)
    value = check.nan_unless(value, positive | (weight == 0), "`scale` must be positive")
    return weighted_total(value, weight)


def _crps(
    value: Callable[[Array, Array, Array], Array],
    slope: Callable[[Array], Array],
    rest: Callable[[Array], Array],
) -> Callable[[Array, Array], Array]:
    """Score value(e, s, e / s) of an error e and a scale s, with its derivatives in both.

    Differentiating the terms of the value in s would leave the cancelled rest of those that
    grow with e.
    """

    @jax.custom_jvp
    def score(error: Array, scale: Array) -> Array:
        return value(error, scale, error / scale)

    @score.defjvp
    def _(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
        error, scale = primals
        z = jnp.clip(error / scale, -40, 40)  # beyond, no slope changes any more
        return score(error, scale), tangents[0] * slope(z) + tangents[1] * rest(z)

    return score


def _normal(error: Array, scale: Array, z: Array) -> Array:
    return error * _normal_slope(z) + scale * _normal_rest(z)


def _normal_slope(z: Array) -> Array:
    return jax.scipy.special.erf(z * math.sqrt(0.5))


def _normal_rest(z: Array) -> Array:
    return math.sqrt(2 / math.pi) * jnp.exp(-jnp.square(z) / 2) - 1 / math.sqrt(math.pi)


def _logistic(error: Array, scale: Array, z: Array) -> Array:
    return jnp.abs(error) + scale * (2 * jnp.log1p(jnp.exp(-jnp.abs(z))) - 1)


def _logistic_slope(z: Array) -> Array:
    return jnp.tanh(z / 2)


def _logistic_rest(z: Array) -> Array:
    size = absolute(z)
    return 2 * (jnp.log1p(jnp.exp(-size)) + size * jax.nn.sigmoid(-size)) - 1


def _laplace(error: Array, scale: Array, z: Array) -> Array:
    return jnp.abs(error) + scale * (jnp.exp(-jnp.abs(z)) - 0.75)


@jax.custom_jvp
def _laplace_slope(z: Array) -> Array:
    return -jnp.sign(z) * jnp.expm1(-jnp.abs(z))


@_laplace_slope.defjvp
def _laplace_slope_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (z,), (dz,) = primals, tangents
    return _laplace_slope(z), dz * jnp.exp(-absolute(z))


def _laplace_rest(z: Array) -> Array:
    size = absolute(z)
    return (1 + size) * jnp.exp(-size) - 0.75


_normal_score = _crps(_normal, _normal_slope, _normal_rest)
_logistic_score = _crps(_logistic, _logistic_slope, _logistic_rest)
_laplace_score = _crps(_laplace, _laplace_slope, _laplace_rest)


def _gaussian_nll(error: Array, scale: Array) -> Array:
    return jnp.log(scale) + jnp.square(error / scale) / 2 + math.log(2 * math.pi) / 2


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="ensembles")
def energy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fair: bool = False,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Energy score of an ensemble of predicted vectors: `crps_ensemble` in several dimensions.

    Mean over samples of mean_i ‖x_i − y‖ − Σ_ij ‖x_i − x_j‖ / (2 m²) for the m members x, in
    Euclidean norm; with `fair=True` the second divisor is 2 m (m − 1).

    Args:
        y_true: Observations y, any numbers, shape (n, d).
        y_pred: Ensembles of vectors, shape (n, m, d), in the unit of `y_true`.
        fair: Whether to correct for the size of the ensemble.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        NaN if no sample has positive weight or for a NaN in a sample with positive weight.

    Gradient:
        That of the norm, 0 where two vectors are equal; smooth in the weights.

    Cost:
        O(n m² d) time and O(n m d) memory, one member after the other.

    Raises:
        ValueError: If `fair` is set for a single member.

    References:
        Gneiting & Raftery (2007).

    Examples:
        >>> round(float(energy_score([[0.0, 0.0]], [[[3.0, 4.0], [0.0, 0.0]]])), 6)
        1.25
    """
    truth, ensemble = check.ensemble(y_true, y_pred, axes=2, at_least=1 + bool(fair))
    truth, weight, mask = check.samples(
        y_true=truth, sample_weight=sample_weight, where=where, ndim=(2,)
    )
    kernel = Bound.kernel(_of_vectors, fair=bool(fair))
    return plan((truth, ensemble, weight, mask), kernel, Bound.finisher(mean_of))


def _of_vectors(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, *, fair: bool
) -> Total:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    largest, m = jnp.max(jnp.abs(nearest(y_pred)), axis=(1, 2)), y_pred.shape[1]
    size = jnp.maximum(largest, jnp.max(jnp.abs(nearest(y_true)), axis=1))
    unit = power_near(lax.stop_gradient(size))  # in which squares stay in range
    members = jax.tree.map(lambda a: jnp.swapaxes(a, 0, 1), y_pred)

    @jax.checkpoint
    def distance_to(vectors: Array | Whole) -> Array:
        """Mean distance of the members to one vector per sample."""
        return jnp.mean(_norm((members - vectors[None]) / unit[None, :, None]), axis=0)

    spread = jnp.sum(jax.lax.map(distance_to, members), axis=0) / max(m - fair, 1)
    return weighted_total(unit * (distance_to(y_true) - spread / 2), weight[:, 0])


def _norm(vectors: Array) -> Array:
    return safe_sqrt(jnp.sum(jnp.square(vectors), axis=-1))
