"""Metrics of predicted labels: agreement, and confusion matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import jmetrics
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import host
from jmetrics.sklearn_compat._call import of_samples
from jmetrics.sklearn_compat._params import Data
from jmetrics.sklearn_compat._targets import MULTILABEL, Labels, labels_of
from jmetrics.sklearn_compat._warn import undefined, warn


def accuracy_score(
    y_true: Data, y_pred: Data, *, normalize: bool = True, sample_weight: Data | None = None
) -> float:
    """Fraction of samples whose label, or row of indicators, is predicted correctly.

    Same as `sklearn.metrics.accuracy_score`.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        normalize: Whether to return the fraction of the weight, or the total weight.
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, 1], or in [0, Σ w] with `normalize=False`; higher is better.
    """
    arrays, weight = _entries(y_true, y_pred, normalize, sample_weight)
    metric = jmetrics.accuracy_score
    return float(of_samples(metric, *arrays, sample_weight=weight, normalize=bool(normalize)))


def zero_one_loss(
    y_true: Data, y_pred: Data, *, normalize: bool = True, sample_weight: Data | None = None
) -> float:
    """Fraction of samples whose label, or row of indicators, is misclassified.

    Same as `sklearn.metrics.zero_one_loss`, except that the result is always a Python float.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        normalize: Whether to return the fraction of the weight, or the total weight.
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, 1], or in [0, Σ w] with `normalize=False`; lower is better.
    """
    arrays, weight = _entries(y_true, y_pred, normalize, sample_weight)
    metric = jmetrics.zero_one_loss
    return float(of_samples(metric, *arrays, sample_weight=weight, normalize=bool(normalize)))


def hamming_loss(y_true: Data, y_pred: Data, *, sample_weight: Data | None = None) -> float:
    """Fraction of labels that are misclassified, each indicator separately.

    Same as `sklearn.metrics.hamming_loss`, except that the result is always a Python float.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, 1]; lower is better.
    """
    arrays, weight = _entries(y_true, y_pred, True, sample_weight)
    return float(of_samples(jmetrics.hamming_loss, *arrays, sample_weight=weight))


def _entries(
    y_true: Data, y_pred: Data, normalize: bool, sample_weight: Data | None
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray | None]:
    """Labels encoded as integers."""
    params.array_likes(sparse=True, y_true=y_true, y_pred=y_pred)
    params.flags(normalize=normalize)
    params.optional_arrays(sample_weight=sample_weight)
    data = labels_of(y_true, y_pred, sample_weight)
    if data.multilabel:
        return (data.y_true.astype(np.int64), data.y_pred.astype(np.int64)), data.sample_weight
    return data.codes(), data.sample_weight


def confusion_matrix(
    y_true: Data,
    y_pred: Data,
    *,
    labels: Data | None = None,
    sample_weight: Data | None = None,
    normalize: str | None = None,
) -> np.ndarray:
    """Number of samples of each true class (row) predicted as each class (column).

    Same as `sklearn.metrics.confusion_matrix`.

    Args:
        y_true: True labels, shape (n,).
        y_pred: Predicted labels, shape (n,).
        labels: Classes of the table in order, shape (n_classes,); None for all that occur.
        sample_weight: Weights, shape (n,).
        normalize: Divide by the sum of each row ("true"), of each column ("pred") or of the table
            ("all"); None for counts.

    Returns:
        Array (n_classes, n_classes), int64 for counts without weights or with integer weights,
            float64 otherwise.
    """
    params.one_of("normalize", normalize, ("true", "pred", "all", None))
    data, chosen = _of_classes(y_true, y_pred, labels, sample_weight)
    if normalize is not None:
        return np.nan_to_num(_confusion(data, chosen, normalize))  # NaN for empty classes
    if sample_weight is None:
        return _confusion(data, chosen).astype(np.int64)
    if _are_whole(sample_weight):
        return _exact(data, chosen, np.asarray(sample_weight))
    return _confusion(data, chosen)


def _are_whole(sample_weight: Data | None) -> bool:
    return np.asarray(sample_weight).dtype.kind in "biu"


def _of_classes(
    y_true: Data,
    y_pred: Data,
    labels: Data | None,
    sample_weight: Data | None,
    names: tuple[str, str] = ("y_true", "y_pred"),
) -> tuple[Labels, np.ndarray]:
    """Labels of classes, not indicators, and the requested classes."""
    named: dict[str, Any] = dict(zip(names, (y_true, y_pred), strict=True))
    params.array_likes(**named)
    params.optional_arrays(labels=labels, sample_weight=sample_weight)
    data = labels_of(y_true, y_pred, sample_weight)
    if data.multilabel:
        raise ValueError(f"`{names[0]}` must hold one label a sample, got {MULTILABEL} targets")
    return data, _chosen(data, labels, names[0])


def _chosen(data: Labels, labels: Data | None, name: str) -> np.ndarray:
    """The classes of a table: those that occur, or `labels`, of which at least one must occur."""
    chosen = data.classes if labels is None else host("labels", labels)
    if len(chosen) == 1:
        warn(f"one label, {chosen[0]!r}, is all there is; name all there can be by `labels`")
    if chosen.size == 0:
        raise ValueError("`labels` must name one label or more, got none")
    if labels is not None and not set(chosen.tolist()) & set(data.y_true.tolist()):
        raise ValueError(f"`labels` must name one or more that occur in `{name}`, got {labels!r}")
    return chosen


def _confusion(data: Labels, chosen: np.ndarray, normalize: str | None = None) -> np.ndarray:
    return of_samples(
        jmetrics.confusion_matrix,
        *data.codes(chosen),
        sample_weight=data.sample_weight,
        normalize=normalize,
        **_named(len(chosen)),
    )


def _exact(data: Labels, chosen: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Counts with integer weights, exact up to the wraparound of int64."""
    if float(np.sum(np.abs(weight.astype(np.float64)))) < 2**53:
        return _confusion(data, chosen).astype(np.int64)
    halves = weight.astype(np.int64) >> 32, weight.astype(np.int64) & (2**32 - 1)
    high, low = (
        _confusion(data._replace(sample_weight=half.astype(np.float64)), chosen).astype(np.int64)
        for half in halves
    )
    return (high << 32) + low


