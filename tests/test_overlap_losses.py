"""Losses of soft labels: the exact scores at hard predictions, and what Lovász extends."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics import losses
from tests.compare import assert_same, assert_zero
from tests.oracles import overlap_losses as oracles
from tests.rows.probability import class_probabilities

N, CLASSES = 40, 4

SCORES: dict[str, tuple[Any, Any]] = {
    "fbeta": (
        functools.partial(losses.fbeta_loss, beta=2.0),
        functools.partial(jmetrics.fbeta_score, beta=2.0),
    ),
    "dice": (losses.dice_loss, jmetrics.f1_score),
    "jaccard": (losses.jaccard_loss, jmetrics.jaccard_score),
    "tversky as f1": (losses.tversky_loss, jmetrics.f1_score),
    "tversky as jaccard": (
        functools.partial(losses.tversky_loss, alpha=1.0, beta=1.0),
        jmetrics.jaccard_score,
    ),
}
TOGETHER: dict[str, tuple[Any, Any]] = {
    "mcc": (losses.mcc_loss, jmetrics.matthews_corrcoef),
    "balanced accuracy": (losses.balanced_accuracy_loss, jmetrics.balanced_accuracy_score),
    **{
        f"kappa {weights}": (
            functools.partial(losses.cohen_kappa_loss, weights=weights),
            functools.partial(jmetrics.cohen_kappa_score, weights=weights, labels=range(CLASSES)),
        )
        for weights in (None, "linear", "quadratic")
    },
}


def hard_classes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True and predicted classes, and the second as probabilities of 0 and 1."""
    y, guess = rng.integers(0, CLASSES, (2, N))
    return y, guess, np.eye(CLASSES, dtype=np.float32)[guess]


@pytest.mark.parametrize(
    ("name", "average"), [*zip(SCORES, ("macro", None, "weighted", "macro", None), strict=True)]
)
def test_overlap_of_hard_classes_is_exact(name, average, rng: np.random.Generator) -> None:
    loss, score = SCORES[name]
    y, guess, proba = hard_classes(rng)
    exact = score(y, guess, average=average, num_classes=CLASSES)
    np.testing.assert_array_equal(loss(y, proba, average=average), 1 - exact)


@pytest.mark.parametrize(("name", "average"), [("fbeta", "micro"), ("jaccard", "samples")])
def test_overlap_of_hard_indicators_is_exact(name, average, rng: np.random.Generator) -> None:
    loss, score = SCORES[name]
    y, guess = rng.random((2, N, 3)) < 0.4
    exact = score(y, guess, average=average)
    np.testing.assert_array_equal(loss(y, guess.astype(np.float32), average=average), 1 - exact)


@pytest.mark.parametrize(
    "name", ["fbeta", "tversky as jaccard", "mcc", "balanced accuracy", "lovasz"]
)
def test_hard_binary_predictions_are_exact(name, rng: np.random.Generator) -> None:
    """Also with weights and a mask, where nothing can be rounded."""
    known = {**SCORES, **TOGETHER}
    known["lovasz"] = (
        functools.partial(losses.lovasz_softmax_loss, average="binary"),
        jmetrics.jaccard_score,
    )
    loss, score = known[name]
    y, guess = rng.integers(0, 2, (2, N))
    kept = {"sample_weight": rng.integers(0, 9, N) / np.float32(4), "where": rng.random(N) < 0.8}
    classes = {"num_classes": 2} if name in TOGETHER else {}
    exact = score(y, guess, **classes, **kept)
    np.testing.assert_array_equal(loss(y, guess.astype(np.float32), **kept), 1 - exact)


@pytest.mark.parametrize("name", TOGETHER)
def test_agreement_of_hard_classes_is_exact(name, rng: np.random.Generator) -> None:
    loss, score = TOGETHER[name]
    y, guess, proba = hard_classes(rng)
    exact = score(y, guess, **({} if "kappa" in name else {"num_classes": CLASSES}))
    np.testing.assert_array_equal(loss(y, proba), 1 - exact)


def test_lovasz_of_hard_classes_is_exact(rng: np.random.Generator) -> None:
    y, guess, proba = hard_classes(rng)
    for average in (None, "macro", "weighted"):
        exact = jmetrics.jaccard_score(y, guess, average=average, num_classes=CLASSES)
        assert_same(losses.lovasz_softmax_loss(y, proba, average=average), 1 - exact, rtol=1e-6)


@pytest.mark.parametrize("loss", [losses.mcc_loss, losses.lovasz_softmax_loss])
def test_losses_of_several_classes(loss, rng: np.random.Generator) -> None:
    y, proba = class_probabilities(rng, N)
    proba, weight = proba.astype(np.float32), rng.gamma(1, 1, N).astype(np.float32)
    oracle = getattr(oracles, loss.__name__)
    assert_same(loss(y, proba, sample_weight=weight), oracle(y, proba, weight), rtol=2e-6)


