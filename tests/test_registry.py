"""Every public function has a row or a test file of its own."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import jax
import numpy as np
import pytest

import jmetrics
from jmetrics import inference, losses
from jmetrics._core.plan import (
    Predictions,
    declaration_of,
    is_proportion,
    plan_of,
    range_of,
)
from jmetrics.cli.panels import Entry
from tests.compare import assert_same
from tests.registry import LOSSES, METRICS, ROWS, STATEFUL, TRANSFORMS, cases
from tests.row import LOSS, Case, Row, cases_of
from tests.rows.classification import binary_labels

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


NEITHER = {
    "brier_decomposition",
    "class_likelihood_ratios",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "precision_recall_curve",
    "quantile_coverage",
    "roc_curve",
}
"""Metrics of which neither greater nor smaller values are better."""

ALONE = {"expectile_loss", "listmle_loss", "tversky_loss"}
"""Losses that stand for no metric of this library."""


def public_of(row: Row) -> Any:
    """The public function, of which a row of a curve has a summary."""
    name = row.metric.__name__
    return getattr(jmetrics, name, None) or getattr(losses, name)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.metric.__name__)
def test_every_metric_is_declared(row: Row) -> None:
    metric, name = public_of(row), row.metric.__name__
    declaration = declaration_of(metric)
    for variant in row.variants:
        assert range_of(metric, variant.options) is not None
    assert declaration.predictions in get_args(Predictions)
    assert (declaration.greater_is_better is None) == (name in NEITHER)
    if row in LOSSES:
        assert declaration.greater_is_better is False
        assert (declaration.surrogate_of is None) == (name in ALONE)
        assert declaration.surrogate_of in {row.metric.__name__ for row in METRICS} | {None}
    else:
        assert declaration.surrogate_of is None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.metric.__name__)
def test_the_predictions_declared_are_those_of_the_signature(row: Row) -> None:
    metric = public_of(row)
    expected = {
        "y_score": {"scores", "lists"},
        "pred_decision": {"scores"},
        "y_proba": {"probabilities"},
        "logits": {"logits"},
    }
    name = list(inspect.signature(metric).parameters)[1]
    found = declaration_of(metric).predictions
    assert name in expected or name == "y_pred"
    assert found in expected.get(name, set(get_args(Predictions)) - set().union(*expected.values()))


PROPORTIONS = {
    "accuracy_score",
    "false_negative_rate",
    "false_positive_rate",
    "jaccard_score",
    "negative_predictive_value",
    "precision_score",
    "recall_score",
    "specificity_score",
    "top_k_accuracy_score",
    "zero_one_loss",
}


@pytest.mark.parametrize("row", METRICS, ids=lambda row: row.metric.__name__)
def test_a_proportion_is_its_hits_over_its_total(row: Row, rng: np.random.Generator) -> None:
    metric = public_of(row)
    case = next(cases_of(row))
    arrays, options = case.make(rng, 40), dict(case.options)
    if declaration_of(metric).predictions == "labels":
        arrays = binary_labels(rng, 40)
        options = {name: value for name, value in options.items() if name == "beta"}
    found = is_proportion(metric, *arrays, **options)
    assert found == (metric.__name__ in PROPORTIONS)
    if found:
        plan: Any = plan_of(metric)(*arrays, **options)
        hits, total = plan.proportion(plan.statistic())
        assert 0 < hits < total
        assert_same(plan.value(), hits / total)


def test_the_command_line_has_no_facts_of_its_own() -> None:
    """What is not the name, the function or its options is read from the declaration."""
    assert Entry._fields == ("name", "function", "options")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.metric.__name__)
def test_the_docstring_says_what_is_declared(row: Row) -> None:
    metric = public_of(row)
    text = " ".join((inspect.getdoc(metric) or "").split())
    told = {better for better in (True, False) if f"{_WORDS[better]} is better" in text}
    if len(told) == 1:
        assert told == {declaration_of(metric).greater_is_better}
    found = re.search(r"Returns: [^\[(]* in [\[(]([−\d]\S*), (\d+|∞)[\])]", text)
    if found:
        ends: Any = range_of(metric)
        ends = ends[0] if isinstance(ends[0], tuple) else ends
        assert ends == tuple(
            float(end.replace("−", "-").replace("∞", "inf")) for end in found.groups()
        )


_WORDS = {True: "higher", False: "lower"}


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
        weighted, plain = (
            jax.tree.leaves(case.expected(y_true, y_pred, weight))
            for weight in (rng.integers(1, 12, 24) / 4, None)
        )
        changes.append(not np.allclose(weighted, plain, rtol=1e-3))
    assert sum(changes) >= 2
