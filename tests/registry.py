"""One row for each public metric and loss. Every law runs over every row.

To add a metric: add a row. What a row needs is listed at `Row`; a maker of data and an
independent oracle are usually there already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from jax import Array
from sklearn import metrics as sk

import jmetrics
from jmetrics import losses
from tests import oracles

Arrays = tuple[np.ndarray, np.ndarray]
Maker = Callable[[np.random.Generator, int], Arrays]

# What a metric is like, so that the laws know what to expect.
LOSS = "0 with zero gradient when nothing counts"
TOTAL = "a sum over samples, not a mean: 0 when nothing counts, grows with the weights"
SMOOTH = "differentiable in the predictions"
STEPS = "piecewise constant in the predictions: a gradient of 0"
PROBABILITIES = "predictions lie in [0, 1]"
POSITIVE = "predictions are positive"
OUTPUTS = "each column is scored alone, and may have a mask of its own"
QUADRATIC = "compares all pairs, in O(n²) time"


class Outside(NamedTuple):
    """An input out of the domain, and the reason `checked` must give."""

    argument: str
    """An array of the metric, which gets `value` as one of its entries, or an option."""
    value: float
    reason: str


class Variant(NamedTuple):
    """Options to run the laws with, and how they change the row."""

    options: Mapping[str, Any] = {}
    make: Maker | None = None
    add: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Row:
    """Everything the laws need to know of a metric."""

    metric: Callable[..., Array]
    make: Maker
    """Data of n samples in double precision, of which most laws use the float32s. Labels are
    whole numbers. The first two samples must be enough for the metric to be defined."""
    oracle: oracles.Oracle
    traits: frozenset[str] = frozenset()
    variants: tuple[Variant, ...] = (Variant(),)
    traced: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Options that may change without compiling again, with two values each."""
    refused: Mapping[str, Any] = field(default_factory=dict)
    """Options with a value that must raise a ValueError."""
    outside: tuple[Outside, ...] = ()
    name: str = ""


@dataclass(frozen=True, eq=False)
class Case:
    """A row with one of its variants: what a law is held to. Each is equal to itself only."""

    name: str
    row: Row
    options: Mapping[str, Any]
    traits: frozenset[str]
    make: Maker

    def __call__(self, y_true: Any, y_pred: Any, **arguments: Any) -> Array:
        return self.row.metric(y_true, y_pred, **{**self.options, **arguments})

    def expected(self, y_true: Any, y_pred: Any, sample_weight: Any = None, **options: Any) -> Any:
        """What the oracle says."""
        return self.row.oracle(y_true, y_pred, sample_weight, **{**self.options, **options})


def cases_of(row: Row) -> Iterator[Case]:
    name = row.name or row.metric.__name__
    for variant in row.variants:
        label = "-".join([name, *(str(value) for value in variant.options.values())])
        traits, make = row.traits | variant.add, variant.make or row.make
        yield Case(label, row, variant.options, traits, make)


