"""Calibration errors of soft bins."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.merging import apply_checks
from jmetrics._core.numerics import weighted_sum
from jmetrics._core.plan import UNIT, declared
from jmetrics._core.probabilities import classified, domain_checks, is_class
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import relative
from jmetrics.probability.calibration import MULTI_CLASS, BinSums, error_of, top_label

_NORMS = ("l1", "l2")


@declared(
    range=UNIT,
    greater_is_better=False,
    predictions="probabilities",
    surrogate_of="calibration_error",
)
def calibration_error_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    norm: str = "l1",
    n_bins: int = 15,
    temperature: Number = 0.01,
    multi_class: str = "top_label",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Calibration error with soft bins.

    A confidence c belongs to bin b, with centre c_b = (b + ½) / n_bins, to the degree
    softmax_b(−(c − c_b)² / T), T = `temperature`. With w_b, m_b and f_b the weight, mean confidence
    and observed frequency of such a soft bin, the loss is Σ w_b |f_b − m_b| / Σ w_b ("l1") or the
    root of Σ w_b (f_b − m_b)² / Σ w_b ("l2"). Surrogate of `jmetrics.calibration_error` with bins
    of equal width, to which it tends as T → 0 where no confidence is on an edge. A constant
    prediction can have zero calibration error: add this loss to one that rewards discrimination.

    Args:
        y_true: Classes, integers from 0 to n_classes − 1, shape (n,).
        y_proba: Probability of class 1 of two, shape (n,), which is the confidence, or of each
            class, shape (n, n_classes).
        norm: "l1" for the mean absolute or "l2" for the root mean squared error of the bins.
        n_bins: Number of bins, a static positive integer.
        temperature: Temperature T, a traced positive number.
        multi_class: Confidences for `y_proba` of shape (n, n_classes): "top_label" for the
            probability of the most probable class; "classwise" to compare each class with the rest
            and average these losses.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for a `temperature` that is not
        positive, for a probability outside [0, 1] and for a label that is not one of the classes. A
        `temperature` below ε / n_bins, with the machine epsilon ε of the dtype, is treated as that
        value, which separates neighbouring numbers at an edge.

    Gradient:
        Smooth, except where a bin, or all bins for "l2", have no error, where it is 0.

    Cost:
        O(n n_bins) time per class, O(n) memory.

    References:
        Karandikar et al. (2021), SB-ECE.

    Examples:
        >>> y_proba = [0.25, 0.25, 0.55, 0.75, 0.75]
        >>> loss = calibration_error_loss([0, 0, 1, 1, 1], y_proba, n_bins=2, temperature=1e-3)
        >>> round(float(loss), 6)
        0.29
    """
    check.one_of("norm", norm, _NORMS)
    check.one_of("multi_class", multi_class, MULTI_CLASS)
    return _calibration_error_loss(
        *check.class_scores(
            y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
        ),
        check.number("temperature", temperature),
        norm=norm,
        n_bins=check.positive_integer("n_bins", n_bins),
        multi_class=multi_class,
    )


@functools.partial(jax.jit, static_argnames=("norm", "n_bins", "multi_class"))
def _calibration_error_loss(
    y_true: Array,
    y_proba: Array,
    sample_weight: Array | None,
    where: Array | None,
    temperature: Array,
    *,
    norm: str,
    n_bins: int,
    multi_class: str,
) -> Array:
    data = classified(y_true, y_proba, relative(sample_weight, where), where)
    temperature = jnp.asarray(temperature, data.proba.dtype)
    temperature = check.nan_unless(temperature, temperature > 0, "`temperature` must be positive")
    temperature = jnp.maximum(temperature, jnp.finfo(temperature.dtype).eps / n_bins)

    def of(confidence: Array, hit: Array) -> Array:
        return error_of(_soft_bins(confidence, hit, data.weight, temperature, n_bins), norm)

    if multi_class == "classwise" and data.proba.ndim == 2:
        confidence = data.proba
        loss = jnp.mean(jax.vmap(of)(data.proba.T, is_class(data.label, data.n_classes).T))
    else:
        confidence, hit = top_label(data)
        loss = of(confidence, hit)
    loss = jnp.where(jnp.any(data.weight != 0), loss, jnp.zeros_like(loss))
    return apply_checks(loss, domain_checks(data, confidence))


def _soft_bins(
    confidence: Array, hit: Array, weight: Array, temperature: Array, n_bins: int
) -> BinSums:
    """Sums over the samples of each bin, weighted by their membership in it.

    One bin after the other, each recomputed in the backward pass, takes O(n) memory.
    """
    bins = jnp.arange(n_bins, dtype=confidence.dtype)
    z = confidence * n_bins
    nearest = jnp.clip(jnp.floor(lax.stop_gradient(z)), 0, n_bins - 1)
    hit, weight = hit.astype(confidence.dtype), weight.astype(confidence.dtype)

    def closeness(b: Array) -> Array:
        # (z − nearest − ½)² − (z − b − ½)², factored, since the difference would cancel.
        product = (b - nearest) * ((z - nearest) + (z - b) - 1)
        return jnp.exp(product / (temperature * float(n_bins) ** 2))

    @jax.checkpoint
    def add(total: Array, b: Array) -> tuple[Array, None]:
        return total + closeness(b), None

    total, _ = lax.scan(add, jnp.zeros_like(confidence), bins)

    @jax.checkpoint
    def of_bin(b: Array) -> BinSums:
        fraction = closeness(b) / total
        parts = hit, 1 - hit, confidence, hit - confidence
        return BinSums(*(weighted_sum(fraction * part, weight) for part in parts))

    return lax.map(of_bin, bins)
