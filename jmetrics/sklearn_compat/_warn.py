"""The warning for undefined values: scikit-learn's class where scikit-learn is loaded."""

from __future__ import annotations

import inspect
import sys
import warnings


class _Undefined(UserWarning):
    """A metric is undefined for the data, and a conventional value is returned instead."""


def _loaded() -> type[Warning] | None:
    """Scikit-learn's class, if scikit-learn has been imported; it is never imported here."""
    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, "UndefinedMetricWarning", None)


_Undefined.__name__ = _Undefined.__qualname__ = "UndefinedMetricWarning"
UndefinedMetricWarning = _loaded() or _Undefined
"""Warning of a metric that is undefined for the data; scikit-learn's class if that is loaded."""


def undefined(message: str) -> None:
    """Warn of an undefined value, in a class that filters for either library match."""
    theirs = _loaded()
    category = UndefinedMetricWarning
    if theirs is not None and not issubclass(category, theirs):
        category = _of_both(theirs)
    warn(message, category)


def _of_both(theirs: type[Warning]) -> type[Warning]:
    """A subclass of both classes, for scikit-learn imported after this module."""
    return type("UndefinedMetricWarning", (UndefinedMetricWarning, theirs), {})


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the package."""
    package = __name__.rpartition(".")[0]
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level + 1)
