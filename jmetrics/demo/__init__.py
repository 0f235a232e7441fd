"""Demo of the library on three real data sets: `python -m jmetrics demo`.

Metrics inside a compiled training step, losses that are surrogates of metrics, and the
uncertainty of each number.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from jmetrics.demo import amounts, picture, quantiles, ranking

__all__ = ["FULL", "Budget", "run"]


class Budget(NamedTuple):
    """Numbers of training epochs and of resamples."""

    ranking_epochs: int = 100
    quantile_epochs: int = 150
    amounts_epochs: int = 400
    n_resamples: int = 1000


FULL = Budget()
_PREAMBLE = """\
Intervals are 95 % bootstrap intervals: how far a number moves when the samples held out are
drawn again. The trained models stay as they are."""


def run(output: Path, seed: int = 0, budget: Budget = FULL) -> None:
    """Train, print the metrics with their intervals, and draw one picture."""
    start = time.perf_counter()
    print(_PREAMBLE)
    ranked = ranking.run(seed, budget.ranking_epochs, budget.n_resamples)
    print(ranking.describe(ranked))
    spread = quantiles.run(seed, budget.quantile_epochs, budget.n_resamples)
    print(quantiles.describe(spread))
    fitted = amounts.run(seed, budget.amounts_epochs, budget.n_resamples)
    print(amounts.describe(fitted))
    picture.draw(output, ranked, spread, fitted)
    print(f"\nDone in {time.perf_counter() - start:.0f} s. The picture is in {output}.")
