"""Is the drop-in as fast as scikit-learn, and how often does it compile?

`python -m benchmarks.sklearn_compat` prints warm calls by turns at n = 100 and 100,000, ratios
above 1 being in favour of the drop-in; at the larger size the first call, which compiles, and the
largest relative error to scikit-learn; and how many programs 1,000 sizes take.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import jax
import numpy as np
import sklearn.metrics

from benchmarks.measure import machine, relative_error
from jmetrics import sklearn_compat

SIZES = (100, 100_000)
COMPILATION = "/jax/core/compile/backend_compile_duration"


class Case(NamedTuple):
    name: str
    kind: str
    options: Mapping[str, Any] = MappingProxyType({})


CASES = (
    Case("accuracy_score", "labels"),
    Case("accuracy_score", "strings"),
    Case("balanced_accuracy_score", "labels"),
    Case("cohen_kappa_score", "labels"),
    Case("confusion_matrix", "labels"),
    Case("matthews_corrcoef", "labels"),
    Case("f1_score", "binary"),
    Case("f1_score", "labels", {"average": "macro"}),
    Case("f1_score", "columns", {"average": "samples"}),
    Case("jaccard_score", "labels", {"average": "weighted"}),
    Case("classification_report", "labels"),
    Case("log_loss", "probabilities"),
    Case("brier_score_loss", "scores"),
    Case("d2_brier_score", "scores"),
    Case("hinge_loss", "scores"),
    Case("top_k_accuracy_score", "probabilities"),
    Case("roc_auc_score", "scores"),
    Case("roc_auc_score", "probabilities", {"multi_class": "ovo"}),
    Case("average_precision_score", "scores"),
    Case("roc_curve", "scores"),
    Case("precision_recall_curve", "scores"),
    Case("coverage_error", "column scores"),
    Case("ndcg_score", "column scores"),
    Case("mean_squared_error", "numbers"),
    Case("median_absolute_error", "numbers"),
    Case("mean_pinball_loss", "numbers"),
    Case("mean_poisson_deviance", "numbers"),
    Case("r2_score", "numbers"),
)


def data(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    label, other = rng.integers(0, 5, (2, n))
    label[:5] = np.arange(5)  # so that small samples have all classes too
    proba = rng.dirichlet(np.ones(5), n)
    kinds: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "labels": (label, other),
        "strings": (label.astype(str), other.astype(str)),
        "binary": (label % 2, other % 2),
        "columns": (rng.integers(0, 2, (n, 5)), rng.integers(0, 2, (n, 5))),
        "scores": (label % 2, proba[:, 0]),
        "probabilities": (label, proba),
        "column scores": (rng.integers(0, 2, (n, 5)), proba),
        "numbers": (rng.random(n) + 0.1, rng.random(n) + 0.1),
    }
    return kinds[kind]


class Comparison(NamedTuple):
    first: float
    ours: float
    theirs: float
    error: float


def compare(case: Case, n: int) -> Comparison:
    """The first call, median seconds of both by turns, and the error, nan for text."""
    arrays = data(case.kind, n)
    calls = [getattr(module, case.name) for module in (sklearn_compat, sklearn.metrics)]
    repeats = max(1, 2000 // n)
    first = _seconds(calls[0], arrays, case.options, 1)
    values = [jax.tree.leaves(call(*arrays, **case.options)) for call in calls]
    numbers = not any(isinstance(value, str) for value in values[0])
    error = max(map(_error, *values)) if numbers else np.nan
    times = [[_seconds(call, arrays, case.options, repeats) for call in calls] for _ in range(5)]
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    return Comparison(first, ours, theirs, error)


def _error(value: Any, reference: Any) -> float:
    """Of what is finite; the first threshold of a curve is not."""
    finite = np.isfinite(reference)
    return relative_error(np.asarray(value)[finite], np.asarray(reference)[finite])


def _seconds(
    call: Callable[..., Any], arrays: tuple, options: Mapping[str, Any], repeats: int
) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call(*arrays, **options)
    return (time.perf_counter() - start) / repeats


def programs(case: Case, sizes: range) -> int:
    """How many programs a loop over sizes compiles."""
    compiled = []

    def count(event: str, duration_secs: float, **_: Any) -> None:
        if event == COMPILATION:
            compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(count)
    try:
        for n in sizes:
            getattr(sklearn_compat, case.name)(*data(case.kind, n), **case.options)
    finally:
        jax.monitoring.clear_event_listeners()
    return len(compiled)


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"Warm calls, ms, and the ratio to scikit-learn: {machine()}")
    heads = "".join(f"{f'n = {n}':>12}{'sklearn':>10}{'ratio':>8}" for n in SIZES)
    print(f"{'':42}{heads}{'programs':>10}{'first call':>12}{'rel. error':>12}")
    for case in CASES:
        compiled = programs(case, range(5, 1005))
        cells = ""
        for n in SIZES:
            found = compare(case, n)
            ratio = found.theirs / found.ours
            cells += f"{1e3 * found.ours:>12.3f}{1e3 * found.theirs:>10.3f}{ratio:>7.1f}x"
        label = f"{case.name}, {' '.join([case.kind, *map(str, case.options.values())])}"
        print(
            f"{label:42}{cells}{compiled:>10}{found.first:>10.2f} s{found.error:>12.1e}", flush=True
        )


if __name__ == "__main__":
    main()
