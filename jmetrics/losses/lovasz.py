"""Lovász extensions of 1 − Jaccard, convex in the scores or probabilities."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.counts import are_binary, average_score, is_positive
from jmetrics._core.numerics import absolute, accumulator, safe_divide
from jmetrics._core.order import Order, order
from jmetrics._core.plan import NONNEGATIVE, UNIT, declared
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import admissible, clean, combine, relative
from jmetrics.losses._soft import counts_of, loss_in_domain, soft_label_inputs, soft_labels

_AVERAGES = ("binary", "macro", "weighted", None)


@declared(
    range=NONNEGATIVE, greater_is_better=False, predictions="scores", surrogate_of="jaccard_score"
)
def lovasz_hinge_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Lovász extension of 1 − Jaccard over the hinge errors of scores of two classes.

    With errors e = max(1 − s, 0) of positives and max(1 + s, 0) of negatives in decreasing order,
    Σ_i (e_i − e_(i+1)) J_i, where J_i is 1 − `jmetrics.jaccard_score` if exactly the first i
    samples are misclassified. Bounds 1 − Jaccard of the predictions s > 0 from above.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞); lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight, and where there is neither a positive
        nor a misclassified sample; NaN for a label other than 0 and 1 and for a NaN score with
        positive weight.

    Gradient:
        Piecewise constant in the scores, smooth in the weights; the loss is convex in the scores.

    Cost:
        O(n log n) time for one sort, O(n) memory.

    References:
        Yu & Blaschko (2015); Berman, Triki & Blaschko (2018).

    Examples:
        >>> float(lovasz_hinge_loss([0, 1, 1], [-2.0, 0.5, 2.0]))
        0.25
    """
    arrays = check.samples(y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where)
    return _lovasz_hinge_loss(*arrays)


@jax.jit
@with_auto_axes
def _lovasz_hinge_loss(
    y_true: Array, y_score: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    dtype = accumulator(y_score, sample_weight)
    weight = combine(relative(sample_weight, where), where, y_true.shape, dtype)
    score = clean(y_score.astype(dtype), sample_weight, where)
    y_true = clean(y_true, sample_weight, where)
    truth = is_positive(y_true)
    error = jax.nn.relu(1 - jnp.where(truth, score, -score))
    loss = jnp.where(jnp.any(weight != 0), _extension(error, truth, weight), 0)
    labelled = jnp.all(admissible(weight, are_binary(y_true)))
    loss = check.nan_unless(loss, labelled, "`y_true` must be 0 or 1")
    return check.nan_unless(loss, jnp.all(score == score), "`y_score` must not be NaN")


@declared(
    range=UNIT, greater_is_better=False, predictions="probabilities", surrogate_of="jaccard_score"
)
def lovasz_softmax_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Lovász extension of 1 − Jaccard over the errors |y − p| of probabilities.

    For each class, with its errors in decreasing order, Σ_i (e_i − e_(i+1)) J_i, where J_i is
    1 − `jmetrics.jaccard_score` if exactly the first i samples are misclassified. So it equals
    1 − Jaccard of each class where all probabilities are 0 or 1.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,), or indicators, shape
            (n, n_labels).
        y_proba: Probability of class 1 of two, shape (n,), or of each class, shape (n, n_classes),
            or of each label, shape (n, n_labels).
        average: "macro" over the classes that are true or have positive probability, "weighted" by
            true counts, which leaves out classes that are never true, None for the loss of each
            class or label, or "binary" for `y_proba` of shape (n,).
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better. Shape (n_classes,) or (n_labels,) with `average=None`.

    Undefined:
        0 with zero gradient if no sample has positive weight, and for a class that is neither true
        nor predicted; NaN for a probability outside [0, 1] and for an invalid label.

    Gradient:
        Piecewise constant in the probabilities, smooth in the weights; the loss is convex in the
        probabilities.

    Cost:
        O(n_classes n log n) time for one sort per class, O(n n_classes) memory.

    References:
        Berman, Triki & Blaschko (2018).

    Examples:
        >>> round(float(lovasz_softmax_loss([0, 1, 1], [0.25, 0.5, 1.0], average="binary")), 6)
        0.291667
    """
    check.one_of("average", average, _AVERAGES)
    arrays = soft_label_inputs(y_true, y_proba, sample_weight, where)
    arrays = check.fitting_average(average, arrays, "y_proba", decides=1)
    return _lovasz_softmax_loss(*arrays, average=average)


@functools.partial(jax.jit, static_argnames="average")
@with_auto_axes
def _lovasz_softmax_loss(
    y_true: Array,
    y_proba: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    average: str | None,
) -> Array:
    data = soft_labels(y_true, y_proba, sample_weight, where, by_class=average != "binary")
    by_column = jax.vmap(_extension, in_axes=(-1, -1, None))
    extension = _extension if average == "binary" else by_column
    loss = extension(absolute(data.truth - data.proba), data.truth == 1, data.weight)
    value = average_score(
        lambda *_: loss, counts_of(data), average, data.weight, data.indicators, 0.0
    )
    return loss_in_domain(value, data)


def _extension(error: Array, truth: Array, weight: Array) -> Array:
    """Σ (e_i − e_(i+1)) J_i, a sum of non-negative terms, with its slope in the errors."""
    by_error = order(lax.stop_gradient(error))
    error, truth, weight = (a[by_error.item] for a in (error, truth, weight))
    none = jnp.zeros_like(weight)
    hit, miss = jnp.where(truth, weight, none), jnp.where(truth, none, weight)
    fn, fp = (jnp.cumsum(part, dtype=part.dtype) for part in (hit, miss))
    tp = lax.cumsum(hit, reverse=True) - hit
    tp, fn, fp = (count.astype(error.dtype) for count in (tp, fn, fp))
    wrong = safe_divide(fn + fp, tp + fn + fp, 0.0)  # 1 − Jaccard, where that is almost 1 too
    fixed = lax.stop_gradient(error)
    gap = fixed - jnp.concatenate([fixed[1:], jnp.zeros_like(fixed[:1])])
    slope = _slope(hit, miss, tp, tp + fn + fp, by_error)
    return jnp.sum(gap * wrong) + jnp.sum(slope * (error - fixed))


def _slope(hit: Array, miss: Array, tp: Array, union: Array, by_error: Order) -> Array:
    """Increase of 1 − Jaccard when each sample becomes misclassified, the same for equal errors.

    A positive leaves the union unchanged and a negative enlarges it, so with weights h and m of
    both it is (h + m tp / union before) / union after, without cancellation.
    """
    start, end = by_error.start, by_error.end
    own = (hit + miss).astype(tp.dtype)
    hit, miss = (
        jnp.zeros_like(part).at[start].add(part)[start].astype(tp.dtype) for part in (hit, miss)
    )
    tp, union = tp[end] + hit, union[end]
    added = hit + miss * safe_divide(tp, union - miss, 1.0)
    return safe_divide(own, hit + miss, 0.0) * safe_divide(added, union, 0.0)
