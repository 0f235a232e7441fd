"""Surrogates of 1 − AUC: the mean over pairs of a smooth penalty on their difference."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import are_binary, is_positive
from jmetrics._core.numerics import accumulator, safe_divide, weighted_sum
from jmetrics._core.pairs import kernel_sum
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import clean, combine

_SURROGATES = ("squared_hinge", "logistic")


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

    φ(t) = max(margin − t, 0)² for "squared_hinge", which ignores `temperature`, and
    log(1 + exp(−t / temperature)) for "logistic", which ignores `margin`. Stands for
    1 − `jmetrics.roc_auc_score`: φ / margin² and φ / log 2 bound it from above.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any finite numbers; `margin` and
    `temperature` are traced numbers. A scalar.
    Range: [0, ∞), squared units of the score, or without unit for "logistic"; lower is better.
    Undefined: 0 with zero gradient unless both classes have weight; NaN for a label other
    than 0 and 1, a NaN score that counts, and a temperature that is not positive.
    Gradient: continuous in the scores, smooth in the weights; twice differentiable for "logistic".
    Cost: O(n²) time by blocks, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Gao & Zhou (2015), on which of these are consistent with AUC.

    >>> float(auc_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], margin=0.5))
    0.09375
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    check.one_of("surrogate", surrogate, _SURROGATES)
    margin, temperature = check.number("margin", margin), check.number("temperature", temperature)
    return _auc_loss(*arrays, sample_weight, where, margin, temperature, surrogate=surrogate)


@functools.partial(jax.jit, static_argnames="surrogate")
def _auc_loss(y_true, y_score, sample_weight, where, margin, temperature, *, surrogate):
    dtype = accumulator(y_score, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype).astype(dtype)
    score = clean(y_score.astype(dtype), sample_weight, where)
    # Without weight, a penalty that overflows must not reach a derivative: 0 times ∞ is no 0.
    lost = (weight == 0) & ~jnp.isfinite(jnp.square(score))
    score = jnp.where(lost, jnp.zeros_like(score), score)
    y_true = clean(y_true, sample_weight, where)
    positive = jnp.where(is_positive(y_true), weight, jnp.zeros_like(weight))
    negative = weight - positive
    penalty = _penalty(surrogate, jnp.asarray(margin, dtype), jnp.asarray(temperature, dtype))
    per_positive = safe_divide(kernel_sum(penalty, score, score, negative), jnp.sum(negative), 0.0)
    loss = safe_divide(weighted_sum(per_positive, positive), jnp.sum(positive), 0.0)
    labelled = jnp.all((weight == 0) | are_binary(y_true))
    loss = check.defined(loss, labelled, "`y_true` must be 0 or 1")
    return check.defined(loss, jnp.all(score == score), "`y_score` must not be NaN")


def _penalty(surrogate, margin, temperature):
    if surrogate == "squared_hinge":
        return lambda t: jnp.square(jnp.maximum(margin - t, 0))
    warm = temperature > 0
    temperature = check.defined(temperature, warm, "`temperature` must be positive")
    return lambda t: jax.nn.softplus(-t / temperature)
