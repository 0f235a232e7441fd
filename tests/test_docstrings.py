"""Every public docstring is in Google's style and agrees with what it documents."""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe
import pytest

import jmetrics
from tests.registry import ROWS

ROOT = Path(jmetrics.__file__).parents[1]
MODULES = (
    "jmetrics",
    "jmetrics.losses",
    "jmetrics.inference",
    "jmetrics.streaming",
    "jmetrics.plot",
    "jmetrics.distributed",
    "jmetrics.ragged",
)
OPTIONS = {"returns_multiple_items": False, "returns_named_value": False}

ORDER = (
    "Args",
    "Attributes",
    "Returns",
    "Undefined",
    "Gradient",
    "Cost",
    "Raises",
    "References",
    "Examples",
)
"""The sections that there may be, in this order."""
OF_ROWS = ("Returns", "Undefined", "Gradient", "Cost", "References", "Examples")
TITLES = {"parameters": "Args"}

INTERVAL = re.compile(r"(?!\([^∞\]]*\))[\[(][^\[\]()]+, [^\[\]()]+[\])]")
"""Two ends between brackets; two sizes between parentheses are a shape."""


def exported(module: str) -> Iterator[Any]:
    """The functions and classes that a module exports."""
    found = importlib.import_module(module)
    for name, value in vars(found).items():
        if inspect.isfunction(value) or inspect.isclass(value):
            here = value.__module__.startswith(module) and not name.startswith("_")
            if name in getattr(found, "__all__", [name] if here else []):
                yield value


def path_of(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


@functools.cache
def package() -> griffe.Module:
    as_on_site = griffe.load_extensions(str(ROOT / "docs" / "values.py"))
    return griffe.load("jmetrics", search_paths=[ROOT], extensions=as_on_site)  # type: ignore[return-value]


def documented() -> dict[str, griffe.Function | griffe.Class]:
    """All that is exported, and the public methods of exported classes."""
    found = {}
    for path in sorted({path_of(value) for module in MODULES for value in exported(module)}):
        found[path] = package()[path.removeprefix("jmetrics.")]
        for name, member in found[path].members.items():
            if member.is_function and not name.startswith("_"):
                found[f"{path}.{name}"] = member
    return found


DOCUMENTED = documented()
METRICS = {f"{row.metric.__module__}.{row.metric.__name__}" for row in ROWS}


def sections_of(obj: griffe.Function | griffe.Class) -> dict[str, Any]:
    """The content of each section after the text, by title."""
    assert obj.docstring, "there is no docstring"
    found: dict[str, Any] = {}
    for section in obj.docstring.parse("google", **OPTIONS):
        kind = section.kind.value
        assert kind in ("text", "admonition") or not section.title, f"unexpected {section.title}"
        title = section.title or TITLES.get(kind, kind.capitalize())
        assert title not in found, f"{title} comes twice"
        found[title] = section.value
    return found


def check(obj: griffe.Function | griffe.Class, *, is_metric: bool, is_exported: bool) -> None:
    """Complain about a docstring unless it is complete, in order, and fits the signature."""
    with warnings_of_griffe() as warned:
        sections = sections_of(obj)
    assert warned == [], "griffe warns"
    assert "Text" in sections, "there is no summary"
    summary = sections.pop("Text").split("\n\n")[0]
    assert summary.endswith("."), "the summary does not end in a period"

    assert [title for title in sections if title not in ORDER] == [], "unknown sections"
    assert list(sections) == sorted(sections, key=ORDER.index), "sections out of order"
    arguments = [parameter.name for parameter in sections.get("Args", [])]
    fields = [attribute.name for attribute in sections.get("Attributes", [])]
    if isinstance(obj, griffe.Class):
        assert fields == fields_of(obj), "Attributes are not the fields"
        return
    assert arguments == signature_of(obj), "Args are not the parameters"
    assert ("Returns" in sections) == (str(obj.returns) != "None"), "Returns"
    if is_exported:
        assert "Examples" in sections, "no Examples"
    if is_metric:
        assert [title for title in OF_ROWS if title not in sections] == [], "sections are missing"
        (returns,) = sections["Returns"]
        assert INTERVAL.search(returns.description), "Returns states no interval"


def signature_of(function: griffe.Function) -> list[str]:
    """The parameters of a function or method, with their stars, as its Args name them."""
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
    parameters = [p for p in function.parameters if p.name not in ("self", "cls")]
    return [stars.get(p.kind, "") + p.name for p in parameters]  # type: ignore[arg-type]


def fields_of(found: griffe.Class) -> list[str]:
    """The fields of a named tuple or a dataclass."""
    attributes = found.attributes.items()
    return [n for n, a in attributes if "property" not in a.labels and not n.startswith("_")]


class warnings_of_griffe(logging.Handler):
    """Collect what griffe logs."""

    def __enter__(self) -> list[str]:
        self.records: list[str] = []
        logging.getLogger("griffe").addHandler(self)
        return self.records

    def __exit__(self, *_: object) -> None:
        logging.getLogger("griffe").removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record.getMessage())


