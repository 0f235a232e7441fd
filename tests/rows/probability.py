"""Rows of the metrics of probabilities and of predicted distributions."""

from __future__ import annotations

import numpy as np

from jmetrics import probability
from tests.oracles import probability as oracles
from tests.row import (
    COPIES,
    EXPLAINED,
    SMOOTH,
    TOTAL,
    Arrays,
    Outside,
    Row,
    Variant,
    probabilities,
    quantiles,
    real,
    scores,
)


def class_probabilities(rng: np.random.Generator, n: int) -> Arrays:
    """Three classes, two of them within the first two samples."""
    y = np.append([2, 0], rng.integers(0, 3, max(n - 2, 0)))[:n]
    p = rng.uniform(0.05, 1, (n, 3)) + 0.6 * np.eye(3)[y]
    return y, p / p.sum(axis=1, keepdims=True)


def misplaced(rng: np.random.Generator, n: int) -> Arrays:
    """Probabilities of the other class, so that errors exceed their noise."""
    y, p = probabilities(rng, n)
    return y, 1 - p


def class_logits(rng: np.random.Generator, n: int) -> Arrays:
    y, p = class_probabilities(rng, n)
    return y, 3 * np.log(p)


def ensembles(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.normal(5, 3, n)
    return y, y[:, None] + rng.normal(0.5, 2, (n, 5))


def vector_ensembles(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.normal(5, 3, (n, 2))
    return y, y[:, None] + rng.normal(0.5, 2, (n, 4, 2))


BINARY = Outside("y_true", 2.0, "`y_true` must be 0 or 1")
IMPROBABLE = Outside("y_proba", 1.5, "`y_proba` must be probabilities in [0, 1]")
OF_CLASSES = (Outside("y_true", 0.5, "`y_true` must be"), IMPROBABLE)
TRAITS = frozenset({SMOOTH})
SCALE = Outside("scale", -1.0, "`scale` must be positive")
LEVELS = (0.1, 0.5, 0.75)


PROBABILITY = (
    Row(
        metric=probability.log_loss,
        make=probabilities,
        oracle=oracles.log_loss,
        traits=TRAITS,
        variants=(
            Variant(),
            Variant({"normalize": True}, class_probabilities),
            Variant({"normalize": False}, class_probabilities, frozenset({TOTAL})),
        ),
        outside=OF_CLASSES,
    ),
    Row(
        metric=probability.log_loss_from_logits,
        make=scores,
        oracle=oracles.log_loss_from_logits,
        traits=frozenset({SMOOTH}),
        variants=(
            Variant(),
            Variant({"normalize": True}, class_logits),
            Variant({"normalize": False}, class_logits, frozenset({TOTAL})),
        ),
        outside=(OF_CLASSES[0], Outside("logits", np.nan, "`logits` must")),
    ),
    Row(
        metric=probability.normalized_entropy,
        make=class_probabilities,
        oracle=oracles.normalized_entropy,
        traits=TRAITS,
        outside=OF_CLASSES,
    ),
    Row(
        metric=probability.d2_log_loss_score,
        make=probabilities,
        oracle=oracles.d2_log_loss,
        traits=TRAITS | {EXPLAINED},
        outside=(BINARY, IMPROBABLE),
    ),
    Row(
        metric=probability.brier_score_loss,
        make=probabilities,
        oracle=oracles.brier,
        traits=TRAITS,
        variants=(
            Variant(),
            Variant({"scale_by_half": False}),
            Variant({"scale_by_half": "auto"}, class_probabilities),
        ),
        refused={"scale_by_half": "half"},
        outside=OF_CLASSES,
    ),
    Row(
        metric=probability.d2_brier_score,
        make=class_probabilities,
        oracle=oracles.d2_brier,
        traits=TRAITS | {EXPLAINED},
        outside=OF_CLASSES,
    ),
    Row(
        metric=probability.ranked_probability_score,
        make=class_probabilities,
        oracle=oracles.ranked_probability,
        traits=TRAITS,
        outside=OF_CLASSES,
    ),
    Row(
        metric=probability.calibration_error,
        make=probabilities,
        oracle=oracles.calibration_error,
        traits=TRAITS,
        variants=(
            Variant({"n_bins": 2}),
            Variant({"norm": "max", "n_bins": 3}),
            Variant({"norm": "l2", "n_bins": 4, "debiased": True}, misplaced, frozenset({COPIES})),
            Variant({"strategy": "quantile", "n_bins": 7}),
            Variant({"norm": "l2", "n_bins": 5}, class_probabilities),
            Variant(
                {"multi_class": "classwise", "strategy": "quantile", "n_bins": 7},
                class_probabilities,
            ),
        ),
        refused={"norm": "l3", "strategy": "mass", "multi_class": "macro", "n_bins": 0},
        outside=OF_CLASSES,
    ),
    Row(
        metric=probability.brier_decomposition,
        make=probabilities,
        oracle=oracles.brier_decomposition,
        traits=TRAITS,
        variants=(Variant({"n_bins": 4}), Variant({"n_bins": 7, "strategy": "quantile"})),
        refused={"n_bins": 0, "strategy": "mass"},
        outside=(BINARY, IMPROBABLE),
    ),
    Row(
        metric=probability.crps_ensemble,
        make=ensembles,
        oracle=oracles.crps_ensemble,
        traits=frozenset({SMOOTH}),
        variants=(Variant(), Variant({"fair": True})),
    ),
    Row(
        metric=probability.crps_quantiles,
        make=quantiles,
        oracle=oracles.crps_quantiles,
        traits=frozenset({SMOOTH}),
        variants=(Variant({"alpha": LEVELS}),),
        refused={"alpha": (0.5,)},
    ),
    *(
        Row(
            metric=metric,
            make=real,
            oracle=oracle,
            traits=frozenset({SMOOTH}),
            variants=(Variant({"scale": 1.5}),),
            traced={"scale": (0.5, 2.0)},
            outside=(SCALE,),
        )
        for metric, oracle in (
            (probability.crps_normal, oracles.crps_normal),
            (probability.crps_logistic, oracles.crps_logistic),
            (probability.crps_laplace, oracles.crps_laplace),
            (probability.gaussian_nll, oracles.gaussian_nll),
        )
    ),
    Row(
        metric=probability.energy_score,
        make=vector_ensembles,
        oracle=oracles.energy,
        traits=frozenset({SMOOTH}),
        variants=(Variant(), Variant({"fair": True})),
    ),
)
