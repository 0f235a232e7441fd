"""A metric on many resamples, and the summary of its values."""

from __future__ import annotations

import functools
import importlib
import warnings
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import Number
from jmetrics.inference._calls import RowCall
from jmetrics.inference._cells import in_cells
from jmetrics.inference._draws import SCHEMES
from jmetrics.inference._endpoints import METHODS, Replicates, influence_moments, spread
from jmetrics.inference._plans import Problem
from jmetrics.inference._routes import precompute_invariants

_ENTRIES_AT_ONCE = 100_000
_REPORTS = 20

BY_ROWS = tuple((method, "multinomial") for method in ("percentile", "basic", "normal"))
"""Methods and schemes that need no influence of samples."""


class Summary(NamedTuple):
    """Summary of the resampled values of a metric, or of its differences."""

    values: Any
    """The metric of each prediction, along the first axis."""
    estimate: Any
    low: Any
    high: Any
    standard_error: Any
    bias: Any
    p_value: Any
    """Of the hypothesis that the estimand is 0."""
    distribution: Any
    n_undefined: Any


class ResamplingTask(Protocol):
    """A computation on resamples; static, and compiled as one program."""

    def prepared(self, state: Any) -> Any:
        """Compute what all resamples have in common."""
        ...

    def size(self, state: Any) -> int:
        """Number of entries that one resample reads."""
        ...

    def starts(self, key: Array, state: Any, n: int) -> Array:
        """What each of `n` resamples is drawn from."""
        ...

    def row(self, start: Array, state: Any) -> Array:
        """Find the values in a resample."""
        ...

    def result(self, rows: Array, state: Any) -> Any:
        """Summarise the values in all resamples."""
        ...


class Settings(NamedTuple):
    """How to resample a problem; the state is that and a level."""

    method: str
    scheme: str
    contrast: bool
    """Whether the differences from the first prediction are wanted, not the values."""
    table: bool = False
    """Whether several rows are wanted, not the only one."""

    def prepared(self, state: tuple[Problem, Any]) -> tuple[Problem, Problem, Any]:
        """Find what is drawn, and measure it once."""
        problem = in_cells(state[0])
        precomputed = precompute_invariants(problem)
        return problem if problem.presort is None else precomputed, precomputed, state[1]

    def size(self, state: tuple[Problem, Problem, Any]) -> int:
        """Number of entries that one resample reads."""
        return state[0].size

    def starts(self, key: Array, state: tuple[Problem, Problem, Any], n: int) -> Array:
        """What each of `n` resamples is drawn from."""
        return state[0].source().starts(key, self.scheme, n)

    def row(self, start: Array, state: tuple[Problem, Problem, Any]) -> Array:
        """Values in a resample; with "studentized" their standard errors too."""
        _, precomputed, _ = state
        source = precomputed.source()
        counts = source.draw(start, self.scheme)
        values = self.contrasted(precomputed.values(source.weight * source.entries(counts)))
        if self.method != "studentized":
            return values
        influences = self.contrasted(precomputed.unit_influences(source, counts))
        return jnp.stack([values, influence_moments(influences, counts).error])

    def contrasted(self, of_each: Array) -> Array:
        """The values themselves, or their differences from the first."""
        return of_each[1:] - of_each[:1] if self.contrast else of_each

    def result(self, rows: Array, state: tuple[Problem, Problem, Any]) -> Summary:
        """Summarise."""
        problem, precomputed, level = state
        values, estimate, scale = self._estimated(problem)
        level = jnp.asarray(level, estimate.dtype)
        inside = (level > 0) & (level < 1)
        level = check.nan_unless(level, inside, "`confidence_level` must be in (0, 1)")
        replicates = self._replicates(rows, estimate, precomputed)
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
        source = problem.source()
        values = problem.checked_values(source.weight * source.entries(source.observed_counts))
        scale = jnp.abs(values)
        if self.contrast:
            scale = jnp.maximum(scale[1:], scale[:1])
        return values, self.contrasted(values), scale

    def _replicates(self, rows: Array, estimate: Array, precomputed: Problem) -> Replicates:
        """Estimates and their resamples, in columns."""
        errors, source = None, precomputed.source()
        if self.method == "studentized":
            rows, errors = rows[:, 0], rows[:, 1]
        rows = jnp.where(jnp.isnan(estimate)[None], jnp.nan, rows)
        error = acceleration = jnp.zeros_like(estimate)
        if self.method in ("bca", "studentized"):
            influences = self.contrasted(
                precomputed.unit_influences(source, source.observed_counts)
            )
            error, acceleration = influence_moments(influences, source.observed_counts)
            # Without an influence there is nothing to correct for.
            acceleration = jnp.where(jnp.isnan(acceleration), 0, acceleration)
        replicates = Replicates(estimate, error, acceleration, rows, errors)
        return jax.tree.map(lambda a: a.reshape(-1, estimate.size), replicates)