def _named(count: int) -> dict[str, Any]:
    """The first `count` codes as the classes to score, and one more code for all other labels."""
    return {"labels": tuple(range(count)), "num_classes": count + 1}


def multilabel_confusion_matrix(
    y_true: Data,
    y_pred: Data,
    *,
    sample_weight: Data | None = None,
    labels: Data | None = None,
    samplewise: bool = False,
) -> np.ndarray:
    """Confusion matrix of each class, indicator or sample against the rest.

    Same as `sklearn.metrics.multilabel_confusion_matrix`, except that empty or repeated `labels`
    raise ValueError.

    Args:
        y_true: True labels, shape (n,), or indicators, dense or sparse, shape (n, n_labels).
        y_pred: Predicted labels or indicators, of the shape of `y_true`.
        sample_weight: Weights, shape (n,).
        labels: Classes, or columns of the indicators, to count; None for all.
        samplewise: Whether to count over the indicators of each sample instead of over the samples.

    Returns:
        Array (n_classes, 2, 2), or (n, 2, 2) with `samplewise`, of [[tn, fp], [fn, tp]].
    """
    params.array_likes(sparse=True, y_true=y_true, y_pred=y_pred)
    params.optional_arrays(sample_weight=sample_weight, labels=labels)
    params.flags(samplewise=samplewise)
    data = labels_of(y_true, y_pred, sample_weight)
    if samplewise and not data.multilabel:
        raise ValueError(f"`samplewise` needs indicators, got {data.kind} targets")
    arrays, options = classwise(data, labels)
    table = of_samples(
        jmetrics.multilabel_confusion_matrix,
        *arrays,
        sample_weight=data.sample_weight,
        samplewise=bool(samplewise),
        **options,
    )
    if samplewise:
        table = table[: len(data.y_true)]
    # As in scikit-learn, integer weights give float counts of classes but integer ones of samples.
    whole = sample_weight is None or (samplewise and _are_whole(sample_weight))
    return table.astype(np.int64 if whole else np.float64)


