"""The parts of a metric, and that they are the metric."""

# Python lists go in too, which JAX's `ArrayLike` does not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
import inspect
import pickle
import typing
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics._core.merging import DomainCheck, Reducer, join, merge
from jmetrics._core.plan import has_plan, including, plan_of, range_of
from tests.compare import assert_same

PLANNED = [f for f in vars(jmetrics).values() if inspect.isfunction(f) and has_plan(f)]


@pytest.mark.parametrize("metric", PLANNED, ids=lambda metric: metric.__name__)
def test_a_metric_looks_like_what_plans_it_and_travels(metric: Any) -> None:
    planned = inspect.signature(plan_of(metric))
    value = typing.get_type_hints(metric)["return"]
    assert typing.get_args(typing.get_type_hints(plan_of(metric))["return"]) == (value,)
    expected = planned.replace(return_annotation=metric.__annotations__["return"])
    assert str(inspect.signature(metric)) == str(expected)
    assert pickle.loads(pickle.dumps(metric)) is metric


def test_a_plan_has_the_value_of_the_metric() -> None:
    y_true, y_pred = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1]
    plan = plan_of(jmetrics.f1_score)(y_true, y_pred)
    assert_same(plan.value(), jmetrics.f1_score(y_true, y_pred), rtol=0)
    assert plan.finisher(plan.statistic()) == plan.value()


def test_a_plan_for_other_weights() -> None:
    y_true, y_pred = [1.0, 2.0, 4.0], [1.0, 3.0, 2.0]
    plan = plan_of(jmetrics.r2_score)(y_true, y_pred, where=[True, True, False])
    weight = jnp.array([2.0, 0.5, 1.0])
    expected = jmetrics.r2_score(y_true, y_pred, sample_weight=weight, where=[True, True, False])
    assert_same(plan.reweighted(weight).value(), expected, rtol=0)


def test_plans_are_trees_of_arrays_and_numbers() -> None:
    """So that one program serves every value of a number."""
    low, high = (plan_of(jmetrics.fbeta_score)([0, 1], [1, 1], beta=b) for b in (0.5, 2.0))
    assert str(jax.tree.structure(low)) == str(jax.tree.structure(high))
    assert low.kernel == high.kernel
    assert low.finisher != high.finisher


def test_metrics_of_one_statistic_measure_alike() -> None:
    y_true, y_pred = [0, 1, 2], [0, 2, 2]
    options: dict[str, Any] = {"num_classes": 3}
    f1 = plan_of(jmetrics.f1_score)(y_true, y_pred, average="macro", **options)
    balanced = plan_of(jmetrics.balanced_accuracy_score)(y_true, y_pred, **options)
    kappa = plan_of(jmetrics.cohen_kappa_score)(y_true, y_pred, **options)
    assert f1.kernel == balanced.kernel
    assert f1.kernel != kappa.kernel


def test_what_needs_all_data_says_so() -> None:
    lists = np.ones((2, 3)), np.ones((2, 3))
    assert plan_of(jmetrics.ndcg_score)(*lists).merges
    assert not plan_of(jmetrics.ndcg_score)(*lists, average=None).merges
    assert not has_plan(jmetrics.roc_auc_score)


@pytest.mark.parametrize(
    ("metric", "options", "expected"),
    [
        (jmetrics.accuracy_score, {"normalize": False}, (0, np.inf)),
        (jmetrics.balanced_accuracy_score, {"adjusted": True}, (-1, 1)),
        (jmetrics.confusion_matrix, {"normalize": "true"}, (0, 1)),
        (jmetrics.brier_score_loss, {"scale_by_half": True}, (0, 1)),
        (jmetrics.f1_score, {"zero_division": jnp.nan}, (0, 1)),
        (jmetrics.f1_score, {"zero_division": 2, "average": None}, (0, 2)),
        (jmetrics.f1_score, {"zero_division": jnp.int32(-1)}, (-1, 1)),
        (jmetrics.ndcg_score, {"empty": "skip"}, (0, 1)),
        (jmetrics.geometric_mean_average_precision, {"floor": 0.25, "empty": 3.0}, (0.25, 3)),
        (jmetrics.losses.fbeta_loss, {"zero_division": 2.0}, (-1, 1)),
        (jmetrics.losses.auc_loss, {"surrogate": "sigmoid"}, (0, 1)),
    ],
)
def test_a_range_depends_on_options(metric: Any, options: dict[str, Any], expected: Any) -> None:
    assert_same(range_of(metric, options), expected, rtol=0)
    assert_same(range_of(functools.partial(metric, **options)), expected, rtol=0)


def test_a_range_of_each_array_of_a_value() -> None:
    ratios = range_of(
        jmetrics.class_likelihood_ratios, {"replace_undefined_by": {"LR+": -1.0, "LR-": 1.0}}
    )
    assert ratios == ((-1, np.inf), (0, np.inf))
    scores = range_of(jmetrics.precision_recall_fscore_support, {"average": "macro"})
    assert scores == ((0, 1),) * 3


def test_the_hull_of_a_number_that_is_traced() -> None:
    assert_same(jax.jit(including)(jnp.nan), (0, 1), rtol=0)
    assert_same(jax.jit(including)(1.5), (0, 1.5), rtol=0)


def test_the_domain_is_a_condition_on_all_parts() -> None:
    fine, wrong = (
        DomainCheck(jnp.array(inside), "numbers must be even") for inside in (True, False)
    )
    assert bool(merge(fine, fine).valid)
    assert not bool(merge(fine, wrong).valid)
    assert np.isnan(merge(wrong, fine).apply(jnp.array(1.0)))
    over_devices = jax.vmap(lambda checks: join((checks,), Reducer("i")), axis_name="i")
    together = over_devices(DomainCheck(jnp.array([True, False]), fine.reason))
    assert not np.any(together.valid)


def test_statistics_of_any_shape_merge() -> None:
    a = {"sums": (jnp.array([1, 2]), None), "domain": DomainCheck(jnp.array(True), "")}
    assert_same(merge(a, a)["sums"][0], np.array([2, 4]), rtol=0)
