"""Roles of the columns, and their cells as numbers or as classes."""

from __future__ import annotations

import fnmatch
import re
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from jmetrics.cli.reading import Cells, Refused, Source

TRUTH = ("y_true", "truth", "true", "label", "target", "actual", "observed", "relevance", "y")
SCORE = (
    "y_score",
    "y_proba",
    "y_prob",
    "y_pred",
    "score",
    "probability",
    "proba",
    "prob",
    "prediction",
    "predicted",
    "pred",
    "forecast",
    "quantile",
    "q",
)
QUERY = ("query", "query_id", "qid")
_MAX_CLASSES = 1000
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


class Columns:
    """The requested columns of a file, converted as needed."""

    def __init__(self, source: Source, wanted: list[str]):
        self._source = source
        self._cells = source.read(list(dict.fromkeys(wanted)))
        self._numbers: dict[str, np.ndarray | None] = {}

    def __len__(self) -> int:
        return len(next(iter(self._cells.values())))

    def borrow(self, other: Columns, wanted: list[str]) -> None:
        """Take wanted columns that are missing here from the same rows of another file."""
        if len(self) != len(other):
            raise Refused(f"{self.path}: {len(self)} rows, but {other.path} has {len(other)}")
        self._cells |= {name: other._cells[name] for name in wanted if name not in self._cells}

    @property
    def path(self) -> str:
        """The file, for messages."""
        return self._source.path

    def location(self, row: int, name: str) -> str:
        """Location of a cell, for messages."""
        return self._source.location(row, name)

    def refuse(self, name: str, wrong: np.ndarray, what: str) -> None:
        """Raise for the first wrong row, if any; `what` may name the cell's text."""
        if wrong.any():
            row = int(np.argmax(wrong))
            raise Refused(
                f"{self.location(row, name)}: {what.format(_shown(self._cells[name][row]))}"
            )

    def are_numbers(self, *names: str) -> bool:
        """Whether all cells of these columns are numbers."""
        return all(self._parsed(name) is not None for name in names)

    def _parsed(self, name: str) -> np.ndarray | None:
        if name not in self._numbers:
            self._numbers[name] = _parse(self._cells[name])
        return self._numbers[name]

    def numbers(self, name: str) -> np.ndarray:
        """A column of finite numbers."""
        values = self._parsed(name)
        if values is None:
            wrong = np.array([_parse([cell]) is None for cell in self._cells[name]])
            self._refuse_empty(name)
            self.refuse(name, wrong, "{} is not a number")
        assert values is not None
        self.refuse(name, ~np.isfinite(values), "{} is not a finite number")
        return values

    def matrix(self, names: list[str]) -> np.ndarray:
        """Several columns of finite numbers side by side."""
        return np.column_stack([self.numbers(name) for name in names])

    def _refuse_empty(self, name: str) -> None:
        empty = np.array([cell is None or cell == "" for cell in self._cells[name]])
        self.refuse(name, empty, "is empty")

    def cells(self, name: str) -> Cells:
        """A column as it was read, which must have no empty cell."""
        self._refuse_empty(name)
        return self._cells[name]

    def classes(self, *names: str) -> list[str]:
        """All classes in these columns, numbers by value before texts."""
        return sorted({text for name in names for text in self.texts(name)[1]}, key=by_number)

    def texts(self, name: str) -> tuple[np.ndarray, list[str]]:
        """A column of classes, as codes and the names of the codes."""
        cells = self._cells[name]
        if isinstance(cells, np.ndarray):
            cells = cells.tolist()
        seen = list(dict.fromkeys(cells))
        if len(seen) > _MAX_CLASSES:
            raise Refused(
                f"{self.path}: column {name!r} has {len(seen)} different values, "
                f"more than {_MAX_CLASSES} classes or groups"
            )
        names = {cell: class_name(cell) for cell in seen}
        if "" in names.values():
            self.refuse(name, np.array([names[cell] == "" for cell in cells]), "{} is no class")
        order = sorted(set(names.values()), key=by_number)
        code = {cell: order.index(text) for cell, text in names.items()}
        return np.fromiter(map(code.__getitem__, cells), np.int32, len(cells)), order


