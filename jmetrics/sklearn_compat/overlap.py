"""Precision, recall, and scores derived from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import jmetrics
from jmetrics._core.types import Tree
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._call import of_samples
from jmetrics.sklearn_compat._params import Data, Label, Score
from jmetrics.sklearn_compat._targets import Labels, labels_of, positions
from jmetrics.sklearn_compat._warn import undefined, warn
from jmetrics.sklearn_compat.labels import classwise

AVERAGES = ("micro", "macro", "samples", "weighted", "binary", None)


def precision_score(
    y_true: Data,
    y_pred: Data,
    *,
    labels: Data | None = None,
    pos_label: Label | None = 1,
    average: str | None = "binary",
    sample_weight: Data | None = None,
    zero_division: float | str = "warn",
) -> Score:
    """Fraction of the predicted positives that are positive.

    Same as `sklearn.metrics.precision_score`, except that empty or repeated `labels` raise
    ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        labels: Classes, or columns of the indicators, to average over; None for all.
        pos_label: Positive class for `average="binary"`.
        average: "binary" for the score of `pos_label`; "micro", "macro", "weighted" or "samples"
            averages; None for the score of each class.
        sample_weight: Weights, shape (n,).
        zero_division: Value of 0 / 0: 0, 1, NaN, or "warn" for 0 and a warning.

    Returns:
        Float in [0, 1], or array (n_classes,) with `average=None`; higher is better.
    """
    data = _checked(y_true, y_pred, labels, pos_label, average, sample_weight)
    return data.score(jmetrics.precision_score, ("precision",), zero_division)


def recall_score(
    y_true: Data,
    y_pred: Data,
    *,
    labels: Data | None = None,
    pos_label: Label | None = 1,
    average: str | None = "binary",
    sample_weight: Data | None = None,
    zero_division: float | str = "warn",
) -> Score:
    """Fraction of the positives that are predicted positive.

    Same as `sklearn.metrics.recall_score`, except that empty or repeated `labels` raise ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        labels: Classes, or columns of the indicators, to average over; None for all.
        pos_label: Positive class for `average="binary"`.
        average: "binary" for the score of `pos_label`; "micro", "macro", "weighted" or "samples"
            averages; None for the score of each class.
        sample_weight: Weights, shape (n,).
        zero_division: Value of 0 / 0: 0, 1, NaN, or "warn" for 0 and a warning.

    Returns:
        Float in [0, 1], or array (n_classes,) with `average=None`; higher is better.
    """
    data = _checked(y_true, y_pred, labels, pos_label, average, sample_weight)
    return data.score(jmetrics.recall_score, ("recall",), zero_division)


def f1_score(
    y_true: Data,
    y_pred: Data,
    *,
    labels: Data | None = None,
    pos_label: Label | None = 1,
    average: str | None = "binary",
    sample_weight: Data | None = None,
    zero_division: float | str = "warn",
) -> Score:
    """Harmonic mean of precision and recall.

    Same as `sklearn.metrics.f1_score`, except that empty or repeated `labels` raise ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        labels: Classes, or columns of the indicators, to average over; None for all.
        pos_label: Positive class for `average="binary"`.
        average: "binary" for the score of `pos_label`; "micro", "macro", "weighted" or "samples"
            averages; None for the score of each class.
        sample_weight: Weights, shape (n,).
        zero_division: Value of 0 / 0: 0, 1, NaN, or "warn" for 0 and a warning.

    Returns:
        Float in [0, 1], or array (n_classes,) with `average=None`; higher is better.
    """
    data = _checked(y_true, y_pred, labels, pos_label, average, sample_weight)
    return data.score(jmetrics.f1_score, ("f-score",), zero_division)


def fbeta_score(
    y_true: Data,
    y_pred: Data,
    *,
    beta: float,
    labels: Data | None = None,
    pos_label: Label | None = 1,
    average: str | None = "binary",
    sample_weight: Data | None = None,
    zero_division: float | str = "warn",
) -> Score:
    """Weighted harmonic mean of precision and recall, with weight β² for recall.

    Same as `sklearn.metrics.fbeta_score`, except that empty or repeated `labels` raise ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        beta: Weight of recall relative to precision, in [0, ∞].
        labels: Classes, or columns of the indicators, to average over; None for all.
        pos_label: Positive class for `average="binary"`.
        average: "binary" for the score of `pos_label`; "micro", "macro", "weighted" or "samples"
            averages; None for the score of each class.
        sample_weight: Weights, shape (n,).
        zero_division: Value of 0 / 0: 0, 1, NaN, or "warn" for 0 and a warning.

    Returns:
        Float in [0, 1], or array (n_classes,) with `average=None`; higher is better.
    """
    _check_beta(beta)
    data = _checked(y_true, y_pred, labels, pos_label, average, sample_weight)
    return data.score(jmetrics.fbeta_score, _f_warnings(beta), zero_division, beta=float(beta))


def jaccard_score(
    y_true: Data,
    y_pred: Data,
    *,
    labels: Data | None = None,
    pos_label: Label | None = 1,
    average: str | None = "binary",
    sample_weight: Data | None = None,
    zero_division: float | str = "warn",
) -> Score:
    """Intersection over union of the positives and the predicted positives.

    Same as `sklearn.metrics.jaccard_score`, except that empty or repeated `labels` raise
    ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        labels: Classes, or columns of the indicators, to average over; None for all.
        pos_label: Positive class for `average="binary"`.
        average: "binary" for the score of `pos_label`; "micro", "macro", "weighted" or "samples"
            averages; None for the score of each class.
        sample_weight: Weights, shape (n,).
        zero_division: Value of 0 / 0: 0, 1, or "warn" for 0 and a warning.

    Returns:
        Float in [0, 1], or array (n_classes,) with `average=None`; higher is better.
    """
    params.zero_division(zero_division, nan=False)
    data = _checked(y_true, y_pred, labels, pos_label, average, sample_weight)
    return data.score(jmetrics.jaccard_score, ("jaccard",), zero_division)


def precision_recall_fscore_support(
    y_true: Data,
    y_pred: Data,
    *,
    beta: float = 1.0,
    labels: Data | None = None,
    pos_label: Label | None = 1,
    average: str | None = None,
    warn_for: list[str] | tuple[str, ...] | set[str] = ("precision", "recall", "f-score"),
    sample_weight: Data | None = None,
    zero_division: float | str = "warn",
) -> tuple[Score, Score, Score, np.ndarray | None]:
    """Precision, recall, F-score and support of each class, or their averages.

    Same as `sklearn.metrics.precision_recall_fscore_support`, except that empty or repeated
    `labels` raise ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        beta: Weight of recall relative to precision, in [0, ∞].
        labels: Classes, or columns of the indicators, to average over; None for all.
        pos_label: Positive class for `average="binary"`.
        average: "binary" for the score of `pos_label`; "micro", "macro", "weighted" or "samples"
            averages; None for the score of each class.
        warn_for: Scores to warn for when undefined, of "precision", "recall" and "f-score".
        sample_weight: Weights, shape (n,).
        zero_division: Value of 0 / 0: 0, 1, NaN, or "warn" for 0 and a warning.

    Returns:
        precision: Float in [0, 1], or array (n_classes,) with `average=None`; higher is better.
        recall: Likewise.
        fbeta_score: Likewise.
        support: Number or weight of the samples of each class, shape (n_classes,); None with an
            `average`.
    """
    _check_beta(beta)
    if not isinstance(warn_for, list | tuple | set):
        raise params.refuse("warn_for", warn_for, "a list, a tuple or a set")
    data = _checked(y_true, y_pred, labels, pos_label, average, sample_weight)
    f_score = _f_warnings(beta) if "f-score" in warn_for else ()
    kinds = [kind for kind in ("precision", "recall") if kind in warn_for]
    value = data.score(
        jmetrics.precision_recall_fscore_support,
        (*kinds, *(kind for kind in f_score if kind == "f-score")),
        zero_division,
        beta=float(beta),
    )
    if average is not None:
        return (*value[:3], None)
    support = value[3] if sample_weight is not None else value[3].astype(np.int64)
    return (*value[:3], support)


def _check_beta(beta: float) -> None:
    params.real("beta", beta, params.between(beta, 0, np.inf), "of at least 0")


def _f_warnings(beta: float) -> tuple[str, ...]:
    """Scores to warn for: an F-score at β = 0 or ∞ is precision or recall alone."""
    return ("f-score",) if 0 < beta < np.inf else ()


class Rated(NamedTuple):
    """Labels as the core takes them, with its options for averaging over classes."""

    y_true: np.ndarray
    y_pred: np.ndarray
    sample_weight: np.ndarray | None
    average: str | None
    options: dict[str, Any]

    def score(
        self,
        metric: Callable[..., Tree],
        kinds: tuple[str, ...],
        zero_division: float | str,
        **options: Any,
    ) -> Tree:
        """Call a metric of the core, after warnings for divisions by 0 in these `kinds`."""
        instead = params.zero_division(zero_division)
        if isinstance(zero_division, str) and kinds:
            self.warn(kinds)
        value = of_samples(
            metric,
            self.y_true,
            self.y_pred,
            sample_weight=self.sample_weight,
            average=self.average,
            zero_division=instead,
            **self.options,
            **options,
        )
        return _plain(value)

    def warn(self, kinds: tuple[str, ...]) -> None:
        """Warn of divisions by 0 in these `kinds` of scores."""
        true, pred = self._occurs(self.y_true), self._occurs(self.y_pred)
        empty = {
            "precision": (~pred, "predicted"),
            "recall": (~true, "true"),
            "f-score": (~(true | pred), "true or predicted"),
            "jaccard": (~(true | pred), "true or predicted"),
        }
        for kind in kinds:
            undefined_at, what = empty[kind]
            if np.any(undefined_at):
                axes = "label", "sample"
                which, has = axes[::-1] if self.average == "samples" else axes
                where = "" if undefined_at.size == 1 else f" for a {which}"
                undefined(
                    f"{kind} is undefined{where} without a {what} {has}: 0 instead, or what "
                    "`zero_division` says"
                )

    def _occurs(self, labels: np.ndarray) -> np.ndarray:
        """Whether any weight is positive, for each class, column or sample, or overall."""
        weight = self.sample_weight
        if labels.ndim == 2:
            chosen = labels[:, list(self.options.get("labels", range(labels.shape[1])))]
            on = chosen if weight is None else chosen & (weight != 0)[:, None]
            occurs = np.any(on, axis=1 if self.average == "samples" else 0)
        elif labels.dtype == np.bool_:
            occurs = np.any(labels if weight is None else labels[weight != 0], keepdims=True)
        else:
            counted = labels if weight is None else labels[weight != 0]
            count = len(self.options["labels"])
            occurs = np.bincount(counted, minlength=count)[:count] != 0
        return np.any(occurs, keepdims=True) if self.average == "micro" else occurs


def _plain(value: Tree) -> Tree:
    """Convert scalars to Python floats."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value if value is None or value.ndim else float(value)


