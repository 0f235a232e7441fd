"""Losses that push the hardest negatives below the positives."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.merging import apply_checks
from jmetrics._core.numerics import safe_divide, scaled_by_sum, weighted_sum
from jmetrics._core.pairs import KERNELS, kernel_sum
from jmetrics._core.plan import declared
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics.losses._pairs import (
    SURROGATES,
    Options,
    binary_scores,
    highest,
    negated,
    normalised_weights,
    penalty_points,
    range_of_penalty,
    scale_of,
)


@declared(
    range=range_of_penalty,
    greater_is_better=False,
    predictions="scores",
    surrogate_of="roc_auc_score",
)
def p_norm_push_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    power: Number = 4.0,
    surrogate: str = "squared_hinge",
    margin: Number = 1.0,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """p-norm over negatives of the mean penalty of each against all positives.

    (Σ_j w_j v_j^p / Σ_j w_j)^(1/p) with v_j = Σ_i w_i φ(s_i − s_j) / Σ_i w_i, over positives i and
    negatives j, and φ as in `auc_loss`. For p = 1 it is `auc_loss`, a surrogate of
    1 − `jmetrics.roc_auc_score`; a larger p concentrates on the top of the list. For p = ∞ it is
    the largest v_j, a surrogate of the fraction of positives below the highest negative.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        power: Power p of at least 1, a traced number.
        surrogate: Penalty φ, as in `auc_loss`: "squared_hinge", "hinge", "logistic", "sigmoid" or
            "laplace".
        margin: Margin m, in units of the score, a traced number; ignored by surrogates without m.
        temperature: Temperature τ, in units of the score, a traced number; ignored by surrogates
            without τ.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), with the unit and bounds of `auc_loss`; lower is better.

    Undefined:
        As in `auc_loss`; also NaN for a power below 1.

    Gradient:
        As in `auc_loss`; 0 where no pair has a penalty.

    Cost:
        O(n log n) time, O(n) memory.

    References:
        Rudin (2009).

    Examples:
        >>> round(float(p_norm_push_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], margin=0.5)), 5)
        0.13144
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    check.one_of("surrogate", surrogate, KERNELS)
    numbers = {"power": power, "margin": margin, "temperature": temperature}
    traced = (check.number(name, value) for name, value in numbers.items())
    return _p_norm_push_loss(*arrays, sample_weight, where, *traced, surrogate=surrogate)


@functools.partial(jax.jit, static_argnames="surrogate")
@with_auto_axes
def _p_norm_push_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    power: Array,
    margin: Array,
    temperature: Array,
    *,
    surrogate: str,
) -> Array:
    data = binary_scores(y_true, y_score, sample_weight, where)
    dtype = data.at.score.dtype
    options = Options.of(surrogate, margin, temperature, data.at.score.dtype)
    p = scaled_by_sum(data.positive.astype(dtype))
    # From the negatives, differences change sign, and the margin is on their side.
    points = penalty_points(surrogate, negated(data.at), ~data.truth, options)
    height = kernel_sum(surrogate, points, p, scale_of(surrogate, options))
    power = jnp.asarray(power, dtype)
    height = safe_divide(height, jnp.sum(p), 0.0)
    loss = _power_mean(height, normalised_weights(data.negative, dtype), power)
    loss = check.nan_unless(loss, power >= 1, "`power` must be at least 1")
    return apply_checks(loss, (*options.checks, *data.checks))


def _power_mean(x: Array, weight: Array, power: Array) -> Array:
    """(Σ w x^p)^(1/p) of x ≥ 0, for weights that add up to 1 or are all 0."""
    # At this power any ratio below 1 vanishes, and the reciprocal of the power does not underflow.
    power = jnp.minimum(power, 1e20)
    top = jax.lax.stop_gradient(jnp.max(jnp.where(weight != 0, x, 0), initial=0.0))
    tiny = jnp.finfo(x.dtype).tiny
    ratio = x / jnp.where(top > 0, top, jnp.ones_like(top))
    large = ratio > tiny
    # Only entries of zero weight exceed the top: their power must not overflow.
    log = jnp.log(jnp.where(large, ratio, jnp.ones_like(ratio)))
    powers = jnp.where(large, jnp.exp(jnp.minimum(power * log, 80)), jnp.zeros_like(ratio))
    total = weighted_sum(powers, weight)
    some = (total > 0) & (top > 0)
    root = jnp.exp(jnp.log(jnp.where(some, total, jnp.ones_like(total))) / power)
    return jnp.where(some, top * root, jnp.zeros_like(top))


_PENALTIES = {name: s.penalty for name, s in SURROGATES.items() if s.penalty is not None}


@declared(
    range=range_of_penalty,
    greater_is_better=False,
    predictions="scores",
    surrogate_of="recall_at_precision",
)
def top_push_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    surrogate: str = "squared_hinge",
    margin: Number = 1.0,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean penalty of the positives against the highest negative.

    Σ_i w_i φ(s_i − max_j s_j) / Σ_i w_i over positives i and negatives j, with φ as in `auc_loss`.
    Surrogate of the fraction of positives that are not above all negatives, one minus the recall at
    full precision; "sigmoid" tends to it as its temperature goes to 0.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        surrogate: Penalty φ, as in `auc_loss`: "squared_hinge", "hinge", "logistic", "sigmoid" or
            "exponential".
        margin: Margin m, in units of the score, a traced number; ignored by surrogates without m.
        temperature: Temperature τ, in units of the score, a traced number; ignored by surrogates
            without τ.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), with the unit and bounds of `auc_loss`; lower is better.

    Undefined:
        As in `auc_loss`.

    Gradient:
        Among the negatives only the highest has one, tied ones in equal parts. Smooth in the
        weights, except for a jump where the highest negative loses all its weight.

    Cost:
        O(n) time and memory, no sort.

    References:
        Li, Jin & Zhou (2014).

    Examples:
        >>> round(float(top_push_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], margin=0.5)), 5)
        0.15625
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    check.one_of("surrogate", surrogate, tuple(_PENALTIES))
    margin, temperature = check.number("margin", margin), check.number("temperature", temperature)
    return _top_push_loss(*arrays, sample_weight, where, margin, temperature, surrogate=surrogate)


@functools.partial(jax.jit, static_argnames="surrogate")
def _top_push_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    margin: Array,
    temperature: Array,
    *,
    surrogate: str,
) -> Array:
    data = binary_scores(y_true, y_score, sample_weight, where)
    score = data.at.score
    options = Options.of(surrogate, margin, temperature, score.dtype)
    top, compensation = highest(data.at, data.negative != 0)
    some = jnp.isfinite(top)
    gap = (score - jnp.where(some, top, 0)) + (data.at.compensation - compensation)
    gap = jnp.where(data.truth & some, gap, jnp.zeros_like(gap))
    penalty = _PENALTIES[surrogate](gap, options)
    loss = weighted_sum(penalty, normalised_weights(data.positive, score.dtype))
    loss = jnp.where(some, loss, jnp.zeros_like(loss))
    return apply_checks(loss, (*options.checks, *data.checks))
