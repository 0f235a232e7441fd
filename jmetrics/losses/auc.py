"""Surrogates of 1 − AUC: the mean over pairs of a smooth penalty on their difference."""

from __future__ import annotations

import functools

import jax
from jax import Array

from jmetrics._core import check
from jmetrics._core.merging import apply_checks
from jmetrics._core.plan import declared
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics.losses._pairs import (
    SURROGATES,
    Options,
    binary_scores,
    mean_penalty,
    range_of_penalty,
)


@declared(
    range=range_of_penalty,
    greater_is_better=False,
    predictions="scores",
    surrogate_of="roc_auc_score",
)
def auc_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    surrogate: str = "squared_hinge",
    margin: Number = 1.0,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean penalty over (positive, negative) pairs, Σ_ij w_i w_j φ(s_i − s_j) / Σ_ij w_i w_j.

    Surrogate of 1 − `jmetrics.roc_auc_score`. With margin m and temperature τ, φ(t) is

    * "squared_hinge" max(m − t, 0)², "hinge" max(m − t, 0), "square" (m − t)²;
    * "logistic" log(1 + exp(−t/τ)), "exponential" exp(−t/τ);
    * "sigmoid" 1 / (1 + exp(t/τ)), "laplace" exp(−t/τ) / 2 for t ≥ 0 and 1 − exp(t/τ) / 2 for
      t < 0.

    "sigmoid" and "laplace" tend to 1 − AUC as τ → 0; the others, divided by φ(0), bound it from
    above. "auc_margin" is the min-max margin loss of Yuan et al. in closed form: max(m − d, 0)² for
    the difference d of the mean scores of the two classes, plus the variances within them.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        surrogate: Penalty φ: "squared_hinge", "hinge", "square", "logistic", "exponential",
            "sigmoid", "laplace" or "auc_margin".
        margin: Margin m, in units of the score, a traced number; ignored by surrogates without m.
        temperature: Temperature τ, in units of the score, a traced number; ignored by surrogates
            without τ.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), at most 1 for "sigmoid" and "laplace"; in squared units of the score for
            "squared_hinge", "square" and "auc_margin", in units of the score for "hinge", otherwise
            without unit. Lower is better.

    Undefined:
        0 with zero gradient unless both classes have positive weight; NaN for a label other than 0
        and 1, for a score whose square is not finite, and for a temperature that is not positive
        where the surrogate uses it.

    Gradient:
        Continuous in the scores except for "hinge", smooth in the weights; infinitely often
        differentiable for "logistic", "sigmoid", "exponential" and "square".

    Cost:
        O(n log n) time, O(n) memory; O(n) time for "square", "auc_margin" and "exponential", and
        for "logistic" and "sigmoid" of thousands of scores within about a hundred temperatures.

    References:
        Gao & Zhou (2015), on which of these are consistent with AUC: "logistic", "exponential" and
        "square" are, "hinge" is not. Yuan, Yan, Sonka & Yang (2021).

    Examples:
        >>> float(auc_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], margin=0.5))
        0.09375
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    check.one_of("surrogate", surrogate, SURROGATES)
    margin, temperature = check.number("margin", margin), check.number("temperature", temperature)
    return _auc_loss(*arrays, sample_weight, where, margin, temperature, surrogate=surrogate)


@functools.partial(jax.jit, static_argnames="surrogate")
@with_auto_axes
def _auc_loss(
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
    options = Options.of(surrogate, margin, temperature, data.at.score.dtype)
    loss = mean_penalty(surrogate, data.at, data.truth, data.positive, data.negative, options)
    return apply_checks(loss, (*options.checks, *data.checks))
