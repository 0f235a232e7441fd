"""Arrays with an axis too many: taken for what they can only be, or told how to be given."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics import losses, streaming
from tests.compare import assert_same
from tests.harness import N, names, sample
from tests.registry import kernel_cases, main_cases
from tests.row import Case

Arrays = dict[str, Any]
ADVICE = re.compile(r"`(\w+)((?:\[[^`]*\])|(?:\.reshape\([^`]*\)))`")


def plain(case: Case) -> Arrays:
    return dict(zip((*names(case), "sample_weight", "where"), sample(case), strict=True))


def misshapen(arrays: Arrays) -> Iterator[Arrays]:
    """Each array with one axis as it is, as a column and as a row; and sequences of samples."""
    ways = [
        [a] if a.ndim > 1 else [a, a[:, None], a[None]]  # as it is, a column, a row
        for a in arrays.values()
    ]
    for chosen in itertools.product(*ways):
        yield dict(zip(arrays, chosen, strict=True))
    y_true, y_pred, *_ = arrays.values()
    if y_true.ndim == 1 and len(y_pred) == N:
        yield {name: a.reshape(4, -1, *a.shape[1:]) for name, a in arrays.items()}


def shapes(value: Any) -> Any:
    return jax.tree.map(jnp.shape, value)


def traced(case: Case, arrays: Arrays) -> Any:
    def call(y_true: Any, y_pred: Any, beside: Any) -> Any:
        return case(y_true, y_pred, **beside)

    y_true, y_pred = (arrays[name] for name in names(case))
    beside = {name: arrays[name] for name in ("sample_weight", "where")}
    return jax.tree.map(lambda leaf: leaf.shape, jax.eval_shape(call, y_true, y_pred, beside))


def advice_leads_home(case: Case) -> None:
    """What is accepted means the same, and every error says what to write instead, which works."""
    right = plain(case)
    expected = traced(case, right)
    for arrays in misshapen(right):
        follow_advice(case, arrays, right, expected)


def follow_advice(case: Case, arrays: Arrays, right: Arrays, expected: Any) -> None:
    while shapes(arrays) != shapes(right):
        try:
            value = traced(case, arrays)
        except ValueError as error:
            told = dict(ADVICE.findall(str(error)))
            assert told and told.keys() <= arrays.keys(), f"{shapes(arrays)}: {error}"
            arrays = arrays | {name: eval(f"a{told[name]}", {"a": arrays[name]}) for name in told}
        else:
            assert value == expected or has_rows(case, arrays), f"{shapes(arrays)} gave {value}"
            assert taken(case, arrays), f"{shapes(arrays)} was taken"
            return


def taken(case: Case, arrays: Arrays) -> bool:
    """Whether all that is given is a column beside columns, or the metric has samples of rows."""
    y_true, y_pred = (arrays[name].shape for name in names(case))
    return (y_true == y_pred == (N, 1)) or has_rows(case, arrays)


def has_rows(case: Case, arrays: Arrays) -> bool:
    """Whether two axes are samples of several numbers here, of which a row is one."""
    y_true, y_pred = (arrays[name] for name in names(case))
    if y_true.shape != y_pred.shape or y_true.shape == (N, 1):
        return False
    two = np.repeat(y_true, 2, axis=0)
    case(two, two)  # raises where two axes mean nothing
    return True


@pytest.mark.parametrize("case", main_cases(), ids=lambda case: case.name)
def test_advice_leads_home(case: Case) -> None:
    advice_leads_home(case)
