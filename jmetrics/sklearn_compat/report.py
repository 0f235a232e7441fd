"""The report of all classes and their averages, as text or as a dict."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from jax import Array

import jmetrics
from jmetrics._core.types import Tree
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import host
from jmetrics.sklearn_compat._params import Data
from jmetrics.sklearn_compat._targets import Labels, labels_of
from jmetrics.sklearn_compat._warn import warn
from jmetrics.sklearn_compat.overlap import rated

HEADERS = ("precision", "recall", "f1-score", "support")
KINDS = ("precision", "recall", "f-score")
Line = tuple[str, list[Any]]

Report: TypeAlias = dict[str, Any]
"""The scores of each row by name; only the accuracy is a single number."""


def classification_report(
    y_true: Data,
    y_pred: Data,
    *,
    labels: Data | None = None,
    target_names: Data | None = None,
    sample_weight: Data | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: float | str = "warn",
) -> str | Report:
    """Precision, recall, F1 and support of each class, and their averages.

    Same as `sklearn.metrics.classification_report`, except that it warns once for each undefined
    score, empty or repeated `labels` raise ValueError, and pandas' nullable integers are named
    without decimals.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        labels: Classes of the rows, or columns of the indicators; None for all.
        target_names: Names of the rows, in the order of the classes; None for the classes
            themselves.
        sample_weight: Weights, shape (n,).
        digits: Number of decimals in the text.
        output_dict: Whether to return a dict instead of text.
        zero_division: Value of 0 / 0: 0, 1, NaN, or "warn" for 0 and a warning.

    Returns:
        Text, or with `output_dict` a dict of each row's scores by name.
    """
    params.array_likes(sparse=True, y_true=y_true, y_pred=y_pred)
    params.optional_arrays(labels=labels, target_names=target_names, sample_weight=sample_weight)
    params.at_least("digits", digits, 0)
    params.flags(output_dict=output_dict)
    params.zero_division(zero_division)
    data = labels_of(y_true, y_pred, sample_weight)
    chosen = data.classes if labels is None else host("labels", labels)
    names = _names(chosen, target_names, labels is not None)
    headings = _headings(data, labels)
    each, *averages = _scores(data, chosen, [average for _, average in headings], zero_division)
    support = each[3] if sample_weight is not None else each[3].astype(np.int64)
    rows = list(zip(names, map(list, zip(*each[:3], support, strict=True)), strict=False))
    total = np.sum(support)
    ends = [
        (heading, [*scores[:3], total])
        for (heading, _), scores in zip(headings, averages, strict=True)
    ]
    return _as_dict(rows, ends) if output_dict else _as_text(rows, ends, names, digits)


def _scores(
    data: Labels, chosen: np.ndarray, averages: list[str], zero_division: float | str
) -> Tree:
    """The scores of each class, then their averages."""
    if data.multilabel and isinstance(zero_division, str):
        rated(data, chosen, 1, "samples").warn(KINDS)
    return rated(data, chosen, 1, None).score(
        _with_averages, KINDS, zero_division, averages=tuple(averages)
    )


def _with_averages(
    y_true: Array, y_pred: Array, *, average: str | None, averages: tuple[str, ...], **options: Any
) -> tuple[Tree, ...]:
    score = jmetrics.precision_recall_fscore_support
    return tuple(score(y_true, y_pred, average=a, **options) for a in (average, *averages))


def _names(chosen: np.ndarray, target_names: Any, labelled: bool) -> list[Any]:
    """Names of the rows."""
    if target_names is None:
        return [str(label) for label in chosen]
    names = list(target_names)
    if len(names) != len(chosen):
        message = f"`target_names` are {len(names)}, for {len(chosen)} labels"
        if not labelled:
            raise ValueError(f"{message}; say by `labels` which ones")
        warn(message)
    return names


def _headings(data: Labels, labels: Data | None) -> list[tuple[str, str]]:
    """Averages with their headings; the micro average over all classes is the accuracy."""
    averages = ["micro", "macro", "weighted", *(["samples"] if data.multilabel else [])]
    headings = [f"{average} avg" for average in averages]
    complete = labels is None or set(host("labels", labels).tolist()) >= set(data.classes.tolist())
    if complete and not data.multilabel:
        headings[0] = "accuracy"
    return list(zip(headings, averages, strict=True))


def _as_dict(rows: list[Line], averages: list[Line]) -> Report:
    report: Report = {
        name: dict(zip(HEADERS, map(float, scores), strict=True))
        for name, scores in rows + averages
    }
    if "accuracy" in report:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(rows: list[Line], averages: list[Line], names: list[Any], digits: int) -> str:
    width = max(*(len(name) for name in names), len("weighted avg"), digits)
    lines = [f"{'':>{width}s}  " + " ".join(f"{header:>9}" for header in HEADERS) + "\n"]
    lines += [_line(name, scores, width, digits) for name, scores in rows]
    lines.append("")
    lines += [_line(name, scores, width, digits) for name, scores in averages]
    return "\n".join(lines) + "\n"


def _line(name: str, scores: list[Any], width: int, digits: int) -> str:
    *fractions, support = scores
    cells = [f"{fraction:>9.{digits}f}" for fraction in fractions]
    if name == "accuracy":
        cells[:2] = [" " * 9] * 2
    return f"{name:>{width}s}  " + " ".join([*cells, f"{support:>9}"])
