"""What does a small call cost beside its arithmetic? `python -m benchmarks.dispatch [n]`

Microseconds of a warm call, inside the user's `jit` beside the same written by hand, and eager;
then what a first call compiles, in a process of its own.
"""

from __future__ import annotations

import functools
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

import jmetrics
from benchmarks.measure import machine
from jmetrics import inference, losses

N = 1000
ROUNDS = 15
KEY = jax.random.key(0)


def accuracy(y: Any, p: Any) -> Any:
    return jnp.mean(y == p)


def f1(y: Any, p: Any) -> Any:
    y, p = y == 1, p == 1
    return 2 * jnp.sum(y & p) / (jnp.sum(y) + jnp.sum(p))


def correlation(y: Any, p: Any) -> Any:
    return jnp.corrcoef(y, p)[0, 1]


def explained(y: Any, p: Any) -> Any:
    return 1 - jnp.sum((y - p) ** 2) / jnp.sum((y - jnp.mean(y)) ** 2)


def log_loss(y: Any, p: Any) -> Any:
    return -jnp.mean(jnp.where(y == 1, jnp.log(p), jnp.log1p(-p)))


def auc(y: Any, s: Any) -> Any:
    """Ties count half, as in the library."""
    ordered = jnp.sort(s)
    ranks = jnp.searchsorted(ordered, s) + jnp.searchsorted(ordered, s, side="right")
    n_positive = jnp.sum(y)
    above = jnp.sum(jnp.where(y == 1, (ranks + 1) / 2, 0)) - n_positive * (n_positive + 1) / 2
    return above / (n_positive * (y.size - n_positive))


def average_precision(y: Any, s: Any) -> Any:
    """Without ties."""
    y = y[jnp.argsort(-s)]
    return jnp.sum(y * jnp.cumsum(y) / jnp.arange(1, y.size + 1)) / jnp.sum(y)


def auc_loss(y: Any, s: Any) -> Any:
    """Every pair."""
    pairs = (y[:, None] == 1) & (y[None, :] == 0)
    loss = jnp.maximum(0, 1 - (s[:, None] - s[None, :])) ** 2
    return jnp.sum(jnp.where(pairs, loss, 0)) / jnp.sum(pairs)


def step(score_of: Callable[..., Any]) -> Callable[..., Any]:
    """A training step with a metric in it."""
    optimiser = optax.adam(0.1)

    def run(y: Any, x: Any) -> Any:
        weights = jnp.zeros(x.shape[1])

        def objective(weights: Any) -> Any:
            score = x @ weights
            loss = optax.sigmoid_binary_cross_entropy(score, y).mean()
            return loss, score_of(y, score)

        gradient, auc = jax.grad(objective, has_aux=True)(weights)
        updates, _ = optimiser.update(gradient, optimiser.init(weights))
        return optax.apply_updates(weights, updates), auc

    return run


