"""Calibration: errors, reliability diagrams and the decomposition of the Brier score."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.merging import DomainCheck, apply_checks
from jmetrics._core.numerics import (
    absolute,
    accumulator,
    safe_divide,
    safe_sqrt,
    scaled,
    weighted_bincount,
)
from jmetrics._core.order import order, tied_weight, unsort
from jmetrics._core.plan import NONNEGATIVE, UNIT, Arrays, Bound, Finisher, Plan, metric, plan
from jmetrics._core.probabilities import Classified, classified, domain_checks, is_class
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Value

NORMS = ("l1", "l2", "max")
STRATEGIES = ("uniform", "quantile")
MULTI_CLASS = ("top_label", "classwise")


@exportable
class BinSums(NamedTuple):
    """Sums over the samples of each bin; those of disjoint parts of the data add up."""

    hits: Array
    """Weight of the events."""
    misses: Array
    """Weight of the non-events."""
    confidence: Array
    """Σ w confidence."""
    gap: Array
    """Σ w (hit − confidence), not as a difference of two large sums."""

    @property
    def weight(self) -> Array:
        """Weight of each bin."""
        return self.hits + self.misses


def bin_sums(bins: Array, confidence: Array, hit: Array, weight: Array, n_bins: int) -> BinSums:
    """Sum over each bin; all arrays (n,), `hit` boolean."""
    none = jnp.zeros_like(weight)
    fraction = weight.astype(confidence.dtype)
    sums = functools.partial(weighted_bincount, bins, size=n_bins)
    return BinSums(
        hits=sums(weight=jnp.where(hit, weight, none)),
        misses=sums(weight=jnp.where(hit, none, weight)),
        confidence=sums(weight=fraction * confidence),
        gap=sums(weight=fraction * (hit.astype(confidence.dtype) - confidence)),
    )


def assign_bins(
    confidence: Array, weight: Array, n_bins: int, strategy: str, dtype: DTypeLike
) -> Array:
    """The bin of each sample, from 0 to n_bins − 1."""
    if strategy == "uniform":
        return equal_width(confidence, n_bins, dtype)
    return equal_mass(confidence, weight, n_bins)


def equal_width(confidence: Array, n_bins: int, dtype: DTypeLike | None = None) -> Array:
    """Bins [b / n_bins, (b + 1) / n_bins), the edges rounded as `confidence` is; 1 is in the last.

    So 0.7 lies on the edge 7 / 10, although binary floats represent neither exactly.
    """
    edges = jnp.asarray(np.arange(n_bins) / n_bins, dtype or confidence.dtype)
    edges = edges.astype(confidence.dtype)
    return _edges_passed(confidence * n_bins, lambda b: confidence >= edges[b], n_bins)


def equal_mass(confidence: Array, weight: Array, n_bins: int) -> Array:
    """Bins of about equal weight, by the weighted mid-rank of each confidence."""
    weight = scaled(lax.stop_gradient(weight))
    by_confidence = order(confidence)
    item, start, end = (field[None] for field in by_confidence)
    above, tied = tied_weight(weight[item], start, end)
    # Mid-ranks are doubled, so that integers stay integers; and edge b is `each` b + `remainder` b
    # / n_bins, which avoids products with a large rank.
    midrank, total = (2 * above + tied)[0], 2 * jnp.sum(weight, dtype=weight.dtype)
    remainder = total % n_bins
    each = (total - remainder) // n_bins

    if jnp.issubdtype(weight.dtype, jnp.floating):
        # Far less than a sample, and more than the rounding of few of them: ties are found.
        slack = safe_divide(total, 1000 * jnp.sum(weight != 0).astype(weight.dtype), 0.0)
        slack = jnp.minimum(slack, 8 * jnp.finfo(weight.dtype).eps * total)

        def passed(b: Array) -> Array:
            b = b.astype(weight.dtype)
            return midrank - each * b > remainder * b / n_bins + slack
    else:

        def passed(b: Array) -> Array:
            return midrank - each * b > remainder * b // n_bins

    fraction = safe_divide(midrank.astype(confidence.dtype), total.astype(confidence.dtype), 0.0)
    from_top = _edges_passed(fraction * n_bins, passed, n_bins)
    return unsort((n_bins - 1 - from_top)[None], item)[0]


def _edges_passed(near: Array, passed: Callable[[Array], Array], n_bins: int) -> Array:
    """Number of the edges 1 to n_bins − 1 passed: floor(near), corrected for rounding."""
    guess = jnp.clip(jnp.floor(near).astype(jnp.int32), 0, n_bins - 1)
    more = (guess < n_bins - 1) & passed(jnp.minimum(guess + 1, n_bins - 1))
    less = (guess > 0) & ~passed(guess)
    return guess + more.astype(jnp.int32) - less.astype(jnp.int32)


def top_label(data: Classified) -> tuple[Array, Array]:
    """Confidence in the predicted class (class 1 of two), and whether it is the true one."""
    if data.proba.ndim == 1:
        return data.proba, data.label == 1
    return jnp.max(data.proba, axis=1), lax.argmax(data.proba, 1, jnp.int32) == data.label


@metric(range=UNIT, greater_is_better=False, predictions="probabilities", noise_increases=True)
def calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    norm: str = "l1",
    n_bins: int = 15,
    strategy: str = "uniform",
    multi_class: str = "top_label",
    debiased: bool = False,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[Array]:
    """Distance between confidence and the frequency of being correct, in bins of confidence.

    With weight w_b, mean confidence c_b and frequency f_b in bin b:
    Σ w_b |f_b − c_b| / Σ w_b ("l1", the expected calibration error), √(Σ w_b (f_b − c_b)² / Σ w_b)
    ("l2") or max_b |f_b − c_b| ("max"). `debiased` subtracts f_b (1 − f_b) / (w_b − 1), the noise
    of f_b, from each square of "l2", leaves out bins of weight 1 or less, and replaces a negative
    sum by 0; a weight is then a number of samples.

    `strategy="uniform"` makes bins of equal width, which include their lower edge, and the last one
    1 too; "quantile" makes bins of about equal weight and never separates equal confidences: a
    sample is in bin b if b ≤ n_bins r < b + 1, where r is the fraction of the weight below it plus
    half of the weight tied with it, itself included. With float weights, a sample at an edge may
    fall to either side.

    For `y_proba` of shape (n, n_classes) the confidence is that of the most probable class, the
    first among equals, or with `multi_class="classwise"` the error is the mean over all classes of
    the error of each against the rest.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `y_proba`
            has shape (n,).
        y_proba: Probabilities, shape (n,) for class 1 of two, which is the confidence, or
            (n, n_classes).
        norm: "l1", "l2" or "max".
        n_bins: Number of bins, at least 1, static.
        strategy: "uniform" for bins of equal width, "quantile" for bins of about equal weight.
        multi_class: "top_label" or "classwise", for `y_proba` of shape (n, n_classes).
        debiased: Whether to correct each bin for noise; needs `norm="l2"`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, 1]; lower is better.

    Undefined:
        NaN if no sample has positive weight, for a probability outside [0, 1] and for a label that
        is not one of the classes.

    Gradient:
        That within the bins, with the assignment of samples to bins held fixed; smooth in the
        weights except, as for |x| at 0, where a bin is empty or without error.

    Cost:
        O(n) time per class, plus a sort of the confidences for "quantile".

    Raises:
        ValueError: If `debiased` is set for a `norm` other than "l2".

    References:
        Naeini, Cooper & Hauskrecht (2015); Kumar, Liang & Ma (2019) for `debiased`; Nixon et al.
        (2019) for classes; `torchmetrics.functional.calibration_error`.

    Examples:
        >>> y_proba = [0.25, 0.25, 0.55, 0.75, 0.75]
        >>> round(float(calibration_error([0, 0, 1, 1, 1], y_proba, n_bins=2)), 6)
        0.29
    """
    check.one_of("norm", norm, NORMS)
    check.one_of("multi_class", multi_class, MULTI_CLASS)
    check.require(not debiased or norm == "l2", "`debiased` needs `norm='l2'`")
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    finisher = Bound.finisher(_error_of_bins, norm=norm, debiased=bool(debiased))
    return _of_bins(arrays, finisher, n_bins, strategy, multi_class)


def _of_bins(
    arrays: Arrays,
    finisher: Finisher[Binned, Value],
    n_bins: int,
    strategy: str,
    multi_class: str = "top_label",
) -> Plan[Value]:
    """Plan to bin and finish; "quantile" does not merge, since its edges depend on the data."""
    check.one_of("strategy", strategy, STRATEGIES)
    n_bins = check.positive_integer("n_bins", n_bins)
    kernel = Bound.kernel(_binned, n_bins=n_bins, strategy=strategy, multi_class=multi_class)
    return plan(arrays, kernel, finisher, merges=strategy == "uniform")


@exportable
class Binned(NamedTuple):
    """Sums of each bin, and whether labels and probabilities are valid."""

    bins: BinSums
    checks: tuple[DomainCheck, ...]

    def finished(self, value: Value) -> Value:
        """One or several values; NaN if something is invalid."""
        return apply_checks(value, self.checks)


@with_auto_axes
def _binned(
    y_true: Array,
    y_proba: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    n_bins: int,
    strategy: str,
    multi_class: str,
) -> Binned:
    data = classified(y_true, y_proba, sample_weight, where)

    def of(confidence: Array, hit: Array) -> BinSums:
        bins = assign_bins(confidence, data.weight, n_bins, strategy, accumulator(y_proba))
        return bin_sums(bins, confidence, hit, data.weight, n_bins)

    if multi_class == "classwise" and data.proba.ndim == 2:
        bins = jax.vmap(of)(data.proba.T, is_class(data.label, data.n_classes).T)
        return Binned(bins, domain_checks(data, data.proba))
    confidence, hit = top_label(data)
    return Binned(of(confidence, hit), domain_checks(data, confidence))


def _error_of_bins(statistic: Binned, *, norm: str, debiased: bool) -> Array:
    error = functools.partial(error_of, norm=norm, debiased=debiased)
    if statistic.bins.gap.ndim == 1:
        return statistic.finished(error(statistic.bins))
    return statistic.finished(jnp.mean(jax.vmap(error)(statistic.bins)))


def error_of(bins: BinSums, norm: str, debiased: bool = False) -> Array:
    """Mean or maximum over the bins of the distance between confidence and frequency."""
    weight = bins.weight.astype(bins.gap.dtype)
    total = jnp.sum(weight)
    if norm == "l1":
        return safe_divide(jnp.sum(absolute(bins.gap)), total, jnp.nan)
    mean = safe_divide(bins.gap, weight, 0.0)
    if norm == "max":
        return jnp.where(total > 0, jnp.max(absolute(mean)), jnp.nan)
    squares = bins.gap * mean
    if debiased:
        hits, misses = bins.hits.astype(weight.dtype), bins.misses.astype(weight.dtype)
        several = weight > 1
        noise = safe_divide(hits, weight, 0.0) * misses
        noise = safe_divide(noise, jnp.where(several, weight - 1, jnp.zeros_like(weight)), 0.0)
        squares = jnp.where(several, squares - noise, jnp.zeros_like(squares))
    return safe_sqrt(jnp.maximum(safe_divide(jnp.sum(squares), total, jnp.nan), 0))


@exportable
class CalibrationCurve(NamedTuple):
    """Points of a reliability diagram: one entry per bin, empty bins included.

    Attributes:
        prob_true: Frequency of being correct, shape (n_bins,); NaN in an empty bin.
        prob_pred: Mean confidence, shape (n_bins,); NaN in an empty bin.
        weight: Weight of each bin, shape (n_bins,): a whole number of samples unless they are
            weighted; 0 if empty.
    """

    prob_true: Array
    prob_pred: Array
    weight: Array


@metric(range=(UNIT, UNIT, NONNEGATIVE), greater_is_better=None, predictions="probabilities")
def calibration_curve(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 5,
    strategy: str = "uniform",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[CalibrationCurve]:
    """Frequency of being correct against confidence, in bins of confidence.

    For `y_proba` of shape (n, n_classes) the confidence is that of the most probable class. Bins
    are those of `calibration_error`.

    Args:
        y_true: True classes, shape (n,), whole numbers 0 to n_classes − 1, or 0 and 1 if `y_proba`
            has shape (n,).
        y_proba: Probabilities, shape (n,) for class 1 of two, which is the confidence, or
            (n, n_classes).
        n_bins: Number of bins, at least 1, static.
        strategy: "uniform" for bins of equal width, "quantile" for bins of about equal weight.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of three arrays of shape (n_bins,), `prob_true` and `prob_pred` in [0, 1], best
            where they are equal, and the `weight` of each bin.

    Undefined:
        NaN in an empty bin, whose weight is 0. NaN everywhere for a probability outside [0, 1] and
        for a label that is not one of the classes.

    Gradient:
        That within the bins, with the assignment of samples to bins held fixed; smooth in the
        weights.

    Cost:
        O(n n_classes) time, plus a sort of the confidences for "quantile".

    References:
        `sklearn.calibration.calibration_curve`, which drops empty bins, closes the others on the
        right, and places the edges of "quantile" at quantiles.

    Examples:
        >>> y_proba = [0.25, 0.25, 0.55, 0.75, 0.75]
        >>> curve = calibration_curve([0, 0, 1, 1, 1], y_proba, n_bins=4)
        >>> curve.prob_true
        Array([nan,  0.,  1.,  1.], dtype=float32)
        >>> curve.weight
        Array([0, 2, 1, 2], dtype=int32)
    """
    arrays = check.class_scores(
        y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where
    )
    return _of_bins(arrays, Bound.finisher(_curve), n_bins, strategy)


def _curve(statistic: Binned) -> CalibrationCurve:
    sums = statistic.bins
    weight = sums.weight.astype(sums.gap.dtype)
    prob_true = safe_divide(sums.hits.astype(weight.dtype), weight, jnp.nan)
    prob_pred = safe_divide(sums.confidence, weight, jnp.nan)
    prob_true, prob_pred = statistic.finished((prob_true, prob_pred))
    return CalibrationCurve(prob_true, prob_pred, sums.weight)


@exportable
class BrierDecomposition(NamedTuple):
    """Three components of the Brier score: reliability − resolution + uncertainty.

    Attributes:
        reliability: Mean squared distance between confidence and frequency, a scalar; lower is
            better.
        resolution: Variance of the frequencies between bins, a scalar; higher is better.
        uncertainty: Variance of the target, a scalar that does not depend on the predictions.
    """

    reliability: Array
    resolution: Array
    uncertainty: Array


@metric(range=(UNIT, (0.0, 0.25), (0.0, 0.25)), greater_is_better=None, predictions="probabilities")
def brier_decomposition(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Plan[BrierDecomposition]:
    """Reliability, resolution and uncertainty: the components of the Brier score.

    With weight w_b, mean confidence c_b and frequency f_b in bin b, and f overall:
    Σ w_b (f_b − c_b)² / Σ w_b, Σ w_b (f_b − f)² / Σ w_b and f (1 − f). If the probabilities within
    each bin are equal, `brier_score_loss` is reliability − resolution + uncertainty; otherwise the
    variation within bins is missing.

    Args:
        y_true: True labels, 0 and 1, shape (n,).
        y_proba: Probabilities of label 1, shape (n,).
        n_bins: Number of bins, at least 1, static.
        strategy: "uniform" for bins of equal width, "quantile" for bins of about equal weight, as
            in `calibration_error`.
        sample_weight: Weights, shape (n,).
        where: Boolean mask, shape (n,); samples where it is False are ignored.

    Returns:
        Named tuple of three scalars, `reliability` in [0, 1], lower is better, `resolution` in
            [0, ¼], higher is better, and `uncertainty` in [0, ¼].

    Undefined:
        NaN if no sample has positive weight, for a probability outside [0, 1] and for a label other
        than 0 and 1.

    Gradient:
        That within the bins, with the assignment of samples to bins held fixed; smooth in the
        weights.

    Cost:
        O(n) time, plus a sort of the confidences for "quantile".

    References:
        Murphy (1973).

    Examples:
        >>> y_proba = [0.25, 0.25, 0.5, 0.75, 0.75]
        >>> parts = brier_decomposition([0, 0, 1, 1, 1], y_proba)
        >>> [round(float(part), 6) for part in parts]
        [0.1, 0.24, 0.24]
    """
    arrays = check.samples(y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, where=where)
    return _of_bins(arrays, Bound.finisher(_decomposed), n_bins, strategy)


def _decomposed(statistic: Binned) -> BrierDecomposition:
    sums, dtype = statistic.bins, statistic.bins.gap.dtype
    weight = sums.weight.astype(dtype)
    hits, misses = (jnp.sum(part).astype(dtype) for part in (sums.hits, sums.misses))
    total = hits + misses
    frequency, others = safe_divide(hits, total, jnp.nan), safe_divide(misses, total, jnp.nan)
    # Σ w (hit − frequency) of each bin.
    deviation = others * sums.hits.astype(dtype) - frequency * sums.misses.astype(dtype)
    return statistic.finished(
        BrierDecomposition(
            reliability=safe_divide(_mean_of_squares(sums.gap, weight), total, jnp.nan),
            resolution=safe_divide(_mean_of_squares(deviation, weight), total, jnp.nan),
            uncertainty=frequency * others,
        )
    )


def _mean_of_squares(deviation: Array, weight: Array) -> Array:
    """Σ_b w_b (mean deviation of bin b)², from the sum of the deviations of each."""
    return jnp.sum(deviation * safe_divide(deviation, weight, 0.0))
