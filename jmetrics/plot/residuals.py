"""Errors of predicted numbers."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jmetrics._core.types import ArrayLike
from jmetrics.plot import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_POINTS = 5000


class Means(NamedTuple):
    """Mean of the residuals of samples that are predicted alike."""

    predicted: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray


def residuals(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    unit: str | None = None,
    n_bins: int = 10,
    confidence_level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the residuals, y_true − y_pred, against the predictions, with their local means.

    A mean whose interval excludes 0 shows that predictions of that size are too high or too low.
    Very many samples are shown by their density.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predictions, shape (n,).
        unit: Unit of both, written on the axes.
        n_bins: Number of groups of equal size, from the lowest predictions to the highest, whose
            means are drawn; 0 for none.
        confidence_level: Coverage aimed at by the intervals of the means, in (0, 1).
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        One sort of the predictions.

    Raises:
        ImportError: Without matplotlib.
        ValueError: For arrays of different shapes.

    References:
        Anscombe & Tukey (1963).

    Examples:
        >>> ax = residuals([1.0, 2.0, 3.0], [1.0, 3.0, 3.0], unit="kg", n_bins=1)
        >>> ax.get_xlabel()
        'predicted value (kg)'
    """
    y_true, y_pred = np.asarray(y_true, float), np.asarray(y_pred, float)
    if y_true.ndim != 1 or y_true.shape != y_pred.shape:
        raise ValueError(
            "expected two arrays of one shape (n,), "
            f"got `y_true` {y_true.shape} and `y_pred` {y_pred.shape}"
        )
    errors = y_true - y_pred
    ax = _style.axes(ax)
    if len(errors) > _MOST_POINTS:
        ax.hexbin(y_pred, errors, gridsize=40, bins="log", cmap="Greys", linewidths=0, mincnt=1)
    else:
        alpha = float(np.clip(50 / max(len(errors), 1), 0.15, 0.6))
        ax.scatter(y_pred, errors, s=7, color="0.35", alpha=alpha, linewidths=0)
    if n_bins:
        means = _means(y_pred, errors, n_bins, confidence_level)
        name = f"mean, {100 * confidence_level:g} % interval"
        _style.points(ax, means.predicted, means, name)
    _style.reference(ax, y=0.0)
    suffix = f" ({unit})" if unit else ""
    ax.set(xlabel=f"predicted value{suffix}", ylabel=f"residual, true − predicted{suffix}")
    _style.legend(ax, loc="best")
    return ax


def _means(y_pred: np.ndarray, errors: np.ndarray, n_bins: int, level: float) -> Means:
    groups = np.array_split(np.argsort(y_pred, kind="stable"), min(n_bins, len(errors)))
    mean = np.array([errors[group].mean() for group in groups])
    spread = np.array([errors[g].std(ddof=1) if len(g) > 1 else np.nan for g in groups])
    reach = NormalDist().inv_cdf((1 + level) / 2) * spread / np.sqrt([len(g) for g in groups])
    reach = np.nan_to_num(reach)
    predicted = np.array([y_pred[group].mean() for group in groups])
    return Means(predicted, mean, mean - reach, mean + reach)
