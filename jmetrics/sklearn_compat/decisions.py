"""Metrics of decision values and of the highest scores."""

from __future__ import annotations

import numpy as np

import jmetrics
from jmetrics.sklearn_compat import _params as params
from jmetrics.sklearn_compat._arrays import column, host, numeric, same_length, weights
from jmetrics.sklearn_compat._call import of_samples
from jmetrics.sklearn_compat._params import Data
from jmetrics.sklearn_compat._targets import distinct, positions, target
from jmetrics.sklearn_compat._warn import undefined


def hinge_loss(
    y_true: Data,
    pred_decision: Data,
    *,
    labels: Data | None = None,
    sample_weight: Data | None = None,
) -> float:
    """Mean shortfall of the decision values below a margin of 1.

    Same as `sklearn.metrics.hinge_loss`.

    Args:
        y_true: True labels, shape (n,).
        pred_decision: Decision values, shape (n,) for two classes, else (n, n_classes).
        labels: All classes, if some do not occur in `y_true`; None for those that occur.
        sample_weight: Weights, shape (n,).

    Returns:
        Float in [0, ∞); lower is better.
    """
    params.array_likes(y_true=y_true, pred_decision=pred_decision)
    params.optional_arrays(labels=labels, sample_weight=sample_weight)
    same_length(y_true=y_true, pred_decision=pred_decision, sample_weight=sample_weight)
    decision = numeric("pred_decision", pred_decision).astype(np.float64, copy=False)
    true = column("y_true", host("y_true", y_true))
    classes = distinct(true) if labels is None else np.unique(host("labels", labels))
    if len(classes) > 2:
        label = _of_columns(true, decision, classes)
    else:
        decision = column("pred_decision", decision)
        found = target("y_true", true)
        if found.kind != "binary":
            raise ValueError(f"`y_true` must be binary, got {found.kind} targets")
        # A single label is taken as the negative one.
        label = positions(true, found.classes) * (len(found.classes) == 2)
    weight = weights(sample_weight, len(true), all_zero=ZeroDivisionError)
    return float(of_samples(jmetrics.hinge_loss, label, decision, sample_weight=weight))


def _of_columns(true: np.ndarray, decision: np.ndarray, classes: np.ndarray) -> np.ndarray:
    if decision.ndim == 1 or decision.shape[1] != len(classes):
        raise ValueError(
            f"`pred_decision` must have shape {(len(true), len(classes))} for the classes "
            f"{classes.tolist()}, got {decision.shape}; name all classes by `labels`"
        )
    return known(true, classes)


def known(true: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Indices of labels among the classes; raise for any that are missing."""
    label = positions(true, classes)
    if np.any(label == len(classes)):
        extra = set(true.tolist()) - set(classes.tolist())
        raise ValueError(f"`y_true` holds {extra}, which are not among {classes.tolist()}")
    return label


def top_k_accuracy_score(
    y_true: Data,
    y_score: Data,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Data | None = None,
    labels: Data | None = None,
) -> float:
    """Fraction of samples whose class is among the k with the highest scores.

    Same as `sklearn.metrics.top_k_accuracy_score`.

    Args:
        y_true: True labels, shape (n,).
        y_score: Scores, shape (n,) for two classes, else (n, n_classes).
        k: Number of highest scores, an integer of at least 1.
        normalize: Whether to return the fraction of the weight, or the total weight.
        sample_weight: Weights, shape (n,).
        labels: Classes of the columns in increasing order; None for those that occur.

    Returns:
        Float in [0, 1], or in [0, Σ w] with `normalize=False`; higher is better.
    """
    params.array_likes(y_true=y_true, y_score=y_score)
    params.at_least("k", k, 1)
    params.flags(normalize=normalize)
    params.optional_arrays(sample_weight=sample_weight, labels=labels)
    found = target("y_true", y_true)
    several = labels is not None and len(host("labels", labels)) > 2
    kind = "multiclass" if found.kind == "binary" and several else found.kind
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"`y_true` must be binary or multiclass, got {kind} targets")
    score = _fitting_scores(numeric("y_score", y_score), kind)
    same_length(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    columns = score.shape[1] if score.ndim == 2 else 2
    classes = found.classes if labels is None else rising_labels(labels)
    if len(classes) != columns:
        raise ValueError(
            f"`y_score` has scores for {columns} classes, but there are {len(classes)}, "
            f"{classes.tolist()}; name all of them by `labels`"
        )
    label = known(found.values, classes)
    if k >= columns:
        undefined(f"`k` is {k} with {columns} classes: every sample is right")
    # A sum, unlike a mean, is defined for weights that are all 0.
    all_zero = ZeroDivisionError if normalize else None
    weight = weights(sample_weight, len(score), all_zero=all_zero)
    return float(
        of_samples(
            jmetrics.top_k_accuracy_score,
            label,
            score,
            sample_weight=weight,
            k=int(k),
            normalize=bool(normalize),
        )
    )


def _fitting_scores(score: np.ndarray, kind: str) -> np.ndarray:
    if kind == "binary":
        return column("y_score", score)
    if score.ndim != 2:
        raise ValueError(f"`y_score` must have shape (n, n_classes), got {score.shape}")
    return score


def rising_labels(labels: Data | None) -> np.ndarray:
    """The labels of columns, which must be increasing."""
    named = column("labels", host("labels", labels))
    if not np.array_equal(np.unique(named), named):
        raise ValueError(f"`labels` must rise, and each be there once, got {labels!r}")
    return named
