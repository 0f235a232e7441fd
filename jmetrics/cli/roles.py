"""The columns of a file in their roles: truth, predictions, lists, weights."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path
from typing import Any, NamedTuple

from jmetrics.cli.engine import Refused
from jmetrics.cli.reading import Source

TRUTH = ("y_true", "truth", "true", "label", "target", "actual", "observed", "relevance", "y")
SCORE = (
    "y_score",
    "y_proba",
    "y_prob",
    "y_pred",
    "score",
    "probability",
    "proba",
    "prob",
    "prediction",
    "predicted",
    "pred",
    "forecast",
    "quantile",
    "q",
)
NO_CLASSES = ("y_score", "y_proba", "y_prob", "score", "probability", "proba", "prob")
"""Names that say that predictions are not classes, nor estimates of the true value."""
QUERY = ("query", "query_id", "qid")


class Roles(NamedTuple):
    """Names of the columns in each role."""

    truth: list[str]
    models: list[list[str]]
    """Columns of the predictions of each model."""
    names: list[str]
    """Of the models."""
    query: str | None
    group: str | None
    weight: str | None
    cluster: str | None
    id: list[str]

    @property
    def score(self) -> list[str]:
        """Columns of the predictions of the first model."""
        return self.models[0]

    def wanted(self) -> list[str]:
        """All columns that must be read."""
        scores = [name for model in self.models for name in model]
        others = (self.query, self.group, self.weight, self.cluster, *self.id)
        return [*self.truth, *scores, *(name for name in others if name is not None)]


def roles(source: Source, options: Any) -> Roles:
    """Choose columns by the options, else by their names."""
    query = _one(source, "--query", options.query)
    if query is None and options.task in (None, "ranking"):
        query = next((name for name in source.names if name.lower() in QUERY), None)
    true, (models, names) = truth(source, options.y_true), _models(source, options)
    for column in true:
        if any(column in model for model in models):
            raise Refused(f"{source.path}: column {column!r} is both truth and prediction")
    return Roles(
        true,
        models,
        names,
        query,
        _one(source, "--group", options.group),
        _one(source, "--weight", options.weight),
        _one(source, "--cluster", options.cluster),
        ids(source, options.id),
    )


def truth(source: Source, said: str | None) -> list[str]:
    """Columns of the truth."""
    return _chosen(source, "--y-true", said, TRUTH, "the true values")


def score(source: Source, said: str | None) -> list[str]:
    """Columns of the predictions."""
    return _chosen(source, "--y-score", said, SCORE, "the predictions")


def _models(source: Source, options: Any) -> tuple[list[list[str]], list[str]]:
    """Columns of the scores of each model, and the names of the models."""
    if options.model is None:
        return [score(source, options.y_score)], [Path(source.path).stem]
    if options.y_score is not None:
        raise Refused("--model and --y-score both name columns of scores")
    parts = [part.strip() for part in options.model.split(",")]
    models = [_said(source, "--model", part) for part in parts]
    columns = [name for model in models for name in model]
    if len(models) < 2 or len(set(columns)) < len(columns):
        raise Refused(f"--model {options.model!r} does not name the columns of different models")
    return models, [part.strip("*").strip("_.- ") or part for part in parts]


def ids(source: Source, said: str | None) -> list[str]:
    """Columns of the key of a row."""
    return [] if said is None else _said(source, "--id", said)


def _one(source: Source, option: str, said: str | None) -> str | None:
    if said is not None and said not in source.names:
        raise Refused(f"{source.path}: no column {said!r} for {option}; {_listing(source)}")
    return said


def _listing(source: Source) -> str:
    shown = ", ".join(source.names[:12])
    return f"the columns are {shown}" + (", …" if len(source.names) > 12 else "")


def _chosen(
    source: Source, option: str, said: str | None, known: tuple[str, ...], meaning: str
) -> list[str]:
    if said is not None:
        return _said(source, option, said)
    for name in known:
        exact = [column for column in source.names if column.lower() == name]
        family = [column for column in source.names if _in_family(column.lower(), name)]
        if exact or len(family) > 1:
            return exact[:1] or family
    raise Refused(
        f"{source.path}: no column has a usual name for {meaning}; "
        f"name it with {option}; {_listing(source)}"
    )


def _in_family(column: str, name: str) -> bool:
    """Whether this is one of several columns: a name with a suffix, or q and a level."""
    if len(name) == 1:
        return re.fullmatch(rf"{name}_?\d*\.?\d+", column) is not None
    return re.match(rf"{name}[_.:\[ -]", column) is not None


def _said(source: Source, option: str, said: str) -> list[str]:
    """One name, or several separated by commas, with * as a wildcard."""
    if said in source.names:
        return [said]
    found: list[str] = []
    for part in (part.strip() for part in said.split(",")):
        names = [part] if part in source.names else fnmatch.filter(source.names, part)
        if not names:
            raise Refused(f"{source.path}: no column {part!r} for {option}; {_listing(source)}")
        found += [name for name in names if name not in found]
    return found
