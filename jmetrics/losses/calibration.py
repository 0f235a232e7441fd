"""Calibration errors of bins that a confidence belongs to more or less."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.anatomy import UNIT, declared
from jmetrics._core.numerics import weighted_sum
from jmetrics._core.types import ArrayLike, Number
from jmetrics.probability._classes import all_in_domain, classified, is_class
from jmetrics.probability.calibration import MULTI_CLASS, Bins, error_of, top_label

_NORMS = ("l1", "l2")


@declared(range=UNIT, greater_is_better=False, surrogate_of="calibration_error")
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

    A confidence c belongs to bin b, with centre c_b = (b + ½) / n_bins, with the share
    softmax_b(−(c − c_b)² / T), T = `temperature`. With the weight, mean confidence and frequency
    that bins of such shares have it is Σ w_b |f_b − c_b| / Σ w_b ("l1") or the root of
    Σ w_b (f_b − c_b)² / Σ w_b ("l2"). Stands for `jmetrics.calibration_error` with bins of equal
    width, and tends to it as T → 0 where no confidence is on an edge. An error of calibration is
    0 for a constant too: add it to a loss that tells samples apart.

    Shapes: `y_true` and the optional `sample_weight` and `where` (n,); `y_proba` (n,), the
    probability of class 1 of two, which is the confidence; or (n, n_classes), where it is that
    of the most probable class or, with `multi_class="classwise"`, each class is compared with the
    rest, and the loss is their mean. `n_bins` is static, `temperature` a traced number. A scalar.
    Range: [0, 1], lower is better.
    Undefined: 0 with zero gradient when nothing counts; NaN for a `temperature` that is not
    positive, for a probability outside [0, 1] and for a label that is none of the classes. A
    `temperature` below ε / n_bins, with the precision ε of the type, counts as that: it tells
    neighbouring numbers beside an edge apart.
    Gradient: smooth but where a bin, or all of them for "l2", are without error, where it is 0.
    Cost: O(n n_bins) time for a class, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Karandikar et al. (2021), SB-ECE.

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
    y_true, y_proba, sample_weight, where, temperature, *, norm, n_bins, multi_class
):
    data = classified(y_true, y_proba, sample_weight, where)
    temperature = jnp.asarray(temperature, data.proba.dtype)
    temperature = check.defined(temperature, temperature > 0, "`temperature` must be positive")
    temperature = jnp.maximum(temperature, jnp.finfo(temperature.dtype).eps / n_bins)

    def of(confidence: Array, hit: Array) -> Array:
        return error_of(_soft_bins(confidence, hit, data.weight, temperature, n_bins), norm)

    if multi_class == "classwise" and data.proba.ndim == 2:
        evidence = data.proba
        loss = jnp.mean(jax.vmap(of)(data.proba.T, is_class(data.label, data.n_classes).T))
    else:
        evidence, hit = top_label(data)
        loss = of(evidence, hit)
    loss = jnp.where(jnp.any(data.weight != 0), loss, jnp.zeros_like(loss))
    for legal in all_in_domain(data, evidence):
        loss = legal.defined(loss)
    return loss


def _soft_bins(
    confidence: Array, hit: Array, weight: Array, temperature: Array, n_bins: int
) -> Bins:
    """Sums over the samples of each bin, to which each sample belongs with a share.

    One bin after the other, each computed again in the backward pass, takes O(n) memory.
    """
    bins = jnp.arange(n_bins, dtype=confidence.dtype)
    z = confidence * n_bins
    nearest = jnp.clip(jnp.floor(lax.stop_gradient(z)), 0, n_bins - 1)
    hit, weight = hit.astype(confidence.dtype), weight.astype(confidence.dtype)

    def closeness(b: Array) -> Array:
        # (z − nearest − ½)² − (z − b − ½)², which as such a difference would be but rounding.
        product = (b - nearest) * ((z - nearest) + (z - b) - 1)
        return jnp.exp(product / (temperature * float(n_bins) ** 2))

    @jax.checkpoint
    def add(total: Array, b: Array) -> tuple[Array, None]:
        return total + closeness(b), None

    total, _ = lax.scan(add, jnp.zeros_like(confidence), bins)

    @jax.checkpoint
    def of_bin(b: Array) -> Bins:
        share = closeness(b) / total
        parts = hit, 1 - hit, confidence, hit - confidence
        return Bins(*(weighted_sum(share * part, weight) for part in parts))

    return lax.map(of_bin, bins)
