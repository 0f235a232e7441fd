"""Counts of pairs and tie-averaged ranks, against comparing every pair."""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jmetrics._core.discordance import pairs
from jmetrics._core.order import centred_ranks

counts = jax.jit(lambda x, y, w: pairs(x, y, w, jnp.float32))


def all_pairs(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[float]:
    by_x, by_y = (np.sign(a[:, None] - a[None]) for a in (x, y))
    w = np.outer(weight, weight)
    masks = (by_x * by_y < 0, by_x * by_y != 0, by_x != 0, by_y != 0)
    return [float(np.sum(w * mask)) / 2 for mask in masks]


@pytest.mark.parametrize("n", [1, 2, 3, 8, 33])
@pytest.mark.parametrize("ties", ["none", "x", "y", "both"])
def test_pairs(n: int, ties: str) -> None:
    rng = np.random.default_rng([n, len(ties)])
    x = rng.normal(size=n).astype(np.float32)
    y = (x + rng.normal(size=n)).astype(np.float32)
    x = x.round() if ties in ("x", "both") else x
    y = y.round() if ties in ("y", "both") else y
    for weight in (None, rng.random(n).astype(np.float32), rng.integers(0, 3, n, np.int32)):
        w = np.ones(n) if weight is None else weight.astype(np.float64)
        np.testing.assert_allclose(counts(x, y, weight), all_pairs(x, y, w), rtol=2e-6)


def test_no_samples() -> None:
    nothing = np.zeros(0, np.float32)
    assert [float(count) for count in counts(nothing, nothing, None)] == [0, 0, 0, 0]


def test_numbers_of_different_types() -> None:
    x, y = np.array([3, 1, 2], np.uint8), np.array([-0.5, 0.0, -0.0], np.float32)
    assert [float(count) for count in counts(x, y, None)] == all_pairs(
        x.astype(float), y, np.ones(3)
    )


def test_more_pairs_than_an_integer_holds() -> None:
    """All of 10⁵ (10⁵ − 1) / 2 pairs, more than 2³¹, are in the wrong order."""
    n = 100_000
    x = np.arange(n, dtype=np.float32)
    discordant, apart, *_ = counts(x, -x, None)
    np.testing.assert_allclose([discordant, apart], n * (n - 1) / 2, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 50])
def test_centred_ranks(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n)).round(1).astype(np.float32)
    for weight in (np.ones(n, np.int32), rng.integers(0, 4, n).astype(np.float32)):
        ranks = centred_ranks(x, y, weight)
        for values, rank in zip((x, y), ranks, strict=True):
            expected = np.sign(values[None] - values[:, None]) @ weight
            np.testing.assert_array_equal(rank, expected)
