"""Quantile regression: one linear model with a head for each level."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.types import ArrayLike
from jmetrics.demo import data, report, training
from jmetrics.losses import pinball_loss
from jmetrics.regression import mean_pinball_loss, quantile_coverage

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
_SMOOTHING = 0.05
_LEARNING_RATE = 0.05


class Quantiles(NamedTuple):
    """Predicted quantiles of the held-out samples, with their scores."""

    split: data.Split
    predicted: np.ndarray
    loss: report.Estimate
    """Pinball loss at each level."""
    constant_loss: np.ndarray
    """That of the quantiles of the training targets, the same for every sample."""
    share: report.Estimate
    """Fraction of targets at or below each predicted quantile, then between the outer two."""


def quantile_loss(layers: training.Layers, batch: training.Batch) -> tuple[Array, Array]:
    """Smoothed pinball loss of a batch, a mean over the levels."""

    def at_level(level: Array, predicted: Array) -> Array:
        return pinball_loss(
            batch.y, predicted, alpha=level, smoothing=_SMOOTHING, where=batch.where
        )

    predicted = training.outputs(layers, batch.x)
    loss = jnp.mean(jax.vmap(at_level, in_axes=(0, 1))(jnp.asarray(LEVELS), predicted))
    return loss, loss


pinball_losses = functools.partial(mean_pinball_loss, alpha=LEVELS, multioutput="raw_values")
"""Pinball loss of each column of predictions at its level."""


def shares(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Fraction of targets at or below each column, then between the outer two."""
    below = quantile_coverage(y_true, y_pred, sample_weight=sample_weight, where=where)
    return jnp.append(below, below[-1] - below[0])


def run(seed: int, epochs: int, n_resamples: int) -> Quantiles:
    """Train all levels at once and evaluate them on held-out samples."""
    split = data.diabetes(seed)
    start_key, loss_key, share_key = jax.random.split(jax.random.key(seed), 3)
    center, unit = split.y_train.mean(), split.y_train.std()
    fit = training.fit(
        quantile_loss,
        training.initialize(start_key, split.x_train.shape[1], len(LEVELS)),
        split.x_train,
        (split.y_train - center) / unit,
        seed=seed,
        epochs=epochs,
        learning_rate=_LEARNING_RATE,
        batch_size=64,
        label="pinball loss",
    )
    # Each level is fitted separately; sorting undoes crossings and worsens no level.
    predicted = center + unit * np.sort(training.outputs(fit.layers, split.x_test), axis=1)
    y = split.y_test
    constant = np.tile(np.quantile(split.y_train, LEVELS).astype(np.float32), (len(y), 1))
    return Quantiles(
        split,
        predicted,
        report.estimate(loss_key, pinball_losses, y, predicted, n_resamples),
        np.asarray(pinball_losses(y, constant)),
        report.estimate(share_key, shares, y, predicted, n_resamples),
    )


def describe(result: Quantiles) -> str:
    """Text on the losses and the coverage of the quantiles."""
    rows = [
        [
            f"{level:g}",
            report.number(loss.value, ".1f"),
            report.interval(loss, ".1f"),
            report.number(constant, ".1f"),
            report.number(share.value, ".0%"),
            report.interval(share, ".0%"),
        ]
        for level, loss, constant, share in zip(
            LEVELS,
            result.loss.entries(),
            result.constant_loss,
            result.share.part(slice(-1)).entries(),
            strict=True,
        )
    ]
    head = ["quantile", "pinball loss", "interval", "of a constant", "fraction below", "interval"]
    return f"""
2. Diabetes: a score of its progress after a year, from 25 to 346.
   {len(result.split.y_train)} patients to train on, {len(result.split.y_test)} held out.
   One linear model has a head for each quantile; the levels are traced, so one vmap trains all.

{report.table(head, rows)}

   {_verdict(result.share)}"""


def _verdict(share: report.Estimate) -> str:
    *below, between = share.entries()
    off = [f"{a:g}" for a, entry in zip(LEVELS, below, strict=True) if not entry.contains(a)]
    finding = f"leaves out its level at {', '.join(off)}" if off else "always holds its level"
    wanted = LEVELS[-1] - LEVELS[0]
    agrees = "agrees with" if between.contains(wanted) else "does not agree with"
    return f"""\
The interval of the fraction below {finding}.
   Between the outer two lie {report.number(between.value, ".0%")} of the targets \
({report.interval(between, ".0%")}),
   which {agrees} the {report.number(wanted, ".0%")} wanted."""
