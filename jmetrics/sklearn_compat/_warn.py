"""The warning for a value that is undefined: scikit-learn's class wherever it is loaded."""

from __future__ import annotations

import inspect
import sys
import warnings


class _Undefined(UserWarning):
    """A metric has no value for these data, and a convention stands in for it."""


def _loaded() -> type[Warning] | None:
    """Scikit-learn's class, if scikit-learn has been imported; it is never imported here."""
    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, "UndefinedMetricWarning", None)


_Undefined.__name__ = _Undefined.__qualname__ = "UndefinedMetricWarning"
UndefinedMetricWarning = _loaded() or _Undefined


def undefined(message: str) -> None:
    """Warn of an undefined value, in a class that filters of both libraries know."""
    theirs = _loaded()
    category = UndefinedMetricWarning
    if theirs is not None and not issubclass(category, theirs):
        category = _of_both(theirs)
    warn(message, category)


def _of_both(theirs: type[Warning]) -> type[Warning]:
    """A class for scikit-learn imported after this module, when its own is already known."""
    return type("UndefinedMetricWarning", (UndefinedMetricWarning, theirs), {})


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the package."""
    package = __name__.rpartition(".")[0]
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level + 1)
