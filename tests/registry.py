"""One row for each public metric and loss. Every law runs over every row.

To add a metric: add a row to its chapter in `tests/rows`. What a row needs is listed at
`tests.row.Row`; a maker of data and an independent oracle are usually there already.
"""

from __future__ import annotations

import functools

from tests.row import Case, cases_of
from tests.rows.decisions import DECISIONS
from tests.rows.losses import LOSSES
from tests.rows.regression import REGRESSION

METRICS = DECISIONS + REGRESSION
ROWS = METRICS + LOSSES

# Public callables that are not metrics; each has a test file named after it.
TRANSFORMS = ("checked",)


@functools.cache
def cases() -> tuple[Case, ...]:
    return tuple(case for row in ROWS for case in cases_of(row))


def main_cases() -> tuple[Case, ...]:
    """The first variant of each row."""
    return tuple(next(cases_of(row)) for row in ROWS)
