"""What the documentation shows is true: its snippets run, and its table is up to date."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import pytest

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


def test_table_of_functions_is_up_to_date() -> None:
    readme = table.README.read_text()
    assert readme == table.renewed(readme), "run `python -m docs.table`"
