"""Bootstrap intervals against their textbook forms, scipy's, and rows drawn one by one."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from jmetrics import (
    accuracy_score,
    average_precision_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    log_loss,
    max_error,
    mean_absolute_error,
    mean_squared_error,
    ndcg_score,
    precision_recall_fscore_support,
    r2_score,
    roc_auc_score,
)
from jmetrics.inference import Bootstrap, bootstrap, paired_bootstrap
from jmetrics.inference._drawing.draws import draw
from jmetrics.inference._drawing.units import SampleInfo, samples_of
from jmetrics.inference._reweighting.problem import Problem, make_problem
from jmetrics.inference._reweighting.routes import (
    SortedMetric,
    SummedMetric,
    in_cells,
    precompute_invariants,
)
from jmetrics.inference.resampling import MetricResampling, _at_once
from tests.compare import assert_same
from tests.test_inference import scored

KEY = jax.random.key(3)
METHODS = ("percentile", "basic", "bca", "normal", "studentized")


def errors(rng: np.random.Generator, n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    y = rng.normal(size=n)
    return y.astype(np.float32), (y + rng.exponential(1, n)).astype(np.float32)


def posed(metric: Any, y_true: Any, *predictions: Any, **given: Any) -> Problem:
    named = {f"prediction {i}": y_pred for i, y_pred in enumerate(predictions)}
    return make_problem(metric, y_true, named, SampleInfo(**given), {})


@functools.cache
def mean_error_resampled(method: str) -> tuple[np.ndarray, Bootstrap]:
    """Absolute errors, and what their mean is said to be."""
    y, p = errors(np.random.default_rng(20))
    run = functools.partial(bootstrap, KEY, mean_absolute_error, y, p)
    return np.abs(y - p), run(n_resamples=200, confidence_level=0.9, method=method)


@pytest.mark.parametrize("method", METHODS[:3])
def test_endpoints_are_scipys_from_the_same_resamples(method: str) -> None:
    each, found = mean_error_resampled(method)
    draws = np.asarray(found.distribution, np.float64)
    peer = scipy.stats.bootstrap(
        (each.astype(np.float64),),
        np.mean,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=draws),
        confidence_level=0.9,
        method={"bca": "BCa"}.get(method, method),
    )
    assert_same((found.low, found.high), tuple(peer.confidence_interval), rtol=1e-5)
    assert_same(found.standard_error, np.std(draws, ddof=1), rtol=1e-4)
    assert_same(found.bias, np.mean(draws) - each.mean(), rtol=1e-2)
    assert_same(found.estimate, each.mean())


def test_normal_and_studentized_endpoints() -> None:
    each, normal = mean_error_resampled("normal")
    reach = 1.644854 * np.std(np.asarray(normal.distribution), ddof=1)
    assert_same((normal.low, normal.high), (each.mean() - reach, each.mean() + reach), rtol=1e-5)
    _, found = mean_error_resampled("studentized")
    samples = samples_of(SampleInfo(), 30, jnp.float32)
    draws = jax.vmap(lambda key: draw(key, samples, "multinomial"))
    times = np.asarray(draws(jax.random.split(KEY, 200)), np.float64)
    means = times @ each / 30
    assert_same(found.distribution, means, rtol=1e-5)
    spread = np.sqrt((times * (each[None] - means[:, None]) ** 2).sum(axis=1)) / 30
    low, high = np.percentile((means - each.mean()) / spread, [5, 95])
    error = each.std() / np.sqrt(30)
    ends = each.mean() - high * error, each.mean() - low * error
    assert_same((found.low, found.high), ends, rtol=1e-4)


@pytest.mark.parametrize("scheme", ["multinomial", "poisson", "bayesian"])
def test_every_scheme_has_the_spread_of_the_estimate(scheme: str) -> None:
    y, p = errors(np.random.default_rng(20))
    run = functools.partial(bootstrap, KEY, mean_absolute_error, y, p, n_resamples=2000)
    found = run(scheme=scheme, method="percentile")
    expected = np.std(np.abs(y - p)) / np.sqrt(30)
    assert float(found.standard_error) == pytest.approx(expected, rel=0.06)
    assert int(found.n_undefined) == 0


def test_the_same_distribution_as_gathering_rows(rng: np.random.Generator) -> None:
    y, p = errors(rng)
    weight = rng.integers(1, 6, 30).astype(np.float32)
    rows = rng.integers(0, 30, (8000, 30))
    gathered = np.sum(weight[rows] * np.abs(y - p)[rows], 1) / np.sum(weight[rows], 1)
    draws = np.asarray(
        bootstrap(
            KEY, mean_absolute_error, y, p, sample_weight=weight, n_resamples=4000
        ).distribution
    )
    noise = np.std(gathered) / np.sqrt(4000)
    assert np.mean(draws) == pytest.approx(np.mean(gathered), abs=5 * noise)
    assert np.std(draws) == pytest.approx(np.std(gathered), rel=0.06)
    assert scipy.stats.ks_2samp(draws, gathered).pvalue > 1e-3


def test_cells_have_the_same_distribution_as_samples(rng: np.random.Generator) -> None:
    y = rng.random(200) < 0.3
    p = y ^ (rng.random(200) < 0.2)
    run = functools.partial(bootstrap, KEY, f1_score, n_resamples=3000, method="percentile")
    cells = np.asarray(run(y, p).distribution)
    samples = np.asarray(run(y.astype(np.float32), p.astype(np.float32)).distribution)
    assert np.mean(cells) == pytest.approx(np.mean(samples), abs=0.1 * float(np.std(samples)))
    assert np.std(cells) == pytest.approx(np.std(samples), rel=0.08)
    assert scipy.stats.ks_2samp(cells, samples).pvalue > 1e-3


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        (accuracy_score, int),
        (roc_auc_score, float),
        (mean_absolute_error, float),
    ],
)
def test_a_mask_draws_as_a_deletion_does(metric: Any, kind: type, rng: np.random.Generator) -> None:
    """By cells, in order and by sums."""
    y, score = scored(rng)
    y, score = (y, score) if kind is float else (y.astype(int), (score > 0.5).astype(int))
    where = np.arange(40) < 28
    run = functools.partial(bootstrap, KEY, metric, n_resamples=50, method="percentile")
    deleted = run(y[where], score[where])
    score[~where] = -5 if kind is int else np.nan
    assert_same(run(y, score, where=where), deleted, rtol=1e-4)


def test_zero_weights_draw_as_a_deletion_does(rng: np.random.Generator) -> None:
    y, score = scored(rng)
    weight = np.where(np.arange(40) < 28, rng.integers(1, 5, 40) / 2, 0).astype(np.float32)
    kept = weight > 0
    groups, strata = rng.integers(0, 20, 40), y.astype(int)
    groups = groups + 100 * strata
    run = functools.partial(bootstrap, KEY, average_precision_score, n_resamples=50)
    deleted = run(
        y[kept],
        score[kept],
        sample_weight=weight[kept],
        groups=groups[kept],
        strata=strata[kept],
    )
    score[~kept] = np.nan
    found = run(y, score, sample_weight=weight, groups=groups, strata=strata)
    assert_same(found, deleted, rtol=1e-4)


def test_entry_masks_resample_whole_samples(rng: np.random.Generator) -> None:
    y, p = rng.normal(size=(2, 20, 3)).astype(np.float32)
    where = rng.random((20, 3)) < 0.6
    where[3] = False
    kept = np.arange(20) != 3
    run = functools.partial(bootstrap, KEY, mean_squared_error, n_resamples=30, method="basic")
    deleted = run(y[kept], p[kept], where=where[kept])
    y[~where] = np.nan
    assert_same(run(y, p, where=where), deleted, rtol=1e-4)


def test_groups_have_the_spread_of_their_number(rng: np.random.Generator) -> None:
    """Ten copies of each error are worth no more than one."""
    y, p = errors(rng)
    run = functools.partial(bootstrap, KEY, mean_absolute_error, n_resamples=1000, method="basic")
    many = np.repeat(y, 10), np.repeat(p, 10)
    found = run(*many, groups=np.repeat(np.arange(30), 10))
    expected = np.std(np.abs(y - p)) / np.sqrt(30)
    assert float(found.standard_error) == pytest.approx(expected, rel=0.08)


def test_strata_take_their_share_of_the_spread(rng: np.random.Generator) -> None:
    y, p = errors(rng)
    y[:15] += 50
    strata = np.arange(30) // 15
    run = functools.partial(bootstrap, KEY, mean_absolute_error, y, p, n_resamples=1000)
    found = run(strata=strata, method="basic")
    each = np.abs(y - p).reshape(2, 15)
    expected = np.sqrt(np.sum(each.var(axis=1)) * 15) / 30
    assert float(found.standard_error) == pytest.approx(expected, rel=0.08)


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        (roc_auc_score, SortedMetric),
        (mean_squared_error, SummedMetric),
        (log_loss, SummedMetric),
        (f1_score, SummedMetric),
    ],
)
def test_what_is_measured_once_has_the_values_of_the_metric(
    metric: Any, kind: type, rng: np.random.Generator
) -> None:
    y, score = scored(rng, 30)
    first, second = (1 / (1 + np.exp(-s)) for s in (score, score + rng.normal(size=30)))
    predictions = [s > 0.5 if metric is f1_score else s.astype(np.float32) for s in (first, second)]
    weight = (rng.integers(0, 4, 30) / 2).astype(np.float32)

    @jax.jit
    def fast(w):
        problem = precompute_invariants(posed(metric, y, *predictions))
        assert all(isinstance(plan, kind) for plan in problem.plans)
        return problem.values(w)

    expected = [float(metric(y, p, sample_weight=weight)) for p in predictions]
    assert_same(fast(weight)[:, 0], np.array(expected), rtol=1e-5)


def test_pairs_of_labels_are_counted(rng: np.random.Generator) -> None:
    y, p = rng.integers(0, 3, (2, 60))
    strata = rng.random(60) < 0.4
    where = rng.random(60) < 0.8
    macro = functools.partial(f1_score, average="macro", num_classes=3)
    problem = in_cells(posed(macro, y, p, where=where, strata=strata))
    for s in (False, True):
        on = where & (strata == s)
        expected = np.zeros((4, 4), int)
        expected[:3, :3] = confusion_matrix(y[on], p[on], num_classes=3)
        found = np.asarray(problem.table)[int(s)]
        cells = zip(*problem.plans[0].arrays[:2], found, strict=True)
        assert {(int(a), int(b)): int(c) for a, b, c in cells} == {
            (a, b): expected[a, b] for a in range(4) for b in range(4)
        }
    same = in_cells(posed(accuracy_score, 7 * y - 5, 7 * p - 5, where=where))
    right, wrong = (int(np.sum(where & (a := (y == p)))), int(np.sum(where & ~a)))
    assert same.table is not None
    true, predicted, *_ = same.plans[0].arrays
    assert int(np.sum(same.table[0], where=true == predicted)) == right
    assert int(np.sum(same.table[0], where=true != predicted)) == wrong
    for kept in (
        posed(macro, y, p, groups=strata),
        posed(macro, y, p, strata=strata.astype(int)),
        posed(macro, y, p, sample_weight=np.ones(60)),
        posed(functools.partial(macro, num_classes=9), y, p),
        posed(macro, y.astype(np.float32), p),
        posed(lambda y, p, **given: macro(y, p, **given), y, p),
        posed(r2_score, y, p),
    ):
        assert in_cells(kept).table is None


def test_cells_keep_their_places_whatever_the_number_of_classes() -> None:
    y, p = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 0, 1])
    cells = []
    for num_classes in (2, 3, 7):
        macro = functools.partial(f1_score, average="macro", num_classes=num_classes)
        (plan,) = in_cells(posed(macro, y, p)).plans
        cells.append(np.stack(plan.arrays[:2], axis=1)[:9].tolist())
    assert cells[0] == cells[1] == cells[2]


def test_whole_numbers_that_are_no_labels_are_drawn_as_any_others() -> None:
    """R² of one sample is undefined, and that of two that are alike is not."""
    y, p = np.array([1, 1, 1]), np.array([1, 1, 1])
    found = bootstrap(KEY, r2_score, y, p, n_resamples=50)
    floats = bootstrap(KEY, r2_score, y.astype(np.float32), p.astype(np.float32), n_resamples=50)
    assert float(found.estimate) == float(floats.estimate) == 1
    assert int(found.n_undefined) == int(floats.n_undefined) < 50


def test_labels_beyond_the_classes_are_no_class(rng: np.random.Generator) -> None:
    y, p = rng.integers(0, 4, (2, 80))
    options: dict[str, Any] = {"average": "macro", "num_classes": 3}
    found = bootstrap(KEY, f1_score, y, p, n_resamples=100, method="percentile", **options)
    assert_same(found.estimate, f1_score(y, p, **options))

    def table(y, p):
        return in_cells(make_problem(f1_score, y, {"p": p}, SampleInfo(), options)).table

    assert jax.eval_shape(table, y, p).shape == (1, 4 * 4)  # one more class, for all others


def sorts(jaxpr: Any, within: bool = False) -> Iterator[bool]:
    """Whether each sort of a program is inside a loop."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "sort":
            yield within
        loop = within or eqn.primitive.name in ("scan", "while")
        for part in jax.tree.leaves(eqn.params, is_leaf=lambda a: hasattr(a, "eqns")):
            inner = getattr(part, "jaxpr", part)
            if hasattr(inner, "eqns"):
                yield from sorts(inner, loop)


