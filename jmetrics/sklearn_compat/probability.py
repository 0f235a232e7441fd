"""Metrics of predicted probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import jmetrics
from jmetrics._core.types import Tree
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import column, host, numeric, same_length, weights
from jmetrics.sklearn_compat._call import of_samples
from jmetrics.sklearn_compat._params import Data, Label
from jmetrics.sklearn_compat._targets import MULTILABEL, positions, target
from jmetrics.sklearn_compat._warn import undefined, warn


def log_loss(
    y_true: Data,
    y_proba: Data | None = None,
    *,
    normalize: bool = True,
    sample_weight: Data | None = None,
    labels: Data | None = None,
    y_pred: str | Data = "deprecated",
) -> float:
    """Negative mean log-likelihood of the true classes.

    Same as `sklearn.metrics.log_loss`.

    Args:
        y_true: True labels, shape (n,), or indicators, shape (n, n_classes).
        y_proba: Probability of the positive of two classes, shape (n,), or of each class, shape
            (n, n_classes).
        normalize: Whether to return the mean over the samples, or the sum.
        sample_weight: Weights, shape (n,).
        labels: All classes, if some do not occur in `y_true`; None for those that occur.
        y_pred: Deprecated name of `y_proba`.

    Returns:
        Float in [0, ∞), in nats; lower is better.
    """
    y_proba = _renamed(y_proba, y_pred)
    params.array_likes(y_true=y_true, y_proba=y_proba)
    params.flags(normalize=normalize)
    params.optional_arrays(sample_weight=sample_weight, labels=labels)
    data = _of_classes(y_true, _probabilities(y_proba), sample_weight, labels)
    return data.log_loss(normalize=bool(normalize))


def d2_log_loss_score(
    y_true: Data,
    y_proba: Data | None = None,
    *,
    sample_weight: Data | None = None,
    labels: Data | None = None,
    y_pred: str | Data = "deprecated",
) -> float:
    """Fraction of the log loss explained, relative to predicting the class frequencies.

    Same as `sklearn.metrics.d2_log_loss_score`.

    Args:
        y_true: True labels, shape (n,), or indicators, shape (n, n_classes).
        y_proba: Probability of the positive of two classes, shape (n,), or of each class, shape
            (n, n_classes).
        sample_weight: Weights, shape (n,).
        labels: All classes, if some do not occur in `y_true`; None for those that occur.
        y_pred: Deprecated name of `y_proba`.

    Returns:
        Float in (−∞, 1]; higher is better. NaN for fewer than two samples.
    """
    y_proba = _renamed(y_proba, y_pred)
    params.array_likes(y_true=y_true, y_proba=y_proba)
    params.optional_arrays(sample_weight=sample_weight, labels=labels)
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    data = _of_classes(y_true, _probabilities(y_proba), sample_weight, labels)
    return data.explained(Probable.log_loss)


def brier_score_loss(
    y_true: Data,
    y_proba: Data,
    *,
    sample_weight: Data | None = None,
    pos_label: Label | None = None,
    labels: Data | None = None,
    scale_by_half: bool | str = "auto",
) -> float:
    """Mean squared distance between predicted probabilities and outcomes.

    Same as `sklearn.metrics.brier_score_loss`.

    Args:
        y_true: True labels, shape (n,), or indicators, shape (n, n_classes).
        y_proba: Probability of the positive of two classes, shape (n,), or of each class, shape
            (n, n_classes).
        sample_weight: Weights, shape (n,).
        pos_label: Positive class for `y_proba` of shape (n,); None for 1 of {0, 1} or {−1, 1}, else
            the largest number.
        labels: All classes, if some do not occur in `y_true`; None for those that occur.
        scale_by_half: Whether to halve the sum over classes, for a range of [0, 1]; "auto" for
            fewer than three classes.

    Returns:
        Float in [0, 1] if halved, else in [0, 2]; lower is better.
    """
    params.array_likes(y_true=y_true, y_proba=y_proba)
    params.optional_arrays(sample_weight=sample_weight, labels=labels)
    params.pos_label(pos_label)
    if not (isinstance(scale_by_half, str) and scale_by_half == "auto"):
        params.flags(scale_by_half=scale_by_half)
    data = _of_two_or_more(y_true, y_proba, sample_weight, pos_label, labels)
    return data.brier_score(scale_by_half)


def d2_brier_score(
    y_true: Data,
    y_proba: Data,
    *,
    sample_weight: Data | None = None,
    pos_label: Label | None = None,
    labels: Data | None = None,
) -> float:
    """Fraction of the Brier score explained, relative to predicting the class frequencies.

    Same as `sklearn.metrics.d2_brier_score`.

    Args:
        y_true: True labels, shape (n,), or indicators, shape (n, n_classes).
        y_proba: Probability of the positive of two classes, shape (n,), or of each class, shape
            (n, n_classes).
        sample_weight: Weights, shape (n,).
        pos_label: Positive class for `y_proba` of shape (n,); None for 1 of {0, 1} or {−1, 1}, else
            the largest number.
        labels: All classes, if some do not occur in `y_true`; None for those that occur.

    Returns:
        Float in (−∞, 1]; higher is better. NaN for fewer than two samples.
    """
    params.array_likes(y_true=y_true, y_proba=y_proba)
    params.optional_arrays(sample_weight=sample_weight, labels=labels)
    params.pos_label(pos_label)
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    data = _of_two_or_more(y_true, y_proba, sample_weight, pos_label, labels)
    return data.explained(Probable.brier_score)


def _renamed(y_proba: Data | None, y_pred: str | Data) -> Any:
    """The probabilities, also accepted under their deprecated name; not checked."""
    if isinstance(y_pred, str):
        if y_pred == "deprecated":
            return y_proba
    elif y_proba is None:
        warn("`y_pred` is called `y_proba` now", FutureWarning)
        return y_pred
    else:
        raise ValueError("`y_proba` was given twice, also under its old name `y_pred`")
    raise params.refuse("y_pred", y_pred, "an array, or left out")


def _too_few(y_true: Data, y_proba: Any, sample_weight: Data | None) -> bool:
    """Whether there are fewer than two samples, after a warning."""
    same_length(y_proba=y_proba, y_true=y_true, sample_weight=sample_weight)
    if len(y_proba) >= 2:
        return False
    undefined(f"the score needs 2 samples or more, got {len(y_proba)}: NaN instead")
    return True


class Probable(NamedTuple):
    """Labels and predicted probabilities as the core takes them."""

    label: np.ndarray
    """Class indices (n,), or indicators if a row has several ones, or none."""
    proba: np.ndarray
    sample_weight: np.ndarray | None

    @property
    def several(self) -> bool:
        """Whether samples may belong to several classes, or to none."""
        return self.label.ndim == 2

    def call(self, metric: Callable[..., Tree], **options: Any) -> float:
        """Call a metric of the core."""
        arrays = self.label, self.proba
        return float(of_samples(metric, *arrays, sample_weight=self.sample_weight, **options))

    def log_loss(self, normalize: bool = True) -> float:
        """The log loss, which counts a sample once for each of its classes."""
        if not self.several:
            return self.call(jmetrics.log_loss, normalize=normalize)
        sample, label = np.nonzero(self.label)
        weight = np.ones(len(self.label)) if self.sample_weight is None else self.sample_weight
        each = Probable(label, self.proba[sample], weight[sample])
        total = each.call(jmetrics.log_loss, normalize=False)
        return float(total / np.sum(weight)) if normalize else total

    def brier_score(self, scale_by_half: bool | str = False) -> float:
        """The Brier score, summed over the columns of indicators."""
        if not self.several:
            return self.call(jmetrics.brier_score_loss, scale_by_half=scale_by_half)
        columns = self.proba.shape[1]
        halved = columns < 3 if isinstance(scale_by_half, str) else scale_by_half
        return self.call(jmetrics.mean_squared_error) * (columns / 2 if halved else columns)

    def explained(self, loss: Callable[[Probable], float]) -> float:
        """Fraction explained of the loss of always predicting the frequencies.

        Computed as a ratio, not by the core's D², it is infinite where all samples are of one
        class, and exactly 0 for the frequencies themselves.
        """
        null = np.broadcast_to(self.frequencies(), self.proba.shape).astype(self.proba.dtype)
        with np.errstate(all="ignore"):
            return float(1 - np.float64(loss(self)) / loss(self._replace(proba=null)))

    def frequencies(self) -> np.ndarray:
        """Frequency of each class, or of the second of two."""
        if self.several:
            return np.average(self.label, axis=0, weights=self.sample_weight)
        count = 2 if self.proba.ndim == 1 else self.proba.shape[1]
        weight = np.bincount(self.label, self.sample_weight, count)
        fractions = weight / np.sum(weight)
        return fractions if self.proba.ndim == 2 else fractions[1]


def _probabilities(y_proba: Data) -> np.ndarray:
    """Floats in their own dtype, which determines how close to 0 and 1 they are clipped."""
    proba = numeric("y_proba", y_proba)
    proba = proba if proba.dtype.kind == "f" else proba.astype(np.float64)
    if proba.ndim == 2 and proba.shape[1] == 1:
        proba = proba[:, 0]
    low, high = proba.min(), proba.max()
    if low < 0 or high > 1:
        raise ValueError(f"`y_proba` must be in [0, 1], got values from {low} to {high}")
    return proba


def _of_two_or_more(
    y_true: Data,
    y_proba: Data,
    sample_weight: Data | None,
    pos_label: Label | None,
    labels: Data | None,
) -> Probable:
    proba = _probabilities(y_proba)
    if proba.ndim == 1:
        return _of_two(y_true, proba, sample_weight, pos_label)
    return _of_classes(y_true, proba, sample_weight, labels)


def _of_two(
    y_true: Data, proba: np.ndarray, sample_weight: Data | None, pos_label: Label | None
) -> Probable:
    """Samples of two classes with the probability of one."""
    same_length(y_proba=proba, y_true=y_true, sample_weight=sample_weight)
    column("y_true", host("y_true", y_true))
    found = target("y_true", y_true)
    if found.kind != "binary":
        raise ValueError(f"`y_true` must be binary for `y_proba` (n,), got {found.kind} targets")
    chosen = positive_label(pos_label, found.classes, largest=True)
    is_positive = positions(found.values, np.asarray([chosen])) == 0
    return Probable(is_positive, proba, weights(sample_weight, len(proba)))


def positive_label(pos_label: Label | None, classes: np.ndarray, *, largest: bool = False) -> Any:
    """The positive label: as given, 1 of {0, 1} or {−1, 1}, or the `largest` of numbers."""
    if pos_label is not None:
        return pos_label
    found = set(classes.tolist()) if classes.dtype.kind not in "OUS" else {None}
    if found <= {0, 1} or found <= {-1, 1}:
        return 1
    if largest and None not in found:
        return classes[-1]
    raise ValueError(f"`pos_label` must be given for `y_true` with labels {classes.tolist()}")


def _of_classes(
    y_true: Data, proba: np.ndarray, sample_weight: Data | None, labels: Data | None
) -> Probable:
    """Samples of classes with the probability of each, or of the second of two."""
    same_length(y_proba=proba, y_true=y_true, sample_weight=sample_weight)
    weight = weights(sample_weight, len(proba))
    found = target("y_true", y_true)
    if found.kind not in ("binary", "multiclass", MULTILABEL):
        raise ValueError(f"`y_true` must be labels, got {found.kind} targets")
    if found.kind == MULTILABEL and labels is not None:
        raise ValueError(f"`labels` must be None for indicators, got {labels!r}")
    classes = _expected(found.classes, found.values, labels)
    if proba.ndim == 2:
        _warn_of_sums(proba)
    columns = 2 if proba.ndim == 1 else proba.shape[1]
    if len(classes) != columns:
        raise ValueError(
            f"`y_proba` has {columns} classes but there are {len(classes)}, {classes.tolist()}; "
            "name all of them by `labels`"
        )
    if found.kind != MULTILABEL:
        return Probable(positions(found.values, classes), proba, weight)
    chosen = found.values != 0
    if np.all(np.count_nonzero(chosen, axis=1) == 1):
        return Probable(np.argmax(chosen, axis=1), proba, weight)
    return Probable(chosen.astype(proba.dtype), proba, weight)


def _expected(found: np.ndarray, values: np.ndarray, labels: Data | None) -> np.ndarray:
    """The classes of the columns: `labels`, or those that occur."""
    if labels is None:
        if len(found) == 1:
            raise ValueError(f"`labels` must be given where `y_true` holds {found[0]!r} alone")
        return found
    named = column("labels", host("labels", labels))
    classes = np.unique(named)
    if not np.array_equal(classes, named):
        warn(f"`labels` are taken in order, as {classes.tolist()}, not as given, {labels!r}")
    if values.ndim == 1 and not set(values.tolist()) <= set(classes.tolist()):
        extra = set(values.tolist()) - set(classes.tolist())
        raise ValueError(f"`y_true` holds {extra}, which `labels` {labels!r} lack")
    if len(classes) < 2:
        raise ValueError(f"`labels` must be two or more, got {labels!r}")
    return classes


def _warn_of_sums(proba: np.ndarray) -> None:
    total = np.sum(proba, axis=1)
    if not np.all(np.abs(total - 1) <= np.sqrt(np.finfo(proba.dtype).eps)):
        warn("the rows of `y_proba` do not sum to 1")
