"""The picture of the demo: four panels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import PercentFormatter
from sklearn.metrics import roc_curve

from jmetrics.demo import amounts, quantiles, ranking

_COLORS = ("#0072b2", "#d55e00")


def draw(
    output: Path,
    ranked: ranking.Ranking,
    spread: quantiles.Quantiles,
    fitted: amounts.Amounts,
) -> None:
    """Write the picture; the suffix of `output` determines its format."""
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    figure = Figure(figsize=(8, 7), dpi=150, layout=layout)
    top, bottom = figure.subplots(2, 2)
    _training(top[0], ranked)
    _roc(top[1], ranked)
    _coverage(bottom[0], spread)
    _calibration(bottom[1], fitted)
    figure.savefig(output)


def _training(axes: Axes, ranked: ranking.Ranking) -> None:
    for color, (name, history) in zip(_COLORS, ranked.history.items(), strict=True):
        axes.plot(np.arange(1, len(history) + 1), history, color=color, label=name)
    axes.set(
        title="Digits: AUC while training",
        xlabel="epoch",
        ylabel="AUC, mean of the training batches",
    )
    axes.legend(title="trained with", loc="lower right")


def _roc(axes: Axes, ranked: ranking.Ranking) -> None:
    entries = ranked.auc.part(slice(2)).entries()
    for color, name, score, auc in zip(
        _COLORS, ranked.history, ranked.scores.T, entries, strict=True
    ):
        false_positives, true_positives, _ = roc_curve(ranked.split.y_test, score)
        label = f"{name}\nAUC {auc.value:.3f} ({auc.low:.3f} to {auc.high:.3f})"
        axes.plot(false_positives, true_positives, color=color, label=label)
    _diagonal(axes)
    axes.set(
        title="Digits: ROC of images held out",
        xlabel="false positive rate",
        ylabel="true positive rate",
        aspect="equal",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    axes.legend(title="trained with (95 % interval)", loc="lower right", framealpha=1)


def _coverage(axes: Axes, spread: quantiles.Quantiles) -> None:
    share = spread.share.part(slice(-1))
    _intervals(axes, np.array(quantiles.LEVELS), share.value, share.low, share.high)
    _diagonal(axes, "as wanted")
    axes.set(
        title="Diabetes: do the quantiles hold?",
        xlabel="level of the predicted quantile",
        ylabel="targets at or below it",
        aspect="equal",
        xlim=(0, 1),
        ylim=(0, 1),
    )
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.legend(loc="upper left")


def _calibration(axes: Axes, fitted: amounts.Amounts) -> None:
    means = amounts.calibration(fitted)
    reach = 1.96 * means.error
    _intervals(axes, means.predicted, means.actual, means.actual - reach, means.actual + reach)
    _diagonal(axes, "predicted = actual")
    axes.set(
        title="Affairs: is the mean right?",
        xlabel="mean prediction in each tenth of the women",
        ylabel="mean of their answers",
        xlim=(0, None),
        ylim=(0, None),
    )
    axes.legend(loc="upper left")


def _intervals(axes: Axes, x: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    axes.errorbar(
        x,
        y,
        np.stack([y - low, high - y]),
        fmt="o",
        color=_COLORS[0],
        markersize=4,
        capsize=3,
        label="95 % interval",
    )


def _diagonal(axes: Axes, label: str | None = None) -> None:
    axes.axline((0, 0), slope=1, color="0.6", linewidth=1, linestyle="--", zorder=0, label=label)
