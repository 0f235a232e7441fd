"""Shared by the losses of soft counts: checks, truth with probabilities, one minus a score."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import BinaryCounts, are_binary, binary_counts, is_positive
from jmetrics._core.numerics import accumulator
from jmetrics._core.plan import Arrays
from jmetrics._core.probabilities import PROBABLE, classified, wrong_label
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import admissible, clean, combine, over_trailing, relative


class SoftLabels(NamedTuple):
    """True labels and their predicted probabilities, in arrays of one shape."""

    truth: Array
    """1 where the label is true, else 0."""
    proba: Array
    """In [0, 1]; NaN where it is invalid and has positive weight."""
    weight: Array
    known: Array
    """Whether the label is valid or has zero weight."""
    indicators: bool
    """Whether each column is a label of its own, not a class."""


def soft_label_inputs(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Arrays:
    """Check classes (n,) with probabilities (n,) or (n, n_classes), or indicators (n, n_labels)."""
    return check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where, indicators=True
    )


def soft_labels(
    y_true: Array,
    y_proba: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    by_class: bool,
) -> SoftLabels:
    """Clean the arrays; `by_class` expands one column for two classes to two columns."""
    sample_weight = relative(sample_weight, where)
    if y_true.ndim == 2:
        return _indicators(y_true, y_proba, sample_weight, where)
    data = classified(y_true, y_proba, sample_weight, where)
    truth, proba = data.truth, data.proba
    if by_class and proba.ndim == 1:
        truth, proba = (jnp.stack([1 - a, a], axis=1) for a in (truth, proba))
    return SoftLabels(truth, proba, data.weight, data.known, indicators=False)


def _indicators(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> SoftLabels:
    dtype = accumulator(y_proba, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    off = over_trailing(weight == 0, 2)
    y_true = clean(y_true, sample_weight, where)
    proba = clean(y_proba.astype(dtype), sample_weight, where)
    inside = (proba >= 0) & (proba <= 1)
    proba = jnp.where(inside, proba, jnp.where(off, jnp.zeros((), dtype), jnp.nan))
    truth = is_positive(y_true).astype(dtype)
    return SoftLabels(
        truth,
        proba,
        weight,
        admissible(over_trailing(weight, 2), are_binary(y_true)),
        indicators=True,
    )


def counts_of(data: SoftLabels, *, by_sample: bool = False) -> BinaryCounts:
    """Soft counts of each column, or of each row, unweighted."""
    if by_sample:
        return binary_counts(data.truth.T, data.proba.T, jnp.ones((1, 1), jnp.int32))
    return binary_counts(data.truth, data.proba, over_trailing(data.weight, data.truth.ndim))


def loss_of(score: Array, data: SoftLabels) -> Array:
    """1 − score; 0 if no sample has positive weight, NaN for invalid labels or probabilities."""
    return loss_in_domain(1 - score, data)


def loss_in_domain(loss: Array, data: SoftLabels) -> Array:
    """Return 0 if no sample has positive weight, and NaN outside the domain."""
    loss = jnp.where(jnp.any(data.weight != 0), loss, jnp.zeros_like(loss))
    reason = "indicators must be 0 or 1"
    if not data.indicators:
        n_classes = data.proba.shape[1] if data.proba.ndim == 2 else 2
        reason = wrong_label(n_classes)
    loss = check.nan_unless(loss, jnp.all(data.known), reason)
    probable = ~jnp.any(jnp.isnan(data.proba))
    return check.nan_unless(loss, probable, PROBABLE)
