"""States that were summed instead of merged: none of them gives a number."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jmetrics
from jmetrics import streaming
from tests.compare import assert_raises
from tests.harness import sample
from tests.registry import main_cases
from tests.row import Case

BATCH = np.tile([0, 1], 4), np.linspace(0, 1, 8, dtype=np.float32)


def summed(state: Any) -> Any:
    return lax.psum(state, "data")


def averaged(state: Any) -> Any:
    return lax.pmean(state, "data")


def refuses(stream: Any, batch: Any, add: Callable[[Any], Any] = summed) -> None:
    """Whatever is done with the state next raises while it is traced."""

    def sum_of(*arrays: Any) -> Any:
        return add(stream.update(stream.init(), *arrays))

    arrays = [np.stack([a, a]) for a in batch]
    state = jax.eval_shape(jax.vmap(sum_of, axis_name="data"), *arrays)
    state = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape[1:], a.dtype), state)
    uses = {
        "compute": lambda state: stream.compute(state),
        "merge": lambda state: stream.merge(stream.init(), state),
        "update": lambda state: stream.compute(stream.update(state, *batch)),
    }
    for use in uses.values():
        assert_raises(ValueError, "by `reduce`", functools.partial(jax.eval_shape, use, state))


def streamable() -> list[tuple[Case, Any]]:
    found = []
    for case in main_cases():
        y_true, y_pred, *_ = sample(case, 4)
        try:
            stream = streaming.stream(case.row.metric, like=(y_true, y_pred), **case.options)
        except (ValueError, TypeError):
            continue
        found.append((case, stream))
    return found


STREAMABLE = streamable()


@pytest.mark.parametrize(("case", "stream"), STREAMABLE, ids=lambda a: getattr(a, "name", ""))
def test_no_state_of_a_metric_may_be_summed(case: Case, stream: Any) -> None:
    refuses(stream, sample(case, 4)[:2])


def test_most_metrics_have_streams() -> None:
    assert len(STREAMABLE) > 60


OTHERS: dict[str, Any] = {
    "auc": streaming.roc_auc_score(bits=4),
    "weighted": streaming.roc_auc_score(bits=4, weighted=True),
    "curve": streaming.roc_curve(bits=4),
    "median": streaming.median_absolute_error(bits=4),
    "buffered": streaming.buffered(jmetrics.roc_auc_score, 20),
    "batch_mean": streaming.batch_mean(jmetrics.losses.auc_loss),
    "decayed": streaming.decayed(streaming.stream(jmetrics.r2_score), decay=0.5),
    "last_updates": streaming.last_updates(streaming.stream(jmetrics.r2_score), 2),
    "collection": streaming.collection({"r2": streaming.stream(jmetrics.r2_score)}),
}


@pytest.mark.parametrize("add", [summed, averaged])
@pytest.mark.parametrize("name", OTHERS)
def test_no_other_state_may_be_summed(name: str, add: Callable[[Any], Any]) -> None:
    refuses(OTHERS[name], BATCH, add)


def test_nor_may_states_that_are_stacked() -> None:
    stream = OTHERS["auc"]
    states = jax.vmap(lambda *batch: stream.update(stream.init(), *batch))(
        *(np.stack([a, a]) for a in BATCH)
    )
    with pytest.raises(ValueError, match="was summed"):
        stream.compute(jax.tree.map(lambda a: jnp.sum(a, axis=0), states))


def test_a_stream_that_takes_sums_is_found_out() -> None:
    class Naive:
        def init(self) -> Any:
            return {"sum": jnp.zeros(()), "count": jnp.zeros(())}

        def update(self, state: Any, y_true: Any, y_pred: Any) -> Any:
            added = {"sum": jnp.sum(y_pred), "count": jnp.ones(()) * len(y_pred)}
            return self.merge(state, added)

        def merge(self, a: Any, b: Any) -> Any:
            return jax.tree.map(jnp.add, a, b)

        def compute(self, state: Any) -> Any:
            return state["sum"] / state["count"]

    with pytest.raises(AssertionError):
        refuses(Naive(), BATCH)
