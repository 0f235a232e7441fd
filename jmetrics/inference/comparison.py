"""Is one model better than another, by any metric, on the same samples?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.lists import SegmentLists
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number, Tree
from jmetrics.inference._drawing.draws import EXCHANGE, draw, starts_of
from jmetrics.inference._drawing.units import CellCounts, SampleInfo, Samples
from jmetrics.inference._endpoints import at_least_as_extreme, p_value_of
from jmetrics.inference._interval import short_repr
from jmetrics.inference._reweighting.problem import Problem, make_problem
from jmetrics.inference._reweighting.routes import in_cells, precompute_invariants
from jmetrics.inference.resampling import (
    MetricResampling,
    Summary,
    in_resamples,
    scheme_of,
    summarised,
)


@exportable
class Comparison(NamedTuple):
    """How far two models are apart.

    Attributes:
        values: The metric of the first and of the second model, shape (2,) before that of the
            metric.
        difference: The first minus the second, shape of the metric.
        low: Lower end of the interval of the difference, shape of the metric.
        high: Upper end of the interval of the difference, shape of the metric.
        standard_error: Standard deviation of the difference over the resamples, shape of the
            metric.
        p_value: Two-sided p-value of the hypothesis of no difference, shape of the metric.
        distribution: The difference in each resample, shape (n_resamples,) before that of the
            metric; NaN where it is undefined.
        n_undefined: Number of resamples without a difference, which are left out; shape of the
            metric.
    """

    values: Tree
    difference: Tree
    low: Tree
    high: Tree
    standard_error: Tree
    p_value: Tree
    distribution: Tree
    n_undefined: Tree

    def __repr__(self) -> str:
        return short_repr(self)


def paired_bootstrap(
    key: Array,
    metric: Callable[..., Tree],
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    n_resamples: int = 1000,
    confidence_level: Number = 0.95,
    method: str = "bca",
    scheme: str = "multinomial",
    resample: str = "weights",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    batch_size: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Comparison:
    """Compare two models on the same resamples: their difference, its interval, a p-value.

    With D the difference on the data and D* that on a resample, the p-value is the proportion of
    |D* − D| ≥ |D|, the data themselves counted as one more resample: resamples spread around D as
    D would spread around 0 if there were no difference.

    Args:
        key: A random key of `jax.random`.
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` that runs on JAX arrays and
            whose value depends on the weights; `where` is passed if given. A function that is not
            of this library is static: pass the same object to compile once. With
            `resample="rows"` any function of two arrays.
        y_true: Targets as `metric` takes them, samples along the first axis.
        pred_a: Predictions of the first model as `metric` takes them, samples along the first axis.
        pred_b: Predictions of the second model, as `pred_a`.
        n_resamples: Number of resamples, a positive integer; static.
        confidence_level: Coverage aimed at, in (0, 1); traced.
        method: "bca", "percentile", "basic", "normal" or "studentized", see `bootstrap`; static.
        scheme: How resamples are drawn, "multinomial", "poisson" or "bayesian", see `bootstrap`;
            static.
        resample: "weights", or "rows" to gather the rows that are drawn, see `bootstrap`; static.
        strata: Stratum of each sample or list, shape (n,), integers or booleans. Each stratum keeps
            its number of samples; needs `scheme="multinomial"`.
        groups: Group of each sample or list, shape (n,), integers or booleans. Whole groups are
            drawn, for samples that depend on each other.
        sample_weight: Weight of each sample or list, shape (n,); those of weight 0 are never drawn.
        where: Mask as `metric` takes it, samples along the first axis; masked samples, and lists
            without an item, are never drawn.
        batch_size: Number of resamples evaluated at a time, a positive integer; static. Chosen to
            bound memory by default.
        progress: Whether to show a progress bar; it needs `tqdm` and does not work inside `jit`.
        **options: Options of `metric`. Floats and arrays are traced, everything else is static. An
            option with the name of an argument here goes by `functools.partial`.

    Returns:
        A `Comparison`.

    Undefined:
        Resamples without a difference are left out and counted; NaN if there is no other.

    Cost:
        That of `bootstrap` for both models, with one draw for the two.

    Raises:
        ValueError: For options that contradict each other, and what `metric` raises.
        TypeError: For a `key` that is not one random key.
        ImportError: For `progress` without `tqdm`.

    References:
        Efron & Tibshirani (1993), chapter 16; Sakai (2006).

    Examples:
        >>> import jax
        >>> from jmetrics import mean_absolute_error
        >>> y_true, pred_a, pred_b = (
        ...     [1.0, 2.0, 3.0, 4.0],
        ...     [1.0, 3.0, 3.0, 7.0],
        ...     [1.5, 2.5, 3.5, 4.5],
        ... )
        >>> key = jax.random.key(0)
        >>> result = paired_bootstrap(key, mean_absolute_error, y_true, pred_a, pred_b)
        >>> float(result.difference)
        0.5
    """
    scheme = scheme_of(scheme, options)
    info = SampleInfo(sample_weight, where, groups, strata)
    predictions = {"pred_b": pred_b, "pred_a": pred_a}
    problem = make_problem(metric, y_true, predictions, info, options, resample)
    found = summarised(
        key,
        problem,
        MetricResampling(method, scheme, contrast=True),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        batch_size=batch_size,
        progress=progress,
    )
    values = jax.tree.map(lambda a: a[::-1], found.values)
    return Comparison(values, *(getattr(found, name) for name in _FIELDS))


_FIELDS = (
    "estimate",
    "low",
    "high",
    "standard_error",
    "p_value",
    "distribution",
    "n_undefined",
)


@exportable
class ModelTable(NamedTuple):
    """Models compared with a baseline, in order.

    Attributes:
        baseline: The metric of the baseline.
        values: The metric of each model, shape (n_models,) before that of the metric.
        difference: That minus the baseline's, shape of `values`.
        low: Lower ends of the intervals of the differences, shape of `values`.
        high: Upper ends of the intervals of the differences, shape of `values`.
        standard_error: Standard deviations of the differences over the resamples, shape of
            `values`.
        p_value: Two-sided p-values of the hypotheses of no difference, shape of `values`.
        adjusted_p_value: The p-values adjusted for several comparisons by Holm's method, shape of
            `values`.
        n_undefined: Number of resamples without a difference, which are left out; shape of
            `values`.
    """

    baseline: Tree
    values: Tree
    difference: Tree
    low: Tree
    high: Tree
    standard_error: Tree
    p_value: Tree
    adjusted_p_value: Tree
    n_undefined: Tree


def compare(
    key: Array,
    metric: Callable[..., Tree],
    y_true: ArrayLike,
    baseline: ArrayLike,
    models: Mapping[str, ArrayLike] | Sequence[ArrayLike],
    *,
    n_resamples: int = 1000,
    confidence_level: Number = 0.95,
    method: str = "bca",
    scheme: str = "multinomial",
    resample: str = "weights",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    batch_size: int | None = None,
    progress: bool = False,
    **options: Any,
) -> ModelTable:
    """Compare several models with a baseline on the same resamples.

    Each is compared as by `paired_bootstrap`. `adjusted_p_value` is Holm's: rejecting where it is
    below α, the probability of rejecting any true hypothesis is at most α, whatever the dependence
    between the models. The intervals are not adjusted.

    Args:
        key: A random key of `jax.random`.
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` that runs on JAX arrays and
            whose value depends on the weights; `where` is passed if given. A function that is not
            of this library is static: pass the same object to compile once. With
            `resample="rows"` any function of two arrays.
        y_true: Targets as `metric` takes them, samples along the first axis.
        baseline: Predictions of the baseline as `metric` takes them, samples along the first axis.
        models: Sequence of predictions, each as `baseline`, or mapping of names to predictions, in
            order; at least one.
        n_resamples: Number of resamples, a positive integer; static.
        confidence_level: Coverage aimed at, in (0, 1); traced.
        method: "bca", "percentile", "basic", "normal" or "studentized", see `bootstrap`; static.
        scheme: How resamples are drawn, "multinomial", "poisson" or "bayesian", see `bootstrap`;
            static.
        resample: "weights", or "rows" to gather the rows that are drawn, see `bootstrap`; static.
        strata: Stratum of each sample or list, shape (n,), integers or booleans. Each stratum keeps
            its number of samples; needs `scheme="multinomial"`.
        groups: Group of each sample or list, shape (n,), integers or booleans. Whole groups are
            drawn, for samples that depend on each other.
        sample_weight: Weight of each sample or list, shape (n,); those of weight 0 are never drawn.
        where: Mask as `metric` takes it, samples along the first axis; masked samples, and lists
            without an item, are never drawn.
        batch_size: Number of resamples evaluated at a time, a positive integer; static. Chosen to
            bound memory by default.
        progress: Whether to show a progress bar; it needs `tqdm` and does not work inside `jit`.
        **options: Options of `metric`. Floats and arrays are traced, everything else is static. An
            option with the name of an argument here goes by `functools.partial`.

    Returns:
        A `ModelTable`.

    Undefined:
        Resamples without a difference are left out and counted; NaN if there is no other.

    Cost:
        That of `bootstrap` for each model and the baseline, with one draw for all.

    Raises:
        ValueError: For options that contradict each other, and what `metric` raises.
        TypeError: For a `key` that is not one random key.
        ImportError: For `progress` without `tqdm`.

    References:
        Holm (1979); Efron & Tibshirani (1993), chapter 16.

    Examples:
        >>> import jax
        >>> from jmetrics import mean_absolute_error
        >>> y_true, baseline = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 7.0]
        >>> models = {"flat": [2.5, 2.5, 2.5, 2.5], "perfect": y_true}
        >>> table = compare(jax.random.key(0), mean_absolute_error, y_true, baseline, models)
        >>> table.difference
        Array([ 0., -1.], dtype=float32)
    """
    named = models if isinstance(models, Mapping) else dict(enumerate(models))
    check.require(len(named) > 0, "`models` must have at least one entry, got none")
    predictions = {"baseline": baseline} | {f"models[{k!r}]": p for k, p in named.items()}
    scheme = scheme_of(scheme, options)
    info = SampleInfo(sample_weight, where, groups, strata)
    problem = make_problem(metric, y_true, predictions, info, options, resample)
    found = summarised(
        key,
        problem,
        MetricResampling(method, scheme, contrast=True, table=True),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        batch_size=batch_size,
        progress=progress,
    )
    return _table(found)


@jax.jit
@with_auto_axes
def _table(found: Summary) -> ModelTable:
    return ModelTable(
        baseline=jax.tree.map(lambda a: a[0], found.values),
        values=jax.tree.map(lambda a: a[1:], found.values),
        difference=found.estimate,
        low=found.low,
        high=found.high,
        standard_error=found.standard_error,
        p_value=found.p_value,
        adjusted_p_value=jax.tree.map(holm, found.p_value),
        n_undefined=found.n_undefined,
    )


def holm(p_values: Array) -> Array:
    """Holm's adjusted p-values along the first axis; NaN stays out."""
    k = p_values.shape[0]
    known = jnp.sum(~jnp.isnan(p_values), axis=0, dtype=jnp.int32)
    order = jnp.argsort(p_values, axis=0)
    ranked = jnp.take_along_axis(p_values, order, axis=0)
    rank = jnp.arange(k, dtype=jnp.int32).reshape(k, *[1] * known.ndim)
    left = (known[None] - rank).astype(p_values.dtype)
    adjusted = jax.lax.cummax(jnp.minimum(ranked * left, 1), axis=0)
    adjusted = jnp.where(jnp.isnan(ranked), jnp.nan, adjusted)
    return jnp.take_along_axis(adjusted, jnp.argsort(order, axis=0), axis=0)


