"""Metrics of ranks that are smooth: how many items are above, each with a probability."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.anatomy import UNIT, declared
from jmetrics._core.numerics import accumulator, safe_divide
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import clean
from jmetrics.losses._above import KERNELS, soft_counts_above
from jmetrics.losses._lists import (
    Items,
    ListLoss,
    item_lists,
    over_lists,
    scores_of_items,
    total,
)
from jmetrics.ranking._lists import NOT_NAN, relevant
from jmetrics.ranking.gains import Gain, discount, discounted, ideal_gain


def soft_rank(
    y_score: ArrayLike,
    *,
    temperature: Number = 0.1,
    kernel: str = "laplace",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Rank of each item in its list, from 1 for the highest score, as a smooth function.

    1 + Σ_j≠i F((s_j − s_i) / τ), the expected rank if noise were added to the scores: F is the
    distribution function of the noise, "laplace" or "logistic", of scale τ = `temperature`.
    Tends to the rank, of which ties share the mean, as τ → 0. The ranks of a list add up to
    n (n + 1) / 2, whatever τ.

    Shapes: `y_score` (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `temperature` is a traced number. The result
    has the shape of `y_score`, with 0 for what does not count.
    Undefined: NaN for a `temperature` that is not positive, and for a NaN score that counts in
    its list.
    Gradient: of bounded slopes, continuous, and smooth for "logistic".
    Cost: O(n log n) time for one sort, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Qin, Liu & Li (2010); Struski et al. (2025) for "laplace".

    >>> [round(float(rank), 2) for rank in soft_rank([[3.0, 1.0, 2.0]], temperature=0.5)[0]]
    [1.08, 2.92, 2.0]
    """
    check.one_of("kernel", kernel, KERNELS)
    y_score, _, where, segment_ids, count = check.lists(
        y_score=y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=None,
        where=where,
    )
    temperature = check.number("temperature", temperature)
    return _soft_rank(y_score, where, segment_ids, temperature, kernel=kernel, count=count)


@functools.partial(jax.jit, static_argnames=("kernel", "count"))
@with_auto_axes
def _soft_rank(y_score, where, segment_ids, temperature, *, kernel, count):
    on, lists = item_lists(y_score, where, segment_ids, count)
    score = clean(scores_of_items(y_score, accumulator(y_score), on, lists), None, where)
    (ranks,) = _ranks(Items(score, score, on, lists), (), temperature, kernel)
    unknown = lists.of_each(lists.sum((on & (score != score)).astype(jnp.int32)))
    ranks = check.defined(ranks, unknown == 0, "`y_score` must not be NaN")
    return jnp.where(on, ranks, jnp.zeros_like(ranks))


def _ranks(
    items: Items, weights: tuple[Array, ...], temperature: Number, kernel: str
) -> tuple[Array, ...]:
    """Soft rank of each item, and what of each weight is above it."""
    temperature = jnp.asarray(temperature, items.score.dtype)
    warm = temperature > 0
    weights = (jnp.ones_like(items.score), *weights)
    above = soft_counts_above(items, weights, jnp.where(warm, temperature, 1), kernel)
    rank = check.defined(1 + (above[0] - 0.5), warm, "`temperature` must be positive")
    return rank, *(a - w / 2 for a, w in zip(above[1:], weights[1:], strict=True))


@declared(range=UNIT, greater_is_better=False, surrogate_of="ndcg_score")
def approx_ndcg_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    temperature: Number = 0.1,
    gain: Gain = "linear",
    kernel: str = "laplace",
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the normalised discounted cumulative gain of soft ranks.

    1 − Σ gain(y_true) / log2(1 + rank) over the same of the best order, with the ranks of
    `soft_rank`. Stands for 1 − `jmetrics.ndcg_score`, and tends to it as `temperature` → 0 where
    no scores are tied. `gain` is "linear", "exponential" (2^y − 1) or a function of arrays.

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,); `temperature` is a
    traced number. A scalar, or (n_lists,) with `average=None`.
    Range: [0, 1], lower is better.
    Undefined: 0 with zero gradient when nothing counts. Lists without gain do not count. NaN for
    a `temperature` that is not positive, and for NaN or negative relevance in an item that does.
    Gradient: continuous in the scores, smooth for "logistic" and in the weights.
    Cost: O(n log n) time for two sorts, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Qin, Liu & Li (2010); Bruch, Zoghi, Bendersky & Najork (2019).

    >>> round(float(approx_ndcg_loss([[3, 0, 1]], [[0.0, 1.0, 2.0]], temperature=1e-3)), 4)
    0.3115
    """
    check.one_of("kernel", kernel, KERNELS)
    return over_lists(
        _approx_ndcg(gain, kernel),
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        options=(check.number("temperature", temperature),),
    )


@declared(range=UNIT, greater_is_better=False, surrogate_of="reciprocal_rank")
def approx_mrr_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    temperature: Number = 0.1,
    relevance_threshold: Number = 1.0,
    kernel: str = "laplace",
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the reciprocal of the least soft rank of a relevant item.

    Items of at least `relevance_threshold` are relevant; the ranks are those of `soft_rank`.
    Stands for 1 − `jmetrics.reciprocal_rank`, and tends to it as `temperature` → 0 where no
    scores are tied.

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,); `temperature` and
    `relevance_threshold` are traced numbers. A scalar, or (n_lists,) with `average=None`.
    Range: [0, 1), lower is better.
    Undefined: 0 with zero gradient when nothing counts. Lists without a relevant item do not
    count. NaN for a `temperature` that is not positive, and for NaN in an item that counts.
    Gradient: continuous but where two relevant items are first, where it is the mean of both.
    Cost: O(n log n) time for one sort, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Qin, Liu & Li (2010).

    >>> round(float(approx_mrr_loss([[0, 1, 1]], [[2.0, 1.0, 0.0]], temperature=0.01)), 4)
    0.5
    """
    return _of_relevant(
        "mrr",
        y_true,
        y_score,
        temperature,
        relevance_threshold,
        kernel,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average,
    )


