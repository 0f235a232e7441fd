"""How long does the first call take? `python -m benchmarks.first_call` (n = 10,000, no cache)

Prints compilation and run together, the slowest functions first.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import jmetrics
from benchmarks.measure import machine, said
from jmetrics import losses

N = 10_000
LISTS = 100
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, N).astype(np.int32)
SCORES = RNG.random(N).astype(np.float32)

NEEDED: dict[str, Any] = {
    "alpha": [0.25, 0.75],
    "beta": 2.0,
    "group": LABELS == 1,
    "index": np.arange(N),
    "metric_of_counts": lambda counts: counts.tp / (counts.tp + counts.fp),
    "min_precision": 0.5,
    "min_recall": 0.5,
    "min_sensitivity": 0.5,
    "min_specificity": 0.5,
    "n_features": 3,
    "scale": 1.0,
    "state": losses.soap_init(N),
    "y_train": SCORES,
}
"""Values of the options that some functions cannot do without."""
OF_COLUMNS = {
    "crps_ensemble",
    "crps_loss",
    "crps_quantiles",
    "interval_score",
    "interval_score_loss",
    "multiclass_auc_loss",
    "soft_top_k_accuracy_loss",
    "weighted_interval_score",
}


def arguments(name: str, parameters: dict[str, inspect.Parameter]) -> tuple[list, dict[str, Any]]:
    """Arrays that suit the function, and the options that it cannot do without."""
    y_true: np.ndarray = LABELS
    y_pred: np.ndarray = SCORES
    if name == "accuracy_score":
        y_pred = (SCORES > 0.5).astype(np.int32)
    elif "segment_ids" in parameters:
        y_true, y_pred = LABELS.reshape(LISTS, -1), SCORES.reshape(LISTS, -1)
    elif name in OF_COLUMNS:
        y_pred = np.stack([SCORES, SCORES + 1], axis=1)
    elif name == "energy_score":
        y_true, y_pred = SCORES.reshape(-1, 4), RNG.random((N // 4, 8, 4), np.float32)
    required = [key for key, p in parameters.items() if p.default is p.empty][2:]
    return [y_true, y_pred], {key: NEEDED[key] for key in required}


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function of truth and prediction."""
    return {
        name: value
        for module in (jmetrics, losses)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and next(iter(inspect.signature(value).parameters)) == "y_true"
    }


def main() -> None:
    seconds = {}
    for name, function in functions().items():
        try:
            arrays, options = arguments(name, dict(inspect.signature(function).parameters))
            start = time.perf_counter()
            jax.block_until_ready(function(*arrays, **options))
            seconds[name] = time.perf_counter() - start
        except (KeyError, TypeError, ValueError) as error:  # a new function may need other data
            print(f"left out, {name}: {said(error)}")
    print(f"First call at n = {N}: {machine()}")
    for name in sorted(seconds, key=lambda name: -seconds[name]):
        print(f"{name:44} {seconds[name]:6.2f} s")


if __name__ == "__main__":
    main()
