"""A small network, padded batches, and one compiled training step."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from tqdm import tqdm

Layers = list[tuple[Array, Array]]


class Batch(NamedTuple):
    """Samples of a fixed shape; `where` is False for padding."""

    x: np.ndarray
    y: np.ndarray
    where: np.ndarray


Objective = Callable[[Layers, Batch], tuple[Array, Array]]
"""Returns the loss to minimise and a metric to monitor."""


class Fit(NamedTuple):
    """A trained network, and the mean of the monitored metric over each epoch."""

    layers: Layers
    history: np.ndarray


def initialize(key: Array, *sizes: int) -> Layers:
    """Layers of these widths, from input to output; two widths make a linear model."""
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (
            jax.random.normal(key, (width, following), jnp.float32) * width**-0.5,
            jnp.zeros(following, jnp.float32),
        )
        for key, (width, following) in zip(keys, pairwise(sizes), strict=True)
    ]


def outputs(layers: Layers, x: Array | np.ndarray) -> Array:
    """Outputs of the network, (n, n_outputs) for an x of (n, n_features)."""
    return jax.vmap(_network, in_axes=(None, 0))(layers, jnp.asarray(x))


def _network(layers: Layers, x: Array) -> Array:
    *hidden, (last, bias) = layers
    for matrix, shift in hidden:
        x = jax.nn.relu(x @ matrix + shift)
    return x @ last + bias


def batches(rng: np.random.Generator, x: np.ndarray, y: np.ndarray, size: int) -> Iterator[Batch]:
    """All samples once, in random order, in batches of one size that share a compiled step."""
    order = rng.permutation(len(y))
    for start in range(0, len(y), size):
        yield padded(x, y, order[start : start + size], size)


def padded(x: np.ndarray, y: np.ndarray, chosen: np.ndarray, size: int) -> Batch:
    """Batch of the chosen samples, padded by masked repeats."""
    rows = np.resize(chosen, size)
    return Batch(x[rows], y[rows], np.arange(size) < len(chosen))


@functools.partial(jax.jit, static_argnames=("objective", "optimizer"))
def step(
    layers: Layers,
    state: optax.OptState,
    batch: Batch,
    *,
    objective: Objective,
    optimizer: optax.GradientTransformation,
) -> tuple[Layers, optax.OptState, Array]:
    """One gradient step; the metric is computed in the same compiled program."""
    gradient, metric = jax.grad(objective, has_aux=True)(layers, batch)
    # optax counts steps in integers and mixes them with floats, which "strict" forbids.
    with jax.numpy_dtype_promotion("standard"):
        updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(layers, updates), state, metric


def fit(
    objective: Objective,
    layers: Layers,
    x: np.ndarray,
    y: np.ndarray,
    *,
    seed: int,
    epochs: int,
    learning_rate: float,
    batch_size: int,
    label: str,
) -> Fit:
    """Minimise an objective with Adam; equal seeds give the same order of batches."""
    n_steps = epochs * -(-len(y) // batch_size)
    optimizer = optax.adam(optax.cosine_decay_schedule(learning_rate, n_steps))
    state = optimizer.init(layers)
    rng = np.random.default_rng(seed)
    history = []
    for _ in (bar := tqdm(range(epochs), desc=label, unit="epoch", disable=None, leave=False)):
        metrics = []
        for batch in batches(rng, x, y, batch_size):
            layers, state, metric = step(
                layers, state, batch, objective=objective, optimizer=optimizer
            )
            metrics.append(metric)
        history.append(_mean(metrics))
        bar.set_postfix_str(f"{history[-1]:.4f}", refresh=False)
    return Fit(layers, np.array(history))


def _mean(metrics: Sequence[Array]) -> float:
    """Mean over the batches with a value; a batch without positives has no AUC."""
    values = np.array(metrics)
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan
