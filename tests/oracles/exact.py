"""References for few samples, where formulas in double precision cancel or leave the range."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import mpmath
import numpy as np

from jmetrics import (
    d2_tweedie_score,
    kendall_tau,
    losses,
    mean_gamma_deviance,
    mean_log_cosh_error,
    mean_poisson_deviance,
    mean_squared_log_error,
    mean_tweedie_deviance,
    root_mean_squared_log_error,
)
from tests.oracles import Oracle, unless_nothing_counts
from tests.oracles.regression import unit_deviance
from tests.row import Case

DIGITS = 60
Number = Any
"""Of mpmath."""


def numbers(a: np.ndarray) -> list[Number]:
    return [mpmath.mpf(float(x)) for x in a]


def mean(terms: Iterable[Number], w: Iterable[float]) -> Number:
    w = numbers(np.asarray(w))
    return mpmath.fsum(v * t for v, t in zip(w, terms, strict=True)) / mpmath.fsum(w)


def mean_of(term: Callable[..., Number], *, undefined: float = np.nan) -> Oracle:
    """Weighted mean of a term of the truth and the prediction of each sample."""

    @unless_nothing_counts(undefined)
    def oracle(y, p, w, **options):
        with mpmath.workdps(DIGITS):
            pairs = zip(numbers(y), numbers(p), strict=True)
            return float(mean((term(a, b, **options) for a, b in pairs), w))

    return oracle


def root(oracle: Oracle) -> Oracle:
    return lambda *arrays, **options: np.sqrt(oracle(*arrays, **options))


def log_cosh(y: Number, p: Number, *, multioutput: Any = None) -> Number:
    return abs(y - p) + mpmath.log1p(mpmath.expm1(-2 * abs(y - p)) / 2)


def squared_log(y: Number, p: Number, *, multioutput: Any = None) -> Number:
    return (mpmath.log1p(y) - mpmath.log1p(p)) ** 2


LINKS: dict[str, Callable[[Number], Number]] = {
    "log": mpmath.exp,
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "identity": lambda x: x,
}


def deviance(default: float, link: str = "identity") -> Oracle:
    def term(y: Number, p: Number, *, power: float = default, link: str = link) -> Number:
        return unit_deviance(y, LINKS[link](p), power)

    return mean_of(term, undefined=np.nan if link == "identity" else 0.0)


@unless_nothing_counts(np.nan, at_least=2)
def explained_deviance(y, p, w, *, power):
    if np.ptp(y) == 0:
        return float(np.array_equal(y, p))
    with mpmath.workdps(DIGITS):
        y, p = numbers(y), numbers(p)
        center = mean(y, w)
        left, all_of_it = (
            mean((unit_deviance(a, b, power) for a, b in zip(y, other, strict=True)), w)
            for other in (p, [center] * len(y))
        )
        return float(1 - left / all_of_it)


@unless_nothing_counts(np.nan)
def kendall(y, p, w):
    """By pairs."""
    pair = np.outer(w, w)
    of_y, of_p = (np.sign(np.subtract.outer(a.astype(float), a)) for a in (y, p))
    spread = np.sum(pair * np.abs(of_y)) * np.sum(pair * np.abs(of_p))
    return np.sum(pair * of_y * of_p) / np.sqrt(spread) if spread else np.nan


@unless_nothing_counts(0.0)
def neural_ndcg(y, s, w):
    values, some = [], y.any(axis=1)
    with mpmath.workdps(DIGITS):
        for gain, score in zip(y.tolist(), s, strict=True):
            score, n = numbers(score), len(gain)
            spread = [mpmath.fsum(abs(a - b) for b in score) for a in score]
            discount = [1 / mpmath.log(2 + i, 2) for i in range(n)]
            found = mpmath.mpf(0)
            for i in range(n):
                logit = [(n - 1 - 2 * i) * a - b for a, b in zip(score, spread, strict=True)]
                share = [mpmath.exp(z - max(logit)) for z in logit]
                found += discount[i] * mpmath.fdot(share, gain) / mpmath.fsum(share)
            best = mpmath.fdot(discount, sorted(gain, reverse=True))
            values.append(float(1 - found / best) if best else 0.0)
    return np.average(np.array(values)[some], weights=w[some]) if some.any() else 0.0


EXACT: dict[Any, Oracle] = {
    mean_log_cosh_error: mean_of(log_cosh),
    mean_squared_log_error: mean_of(squared_log),
    root_mean_squared_log_error: root(mean_of(squared_log)),
    mean_tweedie_deviance: deviance(0),
    mean_poisson_deviance: deviance(1),
    mean_gamma_deviance: deviance(2),
    d2_tweedie_score: explained_deviance,
    losses.tweedie_loss: deviance(1.5, "log"),
    losses.poisson_loss: deviance(1, "log"),
    losses.gamma_loss: deviance(2, "log"),
    losses.inverse_gaussian_loss: deviance(3, "log"),
    losses.neural_ndcg_loss: neural_ndcg,
    kendall_tau: kendall,
}
"""By metric."""


def reference(case: Case, y_true: Any, y_pred: Any, sample_weight: Any) -> Any:
    """What the exact reference of a case says if it has one, and otherwise its own."""
    exact = EXACT.get(case.row.metric)
    if exact is None:
        return case.expected(y_true, y_pred, sample_weight)
    return exact(y_true, y_pred, sample_weight, **case.options)
