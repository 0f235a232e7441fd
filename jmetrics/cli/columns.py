"""The columns of the rows that are evaluated, as numbers, classes or codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jmetrics.cli.dialect import is_number, quoted
from jmetrics.cli.engine import Engine, Refused
from jmetrics.cli.reading import Source

_MAX_CLASSES = 1000
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)(\.0+)?", re.ASCII)


class _Cells(NamedTuple):
    """Where the cells of a column are, and where they came from."""

    column: str
    """In the table of all columns."""
    source: Source
    name: str
    """In the source."""
    row: str
    """Column with the row in the source."""


class Columns:
    """The requested columns of a file, and of those joined to it."""

    def __init__(self, source: Source, wanted: Sequence[str]):
        wanted = list(dict.fromkeys(wanted))
        source.load(wanted)
        self._source = source
        self._table = source.table
        self._cells = {name: _Cells(source.column(name), source, name, "row") for name in wanted}
        self.notes: list[str] = []
        if not len(self):
            raise Refused(f"{source.path}: no rows, only names of columns")

    def __len__(self) -> int:
        return self._engine.rows(f"SELECT count(*) FROM {self._table}")[0][0]

    @property
    def _engine(self) -> Engine:
        return self._source.engine

    @property
    def path(self) -> str:
        """The file, for messages."""
        return self._source.path

    def location(self, row: int, name: str) -> str:
        """Location of a cell, for messages; `row` counts the rows of all columns."""
        cells = self._cells[name]
        ((number,),) = self._engine.rows(
            f"SELECT {cells.row} FROM {self._table} ORDER BY row LIMIT 1 OFFSET ?", [row]
        )
        return cells.source.location(number, cells.name)

    def refuse(self, name: str, wrong: np.ndarray, what: str) -> None:
        """Raise for the first wrong row, if any; `what` may name the cell's text."""
        if wrong.any():
            row = int(np.argmax(wrong))
            ((cell,),) = self._engine.rows(
                f"SELECT {self._text(name)} FROM {self._table} ORDER BY row LIMIT 1 OFFSET ?", [row]
            )
            raise Refused(f"{self.location(row, name)}: {what.format(repr(cell[:40]))}")

    def _text(self, name: str) -> str:
        return f"CAST({self._cells[name].column} AS VARCHAR)"

    def _number(self, name: str) -> str:
        cells = self._cells[name]
        if cells.source.is_text(cells.name):
            return self._engine.dialect.number(cells.column)
        return f"CAST({cells.column} AS DOUBLE)"

    def _missing(self, name: str) -> str:
        cells = self._cells[name]
        missing = f"{cells.column} IS NULL"
        if cells.source.is_text(cells.name):
            spellings = ", ".join(map(quoted, ("", *self._engine.dialect.missing)))
            return f"({missing} OR {cells.column} IN ({spellings}))"
        if cells.source.is_float(cells.name):
            return f"({missing} OR isnan({cells.column}))"
        return f"({missing})"

    def settle(self, drop: bool) -> None:
        """Refuse missing values, or drop the rows that have some."""
        before = len(self)
        missing = {name: self._missing(name) for name in self._cells}
        counted = ", ".join(f"count(*) FILTER ({where})" for where in missing.values())
        counts = self._engine.rows(f"SELECT {counted} FROM {self._table}")[0]
        found = {name: count for name, count in zip(missing, counts, strict=True) if count}
        if not found:
            return
        if not drop:
            self._refuse_missing(*next(iter(found.items())))
        kept = self._engine.new_table()
        self._engine.run(
            f"CREATE TABLE {kept} AS SELECT * FROM {self._table} "
            f"WHERE NOT ({' OR '.join(missing.values())}) ORDER BY row"
        )
        self._table = kept
        listing = ", ".join(f"{count:,} in {name}" for name, count in found.items())
        if not len(self):
            raise Refused(f"{self.path}: all rows have missing values: {listing}")
        self.notes.append(
            f"{before - len(self):,} of {before:,} rows have missing values and were left out: "
            f"{listing}."
        )

    def _refuse_missing(self, name: str, count: int) -> None:
        wrong = self._engine.array(f"SELECT {self._missing(name)} FROM {self._table} ORDER BY row")
        row = int(np.argmax(wrong))
        ((cell,),) = self._engine.rows(
            f"SELECT {self._text(name)} FROM {self._table} ORDER BY row LIMIT 1 OFFSET ?", [row]
        )
        what = f"{cell!r} is a missing value" if cell else "is empty"
        more = f" ({count:,} such cells)" if count > 1 else ""
        raise Refused(f"{self.location(row, name)}: {what}{more}; --na drop leaves such rows out")

    def kind(self, name: str) -> str:
        """Whether the cells are "numbers", "texts", or "mixed"."""
        ((all_rows, numbers),) = self._engine.rows(
            f"SELECT count(*), count({self._number(name)}) FROM {self._table}"
        )
        return "numbers" if numbers == all_rows else "mixed" if numbers else "texts"

    def numbers(self, name: str) -> np.ndarray:
        """A column of finite numbers."""
        values = self._engine.run(
            f"SELECT {self._number(name)} AS value FROM {self._table} ORDER BY row"
        ).fetchnumpy()["value"]
        self.refuse(name, np.ma.getmaskarray(values), "{} is not a number")
        values = np.asarray(values, float)
        self.refuse(name, ~np.isfinite(values), "{} is not a finite number")
        return values

    def matrix(self, names: list[str]) -> np.ndarray:
        """Several columns of finite numbers side by side."""
        return np.column_stack([self.numbers(name) for name in names])

    def codes(self, name: str) -> np.ndarray:
        """Cells as integers, numbered by first occurrence."""
        cell = self._text(name)
        first = (
            f"SELECT {cell} AS cell, row_number() OVER (ORDER BY min(row)) - 1 AS code "
            f"FROM {self._table} GROUP BY {cell}"
        )
        sql = f"SELECT code FROM {self._table} JOIN ({first}) ON {cell} = cell ORDER BY row"
        return self._engine.array(sql).astype(np.int32)

    def distinct(self, name: str) -> list[str]:
        """The different cells of a column of classes or groups."""
        sql = f"SELECT DISTINCT {self._text(name)} FROM {self._table} LIMIT {_MAX_CLASSES + 1}"
        found = [cell for (cell,) in self._engine.rows(sql)]
        if len(found) > _MAX_CLASSES:
            raise Refused(
                f"{self.path}: column {name!r} has more than {_MAX_CLASSES} different values, "
                "too many for classes or groups"
            )
        return found

    def classes(self, name: str) -> list[str]:
        """Names of the classes in a column, numbers by value before texts."""
        return self.texts(name)[1]

    def texts(self, name: str) -> tuple[np.ndarray, list[str]]:
        """A column of classes, as codes and the names of the codes.

        Names are kept as they are written, except that whole numbers lose the ".0" with which
        they are written where a column had missing values once.
        """
        cells = self.distinct(name)
        names = class_names(cells)
        if len(set(names)) < len(cells):
            twice = next(text for text in names if names.count(text) > 1)
            listing = " and ".join(repr(c) for c, n in zip(cells, names, strict=True) if n == twice)
            raise Refused(f"{self.path}: column {name!r} holds both {listing}")
        order = sorted(names, key=by_number)
        position = f"list_position(?, {self._text(name)}) AS code"
        found = self._engine.array(f"SELECT {position} FROM {self._table} ORDER BY row", [cells])
        return np.array([order.index(text) for text in names], np.int32)[found - 1], order

    def join(
        self, other: Source, scores: Sequence[str], same: Sequence[str], by: Sequence[str]
    ) -> list[str]:
        """Add columns of another file's rows; return the names that they have here.

        Rows are matched by their position, or by the columns `by`. Columns `same` are in both
        files and must hold the same.
        """
        other.load(list(dict.fromkeys([*scores, *same, *by])))
        here, there, joined = self._table, other.table, self._engine.new_table()
        if by:
            pairs = self._matched(other, by)
        else:
            ((rows,),) = self._engine.rows(f"SELECT count(*) FROM {there}")
            if rows != len(self):
                raise Refused(f"{other.path}: {rows} rows, but {self.path} has {len(self)}")
            pairs = f"{here}.row = {there}.row"
        added = [f"{there}.row AS {there}_row"]
        for name in dict.fromkeys([*scores, *same]):
            column = other.column(name)
            added.append(f"{there}.{column} AS {there}_{column}")
            key = f"{name} of {there}"
            self._cells[key] = _Cells(f"{there}_{column}", other, name, f"{there}_row")
        self._engine.run(
            f"CREATE TABLE {joined} AS SELECT {here}.*, {', '.join(added)} "
            f"FROM {here} JOIN {there} ON {pairs} ORDER BY {here}.row"
        )
        self._table = joined
        for name in same:
            self._refuse_different(name, f"{name} of {there}")
            if name not in scores:
                del self._cells[f"{name} of {there}"]
        return [f"{name} of {there}" for name in scores]

    def _matched(self, other: Source, by: Sequence[str]) -> str:
        """Condition of rows with the same key; what has no partner is counted in a note."""
        here, there = self._table, other.table
        keys = [(self._cells[name].column, other.column(name)) for name in by]
        for source, table, key in (
            (self._source, here, ", ".join(mine for mine, _ in keys)),
            (other, there, ", ".join(theirs for _, theirs in keys)),
        ):
            twice = f"SELECT max(row) FROM {table} GROUP BY {key} HAVING count(*) > 1 LIMIT 1"
            for (row,) in self._engine.rows(twice):
                raise Refused(f"{source.location(row, by[0])}: another row has the same --id")
        pairs = " AND ".join(
            f"CAST({here}.{mine} AS VARCHAR) = CAST({there}.{theirs} AS VARCHAR)"
            for mine, theirs in keys
        )
        ((found, mine, theirs),) = self._engine.rows(
            f"SELECT (SELECT count(*) FROM {here} JOIN {there} ON {pairs}), "
            f"(SELECT count(*) FROM {here}), (SELECT count(*) FROM {there})"
        )
        if not found:
            raise Refused(f"{other.path}: no row has the --id of one in {self.path}")
        if found < max(mine, theirs):
            self.notes.append(
                f"Matched by {', '.join(by)}: {found:,} rows; {mine - found:,} of {self.path} and "
                f"{theirs - found:,} of {other.path} have no partner and were left out."
            )
        return pairs

    def _refuse_different(self, name: str, other: str) -> None:
        """Raise for the first row in which two columns differ, as numbers or else as texts."""
        mine, theirs = self._number(name), self._number(other)
        sql = (
            f"SELECT coalesce({mine} <> {theirs}, {self._text(name)} <> {self._text(other)}, false)"
            f" FROM {self._table} ORDER BY row"
        )
        wrong = self._engine.array(sql)
        self.refuse(other, wrong, f"{{}} is not the value in {self.path}")

    def name(self, key: str) -> str:
        """Name of a column in its own file."""
        return self._cells[key].name

    def few_numbers(self, name: str, most: int) -> set[float] | None:
        """The different values of a column of numbers, or None if they are more."""
        sql = f"SELECT DISTINCT {self._number(name)} FROM {self._table} LIMIT {most + 1}"
        found = {value for (value,) in self._engine.rows(sql)}
        return found if len(found) <= most else None

    def first(self, name: str, number: bool) -> tuple[int, str]:
        """The first row with a number, or with none, and its cell."""
        where = f"{self._number(name)} IS {'NOT ' if number else ''}NULL"
        sql = (
            "SELECT place, cell FROM (SELECT row_number() OVER (ORDER BY row) - 1 AS place, "
            f"{self._text(name)} AS cell, {where} AS wanted FROM {self._table}) "
            "WHERE wanted ORDER BY place LIMIT 1"
        )
        return self._engine.rows(sql)[0]


def class_names(cells: Sequence[str]) -> list[str]:
    """Names of the classes that are written so."""
    if all(map(_WHOLE.fullmatch, cells)):
        return [cell.split(".")[0].removeprefix("+") for cell in cells]
    return list(cells)


def by_number(name: str) -> tuple[bool, float, str]:
    """Sort key: numbers by value, then texts."""
    return (False, float(name), name) if is_number(name) else (True, 0.0, name)
