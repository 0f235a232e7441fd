"""What options may be; the classes of the errors are those of scikit-learn's checks."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np


class InvalidParameterError(ValueError, TypeError):
    """An argument of a kind, or an option of a value, that there is not."""


def refuse(name: str, value: Any, expected: str) -> InvalidParameterError:
    """The error for an argument that is not what it must be."""
    return InvalidParameterError(f"`{name}` must be {expected}, got {value!r}")


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse array or matrix in the manner of SciPy."""
    return hasattr(value, "toarray") and hasattr(value, "nnz")


def array_likes(*, sparse: bool = False, **values: Any) -> None:
    """Raise for a scalar, a string or None; `sparse` arrays are welcome or not."""
    for name, value in values.items():
        if isinstance(value, np.ndarray | list | tuple):
            continue
        if is_sparse(value):
            fits = sparse
        else:
            parts = ("__len__", "shape", "__array__")
            fits = not np.isscalar(value) and any(hasattr(value, part) for part in parts)
        if not fits:
            kinds = "an array or a sequence" + (", dense or sparse" if sparse else "")
            raise InvalidParameterError(f"`{name}` must be {kinds}, got {type(value).__name__}")


def optional_arrays(**values: Any) -> None:
    """Raise for what is neither None nor a dense array."""
    array_likes(**{name: value for name, value in values.items() if value is not None})


def flags(**values: Any) -> None:
    """Raise for what is neither True nor False."""
    for name, value in values.items():
        if not isinstance(value, bool | np.bool_):
            raise refuse(name, value, "True or False")


def one_of(name: str, value: Any, options: Collection[str | None]) -> None:
    """Raise for an option that there is not."""
    if not (isinstance(value, str | None) and value in options):
        raise refuse(name, value, "one of " + ", ".join(map(repr, options)))


def is_real(value: Any) -> bool:
    """Whether a value is one real number, NaN included."""
    return isinstance(value, Real)


def real(name: str, value: Any, fits: bool, expected: str) -> None:
    """Raise unless a number `fits`, as NaN never does."""
    if not fits:
        raise refuse(name, value, f"a number {expected}")


def between(value: Any, low: float, high: float) -> bool:
    """Whether a value is a number in [low, high]."""
    return is_real(value) and bool(low <= value <= high)


def at_least(name: str, value: Any, least: int) -> None:
    """Raise for what is no whole number, or too small a one."""
    if not isinstance(value, Integral) or int(value) < least:
        raise refuse(name, value, f"a whole number of at least {least}")


def pos_label(value: Any, *, none: bool = True) -> None:
    """Raise for what can be no label."""
    if not (isinstance(value, Real | str | bool | np.bool_) or (none and value is None)):
        raise refuse("pos_label", value, "a number, a string or a boolean")


def zero_division(value: Any, *, nan: bool = True) -> float:
    """Return the value of 0 / 0, which is 0 after a warning for "warn"."""
    if isinstance(value, str) and value == "warn":
        return 0.0
    if isinstance(value, Real) and (value in (0, 1) or (nan and math.isnan(value))):
        return float(value)
    raise refuse("zero_division", value, "0, 1" + (", NaN" if nan else "") + " or 'warn'")
