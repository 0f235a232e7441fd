"""Metrics of numbers that are hard on floats, against fractions and mpmath."""

from __future__ import annotations

from fractions import Fraction

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import jmetrics
from jmetrics._core.counts import BinaryCounts
from jmetrics.classification.agreement import correlation_of_classes
from tests.adversarial import COUNTS, neighbours, weights

FEW = settings(max_examples=40, deadline=None, derandomize=True)
SIZE = 6


def root(x: Fraction) -> float:
    with mpmath.workdps(30):
        return float(mpmath.sqrt(mpmath.mpf(x.numerator) / x.denominator))


def exact(a: np.ndarray) -> list[Fraction]:
    return [Fraction(float(x)) for x in a]


def mean_square(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> Fraction:
    weight = exact(w)
    squares = (k * (a - b) ** 2 for a, b, k in zip(exact(y), exact(p), weight, strict=True))
    return sum(squares, Fraction(0)) / sum(weight)


_mcc = jax.jit(correlation_of_classes)
_rmse = jax.jit(lambda y, p, w: jmetrics.root_mean_squared_error(y, p, sample_weight=w))


@FEW
@given(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))
def test_mcc_is_that_of_the_counts(cells: tuple[int, ...]) -> None:
    tp, fp, fn, tn = cells
    pairs = ((tp, tn), (fp, fn), (fn, fp), (tn, tp))
    value = float(_mcc(BinaryCounts(*(jnp.array(pair, jnp.float32) for pair in pairs))))
    if not any(cells):
        assert np.isnan(value)
        return
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    expected = (tp * tn - fp * fn) / root(Fraction(spread)) if spread else 0
    assert -1 <= value <= 1
    assert value == pytest.approx(expected, rel=1e-6, abs=0)


@FEW
@given(neighbours(SIZE), weights(SIZE))
def test_rmse_is_that_of_the_fractions(pair: tuple[np.ndarray, np.ndarray], w: np.ndarray) -> None:
    y, p = pair
    expected = root(mean_square(y, p, w))
    assert float(_rmse(y, p, w)) == pytest.approx(expected, rel=1e-6, abs=0)


@pytest.mark.parametrize("power", [-1.0, 0.0, 1.0, 1.5, 2.0, 2.5, 3.0])
@pytest.mark.parametrize("log_mu", [-80.0, -30.0, 30.0, 80.0])
def test_tweedie_loss_far_from_0_and_near_the_mean(power: float, log_mu: float) -> None:
    loss = jax.value_and_grad(
        lambda x, y: jmetrics.losses.tweedie_loss(y[None], x[None], power=power)
    )
    with mpmath.workdps(60):
        mu, a, b = mpmath.exp(log_mu), 2 - power, 1 - power
        for ratio in (0.5, 0.9, 0.999, 1.001, 1.2, 3):
            y = np.float32(float(mu * ratio))
            exact_y = mpmath.mpf(float(y))
            sizes = abs(a * log_mu), abs(float(mpmath.log(mu**a + exact_y * mu**b)))
            if max(sizes) > 79:  # out of range
                continue
            if power == 1:
                expected = exact_y * mpmath.log(exact_y / mu) - exact_y + mu
            elif power == 2:
                expected = mpmath.log(mu / exact_y) + exact_y / mu - 1
            else:
                expected = exact_y**a / (a * b) - exact_y * mu**b / b + mu**a / a
            slope = 2 * (mu - exact_y) * mu**b
            value, found = loss(jnp.float32(log_mu), y)
            # What half a unit in the last place of y does to either.
            by_y = 1e-7 * float(abs(exact_y) * mu**b)
            assert abs(float(value) - float(2 * expected)) <= 1e-5 * float(
                2 * expected
            ) + 1e-7 * abs(float(slope))
            assert float(found) == pytest.approx(float(slope), rel=1e-5, abs=2 * by_y)
