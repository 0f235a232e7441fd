"""The database that reads and holds the columns of files."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jmetrics.cli.dialect import Dialect, quoted


class Refused(Exception):
    """A one-line error about a file, a column, a value or an option."""


class Relation(NamedTuple):
    """What stands after FROM in a query, with its parameters."""

    sql: str
    parameters: dict[str, Any] | None = None


class Engine:
    """A database in memory, through which all files of a command are read."""

    def __init__(self, dialect: Dialect | None = None):
        try:
            duckdb = importlib.import_module("duckdb")
        except ImportError:
            raise Refused("reading files needs duckdb: pip install 'jmetrics-jax[cli]'") from None
        self.dialect = dialect or Dialect()
        self.error: type[Exception] = duckdb.Error
        self._folder = tempfile.TemporaryDirectory(prefix="jmetrics-")
        self.folder = Path(self._folder.name)
        """For what does not fit into memory, and for standard input."""
        self._database = duckdb.connect(":memory:")
        self._tables = 0
        # Nothing is fetched from elsewhere, and nothing is left in the working directory.
        for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
            self._database.execute(f"SET {setting} = false")
        self._database.execute(f"SET temp_directory = {quoted(str(self.folder / 'spilled'))}")

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._database.close()
        self._folder.cleanup()
        if isinstance(error, self.error):
            raise Refused(reason(error)) from None

    def run(self, sql: str, parameters: Any = None) -> Any:
        """Execute a statement."""
        return self._database.execute(sql, parameters)

    def rows(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """All rows of the result of a query."""
        return self.run(sql, parameters).fetchall()

    def array(self, sql: str, parameters: Any = None) -> np.ndarray:
        """The only column of a query's result, without missing values."""
        (column,) = self.run(sql, parameters).fetchnumpy().values()
        return np.asarray(column)

    def register(self, columns: Any) -> Relation:
        """Make arrays in memory a table."""
        self._database.register(name := self.new_table(), columns)
        return Relation(name)

    def new_table(self) -> str:
        """A name that no other table has."""
        self._tables += 1
        return f"table_{self._tables}"


def reason(error: Exception) -> str:
    """First line of an error of the database, without its kind."""
    return str(error).splitlines()[0].split(": ", 1)[-1]
