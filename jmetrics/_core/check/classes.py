"""Classes: which labels there are, and how many, known while tracing."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.check.advice import instead, is_column
from jmetrics._core.check.numbers import array
from jmetrics._core.check.options import one_of, positive_integer


def fitting_average(
    average: str | None, arrays: tuple[Any, ...], second: str = "y_pred", *, decides: int = 0
) -> tuple[Any, ...]:
    """Raise for a way of averaging that labels of a shape, that of one array, do not have.

    Returns the arrays, with labels (n, 1) of two classes as (n,). For other averages one column
    could be one label of many, which has one value, or classes, which have one each.
    """
    y_true, values, *beside = arrays
    shape = arrays[decides].shape
    if is_column(y_true.shape) and y_true.shape == values.shape:
        if average == "binary":
            return y_true[:, 0], values[:, 0], *beside
        advice = instead({"y_true": y_true, second: values})
        raise ValueError(
            f"labels of shape {shape} may be classes or indicators of one label{advice} for "
            "classes, and for one label `average='binary'` too"
        )
    if average == "samples" and len(shape) == 1:
        raise ValueError(
            f"`average='samples'` needs indicators of shape (n, n_labels), got shape {shape}"
        )
    if average == "binary" and len(shape) == 2:
        raise ValueError(
            f"`average='binary'` needs labels of shape (n,), got indicators of shape {shape}; "
            "choose another `average`"
        )
    return arrays


def class_labels(labels: Any) -> tuple[int, ...] | None:
    """Return static class labels, which must be distinct whole numbers of at least 0."""
    if labels is None:
        return None
    try:
        found = tuple(operator.index(label) for label in labels)
    except TypeError:
        raise TypeError(
            f"`labels` must be a sequence of whole numbers known while tracing, got {labels!r}"
        ) from None
    if not found or min(found) < 0 or len(set(found)) < len(found):
        raise ValueError(f"`labels` must be distinct whole numbers of at least 0, got {labels!r}")
    return found


def column_labels(labels: Any, columns: int) -> tuple[int, ...] | None:
    """Return the static labels of the columns, which must rise."""
    found = class_labels(labels)
    if found is not None and (len(found) != columns or list(found) != sorted(found)):
        raise ValueError(
            f"`labels` must rise, with one for each of the {columns} columns of `y_score`, "
            f"got {labels!r}"
        )
    return found


def class_averages(
    multi_class: str, average: str | None, options: Mapping[str, Collection[str | None]]
) -> None:
    """Raise unless there is a way to score classes, with an average that it has."""
    if multi_class not in options:
        expected = " or ".join(map(repr, options))
        raise ValueError(f"`multi_class` must be {expected} for classes, got {multi_class!r}")
    one_of("average", average, options[multi_class])


def class_pair(labels: Any) -> tuple[int, ...] | None:
    """Return the static labels of the negative and the positive class."""
    found = class_labels(labels)
    if found is not None and len(found) != 2:
        raise ValueError(f"`labels` must be a negative and a positive label, got {labels!r}")
    return found


def class_count(
    num_classes: Any,
    labels: tuple[int, ...] | None,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any = None,
    where: Any = None,
    *,
    exact: bool = False,
) -> int:
    """Return how many classes there are: as said, as `labels` need, or as the data show.

    A number read off the data is rounded up to a power of two unless it must be `exact`, so
    that batches of data share compiled programs.
    """
    if num_classes is not None:
        count = positive_integer("num_classes", num_classes)
        if labels is not None and max(labels) >= count:
            raise ValueError(f"`labels` must be below `num_classes`, {count}, got {labels}")
        return count
    if labels is not None:
        return 1 + max(labels)
    count = _classes_seen(y_true, y_pred, sample_weight, where)
    return count if exact else 1 << (count - 1).bit_length()


def label_count(num_classes: Any, labels: tuple[int, ...] | None, columns: int) -> int:
    """Return how many columns the indicators have, which `num_classes` and `labels` must fit."""
    if num_classes is not None and num_classes != columns:
        raise ValueError(f"`num_classes` must be the {columns} columns, got {num_classes!r}")
    if labels is not None and max(labels) >= columns:
        raise ValueError(f"`labels` must be below the number of columns, {columns}, got {labels}")
    return columns


_MAX_CLASSES = 2**24


def _classes_seen(y_true: Any, y_pred: Any, sample_weight: Any, where: Any) -> int:
    """One more than the largest label that counts; what is traced of the rest counts."""
    concrete = [None if isinstance(a, jax.core.Tracer) else a for a in (sample_weight, where)]
    try:
        arrays: list[Any] = [
            None if a is None else _on_host(a) for a in (y_true, y_pred, *concrete)
        ]
        if any(isinstance(a, Array) for a in arrays):
            with jax.ensure_compile_time_eval():
                count = 1 + int(jax.device_get(_largest_label_on_device(*arrays)))
        else:
            count = 1 + int(_largest_label(*arrays, of=np))
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError):
        raise ValueError(
            "`num_classes` must be given where `y_true` and `y_pred` are traced, as inside `jit`"
        ) from None
    if count > _MAX_CLASSES:
        raise ValueError(f"`num_classes` must be given for labels as large as {count - 1}")
    return count


_FEW = 2**16
"""So many labels are looked at on the host in less time than a program takes to start."""


def _on_host(value: Any) -> Array | np.ndarray:
    """Arrays of JAX as they are unless they are small and there already, others as of NumPy."""
    if not isinstance(value, Array):
        return array("labels", np.asarray(value))
    if isinstance(value, jax.core.Tracer) or value.size > _FEW:
        return value
    here = all(device.platform == "cpu" for device in value.devices())
    return np.asarray(value) if here and value.is_fully_addressable else value


def _largest_label(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, *, of: Any = jnp
) -> Array:
    """Largest label that counts, by the functions `of` NumPy or JAX."""
    counts = True if where is None else where.ravel()
    whole = np.int64 if of is np else jnp.result_type(int)
    if sample_weight is not None:
        counts = counts & (sample_weight.ravel() != 0)

    def largest(labels: Array) -> Array:
        labels, on = labels.ravel(), counts
        if labels.dtype.kind not in "biu":
            labels = labels.astype(np.float32) if labels.dtype.itemsize < 4 else labels
            on = on & (of.abs(labels) < 2.0**31)
            labels = of.where(on, labels, of.zeros_like(labels))
        return cast(Array, of.max(labels.astype(whole), initial=0, where=on))

    return cast(Array, of.maximum(largest(y_true), largest(y_pred)))


_largest_label_on_device = jax.jit(_largest_label)


def table_size(num_classes: int) -> int:
    """Return a number of classes, all pairs of which an int32 must be able to number."""
    if num_classes**2 >= 2**31:
        raise ValueError(f"`num_classes` must be at most 46340 for a table, got {num_classes}")
    return num_classes
