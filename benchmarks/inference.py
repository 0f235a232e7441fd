"""How fast are intervals, and how near to their peers'? `python -m benchmarks.inference`

A peer that would take minutes is timed with fewer resamples, and its time scaled up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
import scipy.stats
import sklearn.metrics
from confidenceinterval.delong import delong_roc_variance

import jmetrics
from benchmarks.measure import machine
from jmetrics.inference import bootstrap, delong_interval, resampling
from jmetrics.inference._drawing.units import SampleInfo
from jmetrics.inference._reweighting.problem import make_problem

B = 1000
KEY = jax.random.key(0)


class Row(NamedTuple):
    name: str
    n: int
    first_call_s: float
    seconds: float
    peer_seconds: float
    scaled_from: int
    """Resamples that the peer was timed with."""
    value: float
    peer_value: float
    temporary_mb: float = float("nan")


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return y, (rng.standard_normal(n) + y).astype(np.float32)


def timed(call: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Least of several, for both sides: other processes only ever add."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        value = jax.block_until_ready(call())
        times.append(time.perf_counter() - start)
    return min(times), value


def loop(metric: Callable[..., Any], y: np.ndarray, p: np.ndarray, resamples: int) -> np.ndarray:
    """The classical bootstrap: rows drawn, gathered, and the metric called."""
    rng, n = np.random.default_rng(1), len(y)
    rows = (rng.integers(0, n, n) for _ in range(resamples))
    return np.array([metric(y[row], p[row]) for row in rows])


def temporary_mb(metric: Any, y: Any, p: Any) -> float:
    """What the program of one call allocates beyond its arguments."""
    problem = make_problem(metric, y, {"y_pred": p}, SampleInfo(), {})
    task = resampling.MetricResampling("bca", "multinomial", contrast=False)
    run = resampling._at_once.lower(KEY, (problem, 0.95), task=task, n_resamples=B, batch_size=None)
    memory = run.compile().memory_analysis()
    return memory.temp_size_in_bytes / 2**20 if memory else float("nan")


def resampled(
    name: str, metric: Any, peer: Any, y: Any, p: Any, *, few: int, method: str = "percentile"
) -> Row:
    """The spread of `B` resamples here, against a loop over a few."""
    arrays = jax.numpy.asarray(y), jax.numpy.asarray(p)

    def ours() -> Any:
        return bootstrap(KEY, metric, *arrays, n_resamples=B, method=method)

    first_call, _ = timed(ours, 1)
    seconds, found = timed(ours, 5)
    peer_seconds, draws = timed(lambda: loop(peer, y, p, few), 3)
    return Row(
        name,
        len(y),
        first_call,
        seconds,
        peer_seconds * B / few,
        few,
        float(found.standard_error),
        float(np.std(draws, ddof=1)),
        temporary_mb(metric, y, p),
    )


def against_scipy(n: int, few: int) -> Row:
    """BCa from end to end. scipy calls the metric n times for its acceleration."""
    y, s = scores(n)
    arrays = jax.numpy.asarray(y), jax.numpy.asarray(s)

    def ours() -> Any:
        return bootstrap(KEY, jmetrics.roc_auc_score, *arrays, n_resamples=B)

    first_call, _ = timed(ours, 1)
    seconds, found = timed(ours, 5)
    each, _ = timed(lambda: sklearn.metrics.roc_auc_score(y, s), 20)

    def peer() -> Any:
        return scipy.stats.bootstrap(
            (y, s),
            sklearn.metrics.roc_auc_score,
            n_resamples=few,
            paired=True,
            vectorized=False,
            method="percentile",
            rng=np.random.default_rng(1),
        )

    peer_seconds, result = timed(peer, 1)
    whole = peer_seconds * B / few + n * each
    width, peer_width = (float(i.high - i.low) for i in (found, result.confidence_interval))
    title = f"AUC, BCa ({n} calls for the jackknife)"
    return Row(title, n, first_call, seconds, whole, few, width, peer_width)


def searched(y: np.ndarray, s: np.ndarray) -> float:
    """DeLong's error with two sorts and two searches, in NumPy."""
    positive, negative = np.sort(s[y == 1]), np.sort(s[y == 0])
    parts = [
        (np.searchsorted(b, a, "left") + np.searchsorted(b, a, "right")) / (2 * len(b))
        for a, b in ((positive, negative), (negative, positive))
    ]
    return float(np.sqrt(sum(np.var(part, ddof=1) / len(part) for part in parts)))


def delong(n: int, name: str, peer: Callable[[np.ndarray, np.ndarray], float]) -> Row:
    y, s = scores(n)
    arrays = jax.numpy.asarray(y), jax.numpy.asarray(s)
    first_call, _ = timed(lambda: delong_interval(*arrays), 1)
    seconds, found = timed(lambda: delong_interval(*arrays), 20)
    peer_seconds, error = timed(lambda: peer(y, s), 5)
    value = float(found.standard_error)
    return Row(f"DeLong, against {name}", n, first_call, seconds, peer_seconds, 1, value, error)


def packaged(y: np.ndarray, s: np.ndarray) -> float:
    return float(np.sqrt(delong_roc_variance(y, s)[1]))


def main() -> None:
    rows = []
    for n, few in ((10_000, 60), (100_000, 15)):
        y, s = scores(n)
        auc, peer = jmetrics.roc_auc_score, sklearn.metrics.roc_auc_score
        rows.append(resampled("AUC", auc, peer, y, s, few=few))
        labels = (s > 0.5).astype(int)
        f1, peer = jmetrics.f1_score, sklearn.metrics.f1_score
        rows.append(resampled("F1", f1, peer, y, labels, few=few))
    rows += [
        against_scipy(10_000, 60),
        delong(100_000, "confidenceinterval", packaged),
        delong(100_000, "NumPy's searchsorted", searched),
    ]
    print(f"\nIntervals, {B} resamples: {machine()}")
    print(
        f"{'':42} {'n':>7} {'first call':>11} {'ms':>9} {'peer ms':>10} {'from':>5} {'ratio':>8} "
        f"{'spread':>9} {'peer':>9} {'temp MB':>8}"
    )
    for row in rows:
        print(
            f"{row.name:42} {row.n:>7} {row.first_call_s:>9.2f} s {1e3 * row.seconds:>9.2f} "
            f"{1e3 * row.peer_seconds:>10.1f} {row.scaled_from:>5} "
            f"{row.peer_seconds / row.seconds:>7.0f}x {row.value:>9.6f} "
            f"{row.peer_value:>9.6f} {row.temporary_mb:>8.1f}"
        )


if __name__ == "__main__":
    main()
