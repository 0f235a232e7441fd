"""Intervals of shares against statsmodels and scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.proportion import proportion_confint

from jmetrics.inference import proportion_interval
from tests.compare import assert_nan, assert_same

HITS = np.array([0, 1, 7, 50, 99, 100, 3, 0, 12345])
TOTAL = np.array([10, 10, 10, 100, 100, 100, 1000, 1, 30000])


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(("method", "peer"), [("wilson", "wilson"), ("clopper-pearson", "beta")])
def test_ends_are_those_of_statsmodels(method: str, peer: str, level: float) -> None:
    found = proportion_interval(HITS, TOTAL, method=method, confidence_level=level)
    expected = proportion_confint(HITS, TOTAL, alpha=1 - level, method=peer)
    width = expected[1] - expected[0]
    few = TOTAL <= 100 if method == "clopper-pearson" else TOTAL > 0
    for end, exact in zip((found.low, found.high), expected, strict=True):
        assert np.all(np.abs(end - exact) <= 0.01 * width)
        np.testing.assert_allclose(np.asarray(end)[few], exact[few], rtol=1e-5, atol=1e-9)
    assert_same(found.estimate, HITS / TOTAL, rtol=1e-6)
    assert found.method == method


def test_a_number_of_samples_need_not_be_whole() -> None:
    found = proportion_interval(2.5, 7.25, method="clopper-pearson")
    low = scipy.stats.beta.ppf(0.025, 2.5, 5.75)
    high = scipy.stats.beta.ppf(0.975, 3.5, 4.75)
    assert_same((found.low, found.high), (low, high), rtol=1e-4)


@pytest.mark.usefixtures("x64")
def test_many_samples_need_many_digits() -> None:
    hits, total = np.array([3, 500_000, 12]), np.full(3, 1_000_000)
    found = proportion_interval(hits, total, method="clopper-pearson")
    expected = proportion_confint(hits, total, method="beta")
    assert_same((found.low, found.high), expected, rtol=1e-7, atol=1e-12)
    single = [array.astype(np.float32) for array in (hits, total)]
    assert_nan(proportion_interval(*single, method="clopper-pearson").low, "float32")


def test_what_is_no_share_is_nan() -> None:
    for method in ("wilson", "clopper-pearson"):
        hits, total = np.array([-1.0, 3.0, 0.0, np.nan]), np.array([2.0, 2.0, 0.0, 5.0])
        found = proportion_interval(hits, total, method=method)
        assert_nan((found.estimate, found.low, found.high), method)


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="method"):
        proportion_interval(1, 2, method="wald")
    with pytest.raises(ValueError, match="total"):
        proportion_interval(1, np.array([2, 3]))
    with pytest.raises(ValueError, match="confidence_level"):
        proportion_interval(1, 2, confidence_level=95)
