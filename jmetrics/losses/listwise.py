"""Losses of whole lists: likelihoods of an order, and smooth sorting."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core import check
from jmetrics._core.items import NOT_NAN
from jmetrics._core.lists import RankedGains, RowLists, ranked_gains
from jmetrics._core.numerics import bit_length, safe_divide
from jmetrics._core.plan import AT_MOST_ONE, NONNEGATIVE, declared
from jmetrics._core.types import ArrayLike, Number
from jmetrics.losses._lists import (
    Items,
    ListLoss,
    gain_loss,
    largest,
    list_loss,
    over_pairs,
    positive,
    sum_where,
    total,
)
from jmetrics.ranking.gains import Gain, discount, ideal_gain


@declared(
    range=NONNEGATIVE, greater_is_better=False, predictions="lists", surrogate_of="reciprocal_rank"
)
def softmax_loss(
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
    """Cross-entropy between relevance and the softmax of the scores of a list.

    −Σ y_true log softmax(y_score / τ). Relevance is not normalised, so a list counts in proportion
    to its total relevance. Surrogate of 1 − `jmetrics.reciprocal_rank`, which it bounds from above
    for a single relevant item of relevance 1, and less closely of 1 − `jmetrics.ndcg_score`.

    Args:
        y_true: Non-negative relevance of the items, shape (n_lists, list_size), or (n,) with
            `segment_ids`.
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
        0 with zero gradient if no list has positive weight. Lists without relevance are left out of
        the mean, and are 0 with `average=None`. NaN for a `temperature` that is not positive, and
        for a negative or NaN relevance, or a NaN score, in an unmasked item of a list with positive
        weight.

    Gradient:
        Smooth in the scores and in the weights; the loss is convex in the scores.

    Cost:
        O(n) time and memory.

    References:
        Cao et al. (2007), ListNet; Bruch, Wang, Bendersky & Najork (2019).

    Examples:
        >>> round(float(softmax_loss([[1, 0, 0]], [[2.0, 1.0, 0.0]])), 6)
        0.407606
    """
    return list_loss(
        _SOFTMAX,
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        options=(check.number("temperature", temperature),),
    )


@declared(range=NONNEGATIVE, greater_is_better=False, predictions="lists")
def listmle_loss(
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
    """Negative log-likelihood that items drawn by their scores come in order of relevance.

    Σ_i (log Σ_j exp(s_j / τ) − s_i / τ) over the items j with y_j ≤ y_i. Without ties in `y_true`
    this is ListMLE, the Plackett–Luce likelihood of its order; tied items are each drawn from all
    items that are not more relevant, whatever order they are stored in.

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
        Scalar in [0, ∞), in nats; lower is better. Shape (n_lists,) with `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without an item are left out of
        the mean, and are 0 with `average=None`. NaN for a `temperature` that is not positive, and
        for a NaN relevance or score in an unmasked item of a list with positive weight.

    Gradient:
        Smooth in the scores and in the weights; the loss is convex in the scores.

    Cost:
        O(n log n) time and memory, for one sort by relevance and cumulative log-sum-exps, which are
        accurate for gaps between scores of any size.

    References:
        Xia, Liu, Wang, Zhang & Li (2008); Breslow (1974) on ties.

    Examples:
        >>> round(float(listmle_loss([[2, 1, 0]], [[0.0, 50.0, 100.0]])), 6)
        150.0
    """
    return list_loss(
        _LISTMLE,
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
    range=AT_MOST_ONE, greater_is_better=False, predictions="lists", surrogate_of="ndcg_score"
)
def neural_ndcg_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    temperature: Number = 1.0,
    gain: Gain = "linear",
    average: str | None = "mean",
    segment_ids: ArrayLike | None = None,
    num_segments: int | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """One minus the normalised discounted cumulative gain (NDCG) of smoothly sorted gains.

    The gain at rank i of n is Σ_j P_ij gain_j, with row i of P the softmax over the items j of
    ((n + 1 − 2 i) s_j − Σ_k |s_j − s_k|) / τ. Its rows add up to 1, but its columns only as τ → 0.
    Surrogate of 1 − `jmetrics.ndcg_score`, to which it tends as `temperature` → 0 where no scores
    are tied.

    Args:
        y_true: Non-negative relevance of the items, shape (n_lists, list_size), or (n,) with
            `segment_ids`.
        y_score: Scores, of the shape of `y_true`.
        temperature: Temperature τ, in units of the score, a traced positive number.
        gain: Gain of a relevance y: "linear" (y), "exponential" (2^y − 1) or a function of arrays.
        average: "mean" for the weighted mean over lists, None for the loss of each list.
        segment_ids: List of each item, integers from 0 to num_segments − 1, shape (n,); None if the
            lists are rows. Items with an id outside that range make the result NaN.
        num_segments: Number of lists, a static integer, together with `segment_ids`.
        sample_weight: Weights of the lists, shape (n_lists,), where n_lists is `num_segments` for
            segments.
        where: Mask, shape (n_lists, list_size) or (n_lists,), or (n,) with `segment_ids`; items
            where it is False are ignored.

    Returns:
        Scalar in (−∞, 1]; lower is better; negative only where columns of P add up to more than 1.
            Shape (n_lists,) with `average=None`.

    Undefined:
        0 with zero gradient if no list has positive weight. Lists without gain are left out of the
        mean, and are 0 with `average=None`. NaN for a `temperature` that is not positive, and for a
        negative or NaN relevance, or a NaN score, in an unmasked item of a list with positive
        weight.

    Gradient:
        Smooth in the scores except where scores are tied, where it is the mean of the one-sided
        slopes; smooth in the weights. Where three or more scores are tied and all other ranks are
        certain, it is a small difference of discounts, accurate to four digits.

    Cost:
        O(list_size) time per item for rows and O(n) per item for segments, in blocks; O(n) memory.
        `jmetrics.ragged.pad_lists` turns segments into rows.

    References:
        Grover, Wang, Zweig & Ermon (2019); Pobrotyn & Białobrzeski (2021), who also scale the
        columns; Swezey, Grover, Charron & Ermon (2021), who do not.

    Examples:
        >>> round(float(neural_ndcg_loss([[3, 0, 1]], [[0.0, 1.0, 2.0]], temperature=0.01)), 4)
        0.3115
    """
    return list_loss(
        gain_loss(gain, _sorted_gains),
        y_true,
        y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
        average=average,
        options=(check.number("temperature", temperature),),
    )


def _relevance(y_true: Array, _: None) -> tuple[Array, Array]:
    return y_true, y_true >= 0


def _any_order(y_true: Array, _: None) -> tuple[Array, Array]:
    return y_true, y_true == y_true


def _from_top(items: Items) -> Array:
    """Scores minus the largest of their list, which leaves the losses unchanged but more exact."""
    return items.score - items.lists.of_each(largest(items, items.score))


def _softmax(items: Items, temperature: Number) -> tuple[Array, Array]:
    below = -_from_top(items) / positive("temperature", temperature, items.score.dtype)
    below = jnp.where(items.on, below, jnp.zeros_like(below))  # at least 0
    mass = total(items, jnp.exp(-below))  # at least 1, unless there is no item
    log_sum = jnp.log(jnp.where(mass == 0, jnp.ones_like(mass), mass))
    value = total(items, items.label * (items.lists.of_each(log_sum) + below))
    return value, total(items, items.label) > 0


def _listmle(items: Items, temperature: Number) -> tuple[Array, Array]:
    temperature = positive("temperature", temperature, items.score.dtype)
    ranked = ranked_gains(-items.label, items.score, items.lists, "average", by_rank=True)
    count = items.lists.sum(items.on.astype(jnp.int32))
    return ranked.lists.sum(_above_own(ranked, temperature)), count > 0


def _above_own(ranked: RankedGains, temperature: Array) -> Array:
    """log Σ exp(gain / τ) of a list up to the last rank tied with each, minus its own gain / τ.

    Under the model of Plackett and Luce the first item is drawn with probability exp(s_i / τ) over
    the sum of those of all, the next from what is left, and so on: so minus the log-likelihood of
    the order of the labels is

        Σ_i (log Σ_{j : y_j ≤ y_i} exp(s_j / τ) − s_i / τ),

    where equal labels are all still there (Breslow 1974). Here ranks are by rising label, and the
    `gain` of an item is its score, so the inner sum is over ranks up to those tied with i.

    The sums double in length until they reach the first rank. Each is kept as the largest gain
    and the logarithm of the sum relative to it, and only differences of gains are divided by τ, so
    that no digit is lost to the size of the gains or the gaps between them.
    """
    lists, gain = ranked.lists, ranked.gain
    position = lax.broadcasted_iota(jnp.int32, gain.shape, gain.ndim - 1)
    if isinstance(lists, RowLists):
        first, real = jnp.zeros_like(position), position < ranked.size[:, None]
    else:
        first, real = lists.first()[lists.segment], lists.segment < lists.count

    def at(values: Array, index: Array) -> Array:
        return jnp.take_along_axis(values, index, axis=-1, mode="clip")

    def double(i: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        step = lax.shift_left(jnp.int32(1), jnp.int32(i))
        (most, rest), inside = sums, position - first >= step
        earlier, rest_of_it = (at(part, jnp.maximum(position - step, 0)) for part in sums)
        earlier = jnp.where(inside, earlier, most)
        top = jnp.maximum(most, earlier)
        below = (most - top) / temperature, (earlier - top) / temperature
        more = jnp.logaddexp(rest + below[0], rest_of_it + below[1])
        return top, jnp.where(inside, more, rest)

    fixed = lax.stop_gradient(gain)
    steps = bit_length(gain.shape[-1])
    most, rest = lax.fori_loop(0, steps, double, (fixed, (gain - fixed) / temperature))
    last = first + ranked.end - 1
    above = (at(most, last) - gain) / temperature + at(rest, last)
    return jnp.where(real, above, jnp.zeros_like(gain))


_SOFTMAX = ListLoss(_relevance, "`y_true` must not be negative or NaN", _softmax)
_LISTMLE = ListLoss(_any_order, NOT_NAN, _listmle)


def _sorted_gains(items: Items, temperature: Number) -> tuple[Array, Array]:
    """1 − Σ_r d(r) Σ_j P_rj g_j over the best discounted gain, ranks r from 0.

    Row r of NeuralSort's matrix P is the softmax of the logits

        c_j(r) = ((n − 1 − 2 r) s_j − Σ_k |s_j − s_k|) / τ.

    Let items be in falling order of score, with gaps δ_j = (s_j − s_{j+1}) / τ. Then

        c_j(r) − c_{j+1}(r) = (2 (j − r) + 1) δ_j,

    so from item r, the largest of its row, logits fall by 1, 3, 5, … times the gaps on either
    side. With f_rj = exp(c_j(r) − c_r(r)) ≤ 1 the gain at rank r is

        Σ_j P_rj g_j = g_r + Σ_{j≠r} f_rj (g_j − g_r) / M_r,   M_r = 1 + Σ_{j≠r} f_rj

    (`_row`), where nothing is as large as the scores or their sums.

    Neighbours need more care: f_{r,r+1} = f_{r+1,r} = exp(−δ_r), which is 1 for a tie. Their
    exchange in both rows,

        exp(−δ_r) (g_{r+1} − g_r) (d(r) / M_r − d(r + 1) / M_{r+1}),

    would be a difference of nearly equal numbers; `_sorted_gain` has it with d(r) − d(r + 1), which
    is known exactly, and M_{r+1} − M_r, from which the common term is left out.

    Values follow from the gaps alone. Derivatives do not: |s_j − s_k| of tied scores has the mean
    of its slopes, 0, while a gap has that of one order. They are carried by terms of `_Place` that
    are 0 and have the derivative of the definition.
    """
    temperature = positive("temperature", temperature, items.score.dtype)
    label, score = (
        ranked_gains(items.score, of, items.lists, "stable", by_rank=True)
        for of in (items.label, items.score)
    )
    size = label.lists.of_each(label.size)
    by_score = Items(score.gain, label.gain, label.start < size, label.lists)
    at = _Place.of(by_score, label.start, size, temperature)
    followed = label.start + 1 < size
    value = total(by_score, _sorted_gain(at, followed, *over_pairs(_row, at, by_score)))
    best = ideal_gain(items.label, items.lists, None)
    return 1 - safe_divide(value, best, 0.0), best != 0


class _Place(NamedTuple):
    """The item at each rank of the lists, in decreasing order of the scores."""

    rank: Array
    gain: Array
    above: Array
    """Gap to the score at the rank above, divided by the temperature."""
    below: Array
    """Gap to the score at the rank below, divided by the temperature; 0 at the last rank."""
    moved: Array
    """0, with the derivative of the score divided by the temperature."""
    centre: Array
    """The rank in whose row the logit of this item does not depend on its own score."""
    pulled: Array
    """0, with the derivative of the logit with respect to the scores of others."""
    tilt: Array
    """0, with the derivative of the change of the logit if tied scores were in this order."""

    @classmethod
    def of(cls, items: Items, rank: Array, size: Array, temperature: Array) -> _Place:
        """From items in decreasing order of score."""
        fixed = lax.stop_gradient(items.score)
        gap = jnp.where(rank + 1 < size, fixed - _next(fixed), jnp.zeros_like(fixed))
        below, moved = gap / temperature, (items.score - fixed) / temperature
        rank, size = rank.astype(fixed.dtype), size.astype(fixed.dtype)

        def signs(own: Any, others: Any, together: Array) -> tuple[Array, ...]:
            (own_rank, own_fixed, own_moved), (rank, fixed, moved) = own, others
            sign = jnp.sign(own_fixed - fixed)
            turned = jnp.where(sign == 0, jnp.sign(rank - own_rank), 0) * (own_moved - moved)
            return tuple(sum_where(a, together) for a in (sign, sign * moved, turned))

        sign, pulled, tilt = over_pairs(signs, (rank, fixed, moved), items)
        centre = (size - 1 - sign) / 2
        return cls(rank, items.label, _previous(below), below, moved, centre, pulled, tilt)

    def change(self, row: Array) -> Array:
        """0, with the derivative of the logit in a row."""
        return 2 * (self.centre - row) * self.moved + self.pulled


def _row(own: _Place, others: _Place, together: Array) -> tuple[Array, Array]:
    """Contribution of the non-adjacent ranks to the gain at a rank, and their mass.

    Both are relative to the item at that rank, which may have all of the mass. From it, the logit
    falls by the gap to the next rank times 1, 3, 5, … in both directions: sums of one sign,
    which are accurate where the terms of the definition are large and cancel. The derivatives
    do not cancel, and are taken from the definition.
    """
    ahead = others.rank - own.rank
    steps = 2 * jnp.abs(ahead) - 1
    down = jnp.where(together & (ahead > 0), others.above * steps, 0)
    up = jnp.where(together & (ahead < 0), others.below * steps, 0)
    fall = jnp.cumsum(down, axis=-1) + lax.cumsum(up, axis=up.ndim - 1, reverse=True)
    change = others.change(own.rank) - own.change(own.rank)
    fraction = jnp.where(together, jnp.exp(change - fall), 0)
    far = jnp.abs(ahead) > 1
    return sum_where(fraction * (others.gain - own.gain), far), sum_where(fraction, far)


def _sorted_gain(at: _Place, followed: Array, far_gain: Array, far_mass: Array) -> Array:
    """Discounted gain at each rank, with the exchange between it and the next rank.

    Where these two have almost all of the mass, their discounts are subtracted and not the
    products with them.
    """
    first = discount(at.rank + 1)
    second = _next(first)
    drop = first * second * jnp.log1p(1 / (at.rank + 2)) / math.log(2)
    fraction = jnp.where(followed, jnp.exp(_next(at.moved) - at.moved - at.below), 0)
    tilt = _next(at.tilt) - at.tilt
    ahead, back = fraction * jnp.exp(tilt), fraction * jnp.exp(-tilt)
    above, below = far_mass + _previous(back), far_mass + ahead
    rest = above + ahead
    mass, next_mass = 1 + rest, 1 + _next(rest)
    odds = ahead * _next(below) - back * above + 2 * fraction * jnp.sinh(tilt)
    swapped = (drop * ahead + second * odds / next_mass) / mass
    swapped = jnp.where(followed, (_next(at.gain) - at.gain) * swapped, 0)
    return first * (at.gain + far_gain / mass) + swapped


def _next(a: Array) -> Array:
    """Value at the next rank."""
    return jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, 1)])[..., 1:]


def _previous(a: Array) -> Array:
    """Value at the previous rank."""
    return jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(1, 0)])[..., :-1]
