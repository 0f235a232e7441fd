"""One minus the overlap of probabilities and labels, from soft counts.

A probability p of a class counts as a fraction p of a sample predicted to be of that class. From
these counts on everything is as in the exact score, and the loss is one minus the score.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import AVERAGES, BinaryCounts, average_score
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import Ends, declared, including
from jmetrics._core.types import ArrayLike, Number
from jmetrics.classification.overlap import fbeta, jaccard
from jmetrics.losses._soft import counts_of, loss_of, soft_label_inputs, soft_labels


def _range_of_loss(zero_division: Number) -> Ends:
    """Range of one minus a score."""
    return including(1 - zero_division)


@declared(
    range=_range_of_loss,
    greater_is_better=False,
    predictions="probabilities",
    surrogate_of="fbeta_score",
)
def fbeta_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    beta: Number,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the F-beta score of soft counts.

    1 − (1 + β²) tp / ((1 + β²) tp + fp + β² fn), with tp = Σ w y p and so on. Surrogate of
    1 − `jmetrics.fbeta_score`, and equal to it where all probabilities are 0 or 1.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,), or indicators, shape
            (n, n_labels).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            or of each label, shape (n, n_labels).
        beta: Weight β of recall relative to precision, a traced non-negative number.
        average: As in the score: "binary" for `y_proba` of shape (n,); "micro", "macro", "weighted"
            or None over the classes or labels; "samples" over rows of indicators.
        zero_division: Score of a class that is neither true nor predicted, a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better. Shape (n_classes,) or (n_labels,) with `average=None`.

    Undefined:
        0 with zero gradient if no sample has positive weight; 1 − `zero_division` with zero
        gradient for a class that is neither true nor predicted; NaN for a probability outside
        [0, 1], for an invalid label, and for a negative `beta`.

    Gradient:
        Smooth in the probabilities, in `beta` and in the weights; 0 in the probabilities of a class
        that is never true, which is therefore not learned.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        van Rijsbergen (1979); Dembczyński et al. (2013).

    Examples:
        >>> round(float(fbeta_loss([0, 1, 1], [0.25, 0.5, 1.0], beta=1.0)), 6)
        0.2
    """
    beta = check.number("beta", beta)
    return _checked(
        fbeta,
        y_true,
        y_proba,
        average=average,
        zero_division=zero_division,
        sample_weight=sample_weight,
        where=where,
        options=(beta,),
    )


@declared(
    range=_range_of_loss,
    greater_is_better=False,
    predictions="probabilities",
    surrogate_of="f1_score",
)
def dice_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the Dice coefficient of soft counts, 1 − 2 tp / (2 tp + fp + fn).

    `fbeta_loss` with β = 1. Surrogate of 1 − `jmetrics.f1_score`, and equal to it where all
    probabilities are 0 or 1.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,), or indicators, shape
            (n, n_labels).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            or of each label, shape (n, n_labels).
        average: As in the score: "binary" for `y_proba` of shape (n,); "micro", "macro", "weighted"
            or None over the classes or labels; "samples" over rows of indicators.
        zero_division: Score of a class that is neither true nor predicted, a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better. Shape (n_classes,) or (n_labels,) with `average=None`.

    Undefined:
        0 with zero gradient if no sample has positive weight; 1 − `zero_division` with zero
        gradient for a class that is neither true nor predicted; NaN for a probability outside
        [0, 1] and for an invalid label.

    Gradient:
        Smooth in the probabilities and in the weights; 0 in the probabilities of a class that is
        never true.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        Dice (1945); Milletari, Navab & Ahmadi (2016), who square the denominator's terms.

    Examples:
        >>> y_proba = [[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]]
        >>> [round(float(loss), 6) for loss in dice_loss([0, 1, 1], y_proba, average=None)]
        [0.333333, 0.2]
    """
    return fbeta_loss(
        y_true,
        y_proba,
        beta=1.0,
        average=average,
        zero_division=zero_division,
        sample_weight=sample_weight,
        where=where,
    )


@declared(
    range=_range_of_loss,
    greater_is_better=False,
    predictions="probabilities",
    surrogate_of="jaccard_score",
)
def jaccard_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the intersection over union of soft counts, 1 − tp / (tp + fp + fn).

    Surrogate of 1 − `jmetrics.jaccard_score`, and equal to it where all probabilities are 0 or 1.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,), or indicators, shape
            (n, n_labels).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            or of each label, shape (n, n_labels).
        average: As in the score: "binary" for `y_proba` of shape (n,); "micro", "macro", "weighted"
            or None over the classes or labels; "samples" over rows of indicators.
        zero_division: Score of a class that is neither true nor predicted, a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better. Shape (n_classes,) or (n_labels,) with `average=None`.

    Undefined:
        0 with zero gradient if no sample has positive weight; 1 − `zero_division` with zero
        gradient for a class that is neither true nor predicted; NaN for a probability outside
        [0, 1] and for an invalid label.

    Gradient:
        Smooth in the probabilities and in the weights; 0 in the probabilities of a class that is
        never true. `lovasz_softmax_loss` is convex instead.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        Rahman & Wang (2016).

    Examples:
        >>> round(float(jaccard_loss([0, 1, 1], [0.25, 0.5, 1.0])), 6)
        0.333333
    """
    return _checked(
        jaccard,
        y_true,
        y_proba,
        average=average,
        zero_division=zero_division,
        sample_weight=sample_weight,
        where=where,
    )


