"""How often does a 95 % interval hold the truth? `python -m benchmarks.coverage [simulations]`

Prints a table in Markdown: data sets are drawn from a known distribution, and the share of
intervals that hold its value of the metric is counted. The standard error of an entry is
√(0.95 · 0.05 / simulations), 0.01 for 500.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats
from jax import Array

import jmetrics
from jmetrics.inference import (
    bootstrap,
    delong_interval,
    infinitesimal_jackknife,
    proportion_interval,
)

B = 999
RESAMPLED = ("percentile", "basic", "studentized", "bca")
COLUMNS = ("normal", "logit", "wilson", "clopper-pearson", *RESAMPLED)


class Scenario(NamedTuple):
    name: str
    draw: Callable[[Array], tuple[Array, Array]]
    """A key to truth and predictions."""
    truth: float
    closed: Callable[[Array, Array], dict[str, Any]]
    """Intervals without resampling."""
    metric: Any
    given: dict[str, Any]


def auc(positives: int, negatives: int, area: float) -> Scenario:
    """Normal scores of equal variance."""
    shift = float(np.sqrt(2) * scipy.stats.norm.ppf(area))
    y = jnp.arange(positives + negatives) < positives

    def draw(key: Array) -> tuple[Array, Array]:
        return y, shift * y + jax.random.normal(key, y.shape)

    def closed(y: Array, s: Array) -> dict[str, Any]:
        return {
            "normal": delong_interval(y, s, scale="linear"),
            "logit": delong_interval(y, s),
        }

    name = f"AUC {area}, {positives} + {negatives}"
    return Scenario(name, draw, area, closed, jmetrics.roc_auc_score, {})


def labels(metric: Any, n: int, truth: float, *, shares: bool) -> Scenario:
    """Three in ten are positive; two in three of them and one in ten of the others are found."""

    def draw(key: Array) -> tuple[Array, Array]:
        for_truth, for_pred = jax.random.split(key)
        y = jax.random.bernoulli(for_truth, 0.3, (n,))
        return y, jax.random.uniform(for_pred, (n,)) < jnp.where(y, 2 / 3, 0.1)

    def closed(y: Array, p: Array) -> dict[str, Any]:
        found = {
            "normal": infinitesimal_jackknife(metric)(y, p),
            "logit": infinitesimal_jackknife(metric)(y, p, scale="logit"),
        }
        for method in ("wilson", "clopper-pearson") if shares else ():
            found[method] = proportion_interval(jnp.sum(y == p), n, method=method)
        return found

    return Scenario(f"{metric.__name__}, {n}", draw, truth, closed, metric, {})


def r2(n: int) -> Scenario:
    """Half of the variance is explained; errors have heavy tails."""

    def draw(key: Array) -> tuple[Array, Array]:
        for_pred, for_error = jax.random.split(key)
        p = jax.random.normal(for_pred, (n,))
        return p + jax.random.t(for_error, 5.0, (n,)) * jnp.sqrt(3 / 5), p

    metric = jmetrics.r2_score
    return Scenario(
        f"r2_score, {n}",
        draw,
        0.5,
        lambda y, p: {"normal": infinitesimal_jackknife(metric)(y, p)},
        metric,
        {},
    )


def ndcg(users: int, lists: int, truth: float = float("nan")) -> Scenario:
    """Some users are served better than others, in all of their lists of ten."""
    groups = jnp.repeat(jnp.arange(users), lists)

    def draw(key: Array) -> tuple[Array, Array]:
        for_user, for_gain, for_noise = jax.random.split(key, 3)
        skill = jnp.exp(jax.random.normal(for_user, (users,)))[groups]
        gain = jax.random.binomial(for_gain, 3.0, 0.25, (users * lists, 10))
        return gain, gain * skill[:, None] + 2 * jax.random.normal(for_noise, gain.shape)

    def closed(y: Array, s: Array) -> dict[str, Any]:
        return {"normal": infinitesimal_jackknife(jmetrics.ndcg_score)(y, s, groups=groups)}

    given = {"groups": groups}
    name = f"ndcg_score, {users} users × {lists} lists"
    return Scenario(name, draw, truth, closed, jmetrics.ndcg_score, given)


def with_truth(scenario: Scenario, key: Array) -> Scenario:
    """Estimate the truth from a thousand times more data."""
    value = jax.jit(lambda key: scenario.metric(*scenario.draw(key)))
    values = [float(value(k)) for k in jax.random.split(key, 4000)]
    return scenario._replace(truth=float(np.mean(values)))


def coverage(scenario: Scenario, simulations: int) -> dict[str, float]:
    @functools.partial(jax.jit, static_argnames="count")
    def run(key: Array, count: int) -> dict[str, tuple[Array, Array]]:
        def once(key: Array) -> dict[str, tuple[Array, Array]]:
            for_data, for_draws = jax.random.split(key)
            y, p = scenario.draw(for_data)
            found = scenario.closed(y, p)
            for method in RESAMPLED:
                found[method] = bootstrap(
                    for_draws, scenario.metric, y, p, n_resamples=B, method=method, **scenario.given
                )
            return {name: (interval.low, interval.high) for name, interval in found.items()}

        return jax.lax.map(once, jax.random.split(key, count))

    ends = run(jax.random.key(1), simulations)
    return {
        name: float(np.mean((low <= scenario.truth) & (scenario.truth <= high)))
        for name, (low, high) in ends.items()
    }


def main() -> None:
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    f1 = 2 * 0.2 / (2 * 0.2 + 0.07 + 0.1)
    scenarios = [
        auc(15, 15, 0.9),
        auc(30, 30, 0.9),
        auc(20, 180, 0.97),
        auc(100, 100, 0.7),
        labels(jmetrics.accuracy_score, 30, 0.83, shares=True),
        labels(jmetrics.f1_score, 50, f1, shares=False),
        labels(jmetrics.f1_score, 200, f1, shares=False),
        r2(100),
        with_truth(ndcg(30, 4), jax.random.key(2)),
    ]
    print(f"Coverage of nominal 95 %, {simulations} simulations, {B} resamples\n")
    print(f"| | {' | '.join(COLUMNS)} |")
    print("|---" * (1 + len(COLUMNS)) + "|")
    for scenario in scenarios:
        found = coverage(scenario, simulations)
        cells = (f"{found[name]:.3f}" if name in found else "" for name in COLUMNS)
        print(f"| {scenario.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
