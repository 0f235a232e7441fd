"""What holds while a function is traced, and for the traces that are made then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from jax.experimental.xla_metadata import set_xla_metadata


class TracingMode:
    """A setting that decides what is traced, such as whether values are checked.

    JAX keeps what it has traced, and does not know of the setting. Metadata of its own keeps it
    from taking what was traced under one setting for the other.
    """

    def __init__(self, name: str) -> None:
        """Make a mode of this name, which is off."""
        self._name = name
        self._setting: ContextVar[str | None] = ContextVar(name, default=None)

    @property
    def setting(self) -> str | None:
        """What was set, if anything."""
        return self._setting.get()

    @contextmanager
    def set(self, setting: str) -> Iterator[None]:
        """Trace under this setting."""
        token = self._setting.set(setting)
        try:
            with set_xla_metadata(**{f"jmetrics_{self._name}": setting}):
                yield
        finally:
            self._setting.reset(token)
