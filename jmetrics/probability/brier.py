"""Metrics of the squared distance between probabilities and outcomes."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import sum_of_others
from jmetrics._core.numerics import Total, mean_of, safe_divide, weighted_sum, weighted_total
from jmetrics._core.plan import AT_MOST_ONE, NONNEGATIVE, UNIT, Bound, Plan, metric, plan
from jmetrics._core.probabilities import Classified, classified, nan_outside_domain
from jmetrics._core.types import ArrayLike
from jmetrics.probability._classes import Explained, class_weights, explained, row_sum


@metric(
    range=lambda scale_by_half: UNIT if scale_by_half is True else (0.0, 2.0),
    greater_is_better=False,
    predictions="probabilities",
)
def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    scale_by_half: bool | str = "auto",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean squared distance between probabilities and classes, Σ w Σ_k (p_k − [y = k])² / Σ w.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `y_proba`
            has shape (n,).
        y_proba: Probabilities, shape (n,) for class 1 of two, or (n, n_classes); rows need not sum
            to 1.
        scale_by_half: Whether to halve the score; "auto" does so for two classes, where it becomes
            the mean of (p − y)².
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 2] for rows that sum to 1, and in [0, 1] where `scale_by_half` halves it;
            lower is better.

    Undefined:
        NaN if no sample has positive weight, for a probability outside [0, 1] and for a label that
        is not one of the classes.

    Gradient:
        Smooth in `y_proba` and in the weights.

    Cost:
        O(n n_classes) time in one pass, O(n) memory.

    References:
        `sklearn.metrics.brier_score_loss`; Brier (1950).

    Examples:
        >>> round(float(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3])), 6)
        0.0375
        >>> y_proba = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]
        >>> round(float(brier_score_loss([0, 1, 2], y_proba)), 6)
        0.146667
    """
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    few = arrays[1].ndim == 1 or arrays[1].shape[1] < 3
    half = check.flag_or_auto("scale_by_half", scale_by_half, auto=few)
    return plan(arrays, Bound.kernel(_total_distance, half=half), Bound.finisher(mean_of))


def _total_distance(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None, *, half: bool
) -> Total:
    data = classified(y_true, y_proba, sample_weight, where)
    distance = squared_distances(data)
    return weighted_total(distance / 2 if half else distance, data.weight)


def squared_distances(data: Classified) -> Array:
    """Σ_k (p_k − [y = k])² of each sample, over both classes of two."""
    squares = jnp.square(data.proba - data.truth)
    distance = 2 * squares if squares.ndim == 1 else row_sum(squares)
    return nan_outside_domain(distance, data, distance)


@metric(range=AT_MOST_ONE, greater_is_better=True, predictions="probabilities")
def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of the Brier score that is explained, relative to predicting the class frequencies.

    1 − Brier score / Σ_k f_k (1 − f_k), with f the weighted frequencies in `y_true`.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `y_proba`
            has shape (n,).
        y_proba: Probabilities, shape (n,) for class 1 of two, or (n, n_classes); rows need not sum
            to 1.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in (−∞, 1], without unit; higher is better, 0 is as good as predicting the class
            frequencies.

    Undefined:
        NaN with fewer than two samples of non-zero weight, for a probability outside [0, 1] and for
        a label that is not one of the classes. If all samples with positive weight belong to one
        class: 1 if every prediction is exact, and 0 otherwise.

    Gradient:
        Smooth in `y_proba` and in the weights; 0 where the rule for one class applies.

    Cost:
        O(n n_classes) time, O(n) memory.

    References:
        `sklearn.metrics.d2_brier_score`, except for the rule for one class; the Brier skill score.

    Examples:
        >>> round(float(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3])), 6)
        0.85
    """
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    return plan(arrays, Bound.kernel(_distances_and_classes), Bound.finisher(_explained_spread))


def _distances_and_classes(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> Explained:
    data = classified(y_true, y_proba, sample_weight, where)
    residual = weighted_sum(squared_distances(data), data.weight)
    return Explained(residual, *class_weights(data), perfect=residual == 0)


def _explained_spread(distances: Explained) -> Array:
    dtype, of_class = distances.residual.dtype, distances.of_class
    own, others = of_class.astype(dtype), sum_of_others(of_class).astype(dtype)
    return explained(distances, jnp.sum(safe_divide(own, own + others, 0.0) * others))


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="probabilities")
def ranked_probability_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Mean squared distance between cumulative probabilities and ordered classes.

    Σ w Σ_k (F_k − [y ≤ k])² / Σ w with F_k = p_0 + … + p_k, over the n_classes − 1 thresholds
    between classes, not divided by their number: the sum of the Brier scores at all thresholds. A
    miss by one class costs less than a miss by two.

    Args:
        y_true: True classes in their order, shape (n,), whole numbers 0 to n_classes − 1, or 0 and
            1 if `y_proba` has shape (n,).
        y_proba: Probabilities, shape (n,) for class 1 of two, or (n, n_classes); rows need not sum
            to 1.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, n_classes − 1] for rows that sum to 1; lower is better.

    Undefined:
        NaN if no sample has positive weight, for a probability outside [0, 1] and for a label that
        is not one of the classes.

    Gradient:
        Smooth in `y_proba` and in the weights.

    Cost:
        O(n n_classes) time and memory.

    References:
        Epstein (1969); Murphy (1971).

    Examples:
        >>> y_proba = [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]
        >>> round(float(ranked_probability_score([0, 0], y_proba)), 6)
        0.5625
    """
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    return plan(arrays, Bound.kernel(_cumulated_distances), Bound.finisher(mean_of))


def _cumulated_distances(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> Total:
    data = classified(y_true, y_proba, sample_weight, where)
    # Cumulating the differences, and not p, keeps the digits of a prediction near 1.
    gap = data.proba - data.truth
    if gap.ndim == 1:
        loss = jnp.square(gap)
    else:
        loss = row_sum(jnp.square(jnp.cumsum(gap, axis=1)[:, :-1]))
    return weighted_total(nan_outside_domain(loss, data, gap), data.weight)
