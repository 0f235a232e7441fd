"""Confusion counts, hard or soft: exact integers where nothing is weighted."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from jmetrics._core.numerics import weighted_sum


class Matches(NamedTuple):
    """How much weight is right, out of how much."""

    correct: Array
    total: Array


class BinaryCounts(NamedTuple):
    """The four cells of a binary confusion matrix."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array


def as_labels(labels: Array) -> Array:
    """Labels of any dtype as integers that compare with one another."""
    return labels.astype(jnp.result_type(int))


def are_labels(labels: Array) -> Array:
    """Whether each entry is a whole number that `as_labels` keeps apart from the others."""
    if not jnp.issubdtype(labels.dtype, jnp.floating):
        return jnp.ones(labels.shape, jnp.bool_)
    return (labels == jnp.floor(labels)) & (jnp.abs(labels) < 2.0**31)


def is_positive(labels: Array) -> Array:
    """Whether a binary label, 0 or 1, is the positive one."""
    return labels if labels.dtype == jnp.bool_ else labels == 1


def are_binary(labels: Array) -> Array:
    """Whether each entry is 0 or 1."""
    if labels.dtype == jnp.bool_:
        return jnp.ones(labels.shape, jnp.bool_)
    return (labels == 0) | (labels == 1)


def matches(y_true: Array, y_pred: Array, weight: Array) -> Matches:
    """Count samples whose label, or whose whole row of labels, is predicted right."""
    right = y_true == y_pred
    right = jnp.all(right, axis=tuple(range(1, right.ndim)))
    return Matches(weighted_sum(right, weight), jnp.sum(weight))


def binary_counts(truth: Array, predicted: Array, weight: Array) -> BinaryCounts:
    """Cells over the first axis; each array is boolean, or a probability for soft counts."""

    def opposite(a: Array) -> Array:
        return ~a if a.dtype == jnp.bool_ else 1 - a

    def cell(a: Array, b: Array) -> Array:
        both = a & b if a.dtype == b.dtype == jnp.bool_ else a * b
        return weighted_sum(both, weight)

    return BinaryCounts(
        tp=cell(truth, predicted),
        fp=cell(opposite(truth), predicted),
        fn=cell(truth, opposite(predicted)),
        tn=cell(opposite(truth), opposite(predicted)),
    )
