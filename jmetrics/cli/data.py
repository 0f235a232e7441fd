"""The arrays that are evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


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
    """The models, of which the others are compared with the first."""
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
