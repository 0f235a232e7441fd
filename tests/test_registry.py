"""Every public function has a row or a test file of its own."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import jmetrics
from jmetrics import inference, losses
from tests.registry import LOSSES, METRICS, ROWS, STATEFUL, TRANSFORMS, cases
from tests.row import LOSS, Case

HERE = Path(__file__).parent


def public_functions(module: ModuleType) -> set[str]:
    return {name for name in module.__all__ if inspect.isfunction(getattr(module, name))}


def test_every_metric_has_a_row() -> None:
    rows = [row.metric.__name__ for row in METRICS]
    assert len(rows) == len(set(rows))
    assert set(rows) | set(TRANSFORMS) == public_functions(jmetrics)


def test_every_loss_has_a_row() -> None:
    rows = {row.metric.__name__ for row in LOSSES}
    assert rows | set(STATEFUL) == public_functions(losses)
    assert all(LOSS in row.traits for row in LOSSES)


@pytest.mark.parametrize(("name", "file"), [*TRANSFORMS.items(), *STATEFUL.items()])
def test_every_transform_is_tested(name: str, file: str) -> None:
    assert f"{name}(" in (HERE / file).read_text()


def test_every_inference_function_is_tested() -> None:
    text = "".join(path.read_text() for path in HERE.glob("test_inference*.py"))
    functions = public_functions(inference)
    assert functions
    assert [name for name in functions if f"{name}(" not in text] == []


def test_case_names_are_unique() -> None:
    names = [case.name for case in cases()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.metric.__name__)
def test_every_number_option_is_traced_in_its_row(row) -> None:
    parameters = inspect.signature(row.metric).parameters.values()
    numbers = {p.name for p in parameters if str(p.annotation) == "Number"}
    assert set(row.traced) >= numbers


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_weights_matter(case: Case) -> None:
    """Data whose answer does not depend on weights would make laws about them empty."""
    if case.row.metric is jmetrics.max_error:
        return
    changes = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y_true, y_pred = case.make(rng, 24)
        weighted = case.expected(y_true, y_pred, rng.integers(1, 12, 24) / 4)
        changes.append(not np.allclose(weighted, case.expected(y_true, y_pred), rtol=1e-3))
    assert sum(changes) >= 2
