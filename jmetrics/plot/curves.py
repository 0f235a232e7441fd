"""Curves of a score at all thresholds, with bootstrap bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import ndtr, ndtri

from jmetrics import curves
from jmetrics._core.types import ArrayLike
from jmetrics.curves.rates import DetCurve, PrecisionRecallCurve, RocCurve
from jmetrics.plot import _style
from jmetrics.plot._bands import Data, draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0, 1, 101)
_TICKS = np.array([0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999])


def roc_curve(
    y_true: ArrayLike | RocCurve,
    y_score: ArrayLike | None = None,
    *,
    label: str | None = None,
    key: Array | None = None,
    n_resamples: int = 200,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw true against false positive rate, with the band of the first at each of the second.

    Args:
        y_true: Labels 0 and 1, shape (n,), or a curve that `jmetrics.roc_curve` returned, which has
            no band.
        y_score: Scores, shape (n,), any numbers; not with a curve.
        label: Name of the curve in the legend. Several curves on one `ax` differ in colour and
            dashes.
        key: A random key of `jax.random` for the band; `jax.random.key(0)` by default.
        n_resamples: Number of resamples for the band; 0 for none.
        confidence_level: Pointwise coverage aimed at by the band, in (0, 1).
        groups: Group of each sample, shape (n,), integers. Whole groups are resampled.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        `n_resamples` curves, fewer for more than 250,000 samples; none with 0.

    Raises:
        ImportError: Without matplotlib.
        ValueError: What `jmetrics.roc_curve` raises.

    References:
        Fawcett (2006).

    Examples:
        >>> ax = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_resamples=0)
        >>> ax.get_xlabel()
        'false positive rate'
    """
    data = Data(y_true, y_score, key, n_resamples, confidence_level, groups, sample_weight, where)
    curve: Any = y_true
    band = None
    if y_score is not None:
        curve = curves.roc_curve(curve, y_score, **data.weighted)
        band = data.band(_tpr_at, _GRID)
    fpr, tpr, *_ = curve
    ax = _style.axes(ax)
    draw(ax, fpr, tpr, _GRID, band, label)
    _style.reference(ax, slope=1)
    _style.unit_square(ax, "false positive rate", "true positive rate")
    _style.legend(ax, loc="lower right")
    return ax


