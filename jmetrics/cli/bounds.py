"""Bounds on metrics, for use in continuous integration."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple

from jmetrics.cli.engine import Refused
from jmetrics.cli.evaluation import Result
from jmetrics.cli.options import number

_OTHER_NAMES = {
    "auc": "rocauc",
    "ap": "averageprecision",
    "map": "map",
    "kappa": "cohenskappa",
    "r2": "r²",
    "brier": "brierscore",
    "ece": "calibrationerror",
}


class Bound(NamedTuple):
    """A metric, as it was called, and a value."""

    name: str
    value: float


def bound(said: str) -> Bound:
    """A metric and a bound on it, such as auc=0.8."""
    name, equals, value = said.partition("=")
    if not (equals and name.strip()):
        raise argparse.ArgumentTypeError(f"{said!r} is not a metric and a number, as auc=0.8 is")
    return Bound(name.strip(), number(value))


def metric_of(wanted: Bound, names: list[str]) -> str:
    """The metric that a bound is on, by its letters and digits alone."""
    spelled = {_plain(name): name for name in names}
    plain = _plain(wanted.name)
    found = spelled.get(plain) or spelled.get(_OTHER_NAMES.get(plain, plain))
    found = found or spelled.get(_OTHER_NAMES.get(plain, plain) + "macro")
    if found is None:
        raise Refused(f"no metric {wanted.name!r} to bound; there are {', '.join(names)}")
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^\w²@.]|_", "", name.casefold())


def failures(
    results: list[Result], under: list[Bound], over: list[Bound], by_interval: bool
) -> list[str]:
    """What is below, or above, the bounds: values, or the worse ends of their intervals."""
    names = [result.name for result in results]
    by_name = dict(zip(names, results, strict=True))
    found = []
    for wanted in under:
        result = by_name[metric_of(wanted, names)]
        value = result.low if by_interval else result.estimate
        if not value >= wanted.value:  # nor is what is undefined
            found.append(_failure(result, value, "under", wanted, by_interval))
    for wanted in over:
        result = by_name[metric_of(wanted, names)]
        value = result.high if by_interval else result.estimate
        if not value <= wanted.value:
            found.append(_failure(result, value, "over", wanted, by_interval))
    return found


def _failure(result: Result, value: float, side: str, wanted: Bound, by_interval: bool) -> str:
    end = {"under": "lower", "over": "upper"}[side]
    what = f"the {end} end of the interval of {result.name}" if by_interval else result.name
    return f"{what} is {value:.6g}, not {'at least' if side == 'under' else 'at most'} " + (
        f"{wanted.value:g}"
    )
