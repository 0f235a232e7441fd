"""Values of metrics with their intervals, and differences of two models."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jmetrics._core.plan import is_proportion, range_of
from jmetrics.cli.data import Data
from jmetrics.cli.panels import Entry, several_label_metrics, several_metrics
from jmetrics.cli.progress import progress, shown
from jmetrics.inference import (
    bootstrap,
    confidence_interval,
    infinitesimal_jackknife,
    influence,
    paired_bootstrap,
)
from jmetrics.inference.comparison import holm
from jmetrics.ragged import bucket_size

DEFAULT_RESAMPLES = 1000
_RESAMPLED_ENTRIES = 50_000_000
"""Rows times resamples that take seconds; beyond it, standard errors come from derivatives."""
_FEW_RESAMPLES = 100
_MASKED_ENTRIES = 50_000
"""Up to this many entries, masking all rows for each group is faster than compiling again."""
_MAX_CONFUSION_CELLS = 100
"""Largest number of distinct labelled rows whose counts are resampled directly."""


class Settings(NamedTuple):
    """Settings of the intervals."""

    resamples: int | None = None
    """None to choose by the number of rows, 0 to use derivatives instead."""
    level: float = 0.95
    seed: int = 0


class Difference(NamedTuple):
    """The first model minus the second."""

    other: float
    """The metric of the second."""
    difference: float
    low: float
    high: float
    standard_error: float
    p_value: float
    adjusted_p_value: float = math.nan
    """By Holm's method, for comparisons with several models."""


class Result(NamedTuple):
    """A metric with its uncertainty; NaN where it is undefined."""

    name: str
    better: str
    estimate: float
    standard_error: float
    low: float
    high: float
    method: str
    n_undefined: int
    """Number of resamples without a value, which are left out."""
    comparisons: tuple[Difference, ...] = ()
    """With each other model."""


class SubsetResults(NamedTuple):
    """All rows, or those of a group."""

    name: str | None
    size: int
    """Number of rows, or of lists."""
    results: list[Result]


class _Rows(NamedTuple):
    """Arrays of some samples, padded and masked."""

    data: Data
    size: int
    where: np.ndarray | None
    chosen: np.ndarray | None

    def of(self, array: np.ndarray | None) -> Any:
        """These rows of an array."""
        return array if array is None or self.chosen is None else array[self.chosen]

    def given(self) -> dict[str, Any]:
        """Arguments of metrics and resamples besides the predictions."""
        return {"sample_weight": self.of(self.data.weight), "where": self.where}


def evaluate(data: Data, entries: list[Entry], settings: Settings) -> list[SubsetResults]:
    """All rows first, then each group."""
    parts = list(_parts(data))
    batches = _batches(data, entries, settings)
    found = []
    with progress("evaluating", " metrics", len(parts) * len(entries)) as bar:
        for name, rows in parts:
            results: dict[str, Result] = {}
            for batch in batches:
                results |= _evaluated(rows, batch, settings)
                bar.update(len(batch.entries))
            found.append(SubsetResults(name, rows.size, [results[entry.name] for entry in entries]))
    return found


def _parts(data: Data) -> Iterator[tuple[str | None, _Rows]]:
    n = len(data.y_true)
    if data.group is None:
        yield None, _Rows(data, n, data.where, None)
        return
    if data.y_true.size * (1 + len(data.group_names)) <= _MASKED_ENTRIES:
        yield from _masked(data, data.group)
        return
    yield None, _Rows(data, n, data.where, None)
    order = np.argsort(data.group, kind="stable")
    counts = np.bincount(data.group, minlength=len(data.group_names))
    sizes = [bucket_size(count, steps=1, minimum=64) for count in counts.tolist()]
    if max(sizes) * len(sizes) <= 8 * n:
        sizes = [max(sizes)] * len(sizes)  # one shape, one compiled program
    groups = np.split(order, np.cumsum(counts)[:-1])
    for name, rows, size in zip(data.group_names, groups, sizes, strict=True):
        chosen = np.resize(rows, size)
        kept = np.arange(size) < len(rows)
        if data.where is not None:
            kept = kept[:, None] & data.where[chosen]
        yield name, _Rows(data, len(rows), kept, chosen)


