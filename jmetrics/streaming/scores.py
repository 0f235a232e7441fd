"""Streams of scores and other numbers, whose order is kept in bounded memory.

The state is a histogram over the leading bits of the numbers, whatever their range. What it
leaves open is part of the answer: an estimate, and bounds that the exact value lies between.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.curve_points import distinct, fitted, length_of, trimmed
from jmetrics._core.numerics import absolute
from jmetrics._core.plan import Bound
from jmetrics._core.scores import labelled_scores
from jmetrics._core.sharding import with_auto_axes
from jmetrics._core.types import ArrayLike, Tree
from jmetrics._core.weights import combine, resolve_exactly
from jmetrics.curves.rates import precision_recall_of, roc_of
from jmetrics.streaming import _bounds, _histogram
from jmetrics.streaming._bounds import Bounded as Bounded
from jmetrics.streaming._histogram import Histogram, HistogramSpec
from jmetrics.streaming._states import intact


@dataclass(frozen=True)
class HistogramStream(abc.ABC):
    """Base of the streams of this module: the state, and how states are added."""

    bins: HistogramSpec
    finisher: Bound[[Histogram, HistogramSpec], Tree]
    """The state and its bins to a result."""

    def init(self) -> Histogram:
        """Return the state of no samples, which changes nothing that it is merged with."""
        return self.bins.empty()

    @abc.abstractmethod
    def update(self, state: Histogram, *arrays: Any, **named_arrays: Any) -> Histogram:
        """Return the state with more samples."""

    def merge(self, a: Histogram, b: Histogram) -> Histogram:
        """Return the state of two sets of samples taken together."""
        return _histogram.merge(a, b)

    def reduce(self, state: Histogram, axis_name: Hashable) -> Histogram:
        """Return the state of all devices along an axis of a mesh, for inside `jax.shard_map`."""
        return _histogram.reduce(state, axis_name)

    def compute(self, state: Histogram) -> Tree:
        """Return the result for the samples so far."""
        return _compute(state, self.finisher, bins=self.bins)

    def key(self) -> Hashable:
        """Return something equal for streams that hold the same state."""
        return type(self).update, self.bins

    @property
    def supports_decay(self) -> bool:
        """Whether accumulated weights can be rescaled: not integer counts."""
        return self.bins.weighted

    def _weight(self, sample_weight: Any) -> Any:
        exact = sample_weight is None or check.array("sample_weight", sample_weight).dtype == bool
        check.require(
            self.bins.weighted or exact,
            "`sample_weight` needs a stream made with `weighted=True`",
        )
        return sample_weight


@dataclass(frozen=True)
class ScoreStream(HistogramStream):
    """A stream of binary labels and scores."""

    def update(
        self,
        state: Histogram,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Histogram:
        """Return the state with more samples, all arrays (n,)."""
        arrays = check.samples(
            y_true=y_true, y_score=y_score, sample_weight=self._weight(sample_weight), where=where
        )
        return _add_scores(state, *arrays, bins=self.bins)


@dataclass(frozen=True)
class CurveStream(ScoreStream):
    """A stream of binary labels and scores that gives a curve."""

    size: int | None

    def compute(self, state: Histogram) -> Tree:
        """Return the curve; as many points as there are if called eagerly without a size."""
        return trimmed(super().compute(state), self.size)


@dataclass(frozen=True)
class ValueStream(HistogramStream):
    """A stream of numbers."""

    def update(
        self,
        state: Histogram,
        values: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Histogram:
        """Return the state with more numbers, all arrays (n,)."""
        arrays = check.samples(
            values=values, sample_weight=self._weight(sample_weight), where=where
        )
        return _add_values(state, *arrays, bins=self.bins)


@dataclass(frozen=True)
class ErrorStream(HistogramStream):
    """A stream of targets and predictions."""

    def update(
        self,
        state: Histogram,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Histogram:
        """Return the state with more samples, all arrays (n,)."""
        arrays = check.samples(
            y_true=y_true, y_pred=y_pred, sample_weight=self._weight(sample_weight), where=where
        )
        return _add_errors(state, *arrays, bins=self.bins)


@functools.partial(jax.jit, static_argnames="bins")
@with_auto_axes
def _add_scores(
    state: Histogram,
    y_true: Array,
    y_score: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    bins: HistogramSpec,
) -> Histogram:
    data = labelled_scores(y_true, y_score, sample_weight, where, totals=True)
    weight = data.weight.astype(bins.result if bins.weighted else jnp.int32)
    return _histogram.add(state, bins, data.score, data.positive, weight, data.labelled)


@functools.partial(jax.jit, static_argnames="bins")
@with_auto_axes
def _add_values(
    state: Histogram,
    values: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    bins: HistogramSpec,
) -> Histogram:
    weight = combine(sample_weight, where, values.shape, bins.result)
    return _unlabelled(state, bins, values, weight)


@functools.partial(jax.jit, static_argnames="bins")
@with_auto_axes
def _add_errors(
    state: Histogram,
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    *,
    bins: HistogramSpec,
) -> Histogram:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, sample_weight, where)
    return _unlabelled(state, bins, absolute(y_true - y_pred), weight)


def _unlabelled(state: Histogram, bins: HistogramSpec, values: Array, weight: Array) -> Histogram:
    weight = weight.astype(bins.result if bins.weighted else jnp.int32)
    label = jnp.zeros(values.shape, jnp.int32)
    return _histogram.add(state, bins, values, label, weight, jnp.ones((), jnp.bool_))


@functools.partial(jax.jit, static_argnames="bins")
def _compute(
    state: Histogram, finisher: Bound[[Histogram, HistogramSpec], Tree], *, bins: HistogramSpec
) -> Tree:
    value = finisher(intact(state), bins)
    numbers = "`y_score` must not be NaN" if bins.classes == 2 else "values must not be NaN"

    def defined(leaf: Array) -> Array:
        if not jnp.issubdtype(leaf.dtype, jnp.floating):
            return leaf
        leaf = check.nan_unless(leaf, state.unlabelled == 0, "`y_true` must be 0 or 1")
        return check.nan_unless(leaf, state.unordered == 0, numbers)

    return jax.tree.map(defined, value)


def roc_auc_score(
    *, bits: int = 16, dtype: DTypeLike = jnp.float32, weighted: bool = False
) -> ScoreStream:
    """Stream of the area under the ROC curve, with certified bounds, in 2^bits bins.

    The order of a positive and a negative in one bin is unknown. The bounds count all such pairs as
    wrong or as right, and the estimate half of them; pairs in a bin that holds a single score are
    ties, and the result is exact if every bin does.

    `update(state, y_true, y_score, sample_weight=, where=)` takes `y_true` of 0 and 1, all arrays
    of shape (n,), and `sample_weight` only if `weighted`. The streams of scores have one kind of
    state, of which each can compute its value.

    Args:
        bits: Number of leading bits of `dtype` that scores are binned by, from 1 to 20; static.
        dtype: Float type that scores are rounded to. 16 bits are all that bfloat16 has, or with
            `dtype=jnp.float16` float16; of float32 they are 8 binary digits, at any magnitude,
            so give probabilities near 1 as log-odds.
        weighted: Whether samples have weights; if not, bins hold exact integer counts.

    Returns:
        A stream whose value is a `Bounded` of scalars in [0, 1]; higher is better. `low` ≤ exact
        value ≤ `high`, with rounding taken into account.

    Undefined:
        NaN unless both classes have positive weight, for a NaN score with positive weight and for a
        label other than 0 and 1.

    Gradient:
        None.

    Cost:
        A state of 24 bytes per bin; O(n) time per update, O(n log n) with weights.

    References:
        `sklearn.metrics.roc_auc_score`; the bounds are derived beside the code.

    Examples:
        >>> from jmetrics import streaming
        >>> stream = streaming.roc_auc_score()
        >>> state = stream.update(stream.init(), [0, 0, 1], [0.1, 0.4, 0.35])
        >>> state = stream.update(state, [1], [0.8])
        >>> round(float(stream.compute(state).estimate), 6)
        0.75
    """
    return ScoreStream(
        HistogramSpec.checked(bits, dtype, weighted, classes=2), Bound.of(_bounds.area_under_roc)
    )


def average_precision_score(
    *, bits: int = 16, dtype: DTypeLike = jnp.float32, weighted: bool = False
) -> ScoreStream:
    """Stream of the average precision, with certified bounds, in 2^bits bins.

    The bounds put the positives of a bin first, tied, or last, one by one.

    `update(state, y_true, y_score, sample_weight=, where=)` takes `y_true` of 0 and 1, all arrays
    of shape (n,), and `sample_weight` only if `weighted`. The state is that of `roc_auc_score` of
    this module: one state gives both.

    Args:
        bits: Number of leading bits of `dtype` that scores are binned by, from 1 to 20; static.
        dtype: Float type that scores are rounded to. 16 bits are all that bfloat16 has, or with
            `dtype=jnp.float16` float16; of float32 they are 8 binary digits, at any magnitude,
            so give probabilities near 1 as log-odds.
        weighted: Whether samples have weights; if not, bins hold exact integer counts.

    Returns:
        A stream whose value is a `Bounded` of scalars in [0, 1]; higher is better. `low` ≤ exact
        value ≤ `high`, with rounding taken into account.

    Undefined:
        0 without a positive. NaN if no sample has positive weight, for a NaN score with positive
        weight and for a label other than 0 and 1.

    Gradient:
        None.

    Cost:
        A state of 24 bytes per bin; O(n) time per update, O(n log n) with weights.

    References:
        `jmetrics.average_precision_score`; the bounds are derived beside the code.

    Examples:
        >>> from jmetrics import streaming
        >>> stream = streaming.average_precision_score()
        >>> state = stream.update(stream.init(), [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> round(float(stream.compute(state).estimate), 6)
        0.833333
    """
    return ScoreStream(
        HistogramSpec.checked(bits, dtype, weighted, classes=2), Bound.of(_bounds.average_precision)
    )


def roc_curve(
    *,
    drop_intermediate: bool = True,
    size: int | None = None,
    bits: int = 16,
    dtype: DTypeLike = jnp.float32,
    weighted: bool = False,
) -> CurveStream:
    """Stream of the ROC curve, exact at one point for each of 2^bits bins.

    Each point is one of the curve of all samples: its threshold is the lowest score in a bin.
    Between two points the curve stays in the rectangle that they are corners of.

    `update(state, y_true, y_score, sample_weight=, where=)` takes `y_true` of 0 and 1, all arrays
    of shape (n,), and `sample_weight` only if `weighted`. The state is that of `roc_auc_score` of
    this module.

    Args:
        drop_intermediate: Whether to drop points in the middle of two equal steps.
        size: Static length of the curve under a transformation, 2^bits + 1 by default; entries
            beyond repeat the end point. Called eagerly without it, there are as many entries as
            points.
        bits: Number of leading bits of `dtype` that scores are binned by, from 1 to 20; static.
        dtype: Float type that scores are rounded to. 16 bits are all that bfloat16 has, or with
            `dtype=jnp.float16` float16; of float32 they are 8 binary digits, at any magnitude,
            so give probabilities near 1 as log-odds.
        weighted: Whether samples have weights; if not, bins hold exact integer counts.

    Returns:
        A stream whose value is a `jmetrics.roc_curve`; rates in [0, 1], both increasing.

    Undefined:
        NaN rates along the axis of a class without positive weight. All NaN for a NaN score with
        positive weight, a label other than 0 and 1, and a `size` that is too small.

    Gradient:
        None.

    Cost:
        A state of 24 bytes per bin; O(n) time per update, O(n log n) with weights.

    References:
        `sklearn.metrics.roc_curve`.

    Examples:
        >>> from jmetrics import streaming
        >>> stream = streaming.roc_curve()
        >>> state = stream.update(stream.init(), [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> stream.compute(state).tpr.tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    return _curve(
        _roc_curve, drop_intermediate, size, HistogramSpec.checked(bits, dtype, weighted, 2)
    )


def precision_recall_curve(
    *,
    drop_intermediate: bool = False,
    size: int | None = None,
    bits: int = 16,
    dtype: DTypeLike = jnp.float32,
    weighted: bool = False,
) -> CurveStream:
    """Stream of the precision-recall curve, exact at one point for each of 2^bits bins.

    Each point is one of the curve of all samples: its threshold is the lowest score in a bin.
    Between two thresholds with T and F, and T' and F', positives and negatives at or above them,
    recall stays between T / P and T' / P, precision between T / (T + F') and T' / (T' + F).

    `update(state, y_true, y_score, sample_weight=, where=)` takes `y_true` of 0 and 1, all arrays
    of shape (n,), and `sample_weight` only if `weighted`. The state is that of `roc_auc_score` of
    this module.

    Args:
        drop_intermediate: Whether to drop points with the recall of both their neighbours.
        size: Static length of the curve under a transformation, 2^bits + 1 by default; entries
            beyond repeat the end point. Called eagerly without it, there are as many entries as
            points.
        bits: Number of leading bits of `dtype` that scores are binned by, from 1 to 20; static.
        dtype: Float type that scores are rounded to. 16 bits are all that bfloat16 has, or with
            `dtype=jnp.float16` float16; of float32 they are 8 binary digits, at any magnitude,
            so give probabilities near 1 as log-odds.
        weighted: Whether samples have weights; if not, bins hold exact integer counts.

    Returns:
        A stream whose value is a `jmetrics.precision_recall_curve`; precision and recall in [0, 1],
        recall decreasing.

    Undefined:
        Recall is 1 at each threshold without a positive. All NaN if no sample has positive weight,
        for a NaN score with positive weight, a label other than 0 and 1, and a `size` that is too
        small.

    Gradient:
        None.

    Cost:
        A state of 24 bytes per bin; O(n) time per update, O(n log n) with weights.

    References:
        `sklearn.metrics.precision_recall_curve`.

    Examples:
        >>> from jmetrics import streaming
        >>> stream = streaming.precision_recall_curve()
        >>> state = stream.update(stream.init(), [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> stream.compute(state).recall.tolist()
        [1.0, 1.0, 0.5, 0.5, 0.0]
    """
    bins = HistogramSpec.checked(bits, dtype, weighted, 2)
    return _curve(_precision_recall_curve, drop_intermediate, size, bins)


def _curve(
    finisher: Callable[..., Tree], drop: bool, size: int | None, bins: HistogramSpec
) -> CurveStream:
    length = length_of(size, (1 << bins.bits) + 1)
    return CurveStream(bins, Bound.of(finisher, drop=bool(drop), length=length), size)


def _roc_curve(state: Histogram, bins: HistogramSpec, *, drop: bool, length: int) -> Tree:
    points = distinct(_bounds.thresholds(state, bins), 1 << bins.bits)
    return fitted(roc_of(points, bins.result, drop=drop), length)


def _precision_recall_curve(
    state: Histogram, bins: HistogramSpec, *, drop: bool, length: int
) -> Tree:
    points = distinct(_bounds.thresholds(state, bins), 1 << bins.bits)
    return fitted(precision_recall_of(points, bins.result, drop=drop), length)


def quantile(
    level: ArrayLike = 0.5,
    *,
    bits: int = 16,
    dtype: DTypeLike = jnp.float32,
    weighted: bool = False,
) -> ValueStream:
    """Stream of quantiles of numbers, with certified bounds, in 2^bits bins.

    The averaged inverse of the weighted distribution function: where the weight up to a number
    is the level exactly, the mean of it and the next. The bounds are the smallest and the largest
    number in its bin; the estimate assumes that the numbers in a bin are spread evenly.

    `update(state, values, sample_weight=, where=)` takes arrays of shape (n,), and `sample_weight`
    only if `weighted`.

    Args:
        level: Level or levels, in [0, 1], a scalar or of shape (n_levels,); traced.
        bits: Number of leading bits of `dtype` that numbers are binned by, from 1 to 20; static.
        dtype: Float type that numbers are rounded to. 16 bits are all that bfloat16 has, or with
            `dtype=jnp.float16` float16; of float32 they are 8 binary digits, at any magnitude.
        weighted: Whether samples have weights; if not, bins hold exact integer counts.

    Returns:
        A stream whose value is a `Bounded` of the shape of `level`, in the range of the numbers.
        `low` ≤ exact quantile ≤ `high`, which are a fraction of at most 2^−7 of it apart.

    Undefined:
        NaN if no number has positive weight, for a NaN with positive weight, and for a `level`
        outside [0, 1].

    Gradient:
        None.

    Cost:
        A state of 16 bytes per bin; O(n) time per update, O(n log n) with weights.

    References:
        Hyndman & Fan (1996), type 2.

    Examples:
        >>> from jmetrics import streaming
        >>> stream = streaming.quantile([0.25, 0.5])
        >>> state = stream.update(stream.init(), [1.0, 2.0, 3.0, 4.0])
        >>> stream.compute(state).estimate.tolist()
        [1.5, 2.5]
    """
    levels = check.number_or_vector("level", level)
    return ValueStream(
        HistogramSpec.checked(bits, dtype, weighted, 1), Bound.of(_quantiles, levels)
    )


def median_absolute_error(
    *, bits: int = 16, dtype: DTypeLike = jnp.float32, weighted: bool = False
) -> ErrorStream:
    """Stream of the median absolute error, with certified bounds, in 2^bits bins.

    `update(state, y_true, y_pred, sample_weight=, where=)` takes arrays of shape (n,), and
    `sample_weight` only if `weighted`.

    Args:
        bits: Number of leading bits of `dtype` that errors are binned by, from 1 to 20; static.
        dtype: Float type that errors are rounded to. 16 bits are all that bfloat16 has, or with
            `dtype=jnp.float16` float16; of float32 they are 8 binary digits, at any magnitude.
        weighted: Whether samples have weights; if not, bins hold exact integer counts.

    Returns:
        A stream whose value is a `Bounded` of scalars in [0, ∞), in units of y; lower is better.
        `low` ≤ exact value ≤ `high`, which are a fraction of at most 2^−7 of it apart.

    Undefined:
        NaN if no sample has positive weight, and for a NaN with positive weight.

    Gradient:
        None.

    Cost:
        A state of 16 bytes per bin; O(n) time per update, O(n log n) with weights.

    References:
        `sklearn.metrics.median_absolute_error`.

    Examples:
        >>> from jmetrics import streaming
        >>> stream = streaming.median_absolute_error()
        >>> state = stream.update(stream.init(), [3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
        >>> float(stream.compute(state).estimate)
        0.5
    """
    return ErrorStream(
        HistogramSpec.checked(bits, dtype, weighted, 1), Bound.of(_quantiles, level=0.5)
    )


def _quantiles(state: Histogram, bins: HistogramSpec, level: Array) -> Bounded:
    level = jnp.asarray(level, bins.result)
    if level.ndim == 0:
        return _bounds.quantile(state, bins, level)
    return jax.vmap(lambda one: _bounds.quantile(state, bins, one))(level)