def _checked(
    y_true: Data,
    y_pred: Data,
    labels: Data | None,
    pos_label: Label | None,
    average: str | None,
    sample_weight: Data | None,
) -> Rated:
    params.array_likes(sparse=True, y_true=y_true, y_pred=y_pred)
    params.optional_arrays(labels=labels, sample_weight=sample_weight)
    params.pos_label(pos_label)
    params.one_of("average", average, AVERAGES)
    data = labels_of(y_true, y_pred, sample_weight)
    return rated(data, labels, pos_label, average)


def rated(data: Labels, labels: Data | None, pos_label: Label | None, average: str | None) -> Rated:
    """Convert labels to the arrays and options that the core takes for an average."""
    options: dict[str, Any] = {}
    if average == "binary":
        arrays = _positive(data, pos_label)
    else:
        if pos_label not in (None, 1):
            warn(f"`pos_label` {pos_label!r} has no part in `average={average!r}`")
        if average == "samples" and not data.multilabel:
            raise ValueError(f"`average='samples'` needs indicators, got {data.kind} targets")
        arrays, options = classwise(data, labels)
    return Rated(*arrays, data.sample_weight, average, options)


def _positive(data: Labels, pos_label: Label | None) -> tuple[np.ndarray, np.ndarray]:
    """Whether each label is the positive one of two."""
    if data.kind != "binary":
        raise ValueError(
            f"`average='binary'` needs two classes, got {data.kind} targets; choose another"
        )
    if len(data.classes) == 2 and pos_label not in data.classes.tolist():
        raise ValueError(f"`pos_label` must be one of {data.classes}, got {pos_label!r}")
    chosen = np.asarray([pos_label])
    return positions(data.y_true, chosen) == 0, positions(data.y_pred, chosen) == 0
