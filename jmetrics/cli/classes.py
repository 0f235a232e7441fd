"""Precision, recall and F1 of each class, and the confusion matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jmetrics import classification
from jmetrics.cli.data import Data

RATES = ("precision", "recall", "F1")


class Classes(NamedTuple):
    """Values of each class, or label, in the order of the names."""

    names: list[str]
    rates: np.ndarray
    """One row a class, one column for each of RATES."""
    support: np.ndarray
    """Weight of the rows that are truly of the class."""
    matrix: np.ndarray | None
    """Weight of the rows of each true class, by their predicted class; None for labels."""

    def fields(self) -> dict[str, Any]:
        """All of it by names, for JSON."""
        by_class = {
            name: dict(zip(RATES, rates, strict=True)) | {"support": support}
            for name, rates, support in zip(
                self.names, self.rates.tolist(), self.support.tolist(), strict=True
            )
        }
        matrix = None if self.matrix is None else self.matrix.tolist()
        return {"by_class": by_class, "confusion_matrix": matrix}


def of_each(data: Data) -> list[Classes]:
    """The classes of each model, if all models predict some."""
    if not data.names or any(model.decided is None for model in data.models):
        return []
    return [_of_one(data, model.decided) for model in data.models]


def _of_one(data: Data, decided: Any) -> Classes:
    single = data.y_true.ndim == 1
    many: dict[str, Any] = {"num_classes": len(data.names)} if single else {}
    arrays = data.y_true, decided
    found = classification.precision_recall_fscore_support(
        *arrays, sample_weight=data.weight, **many
    )
    precision, recall, fscore, support = map(np.asarray, found)
    matrix = None
    if single:
        matrix = np.asarray(
            classification.confusion_matrix(*arrays, sample_weight=data.weight, **many)
        )
    return Classes(data.names, np.stack([precision, recall, fscore], axis=1), support, matrix)
