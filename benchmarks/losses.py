"""How fast and how exact are the losses, value and gradient? `python -m benchmarks.losses [n ...]`

The peers: every pair compared, in a jitted function that gets both classes apart; and one
sort of the scores, below three times which the losses over pairs should stay at any size.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from benchmarks.measure import Row, compare, print_table
from jmetrics import losses
from jmetrics._core.bits import sortable_bits

SIZES = (1_000, 10_000, 100_000)
LARGE = 1_000_000
LIST = 5_000

PENALTIES: dict[str, Callable[[Array], Array]] = {
    "squared_hinge": lambda t: jnp.square(jax.nn.relu(1 - t)),
    "logistic": lambda t: jax.nn.softplus(-t),
    "sigmoid": lambda t: jax.nn.sigmoid(-t),
}


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y_true = rng.random(n) < 0.5
    return y_true, (rng.normal(size=n) + y_true).astype(np.float32)


def value_and_size(loss: Callable[..., Array]) -> Callable[..., Array]:
    """The value, and the norm of the gradient, for which all of it must be computed."""

    def run(y_true: Array, y_score: Array) -> Array:
        value, gradient = jax.value_and_grad(loss, argnums=1)(y_true, y_score)
        return jnp.stack([value, jnp.linalg.norm(gradient)])

    return run


def brute_force(surrogate: str) -> Callable[[Any, Any], Array]:
    def loss(positive: Array, negative: Array) -> Array:
        return _total(surrogate)(positive, negative) / (float(positive.size) * negative.size)

    @jax.jit
    def run(positive: Array, negative: Array) -> Array:
        value, gradients = jax.value_and_grad(loss, argnums=(0, 1))(positive, negative)
        return jnp.stack([value, jnp.linalg.norm(jnp.concatenate(gradients))])

    return lambda positive, negative: jax.block_until_ready(run(positive, negative))


def _total(surrogate: str) -> Callable[[Array, Array], Array]:
    return lambda p, n: jnp.sum(PENALTIES[surrogate](p[:, None] - n[None]))


def in_double(surrogate: str, positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Value and norm of the gradient, a few positives at a time."""
    rows = max(1, 2_000_000 // negative.size)
    with jax.enable_x64(True):
        step = jax.jit(jax.value_and_grad(_total(surrogate), argnums=(0, 1)))
        negative = negative.astype(np.float64)
        total, by_positive, by_negative = 0.0, [], np.zeros(negative.size)
        for start in range(0, positive.size, rows):
            value, (p, n) = step(positive[start : start + rows].astype(np.float64), negative)
            total += float(value)
            by_positive.append(np.asarray(p))
            by_negative += np.asarray(n)
    gradient = np.concatenate([*by_positive, by_negative])
    return np.array([total, np.linalg.norm(gradient)]) / (positive.size * negative.size)


def against_brute_force(n: int) -> list[Row]:
    y_true, y_score = scores(n)
    classes = y_score[y_true], y_score[~y_true]
    return [
        compare(
            f"auc_loss {surrogate}",
            value_and_size(partial(losses.auc_loss, surrogate=surrogate)),
            (y_true, y_score),
            brute_force(surrogate),
            tuple(map(jnp.asarray, classes)),
            exact=in_double(surrogate, *classes),
            rounds=3,
        )
        for surrogate in PENALTIES
    ]


@jax.jit
def sort(y_score: Array) -> tuple[Array, ...]:
    places = jnp.arange(y_score.size, dtype=jnp.int32)
    return jax.lax.sort((~sortable_bits(y_score), places), num_keys=1)


def against_a_sort(n: int) -> list[Row]:
    """There is no reference of this size; the error is left out."""
    y_true, y_score = scores(n)
    cases: dict[str, Callable[..., Array]] = {
        **{f"auc_loss {s}": partial(losses.auc_loss, surrogate=s) for s in (*PENALTIES, "laplace")},
        "auc_loss logistic, cold": partial(losses.auc_loss, surrogate="logistic", temperature=0.01),
        "partial_auc_loss": losses.partial_auc_loss,
        "p_norm_push_loss": losses.p_norm_push_loss,
        "average_precision_loss": losses.average_precision_loss,
    }
    device_score = jnp.asarray(y_score)
    return [
        compare(
            name,
            value_and_size(loss),
            (y_true, y_score),
            lambda: jax.block_until_ready(sort(device_score)),
            (),
            exact=np.nan,
            rounds=3,
        )
        for name, loss in cases.items()
    ]


def ndcg_of_pairs(y_true: Array, y_score: Array) -> Array:
    """The same smooth NDCG, each item of the list compared with each."""
    gap = (y_score[0][None] - y_score[0][:, None]) / 0.1
    tail = jnp.exp(-jnp.abs(gap)) / 2
    rank = 0.5 + jnp.sum(jnp.where(gap > 0, 1 - tail, tail), axis=1)
    places = jnp.arange(1, y_true.size + 1).astype(rank.dtype)
    best = jnp.sum(-jnp.sort(-y_true[0]) / jnp.log2(1 + places))
    return 1 - jnp.sum(y_true[0] / jnp.log2(1 + rank)) / best


def on_one_list() -> list[Row]:
    rng = np.random.default_rng(0)
    grades = rng.choice(5, p=[0.8, 0.1, 0.05, 0.03, 0.02], size=(1, LIST)).astype(np.float32)
    y_score = (0.5 * grades + rng.normal(size=grades.shape)).astype(np.float32)
    peer = jax.jit(value_and_size(ndcg_of_pairs))
    data = jnp.asarray(grades), jnp.asarray(y_score)
    with jax.enable_x64(True):
        wide = grades.astype(np.float64), y_score.astype(np.float64)
        exact = np.asarray(jax.jit(value_and_size(ndcg_of_pairs))(*wide))
    return [
        compare(
            f"approx_ndcg_loss of {LIST} items",
            value_and_size(losses.approx_ndcg_loss),
            (grades, y_score),
            lambda: jax.block_until_ready(peer(*data)),
            (),
            exact=exact,
            rounds=3,
        )
    ]


def main() -> None:
    for n in tuple(map(int, sys.argv[1:])) or SIZES:
        print_table("Losses over pairs, value and gradient", against_brute_force(n), "all pairs")
    print_table("Losses of lists, value and gradient", on_one_list(), "all pairs")
    print_table("Losses over pairs, value and gradient", against_a_sort(LARGE), "one sort")


if __name__ == "__main__":
    main()
