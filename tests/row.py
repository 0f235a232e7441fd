"""What a row of the registry holds: a metric, data that suit it, an oracle, and its traits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from jax import Array

from jmetrics._core.plan import declaration_of
from tests import oracles

Arrays = tuple[np.ndarray, np.ndarray]
Maker = Callable[[np.random.Generator, int], Arrays]

# What a metric is like, so that the laws know what to expect. Traits that its declaration tells
# are not repeated in its row, see `declared_traits`.
LOSS = "0 with zero gradient if no sample has positive weight"
TOTAL = "a sum over samples, not a mean: 0 without positive weight, grows with the weights"
SMOOTH = "differentiable in the predictions"
STEPS = "piecewise constant in the predictions: a gradient of 0"
PROBABILITIES = "predictions lie in [0, 1]"
POSITIVE = "predictions are positive"
OUTPUTS = "each column is scored alone, and may have a mask of its own"
QUADRATIC = "compares all pairs, in O(n²) time"
STEPPED_WEIGHTS = "piecewise constant in the weights: a gradient of 0"
EXTREMES = "depends on the extremes of what has weight: jumps where a weight leaves 0"
COPIES = "a weight is a number of copies, and all of them together matter"
SUPPORT = "its last part is a sum over samples, as in a TOTAL, and the others are not"
EXPLAINED = "1 less a ratio: near 0 it keeps the digits that the ratio has"
COUNTS = "what is a sum over samples is an integer if all that is counted is"


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
    outside: tuple[Outside, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """Everything the laws need to know of a metric."""

    metric: Callable[..., Any]
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
    degree: float | None = None
    """k of f(c y_true, c y_pred) = c^k f(y_true, y_pred); or as `tests.degrees` says."""


@dataclass(frozen=True, eq=False)
class Case:
    """A row with one of its variants: what a law is held to. Each is equal to itself only."""

    name: str
    row: Row
    options: Mapping[str, Any]
    traits: frozenset[str]
    make: Maker
    outside: tuple[Outside, ...]

    def __call__(self, y_true: Any, y_pred: Any, **arguments: Any) -> Array:
        return self.row.metric(y_true, y_pred, **{**self.options, **arguments})

    def expected(self, y_true: Any, y_pred: Any, sample_weight: Any = None, **options: Any) -> Any:
        """What the oracle says."""
        return self.row.oracle(y_true, y_pred, sample_weight, **{**self.options, **options})


def cases_of(row: Row) -> Iterator[Case]:
    name = row.name or row.metric.__name__
    for variant in row.variants:
        label = "-".join([name, *(str(v) for v in variant.options.values() if np.ndim(v) == 0)])
        if variant.make and label == name:
            label = f"{name}-{variant.make.__name__}"
        traits = row.traits | variant.add | declared_traits(row.metric)
        make = variant.make or row.make
        outside = row.outside if variant.outside is None else variant.outside
        yield Case(label, row, variant.options, traits, make, outside)


def declared_traits(metric: Callable[..., Any]) -> frozenset[str]:
    """Traits that repeat what is declared of a metric."""
    known = declaration_of(metric)
    traits = {
        PROBABILITIES: known.predictions == "probabilities",
        POSITIVE: known.predictions == "means",
        STEPPED_WEIGHTS: not known.smooth_in_weights,
    }
    return frozenset(trait for trait, present in traits.items() if present)


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


def tied(rng: np.random.Generator, n: int) -> Arrays:
    """Two numbers that often repeat, the first two samples different in both."""
    y = np.append([2.0, -1.0], np.round(rng.normal(0, 2, max(n - 2, 0))))[:n]
    return y, np.append([1.0, 0.0], np.round(2 * (y[2:] + rng.normal(0, 1.5, max(n - 2, 0)))))[:n]


def positive(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.uniform(0.5, 4, n)
    return y, y * np.exp(rng.normal(0, 0.3, n))


def positive_columns(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.uniform(0.5, 4, (n, 3))
    return y, y * np.exp(rng.normal(0, 0.3, (n, 3)))


def quantiles(rng: np.random.Generator, n: int) -> Arrays:
    """Positive targets and three quantiles that never cross."""
    y = rng.uniform(1, 5, n)
    return y, rng.uniform(1, 3, (n, 1)) + np.cumsum(rng.uniform(0.1, 1, (n, 3)), axis=1)


def intervals(rng: np.random.Generator, n: int) -> Arrays:
    y, quantile = quantiles(rng, n)
    return y, quantile[:, [0, 2]]