def real(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.normal(5, 3, n)
    return y, y + rng.normal(0, 1, n)


def columns(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.normal(5, 3, (n, 3)) * [1, 2, 0.5]
    return y, y + rng.normal(0, 1, (n, 3))


def classes(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.integers(0, 4, n)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(0, 4, n))


def indicators(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.random((n, 3)) < 0.5
    return y, y ^ (rng.random((n, 3)) < 0.2)


def binary(rng: np.random.Generator, n: int) -> np.ndarray:
    """Both classes, and both within the first two samples."""
    return np.append([1, 0], rng.random(max(n - 2, 0)) < 0.4)[:n]


def probabilities(rng: np.random.Generator, n: int) -> Arrays:
    y = binary(rng, n)
    return y, np.clip(0.3 + 0.3 * y + rng.normal(0, 0.2, n), 0.03, 0.97)


def tied_scores(rng: np.random.Generator, n: int) -> Arrays:
    y = binary(rng, n)
    return y, np.round(4 * (y + rng.normal(0, 1.5, n))) / 4


def scores(rng: np.random.Generator, n: int) -> Arrays:
    y = binary(rng, n)
    return y, y + rng.normal(0, 1.5, n)


def means(rng: np.random.Generator, n: int) -> Arrays:
    """Non-negative targets, some of them 0, and positive means."""
    mu = rng.uniform(0.5, 4, n)
    return rng.poisson(1.2, n) * rng.gamma(4, 0.3, n), mu


def positive_means(rng: np.random.Generator, n: int) -> Arrays:
    mu = rng.uniform(0.5, 4, n)
    return mu * rng.gamma(3, 0.3, n) + 0.05, mu


def log_means(rng: np.random.Generator, n: int) -> Arrays:
    y, mu = means(rng, n)
    return y, np.log(mu)


AVERAGES = (
    Variant({"multioutput": "uniform_average"}),
    Variant({"multioutput": "raw_values"}, columns),
)
VARIANCE = Variant({"multioutput": "variance_weighted"}, columns)
NO_AVERAGE = {"multioutput": "mean"}
BINARY = Outside("y_true", 2.0, "`y_true` must be 0 or 1")
ALPHA = Outside("alpha", 1.5, "`alpha` must be in [0, 1]")
POWER = Outside("power", 0.5, "`power` must be at most 0 or at least 1")

METRICS = (
    Row(
        jmetrics.accuracy_score,
        classes,
        oracles.accuracy,
        frozenset({STEPS}),
        (
            Variant(),
            Variant({"normalize": False}, indicators, frozenset({TOTAL})),
        ),
        outside=(
            Outside("y_true", 0.5, "labels must be whole numbers"),
            Outside("y_pred", 0.5, "labels must be whole numbers"),
        ),
    ),
    Row(
        jmetrics.log_loss,
        probabilities,
        oracles.log_loss,
        frozenset({SMOOTH, PROBABILITIES}),
        (Variant(), Variant({"normalize": False}, add=frozenset({TOTAL}))),
        outside=(Outside("y_proba", 1.5, "`y_proba` must be probabilities"), BINARY),
    ),
    Row(
        jmetrics.roc_auc_score,
        tied_scores,
        oracles.roc_auc,
        frozenset({STEPS}),
        outside=(BINARY, Outside("y_score", np.nan, "`y_score` must not be NaN")),
    ),
    Row(
        jmetrics.mean_squared_error,
        real,
        oracles.from_sklearn(sk.mean_squared_error),
        frozenset({SMOOTH, OUTPUTS}),
        AVERAGES,
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.mean_absolute_error,
        real,
        oracles.from_sklearn(sk.mean_absolute_error),
        frozenset({SMOOTH, OUTPUTS}),
        AVERAGES,
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.mean_pinball_loss,
        real,
        oracles.from_sklearn(sk.mean_pinball_loss),
        frozenset({SMOOTH, OUTPUTS}),
        AVERAGES,
        traced={"alpha": (0.25, 0.9)},
        refused=NO_AVERAGE,
        outside=(ALPHA,),
    ),
    Row(
        jmetrics.r2_score,
        real,
        oracles.r2,
        frozenset({SMOOTH, OUTPUTS}),
        (*AVERAGES, VARIANCE, Variant({"force_finite": False})),
        refused=NO_AVERAGE,
    ),
    Row(
        jmetrics.mean_tweedie_deviance,
        means,
        oracles.from_sklearn(sk.mean_tweedie_deviance),
        frozenset({SMOOTH, POSITIVE}),
        (Variant({"power": 1.5}), Variant({"power": 2}, positive_means)),
        traced={"power": (1.25, 1.75)},
        outside=(Outside("y_pred", -1.0, "`y_pred` positive"), POWER),
    ),
)

LOSSES = (
    Row(
        losses.auc_loss,
        scores,
        oracles.auc_loss,
        frozenset({LOSS, SMOOTH, QUADRATIC}),
        (Variant({"surrogate": "squared_hinge"}), Variant({"surrogate": "logistic"})),
        traced={"margin": (0.5, 1.5), "temperature": (0.5, 2.0)},
        refused={"surrogate": "hinge"},
        outside=(BINARY,),
    ),
    Row(
        losses.pinball_loss,
        real,
        oracles.pinball_loss,
        frozenset({LOSS, SMOOTH}),
        (Variant(), Variant({"smoothing": 0.5})),
        traced={"alpha": (0.25, 0.9), "smoothing": (0.5, 2.0)},
        outside=(ALPHA, Outside("smoothing", -1.0, "`smoothing` must not be negative")),
    ),
    Row(
        losses.tweedie_loss,
        log_means,
        oracles.tweedie_loss,
        frozenset({LOSS, SMOOTH}),
        traced={"power": (1.25, 1.75)},
        outside=(Outside("y_true", -1.0, "`y_true` non-negative"), POWER),
    ),
)

ROWS = METRICS + LOSSES

# Public callables that are not metrics; each has a test file named after it.
TRANSFORMS = ("checked",)


@functools.cache
def cases() -> tuple[Case, ...]:
    return tuple(case for row in ROWS for case in cases_of(row))


def main_cases() -> tuple[Case, ...]:
    """The first variant of each row."""
    return tuple(next(cases_of(row)) for row in ROWS)
