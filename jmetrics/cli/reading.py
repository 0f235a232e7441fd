"""Files as tables: CSV, JSON, Parquet, Arrow, NPZ, parts of them, standard input."""

from __future__ import annotations

import contextlib
import csv
import glob
import importlib
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from jmetrics.cli.dialect import is_number, quoted
from jmetrics.cli.engine import Engine, Refused, Relation, reason

_SPACES = "' ' || chr(9) || chr(160)"
"""SQL of what surrounds cells without being part of them, the space that does not break too."""
_SEPARATORS = ",;\t|"
_KINDS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".feather": "Arrow",
    ".arrow": "Arrow",
    ".npz": "NPZ",
}
_COMPRESSED = (".gz", ".zst")
_NUMERIC = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_NO_TEXT = "is not text in UTF-8; --encoding says what else it is"
_MOST_REJECTS = 100
_CSV = """read_csv($files, auto_detect = false, header = true, delim = $separator, quote = '"',
    escape = '"', strict_mode = true, encoding = $encoding, filename = true,
    store_rejects = true, rejects_limit = $most, columns = {columns})"""
_LINES = """read_csv($files, auto_detect = false, header = false, delim = '\x01', quote = '',
    escape = '', encoding = $encoding, columns = {'line': 'VARCHAR'})"""


class Source:
    """A file, or parts of one, with named columns, of which only the wanted ones are read."""

    def __init__(self, engine: Engine, path: str):
        self.path = "standard input" if path == "-" else path
        self.engine = engine
        self.table = ""
        with self.readable(self.path):
            self.parts = _spooled(engine) if path == "-" else _parts(path)
            self.kind = _kind(self.path, self.parts)
            self.names, self._relation = _OPENED[self.kind](self)
        self._types: dict[str, str] = {}

    @contextlib.contextmanager
    def readable(self, path: str) -> Iterator[None]:
        """Turn errors of reading into one-line errors."""
        try:
            yield
        except FileNotFoundError:
            raise Refused(f"{path}: no such file") from None
        except OSError as error:
            raise Refused(f"{path}: {error.strerror or 'cannot be read'}") from None
        except self.engine.error as error:
            what = f"cannot be read as {self.kind}: {reason(error)}"
            if "utf-8" in str(error):
                what = _NO_TEXT
            raise Refused(f"{path}: {what}") from None

    def load(self, wanted: Sequence[str]) -> None:
        """Fill `table` with the wanted columns, and with the number of each row, from 0."""
        for name in wanted:
            if self.names.count(name) > 1:
                raise Refused(f"{self.path}: two columns are called {name!r}")
        columns = [self._cell(name) for name in wanted]
        part = "filename" if self.kind in ("CSV", "JSON", "Parquet") else "''"
        chosen = ", ".join(["row_number() OVER () - 1 AS row", f"{part} AS part", *columns])
        self.table = self.engine.new_table()
        with self.readable(self.path):
            sql = f"CREATE TABLE {self.table} AS SELECT {chosen} FROM {self._relation.sql}"
            self.engine.run(sql, self._relation.parameters)
            self._types = _types(self.engine, Relation(self.table))
        if self.kind == "CSV":
            _refuse_rejected(self)

    def column(self, name: str) -> str:
        """Name of a column in `table`."""
        return f"c{self.names.index(name)}"

    def is_text(self, name: str) -> bool:
        """Whether cells are text, and not typed as numbers by their file."""
        return self._types[self.column(name)] == "VARCHAR"

    def is_float(self, name: str) -> bool:
        """Whether cells are typed as floating-point numbers, among which may be NaN."""
        return self._types[self.column(name)] in ("FLOAT", "DOUBLE")

    def _cell(self, name: str) -> str:
        column = self.column(name)
        if self.kind in ("CSV", "JSON"):
            return f"trim({column}, {_SPACES}) AS {column}"
        cell = '"' + name.replace('"', '""') + '"'
        kind = _types(self.engine, self._relation)[name]
        if kind == "BOOLEAN":
            return f"CAST({cell} AS TINYINT) AS {column}"
        if kind.removeprefix("U").startswith(_NUMERIC) and not kind.endswith("]"):
            return f"{cell} AS {column}"
        return f"trim(CAST({cell} AS VARCHAR), {_SPACES}) AS {column}"

    def location(self, row: int, name: str) -> str:
        """Location of a cell, for messages; `row` counts from 0, messages from 1."""
        ((part, first, rows),) = self.engine.rows(
            f"SELECT part, min(row), count(*) FROM {self.table} WHERE part = "
            f"(SELECT part FROM {self.table} WHERE row = ?) GROUP BY part",
            [row],
        )
        line = ""
        if self.kind == "CSV":
            # Quoted line breaks and blank lines make line numbers differ from row numbers.
            lines = Relation(_LINES, {"files": glob.escape(part), "encoding": self.encoding})
            if self.engine.rows(f"SELECT count(*) FROM {lines.sql}", lines.parameters) == [
                (rows + 1,)
            ]:
                line = f" (line {row - first + 2})"
        path = self.path if len(self.parts) == 1 else part
        return f"{path}: row {row - first + 1}{line}, column {name!r}"

    @property
    def encoding(self) -> str:
        """Encoding of the text: as told, else by the first bytes."""
        if self.engine.dialect.encoding is not None:
            return self.engine.dialect.encoding
        with open(self.parts[0], "rb") as file:
            return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8"


