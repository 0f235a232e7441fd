"""Sums over the classes, and the fraction of a loss that predictions explain, D²."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.exporting import exportable
from jmetrics._core.merging import Reduction, reductions
from jmetrics._core.numerics import safe_divide, weighted_bincount
from jmetrics._core.probabilities import Classified


@jax.custom_jvp
def row_sum(terms: Array) -> Array:
    """Sum of each row of non-negative terms.

    On a CPU, XLA fuses this reduction with the computation of its terms into one pass. A plain
    sum takes two passes, with a temporary array of all terms, and several times as long.
    """
    zero = jnp.zeros((), terms.dtype)
    return lax.reduce(terms, zero, lambda a, b: a + lax.abs(b), (1,))


@row_sum.defjvp
def _row_sum_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return row_sum(*primals), jnp.sum(tangents[0], axis=1)


def class_weights(data: Classified) -> tuple[Array, Array]:
    """Weight of each class, and its number of samples of non-zero weight."""
    entries = (data.weight != 0).astype(jnp.int32)
    return (
        weighted_bincount(data.label, data.weight, data.n_classes),
        weighted_bincount(data.label, entries, data.n_classes),
    )


@exportable
@reductions(entries=Reduction.COUNT, perfect=Reduction.ALL)
class Explained(NamedTuple):
    """A loss, and the class weights that give the loss of predicting the class frequencies."""

    residual: Array
    """Σ w loss."""
    of_class: Array
    """Weight of each class."""
    entries: Array
    """Number of samples of each class with non-zero weight."""
    perfect: Array
    """Whether every prediction is as good as possible."""


def explained(statistic: Explained, total: Array) -> Array:
    """1 − residual / total; NaN below two samples, and `perfect` as 0 or 1 for a single class."""
    residual, _, entries, perfect = statistic
    rule = jnp.where(jnp.isnan(residual), residual, perfect.astype(residual.dtype))
    score = 1 - safe_divide(residual, total, jnp.nan)
    score = jnp.where(jnp.sum(entries > 0) <= 1, rule, score)
    return jnp.where(jnp.sum(entries) >= 2, score, jnp.nan)
