"""Average precision losses at their limits, and in mini-batches."""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import metrics as sk

from jmetrics import checked
from jmetrics.losses import SoapState, average_precision_loss, soap_init, soap_loss
from tests.compare import assert_same, assert_zero
from tests.row import binary, tied_scores

N = 24

hinge_loss = jax.jit(
    jax.value_and_grad(
        functools.partial(average_precision_loss, surrogate="squared_hinge"), argnums=1
    )
)


@jax.jit
def soap(score, y, state, index, decay=0.0, where=None):
    def loss(score):
        return soap_loss(y, score, state=state, index=index, decay=decay, where=where)

    return jax.value_and_grad(loss, has_aux=True)(score)


def test_cold_loss_is_exact(rng: np.random.Generator) -> None:
    """Ties among the scores as well."""
    y, s = tied_scores(rng, 40)
    weight = rng.integers(1, 5, 40).astype(np.float32)
    for w in (None, weight):
        expected = 1 - sk.average_precision_score(y, s, sample_weight=w)
        loss = average_precision_loss(y, s.astype(np.float32), temperature=1e-3, sample_weight=w)
        assert float(loss) == pytest.approx(expected, rel=1e-5)


def test_small_losses_keep_their_digits() -> None:
    """All positives far above: what is left is one exponential."""
    y, s = np.array([1, 1, 0]), np.float32([30, 29, 0])
    expected = (np.exp(-30) / 2 / (1 + np.exp(-1) / 2) + np.exp(-29) / 2 / (2 - np.exp(-1) / 2)) / 2
    assert float(average_precision_loss(y, s)) == pytest.approx(expected, rel=1e-5)


def test_far_scores_are_finite(rng: np.random.Generator) -> None:
    y = binary(rng, N).astype(np.float32)
    for s in (1e4 * rng.choice([-1, 1], N), 1e6 + rng.normal(size=N), np.full(N, 0.5)):
        value, gradient = hinge_loss(y, s.astype(np.float32))
        gap = 1 - (s.astype(np.float32)[:, None] - s.astype(np.float32)[None]).astype(np.float64)
        phi = np.maximum(gap, 0) ** 2
        missed = (phi @ (1 - y)) / phi.sum(axis=1)
        assert float(value) == pytest.approx(missed[y == 1].mean(), rel=5e-6)
        assert np.all(np.isfinite(gradient))


def test_slopes_where_all_but_a_little_is_missed() -> None:
    """One positive below one negative by d: 1 − 1 / (1 + (1 + d)²)."""
    for d in (4.0, 40):
        _, gradient = hinge_loss(np.float32([1, 0]), np.float32([-d / 2, d / 2]))
        slope = 2 * (1 + d) / (1 + (1 + d) ** 2) ** 2
        np.testing.assert_allclose(gradient, [-slope, slope], rtol=5e-6)


def test_without_memory_it_is_the_loss_of_the_batch(rng: np.random.Generator) -> None:
    y, s = binary(rng, N).astype(np.float32), rng.normal(size=N).astype(np.float32)
    (value, state), gradient = soap(s, y, soap_init(N), jnp.arange(N))
    assert_same((value, gradient), hinge_loss(y, s), rtol=1e-5)
    again = soap(s, y, state, jnp.arange(N), decay=0.9)
    assert_same(again, ((value, state), gradient), rtol=1e-5)


