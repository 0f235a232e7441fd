"""Selection of weighted quantiles, against sorting and against scikit-learn."""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.utils.stats import _weighted_percentile

from jmetrics._core.quantiles import weighted_quantile

LEVELS = np.array([0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0], np.float32)
quantiles = jax.jit(jax.vmap(weighted_quantile, in_axes=(None, None, 0)))


@pytest.mark.parametrize("n", [1, 2, 5, 101])
@pytest.mark.parametrize("decimals", [0, 6], ids=["tied", "distinct"])
def test_agrees_with_sorting(n: int, decimals: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(5):
        x = rng.normal(0, 2, n).round(decimals).astype(np.float32)
        for weight in (
            np.ones(n, np.int32),
            rng.random(n).astype(np.float32) + np.float32(0.01),
            np.append(rng.integers(0, 3, n - 1), 1).astype(np.float32),
        ):
            expected = _weighted_percentile(
                x.astype(np.float64), weight.astype(np.float64), 100 * LEVELS, average=True
            )
            np.testing.assert_allclose(quantiles(x, weight, LEVELS), expected, rtol=1e-6)


@pytest.mark.parametrize("scale", [0.1, 1.0, 3.0])
def test_equal_weights_of_any_size_find_the_middle_of_two(scale: float) -> None:
    x = np.array([1, 8, 4, 2], np.float32)
    median = weighted_quantile(x, np.full(4, scale, np.float32), jnp.float32(0.5))
    assert float(median) == 3.0


def test_millions_of_equal_values_and_one_other() -> None:
    x = np.full(2**20, 7.25, np.float32)
    x[123] = -1e30
    for weight in (np.ones(x.size, np.int32), np.full(x.size, 0.1, np.float32)):
        assert float(weighted_quantile(x, weight, jnp.float32(0.5))) == 7.25


def test_special_values() -> None:
    x = np.array([-np.inf, -0.0, 0.0, np.inf], np.float32)
    ones = np.ones(4, np.int32)
    assert float(weighted_quantile(x, ones, jnp.float32(0.5))) == 0.0
    assert float(weighted_quantile(x, ones, jnp.float32(0.0))) == -np.inf
    x[0] = np.nan
    assert np.isnan(weighted_quantile(x, ones, jnp.float32(0.5)))
    ones[0] = 0
    assert float(weighted_quantile(x, ones, jnp.float32(0.5))) == 0.0
    assert np.isnan(weighted_quantile(x, np.zeros(4, np.int32), jnp.float32(0.5)))
    assert np.isnan(weighted_quantile(x[:0], ones[:0], jnp.float32(0.5)))


def test_the_gradient_is_that_of_the_values_it_lies_on() -> None:
    x, level = jnp.array([1.0, 8.0, 4.0, 2.0, 2.0]), jnp.float32(0.5)
    ones = jnp.ones(5, jnp.int32)
    slope = jax.grad(weighted_quantile)(x, ones, level)
    np.testing.assert_allclose(slope, [0, 0, 0, 0.5, 0.5])
    slope = jax.grad(weighted_quantile)(x[:4], ones[:4], level)
    np.testing.assert_allclose(slope, [0, 0, 0.5, 0.5])


def test_double_precision() -> None:
    with jax.enable_x64(True):
        x = np.array([1.0, 1.0 + 2.0**-50, 5.0])
        assert float(weighted_quantile(x, np.ones(3, np.int32), jnp.asarray(0.5))) == x[1]
