"""What may be handed in: containers, large integers, float64 without x64, thresholds."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

import jmetrics
from jmetrics import inference, losses
from jmetrics._core import check
from jmetrics._core.numerics import Whole

MOST = 2**31 - 1


@pytest.mark.parametrize(
    "missing",
    [
        [1, None],
        pd.Series([1, None]),
        pd.Series([1, None], dtype="Int64"),
        np.array([1, None]),
        np.ma.array([1, 2], mask=[False, True]),
    ],
)
def test_what_is_missing_is_no_number(missing: Any) -> None:
    np.testing.assert_array_equal(check.array("y_true", missing), [1, np.nan])
    with pytest.raises(TypeError, match="`where` must be a boolean array"):
        jmetrics.accuracy_score([1, 0], [1, 1], where=missing)


@pytest.mark.parametrize(
    "value",
    [
        "a",
        ["a"],
        {1},
        object(),
        [[1], [1, 2]],
        pd.Series(["1"]),
        np.array(["2020"], "M8[D]"),
        [b"1"],
    ],
)
def test_what_is_no_number_is_named(value: Any) -> None:
    with pytest.raises(TypeError, match="`y_true` must be an array of numbers"):
        jmetrics.accuracy_score(value, [1])


@pytest.mark.parametrize(
    "large", [[2**31], np.array([2**63]), [2**64], pd.Series([-(2**40)]), 2**70]
)
def test_no_integer_wraps_round(large: Any) -> None:
    with pytest.raises(ValueError, match="`y_true` holds integers beyond"):
        jmetrics.accuracy_score(large, [1])


def test_traced_numbers_in_a_list() -> None:
    error = jax.jit(lambda a, b: jmetrics.mean_absolute_error([a, b], [0, 0]))
    assert error(1.0, 2.0) == 1.5


def test_other_byte_orders_and_widths() -> None:
    for dtype in (">i8", ">f4", np.longdouble, np.int8):
        np.testing.assert_array_equal(check.array("y", np.array([1, 2], dtype)), [1, 2])


def test_options_in_any_container() -> None:
    y_true, y_pred = np.float32([1, 2, 3]), np.float32([[0, 2], [1, 3], [2, 4]])
    expected = jmetrics.mean_pinball_loss(y_true, y_pred, alpha=[0.25, 0.75])
    for alpha in (
        np.array([0.25, 0.75]),
        pd.Series([0.25, 0.75]),
        memoryview(np.array([0.25, 0.75])),
    ):
        assert jmetrics.mean_pinball_loss(y_true, y_pred, alpha=alpha) == expected
    error = inference.standard_error(jmetrics.mean_pinball_loss)
    assert np.isfinite(error(y_true, y_pred, alpha=pd.Series([0.25, 0.75])))


# --- float64 without x64 ------------------------------------------------------------------


def test_whole_numbers_of_float64_are_kept() -> None:
    assert jmetrics.accuracy_score([16777217.0], [16777216.0]) == 0
    assert jmetrics.mean_absolute_error([float(MOST)], [float(MOST - 1)]) == 1
    assert check.array("y", [2.0**30, 1.0]).dtype == jnp.float32


@pytest.mark.parametrize(
    "lost", [[1e9 + 0.1, 1e9 + 0.2], [1e6 + 0.1, 1e6 + 0.2], [1.65e12, 1.65e12 + 1], [1e-50, 2e-50]]
)
def test_float64_that_float32_merges_is_refused(lost: list[float]) -> None:
    with pytest.raises(ValueError, match=r"`y_true` holds float64 .* subtract an offset"):
        jmetrics.mean_absolute_error(lost, [0.0, 1.0])
    offset = np.subtract(lost, lost[0])
    assert jmetrics.mean_absolute_error(offset * 1e20, [0.0, 0.0]) > 0
    with jax.enable_x64(True):
        error = jmetrics.mean_absolute_error(lost, lost[::-1])
        np.testing.assert_allclose(error, lost[1] - lost[0], rtol=1e-12)


@pytest.mark.parametrize(
    "ordinary",
    [
        [0.1, 0.1],
        [0.3, 0.1 + 0.2],
        [1e12, 2e12, 3e12],
        [1000.1, 1000.2],
        [20_123_456.78, 20_123_499.5],
        [1 - 1e-9, 1 - 1e-10],
        [np.nan, np.nan],
        [],
    ],
)
def test_other_float64_is_rounded(ordinary: list[float]) -> None:
    np.testing.assert_array_equal(check.array("y", ordinary), np.array(ordinary, np.float32))


def test_weights_may_be_alike() -> None:
    weight = [1e9 + 0.1, 1e9 + 0.2]
    assert jmetrics.mean_absolute_error([1.0, 2.0], [0.0, 0.0], sample_weight=weight) == 1.5


# --- differences --------------------------------------------------------------------------

EXTREME = np.array(
    [0, 1, -1, 255, 2**24 + 1, -(2**24) - 1, MOST, MOST - 1, -(2**31), 1_650_000_001]
)


@pytest.mark.parametrize("other", [np.int32, np.float32])
def test_differences_are_exact(other: type) -> None:
    """Every pair, against fractions: within two roundings."""
    a, b = np.repeat(EXTREME, len(EXTREME)), np.tile(EXTREME, len(EXTREME))
    first, second = jnp.asarray(a.astype(np.int32)), jnp.asarray(b.astype(other))
    exact = [
        Fraction(int(x)) - Fraction(float(y)) for x, y in zip(a, np.asarray(second), strict=True)
    ]
    split, rest = (Whole.of(x, jnp.float32) for x in (first, second))
    for found, sign in ((split - rest, 1), (rest - split, -1)):
        np.testing.assert_allclose(found, [sign * float(e) for e in exact], rtol=2**-22, atol=0)
    assert list(np.asarray(split <= rest)) == [e <= 0 for e in exact]


def test_differences_of_unsigned_and_of_64_bits() -> None:
    large = jnp.array([2**32 - 1, 5], jnp.uint32)
    assert jmetrics.mean_absolute_error(large, jnp.array([2**32 - 2, 4], jnp.uint32)) == 1
    with jax.enable_x64(True):
        y = jnp.array([2**60 + 1, 2**62 + 3])
        assert jmetrics.mean_absolute_error(y, y - 1) == 1


def test_a_training_series_of_time_stamps() -> None:
    y = 1_650_000_000 + np.array([0, 1, 3, 4], np.int32)
    error = jmetrics.mean_absolute_scaled_error(y, y + 1, y_train=y)
    np.testing.assert_allclose(error, 3 / 4, rtol=1e-6)


def test_the_range_of_time_stamps_in_batches() -> None:
    y = 1_650_000_000 + np.array([0, 1, 3, 4], np.int32)
    metric = jmetrics.normalized_root_mean_squared_error
    stream = jmetrics.streaming.stream(metric, normalization="range")
    state = stream.update(stream.update(stream.init(), y[:2], y[:2] + 2), y[2:], y[2:] + 2)
    np.testing.assert_allclose(stream.compute(state), 2 / 4, rtol=1e-6)


def test_constant_batches_of_large_integers() -> None:
    y = 2**24 + np.array([0, 1], np.int32)
    stream = jmetrics.streaming.stream(jmetrics.r2_score)
    state = stream.update(stream.update(stream.init(), y[:1], y[1:]), y[1:], y[:1])
    np.testing.assert_allclose(stream.compute(state), -3, rtol=1e-6)


def test_an_area_over_time_stamps() -> None:
    x = 1_650_000_000 + np.array([0, 1, 3], np.int32)
    assert jmetrics.auc(x, [1.0, 1.0, 2.0]) == 4


def test_scores_that_are_large_integers() -> None:
    y, score = [0, 1, 0, 1], np.array([2, 3, 4, 5], np.int32)
    for loss in (losses.auc_loss, losses.average_precision_loss):
        expected = loss(y, score.astype(np.float32))
        np.testing.assert_allclose(loss(y, score + 2**30), expected, rtol=1e-6)


# --- thresholds ---------------------------------------------------------------------------


@pytest.mark.parametrize("beside", [jnp.float32, jnp.float64])
def test_thresholds_are_rounded_as_the_labels(beside: Any) -> None:
    with jax.enable_x64(True):
        y = jnp.array([[0.1, 0.7, 0.2]], jnp.float32)
        score = jnp.array([[1, 3, 2]], beside)
        assert jmetrics.precision_at_k(y, score, k=2, relevance_threshold=0.7) == 0.5
        assert losses.approx_mrr_loss(y, score, relevance_threshold=0.7) < 0.1


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.float32])
def test_bins_are_those_of_the_probabilities(dtype: Any) -> None:
    proba = jnp.asarray(np.arange(1, 10) / 10, dtype)
    y = np.arange(9) % 2
    expected = jmetrics.calibration_curve(y, proba.astype(jnp.float32), n_bins=10).weight
    with jax.enable_x64(True):
        for weight in (None, np.ones(9), np.ones(9, np.float32)):
            found = jmetrics.calibration_curve(y, proba, n_bins=10, sample_weight=weight).weight
            np.testing.assert_array_equal(found, expected)


# --- quantiles and their levels -----------------------------------------------------------


def test_a_level_beyond_1_by_an_ulp() -> None:
    above = float(np.nextafter(np.float32(1), np.float32(2)))
    for score in (jmetrics.crps_quantiles, losses.crps_loss):
        expected = score([1.0], [[0.5, 1.5]], alpha=[0.5, 1.0])
        assert score([1.0], [[0.5, 1.5]], alpha=[0.5, above]) == expected
        for alpha in ([0.5, 1.00001], [-0.00001, 0.5], [0.5, 0.49999]):
            assert np.isnan(score([1.0], [[0.5, 1.5]], alpha=alpha))


def test_ends_that_cross_by_rounding() -> None:
    low = np.float32(0.1) + np.float32(0.2)
    high = np.nextafter(low, np.float32(0))
    assert low > high
    equal = jmetrics.interval_score([0.5], [[high, high]])
    np.testing.assert_allclose(jmetrics.interval_score([0.5], [[low, high]]), equal, rtol=1e-6)
    assert np.isnan(jmetrics.interval_score([0.5], [[0.3001, 0.3]]))
    stamps = np.array([[1_650_000_001, 1_650_000_000]], np.int32)
    assert np.isnan(jmetrics.interval_score(stamps[:, 0], stamps))