def scheme_of(scheme: str, options: dict[str, Any]) -> str:
    """Return the scheme, taken out of the options of the metric if it has its old name there."""
    weights = options.get("weights")
    if not (isinstance(weights, str) and weights in SCHEMES):
        return scheme
    message = f"`weights={weights!r}` is deprecated: write `scheme={weights!r}`"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    del options["weights"]
    return weights


def summarised(
    key: Array,
    problem: Problem,
    *,
    n_resamples: int,
    confidence_level: Number,
    batch_size: int | None,
    progress: bool,
    settings: Settings,
) -> Summary:
    """Check how to resample, and do it."""
    check.one_of("method", settings.method, METHODS)
    check.one_of("scheme", settings.scheme, SCHEMES)
    stratified = problem.info.strata is not None
    check.require(
        not stratified or settings.scheme == "multinomial",
        f"`strata` need `scheme='multinomial'`, got {settings.scheme!r}",
    )
    rows = any(isinstance(plan, RowCall) for plan in problem.plans)
    check.require(
        not rows or (settings.method, settings.scheme) in BY_ROWS,
        "`resample='rows'` draws no weights: it needs `scheme='multinomial'`, and `method` "
        f"'percentile', 'basic' or 'normal', got {settings.scheme!r} and {settings.method!r}",
    )
    state = problem, check.level("confidence_level", confidence_level)
    return in_resamples(
        settings,
        key,
        state,
        n_resamples=n_resamples,
        batch_size=batch_size,
        progress=progress,
    )


def in_resamples(
    task: ResamplingTask,
    key: Array,
    state: Any,
    *,
    n_resamples: int,
    batch_size: int | None,
    progress: bool,
) -> Any:
    """Check the number of resamples, and do the work on them."""
    check.random_key("key", key)
    n_resamples = check.positive_integer("n_resamples", n_resamples)
    if batch_size is not None:
        batch_size = check.positive_integer("batch_size", batch_size)
    if not progress:
        return _at_once(key, state, task=task, n_resamples=n_resamples, batch_size=batch_size)
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


@functools.partial(jax.jit, static_argnames=("task", "n_resamples", "batch_size"))
@with_auto_axes
def _at_once(key, state, *, task, n_resamples, batch_size):
    state = task.prepared(state)
    batch_size = batch_of(batch_size, task.size(state), n_resamples)
    starts = task.starts(key, state, n_resamples)
    return task.result(_rows(starts, state, task=task, batch_size=batch_size), state)


@functools.partial(jax.jit, static_argnames="task")
@with_auto_axes
def _prepared(state, *, task):
    return task.prepared(state)


@functools.partial(jax.jit, static_argnames=("task", "n_resamples"))
@with_auto_axes
def _starts(key, state, *, task, n_resamples):
    return task.starts(key, state, n_resamples)


@functools.partial(jax.jit, static_argnames=("task", "batch_size"))
@with_auto_axes
def _rows(starts, state, *, task, batch_size):
    return in_batches(lambda start: task.row(start, state), starts, batch_size)


@functools.partial(jax.jit, static_argnames="task")
@with_auto_axes
def _result(rows, state, *, task):
    return task.result(rows, state)


def batch_of(batch_size: int | None, size: int, n_resamples: int) -> int:
    """How many resamples to evaluate at once, each reading `size` entries."""
    if batch_size is None:
        batch_size = max(1, _ENTRIES_AT_ONCE // max(1, size))
    return min(batch_size, n_resamples)


def _tqdm() -> Any:
    try:
        return importlib.import_module("tqdm").tqdm
    except ImportError:
        raise ImportError("`progress=True` needs the package tqdm: pip install tqdm") from None


def in_batches(function: Any, starts: Array, batch_size: int) -> Array:
    """Map over rows, the same number at a time: the last ones repeat one, for one program."""
    n = starts.shape[0]
    steps = -(-n // batch_size)
    size = -(-n // steps)
    if steps == 1:
        return jax.vmap(function)(starts)
    padded = starts if steps * size == n else starts[jnp.minimum(jnp.arange(steps * size), n - 1)]
    found = jax.lax.map(jax.vmap(function), padded.reshape(steps, size, *starts.shape[1:]))
    return found.reshape(steps * size, *found.shape[2:])[:n]
