"""Scores of predicted distributions: integrals, all pairs, edges."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

import jmetrics
from jmetrics import probability as pr
from tests.compare import assert_same

N = 40

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


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pr.crps_ensemble([0.0], [1.0]), "`y_pred` (n, n_members)"),
        (lambda: pr.energy_score([[0.0]], [[1.0]]), "`y_pred` (n, n_members, d)"),
    ],
)
def test_mistakes_are_named(call, text: str) -> None:
    with pytest.raises(ValueError) as error:
        call()
    assert text in str(error.value)
