"""Metrics of decision values and class scores."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import (
    Matches,
    are_binary,
    are_classes,
    are_labels,
    as_labels,
    is_positive,
    matches,
)
from jmetrics._core.exporting import exportable
from jmetrics._core.merging import DomainCheck, Reduction, reductions
from jmetrics._core.numerics import Total, accumulator, from_largest, mean_of, weighted_total
from jmetrics._core.plan import NONNEGATIVE, Bound, Plan, metric, plan
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import admissible, clean, combine, over_trailing
from jmetrics.classification._averages import Labelled, fraction_or_total
from jmetrics.classification.agreement import correct, fraction_of


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="scores")
def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Hinge loss: the mean of max(0, 1 − margin).

    The margin is how far a decision is on the correct side: ± `pred_decision` for two classes and,
    for more, the decision for the true class minus the largest of the others (Crammer & Singer).

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if
            `pred_decision` has shape (n,).
        pred_decision: Decision values, any numbers, shape (n,) for two classes (positive for class
            1), or (n, n_classes).
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞); lower is better.

    Undefined:
        NaN if no sample has positive weight, and for a label that is not one of the classes.

    Gradient:
        Piecewise constant in the decisions, smooth in the weights.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        `sklearn.metrics.hinge_loss`; Crammer & Singer (2001).

    Examples:
        >>> round(float(hinge_loss([0, 1, 1], [-2.0, 0.25, 0.5])), 6)
        0.416667
        >>> float(hinge_loss([0, 2], [[1.0, 0.5, 0.0], [0.0, 2.0, 2.5]]))
        0.5
    """
    return _margin_loss(_hinge, y_true, pred_decision, weight=sample_weight, where=where)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="scores")
