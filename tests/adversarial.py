"""Inputs that are hard on floats, for every row of the registry, drawn by hypothesis.

The maker of a row says of what kind its data are, and each kind has its ways to be awkward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from jmetrics import (
    concordance_corrcoef,
    curves,
    d2_tweedie_score,
    losses,
    mean_absolute_percentage_error,
    probability,
)
from tests.degrees import degree_of
from tests.row import COPIES, Arrays, Case

COUNTS = st.sampled_from([0, 1, 2, 3, 1000, 99_996, 999_996, 2**24 - 1, 2**24])
"""Cells of tables: few of very many, up to where float32 stops counting."""

SIZE = 7
"""Samples of each input, always as many, so that a case compiles once."""

ULP = 2.0**-23
Generator = np.random.Generator


class Hard(NamedTuple):
    y_true: np.ndarray
    y_pred: np.ndarray
    weight: np.ndarray


# --- numbers: from what the maker made, and the exponents that the result allows ---------


def in_a_unit(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    unit = 2.0 ** rng.integers(-reach, reach + 1)
    return y * unit, p * unit


def over_the_range(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    """Huge beside tiny."""
    y, p = (
        np.sign(a) * (1 + rng.random(a.shape)) * 2.0 ** rng.integers(-reach, reach, a.shape)
        for a in (y, p)
    )
    return y, p


def one_far_out(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    a = (y, p)[rng.integers(2)]
    a.flat[rng.integers(a.size)] *= 2.0 ** min(reach, 30)
    return y, p


def neighbours(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    """Predictions at most two ulp from the truth."""
    y, p = in_a_unit(rng, y, p, _within_ulp(reach))
    return y, beside(y, p).astype(np.float32) * (1 + ULP * rng.integers(-2, 3, p.shape))


def of_few_ulp(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    """All within three ulp."""
    y, p = (1 + ULP * rng.integers(0, 4, a.shape) for a in (y, p))
    return in_a_unit(rng, y, p, _within_ulp(reach))


def perfect(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    y, p = in_a_unit(rng, y, p, reach)
    return y, beside(y, p)


def constant_truth(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    return in_a_unit(rng, np.full(y.shape, y.flat[0]), p, reach)


def constant(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    """Both, and equal or not."""
    c, d = y.flat[0], y.flat[0] + rng.integers(2)
    return in_a_unit(rng, np.full(y.shape, c), np.full(p.shape, d), reach)


def zeros(rng: Generator, y: np.ndarray, p: np.ndarray, reach: int) -> Arrays:
    """Of either sign."""
    y, p = (np.where(rng.random(a.shape) < 0.5, a, np.copysign(0, a - 5)) for a in (y, p))
    return y, p


def beside(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The truth in place of every prediction."""
    return np.broadcast_to(y if y.ndim == p.ndim else y[:, None], p.shape)


def _within_ulp(reach: int) -> int:
    """The exponents for numbers whose ulp is to be as large as other numbers are."""
    return max(reach - 24, 0)


POSITIVE_NUMBERS = (
    in_a_unit,
    over_the_range,
    one_far_out,
    neighbours,
    of_few_ulp,
    perfect,
    constant_truth,
    constant,
)
NUMBERS = (*POSITIVE_NUMBERS, zeros)

REACH = {
    probability.gaussian_nll: 50,  # a fixed scale squares the error
    mean_absolute_percentage_error: 60,  # errors are divided by 2**-52
    losses.gamma_loss: 16,  # no deviance where a linear mean is below `floor` = 1e-6
    d2_tweedie_score: 60,  # of means 2**126 below the largest target nothing is left in its unit
}


def reach_of(case: Case) -> int:
    """The exponents for which a value, and its terms, are normal numbers."""
    degree = max(abs(degree_of(case) or 0), 1)
    return REACH.get(case.row.metric, int(100 / degree))


