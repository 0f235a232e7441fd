"""How long does the first call take? `python -m benchmarks.first_call` (n = 10,000, no cache)

Prints compilation and run together, the slowest functions first.
"""

from __future__ import annotations

import inspect
import time

import jax
import numpy as np

import jmetrics
from benchmarks.measure import machine

N = 10_000


def arguments(name: str) -> tuple[tuple[np.ndarray, np.ndarray], dict[str, object]]:
    """Arrays that suit any metric of this name, and the options that it cannot do without."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, N).astype(np.int32)
    y_pred = rng.random(N).astype(np.float32)
    if name == "accuracy_score":
        y_pred = (y_pred > 0.5).astype(np.int32)
    pair = np.stack([y_pred, y_pred + 1], axis=1)
    special: dict[str, tuple[tuple[np.ndarray, np.ndarray], dict[str, object]]] = {
        "interval_score": ((labels, pair), {}),
        "weighted_interval_score": ((labels, pair), {"alpha": [0.25, 0.75]}),
        "mean_absolute_scaled_error": ((labels, y_pred), {"y_train": y_pred}),
        "adjusted_r2_score": ((labels, y_pred), {"n_features": 3}),
    }
    return special.get(name, ((labels, y_pred), {}))


def main() -> None:
    functions = {
        name: value
        for module in (jmetrics, jmetrics.losses)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and name != "checked" and not name.startswith("_")
    }
    seconds = {}
    for name, function in functions.items():
        arrays, options = arguments(name)
        start = time.perf_counter()
        jax.block_until_ready(function(*arrays, **options))
        seconds[name] = time.perf_counter() - start
    print(f"First call at n = {N}: {machine()}")
    for name in sorted(seconds, key=lambda name: -seconds[name]):
        print(f"{name:44} {seconds[name]:6.2f} s")


if __name__ == "__main__":
    main()