@pytest.mark.parametrize("metric", [roc_auc_score, ndcg_score])
def test_scores_are_sorted_once(metric: Any, rng: np.random.Generator) -> None:
    y, score = scored(rng)
    if metric is ndcg_score:
        y, score = y.reshape(8, 5), score.reshape(8, 5)
    problem = posed(metric, y, score)
    task = MetricResampling("percentile", "multinomial", False)
    run = functools.partial(_at_once, task=task, n_resamples=50, batch_size=10)
    found = list(sorts(jax.make_jaxpr(run)(KEY, (problem, 0.95)).jaxpr))
    assert len(found) > 1  # that of the resamples is one
    assert not any(found)


def test_lists_are_drawn(rng: np.random.Generator) -> None:
    relevance, score = rng.integers(0, 3, (40, 5)), rng.normal(size=(40, 5)).astype(np.float32)
    each = np.asarray(ndcg_score(relevance, score, average=None))
    found = bootstrap(KEY, ndcg_score, relevance, score, n_resamples=1000, method="basic")
    assert float(found.standard_error) == pytest.approx(each.std() / np.sqrt(40), rel=0.08)
    assert_same(found.estimate, each.mean(), rtol=1e-5)


def test_undefined_resamples_are_counted_and_left_out() -> None:
    """Three samples with one negative: many resamples have one class only."""
    y, score = [1, 1, 0], [0.75, 0.25, 0.5]
    result = bootstrap(KEY, roc_auc_score, y, score, n_resamples=400, method="percentile")
    draws = np.asarray(result.distribution)
    undefined = int(result.n_undefined)
    assert undefined == np.isnan(draws).sum()
    assert undefined / 400 == pytest.approx((2 / 3) ** 3 + (1 / 3) ** 3, abs=0.08)
    assert_same((result.low, result.high), np.nanpercentile(draws, [2.5, 97.5]).tolist())
    assert_same(result.standard_error, np.nanstd(draws, ddof=1), rtol=1e-5)