# --- Lovász ------------------------------------------------------------------------------


def set_function(truth: np.ndarray, wrong: np.ndarray) -> float:
    """1 − Jaccard where some samples are predicted wrong."""
    inside, union = truth & ~wrong, truth | wrong
    return 1 - inside.sum() / union.sum() if union.any() else 0.0


def test_lovasz_hinge_is_tight_at_every_vertex() -> None:
    truth = np.array([True, False, True, False, True])
    for wrong in map(np.array, itertools.product([False, True], repeat=len(truth))):
        error = wrong.astype(np.float32)  # the hinge error of a score of ±1 and of 0
        score = np.where(truth, 1 - error, error - 1)
        value = losses.lovasz_hinge_loss(truth, score)
        assert float(value) == pytest.approx(set_function(truth, wrong), abs=1e-7)


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_lovasz_hinge_is_an_integral_over_levels(shift, rng: np.random.Generator) -> None:
    """Two clusters of scores too, far from each other."""
    truth = rng.random(12) < 0.4
    score = (rng.normal(0, 1, 12) + shift * truth).astype(np.float32)
    error = np.maximum(1 - np.where(truth, score, -score.astype(np.float64)), 0)
    levels = np.sort(np.append(error, 0))
    heights = [set_function(truth, error >= level) for level in levels[1:]]
    expected = np.sum(np.diff(levels) * heights)
    assert float(losses.lovasz_hinge_loss(truth, score)) == pytest.approx(expected, rel=2e-6)


def test_slopes_of_lovasz_add_up_to_the_loss(rng: np.random.Generator) -> None:
    """The extension is linear along rays, so Σ e ∂L/∂e = L; exact for small shares too."""
    y = (rng.random(30_000) < 0.3).astype(np.float32)
    proba = rng.random(30_000).astype(np.float32)
    loss = functools.partial(losses.lovasz_softmax_loss, average="binary")
    value, slope = jax.value_and_grad(loss, argnums=1)(y, proba)
    error = np.abs(y - proba.astype(np.float64))
    assert np.sum(np.sign(proba - y) * slope * error) == pytest.approx(float(value), rel=2e-6)


def test_lovasz_hinge_shares_a_slope_among_ties() -> None:
    y, score = jnp.array([1.0, 1.0, 0.0, 0.0]), jnp.zeros(4)
    slope = jax.grad(losses.lovasz_hinge_loss, argnums=1)(y, score)
    np.testing.assert_allclose(slope, [-0.25, -0.25, 0.25, 0.25])


# --- nothing to divide by ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["dice", "mcc", "balanced accuracy", "kappa quadratic"])
def test_one_class_alone(name) -> None:
    """Nothing true and nothing predicted: what the score says, with zero gradient."""
    loss, _ = {**SCORES, **TOGETHER}[name]
    nothing = jnp.zeros(3)
    value, gradient = jax.value_and_grad(loss, argnums=1)(nothing, nothing)
    assert float(value) == (0 if name == "balanced accuracy" else 1)
    if name != "balanced accuracy":
        assert_zero(gradient, name)
    if name in SCORES:
        assert float(loss(nothing, nothing, zero_division=1.0)) == 0


# --- calibration -------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_limit_of_soft_bins_is_the_calibration_error(norm, rng: np.random.Generator) -> None:
    """Of two classes, and of the errors of each of several."""
    y, proba = class_probabilities(rng, N)
    proba = proba.astype(np.float32)
    cases: list[dict[str, Any]] = [{"multi_class": "classwise"}, {}]
    for options in cases:
        data = (y, proba) if options else (y == 1, proba[:, 1])
        exact = jmetrics.calibration_error(*data, norm=norm, n_bins=7, **options)
        errors = [
            abs(
                float(exact)
                - float(
                    losses.calibration_error_loss(
                        *data, norm=norm, n_bins=7, temperature=t, **options
                    )
                )
            )
            for t in (1e-2, 1e-7)
        ]
        assert errors[1] < 1e-5 < errors[0]


def test_bins_that_are_all_but_hard(rng: np.random.Generator) -> None:
    """Value and slope of the calibration error, at any temperature; and no NaN on an edge."""
    y, proba = rng.integers(0, 2, 30), rng.random(30, np.float32)
    expected, slope = jax.value_and_grad(jmetrics.calibration_error, argnums=1)(y, proba)
    call = jax.jit(jax.value_and_grad(losses.calibration_error_loss, argnums=1))
    edges = (np.arange(30) % 16 / 15).astype(np.float32)
    for temperature in (1e-9, 1e-10, 1e-12, 1e-30):
        value, found = call(y, proba, temperature=temperature)
        assert_same(value, expected, rtol=1e-5)
        np.testing.assert_allclose(found, slope, rtol=1e-4, atol=1e-7)
        assert np.all(np.isfinite(call(y, edges, temperature=temperature)[1]))
