"""What an evaluation says: tables of results, of differences and of classes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from jmetrics.cli.classes import RATES, Classes
from jmetrics.cli.evaluation import Difference, Result, SubsetResults
from jmetrics.text import number

_ARROWS = {"higher": "↑", "lower": "↓", "level": "="}
_MAX_CLASSES = 30
"""Beyond it, only JSON has the table of classes."""


class Report(NamedTuple):
    """All that is reported, in whatever form."""

    parts: list[SubsetResults]
    lines: list[str]
    """What was read."""
    notes: list[str]
    """How it was evaluated, and what to know about it."""
    unit: str
    """What is counted: "rows" or "lists"."""
    group: str | None
    level: float
    """Of the intervals."""
    models: list[str]
    classes: list[Classes]
    """Of each model, where classes are predicted."""


class Table(NamedTuple):
    """Cells as text, under their heads."""

    title: str
    head: list[str]
    rows: list[list[str]]


def tables(report: Report) -> list[Table]:
    """All tables in the order in which they are read."""
    found = [table for part in report.parts for table in _of_part(report, part)]
    for name, classes in zip(report.models, report.classes, strict=False):
        if len(classes.names) <= _MAX_CLASSES:
            found += _of_classes(name if len(report.models) > 1 else "", classes)
    return found


def _of_part(report: Report, part: SubsetResults) -> list[Table]:
    count = f"{part.size:,} {report.unit if part.size != 1 else report.unit.removesuffix('s')}"
    title = count if part.name is None else f"{report.group} = {part.name}: {count}"
    interval = f"{100 * report.level:g} % interval"
    head = ["metric", "value", "std. error", interval]
    others = report.models[1:]
    if len(others) == 1:
        head += ["other", "difference", interval, "p-value", "better"]
        rows = [
            [*_cells(result), *_compared(report, result, result.comparisons[0])]
            for result in part.results
        ]
        return [Table(title, head, rows)]
    found = [Table(title, head, [_cells(result) for result in part.results])]
    if others:
        head = ["metric", "model", "value", "difference", interval, "Holm's p-value", "better"]
        rows = [
            [_name(result), name, *_compared(report, result, other, name)]
            for result in part.results
            for name, other in zip(others, result.comparisons, strict=True)
        ]
        found.append(Table(f"{title}, {report.models[0]} less each other model", head, rows))
    return found


def _name(result: Result) -> str:
    return f"{result.name} {_ARROWS[result.better]}"


def _cells(result: Result) -> list[str]:
    form = f".{decimals(result.estimate, result.standard_error)}f"
    return [
        _name(result),
        number(result.estimate, form),
        number(result.standard_error, form),
        f"{number(result.low, form)} to {number(result.high, form)}",
    ]


def _compared(
    report: Report, result: Result, other: Difference, name: str | None = None
) -> list[str]:
    form = f".{decimals(result.estimate, result.standard_error)}f"
    fine = f".{decimals(other.difference, other.standard_error)}f"
    sides = {"first": report.models[0], "other": name or report.models[1], None: "–"}
    return [
        number(other.other, form),
        number(other.difference, f"+{fine}"),
        f"{number(other.low, fine)} to {number(other.high, fine)}",
        p_text(other.adjusted_p_value),
        sides[better(result, other, report.level)],
    ]


def better(result: Result, other: Difference, level: float) -> str | None:
    """Which of "first" and "other" is better, where the difference is significant."""
    # What is undefined is not significant.
    if not other.adjusted_p_value < 1 - level or result.better == "level":
        return None
    return "first" if (other.difference > 0) == (result.better == "higher") else "other"


def _of_classes(model: str, classes: Classes) -> list[Table]:
    where = f", {model}" if model else ""
    rows = [
        [name, *map(number, classes.rates[k]), f"{classes.support[k]:.15g}"]
        for k, name in enumerate(classes.names)
    ]
    found = [Table(f"classes{where}", ["class", *RATES, "support"], rows)]
    if classes.matrix is not None:
        counts = [
            [name, *(f"{count:.15g}" for count in row)]
            for name, row in zip(classes.names, classes.matrix.tolist(), strict=True)
        ]
        found.append(
            Table(f"true classes (rows) as predicted{where}", ["", *classes.names], counts)
        )
    return found


def decimals(value: float, error: float) -> int:
    """Number of decimals to show: two digits of the error, or four of the value."""
    if error > 1e-6 * abs(value) and math.isfinite(error):
        return min(max(1 - math.floor(math.log10(error)), 0), 8)
    if value and math.isfinite(value):
        return min(max(3 - math.floor(math.log10(abs(value))), 0), 8)
    return 1


def p_text(p_value: float) -> str:
    """A p-value with two digits, or "< 0.0001"."""
    if math.isnan(p_value):
        return "nan"
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.2g}" if p_value < 0.1 else f"{p_value:.2f}"


def content(report: Report, settings: dict[str, Any]) -> dict[str, Any]:
    """All that JSON says, undefined values among it."""
    whole, *groups = report.parts
    return {
        **settings,
        "models": report.models,
        "metrics": [_fields(report, result) for result in whole.results],
        "classes": {
            name: classes.fields()
            for name, classes in zip(report.models, report.classes, strict=False)
        },
        "groups": {
            str(part.name): {
                "rows": part.size,
                "metrics": [_fields(report, result) for result in part.results],
            }
            for part in groups
        },
        "notes": report.notes,
    }


def _fields(report: Report, result: Result) -> dict[str, Any]:
    compared = [
        {"model": name, **other._asdict(), "is_better": better(result, other, report.level)}
        for name, other in zip(report.models[1:], result.comparisons, strict=True)
    ]
    return result._asdict() | {"comparisons": compared}
