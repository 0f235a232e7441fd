"""Losses of the pairs of items in a list that are more and less relevant."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import ArrayLike, Number
from jmetrics.losses._lists import (
    Items,
    ListLoss,
    over_lists,
    over_pairs,
    positive,
    sum_where,
    total,
)
from jmetrics.ranking._lists import NOT_NAN
from jmetrics.ranking.gains import Gain, discount, discounted, ideal_gain


def pairwise_logistic_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    temperature: Number = 1.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean of log(1 + exp(−(s_i − s_j) / τ)) over the pairs of a list with y_i > y_j.

    Over log 2 it bounds the share of pairs in the wrong order, for two grades
    `jmetrics.label_ranking_loss`, from above.

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,); `temperature` is a
    traced number. A scalar, or (n_lists,) with `average=None`.
    Range: [0, ∞), lower is better.
    Undefined: 0 with zero gradient when nothing counts. Lists without such a pair do not count.
    NaN for a `temperature` that is not positive, and for NaN in an item that counts.
    Gradient: smooth and convex in the scores, smooth in the weights.
    Cost: O(list_size) time an item for rows and O(n) for segments, by blocks; O(n) memory.
    `jmetrics.ragged.pad_lists` makes rows of segments.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Burges et al. (2005), RankNet.

    >>> round(float(pairwise_logistic_loss([[1, 0, 0]], [[2.0, 2.0, 0.0]])), 6)
    0.410038
    """
    return over_lists(
        _LOGISTIC,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        options=(check.number("temperature", temperature),),
    )


def pairwise_hinge_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    margin: Number = 1.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean of max(margin − (s_i − s_j), 0) over the pairs of a list with y_i > y_j.

    Over the margin it bounds the share of pairs in the wrong order, for two grades
    `jmetrics.label_ranking_loss`, from above.

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,); `margin` is a
    traced number. A scalar, or (n_lists,) with `average=None`.
    Range: [0, ∞), in units of the score; lower is better.
    Undefined: 0 with zero gradient when nothing counts. Lists without such a pair do not count.
    NaN for NaN in an item that counts.
    Gradient: piecewise constant; convex in the scores, smooth in the weights.
    Cost: O(list_size) time an item for rows and O(n) for segments, by blocks; O(n) memory.
    `jmetrics.ragged.pad_lists` makes rows of segments.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Herbrich, Graepel & Obermayer (2000); Joachims (2002).

    >>> float(pairwise_hinge_loss([[1, 0, 0]], [[2.0, 2.5, 0.0]]))
    0.75
    """
    return over_lists(
        _HINGE,
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        options=(check.number("margin", margin),),
    )


def lambda_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    scheme: str = "ndcg_loss2++",
    gain: Gain = "linear",
    temperature: Number = 1.0,
    mu: Number = 10.0,
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Pairwise logistic loss, each pair with the weight of what it is worth in NDCG.

    Σ W_ij log2(1 + exp(−(s_i − s_j) / τ)) over the pairs of a list with y_i > y_j. With the gain
    G of an item over the ideal sum, its rank r by score, which ties share, and
    D(r) = 1 / log2(1 + r): W_ij = |G_i − G_j| times ρ_ij = |D(r_i) − D(r_j)| for
    `scheme="lambdarank"`, δ_ij = D(|r_i − r_j|) − D(|r_i − r_j| + 1) for "ndcg_loss2", where tied
    scores count as neighbours, D(1) − D(2), or ρ_ij + `mu` δ_ij for "ndcg_loss2++"; "ndcg_loss1"
    has W_ij = G_i D(r_i) for all pairs i ≠ j.
    Stands for 1 − `jmetrics.ndcg_score` with the same `gain`.

    Shapes: both arrays (n_lists, list_size) and `where` that or (n_lists,); or all (n,), with
    `segment_ids` (n,) and a static `num_segments`. `sample_weight` (n_lists,); `temperature` and
    `mu` are traced numbers. A scalar, or (n_lists,) with `average=None`.
    Range: [0, ∞), lower is better.
    Undefined: 0 with zero gradient when nothing counts. Lists without gain do not count. NaN for
    a `temperature` that is not positive, a negative `mu`, and for NaN or negative relevance in an
    item that does.
    Gradient: that for the present ranks, which jumps where they change; smooth in the weights.
    Cost: O(list_size) time an item for rows and O(n) for segments, by blocks; O(n) memory.
    `jmetrics.ragged.pad_lists` makes rows of segments.
    Raises: ValueError or TypeError for shapes, dtypes and options that do not fit.
    Source: Burges, Ragno & Le (2006); Wang, Li, Golbandi, Bendersky & Najork (2018).

    >>> y_score = [[0.0, 1.0, 2.0]]
    >>> round(float(lambda_loss([[3, 0, 1]], y_score, scheme="lambdarank")), 6)
    1.096
    """
    check.one_of("scheme", scheme, tuple(_SCHEMES))
    return over_lists(
        _lambda_loss(gain, scheme),
        y_true,
        y_score,
        segment_ids,
        num_segments,
        sample_weight,
        where,
        average=average,
        options=(check.number("temperature", temperature), check.number("mu", mu)),
    )