def test_degenerate_data_answer_with_what_is_known() -> None:
    run = functools.partial(bootstrap, KEY, n_resamples=20)
    one_class = run(roc_auc_score, [1, 1, 1], [0.5, 0.25, 0.75])
    assert int(one_class.n_undefined) == 20
    assert all(np.isnan(v) for v in one_class[:4])
    # A positive that beats all but one negative: its resamples have an area or no positive.
    one = run(roc_auc_score, [1, 0, 0], [0.5, 0.25, 0.75])
    assert float(one.estimate) == 0.5
    assert 0 < int(one.n_undefined) < 20
    assert float(one.low) <= float(one.high)
    constant = run(mean_absolute_error, [4.0] * 3, [1.5] * 3)
    assert [float(v) for v in constant[:4]] == [2.5, 2.5, 2.5, 0]
    unknown = run(mean_absolute_error, [1.0, 2.0, 3.0], [1.0, np.nan, 2.0])
    assert int(unknown.n_undefined) == 20
    assert np.isnan(unknown.low)


@pytest.mark.parametrize("metric", [max_error, roc_auc_score, mean_absolute_error])
def test_distances_in_errors_of_0_make_no_interval(metric: Any) -> None:
    """A metric that jumps, one pair of classes, and errors that are all the same."""
    y, p = [0.0, 1.0], [0.25, 1.25]
    if metric is max_error:
        y, p = [0.0, 1.0, 2.0], [0.25, 1.5, 4.0]
    found = bootstrap(KEY, metric, y, p, n_resamples=20, method="studentized")
    assert int(found.n_undefined) == 20
    assert np.isnan(found.low) and np.isnan(found.high)
    assert np.isfinite(found.estimate)


