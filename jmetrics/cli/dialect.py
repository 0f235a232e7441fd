"""How files write numbers and missing values."""

from __future__ import annotations

import re
from typing import NamedTuple

ENCODINGS = ("utf-8", "utf-16", "latin-1")
MISSING = ("NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "NULL", "null", "None", "NaT", ".")


class Dialect(NamedTuple):
    """Spellings in the cells of text files, as told by options."""

    encoding: str | None = None
    """None for UTF-8, or UTF-16 where the first bytes say so."""
    missing: tuple[str, ...] = MISSING
    """Spellings of a missing value, besides the empty cell."""
    decimal: str = "."
    thousands: str = ""

    def pattern(self) -> str:
        """Regular expression of all numbers, infinities among them."""
        point, group = re.escape(self.decimal), re.escape(self.thousands)
        digits = rf"(\d+{point}?\d*|{point}\d+)([eE][+-]?\d{{1,4}})?"
        if self.thousands:
            digits += rf"|\d{{1,3}}({group}\d{{3}})+({point}\d*)?"
        return rf"[+-]?({digits}|[iI]nf(inity)?)"

    def number(self, cell: str) -> str:
        """SQL of the value of a cell, NULL where it is no number."""
        plain = cell
        if self.thousands:
            plain = f"replace({plain}, {quoted(self.thousands)}, '')"
        if self.decimal != ".":
            plain = f"replace({plain}, {quoted(self.decimal)}, '.')"
        matched = f"regexp_full_match({cell}, {quoted(self.pattern())})"
        return f"CASE WHEN {matched} THEN TRY_CAST({plain} AS DOUBLE) END"


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


_PLAIN = re.compile(Dialect().pattern(), re.ASCII)
_LIKE_NUMBER = re.compile(r"[+-]?[$€£¥]?\s*\d[\d.,'\s]*\s*[%€$]?", re.ASCII)


def is_number(text: str) -> bool:
    """Whether this is a number in the plain spelling."""
    return _PLAIN.fullmatch(text) is not None


def like_number(text: str) -> bool:
    """Whether a person would read this as a number, such as 1,250.0 or 12 %."""
    return not is_number(text) and _LIKE_NUMBER.fullmatch(text) is not None
