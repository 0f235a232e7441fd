"""What is no metric, under the modes of `tests.mode_laws`: data on the device, none of it NaN."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import jmetrics
from jmetrics import distributed, inference, losses, ragged, streaming
from tests.mode_laws import on_device, unharmed

N = 12
RNG = np.random.default_rng(5)
Y, LABELS, OTHERS = (
    np.tile([0, 1], N // 2),
    np.tile([0, 1, 1], N // 3),
    np.tile([1, 1, 0, 1], N // 4),
)
X, SCORES, MORE = RNG.uniform(0.5, 2, (3, N)).astype(np.float32)
GROUPS = np.tile([0, 1, 2], N // 3)
LISTS = Y.reshape(3, 4), SCORES.reshape(3, 4)


def streamed(make: Callable[..., Any], *options: Any, arrays: Any, **named: Any) -> Any:
    """All that a stream can do on one device."""
    stream = make(*options, **named)
    state = stream.merge(stream.init(), stream.update(stream.init(), *arrays))
    return stream.compute(state), stream.compute(stream.update(state, *arrays))


def of(metric: Any, **options: Any) -> Any:
    return streaming.stream(metric, **options)


def on_mesh(function: Any, *arrays: Any, **options: Any) -> Any:
    kind = (jax.sharding.AxisType.Auto,)
    mesh = jax.make_mesh((1,), ("data",), axis_types=kind)
    return distributed.on_mesh(function, mesh, "data", **options)(*arrays)


def soap(y_true: Any, y_score: Any, index: Any) -> Any:
    return losses.soap_loss(y_true, y_score, state=losses.soap_init(N), index=index)


KEY = jax.random.key(0)
FEW: dict[str, Any] = {"n_resamples": 10}
bootstrap: Any = functools.partial(inference.bootstrap, KEY, **FEW)
interval: Any = functools.partial(inference.confidence_interval, key=KEY, **FEW)
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "stream": (streamed, (of, jmetrics.r2_score), {"arrays": (X, SCORES)}),
    "option": (streamed, (of, jmetrics.mean_pinball_loss), {"alpha": 0.3, "arrays": (X, SCORES)}),
    "batch_mean": (
        streamed,
        (streaming.batch_mean, losses.auc_loss),
        {"margin": 0.5, "arrays": (Y, X)},
    ),
    "decayed": (
        streamed,
        (lambda: streaming.decayed(of(jmetrics.accuracy_score), decay=0.5),),
        {"arrays": (Y, LABELS)},
    ),
    "half_life": (
        streamed,
        (lambda: streaming.decayed(of(jmetrics.r2_score), half_life=2),),
        {"arrays": (X, SCORES)},
    ),
    "last_updates": (
        streamed,
        (lambda: streaming.last_updates(of(jmetrics.accuracy_score), 2),),
        {"arrays": (Y, LABELS)},
    ),
    "buffered": (
        streamed,
        (streaming.buffered, jmetrics.roc_auc_score, 40),
        {"arrays": (Y, SCORES)},
    ),
    "roc_auc_score": (streamed, (streaming.roc_auc_score,), {"bits": 4, "arrays": (Y, SCORES)}),
    "roc_curve": (streamed, (streaming.roc_curve,), {"bits": 4, "arrays": (Y, SCORES)}),
    "quantile": (streamed, (streaming.quantile, 0.3), {"bits": 4, "arrays": (X,)}),
    "pad_lists": (ragged.pad_lists, (X[:5], np.array([3, 0, 2])), {}),
    "pad_a_list": (ragged.pad_lists, ([X, Y.astype(np.float32)[:3]],), {}),
    "where_from_lengths": (ragged.where_from_lengths, (np.array([3, 0, 2]),), {"size": 4}),
    "segments_from_lengths": (ragged.segments_from_lengths, (np.array([3, 0, 2]),), {}),
    "by_group": (
        jmetrics.by_group,
        (jmetrics.fbeta_score, Y, LABELS),
        {"groups": GROUPS, "num_groups": 3, "beta": 0.5},
    ),
    "calibration_curve": (jmetrics.calibration_curve, (Y, X / 2), {"n_bins": 2}),
    "auc": (jmetrics.auc, (np.sort(X), SCORES), {}),
    "soap_loss": (soap, (Y, SCORES, np.arange(N)), {}),
    "crossing_penalty": (losses.crossing_penalty, (LISTS[1],), {}),
    "non_crossing_quantiles": (losses.non_crossing_quantiles, (LISTS[1],), {}),
    "soft_rank": (losses.soft_rank, (LISTS[1],), {}),
    "influence": (inference.influence(jmetrics.f1_score), (Y, LABELS), {"groups": GROUPS}),
    "standard_error": (inference.standard_error(jmetrics.roc_auc_score), (Y, SCORES), {}),
    "jackknife": (
        inference.infinitesimal_jackknife(jmetrics.roc_auc_score),
        (Y, SCORES),
        {"scale": "logit"},
    ),
    "delong_test": (inference.delong_test, (Y, [SCORES, MORE]), {}),
    "proportion_interval": (inference.proportion_interval, (np.array(9), np.array(10)), {}),
    "share": (interval, (jmetrics.recall_score, Y, LABELS), {}),
    "area": (interval, (jmetrics.roc_auc_score, Y, SCORES), {}),
    "default_key": (inference.confidence_interval, (jmetrics.f1_score, Y, LABELS), FEW),
    "option_of_a_loss": (bootstrap, (losses.auc_loss, Y, SCORES), {"margin": 0.5}),
    "permutation_test": (
        inference.permutation_test,
        (KEY, jmetrics.f1_score, Y, LABELS, OTHERS),
        FEW,
    ),
    "compare": (inference.compare, (KEY, jmetrics.f1_score, Y, LABELS, [OTHERS]), FEW),
    "distributed": (on_mesh, (distributed.roc_auc_score, Y, SCORES), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_modes(name: str) -> None:
    function, arguments, options = CALLS[name]
    arguments, options = on_device((arguments, options))
    with (
        unharmed(jax.transfer_guard("disallow"), "`jax.transfer_guard`"),
        unharmed(jax.debug_nans(True), "`jax_debug_nans`"),
    ):
        jax.block_until_ready(jax.tree.leaves(function(*arguments, **options)))


def test_numbers_of_a_share_have_a_shape() -> None:
    """What holds several arrays in one part of its statistic is no share, and is resampled."""
    assert interval(jmetrics.r2_score, X, SCORES).method == "bca"


@pytest.mark.parametrize("name", ["pad_lists", "buffered", "share"])
def test_without_jit(name: str) -> None:
    function, arguments, options = CALLS[name]
    with jax.disable_jit():
        jax.block_until_ready(jax.tree.leaves(function(*arguments, **options)))
