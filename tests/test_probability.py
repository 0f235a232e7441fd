"""Metrics of probabilities and distributions beyond the laws: peers, integrals, edges."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from scipy import integrate, stats
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve as sklearn_curve

import jmetrics
from jmetrics import probability as pr
from jmetrics.probability.calibration import bin_sums, equal_mass, equal_width, error_of
from tests.compare import assert_same

N, K = 40, 4


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(3)
    y = np.append(np.arange(K), rng.integers(0, K, N - K))
    p = rng.gamma(1, size=(N, K)) + np.eye(K)[y]
    return y, p / p.sum(axis=1, keepdims=True), rng.integers(0, 9, N) / 4


# --- labels and probabilities ------------------------------------------------------------


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("columns", [1, 2, K])
@pytest.mark.parametrize("name", ["log_loss", "brier_score_loss", "d2_log_loss_score"])
def test_agrees_with_scikit_learn(name: str, columns: int, classes) -> None:
    y, p, weight = classes
    if columns < K:
        y, p = y % 2, p[:, :2] / p[:, :2].sum(axis=1, keepdims=True)
    p = p[:, 1] if columns == 1 else p
    for w in (None, weight):
        ours = getattr(pr, name)(y, p, sample_weight=w)
        np.testing.assert_allclose(ours, getattr(sk, name)(y, p, sample_weight=w), rtol=1e-12)
    ours = pr.d2_brier_score(y, p, sample_weight=weight)
    np.testing.assert_allclose(ours, sk.d2_brier_score(y, p, sample_weight=weight), rtol=1e-12)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("scale_by_half", [True, False, "auto"])
def test_brier_scales_as_scikit_learn(scale_by_half, classes) -> None:
    y, p, _ = classes
    for truth, proba in ((y, p), (y % 2, p[:, 1])):
        ours = pr.brier_score_loss(truth, proba, scale_by_half=scale_by_half)
        peer = sk.brier_score_loss(truth, proba, scale_by_half=scale_by_half)
        np.testing.assert_allclose(ours, peer, rtol=1e-12)


def test_log_loss_clips_at_the_precision_of_the_input() -> None:
    for dtype, expected in ((np.float16, 6.9315), (np.float32, 15.9424)):
        for y, p in (([1], [0]), ([0], [1]), ([2], [[0.5, 0.5, 0]])):
            assert float(pr.log_loss(y, np.array(p, dtype))) == pytest.approx(expected, abs=1e-4)
    with jax.enable_x64(True):
        assert float(pr.log_loss([1], np.zeros(1))) == pytest.approx(36.0437, abs=1e-4)


SCORES = (pr.d2_log_loss_score, pr.d2_brier_score)
OF_CLASSES = (
    pr.log_loss,
    pr.brier_score_loss,
    pr.ranked_probability_score,
    pr.normalized_entropy,
    pr.calibration_error,
    *SCORES,
)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_d2_of_one_class_is_a_rule(score, dtype) -> None:
    sure = np.array([0, 0, 0], dtype)
    doubt = np.array([0, 2 * np.finfo(dtype).eps, 0], dtype)
    assert float(score([0, 0, 0], sure)) == 1
    assert float(score([0, 0, 0], doubt)) == 0
    assert float(score([1, 1, 1], sure)) == 0
    assert float(score([1, 1, 1], 1 - sure)) == 1
    columns = np.stack([sure, sure, 1 - sure], axis=1)
    assert float(score([2, 2, 2], columns)) == 1
    assert float(score([0, 2, 2], columns, sample_weight=[0, 1, 2])) == 1
    assert float(score([0, 2, 2], columns, where=np.array([False, True, True]))) == 1
    slope = jax.grad(lambda p, w: score([1, 1, 1], p, sample_weight=w), argnums=(0, 1))
    assert_same(slope(np.ones(3, np.float32) / 2, np.ones(3, np.float32)), (np.zeros(3),) * 2)


@pytest.mark.parametrize("score", SCORES)
def test_d2_needs_two_samples(score) -> None:
    assert np.isnan(score([1], [0.5]))
    assert np.isnan(score([1, 0], [0.5, 0.5], sample_weight=[3.0, 0.0]))
    assert np.isnan(score([1, 1], [0.5, np.nan]))


@pytest.mark.parametrize("metric", OF_CLASSES)
@pytest.mark.parametrize("label", [-1, 3, 0.5, np.nan, 2.0**40])
def test_a_label_that_is_no_class_is_nan(metric, label) -> None:
    y = np.array([0, 1, 2, label], np.float32)
    p = np.array([[0.5, 0.25, 0.25]] * 4, np.float32)
    assert np.isnan(metric(y, p))
    with pytest.raises(ValueError, match="`y_true` must be whole numbers from 0 to 2"):
        jmetrics.checked(metric)(y, p)
    kept = metric(y[:3], p[:3])
    assert_same(metric(y, p, where=np.arange(4) < 3), kept)
    assert_same(metric(y, p, sample_weight=[1, 1, 1, 0]), kept)


@pytest.mark.parametrize("metric", OF_CLASSES)
@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, np.inf])
def test_a_probability_outside_is_nan_wherever_it_is(metric, bad) -> None:
    for column in range(3):
        p = np.array([[0.5, 0.25, 0.25]] * 4, np.float32)
        p[3, column] = bad
        assert np.isnan(metric([0, 1, 2, 0], p))
        with pytest.raises(ValueError, match="`y_proba` must be probabilities"):
            jmetrics.checked(metric)([0, 1, 2, 0], p)
        kept = metric([0, 1, 2, 0], p, sample_weight=[2, 1, 1, 0])
        assert_same(kept, metric([0, 1, 2], p[:3], sample_weight=[2, 1, 1]))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint32, np.float16, np.bool_])
def test_labels_of_any_dtype(dtype) -> None:
    p = np.full((4, 300), 1 / 300, np.float32)
    p[:, 1] = 0.25
    expected = -(np.log(0.25) * 2 + np.log(1 / 300) * 2) / 4
    assert_same(pr.log_loss(np.array([0, 1, 1, 0], dtype), p), expected)


@pytest.mark.parametrize("metric", OF_CLASSES)
def test_certain_predictions_have_finite_gradients(metric) -> None:
    y, p = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1], np.float32)
    for proba in (p, np.stack([1 - p, p, 0 * p], axis=1)):
        slopes = jax.grad(lambda p, w: metric(y, p, sample_weight=w), argnums=(0, 1))
        for slope in slopes(jnp.asarray(proba), jnp.ones(4)):
            assert np.all(np.isfinite(slope))


def test_rows_need_not_sum_to_one() -> None:
    p = np.array([[0.9, 0.3, 0.3], [0.1, 0.2, 0.3]], np.float32)
    assert_same(pr.log_loss([0, 2], p), -(np.log(0.9) + np.log(0.3)) / 2)
    assert_same(pr.brier_score_loss([0, 2], p), (0.01 + 0.09 * 2 + 0.01 + 0.04 + 0.49) / 2)
    assert_same(pr.ranked_probability_score([0, 2], p), (0.01 + 0.04 + 0.01 + 0.09) / 2)


# --- logits ------------------------------------------------------------------------------


def exact_softmax_loss(label: int, logits) -> mpmath.mpf:
    with mpmath.workdps(60):
        z = [mpmath.mpf(float(v)) for v in logits]
        return mpmath.log(mpmath.fsum(mpmath.exp(v - z[label]) for v in z))


@pytest.mark.parametrize(
    "logits",
    [
        [0, 0, 0],
        [20, 0, 1],
        [90, 0, -90],
        [-300, 1000, 0],
        [1e-3, 0, 1],
        [5, 5, 5 + 1e-6],
        [0, 17, 17],
        [-np.inf, 3, 1],
    ],
)
def test_softmax_losses_keep_all_digits(logits) -> None:
    logits = np.array(logits, np.float32)
    for label in range(3):
        loss = float(pr.log_loss_from_logits([label], logits[None]))
        if logits[label] == -np.inf:
            assert loss == np.inf
        else:
            expected = exact_softmax_loss(label, logits)
            assert loss == pytest.approx(float(expected), rel=5e-7, abs=1e-37)


@pytest.mark.parametrize("z", [0, 1e-4, 3, -3, 40, -40, 1e4, -1e4, np.inf, -np.inf])
def test_sigmoid_losses_keep_all_digits(z) -> None:
    for label in (0, 1):
        loss = float(pr.log_loss_from_logits([label], np.array([z], np.float32)))
        signed = float(np.float32(z)) * (1 - 2 * label)
        with mpmath.workdps(60):
            expected = float(mpmath.log(1 + mpmath.exp(min(signed, 1e5))))
        assert loss == pytest.approx(np.inf if signed == np.inf else expected, rel=5e-7, abs=1e-37)


def test_gradient_of_logits_is_probability_less_truth() -> None:
    z = jnp.array([[20.0, 0, 1], [3, 3, -np.inf], [1, 200, 3]])
    y = jnp.array([0, 1, 0])
    gradient = jax.grad(lambda z: pr.log_loss_from_logits(y, z, normalize=False))(z)
    np.testing.assert_allclose(gradient, jax.nn.softmax(z) - np.eye(3)[y], atol=2e-7)
    flat = jax.grad(lambda z: pr.log_loss_from_logits([1, 0], z, normalize=False))(z[0, :2])
    np.testing.assert_allclose(flat, [-jax.nn.sigmoid(-20.0), 0.5], rtol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_logits_without_a_softmax_are_nan(bad) -> None:
    z = np.array([[0.0, 1, 2], [0, bad, 0]], np.float32)
    assert np.isnan(pr.log_loss_from_logits([0, 1], z))
    assert np.isnan(pr.log_loss_from_logits([0], np.full((1, 3), -np.inf, np.float32)))
    assert np.isfinite(pr.log_loss_from_logits([0, 1], z, sample_weight=[1, 0]))
    with pytest.raises(ValueError, match="largest of each row"):
        jmetrics.checked(pr.log_loss_from_logits)([0, 1], z)


# --- relative to the frequencies ---------------------------------------------------------


def test_normalized_entropy_is_exact_for_a_rare_class() -> None:
    n, rare = 1_000_000, 7
    y = np.arange(n) < rare
    p = np.where(y, np.float32(0.25), np.float32(1e-3))
    f = rare / n
    entropy = -f * np.log(f) - (1 - f) * np.log1p(-f)
    loss = -f * np.log(0.25) - (1 - f) * np.log1p(-float(np.float32(1e-3)))
    np.testing.assert_allclose(pr.normalized_entropy(y, p), loss / entropy, rtol=1e-6)
    weight = np.ones(n, np.float32)
    slow = pr.normalized_entropy(y, p, sample_weight=weight)
    np.testing.assert_allclose(slow, loss / entropy, rtol=1e-6)


def test_entropy_of_balanced_classes_has_the_slope_of_its_formula() -> None:
    def value(w):
        return pr.normalized_entropy([0, 1], [0.25, 0.5], sample_weight=w)

    with jax.enable_x64(True):
        w, h = np.ones(2), 1e-6
        slope = [(value(w + h * e) - value(w - h * e)) / (2 * h) for e in np.eye(2)]
        np.testing.assert_allclose(jax.grad(value)(w), slope, rtol=1e-6)


def test_normalized_entropy_needs_two_classes() -> None:
    assert np.isnan(pr.normalized_entropy([1, 1], [0.5, 0.5]))
    assert np.isnan(pr.normalized_entropy([1, 0], [0.5, 0.5], sample_weight=[1, 0]))
    assert float(pr.normalized_entropy([1, 0], [0.5, 0.5])) == pytest.approx(1)


# --- ordered classes ---------------------------------------------------------------------


def test_ranked_probability_is_the_sum_of_brier_scores(classes) -> None:
    y, p, weight = classes
    at_most = np.cumsum(p, axis=1)
    expected = sum(
        sk.brier_score_loss(y <= k, np.clip(at_most[:, k], 0, 1), sample_weight=weight)
        for k in range(K - 1)
    )
    assert_same(pr.ranked_probability_score(y, p, sample_weight=weight), expected)
    binary = pr.ranked_probability_score(y % 2, p[:, 1])
    assert_same(binary, sk.brier_score_loss(y % 2, p[:, 1]))


def test_ranked_probability_keeps_the_digits_of_a_good_prediction() -> None:
    p = np.array([[1e-6, 1 - 2e-6, 1e-6], [1 - 1e-4, 0, 1e-4]], np.float32)
    exact = p.astype(np.float64)
    gap = np.cumsum(exact, axis=1) - [[0, 1, 1], [1, 1, 1]]
    expected = np.mean(np.square(gap[:, :2]).sum(axis=1))
    np.testing.assert_allclose(pr.ranked_probability_score([1, 0], p), expected, rtol=1e-5)


# --- calibration -------------------------------------------------------------------------

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


# --- distributions of a number -----------------------------------------------------------

CLOSED = [
    (pr.crps_normal, stats.norm),
    (pr.crps_logistic, stats.logistic),
    (pr.crps_laplace, stats.laplace),
]


@pytest.mark.parametrize(("metric", "family"), CLOSED)
@pytest.mark.usefixtures("x64")
def test_closed_forms_are_the_integral(metric, family) -> None:
    y, mu, scale = [0.3, -2.0, 9.0, 1.0], [0.3, 1.0, 1.5, -1.0], [1.0, 0.5, 2.0, 3.0]

    def integral(y: float, mu: float, scale: float) -> float:
        law = family(mu, scale)
        below = integrate.quad(lambda x: law.cdf(x) ** 2, mu - 60 * scale, y, points=[mu])
        above = integrate.quad(lambda x: law.sf(x) ** 2, y, mu + 60 * scale, points=[mu])
        return below[0] + above[0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", integrate.IntegrationWarning)
        expected = [integral(*row) for row in zip(y, mu, scale, strict=True)]
    for i in range(4):
        value = metric(y[i : i + 1], mu[i : i + 1], scale=scale[i])
        np.testing.assert_allclose(value, expected[i], rtol=1e-7)
    value = metric(y, mu, scale=np.array(scale), sample_weight=[1, 2, 3, 4])
    np.testing.assert_allclose(value, np.average(expected, weights=[1, 2, 3, 4]), rtol=1e-7)


def test_gaussian_nll_is_minus_the_log_density() -> None:
    y, mu, scale = np.array([0.3, -2.0]), np.array([0.0, 1.0]), np.array([0.5, 2.0])
    assert_same(pr.gaussian_nll(y, mu, scale=scale), -stats.norm(mu, scale).logpdf(y).mean())


SCALED = [pr.crps_normal, pr.crps_logistic, pr.crps_laplace, pr.gaussian_nll]


@pytest.mark.parametrize("metric", SCALED)
def test_scales_of_samples_are_masked_with_them(metric) -> None:
    y, mu = np.array([1.0, 2, 3, 4], np.float32), np.array([0.5, 2, 5, 1], np.float32)
    good = np.array([1.0, 2, 0.5, 3], np.float32)
    expected = metric(y[:3], mu[:3], scale=good[:3])

    def value(scale, **keep):
        return metric(y, mu, scale=scale, **keep)

    for bad in (0, -1, np.nan, np.inf):
        scale = np.append(good[:3], np.float32(bad))
        if bad != np.inf:
            assert np.isnan(value(scale))
        for keep in ({"where": np.arange(4) < 3}, {"sample_weight": np.array([1, 1, 1, 0])}):
            assert_same(value(scale, **keep), expected)
            slope = jax.grad(value)(jnp.asarray(scale), **keep)
            assert np.all(np.isfinite(slope)) and slope[3] == 0
    with pytest.raises(ValueError, match="`scale` must be positive"):
        jmetrics.checked(metric)(y, mu, scale=-good)
    with pytest.raises(ValueError, match="`scale` must be a number or have one entry a sample"):
        metric(y, mu, scale=good[:2])


def brute_crps(y: float, x: np.ndarray, fair: bool) -> float:
    m = len(x)
    return np.mean(np.abs(x - y)) - np.abs(x[:, None] - x).sum() / (2 * m * (m - fair))


@pytest.mark.parametrize("fair", [False, True])
def test_crps_of_ensembles_is_that_of_all_pairs(fair: bool) -> None:
    rng = np.random.default_rng(2)
    y, x = rng.normal(size=N), np.round(rng.normal(0.5, 2, (N, 6)), 1)  # with ties
    expected = np.mean([brute_crps(*row, fair) for row in zip(y, x, strict=True)])
    assert_same(pr.crps_ensemble(y, x, fair=fair), expected)
    shifted = pr.crps_ensemble([1e6], np.array([[1e6 - 2, 1e6, 1e6 + 1]], np.float32), fair=fair)
    assert_same(shifted, brute_crps(0, np.array([-2.0, 0, 1]), fair))


def test_crps_of_ensembles_in_known_cases() -> None:
    assert float(pr.crps_ensemble([1.0], [[0.0, 2.0]], fair=True)) == 0
    assert float(pr.crps_ensemble([1.0], [[4.0]])) == 3
    with pytest.raises(ValueError, match="`y_pred` must have 2 or more members, got 1"):
        pr.crps_ensemble([1.0], [[4.0]], fair=True)
    with pytest.raises(ValueError, match="`y_pred` must have 1 or more members"):
        pr.crps_ensemble([1.0], np.zeros((1, 0)))


@pytest.mark.usefixtures("x64")
def test_crps_of_many_quantiles_is_that_of_the_distribution() -> None:
    y = np.array([-1.5, 0.2, 2.0])
    exact = float(pr.crps_normal(y, np.zeros(3), scale=1.0))
    even = np.arange(1, 200) / 200
    uneven = stats.norm.cdf(np.linspace(-5, 5, 200))
    for alpha in (even, even[:-1] + 0.0025, uneven):
        quantiles = np.broadcast_to(stats.norm.ppf(alpha), (3, len(alpha)))
        assert float(pr.crps_quantiles(y, quantiles, alpha=alpha)) == pytest.approx(exact, rel=1e-3)


def test_levels_must_rise() -> None:
    y, q = [1.0], [[0.0, 1.0, 2.0]]
    for alpha in ([0.5, 0.25, 0.75], [-0.1, 0.5, 0.75], [0.25, 0.5, 1.1], [0.25, np.nan, 0.5]):
        assert np.isnan(pr.crps_quantiles(y, q, alpha=alpha))
        with pytest.raises(ValueError, match="`alpha` must rise"):
            jmetrics.checked(pr.crps_quantiles)(y, q, alpha=alpha)
    assert np.isfinite(pr.crps_quantiles(y, q, alpha=[0.0, 0.5, 1.0]))
    with pytest.raises(ValueError, match="`alpha` must have one entry a column"):
        pr.crps_quantiles(y, q, alpha=[0.5])


@pytest.mark.parametrize("fair", [False, True])
def test_energy_score(fair: bool) -> None:
    rng = np.random.default_rng(4)
    y, x = rng.normal(size=(N, 3)), rng.normal(0.3, 1.5, (N, 5, 3))
    near = np.linalg.norm(x - y[:, None], axis=2).mean(axis=1)
    pairs = np.linalg.norm(x[:, :, None] - x[:, None], axis=3).sum(axis=(1, 2))
    assert_same(pr.energy_score(y, x, fair=fair), np.mean(near - pairs / (10 * (5 - fair))))
    one = pr.energy_score(y[:, :1], x[:, :, :1], fair=fair)
    assert_same(one, pr.crps_ensemble(y[:, 0], x[:, :, 0], fair=fair))


def test_energy_score_has_a_gradient_where_vectors_are_equal() -> None:
    slope = jax.grad(lambda x: pr.energy_score(jnp.zeros((1, 2)), x))(jnp.zeros((1, 3, 2)))
    assert_same(slope, np.zeros((1, 3, 2)))


# --- mistakes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pr.log_loss([0, 1], [[0.5], [0.5]]), "2 or more columns"),
        (lambda: pr.brier_score_loss([0], [0.5], scale_by_half="half"), "`scale_by_half` must"),
        (lambda: pr.calibration_error([0], [0.5], norm="l3"), "`norm` must be one of"),
        (lambda: pr.calibration_error([0], [0.5], strategy="mass"), "`strategy` must be one of"),
        (lambda: pr.calibration_error([0], [0.5], multi_class="ovr"), "`multi_class` must be"),
        (lambda: pr.calibration_curve([0], [0.5], n_bins=0), "`n_bins` must be at least 1"),
        (lambda: pr.brier_decomposition([0], [[0.5, 0.5]]), "arrays of one shape"),
        (lambda: pr.crps_ensemble([0.0], [1.0]), "`y_pred` (n, n_members)"),
        (lambda: pr.energy_score([[0.0]], [[1.0]]), "`y_pred` (n, n_members, d)"),
    ],
)
def test_mistakes_are_named(call, text: str) -> None:
    with pytest.raises(ValueError) as error:
        call()
    assert text in str(error.value)
