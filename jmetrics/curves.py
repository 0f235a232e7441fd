"""Metrics of scores over all thresholds."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.counts import are_binary, is_positive
from jmetrics._core.numerics import accumulator, safe_divide
from jmetrics._core.order import RankedCounts, ranked_counts
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import combine


def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Area under the ROC curve: the share of (positive, negative) pairs ranked right.

    Σ_ij w_i w_j ([s_i > s_j] + [s_i = s_j] / 2) / Σ_ij w_i w_j over positives i and negatives j.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_score` any numbers, infinities included,
    compared at the precision they come in. A scalar.
    Range: [0, 1], higher is better; 0.5 for scores that tell nothing.
    Undefined: NaN unless both classes have weight, for a NaN score that counts, and for a
    label other than 0 and 1.
    Gradient: smooth in the weights, 0 in the scores (`jmetrics.losses.auc_loss` is for those).
    Cost: O(n log n) time for one sort that the weights have no part in, so that many weights
    share it under `vmap`. Scores of 16 bits or less without weights: O(n) and no sort.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `sklearn.metrics.roc_auc_score`; Hanley & McNeil (1982).

    >>> float(roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    return _roc_auc_score(*arrays, sample_weight, where)


@jax.jit
def _roc_auc_score(y_true, y_score, sample_weight, where):
    dtype = accumulator(y_score, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    area = area_under_roc(ranked_counts(y_score, is_positive(y_true), weight), dtype)
    off = weight == 0
    area = check.defined(area, jnp.all(off | are_binary(y_true)), "`y_true` must be 0 or 1")
    return check.defined(area, jnp.all(off | (y_score == y_score)), "`y_score` must not be NaN")


def area_under_roc(counts: RankedCounts, dtype: DTypeLike) -> Array:
    """Trapezoids under the polygon of (fp, tp), as a share of its box; NaN without a box."""
    positives, negatives = (_last(count).astype(dtype) for count in (counts.tp, counts.fp))
    step = jnp.diff(counts.fp, prepend=0).astype(dtype)
    upper = counts.tp.astype(dtype)
    lower = upper - jnp.diff(counts.tp, prepend=0).astype(dtype)
    height = safe_divide((lower + upper) / 2, positives, jnp.nan)
    return safe_divide(jnp.sum(step * height), negatives, jnp.nan)


def _last(count: Array) -> Array:
    """Total of a running count; 0 for an empty one."""
    return jnp.sum(count[-1:])
