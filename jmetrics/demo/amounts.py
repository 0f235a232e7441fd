"""Amounts with many zeros and a long tail: a Tweedie model under the log link."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from sklearn.linear_model import TweedieRegressor

from jmetrics._core.types import ArrayLike
from jmetrics.demo import data, report, training
from jmetrics.losses import tweedie_loss
from jmetrics.regression import mean_tweedie_deviance

POWER = 1.5
_LEARNING_RATE = 0.1


class Amounts(NamedTuple):
    """Predicted means of the held-out samples, with their scores."""

    split: data.Split
    predicted: np.ndarray
    deviance: report.Estimate
    """Of the model, of a constant mean, and the fraction of the second that the model explains."""
    peer_deviance: float
    """Of the same model fitted by scikit-learn."""
    peer_distance: float
    """Largest difference between a coefficient here and there."""


class Calibration(NamedTuple):
    """Means of groups of equal size, by increasing prediction."""

    predicted: np.ndarray
    actual: np.ndarray
    error: np.ndarray
    """Standard error of the actual mean."""


def amount_loss(layers: training.Layers, batch: training.Batch) -> tuple[Array, Array]:
    """Tweedie deviance of a batch; the model's output is the logarithm of the mean."""
    log_mean = training.outputs(layers, batch.x)[:, 0]
    loss = tweedie_loss(batch.y, log_mean, power=POWER, where=batch.where)
    return loss, loss


def deviances(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Deviance of two columns of means, and the fraction of the second that the first explains."""
    model, constant = (
        mean_tweedie_deviance(y_true, mean, power=POWER, sample_weight=sample_weight, where=where)
        for mean in jnp.asarray(y_pred).T
    )
    return jnp.stack([model, constant, 1 - model / constant])


def run(seed: int, epochs: int, n_resamples: int) -> Amounts:
    """Fit the model, evaluate it on held-out samples, and refit it with scikit-learn."""
    split = data.affairs(seed)
    start_key, resample_key = jax.random.split(jax.random.key(seed))
    fit = training.fit(
        amount_loss,
        training.initialize(start_key, split.x_train.shape[1], 1),
        split.x_train,
        split.y_train,
        seed=seed,
        epochs=epochs,
        learning_rate=_LEARNING_RATE,
        batch_size=len(split.y_train),
        label="Tweedie deviance",
    )
    predicted = np.exp(training.outputs(fit.layers, split.x_test)[:, 0])
    constant = np.full_like(predicted, split.y_train.mean())
    means = np.column_stack([predicted, constant])
    peer = TweedieRegressor(power=POWER, alpha=0, solver="newton-cholesky")
    peer.fit(split.x_train, split.y_train)
    ((coefficients, _),) = fit.layers
    return Amounts(
        split,
        predicted,
        report.estimate(resample_key, deviances, split.y_test, means, n_resamples),
        float(mean_tweedie_deviance(split.y_test, peer.predict(split.x_test), power=POWER)),
        float(np.max(np.abs(coefficients[:, 0] - peer.coef_))),
    )


def calibration(result: Amounts, n_groups: int = 10) -> Calibration:
    """Compare predicted and actual means within groups of similar prediction."""
    groups = np.array_split(np.argsort(result.predicted), n_groups)
    actual = [result.split.y_test[group] for group in groups]
    return Calibration(
        np.array([result.predicted[group].mean() for group in groups]),
        np.array([y.mean() for y in actual]),
        np.array([y.std(ddof=1) / len(y) ** 0.5 for y in actual]),
    )


def describe(result: Amounts) -> str:
    """What the model explains, and whether scikit-learn agrees."""
    rows = [
        [name, report.number(entry.value), report.interval(entry), report.number(entry.error)]
        for name, entry in zip(
            ["model", "constant mean", "fraction explained"], result.deviance.entries(), strict=True
        )
    ]
    y = result.split.y_test
    zeros = report.number(np.mean(y == 0), ".0%")
    return f"""
3. A survey of 1974: time spent in extramarital affairs, none for {zeros}.
   {len(result.split.y_train)} women to train on, {len(y)} held out.
   The log of the mean is linear in eight answers; Tweedie power {POWER}.

{report.table(["deviance", "held out", "interval", "standard error"], rows)}

   {_verdict(result.deviance.part(2))}
   scikit-learn's TweedieRegressor, for comparison: deviance {result.peer_deviance:.3f}; \
no coefficient differs
   by more than {result.peer_distance:.1g}."""


def _verdict(explained: report.Estimate) -> str:
    if explained.low > 0:
        return (
            "The model beats the constant mean: the interval of the fraction explained is above 0."
        )
    if explained.high < 0:
        return "The model is worse than the constant mean: the interval is below 0."
    return "The interval of the fraction explained holds 0: no gain that these data can show."
