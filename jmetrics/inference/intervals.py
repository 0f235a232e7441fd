"""The interval with the best coverage for a metric of its kind.

In the order in which they are tried. Samples are independent if neither `groups` nor `strata` nor
`resample="rows"` says otherwise; n is their number.

| condition                                              | interval              | cost         |
|--------------------------------------------------------|-----------------------|--------------|
| independent; declared with `presort`, called without   | DeLong's, logit scale | one sort     |
| options, on arrays of shape (n,)                       |                       |              |
| independent; a proportion of samples of equal weight   | Wilson's              | O(n)         |
| `resample="rows"`                                      | percentiles           | `bootstrap`  |
| everything else                                        | BCa                   | `bootstrap`  |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import Array

from jmetrics._core import check
from jmetrics._core.types import ArrayLike, Number, Tree
from jmetrics.inference._drawing.units import SampleInfo
from jmetrics.inference._interval import Interval
from jmetrics.inference._proportion_metrics import wilson_interval_of
from jmetrics.inference._reweighting.problem import make_problem
from jmetrics.inference.delong import delong_interval
from jmetrics.inference.resampling import MetricResampling, summarised


def confidence_interval(
    metric: Callable[..., Tree],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    key: Array | None = None,
    n_resamples: int = 1000,
    confidence_level: Number = 0.95,
    resample: str = "weights",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    **options: Any,
) -> Interval:
    """Confidence interval of a metric by the method with the best coverage for metrics of its kind.

    For independent samples, `roc_auc_score` of two classes gets DeLong's interval on the logit
    scale, and a proportion of samples of equal weight, such as an accuracy, a recall or a
    precision, Wilson's. Everything else is resampled: `bootstrap` with "bca", or "percentile" with
    `resample="rows"`.

    Args:
        metric: Metric or loss of this library, or any function called as
            `metric(y_true, y_pred, sample_weight=, where=, **options)` that runs on JAX arrays and
            whose value depends on the weights; `where` is passed if given. A function that is not
            of this library is static: pass the same object to compile once. With
            `resample="rows"` any function of two arrays.
        y_true: Targets as `metric` takes them, samples along the first axis.
        y_pred: Predictions as `metric` takes them, samples along the first axis.
        key: A random key of `jax.random`, used by resampling alone; `jax.random.key(0)` by default.
        n_resamples: Number of resamples, a positive integer; static.
        confidence_level: Coverage aimed at, in (0, 1); traced.
        resample: "weights", or "rows" to gather the rows that are drawn, see `bootstrap`; static.
        strata: Stratum of each sample or list, shape (n,), integers or booleans. Each stratum keeps
            its number of samples.
        groups: Group of each sample or list, shape (n,), integers or booleans. Whole groups are
            drawn, for samples that depend on each other.
        sample_weight: Weight of each sample or list, shape (n,); those of weight 0 are never drawn.
        where: Mask as `metric` takes it, samples along the first axis; masked samples, and lists
            without an item, are never drawn.
        **options: Options of `metric`. Floats and arrays are traced, everything else is static.

    Returns:
        An `Interval` whose arrays have the shape of the metric; its `method` says which was chosen.

    Undefined:
        As in `delong_interval`, `proportion_interval` and `bootstrap`.

    Cost:
        One sort for the AUC, O(n) for a proportion of samples, and that of `bootstrap` otherwise.

    Raises:
        TypeError: For a `key` that is not one random key.
        ValueError: What the chosen method raises.

    References:
        `delong_interval`, `proportion_interval`, `bootstrap`.

    Examples:
        >>> from jmetrics import accuracy_score, f1_score
        >>> y_true, y_pred = [1, 1, 0, 0, 1, 0, 1, 1], [1, 1, 0, 1, 1, 0, 1, 1]
        >>> found = confidence_interval(accuracy_score, y_true, y_pred)
        >>> found.method, round(float(found.low), 4), round(float(found.high), 4)
        ('wilson', 0.5291, 0.9776)
        >>> confidence_interval(f1_score, y_true, y_pred).method
        'bca'
    """
    key = check.default_key() if key is None else key
    check.random_key("key", key)
    level = check.level("confidence_level", confidence_level)
    info = SampleInfo(sample_weight, where, groups, strata)
    problem = make_problem(metric, y_true, {"y_pred": y_pred}, info, options, resample)
    independent = groups is None and strata is None and resample == "weights"
    if independent and problem.presort is not None:
        return delong_interval(
            y_true,
            y_pred,
            confidence_level=confidence_level,
            sample_weight=sample_weight,
            where=where,
        )
    interval = wilson_interval_of(problem, level) if independent else None
    if interval is not None:
        return interval
    method = "bca" if resample == "weights" else "percentile"
    found = summarised(
        key,
        problem,
        MetricResampling(method, "multinomial", contrast=False),
        n_resamples=n_resamples,
        confidence_level=level,
        batch_size=None,
        progress=False,
    )
    return Interval(found.estimate, found.low, found.high, found.standard_error, method)