def cases(n: int) -> dict[str, tuple[Callable[..., Any], Callable[..., Any], Any, Any]]:
    """Ours, the same by hand, and two arrays."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n).astype(np.int32)
    score = (rng.standard_normal(n) + y).astype(np.float32)
    label, chance = (score > 0.5).astype(np.int32), 1 / (1 + np.exp(-score))
    target = rng.standard_normal(n).astype(np.float32)
    x = rng.standard_normal((n, 8)).astype(np.float32)

    def gradient_of(loss: Callable[..., Any]) -> Callable[..., Any]:
        return jax.value_and_grad(loss, argnums=1)

    def matthews(y: Any, p: Any) -> Any:
        return jmetrics.matthews_corrcoef(y, p, num_classes=2)

    return {
        "accuracy_score": (jmetrics.accuracy_score, accuracy, y, label),
        "f1_score": (jmetrics.f1_score, f1, y, label),
        "matthews_corrcoef": (matthews, correlation, y, label),
        "mean_squared_error": (
            jmetrics.mean_squared_error,
            lambda y, p: jnp.mean((y - p) ** 2),
            target,
            score,
        ),
        "r2_score": (jmetrics.r2_score, explained, target, score),
        "log_loss": (jmetrics.log_loss, log_loss, y, chance),
        "median_absolute_error": (
            jmetrics.median_absolute_error,
            lambda y, p: jnp.median(jnp.abs(y - p)),
            target,
            score,
        ),
        "roc_auc_score": (jmetrics.roc_auc_score, auc, y, score),
        "average_precision_score": (jmetrics.average_precision_score, average_precision, y, score),
        "auc_loss, gradient": (
            gradient_of(losses.auc_loss),
            gradient_of(auc_loss),
            y,
            score,
        ),
        "a training step": (step(jmetrics.roc_auc_score), step(auc), y, x),
    }


def microseconds(*calls: Callable[[], Any]) -> list[float]:
    """Least of several rounds for each, by turns."""
    least = [float("inf")] * len(calls)
    for call in calls:
        jax.block_until_ready(call())
    for _ in range(ROUNDS):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(20):
                jax.block_until_ready(call())
            least[place] = min(least[place], (time.perf_counter() - start) / 20)
    return [1e6 * seconds for seconds in least]


FIRST: dict[str, Callable[..., Any]] = {
    "accuracy_score": jmetrics.accuracy_score,
    "f1_score": jmetrics.f1_score,
    "matthews_corrcoef": jmetrics.matthews_corrcoef,
    "mean_squared_error": jmetrics.mean_squared_error,
    "roc_auc_score": jmetrics.roc_auc_score,
}
INTERVALS = ("f1_score", "accuracy_score", "roc_auc_score", "mean_squared_error")


def first_call(name: str, kind: str, n: int) -> None:
    """Print what the first call in this process takes."""
    _, _, y, p = cases(n)[name]
    metric = FIRST[name]
    call = {
        "eager": lambda: metric(y, p),
        "confidence_interval": lambda: inference.confidence_interval(metric, y, p),
        "standard_error": lambda: inference.standard_error(metric)(y, p),
        "bootstrap": lambda: inference.bootstrap(KEY, metric, y, p),
    }[kind]
    programs: list[float] = []

    def note(event: str, duration_secs: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration"):
            programs.append(duration_secs)

    jax.monitoring.register_event_duration_secs_listener(note)
    jax.block_until_ready(KEY)
    mapped, start = maps(), time.perf_counter()
    jax.block_until_ready(call())
    seconds = time.perf_counter() - start
    print(f"{kind:22} {name:20} {len(programs):>8} {maps() - mapped:>6} {seconds:>7.2f} s")


def maps() -> int:
    """Pieces of memory that are mapped, of which a process may have 65530."""
    table = Path("/proc/self/maps")
    return len(table.read_text().splitlines()) if table.exists() else 0


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else N
    print(f"A warm call at n = {n}, microseconds: {machine()}")
    print(f"{'':24} {'jit':>8} {'by hand':>8} {'ratio':>7} {'eager':>8} {'of NumPy':>9}")
    for name, (ours, by_hand, *arrays) in cases(n).items():
        on_device = jax.block_until_ready([jnp.asarray(a) for a in arrays])
        calls = [functools.partial(f, *on_device) for f in (jax.jit(ours), jax.jit(by_hand))]
        if name in vars(jmetrics):
            calls += [functools.partial(ours, *given) for given in (on_device, arrays)]
        times = microseconds(*calls)
        eager = "".join(f" {t:>8.0f}" for t in times[2:])
        print(f"{name:24} {times[0]:>8.0f} {times[1]:>8.0f} {times[0] / times[1]:>6.1f}x{eager}")
    print(f"\nFirst calls at n = {n}, each in a process of its own")
    print(f"{'':22} {'':20} {'programs':>8} {'maps':>6} {'':>7}")
    kinds = [("eager", name) for name in FIRST]
    kinds += [
        (kind, name)
        for kind in ("confidence_interval", "standard_error", "bootstrap")
        for name in INTERVALS
    ]
    for kind, name in kinds:
        command = [sys.executable, "-m", "benchmarks.dispatch", kind, name, str(n)]
        print(subprocess.run(command, capture_output=True, text=True, check=True).stdout, end="")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        first_call(sys.argv[2], sys.argv[1], int(sys.argv[3]))
    else:
        main()