@declared(range=UNIT, greater_is_better=False, surrogate_of="average_precision_at_k")
def approx_average_precision_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    temperature: Number = 0.1,
    relevance_threshold: Number = 1.0,
    kernel: str = "laplace",
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the average precision of soft ranks.

    1 − mean over relevant items of their soft rank among the relevant over that among all.
    Items of at least `relevance_threshold` are relevant; the ranks are those of `soft_rank`.
    Stands for 1 − `jmetrics.average_precision_at_k`, and tends to it as `temperature` → 0 where
    no scores are tied.

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,); `temperature` and
    `relevance_threshold` are traced numbers. A scalar, or (n_lists,) with `average=None`.
    Range: [0, 1), lower is better.
    Undefined: 0 with zero gradient when nothing counts. Lists without a relevant item do not
    count. NaN for a `temperature` that is not positive, and for NaN in an item that counts.
    Gradient: continuous in the scores, smooth for "logistic" and in the weights.
    Cost: O(n log n) time for one sort, O(n) memory.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Qin, Liu & Li (2010); Brown, Xie, Kalogeiton & Zisserman (2020).

    >>> y_score = [[2.0, 1.0, 0.0]]
    >>> loss = approx_average_precision_loss([[0, 1, 1]], y_score, temperature=0.01)
    >>> round(float(loss), 4)
    0.4167
    """
    return _of_relevant(
        "map",
        y_true,
        y_score,
        temperature,
        relevance_threshold,
        kernel,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average,
    )


def _of_relevant(
    name,
    y_true,
    y_score,
    temperature,
    relevance_threshold,
    kernel,
    segment_ids,
    num_segments,
    sample_weight,
    where,
    average,
):
    check.one_of("kernel", kernel, KERNELS)
    return over_lists(
        _RELEVANT[name, kernel],
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        option=check.number("relevance_threshold", relevance_threshold),
        options=(check.number("temperature", temperature),),
    )


@functools.lru_cache(maxsize=64)
def _approx_ndcg(gain: Gain, kernel: str) -> ListLoss:
    """What to compute for a gain; the same object each time, so that it compiles once."""
    score = discounted(gain, ideal=True)
    return ListLoss(score.prepare, score.reason, functools.partial(_ndcg, kernel=kernel))


def _ndcg(items: Items, temperature: Number, *, kernel: str) -> tuple[Array, Array]:
    (rank,) = _ranks(items, (), temperature, kernel)
    best = ideal_gain(items.label, items.lists, None)
    value = total(items, items.label * discount(rank))
    return 1 - safe_divide(value, best, 0.0), best != 0


def _reciprocal(items: Items, temperature: Number, *, kernel: str) -> tuple[Array, Array]:
    (rank,) = _ranks(items, (), temperature, kernel)
    value = items.label / rank
    best = items.lists.of_each(items.lists.max(lax.stop_gradient(value)))
    first = (~(value < best) & (items.label > 0)).astype(value.dtype)  # NaN stays
    return 1 - safe_divide(total(items, first * value), total(items, first), 0.0), _some(items)


def _average_precision(items: Items, temperature: Number, *, kernel: str) -> tuple[Array, Array]:
    rank, found = _ranks(items, (items.label,), temperature, kernel)
    precision = items.label * (1 + found) / rank
    return 1 - safe_divide(total(items, precision), total(items, items.label), 0.0), _some(items)


def _some(items: Items) -> Array:
    return items.lists.sum((items.label > 0).astype(jnp.int32)) > 0


_RELEVANT = {
    (name, kernel): ListLoss(relevant, NOT_NAN, functools.partial(finish, kernel=kernel))
    for name, finish in (("mrr", _reciprocal), ("map", _average_precision))
    for kernel in KERNELS
}