@exportable
class PermutationTest(NamedTuple):
    """Whether two models differ.

    Attributes:
        difference: The metric of the first model minus that of the second.
        p_value: Two-sided p-value of the hypothesis that the models are exchangeable, shape of the
            metric.
        distribution: The difference after each exchange, shape (n_resamples,) before that of the
            metric; NaN where it is undefined.
        n_undefined: Number of exchanges without a difference, which are left out; shape of the
            metric.
    """

    difference: Tree
    p_value: Tree
    distribution: Tree
    n_undefined: Tree

    def __repr__(self) -> str:
        return short_repr(self)


def permutation_test(
    key: Array,
    metric: Callable[..., Tree],
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    n_resamples: int = 1000,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    batch_size: int | None = None,
    progress: bool = False,
    **options: Any,
) -> PermutationTest:
    """Test whether two models are exchangeable, by exchanging their predictions at random.

    The predictions of the two models are exchanged with probability ½ for each sample, list (for
    metrics of lists) or group. The p-value is the proportion of exchanges after which the models
    are at least as far apart as they are, in either direction, the data themselves counted as one
    more. An exchange moves no predictions: both models are one data set of twice the size, in which
    it chooses the weights, so that scores are sorted once.

    Args:
        key: A random key of `jax.random`.
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` that runs on JAX arrays and
            whose value depends on the weights; `where` is passed if given. A function that is not
            of this library is static: pass the same object to compile once.
        y_true: Targets as `metric` takes them, samples along the first axis.
        pred_a: Predictions of the first model as `metric` takes them, samples along the first axis.
        pred_b: Predictions of the second model, shape of `pred_a`.
        n_resamples: Number of exchanges, a positive integer; static.
        groups: Group of each sample or list, shape (n,), integers or booleans. Whole groups are
            exchanged.
        sample_weight: Weight of each sample or list, shape (n,).
        where: Mask as `metric` takes it, samples along the first axis.
        batch_size: Number of exchanges evaluated at a time, a positive integer; static. Chosen to
            bound memory by default.
        progress: Whether to show a progress bar; it needs `tqdm` and does not work inside `jit`.
        **options: Options of `metric`. Floats and arrays are traced, everything else is static. An
            option with the name of an argument here goes by `functools.partial`.

    Returns:
        A `PermutationTest`.

    Undefined:
        Exchanges without a difference are left out and counted; NaN if there is no other.

    Cost:
        2 `n_resamples` evaluations for twice the samples, `batch_size` exchanges at a time, with
        the savings of `bootstrap`.

    Raises:
        ValueError: For options that contradict each other, and what `metric` raises.
        TypeError: For a `key` that is not one random key.
        ImportError: For `progress` without `tqdm`.

    References:
        Fisher (1935); Smucker, Allan & Carterette (2007) for lists.

    Examples:
        >>> import jax
        >>> from jmetrics import mean_absolute_error
        >>> y_true, pred_a, pred_b = (
        ...     [1.0, 2.0, 3.0, 4.0],
        ...     [1.0, 3.0, 3.0, 7.0],
        ...     [1.5, 2.5, 3.5, 4.5],
        ... )
        >>> key = jax.random.key(0)
        >>> result = permutation_test(key, mean_absolute_error, y_true, pred_a, pred_b)
        >>> float(result.difference), bool(result.p_value > 0.3)
        (0.5, True)
    """
    info = SampleInfo(sample_weight, where, groups)
    problem = make_problem(metric, y_true, {"pred_a": pred_a, "pred_b": pred_b}, info, options)
    a, b = (plan.arrays[1] for plan in problem.plans)
    check.require(
        a.shape == b.shape,
        f"expected predictions of one shape, got `pred_a` {a.shape} and `pred_b` {b.shape}",
    )
    return in_resamples(
        _Exchange(),
        key,
        (problem, _both_ways(metric, problem, options)),
        n_resamples=n_resamples,
        batch_size=batch_size,
        progress=progress,
    )


