"""Does a surrogate pay? Held-out values of the metric that it stands for, over several splits.

`python -m benchmarks.training`. The same linear scorer is trained with each loss, on the same
random halves of real data, and judged on the others. What is printed is the mean over the splits of
the difference to the plain loss, with its 95 % t interval. LightGBM's example data are used too if
the environment variable JMETRICS_DATA names the folder that holds them (`lightgbm/`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_digits, load_svmlight_file

import jmetrics
from jmetrics import losses

SPLITS = 12
STEPS = 400

Loss = Callable[..., Array]


class Data(NamedTuple):
    """Samples or lists along the first axis, features along the last."""

    name: str
    x: np.ndarray
    y: np.ndarray
    where: np.ndarray


def digits() -> Data:
    x, label = load_digits(return_X_y=True)
    return samples("digits, is it an 8", x / 16, label == 8)


def tumours() -> Data:
    x, y = load_breast_cancer(return_X_y=True)
    return samples("breast cancer", standardized(x), y == 0)


def particles(folder: Path) -> Data:
    """LightGBM's binary example with one positive in twenty."""
    table = np.loadtxt(folder / "binary.train")
    y, rng = table[:, 0] == 1, np.random.default_rng(0)
    chosen = np.flatnonzero(~y | (rng.random(len(y)) < 0.05))
    return samples("LightGBM binary, 5 % positives", standardized(table[chosen, 1:]), y[chosen])


def queries(folder: Path) -> Data:
    x, y = load_svmlight_file(str(folder / "rank.train"))
    lengths = np.loadtxt(folder / "rank.train.query", dtype=int)
    starts = np.cumsum(lengths) - lengths
    where = np.arange(lengths.max()) < lengths[:, None]
    item = np.where(where, starts[:, None] + np.arange(lengths.max()), 0)
    features = standardized(x.toarray())[item]
    return Data("LightGBM rank, 201 queries", features, y[item].astype(np.float32), where)


def samples(name: str, x: np.ndarray, y: np.ndarray) -> Data:
    return Data(name, x.astype(np.float32), y.astype(np.float32), np.ones(len(y), bool))


def standardized(x: np.ndarray) -> np.ndarray:
    scale = x.std(axis=0)
    return ((x - x.mean(axis=0)) / np.where(scale > 0, scale, 1)).astype(np.float32)


def cross_entropy(y: Array, score: Array, *, where: Array) -> Array:
    return optax.sigmoid_binary_cross_entropy(score, y).mean(where=where)


def held_out(loss: Loss, metric: Loss, data: Data) -> np.ndarray:
    """The metric of each split's other half, after training on the one."""
    optimizer = optax.adam(0.05)

    def of_split(order: Array) -> Array:
        half = order.size // 2
        (x, y, where), test = (
            [jnp.take(a, part, axis=0) for a in data[1:]] for part in (order[:half], order[half:])
        )

        def objective(weights: Array) -> Array:
            score = x @ weights[:-1] + weights[-1]
            return loss(y, score, where=where) + 1e-4 * jnp.sum(weights[:-1] ** 2)

        def step(carry: Any, _: None) -> tuple[Any, None]:
            weights, state = carry
            updates, state = optimizer.update(jax.grad(objective)(weights), state)
            return (optax.apply_updates(weights, updates), state), None

        start = jnp.zeros(x.shape[-1] + 1)
        (weights, _), _ = jax.lax.scan(step, (start, optimizer.init(start)), length=STEPS)
        x, y, where = test
        return metric(y, x @ weights[:-1] + weights[-1], where=where)

    orders = [np.random.default_rng(seed).permutation(len(data.y)) for seed in range(SPLITS)]
    return np.asarray(jax.jit(partial(jax.lax.map, of_split))(jnp.asarray(orders)))


def report(data: Data, title: str, metric: Loss, plain: Loss, others: Mapping[str, Loss]) -> None:
    baseline = held_out(plain, metric, data)
    print(f"\n{data.name}: {title}, {SPLITS} splits; the plain loss has {baseline.mean():.4f}")
    for name, loss in others.items():
        gain = held_out(loss, metric, data) - baseline
        reach = stats.t.ppf(0.975, SPLITS - 1) * gain.std(ddof=1) / np.sqrt(SPLITS)
        low, high = gain.mean() - reach, gain.mean() + reach
        verdict = "better" if low > 0 else "worse" if high < 0 else "no clear difference"
        print(f"  {name:28} {gain.mean():+.4f} [{low:+.4f}, {high:+.4f}]  {verdict}")


AUC: dict[str, Loss] = {
    surrogate: partial(losses.auc_loss, surrogate=surrogate)
    for surrogate in (
        "squared_hinge",
        "hinge",
        "square",
        "auc_margin",
        "logistic",
        "exponential",
        "sigmoid",
        "laplace",
    )
}
PARTIAL: dict[str, Loss] = {
    "partial_auc_loss": partial(losses.partial_auc_loss, max_fpr=0.1),
    "p_norm_push_loss": losses.p_norm_push_loss,
    "top_push_loss": losses.top_push_loss,
}
AP: dict[str, Loss] = {
    "average_precision_loss": losses.average_precision_loss,
    "auc_loss, squared_hinge": losses.auc_loss,
}
NDCG: dict[str, Loss] = {
    "approx_ndcg_loss": losses.approx_ndcg_loss,
    "lambda_loss": losses.lambda_loss,
    "neural_ndcg_loss": losses.neural_ndcg_loss,
    "pairwise_logistic_loss": losses.pairwise_logistic_loss,
    "listmle_loss": losses.listmle_loss,
}


def main() -> None:
    folder = os.environ.get("JMETRICS_DATA")
    lightgbm = Path(folder, "lightgbm") if folder else None
    for data in [digits(), tumours()] + ([particles(lightgbm)] if lightgbm else []):
        report(data, "AUC", jmetrics.roc_auc_score, cross_entropy, AUC)
        partial_area = partial(jmetrics.roc_auc_score, max_fpr=0.1)
        report(data, "AUC to max_fpr=0.1", partial_area, cross_entropy, PARTIAL)
        report(data, "AP", jmetrics.average_precision_score, cross_entropy, AP)
    if lightgbm:
        ndcg = partial(jmetrics.ndcg_score, k=10, gain="exponential")
        report(queries(lightgbm), "NDCG@10", ndcg, losses.softmax_loss, NDCG)


if __name__ == "__main__":
    main()