@pytest.mark.parametrize("method", ["bca", "studentized"])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_an_output_without_a_value_leaves_the_others_theirs(method: str, wrong: float) -> None:
    y, p = errors(np.random.default_rng(20))
    spoiled = np.where(np.arange(30) == 4, np.float32(wrong), p)
    run = functools.partial(
        bootstrap, KEY, mean_absolute_error, n_resamples=50, method=method, multioutput="raw_values"
    )
    both = np.stack([y, y], axis=1)
    found = run(both, np.stack([p, spoiled], axis=1))
    expected = run(both, np.stack([p, p], axis=1))
    assert_same([v[..., 0] for v in found], [v[..., 0] for v in expected], rtol=1e-4)
    assert_same(found.estimate[1], wrong)
    assert np.isnan(found.low[1]) and np.isnan(found.high[1])
    assert int(found.n_undefined[1]) == 50


def test_bca_holds_where_the_bias_is_beyond_all_resamples(rng: np.random.Generator) -> None:
    """The most distinct values that there are: every resample has fewer."""
    y, p = errors(rng)

    def distinct(y_true, y_pred, *, sample_weight, where):
        del y_pred, where
        return jnp.sum((sample_weight > 0).astype(y_true.dtype))

    found = bootstrap(KEY, distinct, y, p, n_resamples=50)
    assert np.all(found.distribution < found.estimate)
    least, most = np.min(found.distribution), np.max(found.distribution)
    assert least <= float(found.low) <= float(found.high) <= most


