"""Rows of the losses of the Tweedie family."""

from __future__ import annotations

import functools

import numpy as np

from jmetrics import losses
from tests.oracles import deviance_losses as oracles
from tests.row import LOSS, SMOOTH, Arrays, Outside, Row, Variant, log_means, positive_means

TRAITS = frozenset({LOSS, SMOOTH})
NEGATIVE = Outside("y_true", -1.0, "`y_true` non-negative")
FLOOR = Outside("floor", 0.0, "`floor` must be positive")
TRACED = {"floor": (1e-6, 1e-3)}
REFUSED = {"link": "probit"}


def log_positive_means(rng: np.random.Generator, n: int) -> Arrays:
    y, mu = positive_means(rng, n)
    return y, np.log(mu)


DEVIANCE_LOSSES = (
    Row(
        losses.poisson_loss,
        log_means,
        functools.partial(oracles.tweedie_loss, power=1),
        TRAITS,
        (Variant({"link": "softplus"}),),
        traced=TRACED,
        refused=REFUSED,
        outside=(NEGATIVE,),
    ),
    Row(
        losses.gamma_loss,
        positive_means,
        functools.partial(oracles.tweedie_loss, power=2),
        TRAITS,
        (Variant({"link": "identity"}),),
        traced=TRACED,
        refused=REFUSED,
        outside=(NEGATIVE, FLOOR),
    ),
    Row(
        losses.inverse_gaussian_loss,
        log_positive_means,
        functools.partial(oracles.tweedie_loss, power=3),
        TRAITS,
        traced=TRACED,
        refused=REFUSED,
        outside=(NEGATIVE,),
    ),
    Row(
        losses.tweedie_nll,
        log_means,
        oracles.tweedie_nll,
        TRAITS,
        traced={"power": (1.25, 1.75)},
        outside=(
            Outside("y_true", -1.0, "`power` must be between 1 and 2"),
            Outside("power", 2.0, "`power` must be between 1 and 2"),
        ),
    ),
)
