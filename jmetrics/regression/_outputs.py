"""Shared by the regression metrics: input checks, means of pointwise errors, several outputs.

The way of a mean such as `mean_squared_error`, whose module has nothing but the error of one entry:
`mean_error` checks the arrays and plans; `total_error`, the kernel, sums the errors; `_mean_error`,
the finisher, divides, and averages over outputs. They follow each other below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import Total, absolute, mean_of, weighted_mean, weighted_total
from jmetrics._core.plan import Arrays, Bound, Plan, plan
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import resolve_exactly

AVERAGES = ("raw_values", "uniform_average")
EXPLAINED_AVERAGES = (*AVERAGES, "variance_weighted")


def regression_inputs(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    averages: tuple[str, ...] = AVERAGES,
) -> tuple[Arrays, Array | None, str]:
    """Return the four arrays, the output weights and the static averaging mode."""
    arrays = check.samples(
        y_true=y_true,
        y_pred=y_pred,
        sample_weight=sample_weight,
        where=where,
        ndim=(1, 2),
        entry_mask=True,
    )
    average, outputs = check.output_weights(multioutput, arrays[0].shape, averages)
    return arrays, outputs, average


def mean_error(
    error: Callable[..., Array],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    options: tuple[Any, ...] = (),
    finisher: Callable[[Array], Array] | None = None,
) -> Plan[Array]:
    """Σ w error(y_true, y_pred, weight, *options) / Σ w per output, then `finisher` and average."""
    arrays, outputs, average = regression_inputs(
        y_true, y_pred, sample_weight, where, multioutput=multioutput
    )
    kernel = Bound.kernel(total_error, *options, error=error)
    return plan(
        arrays, kernel, Bound.finisher(_mean_error, outputs, finisher=finisher, average=average)
    )


def total_error(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *options: Array,
    error: Callable[..., Array],
) -> Total:
    """Kernel: Σ w error and Σ w per output."""
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    return weighted_total(error(y_true, y_pred, weight, *options), weight)


def _mean_error(
    total: Total, outputs: Array | None, *, finisher: Callable[[Array], Array] | None, average: str
) -> Array:
    per_output = mean_of(total)
    return over_outputs(finisher(per_output) if finisher else per_output, average, outputs)


def absolute_error(y_true: Array, y_pred: Array, weight: Array) -> Array:
    """Absolute error of each entry."""
    del weight
    return absolute(y_true - y_pred)


def over_outputs(
    per_output: Array, average: str, weights: Array | None, variance: Array | None = None
) -> Array:
    """Average the values per output as `multioutput` specifies."""
    if average == "raw_values":
        return jnp.atleast_1d(per_output)
    if per_output.ndim == 0:
        return per_output
    if variance is not None and average == "variance_weighted":
        # If every output is constant, they are averaged uniformly, as in scikit-learn.
        weights = jnp.where(jnp.any(variance != 0), variance, jnp.ones_like(variance))
    if weights is None:
        weights = jnp.ones(per_output.shape, jnp.int32)
    return weighted_mean(per_output, weights)
