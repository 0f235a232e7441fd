"""Correlation and agreement of targets and predictions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.bits import sortable_bits
from jmetrics._core.discordance import pairs
from jmetrics._core.moments import CoMoments, InUnits, comoments, mean_difference, merging_unit
from jmetrics._core.numerics import (
    accumulator,
    kept_within,
    nearest,
    power_of_two_scale,
    safe_divide,
    safe_sqrt,
    scaled,
)
from jmetrics._core.order import centred_ranks
from jmetrics._core.plan import SYMMETRIC, Bound, Plan, declared, metric, plan
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike
from jmetrics._core.weights import combine, resolve_exactly


@metric(range=SYMMETRIC, greater_is_better=True, predictions="numbers")
def pearson_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Pearson correlation coefficient.

    Σ w (t − t̄)(p − p̄) / √(Σ w (t − t̄)² Σ w (p − p̄)²), t and p the entries of `y_true` and
    `y_pred`.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predictions, shape (n,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [−1, 1], higher is better.

    Undefined:
        NaN if no sample has positive weight, or if either array is constant (all values equal).

    Gradient:
        Smooth in both arrays and the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        `scipy.stats.pearsonr`, `torchmetrics.functional.pearson_corrcoef`.

    Examples:
        >>> round(float(pearson_corrcoef([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])), 6)
        0.98487
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return plan(arrays, Bound.kernel(_together, one_unit=False), Bound.finisher(_pearson))


def _together(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    one_unit: bool,
) -> InUnits[CoMoments]:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    x_unit, y_unit = (power_of_two_scale(nearest(y), weight != 0) for y in (y_true, y_pred))
    if one_unit:
        x_unit = y_unit = jnp.maximum(x_unit, y_unit)
    both = comoments(y_true, y_pred, weight, (x_unit, y_unit))
    if one_unit:
        return InUnits((merging_unit(x_unit[0], both.x, both.y),), both)
    return InUnits((merging_unit(x_unit[0], both.x), merging_unit(y_unit[0], both.y)), both)


def _pearson(together: InUnits[CoMoments]) -> Array:
    return correlation(together.statistic)


def correlation(together: CoMoments) -> Array:
    """Correlation of two columns, clipped to [−1, 1] against rounding."""
    x, y = together.x, together.y
    scale = safe_sqrt(x.deviation) * safe_sqrt(y.deviation)
    value = kept_within(safe_divide(together.product, scale, jnp.nan), -1, 1)
    return jnp.where(x.constant | y.constant, jnp.nan, value)


@declared(range=SYMMETRIC, greater_is_better=True, predictions="numbers")
def spearman_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Spearman's rank correlation coefficient.

    The Pearson correlation of the ranks, where tied values have their mean rank. A weight is a
    number of copies: the rank of a value is the weight below it plus half the weight tied with it.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predictions, shape (n,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [−1, 1], higher is better.

    Undefined:
        NaN if no sample has positive weight, if either array is constant (all values equal), or if
        a sample with positive weight is NaN.

    Gradient:
        Smooth in the weights, 0 in the arrays.

    Cost:
        O(n log n) time for two weight-independent sorts, shared under `vmap` over weights.

    References:
        `scipy.stats.spearmanr`, `torchmetrics.functional.spearman_corrcoef`.

    Examples:
        >>> round(float(spearman_corrcoef([1.0, 2.0, 3.0, 4.0], [10.0, 30.0, 20.0, 40.0])), 6)
        0.8
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return _spearman_corrcoef(*arrays)


@jax.jit
@with_auto_axes
def _spearman_corrcoef(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    dtype = accumulator(y_true, y_pred, sample_weight)
    weight = scaled(combine(sample_weight, where, y_true.shape, dtype))
    true_rank, pred_rank = centred_ranks(y_true, y_pred, weight).astype(dtype)
    value = correlation(comoments(true_rank, pred_rank, weight))
    return _without_nan(value, y_true, y_pred, weight)


@declared(range=SYMMETRIC, greater_is_better=True, predictions="numbers")
def kendall_tau(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Kendall's rank correlation coefficient τ-b, which corrects for ties.

    (C − D) / √(T P), where C and D are the total weights w_i w_j of the concordant and the
    discordant pairs, T and P those of the pairs that differ in `y_true` and in `y_pred`.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predictions, shape (n,).
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [−1, 1], higher is better.

    Undefined:
        NaN if no sample has positive weight, if either array is constant (all values equal), or if
        a sample with positive weight is NaN.

    Gradient:
        Smooth in the weights, 0 in the arrays.

    Cost:
        O(n log n) time, O(n) memory.

    References:
        Kendall (1945); `scipy.stats.kendalltau`.

    Examples:
        >>> round(float(kendall_tau([12.0, 2.0, 1.0, 12.0, 2.0], [1.0, 4.0, 7.0, 1.0, 0.0])), 6)
        -0.471405
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return _kendall_tau(*arrays)


@jax.jit
@with_auto_axes
def _kendall_tau(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    dtype = accumulator(y_true, y_pred, sample_weight)
    weight = scaled(combine(sample_weight, where, y_true.shape, dtype))
    all_count = sample_weight is None and where is None
    counts = pairs(y_true, y_pred, None if all_count else weight, dtype)
    scale = safe_sqrt(counts.apart_x) * safe_sqrt(counts.apart_y)
    value = safe_divide(counts.apart - 2 * counts.discordant, scale, jnp.nan)
    value = kept_within(value, -1, 1)
    constant = _constant(y_true, weight) | _constant(y_pred, weight)
    return _without_nan(jnp.where(constant, jnp.nan, value), y_true, y_pred, weight)


def _constant(x: Array, weight: Array) -> Array:
    """Whether all values with positive weight are equal, by comparison."""
    keys, on = sortable_bits(x), weight != 0
    most = jnp.iinfo(keys.dtype).max
    low = jnp.min(jnp.where(on, keys, jnp.full_like(keys, most)), initial=keys.dtype.type(most))
    return low >= jnp.max(jnp.where(on, keys, jnp.zeros_like(keys)), initial=keys.dtype.type(0))


def _without_nan(value: Array, y_true: Array, y_pred: Array, weight: Array) -> Array:
    numbers = (y_true == y_true) & (y_pred == y_pred)
    known = jnp.all(numbers | (weight == 0))
    return check.nan_unless(value, known, "`y_true` and `y_pred` must not be NaN")


@metric(range=SYMMETRIC, greater_is_better=True, predictions="numbers")
def concordance_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Lin's concordance correlation coefficient, agreement with the line y_pred = y_true.

    2 Σ w (t − t̄)(p − p̄) / (Σ w (t − t̄)² + Σ w (p − p̄)² + Σ w (t̄ − p̄)²), t and p the entries
    of `y_true` and `y_pred`.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predictions, with the shape and unit of `y_true`.
        sample_weight: Sample weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [−1, 1], higher is better; 1 only for a perfect fit.

    Undefined:
        NaN if no sample has positive weight, or if all values of both arrays are equal.

    Gradient:
        Smooth in both arrays and the weights.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Lin (1989); `torchmetrics.functional.concordance_corrcoef`.

    Examples:
        >>> round(float(concordance_corrcoef([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])), 6)
        0.976789
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return plan(arrays, Bound.kernel(_together, one_unit=True), Bound.finisher(_concordance))


def _concordance(together: InUnits[CoMoments]) -> Array:
    x, y, product = together.statistic
    offset = x.weight * jnp.square(mean_difference(x, y))
    value = safe_divide(2 * product, x.deviation + y.deviation + offset, jnp.nan)
    return kept_within(value, -1, 1)
