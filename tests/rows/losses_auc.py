"""Rows of the losses over pairs of positives and negatives."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jmetrics import losses
from jmetrics._core import check
from tests.oracles import auc_losses as oracles, unless_nothing_counts
from tests.row import (
    EXTREMES,
    LOSS,
    QUADRATIC,
    SMOOTH,
    Arrays,
    Outside,
    Row,
    Variant,
    classes,
    scores,
)

TRAITS = frozenset({LOSS, SMOOTH, QUADRATIC})
BINARY = Outside("y_true", 2.0, "`y_true` must be 0 or 1")
FINITE = Outside("y_score", np.inf, "`y_score` and its square must be finite")
COLD = Outside("temperature", 0.0, "`temperature` must be positive")
OPTIONS = {"margin": (0.5, 1.5), "temperature": (0.5, 2.0)}
OTHER: dict[str, Any] = {"surrogate": "huber"}


def class_scores(rng: np.random.Generator, n: int) -> Arrays:
    y, _ = classes(rng, n)
    y = np.append([1, 0], y[2:])[:n]
    return y, np.eye(4)[y] + rng.normal(0, 1.5, (n, 4))


def group_of(y_score: Any, backend: Any = np) -> Any:
    """A group that an entry of the scores alone decides, so that it goes along with it."""
    return backend.floor(4 * y_score) % 2 == 0


@functools.wraps(losses.group_auc_loss)
def group_auc_loss(y_true: Any, y_score: Any, **options: Any) -> Any:
    with jax.transfer_guard("allow"):
        group = group_of(check.array("y_score", y_score).astype(jnp.float32), jnp)
    return losses.group_auc_loss(y_true, y_score, group=group, **options)


@unless_nothing_counts(0.0)
def group_oracle(y_true: Any, y_score: Any, weight: Any, **options: Any) -> Any:
    return oracles.group_auc_loss(y_true, y_score, weight, group=group_of(y_score), **options)


AUC_LOSSES = (
    Row(
        metric=losses.auc_loss,
        make=scores,
        oracle=oracles.auc_loss,
        traits=TRAITS,
        variants=(
            Variant({"surrogate": "squared_hinge"}),
            Variant({"surrogate": "sigmoid"}, outside=(BINARY, FINITE, COLD)),
        ),
        traced=OPTIONS,
        refused=OTHER,
        outside=(BINARY, FINITE),
    ),
    Row(
        metric=losses.partial_auc_loss,
        make=scores,
        oracle=oracles.partial_auc_loss,
        traits=TRAITS,
        variants=(Variant({"max_fpr": 0.55, "min_tpr": 0.15, "surrogate": "hinge"}),),
        traced={**OPTIONS, "max_fpr": (0.35, 0.75), "min_tpr": (0.0, 0.45)},
        refused=OTHER,
        outside=(
            BINARY,
            FINITE,
            Outside("max_fpr", 0.0, "`max_fpr` must be in (0, 1]"),
            Outside("min_tpr", 1.0, "`min_tpr` must be in [0, 1)"),
        ),
    ),
    Row(
        metric=losses.p_norm_push_loss,
        make=scores,
        oracle=oracles.p_norm_push_loss,
        traits=TRAITS,
        variants=(Variant({"surrogate": "laplace"}),),
        traced={**OPTIONS, "power": (1.0, 3.0)},
        refused=OTHER,
        outside=(BINARY, FINITE, COLD, Outside("power", 0.5, "`power` must be at least 1")),
    ),
    Row(
        metric=losses.top_push_loss,
        make=scores,
        oracle=oracles.top_push_loss,
        traits=TRAITS | {EXTREMES},
        traced=OPTIONS,
        refused=OTHER,
        outside=(BINARY, FINITE),
    ),
    Row(
        metric=losses.multiclass_auc_loss,
        make=class_scores,
        oracle=oracles.multiclass_auc_loss,
        traits=TRAITS,
        variants=(Variant({"multi_class": "ovo", "average": "weighted", "surrogate": "square"}),),
        traced=OPTIONS,
        refused={**OTHER, "average": "micro", "multi_class": "ova"},
        outside=(Outside("y_true", 4.0, "`y_true` must be a class"), FINITE),
    ),
    Row(
        metric=group_auc_loss,
        make=scores,
        oracle=group_oracle,
        traits=TRAITS,
        variants=(Variant({"kind": "bpsn", "surrogate": "square"}),),
        traced=OPTIONS,
        refused=OTHER,
        outside=(BINARY,),
    ),
    Row(
        metric=losses.average_precision_loss,
        make=scores,
        oracle=oracles.average_precision_loss,
        traits=TRAITS,
        variants=(
            Variant({"surrogate": "laplace"}, outside=(BINARY, FINITE, COLD)),
            Variant({"surrogate": "squared_hinge"}),
        ),
        traced=OPTIONS,
        refused=OTHER,
        outside=(BINARY, FINITE, Outside("margin", 0.0, "`margin` must be positive")),
    ),
)
