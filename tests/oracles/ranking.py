"""Ranking metrics as they are defined for a list in its final order, and ties by enumeration.

With ties by chance the value is the mean over all orders of the items; the rules for ties
pick one order. Everything is for full lists of one length; lists that are alike are
computed once.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.oracles import Oracle, unless_nothing_counts

ELEVEN = np.arange(11) / 10

Formula = Callable[..., np.ndarray]
"""From relevance in rank order (n_lists, list_size) to one value, or vector, a list."""


def per_list(
    formula: Formula,
    y_true: Any,
    y_score: Any,
    *,
    ties: str = "average",
    empty: float = 0.0,
    has_value: Callable[..., np.ndarray] | None = None,
    relevance_threshold: float | None = None,
    **options: Any,
) -> np.ndarray:
    """Values of the lists; `empty` for those without one."""
    relevance, scores = np.asarray(y_true, np.float64), np.asarray(y_score, np.float64)
    if relevance_threshold is not None:
        relevance = (relevance >= relevance_threshold).astype(np.float64)
    relevance, scores, of_list = unlike(relevance, scores)
    orders = [formula(ranked, **options) for ranked in possible_orders(relevance, scores, ties)]
    values = np.mean(orders, axis=0)
    some = np.any(relevance > 0, axis=1) if has_value is None else has_value(relevance)
    return np.where(some.reshape(-1, *[1] * (values.ndim - 1)), values, empty)[of_list]


def unlike(relevance: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, ...]:
    """The lists that differ, and which of them each list is."""
    columns = [np.searchsorted(np.unique(a), a) for a in (relevance, scores)]
    digits = np.concatenate(columns, axis=1)
    code = np.zeros(len(digits), np.int64)
    for digit, base in zip(digits.T, digits.max(axis=0, initial=0) + 1, strict=True):
        code = code * base + digit
    _, first, of_list = np.unique(code, return_index=True, return_inverse=True)
    return relevance[first], scores[first], of_list


def possible_orders(relevance: np.ndarray, scores: np.ndarray, ties: str) -> Iterator[np.ndarray]:
    """Relevance in rank order: once, or for each order in which the items may be stored."""
    size = relevance.shape[1]
    breakers = {"pessimistic": relevance, "optimistic": -relevance, "stable": 0 * relevance}
    orders = itertools.permutations(range(size)) if ties == "average" else [tuple(range(size))]
    for stored in orders:
        y, s = relevance[:, stored], scores[:, stored]
        second = breakers[ties] if ties != "average" else 0 * y
        yield np.take_along_axis(y, np.lexsort((second, -s), axis=1), axis=1)


def over_lists(formula: Formula, **fixed: Any) -> Oracle:
    """Weighted mean of the values of the lists."""

    @unless_nothing_counts(np.nan)
    def oracle(y_true, y_score, weight, **options):
        values = per_list(formula, y_true, y_score, **{**fixed, **options})
        return np.average(values, weights=weight, axis=0)

    return oracle


def for_each_cutoff(formula: Formula) -> Formula:
    """Let `k` be several cutoffs, on a last axis, or None for all places."""

    @functools.wraps(formula)
    def several(y: np.ndarray, k: int | tuple[int, ...] | None = None, **options: Any):
        if isinstance(k, tuple):
            return np.stack([several(y, cutoff, **options) for cutoff in k], axis=-1)
        return formula(y, y.shape[1] if k is None else k, **options)

    return several


def ranks(y: np.ndarray) -> np.ndarray:
    return np.arange(1, y.shape[1] + 1)


def ratio(numerator: Any, denominator: Any) -> np.ndarray:
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    zero = np.zeros(numerator.shape)
    return np.divide(numerator, denominator, out=zero, where=denominator != 0)


# --- gains --------------------------------------------------------------------------------

GAINS: dict[str, Callable] = {"linear": lambda y: y, "exponential": lambda y: 2**y - 1}


@for_each_cutoff
def dcg(y: np.ndarray, k: int, *, gain: str = "linear", log_base: float = 2.0) -> np.ndarray:
    return np.sum((GAINS[gain](y) / np.log(1 + ranks(y)) * math.log(log_base))[:, :k], axis=1)


@for_each_cutoff
def ndcg(y: np.ndarray, k: int, *, gain: str = "linear") -> np.ndarray:
    return ratio(dcg(y, k, gain=gain), dcg(-np.sort(-y, axis=1), k, gain=gain))


@for_each_cutoff
def rank_biased(y: np.ndarray, k: int, *, persistence: float = 0.8) -> np.ndarray:
    return np.sum(((1 - persistence) * persistence ** (ranks(y) - 1) * y)[:, :k], axis=1)


@for_each_cutoff
def cascade(y: np.ndarray, k: int, *, max_grade: float = 4.0) -> np.ndarray:
    stops = (2**y - 1) / 2**max_grade
    comes = np.cumprod(np.concatenate([np.ones((len(y), 1)), 1 - stops[:, :-1]], axis=1), axis=1)
    return np.sum((comes * stops / ranks(y))[:, :k], axis=1)


# --- cutoffs ------------------------------------------------------------------------------


@for_each_cutoff
def precision(y: np.ndarray, k: int, *, denominator: str = "k") -> np.ndarray:
    return y[:, :k].sum(axis=1) / (k if denominator == "k" else min(k, y.shape[1]))


@for_each_cutoff
def recall(y: np.ndarray, k: int) -> np.ndarray:
    return ratio(y[:, :k].sum(axis=1), y.sum(axis=1))


@for_each_cutoff
def f1(y: np.ndarray, k: int, *, denominator: str = "k") -> np.ndarray:
    p, r = precision(y, k, denominator=denominator), recall(y, k)
    return ratio(2 * p * r, p + r)


@for_each_cutoff
def hit(y: np.ndarray, k: int) -> np.ndarray:
    return np.any(y[:, :k] > 0, axis=1).astype(float)


@for_each_cutoff
def fall_out(y: np.ndarray, k: int) -> np.ndarray:
    return ratio((1 - y)[:, :k].sum(axis=1), (1 - y).sum(axis=1))


def others(y: np.ndarray) -> np.ndarray:
    return np.any(y == 0, axis=1)


def r_precision(y: np.ndarray) -> np.ndarray:
    total = y.sum(axis=1)
    return ratio(np.sum(y * (ranks(y) <= total[:, None]), axis=1), total)


# --- precision at the relevant items ------------------------------------------------------


@for_each_cutoff
def reciprocal(y: np.ndarray, k: int) -> np.ndarray:
    return np.max((y / ranks(y))[:, :k], axis=1, initial=0)


@for_each_cutoff
def average_precision(y: np.ndarray, k: int, *, denominator: str = "relevant") -> np.ndarray:
    precisions = np.sum((y * np.cumsum(y, axis=1) / ranks(y))[:, :k], axis=1)
    total, found = y.sum(axis=1), y[:, :k].sum(axis=1)
    over = {"relevant": total, "min": np.minimum(total, k), "hits": found}[denominator]
    return ratio(precisions, over)


def bpref(y: np.ndarray) -> np.ndarray:
    total, rest = y.sum(axis=1), (1 - y).sum(axis=1)
    above = np.minimum(np.cumsum(1 - y, axis=1), total[:, None])
    wrong = ratio(above, np.minimum(total, rest)[:, None])
    return ratio(np.sum(y * (1 - wrong), axis=1), total)


def interpolated(y: np.ndarray, recall_levels: Any = ELEVEN) -> np.ndarray:
    hits = np.cumsum(y, axis=1)
    precisions, recalls = hits / ranks(y), ratio(hits, y.sum(axis=1)[:, None])
    reached = [recalls >= level - 1e-9 for level in np.atleast_1d(recall_levels)]
    return np.stack([np.max(precisions * on, axis=1, initial=0) for on in reached], axis=-1)


def eleven_point(y: np.ndarray) -> np.ndarray:
    return interpolated(y).mean(axis=-1)


@unless_nothing_counts(np.nan)
def geometric(y_true, y_score, weight, *, floor=1e-5, ties="average", relevance_threshold=1.0):
    options: dict[str, Any] = {"ties": ties, "relevance_threshold": relevance_threshold}
    values = per_list(average_precision, y_true, y_score, **options)
    return np.exp(np.average(np.log(np.maximum(values, floor)), weights=weight))


# --- scikit-learn's, by comparing each pair of items --------------------------------------


def by_pairs(formula: Callable[..., np.ndarray], default: float) -> Oracle:
    @unless_nothing_counts(np.nan)
    def oracle(y_true, y_score, weight, *, empty=default):
        y, s = np.asarray(y_true, np.float64), np.asarray(y_score, np.float64)
        at_least = s[:, :, None] <= s[:, None, :]  # item j is scored at least as high as item i
        return np.average(np.array(formula(y, at_least, empty), np.float64), weights=weight)

    return oracle


def _coverage(y: np.ndarray, at_least: np.ndarray, empty: float) -> np.ndarray:
    depth = np.max(np.sum(at_least, axis=2) * y, axis=1)
    return np.where(np.any(y > 0, axis=1), depth, empty)


def _loss(y: np.ndarray, at_least: np.ndarray, empty: float) -> np.ndarray:
    wrong = np.sum(at_least * y[:, :, None] * (1 - y)[:, None, :], axis=(1, 2))
    pairs = y.sum(axis=1) * (1 - y).sum(axis=1)
    return np.where(pairs > 0, ratio(wrong, pairs), empty)


def _label_precision(y: np.ndarray, at_least: np.ndarray, empty: float) -> np.ndarray:
    share = np.sum(at_least * y[:, None, :], axis=2) / np.sum(at_least, axis=2)
    value = ratio(np.sum(y * share, axis=1), y.sum(axis=1))
    return np.where(np.any(y > 0, axis=1) & np.any(y == 0, axis=1), value, empty)


coverage = by_pairs(_coverage, 0.0)
ranking_loss = by_pairs(_loss, 0.0)
label_precision = by_pairs(_label_precision, 1.0)
