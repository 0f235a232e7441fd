"""The arrays of a task from the columns of a file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from jmetrics.cli.columns import Columns, by_number
from jmetrics.cli.data import Data, Predictions
from jmetrics.cli.dialect import is_number
from jmetrics.cli.engine import Refused
from jmetrics.cli.guessing import levels_of, positive_of
from jmetrics.cli.roles import Roles

_MAX_ITEMS = 50_000_000
_ROUNDING = 1e-6
"""By how much probabilities in single precision pass 0 and 1."""


def arrays(columns: Columns, chosen: Roles, task: str, options: Any) -> Data:
    """Convert the columns."""
    make = {
        "binary": _binary,
        "multiclass": _multiclass,
        "multilabel": _multilabel,
        "regression": _regression,
        "quantile": _quantile,
        "ranking": _ranking,
    }
    several = {
        "true": (chosen.truth, task == "multilabel"),
        "score": (chosen.score, task in ("multilabel", "multiclass", "quantile")),
    }
    for part, (keys, many) in several.items():
        if len(keys) > 1 and not many:
            names = ", ".join(map(columns.name, keys))
            raise Refused(
                f"{columns.path}: {task} takes one column for --y-{part}, got {names}"
                + ("; name models with --model" if part == "score" else "")
            )
    data = make[task](columns, chosen, options)
    data.rows = len(columns)
    data.notes = [*columns.notes, *data.notes]
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
        data.cluster = columns.codes(chosen.cluster)
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
    lists = columns.codes(chosen.query)
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


def _binary(columns: Columns, chosen: Roles, options: Any) -> Data:
    (truth,) = chosen.truth
    code, names = columns.texts(truth)
    if len(names) > 2:
        columns.refuse(truth, code == 2, "{} is a third class, where binary has two")
    positive = _positive(columns, truth, names, options.positive)
    y_true = np.array([name == positive for name in names])[code].astype(np.int32)
    data = Data("binary", y_true, [], positive=positive)
    data.names = [next((name for name in names if name != positive), f"not {positive}"), positive]
    if len(names) == 1 and positive in ("0", "1"):
        data.names[0] = "0"
    labels = [_labels(columns, key, data, len(names) == 1) for (key,) in chosen.models]
    if all(label is not None for label in labels):
        if options.threshold is not None:
            raise Refused("--threshold is for scores, but all predictions are classes")
        data.models = [Predictions(None, label) for label in labels]
        data.notes.append("Predictions are classes: nothing that needs scores, such as AUC.")
    else:
        _with_scores(data, [columns.numbers(key) for (key,) in chosen.models], options.threshold)
    if len(set(y_true.tolist())) == 1:
        data.notes.append("All rows are of one class: what compares two has no value.")
    return data


def _positive(columns: Columns, truth: str, names: list[str], said: str | None) -> str:
    listing = ", ".join(map(repr, names))
    where = f"{columns.path}: column {truth!r}"
    if said is not None:
        if said not in names:
            raise Refused(f"{where} holds {listing}, but not --positive {said!r}")
        return said
    positive = positive_of(names)
    if positive is None:
        raise Refused(f"{where} holds {listing}; name one with --positive")
    return positive


def _labels(columns: Columns, key: str, data: Data, open_name: bool) -> np.ndarray | None:
    """Predicted classes, if that is what the column holds and not scores."""
    if columns.kind(key) == "numbers":
        values = columns.few_numbers(key, 2)
        if values is None:
            return None
        code, found = columns.texts(key)
        if not set(found) <= set(data.names):
            if not values <= {0, 1}:
                return None
            if set(data.names) & {"0", "1"} and data.positive != "1":
                listing = " and ".join(data.names)
                raise Refused(
                    f"{columns.path}: column {columns.name(key)!r} holds 0 and 1, but the true "
                    f"classes are {listing}"
                )
            # Beside 0, nothing else than the positive class can be meant by 1.
            return columns.numbers(key).astype(np.int32)
    else:
        code, found = columns.texts(key)
        if columns.kind(key) == "mixed" and not set(found) <= set(data.names):
            columns.numbers(key)  # which raises for what is no number
        if open_name and len({data.positive, *found}) == 2:
            data.names[0] = next(name for name in found if name != data.positive)
    wrong = np.array([name not in data.names for name in found])[code]
    listing = " nor ".join(map(repr, data.names))
    columns.refuse(key, wrong, f"{{}} is neither {listing}, the true classes")
    return np.array([name == data.positive for name in found])[code].astype(np.int32)


def _with_scores(data: Data, scores: list[np.ndarray], threshold: float | None) -> None:
    """Add scores of the models, and their decisions if there is a threshold."""
    outside = [np.sum((score < 0) | (score > 1)) for score in scores]
    near = [score.min() >= -_ROUNDING and score.max() <= 1 + _ROUNDING for score in scores]
    if all(near):
        scores = [np.clip(score, 0, 1) for score in scores]
        threshold = 0.5 if threshold is None else threshold
        if any(outside):
            data.notes.append(
                f"{sum(outside):,} scores pass 0 or 1 by rounding and were set to it."
            )
    else:
        data.notes.append(
            f"{sum(outside):,} scores are outside [0, 1], so they are no probabilities: no log "
            "loss, no calibration."
        )
    if threshold is None:
        data.notes.append("--threshold T adds what needs predicted classes, such as accuracy.")
        data.models = [Predictions(score, None) for score in scores]
        return
    data.threshold = threshold
    data.models = [Predictions(s, (s >= threshold).astype(np.int32)) for s in scores]


def _multiclass(columns: Columns, chosen: Roles, options: Any) -> Data:
    if len(chosen.score) == 1 and options.classes is None:
        return _predicted_classes(columns, chosen)
    (truth,) = chosen.truth
    code, names = columns.texts(truth)
    classes = _classes_of(columns, chosen.score, names, options.classes)
    wrong = np.array([name not in classes for name in names])[code]
    listing = ", ".join(classes[:12])
    columns.refuse(
        truth,
        wrong,
        f"{{}} is none of the classes that columns of scores are named by, {listing}; --classes "
        "names the classes, --levels says that they are quantiles, --model that they are models",
    )
    y_true = np.array([classes.index(name) for name in names], np.int32)[code]
    data = Data("multiclass", y_true, [], names=classes)
    for keys in chosen.models:
        theirs = _classes_of(columns, keys, names, options.classes)
        if set(theirs) != set(classes):
            raise Refused(f"{columns.path}: classes {', '.join(theirs)}, not those of {listing}")
        score = columns.matrix([keys[theirs.index(name)] for name in classes])
        data.models.append(Predictions(score, np.argmax(score, axis=1).astype(np.int32)))
    if not all(are_distributions(model.prediction) for model in data.models):
        data.notes.append("Rows of scores do not add up to 1: no log loss, no calibration.")
    return data


def _classes_of(
    columns: Columns, keys: list[str], known: list[str], said: list[str] | None
) -> list[str]:
    """The class of each column of scores."""
    if said is None:
        return _suffixes([columns.name(key) for key in keys], known)
    if len(said) != len(keys):
        raise Refused(
            f"--classes names {len(said)} classes for {len(keys)} columns of scores: "
            f"{', '.join(map(columns.name, keys))}"
        )
    return said


def _predicted_classes(columns: Columns, chosen: Roles) -> Data:
    (truth,) = chosen.truth
    code, names = columns.texts(truth)
    predicted = [columns.texts(key) for (key,) in chosen.models]
    for (key,), (_, theirs) in zip(chosen.models, predicted, strict=True):
        _refuse_other_spelling(columns, truth, names, key, theirs)
    every = sorted({*names, *(name for _, theirs in predicted for name in theirs)}, key=by_number)
    y_true = np.array([every.index(name) for name in names], np.int32)[code]
    data = Data("multiclass", y_true, [], names=every)
    for labels, theirs in predicted:
        decided = np.array([every.index(name) for name in theirs], np.int32)[labels]
        data.models.append(Predictions(None, decided))
    extra = [name for name in every if name not in names]
    if extra:
        data.notes.append(f"Predicted, but never true: {', '.join(extra[:12])}.")
    if len(every) == 2:
        data.notes.append("--positive CLASS reports precision and recall of one of the classes.")
    return data


def _refuse_other_spelling(
    columns: Columns, truth: str, names: list[str], key: str, predicted: list[str]
) -> None:
    """Raise if predicted classes are the true ones in another spelling, or none of them."""
    spelled = {_plain(name): name for name in names}
    for name in predicted:
        other = spelled.get(_plain(name))
        if name not in names and other is not None:
            raise Refused(
                f"{columns.path}: column {columns.name(key)!r} holds {name!r}, and {truth!r} "
                f"{other!r}: spell the class alike"
            )
    if not set(names) & set(predicted):
        listings = [", ".join(map(repr, some[:4])) for some in (predicted, names)]
        raise Refused(
            f"{columns.path}: no prediction in {columns.name(key)!r} ({listings[0]}) is one of the "
            f"true classes ({listings[1]})"
        )


def _plain(name: str) -> float | str:
    """The same for names that differ by spelling alone."""
    if is_number(name):
        return float(name)
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def are_distributions(score: np.ndarray) -> bool:
    """Whether all rows are probabilities that add up to 1, within the rounding of files."""
    return bool(np.all(score >= 0) and np.all(np.abs(score.sum(axis=1) - 1) < 1e-3))


def _multilabel(columns: Columns, chosen: Roles, options: Any) -> Data:
    labels = _suffixes(chosen.truth)
    y_true = columns.matrix(chosen.truth)
    for name, column in zip(chosen.truth, y_true.T, strict=True):
        columns.refuse(name, (column != 0) & (column != 1), "{} is neither 0 nor 1")
    data = Data("multilabel", y_true.astype(np.int32), [], names=labels)
    scores = []
    for keys in chosen.models:
        scored = _suffixes([columns.name(key) for key in keys])
        if sorted(labels) != sorted(scored):
            raise Refused(
                f"{columns.path}: the labels of the truth ({', '.join(labels)}) are not those of "
                f"the scores ({', '.join(scored)})"
            )
        scores.append(columns.matrix([keys[scored.index(label)] for label in labels]))
    if all(np.all((score == 0) | (score == 1)) for score in scores):
        if options.threshold is not None:
            raise Refused("--threshold is for scores, but all predictions are classes")
        data.models = [Predictions(None, score.astype(np.int32)) for score in scores]
        data.notes.append("Predictions are labels: nothing that needs scores, such as AUC.")
    else:
        _with_scores(data, scores, options.threshold)
    return data


def _regression(columns: Columns, chosen: Roles, options: Any) -> Data:
    (truth,) = chosen.truth
    models = [Predictions(columns.numbers(key), None) for (key,) in chosen.models]
    return Data("regression", columns.numbers(truth), models)


def _ranking(columns: Columns, chosen: Roles, options: Any) -> Data:
    data = _regression(columns, chosen, options)
    if chosen.query is None:
        raise Refused(f"{columns.path}: ranking needs the column of the lists: --query NAME")
    columns.refuse(chosen.truth[0], data.y_true < 0, "{} is a negative relevance")
    data.task = "ranking"
    return data


def _quantile(columns: Columns, chosen: Roles, options: Any) -> Data:
    (truth,) = chosen.truth
    data = Data("quantile", columns.numbers(truth), [])
    for keys in chosen.models:
        names = [columns.name(key) for key in keys]
        levels = options.levels or levels_of(names)
        if len(levels) != len(keys):
            raise Refused(
                f"{columns.path}: columns of quantiles must end in their level, such as q0.1 and "
                f"q0.9, or have one each in --levels; got {', '.join(names)}"
            )
        order = sorted(range(len(levels)), key=levels.__getitem__)
        ordered = tuple(levels[k] for k in order)
        if data.levels and data.levels != ordered:
            raise Refused(f"{columns.path}: the models have quantiles of different levels")
        data.levels = ordered
        score = columns.matrix([keys[k] for k in order])
        data.models.append(Predictions(score, None))
        crossed = int(np.sum(np.any(np.diff(score, axis=1) < 0, axis=1)))
        if crossed:
            data.notes.append(f"In {crossed} rows a higher quantile is below a lower one.")
    data.names = [f"{level:g}" for level in data.levels]
    return data


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
