"""Metrics of predicted labels."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from jmetrics._core import check
from jmetrics._core.counts import Matches, are_labels, as_labels, matches
from jmetrics._core.numerics import accumulator, safe_divide
from jmetrics._core.weights import combine, over_trailing


def accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Share of samples whose label is predicted right, Σ w [y_true = y_pred] / Σ w.

    Shapes: both arrays (n,), or (n, n_labels) of indicators, where a sample is right if its
    whole row is; `sample_weight` and `where` (n,). A scalar.
    Range: [0, 1], higher is better; with `normalize=False` the weight of the right samples.
    Undefined: NaN when nothing counts, and for labels that are not whole numbers.
    Gradient: 0 in the labels, smooth in the weights.
    Cost: O(n) time, no temporary arrays. Counts are exact up to n = 2³¹.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: `sklearn.metrics.accuracy_score`.

    >>> float(accuracy_score([0, 1, 2, 3], [0, 2, 1, 3]))
    0.5
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where, ndim=(1, 2)
    )
    return _accuracy_score(*arrays, sample_weight, where, normalize=bool(normalize))


@functools.partial(jax.jit, static_argnames="normalize")
def _accuracy_score(y_true, y_pred, sample_weight, where, *, normalize):
    dtype = accumulator(y_true, y_pred, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    counts = matches(as_labels(y_true), as_labels(y_pred), weight)
    value = accuracy(counts, dtype) if normalize else counts.correct.astype(dtype)
    off = over_trailing(weight == 0, y_true.ndim)
    whole = (are_labels(y_true) & are_labels(y_pred)) | off
    return check.defined(value, jnp.all(whole), "labels must be whole numbers")


def accuracy(counts: Matches, dtype: jnp.dtype) -> Array:
    """Share of the weight that is right."""
    return safe_divide(counts.correct.astype(dtype), counts.total.astype(dtype), jnp.nan)
