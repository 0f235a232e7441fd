"""What a resample draws: the exact distribution, from what counts alone."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from jax import Array

from jmetrics.inference._drawing.binomial import binomial, poisson
from jmetrics.inference._drawing.draws import _poisson_bounds, draw, draw_cells, multinomial
from jmetrics.inference._drawing.units import SampleInfo, samples_of

KEYS = jax.random.split(jax.random.key(5), 4000)


@jax.jit
def many(total: Array) -> Array:
    return jax.vmap(lambda key: multinomial(key, total, 60))(KEYS)


@pytest.mark.parametrize("total", [3, 40, 60])
def test_counts_are_multinomial(total: int) -> None:
    """With few units all is drawn one by one, with 37 or more most counts are Poisson's."""
    counts = np.asarray(many(jnp.int32(total)))
    assert np.all(counts.sum(axis=1) == total)
    assert not np.any(counts[:, total:])
    counts = counts[:, :total]
    # Marginals are binomial; those of one resample hardly depend on each other.
    seen = np.bincount(counts.ravel(), minlength=5)[:5] / counts.size
    expected = scipy.stats.binom.pmf(np.arange(5), total, 1 / total)
    np.testing.assert_allclose(seen, expected, atol=6 * np.sqrt(0.25 / counts.size))
    # So is the sum over half of the units, which says that they depend as they must.
    half = total // 2
    spread = np.var(counts[:, :half].sum(axis=1))
    assert spread == pytest.approx(half * (1 - half / total), rel=0.12)
    assert np.abs(counts.mean(axis=0) - 1).max() < 6 / np.sqrt(len(KEYS))


def test_all_outcomes_of_three_draws_are_as_likely_as_they_must_be() -> None:
    counts = np.asarray(many(jnp.int32(3)))[:, :3]
    outcomes, seen = np.unique(counts, axis=0, return_counts=True)
    assert len(outcomes) == 10
    chance = scipy.stats.multinomial.pmf(outcomes, 3, [1 / 3] * 3)
    assert scipy.stats.chisquare(seen, len(KEYS) * chance / chance.sum()).pvalue > 1e-3


@pytest.mark.parametrize("mean", [0.0, 0.37, 1.0])
def test_words_make_poisson_counts(mean: float) -> None:
    above = 2.0**32 - 1 - _poisson_bounds(mean).astype(np.float64)
    exact = scipy.stats.poisson.sf(np.arange(12), mean)
    np.testing.assert_allclose(above / 2**32, exact, rtol=0, atol=2.0**-32)


def test_counts_of_a_unit_do_not_depend_on_what_is_left_out() -> None:
    longer = jax.vmap(lambda key: multinomial(key, jnp.int32(40), 75))(KEYS[:20])
    assert np.array_equal(longer[:, :60], np.asarray(many(jnp.int32(40)))[:20])
    assert multinomial(KEYS[0], jnp.int32(0), 4).tolist() == [0, 0, 0, 0]
    assert multinomial(KEYS[0], jnp.int32(0), 0).shape == (0,)


def test_strata_keep_their_numbers_and_groups_stay_whole() -> None:
    groups = jnp.array([7, 3, 7, 3, -2, 5, 5, 9, 7, 1])
    strata = jnp.array([1, 0, 1, 0, 0, 1, 1, 0, 1, 1])
    where = jnp.array([True] * 9 + [False])
    samples = samples_of(SampleInfo(None, where, groups, strata), 10, jnp.float32)

    @jax.jit
    def draws(keys: Array) -> Array:
        return jax.vmap(lambda key: samples.entries(draw(key, samples, "multinomial")))(keys)

    counts = np.asarray(draws(KEYS[:500]))
    first = {g: int(np.flatnonzero(groups == g)[0]) for g in (7, 3, -2, 5, 9)}
    for group, place in first.items():
        assert np.all(counts[:, np.flatnonzero(groups == group)] == counts[:, [place]])
    by_group = {group: counts[:, place] for group, place in first.items()}
    assert np.all(by_group[7] + by_group[5] == 2)
    assert np.all(by_group[3] + by_group[-2] + by_group[9] == 3)
    assert np.var(by_group[3]) == pytest.approx(2 / 3, rel=0.2)


