"""Gain and lift of taking the samples with the highest scores first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import ArrayLike
from jmetrics.curves import confusion_matrix_at_thresholds
from jmetrics.plot import _style
from jmetrics.plot._bands import Data, draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0.01, 1, 100)


def gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
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
    """Draw the fraction of positives found against the fraction of samples taken, highest scores
    first.

    The dashed line is that of uninformative scores.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, shape (n,), any numbers.
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

    References:
        Berry & Linoff (1997); the Lorenz curve of the scores, upside down.

    Examples:
        >>> ax = gain_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_resamples=0)
        >>> ax.get_ylabel()
        'positives found'
    """
    data = Data(y_true, y_score, key, n_resamples, confidence_level, groups, sample_weight, where)
    band = data.band(_gain_at, _GRID)
    ax = _style.axes(ax)
    draw(ax, *_gain(y_true, y_score, **data.weighted), _GRID, band, label)
    _style.reference(ax, slope=1)
    _style.unit_square(ax, "samples taken, highest scores first", "positives found")
    _percent(ax, "xy")
    _style.legend(ax, loc="lower right")
    return ax


def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
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
    """Draw the lift of the highest scores: their rate of positives relative to that of all samples.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, shape (n,), any numbers.
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

    References:
        Berry & Linoff (1997).

    Examples:
        >>> ax = lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_resamples=0)
        >>> ax.get_ylabel()
        'lift: positives found / by chance'
    """
    data = Data(y_true, y_score, key, n_resamples, confidence_level, groups, sample_weight, where)
    band = data.band(_gain_at, _GRID)
    if band is not None:
        band = band._replace(low=np.asarray(band.low) / _GRID, high=np.asarray(band.high) / _GRID)
    ax = _style.axes(ax)
    found = np.asarray(_gain_at(y_true, y_score, grid=jnp.asarray(_GRID), **data.weighted))
    draw(ax, _GRID, found / _GRID, _GRID, band, label)
    _style.reference(ax, y=1.0)
    ax.set(
        xlabel="samples taken, highest scores first",
        ylabel="lift: positives found / by chance",
        xlim=(-0.02, 1.02),
    )
    ax.set_ylim(bottom=0)
    _percent(ax, "x")
    _style.legend(ax, loc="upper right")
    return ax


def _percent(ax: Axes, which: str) -> None:
    for name in which:
        axis = getattr(ax, f"{name}axis")
        axis.set_major_formatter(lambda fraction, _: f"{100 * fraction:g} %")


def _gain(y_true: Any, y_score: Any, *, sample_weight: Any, where: Any) -> tuple[Array, Array]:
    """Fractions of samples taken, and of positives found with them."""
    counts = confusion_matrix_at_thresholds(
        y_true, y_score, sample_weight=sample_weight, where=where
    )
    dtype = jnp.result_type(float)
    # An undefined integer count is recognised by its threshold, which is NaN.
    tn, fp, fn, tp = (
        jnp.where(jnp.isnan(counts.thresholds), jnp.nan, c.astype(dtype))
        for c in (counts.tn, counts.fp, counts.fn, counts.tp)
    )
    taken = safe_divide(tp + fp, tn + fp + fn + tp, jnp.nan)
    found = safe_divide(tp, tp + fn, jnp.nan)
    return jnp.pad(taken, (1, 0)), jnp.pad(found, (1, 0))


def _gain_at(y_true: Any, y_score: Any, *, grid: Any, sample_weight: Any, where: Any) -> Array:
    taken, found = _gain(y_true, y_score, sample_weight=sample_weight, where=where)
    return jnp.interp(grid.astype(taken.dtype), taken, found)
