"""`checked` beyond what the laws hold for every metric."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics import checked, losses


def test_wraps_a_function_that_calls_several_metrics() -> None:
    def report(y, p):
        return jmetrics.roc_auc_score(y, p), jmetrics.log_loss(y, p)

    auc, loss = checked(report)([0, 1], [0.25, 0.5])
    assert float(auc) == 1.0
    assert float(loss) == pytest.approx(-(np.log(0.75) + np.log(0.5)) / 2)
    with pytest.raises(ValueError, match="probabilities"):
        checked(report)([0, 1], [0.25, 1.5])


def test_keeps_the_name_and_the_docstring() -> None:
    assert checked(jmetrics.log_loss).__name__ == "log_loss"
    assert checked(jmetrics.log_loss).__doc__ == jmetrics.log_loss.__doc__


def test_a_batch_with_one_bad_row() -> None:
    batched = jax.vmap(jmetrics.log_loss)
    y, p = np.array([[0, 1], [0, 1]]), np.array([[0.5, 0.5], [0.5, 1.5]], np.float32)
    assert np.isnan(batched(y, p)).tolist() == [False, True]
    with pytest.raises(ValueError, match="probabilities"):
        checked(batched)(y, p)


def test_mistakes_of_shape_are_unchanged() -> None:
    with pytest.raises(ValueError, match="y_proba"):
        checked(jmetrics.log_loss)([0, 1], [0.5])


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="temperature"):
        checked(losses.auc_loss)([0, 1], [0.5, 0.25], surrogate="logistic", temperature=0.0)


@pytest.mark.parametrize("weight", [None, jnp.array([1.0, 2.0])])
def test_gradient_of_a_checked_loss(weight: jax.Array | None) -> None:
    y, s = jnp.array([0.0, 1.0]), jnp.array([0.25, 0.5])
    expected = jax.grad(losses.auc_loss, argnums=1)(y, s, sample_weight=weight)
    gradient = jax.grad(lambda s: checked(losses.auc_loss)(y, s, sample_weight=weight))(s)
    np.testing.assert_array_equal(gradient, expected)