def _both_ways(metric: Callable[..., Tree], problem: Problem, options: dict[str, Any]) -> Problem:
    """The samples twice, with the predictions of both models in either order."""
    (y_true, a, *_), (_, b, *_) = (plan.arrays for plan in problem.plans)
    info = problem.info
    if info.segments is not None:
        options = options | _two_of_each(info.segments)
    arrays = _twice(y_true, a, b, *info[:2])
    predictions = dict(zip(("pred_a", "pred_b"), arrays[1], strict=True))
    return make_problem(metric, arrays[0], predictions, SampleInfo(*arrays[2:]), options)


@jax.jit
@with_auto_axes
def _twice(
    y_true: Array, a: Array, b: Array, sample_weight: Array | None, where: Array | None
) -> tuple[Array, tuple[Array, ...], Array | None, Array | None]:
    """Arrays after themselves, and predictions after each other."""
    ways = tuple(jnp.concatenate(way) for way in ((a, b.astype(a.dtype)), (b.astype(a.dtype), a)))
    y_true, sample_weight, where = jax.tree.map(
        lambda x: jnp.concatenate([x, x]), (y_true, sample_weight, where)
    )
    return y_true, ways, sample_weight, where


def _two_of_each(segments: SegmentLists) -> dict[str, Any]:
    """Options for lists that follow a copy of themselves."""
    first, count = segments.segment, segments.count
    inside = (first >= 0) & (first < count)
    ids = (jnp.where(inside, first + start, 2 * count) for start in (0, count))
    return {"segment_ids": jnp.concatenate([*ids]), "num_segments": 2 * count}