@pytest.mark.parametrize("path", DOCUMENTED)
def test_docstring_fits(path: str) -> None:
    method = path.rpartition(".")[0] in DOCUMENTED
    check(DOCUMENTED[path], is_metric=path in METRICS, is_exported=not method)


def test_every_row_is_documented() -> None:
    assert METRICS - set(DOCUMENTED) == set()


def test_the_site_shows_values_and_no_plans() -> None:
    documented = {row.metric for row in ROWS if path_of(row.metric) in DOCUMENTED}
    assert len(documented) > 100
    for metric in documented:
        shown = DOCUMENTED[path_of(metric)]
        assert isinstance(shown, griffe.Function)
        assert str(shown.returns) == inspect.signature(metric).return_annotation


GOOD = '''
def metric(y_true: int, *arrays: int, k: int, **options: int) -> int:
    """A metric.

    A formula.

    Args:
        y_true: Targets, shape (n,).
        *arrays: More,
            on two lines.
        k: A number.
        **options: Others.

    Returns:
        Scalar in [0, 1]; higher is better.

    Undefined:
        NaN.

    Gradient:
        0.

    Cost:
        O(n).

    Raises:
        ValueError: Sometimes.

    References:
        Someone (1999).

    Examples:
        >>> 1
        1
    """
'''

WRONG = [
    ("A metric.", "A metric", "period"),
    ("        k: A number.\n", "", "Args"),
    ("y_true: T", "y_pred: T", "griffe warns"),
    ("k: A number.\n        **options: Others.", "**options: Others.\n        k: 1.", "Args"),
    ("**options: O", "options: O", "Args"),
    ("*arrays: More", "*arrays More", "griffe warns"),
    ("k: A number.", "k: A number.\n        more: Another.", "griffe warns"),
    ("    Returns:\n        Scalar in [0, 1]; higher is better.\n\n", "", "Returns"),
    ("in [0, 1];", "from 0 to 1;", "no interval"),
    ("Undefined:\n        NaN.\n\n", "", "sections are missing"),
    ("    Gradient:\n        0.\n", "    Gradient: 0.\n", "Text comes twice"),
    ("Cost:\n        O(n).\n\n", "", "sections are missing"),
    ("References:", "Source:", "unknown sections"),
    ("Examples:\n        >>> 1\n        1\n", "", "no Examples"),
    ("Returns:", "Cost:\n        1.\n\n    Returns:", "Cost comes twice"),
    ("Gradient:\n        0.\n\n    Cost:", "Cost:\n        0.\n\n    Gradient:", "order"),
]


def visited(code: str) -> griffe.Function:
    with griffe.temporary_visited_module(code) as module:
        return module["metric"]


def test_a_right_docstring_is_accepted() -> None:
    check(visited(GOOD), is_metric=True, is_exported=True)


@pytest.mark.parametrize(("right", "wrong", "complaint"), WRONG)
def test_a_wrong_docstring_is_rejected(right: str, wrong: str, complaint: str) -> None:
    assert GOOD.count(right) == 1
    with pytest.raises(AssertionError, match=complaint):
        check(visited(GOOD.replace(right, wrong)), is_metric=True, is_exported=True)


@pytest.mark.parametrize(
    "text", ["[0, ∞)", "(−∞, 1]", "[−1, 1]", "[0, list_size]", "[0, n_classes − 1]", "[0, Σ w]"]
)
def test_intervals_are_recognised(text: str) -> None:
    assert INTERVAL.search(f"Scalar in {text}; lower is better.")


@pytest.mark.parametrize("text", ["(n,)", "(n, n_outputs)", "(n_lists, k)"])
def test_shapes_are_not_taken_for_intervals(text: str) -> None:
    assert not INTERVAL.search(f"Array of shape {text}.")