def squared_hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Squared hinge loss: the mean of max(0, 1 − margin)².

    The margin is how far a decision is on the correct side: ± `pred_decision` for two classes and,
    for more, the decision for the true class minus the largest of the others (Crammer & Singer).

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if
            `pred_decision` has shape (n,).
        pred_decision: Decision values, any numbers, shape (n,) for two classes (positive for class
            1), or (n, n_classes).
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞); lower is better.

    Undefined:
        NaN if no sample has positive weight, and for a label that is not one of the classes.

    Gradient:
        Continuous in the decisions except where two of them tie for the largest; smooth in the
        weights.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        `torchmetrics.functional.hinge_loss` with `squared=True`.

    Examples:
        >>> round(float(squared_hinge_loss([0, 1, 1], [-2.0, 0.25, 0.5])), 6)
        0.270833
    """
    return _margin_loss(_squared_hinge, y_true, pred_decision, weight=sample_weight, where=where)


def _margin_loss(
    penalty: Callable[[Array], Array],
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Plan[Array]:
    arrays = check.class_scores(
        y_true=y_true, pred_decision=pred_decision, sample_weight=weight, where=where
    )
    return plan(arrays, Bound.kernel(_penalties, penalty=penalty), Bound.finisher(_mean_penalty))


def _penalties(
    y_true: Array,
    pred_decision: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    penalty: Callable[[Array], Array],
) -> Labelled[Total]:
    dtype = accumulator(pred_decision, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    several = pred_decision.ndim == 2
    decision = from_largest(pred_decision, dtype) if several else pred_decision.astype(dtype)
    decision = clean(decision, sample_weight, where)
    total = weighted_total(penalty(_margin(y_true, decision)), weight)
    return Labelled(total, (_all_classes(y_true, decision, weight),))


def _mean_penalty(statistic: Labelled[Total]) -> Array:
    return statistic.finished(mean_of(statistic.counts))


def _margin(y_true: Array, decision: Array) -> Array:
    """How far each decision is on the correct side."""
    if decision.ndim == 1:
        return jnp.where(is_positive(y_true), decision, -decision)
    own = as_labels(y_true)[:, None] == jnp.arange(decision.shape[1])[None]
    right = jnp.sum(jnp.where(own, decision, jnp.zeros_like(decision)), axis=1)
    return right - jnp.max(jnp.where(own, -jnp.inf, decision), axis=1)


def _hinge(margin: Array) -> Array:
    return jnp.maximum(1 - margin, 0)


def _squared_hinge(margin: Array) -> Array:
    return jnp.square(jnp.maximum(1 - margin, 0))


@metric(range=fraction_or_total, greater_is_better=True, predictions="scores")
def top_k_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of samples whose class is among the k with the highest scores.

    Among tied scores, that of the last class ranks first. For two classes and k = 1, class 1 is
    predicted above 0.5 if all scores are in [0, 1], and above 0 otherwise.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `y_score`
            has shape (n,).
        y_score: Scores, any numbers, shape (n, n_classes), or (n,) for class 1 of two.
        k: Number of classes that may be right, at least 1, static.
        normalize: True for the fraction, False for the weight of the correct samples.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; higher is better. With `normalize=False` the weight of the correct
            samples.

    Undefined:
        NaN if no sample has positive weight, for a NaN score, and for a label that is not one of
        the classes.

    Gradient:
        0 in the scores, smooth in the weights.

    Cost:
        O(n n_classes) time, no sort and no temporary arrays.

    References:
        `sklearn.metrics.top_k_accuracy_score`.

    Examples:
        >>> y_score = [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
        >>> float(top_k_accuracy_score([0, 1, 2, 2], y_score, k=2))
        0.75
    """
    arrays = check.class_scores(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    k = check.positive_integer("k", k)
    finisher = Bound.finisher(
        fraction_of, parts=_hits_of, normalize=bool(normalize), dtype=accumulator(*arrays[1:3])
    )
    proportion = _hits_of if normalize else None
    return plan(arrays, Bound.kernel(_hits, k=k), finisher, proportion=proportion)


@exportable
@reductions(probable=Reduction.ALL)
class BinaryHits(NamedTuple):
    """Matches at two thresholds for two classes, and what picks one of them."""

    above_half: Matches
    above_zero: Matches
    probable: Array
    """Whether all scores are in [0, 1]."""

    @property
    def chosen(self) -> Matches:
        """Matches above 0.5 if all scores are in [0, 1], and above 0 otherwise."""
        return jax.tree.map(
            functools.partial(jnp.where, self.probable), self.above_half, self.above_zero
        )


def _hits_of(statistic: Labelled[Matches | BinaryHits]) -> tuple[Array, Array]:
    counts = statistic.counts
    return correct(Labelled(counts.chosen if isinstance(counts, BinaryHits) else counts, ()))


def _hits(
    y_true: Array, y_score: Array, sample_weight: Array | None, where: Array | None, *, k: int
) -> Labelled[Matches | BinaryHits]:
    dtype = accumulator(y_score, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    off = over_trailing(weight == 0, y_score.ndim)
    counts: Matches | BinaryHits
    if y_score.ndim > 1:
        counts = matches(_places_above(as_labels(y_true), y_score) < k, weight)
    elif k > 1:
        counts = matches(jnp.ones(y_true.shape, jnp.bool_), weight)
    else:
        counts = _binary_hits(y_true, y_score.astype(dtype), weight)
    numbers = DomainCheck(jnp.all(off | (y_score == y_score)), "`y_score` must not be NaN")
    return Labelled(counts, (numbers, _all_classes(y_true, y_score, weight)))


def _binary_hits(y_true: Array, y_score: Array, weight: Array) -> BinaryHits:
    half, zero = (matches((y_score > at) == is_positive(y_true), weight) for at in (0.5, 0.0))
    probable = ((y_score >= 0) & (y_score <= 1)) | (weight == 0)
    return BinaryHits(half, zero, jnp.all(probable))


def _places_above(y_true: Array, y_score: Array) -> Array:
    """Number of classes that rank before the true one."""
    column = jnp.arange(y_score.shape[1])[None]
    own = y_true[:, None] == column
    # With all other entries of a row at its minimum, the maximum is the true class's score.
    least = jnp.broadcast_to(jnp.min(y_score, axis=1, keepdims=True), y_score.shape)
    score = jnp.max(jnp.where(own, y_score, least), axis=1, keepdims=True)
    later = (y_score == score) & (column > y_true[:, None])
    return jnp.sum((y_score > score) | later, axis=1)


def _all_classes(y_true: Array, scores: Array, weight: Array) -> DomainCheck:
    """Whether every label with positive weight is one of the classes."""
    if scores.ndim == 1:
        known, reason = are_binary(y_true), "`y_true` must be 0 or 1"
    else:
        count = scores.shape[1]
        known = are_labels(y_true) & are_classes(as_labels(y_true), count)
        reason = f"`y_true` must be a class from 0 to {count - 1}"
    return DomainCheck(jnp.all(admissible(weight, known)), reason)
