"""Numbers with their uncertainty, and tables of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import jax
import numpy as np
from jax import Array

from jmetrics.inference import bootstrap, standard_error
from jmetrics.text import number as number, table as table


class Estimate(NamedTuple):
    """A metric, its 95 % bootstrap interval and its standard error, one entry per value."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    error: np.ndarray

    def part(self, entries: int | slice) -> Estimate:
        """Some of the entries."""
        return Estimate(*(field[entries] for field in self))

    def contains(self, number: float) -> bool:
        """Whether the interval of a single entry contains a number."""
        return bool(self.low <= number <= self.high)

    def entries(self) -> Iterator[Estimate]:
        """One by one."""
        return (self.part(i) for i in range(len(self.value)))


def estimate(
    key: Array,
    metric: Callable[..., Array],
    y_true: np.ndarray,
    y_pred: np.ndarray,
    n_resamples: int,
) -> Estimate:
    """Value of a metric with its uncertainty, by the bootstrap and by its derivative."""
    sampled = bootstrap(key, metric, y_true, y_pred, n_resamples=n_resamples)
    error = standard_error(metric)(y_true, y_pred)
    return Estimate(*jax.device_get((sampled.estimate, sampled.low, sampled.high, error)))


def interval(entry: Estimate, form: str = ".3f") -> str:
    """Both ends of the interval of a single entry."""
    return f"{number(entry.low, form)} to {number(entry.high, form)}"