@pytest.mark.parametrize(("scheme", "second"), [("poisson", 2), ("bayesian", 2)])
def test_other_schemes_have_mean_and_variance_1(scheme: str, second: float) -> None:
    where = jnp.arange(30) % 3 != 0
    samples = samples_of(SampleInfo(where=where), 30, jnp.float32)
    drawn = jax.jit(jax.vmap(lambda key: draw(key, samples, scheme)))(KEYS)
    drawn = np.asarray(drawn)
    assert not np.any(drawn[:, 20:])
    assert drawn[:, :20].mean() == pytest.approx(1, abs=0.02)
    assert (drawn[:, :20] ** 2).mean() == pytest.approx(second, abs=0.08)
    assert np.abs(np.corrcoef(drawn[:, :20].T) - np.eye(20)).max() < 0.1


@pytest.mark.parametrize("scheme", ["multinomial", "poisson", "bayesian"])
def test_cells_get_what_their_samples_would(scheme: str) -> None:
    counts = jnp.array([[4, 0, 16], [3, 7, 0]])
    drawn = np.asarray(draw_cells(KEYS[0], scheme, counts, 4000, jnp.float32))
    np.testing.assert_allclose(drawn.mean(axis=0), [7, 7, 16], rtol=0.03)
    if scheme == "multinomial":
        assert np.all(drawn.sum(axis=1) == 30)
        # Variances of two strata, of 20 and 10 samples, add up.
        variance = [4 * (1 - 4 / 20) + 3 * (1 - 3 / 10), 7 * (1 - 7 / 10), 16 * (1 - 16 / 20)]
    else:
        variance = [7, 7, 16]
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.1)


@pytest.mark.parametrize(
    ("draws", "hits", "total"),
    [
        (7, 1, 3),
        (30, 25, 40),
        (1000, 20, 1000),
        (100_300, 30_000, 100_000),
        (10**8 - 5000, 3 * 10**7 + 17, 10**8),
        (2 * 10**9, 1, 2),
        (2 * 10**9, 2 * 10**9 - 4, 2 * 10**9),
    ],
)
def test_hits_are_binomial_however_many(draws: int, hits: int, total: int) -> None:
    found = counted("binomial", jnp.full(20_000, draws, jnp.int32), hits, total)
    assert_counts_are(scipy.stats.binom(draws, hits / total), found)


@pytest.mark.parametrize("mean", [0, 3, 11, 10**5, 10**9])
def test_poisson_counts_of_any_mean(mean: int) -> None:
    found = counted("poisson", jnp.full(20_000, mean, jnp.int32), 0, 0)
    assert_counts_are(scipy.stats.poisson(mean), found)


def counted(kind: str, number: Array, hits: int, total: int) -> np.ndarray:
    """As float64, from one program a kind."""
    return np.asarray(_counted(number, jnp.int32(hits), jnp.int32(total), kind=kind), np.float64)


@functools.partial(jax.jit, static_argnames="kind")
def _counted(number, hits, total, *, kind):
    if kind == "poisson":
        return poisson(KEYS[2:4], number, jnp.float32)
    return binomial(KEYS[:2], number, hits, total, jnp.float32)


def assert_counts_are(expected: Any, found: np.ndarray) -> None:
    """As likely as they must be in 30 ranges of about the same chance."""
    edges = np.unique(expected.ppf(np.linspace(0, 1, 31)[1:-1]))
    chance = np.diff(np.concatenate([[0], expected.cdf(edges), [1]]))
    seen = np.bincount(np.searchsorted(edges, found), minlength=len(chance))
    likely = chance > 0
    assert not np.any(seen[~likely])
    if np.sum(likely) > 1:
        chance = chance[likely] / chance.sum()
        result = scipy.stats.chisquare(seen[likely], chance * len(found))
        assert result.pvalue > 1e-3


def test_hits_add_up_at_the_ends() -> None:
    draws = jnp.array([0, 5, 7, 7], jnp.int32)
    hits, total = jnp.array([2, 0, 4, 0], jnp.int32), jnp.array([3, 4, 4, 0], jnp.int32)
    found = binomial(KEYS[:2], draws, hits, total, jnp.float32)
    assert found.tolist() == [0, 0, 7, 0]
