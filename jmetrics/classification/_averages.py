"""Shared by the label metrics: checks, per-class counts, averaging over classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import (
    AVERAGES,
    BinaryCounts,
    Score,
    are_binary,
    are_labels,
    as_labels,
    average_score,
    binary_counts,
    class_counts,
    is_positive,
    total_of_defined,
)
from jmetrics._core.exporting import exportable
from jmetrics._core.merging import DomainCheck, apply_checks
from jmetrics._core.numerics import Total, accumulator, mean_of, safe_divide
from jmetrics._core.plan import NONNEGATIVE, UNIT, Bound, Ends, Plan, including, plan
from jmetrics._core.types import ArrayLike, Number, Value
from jmetrics._core.weights import all_finite, combine, over_trailing

Counts = TypeVar("Counts")


@dataclass(frozen=True)
class Proportion:
    """A score that is a proportion of samples."""

    parts: Callable[[BinaryCounts], tuple[Array, Array]]
    """Counts to hits and total."""

    def __call__(self, counts: BinaryCounts, zero_division: float | Array) -> Array:
        hits, total = self.parts(counts)
        return safe_divide(hits, total, zero_division)

    def of(self, statistic: Labelled[BinaryCounts]) -> tuple[Array, Array]:
        """Hits and total in the statistic of a metric."""
        return self.parts(statistic.counts)


def or_zero_division(zero_division: Number) -> Ends:
    """Range of a score from 0 to 1."""
    return including(zero_division)


def fraction_or_total(normalize: bool) -> Ends:
    """Range of a fraction of the samples, or of their weight."""
    return UNIT if normalize else NONNEGATIVE


def averaged(
    score: Callable[..., Value],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    average: str | None,
    labels: Sequence[int] | None,
    pos_label: Number,
    zero_division: Number,
    num_classes: int | None,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    options: tuple[Any, ...] = (),
) -> Plan[Value]:
    """Plan to score each class, label or sample from its counts and average as `average` says."""
    check.one_of("average", average, AVERAGES)
    arrays = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where, ndim=(1, 2)
    )
    arrays = check.fitting_average(average, arrays)
    labels = check.class_labels(labels)
    pos_label = check.number("pos_label", pos_label)
    zero_division = check.number("zero_division", zero_division)
    if average == "binary":
        kernel, num_classes = Bound.kernel(_binary_counts, pos_label), 2
    else:
        data = y_true, y_pred, sample_weight, where
        num_classes = num_classes_of(
            num_classes, labels, arrays[0].shape, data, exact=average is None
        )
        if average == "samples":
            of_samples = Bound.kernel(
                _sample_scores,
                zero_division,
                *options,
                score=score,
                labels=labels,
                num_classes=num_classes,
            )
            return plan(arrays, of_samples, Bound.finisher(_mean_score))
        kernel = Bound.kernel(class_cells, labels=labels, num_classes=num_classes)
    finisher = Bound.finisher(
        _average,
        zero_division,
        *options,
        score=score,
        average=average,
        named=labels is not None or arrays[0].ndim == 2,
        dtype=accumulator(*arrays[:3]),
    )
    proportion = score.of if average == "binary" and isinstance(score, Proportion) else None
    return plan(arrays, kernel, finisher, labels=num_classes, proportion=proportion)


@exportable
class Labelled(NamedTuple, Generic[Counts]):
    """Counts, and whether all labels with positive weight are valid."""

    counts: Counts
    checks: tuple[DomainCheck, ...]
    weight: Array | None = None
    """Total weight; None where the value does not depend on it."""

    @property
    def total_weight(self) -> Array:
        """The weight, where the value depends on it."""
        assert self.weight is not None
        return self.weight

    def finished(self, value: Value) -> Value:
        """One or several values; NaN if a label is invalid."""
        return apply_checks(value, self.checks)

    def as_floats(self, dtype: DTypeLike) -> Counts:
        """The counts in the dtype to compute in."""
        return jax.tree.map(lambda cell: cell.astype(dtype), self.counts)


def _binary_counts(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, pos_label: Array
) -> Labelled[BinaryCounts]:
    weight = weight_of(y_true, y_pred, sample_weight, where)
    chosen = pos_label == 1
    counts = binary_counts(is_positive(y_true) == chosen, is_positive(y_pred) == chosen, weight)
    label = jnp.asarray(pos_label)
    known = DomainCheck((label == 0) | (label == 1), "`pos_label` must be 0 or 1")
    checks = known, all_labels(y_true, y_pred, weight, binary=True)
    return Labelled(counts, checks, jnp.sum(weight))


def class_cells(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    labels: tuple[int, ...] | None,
    num_classes: int,
) -> Labelled[BinaryCounts]:
    """Kernel: counts of each class or column, or of those in `labels`."""
    weight = weight_of(y_true, y_pred, sample_weight, where)
    counts = label_counts(y_true, y_pred, weight, labels, num_classes, False)
    return Labelled(counts, (all_labels(y_true, y_pred, weight),), jnp.sum(weight))


def _average(
    statistic: Labelled[BinaryCounts],
    zero_division: Array,
    *options: Any,
    score: Score,
    average: str | None,
    named: bool,
    dtype: DTypeLike,
) -> Any:
    counts = statistic.as_floats(dtype)
    value = average_score(
        score, counts, average, statistic.total_weight, named, zero_division, *options
    )
    return statistic.finished(value)


def score_counts(
    statistic: Labelled[Any], *options: Any, score: Score, dtype: DTypeLike, **static: Any
) -> Any:
    """Finisher: score the counts."""
    return statistic.finished(score(statistic.as_floats(dtype), *options, **static))


def _sample_scores(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    zero_division: Array,
    *options: Any,
    score: Score,
    labels: tuple[int, ...] | None,
    num_classes: int,
) -> Labelled[Any]:
    weight = weight_of(y_true, y_pred, sample_weight, where)
    dtype = accumulator(y_true, y_pred, sample_weight)
    counts = label_counts(y_true, y_pred, weight, labels, num_classes, True)
    counts = jax.tree.map(lambda cell: cell.astype(dtype), counts)
    values = score(counts, zero_division, *options)
    totals = jax.tree.map(lambda v: total_of_defined(v, weight), values)
    return Labelled(totals, (all_labels(y_true, y_pred, weight),))


def _mean_score(statistic: Labelled[Any]) -> Any:
    means = jax.tree.map(mean_of, statistic.counts, is_leaf=lambda node: isinstance(node, Total))
    return statistic.finished(means)


def weight_of(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    """One weight per sample."""
    dtype = accumulator(y_true, y_pred, sample_weight)
    return combine(sample_weight, where, y_true.shape, dtype)


def num_classes_of(
    num_classes: int | None,
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
    """Counts of each class or column, or of `labels`; of each row, unweighted, if `by_sample`."""
    chosen = slice(None) if labels is None else jnp.asarray(labels)
    if y_true.ndim == 1:
        counts = class_counts(as_labels(y_true), as_labels(y_pred), weight, num_classes)
        return jax.tree.map(lambda cell: cell[chosen], counts)
    truth, predicted = is_positive(y_true)[:, chosen], is_positive(y_pred)[:, chosen]
    if by_sample:
        return binary_counts(truth.T, predicted.T, jnp.ones((1, 1), jnp.int32))
    return binary_counts(truth, predicted, over_trailing(weight, 2))


def all_labels(
    y_true: Array,
    y_pred: Array,
    weight: Array,
    *,
    binary: bool = False,
    indicators: bool = True,
) -> DomainCheck:
    """Whether every entry with positive weight is a valid label.

    Classes are whole numbers; with `binary` they are 0 and 1, and so are `indicators`, which
    have two axes.
    """
    known, reason = are_labels, "labels must be whole numbers"
    if binary:
        known, reason = are_binary, "binary labels must be 0 or 1"
    elif indicators and y_true.ndim == 2:
        known, reason = are_binary, "indicators must be 0 or 1"
    off = over_trailing(weight == 0, y_true.ndim)
    valid = jnp.all(off | (known(y_true) & known(y_pred)))  # nothing to compute for integers
    return DomainCheck(valid & all_finite(weight), reason)


def count_dtype(
    y_true: Array, y_pred: Array, sample_weight: Array | None, _: Array | None
) -> DTypeLike | None:
    """Dtype to return counts in: None, for integers, if no labels or weights are floats.

    Otherwise the counts are floats, which can represent NaN.
    """
    arrays = [a for a in (y_true, y_pred, sample_weight) if a is not None]
    floating = any(jnp.issubdtype(a.dtype, jnp.floating) for a in arrays)
    return accumulator(*arrays) if floating else None


def as_counts(cells: Array, dtype: DTypeLike | None) -> Array:
    """Counts in the dtype of `count_dtype`."""
    return cells if dtype is None else cells.astype(dtype)
