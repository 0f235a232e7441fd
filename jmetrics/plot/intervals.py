"""Metrics with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jax import Array

from jmetrics._core.types import ArrayLike
from jmetrics.plot import _style
from jmetrics.plot._bands import Data
from jmetrics.ranking import ndcg_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.3
"""Inches for a row of the forest plot."""


def forest(
    results: Mapping[str, Any],
    *,
    reference: float | None = None,
    xlabel: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one row for each result: its name, its estimate as a point, its interval as a line.

    Args:
        results: Anything with scalar `estimate` (or `difference`), `low` and `high` by name, such
            as what the functions of `jmetrics.inference` return; at least one.
        reference: Where to draw a dashed line, such as 0 for differences.
        xlabel: Label of the axis of values.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        O(1) time per result.

    Raises:
        ImportError: Without matplotlib.
        ValueError: Without a result.

    References:
        Lewis & Clarke (2001).

    Examples:
        >>> from jmetrics.inference import proportion_interval
        >>> ax = forest(
        ...     {"recall": proportion_interval(9, 10), "precision": proportion_interval(8, 9)}
        ... )
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['recall', 'precision']
    """
    if not results:
        raise ValueError("`results` must have at least one entry, got none")
    ax = _style.axes(ax, height=0.9 + _ROW * len(results))
    rows = np.arange(len(results))
    middle, low, high = (
        np.array([float(_field(result, name)) for result in results.values()])
        for name in ("estimate", "low", "high")
    )
    color, _ = _style.LINES[0]
    ax.hlines(rows, low, high, color=color, linewidth=1.6)
    ax.plot(middle, rows, "s", color=color, markersize=4.5)
    if reference is not None:
        ax.axvline(reference, color=_style.GREY, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
    ax.set_yticks(rows, list(results))
    ax.set(ylim=(len(results) - 0.4, -0.6), xlabel=xlabel)
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax


def _field(result: Any, name: str) -> Any:
    if name == "estimate" and not hasattr(result, name):
        return result.difference
    return getattr(result, name)


def ndcg_at_k(
    y_true: Any,
    y_score: ArrayLike | None = None,
    *,
    ks: Sequence[int] = (1, 2, 3, 5, 10, 20),
    label: str | None = None,
    key: Array | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw NDCG of the first k ranks against k, with bootstrap intervals over the lists.

    Args:
        y_true: Relevance, shape (n_lists, list_size), or a result with `estimate`, `low` and `high`
            of shape (len(ks),), such as `jmetrics.inference.bootstrap` returns for `k=ks`.
        y_score: Scores, shape (n_lists, list_size); not with a result.
        ks: Numbers of top ranks, positive integers; static.
        label: Name of the curve in the legend. Several curves on one `ax` differ in colour and
            dashes.
        key: A random key of `jax.random` for the intervals; `jax.random.key(0)` by default.
        n_resamples: Number of resamples for the intervals; 0 for none.
        confidence_level: Coverage aimed at by the intervals, in (0, 1).
        groups: Group of each list, shape (n_lists,), integers. Whole groups are resampled.
        sample_weight: Weights, shape (n_lists,).
        where: Mask, shape (n_lists, list_size); items where it is False are ignored.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        `n_resamples` means over lists, fewer for very many items; no interval with 0.

    Raises:
        ImportError: Without matplotlib.
        ValueError: What `jmetrics.ndcg_score` raises.

    References:
        Järvelin & Kekäläinen (2002).

    Examples:
        >>> y_true, y_score = [[1, 0, 2], [0, 1, 0]], [[0.3, 0.1, 0.9], [0.5, 0.2, 0.1]]
        >>> ax = ndcg_at_k(y_true, y_score, ks=(1, 3), n_resamples=0)
        >>> ax.get_ylabel()
        'NDCG@k'
    """
    result, ks = y_true, tuple(ks)
    if y_score is not None:
        data = Data(
            y_true, y_score, key, n_resamples, confidence_level, groups, sample_weight, where
        )
        result = data.resampled(ndcg_score, k=ks)
    ax = _style.axes(ax)
    positions = np.arange(len(ks))
    _style.points(ax, positions, result, label)
    ax.set_xticks(positions, [str(k) for k in ks])
    ax.set(xlabel="k, number of top ranks", ylabel="NDCG@k")
    ax.grid(axis="y", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    _style.legend(ax, loc="best")
    return ax
