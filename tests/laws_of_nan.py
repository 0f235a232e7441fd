"""What is true of every metric where something has no value, or no influence.

Part of the laws; see `tests/laws.py`.
"""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jmetrics
from jmetrics import inference
from jmetrics._core.plan import has_plan
from tests.compare import assert_nan, assert_raises, assert_same, assert_zero
from tests.harness import Data, N, eager, evaluate, rng_of, sample, some
from tests.laws import (
    eager_checked,
    law,
    law_of_the_kernel,
    law_of_the_row,
    may_mask_entries,
    only,
)
from tests.row import Case

BAD = (np.nan, np.inf)


@law_of_the_row
def bad_weights_are_nan(case: Case) -> None:
    """One weight that counts and is no finite number leaves no value; masked, it is deleted."""
    keep = some(case)
    expected = evaluate(case, sample(case).at(keep)).value
    for bad in BAD:
        for place in (0, 1, 7):
            data = sample(case)
            data.weight[place] = bad
            assert_nan(evaluate(case, data).value, f"weight {bad} of sample {place}")
        data = sample(case)._replace(where=keep)
        data.weight[~keep] = bad
        assert_same(evaluate(case, data).value, expected)


@law_of_the_kernel
def checked_tells_bad_weights(case: Case) -> None:
    data, checked = sample(case), jmetrics.checked(case)
    data.weight[0] = np.nan
    assert_raises(
        ValueError, "`sample_weight` must be finite", lambda: eager_checked(checked, data)
    )


def is_no_sum_of_a_curve(case: Case) -> bool:
    """Some rows sum up a curve, and multiply its NaN."""
    return has_plan(case.row.metric) or not hasattr(case.row.metric, "__wrapped__")


@law_of_the_kernel
@only(is_no_sum_of_a_curve)
def nan_stays_in_its_place(case: Case) -> None:
    """What is not asked for gives no gradient, also where it has no value."""

    @jax.jit
    def unasked(y_true: Any, y_pred: Any, weight: Any, where: Any) -> Any:
        def value(y_pred: Any, weight: Any) -> Any:
            found = jax.tree.leaves(eager(case, Data(y_true, y_pred, weight, where)))
            return [leaf for leaf in found if jnp.issubdtype(leaf.dtype, jnp.floating)]

        found, pullback = jax.vjp(value, y_pred, weight)
        return pullback([jnp.zeros_like(leaf) for leaf in found])

    data = sample(case)
    ones = np.ones_like(data.y_true)
    cases = {
        "one class or a constant target": data._replace(y_true=data.y_true[:1] * ones),
        "targets of 0": data._replace(y_true=0 * ones),
        "weights of 0": data._replace(weight=np.zeros_like(data.weight)),
        "masked": data._replace(where=np.zeros(N, bool)),
    }
    for why, given in cases.items():
        for gradient in unasked(*given):
            assert_zero(gradient, f"gradient of what was not asked for, {why}")


def has_columns(case: Case) -> bool:
    """Whether the value has an entry for each column of the predictions."""
    raw = case.options.get("multioutput") == "raw_values"
    each = "average" in case.options and case.options["average"] is None
    return (raw or each) and sample(case, 2).y_pred.ndim == 2


@law
@only(has_columns)
def nan_stays_in_its_column(case: Case) -> None:
    """What is no number in one column changes no value or gradient of another, masked or not."""

    @jax.jit
    def of_the_last(y_true: Any, y_pred: Any, weight: Any, where: Any) -> Any:
        def value(y_pred: Any, weight: Any) -> Any:
            found = jax.tree.leaves(case(y_true, y_pred, sample_weight=weight, where=where))
            return [leaf[..., -1] for leaf in found]

        found, pullback = jax.vjp(value, y_pred, weight)
        by_pred, by_weight = pullback([jnp.ones_like(leaf) for leaf in found])
        return found, by_pred[:, -1], by_weight

    data = sample(case)
    masks = [data.where, np.ones(data.y_true.shape, bool)][: 1 + may_mask_entries(case)]
    for mask in masks:
        expected = of_the_last(*data._replace(where=mask))
        for spoilt, bad in itertools.product(data._fields[:2], BAD):
            array = getattr(data, spoilt).copy()
            if array.ndim == 2 and np.issubdtype(array.dtype, np.floating):
                array[3, 0] = bad
                found = of_the_last(*data._replace(**{spoilt: array, "where": mask}))
                assert_same(found, expected)


@law_of_the_row
def no_error_is_0_of_what_varies(case: Case) -> None:
    """Of a perfect share, or where a slope happens to be level, it is 0; not of all data."""
    ones = np.ones(N, np.float32)
    found = evaluate(case, sample(case)._replace(weight=ones))
    if np.size(found.value) == 1 and np.any(found.by_weight):
        return  # the same derivative gives the error
    draws = [rng_of(case, i).multinomial(N, ones / N) for i in range(20)]
    always = np.array(True)
    for seed in range(3):
        data = sample(case, seed=seed)
        error = inference.standard_error(case.row.metric)(*data[:2], **case.options)
        values = [evaluate(case, data._replace(weight=np.float32(draw))).value for draw in draws]
        varies = jax.tree.map(lambda *draws: np.ptp(np.stack(draws), axis=0) > 1e-5, *values)
        false = [e == 0 for e in map(np.asarray, jax.tree.leaves(error))]
        always = always & np.concatenate(
            [np.ravel(f & v) for f, v in zip(false, jax.tree.leaves(varies), strict=True)]
        )
        if not np.any(always):
            return
    raise AssertionError("an error of 0 of what varies")
