"""How many programs are compiled, and that the same draws come of one key however it is called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sklearn.metrics

import jmetrics
from jmetrics._core.plan import has_plan
from jmetrics.inference import (
    bootstrap,
    compare,
    confidence_interval,
    infinitesimal_jackknife,
    influence,
    paired_bootstrap,
    permutation_test,
    standard_error,
)
from tests.compare import assert_same
from tests.harness import sample
from tests.laws import programs_compiled_by
from tests.registry import kernel_cases
from tests.row import Case

KEY = jax.random.key(0)
FEW: dict[str, Any] = {"n_resamples": 20}


def labels(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.integers(0, 2, n), rng.integers(0, 2, n)


def check_programs(call: Callable[[], Any], most: int) -> None:
    """Of a call: so many at most, and none the second time."""
    assert programs_compiled_by(call) <= most
    assert programs_compiled_by(call) == 0


def calling(function: Callable[..., Any], case: Case) -> Callable[[], Any]:
    y_true, y_pred, weight, where = sample(case, 29)  # a size of no other test
    return lambda: function(y_true, y_pred, sample_weight=weight, where=where, **case.options)


@pytest.mark.parametrize("case", kernel_cases(), ids=lambda case: case.name)
def test_an_eager_call_compiles_two_programs_at_most(case: Case) -> None:
    metric = case.row.metric
    if not has_plan(metric):
        metric = inspect.unwrap(metric)  # a curve, not the numbers that a row makes of it
    check_programs(calling(metric, case), 2)


def test_a_call_op_by_op_is_noticed() -> None:
    def mean_error(y_true: Any, y_pred: Any, *, sample_weight: Any, where: Any) -> Any:
        error = jnp.abs(jnp.asarray(y_true) - jnp.asarray(y_pred))
        return jnp.average(error, weights=jnp.where(where, sample_weight, 0))

    with pytest.raises(AssertionError):
        check_programs(calling(mean_error, kernel_cases()[0]), 2)


def test_a_call_inside_jit_is_one_program() -> None:
    y, p = labels(23)
    for metric in (jmetrics.accuracy_score, jmetrics.f1_score, jmetrics.roc_auc_score):
        assert programs_compiled_by(functools.partial(jax.jit(metric), y, p)) == 1
    run = jax.jit(lambda key, y, p: bootstrap(key, jmetrics.f1_score, y, p, **FEW).low)
    assert programs_compiled_by(lambda: run(KEY, y, p)) == 1


@pytest.mark.parametrize("metric", ["accuracy_score", "roc_auc_score", "mean_absolute_error"])
def test_an_interval_compiles_three_programs_at_most(metric: str) -> None:
    function, (y, p) = getattr(jmetrics, metric), labels(31)
    a, b = jnp.asarray(y), jnp.asarray(p)
    for call in (
        lambda: confidence_interval(function, a, b, **FEW).low,
        lambda: bootstrap(KEY, function, y, p, **FEW).low,
        lambda: paired_bootstrap(KEY, function, y, p, 1 - p, **FEW).low,
        lambda: compare(KEY, function, y, p, [1 - p, y], **FEW).low,
        lambda: permutation_test(KEY, function, y, p, 1 - p, **FEW).p_value,
        lambda: standard_error(function)(y, p),
        lambda: influence(function)(y, p),
        lambda: infinitesimal_jackknife(function)(y, p).low,
    ):
        check_programs(call, 3)


def test_what_a_metric_is_a_share_of_is_asked_once() -> None:
    y, p = labels(37)
    precision: Any = functools.partial(confidence_interval, jmetrics.precision_score)
    assert precision(y, p).method == "wilson"
    assert programs_compiled_by(lambda: precision(*labels(38))) == 1  # for another size
    assert jax.jit(precision)(y, p).method == "wilson"


@pytest.mark.parametrize("average", ["binary", "macro"])
def test_one_key_draws_alike_however_it_is_called(average: str) -> None:
    y, p = labels(60)
    options: dict[str, Any] = {"average": average, "n_resamples": 50}

    def draws(y: Any, p: Any, **more: Any) -> Any:
        return bootstrap(KEY, jmetrics.f1_score, y, p, **options, **more).distribution

    found = draws(y, p, num_classes=2)
    assert_same(draws(y, p), found)
    assert_same(draws(y, p, num_classes=5), found, rtol=1e-6)
    assert_same(jax.jit(functools.partial(draws, num_classes=2))(y, p), found, rtol=1e-6)


def test_labels_that_only_agree_or_not_draw_alike() -> None:
    y, p = labels(60)
    run = functools.partial(bootstrap, KEY, jmetrics.accuracy_score, n_resamples=50)
    found = run(y, p).distribution
    assert_same(run(3 * y, 3 * p).distribution, found)
    assert_same(run(y.astype(bool), p.astype(bool)).distribution, found)
    assert_same(jax.jit(lambda y, p: run(y, p).distribution)(y, p), found, rtol=1e-6)


def test_groups_may_be_named_by_64_bits() -> None:
    y, p = labels(60)
    ids = np.random.default_rng(0).integers(-(2**62), 2**62, 12)[np.arange(60) // 5]
    dense = np.unique(ids, return_inverse=True)[1]
    run = functools.partial(bootstrap, KEY, jmetrics.accuracy_score, y, p, n_resamples=20)
    assert_same(run(groups=ids).distribution, run(groups=dense).distribution)
    assert_same(run(strata=ids).distribution, run(strata=dense).distribution)
    error = standard_error(jmetrics.accuracy_score)
    assert_same(error(y, p, groups=ids.tolist()), error(y, p, groups=dense))
    with pytest.raises(ValueError, match=r"`groups` holds integers .*np\.unique"):
        influence(jmetrics.accuracy_score)(y, p, groups=ids)


def squared(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> Any:
    return jnp.mean((y_true - y_pred) ** 2)


def weighted(y_true: Any, y_pred: Any, *, sample_weight: Any) -> Any:
    return jnp.average((y_true - y_pred) ** 2, weights=sample_weight)


ENTRIES: dict[str, Any] = {
    "bootstrap": lambda f, y, p: bootstrap(KEY, f, y, p, **FEW).low,
    "confidence_interval": lambda f, y, p: confidence_interval(f, y, p, **FEW).low,
    "paired_bootstrap": lambda f, y, p: paired_bootstrap(KEY, f, y, p, 1 - p, **FEW).low,
    "compare": lambda f, y, p: compare(KEY, f, y, p, [1 - p], **FEW).low,
    "permutation_test": lambda f, y, p: permutation_test(KEY, f, y, p, 1 - p, **FEW).p_value,
    "standard_error": lambda f, y, p: standard_error(f)(y, p),
    "influence": lambda f, y, p: influence(f)(y, p),
    "jackknife": lambda f, y, p: infinitesimal_jackknife(f)(y, p).low,
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_function_that_does_not_heed_weights_is_refused(entry: str) -> None:
    y, p = (a.astype(np.float32) for a in labels(30))
    with pytest.raises(ValueError, match="`squared` has the same value for any `sample_weight`"):
        ENTRIES[entry](squared, y, p)
    with pytest.raises(ValueError, match=r"`<lambda>` takes no `sample_weight`(.|\n)*resample="):
        ENTRIES[entry](lambda y, p: jnp.mean(y == p), y, p)
    with pytest.raises(TypeError, match=r"`f1_score` does not run on JAX's arrays"):
        ENTRIES[entry](sklearn.metrics.f1_score, y, p)
    assert np.all(np.isfinite(ENTRIES[entry](weighted, y, p)))


def test_inside_jit_it_has_no_interval() -> None:
    y, p = (a.astype(np.float32) for a in labels(30))
    run = ENTRIES["bootstrap"]
    assert np.isnan(jax.jit(functools.partial(run, squared))(y, p))
    assert_same(jax.jit(functools.partial(run, weighted))(y, p), run(weighted, y, p), rtol=1e-6)
    with pytest.raises(ValueError, match="the same value for any"):
        jmetrics.checked(jax.jit(functools.partial(run, squared)))(y, p)


def test_a_perfect_prediction_heeds_weights() -> None:
    y, _ = labels(30)

    def right(y_true: Any, y_pred: Any, *, sample_weight: Any) -> Any:
        return jnp.average((y_true == y_pred).astype(jnp.float32), weights=sample_weight)

    assert float(bootstrap(KEY, right, y, y, **FEW).low) == 1


def test_rows_are_resampled_when_asked() -> None:
    """Rows that are drawn are samples with as many weights."""
    y, p = (a.astype(np.float32) for a in labels(40))
    run = functools.partial(bootstrap, KEY, n_resamples=50, method="percentile")
    by_weight = run(weighted, y, p)
    for function in (squared, sklearn.metrics.mean_squared_error, jmetrics.mean_squared_error):
        by_row = run(function, y, p, resample="rows")
        assert_same(by_row.distribution, by_weight.distribution, rtol=1e-6)
    found = confidence_interval(squared, y, p, resample="rows", key=KEY, n_resamples=50)
    assert found.method == "percentile"
    assert_same(found.low, by_weight.low, rtol=1e-6)
    for wrong in ({"method": "bca"}, {"where": np.ones(40, bool)}, {"scheme": "bayesian"}):
        with pytest.raises(ValueError, match="`resample='rows'`"):
            run(squared, y, p, resample="rows", **wrong)
    with pytest.raises(ValueError, match="inside `jit`"):
        jax.jit(lambda y: run(sklearn.metrics.mean_squared_error, y, y, resample="rows").low)(y)
