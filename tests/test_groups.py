"""One value of a metric for each group."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jmetrics
from jmetrics import groups as module, probability
from jmetrics.groups import by_group
from tests.compare import assert_same

N, G = 24, 4
RNG = np.random.default_rng(7)
GROUPS = np.append(np.tile(np.arange(3), 4), RNG.integers(0, 3, N - 12))  # none in the last
LABELS = (np.arange(N) // 3 % 2, np.round(RNG.random(N), 1).astype(np.float32))
COLUMNS = (RNG.normal(size=(N, 2)), RNG.normal(size=(N, 2)))
WEIGHT = RNG.integers(1, 9, N) / np.float32(4)


def loop(metric, y_true, y_pred, **options):
    """The metric of the samples of each group, by selecting them."""
    parts = (np.equal(GROUPS, g) for g in range(G))
    return np.stack(
        [metric(y_true[p], y_pred[p], sample_weight=WEIGHT[p], **options) for p in parts]
    )


@pytest.mark.parametrize(
    ("metric", "data", "options"),
    [
        (jmetrics.roc_auc_score, LABELS, {}),
        (jmetrics.log_loss, LABELS, {"normalize": True}),
        (probability.calibration_error, LABELS, {"n_bins": 3, "strategy": "quantile"}),
        (jmetrics.mean_pinball_loss, COLUMNS, {"alpha": 0.25, "multioutput": "raw_values"}),
        (jmetrics.mean_squared_error, COLUMNS, {"multioutput": np.array([1.0, 3.0])}),
    ],
)
def test_values_are_those_of_the_parts(metric, data, options) -> None:
    result = by_group(metric, *data, groups=GROUPS, num_groups=G, sample_weight=WEIGHT, **options)
    expected = loop(metric, *data, **options)
    assert_same(result.values, expected)
    assert np.all(np.isnan(result.values[3])) and not np.any(np.isnan(result.values[:3]))
    low, high = np.nanmin(expected, axis=0), np.nanmax(expected, axis=0)
    assert_same((result.difference, result.ratio), (high - low, low / high), rtol=1e-5)


def error_by_group(y_true, y_pred, **arguments):
    return by_group(
        jmetrics.mean_squared_error,
        y_true,
        y_pred,
        **{"groups": GROUPS, "num_groups": G, **arguments},
    )


def test_masks_of_samples_and_of_entries() -> None:
    y_true, y_pred = COLUMNS
    keep = RNG.random(N) < 0.7
    masked = error_by_group(y_true, y_pred, where=keep, sample_weight=WEIGHT)
    zero = error_by_group(y_true, y_pred, sample_weight=np.where(keep, WEIGHT, 0))
    assert_same(masked, zero)
    entries = np.stack([keep, ~keep], axis=1)
    values = error_by_group(y_true, y_pred, where=entries, multioutput="raw_values").values
    for output, kept in enumerate((keep, ~keep)):
        alone = error_by_group(y_true[:, output], y_pred[:, output], where=kept).values
        assert_same(values[:, output], alone)


def test_a_group_does_not_see_the_others() -> None:
    y_true, y_pred = COLUMNS[0].copy(), COLUMNS[1]
    y_true[GROUPS == 1] = np.nan
    values = error_by_group(y_true, y_pred).values
    clean = error_by_group(*COLUMNS).values
    assert np.isnan(values[1])
    assert_same(values[jnp.array([0, 2])], clean[jnp.array([0, 2])])


def test_nothing_in_any_group() -> None:
    result = error_by_group(*COLUMNS, where=np.zeros(N, bool))
    assert all(np.all(np.isnan(part)) for part in result)
    slope = jax.grad(lambda p: error_by_group(COLUMNS[0], p, where=np.zeros(N, bool)).difference)
    assert_same(slope(jnp.asarray(COLUMNS[1])), np.zeros((N, 2)))


def test_the_difference_has_a_gradient_beside_an_empty_group() -> None:
    y_true, y_pred = COLUMNS
    gradient = jax.grad(lambda p: error_by_group(y_true, p).difference)(jnp.asarray(y_pred))
    values = np.asarray(error_by_group(y_true, y_pred).values)
    sign = np.zeros(G)
    sign[[np.nanargmax(values), np.nanargmin(values)]] = 1, -1
    size = np.bincount(GROUPS, minlength=G)[GROUPS]
    assert_same(gradient, (sign[GROUPS] / size)[:, None] * (y_pred - y_true), rtol=1e-4)


@pytest.mark.parametrize("bad", [-1, G])
def test_a_sample_in_no_group_is_nan(bad: int) -> None:
    groups = GROUPS.copy()
    groups[5] = bad
    assert np.all(np.isnan(error_by_group(*COLUMNS, groups=groups).values))
    with pytest.raises(ValueError, match="`groups` must be whole numbers from 0 to 3"):
        jmetrics.checked(error_by_group)(*COLUMNS, groups=groups)
    without = np.arange(N) != 5
    masked = error_by_group(*COLUMNS, groups=groups, where=without)
    assert_same(masked, error_by_group(*COLUMNS, where=without))
    assert_same(error_by_group(*COLUMNS, groups=groups, sample_weight=without), masked)


def test_ratio_to_0_is_undefined() -> None:
    perfect = error_by_group(COLUMNS[0], COLUMNS[0])
    assert float(perfect.difference) == 0 and np.isnan(perfect.ratio)


def test_metrics_of_several_arrays() -> None:
    result = by_group(
        probability.brier_decomposition, *LABELS, groups=GROUPS, num_groups=G, n_bins=5
    )
    part = GROUPS == 1
    alone = probability.brier_decomposition(LABELS[0][part], LABELS[1][part], n_bins=5)
    assert_same(jax.tree.map(lambda a: a[1], result.values), alone)
    assert result.difference.reliability.shape == ()


def test_many_groups_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    y = RNG.normal(size=31)
    ids = RNG.integers(0, 7, 31)
    monkeypatch.setattr(module, "_ENTRIES_AT_ONCE", 62)
    few = by_group(jmetrics.mean_absolute_error, y, 0 * y, groups=ids, num_groups=7)
    expected = np.array([np.abs(y[ids == g]).mean() for g in range(7)])
    assert_same(few.values, expected)


def test_under_jit_and_vmap() -> None:
    y_true, y_pred = COLUMNS
    weights = np.stack([WEIGHT, WEIGHT[::-1]])

    @jax.jit
    def both(groups, weights):
        return jax.vmap(lambda w: error_by_group(y_true, y_pred, groups=groups, sample_weight=w))(
            weights
        )

    batch = both(GROUPS, weights)
    for i in range(2):
        alone = error_by_group(y_true, y_pred, sample_weight=weights[i])
        assert_same(jax.tree.map(lambda a, i=i: a[i], batch), alone)


def test_mistakes_are_named() -> None:
    with pytest.raises(TypeError, match="`groups` must hold whole numbers"):
        error_by_group(*COLUMNS, groups=GROUPS.astype(np.float32))
    with pytest.raises(ValueError, match="`groups` must have one entry a sample"):
        error_by_group(*COLUMNS, groups=GROUPS[:-1])
    with pytest.raises(ValueError, match="`num_groups` must be at least 1"):
        error_by_group(*COLUMNS, num_groups=0)
