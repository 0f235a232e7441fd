"""Losses of the pairs of a more and a less relevant item of a list."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.items import NOT_NAN
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import NONNEGATIVE, declared
from jmetrics._core.types import ArrayLike, Number
from jmetrics.losses._lists import (
    Items,
    ListLoss,
    gain_loss,
    list_loss,
    over_pairs,
    positive,
    sum_where,
    total,
)
from jmetrics.ranking.gains import Gain, discount, ideal_gain


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="lists",
    surrogate_of="label_ranking_loss",
)
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

    Divided by log 2, it bounds from above the fraction of misordered pairs, which for two grades of
    relevance is `jmetrics.label_ranking_loss`.

    Args:
        y_true: Relevance of the items, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, of the shape of `y_true`.
        temperature: Temperature τ, in units of the score, a traced positive number.
        average: "mean" for the weighted mean over lists, None for the loss of each list.
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows. Items with an id outside that range make the result NaN.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,), where n_lists is `num_segments` for
            segments.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Scalar in [0, ∞); lower is better. Shape (n_lists,) with `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without such a pair are left out
        of the mean, and are 0 with `average=None`. NaN for a `temperature` that is not positive,
        and for a NaN relevance or score in an unmasked item of a list with positive weight.

    Gradient:
        Smooth in the scores and in the weights; the loss is convex in the scores.

    Cost:
        O(list_size) time per item for rows and O(n) per item for segments, in blocks; O(n) memory.
        `jmetrics.ragged.pad_lists` turns segments into rows.

    References:
        Burges et al. (2005), RankNet.

    Examples:
        >>> round(float(pairwise_logistic_loss([[1, 0, 0]], [[2.0, 2.0, 0.0]])), 6)
        0.410038
    """
    return list_loss(
        _LOGISTIC,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        options=(check.number("temperature", temperature),),
    )


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="lists",
    surrogate_of="label_ranking_loss",
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

    Divided by the margin, it bounds from above the fraction of misordered pairs, which for two
    grades of relevance is `jmetrics.label_ranking_loss`.

    Args:
        y_true: Relevance of the items, shape (n_lists, list_size), or (n,) with `segment_ids`.
        y_score: Scores, of the shape of `y_true`.
        margin: Margin, in units of the score, a traced number.
        average: "mean" for the weighted mean over lists, None for the loss of each list.
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows. Items with an id outside that range make the result NaN.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,), where n_lists is `num_segments` for
            segments.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of the score; lower is better. Shape (n_lists,) with
            `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without such a pair are left out
        of the mean, and are 0 with `average=None`. NaN for a NaN relevance or score in an unmasked
        item of a list with positive weight.

    Gradient:
        Piecewise constant in the scores, smooth in the weights; the loss is convex in the scores.

    Cost:
        O(list_size) time per item for rows and O(n) per item for segments, in blocks; O(n) memory.
        `jmetrics.ragged.pad_lists` turns segments into rows.

    References:
        Herbrich, Graepel & Obermayer (2000); Joachims (2002).

    Examples:
        >>> float(pairwise_hinge_loss([[1, 0, 0]], [[2.0, 2.5, 0.0]]))
        0.75
    """
    return list_loss(
        _HINGE,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        options=(check.number("margin", margin),),
    )


@declared(
    range=NONNEGATIVE, greater_is_better=False, predictions="lists", surrogate_of="ndcg_score"
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
    """Pairwise logistic loss with each pair weighted by its effect on NDCG.

    Σ W_ij log2(1 + exp(−(s_i − s_j) / τ)) over the pairs of a list with y_i > y_j. G is the gain of
    an item divided by the ideal DCG, r its rank by score, shared by ties, and
    D(r) = 1 / log2(1 + r).

    * "lambdarank": W_ij = |G_i − G_j| ρ_ij with ρ_ij = |D(r_i) − D(r_j)|, averaged over the orders
      of tied items.
    * "ndcg_loss2": W_ij = |G_i − G_j| δ_ij with δ_ij = D(|r_i − r_j|) − D(|r_i − r_j| + 1), where
      tied scores are treated as neighbours, D(1) − D(2).
    * "ndcg_loss2++": W_ij = |G_i − G_j| (ρ_ij + `mu` δ_ij).
    * "ndcg_loss1": W_ij = G_i D(r_i), for all pairs i ≠ j.

    Surrogate of 1 − `jmetrics.ndcg_score` with the same `gain`.

    Args:
        y_true: Non-negative relevance of the items, shape (n_lists, list_size), or (n,) with
            `segment_ids`.
        y_score: Scores, of the shape of `y_true`.
        scheme: Pair weights: "lambdarank", "ndcg_loss1", "ndcg_loss2" or "ndcg_loss2++".
        gain: Gain of a relevance y: "linear" (y), "exponential" (2^y − 1) or a function of arrays.
        temperature: Temperature τ, in units of the score, a traced positive number.
        mu: Weight of δ in "ndcg_loss2++", a traced non-negative number.
        average: "mean" for the weighted mean over lists, None for the loss of each list.
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows. Items with an id outside that range make the result NaN.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,), where n_lists is `num_segments` for
            segments.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Scalar in [0, ∞); lower is better. Shape (n_lists,) with `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without gain are left out of the
        mean, and are 0 with `average=None`. NaN for a `temperature` that is not positive, a
        negative `mu`, and for a negative or NaN relevance, or a NaN score, in an unmasked item of a
        list with positive weight.

    Gradient:
        That at the present ranks, with a jump where they change; smooth in the weights.

    Cost:
        O(list_size) time per item for rows and O(n) per item for segments, in blocks; O(n) memory.
        `jmetrics.ragged.pad_lists` turns segments into rows.

    References:
        Burges, Ragno & Le (2006); Wang, Li, Golbandi, Bendersky & Najork (2018).

    Examples:
        >>> y_score = [[0.0, 1.0, 2.0]]
        >>> round(float(lambda_loss([[3, 0, 1]], y_score, scheme="lambdarank")), 6)
        1.096
    """
    check.one_of("scheme", scheme, tuple(_SCHEMES))
    return list_loss(
        gain_loss(gain, _weighted_pairs, scheme=scheme),
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
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


class _Ranked(NamedTuple):
    """Quantities that determine the weights of the pairs of an item."""

    score: Array
    gain: Array
    rank: Array
    """By score, shared by ties."""
    discount: Array
    """Mean over the orders of the items tied with this one, if it is needed."""
    tied_gap: Array
    """Mean distance between the discounts of two tied items, if it is needed."""


def _weighted_pairs(
    items: Items, temperature: Number, mu: Number, *, scheme: str
) -> tuple[Array, Array]:
    dtype = items.score.dtype
    mu = jnp.asarray(mu, dtype)
    mu = check.nan_unless(mu, mu >= 0, "`mu` must not be negative")
    best = ideal_gain(items.label, items.lists, None)
    gain = safe_divide(items.label, items.lists.of_each(best), 0.0)
    ranked = _ranked(items, gain, with_discounts=scheme in ("lambdarank", "ndcg_loss2++"))

    def of(own: _Ranked, others: _Ranked, together: Array) -> Array:
        weight = _SCHEMES[scheme](own, others, mu)
        if scheme != "ndcg_loss1":
            together = together & (own.gain > others.gain)
        return sum_where(weight * _logistic(own.score - others.score, temperature), together)

    sums = over_pairs(of, ranked, items) / math.log(2)
    if scheme == "ndcg_loss1":  # minus the term of an item with itself
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

    # In storage order, the number of tied pairs that each step between neighbours separates.
    stored_rank = above + before[0] + 1
    between = _discount_step(stored_rank) * (before[0] + 1) * (tied - 1 - before[0])

    def add(own: Any, others: Any, together: Array) -> tuple[Array, ...]:
        tied = together & (others[0] == own[0])
        return tuple(sum_where(values, tied) for values in others[1:])

    discounts, gaps = over_pairs(add, (score, discount(stored_rank), between), items)
    pairs = jnp.maximum(tied * (tied - 1) / 2, 1)
    return _Ranked(items.score, gain, rank, discounts / jnp.maximum(tied, 1), gaps / pairs)


def _discount_step(rank: Array) -> Array:
    """Decrease of the discount to the next rank, without the cancellation of a difference."""
    return discount(rank) * jnp.log1p(1 / (1 + rank)) / jnp.log1p(1 + rank)


def _by_rank(own: _Ranked, others: _Ranked, mu: Array) -> Array:
    """Change of the DCG if the two items swapped ranks."""
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
