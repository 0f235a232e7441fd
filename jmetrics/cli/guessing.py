"""The task that a file of predictions belongs to, where that is certain."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

from jmetrics.cli.columns import Columns
from jmetrics.cli.dialect import like_number
from jmetrics.cli.engine import Refused
from jmetrics.cli.roles import NO_CLASSES, Roles

TASKS = ("binary", "multiclass", "multilabel", "regression", "quantile", "ranking")
_APPLIES = {
    "threshold": ("binary", "multilabel"),
    "positive": ("binary",),
    "levels": ("quantile",),
    "classes": ("multiclass",),
    "query": ("ranking",),
}
"""Options that belong to some tasks only."""
_POSITIVE = {
    "1": ("0", "-1"),
    "true": ("false",),
    "yes": ("no",),
    "positive": ("negative",),
    "pos": ("neg",),
    "y": ("n",),
    "t": ("f",),
}
"""Classes that are positive beside one of these others."""
_FEW = 20
"""Whole numbers with up to this many distinct values may be classes."""
_MOST = 1000


def refuse_inapplicable(options: Any, task: str) -> None:
    """Raise for an option that the task has no use for."""
    for option, tasks in _APPLIES.items():
        if getattr(options, option) is not None and task not in tasks:
            raise Refused(f"--{option} is for {' and '.join(tasks)}, but the task is {task}")


def guess(columns: Columns, chosen: Roles, options: Any) -> str:
    """Tell the task from the options and the columns, or ask for it."""
    truth, score = chosen.truth, chosen.score
    for option in ("levels", "classes", "positive"):
        if getattr(options, option) is not None:
            return _APPLIES[option][0]
    if chosen.query is not None:
        return "ranking"
    if len(truth) > 1:
        return "multilabel"
    if len(score) > 1:
        numbers = all(columns.kind(name) == "numbers" for name in truth)
        names = [columns.name(key) for key in score]
        return "quantile" if numbers and levels_of(names) else "multiclass"
    if options.threshold is not None:
        return "binary"
    return _of_two_columns(columns, truth[0], score[0])


def _of_two_columns(columns: Columns, truth: str, score: str) -> str:
    kinds = [columns.kind(name) for name in (truth, score)]
    for name, kind in zip((truth, score), kinds, strict=True):
        if kind == "mixed":
            row, cell = columns.first(name, number=False)
            _refuse_like_number(columns, name, row, cell)
            _, other = columns.first(name, number=True)
            raise Refused(
                f"{columns.location(row, name)}: {cell!r} is not a number, but {other!r} is one; "
                "if both are classes, say --task multiclass"
            )
    if kinds == ["numbers", "numbers"]:
        return _of_numbers(columns, truth, score)
    for name, kind in zip((truth, score), kinds, strict=True):
        row, cell = columns.first(name, number=kind == "numbers")
        _refuse_like_number(columns, name, row, cell)
    if kinds == ["numbers", "texts"]:
        row, cell = columns.first(score, number=False)
        raise Refused(
            f"{columns.location(row, score)}: {cell!r} is not a number, but the true values are; "
            "if all are classes, say --task multiclass"
        )
    if kinds == ["texts", "numbers"]:
        return "binary"
    every = {*columns.classes(truth), *columns.classes(score)}
    return "binary" if positive_of(every) else "multiclass"


def _refuse_like_number(columns: Columns, name: str, row: int, cell: str) -> None:
    if like_number(cell):
        raise Refused(
            f"{columns.location(row, name)}: {cell!r} is not a number; --thousands and --decimal "
            "say how numbers are written, or --task multiclass that it is a class"
        )


def _of_numbers(columns: Columns, truth: str, score: str) -> str:
    true, predicted = (columns.few_numbers(name, _MOST) for name in (truth, score))
    if true is None:
        return "regression"
    scores = columns.name(score).lower() in NO_CLASSES
    known = predicted or set()
    if true <= {0, 1} or true == {-1, 1}:
        if not (scores or (predicted and known <= true | {0, 1})):
            if predicted and _are_whole(known):
                _ask(columns, truth, true, ["binary", "multiclass", "regression"])
            if len(true) == 1:
                _ask(columns, truth, true, ["binary", "regression"])
        return "binary"
    return (
        "binary" if scores and len(true) == 2 else _of_values(columns, truth, true, known, scores)
    )


def _of_values(
    columns: Columns, truth: str, true: set[float], predicted: set[float], scores: bool
) -> str:
    """The task of numbers that are not two classes; no predictions stand for too many."""
    inside = bool(predicted) and predicted <= true
    whole, few = _are_whole(true), len(true) <= _FEW
    if inside and whole and few:
        return "multiclass"
    together = bool(predicted) and _are_whole(true | predicted) and len(true | predicted) <= _FEW
    for doubtful, tasks in (
        (whole and len(true) == 2, ["binary", "regression"]),
        (together or (inside and (whole or few)), ["multiclass", "regression"]),
        (scores and whole and few, ["binary", "multiclass", "regression", "ranking"]),
    ):
        if doubtful:
            _ask(columns, truth, true, tasks)
    return "regression"


def _are_whole(values: set[float]) -> bool:
    return all(math.isfinite(value) and value == round(value) for value in values)


def _ask(columns: Columns, name: str, values: set[float], tasks: list[str]) -> None:
    listing = ", ".join(f"{value:g}" for value in sorted(values)[:5])
    listing += ", …" if len(values) > 5 else ""
    raise Refused(
        f"{columns.path}: column {name!r} holds {listing}, which does not tell the task; "
        f"say --task {' or '.join(tasks)}"
    )


def positive_of(names: Collection[str]) -> str | None:
    """The positive one of two classes where their names say it, or of one class."""
    for positive, negatives in _POSITIVE.items():
        found = [name for name in names if name.lower() == positive]
        others = [name for name in names if name.lower() in negatives]
        if len(found) + len(others) == len(names) and len(found) <= 1 and len(others) <= 1:
            return found[0] if found else positive
    return None


def levels_of(names: list[str]) -> list[float]:
    """Levels in the names of columns; empty unless all have one and they are distinct."""
    found = [re.search(r"(\d*\.?\d+) ?%?\]?$", name) for name in names]
    levels = [float(match[1]) for match in found if match]
    if any(level >= 1 for level in levels):
        # q1, q2 and q3 may be quartiles: one name of two digits must show that these are percents.
        quantiles = all(re.match(r"(q|quantile)_?\d", name.lower()) for name in names)
        levels = [level / 100 for level in levels] if quantiles and max(levels) >= 10 else []
    legal = len(set(levels)) == len(names) and all(0 < level < 1 for level in levels)
    return levels if legal else []
