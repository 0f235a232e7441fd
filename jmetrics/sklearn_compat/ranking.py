"""Metrics of ranked lists, and of the ranking of labels for each sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import jmetrics
from jmetrics._core.types import Tree
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import numeric, same_length, weights
from jmetrics.sklearn_compat._call import of_lists, of_samples
from jmetrics.sklearn_compat._params import Data
from jmetrics.sklearn_compat._targets import MULTILABEL, target


def label_ranking_average_precision_score(
    y_true: Data, y_score: Data, *, sample_weight: Data | None = None
) -> float:
    """Mean precision at the scores of the relevant labels of each sample.

    Same as `sklearn.metrics.label_ranking_average_precision_score`.

    Args:
        y_true: Indicators of the relevant labels, shape (n, n_labels), dense or sparse.
        y_score: Scores, shape (n, n_labels).
        sample_weight: Weights, shape (n,).

    Returns:
        Float in (0, 1]; higher is better.
    """
    params.array_likes(sparse=True, y_true=y_true)
    metric = jmetrics.label_ranking_average_precision_score
    return _of_labels(metric, y_true, y_score, sample_weight, all_zero=None, single=True)


def coverage_error(y_true: Data, y_score: Data, *, sample_weight: Data | None = None) -> float:
    """Mean depth in the ranking of each sample needed to include all its relevant labels.

    Same as `sklearn.metrics.coverage_error`.

    Args:
        y_true: Indicators of the relevant labels, shape (n, n_labels).
        y_score: Scores, shape (n, n_labels).
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, n_labels]; lower is better.
    """
    params.array_likes(y_true=y_true)
    return _of_labels(jmetrics.coverage_error, y_true, y_score, sample_weight)


def label_ranking_loss(y_true: Data, y_score: Data, *, sample_weight: Data | None = None) -> float:
    """Fraction of misordered pairs of a relevant and an irrelevant label of each sample.

    Same as `sklearn.metrics.label_ranking_loss`.

    Args:
        y_true: Indicators of the relevant labels, shape (n, n_labels), dense or sparse.
        y_score: Scores, shape (n, n_labels).
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, 1]; lower is better.
    """
    params.array_likes(sparse=True, y_true=y_true)
    return _of_labels(jmetrics.label_ranking_loss, y_true, y_score, sample_weight)


def _of_labels(
    metric: Callable[..., Tree],
    y_true: Data,
    y_score: Data,
    sample_weight: Data | None,
    *,
    all_zero: type[Exception] | None = ZeroDivisionError,
    single: bool = False,
) -> float:
    params.array_likes(y_score=y_score)
    params.optional_arrays(sample_weight=sample_weight)
    same_length(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    dense = y_true.toarray() if params.is_sparse(y_true) else y_true
    true, score = numeric("y_true", dense), numeric("y_score", y_score)
    if true.shape != score.shape:
        raise ValueError(
            f"`y_true` and `y_score` must have one shape, got {true.shape} and {score.shape}"
        )
    kind = target("y_true", true).kind
    if kind != MULTILABEL and not (single and kind == "binary" and true.ndim == 2):
        raise ValueError(f"`y_true` must be columns of indicators, got {kind} targets")
    weight = weights(sample_weight, len(true), all_zero=all_zero)
    return float(of_samples(metric, true != 0, score.astype(np.float64), sample_weight=weight))


def dcg_score(
    y_true: Data,
    y_score: Data,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Data | None = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain (DCG), averaged over lists.

    Same as `sklearn.metrics.dcg_score`.

    Args:
        y_true: Relevance of the items, shape (n_lists, n_items).
        y_score: Scores, shape (n_lists, n_items).
        k: Number of top ranks to include; None for all.
        log_base: Base of the logarithm of the discount.
        sample_weight: Weights of the lists, shape (n_lists,).
        ignore_ties: Whether to break ties by position instead of averaging over their orders.

    Returns:
        Float in (−∞, ∞); higher is better.
    """
    fits = params.between(log_base, 0, np.inf) and log_base > 0
    params.real("log_base", log_base, fits, "above 0")
    lists = _lists(y_true, y_score, k, sample_weight, ignore_ties)
    _check_lists(lists[0])
    options: dict[str, Any] = {
        "k": k,
        "ignore_ties": bool(ignore_ties),
        "log_base": float(log_base),
    }
    return float(of_lists(jmetrics.dcg_score, *lists, **options))


def ndcg_score(
    y_true: Data,
    y_score: Data,
    *,
    k: int | None = None,
    sample_weight: Data | None = None,
    ignore_ties: bool = False,
) -> float:
    """Normalised discounted cumulative gain (NDCG), averaged over lists.

    Same as `sklearn.metrics.ndcg_score`.

    Args:
        y_true: Non-negative relevance of the items, shape (n_lists, n_items).
        y_score: Scores, shape (n_lists, n_items).
        k: Number of top ranks to include; None for all.
        sample_weight: Weights of the lists, shape (n_lists,).
        ignore_ties: Whether to break ties by position instead of averaging over their orders.

    Returns:
        Float in [0, 1]; higher is better.
    """
    lists = _lists(y_true, y_score, k, sample_weight, ignore_ties)
    true = lists[0]
    if true.min() < 0:
        raise ValueError(f"`y_true` must not be negative, got {true.min()}")
    if true.ndim == 2 and true.shape[1] < 2:
        raise ValueError("`y_true` must have 2 items or more in each list, got 1")
    _check_lists(true)
    return float(of_lists(jmetrics.ndcg_score, *lists, k=k, ignore_ties=bool(ignore_ties)))


def _lists(
    y_true: Data, y_score: Data, k: int | None, sample_weight: Data | None, ignore_ties: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    params.array_likes(y_true=y_true, y_score=y_score)
    params.optional_arrays(sample_weight=sample_weight)
    if k is not None:
        params.at_least("k", k, 1)
    params.flags(ignore_ties=ignore_ties)
    true, score = (
        numeric(name, a).astype(np.float64)
        for name, a in (("y_true", y_true), ("y_score", y_score))
    )
    same_length(y_true=true, y_score=score, sample_weight=sample_weight)
    if true.shape != score.shape:
        raise ValueError(
            f"`y_true` and `y_score` must have one shape, got {true.shape} and {score.shape}"
        )
    return true, score, weights(sample_weight, len(true), all_zero=ZeroDivisionError)


def _check_lists(true: np.ndarray) -> None:
    if true.ndim != 2 or true.shape[1] < 2:
        raise ValueError(
            f"`y_true` must have shape (n_lists, n_items) with 2 items or more, got {true.shape}"
        )
