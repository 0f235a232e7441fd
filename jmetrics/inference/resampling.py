"""Intervals of any metric by resampling its data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from jax import Array

from jmetrics._core.exporting import exportable
from jmetrics._core.types import ArrayLike, Number
from jmetrics.inference._interval import short_repr
from jmetrics.inference._plans import make_problem
from jmetrics.inference._resamples import Settings, scheme_of, summarised
from jmetrics.inference._samples import SampleInfo


@exportable
class Bootstrap(NamedTuple):
    """The bootstrap distribution of a metric, and what follows from it.

    Attributes:
        estimate: The metric of the data.
        low: Lower end of the interval, shape of the metric.
        high: Upper end of the interval, shape of the metric.
        standard_error: Standard deviation of the metric over the resamples, shape of the metric.
        bias: Mean of the metric over the resamples minus the estimate, shape of the metric.
        distribution: The metric of each resample, shape (n_resamples,) before the shape of the
            metric; NaN where it is undefined.
        n_undefined: Number of resamples without a value, such as those without a positive, which
            are left out; shape of the metric.
    """

    estimate: Any
    low: Any
    high: Any
    standard_error: Any
    bias: Any
    distribution: Any
    n_undefined: Any

    def __repr__(self) -> str:
        return short_repr(self)


def bootstrap(
    key: Array,
    metric: Callable[..., Any],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    n_resamples: int = 1000,
    confidence_level: Number = 0.95,
    method: str = "bca",
    scheme: str = "multinomial",
    resample: str = "weights",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    batch_size: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Bootstrap:
    """Confidence interval of a metric by resampling its data with replacement.

    A resample changes the weights and moves no rows: sample i gets w_i times the number of times
    it was drawn. `scheme` says how: "multinomial" draws as many samples as there are, with
    replacement; "poisson" draws each independently; "bayesian" gives exponential weights.
    A function that has the same value for any weights is refused, or gives NaN inside `jit`.
    `resample="rows"` gathers the rows that are drawn instead, for any function of two arrays, also
    of scikit-learn, which runs on the host and is called for each resample: without masks, weights
    and groups, by "percentile", "basic" or "normal".

    `method`: "percentile" takes quantiles of the resamples; "bca" corrects them for the bias and
    for the acceleration, which comes from the `influence` of the samples; "basic" reflects them at
    the estimate; "normal" is the estimate ± z standard deviations; "studentized" takes quantiles
    of the distance from the estimate in standard errors, those of each resample. "bca" has had the
    best coverage.

    Samples lie along the first axis. Where the metric is one of lists, in rows or with the options
    `segment_ids` and `num_segments`, the lists are what is resampled: `sample_weight`, `groups` and
    `strata` then have shape (n_lists,).

    Args:
        key: A random key of `jax.random`.
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` that runs on JAX arrays and
            whose value depends on the weights; `where` is passed if given. A function that is not
            of this library is static: pass the same object to compile once. With
            `resample="rows"` any function of two arrays.
        y_true: Targets as `metric` takes them, samples along the first axis.
        y_pred: Predictions as `metric` takes them, samples along the first axis.
        n_resamples: Number of resamples, a positive integer; static.
        confidence_level: Coverage aimed at, in (0, 1); traced.
        method: "bca", "percentile", "basic", "normal" or "studentized"; static.
        scheme: How resamples are drawn, "multinomial", "poisson" or "bayesian"; static.
        resample: "weights" or "rows"; static.
        strata: Stratum of each sample or list, shape (n,), integers or booleans. Each stratum keeps
            its number of samples; needs `scheme="multinomial"`.
        groups: Group of each sample or list, shape (n,), integers or booleans. Whole groups are
            drawn, for samples that depend on each other.
        sample_weight: Weight of each sample or list, shape (n,); those of weight 0 are never drawn.
        where: Mask as `metric` takes it, samples along the first axis; masked samples, and lists
            without an item, are never drawn.
        batch_size: Number of resamples evaluated at a time, a positive integer; static. Chosen to
            bound memory by default.
        progress: Whether to show a progress bar; it needs `tqdm` and does not work inside `jit`.
        **options: Options of `metric`. Floats and arrays are traced, everything else is static. An
            option with the name of an argument here goes by `functools.partial`.

    Returns:
        A `Bootstrap`.

    Undefined:
        Resamples without a value are left out and counted in `n_undefined`; the interval is NaN if
        there is no other. None has a value if the data have none. For "studentized" neither has a
        resample whose standard error is 0 or NaN, as those of the largest error are.

    Cost:
        `n_resamples` evaluations, `batch_size` at a time, and what does not depend on the weights,
        such as a sort of scores, once; a gradient for "bca", and one per resample for
        "studentized". For integer labels of a few classes, the counts of pairs of labels are drawn
        instead of samples, in time that does not depend on n; a resample of one key is the same
        with and without `jit` and `num_classes`.

    Raises:
        ValueError: For options that contradict each other, and what `metric` raises.
        TypeError: For a `key` that is not one random key.
        ImportError: For `progress` without `tqdm`.

    References:
        Efron (1979, 1987); Rubin (1981); `scipy.stats.bootstrap`.

    Examples:
        >>> import jax
        >>> from jmetrics import mean_absolute_error
        >>> y_true, y_pred = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 7.0]
        >>> result = bootstrap(jax.random.key(0), mean_absolute_error, y_true, y_pred)
        >>> float(result.estimate), int(result.n_undefined)
        (1.0, 0)
    """
    scheme = scheme_of(scheme, options)
    problem = make_problem(
        metric,
        y_true,
        {"y_pred": y_pred},
        SampleInfo(sample_weight, where, groups, strata),
        options,
        resample,
    )
    found = summarised(
        key,
        problem,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        batch_size=batch_size,
        progress=progress,
        settings=Settings(method, scheme, contrast=False),
    )
    return Bootstrap(**{name: getattr(found, name) for name in Bootstrap._fields})
