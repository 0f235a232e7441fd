"""Shared by the ranking metrics: input checks, one sort, one value per list, their mean.

The way of a metric such as `ndcg_score`, which gives its own part as a `Score`: `list_metric`
checks the arrays and plans, with `_total_of_lists` as kernel, which weights what `_of_lists` finds:

1. `Score.prepare` makes gains or labels of `y_true`;
2. `Score.rank`, of `_core.lists`, ranks all lists at once, by one sort;
3. `Score.of_lists` gives one value a list, for each cutoff; NDCG sorts once more here, for the
   ideal order;
4. lists that are empty, invalid or masked get theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.items import (
    in_dtype_of,
    in_some_list,
    item_lists,
    of_items,
    relevant,
    valid_lists,
)
from jmetrics._core.lists import TIES, Lists, RankedGains, RankedLabels, Ranking
from jmetrics._core.numerics import Total, accumulator, mean_of, weighted_total
from jmetrics._core.plan import Bound, Ends, Plan, including, plan
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import clean, combine, over_trailing

Cutoff: TypeAlias = int | tuple[int, ...] | None
"""A number of top ranks, several of them, or None for all ranks."""

PerList: TypeAlias = Callable[..., tuple[Array, Array]]
"""Maps statistic, cutoff and options to the value of each list, and to whether it has one."""


class Score(NamedTuple):
    """How a ranking metric is computed; static."""

    prepare: Callable[..., tuple[Array, Array]]
    """Maps `y_true` as floats to labels or gains, and to which entries are valid. Its second
    argument is the option of the metric if it has one, and otherwise the lists."""
    reason: str
    """Error message for invalid entries."""
    rank: Ranking
    of_lists: PerList
    geometric: bool = False
    """Whether lists are averaged by the geometric mean, with a floor as the last option."""


class Traced(NamedTuple):
    """What the values of lists depend on besides the four arrays."""

    segment_ids: Array | None
    empty: Array
    """Value of a list that has none."""
    option: Array | None
    """That of `Score.prepare`."""
    options: tuple[Any, ...]
    """Those of `Score.of_lists`; each metric has its own."""


class Static(NamedTuple):
    """What a program for the values of lists is compiled for."""

    score: Score
    ties: str
    skip: bool
    """Whether lists without a value have no weight in the mean."""
    k: Cutoff
    num_lists: int


def or_empty(empty: Number | str) -> Ends:
    """Range of a score from 0 to 1, and of what a list without one has."""
    return including(empty)


def list_metric(
    score: Score,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    segment_ids: ArrayLike | None,
    num_segments: int | None,
    sample_weight: ArrayLike | None,
    where: ArrayLike | None,
    average: str | None = "mean",
    ties: str = "average",
    empty: str | Number = 0.0,
    k: Cutoff = None,
    option: Array | None = None,
    options: tuple[Any, ...] = (),
) -> Plan[Array]:
    """Plan to score each list and average over lists as `average` specifies.

    `option` is that of `score.prepare`, `options` those of `score.of_lists`; all are traced.
    """
    truth, scores, weight, mask, segments, count = check.lists(
        y_true=y_true,
        y_score=y_score,
        segment_ids=segment_ids,
        num_segments=num_segments,
        sample_weight=sample_weight,
        where=where,
    )
    arrays = truth, scores, weight, mask
    check.one_of("average", average, ("mean", None))
    skip = isinstance(empty, str)
    if isinstance(empty, str):
        check.one_of("empty", empty, ("skip",))
        empty = jnp.nan
    traced = Traced(segments, check.number("empty", empty), option, options)
    static = Static(score, ties, skip, check.cutoffs("k", k), count)
    if average is None:
        of_each = Bound.kernel(_value_of_lists, traced, static=static)
        return plan(arrays, of_each, Bound.finisher(_as_it_is), merges=False)
    kernel = Bound.kernel(_total_of_lists, traced, static=static)
    finisher = Bound.finisher(_geometric_mean, *options) if score.geometric else _MEAN
    return plan(arrays, kernel, finisher)


def known_ties(ties: str, *, closed_form: bool = True) -> str:
    """Check a rule for ties; without `closed_form`, "average" is not allowed."""
    check.one_of("ties", ties, TIES if closed_form else TIES[1:])
    return ties


@with_auto_axes
def _total_of_lists(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    traced: Traced,
    *,
    static: Static,
) -> Total:
    """Kernel: weighted total of the values of lists, or of their logarithms."""
    values, weight = _of_lists(y_true, y_score, sample_weight, where, traced, static)
    if static.score.geometric:
        *_, floor = traced.options
        values = jnp.log(jnp.maximum(values, jnp.asarray(floor, values.dtype)))
    return weighted_total(values, weight)


@with_auto_axes
def _value_of_lists(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    traced: Traced,
    *,
    static: Static,
) -> Array:
    """Kernel: the value of each list."""
    return _of_lists(y_true, y_score, sample_weight, where, traced, static)[0]


_MEAN = Bound.finisher(mean_of)


def _geometric_mean(total: Total, floor: Array) -> Array:
    mean = jnp.exp(mean_of(total))
    # The rounding of a logarithm may take it below.
    return jnp.maximum(mean, jnp.asarray(floor, mean.dtype))


def _as_it_is(values: Array) -> Array:
    return values


def _of_lists(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    traced: Traced,
    static: Static,
) -> tuple[Array, Array]:
    """Value of each list, for each of several cutoffs, and its weight in the mean."""
    segment_ids, empty, option, options = traced
    score, ties, skip, k, count = static
    dtype = accumulator(y_true, y_score, sample_weight)
    on, lists = item_lists(y_true, where, segment_ids, count)
    occupied = lists.sum(on.astype(jnp.int32)) > 0
    weight = combine(sample_weight, occupied, (count,), dtype)
    relevance = clean(y_true.astype(dtype), of_items(lists, sample_weight), where)
    label, valid = score.prepare(
        relevance, lists if option is None else in_dtype_of(y_true, option)
    )

    ranked = score.rank(y_score, label, lists, ties)
    cutoffs = k if isinstance(k, tuple) else (k,)
    finished = [score.of_lists(ranked, cutoff, *options) for cutoff in cutoffs]
    values = jnp.concatenate([over_trailing(v.astype(dtype), 2) for v, _ in finished], axis=1)
    some = jnp.stack([has_value for _, has_value in finished], axis=1)
    values = jnp.where(some, values, jnp.asarray(empty, dtype))

    values = jnp.where(occupied[:, None], values, jnp.nan)
    for right, reason in ((valid, score.reason), (y_score == y_score, "`y_score` must not be NaN")):
        fine = valid_lists(lists, on, weight, right)
        values = check.nan_unless(values, fine[:, None], reason)
    values = in_some_list(values, segment_ids, on, count)
    weight = jnp.where(some if skip else True, weight[:, None], jnp.zeros((), weight.dtype))
    several = isinstance(k, tuple) or finished[0][0].ndim == 2
    return (values, weight) if several else (values[:, 0], weight[:, 0])


def depth_of(cutoff: int | None, size: Array) -> Array:
    """Number of top ranks of each list within a cutoff."""
    return size if cutoff is None else jnp.full_like(size, cutoff)


def fraction_within(start: Array, end: Array, depth: Array, dtype: DTypeLike) -> Array:
    """Fraction of the ranks from `start` to `end` that are among the first `depth`."""
    tied = end - start
    inside = jnp.clip(depth - start, 0, tied)
    return inside.astype(dtype) / jnp.maximum(tied, 1).astype(dtype)


def hits_within(ranked: RankedGains, depth: Array) -> Array:
    """Expected gain of the items at the first `depth` ranks of each list."""
    depth = ranked.lists.of_each(depth)
    fraction = fraction_within(ranked.start, ranked.end, depth, ranked.gain.dtype)
    return ranked.lists.sum(ranked.gain * fraction)


def first_relevant(ranked: RankedLabels) -> Array:
    """Probability of each rank to be the first of its list with a relevant item.

    It is 0 outside the first run of ties with relevant items. Among n tied items, m of them
    relevant, it starts at m / n; from rank i − 1 to i it is multiplied by 1 − (m − 1) / (n − i).
    """
    dtype = ranked.label.dtype
    tied, relevant_tied = ranked.end - ranked.start, ranked.within
    position = ranked.rank - ranked.start
    first = ranked.real & (ranked.before == 0) & (relevant_tied > 0)
    opens = position == 0
    others = (relevant_tied - jnp.where(opens, 0, 1)).astype(dtype)
    fraction = others / jnp.maximum(tied - position, 1).astype(dtype)
    at_start, later = jnp.where(opens, fraction, 1), jnp.where(opens, 0, jnp.clip(fraction, 0, 1))
    step = jnp.where(first, jnp.where(opens, jnp.log(at_start), jnp.log1p(-later)), 0)
    return jnp.where(first, jnp.exp(ranked.lists.running(step)), 0)


# --- what `y_true` stands for -------------------------------------------------------------

NOT_BINARY = "`y_true` must be 0 or 1"


def irrelevant(y_true: Array, threshold: Number) -> tuple[Array, Array]:
    """Labels: 1 for items below the threshold, 0 for the others."""
    label, valid = relevant(y_true, threshold)
    return 1 - label, valid


def indicator(y_true: Array, _: Lists) -> tuple[Array, Array]:
    """Labels that are 1 (relevant) or 0 already."""
    return y_true, (y_true == 0) | (y_true == 1)
