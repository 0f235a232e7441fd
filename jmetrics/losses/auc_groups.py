"""Surrogates of one minus AUC for several classes, and between groups of samples."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import are_labels, as_labels
from jmetrics._core.merging import apply_checks
from jmetrics._core.numerics import accumulator, safe_divide, weighted_sum
from jmetrics._core.plan import declared
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import admissible, clean, combine, relative
from jmetrics.losses._pairs import (
    SURROGATES,
    Options,
    binary_scores,
    mean_penalty,
    range_of_penalty,
    shift_scores,
)

KINDS = ("subgroup", "bpsn", "bnsp")


@declared(
    range=range_of_penalty,
    greater_is_better=False,
    predictions="scores",
    surrogate_of="roc_auc_score",
)
def group_auc_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    group: ArrayLike,
    kind: str = "subgroup",
    surrogate: str = "squared_hinge",
    margin: Number = 1.0,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean penalty over pairs of a positive and a negative chosen by their group.

    Σ_ij w_i w_j φ(s_i − s_j) / Σ_ij w_i w_j, with φ as in `auc_loss`. Samples outside the group are
    the background; the positives i and negatives j are

    * "subgroup": both of the group;
    * "bpsn": background positives, subgroup negatives;
    * "bnsp": subgroup positives, background negatives.

    Surrogate of 1 − `jmetrics.roc_auc_score` of these samples.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        group: Whether each sample belongs to the group, boolean, shape (n,).
        kind: Which pairs are compared: "subgroup", "bpsn" or "bnsp".
        surrogate: Penalty φ, one of those of `auc_loss`.
        margin: Margin m, in units of the score, a traced number; ignored by surrogates without m.
        temperature: Temperature τ, in units of the score, a traced number; ignored by surrogates
            without τ.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), with the unit and bounds of `auc_loss`; lower is better.

    Undefined:
        0 with zero gradient if there is no such pair of positive weight; NaN as in `auc_loss`.

    Gradient:
        That of `auc_loss`.

    Cost:
        That of `auc_loss`.

    References:
        Borkan, Dixon, Sorensen, Thain & Vasserman (2019).

    Examples:
        >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
        >>> group = [False, True, True, False]
        >>> round(float(group_auc_loss(y_true, y_score, group=group, kind="bpsn")), 5)
        0.36
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    _, members = check.masked("y_score", arrays[1], "group", group)
    check.one_of("kind", kind, KINDS)
    check.one_of("surrogate", surrogate, SURROGATES)
    margin, temperature = check.number("margin", margin), check.number("temperature", temperature)
    traced = (*arrays, members, sample_weight, where, margin, temperature)
    return _group_auc_loss(*traced, kind=kind, surrogate=surrogate)


@functools.partial(jax.jit, static_argnames=("kind", "surrogate"))
@with_auto_axes
def _group_auc_loss(
    y_true: Array,
    y_score: Array,
    members: Array,
    sample_weight: Array | None,
    where: Array | None,
    margin: Array,
    temperature: Array,
    *,
    kind: str,
    surrogate: str,
) -> Array:
    data = binary_scores(y_true, y_score, sample_weight, where)
    options = Options.of(surrogate, margin, temperature, data.at.score.dtype)
    positive = jnp.where(members == (kind != "bpsn"), data.positive, jnp.zeros_like(data.weight))
    negative = jnp.where(members == (kind != "bnsp"), data.negative, jnp.zeros_like(data.weight))
    loss = mean_penalty(surrogate, data.at, data.truth, positive, negative, options)
    return apply_checks(loss, (*options.checks, *data.checks))


@declared(
    range=range_of_penalty,
    greater_is_better=False,
    predictions="scores",
    surrogate_of="roc_auc_score",
)
def multiclass_auc_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    multi_class: str = "ovr",
    average: str = "macro",
    surrogate: str = "squared_hinge",
    margin: Number = 1.0,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean over classes of the AUC loss of their scores.

    Surrogate of 1 − `jmetrics.roc_auc_score` with the same options. "ovr" compares each class that
    occurs with all others, and averages these losses over the classes. "ovo" averages over all
    ordered pairs of classes that occur, each with the loss of the first class's scores on the
    samples of both.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,).
        y_score: Finite scores, shape (n, n_classes), one column for each class.
        multi_class: "ovr" (one versus rest) or "ovo" (one versus one).
        average: "macro" for equal weights of the classes or pairs, "weighted" for the weight of the
            class ("ovr") or of both classes ("ovo").
        surrogate: Penalty φ, one of those of `auc_loss`.
        margin: Margin m, in units of the score, a traced number; ignored by surrogates without m.
        temperature: Temperature τ, in units of the score, a traced number; ignored by surrogates
            without τ.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), with the unit and bounds of `auc_loss`; lower is better.

    Undefined:
        0 with zero gradient unless two classes have positive weight; NaN for a label that is not a
        class, for a score whose square is not finite, and for a temperature that is not positive
        where the surrogate uses it.

    Gradient:
        That of `auc_loss`.

    Cost:
        O(n log n) time per class, also for "ovo": the pairs of a class with all others take one
        sort with weighted negatives. O(n n_classes) memory.

    References:
        Hand & Till (2001).

    Examples:
        >>> y_score = [[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.1, 0.6, 0.3], [0.4, 0.1, 0.5]]
        >>> round(float(multiclass_auc_loss([0, 1, 2, 2], y_score, margin=0.1)), 5)
        0.01083
    """
    y_true, y_score, sample_weight, where = check.class_scores(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    check.require(y_score.ndim == 2, f"`y_score` must be (n, n_classes), got {y_score.shape}")
    check.one_of("multi_class", multi_class, ("ovr", "ovo"))
    check.one_of("average", average, ("macro", "weighted"))
    check.one_of("surrogate", surrogate, SURROGATES)
    margin, temperature = check.number("margin", margin), check.number("temperature", temperature)
    return _multiclass_auc_loss(
        y_true,
        y_score,
        sample_weight,
        where,
        margin,
        temperature,
        multi_class=multi_class,
        average=average,
        surrogate=surrogate,
    )


@functools.partial(jax.jit, static_argnames=("multi_class", "average", "surrogate"))
@with_auto_axes
def _multiclass_auc_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    margin: Array,
    temperature: Array,
    *,
    multi_class: str,
    average: str,
    surrogate: str,
) -> Array:
    dtype = accumulator(y_score, sample_weight)
    options = Options.of(surrogate, margin, temperature, dtype)
    weight = combine(relative(sample_weight, where), where, y_true.shape, dtype)
    y_true = clean(y_true, sample_weight, where)
    count = y_score.shape[1]
    labels = jnp.clip(as_labels(y_true), -1, count)
    known = are_labels(y_true) & (labels >= 0) & (labels < count)
    members = labels[:, None] == jnp.arange(count)[None]
    total = weighted_sum(members, weight[:, None]).astype(dtype)
    against = _opponents(total, multi_class, average)

    def one(column: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        score, truth, fraction = column
        at = shift_scores(score, dtype, weight, where)
        positive = jnp.where(truth, weight.astype(dtype), 0)
        negative = jnp.where(
            truth, 0, weight.astype(dtype) * fraction[jnp.clip(labels, 0, count - 1)]
        )
        return mean_penalty(surrogate, at, truth, positive, negative, options), at.usable

    losses, usable = jax.lax.map(one, (y_score.T, members.T, against))
    importance = _importance(total, multi_class, average)
    loss = safe_divide(jnp.sum(importance * losses), jnp.sum(importance), 0.0)
    loss = check.nan_unless(loss, jnp.all(admissible(weight, known)), "`y_true` must be a class")
    loss = check.nan_unless(loss, jnp.all(usable), "`y_score` and its square must be finite")
    return apply_checks(loss, options.checks)


def _opponents(total: Array, multi_class: str, average: str) -> Array:
    """Weight of a unit of each class (column) as a negative of each class (row)."""
    alike = jnp.ones((total.shape[0],) * 2, total.dtype)
    if multi_class == "ovr":
        return alike
    together = total[:, None] + total[None] if average == "weighted" else alike
    return safe_divide(together, jnp.broadcast_to(total[None], alike.shape), 0.0)


def _importance(total: Array, multi_class: str, average: str) -> Array:
    """Weight of each class in the mean; 0 for a class without pairs."""
    occurs = total > 0
    several = jnp.sum(occurs) >= 2
    if average == "macro":
        importance = jnp.ones_like(total)
    elif multi_class == "ovr":
        importance = total
    else:  # the sum over the other classes of the weight of both
        importance = (jnp.sum(occurs) - 2).astype(total.dtype) * total + jnp.sum(total)
    return jnp.where(occurs & several, importance, jnp.zeros_like(total))
