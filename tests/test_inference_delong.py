"""DeLong's interval and tests against structural components, pair by pair."""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import jax
import numpy as np
import pytest
import scipy.stats

from jmetrics import roc_auc_score
from jmetrics.inference import delong_interval, delong_test
from tests.compare import assert_nan, assert_same
from tests.test_inference import components, scored


def covariance(y: np.ndarray, scores: list[np.ndarray], weight: np.ndarray) -> np.ndarray:
    parts = np.stack([components(y, score, weight) for score in scores])
    total = np.zeros((len(scores),) * 2)
    for on in (y == 1, y == 0):
        size = np.sum(weight[on] != 0)
        total += parts[:, on] @ parts[:, on].T * size / (size - 1)
    return total


def several(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
    y, score = scored(rng)
    other = np.round(score + rng.normal(0, 1, 40), 1).astype(np.float32)
    return y, [score, other, (y + rng.normal(0, 2, 40)).astype(np.float32)]


@pytest.mark.parametrize("scale", ["linear", "logit"])
def test_interval(scale: str, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    weight = (rng.integers(0, 4, 40) / 2).astype(np.float32)
    found = delong_interval(y, score, sample_weight=weight, scale=scale)
    error = np.sqrt(covariance(y, [score], weight.astype(float))[0, 0])
    assert float(found.standard_error) == pytest.approx(error, rel=1e-5)
    auc = float(roc_auc_score(y, score, sample_weight=weight))
    reach = 1.959964 * error
    ends = [auc - reach, auc + reach]
    if scale == "logit":
        odds = np.log(auc / (1 - auc)) + np.array([-1, 1]) * reach / (auc * (1 - auc))
        ends = list(1 / (1 + np.exp(-odds)))
    assert_same((found.estimate, found.low, found.high), (auc, *ends), rtol=1e-5)
    assert found.method == f"DeLong, {scale}"


def test_a_mask_is_a_deletion(rng: np.random.Generator) -> None:
    y, scores = several(rng)
    where = rng.random(40) < 0.7
    expected = delong_test(y[where], [score[where] for score in scores])
    for score in scores:
        score[~where] = np.nan
    assert_same(delong_test(y, scores, where=where), expected, rtol=1e-4)


def test_joint_test(rng: np.random.Generator) -> None:
    y, scores = several(rng)
    found = delong_test(y, scores)
    expected = covariance(y, scores, np.ones(40))
    assert_same(found.covariance, expected, rtol=1e-4)
    areas = np.array([float(roc_auc_score(y, score)) for score in scores])
    assert_same(found.areas, areas, rtol=1e-5)
    contrast = np.array([[-1, 1, 0], [-1, 0, 1]])
    gap, spread = contrast @ areas, contrast @ expected @ contrast.T
    statistic = gap @ np.linalg.solve(spread, gap)
    assert float(found.statistic) == pytest.approx(statistic, rel=1e-3)
    assert float(found.p_value) == pytest.approx(scipy.stats.chi2.sf(statistic, 2), rel=1e-3)
    assert float(found.degrees_of_freedom) == 2


def test_two_scores_give_the_square_of_z(rng: np.random.Generator) -> None:
    y, (a, b, _) = several(rng)
    found = jax.jit(lambda y, a, b: delong_test(y, {"a": a, "b": b}))(y, a, b)
    spread = covariance(y, [a, b], np.ones(40))
    gap = float(roc_auc_score(y, a)) - float(roc_auc_score(y, b))
    z = gap / np.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1])
    assert float(found.statistic) == pytest.approx(z**2, rel=1e-3)
    assert float(found.p_value) == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), rel=1e-3)


def test_scores_that_are_alike_do_not_differ(rng: np.random.Generator) -> None:
    y, scores = several(rng)
    alike = delong_test(y, [scores[0], 2 * scores[0]])
    assert (float(alike.statistic), float(alike.p_value)) == (0, 1)
    known = delong_test([0, 0, 1, 1], [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
    assert (float(known.statistic), float(known.p_value)) == (np.inf, 0)


@pytest.mark.parametrize(
    ("y", "score", "auc"),
    [
        ([1, 1], [0.25, 0.5], np.nan),
        ([1, 0], [np.nan, 0.5], np.nan),
        ([2, 0], [0.25, 0.5], np.nan),
        ([1, 0, 0], [0.5, 0.25, 0.75], 0.5),
    ],
)
def test_what_is_known_of_too_few(y: list, score: list, auc: float) -> None:
    found = delong_interval(y, score)
    assert_same(found.estimate, auc)
    assert_nan((found.low, found.high, found.standard_error), "too few samples")
    assert np.isnan(delong_test(y, [score, score]).p_value)


def test_a_perfect_score_has_an_interval_of_no_width() -> None:
    found = delong_interval([0, 0, 1, 1], [0.0, 1.0, 2.0, 3.0])
    assert_same((found.low, found.high, found.standard_error), (1.0, 1.0, 0.0))


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="scale"):
        delong_interval([0, 1], [0.25, 0.5], scale="log")
    with pytest.raises(ValueError, match="two or more"):
        delong_test([0, 1], [[0.25, 0.5]])
    with pytest.raises(ValueError, match=r"y_scores\['b'\]"):
        delong_test([0, 1], {"a": [0.25, 0.5], "b": [0.25]})