def _as_they_are(y_true: Array, _: None) -> tuple[Array, Array]:
    return y_true, y_true == y_true


def _mean_of_pairs(
    items: Items, option: Number, *, penalty: Callable[[Array, Any], Array]
) -> tuple[Array, Array]:
    def of(own: Any, others: Any, together: Array) -> tuple[Array, Array]:
        (label, score), (own_label, own_score) = others, own
        pair = together & (own_label > label)
        return sum_where(penalty(own_score - score, option), pair), sum_where(pair, pair)

    sums, pairs = over_pairs(of, (items.label, items.score), items)
    number = total(items, pairs.astype(sums.dtype))
    return safe_divide(total(items, sums), number, 0.0), number > 0


def _logistic(gap: Array, temperature: Number) -> Array:
    return jax.nn.softplus(-gap / positive("temperature", temperature, gap.dtype))


def _hinge(gap: Array, margin: Number) -> Array:
    return jax.nn.relu(jnp.asarray(margin, gap.dtype) - gap)


_LOGISTIC, _HINGE = (
    ListLoss(_as_they_are, NOT_NAN, functools.partial(_mean_of_pairs, penalty=penalty))
    for penalty in (_logistic, _hinge)
)


@functools.lru_cache(maxsize=64)
def _lambda_loss(gain: Gain, scheme: str) -> ListLoss:
    """What to compute for a gain; the same object each time, so that it compiles once."""
    score = discounted(gain, ideal=True)
    finish = functools.partial(_weighted_pairs, scheme=scheme)
    return ListLoss(score.prepare, score.reason, finish)


def _weighted_pairs(
    items: Items, temperature: Number, mu: Number, *, scheme: str
) -> tuple[Array, Array]:
    dtype = items.score.dtype
    mu = jnp.asarray(mu, dtype)
    mu = check.defined(mu, mu >= 0, "`mu` must not be negative")
    best = ideal_gain(items.label, items.lists, None)
    gain = safe_divide(items.label, items.lists.of_each(best), 0.0)

    def of(own: Any, others: Any, together: Array) -> Array:
        (own_score, own_gain, own_rank), (score, gain, rank) = own, others
        weight = _SCHEMES[scheme](own_gain, gain, own_rank, rank, mu)
        if scheme != "ndcg_loss1":
            together = together & (own_gain > gain)
        return sum_where(weight * _logistic(own_score - score, temperature), together)

    sums = over_pairs(of, (items.score, gain, _ranks(items)), items) / math.log(2)
    if scheme == "ndcg_loss1":  # less what an item loses to itself
        sums = sums - gain * discount(_ranks(items))
    return total(items, sums), best != 0


def _ranks(items: Items) -> Array:
    def of(own: Array, others: Array, together: Array) -> Array:
        above, tied = (sum_where(on, together & on) for on in (others > own, others == own))
        return above.astype(own.dtype) + (tied.astype(own.dtype) + 1) / 2

    return over_pairs(of, lax.stop_gradient(items.score), items)


def _by_rank(own_gain, gain, own_rank, rank, mu):
    """What the DCG would change by if the two items changed places."""
    del mu
    return (own_gain - gain) * jnp.abs(discount(own_rank) - discount(rank))


def _by_distance(own_gain, gain, own_rank, rank, mu):
    del mu
    apart = jnp.maximum(jnp.abs(own_rank - rank), 1)
    return (own_gain - gain) * (discount(apart) - discount(apart + 1))


def _by_both(*arguments):
    return _by_rank(*arguments) + arguments[-1] * _by_distance(*arguments)


def _by_own(own_gain, gain, own_rank, rank, mu):
    del gain, rank, mu
    return own_gain * discount(own_rank)


_SCHEMES = {
    "lambdarank": _by_rank,
    "ndcg_loss1": _by_own,
    "ndcg_loss2": _by_distance,
    "ndcg_loss2++": _by_both,
}
