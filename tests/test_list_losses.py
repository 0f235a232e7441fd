"""Losses of lists: rows and segments, padding, limits, ties and extreme scores."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, softmax

import jmetrics
from jmetrics import losses, ranking
from tests.compare import assert_same, assert_zero
from tests.oracles import list_losses as oracles
from tests.rows.losses_lists import untied

LOSSES: dict[str, tuple[Callable[..., Any], oracles.Formula]] = {
    "softmax": (losses.softmax_loss, oracles.softmax),
    "listmle": (losses.listmle_loss, oracles.listmle),
    "logistic": (losses.pairwise_logistic_loss, oracles.pairwise_logistic),
    "hinge": (losses.pairwise_hinge_loss, oracles.pairwise_hinge),
    "lambda": (losses.lambda_loss, oracles.lambda_loss),
    "ndcg": (losses.approx_ndcg_loss, oracles.approx_ndcg),
    "mrr": (losses.approx_mrr_loss, oracles.approx_mrr),
    "average precision": (
        losses.approx_average_precision_loss,
        oracles.approx_average_precision,
    ),
    "neural ndcg": (losses.neural_ndcg_loss, oracles.neural_ndcg),
}


def ragged(rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lists of several sizes: one has no relevant item, and one no item."""
    lists = [(rng.integers(0, 3, n).astype(float), rng.normal(0, 1, n)) for n in (5, 2, 4, 0)]
    lists[0][0][:2], lists[1][0][:], lists[2][0][:2] = [2, 0], 0, [0, 1]
    return lists


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"hinge", "mrr"}))
def test_rows_and_segments_of_unequal_lists(name, rng: np.random.Generator) -> None:
    """Values and gradients, whatever the padding holds."""
    loss, formula = LOSSES[name]
    lists, size = ragged(rng), 6
    where = np.arange(size) < np.array([len(y) for y, _ in lists])[:, None]
    y, s = (np.full(where.shape, np.nan, np.float32) for _ in range(2))
    s[:, -1] = np.inf
    y[where], s[where] = (np.concatenate(parts) for parts in zip(*lists, strict=True))
    order = rng.permutation(where.sum() + 2)  # and two masked items in segments
    ids = np.append(np.nonzero(where)[0], [0, -7])[order]
    flat = [np.append(a[where], [np.nan, np.inf]).astype(np.float32)[order] for a in (y, s)]
    kept = np.append(np.ones(where.sum(), bool), [False, False])[order]
    tilt = jnp.arange(1.0, 5)

    def of_rows(s):
        values = loss(y, s, where=where, average=None)
        return values @ tilt, values

    def of_segments(s):
        masked = {"segment_ids": ids, "num_segments": 4, "where": kept}
        values = loss(flat[0], s, **masked, average=None)
        return values @ tilt, values

    (_, rows), by_row = jax.value_and_grad(of_rows, has_aux=True)(jnp.asarray(s))
    (_, segments), by_item = jax.value_and_grad(of_segments, has_aux=True)(jnp.asarray(flat[1]))
    found = [formula(y[None], s[None]) for y, s in lists if len(y)]
    expected = [value[0] if some[0] else 0.0 for value, some in found]
    for values in (rows, segments):
        assert_same(values, np.array([*expected, 0.0]), rtol=1e-5)
    assert_zero(np.asarray(by_row)[~where], "padding")
    assert_zero(np.asarray(by_item)[~kept], "masked")
    assert_same(np.asarray(by_item)[kept], np.asarray(by_row)[where][order[order < where.sum()]])


def test_lists_without_a_value_do_not_count(rng: np.random.Generator) -> None:
    y = np.array([[0.0, 0, 0], [1, 0, 2]], np.float32)
    s = rng.normal(size=(2, 3)).astype(np.float32)
    mean, each = (losses.pairwise_hinge_loss(y, s, average=a) for a in ("mean", None))
    assert float(each[0]) == 0
    assert float(mean) == float(each[1]) > 0


def test_segments_out_of_range_are_refused() -> None:
    y = np.array([1.0, 0.0, 1.0], np.float32)
    wrong: dict[str, Any] = {"segment_ids": np.array([0, 0, 5]), "num_segments": 2}
    assert np.isnan(losses.softmax_loss(y, y, **wrong))
    with pytest.raises(ValueError, match="`segment_ids` must be at least 0"):
        jmetrics.checked(losses.softmax_loss)(y, y, **wrong)


