"""What is true of every metric and its declared range.

Part of the laws; see `tests/laws.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from jmetrics import inference
from jmetrics._core.plan import REAL, range_of
from tests.compare import assert_in_range
from tests.harness import Data, evaluate, sample
from tests.laws import law, law_of_the_kernel
from tests.row import POSITIVE, Case


def range_of_case(case: Case) -> Any:
    """What is declared; some rows sum up a curve, of which nothing is."""
    return range_of(case.row.metric, case.options) or REAL


@law
def values_stay_in_range(case: Case) -> None:
    """Not by an ulp does a value leave the range that is declared, a perfect fit's too."""
    for seed in range(3):
        data = sample(case, seed=seed)
        perfect = [data._replace(y_pred=data.y_true)] * (data.y_true.shape == data.y_pred.shape)
        for given in (data, *perfect):
            assert_in_range(evaluate(case, given).value, range_of_case(case))


@law_of_the_kernel
def ends_of_jackknife_stay_in_range(case: Case) -> None:
    interval = inference.infinitesimal_jackknife(metric_of(case))
    for given in (sample(case), nearly_perfect(case)):
        found = interval(given.y_true, given.y_pred)
        for end in (found.low, found.high):
            assert_in_range(end, range_of_case(case))


@law_of_the_kernel
def ends_of_resamples_stay_in_range(case: Case) -> None:
    key, given = jax.random.key(0), nearly_perfect(case)
    for method in ("normal", "basic"):
        found = inference.bootstrap(key, metric_of(case), *given[:2], n_resamples=20, method=method)
        for end in (found.low, found.high):
            assert_in_range(end, range_of_case(case))


def metric_of(case: Case) -> Callable[..., Any]:
    """With its options, some of which have the name of one of an interval."""
    return functools.partial(case.row.metric, **case.options)


def nearly_perfect(case: Case) -> Data:
    """Predictions that are wrong in two samples alone, beside which intervals are wide."""
    data = sample(case)
    y_true, y_pred = data.y_true, data.y_pred
    whole = np.all((y_true == np.round(y_true)) & (y_true >= 0))
    right = y_true
    if y_pred.ndim > y_true.ndim:
        if y_true.ndim == 1 and whole and y_true.max() < y_pred.shape[1]:
            right = np.eye(y_pred.shape[1])[y_true.astype(int)]
        else:
            right = np.expand_dims(right, 1)
    if POSITIVE in case.traits:
        right = np.where(right > 0, right, y_pred)
    right = np.broadcast_to(right, y_pred.shape).astype(y_pred.dtype)
    return data._replace(y_pred=np.concatenate([y_pred[:2], right[2:]]))
