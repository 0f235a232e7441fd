"""Files as columns of cells: CSV, Parquet, NPZ, standard input."""

from __future__ import annotations

import contextlib
import csv
import importlib
import itertools
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from jmetrics.cli.progress import progress

Cells = Sequence[Any]
"""A column as it was read: texts of a CSV file, else numbers or texts."""

_SEPARATORS = ",;\t|"
_ROWS_AT_ONCE = 50_000


class Refused(Exception):
    """A one-line error about a file, a column, a value or an option."""


class Source:
    """A file with named columns, of which only the wanted ones are read."""

    def __init__(self, path: str, names: list[str], load: Callable[[list[str]], list[Cells]]):
        self.path = "standard input" if path == "-" else path
        self.names = names
        self.header = False
        """Whether row 1 is on line 2."""
        self._load = load
        for name in names:
            if names.count(name) > 1:
                raise Refused(f"{self.path}: two columns are called {name!r}")

    def read(self, wanted: list[str]) -> dict[str, Cells]:
        """Cells of these columns, all of one length."""
        columns = dict(zip(wanted, self._load(wanted), strict=True))
        lengths = {name: len(cells) for name, cells in columns.items()}
        if len(set(lengths.values())) > 1:
            listing = ", ".join(f"{name!r} {length}" for name, length in lengths.items())
            raise Refused(f"{self.path}: the columns have different lengths: {listing}")
        if not max(lengths.values()):
            raise Refused(f"{self.path}: no rows, only names of columns")
        return columns

    def location(self, row: int, name: str) -> str:
        """Location of a cell, for messages; `row` counts from 0, messages from 1."""
        line = f" (line {row + 2})" if self.header else ""
        return f"{self.path}: row {row + 1}{line}, column {name!r}"


def open_source(path: str) -> Source:
    """Read the names of the columns of a file."""
    reductions = {
        ".csv": _csv,
        ".tsv": _csv,
        ".txt": _csv,
        ".parquet": _parquet,
        ".pq": _parquet,
        ".npz": _npz,
    }
    suffix = Path(path).suffix.lower()
    if path != "-" and suffix not in reductions:
        known = ", ".join(reductions)
        raise Refused(f"{path}: unknown kind of file {suffix!r}; expected {known}, or - for CSV")
    try:
        return _csv(path) if path == "-" else reductions[suffix](path)
    except FileNotFoundError:
        raise Refused(f"{path}: no such file") from None
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or 'cannot be read'}") from None


def _csv(path: str) -> Source:
    name = "standard input" if path == "-" else path
    with _readable(name), _opened(path) as file:
        first = file.readline().removeprefix("\ufeff")
        if not first.strip():
            raise Refused(f"{name}: is empty, or its first line is")
        separator = max(_SEPARATORS, key=first.count)
        names = [cell.strip() for cell in next(csv.reader([first], delimiter=separator))]
    if all(map(_is_number, names)):
        found = ", ".join(names[:3])
        raise Refused(f"{name}: the first line must name the columns, found numbers: {found}")

    def load(wanted: list[str]) -> list[Cells]:
        with _readable(name), _opened(path) as file:
            if path != "-":
                file.readline()
            return _csv_columns(source, file, separator, wanted)

    source = Source(path, names, load)
    source.header = True
    return source


def _opened(path: str) -> contextlib.AbstractContextManager[TextIO]:
    """A file, or the rest of standard input."""
    if path == "-":
        return contextlib.nullcontext(sys.stdin)
    return open(path, newline="", encoding="utf-8")


def _csv_columns(source: Source, file: TextIO, separator: str, wanted: list[str]) -> list[Cells]:
    indices = [source.names.index(name) for name in wanted]
    columns: list[list[str]] = [[] for _ in wanted]
    reader = csv.reader(file, delimiter=separator)
    lines = 0
    with progress("reading", " rows") as bar:
        for rows in _chunks(reader):
            lines += len(rows)
            # Quoted line breaks and blank lines make line numbers differ from row numbers.
            source.header &= reader.line_num == lines and all(rows)
            rows = [row for row in rows if row]
            _check_width(source, rows, len(columns[0]))
            for column, location in zip(columns, indices, strict=True):
                column.extend([row[location] for row in rows])
            bar.update(len(rows))
    return [*columns]


def _chunks(reader: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    while rows := list(itertools.islice(reader, _ROWS_AT_ONCE)):
        yield rows


def _check_width(source: Source, rows: list[list[str]], before: int) -> None:
    width = len(source.names)
    if {len(row) for row in rows} <= {width}:
        return
    row, cells = next((i, len(cells)) for i, cells in enumerate(rows) if len(cells) != width)
    where = source.location(before + row, "").partition(", column")[0]
    raise Refused(f"{where}: {cells} cells, but the first line names {width} columns")


class _readable:
    """Turn errors in the text of a file into one-line errors."""

    def __init__(self, name: str):
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, UnicodeDecodeError):
            raise Refused(f"{self._name}: is not text in UTF-8") from None
        if isinstance(error, csv.Error):
            raise Refused(f"{self._name}: is not CSV: {error}") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet(path: str) -> Source:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        hint = "pip install 'jmetrics-jax[parquet]'"
        raise Refused(f"{path}: reading Parquet needs pyarrow: {hint}") from None
    try:
        file = parquet.ParquetFile(path)
    except arrow.ArrowInvalid:
        raise Refused(f"{path}: is not Parquet") from None

    def load(wanted: list[str]) -> list[Cells]:
        table = file.read(columns=wanted)
        return [_arrow_cells(table.column(name)) for name in wanted]

    return Source(path, list(file.schema_arrow.names), load)


def _arrow_cells(column: Any) -> Cells:
    cells = column.to_numpy(zero_copy_only=False)
    return cells if cells.dtype.kind in "biuf" else column.to_pylist()


def _npz(path: str) -> Source:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file.items())
    except (ValueError, AttributeError, TypeError, zipfile.BadZipFile):
        raise Refused(f"{path}: is not NPZ of plain arrays of numbers and texts") from None
    columns: dict[str, Cells] = {}
    for name, array in arrays.items():
        if array.ndim == 1:
            columns[name] = array if array.dtype.kind in "biuf" else array.tolist()
        elif array.ndim == 2:
            columns |= {f"{name}_{k}": column for k, column in enumerate(array.T)}
        else:
            raise Refused(f"{path}: {name!r} must have one axis or two, got shape {array.shape}")
    return Source(path, list(columns), lambda wanted: [columns[name] for name in wanted])
