"""What the checks say, word by word where users will search for it."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jmetrics import mean_squared_error, r2_score
from jmetrics._core import check


@pytest.mark.parametrize("bad", ["text", ["cat"], None, [[1, 2], [3]], {1: 2}, object()])
def test_not_an_array(bad) -> None:
    with pytest.raises(TypeError, match="`score` must be an array of numbers"):
        check.array("score", bad)


def test_complex() -> None:
    with pytest.raises(TypeError, match="`score` must hold real numbers, got complex64"):
        check.array("score", [1j])


def test_lengths_are_listed() -> None:
    with pytest.raises(ValueError, match=r"`y_true` \(2,\), `y_pred` \(3,\)"):
        mean_squared_error([1.0, 2.0], [1.0, 2.0, 3.0])


def test_number_of_axes() -> None:
    with pytest.raises(ValueError, match=r"`y_true` must have 1 or 2 axes, got shape \(1, 1, 1\)"):
        mean_squared_error([[[1.0]]], [[[1.0]]])


def test_shapes_of_a_mask() -> None:
    ones = jnp.ones((3, 2))
    with pytest.raises(ValueError, match=r"`where` must have shape \(3,\) or \(3, 2\), got \(2,\)"):
        mean_squared_error(ones, ones, where=[True, False])


def test_options_are_listed() -> None:
    with pytest.raises(ValueError, match="'raw_values', 'uniform_average', got 'mean'"):
        mean_squared_error([1.0], [1.0], multioutput="mean")
    with pytest.raises(ValueError, match="variance_weighted"):
        r2_score([1.0], [1.0], multioutput="mean")


@pytest.mark.parametrize("weights", [[1.0, 2.0, 3.0], 1.0, [[1.0, 2.0]]])
def test_weights_of_outputs(weights) -> None:
    with pytest.raises(ValueError, match="multioutput"):
        mean_squared_error(jnp.ones((3, 2)), jnp.ones((3, 2)), multioutput=weights)
    with pytest.raises(ValueError, match="multioutput"):
        mean_squared_error(jnp.ones(3), jnp.ones(3), multioutput=weights)


@pytest.mark.parametrize("value", [True, 2, 0.5, np.float32(0.5), np.int32(2), jnp.array(0.5)])
def test_number(value) -> None:
    assert float(check.number("alpha", value)) == float(value)


@pytest.mark.parametrize("value", [0, -1])
def test_positive_integer(value: int) -> None:
    with pytest.raises(ValueError, match=f"`n` must be at least 1, got {value}"):
        check.positive_integer("n", value)
    for no_count in (1.5, True):
        with pytest.raises(TypeError, match="whole number"):
            check.positive_integer("n", no_count)
    assert check.positive_integer("n", np.int64(3)) == 3


def test_undefined_has_a_gradient_of_nan() -> None:
    """An answer that is not there has no slope either; a gradient of 0 would hide it."""

    def value(x, inside):
        return check.nan_unless(x, inside, "reason")

    assert np.isnan(jax.grad(value)(1.0, jnp.array(False)))
    assert jax.grad(value)(1.0, jnp.array(True)) == 1
