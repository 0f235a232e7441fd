"""A metric on many resamples, and the summary of its values."""

from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import Number
from jmetrics.inference._calls import Rows
from jmetrics.inference._cells import in_cells
from jmetrics.inference._draws import SCHEMES
from jmetrics.inference._endpoints import METHODS, Evidence, moments, spread
from jmetrics.inference._plans import Problem
from jmetrics.inference._routes import measured_once

_ENTRIES_AT_ONCE = 100_000
_REPORTS = 20

BY_ROWS = tuple((method, "multinomial") for method in ("percentile", "basic", "normal"))
"""Methods and weights that need no influence of samples."""


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


class Work(Protocol):
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
        asked = measured_once(problem)
        return problem if problem.in_order is None else asked, asked, state[1]

    def size(self, state: tuple[Problem, Problem, Any]) -> int:
        """Number of entries that one resample reads."""
        return state[0].size

    def starts(self, key: Array, state: tuple[Problem, Problem, Any], n: int) -> Array:
        """What each of `n` resamples is drawn from."""
        return state[0].source().starts(key, self.scheme, n)

    def row(self, start: Array, state: tuple[Problem, Problem, Any]) -> Array:
        """Values in a resample; with "studentized" their standard errors too."""
        _, asked, _ = state
        source = asked.source()
        times = source.draw(start, self.scheme)
        values = self.contrasted(asked.values(source.weight * source.entries(times)))
        if self.method != "studentized":
            return values
        shares = self.contrasted(asked.influences(source, times))
        return jnp.stack([values, moments(shares, times).error])

    def contrasted(self, of_each: Array) -> Array:
        """The values themselves, or their differences from the first."""
        return of_each[1:] - of_each[:1] if self.contrast else of_each

    def result(self, rows: Array, state: tuple[Problem, Problem, Any]) -> Summary:
        """Summarise."""
        problem, asked, level = state
        values, estimate, scale = self._estimated(problem)
        level = jnp.asarray(level, estimate.dtype)
        inside = (level > 0) & (level < 1)
        level = check.defined(level, inside, "`confidence_level` must be in (0, 1)")
        evidence = self._evidence(rows, estimate, asked)
        found = spread(evidence, scale.reshape(1, -1), level, self.method)
        found = jax.tree.map(lambda a: a.reshape(estimate.shape), found)
        low, high = problem.in_range(found.low, found.high, estimate, contrast=self.contrast)
        found = found._replace(low=low, high=high)
        distribution = evidence.distribution.reshape(-1, *estimate.shape)
        summary = Summary(values, estimate, distribution=distribution, **found._asdict())
        if not self.table:
            only = jax.tree.map(lambda rows: rows[..., 0, :], summary)
            summary = only._replace(values=values)
        return jax.tree.map(problem.restored, summary)

    def _estimated(self, problem: Problem) -> tuple[Array, Array, Array]:
        """Values of the data themselves, what is estimated, and how large it was to round."""
        source = problem.source()
        values = problem.checked_values(source.weight * source.entries(source.once))
        scale = jnp.abs(values)
        if self.contrast:
            scale = jnp.maximum(scale[1:], scale[:1])
        return values, self.contrasted(values), scale

    def _evidence(self, rows: Array, estimate: Array, asked: Problem) -> Evidence:
        """Estimates and their resamples, in columns."""
        errors, source = None, asked.source()
        if self.method == "studentized":
            rows, errors = rows[:, 0], rows[:, 1]
        rows = jnp.where(jnp.isnan(estimate)[None], jnp.nan, rows)
        error = acceleration = jnp.zeros_like(estimate)
        if self.method in ("bca", "studentized"):
            shares = self.contrasted(asked.influences(source, source.once))
            error, acceleration = moments(shares, source.once)
            # Without an influence there is nothing to correct for.
            acceleration = jnp.where(jnp.isnan(acceleration), 0, acceleration)
        evidence = Evidence(estimate, error, acceleration, rows, errors)
        return jax.tree.map(lambda a: a.reshape(-1, estimate.size), evidence)


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
    check.one_of("weights", settings.scheme, SCHEMES)
    stratified = problem.given.strata is not None
    check.require(
        not stratified or settings.scheme == "multinomial",
        f"`strata` need `weights='multinomial'`, got {settings.scheme!r}",
    )
    rows = any(isinstance(plan, Rows) for plan in problem.plans)
    check.require(
        not rows or (settings.method, settings.scheme) in BY_ROWS,
        "`resample='rows'` draws no weights: it needs `weights='multinomial'`, and `method` "
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
    work: Work,
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
        return _at_once(key, state, work=work, n_resamples=n_resamples, batch_size=batch_size)
    traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((key, state)))
    check.require(not traced, "`progress=True` needs arrays with values, so it fails inside `jit`")
    state = _prepared(state, work=work)
    batch_size = batch_of(batch_size, work.size(state), n_resamples)
    starts = _starts(key, state, work=work, n_resamples=n_resamples)
    block = max(1, -(-n_resamples // (_REPORTS * batch_size))) * batch_size
    parts = []
    with _tqdm()(total=n_resamples, unit="resample") as bar:
        for start in range(0, n_resamples, block):
            part = _rows(starts[start : start + block], state, work=work, batch_size=batch_size)
            parts.append(jax.block_until_ready(part))
            bar.update(part.shape[0])
    return _result(jnp.concatenate(parts), state, work=work)


@functools.partial(jax.jit, static_argnames=("work", "n_resamples", "batch_size"))
@with_auto_axes
def _at_once(key, state, *, work, n_resamples, batch_size):
    state = work.prepared(state)
    batch_size = batch_of(batch_size, work.size(state), n_resamples)
    starts = work.starts(key, state, n_resamples)
    return work.result(_rows(starts, state, work=work, batch_size=batch_size), state)


@functools.partial(jax.jit, static_argnames="work")
@with_auto_axes
def _prepared(state, *, work):
    return work.prepared(state)


@functools.partial(jax.jit, static_argnames=("work", "n_resamples"))
@with_auto_axes
def _starts(key, state, *, work, n_resamples):
    return work.starts(key, state, n_resamples)


@functools.partial(jax.jit, static_argnames=("work", "batch_size"))
@with_auto_axes
def _rows(starts, state, *, work, batch_size):
    return in_batches(lambda start: work.row(start, state), starts, batch_size)


@functools.partial(jax.jit, static_argnames="work")
@with_auto_axes
def _result(rows, state, *, work):
    return work.result(rows, state)


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
