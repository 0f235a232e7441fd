"""Three real data sets that come with scikit-learn and statsmodels, split in two."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from statsmodels.datasets import fair


class Split(NamedTuple):
    """Training samples and held-out samples, all float32."""

    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray


def digits(seed: int, *, digit: int = 8, kept: int = 20) -> Split:
    """Whether an image shows that digit; only `kept` of the training positives are kept."""
    x, label = load_digits(return_X_y=True)
    y = label == digit
    train, test = _halves(seed, len(y))
    positive, negative = train[y[train]], train[~y[train]]
    return _split(x / 16, y, np.concatenate([positive[:kept], negative]), test)


def diabetes(seed: int) -> Split:
    """Disease progression after one year, from ten baseline measurements."""
    x, y = load_diabetes(return_X_y=True)
    return _standardized(_split(x, y, *_halves(seed, len(y))))


def affairs(seed: int) -> Split:
    """Time spent in extramarital affairs, mostly zero, from eight survey answers."""
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
    """Features standardised by the mean and standard deviation of the training samples."""
    mean, deviation = split.x_train.mean(axis=0), split.x_train.std(axis=0)
    return split._replace(
        x_train=(split.x_train - mean) / deviation, x_test=(split.x_test - mean) / deviation
    )
