"""Standard errors and bootstrap intervals against their textbook forms."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jmetrics import (
    accuracy_score,
    inference,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
    roc_auc_score,
)
from jmetrics.inference import bootstrap, draw_counts, standard_error
from tests.compare import assert_same

KEY = jax.random.key(3)

pytestmark = pytest.mark.usefixtures("quick_compile")


def scored(rng: np.random.Generator, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores with ties."""
    y = np.append([1, 0], rng.random(n - 2) < 0.4)
    return y, (np.round(3 * (y + rng.normal(0, 1, n))) / 3).astype(np.float32)


def delong(y: np.ndarray, score: np.ndarray, weight: np.ndarray) -> float:
    """From the structural components: how well each sample does against the other class."""
    positive = y == 1
    v, w = weight[positive], weight[~positive]
    gap = score[positive][:, None] - score[~positive][None]
    right = (gap > 0) + 0.5 * (gap == 0)
    of_positives, of_negatives = right @ w / w.sum(), v @ right / v.sum()
    auc = v @ of_positives / v.sum()
    parts = v / v.sum() * (of_positives - auc), w / w.sum() * (of_negatives - auc)
    return float(np.sqrt(sum(np.sum(part**2) for part in parts)))


@pytest.mark.parametrize("weighted", [False, True])
def test_standard_error_of_auc_is_delongs(weighted: bool, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    weight = rng.integers(0, 5, 40) / 4 if weighted else np.ones(40)
    given = weight.astype(np.float32) if weighted else None
    error = standard_error(roc_auc_score)(y, score, sample_weight=given)
    assert float(error) == pytest.approx(delong(y, score, weight), rel=1e-5)


@pytest.mark.parametrize("metric", [accuracy_score, roc_auc_score])
def test_standard_error_of_a_mask_is_that_of_the_rest(metric, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    score = score if metric is roc_auc_score else (score > 0.5).astype(np.float32)
    where = rng.random(40) < 0.7
    expected = standard_error(metric)(y[where], score[where])
    score[~where] = np.nan
    assert_same(standard_error(metric)(y, score, where=where), expected, rtol=1e-5)


def test_standard_error_of_a_mean(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 25)).astype(np.float32)
    expected = np.std(np.abs(y - p)) / np.sqrt(25)
    assert float(standard_error(mean_absolute_error)(y, p)) == pytest.approx(expected, rel=1e-5)
    assert float(jax.jit(standard_error(mean_absolute_error))(y, p)) == pytest.approx(
        expected, rel=1e-5
    )


def test_standard_error_of_each_output(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 25, 3)).astype(np.float32)
    errors = standard_error(mean_squared_error)(y, p, multioutput="raw_values")
    assert_same(errors, np.std((y - p) ** 2, axis=0) / np.sqrt(25), rtol=1e-5)


def test_standard_error_is_nan_where_the_metric_is() -> None:
    assert np.isnan(standard_error(roc_auc_score)([1, 1], [0.25, 0.5]))
    assert np.isnan(standard_error(roc_auc_score)([1, 0], [np.nan, 0.5]))
    empty = np.zeros(0, np.float32)
    assert np.isnan(standard_error(mean_squared_error)(empty, empty))


def test_standard_error_of_a_perfect_model_is_0_with_a_gradient_of_0() -> None:
    y = np.array([0, 1, 1], np.float32)

    def error(p):
        return standard_error(mean_squared_error)(y, p)

    value, gradient = jax.value_and_grad(error)(jnp.asarray(y))
    assert float(value) == 0
    assert gradient.tolist() == [0, 0, 0]


def test_standard_error_covers_the_spread_of_fresh_samples(rng: np.random.Generator) -> None:
    """Mean of the estimates over many data sets against the real spread."""
    data = [scored(rng, 200) for _ in range(300)]
    y, s = (np.stack(arrays) for arrays in zip(*data, strict=True))
    aucs = np.asarray(jax.vmap(roc_auc_score)(y, s))
    errors = np.asarray(jax.vmap(standard_error(roc_auc_score))(y, s))
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(np.std(aucs), rel=0.12)


