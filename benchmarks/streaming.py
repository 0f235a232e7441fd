"""What does an update of a stream cost? `python -m benchmarks.streaming`

The metric of the batch is beside it. Both run in one compiled loop over batches, so that what is
compared is the work and not the calls. How wide the certified bounds of score streams are is
shown by `benchmarks.bounds`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jmetrics
from benchmarks.measure import machine
from jmetrics import streaming

SAMPLES, ROUNDS = 2**21, 9
SIZES = (64, 1024, 65536)


def real(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = rng.normal(5, 3, n).astype(np.float32)
    return y, y + rng.normal(0, 1, n).astype(np.float32)


def labels(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = rng.integers(0, 10, n, dtype=np.int32)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(0, 10, n, dtype=np.int32))


def probabilities(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    p = rng.random(n).astype(np.float32)
    return (rng.random(n) < p).astype(np.int32), p


def lists(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    shape = (n // 16, 16)
    return rng.integers(0, 3, shape, dtype=np.int32), rng.random(shape, np.float32)


Maker = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]

METRICS: list[tuple[Callable[..., Any], Maker, dict[str, Any]]] = [
    (jmetrics.accuracy_score, labels, {}),
    (jmetrics.f1_score, labels, {"average": "macro", "num_classes": 10}),
    (jmetrics.confusion_matrix, labels, {"num_classes": 10}),
    (jmetrics.mean_squared_error, real, {}),
    (jmetrics.r2_score, real, {}),
    (jmetrics.pearson_corrcoef, real, {}),
    (jmetrics.log_loss, probabilities, {}),
    (jmetrics.calibration_error, probabilities, {}),
    (jmetrics.ndcg_score, lists, {}),
]


def seconds(program: Callable[..., Any], *arguments: Any) -> Callable[[], float]:
    """Time of one call after it is compiled."""
    compiled = jax.jit(program).lower(*arguments).compile()

    def once() -> float:
        start = time.perf_counter()
        jax.block_until_ready(compiled(*arguments))
        return time.perf_counter() - start

    once()
    return once


def row(metric: Callable[..., Any], make: Maker, n: int, options: dict[str, Any]) -> str:
    y_true, y_pred = make(np.random.default_rng(0), n)
    stream = streaming.stream(metric, like=(y_true, y_pred), **options)
    batches = SAMPLES // n

    def shifted(i: Any, a: Any) -> Any:
        """Another batch each time, so that nothing is computed once for all."""
        return jnp.roll(a, i, axis=0)

    def updates(y_true: Any, y_pred: Any) -> Any:
        def step(state: Any, i: Any) -> tuple[Any, None]:
            return stream.update(state, shifted(i, y_true), shifted(i, y_pred)), None

        return stream.compute(jax.lax.scan(step, stream.init(), jnp.arange(batches))[0])

    def alone(y_true: Any, y_pred: Any) -> Any:
        def step(total: Any, i: Any) -> tuple[Any, None]:
            return total + metric(shifted(i, y_true), shifted(i, y_pred), **options), None

        start = jnp.zeros_like(metric(y_true, y_pred, **options))
        return jax.lax.scan(step, start, jnp.arange(batches))[0]

    arrays = jnp.asarray(y_true), jnp.asarray(y_pred)
    ours, plain = seconds(updates, *arrays), seconds(alone, *arrays)
    times = [(ours(), plain()) for _ in range(ROUNDS)]
    # The least of each side: another process on the machine only adds.
    update, batch = (1e6 * min(side) / batches for side in zip(*times, strict=True))
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(stream.init()))
    return (
        f"{metric.__name__:24} {n:>8} {update:>11.2f} {batch:>11.2f} {update / batch:>8.2f}x "
        f"{size:>9} B"
    )


def main() -> None:
    print(f"\nStreams, {machine()}")
    print(f"{'':24} {'batch':>8} {'update µs':>11} {'metric µs':>11} {'ratio':>9} {'state':>11}")
    for metric, make, options in METRICS:
        for n in SIZES:
            print(row(metric, make, n, options), flush=True)


if __name__ == "__main__":
    main()
