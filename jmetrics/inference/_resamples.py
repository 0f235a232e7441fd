"""A metric in many resamples, and what follows from it."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import Number
from jmetrics.inference._cells import in_cells
from jmetrics.inference._draws import SCHEMES
from jmetrics.inference._endpoints import METHODS, Evidence, distances, endpoints, moments, spread
from jmetrics.inference._plans import Problem
from jmetrics.inference._routes import measured_once

_ENTRIES_AT_ONCE = 100_000
_REPORTS = 20


class Settings(NamedTuple):
    """How to resample; static."""

    method: str
    scheme: str
    contrast: bool
    """Whether the differences from the first prediction are wanted, not the values."""
    table: bool = False
    """Whether several rows are wanted, not the only one."""


class Summary(NamedTuple):
    """What resampling says about a metric, or about differences of it."""

    values: Any
    """The metric of each prediction, along the first axis."""
    estimate: Any
    low: Any
    high: Any
    standard_error: Any
    bias: Any
    p_value: Any
    """Of the hypothesis that what was estimated is 0."""
    distribution: Any
    n_undefined: Any


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
    level = check.level("confidence_level", confidence_level)
    problem = in_cells(problem)
    distribution = in_resamples(
        functools.partial(_distribution, problem=problem, settings=settings),
        key,
        problem,
        scheme=settings.scheme,
        n_resamples=n_resamples,
        batch_size=batch_size,
        size=problem.size,
        progress=progress,
    )
    return _summary(distribution, problem, level, settings=settings)


def in_resamples(
    values: Callable[..., Array],
    key: Array,
    problem: Problem,
    *,
    scheme: str,
    n_resamples: int,
    batch_size: int | None,
    size: int,
    progress: bool,
) -> Array:
    """Find the values in resamples, given what these are drawn from.

    `values` looks at `size` numbers for each of them, and takes a `batch_size`.
    """
    check.random_key("key", key)
    n_resamples = check.positive_integer("n_resamples", n_resamples)
    batch_size = batch_of(batch_size, size, n_resamples)
    starts = _starts(key, problem, scheme=scheme, n_resamples=n_resamples)
    if not progress:
        return values(starts, batch_size=batch_size)
    traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((key, problem)))
    check.require(not traced, "`progress=True` needs arrays with values, so it fails inside `jit`")
    block = max(1, -(-n_resamples // (_REPORTS * batch_size))) * batch_size
    parts = []
    with _tqdm()(total=n_resamples, unit="resample") as bar:
        for start in range(0, n_resamples, block):
            part = values(starts[start : start + block], batch_size=batch_size)
            parts.append(jax.block_until_ready(part))
            bar.update(part.shape[0])
    return jnp.concatenate(parts)


@functools.partial(jax.jit, static_argnames=("scheme", "n_resamples"))
def _starts(key, problem, *, scheme, n_resamples):
    return problem.source().starts(key, scheme, n_resamples)


def batch_of(batch_size: int | None, size: int, n_resamples: int) -> int:
    """How many resamples to evaluate at once, each looking at `size` numbers."""
    if batch_size is None:
        batch_size = max(1, _ENTRIES_AT_ONCE // max(1, size))
    return min(check.positive_integer("batch_size", batch_size), n_resamples)


def _tqdm() -> Any:
    try:
        return importlib.import_module("tqdm").tqdm
    except ImportError:
        raise ImportError("`progress=True` needs the package tqdm: pip install tqdm") from None


@functools.partial(jax.jit, static_argnames=("batch_size", "settings"))
def _distribution(starts, problem, *, batch_size, settings):
    """Values in resamples, on the first axis; with "studentized" their standard errors too."""
    asked = measured_once(problem)
    source = asked.source()

    def resample(start: Array) -> Array:
        times = source.draw(start, settings.scheme)
        values = _contrast(asked.values(source.weight * source.entries(times)), settings)
        if settings.method != "studentized":
            return values
        shares = _contrast(asked.influences(source, times), settings)
        return jnp.stack([values, moments(shares, times).error])

    return in_batches(resample, starts, batch_size)


def in_batches(function: Any, starts: Array, batch_size: int) -> Array:
    """Map over rows, the same number at a time: the last ones repeat one, for one program."""
    n = starts.shape[0]
    steps = -(-n // batch_size)
    size = -(-n // steps)
    if steps == 1:
        return jax.vmap(function)(starts)
    padded = starts[jnp.minimum(jnp.arange(steps * size), n - 1)]
    found = jax.lax.map(jax.vmap(function), padded.reshape(steps, size, *starts.shape[1:]))
    return found.reshape(steps * size, *found.shape[2:])[:n]


def _contrast(of_each: Array, settings: Settings) -> Array:
    return of_each[1:] - of_each[:1] if settings.contrast else of_each


@functools.partial(jax.jit, static_argnames="settings")
def _summary(distribution, problem, level, *, settings):
    source = problem.source()
    once = source.once
    values = problem.values(source.weight * source.entries(once))
    estimate = _contrast(values, settings)
    scale = jnp.abs(values)
    if settings.contrast:
        scale = jnp.maximum(scale[1:], scale[:1])
    errors = None
    if settings.method == "studentized":
        distribution, errors = distribution[:, 0], distribution[:, 1]
    distribution = jnp.where(jnp.isnan(estimate)[None], jnp.nan, distribution)
    error = acceleration = jnp.zeros_like(estimate)
    if settings.method in ("bca", "studentized"):
        error, acceleration = moments(_contrast(problem.influences(source, once), settings), once)
    evidence = Evidence(estimate, error, acceleration, distribution, errors)
    evidence = jax.tree.map(lambda a: a.reshape(-1, estimate.size), evidence)
    level = jnp.asarray(level, estimate.dtype)
    level = check.defined(level, (level > 0) & (level < 1), "`confidence_level` must be in (0, 1)")
    low, high = (end.reshape(estimate.shape) for end in endpoints(evidence, level, settings.method))
    used = evidence.distribution if errors is None else distances(evidence)
    n_undefined = jnp.sum(jnp.isnan(used), axis=0, dtype=jnp.int32)
    deviations = distribution - estimate[None]
    summary = Summary(
        values=values,
        estimate=estimate,
        low=low,
        high=high,
        standard_error=spread(distribution),
        bias=jnp.nanmean(deviations, axis=0),
        p_value=as_far(deviations, estimate, scale),
        distribution=distribution,
        n_undefined=n_undefined.reshape(estimate.shape),
    )
    if not settings.table:
        only = jax.tree.map(lambda rows: rows[..., 0, :], summary)
        summary = only._replace(values=values)
    return jax.tree.map(problem.restored, summary)


def as_far(deviations: Array, estimate: Array, scale: Array) -> Array:
    """Two-sided p-value: how often chance alone goes as far as the estimate, which counts too.

    What differs by the rounding of numbers as large as `scale` is as far.
    """
    slack = 8 * jnp.finfo(estimate.dtype).eps * scale
    slack = jnp.where(jnp.isfinite(slack), slack, jnp.zeros_like(slack))
    far = jnp.abs(deviations) >= (jnp.abs(estimate) - slack)[None]
    defined = jnp.sum(~jnp.isnan(deviations), axis=0, dtype=jnp.int32)
    n_far = jnp.sum(far, axis=0, dtype=jnp.int32)
    dtype = estimate.dtype
    p_value = safe_divide((1 + n_far).astype(dtype), (1 + defined).astype(dtype), jnp.nan)
    return jnp.where(jnp.isnan(estimate) | (defined == 0), jnp.nan, p_value)
