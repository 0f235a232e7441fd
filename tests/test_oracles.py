"""Values against other libraries, exact fractions and the definitions; awkward inputs."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jmetrics import (
    accuracy_score,
    log_loss,
    losses,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    mean_tweedie_deviance,
    r2_score,
    roc_auc_score,
)
from tests.compare import assert_same
from tests.harness import N
from tests.laws import has_traced_options
from tests.oracles.curves import exact_auc
from tests.registry import cases, main_cases
from tests.row import EXPLAINED, OUTPUTS, Case, columns

NAN, INF = np.nan, np.inf
SUBNORMAL = np.float32(2.0**-149)

REGRESSION = [mean_squared_error, mean_absolute_error, mean_pinball_loss, r2_score]


def array(dtype: Any, values: Any) -> np.ndarray:
    return np.array(values, dtype)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_random_data(case: Case) -> None:
    """Weights of many digits, some 0, and a mask."""
    slack = 2e-6 if EXPLAINED in case.traits else None  # of the ratio, which is near 1
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y_true, y_pred = (a.astype(np.float32) for a in case.make(rng, N))
        weight = np.where(rng.random(N) < 0.2, 0, rng.gamma(1, 1, N)).astype(np.float32)
        where = rng.random(N) < 0.7
        where[:2], weight[:2] = True, 1
        value = case(y_true, y_pred, sample_weight=weight, where=where)
        expected = case.expected(y_true[where], y_pred[where], weight[where])
        assert_same(value, expected, rtol=2e-6, atol=slack)


@pytest.mark.parametrize(
    "case", [*filter(has_traced_options, main_cases())], ids=lambda case: case.name
)
def test_traced_options(case: Case, rng: np.random.Generator) -> None:
    y_true, y_pred = (a.astype(np.float32) for a in case.make(rng, N))
    for option, values in case.row.traced.items():
        for value in values:
            expected = case.expected(y_true, y_pred, **{option: value})
            assert_same(case(y_true, y_pred, **{option: value}), expected, rtol=2e-6)


@pytest.mark.parametrize("metric", REGRESSION)
def test_weights_of_outputs(metric, rng: np.random.Generator) -> None:
    case = next(c for c in cases() if c.row.metric is metric and OUTPUTS in c.traits)
    y, p = (a.astype(np.float32) for a in columns(rng, 30))
    sample_weight = rng.integers(0, 5, 30).astype(np.float32)
    for weights in ([0.5, 0.25, 0.25], [2.0, 0.0, 1.0]):
        expected = case.expected(y, p, sample_weight, multioutput=weights)
        value = metric(y, p, multioutput=weights, sample_weight=sample_weight)
        assert_same(value, expected, rtol=2e-6)


@pytest.mark.parametrize("metric", REGRESSION)
def test_entry_mask_with_weights_is_each_column_alone(metric, rng: np.random.Generator) -> None:
    y, p = (a.astype(np.float32) for a in columns(rng, 30))
    where, weight = rng.random((30, 3)) < 0.6, rng.integers(1, 5, 30).astype(np.float32)
    expected = [
        metric(y[keep, j], p[keep, j], sample_weight=weight[keep]) for j, keep in enumerate(where.T)
    ]
    y[~where] = NAN
    value = metric(y, p, multioutput="raw_values", sample_weight=weight, where=where)
    assert_same(value, np.stack(expected), rtol=2e-6)


DOCUMENTED = [
    (accuracy_score([0, 1, 2, 3], [0, 2, 1, 3], normalize=False), 2),
    (accuracy_score([[0, 1], [1, 1]], np.ones((2, 2), int)), 0.5),
    (mean_squared_error([[0.5, 1], [-1, 1], [7, -6]], [[0, 2], [-1, 2], [8, -5]]), 17 / 24),
    (mean_absolute_error([[0.5, 1], [-1, 1], [7, -6]], [[0, 2], [-1, 2], [8, -5]]), 0.75),
    (mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.1), 1 / 30),
    (mean_pinball_loss([1, 2, 3], [1, 2, 4], alpha=0.1), 0.3),
    (mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.9), 0.3),
    (mean_pinball_loss([1, 2, 3], [1, 2, 4], alpha=0.9), 1 / 30),
    (r2_score([1, 2, 3], [1, 2, 3]), 1),
    (r2_score([1, 2, 3], [2, 2, 2]), 0),
    (r2_score([1, 2, 3], [3, 2, 1]), -3),
    (r2_score([-2, -2, -2], [-2, -2, -2]), 1),
    (r2_score([-2, -2, -2], [-2, -2, -2], force_finite=False), NAN),
    (r2_score([-2, -2, -2], [-2, -2, -2 + 2**-20]), 0),
    (r2_score([-2, -2, -2], [-2, -2, -2 + 2**-20], force_finite=False), -INF),
    (mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2, 2], power=1), 3.5 * math.log(2) - 1),
]


@pytest.mark.parametrize(("value", "expected"), DOCUMENTED)
def test_examples_of_scikit_learn(value: Any, expected: float) -> None:
    assert float(value) == pytest.approx(expected, rel=1e-6, nan_ok=True)


# --- exact areas -------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [1, 2, 5, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_area_by_fractions(levels: int, weighted: bool, rng: np.random.Generator) -> None:
    """From all tied to none tied."""
    y, score = rng.integers(0, 2, 60), rng.integers(0, levels, 60).astype(np.float32)
    weight = rng.integers(0, 9, 60).astype(np.float32) / 4 if weighted else None
    expected = float(exact_auc(y, score, weight))
    assert float(roc_auc_score(y, score, sample_weight=weight)) == pytest.approx(expected, rel=3e-7)
    if not weighted:
        for dtype in (np.int16, jnp.float16):
            assert float(roc_auc_score(y, score.astype(dtype))) == pytest.approx(expected, rel=3e-7)


AREAS: dict[str, tuple[list[int], np.ndarray]] = {
    "blocks of ties": ([1, 0, 1, 0, 0, 1], array(np.float32, [9, 9, 5, 5, 5, 2])),
    "minus zero is zero": ([1, 0, 1, 0, 1, 0], array(np.float32, [0.0, -0.0, 0.0, 0.0, 0.0, -0.0])),
    "minus zero in half precision": ([1, 0, 0], array(np.float16, [0.0, -0.0, -1.0])),
    "subnormals differ": ([0, 1, 0, 1], array(np.float32, [0, 1, 2, 3]) * SUBNORMAL),
    "negative subnormals differ": ([1, 0, 0, 1], array(np.float32, [-1, -2, 0, 1]) * SUBNORMAL),
    "infinite scores": ([1, 1, 0, 0, 1], array(np.float32, [INF, 3, INF, -INF, -INF])),
    "large logits": (
        [0, 0, 0, 1, 1, 1, 1],
        array(np.float32, [70, 71.5, 64.25, 72.5, 70.5, 90, 71.5]),
    ),
    "unsigned bytes": ([0, 1, 1, 0], array(np.uint8, [250, 5, 251, 128])),
    "signed bytes": ([0, 1, 1, 0], array(np.int8, [-128, 127, -1, 0])),
    "booleans": ([0, 1, 1, 0], np.array([True, True, True, False])),
    "neighbours in float32": ([0, 1], array(np.float32, [1, np.nextafter(np.float32(1), 2)])),
    "large whole numbers": ([0, 1], array(np.int32, [2**31 - 2, 2**31 - 1])),
}


@pytest.mark.parametrize("name", AREAS)
def test_area_of_awkward_scores(name: str) -> None:
    y, score = np.array(AREAS[name][0]), AREAS[name][1]
    expected = float(exact_auc(y, score))
    for order in (slice(None), slice(None, None, -1), np.argsort(y), np.argsort(-y)):
        assert float(roc_auc_score(y[order], score[order])) == pytest.approx(expected, rel=1e-6)


def test_a_nan_score_anywhere_is_undefined() -> None:
    y, score = np.array([1, 0, 1, 0, 1]), array(np.float32, [0.5, 0.25, 0.875, 0.75, 0.125])
    for dtype in (np.float32, np.float16):
        for i in range(5):
            broken = score.astype(dtype)
            broken[i] = NAN
            assert np.isnan(roc_auc_score(y, broken))


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_no_area(label: int) -> None:
    y, score = np.full(4, label), array(np.float32, [0.125, 0.5, 0.25, 0.75])
    assert np.isnan(roc_auc_score(y, score))
    assert float(losses.auc_loss(y, score)) == 0
    assert not np.any(jax.grad(losses.auc_loss, argnums=1)(y, jnp.asarray(score)))


def test_batches_with_and_without_both_classes() -> None:
    y = np.array([[0, 1, 1], [1, 1, 1], [0, 0, 1]])
    score = array(np.float32, [[1, 2, 3], [1, 2, 3], [3, 2, 1]])
    assert_same(jax.vmap(roc_auc_score)(y, score), np.array([1, NAN, 0]))


# --- logarithms at the border ------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float16, jnp.bfloat16])
def test_a_certain_and_right_probability_costs_one_rounding(dtype) -> None:
    epsilon = float(jnp.finfo(dtype).eps)
    value = float(log_loss([1, 0, 1], np.array([1, 0, 1], dtype)))
    assert value == pytest.approx(-math.log1p(-epsilon), rel=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, jnp.bfloat16])
def test_a_certain_and_wrong_probability_costs_the_most(dtype) -> None:
    epsilon = float(jnp.finfo(dtype).eps)
    for label in (0, 1):
        value = float(log_loss([label], np.array([1 - label], dtype)))
        assert value == pytest.approx(-math.log(epsilon), rel=1e-5)


def test_small_probabilities_keep_their_digits() -> None:
    p = np.float32(2.0**-20)
    expected = (20 * math.log(2) - math.log1p(-(2.0**-20))) / 2
    assert float(log_loss([1, 0], np.array([p, p]))) == pytest.approx(expected, rel=1e-6)


def test_log_loss_of_a_class_that_does_not_occur() -> None:
    assert float(log_loss([1, 1], [0.5, 0.25])) == pytest.approx(1.5 * math.log(2))


# --- regression at the border ------------------------------------------------------------


def exact_r2(y, p) -> Fraction:
    y, p = ([Fraction(float(v)) for v in a] for a in (y, p))
    mean = sum(y) / len(y)
    residual = sum((a - b) ** 2 for a, b in zip(y, p, strict=True))
    return 1 - residual / sum((a - mean) ** 2 for a in y)


def test_r2_far_from_0(rng: np.random.Generator) -> None:
    y = (1e4 + rng.choice([-1.0, 1.0], 64)).astype(np.float32)
    p = (y + rng.choice([-0.125, 0.0625], 64)).astype(np.float32)
    expected = float(exact_r2(y, p))
    assert 0.98 < expected < 0.995
    assert float(r2_score(y, p)) == pytest.approx(expected, rel=1e-6)


def test_r2_of_large_whole_numbers() -> None:
    y = (1e8 + 800 * np.arange(6)).astype(np.float32)
    p = (y + array(np.float32, [80, -160, 240, 0, -80, 160])).astype(np.float32)
    assert float(r2_score(y, p)) == pytest.approx(float(exact_r2(y, p)), rel=1e-6)


def test_r2_of_a_nearly_constant_target() -> None:
    y = array(np.float32, [7.25] * 5 + [7.25 + 2**-10])
    p = array(np.float32, [7, 7.5, 7.25, 6.75, 7.375, 7.125])
    assert float(r2_score(y, p)) == pytest.approx(float(exact_r2(y, p)), rel=1e-6)


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1e30, -7e-30])
def test_r2_of_a_constant_target(constant: float) -> None:
    """Equal numbers are a constant, even where their mean rounds to another number."""
    y, p = np.full(3, constant, np.float32), array(np.float32, [1e-6, 2e-6, 3e-6])
    assert float(r2_score(y, p)) == 0
    assert float(r2_score(y, p, force_finite=False)) == -INF
    assert float(r2_score(y, y)) == 1
    assert np.isnan(r2_score(y, y, force_finite=False))
    gradient = jax.grad(r2_score, argnums=1)(y, jnp.asarray(p))
    assert gradient.tolist() == [0, 0, 0]


def test_r2_needs_two_samples() -> None:
    assert np.isnan(r2_score([1.0], [1.0]))
    assert np.isnan(r2_score([1.0, 2.0], [1.0, 2.0], sample_weight=[1.0, 0.0]))
    assert np.isnan(r2_score([1.0, 2.0], [1.0, 2.0], where=[True, False]))


def test_r2_of_outputs_some_of_them_constant() -> None:
    y, p = array(np.float32, [[1, 5], [2, 5], [3, 5]]), array(np.float32, [[1, 5], [2, 4], [3, 6]])
    assert r2_score(y, p, multioutput="raw_values").tolist() == [1, 0]
    assert float(r2_score(y, p)) == 0.5
    assert float(r2_score(y, p, multioutput="variance_weighted")) == 1
    flat = np.ones((3, 2), np.float32)
    assert float(r2_score(flat, flat, multioutput="variance_weighted")) == 1


def test_unsigned_differences_do_not_wrap() -> None:
    y, p = array(np.uint8, [5, 250, 100, 7, 60]), array(np.uint8, [250, 5, 60, 9, 64])
    assert float(mean_absolute_error(y, p)) == pytest.approx(536 / 5)
    assert float(mean_squared_error(y, p)) == pytest.approx((2 * 245**2 + 1600 + 4 + 16) / 5)
    assert float(mean_pinball_loss(y, p, alpha=0.25)) == pytest.approx(
        (0.25 * 285 + 0.75 * 251) / 5
    )


def test_squares_of_half_precision_do_not_overflow() -> None:
    y, p = array(np.float16, [300, 300]), array(np.float16, [0, -300])
    assert float(mean_squared_error(y, p)) == (300**2 + 600**2) / 2
    assert float(
        r2_score(array(np.float16, [300, -300]), array(np.float16, [300, -299]))
    ) == pytest.approx(1 - 1 / 180_000)


def test_large_whole_numbers_are_labels_too() -> None:
    """Next to each other as integers, the same as float32s."""
    assert float(accuracy_score([2**24, 2**24], [2**24 + 1, 2**24])) == 0.5


def test_labels_of_different_dtypes() -> None:
    assert float(accuracy_score(array(np.uint8, [250, 5]), array(np.int32, [250, 261]))) == 0.5
    assert float(accuracy_score(np.array([True, False]), array(np.float32, [1, 0]))) == 1


# --- losses ------------------------------------------------------------------------------


def exact_hinge(y, score, margin: float) -> Fraction:
    s = [Fraction(float(v)) for v in score]
    gaps = [
        a - b for a, i in zip(s, y, strict=True) if i for b, j in zip(s, y, strict=True) if not j
    ]
    penalties = [max(Fraction(margin) - gap, Fraction(0)) ** 2 for gap in gaps]
    return sum(penalties, Fraction(0)) / len(gaps)


def test_auc_loss_by_fractions(rng: np.random.Generator) -> None:
    y, score = rng.integers(0, 2, 20), (rng.integers(-8, 8, 20) / 4).astype(np.float32)
    for margin in (0.5, 1.0, 2.0):
        value = float(losses.auc_loss(y, score, margin=margin))
        assert value == pytest.approx(float(exact_hinge(y, score, margin)), rel=1e-6)


@pytest.mark.parametrize(
    ("surrogate", "shift"),
    [("squared_hinge", 1.0), ("logistic", math.log(2))],
)
def test_auc_loss_bounds_what_it_stands_for(surrogate, shift, rng: np.random.Generator) -> None:
    for _ in range(5):
        y, score = np.append([0, 1], rng.integers(0, 2, 18)), rng.normal(size=20).astype(np.float32)
        bound = float(losses.auc_loss(y, score, surrogate=surrogate)) / shift
        assert bound >= 1 - float(roc_auc_score(y, score))


def test_logistic_auc_loss_of_scores_far_apart() -> None:
    y, score = np.array([1, 0]), array(np.float32, [-1e4, 1e4])
    assert float(losses.auc_loss(y, score, surrogate="logistic")) == 2e4
    assert float(losses.auc_loss(y, -score, surrogate="logistic")) == 0
    cold = losses.auc_loss(y, score, surrogate="logistic", temperature=0.0)
    assert np.isnan(cold)


def test_smoothed_pinball_loss_lies_above_the_exact_one(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 30)).astype(np.float32)
    exact = float(mean_pinball_loss(y, p, alpha=0.25))
    for smoothing in (1.0, 0.1, 1e-3, 0.0):
        value = float(losses.pinball_loss(y, p, alpha=0.25, smoothing=smoothing))
        assert exact - 1e-6 <= value <= exact + smoothing * math.log(2) + 1e-6


def test_pinball_gradient_at_a_perfect_fit() -> None:
    """Midway between the slopes of both sides."""
    y = jnp.array([1.0, 2.0])
    for loss in (losses.pinball_loss, mean_pinball_loss):
        gradient = jax.grad(lambda p, loss=loss: 2 * loss(y, p, alpha=0.25))(y)
        assert_same(gradient, np.full(2, 0.25))
    smooth = jax.grad(lambda p: 2 * losses.pinball_loss(y, p, alpha=0.25, smoothing=0.5))(y)
    assert_same(smooth, np.full(2, 0.25))


def test_absolute_error_has_no_gradient_at_a_perfect_fit() -> None:
    y = jnp.array([1.0, 2.0, 3.0])
    p = jnp.array([1.0, 2.0, 2.0])
    gradient = jax.grad(lambda p: 3 * mean_absolute_error(y, p))(p)
    assert gradient.tolist() == [0, 0, -1]


MASKED: dict[str, tuple[Any, dict[str, Any], list[float]]] = {
    "auc": (losses.auc_loss, {}, [1, 0, 1, 0]),
    "logistic auc": (losses.auc_loss, {"surrogate": "logistic"}, [1, 0, 1, 0]),
    "pinball": (losses.pinball_loss, {"smoothing": 0.0}, [1, 2, 0.5, 3]),
    "smooth pinball": (losses.pinball_loss, {"smoothing": 0.25}, [1, 2, 0.5, 3]),
    "poisson": (losses.tweedie_loss, {"power": 1}, [1, 2, 0, 3]),
    "compound": (losses.tweedie_loss, {"power": 1.5}, [1, 2, 0, 3]),
    "gamma": (losses.tweedie_loss, {"power": 2}, [1, 2, 0.5, 3]),
    "poisson deviance": (mean_tweedie_deviance, {"power": 1}, [1, 2, 0, 3]),
    "gamma deviance": (mean_tweedie_deviance, {"power": 2}, [1, 2, 0.5, 3]),
    "log loss": (log_loss, {}, [1, 0, 1, 0]),
}


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("bad_target", [0.0, -1.0, NAN])
@pytest.mark.parametrize("bad", [0.0, -1.0, NAN, INF, -INF])
def test_a_masked_entry_leaves_no_trace(name: str, bad_target: float, bad: float) -> None:
    loss, options, targets = MASKED[name]
    y, p = array(np.float32, targets), array(np.float32, [0.5, 0.875, 0.25, 0.75])
    slope = jax.jit(
        jax.value_and_grad(lambda p, y, where: loss(y, p, where=where, **options)),
    )
    kept = np.array([True, True, True, False])
    value, gradient = slope(p, y, kept)
    bad_y, bad_p = y.copy(), p.copy()
    bad_y[3], bad_p[3] = bad_target, bad
    masked = slope(bad_p, bad_y, kept)
    assert_same(masked, (value, gradient), rtol=0, atol=0)
    assert float(gradient[3]) == 0


# --- the table of awkward inputs ---------------------------------------------------------

EMPTY: list[float] = []

AWKWARD = [
    (accuracy_score, EMPTY, EMPTY, NAN),
    (accuracy_score, [3], [3], 1),
    (accuracy_score, [3], [2], 0),
    (accuracy_score, [NAN, 1], [1, 1], NAN),
    (accuracy_score, [0.5, 1], [0.5, 1], NAN),
    (accuracy_score, [-1, 1], [-1, 1], 1),
    (log_loss, EMPTY, EMPTY, NAN),
    (log_loss, [1], [0.5], math.log(2)),
    (log_loss, [1], [NAN], NAN),
    (log_loss, [1], [-0.25], NAN),
    (log_loss, [2], [0.5], NAN),
    (roc_auc_score, EMPTY, EMPTY, NAN),
    (roc_auc_score, [1], [0.5], NAN),
    (roc_auc_score, [1, 0], [0.5, 0.5], 0.5),
    (roc_auc_score, [1, 0, 1], [INF, -INF, INF], 1),
    (roc_auc_score, [1, 0, 1], [INF, INF, -INF], 0.25),
    (mean_squared_error, EMPTY, EMPTY, NAN),
    (mean_squared_error, [1.0], [3.0], 4),
    (mean_squared_error, [INF], [1.0], INF),
    (mean_absolute_error, EMPTY, EMPTY, NAN),
    (mean_absolute_error, [1.0], [-INF], INF),
    (mean_pinball_loss, EMPTY, EMPTY, NAN),
    (mean_pinball_loss, [1.0], [3.0], 1),
    (r2_score, EMPTY, EMPTY, NAN),
    (r2_score, [1.0], [1.0], NAN),
    (r2_score, [1.0, 1.0], [1.0, 1.0], 1),
    (r2_score, [NAN, 1.0], [1.0, 1.0], NAN),
    (mean_tweedie_deviance, EMPTY, EMPTY, NAN),
    (mean_tweedie_deviance, [-2.0], [-3.0], 1),
    (losses.auc_loss, EMPTY, EMPTY, 0),
    (losses.auc_loss, [1], [0.5], 0),
    (losses.auc_loss, [1, 0], [NAN, 0.5], NAN),
    (losses.auc_loss, [1, 0], [0.5, 0.5], 1),
    (losses.pinball_loss, EMPTY, EMPTY, 0),
    (losses.pinball_loss, [NAN], [0.5], NAN),
    (losses.tweedie_loss, EMPTY, EMPTY, 0),
    (losses.tweedie_loss, [0.0], [0.0], 4),
]


@pytest.mark.parametrize(
    ("metric", "y_true", "y_pred", "expected"),
    [pytest.param(*row, id=f"{row[0].__name__}-{row[1]}-{row[2]}") for row in AWKWARD],
)
def test_awkward_input(metric, y_true: list, y_pred: list, expected: float) -> None:
    value = float(metric(array(np.float32, y_true), array(np.float32, y_pred)))
    assert value == pytest.approx(expected, rel=1e-6, nan_ok=True)
