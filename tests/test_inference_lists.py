"""Lists of one length in rows, and the same as segments of flat arrays, give the same numbers."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jmetrics import ndcg_score, reciprocal_rank
from jmetrics.inference import (
    bootstrap,
    compare,
    confidence_interval,
    infinitesimal_jackknife,
    influence,
    paired_bootstrap,
    permutation_test,
    standard_error,
)
from tests.compare import assert_same

KEY = jax.random.key(3)
LISTS, SIZE = 12, 6


class Both(NamedTuple):
    """The same lists in rows, some of them padded and one empty, and in segments, shuffled."""

    rows: tuple[np.ndarray, ...]
    where: np.ndarray
    flat: tuple[np.ndarray, ...]
    options: dict[str, Any]
    of_list: dict[str, Any]
    """A weight, a group and a stratum for each list."""


@pytest.fixture
def both(rng: np.random.Generator) -> Both:
    relevance = rng.integers(0, 2, (LISTS, SIZE))
    scores = rng.integers(0, 5, (2, LISTS, SIZE)).astype(np.float32)
    where = np.arange(SIZE)[None] < rng.integers(1, SIZE + 1, LISTS)[:, None]
    where[4] = False
    ids = np.broadcast_to(np.arange(LISTS)[:, None], where.shape)
    order = rng.permutation(where.sum())
    flat = [a[where][order] for a in (relevance, *scores, ids)]
    for score in scores:
        score[~where] = np.nan
    strata = np.arange(LISTS) % 2
    of_list = {
        "sample_weight": (rng.integers(0, 4, LISTS) / 2).astype(np.float32),
        "groups": 10 * strata + rng.integers(0, 4, LISTS),
        "strata": strata,
    }
    options = {"segment_ids": flat.pop(), "num_segments": LISTS}
    return Both((relevance, *scores), where, tuple(flat), options, of_list)


def compared(run: Any, both: Both, *given: str, models: int = 1) -> Any:
    """Run on both forms, and return what is the same."""
    of_list = {name: both.of_list[name] for name in given}
    expected = run(*both.rows[: 1 + models], where=both.where, **of_list)
    found = run(*both.flat[: 1 + models], **both.options, **of_list)
    assert_same(found, expected, rtol=1e-4, atol=1e-6)
    return found


def test_resamples_are_the_same(both: Both) -> None:
    run = functools.partial(bootstrap, KEY, n_resamples=50)
    found = compared(functools.partial(run, reciprocal_rank), both, *both.of_list)
    assert len(set(np.asarray(found.distribution).tolist())) > 10
    run = functools.partial(run, ndcg_score, method="studentized", empty="skip")
    compared(run, both, "sample_weight")


def test_contributions_are_the_same(both: Both) -> None:
    given = both.of_list["sample_weight"]
    shares = compared(influence(ndcg_score), both, "sample_weight")
    assert shares.shape == (LISTS,)
    assert np.all(np.asarray(shares != 0) <= (given != 0) & both.where.any(axis=1))
    by_group = compared(functools.partial(influence(ndcg_score), num_groups=14), both, "groups")
    assert by_group.shape == (14,)
    compared(standard_error(reciprocal_rank), both, "groups")
    compared(infinitesimal_jackknife(ndcg_score), both, "sample_weight")


def test_comparisons_are_the_same(both: Both) -> None:
    run = functools.partial(paired_bootstrap, KEY, ndcg_score, n_resamples=50)
    compared(run, both, "sample_weight", models=2)

    def table(y, a, b, **given):
        return compare(KEY, reciprocal_rank, y, a, [b], n_resamples=50, method="basic", **given)

    compared(table, both, "strata", models=2)


def test_exchanges_are_the_same(both: Both) -> None:
    run = functools.partial(permutation_test, KEY, reciprocal_rank, n_resamples=200)
    found = compared(run, both, "sample_weight", "groups", models=2)
    assert len(set(np.asarray(found.distribution).round(4).tolist())) > 10


def test_options_may_be_bound_or_traced(both: Both) -> None:
    y, score, _ = both.flat
    run = functools.partial(bootstrap, KEY, n_resamples=30, method="percentile")
    expected = run(ndcg_score, y, score, **both.options)
    assert_same(run(functools.partial(ndcg_score, **both.options), y, score), expected)
    interval = confidence_interval(ndcg_score, y, score, key=KEY, n_resamples=30, **both.options)
    assert interval.method == "bca"
    assert_same(interval.estimate, expected.estimate)

    def own(y_true, y_pred, **given):
        return ndcg_score(y_true, y_pred, **given)

    @jax.jit
    def compiled(y, score, ids, where):
        return run(own, y, score, segment_ids=ids, num_segments=LISTS, where=where)

    # What is masked may be in no list at all.
    more = [np.append(a, a[:2]) for a in (y, score)]
    ids = np.append(both.options["segment_ids"], [LISTS, -1])
    assert_same(compiled(*more, ids, np.arange(len(ids)) < len(y)), expected, rtol=1e-5)


def test_items_in_no_list_leave_nothing_known(both: Both) -> None:
    y, score, _ = both.flat
    ids = np.where(np.arange(len(y)) == 3, LISTS, both.options["segment_ids"])
    given = {"segment_ids": ids, "num_segments": LISTS}
    found = bootstrap(KEY, ndcg_score, y, score, n_resamples=30, method="percentile", **given)
    assert np.isnan(found.estimate)
    assert int(found.n_undefined) == 30
    exchanged = permutation_test(KEY, ndcg_score, y, score, score, n_resamples=30, **given)
    assert np.isnan(exchanged.p_value)


@pytest.mark.parametrize("name", ["sample_weight", "groups", "strata"])
def test_what_belongs_to_lists_has_an_entry_for_each(name: str, both: Both) -> None:
    y, score, _ = both.flat
    with pytest.raises(ValueError, match=rf"`{name}` must have one entry a list, shape \({LISTS},"):
        bootstrap(KEY, ndcg_score, y, score, **both.options, **{name: jnp.zeros(len(y), int)})
    with pytest.raises(ValueError, match="`segment_ids` and `num_segments` must be given together"):
        bootstrap(KEY, ndcg_score, y, score, segment_ids=both.options["segment_ids"])
