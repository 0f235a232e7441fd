"""Comparisons of models against exact enumerations and other libraries."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from jmetrics import accuracy_score, mean_absolute_error, ndcg_score, roc_auc_score
from jmetrics.inference import (
    bootstrap,
    compare,
    confidence_interval,
    delong_test,
    paired_bootstrap,
    permutation_test,
)
from jmetrics.inference.comparison import holm
from tests.compare import assert_same
from tests.test_inference import scored

KEY = jax.random.key(3)


def regressions(rng: np.random.Generator, n: int = 30) -> tuple[np.ndarray, ...]:
    y = rng.normal(size=n)
    return tuple(a.astype(np.float32) for a in (y, y + rng.normal(size=n), y + 2 * rng.random(n)))


def test_differences_are_those_of_single_resamples(rng: np.random.Generator) -> None:
    y, a, b = regressions(rng)
    found = paired_bootstrap(KEY, mean_absolute_error, y, a, b, n_resamples=500)
    gap = np.abs(y - a) - np.abs(y - b)
    assert_same(found.values, np.array([np.abs(y - a).mean(), np.abs(y - b).mean()]), rtol=1e-5)
    assert_same(found.difference, gap.mean(), rtol=1e-4)
    assert float(found.standard_error) == pytest.approx(gap.std() / np.sqrt(30), rel=0.12)
    # The difference of two means is a mean: scipy's interval from the same resamples is ours.
    draws = np.asarray(found.distribution, np.float64)
    peer = scipy.stats.bootstrap(
        (gap.astype(np.float64),),
        np.mean,
        n_resamples=0,
        bootstrap_result=type("", (), {"bootstrap_distribution": draws}),
    )
    assert_same((found.low, found.high), tuple(peer.confidence_interval), rtol=1e-3)
    far = np.abs(draws - gap.mean()) >= np.abs(gap.mean()) * (1 - 1e-6)
    assert_same(found.p_value, (1 + far.sum()) / 501, rtol=1e-6)
    swapped = paired_bootstrap(KEY, mean_absolute_error, y, b, a, n_resamples=500)
    assert_same(swapped.difference, -found.difference)
    assert_same(swapped.p_value, found.p_value)


def test_paired_areas_have_delongs_error(rng: np.random.Generator) -> None:
    y, a = scored(rng, 100)
    b = (a + rng.normal(0, 0.5, 100)).astype(np.float32)
    found = paired_bootstrap(KEY, roc_auc_score, y, a, b, n_resamples=1000, method="basic")
    (va, cov), (_, vb) = np.asarray(delong_test(y, [a, b]).covariance)
    assert float(found.standard_error) == pytest.approx(np.sqrt(va + vb - 2 * cov), rel=0.1)
    assert_same(found.difference, roc_auc_score(y, a) - roc_auc_score(y, b), rtol=1e-4)


def test_models_against_a_baseline(rng: np.random.Generator) -> None:
    y, base, other = regressions(rng)
    models = {"other": other, "same": base, "perfect": y}
    run = functools.partial(compare, KEY, mean_absolute_error, y, base, n_resamples=500)
    found = run(models)
    alone = paired_bootstrap(KEY, mean_absolute_error, y, other, base, n_resamples=500)
    assert_same(found.difference[0], alone.difference)
    for name in ("low", "high", "standard_error", "p_value", "n_undefined"):
        assert_same(getattr(found, name)[0], getattr(alone, name), rtol=1e-4)
    assert_same(found.baseline, np.abs(y - base).mean(), rtol=1e-5)
    assert_same(found.values, np.array([np.abs(y - p).mean() for p in models.values()]), rtol=1e-5)
    assert float(found.p_value[1]) == 1
    adjusted = multipletests(np.asarray(found.p_value), method="holm")[1]
    assert_same(found.adjusted_p_value, adjusted, rtol=1e-5)
    assert_same(run(list(models.values())), found)
    with pytest.raises(ValueError, match="models"):
        compare(KEY, mean_absolute_error, y, base, [])
    with pytest.raises(ValueError, match=r"models\['short'\]"):
        run({"short": y[:5]})


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_a_model_without_a_value_leaves_the_others_theirs(
    method: str, wrong: float, rng: np.random.Generator
) -> None:
    y, base, other = regressions(rng, 8)
    spoiled = np.where(np.arange(8) == 3, np.float32(wrong), base)
    run = functools.partial(compare, KEY, mean_absolute_error, y, base, n_resamples=50)
    found = run([base, other, spoiled], method=method)
    expected = run([base, other], method=method)
    for name in ("difference", "low", "high", "standard_error", "p_value", "n_undefined"):
        assert_same(getattr(found, name)[:2], getattr(expected, name), rtol=1e-4)
    assert float(found.p_value[0]) == 1
    assert_same(found.difference[2], wrong)
    assert np.isnan(found.p_value[2])


def test_outputs_are_compared_each_on_its_own(rng: np.random.Generator) -> None:
    y, a, b = regressions(rng, 8)
    spoiled = np.where(np.arange(8) == 3, np.float32(np.nan), a)
    run = functools.partial(paired_bootstrap, KEY, mean_absolute_error, n_resamples=50)
    truth, second = np.stack([y, y], axis=1), np.stack([b, b], axis=1)
    found = run(truth, np.stack([a, spoiled], axis=1), second, multioutput="raw_values")
    alone = run(y, a, b)
    for name in ("difference", "low", "high", "standard_error", "p_value", "n_undefined"):
        assert_same(getattr(found, name)[0], getattr(alone, name), rtol=1e-4)
    assert np.isnan(found.low[1])
    assert int(found.n_undefined[1]) == 50


def test_holm(rng: np.random.Generator) -> None:
    p = rng.random((7, 4)).astype(np.float32) ** 2
    expected = np.stack([multipletests(column, method="holm")[1] for column in p.T], axis=1)
    assert_same(holm(jnp.asarray(p)), expected, rtol=1e-5)
    some = jnp.array([0.02, jnp.nan, 0.03])
    assert_same(holm(some), np.array([0.04, np.nan, 0.04]), rtol=1e-5)


def test_labels_are_compared_by_cells_of_three(rng: np.random.Generator) -> None:
    y, a, b = rng.integers(0, 2, (3, 60))
    found = paired_bootstrap(KEY, accuracy_score, y, a, b, n_resamples=1000, method="basic")
    gap = (y == a).astype(float) - (y == b)
    assert float(found.standard_error) == pytest.approx(gap.std() / np.sqrt(60), rel=0.1)
    assert_same(found.difference, gap.mean(), rtol=1e-5)


def exact_p_value(gap: np.ndarray) -> float:
    """Of all exchanges of a mean."""
    signs = np.array(list(itertools.product([1, -1], repeat=len(gap))))
    sums = np.abs(signs @ gap)
    return float(np.mean(sums >= np.abs(gap.sum()) - 1e-6))


@pytest.mark.parametrize("grouped", [False, True])
def test_permutations_have_the_exact_p_value(grouped: bool, rng: np.random.Generator) -> None:
    y, a, b = regressions(rng, 10)
    groups = np.arange(10) % 7 if grouped else None
    gap = (np.abs(y - a) - np.abs(y - b)).astype(np.float64)
    units = np.bincount(np.arange(10) % 7, gap) if grouped else gap
    run = functools.partial(permutation_test, KEY, mean_absolute_error, n_resamples=3000)
    found = run(y, a, b, groups=groups)
    assert_same(found.difference, gap.mean(), rtol=1e-4)
    p_value = exact_p_value(units)
    assert float(found.p_value) == pytest.approx(p_value, abs=4 * np.sqrt(0.25 / 3000))
    assert float(np.std(found.distribution)) == pytest.approx(
        np.sqrt(np.sum(units**2)) / 10, rel=0.06
    )


def test_permutations_of_scores_and_of_lists(rng: np.random.Generator) -> None:
    y, a = scored(rng)
    b = (a + rng.normal(0, 1, 40)).astype(np.float32)
    where = np.arange(40) < 30
    run = functools.partial(permutation_test, KEY, roc_auc_score, n_resamples=60)
    found = run(y, a, b, where=where)
    expected = roc_auc_score(y[:30], a[:30]) - roc_auc_score(y[:30], b[:30])
    assert_same(found.difference, expected, rtol=1e-4)
    changed = a.copy()
    changed[30:] = np.nan
    assert_same(run(y, changed, b, where=where), found)
    relevance, first, second = rng.integers(0, 3, (3, 8, 5))
    by_list: Any = [ndcg_score(relevance, s, average=None) for s in (first, second)]
    lists = permutation_test(KEY, ndcg_score, relevance, first, second, n_resamples=500)
    gap = np.asarray(by_list[0] - by_list[1], np.float64)
    assert_same(lists.difference, gap.mean(), rtol=1e-4)
    assert float(lists.p_value) == pytest.approx(exact_p_value(gap), abs=0.09)


def test_labels_are_exchanged_by_cells(rng: np.random.Generator) -> None:
    """Of cells of three labels, a sample of those where the models differ changes sides."""
    y, a, b = rng.integers(0, 2, (3, 12))
    where = np.arange(12) < 10
    run = functools.partial(permutation_test, KEY, accuracy_score, where=where, n_resamples=3000)
    found = run(y, a, b)
    gap = ((y == a).astype(float) - (y == b))[:10]
    assert_same(found.difference, gap.mean(), rtol=1e-5)
    assert float(found.p_value) == pytest.approx(exact_p_value(gap), abs=4 * np.sqrt(0.25 / 3000))
    by_sample = run(y, a, b, groups=np.arange(12))
    for one, other in itertools.combinations((found, by_sample), 2):
        assert float(jnp.std(one.distribution)) == pytest.approx(
            float(jnp.std(other.distribution)), rel=0.06
        )
    reached = np.unique(np.rint(10 * np.asarray(found.distribution)))
    steps = np.abs(gap).sum()
    assert set(reached.tolist()) <= set(np.arange(-steps, steps + 1, 2).tolist())


def test_progress_of_exchanges_shows_and_changes_nothing(
    rng: np.random.Generator, capsys: Any
) -> None:
    y, a, b = regressions(rng)
    run = functools.partial(permutation_test, KEY, mean_absolute_error, y, a, b, n_resamples=50)
    assert_same(run(progress=True), run(), rtol=1e-6)
    assert "50/50" in capsys.readouterr().err
    labels = [v > 0 for v in (y, a, b)]
    run = functools.partial(permutation_test, KEY, accuracy_score, *labels, n_resamples=50)
    assert_same(run(progress=True, batch_size=7), run())


def test_models_that_are_alike(rng: np.random.Generator) -> None:
    y, a, _ = regressions(rng)
    found = permutation_test(KEY, mean_absolute_error, y, a, a, n_resamples=50)
    assert (float(found.difference), float(found.p_value)) == (0, 1)


def test_predictions_of_other_shapes_are_named() -> None:
    with pytest.raises(ValueError, match="pred_b"):
        permutation_test(KEY, mean_absolute_error, [0.0, 1.0], [0.0, 1.0], [0.0])
    with pytest.raises(ValueError, match="pred_b"):
        paired_bootstrap(KEY, mean_absolute_error, [0.0, 1.0], [0.0, 1.0], [0.0])


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (0, TypeError),
        (None, TypeError),
        ([0, 1], TypeError),
        (np.zeros(2, np.float32), TypeError),
        (jnp.zeros(2), TypeError),
        (jax.random.split(KEY, 3), ValueError),
        (jax.random.split(jax.random.PRNGKey(0), 3), ValueError),
    ],
)
def test_what_is_not_one_key_is_named(key: Any, kind: type[Exception]) -> None:
    y, p = [0.0, 1.0], [0.5, 0.5]
    calls: list[Callable[..., Any]] = [
        lambda key: bootstrap(key, mean_absolute_error, y, p),
        lambda key: paired_bootstrap(key, mean_absolute_error, y, p, p),
        lambda key: compare(key, mean_absolute_error, y, p, [p]),
        lambda key: permutation_test(key, mean_absolute_error, y, p, p),
    ]
    if key is not None:
        calls.append(lambda key: confidence_interval(accuracy_score, [0, 1], [0, 1], key=key))
    for call in calls:
        with pytest.raises(kind, match=r"`key` must be one random key of `jax.random`.*got"):
            call(key)


def test_keys_may_be_mapped_over(rng: np.random.Generator) -> None:
    y, p, _ = regressions(rng, 5)

    def estimate(key):
        return bootstrap(key, mean_absolute_error, y, p, n_resamples=4, method="normal").low

    keys = jax.random.split(KEY, 2)
    assert_same(jax.vmap(estimate)(keys), np.array([estimate(key) for key in keys]), rtol=1e-5)
