"""Areas under curves of scores, binary, multiclass and multilabel."""

from __future__ import annotations

import numpy as np

import jmetrics
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import column, numeric, same_length
from jmetrics.sklearn_compat._call import of_samples
from jmetrics.sklearn_compat._params import Data, Label, Score
from jmetrics.sklearn_compat._targets import MULTILABEL, Target, positions, target
from jmetrics.sklearn_compat._warn import undefined, warn
from jmetrics.sklearn_compat.curves import column_weights, comparable
from jmetrics.sklearn_compat.decisions import known, rising_labels
from jmetrics.sklearn_compat.probability import positive_label

AVERAGES = ("micro", "macro", "samples", "weighted", None)


def average_precision_score(
    y_true: Data,
    y_score: Data,
    *,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: Data | None = None,
) -> Score:
    """Mean over the positives of the precision at their score.

    Same as `sklearn.metrics.average_precision_score`, except that mismatched shapes raise
    ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, shape (n, n_labels).
        y_score: Scores, shape (n,) for two classes, else (n, n_classes) or (n, n_labels).
        average: "micro", "macro", "weighted" or "samples" averages of the columns; None for the
            score of each.
        pos_label: Positive class of two; 1 for classes or indicators in columns.
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, 1], or array (n_classes,) with `average=None`; higher is better.
    """
    params.array_likes(y_true=y_true, y_score=y_score)
    params.one_of("average", average, AVERAGES)
    params.pos_label(pos_label, none=False)
    params.optional_arrays(sample_weight=sample_weight)
    found = target("y_true", y_true)
    same_length(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    score = comparable(numeric("y_score", y_score))
    weight = column_weights(sample_weight, len(score))
    if found.kind == "binary":
        score, positive = column("y_score", score), _is_positive(found, pos_label)
    else:
        positive = _one_or_more(found, pos_label)
        if score.shape != positive.shape:
            raise ValueError(f"`y_score` must have shape {positive.shape}, got {score.shape}")
    if average == "weighted" and positive.ndim == 2 and not np.any(positive):
        return 0.0
    if np.any(_none(positive, weight, average)):
        warn("`y_true` holds no positive sample for a score: its recall is 1 at all thresholds")
    value = of_samples(
        jmetrics.average_precision_score, positive, score, sample_weight=weight, average=average
    )
    return value if value.ndim else float(value)


def _is_positive(found: Target, pos_label: Label | None) -> np.ndarray:
    if len(found.classes) == 2 and pos_label not in found.classes.tolist():
        raise ValueError(f"`pos_label` must be one of {found.classes}, got {pos_label!r}")
    return positions(found.values, np.asarray([pos_label])) == 0


def _one_or_more(found: Target, pos_label: Label | None) -> np.ndarray:
    """Indicators of labels or of classes."""
    if found.kind not in ("multiclass", MULTILABEL):
        raise ValueError(f"`y_true` must be labels, got {found.kind} targets")
    if pos_label != 1:
        raise ValueError(f"`pos_label` must be 1 for {found.kind} targets, got {pos_label!r}")
    if found.kind == MULTILABEL:
        return found.values == 1
    return positions(found.values, found.classes)[:, None] == np.arange(len(found.classes))


def _none(chosen: np.ndarray, weight: np.ndarray | None, average: str | None) -> np.ndarray:
    """Whether nothing with weight is chosen: overall, per column, or per row of indicators."""
    if average == "samples" and chosen.ndim == 2:
        return ~np.any(chosen, axis=1)
    counted = chosen if weight is None else chosen[weight != 0]
    return ~np.any(counted, axis=None if average == "micro" else 0, keepdims=True)


def roc_auc_score(
    y_true: Data,
    y_score: Data,
    *,
    average: str | None = "macro",
    sample_weight: Data | None = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Data | None = None,
) -> Score:
    """Area under the ROC curve: the fraction of (positive, negative) pairs ranked correctly.

    Same as `sklearn.metrics.roc_auc_score`, except that the result of `multi_class="ovo"` is always
    a Python float, and mismatched shapes raise ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, shape (n, n_labels).
        y_score: Scores, shape (n,) for two classes, else (n, n_labels), or probabilities, shape
            (n, n_classes).
        average: "micro", "macro", "weighted" or "samples" averages of the columns; None for the
            area of each.
        sample_weight: Weights, shape (n,).
        max_fpr: Standardised partial area up to this false positive rate in (0, 1]; None for the
            whole area.
        multi_class: "ovr" (one versus rest) or "ovo" (one versus one) for several classes; "raise"
            refuses them.
        labels: Classes of the columns in increasing order; None for those that occur.

    Returns:
        Float in [0, 1], or array (n_classes,) with `average=None`; higher is better. NaN for a
            single class.
    """
    params.array_likes(y_true=y_true, y_score=y_score)
    params.one_of("average", average, AVERAGES)
    params.optional_arrays(sample_weight=sample_weight, labels=labels)
    part = _partial(max_fpr)
    params.one_of("multi_class", multi_class, ("raise", "ovr", "ovo"))
    found = target("y_true", y_true)
    score = comparable(numeric("y_score", y_score))
    if _are_classes(found, score):
        if part is not None:
            raise ValueError(f"`max_fpr` must be None for several classes, got {max_fpr!r}")
        label = _classes(found, score, average, multi_class, labels)
        if multi_class == "ovo" and sample_weight is not None:
            raise ValueError("`sample_weight` must be None for `multi_class='ovo'`")
        positive = label[:, None] == np.arange(score.shape[1])
    else:
        label = positive = _two_or_columns(found, score)
        multi_class = "raise"
    same_length(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    weight = column_weights(sample_weight, len(score))
    if multi_class != "ovo":
        if average == "weighted" and positive.ndim == 2 and not np.any(positive):
            return 0.0
        _warn_of_one_class(positive, weight, average)
    value = of_samples(
        jmetrics.roc_auc_score,
        label,
        score.reshape(positive.shape),
        sample_weight=weight,
        average=average,
        max_fpr=part,
        multi_class=multi_class,
    )
    return value if value.ndim else float(value)


def _partial(max_fpr: float | None) -> float | None:
    """The false positive rate up to which the area is; None for the whole area."""
    if max_fpr is None:
        return None
    params.real("max_fpr", max_fpr, params.between(max_fpr, 0, 1) and max_fpr > 0, "in (0, 1]")
    return None if max_fpr == 1 else float(max_fpr)


def _are_classes(found: Target, score: np.ndarray) -> bool:
    """Whether labels are of several classes, which may not all occur."""
    wide = score.ndim == 2 and score.shape[1] > 2
    return found.kind == "multiclass" or (found.kind == "binary" and wide)


def _two_or_columns(found: Target, score: np.ndarray) -> np.ndarray:
    """Whether each label, or each indicator, is positive."""
    if found.kind == "binary":
        column("y_score", score)
        return (positions(found.values, found.classes) == 1) & (len(found.classes) == 2)
    if found.kind != MULTILABEL or found.values.shape != score.shape:
        raise ValueError(
            f"`y_true` must be labels, and `y_score` fit them; got {found.kind} targets of shape "
            f"{found.values.shape} and scores of shape {score.shape}"
        )
    positive_label(None, np.unique(found.values))
    return found.values == 1


def _warn_of_one_class(
    positive: np.ndarray, weight: np.ndarray | None, average: str | None
) -> None:
    if np.any(_none(positive, weight, average) | _none(~positive, weight, average)):
        undefined("`y_true` holds one class for a score: its area is NaN")


def _classes(
    found: Target, score: np.ndarray, average: str | None, multi_class: str, labels: Data | None
) -> np.ndarray:
    """Column index of the class of each sample."""
    if multi_class == "raise":
        raise ValueError("`multi_class` must be 'ovr' or 'ovo' for several classes, got 'raise'")
    if score.ndim != 2:
        raise ValueError(f"`y_score` must have shape (n, n_classes), got {score.shape}")
    if not np.allclose(1, np.sum(score, axis=1)):
        raise ValueError("`y_score` must be probabilities for several classes, with rows of sum 1")
    if average == "samples" or (average == "micro" and multi_class == "ovo"):
        raise ValueError(f"`average` {average!r} is none for `multi_class={multi_class!r}`")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("`average` must not be None for `multi_class='ovo'`")
    classes = found.classes if labels is None else rising_labels(labels)
    if len(classes) != score.shape[1]:
        raise ValueError(
            f"`y_score` has {score.shape[1]} columns for {len(classes)} classes, {classes.tolist()}"
        )
    return known(found.values, classes)
