"""Calibration: bins, errors, curves and the parts of the Brier score."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve as sklearn_curve

from jmetrics import probability as pr
from jmetrics.probability import calibration
from jmetrics.probability.calibration import error_of
from tests.compare import assert_same

N, K = 40, 4

equal_width = jax.jit(calibration.equal_width, static_argnums=1)
equal_mass = jax.jit(calibration.equal_mass, static_argnums=2)
bin_sums = jax.jit(calibration.bin_sums, static_argnums=4)


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(3)
    y = np.append(np.arange(K), rng.integers(0, K, N - K))
    p = rng.gamma(1, size=(N, K)) + np.eye(K)[y]
    return y, p / p.sum(axis=1, keepdims=True), rng.integers(0, 9, N) / 4


CONFIDENCE, HAPPENED = [0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1]


@pytest.mark.parametrize(("norm", "expected"), [("l1", 0.29), ("max", 0.316667), ("l2", 0.291833)])
def test_calibration_errors_of_two_bins(norm: str, expected: float) -> None:
    value = pr.calibration_error(HAPPENED, CONFIDENCE, norm=norm, n_bins=2)
    assert float(value) == pytest.approx(expected, abs=1e-6)


def test_confidence_1_is_in_the_last_bin() -> None:
    assert float(pr.calibration_error([1, 0], [0.95, 1.0], n_bins=10)) == pytest.approx(0.475)


@pytest.mark.parametrize("n_bins", [1, 2, 7, 10, 15, 100])
def test_bins_hold_their_lower_edge(n_bins: int) -> None:
    edges = (np.arange(n_bins) / n_bins).astype(np.float32)
    below = np.nextafter(edges[1:], np.float32(0))
    assert_same(equal_width(jnp.asarray(edges), n_bins), np.arange(n_bins))
    assert_same(equal_width(jnp.asarray(below), n_bins), np.arange(n_bins - 1))
    assert_same(equal_width(jnp.ones(1), n_bins), np.array([n_bins - 1]))
    many = np.random.default_rng(0).random(20_000, np.float32)
    expected = np.searchsorted(edges[1:], many, side="right")
    assert_same(equal_width(jnp.asarray(many), n_bins), expected)


def test_bins_of_equal_mass() -> None:
    confidence = jnp.asarray(np.random.default_rng(0).permutation(100) / 128)
    ones = jnp.ones(100, jnp.int32)
    for weight in (ones, ones.astype(jnp.float32), 3.7 * ones.astype(jnp.float32)):
        bins = equal_mass(confidence, weight, 5)
        assert_same(bins, np.floor(np.asarray(confidence) * 128 / 20))
    assert_same(equal_mass(jnp.full(100, 0.5), ones, 5), np.full(100, 2))  # ties stay together
    few = equal_mass(jnp.array([0.1, 0.2, 0.9]), jnp.ones(3, jnp.int32), 5)
    assert_same(few, np.array([0, 2, 4]))


def test_an_integer_weight_makes_the_same_bins_as_copies() -> None:
    rng = np.random.default_rng(1)
    confidence, counts = np.round(rng.random(30), 1).astype(np.float32), rng.integers(1, 9, 30)
    weight = jnp.asarray(counts, jnp.float32)
    copies = jnp.asarray(np.repeat(confidence, counts))
    for n_bins in (2, 3, 8):
        bins = equal_mass(jnp.asarray(confidence), weight, n_bins)
        repeated = equal_mass(copies, jnp.ones(len(copies), jnp.int32), n_bins)
        assert_same(np.repeat(np.asarray(bins), counts), repeated)


def test_top_label_and_classwise_errors(classes) -> None:
    y, p, weight = classes
    top = pr.calibration_error(y, p, sample_weight=weight, n_bins=5)
    hit = (np.argmax(p, axis=1) == y).astype(int)
    assert_same(top, pr.calibration_error(hit, p.max(axis=1), sample_weight=weight, n_bins=5))
    for norm in ("l1", "l2", "max"):
        each = [
            pr.calibration_error(y == k, p[:, k], sample_weight=weight, n_bins=5, norm=norm)
            for k in range(K)
        ]
        whole = pr.calibration_error(
            y, p, sample_weight=weight, n_bins=5, norm=norm, multi_class="classwise"
        )
        assert_same(whole, np.mean(each))


def test_the_first_of_equal_classes_is_predicted() -> None:
    p = np.array([[0.4, 0.4, 0.2]] * 2, np.float32)
    assert float(pr.calibration_error([0, 0], p)) == pytest.approx(0.6)
    assert float(pr.calibration_error([1, 1], p)) == pytest.approx(0.4)


def test_debiased_error_takes_off_the_noise() -> None:
    """Over all outcomes of a fair coin, the debiased square of a bin is 0 on average."""
    n, confidence = 6, jnp.full(6, 0.5)
    outcomes = (np.arange(2**n)[:, None] >> np.arange(n)) & 1

    def terms(y):
        sums = bin_sums(jnp.zeros(n, jnp.int32), confidence, y == 1, jnp.ones(n, jnp.int32), 1)
        mean = sums.gap[0] / n
        noise = sums.hits[0] * sums.misses[0] / (n * n * (n - 1))
        return mean**2 - noise, error_of(sums, "l2", debiased=True)

    squares, errors = jax.vmap(terms)(jnp.asarray(outcomes))
    assert float(jnp.mean(squares)) == pytest.approx(0, abs=1e-7)
    np.testing.assert_allclose(errors, np.sqrt(np.maximum(squares, 0)), rtol=1e-4, atol=1e-4)


def test_debiased_error_leaves_out_bins_of_one_sample() -> None:
    y, p = [0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.9, 0.9]
    value = pr.calibration_error(y, p, norm="l2", n_bins=4, debiased=True)
    assert float(value) == pytest.approx(np.sqrt((2 * 0.0625 + 2 * 0.01) / 5))
    assert float(pr.calibration_error([1], [0.5], norm="l2", debiased=True)) == 0
    with pytest.raises(ValueError, match="`debiased` needs `norm='l2'`"):
        pr.calibration_error(y, p, debiased=True)


def test_parts_of_the_data_add_up(classes) -> None:
    _, p, weight = classes
    hit, confidence = jnp.asarray(p[:, 1] > 0.3), jnp.asarray(p[:, 0], jnp.float32)
    bins, weight = equal_width(confidence, 5), jnp.asarray(weight, jnp.float32)
    arrays = (bins, confidence, hit, weight)
    halves = [bin_sums(*(a[part] for a in arrays), 5) for part in (slice(0, 15), slice(15, N))]
    assert_same(jax.tree.map(jnp.add, *halves), bin_sums(*arrays, 5))


def test_small_calibration_errors_are_exact_for_many_samples() -> None:
    """Well calibrated: sums over bins of 1e5 differ by hundreds only."""
    rng = np.random.default_rng(5)
    n = 1_000_000
    p = rng.random(n, np.float32)
    y = rng.random(n) < p
    bins = np.searchsorted((np.arange(1, 15) / 15).astype(np.float32), p, side="right")
    weight = rng.integers(1, 9, n) / np.float32(8)
    for w in (None, weight):
        gap = np.bincount(bins, (y - p.astype(np.float64)) * (1 if w is None else w), 15)
        total = n if w is None else w.sum(dtype=np.float64)
        value = pr.calibration_error(y, p, sample_weight=w)
        np.testing.assert_allclose(value, np.abs(gap).sum() / total, rtol=1e-5)
        assert float(value) < 5e-3


def test_curve_agrees_with_scikit_learn(classes) -> None:
    y, p, _ = classes
    y, p = y % 2, p[:, 1]
    true, pred = sklearn_curve(y, p, n_bins=7)
    curve = pr.calibration_curve(y, p, n_bins=7)
    on = np.asarray(curve.weight) > 0
    assert_same([curve.prob_true[on], curve.prob_pred[on]], [true, pred])
    assert np.all(np.isnan(curve.prob_true[~on])) and np.all(np.isnan(curve.prob_pred[~on]))
    assert curve.weight.dtype == jnp.int32 and int(curve.weight.sum()) == N
    mass = pr.calibration_curve(y, p, n_bins=4, strategy="quantile").weight
    assert_same(mass, np.full(4, N // 4))


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_counts_stay_counts_beside_64_bits(strategy: str, classes) -> None:
    y, p, _ = classes
    for dtype in (np.float32, np.float64):
        curve = pr.calibration_curve(y, p.astype(dtype), strategy=strategy)
        assert curve.prob_true.dtype == dtype and curve.weight.dtype == jnp.int32


def test_curve_of_nothing_and_of_what_is_no_probability() -> None:
    empty = pr.calibration_curve(np.zeros(0, int), np.zeros(0, np.float32))
    assert_same(empty, (np.full(5, np.nan),) * 2 + (np.zeros(5),))
    masked = pr.calibration_curve([1, 5], [0.5, 7], where=np.zeros(2, bool), strategy="quantile")
    assert_same(masked, empty)
    wrong = pr.calibration_curve([1, 0], [0.5, 7])
    assert np.all(np.isnan(wrong.prob_true)) and np.all(np.isnan(wrong.prob_pred))


def test_brier_score_is_the_sum_of_its_parts(classes) -> None:
    y, p, weight = classes
    y, p = y % 2, np.floor(p[:, 1] * 8) / 8  # one value a bin
    parts = pr.brier_decomposition(y, p, n_bins=8, sample_weight=weight)
    whole = parts.reliability - parts.resolution + parts.uncertainty
    assert_same(whole, sk.brier_score_loss(y, p, sample_weight=weight))


def test_a_small_resolution_is_exact_for_many_samples() -> None:
    rng = np.random.default_rng(6)
    n = 1_000_000
    p = np.where(np.arange(n) % 2, 0.49, 0.51).astype(np.float32)
    y = rng.random(n) < p
    weight = rng.integers(1, 9, n) / np.float32(8)
    for w in (None, weight):
        each = np.ones(n) if w is None else w.astype(np.float64)
        overall = np.average(y, weights=each)
        terms = [
            each[p == v].sum() * (np.average(y[p == v], weights=each[p == v]) - overall) ** 2
            for v in np.unique(p)
        ]
        parts = pr.brier_decomposition(y, p, n_bins=2, sample_weight=w)
        np.testing.assert_allclose(parts.resolution, sum(terms) / each.sum(), rtol=2e-6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pr.calibration_error([0], [0.5], norm="l3"), "`norm` must be one of"),
        (lambda: pr.calibration_error([0], [0.5], strategy="mass"), "`strategy` must be one of"),
        (lambda: pr.calibration_error([0], [0.5], multi_class="ovr"), "`multi_class` must be"),
        (lambda: pr.calibration_curve([0], [0.5], n_bins=0), "`n_bins` must be at least 1"),
        (lambda: pr.brier_decomposition([0], [[0.5, 0.5]]), "arrays of one shape"),
    ],
)
def test_mistakes_are_named(call, text: str) -> None:
    with pytest.raises(ValueError) as error:
        call()
    assert text in str(error.value)
