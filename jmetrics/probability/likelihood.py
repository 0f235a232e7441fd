"""Metrics of the likelihood of the true classes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import sum_of_others
from jmetrics._core.numerics import (
    Total,
    accumulator,
    from_largest,
    mean_of,
    safe_divide,
    weighted_sum,
    weighted_total,
)
from jmetrics._core.plan import AT_MOST_ONE, NONNEGATIVE, Bound, Plan, metric, plan
from jmetrics._core.probabilities import (
    Classified,
    class_index,
    classified,
    is_class,
    nan_outside_domain,
    wrong_label,
)
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import admissible, clean, combine
from jmetrics.probability._classes import Explained, class_weights, explained, row_sum


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="probabilities")
def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Negative mean log-likelihood, −Σ w log p / Σ w, with p the probability of the true class.

    p is clipped to [ε, 1 − ε], with ε the spacing of the dtype of `y_proba` at 1.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `y_proba`
            has shape (n,).
        y_proba: Probabilities, shape (n,) for class 1 of two, or (n, n_classes); rows need not sum
            to 1.
        normalize: True for the mean, False for the sum.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, −log ε], in nats; lower is better. With `normalize=False` the sum.

    Undefined:
        NaN if no sample has positive weight, for a probability outside [0, 1] and for a label that
        is not one of the classes.

    Gradient:
        Smooth in `y_proba` between the clipping bounds and 0 beyond; smooth in the weights.

    Cost:
        O(n n_classes) time in one pass, O(n) memory.

    References:
        `sklearn.metrics.log_loss`.

    Examples:
        >>> round(float(log_loss([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65])), 6)
        0.216162
        >>> round(float(log_loss([0, 2], [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])), 6)
        0.693147
    """
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    finisher = Bound.finisher(_mean_or_sum, normalize=bool(normalize))
    return plan(arrays, Bound.kernel(_log_losses), finisher)


