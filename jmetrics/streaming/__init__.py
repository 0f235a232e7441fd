"""Streams: metrics of data that come in batches, from states that merge."""

from jmetrics.streaming._collection import collection as collection
from jmetrics.streaming._states import from_numpy as from_numpy, to_numpy as to_numpy
from jmetrics.streaming.buffer import Buffered as Buffered, buffered as buffered
from jmetrics.streaming.scores import (
    Bounded as Bounded,
    average_precision_score as average_precision_score,
    median_absolute_error as median_absolute_error,
    precision_recall_curve as precision_recall_curve,
    quantile as quantile,
    roc_auc_score as roc_auc_score,
    roc_curve as roc_curve,
)
from jmetrics.streaming.streams import (
    MetricStream as MetricStream,
    Stream as Stream,
    batch_mean as batch_mean,
    stream as stream,
)
from jmetrics.streaming.windows import decayed as decayed, last_updates as last_updates

__all__ = [
    "Bounded",
    "Buffered",
    "MetricStream",
    "Stream",
    "average_precision_score",
    "batch_mean",
    "buffered",
    "collection",
    "decayed",
    "from_numpy",
    "last_updates",
    "median_absolute_error",
    "precision_recall_curve",
    "quantile",
    "roc_auc_score",
    "roc_curve",
    "stream",
    "to_numpy",
]
