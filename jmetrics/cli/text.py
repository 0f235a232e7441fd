"""Reports as text, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from jmetrics.cli.report import Report, Table, content, tables
from jmetrics.text import table as aligned

_COLUMNS = (
    "group",
    "model",
    "metric",
    "value",
    "standard_error",
    "low",
    "high",
    "method",
    "difference",
    "difference_low",
    "difference_high",
    "difference_standard_error",
    "p_value",
    "adjusted_p_value",
)
_LATEX = {
    "\\": r"\textbackslash{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "²": r"\textsuperscript{2}",
    "–": "--",
    "<": "$<$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def as_text(report: Report, settings: dict[str, Any]) -> str:
    """Tables with their descriptions before and notes after."""
    found = tables(report)
    blocks = [
        f"{table.title}\n{aligned(table.head, table.rows)}"
        if len(found) > 1
        else aligned(table.head, table.rows)
        for table in found
    ]
    return "\n\n".join(["\n".join(report.lines), *blocks, "\n".join(report.notes)])


def as_json(report: Report, settings: dict[str, Any]) -> str:
    """All results, with null for undefined values."""
    everything = _known(content(report, settings))
    return json.dumps(everything, indent=2, ensure_ascii=False, allow_nan=False)


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _known(inside) for name, inside in value.items()}
    if isinstance(value, list):
        return [_known(inside) for inside in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_csv(report: Report, settings: dict[str, Any]) -> str:
    """One row for each metric of each model, with all digits."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(report))
    return text.getvalue().removesuffix("\n")


def _rows(report: Report) -> Iterator[dict[str, Any]]:
    for part in report.parts:
        for result in part.results:
            row = {"group": part.name, "metric": result.name}
            first = {name: getattr(result, name) for name in _COLUMNS[4:8]}
            yield {**row, "model": report.models[0], "value": result.estimate, **first}
            for model, other in zip(report.models[1:], result.comparisons, strict=True):
                yield {
                    **row,
                    "model": model,
                    "value": other.other,
                    "difference": other.difference,
                    "difference_low": other.low,
                    "difference_high": other.high,
                    "difference_standard_error": other.standard_error,
                    "p_value": other.p_value,
                    "adjusted_p_value": other.adjusted_p_value,
                }


def as_markdown(report: Report, settings: dict[str, Any]) -> str:
    """Tables of Markdown, and all that is said as paragraphs."""
    blocks = [*report.lines]
    for table in tables(report):
        ruler = ["---", *["---:"] * (len(table.head) - 1)]
        rows = [table.head, ruler, *table.rows]
        lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
        blocks += [f"**{table.title}**", "\n".join(lines)]
    return "\n\n".join([*blocks, *report.notes])


def as_latex(report: Report, settings: dict[str, Any]) -> str:
    """Tables of LaTeX, and all that is said as comments."""
    blocks = ["\n".join(f"% {line}" for line in report.lines)]
    blocks += [_tabular(table) for table in tables(report)]
    return "\n\n".join([*blocks, "\n".join(f"% {note}" for note in report.notes)])


def _tabular(table: Table) -> str:
    head, *rows = (
        " & ".join("".join(_LATEX.get(sign, sign) for sign in cell) for cell in row) + r" \\"
        for row in (table.head, *table.rows)
    )
    columns = "l" + "r" * (len(table.head) - 1)
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{columns}}}", head, r"\hline", *rows]
    return "\n".join([*lines, r"\end{tabular}"])


FORMATS: dict[str, Callable[[Report, dict[str, Any]], str]] = {
    "text": as_text,
    "json": as_json,
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}
