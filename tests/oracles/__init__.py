"""Independent references in double precision: other libraries, or the definition spelled out.

An oracle takes arrays without masks and a weight or None, and the options of its metric.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Oracle = Callable[..., Any]


def unless_nothing_counts(undefined: Any, at_least: int = 1) -> Callable[[Oracle], Oracle]:
    """Answer for the oracle, which may refuse to, when too few samples have weight."""

    def decorate(oracle: Oracle) -> Oracle:
        @functools.wraps(oracle)
        def with_rule(y_true, y_pred, sample_weight=None, **options):
            y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
            weight = np.ones(len(y_true)) if sample_weight is None else np.asarray(sample_weight)
            weight = weight.astype(np.float64)
            on = weight != 0
            if np.count_nonzero(on) < at_least:
                return undefined
            return oracle(y_true[on], y_pred[on], weight[on], **options)

        return with_rule

    return decorate


def from_sklearn(score: Callable[..., Any], *, undefined: Any = np.nan, at_least: int = 1):
    @unless_nothing_counts(undefined, at_least)
    def oracle(y_true, y_pred, weight, **options):
        y_true, y_pred = y_true.astype(np.float64), y_pred.astype(np.float64)
        return score(y_true, y_pred, sample_weight=weight, **options)

    return oracle


def explained(score: Callable[..., Any], *, at_least: int) -> Oracle:
    """A score of scikit-learn that explains the target, NaN by output with too few samples."""

    def oracle(y_true, y_pred, sample_weight=None, **options):
        undefined: Any = np.nan
        if options.get("multioutput") == "raw_values":
            undefined = np.full(np.shape(y_true)[1:] or (1,), np.nan)
        scored = from_sklearn(score, undefined=undefined, at_least=at_least)
        with np.errstate(divide="ignore", invalid="ignore"):
            return scored(y_true, y_pred, sample_weight, **options)

    return oracle


def by_output(formula: Callable[..., Any]) -> Oracle:
    """Average a formula for one column over the columns, or give one value each."""

    @unless_nothing_counts(np.nan)
    def oracle(y_true, y_pred, weight, *, multioutput="uniform_average", **options):
        pairs = zip(np.atleast_2d(y_true.T), np.atleast_2d(y_pred.T), strict=True)
        values = [
            formula(t.astype(np.float64), p.astype(np.float64), weight, **options) for t, p in pairs
        ]
        return np.array(values) if multioutput == "raw_values" else np.mean(values)

    return oracle
