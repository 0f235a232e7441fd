"""Losses of the pairs of items in a list that are more and less relevant."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.anatomy import NONNEGATIVE, declared
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


@declared(range=NONNEGATIVE, greater_is_better=False, surrogate_of="label_ranking_loss")
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


@declared(range=NONNEGATIVE, greater_is_better=False, surrogate_of="label_ranking_loss")
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


@declared(range=NONNEGATIVE, greater_is_better=False, surrogate_of="ndcg_score")
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
    D(r) = 1 / log2(1 + r): W_ij = |G_i − G_j| times ρ_ij = |D(r_i) − D(r_j)|, its mean over the
    orders of tied items, for `scheme="lambdarank"`, δ_ij = D(|r_i − r_j|) − D(|r_i − r_j| + 1)
    for "ndcg_loss2", where tied scores count as neighbours, D(1) − D(2), or ρ_ij + `mu` δ_ij for
    "ndcg_loss2++"; "ndcg_loss1" has W_ij = G_i D(r_i) for all pairs i ≠ j.
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


class _Ranked(NamedTuple):
    """What the weights of the pairs of an item are made of."""

    score: Array
    gain: Array
    rank: Array
    """By score, which ties share."""
    discount: Array
    """Mean of it over the orders of the items tied with this one, if that matters."""
    tied_gap: Array
    """Mean distance of the discounts of two of them, likewise."""


def _weighted_pairs(
    items: Items, temperature: Number, mu: Number, *, scheme: str
) -> tuple[Array, Array]:
    dtype = items.score.dtype
    mu = jnp.asarray(mu, dtype)
    mu = check.defined(mu, mu >= 0, "`mu` must not be negative")
    best = ideal_gain(items.label, items.lists, None)
    gain = safe_divide(items.label, items.lists.of_each(best), 0.0)
    ranked = _ranked(items, gain, with_discounts=scheme in ("lambdarank", "ndcg_loss2++"))

    def of(own: _Ranked, others: _Ranked, together: Array) -> Array:
        weight = _SCHEMES[scheme](own, others, mu)
        if scheme != "ndcg_loss1":
            together = together & (own.gain > others.gain)
        return sum_where(weight * _logistic(own.score - others.score, temperature), together)

    sums = over_pairs(of, ranked, items) / math.log(2)
    if scheme == "ndcg_loss1":  # less what an item loses to itself
        sums = sums - gain * discount(ranked.rank)
    return total(items, sums), best != 0


def _ranked(items: Items, gain: Array, *, with_discounts: bool) -> _Ranked:
    score = lax.stop_gradient(items.score)
    stored = lax.broadcasted_iota(jnp.int32, score.shape, score.ndim - 1)

    def count(own: Any, others: Any, together: Array) -> tuple[Array, ...]:
        above, tied = others[0] > own[0], others[0] == own[0]
        before = (tied & (others[1] < own[1]),) if with_discounts else ()
        return tuple(sum_where(on, together & on) for on in (above, tied, *before))

    above, tied, *before = over_pairs(count, (score, stored), items)
    above, tied, *before = (a.astype(score.dtype) for a in (above, tied, *before))
    rank = above + (tied + 1) / 2
    if not with_discounts:
        return _Ranked(items.score, gain, rank, discount(rank), jnp.zeros_like(rank))

    # As stored, each step to the next of the tied is between so many pairs of them.
    place = above + before[0] + 1
    between = _discount_step(place) * (before[0] + 1) * (tied - 1 - before[0])

    def add(own: Any, others: Any, together: Array) -> tuple[Array, ...]:
        tied = together & (others[0] == own[0])
        return tuple(sum_where(values, tied) for values in others[1:])

    discounts, gaps = over_pairs(add, (score, discount(place), between), items)
    pairs = jnp.maximum(tied * (tied - 1) / 2, 1)
    return _Ranked(items.score, gain, rank, discounts / jnp.maximum(tied, 1), gaps / pairs)


def _discount_step(rank: Array) -> Array:
    """How much the discount falls to the next rank: a difference of both is too coarse."""
    return discount(rank) * jnp.log1p(1 / (1 + rank)) / jnp.log1p(1 + rank)


def _by_rank(own: _Ranked, others: _Ranked, mu: Array) -> Array:
    """What the DCG would change by if the two items changed places."""
    del mu
    apart = jnp.abs(own.discount - others.discount)
    apart = jnp.where(own.score == others.score, own.tied_gap, apart)
    return (own.gain - others.gain) * apart


def _by_distance(own: _Ranked, others: _Ranked, mu: Array) -> Array:
    del mu
    apart = jnp.maximum(jnp.abs(own.rank - others.rank), 1)
    return (own.gain - others.gain) * _discount_step(apart)


def _by_both(own: _Ranked, others: _Ranked, mu: Array) -> Array:
    return _by_rank(own, others, mu) + mu * _by_distance(own, others, mu)


def _by_own(own: _Ranked, others: _Ranked, mu: Array) -> Array:
    del others, mu
    return own.gain * discount(own.rank)


_SCHEMES = {
    "lambdarank": _by_rank,
    "ndcg_loss1": _by_own,
    "ndcg_loss2": _by_distance,
    "ndcg_loss2++": _by_both,
}
