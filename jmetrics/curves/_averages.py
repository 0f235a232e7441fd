"""Scores in several columns, one per class or label, and averages over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import weighted_mean, weighted_sum
from jmetrics._core.scores import LabelledScores
from jmetrics._core.weights import over_trailing

AVERAGES = ("micro", "macro", "weighted", "samples", None)

Area = Callable[[Array, Array, Array], Array]
"""Scores, positives and weights, all (n,), to a number."""


def column_inputs(y_true: Any, y_score: Any, sample_weight: Any, where: Any) -> tuple[Any, ...]:
    """Check labels (n,) with scores (n,) or (n, n_classes), or indicators with scores."""
    return check.class_scores(
        y_true=y_true,
        y_score=y_score,
        sample_weight=sample_weight,
        where=where,
        indicators=True,
        entry_mask=True,
    )


def averaged(area: Area, data: LabelledScores, average: str | None) -> Array:
    """Average over the columns as scikit-learn does; NaN if the total weight is 0."""
    if average == "micro":
        value = _all_entries(area, data)
    elif average == "samples":
        value = _by_sample(area, data)
    else:
        value = _by_column(area, data, average)
    return jnp.where(jnp.any(data.weight != 0), value, jnp.nan)


def _all_entries(area: Area, data: LabelledScores) -> Array:
    weight = jnp.broadcast_to(over_trailing(data.weight, 2), data.score.shape)
    return area(data.score.ravel(), data.positive.ravel(), weight.ravel())


def _by_sample(area: Area, data: LabelledScores) -> Array:
    weight = data.weight if data.weight.ndim == 1 else jnp.max(data.weight, axis=1)
    entries = jnp.broadcast_to(over_trailing(data.entries, 2), data.score.shape)
    return _mean_of_weighty(jax.vmap(area)(data.score, data.positive, entries), weight)


def _by_column(area: Area, data: LabelledScores, average: str | None) -> Array:
    axes = (1, 1, None if data.weight.ndim == 1 else 1)
    values = jax.vmap(area, in_axes=axes)(data.score, data.positive, data.weight)
    if average is None:
        return values
    if average == "macro":
        return jnp.mean(values)
    return _mean_of_weighty(values, weighted_sum(data.positive, over_trailing(data.weight, 2)))


def _mean_of_weighty(values: Array, weight: Array) -> Array:
    """Weighted mean that ignores NaN values of weight 0."""
    values = jnp.where((weight == 0) & jnp.isnan(values), jnp.zeros_like(values), values)
    return weighted_mean(values, weight, undefined=0.0)