def numbers(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    return NUMBERS[way % len(NUMBERS)](rng, y, p, reach_of(case))


def positive_numbers(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    return POSITIVE_NUMBERS[way % len(POSITIVE_NUMBERS)](rng, y, p, reach_of(case))


def means(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    """Targets that may be 0, which their means may not."""
    y, p = positive_numbers(case, rng, y, p, way)
    return y, np.where(p > 0, p, 1)


def log_means(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    """Means as near to the targets, or as far, as the logarithm of a float can say."""
    way %= len(POSITIVE_NUMBERS)
    y, mu = POSITIVE_NUMBERS[way](rng, y, np.exp(p), 20)
    return y, np.log(np.where(mu > 0, mu, 1))


def quantiles(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    y, p = numbers(case, rng, y, p, way)
    return y, np.sort(p, axis=1)


# --- labels ------------------------------------------------------------------------------


def as_made(rng: Generator, y: np.ndarray, most: int) -> np.ndarray:
    return y


def one_class(rng: Generator, y: np.ndarray, most: int) -> np.ndarray:
    return np.full(y.shape, rng.integers(most + 1))


def all_but_one(rng: Generator, y: np.ndarray, most: int) -> np.ndarray:
    y, at = one_class(rng, y, most), rng.integers(y.size)
    y.flat[at] = (y.flat[at] + 1) % (most + 1)
    return y


LABELS = (as_made, as_made, as_made, one_class, all_but_one)


def some_labels(rng: Generator, y: np.ndarray, most: int) -> np.ndarray:
    return LABELS[rng.integers(len(LABELS))](rng, y, most)


def labels(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    """All right, none right, and always the same answer among others."""
    most = 1 if y.ndim == 2 or case.make.__name__ == "binary_labels" else 3
    y = LABELS[way % len(LABELS)](rng, y, most)
    answers = p, y, (y + 1) % (most + 1), one_class(rng, p, most), all_but_one(rng, p, most)
    return y, answers[rng.integers(len(answers))]


# --- scores ------------------------------------------------------------------------------


def tied(rng: Generator, s: np.ndarray) -> np.ndarray:
    return np.full(s.shape, s.flat[0])


def next_to_each_other(rng: Generator, s: np.ndarray) -> np.ndarray:
    return rng.choice([1, -3, 2.0**-60, 1e6]) * (1 + ULP * rng.integers(0, 4, s.shape))


def with_an_offset(rng: Generator, s: np.ndarray) -> np.ndarray:
    return s + rng.choice([-1e6, 2.0**20, 1e4])


def of_any_size(rng: Generator, s: np.ndarray) -> np.ndarray:
    return over_the_range(rng, s, s, 40)[0]


def tiny(rng: Generator, s: np.ndarray) -> np.ndarray:
    return s * 2.0**-80


def some_zero(rng: Generator, s: np.ndarray) -> np.ndarray:
    """Of either sign."""
    return np.where(rng.random(s.shape) < 0.6, np.copysign(0, s - np.median(s)), s)


def some_infinite(rng: Generator, s: np.ndarray) -> np.ndarray:
    return np.where(rng.random(s.shape) < 0.5, np.copysign(np.inf, s - np.median(s)), s)


SCORES = (
    lambda rng, s: s,
    tied,
    next_to_each_other,
    with_an_offset,
    of_any_size,
    tiny,
    some_zero,
)
ORDERED = {
    curves.roc_auc_score,
    curves.average_precision_score,
    curves.gini,
    curves.equal_error_rate,
    curves.ks_statistic,
}
"""Metrics of scores that only order samples, of which scores may be infinite."""


def scores(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    p = some_scores(case.row.metric in ORDERED, rng, p, way)
    return some_labels(rng, y, p.shape[1] - 1 if p.ndim == 2 else 1), p


def some_scores(ordered: bool, rng: Generator, s: np.ndarray, way: int) -> np.ndarray:
    ways = (*SCORES, some_infinite) if ordered else SCORES
    return ways[way % len(ways)](rng, s)


def lists(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    """Lists without a relevant item, with items all alike, or with one that is relevant."""
    one = np.arange(y.shape[1]) == 1
    kept = rng.integers(5, size=(len(y), 1))
    y = np.select([kept == 2, kept == 3, kept == 4], [0 * y, y.max(axis=1, keepdims=True), one], y)
    return y, some_scores(case.make.__name__ != "untied", rng, p, way)


# --- probabilities -----------------------------------------------------------------------

CORNERS = (0.0, 1.0, 2.0**-126, 1 - 2.0**-24, 2.0**-24, 0.5, 0.5 + 2.0**-24, 0.25)
# A class occurs if it is predicted at all, and of 2**-126 a fraction of the weights is 0.
OF_THREE = ((1, 0, 0), (1 - 2.0**-24, 2.0**-24, 0), (1, 2.0**-100, 0), (0.5, 0.5, 0), (1 / 3,) * 3)


def probabilities(case: Case, rng: Generator, y: np.ndarray, p: np.ndarray, way: int) -> Arrays:
    """Certain, and right or wrong; almost certain; undecided."""
    of_three = p.ndim > y.ndim
    y = some_labels(rng, y, 2 if of_three else 1)
    if of_three:
        truth, rows = np.eye(3)[y.astype(int)], np.array(OF_THREE)
        corners = rng.permuted(rows[rng.integers(len(rows), size=len(y))], axis=1)
        wrong = np.roll(truth, 1, axis=1)
    else:
        truth, corners, wrong = y, rng.choice(CORNERS, p.shape), 1 - y
    mixed = np.where(rng.random((len(y), *[1] * (p.ndim - 1))) < 0.5, truth, p)
    return y, (p, corners, corners, mixed, truth, wrong)[way % 6]


# --- weights -----------------------------------------------------------------------------

WEIGHTS = ("alike", "whole", "some 0", "tiny", "huge", "one rare", "one heavy", "one only", "none")


def weights(rng: Generator, way: str) -> np.ndarray:
    whole = rng.integers(1, 8, SIZE).astype(np.float64)
    one = np.arange(SIZE) == rng.integers(SIZE)
    return {
        "alike": np.ones(SIZE),
        "whole": whole,
        "some 0": whole * (rng.random(SIZE) < 0.5),
        "tiny": whole * 2.0**-20,
        "huge": whole * 2.0**20,
        "one rare": np.where(one, 1, 1e6),
        "one heavy": np.where(one, 1e6, 1),
        "one only": 1.0 * one,
        "none": 0 * whole,
    }[way]


def weights_of(case: Case) -> tuple[str, ...]:
    """Nobody has 2**20 copies of a sample, of which a sum of squares may leave the range."""
    return tuple(w for w in WEIGHTS if w != "huge" or COPIES not in case.traits)


# --- what is of which kind ---------------------------------------------------------------

KINDS: dict[str, Callable[[Case, Generator, np.ndarray, np.ndarray, int], Arrays]] = {
    maker: kind
    for makers, kind in (
        ("real tied ensembles vector_ensembles", numbers),
        ("positive positive_means", positive_numbers),
        ("means", means),
        ("log_means log_positive_means", log_means),
        ("quantiles intervals", quantiles),
        ("classes indicators binary_labels", labels),
        ("scores tied_scores clear_scores class_scores tied_class_scores class_logits", scores),
        ("graded binary untied", lists),
        (
            "probabilities class_probabilities indicator_probabilities misplaced",
            probabilities,
        ),
    )
    for maker in makers.split()
}


def kind_of(case: Case) -> Callable[..., Arrays]:
    return KINDS[case.make.__name__]


def hard(case: Case) -> st.SearchStrategy[Hard]:
    """Inputs of a case: labels as integers, all else as float32s."""
    kind = kind_of(case)
    dtypes = (
        np.int32 if kind in (labels, scores, lists, probabilities) else np.float32,
        np.int32 if kind is labels else np.float32,
    )

    def build(seed: int, way: int, weight: str) -> Hard:
        rng = np.random.default_rng(seed)
        made = (np.array(a) for a in case.make(rng, SIZE))
        y, p = (a.astype(t) for a, t in zip(kind(case, rng, *made, way), dtypes, strict=True))
        return Hard(y, p, weights(rng, weight).astype(np.float32))

    seeds, ways = st.integers(0, 9999), st.sampled_from(range(72))
    return st.builds(build, seeds, ways, st.sampled_from(weights_of(case)))


# --- whole numbers -----------------------------------------------------------------------

EDGES = {
    "where float32 stops counting": (2**24, 4),
    "between float32s": (2**30 + 62, 4),
    "the end of int32": (2**31 - 5, 5),
    "all of int32": (0, 2**31 - 1),
    "far out": (2**30, 2**29),
}


# Of a mean far from all floats, a second float holds what is left to 7 digits, of which these
# metrics subtract a number or another mean.
OF_TWO_MEANS = {concordance_corrcoef, d2_tweedie_score}


def takes_whole_numbers(case: Case) -> bool:
    return kind_of(case) in (numbers, positive_numbers, means, quantiles)


def whole(case: Case) -> st.SearchStrategy[Hard]:
    """Integers that float32 cannot tell apart."""
    positive = kind_of(case) in (positive_numbers, means)

    def build(seed: int, edge: str, weight: str) -> Hard:
        rng = np.random.default_rng(seed)
        base, width = EDGES[edge]
        low = 1 if base == 0 and positive else base - width * (base == 0)
        y, p = (rng.integers(low, base + width, a.shape) for a in case.make(rng, SIZE))
        if kind_of(case) is quantiles:
            p = np.sort(p, axis=1)
        return Hard(y.astype(np.int32), p.astype(np.int32), weights(rng, weight).astype(np.float32))

    known = {"between float32s"} if case.row.metric in OF_TWO_MEANS else set()
    edges = st.sampled_from(sorted(EDGES.keys() - known))
    seeds = st.integers(0, 9999)
    return st.builds(build, seeds, edges, st.sampled_from(weights_of(case)))
