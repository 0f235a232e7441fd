"""Axes, colours and lines that look alike in every picture, in print and in grey."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = (("#0072b2", "-"), ("#e69f00", "--"), ("#222222", "-."), ("#cc79a7", ":"))
"""Colours that differ for every kind of colour vision and in grey, and dashes for the rest."""

GREY = "0.55"
SIZE = (3.6, 3.4)
"""Width and height in inches, for one column of print."""
LAYOUT = "compressed"
"""Leaves room for all labels, also of axes that must be square."""
_POINTS = 2000


def axes(ax: Axes | None, *, width: float = SIZE[0], height: float = SIZE[1]) -> Axes:
    """Return the axes to draw on, those of a new figure if there are none."""
    if ax is not None:
        return ax
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        message = "pictures need matplotlib: pip install 'jmetrics-jax[plot]'"
        raise ImportError(message) from None
    return pyplot.subplots(figsize=(width, height), layout=LAYOUT)[1]


def next_line(ax: Axes) -> tuple[str, str]:
    """Colour and dashes of the next curve, by how many there are."""
    drawn = sum(line.get_gid() == "curve" for line in ax.lines)
    return LINES[drawn % len(LINES)]


def curve(ax: Axes, x: Any, y: Any, label: str | None, **options: Any) -> str:
    """Draw one more curve and return its colour; of very many points some are enough."""
    color, dashes = next_line(ax)
    x, y = np.asarray(x), np.asarray(y)
    if len(x) > _POINTS:
        chosen = np.unique(np.linspace(0, len(x) - 1, _POINTS).round().astype(int))
        x, y = x[chosen], y[chosen]
    marker = "o" if len(x) == 1 else ""  # a line of one point would be nothing to see
    style: dict[str, Any] = dict(color=color, linestyle=dashes, marker=marker)
    ax.plot(x, y, label=label, gid="curve", **(style | options))
    return color


def points(ax: Axes, x: Any, result: Any, label: str | None, **options: Any) -> str:
    """Draw points with their intervals and return their colour."""
    color, dashes = next_line(ax)
    y, low, high = (np.asarray(a, float) for a in (result.estimate, result.low, result.high))
    reach = np.maximum(np.stack([y - low, high - y]), 0)
    style: dict[str, Any] = dict(
        color=color, linestyle=dashes, marker="o", markersize=4, capsize=2.5, linewidth=1
    )
    drawn = ax.errorbar(x, y, reach, label=label, **(style | options))
    drawn.lines[0].set_gid("curve")
    return color


def reference(ax: Axes, *, slope: float | None = None, y: float | None = None, **line: Any) -> None:
    """Draw a reference line behind the curve: one through 0, or a horizontal one."""
    style: dict[str, Any] = dict(color=GREY, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0) | line
    if slope is not None:
        ax.axline((0, 0), slope=slope, **style)
    else:
        ax.axhline(y or 0.0, **style)


def legend(ax: Axes, **options: Any) -> None:
    """Show a legend, if anything has a label."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small", framealpha=0.9, borderaxespad=0.6, **options)


def unit_square(ax: Axes, xlabel: str, ylabel: str) -> None:
    """Label two axes from 0 to 1."""
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), box_aspect=1)
