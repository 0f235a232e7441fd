"""The interval that has covered best for a metric of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import Array

from jmetrics._core import check
from jmetrics._core.types import ArrayLike, Number
from jmetrics.inference._interval import Interval
from jmetrics.inference._plans import problem
from jmetrics.inference._resamples import Settings, summarised
from jmetrics.inference._samples import Given
from jmetrics.inference._shares import share_interval
from jmetrics.inference.delong import delong_interval


def confidence_interval(
    metric: Callable[..., Any],
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
    """Interval of a metric by the method that has covered best for metrics of its kind.

    For independent samples, `roc_auc_score` of two classes gets DeLong's interval on the logit
    scale, and a share of samples that all weigh the same, such as an accuracy, a recall or a
    precision, Wilson's. Everything else is resampled: `bootstrap` with "bca", or "percentile" with
    `resample="rows"`. `method` of the result says which it was.

    Shapes: those of `bootstrap`; its options too. `key` is that of `jax.random.key(0)` if None,
    and needed by "bca" alone. Every field has the shape of the metric.
    Undefined: as in `delong_interval`, `proportion_interval` and `bootstrap`.
    Cost: one sort for the AUC, O(n) for a share of samples, and that of `bootstrap` otherwise.
    Raises: TypeError or ValueError for a `key` that is not one random key, and what the method
    that was chosen raises.
    Source: `delong_interval`, `proportion_interval`, `bootstrap`.

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
    given = Given(sample_weight, where, groups, strata)
    asked = problem(metric, y_true, {"y_pred": y_pred}, given, options, resample)
    independent = groups is None and strata is None and resample == "weights"
    if independent and asked.in_order is not None:
        return delong_interval(
            y_true,
            y_pred,
            confidence_level=confidence_level,
            sample_weight=sample_weight,
            where=where,
        )
    share = share_interval(asked, level) if independent else None
    if share is not None:
        return share
    method = "bca" if resample == "weights" else "percentile"
    found = summarised(
        key,
        asked,
        n_resamples=n_resamples,
        confidence_level=level,
        batch_size=None,
        progress=False,
        settings=Settings(method, "multinomial", contrast=False),
    )
    return Interval(found.estimate, found.low, found.high, found.standard_error, method)
