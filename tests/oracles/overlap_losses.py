"""References of the losses of soft labels, from the definitions of their scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracles import Oracle, unless_nothing_counts


def columns_of(y_true: np.ndarray, y_proba: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indicators and probabilities of all columns, of two classes for a single one."""
    p = y_proba.astype(np.float64)
    if y_true.ndim == 2:
        return y_true.astype(np.float64), p
    p = np.stack([1 - p, p], axis=1) if p.ndim == 1 else p
    return (y_true[:, None] == np.arange(p.shape[1])).astype(np.float64), p


def averaged(
    values: np.ndarray, true: np.ndarray, occurs: np.ndarray, average: str | None
) -> np.ndarray:
    if average == "macro":
        return np.mean(values[occurs])
    if average == "weighted":
        true = true if true.any() else occurs
        return np.average(values, weights=true)
    return values[1] if average == "binary" else values


def overlap(formula: Callable[..., Any], default: str = "binary") -> Oracle:
    """1 − formula(tp, fp, fn) of soft counts, averaged over the columns."""

    @unless_nothing_counts(0.0)
    def oracle(y_true, y_proba, weight, *, average=default, zero_division=0.0, **options):
        truth, p = columns_of(y_true, y_proba)
        tp, fp, fn = (weight @ part for part in (truth * p, (1 - truth) * p, truth * (1 - p)))
        if average == "micro":
            tp, fp, fn = (np.sum(part, keepdims=True) for part in (tp, fp, fn))
        above, below = formula(tp, fp, fn, **options)
        ratio = np.divide(above, below, out=np.full(tp.shape, zero_division), where=below != 0)
        occurs = (tp + fp + fn > 0) | (y_true.ndim == 2)
        value = averaged(1 - ratio, tp + fn, occurs, average)
        return value[0] if average == "micro" else value

    return oracle


def _fbeta(tp, fp, fn, *, beta=1.0):
    return (1 + beta**2) * tp, (1 + beta**2) * tp + fp + beta**2 * fn


def _tversky(tp, fp, fn, *, alpha=0.5, beta=0.5):
    return tp, tp + alpha * fp + beta * fn


fbeta_loss = overlap(_fbeta)
tversky_loss = overlap(_tversky)
jaccard_loss = overlap(lambda tp, fp, fn: (tp, tp + fp + fn))


def confusion(y_true: np.ndarray, y_proba: np.ndarray, weight: np.ndarray) -> np.ndarray:
    truth, p = columns_of(y_true, y_proba)
    return (weight[:, None] * truth).T @ p


@unless_nothing_counts(0.0)
def mcc_loss(y_true, y_proba, weight):
    table = confusion(y_true, y_proba, weight)
    total, true, pred = table.sum(), table.sum(axis=1), table.sum(axis=0)
    spread = (total**2 - true @ true) * (total**2 - pred @ pred)
    above = np.trace(table) * total - true @ pred
    return 1 - (above / np.sqrt(spread) if spread > 0 else 0.0)


@unless_nothing_counts(0.0)
def balanced_accuracy_loss(y_true, y_proba, weight):
    table, true = confusion(y_true, y_proba, weight), weight @ columns_of(y_true, y_proba)[0]
    return 1 - np.mean(np.diagonal(table)[true > 0] / true[true > 0])


@unless_nothing_counts(0.0)
def cohen_kappa_loss(y_true, y_proba, weight, *, weights=None, replace_undefined_by=0.0):
    table = confusion(y_true, y_proba, weight)
    place = np.arange(len(table))
    gap = np.abs(place[:, None] - place)
    gap = {None: np.minimum(gap, 1), "linear": gap, "quadratic": gap**2}[weights]
    expected = np.sum(gap * np.outer(table.sum(axis=1), table.sum(axis=0))) / table.sum()
    return np.sum(gap * table) / expected if expected > 0 else 1 - replace_undefined_by


def lovasz(error: np.ndarray, truth: np.ndarray, weight: np.ndarray) -> float:
    """∫ 1 − Jaccard dt, where at level t the samples with errors of at least t are wrong."""
    order = np.argsort(-error)
    error, truth, weight = error[order], truth[order], weight[order]
    missed, added = np.cumsum(weight * truth), np.cumsum(weight * ~truth)
    total = weight @ truth
    index = 1 - (total - missed) / (total + added)
    return float(np.sum(-np.diff(error, append=0.0) * index))


@unless_nothing_counts(0.0)
def lovasz_hinge_loss(y_true, y_score, weight):
    sign = 2.0 * y_true - 1
    return lovasz(np.maximum(1 - sign * y_score.astype(np.float64), 0), y_true == 1, weight)


@unless_nothing_counts(0.0)
def lovasz_softmax_loss(y_true, y_proba, weight, *, average="macro"):
    truth, p = columns_of(y_true, y_proba)
    values = [lovasz(np.abs(t - q), t == 1, weight) for t, q in zip(truth.T, p.T, strict=True)]
    occurs = (np.sum(truth + p, axis=0) > 0) | (y_true.ndim == 2)
    return averaged(np.array(values), weight @ truth, occurs, average)
