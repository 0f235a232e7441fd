"""A function that wraps or transforms a metric is itself, and not the metric inside."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics import inference, streaming
from jmetrics._core.plan import declaration_of, has_plan, presort_of, range_of
from tests.compare import assert_same

METRICS = jmetrics.mean_squared_error, jmetrics.roc_auc_score


def of_logs(metric: Callable[..., Any]) -> Callable[..., Any]:
    """Another metric than the one inside, with all its attributes."""

    @functools.wraps(metric)
    def wrapped(y_true: Any, y_pred: Any, factor: float = 2.0, **options: Any) -> Any:
        return factor * metric(y_true, jnp.log(y_pred), **options)

    return wrapped


class Holder:
    """One whose method is a metric, and an attribute of it too."""

    def __init__(self, metric: Callable[..., Any]) -> None:
        self.metric = metric
        functools.update_wrapper(self, metric)

    def __call__(self, y_true: Any, y_pred: Any, **options: Any) -> Any:
        return 2 * self.metric(y_true, jnp.log(y_pred), **options)

    def method(self, y_true: Any, y_pred: Any, **options: Any) -> Any:
        return self(y_true, y_pred, **options)


def shifted(metric: Any, shift: float, y_true: Any, y_pred: Any, **options: Any) -> Any:
    return shift + metric(y_true, y_pred, **options)


def by_column(metric: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `vmap`, which copies attributes as `functools.wraps` does."""
    each = jax.vmap(
        lambda true, pred, *rest: metric(true, pred, sample_weight=rest[0], where=rest[1]),
        in_axes=(None, 1, None, None),
    )

    @functools.wraps(each)
    def columns(y_true: Any, y_pred: Any, sample_weight: Any = None, where: Any = None) -> Any:
        return jnp.sum(each(y_true, jnp.stack([y_pred, 2 * y_pred], 1), sample_weight, where))

    return functools.update_wrapper(columns, metric)


WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "wraps": of_logs,
    "wraps of wraps": lambda metric: of_logs(of_logs(metric)),
    "partial of wraps": lambda metric: functools.partial(of_logs(metric), factor=3.0),
    "wraps of partial": lambda metric: of_logs(functools.partial(metric)),
    "partial with positions": lambda metric: functools.partial(shifted, metric, 3.0),
    "update_wrapper": Holder,
    "bound method": lambda metric: Holder(metric).method,
    "jit": jax.jit,
    "jit of wraps": lambda metric: jax.jit(of_logs(metric)),
    "checkpoint": lambda metric: jax.checkpoint(of_logs(metric)),
    "checked": lambda metric: jmetrics.checked(of_logs(metric)),
    "vmap": by_column,
}


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with nothing on it to be mistaken for something else."""

    def call(y_true: Any, y_pred: Any, *, sample_weight: Any = None, where: Any = None) -> Any:
        return function(y_true, y_pred, sample_weight=sample_weight, **masked(where))

    return call


def masked(where: Any) -> dict[str, Any]:
    return {} if where is None else {"where": where}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("name", WRAPPERS)
def test_inference_of_a_wrapped_metric_is_of_the_wrapper(name: str, metric: Any) -> None:
    rng = np.random.default_rng(0)
    y_true = np.append([0, 1], rng.integers(0, 2, 30)).astype(np.float32)
    y_pred = (rng.uniform(0.5, 3, 32) + y_true).astype(np.float32)
    wrapped, key = WRAPPERS[name](metric), jax.random.key(0)
    for ask in (
        lambda f: inference.standard_error(f)(y_true, y_pred),
        lambda f: inference.influence(f)(y_true, y_pred),
        lambda f: inference.bootstrap(key, f, y_true, y_pred, n_resamples=20)[:5],
        lambda f: jax.tree.leaves(inference.confidence_interval(f, y_true, y_pred, n_resamples=20)),
    ):
        assert_same(ask(wrapped), ask(plain(wrapped)), rtol=1e-4)


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapped_metric_has_no_stream_of_what_is_inside(name: str) -> None:
    wrapped = WRAPPERS[name](jmetrics.mean_squared_error)
    assert not has_plan(wrapped)
    assert presort_of(WRAPPERS[name](jmetrics.roc_auc_score)) is None
    assert range_of(wrapped) is None and declaration_of(wrapped).greater_is_better is None
    with pytest.raises(ValueError, match="no statistic"):
        streaming.stream(wrapped)


def test_a_transformed_metric_is_not_the_metric() -> None:
    slope = jax.grad(jmetrics.mean_squared_error, argnums=1)
    mapped = jax.vmap(jmetrics.mean_squared_error)
    assert not has_plan(slope) and not has_plan(mapped)


def test_options_by_partial_keep_the_metric() -> None:
    named = functools.partial(jmetrics.fbeta_score, beta=2.0)
    assert range_of(named) == (0, 1) and declaration_of(named).greater_is_better
    assert has_plan(named) and has_plan(functools.partial(named, average="macro"))
