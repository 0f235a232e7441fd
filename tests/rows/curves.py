"""Rows of the metrics of scores at all thresholds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jmetrics import curves
from jmetrics._core.numerics import safe_divide
from tests.oracles import curves as oracles
from tests.row import EXPLAINED, EXTREMES, STEPS, Arrays, Outside, Row, Variant, binary, tied_scores

BINARY = Outside("y_true", 2.0, "`y_true` must be 0 or 1")
CLASSES = Outside("y_true", 0.5, "`y_true` must be")
NOT_NUMBER = Outside("y_score", np.nan, "`y_score` must not be NaN")
OUTSIDE = (BINARY, NOT_NUMBER)
TRAITS = frozenset({STEPS})
JUMPS = TRAITS | {EXTREMES}


def class_scores(rng: np.random.Generator, n: int) -> Arrays:
    """Three classes and ties; two classes within the first two samples."""
    y = np.append([2, 0], rng.integers(0, 3, max(n - 2, 0)))[:n]
    return y, np.round(3 * (np.eye(3)[y] + rng.normal(0, 1, (n, 3)))) / 4


def clear_scores(rng: np.random.Generator, n: int) -> Arrays:
    """Scores of which the highest belong to positives."""
    y = binary(rng, n)
    return y, np.round(4 * (y + rng.normal(0, 0.6, n))) / 4


def label_scores(rng: np.random.Generator, n: int) -> Arrays:
    """Both values of each of three labels within the first two samples."""
    y = np.stack([binary(rng, n) ^ (k == 1) for k in range(3)], axis=1).astype(int)
    return y, np.round(3 * (y + rng.normal(0, 1, (n, 3)))) / 4


def area(x: Any, y: Any) -> Any:
    """Trapezoids; arrays may be padded by their last entries. NaN where x or y is."""
    return jnp.sum(jnp.diff(x) * (y[1:] + y[:-1])) / 2 + 0 * (x[-1] + y[-1])


def moment(x: Any, y: Any) -> Any:
    """The area under y², y being straight between points."""
    low, high = y[:-1], y[1:]
    return jnp.sum(jnp.diff(x) * (low * low + low * high + high * high)) / 3 + 0 * (x[-1] + y[-1])


SUMMARIES: set[Callable[..., Any]] = set()
"""What `summed` has made."""


def summed(
    curve: Callable[..., Any], summary: Callable[..., Any], **fixed: Any
) -> Callable[..., Any]:
    """Numbers that a curve gives however it is padded, so that every law can be asked of it."""

    @functools.wraps(curve, assigned=("__module__", "__name__"))
    def metric(y_true: Any, y_score: Any, **arguments: Any) -> Any:
        points = curve(y_true, y_score, **fixed, **arguments)
        with jax.transfer_guard("allow"), jax.debug_nans(False):
            return summary(*points)

    SUMMARIES.add(metric)
    return metric


def of_roc(fpr: Any, tpr: Any, thresholds: Any, size: Any) -> Any:
    return area(fpr, tpr), moment(fpr, tpr)


def of_precision_recall(precision: Any, recall: Any, thresholds: Any, size: Any) -> Any:
    steps = jnp.sum(-jnp.diff(recall) * precision[:-1]) + 0 * precision[-1]
    return steps, area(thresholds, recall[:-1]) if thresholds.shape[0] else jnp.nan * steps


def of_det(fpr: Any, fnr: Any, thresholds: Any, size: Any) -> Any:
    return -area(fpr, fnr), -moment(fpr, fnr)


def of_cells(tn: Any, fp: Any, fn: Any, tp: Any, thresholds: Any, size: Any) -> Any:
    cells = [cell.astype(thresholds.dtype) + 0 * thresholds for cell in (tn, fp, fn, tp)]
    total = cells[1][-1] + cells[3][-1]
    a, b, c, d = (-area(thresholds, safe_divide(cell, total, jnp.nan)) for cell in cells)
    return a + 2 * b, c + 2 * d


def of_values(values: Any, thresholds: Any, size: Any) -> Any:
    return -area(thresholds, values)


@jax.jit
def f1(counts: Any) -> Any:
    """The derivative of a plain quotient squares what it is divided by, out of range."""
    return safe_divide(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn, jnp.nan)


def level(name: str, least: float = 0.617) -> dict[str, Any]:
    """What the rows of a metric at a given level have in common."""
    return {
        "traits": JUMPS,
        "variants": (Variant({name: least}),),
        "traced": {name: (0.383, 0.517)},
        "outside": (Outside(name, 1.5, f"`{name}` must be in [0, 1]"), *OUTSIDE),
    }


CURVES = (
    Row(
        metric=curves.roc_auc_score,
        make=tied_scores,
        oracle=oracles.roc_auc,
        traits=TRAITS,
        variants=(
            Variant(),
            Variant({"max_fpr": 0.3}),
            Variant({"min_tpr": 0.6, "max_fpr": 0.7}),
            Variant({"multi_class": "ovr"}, class_scores, outside=(CLASSES, NOT_NUMBER)),
            Variant(
                {"multi_class": "ovo", "average": "weighted"},
                class_scores,
                outside=(CLASSES, NOT_NUMBER),
            ),
            Variant({"average": None}, label_scores),
        ),
        traced={"max_fpr": (0.23, 0.81), "min_tpr": (0.17, 0.63)},
        refused={"average": "binary", "multi_class": "all"},
        outside=(*OUTSIDE, Outside("max_fpr", 0.0, "`max_fpr` must be in (0, 1]")),
    ),
    Row(
        metric=curves.average_precision_score,
        make=tied_scores,
        oracle=oracles.average_precision,
        traits=TRAITS,
        variants=(
            Variant(),
            Variant({"average": "weighted"}, class_scores, outside=(CLASSES, NOT_NUMBER)),
            Variant({"average": "samples"}, label_scores),
        ),
        refused={"average": "binary"},
        outside=OUTSIDE,
    ),
    Row(
        metric=curves.gini,
        make=tied_scores,
        oracle=oracles.gini,
        traits=TRAITS | {EXPLAINED},
        outside=OUTSIDE,
    ),
    Row(
        metric=curves.equal_error_rate,
        make=tied_scores,
        oracle=oracles.equal_error_rate,
        traits=TRAITS,
        outside=OUTSIDE,
    ),
    Row(
        metric=curves.ks_statistic,
        make=tied_scores,
        oracle=oracles.ks_statistic,
        traits=JUMPS,
        outside=OUTSIDE,
    ),
    Row(
        metric=curves.recall_at_precision,
        make=clear_scores,
        oracle=oracles.recall_at_precision,
        **level("min_precision", 0.83),
    ),
    Row(
        metric=curves.precision_at_recall,
        make=tied_scores,
        oracle=oracles.precision_at_recall,
        **level("min_recall"),
    ),
    Row(
        metric=curves.sensitivity_at_specificity,
        make=tied_scores,
        oracle=oracles.sensitivity_at_specificity,
        **level("min_specificity"),
    ),
    Row(
        metric=curves.specificity_at_sensitivity,
        make=tied_scores,
        oracle=oracles.specificity_at_sensitivity,
        **level("min_sensitivity"),
    ),
    Row(
        metric=summed(curves.roc_curve, of_roc),
        make=tied_scores,
        oracle=oracles.roc_curve,
        traits=JUMPS,
        refused={"size": 0},
        outside=OUTSIDE,
    ),
    Row(
        metric=summed(curves.precision_recall_curve, of_precision_recall),
        make=tied_scores,
        oracle=oracles.precision_recall_curve,
        traits=JUMPS,
        outside=OUTSIDE,
    ),
    Row(
        metric=summed(curves.det_curve, of_det),
        make=tied_scores,
        oracle=oracles.det_curve,
        traits=JUMPS,
        outside=OUTSIDE,
    ),
    Row(
        metric=summed(curves.confusion_matrix_at_thresholds, of_cells),
        make=tied_scores,
        oracle=oracles.cells,
        traits=JUMPS,
        outside=OUTSIDE,
    ),
    Row(
        metric=summed(curves.metric_at_thresholds, of_values, metric_of_counts=f1),
        make=tied_scores,
        oracle=oracles.f1_area,
        traits=JUMPS,
        outside=OUTSIDE,
    ),
)