@pytest.mark.parametrize("metric", [accuracy_score, roc_auc_score, r2_score])
def test_a_mask_draws_as_a_deletion_does(metric, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    score = (score > 0.5).astype(np.float32) if metric is accuracy_score else score
    where = np.arange(40) < 28
    run = functools.partial(bootstrap, KEY, metric, n_resamples=50)
    deleted = run(y[where], score[where])
    score[~where] = np.nan
    assert_same(run(y, score, where=where), deleted, rtol=1e-5)
    weight = where.astype(np.float32)
    assert_same(run(y, score, sample_weight=weight), deleted, rtol=1e-5)


def test_counts_are_drawn_from_the_living_alone() -> None:
    alive = jnp.array([True, False, True, True, False])
    counts = jax.vmap(lambda key: draw_counts(key, alive))(jax.random.split(KEY, 3000))
    assert np.all(np.sum(counts, axis=1) == 3)
    assert not np.any(counts[:, ~alive])
    np.testing.assert_allclose(np.mean(counts, axis=0)[alive], 1, atol=0.06)
    np.testing.assert_allclose(np.var(counts, axis=0)[alive], 2 / 3, atol=0.06)
    assert draw_counts(KEY, jnp.zeros(4, bool)).tolist() == [0, 0, 0, 0]
    assert draw_counts(KEY, jnp.zeros(0, bool)).shape == (0,)


def test_endpoints_are_percentiles_of_the_distribution(rng: np.random.Generator) -> None:
    y, score = scored(rng)
    result = bootstrap(KEY, roc_auc_score, y, score, n_resamples=200, confidence_level=0.9)
    draws = np.asarray(result.distribution)
    assert draws.shape == (200,)
    assert_same((result.low, result.high), np.nanpercentile(draws, [5, 95]).tolist(), rtol=1e-6)
    assert_same(result.standard_error, np.nanstd(draws, ddof=1), rtol=1e-5)
    assert_same(result.estimate, roc_auc_score(y, score), rtol=1e-6)


def test_undefined_resamples_are_counted_and_left_out() -> None:
    """Three samples with one negative: many resamples have one class only."""
    y, score = [1, 1, 0], [0.75, 0.25, 0.5]
    result = bootstrap(KEY, roc_auc_score, y, score, n_resamples=400)
    draws = np.asarray(result.distribution)
    undefined = int(result.n_undefined)
    assert undefined == np.isnan(draws).sum()
    assert undefined / 400 == pytest.approx((2 / 3) ** 3 + (1 / 3) ** 3, abs=0.08)
    assert_same((result.low, result.high), np.nanpercentile(draws, [2.5, 97.5]).tolist())
    one_class = bootstrap(KEY, roc_auc_score, [1, 1], [0.5, 0.25], n_resamples=20)
    assert int(one_class.n_undefined) == 20
    assert all(np.isnan(one_class[:4]))


def test_the_same_distribution_as_gathering_rows(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 30)).astype(np.float32)
    weight = rng.integers(1, 6, 30).astype(np.float32)
    rows = rng.integers(0, 30, (4000, 30))
    gathered = np.sum(weight[rows] * np.abs(y - p)[rows], 1) / np.sum(weight[rows], 1)
    draws = [
        bootstrap(
            key, mean_absolute_error, y, p, sample_weight=weight, n_resamples=1000
        ).distribution
        for key in jax.random.split(KEY, 4)
    ]
    pooled = np.concatenate(draws)
    noise = np.std(gathered) / np.sqrt(4000)
    assert np.mean(pooled) == pytest.approx(np.mean(gathered), abs=6 * noise)
    assert np.std(pooled) == pytest.approx(np.std(gathered), rel=0.06)
    for q in (2.5, 50, 97.5):
        expected = np.percentile(gathered, q)
        assert np.percentile(pooled, q) == pytest.approx(expected, abs=10 * noise)


def test_seeds_decide(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 20)).astype(np.float32)
    run = functools.partial(bootstrap, metric=mean_squared_error, y_true=y, y_pred=p, n_resamples=9)
    first, again, other = (run(jax.random.key(seed)).distribution for seed in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()
    assert len(set(first.tolist())) == 9


@pytest.mark.parametrize("batch_size", [1, 7, 50, 1000])
def test_batches_change_nothing(batch_size: int, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    run = functools.partial(bootstrap, KEY, roc_auc_score, y, score, n_resamples=50)
    assert_same(run(batch_size=batch_size), run(), rtol=1e-6)


def test_a_constant_metric_has_an_interval_of_no_width() -> None:
    y, p = np.full(8, 4.0, np.float32), np.full(8, 1.5, np.float32)
    result = bootstrap(KEY, mean_absolute_error, y, p, n_resamples=50)
    assert [float(v) for v in result[:4]] == [2.5, 2.5, 2.5, 0]


def test_under_jit_and_for_several_outputs(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 20, 3)).astype(np.float32)

    def raw(y_true, y_pred, **given):
        return mean_squared_error(y_true, y_pred, multioutput="raw_values", **given)

    result = bootstrap(KEY, raw, y, p, n_resamples=30)
    assert result.distribution.shape == (30, 3)
    assert all(field.shape == (3,) for field in (*result[:4], result.n_undefined))
    compiled = jax.jit(lambda key, y, p: bootstrap(key, raw, y, p, n_resamples=30))
    assert_same(compiled(KEY, y, p), result)


def test_entry_masks_resample_whole_samples(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 20, 3)).astype(np.float32)
    where = rng.random((20, 3)) < 0.6
    where[3] = False
    kept = np.arange(20) != 3
    run = functools.partial(bootstrap, KEY, mean_squared_error, n_resamples=30)
    deleted = run(y[kept], p[kept], where=where[kept])
    y[~where] = np.nan
    assert_same(run(y, p, where=where), deleted, rtol=1e-5)


def test_the_confidence_level_is_traced(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 20)).astype(np.float32)

    def width(level):
        result = bootstrap(KEY, mean_squared_error, y, p, n_resamples=100, confidence_level=level)
        return result.high - result.low

    widths = jax.vmap(width)(jnp.array([0.5, 0.9, 0.99]))
    assert np.all(np.diff(widths) > 0)
    assert np.isnan(width(jnp.float32(1.5)))


@pytest.mark.parametrize(
    ("argument", "kind", "arguments"),
    [
        ("n_resamples", ValueError, {"n_resamples": 0}),
        ("n_resamples", TypeError, {"n_resamples": 2.5}),
        ("batch_size", ValueError, {"batch_size": 0}),
        ("confidence_level", ValueError, {"confidence_level": [0.9, 0.95]}),
        ("confidence_level", ValueError, {"confidence_level": 95}),
        ("sample_weight", ValueError, {"sample_weight": [1.0]}),
        ("where", TypeError, {"where": [1, 0]}),
        ("where", ValueError, {"where": [True]}),
    ],
)
def test_mistakes_are_named(argument: str, kind: type[Exception], arguments: dict) -> None:
    with pytest.raises(kind, match=argument):
        bootstrap(KEY, log_loss, [0, 1], [0.25, 0.5], **arguments)


def test_lengths_are_named() -> None:
    for inferred in (standard_error(log_loss), functools.partial(bootstrap, KEY, log_loss)):
        with pytest.raises(ValueError, match=r"y_p"):
            inferred([0, 1], [0.25])


def test_fields_are_described() -> None:
    assert inference.Bootstrap.__doc__
