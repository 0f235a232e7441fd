"""The task that a file of predictions belongs to, and its columns as the arrays of that task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from jmetrics.cli.columns import Columns, Roles
from jmetrics.cli.reading import Refused

TASKS = ("binary", "multiclass", "multilabel", "regression", "quantile", "ranking")
_POSITIVE = ("1", "true", "yes", "positive", "pos", "y", "t")
_MAX_ITEMS = 50_000_000
_FEW = 20
"""Whole numbers with up to this many distinct values are classes, if the predictions are too."""


class Predictions(NamedTuple):
    """Predictions of one model: its scores or numbers, and its predicted classes, if any."""

    score: np.ndarray | None
    decided: np.ndarray | None

    @property
    def prediction(self) -> np.ndarray:
        """The scores, or the classes if there are no scores."""
        prediction = self.decided if self.score is None else self.score
        assert prediction is not None
        return prediction


@dataclass
class Data:
    """The arrays of a task; samples, or lists for "ranking", along the first axis."""

    task: str
    y_true: np.ndarray
    models: list[Predictions]
    """One model, or two to compare."""
    names: list[str] = field(default_factory=list)
    """Of classes, labels or levels."""
    levels: tuple[float, ...] = ()
    positive: str = ""
    threshold: float | None = None
    notes: list[str] = field(default_factory=list)
    where: np.ndarray | None = None
    weight: np.ndarray | None = None
    cluster: np.ndarray | None = None
    group: np.ndarray | None = None
    group_names: list[str] = field(default_factory=list)
    rows: int = 0
    """Of the file."""


def guess(columns: Columns, chosen: Roles) -> str:
    """Infer the task from the columns."""
    truth, score = chosen.truth, chosen.score
    if chosen.query is not None:
        return "ranking"
    if len(truth) > 1:
        return "multilabel"
    if len(score) > 1:
        return "quantile" if _levels(score) and columns.are_numbers(*truth) else "multiclass"
    return _of_two_columns(columns, truth[0], score[0])


def _of_two_columns(columns: Columns, truth: str, score: str) -> str:
    if not columns.are_numbers(truth):
        return "binary" if columns.are_numbers(score) else "multiclass"
    true = columns.numbers(truth)
    if np.all((true == 0) | (true == 1)):
        return "binary"
    predicted = columns.numbers(score)
    if set(np.unique(true)) == {-1, 1} and not np.all(np.abs(predicted) == 1):
        return "binary"
    whole = all(np.all(values == np.round(values)) for values in (true, predicted))
    if whole and len(np.unique(true)) <= _FEW and set(np.unique(predicted)) <= set(np.unique(true)):
        return "multiclass"
    return "regression"


def arrays(columns: Columns, chosen: Roles, task: str, options: Any) -> Data:
    """Convert the columns of one file."""
    make = {
        "binary": _binary,
        "multiclass": _multiclass,
        "multilabel": _multilabel,
        "regression": _regression,
        "quantile": _quantile,
        "ranking": _ranking,
    }
    several = {"truth": task == "multilabel", "score": task in ("multilabel", "quantile")}
    for part, many in several.items():
        names = getattr(chosen, part)
        if len(names) > 1 and not many and not (task == "multiclass" and part == "score"):
            raise Refused(
                f"{columns.path}: {task} takes one column of {part}s, got {', '.join(names)}; "
                f"choose with --y-{'true' if part == 'truth' else 'score'}"
            )
    data = make[task](columns, chosen, options)
    data.rows = len(columns)
    _more(data, columns, chosen)
    return data


def _more(data: Data, columns: Columns, chosen: Roles) -> None:
    """Add weights, clusters and groups, one per row."""
    if chosen.weight is not None:
        data.weight = columns.numbers(chosen.weight)
        columns.refuse(chosen.weight, data.weight < 0, "{} is a negative weight")
        if not data.weight.any():
            raise Refused(f"{columns.path}: column {chosen.weight!r} holds no weight but 0")
    if chosen.cluster is not None:
        data.cluster = codes(columns, chosen.cluster)
        count = int(data.cluster.max()) + 1
        if count < 2:
            raise Refused(f"{columns.path}: column {chosen.cluster!r} holds a single cluster")
        if count < 30:
            data.notes.append(f"{count} clusters are few: the intervals are too narrow.")
    if chosen.group is not None:
        data.group, data.group_names = columns.texts(chosen.group)
    if chosen.query is not None and data.task == "ranking":
        as_lists(data, columns, chosen)


def as_lists(data: Data, columns: Columns, chosen: Roles) -> None:
    """Put the items of each list into a row, in their order in the file."""
    assert chosen.query is not None
    lists = codes(columns, chosen.query)
    order, lengths = np.argsort(lists, kind="stable"), np.bincount(lists)
    shape = len(lengths), int(lengths.max())
    if shape[0] * shape[1] > max(_MAX_ITEMS, 20 * len(lists)):
        raise Refused(
            f"{columns.path}: {shape[0]} lists, the longest of {shape[1]} items, are too uneven"
        )
    data.where = np.arange(shape[1]) < lengths[:, None]

    def rows(values: np.ndarray) -> np.ndarray:
        filled = np.zeros(shape, values.dtype)
        filled[data.where] = values[order]
        return filled

    def one_a_list(values: np.ndarray, name: str) -> np.ndarray:
        own = values[order[np.cumsum(lengths) - lengths]]
        columns.refuse(name, own[lists] != values, "{} differs from that of its list before")
        return own

    data.y_true = rows(data.y_true)
    data.models = [Predictions(rows(model.prediction), None) for model in data.models]
    for field_name in ("weight", "cluster", "group"):
        values, name = getattr(data, field_name), getattr(chosen, field_name)
        if values is not None:
            setattr(data, field_name, one_a_list(values, name))


def codes(columns: Columns, name: str) -> np.ndarray:
    """Encode cells as integers, numbered by first occurrence."""
    known: dict[Any, int] = {}
    cells = columns.cells(name)
    return np.fromiter((known.setdefault(c, len(known)) for c in cells), np.int32, len(cells))


def _binary(columns: Columns, chosen: Roles, options: Any) -> Data:
    (truth,), (score,) = chosen.truth, chosen.score
    code, names = columns.texts(truth)
    if len(names) > 2:
        columns.refuse(truth, code == 2, "{} is a third class, where binary has two")
    positive = _positive(columns.path, truth, names, options.positive)
    y_true = np.array([name == positive for name in names])[code].astype(np.int32)
    values = columns.numbers(score)
    probabilities = bool(np.all((values >= 0) & (values <= 1)))
    threshold = options.threshold
    if threshold is None:
        threshold = 0.5 if probabilities else 0.0
    data = Data("binary", y_true, [_decided(values, threshold)], threshold=threshold)
    data.positive = positive
    data.names = [next((name for name in names if name != positive), f"not {positive}"), positive]
    if len(names) == 1:
        data.notes.append("All rows are of one class: what compares two has no value.")
    if not probabilities:
        data.notes.append("Some scores are outside [0, 1]: no log loss, no calibration.")
    return data


def _decided(values: np.ndarray, threshold: float) -> Predictions:
    return Predictions(values, (values >= threshold).astype(np.int32))


def _positive(path: str, column: str, names: list[str], said: str | None) -> str:
    listing = ", ".join(map(repr, names))
    if said is not None:
        if said not in names:
            raise Refused(f"{path}: --positive {said!r} is not in column {column!r}: {listing}")
        return said
    if set(names) <= {"0", "1"}:
        return "1"
    if set(names) <= {"-1", "1"}:
        return "1"
    likely = [name for name in names if name.lower() in _POSITIVE]
    if len(likely) != 1:
        raise Refused(f"{path}: column {column!r} holds {listing}; name one with --positive")
    return likely[0]


def _multiclass(columns: Columns, chosen: Roles, options: Any) -> Data:
    (truth,) = chosen.truth
    code, names = columns.texts(truth)
    if len(chosen.score) == 1:
        predicted, more = columns.texts(chosen.score[0])
        every = columns.classes(truth, chosen.score[0])
        y_true, decided = (
            np.array([every.index(name) for name in known], np.int32)[coded]
            for known, coded in ((names, code), (more, predicted))
        )
        return Data("multiclass", y_true, [Predictions(None, decided)], names=every)
    classes = _suffixes(chosen.score, names)
    if not set(names) <= set(classes) and all(map(str.isdigit, names)):
        classes = [str(k) for k in range(len(classes))]
    wrong = np.array([name not in classes for name in names])[code]
    listing = ", ".join(classes[:12])
    columns.refuse(truth, wrong, f"{{}} is a class without scores; there are some of {listing}")
    y_true = np.array([classes.index(name) for name in names], np.int32)[code]
    score = columns.matrix(chosen.score)
    decided = np.argmax(score, axis=1).astype(np.int32)
    data = Data("multiclass", y_true, [Predictions(score, decided)], names=classes)
    if not are_distributions(score):
        data.notes.append("Rows of scores do not add up to 1: no log loss, no calibration.")
    return data


def are_distributions(score: np.ndarray) -> bool:
    """Whether all rows are probabilities that add up to 1, within the rounding of files."""
    return bool(np.all(score >= 0) and np.all(np.abs(score.sum(axis=1) - 1) < 1e-3))


def _multilabel(columns: Columns, chosen: Roles, options: Any) -> Data:
    labels, scored = _suffixes(chosen.truth), _suffixes(chosen.score)
    if len(labels) != len(scored):
        raise Refused(
            f"{columns.path}: {len(labels)} columns of truths ({', '.join(chosen.truth)}) and "
            f"{len(scored)} of scores ({', '.join(chosen.score)}) do not make pairs"
        )
    score = list(chosen.score)
    if set(labels) == set(scored):
        score = [chosen.score[scored.index(label)] for label in labels]
    y_true = columns.matrix(chosen.truth)
    for name, column in zip(chosen.truth, y_true.T, strict=True):
        columns.refuse(name, (column != 0) & (column != 1), "{} is neither 0 nor 1")
    values = columns.matrix(score)
    threshold = options.threshold
    if threshold is None:
        threshold = 0.5 if np.all((values >= 0) & (values <= 1)) else 0.0
    return Data(
        "multilabel",
        y_true.astype(np.int32),
        [_decided(values, threshold)],
        names=labels,
        threshold=threshold,
    )


def _regression(columns: Columns, chosen: Roles, options: Any) -> Data:
    (truth,), (score,) = chosen.truth, chosen.score
    y_true, y_pred = columns.numbers(truth), columns.numbers(score)
    return Data("regression", y_true, [Predictions(y_pred, None)])


def _ranking(columns: Columns, chosen: Roles, options: Any) -> Data:
    data = _regression(columns, chosen, options)
    if chosen.query is None:
        raise Refused(f"{columns.path}: ranking needs the column of the lists: --query NAME")
    columns.refuse(chosen.truth[0], data.y_true < 0, "{} is a negative relevance")
    data.task = "ranking"
    return data


def _quantile(columns: Columns, chosen: Roles, options: Any) -> Data:
    (truth,) = chosen.truth
    levels = options.levels or _levels(chosen.score)
    if len(levels) != len(chosen.score):
        raise Refused(
            f"{columns.path}: columns of quantiles must end in their level, such as q0.1 and q0.9, "
            f"or have one each in --levels; got {', '.join(chosen.score)}"
        )
    order = sorted(range(len(levels)), key=levels.__getitem__)
    score = columns.matrix([chosen.score[k] for k in order])
    data = Data("quantile", columns.numbers(truth), [Predictions(score, None)])
    data.levels = tuple(levels[k] for k in order)
    data.names = [f"{level:g}" for level in data.levels]
    crossed = int(np.sum(np.any(np.diff(score, axis=1) < 0, axis=1)))
    if crossed:
        data.notes.append(f"In {crossed} rows a higher quantile is below a lower one.")
    return data


def _levels(names: list[str]) -> list[float]:
    """Levels in the names of columns; empty unless all have one and they are distinct."""
    found = [re.search(r"(\d*\.?\d+) ?%?\]?$", name) for name in names]
    levels = [float(match[1]) for match in found if match]
    if any(level >= 1 for level in levels):
        quantiles = all(re.match(r"(q|quantile)_?\d", name.lower()) for name in names)
        levels = [level / 100 for level in levels] if quantiles else []
    valid = len(set(levels)) == len(names) and all(0 < level < 1 for level in levels)
    return levels if valid else []


def _suffixes(names: list[str], known: Sequence[str] = ()) -> list[str]:
    """The parts of names after their common prefix, which ends in a separator.

    The longest such prefix, unless the suffixes after another one are `known`.
    """
    if len(names) == 1:
        return names
    ends = [match.end() for match in re.finditer(r"[_.:\[ -]", names[0])]
    common = [end for end in ends if all(name.startswith(names[0][:end]) for name in names)]
    found = names
    for end in common:
        found = [name[end:].strip("]") or name for name in names]
        if known and set(known) <= set(found):
            return found
    return found
