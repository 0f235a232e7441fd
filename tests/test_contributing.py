"""The metrics of CONTRIBUTING are what it says, and fulfil the laws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.laws import LAWS, Law, float64_stays, mask_is_deletion, says_something
from tests.row import Case, Row, cases_of

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
SECTIONS = re.findall(r"^### [^\n]*: (\d+) lines(.*?)(?=^##)", TEXT, re.M | re.S)
ALWAYS = (float64_stays, mask_is_deletion)


def blocks(section: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)


def cases() -> list[Case]:
    """The rows that the code makes, with their variants."""
    names: dict = {"__name__": "contributing"}
    for _, section in SECTIONS:
        for block in blocks(section):
            exec(block, names)
    rows = [value for value in names.values() if isinstance(value, Row)]
    return [case for row in rows for case in cases_of(row)]


def parameters() -> list:
    return [
        pytest.param(
            law,
            case,
            id=f"{case.name}-{law.__name__}",
            marks=[] if law in ALWAYS else [pytest.mark.full],
        )
        for case in cases()
        for law in LAWS
        if says_something(law, case)
    ]


@pytest.mark.parametrize(("law", "case"), parameters())
def test_law(law: Law, case: Case) -> None:
    law(case)


@pytest.mark.parametrize(("lines", "section"), SECTIONS)
def test_lines_are_counted(lines: str, section: str) -> None:
    assert int(lines) == sum(bool(line) for block in blocks(section) for line in block.split("\n"))
