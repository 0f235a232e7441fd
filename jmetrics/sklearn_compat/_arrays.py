"""Array-likes as NumPy arrays on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from jmetrics.sklearn_compat._params import is_sparse


def host(name: str, value: Any) -> np.ndarray:
    """Return a dense array of any dtype, with one axis or more."""
    if is_sparse(value):
        raise TypeError(f"`{name}` must be dense, got a sparse array of shape {value.shape}")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"`{name}` must be one array, not rows of unequal length") from error
    if array.ndim == 0:
        kind = TypeError if hasattr(value, "shape") else ValueError
        raise kind(f"`{name}` must have one axis or more, got {value!r}")
    if array.dtype.kind == "V":  # bfloat16 and other dtypes that NumPy lacks
        array = array.astype(np.float32)
    if array.dtype.kind == "c":
        raise ValueError(f"`{name}` must hold real numbers, got {array.dtype}")
    return array


def numeric(name: str, value: Any, *, axes: int = 2, at_least: int = 1) -> np.ndarray:
    """Return an array of finite numbers, booleans included, in their own dtype."""
    array = host(name, value)
    if array.dtype.kind in "US":
        raise ValueError(f"`{name}` must hold numbers, got strings")
    if array.dtype.kind == "O":
        array = _of_objects(name, array)
    if array.ndim > axes:
        raise ValueError(f"`{name}` must have at most {axes} axes, got shape {array.shape}")
    if len(array) < at_least or (array.ndim == 2 and array.shape[1] == 0):
        raise ValueError(f"`{name}` must have {at_least} or more entries, got shape {array.shape}")
    finite(name, array)
    return array


def _of_objects(name: str, array: np.ndarray) -> np.ndarray:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must hold numbers, got objects that are none") from error


def finite(name: str, array: np.ndarray) -> None:
    """Raise for NaN and infinity."""
    if array.dtype.kind != "f":
        return
    with np.errstate(all="ignore"):
        fine = np.isfinite(np.sum(array))  # one pass, also False for a sum that overflows
    if fine or np.all(np.isfinite(array)):
        return
    kind = "NaN" if np.any(np.isnan(array)) else "infinity"
    raise ValueError(f"`{name}` must hold finite numbers, got {kind}")


def column(name: str, array: np.ndarray) -> np.ndarray:
    """Return an array with one axis; a single column is flattened."""
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"`{name}` must have one axis, got shape {array.shape}")
    return array


def same_length(**values: Any) -> None:
    """Raise unless all values that are not None have the same number of samples."""
    lengths = {name: _length(name, v) for name, v in values.items() if v is not None}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"`{name}` {length}" for name, length in lengths.items())
        raise ValueError(f"expected as many samples in each array, got {listing}")


def _length(name: str, value: Any) -> int:
    shape = getattr(value, "shape", None)
    if shape is None and hasattr(value, "__len__"):
        return len(value)
    shape = np.asarray(value).shape if shape is None else shape
    if len(shape) == 0:
        raise TypeError(f"`{name}` must have one axis or more, got {value!r}")
    return int(shape[0])


def weights(
    value: Any, n: int, *, all_zero: type[Exception] | None = ValueError
) -> np.ndarray | None:
    """Return float64 weights, one per sample; raise `all_zero` if all are 0."""
    if value is None:
        return None
    array = numeric("sample_weight", value)
    if array.shape != (n,):
        raise ValueError(f"`sample_weight` must have shape {(n,)}, got {array.shape}")
    if all_zero is not None and not np.any(array):
        raise all_zero("`sample_weight` must not be 0 for all samples")
    return array.astype(np.float64, copy=False)
