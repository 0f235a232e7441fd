"""mypy rejects a metric whose kernel, finisher and value do not fit together."""

from __future__ import annotations

import re
from pathlib import Path

import mypy.api
import pytest

ROOT = Path(__file__).parents[1]

EXAMPLES = """\
from __future__ import annotations

from typing import Any, NamedTuple, assert_type

import jax.numpy as jnp
from jax import Array

from jmetrics._core.plan import NONNEGATIVE, Arrays, Bound, Plan, metric, plan
from jmetrics._core.types import ArrayLike


class Sums(NamedTuple):
    error: Array
    weight: Array


class Counts(NamedTuple):
    right: Array
    wrong: Array


def sums(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    scale: Array,
    *,
    squared: bool,
) -> Sums:
    return Sums(y_true, y_pred)


def needs_weights(
    y_true: Array, y_pred: Array, sample_weight: Array, where: Array | None
) -> Sums:
    return Sums(y_true, y_pred)


def mean(sums: Sums, floor: Array, *, average: str) -> Array:
    return ONE


def both(sums: Sums) -> tuple[Array, Array]:
    return sums.error, sums.weight


def accuracy(counts: Counts) -> Array:
    return ONE


ONE = jnp.ones(())
KERNEL = Bound.kernel(sums, ONE, squared=True)
FINISHER = Bound.finisher(mean, ONE, average="mean")

Bound.kernel(sums, ONE)  # wrong
Bound.kernel(sums, squared=True)  # wrong
Bound.kernel(sums, ONE, squared="yes")  # wrong
Bound.kernel(sums, ONE, squared=True, cubed=True)  # wrong
Bound.kernel(sums, ONE, ONE, squared=True)  # wrong
Bound.kernel(needs_weights)  # wrong
Bound.kernel(both)  # wrong
Bound.finisher(mean, ONE)  # wrong
Bound.finisher(mean, average="mean")  # wrong
Bound.finisher(mean, ONE, averages="mean")  # wrong


def right(arrays: Arrays) -> Plan[Array]:
    return plan(arrays, KERNEL, FINISHER)


def right_in_one_expression(arrays: Arrays) -> Plan[tuple[Array, Array]]:
    return plan(arrays, Bound.kernel(sums, ONE, squared=False), Bound.finisher(both), merges=False)


def finisher_of_another_statistic(arrays: Arrays) -> Plan[Array]:
    return plan(arrays, KERNEL, Bound.finisher(accuracy))  # wrong


def finisher_in_place_of_kernel(arrays: Arrays) -> Plan[Array]:
    return plan(arrays, FINISHER, FINISHER)  # wrong


def another_value(arrays: Arrays) -> Plan[Array]:
    return plan(arrays, KERNEL, Bound.finisher(both))  # wrong


def no_plan(arrays: Arrays) -> Array:
    return plan(arrays, KERNEL, FINISHER)  # wrong


@metric(range=NONNEGATIVE, greater_is_better=False)
def declared_right(y_true: ArrayLike, y_pred: ArrayLike, *, beta: float = 1.0) -> Plan[Array]:
    return right((jnp.asarray(y_true), jnp.asarray(y_pred), None, None))


@metric(range=NONNEGATIVE, greater_is_better=False)  # wrong
def declared_as_its_value(y_true: ArrayLike, y_pred: ArrayLike) -> Array:
    return right((jnp.asarray(y_true), jnp.asarray(y_pred), None, None)).value()


def calls(y_true: Array, y_pred: Array, anything: Any) -> None:
    assert_type(declared_right(y_true, y_pred, beta=2.0), Array)
    declared_right(y_true, y_pred, 2.0)  # wrong
    declared_right(y_true, y_pred, beta="2")  # wrong
    declared_right(y_true, y_pred, gamma=anything)  # wrong
    right((y_true, y_pred))  # wrong
"""
"""A line that ends in `# wrong` has to be an error, and no other line may be one."""


def test_wrong_joints_are_errors_and_right_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "examples.py"
    file.write_text(EXAMPLES)
    monkeypatch.chdir(ROOT)
    complaints, failure, _ = mypy.api.run(["--follow-imports=silent", str(file)])
    assert failure == ""
    wrong = {n for n, line in enumerate(EXAMPLES.splitlines(), 1) if line.endswith("# wrong")}
    found = {int(number) for number in re.findall(r"examples\.py:(\d+): error: ", complaints)}
    assert found == wrong, complaints