def classwise(
    data: Labels, labels: Data | None = None
) -> tuple[tuple[np.ndarray, np.ndarray], dict[str, Any]]:
    """Arrays and options for the core to score each class, or each of `labels`."""
    if not data.multilabel:
        chosen = data.classes if labels is None else host("labels", labels)
        if not 0 < len(set(chosen.tolist())) == len(chosen):
            raise ValueError(f"`labels` must name one label or more, each once; got {labels!r}")
        return data.codes(chosen), _named(len(chosen))
    arrays = data.y_true != 0, data.y_pred != 0
    if labels is None:
        return arrays, {}
    columns, count = host("labels", labels), len(data.classes)
    if columns.min() < 0 or columns.max() >= count:
        raise ValueError(
            f"`labels` must be columns of the indicators, from 0 to {count - 1}, got {labels!r}"
        )
    return arrays, {"labels": tuple(columns.tolist())}


def cohen_kappa_score(
    y1: Data,
    y2: Data,
    *,
    labels: Data | None = None,
    weights: str | None = None,
    sample_weight: Data | None = None,
    replace_undefined_by: float = np.nan,
) -> float:
    """Agreement of two raters beyond chance.

    Same as `sklearn.metrics.cohen_kappa_score`.

    Args:
        y1: Labels by the first rater, shape (n,).
        y2: Labels by the second rater, shape (n,).
        labels: Classes of the table in order, shape (n_classes,); None for all that occur.
        weights: Weights of disagreement: "linear", "quadratic", or None for equal ones.
        sample_weight: Weights, shape (n,).
        replace_undefined_by: Value of an undefined kappa, in [−1, 1] or NaN.

    Returns:
        Float in [−1, 1]; higher is better, 0 is chance.
    """
    params.one_of("weights", weights, ("linear", "quadratic", None))
    fits = params.between(replace_undefined_by, -1, 1) or _is_nan(replace_undefined_by)
    params.real("replace_undefined_by", replace_undefined_by, fits, "in [-1, 1], or NaN")
    data, chosen = _of_classes(y1, y2, labels, sample_weight, ("y1", "y2"))
    score = of_samples(
        jmetrics.cohen_kappa_score,
        *data.codes(chosen),
        sample_weight=data.sample_weight,
        weights=weights,
        **_named(len(chosen)),
    )
    if np.isnan(score):
        undefined(f"one label is all there is: kappa is undefined, {replace_undefined_by} instead")
        return replace_undefined_by
    return float(score)


def _is_nan(value: Any) -> bool:
    return params.is_real(value) and value != value


def matthews_corrcoef(y_true: Data, y_pred: Data, *, sample_weight: Data | None = None) -> float:
    """Correlation of predicted and true classes (Matthews correlation coefficient).

    Same as `sklearn.metrics.matthews_corrcoef`.

    Args:
        y_true: True labels, shape (n,).
        y_pred: Predicted labels, shape (n,).
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [−1, 1]; higher is better, 0 is chance.
    """
    data, chosen = _of_classes(y_true, y_pred, None, sample_weight)
    score = of_samples(
        jmetrics.matthews_corrcoef,
        *data.codes(),
        sample_weight=data.sample_weight,
        num_classes=len(chosen),
    )
    return float(score)


