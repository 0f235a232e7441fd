"""Losses from soft ranks, the expected number of items above each."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.items import NOT_NAN, item_lists, relevant
from jmetrics._core.numerics import accumulator, safe_divide
from jmetrics._core.plan import UNIT, declared
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import clean
from jmetrics.losses._above import KERNELS, soft_counts_above
from jmetrics.losses._lists import Items, ListLoss, gain_loss, list_loss, scores_of_items, total
from jmetrics.ranking.gains import Gain, discount, ideal_gain


def soft_rank(
    y_score: ArrayLike,
    *,
    temperature: Number = 0.1,
    kernel: str = "laplace",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Smooth rank of each item in its list, from 1 for the highest score.

    1 + Σ_j≠i F((s_j − s_i) / τ), the expected rank if noise were added to the scores: F is the
    distribution function of the noise, of scale τ = `temperature`. Tends to the rank, with ties
    sharing their mean, as τ → 0. The ranks of a list add up to n (n + 1) / 2 for any τ.

    Args:
        y_score: Scores, shape (n_lists, list_size), or (n,) with `segment_ids`.
        temperature: Temperature τ, in units of the score, a traced positive number.
        kernel: Distribution of the noise: "laplace" or "logistic".
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Ranks in [1, n], n being the length of the list, with the shape of `y_score`; 0 for masked
            items.

    Undefined:
        NaN for a `temperature` that is not positive, and in a list with a NaN score that is not
        masked.

    Gradient:
        Bounded and continuous; smooth for "logistic".

    Cost:
        O(n log n) time for one sort, O(n) memory.

    References:
        Qin, Liu & Li (2010); Struski et al. (2025) for "laplace".

    Examples:
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
def _soft_rank(
    y_score: Array,
    where: Array | None,
    segment_ids: Array | None,
    temperature: Array,
    *,
    kernel: str,
    count: int,
) -> Array:
    on, lists = item_lists(y_score, where, segment_ids, count)
    score = clean(scores_of_items(y_score, accumulator(y_score), on, lists), None, where)
    (ranks,) = _ranks(Items(score, score, on, lists), (), temperature, kernel)
    unknown = lists.of_each(lists.sum((on & (score != score)).astype(jnp.int32)))
    ranks = check.nan_unless(ranks, unknown == 0, "`y_score` must not be NaN")
    return jnp.where(on, ranks, jnp.zeros_like(ranks))


def _ranks(
    items: Items, weights: tuple[Array, ...], temperature: Number, kernel: str
) -> tuple[Array, ...]:
    """Soft rank of each item, and the soft sum of each weight above it."""
    temperature = jnp.asarray(temperature, items.score.dtype)
    valid_temperature = temperature > 0
    weights = (jnp.ones_like(items.score), *weights)
    above = soft_counts_above(items, weights, jnp.where(valid_temperature, temperature, 1), kernel)
    rank = check.nan_unless(
        1 + (above[0] - 0.5), valid_temperature, "`temperature` must be positive"
    )
    return rank, *(a - w / 2 for a, w in zip(above[1:], weights[1:], strict=True))


@declared(range=UNIT, greater_is_better=False, predictions="lists", surrogate_of="ndcg_score")
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
    """One minus the normalised discounted cumulative gain (NDCG) of soft ranks.

    1 − Σ gain(y_true) / log2(1 + rank), divided by its value for the best order, with the ranks of
    `soft_rank`. Surrogate of 1 − `jmetrics.ndcg_score`, to which it tends as `temperature` → 0
    where no scores are tied.

    Args:
        y_true: Non-negative relevance of the items, shape (n_lists, list_size), or (n,) with
            `segment_ids`.
        y_score: Scores, of the shape of `y_true`.
        temperature: Temperature τ, in units of the score, a traced positive number.
        gain: Gain of a relevance y: "linear" (y), "exponential" (2^y − 1) or a function of arrays.
        kernel: Distribution of the noise in `soft_rank`: "laplace" or "logistic".
        average: "mean" for the weighted mean over lists, None for the loss of each list.
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows. Items with an id outside that range make the result NaN.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,), where n_lists is `num_segments` for
            segments.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better. Shape (n_lists,) with `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without gain are left out of the
        mean, and are 0 with `average=None`. NaN for a `temperature` that is not positive, and for a
        negative or NaN relevance, or a NaN score, in an unmasked item of a list with positive
        weight.

    Gradient:
        Continuous in the scores, smooth for "logistic"; smooth in the weights.

    Cost:
        O(n log n) time for two sorts, O(n) memory.

    References:
        Qin, Liu & Li (2010); Bruch, Zoghi, Bendersky & Najork (2019).

    Examples:
        >>> round(float(approx_ndcg_loss([[3, 0, 1]], [[0.0, 1.0, 2.0]], temperature=1e-3)), 4)
        0.3115
    """
    check.one_of("kernel", kernel, KERNELS)
    return list_loss(
        gain_loss(gain, _ndcg, kernel=kernel),
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        options=(check.number("temperature", temperature),),
    )


@declared(range=UNIT, greater_is_better=False, predictions="lists", surrogate_of="reciprocal_rank")
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
    """One minus the reciprocal of the smallest soft rank of a relevant item.

    The ranks are those of `soft_rank`. Surrogate of 1 − `jmetrics.reciprocal_rank`, to which it
    tends as `temperature` → 0 where no scores are tied.

    Args:
        y_true: Relevance of the items, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, of the shape of `y_true`.
        temperature: Temperature τ, in units of the score, a traced positive number.
        relevance_threshold: Least relevance of a relevant item, a traced number.
        kernel: Distribution of the noise in `soft_rank`: "laplace" or "logistic".
        average: "mean" for the weighted mean over lists, None for the loss of each list.
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows. Items with an id outside that range make the result NaN.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,), where n_lists is `num_segments` for
            segments.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Scalar in [0, 1); lower is better. Shape (n_lists,) with `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without a relevant item are left
        out of the mean, and are 0 with `average=None`. NaN for a `temperature` that is not
        positive, and for a NaN relevance or score in an unmasked item of a list with positive
        weight.

    Gradient:
        Continuous, except where two relevant items share the first rank, where it is the mean of
        both.

    Cost:
        O(n log n) time for one sort, O(n) memory.

    References:
        Qin, Liu & Li (2010).

    Examples:
        >>> round(float(approx_mrr_loss([[0, 1, 1]], [[2.0, 1.0, 0.0]], temperature=0.01)), 4)
        0.5
    """
    return _of_relevant(
        "mrr",
        y_true,
        y_score,
        temperature=temperature,
        relevance_threshold=relevance_threshold,
        kernel=kernel,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
    )


@declared(
    range=UNIT, greater_is_better=False, predictions="lists", surrogate_of="average_precision_at_k"
)
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

    1 − the mean over relevant items of the ratio of their soft rank among the relevant items to
    that among all. The ranks are those of `soft_rank`. Surrogate of
    1 − `jmetrics.average_precision_at_k`, to which it tends as `temperature` → 0 where no scores
    are tied.

    Args:
        y_true: Relevance of the items, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, of the shape of `y_true`.
        temperature: Temperature τ, in units of the score, a traced positive number.
        relevance_threshold: Least relevance of a relevant item, a traced number.
        kernel: Distribution of the noise in `soft_rank`: "laplace" or "logistic".
        average: "mean" for the weighted mean over lists, None for the loss of each list.
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows. Items with an id outside that range make the result NaN.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,), where n_lists is `num_segments` for
            segments.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Scalar in [0, 1); lower is better. Shape (n_lists,) with `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without a relevant item are left
        out of the mean, and are 0 with `average=None`. NaN for a `temperature` that is not
        positive, and for a NaN relevance or score in an unmasked item of a list with positive
        weight.

    Gradient:
        Continuous in the scores, smooth for "logistic"; smooth in the weights.

    Cost:
        O(n log n) time for one sort, O(n) memory.

    References:
        Qin, Liu & Li (2010); Brown, Xie, Kalogeiton & Zisserman (2020).

    Examples:
        >>> y_score = [[2.0, 1.0, 0.0]]
        >>> loss = approx_average_precision_loss([[0, 1, 1]], y_score, temperature=0.01)
        >>> round(float(loss), 4)
        0.4167
    """
    return _of_relevant(
        "map",
        y_true,
        y_score,
        temperature=temperature,
        relevance_threshold=relevance_threshold,
        kernel=kernel,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
    )


def _of_relevant(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    temperature: Number,
    relevance_threshold: Number,
    kernel: str,
    segment_ids: ArrayLike | None,
    num_segments: int | None,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    average: str | None,
) -> Array:
    check.one_of("kernel", kernel, KERNELS)
    return list_loss(
        _RELEVANT[name, kernel],
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        option=check.number("relevance_threshold", relevance_threshold),
        options=(check.number("temperature", temperature),),
    )


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
    (name, kernel): ListLoss(relevant, NOT_NAN, functools.partial(finisher, kernel=kernel))
    for name, finisher in (("mrr", _reciprocal), ("map", _average_precision))
    for kernel in KERNELS
}
