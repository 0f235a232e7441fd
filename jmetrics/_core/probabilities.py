"""Labels with class probabilities: clean arrays, and what is outside the domain."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.counts import are_classes, are_labels, as_labels
from jmetrics._core.merging import DomainCheck
from jmetrics._core.numerics import accumulator
from jmetrics._core.weights import admissible, clean, combine, over_trailing

PROBABLE = "`y_proba` must be probabilities in [0, 1]"


class Classified(NamedTuple):
    """Labels, probabilities and weights of samples."""

    label: Array
    """The class of each sample, an integer; 0 where the label is invalid."""
    proba: Array
    """Probability of class 1 (n,), or of each class (n, n_classes); NaN where it is invalid."""
    weight: Array
    known: Array
    """Whether each sample has weight 0, or a valid label and a finite weight."""

    @property
    def n_classes(self) -> int:
        """Number of classes, including those that do not occur."""
        return 2 if self.proba.ndim == 1 else self.proba.shape[1]

    @property
    def truth(self) -> Array:
        """1 for the class of each sample and 0 for the others, in the shape of `proba`."""
        if self.proba.ndim == 1:
            return (self.label == 1).astype(self.proba.dtype)
        return is_class(self.label, self.n_classes).astype(self.proba.dtype)


def classified(
    y_true: Array, y_proba: Array, sample_weight: Array | None, where: Array | None
) -> Classified:
    """Clean labels and probabilities; NaN for an invalid probability with positive weight."""
    dtype = accumulator(y_proba, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    proba = clean(y_proba.astype(dtype), sample_weight, where)
    n_classes = 2 if proba.ndim == 1 else proba.shape[1]
    label, known = class_index(clean(y_true, sample_weight, where), n_classes)
    rule = jnp.where(weight == 0, jnp.zeros((), dtype), jnp.nan)
    inside = (proba >= 0) & (proba <= 1)
    proba = jnp.where(inside, proba, over_trailing(rule, proba.ndim))
    return Classified(label, proba, weight, admissible(weight, known))


def class_index(labels: Array, n_classes: int) -> tuple[Array, Array]:
    """The class of each label, 0 for an invalid one, and whether it is valid."""
    index = as_labels(labels)
    known = are_labels(labels) & are_classes(index, n_classes)
    return jnp.where(known, index, jnp.zeros_like(index)).astype(jnp.int32), known


def is_class(label: Array, n_classes: int) -> Array:
    """Whether each column is the class of each sample, (n, n_classes)."""
    column = lax.broadcasted_iota(jnp.int32, (label.shape[0], n_classes), 1)
    return label[:, None] == column


def nan_outside_domain(value: Array, data: Classified, derived: Array) -> Array:
    """`value` of each sample; NaN for a label or a probability outside the domain.

    `derived` is computed from the probabilities and is NaN wherever one of them is.
    """
    probable = ~jnp.isnan(derived)
    if probable.ndim == 2:
        probable = jnp.all(probable, axis=1)
    value = check.nan_unless(value, data.known, wrong_label(data.n_classes))
    return check.nan_unless(value, probable, PROBABLE)


def domain_checks(data: Classified, derived: Array) -> tuple[DomainCheck, ...]:
    """Whether all labels and probabilities are in the domain."""
    return (
        DomainCheck(jnp.all(data.known), wrong_label(data.n_classes)),
        DomainCheck(~jnp.any(jnp.isnan(derived)), PROBABLE),
    )


def wrong_label(n_classes: int) -> str:
    """Error message for a label that is not one of the classes."""
    if n_classes == 2:
        return "`y_true` must be 0 or 1"
    return f"`y_true` must be whole numbers from 0 to {n_classes - 1}"