def precision_recall_curve(
    y_true: ArrayLike | PrecisionRecallCurve,
    y_score: ArrayLike | None = None,
    *,
    label: str | None = None,
    key: Array | None = None,
    n_resamples: int = 200,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw precision against recall, with the band of the first at each of the second.

    Where no score lies between two points, the curve is a step. The dashed level is the proportion
    of positives, the precision of uninformative scores.

    Args:
        y_true: Labels 0 and 1, shape (n,), or a curve that `jmetrics.precision_recall_curve`
            returned, which has no band.
        y_score: Scores, shape (n,), any numbers; not with a curve.
        label: Name of the curve in the legend. Several curves on one `ax` differ in colour and
            dashes.
        key: A random key of `jax.random` for the band; `jax.random.key(0)` by default.
        n_resamples: Number of resamples for the band; 0 for none.
        confidence_level: Pointwise coverage aimed at by the band, in (0, 1).
        groups: Group of each sample, shape (n,), integers. Whole groups are resampled.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        `n_resamples` curves, fewer for more than 250,000 samples; none with 0.

    Raises:
        ImportError: Without matplotlib.
        ValueError: What `jmetrics.precision_recall_curve` raises.

    References:
        Davis & Goadrich (2006).

    Examples:
        >>> ax = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_resamples=0)
        >>> ax.get_ylabel()
        'precision'
    """
    data = Data(y_true, y_score, key, n_resamples, confidence_level, groups, sample_weight, where)
    curve: Any = y_true
    grid, band = _GRID[1:], None
    if y_score is not None:
        curve = curves.precision_recall_curve(curve, y_score, **data.weighted)
        band = data.band(_precision_at, grid)
    precision, recall, *_ = curve
    ax = _style.axes(ax)
    draw(ax, recall, precision, grid, band, label, drawstyle="steps-post")
    _style.reference(ax, y=float(precision[0]))
    _style.unit_square(ax, "recall", "precision")
    _style.legend(ax, loc="lower left")
    return ax


def det_curve(
    y_true: ArrayLike | DetCurve,
    y_score: ArrayLike | None = None,
    *,
    label: str | None = None,
    key: Array | None = None,
    n_resamples: int = 200,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the false negative against the false positive rate, both as normal deviates.

    On these axes the curve is straight for scores that are normal in both classes. The band is
    that of the false negative rate at each false positive rate.

    Args:
        y_true: Labels 0 and 1, shape (n,), or a curve that `jmetrics.det_curve` returned, which has
            no band.
        y_score: Scores, shape (n,), any numbers; not with a curve.
        label: Name of the curve in the legend. Several curves on one `ax` differ in colour and
            dashes.
        key: A random key of `jax.random` for the band; `jax.random.key(0)` by default.
        n_resamples: Number of resamples for the band; 0 for none.
        confidence_level: Pointwise coverage aimed at by the band, in (0, 1).
        groups: Group of each sample, shape (n,), integers. Whole groups are resampled.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        `n_resamples` curves, fewer for more than 250,000 samples; none with 0.

    Raises:
        ImportError: Without matplotlib.
        ValueError: What `jmetrics.det_curve` raises.

    References:
        Martin et al. (1997).

    Examples:
        >>> ax = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_resamples=0)
        >>> ax.get_xlabel()
        'false positive rate (probit scale)'
    """
    data = Data(y_true, y_score, key, n_resamples, confidence_level, groups, sample_weight, where)
    curve: Any = y_true
    if y_score is not None:
        curve = curves.det_curve(curve, y_score, **data.weighted)
    fpr, fnr = (np.asarray(rate) for rate in curve[:2])
    least = _least(fpr, fnr)
    deviates, band = np.linspace(_deviate(least), _deviate(1 - least), len(_GRID)), None
    if y_score is not None:
        band = data.band(_tpr_at, ndtr(deviates))
    if band is not None:
        low, high = (
            _deviate(np.clip(1 - np.asarray(end), least, 1 - least))
            for end in (band.high, band.low)
        )
        band = band._replace(low=low, high=high)
    ax = _style.axes(ax)
    x, y = (_deviate(np.clip(rate, least, 1 - least)) for rate in (fpr, fnr))
    draw(ax, x, y, deviates, band, label)
    _deviate_axes(ax)
    _style.legend(ax, loc="upper right")
    return ax


def _least(fpr: np.ndarray, fnr: np.ndarray) -> float:
    """Half the smallest rate that is not 0: where 0 is drawn."""
    rates = np.concatenate([fpr, fnr])
    positive = rates[rates > 0]
    return float(np.clip(positive.min(initial=0.5) / 2, 1e-5, 0.1))


def _deviate(rate: Any) -> np.ndarray:
    return np.asarray(ndtri(jnp.asarray(rate)))


def _deviate_axes(ax: Axes) -> None:
    """Ticks at rates, and limits that hold all that was ever drawn and a tick."""
    drawn = ax.dataLim
    positions, names = _deviate(_TICKS), [f"{100 * tick:g} %" for tick in _TICKS]

    def limits(low: float, high: float) -> tuple[float, float]:
        nearest = positions[np.argmin(np.abs(positions - (low + high) / 2))]
        return min(low, nearest) - 0.1, max(high, nearest) + 0.1

    ax.set_xticks(positions, names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(positions, names)
    ax.set(
        xlabel="false positive rate (probit scale)",
        ylabel="false negative rate (probit scale)",
        xlim=limits(drawn.x0, drawn.x1),
        ylim=limits(drawn.y0, drawn.y1),
    )
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)


def _tpr_at(y_true: Any, y_score: Any, *, grid: Any, sample_weight: Any, where: Any) -> Array:
    """True positive rate at false positive rates."""
    curve = curves.roc_curve(
        y_true, y_score, drop_intermediate=False, sample_weight=sample_weight, where=where
    )
    return jnp.interp(grid.astype(curve.fpr.dtype), curve.fpr, curve.tpr)


def _precision_at(y_true: Any, y_score: Any, *, grid: Any, sample_weight: Any, where: Any) -> Array:
    """Precision at the highest thresholds that reach these recalls."""
    curve = curves.precision_recall_curve(y_true, y_score, sample_weight=sample_weight, where=where)
    falling = -curve.recall
    index = jnp.searchsorted(falling, -grid.astype(falling.dtype), side="right") - 1
    return curve.precision[index]
