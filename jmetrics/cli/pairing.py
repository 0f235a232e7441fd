"""Another model's predictions for the same rows."""

from __future__ import annotations

import numpy as np

from jmetrics.cli.columns import by_number
from jmetrics.cli.reading import Refused
from jmetrics.cli.tasks import Data


def pair(data: Data, other: Data, names: tuple[str, str]) -> None:
    """Add the predictions of `other` to `data`; `names` are those of the files."""
    if data.names != other.names:
        _unite(data, other, names)
    _same_truth(data, other, names)
    data.models += other.models
    for note in other.notes:
        if note not in data.notes:
            data.notes.append(f"{names[1]}: {note}")


def _unite(data: Data, other: Data, names: tuple[str, str]) -> None:
    """Encode the classes of both models alike; labels without scores may add classes."""
    scored = any(model.score is not None for model in (*data.models, *other.models))
    if data.task != "multiclass" or scored:
        listing = " and ".join(f"{', '.join(d.names[:8])}" for d in (data, other))
        raise Refused(f"{names[1]}: not the columns of {names[0]}: {listing}")
    joint = sorted({*data.names, *other.names}, key=by_number)
    for part in (data, other):
        code = np.array([joint.index(name) for name in part.names], np.int32)
        part.y_true = code[part.y_true]
        part.models = [m._replace(decided=code[m.decided]) for m in part.models]
        part.names = joint


def _same_truth(data: Data, other: Data, names: tuple[str, str]) -> None:
    if data.rows != other.rows:
        raise Refused(f"{names[1]}: {other.rows} rows, but {names[0]} has {data.rows}")
    alike = data.y_true.shape == other.y_true.shape
    if alike and data.where is not None and other.where is not None:
        alike = np.array_equal(data.where, other.where)
    if not alike:
        raise Refused(f"{names[1]}: its lists are not those of {names[0]}")
    differs = data.y_true != other.y_true
    differs = differs.reshape(len(differs), -1).any(axis=1)
    if differs.any():
        row = int(np.argmax(differs)) + 1
        what = "list" if data.where is not None else "row"
        raise Refused(f"{names[1]}: {what} {row}: the true value is not that of {names[0]}")
