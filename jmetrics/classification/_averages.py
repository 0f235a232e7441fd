"""What the label metrics share: checks, counts of each class, one average over them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.counts import (
    BinaryCounts,
    are_binary,
    are_labels,
    as_labels,
    binary_counts,
    class_counts,
    is_positive,
)
from jmetrics._core.numerics import accumulator, weighted_mean
from jmetrics._core.weights import combine, over_trailing

Score = Callable[..., Any]
"""Counts, the value of 0 / 0 and options to an array, or a tuple of arrays, like the counts."""

AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


def averaged(
    score: Score,
    y_true: Any,
    y_pred: Any,
    average: Any,
    labels: Any,
    pos_label: Any,
    zero_division: Any,
    num_classes: Any,
    sample_weight: Any,
    where: Any,
    *options: Any,
) -> Any:
    """Score each class, label or sample by its counts, and average as `average` says."""
    check.one_of("average", average, AVERAGES)
    arrays = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where, ndim=(1, 2)
    )
    check.fitting_average(average, arrays[0].shape)
    labels = check.class_labels(labels)
    if average != "binary":
        data = y_true, y_pred, sample_weight, where
        num_classes = how_many(num_classes, labels, arrays[0].shape, data, exact=average is None)
    return _averaged(
        *arrays,
        check.number("pos_label", pos_label),
        check.number("zero_division", zero_division),
        options,
        score=score,
        average=average,
        labels=labels,
        num_classes=num_classes,
    )


@functools.partial(jax.jit, static_argnames=("score", "average", "labels", "num_classes"))
def _averaged(
    y_true,
    y_pred,
    sample_weight,
    where,
    pos_label,
    zero_division,
    options,
    *,
    score,
    average,
    labels,
    num_classes,
):
    dtype = accumulator(y_true, y_pred, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    if average == "binary":
        chosen = pos_label == 1
        counts = binary_counts(is_positive(y_true) == chosen, is_positive(y_pred) == chosen, weight)
    else:
        by_sample = average == "samples"
        counts = label_counts(y_true, y_pred, weight, labels, num_classes, by_sample)
    counts = jax.tree.map(lambda cell: cell.astype(dtype), counts)
    named = labels is not None or y_true.ndim == 2
    value = average_score(score, counts, average, weight, named, zero_division, *options)
    if average == "binary":
        chosen = (jnp.asarray(pos_label) == 0) | (jnp.asarray(pos_label) == 1)
        value = defined(value, chosen, "`pos_label` must be 0 or 1")
    return only_labels(value, y_true, y_pred, weight, binary=average == "binary")


def how_many(
    num_classes: Any,
    labels: tuple[int, ...] | None,
    shape: tuple[int, ...],
    data: tuple[Any, ...],
    *,
    exact: bool,
) -> int:
    """Number of classes, or of columns of indicators."""
    if len(shape) == 2:
        return check.label_count(num_classes, labels, shape[1])
    return check.class_count(num_classes, labels, *data, exact=exact)


def label_counts(
    y_true: Array,
    y_pred: Array,
    weight: Array,
    labels: tuple[int, ...] | None,
    num_classes: int,
    by_sample: bool,
) -> BinaryCounts:
    """Counts of each class or column, or of those named; of each row, unweighted, `by_sample`."""
    chosen = slice(None) if labels is None else jnp.asarray(labels)
    if y_true.ndim == 1:
        counts = class_counts(as_labels(y_true), as_labels(y_pred), weight, num_classes)
        return jax.tree.map(lambda cell: cell[chosen], counts)
    truth, predicted = is_positive(y_true)[:, chosen], is_positive(y_pred)[:, chosen]
    if by_sample:
        return binary_counts(truth.T, predicted.T, jnp.ones((1, 1), jnp.int32))
    return binary_counts(truth, predicted, over_trailing(weight, 2))


def average_score(
    score: Score,
    counts: BinaryCounts,
    average: str | None,
    weight: Array,
    named: bool,
    zero_division: float | Array,
    *options: Any,
) -> Any:
    """Score the counts and average: all that there is to the label metrics after counting.

    `counts` are floats with one entry a class, label or sample. Unless the classes are
    `named`, those that occur nowhere stay out of averages. NaN when nothing has weight.
    """
    occurs = jnp.ones(counts.tp.shape, jnp.bool_) if named else counts.true + counts.fp > 0
    if average == "micro":
        counts = jax.tree.map(lambda cell: jnp.sum(cell, where=occurs), counts)

    def reduced(values: Array) -> Array:
        if average == "macro":
            values = _mean_of_defined(values, occurs)
        elif average == "weighted":
            by_support = _mean_of_defined(values, counts.true)
            supported = jnp.any((counts.true != 0) & ~jnp.isnan(values))
            values = jnp.where(supported, by_support, _mean_of_defined(values, occurs))
        elif average == "samples":
            values = _mean_of_defined(values, weight)
        return jnp.where(jnp.any(weight != 0), values, jnp.nan)

    return jax.tree.map(reduced, score(counts, zero_division, *options))


def _mean_of_defined(values: Array, weight: Array) -> Array:
    """Weighted mean of the values that are not NaN."""
    defined = ~jnp.isnan(values)
    values = jnp.where(defined, values, jnp.zeros_like(values))
    return weighted_mean(values, jnp.where(defined, weight, jnp.zeros_like(weight)))


def only_labels(
    value: Any,
    y_true: Array,
    y_pred: Array,
    weight: Array,
    *,
    binary: bool = False,
    indicators: bool = True,
) -> Any:
    """Turn a value into NaN if a label that counts is none.

    Classes are whole numbers; with `binary` they are 0 and 1, and so are `indicators`, which
    have two axes.
    """
    known, reason = are_labels, "labels must be whole numbers"
    if binary:
        known, reason = are_binary, "binary labels must be 0 or 1"
    elif indicators and y_true.ndim == 2:
        known, reason = are_binary, "indicators must be 0 or 1"
    off = over_trailing(weight == 0, y_true.ndim)
    return defined(value, jnp.all(off | (known(y_true) & known(y_pred))), reason)


def defined(value: Any, inside: Array, reason: str) -> Any:
    """Several values that are NaN together unless `inside`."""
    return jax.tree.map(lambda v: check.defined(v, inside, reason), value)


def as_counts(cells: Array, y_true: Array, y_pred: Array, sample_weight: Array | None) -> Array:
    """Integers if all that is counted is, and else floats, in which NaN can be said."""
    arrays = [a for a in (y_true, y_pred, sample_weight) if a is not None]
    if any(jnp.issubdtype(a.dtype, jnp.floating) for a in arrays):
        return cells.astype(accumulator(*arrays))
    return cells
