"""The area under a curve through points."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import jmetrics.curves
from jmetrics import checked
from tests.compare import assert_nan, assert_same

auc: Any = jmetrics.curves.auc
float32 = functools.partial(np.array, dtype=np.float32)


@pytest.mark.parametrize("direction", [1, -1])
def test_is_that_of_sklearn(direction: int, rng: np.random.Generator) -> None:
    x = np.sort(np.round(rng.random(20), 1))[::direction].astype(np.float32)
    y = rng.normal(size=20).astype(np.float32)
    assert_same(auc(x, y), sk.auc(x, y), rtol=1e-6)
    assert_same(auc(x.tolist(), y.tolist()), sk.auc(x, y), rtol=1e-6)


def test_a_curve_that_turns_back_has_no_area() -> None:
    x, y = float32([0, 1, 0.5]), float32([0, 1, 2])
    assert_nan(auc(x, y), "x turns back")
    assert_nan(auc(float32([0, np.nan, 1]), y), "NaN in x")
    with pytest.raises(ValueError, match="`x` must rise or fall"):
        checked(auc)(x, y)


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="`x` must have at least 2 points"):
        auc([1.0], [1.0])
    with pytest.raises(ValueError, match="one shape"):
        auc([0.0, 1.0], [1.0])
