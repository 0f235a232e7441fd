"""How wide are the certified bounds of streams? `python -m benchmarks.bounds [n]`

Against what 200 uniform bins on [0, 1] answer, as several libraries of streaming metrics do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import sklearn.metrics

from benchmarks.measure import machine
from jmetrics import streaming

AREAS = ("roc_auc_score", "average_precision_score")


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


SCORES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "uniform": lambda z: sigmoid(2 * z),
    "sigmoid(N)": sigmoid,
    "sigmoid(N - 9)": lambda z: sigmoid(z - 9),
    "1 - sigmoid(N - 9)": lambda z: 1 - sigmoid(z - 9),
    "N": lambda z: z,
    "logits x 100": lambda z: 100 * z,
    "1e-27 ... 1e30": lambda z: 10.0 ** (5.4 * z),
    "N + 1000": lambda z: z + 1000,
    "bfloat16": lambda z: np.asarray(z, jnp.bfloat16),
}


def binned(name: str, y: np.ndarray, score: np.ndarray) -> float:
    """The metric of scores in 200 uniform bins on [0, 1], what is outside in the outer ones."""
    place = np.clip(np.floor(np.asarray(score, np.float64) * 200), 0, 199)
    return float(getattr(sklearn.metrics, name)(y, place))


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.05
    z = rng.standard_normal(n) + y
    print(f"{n} scores, 5 % positives: {machine()}")
    print(
        f"{'':20} {'':24} {'exact':>9} {'estimate':>9} {'its error':>10} {'width':>9} {'':7} "
        f"{'200 bins':>9}"
    )
    for title, transform in SCORES.items():
        score: Any = transform(z)
        score = score if score.dtype == jnp.bfloat16 else score.astype(np.float32)
        for name in AREAS:
            stream = getattr(streaming, name)()
            state = stream.init()
            for labels, scores in zip(
                np.array_split(y, 10), np.array_split(score, 10), strict=True
            ):
                state = stream.update(state, labels, scores)
            low, high = (float(b) for b in stream.compute(state)[1:])
            estimate = float(stream.compute(state).estimate)
            exact = getattr(sklearn.metrics, name)(y, np.asarray(score, np.float64))
            verdict = "holds" if low <= exact <= high else "FAILS"
            print(
                f"{title:20} {name:24} {exact:>9.6f} {estimate:>9.6f} {estimate - exact:>10.1e} "
                f"{high - low:>9.1e} {verdict:7} {binned(name, y, score):>9.6f}"
            )


if __name__ == "__main__":
    main()
