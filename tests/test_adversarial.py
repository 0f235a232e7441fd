"""Every metric at inputs that are hard on floats, against references that do not round there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn import metrics as sk

import jmetrics
from jmetrics import curves, losses
from jmetrics._core.counts import BinaryCounts
from jmetrics.classification.agreement import correlation_of_classes
from tests import oracles
from tests.adversarial import (
    COUNTS,
    ORDERED,
    SIZE,
    Hard,
    hard,
    kind_of,
    lists,
    log_means,
    takes_whole_numbers,
    whole,
)
from tests.compare import assert_in_range
from tests.harness import sums
from tests.laws_of_range import range_of_case
from tests.mutants import rounds_before_subtracting
from tests.oracles.curves import roc_auc
from tests.oracles.exact import LINKS, reference
from tests.registry import main_cases, parameters
from tests.row import (
    COPIES,
    EXPLAINED,
    LOSS,
    PROBABILITIES,
    SUPPORT,
    TOTAL,
    Case,
    Row,
    cases_of,
    real,
    tied_scores,
)
from tests.rows.curves import SUMMARIES

FEW = settings(
    max_examples=25, deadline=None, derandomize=True, database=None, report_multiple_bugs=False
)

RTOL = 1e-6
LARGEST, LEAST = (float(x) for x in (np.finfo(np.float32).max, np.finfo(np.float32).tiny))


# --- what is expected --------------------------------------------------------------------


def wanted(case: Case, data: Hard) -> Any:
    """What the reference says, of weights near 1 where only their ratios matter."""
    y, p, w = data.y_true, data.y_pred, data.weight.astype(np.float64)
    if not {TOTAL, SUPPORT, COPIES} & case.traits and w.any():
        w /= 2.0 ** np.floor(np.log2(w.max()))
    if case.row.metric in ORDERED:  # their reference refuses infinite scores
        p = np.unique(p, return_inverse=True)[1].reshape(p.shape)
    return reference(case, y, p, w)


# Scores that are 1 less a ratio, or a difference of numbers up to 1, without the trait: an error
# of a rounding is one of that ratio, or of these numbers. Of curves, rates are subtracted.
OUT_OF_ONE = {
    *SUMMARIES,
    jmetrics.matthews_corrcoef,
    jmetrics.cohen_kappa_score,
    jmetrics.pearson_corrcoef,
    jmetrics.concordance_corrcoef,
    jmetrics.spearman_corrcoef,
    jmetrics.kendall_tau,
    jmetrics.probability.calibration_error,
    jmetrics.probability.brier_decomposition,
    losses.soft_top_k_accuracy_loss,
}


# Not near 0, a deviance is the difference of terms up to 8 times as large.
DEVIANCES = {
    jmetrics.mean_tweedie_deviance,
    jmetrics.mean_poisson_deviance,
    jmetrics.mean_gamma_deviance,
    losses.gamma_loss,
}


def size_of(case: Case, data: Hard, value: np.ndarray) -> np.ndarray:
    """What an error is relative to: the value, or the numbers of which it is a small difference."""
    if not data.weight.any():
        return np.abs(value)
    if EXPLAINED in case.traits or case.row.metric in OUT_OF_ONE:
        return np.abs(value) + 1
    if LOSS in case.traits and (PROBABILITIES in case.traits or kind_of(case) is lists):
        return np.abs(value) + 1
    if case.row.metric is jmetrics.normalized_root_mean_squared_error:
        y, w = data.y_true.astype(np.float64), data.weight  # the mean may be near 0
        return np.abs(value) * np.average(np.abs(y), weights=w) / np.abs(np.average(y, weights=w))
    if case.row.metric is jmetrics.ranking.geometric_mean_average_precision:
        return np.abs(value) * (1 + np.abs(np.log(value)))  # the exponential of a mean
    if case.row.metric in DEVIANCES:
        return 2 * np.abs(value)
    if kind_of(case) is log_means:
        return np.abs(value) + by_rounding_of_log(case, data)
    return np.abs(value)


def by_rounding_of_log(case: Case, data: Hard) -> float:
    """What a rounding of log μ, relative to 1e-6, does to a deviance: d′ δ + d″ δ² / 2."""
    y, p, w = (a.astype(np.float64) for a in data)
    mu = np.vectorize(lambda x: float(LINKS[case.options.get("link", "log")](x)))(p)
    delta = 1 + np.abs(np.log(mu))
    power = {losses.poisson_loss: 1, losses.inverse_gaussian_loss: 3}.get(case.row.metric, 1.5)
    slope, bend = 2 * np.abs(mu - y) * mu ** (1 - power), mu ** (2 - power)
    return np.average(slope * delta + RTOL * bend * delta**2, weights=w)


def assert_near(case: Case, data: Hard, actual: Any, expected: Any) -> None:
    actual, expected = (jax.tree.leaves(a) for a in (actual, expected))
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        a, e = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(e, np.float64))
        with np.errstate(invalid="ignore"):
            off = np.abs(a - e) > RTOL * size_of(case, data, e) + SIZE * LEAST
        # A mean in range is the quotient of a sum that need not be; beyond, ∞ − ∞ is NaN.
        lost = np.isnan(a) & (np.abs(e) > LARGEST) & np.isfinite(e)
        beyond = (np.abs(e) * 4 * SIZE > LARGEST) & (a == np.copysign(np.inf, e)) | lost
        same = (a == e) | (np.isnan(a) & np.isnan(e)) | beyond
        wrong = ~same & (off | ~np.isfinite(a) | ~np.isfinite(e))
        assert not np.any(wrong), f"{a}, expected {e}, of {data}"


@functools.cache
def compiled(case: Case) -> Callable[..., Any]:
    return jax.jit(lambda y_true, y_pred, w: case(y_true, y_pred, sample_weight=w))


def assert_right(case: Case, data: Hard) -> None:
    value = compiled(case)(*data)
    if data.weight.any():
        assert_near(case, data, value, wanted(case, data))
    else:
        is_zero = [s or LOSS in case.traits for s in jax.tree.leaves(sums(case, value))]
        assert_near(case, data, value, [0.0 if zero else np.nan for zero in is_zero])
    assert_in_range(value, range_of_case(case))


# --- every row ---------------------------------------------------------------------------


def check(case: Case, inputs: st.SearchStrategy[Hard]) -> None:
    @FEW
    @given(inputs)
    def right(data: Hard) -> None:
        assert_right(case, data)

    right()
    compiled.cache_clear()


@pytest.mark.parametrize("case", parameters(main_cases()))
def test_hard_numbers(case: Case) -> None:
    check(case, hard(case))


@pytest.mark.parametrize("case", parameters(filter(takes_whole_numbers, main_cases())))
def test_whole_numbers_next_to_each_other(case: Case) -> None:
    check(case, whole(case))


FOUND = {
    "ndcg_score": Hard(
        np.full((SIZE, 4), 3, np.int32),
        np.tile(np.array([0.25, 0, 0, 0], np.float32), (SIZE, 1)),
        np.ones(SIZE, np.float32),
    ),
    "lovasz_hinge_loss": Hard(
        np.array([0, 1, 1, 1, 1, 1, 1], np.int32),
        (2**20 + np.array([-1, 4, -2, -30, -88, 12, 0]) / 2).astype(np.float32),
        np.array([1, 1, 1, 1e6, 1, 1, 1], np.float32),
    ),
}
"""What few draws rarely hit."""


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    assert_right(next(case for case in main_cases() if case.name.startswith(name)), FOUND[name])


# --- what is wrong at such inputs --------------------------------------------------------


def squares_without_a_unit(y_true, y_pred, *, sample_weight=None, where=None):
    return jnp.sqrt(jmetrics.mean_squared_error(y_true, y_pred, sample_weight=sample_weight))


def rounds_weights_away(y_true, y_pred, *, sample_weight=None, where=None):
    """Adds what keeps it from dividing by 0."""
    total = jnp.sum(sample_weight * jnp.abs(y_true - y_pred))
    return total / (jnp.sum(sample_weight) + 1e-12)


def ties_what_is_near(y_true, y_score, *, sample_weight=None, where=None):
    return curves.roc_auc_score(y_true, jnp.round(y_score, 6), sample_weight=sample_weight)


def answers_without_a_class(y_true, y_score, *, sample_weight=None, where=None):
    value = curves.roc_auc_score(y_true, y_score, sample_weight=sample_weight)
    return jnp.where(jnp.isnan(value) & jnp.any(sample_weight > 0), 0.5, value)


def explains_by_mean_squares(y_true, y_pred, *, sample_weight=None, where=None):
    weight = sample_weight / jnp.max(sample_weight)
    first, second = (jnp.sum(weight * a) / jnp.sum(weight) for a in (y_true, y_true * y_true))
    error = jmetrics.mean_squared_error(y_true, y_pred, sample_weight=weight)
    return 1 - error / (second - first * first)


def root_of_sklearn(y_true, y_pred, sample_weight=None):
    return oracles.from_sklearn(sk.root_mean_squared_error)(y_true, y_pred, sample_weight)


MUTANTS = {
    squares_without_a_unit: (real, root_of_sklearn, hard, 1),
    rounds_weights_away: (real, oracles.from_sklearn(sk.mean_absolute_error), hard, 1),
    ties_what_is_near: (tied_scores, roc_auc, hard, None),
    answers_without_a_class: (tied_scores, roc_auc, hard, None),
    explains_by_mean_squares: (real, oracles.explained(sk.r2_score, at_least=2), hard, 0),
    rounds_before_subtracting: (real, oracles.from_sklearn(sk.mean_squared_error), whole, 2),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_rejects(mutant: Callable[..., Any]) -> None:
    make, oracle, inputs, degree = MUTANTS[mutant]
    (case,) = cases_of(Row(metric=mutant, make=make, oracle=oracle, degree=degree))
    with pytest.raises(AssertionError):
        check(case, inputs(case))


# --- counts and powers -------------------------------------------------------------------

_mcc = jax.jit(correlation_of_classes)


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
    expected = (tp * tn - fp * fn) / float(mpmath.sqrt(spread)) if spread else 0
    assert -1 <= value <= 1
    assert value == pytest.approx(expected, rel=1e-6, abs=0)


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