def test_seeds_decide(rng: np.random.Generator) -> None:
    y, p = errors(rng)
    run = functools.partial(
        bootstrap, metric=mean_absolute_error, y_true=y, y_pred=p, n_resamples=200
    )
    first, again, other = (run(jax.random.key(seed)).distribution for seed in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()
    assert len(set(first.tolist())) > 190
    assert run(jax.random.PRNGKey(0)).distribution.tolist() == first.tolist()


@pytest.mark.parametrize("batch_size", [1, 77])
def test_batches_change_nothing(batch_size: int, rng: np.random.Generator) -> None:
    y, p = errors(rng)
    run = functools.partial(bootstrap, KEY, mean_absolute_error, y, p, n_resamples=200)
    found = run(batch_size=batch_size, method="percentile")
    _, expected = mean_error_resampled("percentile")
    assert_same(found.distribution, expected.distribution, rtol=1e-6)


def test_several_values_have_several_intervals(rng: np.random.Generator) -> None:
    """By an option, and by a function of one's own under `jit`."""
    y, p = rng.normal(size=(2, 20, 3)).astype(np.float32)

    def raw(y_true, y_pred, **given):
        return mean_squared_error(y_true, y_pred, multioutput="raw_values", **given)

    result = bootstrap(KEY, mean_squared_error, y, p, n_resamples=30, multioutput="raw_values")
    assert result.distribution.shape == (30, 3)
    assert all(field.shape == (3,) for field in (*result[:5], result.n_undefined))
    compiled = jax.jit(lambda key, y, p: bootstrap(key, raw, y, p, n_resamples=30))
    assert_same(compiled(KEY, y, p), result, rtol=1e-4)


def test_values_in_a_tuple_have_intervals_in_one() -> None:
    y, p = [0.0, 1, 2, 2, 1, 0, 1, 1], [0.0, 1, 1, 2, 1, 0, 0, 1]
    metric = functools.partial(precision_recall_fscore_support, average=None, num_classes=3)
    found = bootstrap(KEY, metric, y, p, n_resamples=30, method="percentile")
    expected = metric(y, p)
    assert type(found.low) is type(expected)
    assert_same(found.estimate, expected)
    assert found.distribution.recall.shape == (30, 3)


def test_the_confidence_level_is_traced(rng: np.random.Generator) -> None:
    y, p = errors(rng)

    def width(level):
        result = bootstrap(KEY, mean_absolute_error, y, p, n_resamples=200, confidence_level=level)
        return result.high - result.low

    assert width(0.5) < width(0.9) < width(0.99)
    assert np.isnan(width(jnp.float32(1.5)))


def test_progress_shows_and_changes_nothing(rng: np.random.Generator, capsys: Any) -> None:
    y, p = errors(rng)
    run = functools.partial(bootstrap, KEY, mean_absolute_error, y, p, n_resamples=200)
    found = run(confidence_level=0.9, progress=True)
    assert "200/200" in capsys.readouterr().err
    assert_same(found, run(confidence_level=0.9), rtol=1e-6)
    with pytest.raises(ValueError, match="progress"):
        jax.jit(lambda y: bootstrap(KEY, mean_absolute_error, y, p, progress=True))(y)


def test_progress_needs_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        bootstrap(KEY, mean_absolute_error, [0.0, 1.0], [0.5, 0.5], progress=True)


@pytest.mark.parametrize(
    ("argument", "kind", "arguments"),
    [
        ("n_resamples", ValueError, {"n_resamples": 0}),
        ("n_resamples", TypeError, {"n_resamples": 2.5}),
        ("batch_size", ValueError, {"batch_size": 0}),
        ("confidence_level", ValueError, {"confidence_level": [0.9, 0.95]}),
        ("confidence_level", ValueError, {"confidence_level": 95}),
        ("method", ValueError, {"method": "BCa"}),
        ("scheme", ValueError, {"scheme": "rademacher"}),
        ("strata", ValueError, {"strata": [0, 1], "scheme": "poisson"}),
        ("strata", ValueError, {"strata": [0]}),
        ("groups", TypeError, {"groups": [0.0, 1.0]}),
        ("sample_weight", ValueError, {"sample_weight": [1.0]}),
        ("where", TypeError, {"where": [1, 0]}),
        ("where", ValueError, {"where": [True]}),
    ],
)
def test_mistakes_are_named(argument: str, kind: type[Exception], arguments: dict) -> None:
    with pytest.raises(kind, match=argument):
        bootstrap(KEY, log_loss, [0, 1], [0.25, 0.5], **arguments)


def test_strata_of_labels_are_for_multinomials_too() -> None:
    with pytest.raises(ValueError, match="strata"):
        bootstrap(KEY, accuracy_score, [0, 1], [0, 1], strata=[0, 1], scheme="bayesian")


def test_lengths_are_named() -> None:
    run: Callable[..., Any] = functools.partial(bootstrap, KEY, log_loss)
    with pytest.raises(ValueError, match=r"y_p"):
        run([0, 1], [0.25])


def test_the_old_name_of_the_scheme_warns() -> None:
    y, p = np.arange(6.0), np.arange(6.0)[::-1]
    run = functools.partial(bootstrap, KEY, mean_absolute_error, y, p, n_resamples=20)
    with pytest.warns(DeprecationWarning, match="`scheme='poisson'`") as caught:
        old = run(weights="poisson")
    with pytest.warns(DeprecationWarning, match="`scheme='poisson'`"):
        pair = paired_bootstrap(
            KEY, mean_absolute_error, y, p, y, n_resamples=20, weights="poisson"
        )
    assert caught[0].filename == __file__
    assert_same(old.distribution, run(scheme="poisson").distribution, rtol=0)
    assert pair.distribution.shape == (20,)


def test_weights_of_a_metric_are_an_option_of_it() -> None:
    y, p = [0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 2, 2]
    found = bootstrap(KEY, cohen_kappa_score, y, p, n_resamples=20, weights="linear")
    assert_same(found.estimate, cohen_kappa_score(y, p, weights="linear"), rtol=1e-6)


def test_bca_takes_resamples_for_tied_that_differ_by_rounding(rng: np.random.Generator) -> None:
    # Of three groups a fifth of the resamples draw each once, which is the estimate again.
    y_true, y_pred = rng.normal(size=(2, 30)).astype(np.float32)
    groups = np.arange(30) % 3

    def interval(weight: float) -> np.ndarray:
        found = bootstrap(
            jax.random.key(0),
            mean_squared_error,
            y_true,
            y_pred,
            groups=groups,
            sample_weight=np.full(30, weight, np.float32),
        )
        return np.stack([found.low, found.high])

    for weight in (0.1, 0.3, 0.7):
        np.testing.assert_allclose(interval(weight), interval(1.0), rtol=1e-5)