# --- limits ------------------------------------------------------------------------------

LIMITS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "ndcg": (losses.approx_ndcg_loss, ranking.ndcg_score),
    "exponential ndcg": (
        functools.partial(losses.approx_ndcg_loss, gain="exponential", kernel="logistic"),
        functools.partial(ranking.ndcg_score, gain="exponential"),
    ),
    "mrr": (losses.approx_mrr_loss, ranking.reciprocal_rank),
    "average precision": (losses.approx_average_precision_loss, ranking.average_precision_at_k),
    "neural ndcg": (losses.neural_ndcg_loss, ranking.ndcg_score),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limit_is_the_exact_metric(name, rng: np.random.Generator) -> None:
    loss, metric = LIMITS[name]
    y, s = (a.astype(np.float32) for a in untied(rng, 30))
    y = np.where(y.any(axis=1, keepdims=True), y, [[1, 0, 0, 0]]).astype(np.float32)
    exact = 1 - metric(y, s, average=None)
    errors = [
        float(np.max(np.abs(loss(y, s, temperature=t, average=None) - exact)))
        for t in (0.3, 0.03, 1e-5)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-6


def test_limit_of_top_k(rng: np.random.Generator) -> None:
    y, s = rng.integers(0, 5, 40), rng.normal(size=(40, 5)).astype(np.float32)
    for k in (1, 3):
        exact = 1 - jmetrics.top_k_accuracy_score(y, s, k=k)
        assert_same(losses.soft_top_k_accuracy_loss(y, s, k=k, temperature=1e-4), exact, rtol=1e-5)
    assert float(losses.soft_top_k_accuracy_loss(y, s, k=5)) == 0
    with pytest.raises(ValueError, match="y_score"):
        losses.soft_top_k_accuracy_loss(y, s[:, 0])


@pytest.mark.parametrize("scheme", ["lambdarank", "ndcg_loss1", "ndcg_loss2"])
def test_schemes_of_lambda_loss(scheme, rng: np.random.Generator) -> None:
    """Also with tied scores, of which none is above the other."""
    y, s = (a.astype(np.float32) for a in untied(rng, 12))
    s[::2] = np.round(s[::2])
    options = {"scheme": scheme, "gain": "exponential", "temperature": 0.5}
    expected, _ = oracles.lambda_loss(y.astype(float), s.astype(float), **options)
    assert_same(losses.lambda_loss(y, s, average=None, **options), expected, rtol=1e-5)


# --- soft ranks --------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["laplace", "logistic"])
def test_soft_rank(kernel: str, rng: np.random.Generator) -> None:
    s = rng.normal(0, 1, (3, 7))
    s[0, :3] = s[0, 0]
    single = s.astype(np.float32)
    for temperature in (0.1, 2.0):
        expected = oracles.soft_ranks(single.astype(float), temperature, kernel)
        ranks = losses.soft_rank(single, temperature=temperature, kernel=kernel)
        assert_same(ranks, expected, rtol=3e-6)
        assert_same(np.sum(ranks, axis=1), np.full(3, 28.0), rtol=1e-6)
    flat: dict[str, Any] = {"segment_ids": np.repeat(np.arange(3), 7), "num_segments": 3}
    segments = losses.soft_rank(single.ravel(), temperature=2.0, kernel=kernel, **flat)
    assert_same(segments, expected.ravel(), rtol=3e-6)
    cold = losses.soft_rank(single, temperature=1e-6, kernel=kernel)
    assert_same(cold[0, :3], np.full(3, cold[0, 0]))
    assert set(np.asarray(cold[1]).round(4)) == set(range(1, 8))


def test_what_is_no_number_stays_in_its_list() -> None:
    y, s = np.array([1.0, 0, 1, 0, 1], np.float32), np.array([0.5, 0, np.nan, 2, 1], np.float32)
    lists: dict[str, Any] = {"segment_ids": np.array([0, 0, 1, 1, 2]), "num_segments": 3}
    values = losses.approx_ndcg_loss(y, s, average=None, **lists)
    assert np.isnan(values).tolist() == [False, True, False]
    ranks = losses.soft_rank(s, **lists)
    assert np.isnan(ranks).tolist() == [False, False, True, True, False]


def test_soft_rank_of_masked_items() -> None:
    s = jnp.array([[2.0, jnp.nan, 1.0, jnp.inf]])
    where = np.array([[True, False, True, False]])
    ranks, gradient = jax.value_and_grad(
        lambda s: jnp.sum(losses.soft_rank(s, where=where, temperature=1.0) ** 2)
    )(s)
    p = 0.5 * np.exp(-1)
    assert float(ranks) == pytest.approx((1 + p) ** 2 + (2 - p) ** 2)
    assert_zero(np.asarray(gradient)[0, [1, 3]], "masked")
    assert np.isnan(losses.soft_rank(s, where=where, temperature=0.0)[0, 0])


# --- ties and extremes -------------------------------------------------------------------


def test_listmle_of_ties_is_free_of_their_order() -> None:
    y, s = np.array([[1.0, 1.0, 0.0]], np.float32), np.array([[0.5, -1.0, 2.0]], np.float32)
    swapped = [1, 0, 2]
    value = losses.listmle_loss(y, s)
    assert float(value) == float(losses.listmle_loss(y[:, swapped], s[:, swapped]))
    assert_same(value, oracles.listmle(y, s.astype(float))[0][0], rtol=1e-6)


SPREADS = {
    "all equal": np.zeros((1, 6)),
    "saturated": np.array([[-1e4, 1e4, 0, 1e4 + 1, -5e3, 1]]),
    "two clusters": np.array([[1e6, 1e6 + 1, 1e6 + 2, -1e6, -1e6 - 1, -1e6 + 2]]),
}


@pytest.mark.parametrize("name", ["softmax", "listmle", "logistic", "ndcg", "neural ndcg"])
def test_extreme_scores(name) -> None:
    """Values as in double precision, and finite gradients."""
    loss, formula = LOSSES[name]
    y = np.array([[2.0, 0, 1, 0, 3, 1]], np.float32)
    call = jax.jit(jax.value_and_grad(loss, argnums=1))
    plain = jnp.round(1024 * jax.random.normal(jax.random.key(0), y.shape)) / 1024
    _, expected = call(y, plain)
    _, gradient = call(y, plain + 1000)
    assert np.linalg.norm(gradient - expected) <= 2e-6 * np.linalg.norm(expected)
    for spread in SPREADS.values():
        value, gradient = call(y, jnp.asarray(spread, jnp.float32))
        with np.errstate(over="ignore", under="ignore"):
            expected, _ = formula(y.astype(float), spread)
        assert_same(value, expected[0], rtol=5e-6, atol=1e-7)
        assert np.all(np.isfinite(gradient))


def test_gradient_of_smooth_sorting(rng: np.random.Generator) -> None:
    """In float32, against that of its definition in double precision."""
    n, rounding = 30, 1e-15  # of the definition, which subtracts shares from 1
    noise, sides = rng.normal(size=n), rng.choice([-1, 1], n)
    laws = {
        "normal": noise,
        "offset": noise + 1000,
        "decided": 30 * noise,
        "all but decided": 300 * noise,
        "decided ties": 100 * np.round(10 * noise) / 10,
        "tied": np.round(noise),
        "all equal": 0 * noise,
        "two clusters": 1e4 * sides + noise,
        "saturated": 1e4 * (sides + noise),
    }
    y, place = rng.integers(0, 4, n).astype(np.float64), np.arange(1.0, n + 1)
    best = np.sum(-np.sort(-y) / np.log2(1 + place))

    def definition(s: jax.Array) -> jax.Array:
        gap = s[:, None] - s[None]
        spread = jnp.sum(gap * jnp.sign(gap), axis=1)[None]
        share = jax.nn.softmax((n + 1 - 2 * place)[:, None] * s[None] - spread, axis=1)
        return 1 - jnp.sum(share @ y / np.log2(1 + place)) / best

    call = jax.jit(jax.value_and_grad(losses.neural_ndcg_loss, argnums=1))
    for law, scores in laws.items():
        s = scores.astype(np.float32)
        value, (gradient,) = call(y[None].astype(np.float32), jnp.asarray(s[None]))
        with jax.enable_x64(True):
            expected, slopes = jax.jit(jax.value_and_grad(definition))(jnp.asarray(s, np.float64))
        assert float(value) == pytest.approx(float(expected), rel=5e-6), law
        off = np.linalg.norm(np.asarray(gradient) - np.asarray(slopes))
        size, digits = np.linalg.norm(slopes), 3e-5 if law == "decided ties" else 2e-6
        assert off <= digits * size + rounding, (law, off / size)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_derivatives_of_a_list_whose_top_has_all_mass(dtype) -> None:
    """As of the last list, which has but one item, also that of the normaliser."""
    y = np.array([[1, 0, 0], [1, 0, 0], [0, 2, 1], [1, 0, 0]], dtype)
    s = np.array([[50, 0, 0], [0, 100, 0], [1, 0, 300], [5, 0, 0]], dtype)
    where = np.ones(y.shape, bool)
    where[3, 1:] = False
    ids = np.where(where, np.arange(4)[:, None], -1).ravel()
    flat: dict[str, Any] = {"segment_ids": ids, "num_segments": 4, "where": where.ravel()}

    def of_rows(s):
        return jnp.sum(losses.softmax_loss(y, s, where=where, average=None))

    def of_segments(s):
        return jnp.sum(losses.softmax_loss(y.ravel(), s.ravel(), **flat, average=None))

    share = softmax(np.where(where, s.astype(np.float64), -np.inf), axis=1)
    mass = y.sum(axis=1, keepdims=True)
    way = np.eye(1, 3, dtype=dtype) + np.zeros_like(s)  # of the first score of each
    for loss in (of_rows, of_segments):
        slope, bend = jax.jit(lambda s, loss=loss: jax.jvp(jax.grad(loss), (s,), (way,)))(s)
        np.testing.assert_allclose(slope, mass * share - y, rtol=1e-6, atol=1e-7)
        expected = mass * share * (np.eye(1, 3) - share[:, :1])
        np.testing.assert_allclose(bend, expected, rtol=1e-6, atol=1e-7)


def test_listmle_slopes_of_clusters_far_apart() -> None:
    call = jax.jit(jax.grad(losses.listmle_loss, argnums=1))
    y = np.array([[3.0, 2, 1, 0]], np.float32)
    for far in (0.0, 1e4, 1e6, -1e6):
        s = np.array([[far, far + 0.3, 0, 0.4]], np.float32)
        expected = np.zeros(4)
        for i in range(4):
            expected[i:] += softmax(s[0, i:].astype(np.float64) / 0.7)
        np.testing.assert_allclose(
            call(y, s, temperature=0.7)[0], (expected - 1) / 0.7, rtol=2e-6, atol=1e-7
        )


def test_top_k_of_scores_that_are_large() -> None:
    call = jax.jit(
        jax.value_and_grad(losses.soft_top_k_accuracy_loss, argnums=1), static_argnames="k"
    )
    cases = [(np.array([o + 1, o + 0.5, o]), 1.0) for o in (0.0, 1e5, 1e6)]
    cases += [
        (np.array([1e4, 1e4 - 0.0078125, -1e4]), 0.01),
        (np.array([0.0, 1e-3, -np.inf]), 1e-3),
    ]
    for s, temperature in cases:
        z = (s - s[0]) / temperature
        for k in (1, 2):
            b = brentq(lambda b, z=z, k=k: expit(z - b).sum() - k, -4e7, 4e7, xtol=1e-13)
            share = expit(z - b)
            value, slope = call([0], s[None].astype(np.float32), k=k, temperature=temperature)
            assert_same(value, 1 - share[0], rtol=2e-6, atol=1e-6)
            d = share * (1 - share)
            moved = d / (d.sum() or 1)
            expected = d[0] * (moved - np.array([1.0, 0, 0])) / temperature
            np.testing.assert_allclose(slope[0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("scheme", ["lambdarank", "ndcg_loss2++"])
def test_a_model_that_starts_with_all_scores_tied_can_learn(scheme) -> None:
    y = jnp.array([[2, 0, 1, 0]])
    slope = jax.grad(lambda s: losses.lambda_loss(y, s, scheme=scheme))(jnp.zeros((1, 4)))[0]
    assert slope[0] < slope[2] < 0 < slope[1] == slope[3]


@pytest.mark.parametrize("top", [126, 128, 1000])
@pytest.mark.parametrize("loss", ["lambda", "approx_ndcg", "neural_ndcg"])
def test_losses_of_exponential_gains_of_any_grade(loss: str, top: int) -> None:
    """Gains matter relative to the largest of the list, and 0 counts for nothing beside it."""
    y, s = np.array([[4, 3, 1, 0], [2, 4, 4, 3]]), np.array([[0.0, 2.0, 1.0, 0.5]] * 2)
    function: Any = getattr(losses, f"{loss}_loss")
    shares = function(2.0 ** (y - 4), s, average=None)
    found = function(y + top - 4, s, gain="exponential", average=None)
    assert_same(found, shares, rtol=1e-6)
