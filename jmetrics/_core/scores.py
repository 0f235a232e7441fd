"""Scores with binary labels: checks, positives, and the counts at every threshold."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import are_binary, are_classes, are_labels, as_labels, is_positive
from jmetrics._core.numerics import accumulator
from jmetrics._core.order import Thresholds, ranked_thresholds
from jmetrics._core.plan import Arrays
from jmetrics._core.sampling import jumping
from jmetrics._core.types import ArrayLike, Value
from jmetrics._core.weights import admissible, combine, over_trailing, relative


class LabelledScores(NamedTuple):
    """Scores, positives and weights, and whether those of positive weight are valid, by column."""

    score: Array
    """(n,), or (n, n_columns)."""
    positive: Array
    """Whether each score belongs to a positive, in the shape of `score`."""
    weight: Array
    """(n,), or with one entry per score."""
    entries: Array
    """The weight from the mask alone, without `sample_weight`."""
    labelled: Array
    numeric: Array
    dtype: DTypeLike
    """Dtype to compute in."""
    domain: str
    """What labels must be, for error messages."""


def inputs(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
) -> Arrays:
    """Check binary labels and scores, all (n,), with their weight and mask."""
    return check.samples(y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where)


def labelled_scores(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    labels: tuple[int, ...] | None = None,
    *,
    totals: bool = False,
) -> LabelledScores:
    """Join labels and scores; `labels` are those of the columns, 0 to n_columns − 1 if None.

    Weights are relative to each other, unless totals of them are wanted.
    """
    dtype = accumulator(y_score, sample_weight)
    given = sample_weight if totals else relative(sample_weight, where)
    weight = combine(given, where, y_true.shape, dtype)
    entries = combine(None, where, y_true.shape, dtype)
    if y_true.ndim == y_score.ndim:
        positive, known, domain = is_positive(y_true), are_binary(y_true), "0 or 1"
    else:
        positive, known, domain = _classes(y_true, y_score.shape[1], labels)
    numeric = y_score == y_score
    return LabelledScores(
        y_score,
        positive,
        weight,
        entries,
        jnp.all(admissible(over_trailing(weight, known.ndim), known), axis=0),
        jnp.all(numeric | over_trailing(weight == 0, numeric.ndim), axis=0),
        dtype,
        domain,
    )


def _classes(
    y_true: Array, columns: int, labels: tuple[int, ...] | None
) -> tuple[Array, Array, str]:
    index = as_labels(y_true)
    if labels is None:
        known, domain = are_classes(index, columns), f"whole numbers from 0 to {columns - 1}"
        positive = index[:, None] == lax.broadcasted_iota(index.dtype, (1, columns), 1)
    else:
        positive = index[:, None] == jnp.asarray(labels, index.dtype)[None]
        known, domain = jnp.any(positive, axis=1), "one of `labels`"
    return positive, known & are_labels(y_true), domain


def nan_if_invalid(value: Value, data: LabelledScores) -> Value:
    """Make a value NaN if its column has an invalid label or score with positive weight."""

    def defined(leaf: Array) -> Array:
        for valid, reason in (
            (data.labelled, f"`y_true` must be {data.domain}"),
            (data.numeric, "`y_score` must not be NaN"),
        ):
            leaf = check.nan_unless(leaf, valid if leaf.ndim else jnp.all(valid), reason)
        return leaf

    return jax.tree.map(defined, value)


def thresholds_of(data: LabelledScores) -> Thresholds:
    """Count at or above every score; one of weight 0 stands in for empty arrays."""
    arrays = [data.score, data.positive, data.weight]
    if data.score.shape[0] == 0:
        arrays = [jnp.zeros((1,), a.dtype) for a in arrays]
    ranked = ranked_thresholds(*arrays)
    return ranked._replace(score=jumping(ranked.score.astype(data.dtype), data.weight))
