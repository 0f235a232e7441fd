"""Soft membership of scores in the k largest."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.counts import are_classes, are_labels, as_labels
from jmetrics._core.numerics import accumulator, from_largest, weighted_mean
from jmetrics._core.plan import UNIT, declared
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import admissible, clean, combine, relative


@declared(
    range=UNIT, greater_is_better=False, predictions="scores", surrogate_of="top_k_accuracy_score"
)
def soft_top_k_accuracy_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the mean soft membership of the true class in the k largest scores.

    The membership of class j is p_j = 1 / (1 + exp(−(s_j − b) / τ)), with the threshold b for which
    the memberships of all classes add up to k. Surrogate of 1 − `jmetrics.top_k_accuracy_score`, to
    which it tends as `temperature` → 0 where no scores are tied.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,).
        y_score: Scores, shape (n, n_classes).
        k: Number of largest scores, a static positive integer.
        temperature: Temperature τ, in units of the score, a traced positive number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better; 0 if `k` includes all classes.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for a NaN score, for a label that
        is not a class and for a `temperature` that is not positive.

    Gradient:
        Smooth to any order, including that of the threshold.

    Cost:
        O(n n_classes) time for each of some 40 steps that find the threshold.

    References:
        Petersen, Kuehne, Borgelt & Deussen (2022); Struski et al. (2025) for the threshold.

    Examples:
        >>> y_score = [[3.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
        >>> round(float(soft_top_k_accuracy_loss([0, 1], y_score, k=1)), 4)
        0.4931
    """
    arrays = check.class_scores(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    shape = arrays[1].shape
    check.require(len(shape) == 2, f"`y_score` must have shape (n, n_classes), got {shape}")
    k = check.positive_integer("k", k)
    return _soft_top_k_accuracy_loss(*arrays, check.number("temperature", temperature), k=k)


@functools.partial(jax.jit, static_argnames="k")
def _soft_top_k_accuracy_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    temperature: Array,
    *,
    k: int,
) -> Array:
    dtype = accumulator(y_score, sample_weight)
    weight = combine(relative(sample_weight, where), where, y_true.shape, dtype)
    score, n_classes = clean(from_largest(y_score, dtype), sample_weight, where), y_score.shape[1]
    temperature = jnp.asarray(temperature, dtype)
    y_true = clean(y_true, sample_weight, where)
    column = lax.broadcasted_iota(jnp.int32, score.shape, 1)
    own = as_labels(y_true)[:, None] == column.astype(as_labels(y_true).dtype)
    if k < n_classes:
        margin = _margins(score, temperature, k)
        fraction = jax.nn.sigmoid(-jnp.sum(jnp.where(own, margin, jnp.zeros_like(margin)), axis=1))
    else:
        fraction = jnp.zeros(weight.shape, dtype)
    loss = weighted_mean(fraction, weight, undefined=0.0)
    known = are_labels(y_true) & are_classes(as_labels(y_true), n_classes)
    reason = f"`y_true` must be a class from 0 to {n_classes - 1}"
    loss = check.nan_unless(loss, jnp.all(admissible(weight, known)), reason)
    loss = check.nan_unless(loss, temperature > 0, "`temperature` must be positive")
    return check.nan_unless(loss, jnp.all(score == score), "`y_score` must not be NaN")


def _margins(score: Array, temperature: Array, k: int) -> Array:
    """Each (s_j − b) / τ, for the b of each row with which their sigmoids add up to k."""
    # Relative to the k-th score, which b is near, no digit is lost to the size of the scores.
    top, _ = lax.top_k(lax.stop_gradient(score), k + 1)
    score = (score - top[:, k - 1 : k]) / temperature
    return score - _threshold(score, (top[:, k] - top[:, k - 1]) / temperature, k)[:, None]


def _threshold(score: Array, following: Array, k: int) -> Array:
    """The b of each row for which Σ_j sigmoid(s_j − b) = k; the k-th s is 0, then `following`."""
    n_classes = score.shape[1]

    def excess(b: Array) -> Array:
        return jnp.sum(jax.nn.sigmoid(score - b[:, None]), axis=1) - k

    def solve(f: Callable[[Array], Array], _: Array) -> Array:
        def halve(_: Array, ends: tuple[Array, Array]) -> tuple[Array, Array]:
            low, high = ends
            middle = low + (high - low) / 2
            above = f(middle) > 0
            return jnp.where(above, middle, low), jnp.where(above, high, middle)

        # At `low`, k + 1 memberships of at least k / (k + 1) add up to k or more; at `high`, k − 1
        # of at most 1 and n_classes − k + 1 of at most 1 / (n_classes − k + 1) to at most k.
        high = jnp.full_like(following, math.log(n_classes - k))
        # Below this, memberships outside the first k underflow.
        low = jnp.maximum(following, 2 * math.log(jnp.finfo(score.dtype).tiny)) - math.log(k)
        ends = low, high
        steps = jnp.finfo(score.dtype).nmant + 16
        low, high = lax.fori_loop(0, steps, halve, lax.stop_gradient(ends))
        return low + (high - low) / 2

    def tangent_solve(g: Callable[[Array], Array], y: Array) -> Array:
        slope = g(jnp.ones_like(y))
        return y / jnp.where(slope == 0, -jnp.ones_like(slope), slope)

    return lax.custom_root(excess, jnp.zeros_like(following), solve, tangent_solve)
