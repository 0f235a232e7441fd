"""The metrics reported for each task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jmetrics import classification, curves, probability, ranking, regression
from jmetrics._core.plan import (
    UNIT,
    Bound,
    Declaration,
    Ends,
    Range,
    declaration_of,
    declared,
    metric,
    plan,
    plan_of,
    range_of,
)
from jmetrics.cli.data import Data
from jmetrics.cli.tasks import are_distributions

Options = tuple[tuple[str, Any], ...]


class Entry(NamedTuple):
    """A metric with its options."""

    name: str
    function: Callable[..., Any]
    options: Options = ()

    @property
    def declaration(self) -> Declaration:
        """What is known of the metric, or of the metric of some of the columns."""
        return declaration_of(dict(self.options).get("function", self.function))

    @property
    def better(self) -> str:
        """Whether "higher" or "lower" is better, or the "level" of a quantile."""
        return {True: "higher", False: "lower", None: "level"}[self.declaration.greater_is_better]

    @property
    def decided(self) -> bool:
        """Whether it depends on the predicted classes, not on the scores."""
        return self.declaration.predictions == "labels"

    @property
    def unit_interval(self) -> bool:
        """Whether it lies in [0, 1]."""
        return range_of(self.function, dict(self.options)) == UNIT


def _ranges(metrics: Any) -> Ends:
    """Least and largest value of each of several metrics."""
    ends: Any = [range_of(function, dict(options)) for function, options, *_ in metrics]
    least, most = np.array(ends).T
    return least, most


def _range_inside(function: Callable[..., Any]) -> Range | None:
    return range_of(function)


@declared(range=_ranges, greater_is_better=None)
def several_metrics(
    y_true: Any,
    y_pred: Any,
    *,
    metrics: Any,
    decide: str,
    threshold: Any,
    sample_weight: Any,
    where: Any,
) -> Array:
    """Several metrics in one array, given as functions with their options.

    Each also says how it gets predicted classes, if it does: by "threshold", "argmax", or "given".
    """
    decisions = {
        "threshold": lambda: (y_pred >= threshold).astype(jnp.int32),
        "argmax": lambda: lax.argmax(y_pred, 1, jnp.int32),
        "given": lambda: y_pred,
    }
    values = [
        function(
            y_true,
            decisions[decide]() if decided else y_pred,
            sample_weight=sample_weight,
            where=where,
            **dict(options),
        )
        for function, options, decided in metrics
    ]
    return jnp.stack(values)


@metric(range=_ranges, greater_is_better=None)
def several_label_metrics(
    y_true: Any, y_pred: Any, *, metrics: Any, sample_weight: Any = None, where: Any = None
) -> Any:
    """Several metrics of labels, planned so that a resample is one draw of all counts."""
    plans = [
        plan_of(function)(y_true, y_pred, sample_weight=sample_weight, where=where, **dict(options))
        for function, options in metrics
    ]
    return plan(
        plans[0].arrays,
        Bound.of(_each_measured, *(one.kernel for one in plans)),
        Bound.of(_each_finished, *(one.finisher for one in plans)),
        labels=max(one.labels for one in plans if one.labels is not None),
    )


def _each_measured(
    y_true: Any, y_pred: Any, sample_weight: Any, where: Any, *kernels: Bound
) -> tuple[Any, ...]:
    return tuple(kernel(y_true, y_pred, sample_weight, where) for kernel in kernels)


def _each_finished(statistics: tuple[Any, ...], *finishers: Bound) -> Array:
    return jnp.stack([finisher(one) for one, finisher in zip(statistics, finishers, strict=True)])


@declared(range=_range_inside, greater_is_better=None)
def of_column(
    y_true: Any,
    y_pred: Any,
    *,
    function: Callable[..., Any],
    column: int,
    sample_weight: Any,
    where: Any,
    **options: Any,
) -> Array:
    """A metric of one column of the predictions."""
    return function(y_true, y_pred[:, column], sample_weight=sample_weight, where=where, **options)


@declared(range=_range_inside, greater_is_better=None)
def of_ends(
    y_true: Any,
    y_pred: Any,
    *,
    function: Callable[..., Any],
    sample_weight: Any,
    where: Any,
    **options: Any,
) -> Array:
    """A metric of the interval between the lowest and the highest quantile."""
    ends = y_pred[:, jnp.array([0, y_pred.shape[1] - 1])]
    return function(y_true, ends, sample_weight=sample_weight, where=where, **options)


@declared(range=UNIT, greater_is_better=None)
def covered(y_true: Any, y_pred: Any, *, sample_weight: Any, where: Any) -> Array:
    """Fraction of the targets between the two columns."""
    low, high = regression.quantile_coverage(
        y_true, y_pred, sample_weight=sample_weight, where=where
    )
    return high - low


def panel(data: Data) -> list[Entry]:
    """Metrics for the task, of scores or predicted classes where there are such."""
    entries = {
        "binary": _binary,
        "multiclass": _multiclass,
        "multilabel": _multilabel,
        "regression": _regression,
        "quantile": _quantile,
        "ranking": _ranking,
    }[data.task](data)
    if any(model.decided is None for model in data.models):
        return [entry for entry in entries if not entry.decided]
    if any(model.score is None for model in data.models):
        return [entry for entry in entries if entry.decided]
    return entries


def probabilistic(data: Data) -> bool:
    """Whether the scores of all models are probabilities of the classes."""
    scores = [model.score for model in data.models]
    if data.task == "multiclass":
        return all(score is not None and are_distributions(score) for score in scores)
    return all(score is not None and bool(np.all((score >= 0) & (score <= 1))) for score in scores)


def _binary(data: Data) -> list[Entry]:
    entries = [
        Entry("ROC AUC", curves.roc_auc_score),
        Entry("average precision", curves.average_precision_score),
        Entry("KS statistic", curves.ks_statistic),
    ]
    if probabilistic(data):
        entries += [
            Entry("log loss", probability.log_loss),
            Entry("Brier score", probability.brier_score_loss, (("scale_by_half", True),)),
            Entry("calibration error", probability.calibration_error),
        ]
    named: dict[str, Callable[..., Any]] = {
        "accuracy": classification.accuracy_score,
        "balanced accuracy": classification.balanced_accuracy_score,
        "precision": classification.precision_score,
        "recall": classification.recall_score,
        "specificity": classification.specificity_score,
        "F1": classification.f1_score,
        "MCC": classification.matthews_corrcoef,
    }
    classes = {name: (("num_classes", 2),) for name in ("balanced accuracy", "MCC")}
    return entries + [
        Entry(name, function, classes.get(name, ())) for name, function in named.items()
    ]


def _multiclass(data: Data) -> list[Entry]:
    classes = (("num_classes", len(data.names)),)
    macro = (("average", "macro"), *classes)
    entries = [
        Entry("accuracy", classification.accuracy_score),
        Entry("balanced accuracy", classification.balanced_accuracy_score, classes),
        Entry("macro precision", classification.precision_score, macro),
        Entry("macro recall", classification.recall_score, macro),
        Entry("macro F1", classification.f1_score, macro),
        Entry("MCC", classification.matthews_corrcoef, classes),
        Entry("Cohen's kappa", classification.cohen_kappa_score, classes),
    ]
    entries.append(Entry("ROC AUC, macro", curves.roc_auc_score, (("multi_class", "ovr"),)))
    if len(data.names) > 2:
        entries.append(Entry("top-2 accuracy", classification.top_k_accuracy_score, (("k", 2),)))
    if probabilistic(data):
        entries += [
            Entry("log loss", probability.log_loss),
            Entry("Brier score", probability.brier_score_loss),
            Entry("calibration error", probability.calibration_error),
        ]
    return entries


def _multilabel(data: Data) -> list[Entry]:
    micro, macro = (("average", "micro"),), (("average", "macro"),)
    lrap = ranking.label_ranking_average_precision_score
    return [
        Entry("ROC AUC, macro", curves.roc_auc_score),
        Entry("average precision, macro", curves.average_precision_score),
        Entry("label ranking average precision", lrap),
        Entry("label ranking loss", ranking.label_ranking_loss),
        Entry("subset accuracy", classification.accuracy_score),
        Entry("Hamming loss", classification.hamming_loss),
        Entry("micro F1", classification.f1_score, micro),
        Entry("macro F1", classification.f1_score, macro),
    ]


def _regression(data: Data) -> list[Entry]:
    entries = [
        Entry("RMSE", regression.root_mean_squared_error),
        Entry("MAE", regression.mean_absolute_error),
        Entry("median absolute error", regression.median_absolute_error),
    ]
    if np.all(data.y_true != 0):
        entries.append(Entry("MAPE", regression.mean_absolute_percentage_error))
    return [
        *entries,
        Entry("R²", regression.r2_score),
        Entry("Pearson correlation", regression.pearson_corrcoef),
        Entry("Spearman correlation", regression.spearman_corrcoef),
    ]


def _quantile(data: Data) -> list[Entry]:
    alpha = ("alpha", data.levels)
    entries = [
        Entry("pinball loss, mean", regression.mean_pinball_loss, (alpha,)),
        Entry("CRPS", probability.crps_quantiles, (alpha,)),
    ]
    for k, level in enumerate(data.levels):
        coverage = (("function", regression.quantile_coverage), ("column", k))
        entries.append(Entry(f"coverage of quantile {level:g}", of_column, coverage))
    if len(data.levels) > 1:
        outside = 1 - data.levels[-1] + data.levels[0]
        score = (("function", regression.interval_score), ("alpha", outside))
        name = f"{data.levels[0]:g} to {data.levels[-1]:g}"
        entries.append(Entry(f"coverage of {name}", of_ends, (("function", covered),)))
        if all(np.all(m.prediction[:, 0] <= m.prediction[:, -1]) for m in data.models):
            entries.append(Entry(f"interval score, {name}", of_ends, score))
    return entries


def _ranking(data: Data) -> list[Entry]:
    entries = [Entry(f"NDCG@{k}", ranking.ndcg_score, (("k", k),)) for k in (5, 10)] + [
        Entry("NDCG", ranking.ndcg_score)
    ]
    functions: dict[str, Callable[..., Any]] = {
        "MRR": ranking.reciprocal_rank,
        "MAP": ranking.average_precision_at_k,
        "precision@10": ranking.precision_at_k,
        "recall@10": ranking.recall_at_k,
        "hit rate@10": ranking.hit_rate_at_k,
    }
    for name, function in functions.items():
        options = (("k", 10),) if "@" in name else ()
        entries.append(Entry(name, function, options))
    return entries
