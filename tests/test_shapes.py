"""Arrays with an axis too many: taken for what they can only be, or told how to be given."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics import streaming
from tests.compare import assert_same
from tests.harness import N, names, sample
from tests.registry import kernel_cases, main_cases
from tests.row import Case

Arrays = dict[str, Any]
ADVICE = re.compile(r"`(\w+)((?:\[[^`]*\])|(?:\.reshape\([^`]*\)))`")


def plain(case: Case) -> Arrays:
    return dict(zip((*names(case), "sample_weight", "where"), sample(case), strict=True))


def misshapen(arrays: Arrays) -> Iterator[Arrays]:
    """Each array with one axis as it is, as a column and as a row; and sequences of samples."""
    ways = [[a, a[:, None], a[None]] if a.ndim == 1 else [a] for a in arrays.values()]
    both, beside = ways[:2], [way[:2] for way in ways[2:]]
    rows = [(way[-1],) for way in ways]
    for chosen in itertools.chain(itertools.product(*both, *beside), itertools.product(*rows)):
        yield dict(zip(arrays, chosen, strict=True))
    y_true, *_ = arrays.values()
    if y_true.ndim == 1:
        yield {name: a.reshape(4, -1, *a.shape[1:]) for name, a in arrays.items()}


def shapes(value: Any) -> Any:
    return jax.tree.map(jnp.shape, value)


def traced(case: Case, arrays: Arrays) -> Any:
    def call(y_true: Any, y_pred: Any, beside: Any) -> Any:
        return case(y_true, y_pred, **beside)

    y_true, y_pred = (arrays[name] for name in names(case))
    beside = {name: arrays[name] for name in ("sample_weight", "where")}
    return jax.tree.map(lambda leaf: leaf.shape, jax.eval_shape(call, y_true, y_pred, beside))


def advice_leads_home(case: Case) -> None:
    """What is accepted means the same, and every error says what to write instead, which works."""
    right = plain(case)
    expected = traced(case, right)
    for arrays in misshapen(right):
        follow_advice(case, arrays, right, expected)


def follow_advice(case: Case, arrays: Arrays, right: Arrays, expected: Any) -> None:
    while shapes(arrays) != shapes(right):
        try:
            value = traced(case, arrays)
        except ValueError as error:
            told = dict(ADVICE.findall(str(error)))
            if "group" in told:  # which the row makes of the scores
                told = {names(case)[1]: told["group"]}
            assert told and told.keys() <= arrays.keys(), f"{shapes(arrays)}: {error}"
            arrays = arrays | {name: eval(f"a{told[name]}", {"a": arrays[name]}) for name in told}
        else:
            assert value == expected or has_rows(case, arrays), f"{shapes(arrays)} gave {value}"
            assert taken(case, arrays), f"{shapes(arrays)} was taken"
            return


def taken(case: Case, arrays: Arrays) -> bool:
    """Whether all that is given is a column beside columns, or the metric has samples of rows."""
    y_true, y_pred = (arrays[name].shape for name in names(case))
    return (y_true == y_pred == (N, 1)) or has_rows(case, arrays)


def has_rows(case: Case, arrays: Arrays) -> bool:
    """Whether two axes are samples of several numbers here, of which a row is one."""
    y_true, y_pred = (arrays[name] for name in names(case))
    if y_true.shape != y_pred.shape or y_true.shape == (N, 1):
        return False
    two = np.repeat(y_true, 2, axis=0)
    case(two, two)  # raises where two axes mean nothing
    return True


CASES = [
    case
    for case in main_cases()
    if case.row.metric is not jmetrics.quantile_coverage  # for which a column is one level
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_advice_leads_home(case: Case) -> None:
    advice_leads_home(case)


def mutant(change: Callable[..., Any]) -> Case:
    """The mean absolute error of vectors alone, broken."""
    (honest,) = (case for case in CASES if case.row.metric is jmetrics.pearson_corrcoef)
    metric = functools.wraps(honest.row.metric)(functools.partial(change, honest.row.metric))
    return dataclasses.replace(honest, row=dataclasses.replace(honest.row, metric=metric))


def broadcasts(metric: Any, y_true: Any, y_pred: Any, **beside: Any) -> Any:
    if y_true.shape[:1] == y_pred.shape[:1] and y_pred.ndim == 2 and y_true.ndim == 1:
        y_pred = y_pred[:, 0]
    return metric(y_true, y_pred, **beside)


def says_nothing(metric: Any, *arrays: Any, **beside: Any) -> Any:
    try:
        return metric(*arrays, **beside)
    except ValueError as error:
        raise ValueError(str(error).partition(": give")[0]) from None


def says_the_wrong_array(metric: Any, *arrays: Any, **beside: Any) -> Any:
    try:
        return metric(*arrays, **beside)
    except ValueError as error:
        raise ValueError(str(error).replace("y_pred[", "y_true[")) from None


def keeps_the_axis(metric: Any, y_true: Any, y_pred: Any, **beside: Any) -> Any:
    value = metric(y_true, y_pred, **beside)
    return value[None] if y_true.ndim == 2 else value


@pytest.mark.parametrize("change", [broadcasts, says_nothing, says_the_wrong_array, keeps_the_axis])
def test_the_law_can_fail(change: Callable[..., Any]) -> None:
    with pytest.raises((AssertionError, IndexError)):
        advice_leads_home(mutant(change))


@pytest.mark.parametrize("case", kernel_cases(), ids=lambda case: case.name)
def test_a_column_has_the_value_of_a_vector(case: Case) -> None:
    arrays = plain(case)
    y_true, y_pred, weight, where = arrays.values()
    if y_true.shape != y_pred.shape or y_true.ndim != 1:
        return
    where = where & (np.arange(N) != 5)
    column = (slice(None), None)
    try:
        value = case(
            y_true[column], y_pred[column], sample_weight=weight[column], where=where[column]
        )
    except ValueError as error:
        assert ADVICE.search(str(error))
    else:
        assert_same(value, case(y_true, y_pred, sample_weight=weight, where=where))


VECTOR = np.ones(8, np.float32)
COLUMN, ROW, TOKENS = VECTOR[:, None], VECTOR[None], np.ones((2, 4), np.int32)
LOGITS, MASK = np.ones((2, 4, 3), np.float32), np.ones((2, 4), bool)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: jmetrics.log_loss(VECTOR, COLUMN), "got (8,) and (8, 1): give `y_proba[:, 0]`"),
        (
            lambda: jmetrics.mean_squared_error(COLUMN, VECTOR),
            "got `y_true` (8, 1), `y_pred` (8,): give `y_true[:, 0]`",
        ),
        (
            lambda: jmetrics.max_error(VECTOR, VECTOR, sample_weight=COLUMN),
            "got (8, 1): give `sample_weight[:, 0]`",
        ),
        (
            lambda: jmetrics.max_error(ROW, ROW),
            "must have 1 axis, got shape (1, 8): give `y_true[0]` and `y_pred[0]`",
        ),
        (
            lambda: jmetrics.f1_score(COLUMN, COLUMN, average="macro"),
            "give `y_true[:, 0]` and `y_pred[:, 0]` for classes",
        ),
        (
            lambda: jmetrics.log_loss_from_logits(TOKENS, LOGITS, where=MASK),
            "give `y_true.reshape(-1)`, `logits.reshape(-1, 3)` and `where.reshape(-1)`",
        ),
        (
            lambda: jmetrics.accuracy_score(TOKENS, TOKENS, where=MASK),
            "give `y_true.reshape(-1)`, `y_pred.reshape(-1)` and `where.reshape(-1)`",
        ),
        (
            lambda: jmetrics.ndcg_score(VECTOR, VECTOR),
            "give `y_true[None]` and `y_score[None]` for one list",
        ),
    ],
)
def test_errors_say_what_to_write(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        call()


def test_nothing_is_told_where_it_would_not_help() -> None:
    with pytest.raises(ValueError, match=r"\(8, 1\), `y_pred` \(7,\)$"):
        jmetrics.mean_squared_error(COLUMN, VECTOR[1:])


def streams() -> list[Any]:
    square = jmetrics.mean_squared_error
    return [
        streaming.stream(square),
        streaming.buffered(square, capacity=8),
        streaming.roc_auc_score(),
        streaming.stream(jmetrics.f1_score),
    ]


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: type(stream).__name__)
def test_streams_take_columns(stream: Any) -> None:
    rng = np.random.default_rng(0)
    y_true, y_pred, where = (rng.random(8) < 0.5 for _ in range(3))
    arrays = y_true.astype(np.float32), y_pred.astype(np.float32)

    def update(*arrays: Any, where: Any) -> Any:
        return stream.compute(stream.update(stream.init(), *arrays, where=where))

    expected = update(*arrays, where=where)
    columns = [a[:, None] for a in arrays]
    assert_same(update(*columns, where=where[:, None]), expected)
    assert_same(update(*columns, where=where), expected)
    with pytest.raises(ValueError, match=r"give `y_true\[:, 0\]`"):
        update(columns[0], arrays[1], where=where)


def test_a_column_is_resampled_as_a_vector() -> None:
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 40), rng.random(40).astype(np.float32)
    weight = rng.random(40).astype(np.float32)
    error = jmetrics.inference.standard_error(jmetrics.roc_auc_score)
    assert_same(
        error(y_true[:, None], y_score[:, None], sample_weight=weight[:, None]),
        error(y_true, y_score, sample_weight=weight),
    )
