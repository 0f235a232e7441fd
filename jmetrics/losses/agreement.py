"""Losses from soft counts of all classes together: MCC, kappa, balanced accuracy."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.numerics import weighted_bincount
from jmetrics._core.plan import NONNEGATIVE, UNIT, declared, including
from jmetrics._core.types import ArrayLike, Number
from jmetrics.classification.agreement import correlation_of_classes, kappa
from jmetrics.classification.rates import mean_recall
from jmetrics.losses._soft import SoftLabels, counts_of, loss_of, soft_labels


@declared(
    range=(0.0, 2.0),
    greater_is_better=False,
    predictions="probabilities",
    surrogate_of="matthews_corrcoef",
)
def mcc_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the Matthews correlation coefficient of soft counts.

    A probability p of a class counts as a fraction p of a sample predicted to be of that class.
    Surrogate of 1 − `jmetrics.matthews_corrcoef`, and equal to it where all probabilities are 0 or
    1.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            with rows that sum to 1.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 2]; lower is better, 1 is chance.

    Undefined:
        0 with zero gradient if no sample has positive weight; 1 with zero gradient if all true or
        all predicted weight is in one class; NaN for a probability outside [0, 1] and for a label
        that is not one of the classes.

    Gradient:
        Smooth in the probabilities and in the weights.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        Abhishek & Hamarneh (2021); Gorodkin (2004).

    Examples:
        >>> round(float(mcc_loss([0, 1, 1, 0], [0.25, 0.5, 1.0, 0.0])), 6)
        0.370059
    """
    return _mcc_loss(
        *check.class_scores(
            y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
        )
    )


@jax.jit
def _mcc_loss(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    data = soft_labels(y_true, y_proba, sample_weight, where, by_class=True)
    return loss_of(correlation_of_classes(counts_of(data)), data)


@declared(
    range=UNIT,
    greater_is_better=False,
    predictions="probabilities",
    surrogate_of="balanced_accuracy_score",
)
def balanced_accuracy_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the mean, over the classes in `y_true`, of their soft recalls.

    1 − mean_k Σ w [y = k] p_k / Σ w [y = k]. Surrogate of 1 − `jmetrics.balanced_accuracy_score`,
    and equal to it where all probabilities are 0 or 1. For two classes it is half of one minus the
    soft Youden index.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            with rows that sum to 1.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for a probability outside [0, 1]
        and for a label that is not one of the classes.

    Gradient:
        Constant in the probabilities, smooth in the weights.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        Brodersen et al. (2010); Youden (1950).

    Examples:
        >>> float(balanced_accuracy_loss([0, 1, 1], [0.25, 0.5, 1.0]))
        0.25
    """
    return _balanced_accuracy_loss(
        *check.class_scores(
            y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
        )
    )


@jax.jit
def _balanced_accuracy_loss(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    data = soft_labels(y_true, y_proba, sample_weight, where, by_class=True)
    return loss_of(mean_recall(counts_of(data), False), data)


@declared(
    range=lambda replace_undefined_by: including(1 - replace_undefined_by, *NONNEGATIVE),
    greater_is_better=False,
    predictions="probabilities",
    surrogate_of="cohen_kappa_score",
)
def cohen_kappa_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    weights: str | None = None,
    replace_undefined_by: Number = 0.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus Cohen's kappa of soft counts, Σ d_ij C_ij / Σ d_ij E_ij.

    C_ij = Σ w [y = i] p_j, as proportions of their sum, and E is their expectation under
    independence. d_ij is the disagreement of classes i and j. Surrogate of
    1 − `jmetrics.cohen_kappa_score` with all classes as its `labels`, and equal to it where all
    probabilities are 0 or 1.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            with rows that sum to 1.
        weights: Disagreement d_ij: [i ≠ j] for None, |i − j| for "linear", (i − j)² for
            "quadratic".
        replace_undefined_by: Value of an undefined kappa, a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞); lower is better, 1 is chance.

    Undefined:
        0 with zero gradient if no sample has positive weight; 1 − `replace_undefined_by`, by
        default the limit 1, with zero gradient if all true and predicted weight is in one class;
        NaN for a probability outside [0, 1] and for a label that is not one of the classes.

    Gradient:
        Smooth in the probabilities and in the weights.

    Cost:
        O(n n_classes + n_classes²) time and memory.

    References:
        Cohen (1968); de la Torre, Puig & Valls (2018).

    Examples:
        >>> y_proba = [[1.0, 0.0, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
        >>> float(cohen_kappa_loss([0, 1, 2], y_proba, weights="quadratic"))
        0.25
    """
    check.one_of("weights", weights, ("linear", "quadratic", None))
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    undefined = check.number("replace_undefined_by", replace_undefined_by)
    return _cohen_kappa_loss(*arrays, undefined, distance=weights)


@functools.partial(jax.jit, static_argnames="distance")
def _cohen_kappa_loss(
    y_true: Array,
    y_proba: Array,
    sample_weight: Array | None,
    where: Array | None,
    undefined: Array,
    *,
    distance: str | None,
) -> Array:
    data = soft_labels(y_true, y_proba, sample_weight, where, by_class=True)
    return loss_of(kappa(_confusion(data), distance, True, undefined), data)


def _confusion(data: SoftLabels) -> Array:
    """Weight of each true class (row) assigned to each class (column)."""
    size = data.proba.shape[1]
    column = lax.broadcasted_iota(jnp.int32, data.proba.shape, 1)
    cell = size * lax.argmax(data.truth, 1, jnp.int32)[:, None] + column
    weight = data.weight.astype(data.proba.dtype)[:, None] * data.proba
    return weighted_bincount(cell.ravel(), weight.ravel(), size**2).reshape(size, size)
