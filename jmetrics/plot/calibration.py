"""Do events happen as often as predicted, and targets fall below quantiles as often?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from jmetrics import probability, regression
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import ArrayLike
from jmetrics.inference import infinitesimal_jackknife, proportion_interval
from jmetrics.plot import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BARS = 0.22
"""Height of the highest bar of the histogram, as a fraction of the axes."""


def calibration_curve(
    y_true: ArrayLike | probability.CalibrationCurve,
    y_proba: ArrayLike | None = None,
    *,
    label: str | None = None,
    n_bins: int = 10,
    strategy: str = "uniform",
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the observed frequency of an event against its predicted probability, in bins.

    For several classes the event is that the most probable one is right.

    Each bin has Wilson's interval of its proportion, and a bar below for the number of samples in
    it (for the first curve on an `ax`). Weighted samples count as many as (Σ w)² / Σ w².

    Args:
        y_true: Labels as `jmetrics.calibration_curve` takes them, shape (n,), or the curve that it
            returned.
        y_proba: Probabilities as `jmetrics.calibration_curve` takes them, shape (n,) or
            (n, n_classes); not with a curve.
        label: Name of the curve in the legend. Several curves on one `ax` differ in colour and
            dashes.
        n_bins: Number of bins, a positive integer.
        strategy: "uniform" for bins of equal width, "quantile" for bins of equal size.
        confidence_level: Coverage aimed at by the intervals, in (0, 1).
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        That of two calibration curves.

    Raises:
        ImportError: Without matplotlib.
        ValueError: What `jmetrics.calibration_curve` raises.

    References:
        Murphy & Winkler (1977); Wilson (1927).

    Examples:
        >>> ax = calibration_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], n_bins=2)
        >>> ax.get_xlabel()
        'predicted probability'
    """
    arrays: Any = y_true
    curve = arrays
    if y_proba is not None:
        options: dict[str, Any] = {"n_bins": n_bins, "strategy": strategy, "where": where}
        curve = probability.calibration_curve(
            arrays, y_proba, sample_weight=sample_weight, **options
        )
    fraction, predicted, weight = (jnp.asarray(field) for field in curve)
    counts = weight.astype(fraction.dtype)
    if y_proba is not None and sample_weight is not None:
        squares = jnp.square(jnp.asarray(sample_weight, fraction.dtype))
        of_squares = probability.calibration_curve(
            arrays, y_proba, sample_weight=squares, **options
        )
        counts = safe_divide(jnp.square(counts), of_squares.weight, 0.0)
    held = np.asarray(counts) > 0
    hits, counts = (jnp.asarray(np.asarray(a)[held]) for a in (fraction * counts, counts))
    interval = proportion_interval(
        jnp.minimum(hits, counts), counts, confidence_level=confidence_level
    )
    ax = _style.axes(ax)
    first = not ax.containers
    _style.points(ax, np.asarray(predicted)[held], interval, label)
    if first:
        _bars(ax, np.asarray(predicted), np.asarray(weight))
        _style.reference(ax, slope=1)
    several = y_proba is not None and np.ndim(y_proba) == 2
    event = "fraction of correct predictions" if several else "fraction of events"
    _style.unit_square(ax, "predicted probability", event)
    _style.legend(ax, loc="upper left")
    return ax


def _bars(ax: Axes, predicted: np.ndarray, weight: np.ndarray) -> None:
    """How many samples each bin holds, with a scale of their own on the right.

    A bar fills its bin, but for bins of unequal width stands thin at the mean prediction.
    """
    right = ax.twinx()
    centres, width = (np.arange(len(weight)) + 0.5) / len(weight), 0.9 / len(weight)
    held = weight > 0
    if np.any(np.abs(predicted - centres)[held] > 0.501 / len(weight)):
        centres, width = predicted, 0.015
    right.bar(centres[held], weight[held], width, color="0.82", zorder=-1)
    most = max(float(weight.max(initial=0)), 1.0)
    # A margin of the unit square lies below 0 there too.
    right.set_ylim(-0.02 * most / _BARS, 1.02 * most / _BARS)
    right.set_yticks([0, most], ["0", f"{most:,.0f}".replace(",", "\u202f")])
    right.tick_params(labelsize="small", colors="0.35")
    right.set_ylabel("samples in the bin", color="0.35", fontsize="small", loc="bottom")
    right.spines[["top", "right"]].set_color("0.8")
    right.set_box_aspect(1)
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)


def quantile_coverage(
    y_true: Any,
    y_pred: ArrayLike | None = None,
    *,
    alpha: ArrayLike,
    label: str | None = None,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the proportion of targets at or below each predicted quantile against its level.

    Args:
        y_true: Targets, shape (n,), or a result with `estimate`, `low` and `high` of shape
            (n_levels,), such as `jmetrics.inference.bootstrap` returns.
        y_pred: Predicted quantiles, shape (n, n_levels); not with a result.
        alpha: Levels of the quantiles, in (0, 1), shape (n_levels,).
        label: Name of the curve in the legend. Several curves on one `ax` differ in colour and
            dashes.
        confidence_level: Coverage aimed at by the intervals, in (0, 1).
        groups: Group of each sample, shape (n,), integers, where samples depend on each other.
        sample_weight: Weights, shape (n,).
        where: Mask as `jmetrics.quantile_coverage` takes it, samples along the first axis.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        One gradient of `jmetrics.quantile_coverage` per level, for the intervals.

    Raises:
        ImportError: Without matplotlib.
        ValueError: What `jmetrics.quantile_coverage` raises.

    References:
        Koenker & Bassett (1978).

    Examples:
        >>> ax = quantile_coverage([1.0, 2.0], [[0.0, 3.0], [2.0, 3.0]], alpha=[0.1, 0.9])
        >>> ax.get_xlabel()
        'level of the predicted quantile'
    """
    result = y_true
    if y_pred is not None:
        result = infinitesimal_jackknife(regression.quantile_coverage)(
            y_true,
            y_pred,
            confidence_level=confidence_level,
            scale="logit",
            groups=groups,
            sample_weight=sample_weight,
            where=where,
        )
    ax = _style.axes(ax)
    _style.points(ax, np.asarray(alpha), result, label)
    _style.reference(ax, slope=1)
    _style.unit_square(ax, "level of the predicted quantile", "targets at or below it")
    _style.legend(ax, loc="upper left")
    return ax