@declared(range=_range_of_loss, greater_is_better=False, predictions="probabilities")
def tversky_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    alpha: Number = 0.5,
    beta: Number = 0.5,
    average: str | None = "binary",
    zero_division: Number = 0.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the Tversky index of soft counts, 1 − tp / (tp + α fp + β fn).

    With α = β = ½ it is `dice_loss`, with α = β = 1 `jaccard_loss`; with `beta` larger than `alpha`
    a false negative costs more than a false positive.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,), or indicators, shape
            (n, n_labels).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            or of each label, shape (n, n_labels).
        alpha: Weight α of false positives, a traced non-negative number.
        beta: Weight β of false negatives, a traced non-negative number.
        average: As in `fbeta_loss`: "binary" for `y_proba` of shape (n,); "micro", "macro",
            "weighted" or None over the classes or labels; "samples" over rows of indicators.
        zero_division: Index of a class whose denominator is 0, a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better. Shape (n_classes,) or (n_labels,) with `average=None`.

    Undefined:
        0 with zero gradient if no sample has positive weight; 1 − `zero_division` with zero
        gradient for a class whose denominator is 0; NaN for a probability outside [0, 1], for an
        invalid label, and for a negative `alpha` or `beta`.

    Gradient:
        Smooth in the probabilities, in `alpha` and `beta`, and in the weights; 0 in the
        probabilities of a class that is never true.

    Cost:
        O(n n_classes) time, no temporary arrays.

    References:
        Tversky (1977); Salehi, Erdogmus & Gholipour (2017).

    Examples:
        >>> round(float(tversky_loss([0, 1, 1], [0.25, 0.5, 1.0], alpha=0.2, beta=0.8)), 6)
        0.230769
    """
    options = check.number("alpha", alpha), check.number("beta", beta)
    return _checked(
        _tversky,
        y_true,
        y_proba,
        average=average,
        zero_division=zero_division,
        sample_weight=sample_weight,
        where=where,
        options=options,
    )


def _checked(
    score: Callable[..., Array],
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    average: str | None,
    zero_division: Number,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    options: tuple[Any, ...] = (),
) -> Array:
    check.one_of("average", average, AVERAGES)
    arrays = soft_label_inputs(y_true, y_proba, sample_weight, where)
    arrays = check.fitting_average(average, arrays, "y_proba", decides=average != "samples")
    zero_division = check.number("zero_division", zero_division)
    return _overlap_loss(*arrays, zero_division, options, score=score, average=average)


@functools.partial(jax.jit, static_argnames=("score", "average"))
def _overlap_loss(
    y_true: Array,
    y_proba: Array,
    sample_weight: Array | None,
    where: Array | None,
    zero_division: Array,
    options: tuple[Any, ...],
    *,
    score: Callable[..., Array],
    average: str | None,
) -> Array:
    data = soft_labels(y_true, y_proba, sample_weight, where, by_class=average != "binary")
    counts = counts_of(data, by_sample=average == "samples")
    weight, named = data.weight, data.indicators
    value = average_score(score, counts, average, weight, named, zero_division, *options)
    return loss_of(value, data)


def _tversky(
    counts: BinaryCounts, zero_division: float | Array, alpha: Number, beta: Number
) -> Array:
    alpha, beta = (jnp.asarray(option, counts.tp.dtype) for option in (alpha, beta))
    alpha = check.nan_unless(alpha, alpha >= 0, "`alpha` must not be negative")
    beta = check.nan_unless(beta, beta >= 0, "`beta` must not be negative")
    mixed = counts.tp + alpha * counts.fp + beta * counts.fn
    return safe_divide(counts.tp, mixed, zero_division)
