"""Progress bars for work of more than a second, on terminals, if tqdm is installed."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from types import TracebackType
from typing import Any


class _Silent:
    """A bar that shows nothing."""

    def __enter__(self) -> _Silent:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def update(self, n: int = 1) -> None:
        """Ignore progress."""


def shown() -> bool:
    """Whether progress bars are shown."""
    return sys.stderr.isatty() and find_spec("tqdm") is not None


def progress(what: str, unit: str, total: int | None = None) -> Any:
    """Make a bar on standard error, a context manager with `update`."""
    if not shown():
        return _Silent()
    tqdm = importlib.import_module("tqdm").tqdm
    return tqdm(desc=what, unit=unit, total=total, delay=1, leave=False)
