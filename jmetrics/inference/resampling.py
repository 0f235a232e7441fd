"""Intervals of any metric by resampling its data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from jax import Array

from jmetrics._core.exporting import exportable
from jmetrics._core.types import ArrayLike, Number
from jmetrics.inference._interval import brief
from jmetrics.inference._plans import problem
from jmetrics.inference._resamples import Settings, summarised
from jmetrics.inference._samples import Given


@exportable
class Bootstrap(NamedTuple):
    """What resampling says about a metric."""

    estimate: Any
    """The metric of the data themselves."""
    low: Any
    high: Any
    standard_error: Any
    """Standard deviation of the metric over the resamples."""
    bias: Any
    """Mean of the metric over the resamples, less the estimate."""
    distribution: Any
    """The metric of every resample, along the first axis; NaN where it is undefined."""
    n_undefined: Any
    """How many resamples had no value and were left out, such as those without a positive."""

    def __repr__(self) -> str:
        return brief(self)


def bootstrap(
    key: Array,
    metric: Callable[..., Any],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    n_resamples: int = 1000,
    confidence_level: Number = 0.95,
    method: str = "bca",
    weights: str = "multinomial",
    resample: str = "weights",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    batch_size: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Bootstrap:
    """Resample the data with replacement, and give an interval of a metric.

    A resample changes the weights and moves no rows: sample i gets w_i times the number of
    times it was drawn. `weights` says how: "multinomial" draws as many samples as there are,
    with replacement; "poisson" draws each on its own; "bayesian" gives exponential weights.
    With `strata` each stratum keeps its number of samples; with `groups` whole groups are drawn,
    for samples that depend on each other. Metrics of lists have whole lists drawn. A function
    that has the same value for any weights is refused, or gives NaN inside `jit`;
    `resample="rows"` gathers the rows that are drawn instead, for any function of two arrays, of
    scikit-learn too, which runs on the host and is called for each resample: without masks,
    weights and groups, by "percentile", "basic" or "normal".

    `method`: "percentile" takes quantiles of the resamples; "bca" moves them by the bias and by
    the acceleration, which comes from the `influence` of the samples; "basic" mirrors them at
    the estimate; "normal" is the estimate ± z standard deviations; "studentized" takes quantiles
    of the distance in standard errors, each resample's own. "bca" has covered best.

    Shapes: `key` is one random key of `jax.random`. Samples lie along the first axis of
    `y_true`, `y_pred`, `where`, and of `sample_weight`, `strata` and `groups`, (n,), the last two
    whole numbers; the last three are of the lists, (n_lists,), for lists in rows or with the
    options `segment_ids` (n,) and `num_segments` of their metric. Masked samples and those of
    weight 0 are never drawn, nor are lists without an item. The result has the shape of the
    metric in every field, `distribution` with (n_resamples,) before it. `options` go to the
    metric; one with the name of an argument here goes by `functools.partial`.
    Undefined: resamples without a value are left out and counted in `n_undefined`; the
    interval is NaN when there is no other. None has a value if the data themselves have none.
    For "studentized" neither has a resample whose standard error is 0 or NaN, such as all of a
    largest error.
    Cost: `n_resamples` evaluations, `batch_size` at a time (chosen to bound memory if None), and
    what does not depend on the weights, such as a sort of scores, once; a gradient for "bca",
    and one each resample for "studentized". For whole-numbered labels of a few classes, the
    counts of pairs of labels are drawn instead of samples, in time that does not depend on n;
    a resample of one key is the same with and without `jit` and `num_classes`.
    `progress` shows a bar outside `jit`; it needs `tqdm`.
    Raises: ValueError for options that make no sense, TypeError or ValueError for a `key` that is
    not one random key, ImportError without `tqdm`, and what the metric raises. A function that
    is no metric of this library is static: pass the same object to compile once.
    Source: Efron (1979, 1987); Rubin (1981); `scipy.stats.bootstrap`.

    >>> import jax
    >>> from jmetrics import mean_absolute_error
    >>> y_true, y_pred = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 7.0]
    >>> result = bootstrap(jax.random.key(0), mean_absolute_error, y_true, y_pred)
    >>> float(result.estimate), int(result.n_undefined)
    (1.0, 0)
    """
    asked = problem(
        metric,
        y_true,
        {"y_pred": y_pred},
        Given(sample_weight, where, groups, strata),
        options,
        resample,
    )
    found = summarised(
        key,
        asked,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        batch_size=batch_size,
        progress=progress,
        settings=Settings(method, weights, contrast=False),
    )
    return Bootstrap(**{name: getattr(found, name) for name in Bootstrap._fields})
