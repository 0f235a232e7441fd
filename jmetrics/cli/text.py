"""Results as text and as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from jmetrics.cli.evaluation import Result, SubsetResults
from jmetrics.text import number, table

_ARROWS = {"higher": "↑", "lower": "↓", "level": "="}


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


def header(level: float, compared: bool) -> list[str]:
    """Heads of the columns."""
    interval = f"{100 * level:g} % interval"
    heads = ["metric", "value", "std. error", interval]
    return [*heads, "other", "difference", interval, "p-value"] if compared else heads


def cells(result: Result) -> list[str]:
    """One row of a table."""
    form = f".{decimals(result.estimate, result.standard_error)}f"
    row = [
        f"{result.name} {_ARROWS[result.better]}",
        number(result.estimate, form),
        number(result.standard_error, form),
        f"{number(result.low, form)} to {number(result.high, form)}",
    ]
    other = result.comparison
    if other is None:
        return row
    fine = f".{decimals(other.difference, other.standard_error)}f"
    return [
        *row,
        number(other.other, form),
        number(other.difference, f"+{fine}"),
        f"{number(other.low, fine)} to {number(other.high, fine)}",
        p_text(other.p_value),
    ]


def part_title(part: SubsetResults, unit: str, group: str | None) -> str:
    """Description of a table."""
    count = f"{part.size:,} {unit if part.size != 1 else unit.removesuffix('s')}"
    return count if part.name is None else f"{group} = {part.name}: {count}"


def report(
    parts: list[SubsetResults],
    lines: list[str],
    notes: list[str],
    unit: str,
    group: str | None,
    level: float,
) -> str:
    """All tables, with their descriptions before and notes after."""
    blocks = ["\n".join(lines)]
    for part in parts:
        rows = [cells(result) for result in part.results]
        head = header(level, part.results[0].comparison is not None)
        title = part_title(part, unit, group)
        blocks.append(f"{title}\n{table(head, rows)}" if len(parts) > 1 else table(head, rows))
    return "\n\n".join([*blocks, "\n".join(notes)])


def as_json(parts: list[SubsetResults], settings: dict[str, Any], notes: list[str]) -> str:
    """All results as JSON, with null for undefined values."""
    whole, *groups = parts
    content = {
        **settings,
        "metrics": [_fields(result) for result in whole.results],
        "groups": {
            str(part.name): {
                "rows": part.size,
                "metrics": [_fields(result) for result in part.results],
            }
            for part in groups
        },
        "notes": notes,
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def _fields(result: Result) -> dict[str, Any]:
    fields = result._asdict()
    other = result.comparison
    fields["comparison"] = None if other is None else _known(other._asdict())
    return _known(fields)


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in fields.items()
    }
