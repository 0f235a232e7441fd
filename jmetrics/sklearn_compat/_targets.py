"""Labels of any kind: their type of target, the classes that occur, and codes of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jmetrics.sklearn_compat._arrays import column, finite, host, same_length, weights
from jmetrics.sklearn_compat._params import Data, is_sparse

MULTILABEL = "multilabel-indicator"


class Target(NamedTuple):
    """Labels on the host with their type of target, in scikit-learn's terms."""

    kind: str
    values: np.ndarray
    """(n,) for one label per sample, given flat or as one column; else (n, n_columns)."""
    classes: np.ndarray
    """Classes that occur, in order; the columns of indicators."""


def target(name: str, value: Any) -> Target:
    """Infer the type of target from dtype and values."""
    array = value.toarray() if is_sparse(value) else host(name, value)
    if _holds_bytes(array):
        raise TypeError(f"`{name}` must hold strings or numbers, not bytes")
    if array.ndim > 2:
        raise ValueError(f"`{name}` must have 1 or 2 axes, got shape {array.shape}")
    if array.ndim == 2 and array.shape[1] > 1:
        return _of_columns(name, array)
    if is_sparse(value):
        raise TypeError(f"`{name}` must be dense unless it has two or more columns of indicators")
    return _of_one_label(name, column(name, array))


def _of_one_label(name: str, values: np.ndarray) -> Target:
    if len(values) == 0:
        return Target("binary", values, values)
    if values.dtype.kind == "O" and not isinstance(values[0], str):
        return Target("unknown", values, values)
    if not _whole(name, values):
        return Target("continuous", values, values)
    classes = distinct(values)
    return Target("binary" if len(classes) <= 2 else "multiclass", values, classes)


def _holds_bytes(array: np.ndarray) -> bool:
    first = array.dtype.kind == "O" and array.size > 0 and isinstance(array.flat[0], bytes)
    return array.dtype.kind == "S" or first


def _of_columns(name: str, array: np.ndarray) -> Target:
    columns = np.arange(array.shape[1])
    if array.dtype.kind in "biuf":
        # Two values or fewer: all entries are the least or the greatest.
        whole = _whole(name, array)
        if array.size == 0:
            return Target(MULTILABEL, array, columns)
        if whole and np.all((array == array.min()) | (array == array.max())):
            return Target(MULTILABEL, array, columns)
        return Target(f"{'multiclass' if whole else 'continuous'}-multioutput", array, columns)
    unknown = array.dtype.kind == "O" and not isinstance(array.flat[0], str)
    return Target("unknown" if unknown else "multiclass-multioutput", array, columns)


def _whole(name: str, values: np.ndarray) -> bool:
    """Whether all floats are whole numbers."""
    if values.dtype.kind != "f":
        return True
    if np.all(values == np.trunc(values)) and np.all(np.isfinite(values)):
        return True
    finite(name, values)
    return False


_TABLE = 1024


def distinct(values: np.ndarray) -> np.ndarray:
    """The sorted unique values of an array with one axis."""
    if values.dtype.kind in "OU":
        return np.asarray(sorted(set(values.tolist())), values.dtype)
    wide = values.dtype.kind == "u" and values.dtype.itemsize == 8  # beyond int64
    if values.dtype.kind in "biu" and len(values) and not wide:
        low, high = int(values.min()), int(values.max())
        if high - low < _TABLE:  # a table of the values that occur needs no sort
            seen = np.zeros(high - low + 1, np.bool_)
            seen[values.astype(np.int64) - low] = True
            return (np.flatnonzero(seen) + low).astype(values.dtype)
    return np.unique(values)


def union(*groups: np.ndarray) -> np.ndarray:
    """The sorted union of classes of several arrays; raise for strings mixed with numbers."""
    first = groups[0]
    if all(g.dtype == first.dtype and np.array_equal(g, first) for g in groups[1:]):
        return first
    labels = {label for group in groups for label in group.tolist()}
    strings = {isinstance(label, str) for label in labels}
    if len(strings) > 1:
        raise ValueError("`y_true` and `y_pred` must hold strings or numbers, not both")
    return np.asarray(sorted(labels))


def positions(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Index in `labels` of each value; the number of labels for any other value."""
    count = len(labels)
    if values.dtype.kind in "biuf" and labels.dtype.kind in "biuf":
        if _are_positions(values, labels):
            return values.astype(np.int64)
        order = np.argsort(labels, kind="stable")
        index = np.minimum(np.searchsorted(labels[order], values), count - 1)
        index = order[index]
        return np.where(labels[index] == values, index, count)
    index_of = {label: index for index, label in enumerate(labels.tolist())}
    return np.fromiter((index_of.get(v, count) for v in values.tolist()), np.int64, len(values))


def _are_positions(values: np.ndarray, labels: np.ndarray) -> bool:
    """Whether the labels are 0, 1, 2, ... and all values are among them."""
    whole = values.dtype.kind in "bi" and len(values) > 0
    return (
        whole
        and labels[0] == 0
        and labels[-1] == len(labels) - 1
        and np.array_equal(labels, np.arange(len(labels)))
        and values.min() >= 0
        and values.max() < len(labels)
    )


class Labels(NamedTuple):
    """True and predicted labels of one kind."""

    kind: str
    """Binary, multiclass or multilabel-indicator."""
    y_true: np.ndarray
    y_pred: np.ndarray
    classes: np.ndarray
    """Classes of both together, in order."""
    sample_weight: np.ndarray | None

    @property
    def multilabel(self) -> bool:
        """Whether the labels are columns of indicators."""
        return self.kind == MULTILABEL

    def codes(self, labels: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Both arrays as indices in `labels`, by default the classes that occur."""
        labels = self.classes if labels is None else labels
        return positions(self.y_true, labels), positions(self.y_pred, labels)


def labels_of(y_true: Data, y_pred: Data, sample_weight: Data | None = None) -> Labels:
    """Combine true and predicted labels; raise for incompatible types of target."""
    same_length(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    true, pred = target("y_true", y_true), target("y_pred", y_pred)
    if len(true.values) == 0:
        raise ValueError("`y_true` and `y_pred` must have one sample or more, got none")
    weight = weights(sample_weight, len(true.values))
    kinds = {true.kind, pred.kind}
    if kinds == {"binary", "multiclass"}:
        kinds = {"multiclass"}
    if len(kinds) > 1:
        raise ValueError(f"`y_true` is {true.kind} but `y_pred` is {pred.kind}")
    (kind,) = kinds
    if kind not in ("binary", "multiclass", MULTILABEL):
        raise ValueError(f"`y_true` and `y_pred` must be labels, got {kind} targets")
    if kind == MULTILABEL:
        if len(true.classes) != len(pred.classes):
            raise ValueError(
                "`y_true` and `y_pred` must have as many columns of indicators, "
                f"got {len(true.classes)} and {len(pred.classes)}"
            )
        return Labels(kind, true.values, pred.values, true.classes, weight)
    classes = union(true.classes, pred.classes)
    kind = "binary" if kind == "binary" and len(classes) <= 2 else "multiclass"
    return Labels(kind, true.values, pred.values, classes, weight)
