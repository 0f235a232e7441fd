"""Surrogates of one minus the area under a part of the ROC curve."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.merging import apply_checks
from jmetrics._core.numerics import safe_divide
from jmetrics._core.order import order, tied_weight, unsort
from jmetrics._core.plan import declared
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics.losses._pairs import (
    SURROGATES,
    BinaryScores,
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
def partial_auc_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: Number = 0.1,
    min_tpr: Number = 0.0,
    surrogate: str = "squared_hinge",
    margin: Number = 1.0,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean penalty over pairs of the hardest positives and the hardest negatives.

    Σ_ij p_i n_j φ(s_i − s_j) / Σ_ij p_i n_j, with φ as in `auc_loss`; n keeps the fraction
    `max_fpr` of the negatives with the highest scores, p the fraction 1 − `min_tpr` of the
    positives with the lowest. Samples at the cutoff count in part, tied samples equally. Surrogate
    of one minus the area between the ROC curve and `min_tpr` up to `max_fpr`, divided by its
    maximum max_fpr (1 − min_tpr): with `min_tpr=0`, the partial area of `jmetrics.roc_auc_score`.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        max_fpr: Largest false positive rate, a traced number in (0, 1].
        min_tpr: Smallest true positive rate, a traced number in [0, 1).
        surrogate: Penalty φ, one of those of `auc_loss`.
        margin: Margin m, in units of the score, a traced number; ignored by surrogates without m.
        temperature: Temperature τ, in units of the score, a traced number; ignored by surrogates
            without τ.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), with the unit and bounds of `auc_loss`; lower is better.

    Undefined:
        As in `auc_loss`; also NaN for `max_fpr` outside (0, 1] and `min_tpr` outside [0, 1).

    Gradient:
        That of the penalties of the samples kept. Smooth in the weights, except where the cutoff
        passes from one score to the next.

    Cost:
        O(n log n) time, O(n) memory, for one more sort than `auc_loss`.

    References:
        Narasimhan & Agarwal (2013); Yang, Lu, Lyu & Hu (2019) for two-way partial areas.

    Examples:
        >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
        >>> round(float(partial_auc_loss(y_true, y_score, max_fpr=0.5, margin=0.5)), 5)
        0.15625
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    check.one_of("surrogate", surrogate, SURROGATES)
    numbers = {"max_fpr": max_fpr, "min_tpr": min_tpr, "margin": margin, "temperature": temperature}
    traced = (check.number(name, value) for name, value in numbers.items())
    return _partial_auc_loss(*arrays, sample_weight, where, *traced, surrogate=surrogate)


@functools.partial(jax.jit, static_argnames="surrogate")
@with_auto_axes
def _partial_auc_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    max_fpr: Array,
    min_tpr: Array,
    margin: Array,
    temperature: Array,
    *,
    surrogate: str,
) -> Array:
    data = binary_scores(y_true, y_score, sample_weight, where)
    dtype = data.at.score.dtype
    options = Options.of(surrogate, margin, temperature, data.at.score.dtype)
    most, least = jnp.asarray(max_fpr, dtype), jnp.asarray(min_tpr, dtype)
    positive, negative = _hardest(data, most, 1 - least)
    loss = mean_penalty(surrogate, data.at, data.truth, positive, negative, options)
    loss = check.nan_unless(loss, (most > 0) & (most <= 1), "`max_fpr` must be in (0, 1]")
    loss = check.nan_unless(loss, (least >= 0) & (least < 1), "`min_tpr` must be in [0, 1)")
    return apply_checks(loss, (*options.checks, *data.checks))


def _hardest(data: BinaryScores, top: Array, bottom: Array) -> tuple[Array, Array]:
    """Weights of the lowest fraction of the positives and of the highest of the negatives."""
    by_score = order(data.at.score)
    kept = []
    for weight, fraction, rising in ((data.positive, bottom, True), (data.negative, top, False)):
        counted = (weight != 0).astype(jnp.int32)
        (before, tied), (first, several) = (
            tied_weight(w[by_score.item], by_score.start, by_score.end) for w in (weight, counted)
        )
        total, whole = jnp.sum(weight, dtype=before.dtype), fraction >= 1
        before = total - before - tied if rising else before
        last = first == 0 if rising else first + several == jnp.sum(counted, dtype=first.dtype)
        total, before, tied = (w.astype(fraction.dtype) for w in (total, before, tied))
        # A fraction of 1 is an endpoint, not a kink: the last samples keep their slope.
        room = jnp.where(whole & last, tied - (1 - fraction) * total, fraction * total - before)
        # A sample of zero weight takes no room; its derivative depends on whether any is left.
        part = safe_divide(room, tied, jnp.where((room > 0) | whole, 1.0, 0.0))
        sloped = (room > 0) & (room <= tied)
        part = jnp.where(sloped, part, lax.stop_gradient(jnp.clip(part, 0, 1)))
        part = unsort(part[None], by_score.item[None])[0]
        kept.append(weight.astype(fraction.dtype) * part)
    return kept[0], kept[1]
