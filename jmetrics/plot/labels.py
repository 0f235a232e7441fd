"""Confusion matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jmetrics import classification
from jmetrics._core.types import ArrayLike
from jmetrics.plot import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NUMBERS = 12
_NARROW = 6
"""With more classes cells show no proportion, and the names below are vertical."""


def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike | None = None,
    *,
    display_labels: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many samples of each true class (row) are predicted as each class (column).

    The shade, and the second number of a cell, is the proportion of the true class; the first is
    the count. With many classes there are shades only.

    Args:
        y_true: Labels as `jmetrics.confusion_matrix` takes them, shape (n,), or the matrix alone,
            shape (K, K).
        y_pred: Predicted labels, shape (n,); not with a matrix.
        display_labels: Names of the K classes.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.
        ax: Axes to draw on; those of a new figure by default.

    Returns:
        The `matplotlib.axes.Axes` that were drawn on.

    Cost:
        That of `jmetrics.confusion_matrix`.

    Raises:
        ImportError: Without matplotlib.
        ValueError: For a wrong number of names, and what `jmetrics.confusion_matrix` raises.

    References:
        `sklearn.metrics.ConfusionMatrixDisplay`.

    Examples:
        >>> ax = confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1], display_labels=["cat", "dog"])
        >>> [text.get_text() for text in ax.get_xticklabels()]
        ['cat', 'dog']
    """
    names = None if display_labels is None else [str(name) for name in display_labels]
    if y_pred is None:
        counts = np.asarray(y_true)
    else:
        classes = None if names is None else len(names)
        counts = np.asarray(
            classification.confusion_matrix(
                y_true, y_pred, num_classes=classes, sample_weight=sample_weight, where=where
            )
        )
    names = [str(k) for k in range(len(counts))] if names is None else names
    if len(names) != len(counts):
        raise ValueError(f"`display_labels` must have {len(counts)} entries, got {len(names)}")
    total = counts.sum(axis=1, keepdims=True)
    fractions = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    side = max(_style.SIZE[1], 0.45 * min(len(counts), _MOST_NUMBERS) + 1.2)
    ax = _style.axes(ax, width=side + 0.6, height=side)
    image = ax.imshow(fractions, cmap="Blues", vmin=0, vmax=1)
    if len(counts) <= _MOST_NUMBERS:
        _numbers(ax, counts, fractions)
    _name_classes(ax, names)
    bar = ax.figure.colorbar(
        image, ax=ax, shrink=0.8, format=lambda fraction, _: f"{100 * fraction:g} %"
    )
    bar.set_label("fraction of the true class")
    bar.outline.set_visible(False)
    return ax


def _numbers(ax: Axes, counts: np.ndarray, fractions: np.ndarray) -> None:
    few = len(counts) <= _NARROW
    whole = np.all(counts == np.round(counts))
    for (row, column), fraction in np.ndenumerate(fractions):
        count = f"{counts[row, column]:,.{0 if whole else 1}f}".replace(",", "\u202f")
        text = f"{count}\n{100 * fraction:.1f} %" if few else count
        size = 8 if few else 6
        color = "white" if fraction > 0.55 else "black"
        ax.text(column, row, text, ha="center", va="center", color=color, fontsize=size)


def _name_classes(ax: Axes, names: list[str]) -> None:
    few = len(names) <= _NARROW and max(map(len, names)) <= 8
    step = 1 + (len(names) - 1) // 30
    positions = np.arange(0, len(names), step)
    shown = [names[position] for position in positions]
    ax.set_xticks(positions, shown, rotation=0 if few else 90)
    ax.set_yticks(positions, shown)
    ax.set(xlabel="predicted class", ylabel="true class")
    ax.tick_params(length=0)
