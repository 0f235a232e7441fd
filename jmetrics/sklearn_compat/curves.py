"""Curves of scores over all thresholds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

import jmetrics
from jmetrics._core.types import Tree
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import column, finite, host, numeric, same_length, weights
from jmetrics.sklearn_compat._call import bucket, in_64_bits, of_curve
from jmetrics.sklearn_compat._params import Data, Label
from jmetrics.sklearn_compat._targets import positions, target
from jmetrics.sklearn_compat._warn import undefined, warn
from jmetrics.sklearn_compat.probability import positive_label

Curve: TypeAlias = tuple[np.ndarray, ...]
"""The coordinates of all points, and their thresholds."""


def auc(x: Data, y: Data) -> float:
    """Area under a curve through points, by the trapezoidal rule.

    Same as `sklearn.metrics.auc`.

    Args:
        x: Coordinates on the horizontal axis, shape (n_points,), increasing or decreasing.
        y: Coordinates on the vertical axis, shape (n_points,).

    Returns:
        Float in (−∞, ∞).
    """
    params.array_likes(x=x, y=y)
    same_length(x=x, y=y)
    x, y = (column(name, host(name, a)).astype(np.float64) for name, a in (("x", x), ("y", y)))
    if len(x) < 2:
        raise ValueError(f"`x` must have 2 points or more, got {len(x)}")
    if np.any(x[1:] < x[:-1]) and np.any(x[1:] > x[:-1]):
        raise ValueError("`x` must rise or fall all the way")
    # A repeated point adds nothing to an area.
    more = bucket(len(x)) - len(x)
    return float(
        in_64_bits(jmetrics.auc, np.pad(x, (0, more), "edge"), np.pad(y, (0, more), "edge"))
    )


class CurveData(NamedTuple):
    """Binary labels with scores, as the core takes them."""

    positive: np.ndarray
    score: np.ndarray
    sample_weight: np.ndarray | None
    classes: int
    """Number of classes that occur."""
    dtype: np.dtype
    """Original dtype of the scores."""

    def curve(self, function: Callable[..., Tree], **options: Any) -> Curve:
        """Call a function of the core."""
        return of_curve(function, self.positive, self.score, self.sample_weight, **options)

    def lacks(self, positive: bool) -> bool:
        """Whether no sample with positive weight is positive, or none is negative."""
        found = self.positive == positive
        return not np.any(found if self.sample_weight is None else found[self.sample_weight != 0])


def _also_positional(function: Callable[..., Curve]) -> Callable[..., Curve]:
    """Accept options by position, as scikit-learn does until 1.11."""

    @functools.wraps(function)
    def call(
        y_true: Data,
        y_score: Data,
        *unnamed: Label | Data | None,
        **options: Label | Data | None,
    ) -> Curve:
        if unnamed:
            warn("`pos_label` and `sample_weight` must be given by name", FutureWarning)
            options.update(zip(("pos_label", "sample_weight"), unnamed, strict=False))
        return function(y_true, y_score, **options)

    return call


@_also_positional
def confusion_matrix_at_thresholds(
    y_true: Data,
    y_score: Data,
    *,
    pos_label: Label | None = None,
    sample_weight: Data | None = None,
) -> Curve:
    """Counts tn, fp, fn and tp of predicting positive at or above each threshold.

    Same as `sklearn.metrics.confusion_matrix_at_thresholds`, except that empty input raises
    ValueError.

    Args:
        y_true: True labels, shape (n,).
        y_score: Scores, shape (n,).
        pos_label: Positive class; None for 1 of {0, 1} or {−1, 1}.
        sample_weight: Weights, shape (n,).

    Returns:
        tns: Weight of the true negatives, shape (n_thresholds,).
        fps: Weight of the false positives.
        fns: Weight of the false negatives.
        tps: Weight of the true positives.
        thresholds: The scores, decreasing.
    """
    data = _curve_data(y_true, y_score, pos_label, sample_weight)
    *cells, thresholds = data.curve(jmetrics.confusion_matrix_at_thresholds)
    return (*(cell.astype(np.float64) for cell in cells), thresholds.astype(data.dtype))


def precision_recall_curve(
    y_true: Data,
    y_score: Data,
    *,
    pos_label: Label | None = None,
    sample_weight: Data | None = None,
    drop_intermediate: bool = False,
) -> Curve:
    """Precision and recall at all thresholds.

    Same as `sklearn.metrics.precision_recall_curve`, except that empty input raises ValueError.

    Args:
        y_true: True labels, shape (n,).
        y_score: Scores, shape (n,).
        pos_label: Positive class; None for 1 of {0, 1} or {−1, 1}.
        sample_weight: Weights, shape (n,).
        drop_intermediate: Whether to drop thresholds that do not change the shape of the curve.

    Returns:
        precision: Precisions in [0, 1], shape (n_thresholds + 1,), ending in 1.
        recall: Recalls in [0, 1], shape (n_thresholds + 1,), ending in 0.
        thresholds: Increasing, shape (n_thresholds,).
    """
    params.flags(drop_intermediate=drop_intermediate)
    data = _curve_data(y_true, y_score, pos_label, sample_weight)
    if data.lacks(True):
        warn("`y_true` holds no positive sample: the recall is 1 at all thresholds")
    drop = bool(drop_intermediate)
    precision, recall, thresholds = data.curve(
        jmetrics.precision_recall_curve, drop_intermediate=drop
    )
    return precision, recall, thresholds.astype(data.dtype)


def roc_curve(
    y_true: Data,
    y_score: Data,
    *,
    pos_label: Label | None = None,
    sample_weight: Data | None = None,
    drop_intermediate: bool = True,
) -> Curve:
    """False and true positive rates at all thresholds.

    Same as `sklearn.metrics.roc_curve`, except that empty input raises ValueError.

    Args:
        y_true: True labels, shape (n,).
        y_score: Scores, shape (n,).
        pos_label: Positive class; None for 1 of {0, 1} or {−1, 1}.
        sample_weight: Weights, shape (n,).
        drop_intermediate: Whether to drop thresholds that do not change the shape of the curve.

    Returns:
        fpr: False positive rates in [0, 1], shape (n_thresholds,).
        tpr: True positive rates in [0, 1], shape (n_thresholds,).
        thresholds: Decreasing from ∞, shape (n_thresholds,).
    """
    params.flags(drop_intermediate=drop_intermediate)
    data = _curve_data(y_true, y_score, pos_label, sample_weight)
    for positive, kind in ((False, "negative"), (True, "positive")):
        if data.lacks(positive):
            undefined(f"`y_true` holds no {kind} sample: the false or true positive rate is NaN")
    return data.curve(jmetrics.roc_curve, drop_intermediate=bool(drop_intermediate))


def det_curve(
    y_true: Data,
    y_score: Data,
    pos_label: Label | None = None,
    sample_weight: Data | None = None,
    drop_intermediate: bool = False,
) -> Curve:
    """False positive and false negative rates at all thresholds.

    Same as `sklearn.metrics.det_curve`, except that empty input raises ValueError.

    Args:
        y_true: True labels, shape (n,).
        y_score: Scores, shape (n,).
        pos_label: Positive class; None for 1 of {0, 1} or {−1, 1}.
        sample_weight: Weights, shape (n,).
        drop_intermediate: Whether to drop thresholds that do not change the shape of the curve.

    Returns:
        fpr: False positive rates in [0, 1], shape (n_thresholds,).
        fnr: False negative rates in [0, 1], shape (n_thresholds,).
        thresholds: Increasing, shape (n_thresholds,).
    """
    params.flags(drop_intermediate=drop_intermediate)
    data = _curve_data(y_true, y_score, pos_label, sample_weight)
    if data.classes != 2:
        raise ValueError(f"`y_true` must hold two classes, got {data.classes}")
    return data.curve(jmetrics.det_curve, drop_intermediate=bool(drop_intermediate))


def _curve_data(
    y_true: Data, y_score: Data, pos_label: Label | None, sample_weight: Data | None
) -> CurveData:
    params.array_likes(y_true=y_true, y_score=y_score)
    params.pos_label(pos_label)
    params.optional_arrays(sample_weight=sample_weight)
    found = target("y_true", y_true)
    if not (found.kind == "binary" or (found.kind == "multiclass" and pos_label is not None)):
        raise ValueError(
            f"`y_true` must be binary, or have a `pos_label`; got {found.kind} targets"
        )
    chosen = positive_label(pos_label, found.classes)
    same_length(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    score = column("y_score", numeric("y_score", y_score))
    is_positive = positions(found.values, np.asarray([chosen])) == 0
    weight = column_weights(sample_weight, len(score))
    return CurveData(is_positive, comparable(score), weight, len(found.classes), score.dtype)


def column_weights(sample_weight: Data | None, n: int) -> np.ndarray | None:
    """Weights, flattened if given as one column."""
    if sample_weight is None:
        return None
    return weights(column("sample_weight", host("sample_weight", sample_weight)), n)


def comparable(score: np.ndarray) -> np.ndarray:
    """Scores in one of two dtypes that keep their order, so that few programs are compiled."""
    narrow = score.dtype.kind == "u" and score.dtype.itemsize < 8
    return score.astype(np.int64 if score.dtype.kind in "bi" or narrow else np.float64, copy=False)


def metric_at_thresholds(
    y_true: Data,
    y_score: Data,
    metric_func: Callable[..., npt.ArrayLike],
    *,
    sample_weight: Data | None = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Any metric of labels for predicting 1 at or above each threshold.

    Same as `sklearn.metrics.metric_at_thresholds`, except that empty input raises ValueError.

    Args:
        y_true: True labels, shape (n,).
        y_score: Scores, shape (n,).
        metric_func: Function of `y_true` and predicted labels 0 and 1, called on the host.
        sample_weight: Weights, shape (n,).
        metric_params: Keyword arguments of `metric_func`.

    Returns:
        values: Value of the metric at each threshold.
        thresholds: The distinct scores, decreasing.
    """
    params.array_likes(y_true=y_true, y_score=y_score)
    params.optional_arrays(sample_weight=sample_weight)
    if not callable(metric_func):
        raise params.refuse("metric_func", metric_func, "a function")
    if not isinstance(metric_params, dict | None):
        raise params.refuse("metric_params", metric_params, "a dict or None")
    same_length(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    true = column("y_true", host("y_true", y_true))
    finite("y_true", true)
    score = column("y_score", numeric("y_score", y_score))
    weight = column_weights(sample_weight, len(score))
    options = dict(metric_params or {})
    if weight is not None:
        true, score, weight = (a[weight != 0] for a in (true, score, weight))
        options["sample_weight"] = weight
    thresholds = np.unique(score)[::-1]
    values = [metric_func(true, (score >= t).astype(np.int32), **options) for t in thresholds]
    return np.asarray(values), thresholds
