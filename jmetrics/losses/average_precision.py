"""Surrogates of one minus average precision, for whole data sets and for mini-batches."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.merging import apply_checks
from jmetrics._core.numerics import safe_divide, scaled_by_sum, weighted_sum
from jmetrics._core.order import order, tied_weight
from jmetrics._core.pairs import arrange, kernel_sum, sort_points
from jmetrics._core.plan import UNIT, declared
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics.losses._pairs import BinaryScores, Options, binary_scores, normalised_weights, shifted

_SURROGATES = ("laplace", "squared_hinge")


@declared(
    range=UNIT,
    greater_is_better=False,
    predictions="scores",
    surrogate_of="average_precision_score",
)
def average_precision_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    surrogate: str = "laplace",
    margin: Number = 1.0,
    temperature: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean over positives of the smoothed fraction of negatives among samples ranked at or above.

    Σ_i w_i N_i / (P_i + N_i) / Σ_i w_i over positives i, where P_i and N_i are the sums of w_j
    φ(s_i − s_j) over positives j, i itself included, and negatives j. Surrogate of
    1 − `jmetrics.average_precision_score`.

    "laplace": φ(t) = exp(−t/τ) / 2 for t > 0 and 1 − exp(t/τ) / 2 for t < 0, the distribution
    function of Laplace noise, and φ(0) = 1, since a tie counts as ranked at or above; it tends to
    the exact loss as τ → 0. "squared_hinge": φ(t) = max(m − t, 0)².

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        surrogate: Smooth indicator φ: "laplace" or "squared_hinge".
        margin: Margin m of "squared_hinge", in units of the score, a traced positive number.
        temperature: Temperature τ of "laplace", in units of the score, a traced positive number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better.

    Undefined:
        0 with zero gradient unless both classes have positive weight; NaN for a label other than 0
        and 1, for a score whose square is not finite, and for a margin or temperature that is not
        positive where the surrogate uses it.

    Gradient:
        Continuous in the scores, except for "laplace" where two scores meet and the loss jumps;
        smooth in the weights.

    Cost:
        O(n log n) time, O(n) memory, for one sort of n numbers, or of 2n for "squared_hinge".

    References:
        Brown, Xie, Kalogeiton & Zisserman (2020), with a Laplace in place of a logistic
        distribution; Qi, Luo, Xu, Ji & Yang (2021).

    Examples:
        >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
        >>> round(float(average_precision_loss(y_true, y_score, temperature=0.001)), 5)
        0.16667
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    check.one_of("surrogate", surrogate, _SURROGATES)
    margin, temperature = check.number("margin", margin), check.number("temperature", temperature)
    return _average_precision_loss(
        *arrays, sample_weight, where, margin, temperature, surrogate=surrogate
    )


@functools.partial(jax.jit, static_argnames="surrogate")
@with_auto_axes
def _average_precision_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    margin: Array,
    temperature: Array,
    *,
    surrogate: str,
) -> Array:
    data = binary_scores(y_true, y_score, sample_weight, where)
    dtype = data.at.score.dtype
    options = Options.of(surrogate, margin, temperature, data.at.score.dtype)
    above = (_soft_counts if surrogate == "laplace" else _hinge_sums)(data, options)
    loss = weighted_sum(_missed(above), normalised_weights(data.positive, dtype))
    return apply_checks(loss, (*options.checks, *data.checks))


class Above(NamedTuple):
    """Smooth counts of what is ranked at or above each sample."""

    positive: Array
    negative: Array


def _missed(above: Above) -> Array:
    """N / (P + N), 0 if both are 0; the smaller over the larger keeps the digits of the slope."""
    p, n = above
    less = n > p
    ratio = safe_divide(jnp.where(less, p, n), jnp.where(less, n, p), 0.0)
    return jnp.where(less, jnp.ones_like(ratio), ratio) / (1 + ratio)


def _by_class(data: BinaryScores) -> Array:
    """Weights of the positives and of the negatives, divided by a common factor."""
    weight = scaled_by_sum(data.weight.astype(data.at.score.dtype))
    return jnp.where(jnp.stack([data.truth, ~data.truth]), weight[None], jnp.zeros_like(weight))


def _soft_counts(data: BinaryScores, options: Options) -> Above:
    weights = _by_class(data)
    by_score = order(data.at.raw)
    points = arrange(by_score.item, data.at.score, data.at.compensation)

    def count(weight: Array) -> Array:
        _, tied = tied_weight(weight[by_score.item], by_score.start, by_score.end)
        tied = jnp.zeros_like(tied).at[by_score.item].set(tied, unique_indices=True)
        return kernel_sum("laplace", points, weight, options.temperature) + tied / 2

    return Above(*jax.vmap(count)(weights))


def _hinge_sums(data: BinaryScores, options: Options) -> Above:
    """Sums for points at s_i − m over points at s_j."""
    at, weights = data.at, _by_class(data)
    margin = options.margin
    margin = check.nan_unless(margin, margin > 0, "`margin` must be positive")
    pairs = zip(shifted(at, margin), (at.score, at.compensation), strict=True)
    points = sort_points(*(jnp.concatenate(both) for both in pairs))

    def total(weight: Array) -> Array:
        padded = jnp.concatenate([jnp.zeros_like(weight), weight])
        return kernel_sum("squared_hinge", points, padded)[: weight.shape[0]]

    return Above(*jax.vmap(total)(weights))


@exportable
class SoapState(NamedTuple):
    """Moving averages, for each training sample, of what is ranked at or above it.

    Attributes:
        positive: Moving averages of P_i in `soap_loss`, shape (num_samples,); 0 for a sample not
            yet seen.
        negative: Moving averages of N_i in `soap_loss`, shape (num_samples,).
    """

    positive: Array
    negative: Array


def soap_init(num_samples: int, *, dtype: DTypeLike = jnp.float32) -> SoapState:
    """State of `soap_loss` before the first batch.

    Args:
        num_samples: Number of training samples, a static integer of at least 1.
        dtype: Floating dtype of the state.

    Returns:
        State of two arrays of zeros, shape (num_samples,); zero marks a sample not yet seen.

    Cost:
        O(num_samples) memory.

    Raises:
        ValueError: If `num_samples` is below 1.
        TypeError: If `num_samples` is not an integer.

    References:
        Qi, Luo, Xu, Ji & Yang (2021).

    Examples:
        >>> soap_init(2)
        SoapState(positive=Array([0., 0.], dtype=float32), negative=Array([0., 0.], dtype=float32))
    """
    return _soap_zeros(check.positive_integer("num_samples", num_samples), jnp.dtype(dtype))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _soap_zeros(num_samples: int, dtype: DTypeLike) -> SoapState:
    return SoapState(jnp.zeros(num_samples, dtype), jnp.zeros(num_samples, dtype))


def soap_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    state: SoapState,
    index: ArrayLike,
    decay: Number = 0.9,
    margin: Number = 1.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> tuple[Array, SoapState]:
    """Average precision loss of a mini-batch, with moving averages in its denominators.

    `average_precision_loss` with "squared_hinge" is a mean of ratios, so the mean of its gradients
    over batches is not the gradient over all data. Here P_i and N_i, as fractions of the weight of
    the batch, update moving averages of sample i: u = decay u + (1 − decay) P_i, or u = P_i when
    the sample is first seen. The value is computed from the averages; the gradient is that of
    Σ_i w_i N_i / (P_i + N_i) with the averages in place of the sums and the derivatives of the
    batch. A positive is in every batch that updates its averages, the other samples only by chance;
    so in small batches it counts for more than in the full data.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, any finite numbers, shape (n,).
        state: State from `soap_init` or from the previous call.
        index: Position of each sample in the training data, integers, shape (n,), distinct among
            samples with positive weight.
        decay: Decay of the moving averages, a traced number in [0, 1).
        margin: Margin m, in units of the score, a traced positive number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        loss: Scalar in [0, 1]; lower is better.
        state: The next state.

    Undefined:
        0 with zero gradient unless the batch has positives of positive weight; NaN for a label
        other than 0 and 1, for a score whose square is not finite, for a margin that is not
        positive, for a decay outside [0, 1), and for an index outside the state.

    Gradient:
        In the scores; the state has none.

    Cost:
        O(n log n) time, O(n) memory besides the state.

    References:
        Qi, Luo, Xu, Ji & Yang (2021).

    Examples:
        >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
        >>> loss, state = soap_loss(y_true, y_score, state=soap_init(4), index=[0, 1, 2, 3])
        >>> bool(
        ...     jnp.isclose(
        ...         loss, average_precision_loss(y_true, y_score, surrogate="squared_hinge")
        ...     )
        ... )
        True
    """
    *arrays, sample_weight, where = check.samples(
        y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where
    )
    index = check.group_ids("index", index, arrays[0].shape)
    decay, margin = check.number("decay", decay), check.number("margin", margin)
    return _soap_loss(*arrays, sample_weight, where, state, index, decay, margin)


@jax.jit
@with_auto_axes
def _soap_loss(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    state: SoapState,
    index: Array,
    decay: Array,
    margin: Array,
) -> tuple[Array, SoapState]:
    data = binary_scores(y_true, y_score, sample_weight, where)
    dtype = data.at.score.dtype
    options = Options.of("squared_hinge", margin, 1.0, data.at.score.dtype)
    total = jnp.sum(_by_class(data))
    batch = Above(*(safe_divide(a, total, 0.0) for a in _hinge_sums(data, options)))
    size = state.positive.shape[0]
    decay = jnp.asarray(decay, dtype)
    counts = data.positive != 0
    known = (index >= 0) & (index < size)
    slot = jnp.where(counts & known, index, size)
    old = [a.at[slot].get(mode="fill", fill_value=0).astype(dtype) for a in state]
    keep = jnp.where(old[0] > 0, decay, jnp.zeros_like(decay))
    now = [lax.stop_gradient(keep * u + (1 - keep) * a) for u, a in zip(old, batch, strict=True)]
    p, n = now
    slope = safe_divide(p * batch.negative - n * batch.positive, jnp.square(p + n), 0.0)
    missed = _missed(Above(p, n)) + (slope - lax.stop_gradient(slope))
    loss = weighted_sum(missed, normalised_weights(data.positive, dtype))
    loss = check.nan_unless(
        loss, jnp.all(known | (data.weight == 0)), "`index` must be in the state"
    )
    loss = check.nan_unless(loss, (decay >= 0) & (decay < 1), "`decay` must be in [0, 1)")
    pairs = zip(state, now, strict=True)
    fresh = (a.at[slot].set(u.astype(a.dtype), mode="drop") for a, u in pairs)
    return apply_checks(loss, data.checks), SoapState(*fresh)
