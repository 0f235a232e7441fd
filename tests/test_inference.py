"""Influence, standard errors and the intervals that follow, against their textbook forms."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from jmetrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    inference,
    jaccard_score,
    matthews_corrcoef,
    mean_absolute_error,
    mean_squared_error,
    mean_squared_log_error,
    ndcg_score,
    r2_score,
    recall_score,
    roc_auc_score,
    specificity_score,
    top_k_accuracy_score,
    zero_one_loss,
)
from jmetrics.inference import (
    bootstrap,
    compare,
    confidence_interval,
    delong_interval,
    infinitesimal_jackknife,
    influence,
    paired_bootstrap,
    proportion_interval,
    standard_error,
)
from tests.compare import assert_same

KEY = jax.random.key(3)


def scored(rng: np.random.Generator, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores with ties."""
    y = np.append([1, 0], rng.random(n - 2) < 0.4)
    return y, (np.round(3 * (y + rng.normal(0, 1, n))) / 3).astype(np.float32)


def components(y: np.ndarray, score: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What each sample adds to the error of the AUC: how it does against the other class."""
    positive = y == 1
    v, w = weight[positive], weight[~positive]
    gap = score[positive][:, None] - score[~positive][None]
    right = (gap > 0) + 0.5 * (gap == 0)
    of_positives, of_negatives = right @ w / w.sum(), v @ right / v.sum()
    auc = v @ of_positives / v.sum()
    parts = np.zeros(len(y))
    parts[positive] = v / v.sum() * (of_positives - auc)
    parts[~positive] = w / w.sum() * (of_negatives - auc)
    return parts


@pytest.mark.parametrize("weighted", [False, True])
def test_influence_on_the_auc_is_delongs(weighted: bool, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    weight = rng.integers(0, 5, 40) / 4 if weighted else np.ones(40)
    given = weight.astype(np.float32) if weighted else None
    parts = components(y, score, weight)
    assert_same(influence(roc_auc_score)(y, score, sample_weight=given), parts, rtol=1e-4)
    error = standard_error(roc_auc_score)(y, score, sample_weight=given)
    assert float(error) == pytest.approx(np.sqrt(np.sum(parts**2)), rel=1e-5)


def test_influence_is_what_is_lost_without_a_sample(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 400))
    found = influence(r2_score)(y.astype(np.float32), p.astype(np.float32))

    def r2(y, p):
        return 1 - np.sum((y - p) ** 2) / np.sum((y - y.mean()) ** 2)

    lost = [r2(y, p) - r2(np.delete(y, i), np.delete(p, i)) for i in range(20)]
    np.testing.assert_allclose(np.asarray(found)[:20], lost, rtol=0.02, atol=3e-5)
    assert np.sum(found) == pytest.approx(0, abs=1e-5)


def test_influence_of_groups_adds_up_that_of_their_samples(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 25, 3)).astype(np.float32)
    groups = rng.integers(0, 6, 25)
    groups[groups == 4] = 5

    def raw(y, p, **given):
        return mean_squared_error(y, p, multioutput="raw_values", **given)

    alone = np.asarray(influence(raw)(y, p))
    together = np.stack([alone[groups == g].sum(axis=0) for g in range(6)])
    assert_same(influence(raw)(y, p, groups=groups), together, rtol=1e-4)
    padded = jax.jit(lambda y, p, g: influence(raw)(y, p, groups=g, num_groups=8))(y, p, groups)
    assert_same(padded, np.append(together, np.zeros((2, 3)), axis=0), rtol=1e-4)
    error = standard_error(raw)(y, p, groups=groups)
    assert_same(error, np.sqrt(np.sum(together**2, axis=0)), rtol=1e-4)
    with pytest.raises(ValueError, match="num_groups"):
        jax.jit(lambda g: influence(raw)(y, p, groups=g))(groups)
    assert np.all(np.isnan(influence(raw)(y, p, groups=groups, num_groups=3)))


def test_counts_that_grow_with_the_samples_have_the_variance_of_multinomials() -> None:
    y, p = [1, 1, 1, 0, 0], [1, 1, 0, 0, 1]
    error = standard_error(confusion_matrix)(y, p, num_classes=2)
    share = np.array([[0.2, 0.2], [0.2, 0.4]])
    assert_same(error, np.sqrt(5 * share * (1 - share)), rtol=1e-5)


@pytest.mark.parametrize("metric", [accuracy_score, roc_auc_score])
def test_standard_error_of_a_mask_is_that_of_the_rest(metric, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    score = score if metric is roc_auc_score else (score > 0.5).astype(np.float32)
    where = rng.random(40) < 0.7
    expected = standard_error(metric)(y[where], score[where])
    score[~where] = np.nan
    assert_same(standard_error(metric)(y, score, where=where), expected, rtol=1e-5)
    assert not np.any(np.asarray(influence(metric)(y, score, where=where))[~where])


def test_standard_error_of_a_mean(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 25)).astype(np.float32)
    expected = np.std(np.abs(y - p)) / np.sqrt(25)
    assert float(standard_error(mean_absolute_error)(y, p)) == pytest.approx(expected, rel=1e-5)
    assert float(jax.jit(standard_error(mean_absolute_error))(y, p)) == pytest.approx(
        expected, rel=1e-5
    )


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


@pytest.mark.parametrize("scale", ["linear", "logit"])
def test_jackknife_is_a_normal_interval(scale: str, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    found = infinitesimal_jackknife(roc_auc_score)(y, score, scale=scale, confidence_level=0.9)
    auc, error = float(found.estimate), float(np.sqrt(np.sum(components(y, score, 1 + 0 * y) ** 2)))
    reach = scipy.stats.norm.ppf(0.95) * error
    ends = auc - reach, auc + reach
    if scale == "logit":
        reach, odds = reach / (auc * (1 - auc)), np.log(auc / (1 - auc))
        ends = tuple(1 / (1 + np.exp(-(odds + step))) for step in (-reach, reach))
    assert_same((found.low, found.high), ends, rtol=1e-5)
    assert "jackknife" in found.method


def test_jackknife_of_several_values_and_of_lists(rng: np.random.Generator) -> None:
    relevance = rng.integers(0, 3, (12, 5))
    score = rng.normal(size=(12, 5)).astype(np.float32)
    each = np.asarray(ndcg_score(relevance, score, k=(1, 3), average=None))
    found = infinitesimal_jackknife(ndcg_score)(relevance, score, k=(1, 3))
    assert_same(found.estimate, each.mean(axis=0), rtol=1e-5)
    assert_same(found.standard_error, each.std(axis=0) / np.sqrt(12), rtol=1e-4)
    assert found.low.shape == found.high.shape == (2,)


@pytest.mark.parametrize(
    ("metric", "wrong"),
    [(mean_absolute_error, np.nan), (mean_absolute_error, np.inf), (mean_squared_log_error, -2)],
)
def test_an_output_without_a_value_leaves_the_others_theirs(
    metric: Any, wrong: float, rng: np.random.Generator
) -> None:
    y, p = rng.random((2, 12)).astype(np.float32)
    where = np.arange(12) != 5
    spoiled = np.where(where, p, np.float32(wrong))
    truth, both = np.stack([y, y], axis=1), np.stack([p, spoiled], axis=1)
    for function in (influence(metric), infinitesimal_jackknife(metric)):
        expected = jax.tree.leaves(function(y, p))
        found = jax.tree.leaves(function(truth, both, multioutput="raw_values"))
        assert_same([np.asarray(a)[..., 0] for a in found], expected, rtol=1e-4)
        assert np.all(np.isnan(np.asarray(found[-1])[..., 1]))
    error = standard_error(metric)
    masked = error(truth, both, where=where, multioutput="raw_values")
    assert_same(masked, np.repeat(error(y, p, where=where), 2), rtol=1e-5)


def test_a_robust_output_keeps_its_own_influence(rng: np.random.Generator) -> None:
    """What a function makes of NaN is its own."""
    y, p = rng.normal(size=(2, 9, 2)).astype(np.float32)
    p[2, 0] = np.nan

    def means(y_true, y_pred, *, sample_weight, where):
        del where
        weight = jnp.where(jnp.isnan(y_pred), 0, sample_weight[:, None])
        gap = jnp.where(jnp.isnan(y_pred), 0, y_true - y_pred)
        return jnp.sum(weight * gap, axis=0) / jnp.sum(weight, axis=0)

    found = np.asarray(influence(means)(y, p))
    kept = np.delete(y - p, 2, axis=0)[:, 0]
    expected = np.insert((kept - kept.mean()) / 8, 2, 0)
    assert_same(found[:, 0], expected, rtol=1e-4)


def test_what_is_no_scale_is_named() -> None:
    with pytest.raises(ValueError, match="scale"):
        infinitesimal_jackknife(roc_auc_score)([0, 1], [0.25, 0.5], scale="log")


@pytest.mark.parametrize(
    ("metric", "hits", "total"),
    [
        (accuracy_score, 3, 5),
        (zero_one_loss, 2, 5),
        (recall_score, 2, 3),
        (specificity_score, 1, 2),
        (jaccard_score, 2, 4),
    ],
)
def test_shares_of_samples_get_wilsons_interval(metric, hits: int, total: int) -> None:
    y, p = [1, 1, 1, 0, 0], [1, 1, 0, 0, 1]
    found = confidence_interval(metric, y, p)
    assert found.method == "wilson"
    expected = proportion_interval(hits, total)
    assert_same((found.low, found.high), (expected.low, expected.high), rtol=1e-6)
    assert_same(found.estimate, metric(y, p))


def test_a_perfect_share_has_an_interval_and_so_has_a_masked_one() -> None:
    found = confidence_interval(recall_score, [1, 1, 1, 0], [1, 1, 1, 0])
    assert_same((found.low, found.high), (3 / (3 + 1.959964**2), 1.0), rtol=1e-5)
    where = [True, True, True, False]
    masked = confidence_interval(recall_score, [1, 1, 1, 5], [1, 1, 1, 1], where=where)
    assert_same((masked.low, masked.high), (found.low, found.high))
    for given in ({"where": where}, {"sample_weight": where}):
        wrong = confidence_interval(accuracy_score, [0, 1, 1, 0], [1, 1, 1, 1], **given)
        assert_same(wrong.estimate, 2 / 3)
    illegal = confidence_interval(recall_score, [1, 1, 2], [1, 1, 1])
    assert all(np.isnan(v) for v in (illegal.estimate, illegal.low, illegal.high))


def test_a_proportion_of_rows_gets_wilsons_interval_too() -> None:
    truth, guess = np.eye(3, dtype=int)[[0, 1, 2, 1]], np.eye(3, dtype=int)[[0, 1, 1, 1]]
    for metric in (accuracy_score, functools.partial(top_k_accuracy_score, k=1)):
        y_true = truth if metric is accuracy_score else np.argmax(truth, axis=1)
        found = confidence_interval(metric, y_true, guess)
        assert found.method == "wilson"
        expected = proportion_interval(3, 4)
        assert_same((found.low, found.high), (expected.low, expected.high), rtol=1e-6)


def test_hits_of_decisions_are_counted_at_the_threshold_of_decisions() -> None:
    found = confidence_interval(top_k_accuracy_score, [1, 1, 1, 0], [0.3, 0.3, 2, -2], k=1)
    expected = proportion_interval(4, 4)
    assert_same((found.estimate, found.low, found.high), (1, expected.low, expected.high))


def test_everything_else_is_resampled(rng: np.random.Generator) -> None:
    y, p = [1, 1, 1, 0, 0], [1, 1, 0, 0, 1]
    found = confidence_interval(f1_score, y, p, key=KEY, n_resamples=50)
    assert found.method == "bca"
    expected = bootstrap(KEY, f1_score, y, p, n_resamples=50)
    assert_same((found.low, found.high), (expected.low, expected.high))
    dependent = confidence_interval(accuracy_score, y, p, groups=[0, 0, 1, 1, 2], n_resamples=50)
    assert dependent.method == "bca"


def test_the_auc_gets_delongs_interval(rng: np.random.Generator) -> None:
    y, score = scored(rng)
    found = confidence_interval(roc_auc_score, y, score)
    expected = delong_interval(y, score)
    assert_same((found.low, found.high), (expected.low, expected.high))
    assert found.method == "DeLong, logit"


@pytest.mark.parametrize("metric", [roc_auc_score, average_precision_score])
def test_errors_of_many_samples_do_not_drift(metric: Any, rng: np.random.Generator) -> None:
    """Adding up differences of what was rounded would be off by 1e-5 at this size."""
    n = 1 << 16
    positive = rng.random(n) < np.linspace(0.6, 0.1, n)  # by falling score
    tp, fp = np.cumsum(positive), np.cumsum(~positive)
    if metric is roc_auc_score:
        over = np.where(positive, 1 - fp / fp[-1], tp / tp[-1])
        total = np.where(positive, tp[-1], fp[-1])
        parts = (over - np.mean(over[positive])) / total
    else:
        pred = tp + fp
        gain, loss = (
            np.cumsum(np.where(positive, count / pred**2, 0)[::-1])[::-1] for count in (fp, tp)
        )
        precision = tp / pred
        own = precision - precision[positive].mean() + gain
        parts = np.where(positive, own, -loss) / tp[-1]
    item = rng.permutation(n)
    y, score = np.empty(n, np.int32), np.empty(n, np.float32)
    y[item], score[item] = positive, n - np.arange(n)
    expected = np.sqrt(np.sum(parts**2))
    assert float(standard_error(metric)(y, score)) == pytest.approx(expected, rel=5e-7)


NEARLY_RIGHT = np.arange(30) % 2, np.append([1], np.arange(1, 30) % 2)
NOTED: list[Any] = [
    (matthews_corrcoef, {"num_classes": 2}, 1),
    (accuracy_score, {}, 1),
    (f1_score, {"average": None, "num_classes": 2}, 1),
    (mean_squared_error, {}, 0),
]


@pytest.mark.parametrize(("metric", "options", "end"), NOTED)
def test_ends_of_intervals_are_values_that_there_are(metric: Any, options: Any, end: int) -> None:
    """Of another function nothing is known, and its interval goes on."""
    y_true, y_pred = NEARLY_RIGHT
    given = functools.partial(metric, **options)

    @functools.wraps(metric)
    def other(y_true: Any, y_pred: Any, **arguments: Any) -> Any:
        return given(y_true, y_pred, **arguments)

    for interval in (
        lambda f: infinitesimal_jackknife(f)(y_true, y_pred),
        lambda f: bootstrap(KEY, f, y_true, y_pred, n_resamples=50, method="normal"),
        lambda f: bootstrap(KEY, f, y_true, y_pred, n_resamples=50, method="basic"),
    ):
        inside, free = interval(given), interval(other)
        beyond = free.high if end else free.low
        assert np.all(beyond > 1 if end else beyond < 0)
        assert np.all((inside.high if end else inside.low) == end)
        assert_same(inside.estimate, free.estimate)


def test_ends_of_differences_are_differences_that_there_are() -> None:
    y_true, y_pred = NEARLY_RIGHT
    for method in ("normal", "basic", "studentized"):
        found = paired_bootstrap(
            KEY, accuracy_score, y_true, y_pred, 1 - y_pred, n_resamples=50, method=method
        )
        assert 0.8 < found.difference <= found.high <= 1
    of_each = compare(
        KEY,
        matthews_corrcoef,
        y_true,
        y_pred,
        [1 - y_pred, y_pred],
        n_resamples=50,
        method="normal",
    )
    assert_same(of_each.low, np.array([-2.0, 0.0]))


def test_ends_where_a_number_stands_for_what_is_undefined() -> None:
    """One label that never occurs, in a jitted call that is told the number later."""
    y_true, y_pred = NEARLY_RIGHT
    interval = jax.jit(
        lambda zero: infinitesimal_jackknife(f1_score)(
            y_true, y_pred, average=None, labels=(0, 2), zero_division=zero
        )
    )
    assert_same(interval(1.5).high, np.array([1.033062, 1.5]))
    assert_same(interval(0.0).high, np.array([1.0, 0.0]))


def test_an_estimate_beyond_its_range_is_in_its_interval() -> None:
    """As of probabilities that do not sum to 1."""
    found = infinitesimal_jackknife(brier_score_loss)(
        [0, 1, 2, 0], [[0.0, 1.0, 1.0]] * 2 + [[1.0, 1.0, 0.5]] * 2
    )
    assert found.low < found.estimate <= found.high


def test_a_linear_interval_of_an_area() -> None:
    y_true = np.arange(12) % 2
    score = np.where(np.arange(12) < 1, 0.7, y_true)
    assert delong_interval(y_true, score, scale="linear").high == 1


def test_the_old_name_of_the_infinitesimal_jackknife_warns() -> None:
    y, p = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 7.0]
    with pytest.warns(DeprecationWarning, match="`infinitesimal_jackknife`") as caught:
        old = inference.jackknife(mean_absolute_error)  # type: ignore[attr-defined]
    assert caught[0].filename == __file__
    assert old(y, p) == infinitesimal_jackknife(mean_absolute_error)(y, p)
    assert "jackknife" not in inference.__all__
