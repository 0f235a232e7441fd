"""Every public metric, loss and interval as a program of a million samples, with shapes only."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jmetrics
from jmetrics import inference, losses
from tests.registry import main_cases
from tests.row import LOSS, Case

N, N_RESAMPLED, N_SEGMENTS = 1_000_000, 100_000, 10_000
LISTS = (5_000, 100)


class Program(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def like(dtype: Any, *shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape or (N,), dtype)


LABEL, SCORE, WEIGHT = like(jnp.int32), like(jnp.float32), like(jnp.float32)
BINARY = (LABEL, SCORE)
ROWS = (like(jnp.float32, *LISTS), like(jnp.float32, *LISTS))
SEGMENTS = (SCORE, SCORE, like(jnp.int32))
FEW = (like(jnp.int32, N_RESAMPLED), like(jnp.float32, N_RESAMPLED))


def programs() -> dict[str, Program]:
    """By label, which starts with the name of the public function."""
    found: dict[str, Program] = {}
    for case in main_cases():
        found |= _of_case(case)
    return found | METRICS | LOSSES | INTERVALS


def _of_case(case: Case) -> dict[str, Program]:
    """A row of the registry; metrics of lists as rows of one length and in segments."""
    call: Callable[..., Any] = _with_slope(case) if LOSS in case.traits else case
    label = f"{case.name}, slope" if LOSS in case.traits else case.name
    examples = [np.asarray(a) for a in case.make(np.random.default_rng(0), 2)]
    dtypes = [_single(a.dtype) for a in examples]
    if "segment_ids" not in inspect.signature(case.row.metric).parameters:
        shapes = [(N, *a.shape[1:]) for a in examples]
        return {label: Program(call, tuple(map(jax.ShapeDtypeStruct, shapes, dtypes)))}
    flat = (*map(like, dtypes), like(jnp.int32))
    return {
        f"{label}, rows": Program(call, tuple(like(dtype, *LISTS) for dtype in dtypes)),
        f"{label}, segments": Program(_in_segments(call), flat),
    }


def _single(dtype: np.dtype) -> Any:
    return {"f": jnp.float32, "i": jnp.int32}.get(dtype.kind, dtype)


def _with_slope(loss: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return jax.value_and_grad(partial(loss, **options), argnums=1)


def _in_segments(metric: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda y_true, y_pred, ids: metric(
        y_true, y_pred, segment_ids=ids, num_segments=N_SEGMENTS, **options
    )


def _weighted(metric: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda y_true, y_pred, weight: metric(y_true, y_pred, sample_weight=weight, **options)


def _f1(counts: Any) -> jax.Array:
    return 2 * counts.tp / (2 * counts.tp + counts.fp + counts.fn)


def _slope_of_sum(function: Callable[..., jax.Array]) -> Callable[..., Any]:
    return jax.value_and_grad(lambda *arguments: jnp.sum(function(*arguments)))


def _resampled(
    interval: Callable[..., Any],
    metric: Callable[..., Any] = jmetrics.roc_auc_score,
    models: int = 1,
) -> Program:
    """An interval or a test by a thousand resamples."""

    def function(y_true: jax.Array, *y_score: jax.Array) -> Any:
        return interval(jax.random.key(0), metric, y_true, *y_score)

    return Program(function, (*FEW, *FEW[1:] * (models - 1)))


# The registry has only summaries of these.
CURVES = ("roc_curve", "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds")
METRICS = {
    name: Program(getattr(jmetrics, name), BINARY)
    for name in (*CURVES, "calibration_curve", "calibration_error")
} | {
    "metric_at_thresholds": Program(
        partial(jmetrics.metric_at_thresholds, metric_of_counts=_f1), BINARY
    ),
    "auc": Program(jmetrics.auc, (SCORE, SCORE)),
    "by_group": Program(
        lambda y_true, y_pred, groups: jmetrics.by_group(
            jmetrics.accuracy_score, y_true, y_pred, groups=groups, num_groups=10
        ),
        (LABEL, LABEL, LABEL),
    ),
    "f1_score, macro of 10": Program(
        partial(jmetrics.f1_score, average="macro", num_classes=10), (LABEL, LABEL)
    ),
    "confusion_matrix, 100 classes, weights": Program(
        _weighted(jmetrics.confusion_matrix, num_classes=100), (LABEL, LABEL, WEIGHT)
    ),
    "roc_auc_score, weights": Program(_weighted(jmetrics.roc_auc_score), (*BINARY, WEIGHT)),
    "roc_auc_score, 100 weights at once": Program(
        jax.vmap(_weighted(jmetrics.roc_auc_score), (None, None, 0)),
        (*FEW, like(jnp.float32, 100, N_RESAMPLED)),
    ),
    "roc_auc_score, bfloat16": Program(jmetrics.roc_auc_score, (LABEL, like(jnp.bfloat16))),
    "average_precision_score, weights": Program(
        _weighted(jmetrics.average_precision_score), (*BINARY, WEIGHT)
    ),
    "average_precision_score, bfloat16": Program(
        jmetrics.average_precision_score, (LABEL, like(jnp.bfloat16))
    ),
    "ndcg_score-10, rows": Program(partial(jmetrics.ndcg_score, k=10), ROWS),
    "ndcg_score-10, segments": Program(_in_segments(jmetrics.ndcg_score, k=10), SEGMENTS),
    "reciprocal_rank, segments": Program(_in_segments(jmetrics.reciprocal_rank), SEGMENTS),
}

LOSSES = {
    "auc_loss-logistic, slope": Program(_with_slope(losses.auc_loss, surrogate="logistic"), BINARY),
    "average_precision_loss, slope": Program(_with_slope(losses.average_precision_loss), BINARY),
    "pinball_loss-0.9, slope": Program(_with_slope(losses.pinball_loss, alpha=0.9), (SCORE, SCORE)),
    "soap_init": Program(partial(losses.soap_init, N), ()),
    "soap_loss, slope": Program(
        jax.value_and_grad(
            lambda y_true, y_score, state, index: losses.soap_loss(
                y_true, y_score, state=state, index=index
            ),
            argnums=1,
            has_aux=True,
        ),
        (
            like(jnp.int32, 1024),
            like(jnp.float32, 1024),
            jax.eval_shape(partial(losses.soap_init, N)),
            like(jnp.int32, 1024),
        ),
    ),
    "soft_rank, slope, rows": Program(_slope_of_sum(losses.soft_rank), ROWS[1:]),
    "soft_rank, slope, segments": Program(
        _slope_of_sum(
            lambda y_score, ids: losses.soft_rank(y_score, segment_ids=ids, num_segments=N_SEGMENTS)
        ),
        SEGMENTS[1:],
    ),
    "crossing_penalty, slope": Program(
        _slope_of_sum(losses.crossing_penalty), (like(jnp.float32, N, 3),)
    ),
    "non_crossing_quantiles, slope": Program(
        _slope_of_sum(losses.non_crossing_quantiles), (like(jnp.float32, N, 3),)
    ),
}

INTERVALS = {
    "bootstrap of the AUC": _resampled(inference.bootstrap),
    "bootstrap of the AP": _resampled(inference.bootstrap, jmetrics.average_precision_score),
    "bootstrap of the log loss": _resampled(inference.bootstrap, jmetrics.log_loss),
    "paired_bootstrap of the AUC": _resampled(inference.paired_bootstrap, models=2),
    "compare by the AUC": _resampled(
        lambda key, metric, y_true, first, *others: inference.compare(
            key, metric, y_true, first, others
        ),
        models=3,
    ),
    "permutation_test of the AUC": _resampled(inference.permutation_test, models=2),
    **{
        f"{name} of the AUC": Program(getattr(inference, name)(jmetrics.roc_auc_score), BINARY)
        for name in ("influence", "standard_error", "infinitesimal_jackknife")
    },
    "confidence_interval of the AUC": Program(
        partial(inference.confidence_interval, jmetrics.roc_auc_score), BINARY
    ),
    "delong_interval": Program(inference.delong_interval, BINARY),
    "delong_test": Program(
        lambda y_true, *y_scores: inference.delong_test(y_true, y_scores), (*BINARY, SCORE)
    ),
    "proportion_interval": Program(inference.proportion_interval, (LABEL, LABEL)),
}
