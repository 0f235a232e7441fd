"""What the regression metrics share: checks, the mean of a pointwise error, several outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import weighted_mean
from jmetrics._core.weights import resolve

AVERAGES = ("raw_values", "uniform_average")
EXPLAINED_AVERAGES = (*AVERAGES, "variance_weighted")


def checked_inputs(
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
    where: Any,
    multioutput: Any = "uniform_average",
    averages: tuple[str, ...] = AVERAGES,
) -> tuple[tuple[Any, ...], str]:
    """Return arrays, weight, mask and weights of outputs, and the static way of averaging."""
    arrays = check.samples(
        y_true=y_true,
        y_pred=y_pred,
        sample_weight=sample_weight,
        where=where,
        ndim=(1, 2),
        entry_mask=True,
    )
    average, outputs = check.output_weights(multioutput, arrays[0].shape, averages)
    return (*arrays, outputs), average


def mean_error(
    error: Callable[..., Array],
    y_true: Any,
    y_pred: Any,
    multioutput: Any,
    sample_weight: Any,
    where: Any,
    *options: Any,
    finish: Callable[[Array], Array] | None = None,
) -> Array:
    """Σ w error(y_true, y_pred, weight, *options) / Σ w, finished by output, over the outputs."""
    arrays, average = checked_inputs(y_true, y_pred, sample_weight, where, multioutput)
    return _mean_error(*arrays, options, error=error, finish=finish, average=average)


@functools.partial(jax.jit, static_argnames=("error", "finish", "average"))
def _mean_error(y_true, y_pred, sample_weight, where, outputs, options, *, error, finish, average):
    y_true, y_pred, weight = resolve(y_true, y_pred, sample_weight, where)
    per_output = weighted_mean(error(y_true, y_pred, weight, *options), weight)
    return over_outputs(finish(per_output) if finish else per_output, average, outputs)


def over_outputs(
    per_output: Array, average: str, weights: Array | None, variance: Array | None = None
) -> Array:
    """Average one value an output as `multioutput` says."""
    if average == "raw_values":
        return jnp.atleast_1d(per_output)
    if per_output.ndim == 0:
        return per_output
    if variance is not None and average == "variance_weighted":
        # With no variance anywhere the outputs count alike, as in scikit-learn.
        weights = jnp.where(jnp.any(variance != 0), variance, jnp.ones_like(variance))
    if weights is None:
        weights = jnp.ones(per_output.shape, jnp.int32)
    return weighted_mean(per_output, weights)