def _masked(data: Data, group: np.ndarray) -> Iterator[tuple[str | None, _Rows]]:
    """All rows and each group, by masks of one shape that share a compiled program."""
    everything = np.ones(len(group), bool)
    names = [None, *data.group_names]
    for name, inside in zip(
        names, [everything, *(group == k for k in range(len(names) - 1))], strict=True
    ):
        shown = inside if data.where is None else inside[:, None] & data.where
        yield name, _Rows(data, int(inside.sum()), shown, None)


class _Batch(NamedTuple):
    """Metrics that are computed together, with the method of their intervals."""

    entries: list[Entry]
    method: str
    """Or "few" for few resamples."""
    cells: bool
    """Whether resamples of labels are drawn as counts of distinct rows."""
    scale: str


def _batches(data: Data, entries: list[Entry], settings: Settings) -> list[_Batch]:
    large = data.y_true.size * DEFAULT_RESAMPLES > _RESAMPLED_ENTRIES
    resampled = not large if settings.resamples is None else settings.resamples > 0
    batches: dict[tuple[str, bool, str], list[Entry]] = {}
    for entry in entries:
        known = entry.declaration
        method = "bootstrap" if resampled and not known.noise_increases else "jackknife"
        cells = large and entry.decided and settings.resamples != 0 and _in_cells(data)
        if cells:
            method = "bootstrap"
        elif not known.smooth_in_weights and not resampled:
            method = "few"  # the derivative of a median says nothing about its scatter
        scale = "logit" if entry.unit_interval and method == "jackknife" else "linear"
        batches.setdefault((method, cells, scale), []).append(entry)
    return [_Batch(batch, *how) for how, batch in batches.items()]


def _in_cells(data: Data) -> bool:
    """Whether the cost of resampling labels is independent of the number of rows."""
    plain = data.weight is None and data.cluster is None and data.y_true.ndim == 1
    return plain and len(data.names) ** (1 + min(len(data.models), 2)) <= _MAX_CONFUSION_CELLS


class _Problem(NamedTuple):
    """The metrics of a batch, and their arguments for some rows."""

    metric: Callable[..., Any]
    y_true: np.ndarray
    predictions: list[Any]
    """Of each model."""
    options: dict[str, Any]
    cluster: np.ndarray | None


def _problem(rows: _Rows, batch: _Batch) -> _Problem:
    data = rows.data
    options = rows.given()
    if batch.cells:
        options["metrics"] = tuple((e.function, e.options) for e in batch.entries)
        predictions = [rows.of(model.decided) for model in data.models]
    else:
        options["metrics"] = tuple((e.function, e.options, e.decided) for e in batch.entries)
        predictions = [rows.of(model.prediction) for model in data.models]
        by_score = "argmax" if data.threshold is None else "threshold"
        options["decide"] = "given" if data.models[0].score is None else by_score
        options["threshold"] = float(data.threshold or 0)
    metric = several_label_metrics if batch.cells else several_metrics
    return _Problem(metric, rows.of(data.y_true), predictions, options, rows.of(data.cluster))


def _evaluated(rows: _Rows, batch: _Batch, settings: Settings) -> dict[str, Result]:
    problem = _problem(rows, batch)
    interval, method = _interval(problem, batch, settings)
    columns = {name: np.asarray(getattr(interval, name), float) for name in _FIELDS}
    undefined = np.asarray(getattr(interval, "n_undefined", np.zeros(len(batch.entries), int)))
    differences = _differences(problem, batch, settings)
    results = {}
    for k, entry in enumerate(batch.entries):
        result = Result(
            name=entry.name,
            better=entry.better,
            **{name: float(column[k]) for name, column in columns.items()},
            method=method,
            n_undefined=int(undefined[k]),
            comparisons=differences[k],
        )
        results[entry.name] = _widened(rows, entry, result, settings.level)
    return results


def _differences(
    problem: _Problem, batch: _Batch, settings: Settings
) -> list[tuple[Difference, ...]]:
    """The first model less each other one, for each metric."""
    compare = _by_derivatives if batch.method == "jackknife" else _by_resamples
    first, *others = problem.predictions
    if not others:
        return [()] * len(batch.entries)
    found = [
        compare(problem._replace(predictions=[first, other]), batch, settings) for other in others
    ]
    p_values = np.array([[one.p_value for one in metrics] for metrics in found])
    adjusted = np.asarray(holm(jnp.asarray(p_values))).tolist()
    by_model = [
        [one._replace(adjusted_p_value=p) for one, p in zip(*pairs, strict=True)]
        for pairs in zip(found, adjusted, strict=True)
    ]
    return list(zip(*by_model, strict=True))