def _types(engine: Engine, relation: Relation) -> dict[str, str]:
    described = f"DESCRIBE SELECT * FROM {relation.sql}"
    return {name: kind for name, kind, *_ in engine.rows(described, relation.parameters)}


def _spooled(engine: Engine) -> list[str]:
    """Standard input as a file, named by what its first bytes say."""
    file = engine.folder / "stdin"
    with open(file, "wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    with open(file, "rb") as copy:
        start = copy.read(4)
    marks = {b"\x1f\x8b": ".csv.gz", b"\x28\xb5\x2f\xfd": ".csv.zst", b"PAR1": ".parquet"}
    marks |= {b"{": ".jsonl", b"[": ".json", b"PK\x03\x04": ".npz"}
    suffix = next((name for mark, name in marks.items() if start.startswith(mark)), ".csv")
    return [str(file.rename(file.with_name(f"stdin{suffix}")))]


def _parts(path: str) -> list[str]:
    """The file, or the files in a folder or of a pattern, in the order of their names."""
    if Path(path).is_dir():
        # Writers of parts leave marks such as _SUCCESS beside them.
        inside = (file for file in Path(path).iterdir() if file.name[0] not in "._")
        found = sorted(str(file) for file in inside if file.is_file())
        if not found:
            raise Refused(f"{path}: is a folder without files")
        return found
    if not Path(path).exists() and glob.has_magic(path):
        found = sorted(glob.glob(path, recursive=True))
        if not found:
            raise Refused(f"{path}: no file has such a name")
        return found
    return [path]


def _suffix(path: str) -> str:
    name = Path(path.lower())
    return Path(name.stem).suffix if name.suffix in _COMPRESSED else name.suffix


def _kind(path: str, parts: list[str]) -> str:
    for part in parts:
        if _suffix(part) not in _KINDS:
            known = ", ".join(_KINDS)
            raise Refused(
                f"{part}: unknown kind of file {_suffix(part)!r}; expected {known}, or - for CSV"
            )
        with open(part, "rb"):  # so that what cannot be opened is refused by the system's words
            pass
    kinds = {_KINDS[_suffix(part)] for part in parts}
    if len(kinds) > 1:
        raise Refused(f"{path}: holds files of different kinds: {', '.join(sorted(kinds))}")
    kind = kinds.pop()
    if kind in ("Arrow", "NPZ") and len(parts) > 1:
        raise Refused(f"{path}: parts may be CSV, JSON or Parquet, not {_suffix(parts[0])}")
    return kind


def _csv(source: Source) -> tuple[list[str], Relation]:
    first, separator = _header(source, source.parts[0])
    for part in source.parts[1:]:
        names, _ = _header(source, part)
        if names != first:
            raise Refused(f"{part}: its columns are not those of {source.parts[0]}")
    columns = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(first)))
    parameters = {
        "files": [glob.escape(part) for part in source.parts],
        "separator": separator,
        "encoding": source.encoding,
        "most": _MOST_REJECTS,
    }
    return first, Relation(_CSV.replace("{columns}", f"{{{columns}}}"), parameters)


def _header(source: Source, part: str) -> tuple[list[str], str]:
    """Names of the columns of a CSV file, and the separator."""
    path = source.path if len(source.parts) == 1 else part
    lines = {"files": glob.escape(part), "encoding": source.encoding}
    with source.readable(path):
        found = source.engine.rows(f"SELECT line FROM {_LINES} LIMIT 1", lines)
    first = (found[0][0] or "") if found else ""
    if not first.strip():
        raise Refused(f"{path}: is empty, or its first line is")
    separator = max(_SEPARATORS, key=re.sub('"[^"]*"', "", first).count)
    if separator not in first and first.strip().count(" ") > 0:
        separator = " "
    names = [cell.strip() for cell in next(csv.reader([first], delimiter=separator))]
    if all(map(is_number, names)):
        listing = ", ".join(names[:3])
        raise Refused(f"{path}: the first line must name the columns, found numbers: {listing}")
    return names, separator


