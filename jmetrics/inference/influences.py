"""Influence of each sample on a metric, and the standard errors that follow."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import weighted_bincount
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Metric, Number, Tree
from jmetrics.inference._drawing.units import SampleInfo
from jmetrics.inference._endpoints import centred, influence_moments
from jmetrics.inference._interval import SCALES, Interval, checked_level, wald
from jmetrics.inference._reweighting.problem import Problem, make_problem


def influence(metric: Metric) -> Callable[..., Tree]:
    """Make a function that returns the influence of each sample on a metric, w_i ∂metric/∂w_i.

    To first order it is what the metric loses with the sample. All influences come from one
    gradient with respect to the weights, and their squares sum to the variance of the metric. They
    are centred, so that they sum to 0 also for a metric that grows with the number of samples. For
    `roc_auc_score` they are DeLong's structural components, less the AUC, divided by the number of
    samples of the class.

    Args:
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` whose value depends on the
            weights; `where` is passed if given.

    Returns:
        A function with the arguments of `metric`, samples (or lists, see `bootstrap`) along the
        first axis, and two more: `groups`, shape (n,), integers from 0 to `num_groups` − 1, for the
        influence of each group, and `num_groups`, static, which is needed under `jit`. It returns
        an array of shape (n,) or (num_groups,) before the shape of the metric, 0 for samples that
        are masked or of weight 0.

    Undefined:
        NaN where the metric is NaN or infinite, or jumps with the weights as the largest error
        does, and for a number in `groups` that is out of range.

    Cost:
        One gradient of the metric; one per entry of a metric with several values.

    Raises:
        ValueError: What `metric` raises, when the new function is called.

    References:
        Hampel (1974); Jaeckel (1972).

    Examples:
        >>> from jmetrics import mean_absolute_error
        >>> influence(mean_absolute_error)([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 7.0])
        Array([-0.25,  0.  , -0.25,  0.5 ], dtype=float32)
    """

    def contributions(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        num_groups: int | None = None,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **options: Any,
    ) -> Tree:
        if groups is not None:  # in whose order the result is
            groups = check.array("groups", groups, if_wide=check.NUMBERED)
        info = SampleInfo(sample_weight, where, groups)
        problem = make_problem(metric, y_true, {"y_pred": y_pred}, info, options)
        if groups is not None:
            num_groups = check.group_count(num_groups, problem.info.groups)
        return _influence(problem, num_groups=num_groups)

    return contributions


@functools.partial(jax.jit, static_argnames="num_groups")
@with_auto_axes
def _influence(problem: Problem, *, num_groups: int | None) -> Tree:
    groups = problem.info.groups
    groups = None if groups is None else groups.astype(jnp.result_type(int))
    problem = dataclasses.replace(problem, info=problem.info._replace(groups=None))
    source = problem.source()
    influences, counted = (
        problem.sample_influences(source, source.observed_counts)[0],
        source.weight != 0,
    )
    if groups is not None:
        assert num_groups is not None
        inside = jnp.all((groups >= 0) & (groups < num_groups) | ~counted)
        reason = f"`groups` must be whole numbers from 0 to {num_groups - 1}"
        influences = jax.vmap(lambda per_sample: weighted_bincount(groups, per_sample, num_groups))(
            influences
        )
        influences = check.nan_unless(influences, inside, reason)
        counted = weighted_bincount(groups, counted.astype(jnp.int32), num_groups) > 0
    influences = centred(influences, counted.astype(influences.dtype))
    undefined = ~jnp.isfinite(problem.values(source.weight)[0])
    return problem.restored(jnp.where(undefined[:, None], jnp.nan, influences).T)


def standard_error(metric: Metric) -> Callable[..., Tree]:
    """Make a function that returns the standard error of a metric, √ Σ_i (w_i ∂metric/∂w_i)².

    The infinitesimal jackknife: the influence of every sample comes from one gradient with respect
    to the weights, see `influence`. For `roc_auc_score` this is DeLong's formula with population
    variances; for a mean, s / √n with the population standard deviation.

    For a median the density at it is estimated, from quantiles around it. A largest error, a
    threshold, and the best value at a threshold that meets a condition jump with the weights and
    have no such error: use `bootstrap`.

    Args:
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` whose value depends on the
            weights; `where` is passed if given.

    Returns:
        A function with the arguments of `metric`, samples (or lists, see `bootstrap`) along the
        first axis, and `groups`, shape (n,), integers. It returns the standard error in the shape
        of the metric: in [0, ∞), in units of the metric. Samples are treated as independent, or
        with `groups` the groups, and `sample_weight` as fixed.

    Undefined:
        NaN where the metric is NaN or infinite, or jumps with the weights.

    Cost:
        One gradient of the metric; one per entry of a metric with several values.

    Raises:
        ValueError: What `metric` raises, when the new function is called.

    References:
        Jaeckel (1972); DeLong, DeLong & Clarke-Pearson (1988) for the AUC; Liang & Zeger (1986) for
        groups; Siddiqui (1960) and Bofinger (1975) for the density at a quantile.

    Examples:
        >>> from jmetrics import roc_auc_score
        >>> error = standard_error(roc_auc_score)([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> round(float(error), 6)
        0.25
    """

    def error(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **options: Any,
    ) -> Tree:
        info = SampleInfo(sample_weight, where, groups)
        problem = make_problem(metric, y_true, {"y_pred": y_pred}, info, options)
        return _standard_error(problem)

    return error


@jax.jit
def _standard_error(problem: Problem) -> Tree:
    return problem.restored(_estimate_and_error(problem)[1])


def _estimate_and_error(problem: Problem) -> tuple[Array, Array]:
    """Every entry of the metric, and its standard error."""
    source = problem.source()
    estimate = problem.values(source.weight)[0]
    error = influence_moments(
        problem.unit_influences(source, source.observed_counts)[0], source.observed_counts
    ).error
    known = ~jnp.isfinite(estimate) | ~jnp.isnan(error)
    error = check.nan_unless(error, known, "the metric jumps with its weights: use `bootstrap`")
    return estimate, jnp.where(jnp.isfinite(estimate), error, jnp.nan)


def infinitesimal_jackknife(metric: Metric) -> Callable[..., Interval]:
    """Make a function that returns the normal interval of a metric, estimate ± z standard errors.

    The standard error is that of the infinitesimal jackknife, see `standard_error`: one gradient
    and no resamples. With `scale="logit"` the interval is that of the logit of a metric in [0, 1],
    with the error divided by metric × (1 − metric): it stays within [0, 1], and has better coverage
    near the ends.

    Args:
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` whose value depends on the
            weights; `where` is passed if given.

    Returns:
        A function with the arguments of `metric`, samples (or lists, see `bootstrap`) along the
        first axis, and three more: `confidence_level` in (0, 1), traced, `scale`, "linear" or
        "logit", static, and `groups`, shape (n,), integers, where samples depend on each other. It
        returns an `Interval` whose arrays have the shape of the metric.

    Undefined:
        NaN where the metric is NaN or infinite, or jumps with the weights. Where all influences are
        0, as for perfect predictions, the interval has no width.

    Cost:
        One gradient of the metric; one per entry of a metric with several values.

    Raises:
        ValueError: For a `confidence_level` or `scale` out of its domain, and what `metric` raises,
            when the new function is called.

    References:
        Jaeckel (1972).

    Examples:
        >>> from jmetrics import mean_absolute_error
        >>> interval = infinitesimal_jackknife(mean_absolute_error)
        >>> found = interval([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 7.0])
        >>> round(float(found.low), 6), round(float(found.high), 6)
        (0.0, 2.200228)
    """

    def interval(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        confidence_level: Number = 0.95,
        scale: str = "linear",
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **options: Any,
    ) -> Interval:
        check.one_of("scale", scale, SCALES)
        level = check.level("confidence_level", confidence_level)
        info = SampleInfo(sample_weight, where, groups)
        problem = make_problem(metric, y_true, {"y_pred": y_pred}, info, options)
        return _infinitesimal_jackknife(problem, level, scale=scale)

    return interval


def jackknife(metric: Metric) -> Callable[..., Interval]:
    """Deprecated name of `infinitesimal_jackknife`."""
    message = "`jackknife` is deprecated: write `infinitesimal_jackknife`"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return infinitesimal_jackknife(metric)


@functools.partial(jax.jit, static_argnames="scale")
def _infinitesimal_jackknife(problem: Problem, level: Array, *, scale: str) -> Interval:
    estimate, error = _estimate_and_error(problem)
    ends = problem.in_range(*wald(estimate, error, checked_level(level, error), scale), estimate)
    method = "infinitesimal jackknife" + ("" if scale == "linear" else f", {scale}")
    estimate, low, high, error = map(problem.restored, (estimate, *ends, error))
    return Interval(estimate, low, high, error, method)
