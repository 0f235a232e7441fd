"""Confusion counts, hard or soft, and averages over classes of scores made of them.

Counts are exact integers where nothing is weighted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import (
    Total,
    accumulator,
    mean_of,
    safe_multiply,
    weighted_bincount,
    weighted_sum,
    weighted_total,
)


@exportable
class Matches(NamedTuple):
    """How much weight is predicted right, and how much wrong."""

    right: Array
    wrong: Array


@exportable
class BinaryCounts(NamedTuple):
    """The four cells of a binary confusion matrix, or of one for each class, label or sample."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @property
    def true(self) -> Array:
        """Weight of what is positive."""
        return self.tp + self.fn

    @property
    def pred(self) -> Array:
        """Weight of what is predicted to be."""
        return self.tp + self.fp


def as_labels(labels: Array) -> Array:
    """Labels of any dtype as integers that compare with one another."""
    return labels.astype(jnp.result_type(int))


def are_labels(labels: Array) -> Array:
    """Whether each entry is a whole number that `as_labels` keeps apart from the others."""
    if labels.dtype == jnp.uint32:
        return labels < jnp.uint32(2**31)
    if not jnp.issubdtype(labels.dtype, jnp.floating):
        return jnp.ones(labels.shape, jnp.bool_)
    labels = labels.astype(accumulator(labels))  # 2³¹ is beyond float16
    return (labels == jnp.floor(labels)) & (jnp.abs(labels) < 2.0**31)


def is_positive(labels: Array) -> Array:
    """Whether a binary label, 0 or 1, is the positive one."""
    return labels if labels.dtype == jnp.bool_ else labels == 1


def are_binary(labels: Array) -> Array:
    """Whether each entry is 0 or 1."""
    if labels.dtype == jnp.bool_:
        return jnp.ones(labels.shape, jnp.bool_)
    return (labels == 0) | (labels == 1)


def are_classes(labels: Array, num_classes: int) -> Array:
    """Whether each integer is one of the classes 0 to `num_classes` − 1."""
    return (labels >= 0) & (labels < num_classes)


def matches(right: Array, weight: Array) -> Matches:
    """Count samples that are predicted right, and the others."""
    count = weighted_sum(right, weight)
    if jnp.issubdtype(weight.dtype, jnp.floating):
        return Matches(count, weighted_sum(~right, weight))
    return Matches(count, jnp.sum(weight, dtype=count.dtype) - count)


def binary_counts(truth: Array, predicted: Array, weight: Array) -> BinaryCounts:
    """Cells over the first axis; each array is boolean, or a probability for soft counts.

    `weight` has the axes of the arrays, or 1 in place of those that it is the same along.
    """

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


_FEW_CELLS = 4096
"""Up to this size, one table of all pairs of labels costs less than one for each array."""


def class_counts(y_true: Array, y_pred: Array, weight: Array, num_classes: int) -> BinaryCounts:
    """Cells of each class against the rest, for integer labels.

    A label outside [0, num_classes) is no class: the sample counts as a true negative, or
    for the class of its other label alone. O(n + num_classes) time and memory.
    """
    floating = jnp.issubdtype(weight.dtype, jnp.floating)
    paired = not floating and (num_classes + 1) ** 2 <= _FEW_CELLS
    count = _count_pairs if paired else _count_each
    true, pred = (jnp.where(are_classes(y, num_classes), y, num_classes) for y in (y_true, y_pred))
    tp, fp, fn = count(true, pred, weight, num_classes + 1)
    counts = BinaryCounts(
        tp[:-1], fp[:-1], fn[:-1], tn=(sum_of_others(tp) + sum_of_others(fn) - fp)[:-1]
    )
    if not floating:
        return counts
    # Rounding leaves something of a difference that is 0, and a rate of it would make sense.
    entries = class_counts(y_true, y_pred, (weight != 0).astype(jnp.int32), num_classes)
    residue = jnp.where(entries.tn == 0, counts.tn, jnp.zeros_like(counts.tn))
    return counts._replace(tn=counts.tn - lax.stop_gradient(residue))


def _count_pairs(true: Array, pred: Array, weight: Array, size: int) -> tuple[Array, Array, Array]:
    """tp, fp and fn of each class and, as one more, of all other labels."""
    table = confusion(true, pred, weight, size)
    wrong = jnp.where(jnp.eye(size, dtype=bool), jnp.zeros_like(table), table)
    fp, fn = (jnp.sum(wrong, axis=axis, dtype=wrong.dtype) for axis in (0, 1))
    return jnp.diagonal(table), fp, fn


def _count_each(true: Array, pred: Array, weight: Array, size: int) -> tuple[Array, Array, Array]:
    """The same from one table for each array."""
    right = true == pred
    cells = weighted_bincount(2 * true + right.astype(true.dtype), weight, 2 * size)
    fp = weighted_bincount(pred, jnp.where(right, jnp.zeros_like(weight), weight), size)
    return cells[1::2], fp, cells[0::2]


def confusion(y_true: Array, y_pred: Array, weight: Array, num_classes: int) -> Array:
    """Weight of each pair of true class (row) and predicted class (column).

    Samples with a label outside [0, num_classes) are left out.
    """
    both = are_classes(y_true, num_classes) & are_classes(y_pred, num_classes)
    cell = jnp.where(both, y_true * num_classes + y_pred, -1)
    return weighted_bincount(cell, weight, num_classes**2).reshape(num_classes, num_classes)


def sum_of_others(x: Array) -> Array:
    """Σ_{j≠i} x_j for each i, without a difference that would cancel."""
    none = jnp.zeros_like(x[:1])
    before = jnp.concatenate([none, jnp.cumsum(x, dtype=x.dtype)[:-1]])
    after = jnp.concatenate([jnp.cumsum(x[:0:-1], dtype=x.dtype)[::-1], none])
    return before + after


Score = Callable[..., Any]
"""Counts, the value of 0 / 0 and options, which each score has its own of, to an array, or a tuple
of several, of the shape of the counts. What averages them takes any such tree, and any options."""

AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


def average_score(
    score: Score,
    counts: BinaryCounts,
    average: str | None,
    weight: Array,
    named: bool,
    zero_division: float | Array,
    *options: Any,
) -> Any:
    """Score the counts and average the scores: the finisher of the label metrics.

    `counts` are floats with one entry per class, label or sample. Unless the classes are
    `named`, averages leave out those that do not occur. NaN if the total weight is 0.
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
    """Weighted mean over classes of the values that are not NaN."""
    values, weight = _defined_part(values, weight)
    # Each product is rounded before it is added, as in NumPy: equal to the last bit.
    products = lax.optimization_barrier(safe_multiply(values, weight.astype(values.dtype)))
    return mean_of(Total(jnp.sum(products, axis=0), jnp.sum(weight, axis=0)))


def total_of_defined(values: Array, weight: Array) -> Total:
    """Numerator and denominator of the weighted mean of the values that are not NaN."""
    return weighted_total(*_defined_part(values, weight))


def _defined_part(values: Array, weight: Array) -> tuple[Array, Array]:
    """Values and weights, both 0 where the value is NaN."""
    defined = ~jnp.isnan(values)
    values = jnp.where(defined, values, jnp.zeros_like(values))
    return values, jnp.where(defined, weight, jnp.zeros_like(weight))