def _refuse_rejected(source: Source) -> None:
    found = source.engine.rows(
        "SELECT file_path, line, error_type, csv_line FROM reject_errors "
        "JOIN reject_scans USING (scan_id, file_id) ORDER BY file_id, line LIMIT 1"
    )
    for part, line, kind, text in found:
        path = source.path if len(source.parts) == 1 else part
        where = f"{path}: line {line}"
        if kind == "INVALID ENCODING":
            raise Refused(f"{where}: {_NO_TEXT}")
        if kind in ("MISSING COLUMNS", "TOO MANY COLUMNS"):
            _, separator = _header(source, part)
            cells = len(next(csv.reader([text], delimiter=separator)))
            width = len(source.names)
            raise Refused(f"{where}: {cells} cells, but the first line names {width} columns")
        raise Refused(f"{where}: is not CSV: {kind.lower()}")


def _json(source: Source) -> tuple[list[str], Relation]:
    # Types are not told from the values, among which 2.10 and 1 may be names.
    lines = "newline_delimited" if _suffix(source.parts[0]) != ".json" else "auto"
    parameters = {"files": [glob.escape(part) for part in source.parts]}
    sql = f"read_json($files, format = '{lines}'"
    names = list(_types(source.engine, Relation(f"{sql})", parameters)))
    if names == ["json"]:
        raise Refused(f"{source.path}: expected objects with a value for each column")
    columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
    renamed = ", ".join(
        '"' + name.replace('"', '""') + f'" AS c{k}' for k, name in enumerate(names)
    )
    whole = f"{sql}, filename = true, columns = {{{columns}}})"
    return names, Relation(f"(SELECT {renamed}, filename FROM {whole})", parameters)


def _parquet(source: Source) -> tuple[list[str], Relation]:
    files = {"files": [glob.escape(part) for part in source.parts]}
    relation = Relation("read_parquet($files, filename = true, hive_partitioning = false)", files)
    names = list(_types(source.engine, relation))
    return [name for name in names if name != "filename"], relation


def _arrow(source: Source) -> tuple[list[str], Relation]:
    try:
        feather = importlib.import_module("pyarrow.feather")
        invalid = importlib.import_module("pyarrow").ArrowInvalid
    except ImportError:
        hint = "pip install 'jmetrics-jax[arrow]'"
        raise Refused(f"{source.path}: reading Arrow files needs pyarrow: {hint}") from None
    try:
        table = feather.read_table(source.parts[0], memory_map=True)
    except invalid:
        raise Refused(f"{source.path}: is not an Arrow file") from None
    return list(table.column_names), source.engine.register(table)


def _npz(source: Source) -> tuple[list[str], Relation]:
    path = source.path
    try:
        with np.load(source.parts[0], allow_pickle=False) as file:
            arrays = dict(file.items())
    except (ValueError, AttributeError, TypeError, zipfile.BadZipFile):
        raise Refused(f"{path}: is not NPZ of plain arrays of numbers and texts") from None
    columns: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if array.ndim not in (1, 2):
            raise Refused(f"{path}: {name!r} must have one axis or two, got shape {array.shape}")
        beside = {f"{name}_{k}": column for k, column in enumerate(array.T)}
        for key, column in ({name: array} if array.ndim == 1 else beside).items():
            plain = column.dtype.kind in "biu" or column.dtype.kind == "f"
            if column.dtype == np.float16:
                column = column.astype(np.float32)
            native = column.astype(column.dtype.newbyteorder("=")) if plain else column.astype(str)
            columns[key] = np.ascontiguousarray(native)
    if not columns:
        raise Refused(f"{path}: holds no arrays")
    if len({len(column) for column in columns.values()}) > 1:
        listing = ", ".join(f"{name!r} {len(column)}" for name, column in columns.items())
        raise Refused(f"{path}: the columns have different lengths: {listing}")
    return list(columns), source.engine.register(columns)


_OPENED = {"CSV": _csv, "JSON": _json, "Parquet": _parquet, "Arrow": _arrow, "NPZ": _npz}
