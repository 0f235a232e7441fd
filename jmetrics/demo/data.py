"""Three real data sets that come with scikit-learn and statsmodels, split in two."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from statsmodels.datasets import fair


class Split(NamedTuple):
    """Samples to train on and samples held out, all float32."""

    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray


def digits(seed: int, *, digit: int = 8, kept: int = 20) -> Split:
    """Is an image that digit? Of the positives to train on, only `kept` stay."""
    x, label = load_digits(return_X_y=True)
    y = label == digit
    train, test = _halves(seed, len(y))
    positive, negative = train[y[train]], train[~y[train]]
    return _split(x / 16, y, np.concatenate([positive[:kept], negative]), test)


def diabetes(seed: int) -> Split:
    """How far the disease has come after a year, from ten measurements before it."""
    x, y = load_diabetes(return_X_y=True)
    return _standardized(_split(x, y, *_halves(seed, len(y))))


def affairs(seed: int) -> Split:
    """Time spent in extramarital affairs, mostly none, from eight answers of a survey."""
    table = fair.load_pandas().data
    x, y = table.drop(columns="affairs").to_numpy(), table["affairs"].to_numpy()
    return _standardized(_split(x, y, *_halves(seed, len(y))))


def _halves(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(n)
    return order[: n // 2], order[n // 2 :]


def _split(x: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Split:
    x, y = x.astype(np.float32), y.astype(np.float32)
    return Split(x[train], y[train], x[test], y[test])


def _standardized(split: Split) -> Split:
    """Features in standard deviations from their mean, both of the samples to train on."""
    mean, deviation = split.x_train.mean(axis=0), split.x_train.std(axis=0)
    return split._replace(
        x_train=(split.x_train - mean) / deviation, x_test=(split.x_test - mean) / deviation
    )