class _Exchange(NamedTuple):
    """Exchange of predictions; the state is a problem, and the one of `_both_ways`."""

    def prepared(self, state: tuple[Problem, Problem]) -> tuple[Problem, Problem]:
        """Find what is exchanged, and measure it once."""
        problem, both = in_cells(state[0]), state[1]
        if problem.table is None:
            return problem, precompute_invariants(both)
        (y_true, a), (_, b) = (plan.arrays[:2] for plan in problem.plans)
        y_true, ways, *_ = _twice(y_true, a, b, None, None)
        plans = (
            dataclasses.replace(cast(Any, plan), arrays=(y_true, way, None, None))
            for plan, way in zip(both.plans, ways, strict=True)
        )
        return problem, Problem(tuple(plans), SampleInfo())

    def size(self, state: tuple[Problem, Problem]) -> int:
        """Number of entries that one exchange reads."""
        return state[1].size

    def starts(self, key: Array, state: tuple[Problem, Problem], n: int) -> Array:
        """What each of `n` exchanges is drawn from."""
        return starts_of(key, state[0].source(), EXCHANGE, n)

    def row(self, start: Array, state: tuple[Problem, Problem]) -> Array:
        """Difference of the models after an exchange."""
        problem, both = state
        source = problem.source()
        return _difference(both, source, draw(start, source, EXCHANGE))

    def result(self, rows: Array, state: tuple[Problem, Problem]) -> PermutationTest:
        """Test."""
        problem, both = state
        source = problem.source()
        observed = _difference(both, source, jnp.zeros_like(source.observed_counts))
        values = problem.values(problem.observed_weight)
        known = ~jnp.isnan(rows)
        far = at_least_as_extreme(rows, observed[None], jnp.max(jnp.abs(values), axis=0)[None])
        n_far, n_known = jnp.sum(jnp.stack([far, known]), axis=1, dtype=jnp.int32)
        n_far, counted = (count.astype(observed.dtype) for count in (n_far, n_known))
        p_value = p_value_of(n_far, counted, observed)
        result = PermutationTest(observed, p_value, rows, rows.shape[0] - n_known)
        return jax.tree.map(both.restored, result)


def _difference(both: Problem, source: Samples | CellCounts, counts: Array) -> Array:
    """Difference of the models when each unit is exchanged `counts` times."""
    kept, moved = (
        source.weight * source.entries(t) for t in (source.observed_counts - counts, counts)
    )
    return jnp.subtract(*both.values(jnp.append(kept, moved)))