def _parse(cells: Cells) -> np.ndarray | None:
    if isinstance(cells, np.ndarray):
        return cells.astype(float)
    try:
        return np.fromiter(map(float, cells), float, len(cells))
    except (TypeError, ValueError):
        return None


def _shown(cell: Any) -> str:
    text = str(cell)
    return "the empty cell" if not text.strip() or cell is None else repr(text[:40])


def class_name(cell: Any) -> str:
    """Name of a class: "1", "1.0", 1 and equal numbers are one class; "" means no class."""
    if cell is None or isinstance(cell, bool):
        return "" if cell is None else str(cell)
    text = str(cell).strip()
    if _DECIMAL.fullmatch(text):
        value = Decimal(text)  # not through floats, in which long names would be one
        return str(int(value)) if value == value.to_integral_value() else repr(float(value))
    number = _parse([text])
    return text if number is None or np.isfinite(number[0]) else ""


def by_number(name: str) -> tuple[bool, float, str]:
    """Sort key: numbers by value, then texts."""
    number = _parse([name])
    return (True, 0.0, name) if number is None else (False, float(number[0]), name)


class Roles(NamedTuple):
    """Names of the columns in each role."""

    truth: list[str]
    score: list[str]
    query: str | None
    group: str | None
    weight: str | None
    cluster: str | None

    def wanted(self) -> list[str]:
        """All columns that must be read."""
        others = (self.query, self.group, self.weight, self.cluster)
        return [*self.truth, *self.score, *(name for name in others if name is not None)]


def roles(source: Source, options: Any) -> Roles:
    """Choose columns by the options, else by their names."""
    query = _one(source, "--query", options.query)
    if query is None and options.task in (None, "ranking"):
        query = next((name for name in source.names if name.lower() in QUERY), None)
    return Roles(
        truth(source, options.y_true),
        score(source, options.y_score),
        query,
        _one(source, "--group", options.group),
        _one(source, "--weight", options.weight),
        _one(source, "--cluster", options.cluster),
    )


def truth(source: Source, said: str | None) -> list[str]:
    """Columns of the truth."""
    return _chosen(source, "--y-true", said, TRUTH, "the true values")


def score(source: Source, said: str | None) -> list[str]:
    """Columns of the predictions."""
    return _chosen(source, "--y-score", said, SCORE, "the predictions")


def _one(source: Source, option: str, said: str | None) -> str | None:
    if said is not None and said not in source.names:
        raise Refused(f"{source.path}: no column {said!r} for {option}; {_listing(source)}")
    return said


def _listing(source: Source) -> str:
    shown = ", ".join(source.names[:12])
    return f"the columns are {shown}" + (", …" if len(source.names) > 12 else "")


def _chosen(
    source: Source, option: str, said: str | None, known: tuple[str, ...], meaning: str
) -> list[str]:
    if said is not None:
        return _said(source, option, said)
    for name in known:
        family = [column for column in source.names if _in_family(column.lower(), name)]
        if len(family) > 1:
            return family
    for name in known:
        for column in source.names:
            if column.lower() == name:
                return [column]
    raise Refused(
        f"{source.path}: no column has a usual name for {meaning}; "
        f"name it with {option}; {_listing(source)}"
    )


def _in_family(column: str, name: str) -> bool:
    """Whether this is one of several columns: a name with a suffix, or q and a level."""
    if len(name) == 1:
        return re.fullmatch(rf"{name}_?\d*\.?\d+", column) is not None
    return re.match(rf"{name}[_.:\[ -]", column) is not None


def _said(source: Source, option: str, said: str) -> list[str]:
    """One name, or several separated by commas, with * as a wildcard."""
    if said in source.names:
        return [said]
    found: list[str] = []
    for part in (part.strip() for part in said.split(",")):
        names = [part] if part in source.names else fnmatch.filter(source.names, part)
        if not names:
            raise Refused(f"{source.path}: no column {part!r} for {option}; {_listing(source)}")
        found += [name for name in names if name not in found]
    return found