def balanced_accuracy_score(
    y_true: Data, y_pred: Data, *, sample_weight: Data | None = None, adjusted: bool = False
) -> float:
    """Mean of the recalls of the classes in `y_true`.

    Same as `sklearn.metrics.balanced_accuracy_score`, except that it is NaN with `adjusted` for a
    single class.

    Args:
        y_true: True labels, shape (n,).
        y_pred: Predicted labels, shape (n,).
        sample_weight: Weights, shape (n,).
        adjusted: Whether to rescale the score so that chance is 0.

    Returns:
        Float in [0, 1], or in [1 / (1 − n_classes), 1] with chance at 0 if `adjusted`; higher is
            better.
    """
    params.flags(adjusted=adjusted)
    data, chosen = _of_classes(y_true, y_pred, None, sample_weight)
    codes, weight = data.codes(), data.sample_weight
    if not np.all(np.bincount(codes[0], weight, len(chosen))):
        warn("`y_pred` holds classes that `y_true` does not; they have no recall to average")
    score = of_samples(
        jmetrics.balanced_accuracy_score,
        *codes,
        sample_weight=weight,
        num_classes=len(chosen),
        adjusted=bool(adjusted),
    )
    return float(score)


def class_likelihood_ratios(
    y_true: Data,
    y_pred: Data,
    *,
    labels: Data | None = None,
    sample_weight: Data | None = None,
    replace_undefined_by: float | dict[str, float] = np.nan,
) -> tuple[float, ...]:
    """Positive and negative likelihood ratios of a binary classifier.

    Same as `sklearn.metrics.class_likelihood_ratios`, except that undefined ratios without
    positives give one UndefinedMetricWarning and no RuntimeWarning.

    Args:
        y_true: True labels, shape (n,).
        y_pred: Predicted labels, shape (n,).
        labels: The negative and the positive class; None for the two that occur.
        sample_weight: Weights, shape (n,).
        replace_undefined_by: Value of an undefined ratio: 1, NaN, or a dict with a number for "LR+"
            and for "LR-".

    Returns:
        positive: Positive likelihood ratio, a float in [0, ∞); higher is better.
        negative: Negative likelihood ratio, a float in [0, ∞); lower is better.
    """
    instead = _replacements(replace_undefined_by)
    params.array_likes(sparse=True, y_true=y_true, y_pred=y_pred)
    params.optional_arrays(labels=labels, sample_weight=sample_weight)
    data = labels_of(y_true, y_pred, sample_weight)
    if data.kind != "binary":
        raise ValueError(f"`y_true` and `y_pred` must be binary, got {data.kind} targets")
    chosen = _chosen(data, labels, "y_true")
    if len(chosen) != 2:
        raise ValueError(f"two labels are needed, a negative and a positive one, got {chosen}")
    codes = data.codes(chosen)
    # Ratios are non-negative, so −1 marks an undefined one.
    ratios = of_samples(
        jmetrics.class_likelihood_ratios,
        *codes,
        sample_weight=data.sample_weight,
        labels=(0, 1),
        replace_undefined_by=-1.0,
    )
    if np.any(np.isnan(ratios)):
        undefined("`y_true` holds no positive sample: the ratios are undefined")
    found = []
    for ratio, value, what in zip(ratios, instead, ("positive", "negative"), strict=True):
        if ratio == -1:
            wrong = "false positive" if what == "positive" else "true negative"
            undefined(f"no {wrong}: the {what} ratio is undefined, {value} instead")
        found.append(float(value if ratio == -1 else ratio))
    return tuple(found)


def _replacements(value: Any) -> tuple[float, float]:
    """The value of each ratio if it is undefined."""
    name, form = "replace_undefined_by", "1, NaN or a dict with a number for 'LR+' and for 'LR-'"
    if not isinstance(value, dict):
        fits = params.is_real(value) and (value == 1 or value != value)
        if not fits:
            raise params.refuse(name, value, form)
        return float(value), float(value)
    found: tuple[Any, Any] = value.get("LR+"), value.get("LR-")
    if not (params.between(found[0], 1, np.inf) or _is_nan(found[0])):
        raise ValueError(f"`{name}` must be {form}, the first of at least 1; got {value!r}")
    if not (params.between(found[1], 0, 1) or _is_nan(found[1])):
        raise ValueError(f"`{name}` must be {form}, the second in [0, 1]; got {value!r}")
    return float(found[0]), float(found[1])