def _interval(problem: _Problem, batch: _Batch, settings: Settings) -> tuple[Any, str]:
    """Interval of the first model's metrics, and its method."""
    y_true, y_pred = problem.y_true, problem.predictions[0]
    if batch.method == "jackknife":
        interval = infinitesimal_jackknife(problem.metric)(
            y_true,
            y_pred,
            confidence_level=settings.level,
            scale=batch.scale,
            groups=problem.cluster,
            **problem.options,
        )
        return interval, f"derivative, {batch.scale} scale"
    how = _resampling(problem, batch, settings)
    key = jax.random.key(settings.seed)
    how |= {"groups": problem.cluster}
    found = bootstrap(key, problem.metric, y_true, y_pred, **how, **problem.options)
    return found, f"{_NAMES[how['method']]} bootstrap, {how['n_resamples']} resamples"


def _widened(rows: _Rows, entry: Entry, result: Result, level: float) -> Result:
    """Wilson interval of a proportion of 0 or 1, whose sample variance is 0."""
    data = rows.data
    dependent = data.weight is not None or data.cluster is not None
    if result.low < result.high or not entry.decided or dependent:
        return result
    arrays = rows.of(data.y_true), rows.of(data.models[0].decided)
    options = {"where": rows.where, **dict(entry.options)}
    if not is_proportion(entry.function, *arrays, **options):
        return result
    found = confidence_interval(entry.function, *arrays, confidence_level=level, **options)
    return result._replace(low=float(found.low), high=float(found.high), method=_WILSON)


_WILSON = "Wilson's formula for proportions of 0 and 1"
_NAMES = {"bca": "BCa", "normal": "normal"}
_FIELDS = ("estimate", "standard_error", "low", "high")


def _resampling(problem: _Problem, batch: _Batch, settings: Settings) -> dict[str, Any]:
    few = batch.method == "few"
    n_resamples = _FEW_RESAMPLES if few else settings.resamples or DEFAULT_RESAMPLES
    long = not batch.cells and n_resamples * problem.y_true.size > _RESAMPLED_ENTRIES
    return {
        "n_resamples": n_resamples,
        "progress": long and shown(),
        "method": "normal" if few else "bca",
        "confidence_level": settings.level,
    }


def _by_resamples(problem: _Problem, batch: _Batch, settings: Settings) -> list[Difference]:
    found = paired_bootstrap(
        jax.random.key(settings.seed),
        problem.metric,
        problem.y_true,
        problem.predictions[0],
        problem.predictions[1],
        groups=problem.cluster,
        **_resampling(problem, batch, settings),
        **problem.options,
    )
    columns = [np.asarray(getattr(found, field), float) for field in Difference._fields[1:6]]
    second = np.asarray(found.values[1], float)
    return [Difference(*map(float, row)) for row in zip(second, *columns, strict=True)]


def _by_derivatives(problem: _Problem, batch: _Batch, settings: Settings) -> list[Difference]:
    """Differences by the delta method: row contributions are differences of contributions."""
    values, shares = [], []
    for prediction in problem.predictions:
        arrays = problem.y_true, prediction
        values.append(np.asarray(problem.metric(*arrays, **problem.options), float))
        contributions = influence(problem.metric)(
            *arrays, groups=problem.cluster, **problem.options
        )
        shares.append(np.asarray(contributions, float))
    error = np.sqrt(np.sum(np.square(shares[0] - shares[1]), axis=0))
    least, most = np.array(range_of(problem.metric, problem.options))
    apart = np.stack([least - most, most - least], axis=1).tolist()
    return [
        _normal(float(first), float(second), float(one), settings.level, ends)
        for first, second, one, ends in zip(*values, error, apart, strict=True)
    ]


def _normal(
    first: float, second: float, error: float, level: float, ends: list[float]
) -> Difference:
    """Normal interval, within its ends, and test of a difference with this standard error."""
    difference = first - second
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    if error > 0:
        p_value = math.erfc(abs(difference) / error / math.sqrt(2))
    else:
        p_value = math.nan if math.isnan(error) else float(difference == 0)
    least, most = ends
    low, high = np.clip(np.array([difference - reach, difference + reach]), least, most).tolist()
    return Difference(second, difference, low, high, error, p_value)
