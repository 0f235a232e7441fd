"""Metrics of class probabilities beyond the laws: peers, edges, digits."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from sklearn import metrics as sk

import jmetrics
from jmetrics import probability as pr
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
    np.testing.assert_allclose(flat, np.array([-1 / (1 + np.exp(20.0)), 0.5]), rtol=1e-6)


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
    def value(w: np.ndarray) -> jax.Array:
        return pr.normalized_entropy([0, 1], [0.25, 0.5], sample_weight=w)

    with jax.enable_x64(True):
        w, h = np.ones(2), 1e-6
        slope = np.array([(value(w + h * e) - value(w - h * e)) / (2 * h) for e in np.eye(2)])
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


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pr.log_loss([0, 1], [[0.5], [0.5]]), "2 or more columns"),
        (lambda: pr.brier_score_loss([0], [0.5], scale_by_half="half"), "`scale_by_half` must"),
    ],
)
def test_mistakes_are_named(call, text: str) -> None:
    with pytest.raises(ValueError) as error:
        call()
    assert text in str(error.value)
