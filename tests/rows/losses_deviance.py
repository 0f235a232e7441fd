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
        metric=losses.poisson_loss,
        make=log_means,
        oracle=functools.partial(oracles.tweedie_loss, power=1),
        traits=TRAITS,
        variants=(Variant({"link": "softplus"}),),
        traced=TRACED,
        refused=REFUSED,
        outside=(NEGATIVE,),
    ),
    Row(
        metric=losses.gamma_loss,
        make=positive_means,
        oracle=functools.partial(oracles.tweedie_loss, power=2),
        traits=TRAITS,
        variants=(Variant({"link": "identity"}),),
        traced=TRACED,
        refused=REFUSED,
        outside=(NEGATIVE, FLOOR),
    ),
    Row(
        metric=losses.inverse_gaussian_loss,
        make=log_positive_means,
        oracle=functools.partial(oracles.tweedie_loss, power=3),
        traits=TRAITS,
        traced=TRACED,
        refused=REFUSED,
        outside=(NEGATIVE,),
    ),
    Row(
        metric=losses.tweedie_nll,
        make=log_means,
        oracle=oracles.tweedie_nll,
        traits=TRAITS,
        traced={"power": (1.25, 1.75)},
        outside=(
            Outside("y_true", -1.0, "`power` must be between 1 and 2"),
            Outside("power", 2.0, "`power` must be between 1 and 2"),
        ),
    ),
)
