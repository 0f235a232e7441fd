"""Checks of options, which raise the classes of errors that scikit-learn raises.

What a user gives is of `Any` type until it is checked.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any, Protocol, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt


class Sparse(Protocol):
    """A sparse array or matrix like those of SciPy."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of entries along each axis."""
        ...

    @property
    def nnz(self) -> int:
        """Number of entries that are kept."""
        ...

    def toarray(self) -> np.ndarray:
        """Return it with all its zeros."""
        ...


Data: TypeAlias = npt.ArrayLike | Sparse
"""What scikit-learn takes as an array: lists, NumPy arrays, columns and tables, sparse matrices."""

Label: TypeAlias = str | float | np.generic
"""One class: a string, a number or a boolean."""

Score: TypeAlias = float | np.ndarray
"""A number, or one for each class, indicator or output."""


class InvalidParameterError(ValueError, TypeError):
    """An argument has an invalid type, or an option an invalid value."""


def refuse(name: str, value: Any, expected: str) -> InvalidParameterError:
    """The error for an argument that is not as expected."""
    return InvalidParameterError(f"`{name}` must be {expected}, got {value!r}")


def is_sparse(value: Any) -> TypeGuard[Sparse]:
    """Whether a value is a sparse array or matrix like those of SciPy."""
    return hasattr(value, "toarray") and hasattr(value, "nnz")


def array_likes(*, sparse: bool = False, **values: Any) -> None:
    """Raise for a scalar, a string or None, and for sparse arrays unless `sparse`."""
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
    """Raise for values that are neither None nor dense arrays."""
    array_likes(**{name: value for name, value in values.items() if value is not None})


def flags(**values: Any) -> None:
    """Raise for values that are neither True nor False."""
    for name, value in values.items():
        if not isinstance(value, bool | np.bool_):
            raise refuse(name, value, "True or False")


def one_of(name: str, value: Any, options: Collection[str | None]) -> None:
    """Raise for a value that is not one of the options."""
    if not (isinstance(value, str | None) and value in options):
        raise refuse(name, value, "one of " + ", ".join(map(repr, options)))


def is_real(value: Any) -> bool:
    """Whether a value is a single real number, NaN included."""
    return isinstance(value, Real)


def real(name: str, value: Any, fits: bool, expected: str) -> None:
    """Raise unless a number `fits`, as NaN never does."""
    if not fits:
        raise refuse(name, value, f"a number {expected}")


def between(value: Any, low: float, high: float) -> bool:
    """Whether a value is a number in [low, high]."""
    return is_real(value) and bool(low <= value <= high)


def at_least(name: str, value: Any, least: int) -> None:
    """Raise for a value that is not an integer, or is below `least`."""
    if not isinstance(value, Integral) or int(value) < least:
        raise refuse(name, value, f"a whole number of at least {least}")


def pos_label(value: Any, *, none: bool = True) -> None:
    """Raise for a value that cannot be a label."""
    if not (isinstance(value, Real | str | bool | np.bool_) or (none and value is None)):
        raise refuse("pos_label", value, "a number, a string or a boolean")


def zero_division(value: Any, *, nan: bool = True) -> float:
    """Return the value of 0 / 0, which is 0 after a warning for "warn"."""
    if isinstance(value, str) and value == "warn":
        return 0.0
    if isinstance(value, Real) and (value in (0, 1) or (nan and math.isnan(value))):
        return float(value)
    raise refuse("zero_division", value, "0, 1" + (", NaN" if nan else "") + " or 'warn'")
