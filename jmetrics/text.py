"""Numbers and tables as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsFloat


def number(value: SupportsFloat, form: str = ".3f") -> str:
    """A number as `format` writes it, with a real minus sign and a space before a %."""
    return format(float(value), form).replace("-", "−").replace("%", " %")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under their heads: the first to the left, numbers to the right."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  "
        + "   ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
