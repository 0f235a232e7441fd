"""Few positives: cross-entropy compared with a surrogate of the AUC."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from jmetrics._core.types import ArrayLike
from jmetrics.curves import roc_auc_score
from jmetrics.demo import data, report, training
from jmetrics.losses import auc_loss

_BATCH_SIZE = 128
_HIDDEN = 32
_LEARNING_RATE = 0.005


class Ranking(NamedTuple):
    """Two networks with the same architecture, initial values and batches, and their AUCs."""

    split: data.Split
    history: dict[str, np.ndarray]
    """AUC of the training batches in each epoch."""
    scores: np.ndarray
    """Scores of the held-out samples, one column per network."""
    auc: report.Estimate
    """Of the first network, the second, and the second minus the first."""


def cross_entropy(layers: training.Layers, batch: training.Batch) -> tuple[Array, Array]:
    """Mean cross-entropy of a batch, and its AUC."""
    score = training.outputs(layers, batch.x)[:, 0]
    loss = optax.sigmoid_binary_cross_entropy(score, batch.y)
    auc = roc_auc_score(batch.y, score, where=batch.where)
    return jnp.mean(loss, where=batch.where), auc


def ranking_loss(layers: training.Layers, batch: training.Batch) -> tuple[Array, Array]:
    """Smooth surrogate of 1 − AUC of a batch, and its AUC."""
    score = training.outputs(layers, batch.x)[:, 0]
    auc = roc_auc_score(batch.y, score, where=batch.where)
    return auc_loss(batch.y, score, where=batch.where), auc


OBJECTIVES = {"cross-entropy": cross_entropy, "AUC loss": ranking_loss}


def aucs(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """AUC of two columns of scores and their difference, all from one resample."""
    first, second = (
        roc_auc_score(y_true, score, sample_weight=sample_weight, where=where)
        for score in jnp.asarray(y_pred).T
    )
    return jnp.stack([first, second, second - first])


def run(seed: int, epochs: int, n_resamples: int) -> Ranking:
    """Train both networks and compare them on held-out samples."""
    split = data.digits(seed)
    start_key, resample_key = jax.random.split(jax.random.key(seed))
    start = training.initialize(start_key, split.x_train.shape[1], _HIDDEN, 1)
    fits = {
        name: training.fit(
            objective,
            start,
            split.x_train,
            split.y_train,
            seed=seed,
            epochs=epochs,
            learning_rate=_LEARNING_RATE,
            batch_size=_BATCH_SIZE,
            label=f"AUC, trained with {name}",
        )
        for name, objective in OBJECTIVES.items()
    }
    scores = np.hstack([training.outputs(fit.layers, split.x_test) for fit in fits.values()])
    return Ranking(
        split,
        {name: fit.history for name, fit in fits.items()},
        scores,
        report.estimate(resample_key, aucs, split.y_test, scores, n_resamples),
    )


def describe(result: Ranking) -> str:
    """Text on the table and the difference."""
    split = result.split
    names = [*OBJECTIVES, "difference, paired"]
    rows = [
        [
            name,
            report.number(entry.value, ".4f"),
            report.interval(entry, ".4f"),
            report.number(entry.error, ".4f"),
        ]
        for name, entry in zip(names, result.auc.entries(), strict=True)
    ]
    return f"""
1. Handwritten digits: is it an 8?
   {len(split.y_train)} images to train on, {split.y_train.sum():.0f} of them an 8; \
{len(split.y_test)} held out, {split.y_test.sum():.0f} of them an 8.
   One network is trained twice. The exact AUC comes out of the compiled training step.

{report.table(["trained with", "AUC", "interval", "standard error"], rows)}

   {_verdict(result.auc.part(2))}"""


def _verdict(difference: report.Estimate) -> str:
    if difference.contains(0):
        return "The interval of the difference holds 0: no difference that these data can show."
    first, second = OBJECTIVES
    better = second if difference.value > 0 else first
    return f"The interval of the difference leaves out 0: trained with {better}, it ranks better."
