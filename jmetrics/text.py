"""Numbers and tables as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsFloat

__all__ = ["number", "table"]


def number(value: SupportsFloat, form: str = ".3f") -> str:
    """Format a number as `format` does, with a true minus sign and a space before a %.

    Args:
        value: Any real number.
        form: Format specification of Python, such as ".3f".

    Returns:
        The text.
    """
    return format(float(value), form).replace("-", "−").replace("%", " %")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Align columns under their headings: the first to the left, the others to the right.

    Args:
        head: Headings of the columns.
        rows: Rows of cells, each as long as `head`.

    Returns:
        The lines of the table, joined.
    """
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