def test_averages_move_by_the_definition(rng: np.random.Generator) -> None:
    y, s = binary(rng, N).astype(np.float32), rng.normal(size=N).astype(np.float32)
    index = rng.permutation(2 * N)[:N]
    old = SoapState(*jnp.asarray(rng.random((2, 2 * N)), jnp.float32))
    (value, new), gradient = soap(s, y, old, index, decay=0.75)
    positive = np.flatnonzero(y)
    t = s.astype(np.float64)
    slack = np.maximum(1 - (t[positive, None] - t[None]), 0)
    sides = [(slack**2 * side).sum(axis=1) / N for side in (y, 1 - y)]
    before = [np.asarray(u)[index[positive]] for u in old]
    p, n = (0.75 * u + 0.25 * a for u, a in zip(before, sides, strict=True))
    assert float(value) == pytest.approx(np.mean(n / (p + n)), rel=1e-5)
    expected = [np.asarray(u).copy() for u in old]
    for table, u in zip(expected, (p, n), strict=True):
        table[index[positive]] = u
    assert_same(new, SoapState(*expected), rtol=1e-5)
    scale = (p[:, None] * (1 - y) - n[:, None] * y) / ((p + n) ** 2)[:, None] / N / positive.size
    pull = 2 * slack * scale
    slope = pull.sum(axis=0)
    slope[positive] -= pull.sum(axis=1)
    assert_same(gradient, slope, rtol=1e-5)


def test_padding_changes_neither_loss_nor_state(rng: np.random.Generator) -> None:
    y, s = binary(rng, N).astype(np.float32), rng.normal(size=N).astype(np.float32)
    keep, index = np.arange(N) < 17, np.arange(N)
    broken = [np.where(keep, a, np.float32(np.nan)) for a in (s, y)]
    (value, state), gradient = soap(*broken, soap_init(17), np.where(keep, index, 999), where=keep)
    (expected, kept), slope = soap(s[:17], y[:17], soap_init(17), index[:17])
    assert_same((value, state, gradient[:17]), (expected, kept, slope), rtol=1e-5)
    assert_zero(gradient[17:], "gradient under the mask")


def test_batches_without_positives_leave_the_state(rng: np.random.Generator) -> None:
    s = rng.normal(size=N).astype(np.float32)
    state = SoapState(jnp.ones(N), jnp.ones(N))
    (value, new), gradient = soap(s, np.zeros(N, np.float32), state, jnp.arange(N), decay=0.5)
    assert float(value) == 0
    assert_zero(gradient, "gradient without positives")
    assert_same(new, state, rtol=0)


def test_averages_over_batches(rng: np.random.Generator) -> None:
    """At fixed scores they tend to expectations: a sample always, the others by chance."""
    y, s = (np.arange(3 * N) % 3 == 0).astype(np.float32), rng.normal(size=3 * N).astype(np.float32)

    def step(state: SoapState, index: jax.Array) -> tuple[SoapState, jax.Array]:
        value, state = soap_loss(
            jnp.asarray(y)[index], jnp.asarray(s)[index], state=state, index=index, decay=0.98
        )
        return state, value

    batches = np.stack([rng.permutation(3 * N)[:N] for _ in range(600)])
    _, values = jax.jit(lambda b: jax.lax.scan(step, soap_init(3 * N), b))(batches)
    phi = np.maximum(1 - (s[:, None] - s[None]), 0) ** 2
    phi[~np.eye(3 * N, dtype=bool)] *= (N - 1) / (3 * N - 1)
    missed = (phi @ (1 - y)) / phi.sum(axis=1)
    assert float(jnp.mean(values[-200:])) == pytest.approx(missed[y == 1].mean(), rel=0.01)


def test_mistakes_are_named() -> None:
    y, s, state = np.array([0, 1]), np.float32([0.5, 1]), soap_init(2)
    with pytest.raises(ValueError, match="`index` must have one entry"):
        soap_loss(y, s, state=state, index=[0])
    with pytest.raises(TypeError, match="`index` must hold whole"):
        soap_loss(y, s, state=state, index=[0.5, 1])
    with pytest.raises(ValueError, match="`num_samples`"):
        soap_init(0)
    mistakes: dict[str, Any] = {"index": [0, 2], "decay": 1.0, "margin": 0.0}
    for option, bad in mistakes.items():
        options = {"state": state, "index": [0, 1], option: bad}
        assert np.isnan(soap_loss(y, s, **options)[0])
        with pytest.raises(ValueError, match=f"`{option}` must be"):
            checked(soap_loss)(y, s, **options)
