"""What the documentation shows is true: its snippets run, and its tables are up to date."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import jax
import pytest

import jmetrics
from docs import table

ROOT = Path(__file__).parents[1]
PAGES = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if re.search(r"^```python\n", path.read_text(), re.M)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_snippets_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict = {}
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        for snippet in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S):
            exec(snippet, names)
    printed = capsys.readouterr().out
    assert printed and "nan" not in printed.replace("NaN", "")


@pytest.mark.parametrize("page", table.PAGES, ids=lambda page: page.stem)
def test_tables_are_up_to_date(page: Path) -> None:
    assert page.read_text() == table.renewed(page), "run `python -m docs.table`"


@pytest.mark.parametrize("module", [jmetrics, jmetrics.losses, jmetrics.inference])
def test_table_has_every_public_name(module: ModuleType) -> None:
    exported = [getattr(module, name) for name in module.__all__]
    listed = [value for chapter in table.CHAPTERS for value in table.names_of(chapter).values()]
    assert [value for value in exported if callable(value) and value not in listed] == []