def _log_losses(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> Total:
    data = classified(y_true, y_proba, sample_weight, where)
    loss = log_losses(data, spacing_at_one(y_proba, data.proba.dtype))
    return weighted_total(loss, data.weight)


def _mean_or_sum(total: Total, *, normalize: bool) -> Array:
    return mean_of(total) if normalize else total.value


def log_losses(data: Classified, clip: Array) -> Array:
    """−log p of each sample."""
    if data.proba.ndim == 1:
        p = jnp.clip(data.proba, clip, 1 - clip)
        loss = -jnp.where(data.label == 1, jnp.log(p), jnp.log1p(-p))
    else:
        own = is_class(data.label, data.n_classes)
        # The other classes contribute 0, but NaN where they are not probabilities.
        others = jnp.where(jnp.isnan(data.proba), data.proba, jnp.zeros_like(data.proba))
        p = row_sum(jnp.where(own, data.proba, others))
        loss = -jnp.log(jnp.clip(p, clip, 1 - clip))
    return nan_outside_domain(loss, data, loss)


def spacing_at_one(probability: Array, dtype: DTypeLike) -> Array:
    """Spacing at 1 of the dtype in which the probabilities are given."""
    given = probability.dtype if jnp.issubdtype(probability.dtype, jnp.floating) else dtype
    return jnp.asarray(jnp.finfo(given).eps, dtype)


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="logits")
def log_loss_from_logits(
    y_true: ArrayLike,
    logits: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Log loss of the probabilities that logits stand for, without computing them.

    −Σ w log p / Σ w with p the sigmoid or softmax of `logits` at the true class. Nothing is
    clipped, so a confident wrong prediction still scores better than an even more confident one,
    and small losses keep all their digits.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `logits`
            has shape (n,).
        logits: Logits, shape (n,) for class 1 of two, or (n, n_classes), where −∞ rules a class
            out.
        normalize: True for the mean, False for the sum.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in nats; lower is better. With `normalize=False` the sum.

    Undefined:
        NaN if no sample has positive weight, for a label that is not one of the classes, for a NaN,
        and, for shape (n, n_classes), unless the largest logit of each row is finite.

    Gradient:
        Smooth in the logits and in the weights.

    Cost:
        O(n n_classes) time, O(n) memory.

    References:
        Log-sum-exp about the largest logit.

    Examples:
        >>> round(float(log_loss_from_logits([1, 0], [2.0, -3.0])), 6)
        0.087758
        >>> float(log_loss_from_logits([0, 1], [[90.0, 0.0, 0.0], [200.0, 0.0, 0.0]]))
        100.0
    """
    arrays = check.class_scores(
        y_true=y_true, logits=logits, sample_weight=sample_weight, where=where
    )
    finisher = Bound.finisher(_mean_or_sum, normalize=bool(normalize))
    return plan(arrays, Bound.kernel(_logit_losses), finisher)


def _logit_losses(
    y_true: Array, logits: Array, sample_weight: Array | None, where: Array | None
) -> Total:
    dtype = accumulator(logits, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    logits = logits.astype(dtype) if logits.ndim == 1 else from_largest(logits, dtype)
    logits = clean(logits, sample_weight, where)
    n_classes = 2 if logits.ndim == 1 else logits.shape[1]
    label, known = class_index(clean(y_true, sample_weight, where), n_classes)
    if logits.ndim == 1:
        loss = jax.nn.softplus(jnp.where(label == 1, -logits, logits))
        loss = check.nan_unless(loss, ~jnp.isnan(logits), "`logits` must not be NaN")
    else:
        loss = softmax_losses(label, logits)
    loss = check.nan_unless(loss, admissible(weight, known), wrong_label(n_classes))
    return weighted_total(loss, weight)


def softmax_losses(label: Array, logits: Array) -> Array:
    """log Σ_j exp(z_j − z_label) of each sample, accurate also where it is small.

    A difference of log Σ_j exp z_j and z_label, as optax takes it, would cancel there.
    """
    top = lax.stop_gradient(jnp.max(logits, axis=1))
    finite = jnp.isfinite(top)
    logits = jnp.where(finite[:, None], logits, jnp.zeros_like(logits))
    top = jnp.where(finite, top, jnp.zeros_like(top))
    below = top[:, None] - logits
    own = is_class(label, logits.shape[1])
    gap = row_sum(jnp.where(own, below, jnp.zeros_like(below)))
    others = row_sum(jnp.where(own, jnp.zeros_like(below), jnp.exp(-below)))
    loss = gap + jnp.log1p(others + jnp.expm1(-gap))
    return check.nan_unless(loss, finite, "the largest of each row of `logits` must be finite")


@metric(range=NONNEGATIVE, greater_is_better=False, predictions="probabilities")
def normalized_entropy(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Log loss relative to that of always predicting the class frequencies.

    The log loss over −Σ_k f_k log f_k, with f the weighted frequencies in `y_true`.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `y_proba`
            has shape (n,).
        y_proba: Probabilities, shape (n,) for class 1 of two, or (n, n_classes); rows need not sum
            to 1.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), without unit; lower is better, 1 is as good as predicting the class
            frequencies.

    Undefined:
        NaN unless two classes have positive weight, for a probability outside [0, 1] and for a
        label that is not one of the classes.

    Gradient:
        That of `log_loss`; smooth in the weights.

    Cost:
        O(n n_classes) time, O(n) memory.

    References:
        He et al. (2014); `torcheval.metrics.functional.binary_normalized_entropy`.

    Examples:
        >>> round(float(normalized_entropy([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65])), 6)
        0.311856
    """
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    return plan(arrays, Bound.kernel(_losses_and_classes), Bound.finisher(_relative_entropy))


def _losses_and_classes(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> Explained:
    data = classified(y_true, y_proba, sample_weight, where)
    clip = spacing_at_one(y_proba, data.proba.dtype)
    loss = log_losses(data, clip)
    # The least loss is −log(1 − ε), the next one half as much again.
    perfect = jnp.all((loss <= 1.25 * clip) | (data.weight == 0))
    return Explained(weighted_sum(loss, data.weight), *class_weights(data), perfect)


def _relative_entropy(losses: Explained) -> Array:
    entropy = total_entropy(losses.of_class, losses.residual.dtype)
    return safe_divide(losses.residual, entropy, jnp.nan)


def total_entropy(of_class: Array, dtype: DTypeLike) -> Array:
    """Weight times the entropy of the frequencies of the classes."""
    own, others = of_class.astype(dtype), sum_of_others(of_class).astype(dtype)
    most = own > others
    # The log of a frequency near 1 needs the digits of its distance from 1.
    minor = safe_divide(jnp.where(most, others, own), own + others, 0.0)
    positive = jnp.where(minor > 0, minor, jnp.ones_like(minor))
    return -jnp.sum(own * jnp.where(most, jnp.log1p(-minor), jnp.log(positive)))


@metric(range=AT_MOST_ONE, greater_is_better=True, predictions="probabilities")
def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Fraction of the log loss that is explained, relative to predicting the class frequencies.

    1 − log loss / −Σ_k f_k log f_k, with f the weighted frequencies in `y_true`.

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
        class: 1 if its probability is as near to 1 as the clipping of `log_loss` allows in every
        sample, and 0 otherwise.

    Gradient:
        That of `log_loss`; smooth in the weights; 0 where the rule for one class applies.

    Cost:
        O(n n_classes) time, O(n) memory.

    References:
        `sklearn.metrics.d2_log_loss_score`, except for the rule for one class.

    Examples:
        >>> round(float(d2_log_loss_score([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65])), 6)
        0.688144
    """
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    return plan(arrays, Bound.kernel(_losses_and_classes), Bound.finisher(_explained_entropy))


def _explained_entropy(losses: Explained) -> Array:
    total = total_entropy(losses.of_class, losses.residual.dtype)
    return explained(losses, total)
