"""Metrics of predicted probabilities."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from jmetrics._core import check
from jmetrics._core.counts import are_binary, is_positive
from jmetrics._core.numerics import accumulator, weighted_mean, weighted_sum
from jmetrics._core.weights import clean, combine


def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Negative mean log-likelihood, −Σ w (y log p + (1 − y) log(1 − p)) / Σ w.

    p is clipped to [ε, 1 − ε], ε the spacing of the dtype of `y_proba` at 1.

    Shapes: all (n,); `y_true` holds 0 and 1, `y_proba` the probability of 1. A scalar.
    Range: [0, −log ε], in nats; lower is better. With `normalize=False` the sum.
    Undefined: NaN when nothing counts, for a probability outside [0, 1] and for a label
    other than 0 and 1.
    Gradient: smooth in `y_proba` between the clips and 0 beyond; smooth in the weights.
    Cost: O(n) time, no temporary arrays.
    Raises: ValueError or TypeError for shapes and dtypes that do not fit.
    Source: `sklearn.metrics.log_loss`.

    >>> round(float(log_loss([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65])), 6)
    0.216162
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    return _log_loss(*arrays, sample_weight, where, normalize=bool(normalize))


@functools.partial(jax.jit, static_argnames="normalize")
def _log_loss(y_true, y_proba, sample_weight, where, *, normalize):
    dtype = accumulator(y_proba, sample_weight)
    weight = combine(sample_weight, where, y_true.shape, dtype)
    y_true = clean(y_true, sample_weight, where)
    clip = spacing_at_one(y_proba, dtype)
    y_proba = clean(y_proba.astype(dtype), sample_weight, where)
    p = jnp.clip(y_proba, clip, 1 - clip)
    loss = -jnp.where(is_positive(y_true), jnp.log(p), jnp.log1p(-p))
    off = weight == 0
    loss = check.defined(loss, off | are_binary(y_true), "`y_true` must be 0 or 1")
    probable = (y_proba >= 0) & (y_proba <= 1)
    loss = check.defined(loss, off | probable, "`y_proba` must be probabilities in [0, 1]")
    return weighted_mean(loss, weight) if normalize else weighted_sum(loss, weight)


def spacing_at_one(probability: Array, dtype: jnp.dtype) -> Array:
    """How close to 1 the given probabilities can come without being 1."""
    given = probability.dtype if jnp.issubdtype(probability.dtype, jnp.floating) else dtype
    return jnp.asarray(jnp.finfo(given).eps, dtype)
