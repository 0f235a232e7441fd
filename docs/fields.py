"""Lets the fields of a docstring stand apart, and its examples be code, on the pages."""

from __future__ import annotations

import re
from typing import Any

import griffe

FIELDS = "Shapes|Range|Undefined|Gradient|Cost|Raises|Source"


class Fields(griffe.Extension):
    """Rewrite `Shapes: …` as the item of a list, and `>>>` as a block of code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of whatever has one."""
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    """The docstring as Markdown."""
    text = re.sub(rf"^({FIELDS}): ", r"\n**\1.** ", docstring, flags=re.M)
    return re.sub(r"(?:^>>> .*\n?)(?:.+\n?)*", _fenced, text, flags=re.M)


def _fenced(example: re.Match[str]) -> str:
    return f"```pycon\n{example[0].rstrip()}\n```\n"
