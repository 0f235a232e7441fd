"""What is true of every metric for all that may be handed in."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
import pandas as pd

from tests.compare import assert_raises, assert_same
from tests.harness import Data, eager, names, sample
from tests.laws import law_of_the_kernel, law_of_the_row, only
from tests.oracles.exact import reference
from tests.row import (
    Case,
    Maker,
    columns,
    intervals,
    positive,
    positive_columns,
    quantiles,
    real,
    scores,
    tied,
    tied_scores,
)
from tests.rows.losses_auc import class_scores
from tests.rows.losses_lists import untied
from tests.rows.probability import class_logits, ensembles, vector_ensembles


class OfDlpack:
    """An array that offers its memory and nothing else."""

    def __init__(self, a: np.ndarray) -> None:
        self.a = a

    def __dlpack__(self, **options: Any) -> Any:
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.a.__dlpack_device__()


def of_pandas(a: np.ndarray) -> Any:
    """A column or a table of the types of pandas that know missing values."""
    kind = {"b": "boolean", "i": "Int64", "f": "Float64"}[a.dtype.kind]
    if a.ndim > 2:
        return a.astype(object)
    return (pd.Series(a) if a.ndim == 1 else pd.DataFrame(a)).astype(kind)


CONTAINERS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda a: a.tolist(),
    "float64": lambda a: a.astype(np.float64) if a.dtype.kind == "f" else a,
    "JAX": jnp.asarray,
    "Series": lambda a: pd.Series(a) if a.ndim == 1 else pd.DataFrame(a) if a.ndim == 2 else a,
    "nullable": of_pandas,
    "memoryview": lambda a: a.data,
    "dlpack": OfDlpack,
    "objects": lambda a: a.astype(object),
}


@law_of_the_row
def containers_are_alike(case: Case) -> None:
    """The same numbers are the same answer, and integers beyond 32 bits the same error."""
    data = sample(case)
    expected = eager(case, data)
    for name, change in CONTAINERS.items():
        assert_same(eager(case, Data(*map(change, data))), expected, rtol=0)
        if name != "JAX":  # which has no integers of 64 bits
            for argument, field in zip((*names(case), "sample_weight"), Data._fields, strict=False):
                wide = change(np.full(getattr(data, field).shape, 2**31))
                call = functools.partial(eager, case, data._replace(**{field: wide}))
                assert_raises(ValueError, f"`{argument}` holds integers beyond 32 bits", call)


BOTH, SECOND = (0, 1), (1,)
LARGE: dict[Maker, tuple[int, ...]] = {
    **dict.fromkeys((real, columns, positive, positive_columns, quantiles, intervals), BOTH),
    **dict.fromkeys((tied, ensembles, vector_ensembles), BOTH),
    **dict.fromkeys((scores, tied_scores, class_scores, untied, class_logits), SECOND),
}
"""Which arrays of a maker hold numbers that may be large, and no labels or probabilities."""


OVER_THRESHOLDS = {
    "precision_recall_curve",
    "confusion_matrix_at_thresholds",
    "metric_at_thresholds",
}
"""Of these the rows take areas over the thresholds, which are scores as floats."""


def far_from_0(case: Case) -> Iterator[Data]:
    """Integers that float32 would round, as such and as float64."""
    data = sample(case)
    arrays = [
        np.rint(4 * a).astype(np.int32) + 2**30 if i in LARGE[case.make] else a
        for i, a in enumerate(data[:2])
    ]
    for dtype in (np.int32, np.float64):
        yield data._replace(y_true=arrays[0].astype(dtype), y_pred=arrays[1].astype(dtype))


def may_be_far_from_0(case: Case) -> bool:
    return case.make in LARGE and case.row.metric.__name__ not in OVER_THRESHOLDS


@law_of_the_kernel
@only(may_be_far_from_0)
def integers_are_subtracted_exactly(case: Case) -> None:
    for data in far_from_0(case):
        exact = data.astype(np.float64)
        assert_same(eager(case, data), reference(case, *exact[:3]))
