"""DeLong's intervals and tests of areas under ROC curves, without resampling.

Let p_i be the weight of positive i as a fraction of that of all positives, q_j that of negative j,
and ψ(i, j) be 1 if i has the higher score, ½ if they are tied, and 0 otherwise. Then

    AUC = Σ_i Σ_j p_i q_j ψ(i, j) = Σ_i p_i beats_i = Σ_j q_j beaten_j,

    beats_i = Σ_j q_j ψ(i, j)   and   beaten_j = Σ_i p_i ψ(i, j),

the weight of what i is above, and of what j is below. Both are cumulative sums in the order of the
scores, so that one sort gives all of them (Sun & Xu 2014). The AUC is a mean of `beats` over the
positives and of `beaten` over the negatives; by Hoeffding's projection its error is, to first
order, the sum of the errors of the two means, which are independent. What a sample adds to it is

    p_i (beats_i − AUC)   or   q_j (beaten_j − AUC).

Squares of these, or products for two scores, sum to the covariances of the areas; a factor
m / (m − 1) for m positives, and likewise for negatives, makes them unbiased, as in a variance.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaincc

from jmetrics._core import check
from jmetrics._core.counts import are_binary, is_positive
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import accumulator, safe_divide, safe_sqrt
from jmetrics._core.order import order, tied_weight, unsort
from jmetrics._core.plan import UNIT
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import combine, relative
from jmetrics.inference._interval import SCALES, Interval, checked_level, wald, within


def delong_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    confidence_level: Number = 0.95,
    scale: str = "logit",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Interval:
    """Confidence interval of the area under the ROC curve by DeLong's variance.

    Var = S₁₀ / m + S₀₁ / n over m positives and n negatives, where S₁₀ is the variance over the
    positives of the fraction of negatives that each is above (ties count half), and S₀₁ that over
    the negatives, both with m − 1 and n − 1. `scale="logit"` is the normal interval of the logit
    of the AUC, which stays within [0, 1] and has better coverage; "linear" is DeLong's own.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_score: Scores, shape (n,), any numbers.
        confidence_level: Coverage aimed at, in (0, 1); traced.
        scale: "logit" or "linear"; static.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        An `Interval` of scalars; `estimate` in [0, 1].

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight and for a
        label other than 0 and 1. With one sample of a class the AUC is known and its error NaN. A
        perfect score has an error of 0 and an interval of no width: `bootstrap` does no better, and
        `proportion_interval` of one class tells how many could have been wrong.

    Cost:
        O(n log n) time for one sort.

    References:
        DeLong, DeLong & Clarke-Pearson (1988); Sun & Xu (2014).

    Examples:
        >>> found = delong_interval([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> float(found.estimate), round(float(found.low), 4), round(float(found.high), 4)
        (0.75, 0.0693, 0.9918)
    """
    check.one_of("scale", scale, SCALES)
    level = check.level("confidence_level", confidence_level)
    arrays = check.samples(y_true=y_true, y_score=y_score, sample_weight=sample_weight, where=where)
    return _delong_interval(*arrays, level, scale=scale)


@functools.partial(jax.jit, static_argnames="scale")
@with_auto_axes
def _delong_interval(
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    level: Array,
    *,
    scale: str,
) -> Interval:
    areas, covariance = _areas(y_true, (y_score,), sample_weight, where)
    estimate, error = areas[0], safe_sqrt(covariance[0, 0])
    low, high = within(*wald(estimate, error, checked_level(level, estimate), scale), *UNIT)
    return Interval(estimate, low, high, error, f"DeLong, {scale}")


@exportable
class DelongTest(NamedTuple):
    """Whether several scores have the same area under the ROC curve.

    Attributes:
        areas: AUC of each score, shape (k,).
        covariance: Covariance matrix of the areas, shape (k, k).
        statistic: Scalar, the χ² statistic: squared distance of the areas from equal ones, in
            standard errors.
        degrees_of_freedom: Scalar, the rank of the covariance matrix of the differences.
        p_value: Scalar, the probability of a larger χ² with that many degrees of freedom.
    """

    areas: Array
    covariance: Array
    statistic: Array
    degrees_of_freedom: Array
    p_value: Array


def delong_test(
    y_true: ArrayLike,
    y_scores: Mapping[str, ArrayLike] | Sequence[ArrayLike],
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> DelongTest:
    """Test whether scores of the same samples have equal areas under their ROC curves.

    With areas A of covariance S and the differences L A of each from the first,
    χ² = (L A)ᵀ (L S Lᵀ)⁺ L A. For two scores it is the square of DeLong's z.

    Args:
        y_true: Labels 0 and 1, shape (n,).
        y_scores: Sequence of two or more scores, each of shape (n,), or mapping of names to them,
            in order.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        A `DelongTest` of k areas.

    Undefined:
        NaN unless both classes have two samples, for a NaN score with positive weight and for a
        label other than 0 and 1. Scores with the same ranking have χ² = 0, p = 1.

    Cost:
        O(k n log n) time for one sort, O(k n) memory.

    References:
        DeLong, DeLong & Clarke-Pearson (1988); Sun & Xu (2014).

    Examples:
        >>> y_true = [0, 0, 0, 1, 1, 1]
        >>> test = delong_test(
        ...     y_true, [[0.1, 0.4, 0.2, 0.3, 0.8, 0.9], [0.5, 0.6, 0.1, 0.2, 0.7, 0.4]]
        ... )
        >>> [round(float(area), 4) for area in test.areas], round(float(test.p_value), 4)
        ([0.8889, 0.5556], 0.2207)
    """
    named = y_scores if isinstance(y_scores, Mapping) else dict(enumerate(y_scores))
    check.require(len(named) > 1, f"`y_scores` must have two or more entries, got {len(named)}")
    scores: dict[str, Any] = {f"y_scores[{name!r}]": score for name, score in named.items()}
    y_true, *found, weight, mask = check.samples(
        y_true=y_true, sample_weight=sample_weight, where=where, **scores
    )
    return _delong_test(y_true, tuple(found), weight, mask)


@jax.jit
@with_auto_axes
def _delong_test(
    y_true: Array, y_scores: tuple[Array, ...], sample_weight: Array | None, where: Array | None
) -> DelongTest:
    areas, covariance = _areas(y_true, y_scores, sample_weight, where)
    differences = areas[1:] - areas[0]
    within = covariance[1:] - covariance[:1]
    within = within[:, 1:] - within[:, :1]
    # χ² = dᵀ S⁻¹ d for differences d with covariances S, along the axes of S. Scores of one order
    # make S singular, so that axes count only if their variance is more than rounding.
    variances, axes = jnp.linalg.eigh((within + within.T) / 2)
    # A difference without variance is certain: it adds 0 if it is 0, and infinity otherwise.
    eps = jnp.finfo(areas.dtype).eps
    varies = variances > 10 * eps * jnp.max(jnp.diagonal(covariance))
    along = jnp.sum(axes * differences[:, None], axis=0)
    certain = jnp.where(jnp.abs(along) > 10 * eps, jnp.inf, jnp.zeros_like(along))
    variances = jnp.where(varies, variances, jnp.ones_like(variances))
    statistic = jnp.sum(jnp.where(varies, jnp.square(along) / variances, certain))
    statistic = jnp.where(jnp.any(jnp.isnan(covariance)), jnp.nan, statistic)
    freedom = jnp.sum(varies).astype(areas.dtype)
    tail = gammaincc(jnp.maximum(freedom, 1) / 2, statistic / 2)
    p_value = jnp.where(statistic == 0, jnp.ones_like(tail), tail)
    return DelongTest(areas, covariance, statistic, freedom, p_value)


class _Class(NamedTuple):
    """The samples of one class."""

    fraction: Array
    """Weight of each sample as a fraction of that of the class; 0 for the others."""
    size: Array
    """Number of samples with positive weight."""

    @classmethod
    def of(cls, weight: Array, on: Array) -> _Class:
        """Select the class."""
        weight = jnp.where(on, weight, jnp.zeros_like(weight))
        size = jnp.sum(weight != 0, dtype=jnp.int32).astype(weight.dtype)
        return cls(safe_divide(weight, jnp.sum(weight)[None], jnp.nan), size)

    def covariance(self, parts: Array) -> Array:
        """Covariances of means over the class, from what each sample adds to their errors."""
        return parts @ parts.T * safe_divide(self.size, self.size - 1, jnp.nan)


def _areas(
    y_true: Array, y_scores: tuple[Array, ...], sample_weight: Array | None, where: Array | None
) -> tuple[Array, Array]:
    """AUC of each score, and their covariances."""
    dtype = accumulator(*y_scores, sample_weight)
    weight = combine(relative(sample_weight, where), where, y_true.shape, dtype).astype(dtype)
    positive = is_positive(y_true)
    positives, negatives = (_Class.of(weight, on) for on in (positive, ~positive))
    item, start, end = (field.reshape(len(y_scores), -1) for field in order(*y_scores))

    def above(fractions: Array) -> Array:
        before, tied = tied_weight(fractions, start, end)
        return before + tied / 2

    of_positives, of_negatives = positives.fraction[item], negatives.fraction[item]
    beaten_by, beats = above(of_positives), 1 - above(of_negatives)
    areas = jnp.sum(of_negatives * beaten_by, axis=1)
    covariance = jnp.zeros((len(y_scores),) * 2, dtype)
    for of_class, fractions, chances in (
        (positives, of_positives, beats),
        (negatives, of_negatives, beaten_by),
    ):
        parts = fractions * (chances - areas[:, None])
        # Only where two orders meet must positions go back to samples.
        parts = parts if len(y_scores) == 1 else unsort(parts, item)
        covariance += of_class.covariance(parts)
    counts = weight != 0
    valid = jnp.all(are_binary(y_true) | ~counts)
    numeric = functools.reduce(jnp.logical_and, (jnp.all((s == s) | ~counts) for s in y_scores))

    def defined(value: Array) -> Array:
        value = check.nan_unless(value, valid, "`y_true` must be 0 or 1")
        return check.nan_unless(value, numeric, "scores must not be NaN")

    return defined(areas), defined(covariance)
