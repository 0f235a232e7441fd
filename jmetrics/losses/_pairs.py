"""Mean penalties over pairs of a positive and a negative, shared by several losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core.counts import are_binary, is_positive
from jmetrics._core.limbs import two_sum
from jmetrics._core.merging import DomainCheck
from jmetrics._core.numerics import Whole, accumulator, safe_divide, scaled_by_sum, weighted_sum
from jmetrics._core.pairs import KERNELS, SortedPoints, pair_sum, sort_points
from jmetrics._core.plan import NONNEGATIVE, UNIT, Ends
from jmetrics._core.types import Number
from jmetrics._core.weights import admissible, clean, combine, relative


class ShiftedScores(NamedTuple):
    """Scores relative to one of them, so that no digit is lost to a common offset."""

    score: Array
    compensation: Array
    """Rounding error of `score`."""
    raw: Array
    """Cleaned scores, to sort by."""
    usable: Array
    """Whether the squares of all scores with positive weight are finite."""

    @property
    def checks(self) -> tuple[DomainCheck, ...]:
        """Whether the scores are in range."""
        return (DomainCheck(self.usable, "`y_score` and its square must be finite"),)


class BinaryScores(NamedTuple):
    """Scores with binary labels."""

    at: ShiftedScores
    truth: Array
    weight: Array
    labelled: Array
    """Whether each label with positive weight is 0 or 1."""

    @property
    def positive(self) -> Array:
        """Weight of the positives, 0 for negatives."""
        return jnp.where(self.truth, self.weight, jnp.zeros_like(self.weight))

    @property
    def negative(self) -> Array:
        """Weight of the negatives, 0 for positives."""
        return jnp.where(self.truth, jnp.zeros_like(self.weight), self.weight)

    @property
    def checks(self) -> tuple[DomainCheck, ...]:
        """Whether labels and scores are valid."""
        return (DomainCheck(self.labelled, "`y_true` must be 0 or 1"), *self.at.checks)


class Options(NamedTuple):
    """Traced options of a surrogate."""

    margin: Array
    temperature: Array
    valid_temperature: Array
    """Whether the temperature is positive or unused."""

    @classmethod
    def of(cls, surrogate: str, margin: Number, temperature: Number, dtype: DTypeLike) -> Options:
        """Options in a dtype."""
        margin, temperature = jnp.asarray(margin, dtype), jnp.asarray(temperature, dtype)
        unused = SURROGATES[surrogate].has_margin
        return cls(margin, temperature, (temperature > 0) | unused)

    @property
    def checks(self) -> tuple[DomainCheck, ...]:
        """Whether the temperature is valid."""
        return (DomainCheck(self.valid_temperature, "`temperature` must be positive"),)


def binary_scores(
    y_true: Array, y_score: Array, sample_weight: Array | None, where: Array | None
) -> BinaryScores:
    """Clean binary labels and scores."""
    dtype = accumulator(y_score, sample_weight)
    weight = combine(relative(sample_weight, where), where, y_true.shape, dtype)
    at = shift_scores(y_score, dtype, weight, where)
    y_true = clean(y_true, sample_weight, where)
    labelled = jnp.all(admissible(weight, are_binary(y_true)))
    return BinaryScores(at, is_positive(y_true), weight, labelled)


def shift_scores(
    score: Array, dtype: DTypeLike, weight: Array, where: Array | None
) -> ShiftedScores:
    """Shift scores by the one nearest to 0, which also replaces masked and non-finite ones.

    Weights affect only `usable`, so that one sort serves many weights.
    """
    unmasked = combine(None, where, score.shape, dtype) != 0
    if isinstance(Whole.of(score, dtype), Whole):
        return _shift_integers(score, dtype, unmasked)
    score = score.astype(dtype)
    # An overflowing penalty must not reach the gradient even at weight 0: 0 · ∞ is NaN.
    finite = unmasked & jnp.isfinite(jnp.square(score))
    size = jnp.where(finite, jnp.abs(score), jnp.inf)
    smallest = finite & (size == jnp.min(size, initial=jnp.inf))
    zero = lax.stop_gradient(jnp.min(jnp.where(smallest, score, jnp.inf), initial=jnp.inf))
    zero = jnp.where(jnp.isfinite(zero), zero, jnp.zeros_like(zero))
    raw = jnp.where(finite, score, zero)
    score, compensation = two_sum(raw, -zero)
    compensation = lax.stop_gradient(compensation)
    return ShiftedScores(score, compensation, raw, jnp.all((weight == 0) | finite))


def _shift_integers(score: Array, dtype: DTypeLike, unmasked: Array) -> ShiftedScores:
    """Integers that floats would round, relative to the value nearest to 0 within their range."""
    ends = jnp.iinfo(score.dtype)
    low = jnp.min(score, where=unmasked, initial=ends.max)
    high = jnp.max(score, where=unmasked, initial=ends.min)
    raw = jnp.where(unmasked, score - jnp.clip(jnp.zeros_like(low), low, high), 0)
    near, compensation = (part.astype(dtype) for part in Whole(raw, jnp.dtype(dtype)).parts)
    return ShiftedScores(near, compensation, raw, jnp.ones((), jnp.bool_))


def shifted(at: ShiftedScores, by: Array) -> tuple[Array, Array]:
    """Subtract an amount from scores."""
    score, compensation = two_sum(at.score, -by)
    return score, at.compensation + lax.stop_gradient(compensation)


def normalised_weights(weight: Array, dtype: DTypeLike) -> Array:
    """Weights divided by their sum; 0 if the sum is 0."""
    return safe_divide(weight.astype(dtype), jnp.sum(weight).astype(dtype), 0.0)


def mean_penalty(
    surrogate: str,
    at: ShiftedScores,
    truth: Array,
    positive: Array,
    negative: Array,
    options: Options,
) -> Array:
    """Σ_ij p_i n_j φ(s_i − s_j) / Σ_ij p_i n_j; 0 without pairs.

    Entries in `truth` never have weight as negatives, the others never as positives.
    """
    closed_form = SURROGATES[surrogate].mean
    if closed_form is None:
        points = penalty_points(surrogate, at, truth, options)
        p, n = (scaled_by_sum(weight.astype(at.score.dtype)) for weight in (positive, negative))
        weight = jnp.where(truth, p, n)
        total = pair_sum(surrogate, points, weight, truth, scale_of(surrogate, options))
        return safe_divide(total, jnp.sum(p) * jnp.sum(n), 0.0)
    p, n = (
        normalised_weights(positive, at.score.dtype),
        normalised_weights(negative, at.score.dtype),
    )
    both = jnp.any(positive != 0) & jnp.any(negative != 0)
    loss = closed_form(at, truth, p, n, options)
    return jnp.where(both, loss, jnp.zeros_like(loss))


def penalty_points(
    surrogate: str, at: ShiftedScores, truth: Array, options: Options
) -> SortedPoints:
    """Points whose differences are s_i − s_j, less the margin if there is one."""
    if not SURROGATES[surrogate].has_margin:
        smooth = options.temperature if KERNELS[surrogate].smooth else None
        return sort_points(at.score, at.compensation, by=at.raw, smooth=smooth)
    margin = jnp.where(truth, options.margin, jnp.zeros_like(options.margin))
    return sort_points(*shifted(at, margin))


def scale_of(surrogate: str, options: Options) -> Array | float:
    """Temperature of a surrogate that has one."""
    return 1.0 if SURROGATES[surrogate].has_margin else options.temperature


def _square(at: ShiftedScores, _: Array, p: Array, n: Array, options: Options) -> Array:
    gap, spread = _moments(at.score, p, n)
    return jnp.square(options.margin - gap) + spread


def _auc_margin(at: ShiftedScores, _: Array, p: Array, n: Array, options: Options) -> Array:
    gap, spread = _moments(at.score, p, n)
    return jnp.square(jnp.maximum(options.margin - gap, 0)) + spread


def _moments(s: Array, p: Array, n: Array) -> tuple[Array, Array]:
    """Difference of the means of both classes, and sum of their variances."""
    means = [weighted_sum(s, w) for w in (p, n)]
    spread = [weighted_sum(jnp.square(s - m), w) for w, m in zip((p, n), means, strict=True)]
    return means[0] - means[1], spread[0] + spread[1]


def _exponential(at: ShiftedScores, truth: Array, p: Array, n: Array, options: Options) -> Array:
    """The mean of exp(−s_i / τ) times that of exp(s_j / τ), each over its largest term."""
    high = highest(at, n != 0)
    low = highest(negated(at), p != 0)
    top, compensation, bottom, low_compensation = jax.tree.map(lax.stop_gradient, (*high, *low))
    both = jnp.isfinite(top) & jnp.isfinite(bottom)
    top, bottom = jnp.where(both, top, 0), jnp.where(both, bottom, 0)

    def total(gap: Array, member: Array, weight: Array) -> Array:
        # Only entries of zero weight exceed the top: they must not overflow.
        heights = jnp.exp(jnp.minimum(gap / options.temperature, 80))
        return weighted_sum(jnp.where(member, heights, 0), weight)

    largest = jnp.exp(((top + bottom) + (compensation + low_compensation)) / options.temperature)
    above = total((at.score - top) + (at.compensation - compensation), ~truth, n)
    return (
        largest
        * above
        * total((-at.score - bottom) + (-at.compensation - low_compensation), truth, p)
    )


def negated(at: ShiftedScores) -> ShiftedScores:
    """Reverse the order of scores."""
    raw = -at.raw if jnp.issubdtype(at.raw.dtype, jnp.floating) else ~at.raw
    return at._replace(score=-at.score, compensation=-at.compensation, raw=raw)


def highest(at: ShiftedScores, on: Array) -> tuple[Array, Array]:
    """Return the highest score that is `on`, and its rounding error; −∞ and 0 if none is."""
    top = jnp.max(jnp.where(on, at.score, -jnp.inf), initial=-jnp.inf)
    compensation = jnp.max(
        jnp.where(on & (at.score == top), at.compensation, -jnp.inf), initial=-jnp.inf
    )
    return top, jnp.where(jnp.isfinite(compensation), compensation, jnp.zeros_like(compensation))


class Surrogate(NamedTuple):
    """A penalty φ(t) on the difference t of the scores of a pair."""

    has_margin: bool = False
    """Whether φ has a margin; otherwise it has a temperature."""
    at_most_one: bool = False
    penalty: Callable[[Array, Options], Array] | None = None
    """φ itself, for losses that have its argument for every sample."""
    mean: Callable[..., Array] | None = None
    """Closed form of the mean over all pairs; None for those of `KERNELS`, which sum over pairs."""


SURROGATES = {
    "squared_hinge": Surrogate(
        has_margin=True,
        penalty=lambda t, options: jnp.square(jnp.maximum(options.margin - t, 0)),
    ),
    "hinge": Surrogate(
        has_margin=True, penalty=lambda t, options: jnp.maximum(options.margin - t, 0)
    ),
    "laplace": Surrogate(at_most_one=True),
    "logistic": Surrogate(penalty=lambda t, options: jax.nn.softplus(-t / options.temperature)),
    "sigmoid": Surrogate(
        at_most_one=True, penalty=lambda t, options: jax.nn.sigmoid(-t / options.temperature)
    ),
    "square": Surrogate(has_margin=True, mean=_square),
    "exponential": Surrogate(
        penalty=lambda t, options: jnp.exp(-t / options.temperature), mean=_exponential
    ),
    "auc_margin": Surrogate(has_margin=True, mean=_auc_margin),
}


def range_of_penalty(surrogate: str) -> Ends:
    """Range of means of a penalty."""
    return UNIT if SURROGATES[surrogate].at_most_one else NONNEGATIVE
