"""Do events happen as often as predicted, and targets fall below quantiles as often?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from jmetrics import probability, regression
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import ArrayLike
from jmetrics.inference import jackknife, proportion_interval
from jmetrics.plot import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BARS = 0.22
"""Height of the highest bar of the histogram, as a share of the axes."""


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
    """Draw how often an event happened against its predicted probability, in bins.

    For several classes the event is that the most probable one is right.

    Each bin has Wilson's interval of its share, and a bar below for how many samples it holds
    (for the first curve on an `ax`). Weighted samples count as many as (Σ w)² / Σ w².

    Shapes: those of `jmetrics.calibration_curve`, or what it returned.
    Cost: that of two calibration curves.
    Raises: ImportError without matplotlib, and what `jmetrics.calibration_curve` raises.
    Source: Murphy & Winkler (1977); Wilson (1927).

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
    share, predicted, weight = (jnp.asarray(field) for field in curve)
    counts = weight.astype(share.dtype)
    if y_proba is not None and sample_weight is not None:
        squares = jnp.square(jnp.asarray(sample_weight, share.dtype))
        of_squares = probability.calibration_curve(
            arrays, y_proba, sample_weight=squares, **options
        )
        counts = safe_divide(jnp.square(counts), of_squares.weight, 0.0)
    held = np.asarray(counts) > 0
    hits, counts = (jnp.asarray(np.asarray(a)[held]) for a in (share * counts, counts))
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
    event = "share of right predictions" if several else "share of events"
    _style.unit_square(ax, "predicted probability", event)
    _style.legend(ax, loc="upper left")
    return ax


def _bars(ax: Axes, predicted: np.ndarray, weight: np.ndarray) -> None:
    """How many samples each bin holds, with a scale of their own on the right.

    A bar fills its bin, but for bins of unequal width stands thin at the mean prediction.
    """
    right = ax.twinx()
    places, width = (np.arange(len(weight)) + 0.5) / len(weight), 0.9 / len(weight)
    held = weight > 0
    if np.any(np.abs(predicted - places)[held] > 0.501 / len(weight)):
        places, width = predicted, 0.015
    right.bar(places[held], weight[held], width, color="0.82", zorder=-1)
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
    """Draw the share of targets at or below each predicted quantile against its level.

    Shapes: `y_true` (n,), `y_pred` (n, n_levels) and `alpha` (n_levels,), the levels; or in
    place of the first two a result with `estimate`, `low` and `high` of (n_levels,), such as
    `jmetrics.inference.bootstrap` gives.
    Cost: one gradient of `jmetrics.quantile_coverage` a level, for the intervals.
    Raises: ImportError without matplotlib, and what `jmetrics.quantile_coverage` raises.
    Source: Koenker & Bassett (1978).

    >>> ax = quantile_coverage([1.0, 2.0], [[0.0, 3.0], [2.0, 3.0]], alpha=[0.1, 0.9])
    >>> ax.get_xlabel()
    'level of the predicted quantile'
    """
    result = y_true
    if y_pred is not None:
        result = jackknife(regression.quantile_coverage)(
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
