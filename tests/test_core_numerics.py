"""Arithmetic with declared answers, and counts."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics._core.counts import BinaryCounts, binary_counts
from jmetrics._core.numerics import accumulator, safe_divide, safe_sqrt, weighted_mean, weighted_sum
from tests.compare import assert_same


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ([], "float32"),
        (["bfloat16"], "float32"),
        (["float16", "bfloat16"], "float32"),
        (["int32", "uint8", "bool"], "float32"),
        (["int32", "float16"], "float32"),
        (["float16", "float32"], "float32"),
    ],
)
def test_accumulator(dtypes: list[str], expected: str) -> None:
    assert accumulator(None, *(jnp.zeros(2, dtype) for dtype in dtypes)) == expected


def test_accumulator_in_64_bits(x64) -> None:
    half, single, double = (jnp.zeros(2, f"float{bits}") for bits in (16, 32, 64))
    assert accumulator(half, double) == np.float64
    assert accumulator(single, jnp.zeros(2, jnp.int64)) == np.float32
    assert accumulator(jnp.zeros(2, jnp.int64)) == np.float64


@pytest.mark.parametrize("undefined", [np.nan, 0.0, 1.0])
def test_division_by_0_has_the_declared_value_and_no_gradient(undefined: float) -> None:
    value, gradients = jax.value_and_grad(safe_divide, argnums=(0, 1))(3.0, 0.0, undefined)
    np.testing.assert_equal(float(value), undefined)
    assert [float(g) for g in gradients] == [0, 0]


def test_division() -> None:
    value, gradients = jax.value_and_grad(safe_divide, argnums=(0, 1))(3.0, 2.0, np.nan)
    assert float(value) == 1.5
    assert [float(g) for g in gradients] == [0.5, -0.75]


def test_root_at_0_has_gradient_0() -> None:
    assert [float(g) for g in jax.vmap(jax.grad(safe_sqrt))(jnp.array([0.0, 4.0]))] == [0, 0.25]
    assert float(jax.grad(jax.grad(safe_sqrt))(4.0)) == pytest.approx(-1 / 32)


def test_whole_numbers_are_summed_exactly() -> None:
    """A float32 stands still at 2²⁴."""
    ones = jnp.ones(2**24 + 10, jnp.bool_)
    total = weighted_sum(ones, ones)
    assert total.dtype == jnp.int32
    assert int(total) == 2**24 + 10


def test_accuracy_counts_exactly() -> None:
    labels = np.ones(2**24 + 11, np.int8)
    where = np.arange(labels.size) != 5
    count = jmetrics.accuracy_score(labels, labels, normalize=False, where=where)
    assert int(count) == 2**24 + 10
    predicted = labels.copy()
    predicted[:3] = 0
    wrong = 1 - float(jmetrics.accuracy_score(labels, predicted))
    assert wrong == pytest.approx(3 / labels.size, abs=2**-23)


def test_mean_of_columns_with_one_weight_a_sample(rng: np.random.Generator) -> None:
    values, weight = rng.normal(size=(6, 3)).astype(np.float32), np.arange(6, dtype=np.float32)
    mean = weighted_mean(jnp.asarray(values), jnp.asarray(weight)[:, None])
    assert_same(mean, np.average(values, axis=0, weights=weight), rtol=1e-6)
    nothing = weighted_mean(jnp.asarray(values), jnp.zeros((6, 1)), undefined=7.0)
    assert nothing.tolist() == [7, 7, 7]


def test_binary_counts_hard_and_soft() -> None:
    truth, predicted = jnp.array([True, True, False, False]), jnp.array([True, False, True, False])
    weight = jnp.array([1, 2, 3, 4], jnp.int32)
    hard = binary_counts(truth, predicted, weight)
    assert hard == BinaryCounts(tp=1, fp=3, fn=2, tn=4)
    assert all(cell.dtype == jnp.int32 for cell in hard)
    soft = binary_counts(
        truth.astype(jnp.float32), jnp.array([0.75, 0.5, 0.25, 0]), weight.astype(jnp.float32)
    )
    assert soft == BinaryCounts(tp=1.75, fp=0.75, fn=1.25, tn=6.25)


def test_large_products_of_counts_stay_in_range() -> None:
    """Pairs of positives and negatives are far more than an int32 can count."""
    y = np.arange(200_000) % 2
    assert float(jmetrics.roc_auc_score(y, y.astype(np.float32))) == 1.0
    assert float(jmetrics.roc_auc_score(y, y.astype(np.int8))) == 1.0
    assert float(jmetrics.roc_auc_score(y, np.zeros(y.size, np.int8))) == 0.5
