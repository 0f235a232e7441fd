"""One row for each public metric and loss. Every law runs over every row.

To add a metric: add a row to its chapter in `tests/rows`. What a row needs is listed at
`tests.row.Row`; a maker of data and an independent oracle are usually there already.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from jmetrics._core.plan import has_plan, plan_of
from tests.row import Case, cases_of
from tests.rows.classification import CLASSIFICATION
from tests.rows.curves import CURVES
from tests.rows.losses import LOSSES
from tests.rows.probability import PROBABILITY
from tests.rows.ranking import RANKING
from tests.rows.regression import REGRESSION

METRICS = CLASSIFICATION + PROBABILITY + CURVES + RANKING + REGRESSION
ROWS = METRICS + LOSSES

# Public callables that are no rows, and the test file of each.
TRANSFORMS = {
    "auc": "test_auc.py",
    "by_group": "test_groups.py",
    "calibration_curve": "test_calibration.py",
    "checked": "test_checked.py",
}

# Public functions of `losses` that are no rows, and the test file of each.
STATEFUL = {
    "soap_init": "test_ap_losses.py",
    "soap_loss": "test_ap_losses.py",
    "crossing_penalty": "test_quantile_losses.py",
    "non_crossing_quantiles": "test_quantile_losses.py",
    "soft_rank": "test_list_losses.py",
}


@functools.cache
def cases() -> tuple[Case, ...]:
    return tuple(case for row in ROWS for case in cases_of(row))


@functools.cache
def main_cases() -> tuple[Case, ...]:
    """The first variant of each row."""
    return tuple(next(case for case in cases() if case.row is row) for row in ROWS)


@functools.cache
def kernel_cases() -> tuple[Case, ...]:
    """The first case of those that are measured alike: by the same kernel, or in the same file."""
    first: dict[Any, Case] = {}
    for case in main_cases():
        first.setdefault(_measured_by(case), case)
    return tuple(first.values())


def one_in(n: int, cases: Iterable[Case], turn: int = 0) -> tuple[Case, ...]:
    """About one case in n: the same ones whatever other cases come and go."""
    return tuple(case for case in cases if zlib.crc32(case.name.encode()) % n == turn)


def parameters(cases: Iterable[Case]) -> list[Any]:
    """Parameters of a test; without `--full` it runs for the first case of each kernel only."""
    first = kernel_cases()
    return [
        pytest.param(case, id=case.name, marks=[] if case in first else [pytest.mark.full])
        for case in cases
    ]


def _measured_by(case: Case) -> Any:
    metric = case.row.metric
    if not has_plan(metric):
        return metric.__module__
    y_true, y_pred = case.make(np.random.default_rng(0), 2)
    return plan_of(metric)(y_true, y_pred, **case.options).kernel.function
