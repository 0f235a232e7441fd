"""References of the losses of lists: every pair and every order spelled out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracles import Oracle, unless_nothing_counts
from tests.oracles.ranking import GAINS

Formula = Callable[..., tuple[np.ndarray, np.ndarray]]
"""From relevance and scores (n_lists, list_size) to values, and which lists have one."""


def mean_over_lists(formula: Formula, **fixed: Any) -> Oracle:
    """Weighted mean over the lists that have a value."""

    @unless_nothing_counts(0.0)
    def oracle(y_true, y_score, weight, **options):
        values, some = formula(
            y_true.astype(np.float64), y_score.astype(np.float64), **{**fixed, **options}
        )
        return np.average(values[some], weights=weight[some]) if np.any(some) else 0.0

    return oracle


def differences(a: np.ndarray) -> np.ndarray:
    """a_i − a_j for the items i (second axis) and j (third) of each list."""
    return a[:, :, None] - a[:, None, :]


def discounted(gain: np.ndarray, rank: np.ndarray) -> np.ndarray:
    return np.sum(gain / np.log2(1 + rank), axis=1)


def ideal(gain: np.ndarray) -> np.ndarray:
    return discounted(-np.sort(-gain, axis=1), np.arange(1, gain.shape[1] + 1))


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0)


def above(s: np.ndarray, temperature: float, kernel: str) -> np.ndarray:
    """Probability that item j (third axis) is above item i, 0 for itself."""
    z = -differences(s) / temperature
    with np.errstate(over="ignore"):
        if kernel == "laplace":
            share = np.where(z > 0, 1 - np.exp(-np.abs(z)) / 2, np.exp(-np.abs(z)) / 2)
        else:
            share = 1 / (1 + np.exp(-z))
    return share * (1 - np.eye(s.shape[1]))


def soft_ranks(s: np.ndarray, temperature: float = 0.1, kernel: str = "laplace") -> np.ndarray:
    return 1 + above(s, temperature, kernel).sum(axis=2)


def approx_ndcg(y, s, *, gain="linear", **options):
    gain = GAINS[gain](y)
    return 1 - ratio(discounted(gain, soft_ranks(s, **options)), ideal(gain)), gain.any(axis=1)


def approx_mrr(y, s, *, relevance_threshold=1.0, **options):
    relevant = y >= relevance_threshold
    return 1 - np.max(relevant / soft_ranks(s, **options), axis=1), relevant.any(axis=1)


def approx_average_precision(y, s, *, relevance_threshold=1.0, temperature=0.1, kernel="laplace"):
    relevant = y >= relevance_threshold
    share = above(s, temperature, kernel)
    found = 1 + np.sum(share * relevant[:, None], axis=2)
    precision = relevant * found / (1 + share.sum(axis=2))
    total = relevant.sum(axis=1).astype(float)
    return 1 - ratio(precision.sum(axis=1), total), total > 0


def mean_of_pairs(penalty: Callable[..., np.ndarray]) -> Formula:
    def formula(y, s, **options):
        pair = differences(y) > 0
        number = pair.sum(axis=(1, 2)).astype(float)
        sums = np.sum(pair * penalty(differences(s), **options), axis=(1, 2))
        return ratio(sums, number), number > 0

    return formula


pairwise_logistic = mean_of_pairs(lambda t, temperature=1.0: np.logaddexp(0, -t / temperature))
pairwise_hinge = mean_of_pairs(lambda t, margin=1.0: np.maximum(margin - t, 0))


def exchange(s: np.ndarray) -> np.ndarray:
    """Mean distance of the discounts of two items, over all places that the two may have."""
    discount = 1 / np.log2(2 + np.arange(s.shape[1]))
    first, tied = (differences(s) < 0).sum(axis=2)[:, :, None], differences(s) == 0
    place = np.arange(s.shape[1])
    may = ((place >= first) & (place < first + tied.sum(axis=2)[:, :, None])).astype(float)
    distance = may @ np.abs(np.subtract.outer(discount, discount)) @ may.swapaxes(1, 2)
    both = may @ may.swapaxes(1, 2)  # the places that they cannot have at once
    return ratio(distance, may.sum(axis=2)[:, :, None] * may.sum(axis=2)[:, None] - both)


def lambda_loss(y, s, *, scheme="ndcg_loss2++", gain="linear", temperature=1.0, mu=10.0):
    gain = GAINS[gain](y)
    best = ideal(gain)
    gain = ratio(gain, np.broadcast_to(best[:, None], gain.shape))
    rank = 0.5 + np.sum((differences(s) < 0) + 0.5 * (differences(s) == 0), axis=2)
    by_rank = exchange(s)
    apart = np.maximum(np.abs(differences(rank)), 1)
    by_distance = 1 / np.log2(1 + apart) - 1 / np.log2(2 + apart)
    worth = {
        "lambdarank": by_rank,
        "ndcg_loss2": by_distance,
        "ndcg_loss2++": by_rank + mu * by_distance,
    }
    if scheme == "ndcg_loss1":
        weight = (gain / np.log2(1 + rank))[:, :, None] * (1 - np.eye(y.shape[1]))
    else:
        weight = np.maximum(differences(gain), 0) * worth[scheme]
    loss = np.logaddexp(0, -differences(s) / temperature) / np.log(2)
    return np.sum(weight * loss, axis=(1, 2)), best > 0


def softmax(y, s, *, temperature=1.0):
    s = s / temperature
    log_sum = np.logaddexp.reduce(s, axis=1)[:, None]
    return np.sum(y * (log_sum - s), axis=1), y.sum(axis=1) > 0


def listmle(y, s, *, temperature=1.0):
    s = s / temperature
    at_risk = np.where(differences(y) >= 0, s[:, None], -np.inf)
    return np.sum(np.logaddexp.reduce(at_risk, axis=2) - s, axis=1), np.ones(len(y), bool)


def neural_ndcg(y, s, *, temperature=1.0, gain="linear"):
    gain, (_, n) = GAINS[gain](y), y.shape
    place = np.arange(1, n + 1)
    spread = np.abs(differences(s)).sum(axis=2)
    logits = ((n + 1 - 2 * place)[None, :, None] * s[:, None] - spread[:, None]) / temperature
    share = np.exp(logits - np.logaddexp.reduce(logits, axis=2, keepdims=True))
    by_place = np.sum(share * gain[:, None], axis=2)
    return 1 - ratio(discounted(by_place, place), ideal(gain)), gain.any(axis=1)


@unless_nothing_counts(0.0)
def soft_top_k_accuracy_loss(y_true, y_score, weight, *, k=2, temperature=1.0):
    s = y_score.astype(np.float64) / temperature

    def shares(b: np.ndarray) -> np.ndarray:
        return 0.5 * (1 + np.tanh((s - b[:, None]) / 2))

    low, high = s.min(axis=1) - 50, s.max(axis=1) + 50
    for _ in range(100):
        middle = (low + high) / 2
        more = shares(middle).sum(axis=1) > k
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    own = np.take_along_axis(shares(low), y_true.astype(int)[:, None], axis=1)
    return 1 - np.average(own[:, 0], weights=weight)
