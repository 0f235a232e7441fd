"""Intervals of any metric by resampling its data.

The way of `bootstrap`, from the top of this file to its end:

1. `make_problem` checks the call and keeps a `Problem`: the metric of given samples, for any
   weights of them;
2. `summarised` checks how to resample, and `in_resamples` how often;
3. the loop: `prepared` once, `starts` for all resamples, `row` for each, `result` from all rows,
   compiled as one program, or as one for each step if there is progress to show;
4. what the steps are for a metric: `MetricResampling`.

`paired_bootstrap` and `compare` differ in 4 by `contrast`, `permutation_test` by a task of its own.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number, Tree
from jmetrics.inference._drawing.draws import SCHEMES, draw, starts_of
from jmetrics.inference._drawing.units import CellCounts, SampleInfo, Samples
from jmetrics.inference._endpoints import (
    METHODS,
    InfluenceMoments,
    Replicates,
    influence_moments,
    spread,
)
from jmetrics.inference._interval import checked_level, short_repr
from jmetrics.inference._reweighting.calls import RowCall
from jmetrics.inference._reweighting.problem import Problem, make_problem
from jmetrics.inference._reweighting.routes import in_cells, precompute_invariants

_ENTRIES_AT_ONCE = 100_000
_REPORTS = 20

_METHODS_OF_ROWS = ("percentile", "basic", "normal")
"""Methods that need no influence of samples."""


@exportable
class Bootstrap(NamedTuple):
    """The bootstrap distribution of a metric, and what follows from it.

    Attributes:
        estimate: The metric of the data.
        low: Lower end of the interval, shape of the metric.
        high: Upper end of the interval, shape of the metric.
        standard_error: Standard deviation of the metric over the resamples, shape of the metric.
        bias: Mean of the metric over the resamples minus the estimate, shape of the metric.
        distribution: The metric of each resample, shape (n_resamples,) before the shape of the
            metric; NaN where it is undefined.
        n_undefined: Number of resamples without a value, such as those without a positive, which
            are left out; shape of the metric.
    """

    estimate: Tree
    low: Tree
    high: Tree
    standard_error: Tree
    bias: Tree
    distribution: Tree
    n_undefined: Tree

    def __repr__(self) -> str:
        return short_repr(self)


def bootstrap(
    key: Array,
    metric: Callable[..., Tree],
    y_true: ArrayLike,
    y_pred: ArrayLike,
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
) -> Bootstrap:
    """Confidence interval of a metric by resampling its data with replacement.

    A resample changes the weights and moves no rows: sample i gets w_i times the number of times
    it was drawn. `scheme` says how: "multinomial" draws as many samples as there are, with
    replacement; "poisson" draws each independently; "bayesian" gives exponential weights.
    A function that has the same value for any weights is refused, or gives NaN inside `jit`.
    `resample="rows"` gathers the rows that are drawn instead, for any function of two arrays, also
    of scikit-learn, which runs on the host and is called for each resample: without masks, weights
    and groups, by "percentile", "basic" or "normal".

    `method`: "percentile" takes quantiles of the resamples; "bca" corrects them for the bias and
    for the acceleration, which comes from the `influence` of the samples; "basic" reflects them at
    the estimate; "normal" is the estimate ± z standard deviations; "studentized" takes quantiles
    of the distance from the estimate in standard errors, those of each resample. "bca" has had the
    best coverage.

    Samples lie along the first axis. Where the metric is one of lists, in rows or with the options
    `segment_ids` and `num_segments`, the lists are what is resampled: `sample_weight`, `groups` and
    `strata` then have shape (n_lists,).

    Args:
        key: A random key of `jax.random`.
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` that runs on JAX arrays and
            whose value depends on the weights; `where` is passed if given. A function that is not
            of this library is static: pass the same object to compile once. With
            `resample="rows"` any function of two arrays.
        y_true: Targets as `metric` takes them, samples along the first axis.
        y_pred: Predictions as `metric` takes them, samples along the first axis.
        n_resamples: Number of resamples, a positive integer; static.
        confidence_level: Coverage aimed at, in (0, 1); traced.
        method: "bca", "percentile", "basic", "normal" or "studentized"; static.
        scheme: How resamples are drawn, "multinomial", "poisson" or "bayesian"; static.
        resample: "weights" or "rows"; static.
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
        A `Bootstrap`.

    Undefined:
        Resamples without a value are left out and counted in `n_undefined`; the interval is NaN if
        there is no other. None has a value if the data have none. For "studentized" neither has a
        resample whose standard error is 0 or NaN, as those of the largest error are.

    Cost:
        `n_resamples` evaluations, `batch_size` at a time, and what does not depend on the weights,
        such as a sort of scores, once; a gradient for "bca", and one per resample for
        "studentized". For integer labels of a few classes, the counts of pairs of labels are drawn
        instead of samples, in time that does not depend on n; a resample of one key is the same
        with and without `jit` and `num_classes`.

    Raises:
        ValueError: For options that contradict each other, and what `metric` raises.
        TypeError: For a `key` that is not one random key.
        ImportError: For `progress` without `tqdm`.

    References:
        Efron (1979, 1987); Rubin (1981); `scipy.stats.bootstrap`.

    Examples:
        >>> import jax
        >>> from jmetrics import mean_absolute_error
        >>> y_true, y_pred = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 7.0]
        >>> result = bootstrap(jax.random.key(0), mean_absolute_error, y_true, y_pred)
        >>> float(result.estimate), int(result.n_undefined)
        (1.0, 0)
    """
    scheme = scheme_of(scheme, options)
    info = SampleInfo(sample_weight, where, groups, strata)
    problem = make_problem(metric, y_true, {"y_pred": y_pred}, info, options, resample)
    found = summarised(
        key,
        problem,
        MetricResampling(method, scheme, contrast=False),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        batch_size=batch_size,
        progress=progress,
    )
    return Bootstrap(**{name: getattr(found, name) for name in Bootstrap._fields})


def scheme_of(scheme: str, options: dict[str, Any]) -> str:
    """Return the scheme, taken out of the options of the metric if it has its old name there."""
    weights = options.get("weights")
    if not (isinstance(weights, str) and weights in SCHEMES):
        return scheme
    message = f"`weights={weights!r}` is deprecated: write `scheme={weights!r}`"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    del options["weights"]
    return weights


class Summary(NamedTuple):
    """Summary of the resampled values of a metric, or of its differences."""

    values: Tree
    """The metric of each prediction, along the first axis."""
    estimate: Tree
    low: Tree
    high: Tree
    standard_error: Tree
    bias: Tree
    p_value: Tree
    """Of the hypothesis that the estimand is 0."""
    distribution: Tree
    n_undefined: Tree


def summarised(
    key: Array,
    problem: Problem,
    resampling: MetricResampling,
    *,
    n_resamples: int,
    confidence_level: Number,
    batch_size: int | None,
    progress: bool,
) -> Summary:
    """Check how to resample, and do it."""
    method, scheme = resampling.method, resampling.scheme
    check.one_of("method", method, METHODS)
    check.one_of("scheme", scheme, SCHEMES)
    check.require(
        problem.info.strata is None or scheme == "multinomial",
        f"`strata` need `scheme='multinomial'`, got {scheme!r}",
    )
    rows = any(isinstance(plan, RowCall) for plan in problem.plans)
    check.require(
        not rows or (scheme == "multinomial" and method in _METHODS_OF_ROWS),
        "`resample='rows'` draws no weights: it needs `scheme='multinomial'`, and `method` "
        f"'percentile', 'basic' or 'normal', got {scheme!r} and {method!r}",
    )
    return in_resamples(
        resampling,
        key,
        (problem, check.level("confidence_level", confidence_level)),
        n_resamples=n_resamples,
        batch_size=batch_size,
        progress=progress,
    )


class ResamplingTask(Protocol):
    """A computation on resamples, in the four steps of the loop; static."""

    def prepared(self, state: Tree) -> Tree:
        """Compute what all resamples have in common: the state of all other steps."""
        ...

    def size(self, state: Tree) -> int:
        """Number of entries that one resample reads."""
        ...

    def starts(self, key: Array, state: Tree, n: int) -> Array:
        """What each of `n` resamples is drawn from."""
        ...

    def row(self, start: Array, state: Tree) -> Array:
        """Find the values in a resample."""
        ...

    def result(self, rows: Array, state: Tree) -> Tree:
        """Summarise the values in all resamples."""
        ...


def in_resamples(
    task: ResamplingTask,
    key: Array,
    state: Tree,
    *,
    n_resamples: int,
    batch_size: int | None,
    progress: bool,
) -> Tree:
    """Check the number of resamples, and do the work on them."""
    check.random_key("key", key)
    n_resamples = check.positive_integer("n_resamples", n_resamples)
    if batch_size is not None:
        batch_size = check.positive_integer("batch_size", batch_size)
    run = _with_progress if progress else _at_once
    return run(key, state, task=task, n_resamples=n_resamples, batch_size=batch_size)


@functools.partial(jax.jit, static_argnames=("task", "n_resamples", "batch_size"))
@with_auto_axes
def _at_once(
    key: Array, state: Tree, *, task: ResamplingTask, n_resamples: int, batch_size: int | None
) -> Tree:
    state = task.prepared(state)
    batch_size = batch_of(batch_size, task.size(state), n_resamples)
    starts = task.starts(key, state, n_resamples)
    return task.result(_rows(starts, state, task=task, batch_size=batch_size), state)


def _with_progress(
    key: Array, state: Tree, *, task: ResamplingTask, n_resamples: int, batch_size: int | None
) -> Tree:
    """Run the same steps, each as a program of its own, the rows in blocks."""
    traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((key, state)))
    check.require(not traced, "`progress=True` needs arrays with values, so it fails inside `jit`")
    state = _prepared(state, task=task)
    batch_size = batch_of(batch_size, task.size(state), n_resamples)
    starts = _starts(key, state, task=task, n_resamples=n_resamples)
    block = max(1, -(-n_resamples // (_REPORTS * batch_size))) * batch_size
    parts = []
    with _tqdm()(total=n_resamples, unit="resample") as bar:
        for start in range(0, n_resamples, block):
            part = _rows(starts[start : start + block], state, task=task, batch_size=batch_size)
            parts.append(jax.block_until_ready(part))
            bar.update(part.shape[0])
    return _result(jnp.concatenate(parts), state, task=task)


@functools.partial(jax.jit, static_argnames="task")
@with_auto_axes
def _prepared(state: Tree, *, task: ResamplingTask) -> Tree:
    return task.prepared(state)


@functools.partial(jax.jit, static_argnames=("task", "n_resamples"))
@with_auto_axes
def _starts(key: Array, state: Tree, *, task: ResamplingTask, n_resamples: int) -> Array:
    return task.starts(key, state, n_resamples)


@functools.partial(jax.jit, static_argnames=("task", "batch_size"))
@with_auto_axes
def _rows(starts: Array, state: Tree, *, task: ResamplingTask, batch_size: int) -> Array:
    return in_batches(lambda start: task.row(start, state), starts, batch_size)


@functools.partial(jax.jit, static_argnames="task")
@with_auto_axes
def _result(rows: Array, state: Tree, *, task: ResamplingTask) -> Tree:
    return task.result(rows, state)


def batch_of(batch_size: int | None, size: int, n_resamples: int) -> int:
    """How many resamples to evaluate at once, each reading `size` entries."""
    if batch_size is None:
        batch_size = max(1, _ENTRIES_AT_ONCE // max(1, size))
    return min(batch_size, n_resamples)


def _tqdm() -> Callable[..., Any]:
    """The progress bar, whose package has no types."""
    try:
        return importlib.import_module("tqdm").tqdm
    except ImportError:
        raise ImportError("`progress=True` needs the package tqdm: pip install tqdm") from None


def in_batches(function: Callable[[Array], Array], starts: Array, batch_size: int) -> Array:
    """Map over rows, the same number at a time: the last ones repeat one, for one program."""
    n = starts.shape[0]
    steps = -(-n // batch_size)
    size = -(-n // steps)
    if steps == 1:
        return jax.vmap(function)(starts)
    padded = starts if steps * size == n else starts[jnp.minimum(jnp.arange(steps * size), n - 1)]
    found = jax.lax.map(jax.vmap(function), padded.reshape(steps, size, *starts.shape[1:]))
    return found.reshape(steps * size, *found.shape[2:])[:n]


class Prepared(NamedTuple):
    """The problem to estimate from, and the same at the least cost for each resample."""

    problem: Problem
    fast: Problem
    level: Array
    """Coverage aimed at."""


class MetricResampling(NamedTuple):
    """The metric of each prediction in resamples, and the intervals that follow."""

    method: str
    scheme: str
    contrast: bool
    """Whether the differences from the first prediction are wanted, not the values."""
    table: bool = False
    """Whether several rows are wanted, not the only one."""

    def prepared(self, state: tuple[Problem, Array]) -> Prepared:
        """Choose what is drawn, and by which route the metric is evaluated."""
        problem, level = in_cells(state[0]), state[1]
        fast = precompute_invariants(problem)
        # Sorted samples are other units to draw than those in their own order.
        return Prepared(problem if problem.presort is None else fast, fast, level)

    def size(self, state: Prepared) -> int:
        """Number of entries that one resample reads."""
        return state.problem.size

    def starts(self, key: Array, state: Prepared, n: int) -> Array:
        """What each of `n` resamples is drawn from."""
        return starts_of(key, state.problem.source(), self.scheme, n)

    def row(self, start: Array, state: Prepared) -> Array:
        """Values in a resample; with "studentized" their standard errors too."""
        fast, source = state.fast, state.fast.source()
        counts = draw(start, source, self.scheme)
        values = self._contrasted(fast.values(source.weight * source.entries(counts)))
        if self.method != "studentized":
            return values
        return jnp.stack([values, self._moments(fast, source, counts).error])

    def result(self, rows: Array, state: Prepared) -> Summary:
        """Summarise the values in all resamples, and those of the data themselves."""
        problem = state.problem
        values, estimate, scale = self._estimated(problem)
        level = checked_level(state.level, estimate)
        replicates = self._replicates(rows, estimate, state.fast)
        found = spread(replicates, scale.reshape(1, -1), level, self.method)
        found = jax.tree.map(lambda a: a.reshape(estimate.shape), found)
        low, high = problem.in_range(found.low, found.high, estimate, contrast=self.contrast)
        found = found._replace(low=low, high=high)
        distribution = replicates.distribution.reshape(-1, *estimate.shape)
        summary = Summary(values, estimate, distribution=distribution, **found._asdict())
        if not self.table:
            only = jax.tree.map(lambda rows: rows[..., 0, :], summary)
            summary = only._replace(values=values)
        return jax.tree.map(problem.restored, summary)

    def _estimated(self, problem: Problem) -> tuple[Array, Array, Array]:
        """Values of the data themselves, what is estimated, and how large it was to round."""
        values = problem.checked_values(problem.observed_weight)
        scale = jnp.abs(values)
        if self.contrast:
            scale = jnp.maximum(scale[1:], scale[:1])
        return values, self._contrasted(values), scale

    def _replicates(self, rows: Array, estimate: Array, fast: Problem) -> Replicates:
        """Estimates and their resamples, in columns."""
        errors = None
        if self.method == "studentized":
            rows, errors = rows[:, 0], rows[:, 1]
        rows = jnp.where(jnp.isnan(estimate)[None], jnp.nan, rows)
        error = acceleration = jnp.zeros_like(estimate)
        if self.method in ("bca", "studentized"):
            source = fast.source()
            error, acceleration = self._moments(fast, source, source.observed_counts)
            # Without an influence there is nothing to correct for.
            acceleration = jnp.where(jnp.isnan(acceleration), 0, acceleration)
        replicates = Replicates(estimate, error, acceleration, rows, errors)
        return jax.tree.map(lambda a: a.reshape(-1, estimate.size), replicates)

    def _moments(
        self, fast: Problem, source: Samples | CellCounts, counts: Array
    ) -> InfluenceMoments:
        """Moments of what is estimated, when units are repeated `counts` times."""
        influences = self._contrasted(fast.unit_influences(source, counts))
        return influence_moments(influences, counts)

    def _contrasted(self, of_each: Array) -> Array:
        """The values themselves, or their differences from the first."""
        return of_each[1:] - of_each[:1] if self.contrast else of_each
