"""Streams: states that merge, exact however long they are."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
import pickle
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec
from jax.tree_util import GetAttrKey

import jmetrics
from jmetrics import accuracy_score, roc_auc_score, streaming
from jmetrics._core.limbs import Compensated, Limbs
from jmetrics._core.merging import Tally
from jmetrics._core.plan import NONNEGATIVE, Bound, has_plan, metric, plan, plan_of
from tests.compare import assert_same
from tests.harness import sample
from tests.mutants import total_weight
from tests.registry import main_cases, parameters
from tests.row import Case, Variant, cases_of, real
from tests.rows.classification import CLASSIFICATION

SIZES = (6, 0, 1, 17)
"""Uneven parts of 24 samples, one of them empty."""


def streamable() -> list[Case]:
    """Cases with a statistic that merges."""

    def merges(case: Case) -> bool:
        y_true, y_pred, *_ = sample(case)
        return plan_of(case.row.metric)(y_true, y_pred, **case.options).merges

    return [case for case in main_cases() if has_plan(case.row.metric) and merges(case)]


def in_parts(array: np.ndarray) -> np.ndarray:
    """The parts, padded to one size with NaN or the largest integer."""
    bad = np.nan if array.dtype.kind == "f" else 99
    parts = np.full((len(SIZES), max(SIZES), *array.shape[1:]), bad, array.dtype)
    for part, piece in zip(parts, np.split(array, np.cumsum(SIZES)[:-1]), strict=True):
        part[: len(piece)] = piece
    return parts


@pytest.mark.parametrize("case", parameters(streamable()))
def test_any_grouping_of_parts_is_one_pass(case: Case) -> None:
    assert_one_pass(case)


@metric(range=NONNEGATIVE, greater_is_better=False)
def errs_by_batch(y_true, y_pred, *, sample_weight=None, where=None):
    """The mean squared error, or that of large targets, found out in each batch."""
    arrays = tuple(
        a if a is None else jnp.asarray(a) for a in (y_true, y_pred, sample_weight, where)
    )
    return plan(
        arrays, Bound.kernel(errors_of_batch), Bound.finisher(lambda sums: sums[0] / sums[1])
    )


def errors_of_batch(y_true, y_pred, sample_weight, where):
    weight = total_weight(y_true, sample_weight, where)
    error = jnp.abs(y_true - y_pred)
    large = jnp.any((weight > 0) & (y_true > 5))
    return jnp.sum(weight * jnp.where(large, error, error * error)), jnp.sum(weight)


def test_a_choice_in_each_batch_is_not_one_pass() -> None:
    honest = next(case for case in main_cases() if case.row.metric is jmetrics.mean_squared_error)
    row = replace(honest.row, metric=errs_by_batch, variants=(Variant(make=real),))
    with pytest.raises(AssertionError):
        assert_one_pass(next(cases_of(row)))


def test_top_1_of_two_classes_takes_its_threshold_after_all_batches() -> None:
    y_true, scores = np.array([1, 1, 0, 1]), np.array([0.4, 0.3, -2.0, 3.0], np.float32)
    stream = streaming.stream(jmetrics.top_k_accuracy_score, k=1)
    for cut in ([1, 2], [2], [3], []):
        state = stream.init()
        for y, s in zip(np.split(y_true, cut), np.split(scores, cut), strict=True):
            state = stream.update(state, y, s)
        assert float(stream.compute(state)) == 1.0
    inside = stream.update(stream.init(), y_true[:2], scores[:2])
    assert float(stream.compute(inside)) == 0.0


def assert_one_pass(case: Case) -> None:
    data = sample(case)
    counting = any(case.row is row for row in CLASSIFICATION)  # exactly, without weights
    stream = streaming.stream(case.row.metric, like=(data.y_true, data.y_pred), **case.options)
    where = np.arange(max(SIZES)) < np.array(SIZES)[:, None]

    @jax.jit
    def run(y_true: Any, y_pred: Any, weight: Any, where: Any) -> tuple[Any, Any]:
        def add(part: Any) -> Any:
            y_true, y_pred, weight, where = part
            weight = None if counting else weight
            return stream.update(stream.init(), y_true, y_pred, sample_weight=weight, where=where)

        def in_order(order: Any) -> Any:
            ordered = jax.tree.map(lambda a: a[order], states)
            return jax.lax.scan(lambda a, b: (stream.merge(a, b), None), stream.init(), ordered)[0]

        states = jax.lax.map(add, (y_true, y_pred, weight, where))
        # Two parts change places, and then the first two merged become the last.
        together = jax.lax.map(in_order, jnp.array([[0, 1, 2, 3], [2, 1, 0, 3], [3, 2, 1, 0]]))
        return jax.lax.map(stream.compute, together), together

    y_true, y_pred, weight, _ = data.astype(np.float64)
    expected = case.expected(y_true, y_pred, None if counting else weight)
    by_target = np.lexsort(data.y_true.reshape(len(data.y_true), -1).T)
    # In parts that are alike, and so in a part that holds one class only, and as they come.
    for order in (by_target, np.arange(len(by_target))):
        values, states = run(*(in_parts(a[order]) for a in data[:3]), where)
        for i in range(3):
            assert_same(jax.tree.map(lambda a, i=i: a[i], values), expected)
    for path, leaf in jax.tree.leaves_with_path(states, is_leaf=is_sum):
        number = np.asarray(leaf.to_float(jnp.float32) if is_sum(leaf) else leaf, np.float64)
        slack = (
            1e-6 if path[-1] == GetAttrKey("compensation") else None
        )  # of the mean that it is left of
        same = np.broadcast_to(number[:1], number[1:].shape)
        assert_same(number[1:], same, rtol=1e-6, atol=slack)
        for limb in leaf.integers if isinstance(leaf, Tally) else ():
            assert np.all(limb == limb[:1])


def is_sum(node: Any) -> bool:
    return isinstance(node, Tally | Compensated)


def test_every_metric_without_a_stream_is_known() -> None:
    """Those that look at the order of all scores, or at a quantile."""
    without = {case.row.metric.__name__ for case in main_cases()} - {
        case.row.metric.__name__ for case in streamable()
    }
    curves = {name for name, f in vars(jmetrics.curves).items() if callable(f)}
    losses = {name for name in jmetrics.losses.__all__}
    assert without - curves - losses == {
        "d2_absolute_error_score",
        "d2_pinball_score",
        "kendall_tau",
        "median_absolute_error",
        "spearman_corrcoef",
    }


# --- precision ---------------------------------------------------------------------------


def test_accuracy_of_five_million_batches() -> None:
    """Single precision would freeze, and answer 0.7686."""
    stream = streaming.stream(jmetrics.accuracy_score)
    y_true = jnp.zeros(64, jnp.int32)
    batches = jnp.arange(64)[None] >= jnp.array([[50], [49]])  # 49.92 of 64 right on average

    @functools.partial(jax.jit, donate_argnums=0)
    def run(state: Any) -> Any:
        def step(state: Any, i: Any) -> tuple[Any, None]:
            wrong = batches[(i % 25 >= 23).astype(jnp.int32)]
            return stream.update(state, y_true, wrong.astype(jnp.int32)), None

        return jax.lax.scan(step, state, jnp.arange(5_000_000))[0]

    state = run(stream.init())
    assert exact(state.statistic.counts.right) == 5_000_000 * 64 * 78 // 100
    assert float(stream.compute(state)) == np.float32(0.78)


def test_mean_of_twenty_million_ones_and_a_thousand_threes() -> None:
    stream = streaming.stream(jmetrics.mean_absolute_error)

    @jax.jit
    def run(state: Any, value: Any, times: Any) -> Any:
        def add(_: Any, state: Any) -> Any:
            return stream.update(state, jnp.zeros(1), value)

        return jax.lax.fori_loop(0, times, add, state)

    state = run(run(stream.init(), jnp.array([1.0]), 20_000_000), jnp.array([3.0]), 1000)
    assert float(stream.compute(state)) == pytest.approx(20_003_000 / 20_001_000, rel=1e-7)


def test_moments_of_a_million_samples_one_by_one() -> None:
    """Far from 0, where a mean in single precision would stand still."""
    stream = streaming.stream(jmetrics.r2_score)
    n = 1_000_000

    @jax.jit
    def run(state: Any) -> Any:
        def add(i: Any, state: Any) -> Any:
            y = 1000 + (i % 7).astype(jnp.float32)[None]
            return stream.update(state, y, y + (i % 2).astype(jnp.float32))

        return jax.lax.fori_loop(0, n, add, state)

    i = np.arange(n)
    expected = 1 - np.sum(i % 2) / np.sum((i % 7 - np.mean(i % 7)) ** 2)
    assert float(stream.compute(run(stream.init()))) == pytest.approx(expected, rel=1e-6)


def test_counts_are_exact_past_two_to_the_40() -> None:
    stream = streaming.stream(jmetrics.accuracy_score)
    once = stream.update(stream.init(), [0, 1, 1], [0, 1, 0])
    state = once
    for _ in range(42):
        state = stream.merge(state, state)
    state = stream.merge(state, once)
    assert exact(state.statistic.counts.right) == 2 * 2**42 + 2
    assert exact(state.statistic.counts.wrong) == 2**42 + 1


def exact(count: Tally) -> int:
    """A count that nothing weighted went into."""
    assert count.floats.to_float(jnp.float32) == 0
    return int(count.integers.high) * 2**16 + int(count.integers.low)


def test_weighted_and_unweighted_batches_add_up() -> None:
    stream = streaming.stream(jmetrics.accuracy_score)
    state = stream.update(stream.init(), [0, 1, 2, 1], [0, 1, 1, 1])
    state = stream.update(state, [2, 0, 1], [2, 0, 0], sample_weight=[0.5, 2, 1.25])
    assert float(stream.compute(state)) == pytest.approx(5.5 / 7.75, rel=1e-6)


@pytest.mark.parametrize("metric", [jmetrics.mean_squared_error, jmetrics.log_loss])
def test_states_never_inherit_half_precision(metric: Any) -> None:
    half = jnp.array([1, 0, 1], jnp.bfloat16)
    stream = streaming.stream(metric, like=(half, half))
    state = stream.update(stream.init(), half, half / 2, sample_weight=half)
    assert {str(leaf.dtype) for leaf in jax.tree.leaves(state)} <= {"float32", "uint32", "bool"}
    assert str(jax.tree.structure(state)) == str(jax.tree.structure(stream.init()))


def test_units_of_parts_are_reconciled() -> None:
    """Squares of any one part would leave single precision in the unit of another."""
    y = np.array([0, 0, 1e-25, 3e-25, 2e20, -5e20], np.float32)
    error = np.array([0, 0, 1e-26, 0, 1e19, 1e19], np.float32)
    stream = streaming.stream(jmetrics.r2_score)

    def of(*slices: slice) -> float:
        states = [stream.update(stream.init(), y[s], (y + error)[s]) for s in slices]
        return float(stream.compute(functools.reduce(stream.merge, states)))

    parts = slice(0, 2), slice(2, 4), slice(4, 6)
    for last in (2, 3):
        n = 2 * last
        t, e = y[:n].astype(np.float64), (y + error)[:n].astype(np.float64) - y[:n]
        expected = 1 - np.sum(e**2) / np.sum((t - t.mean()) ** 2)
        assert of(*parts[:last]) == pytest.approx(expected, rel=1e-6)
        assert of(*parts[:last][::-1]) == pytest.approx(expected, rel=1e-6)


# --- what is remembered ------------------------------------------------------------------


def test_a_label_that_is_none_is_remembered() -> None:
    stream = streaming.stream(jmetrics.accuracy_score)
    state = stream.update(stream.init(), [0.0, 1.0], [0.0, 1.0])
    state = stream.update(state, [0.5, 1.0], [0.5, 1.0])
    state = stream.update(state, [0.0, 1.0], [0.0, 1.0])
    assert np.isnan(stream.compute(state))
    with pytest.raises(ValueError, match="labels must be whole numbers"):
        jmetrics.checked(stream.compute)(state)


def test_nothing_is_undefined() -> None:
    stream = streaming.stream(jmetrics.mean_squared_error)
    assert np.isnan(stream.compute(stream.init()))
    masked = stream.update(stream.init(), [np.nan], [1.0], where=[False])
    assert np.isnan(stream.compute(masked))


def test_options_that_come_with_a_batch(rng: np.random.Generator) -> None:
    y_true, y_pred, scale = rng.uniform(1, 2, (3, 8)).astype(np.float32)
    stream = streaming.stream(jmetrics.crps_normal, scale=1.0)
    state = stream.init()
    for part in (slice(0, 4), slice(4, 8)):
        state = stream.update(state, y_true[part], y_pred[part], scale=scale[part])
    expected = jmetrics.crps_normal(y_true, y_pred, scale=scale)
    assert_same(stream.compute(state), expected, rtol=1e-6)


def test_a_loss_is_a_mean_over_batches(rng: np.random.Generator) -> None:
    y_true, y_pred, weight = rng.uniform(1, 2, (3, 20)).astype(np.float32)
    where = rng.random(20) < 0.7
    stream = streaming.batch_mean(jmetrics.losses.pinball_loss, alpha=0.25)
    state = stream.init()
    for part in (slice(0, 5), slice(5, 20)):
        arrays = {"sample_weight": weight[part], "where": where[part]}
        state = stream.update(state, y_true[part], y_pred[part], **arrays)
    state = stream.update(state, [np.nan], [1.0], where=[False])
    error = (y_true - y_pred)[where]
    loss = np.average(np.maximum(0.25 * error, -0.75 * error), weights=weight[where])
    assert_same(stream.compute(state), loss, rtol=1e-6)


def test_what_has_no_stream_says_so() -> None:
    with pytest.raises(ValueError, match="`roc_auc_score` keeps no statistic"):
        streaming.stream(jmetrics.roc_auc_score)
    with pytest.raises(ValueError, match="`calibration_error` needs all data at once"):
        streaming.stream(jmetrics.calibration_error, strategy="quantile")
    with pytest.raises(ValueError, match="`num_classes` must be given"):
        streaming.stream(jmetrics.f1_score, average="macro")
    with pytest.raises(ValueError, match="list_size") as error:
        streaming.stream(jmetrics.ndcg_score)
    assert "`like`" in "".join(error.value.__notes__)
    stream = streaming.stream(jmetrics.mean_squared_error, multioutput="raw_values")
    with pytest.raises(ValueError, match="made for \\(1, 1\\); make it with `like`"):
        stream.update(stream.init(), np.zeros((4, 2)), np.zeros((4, 2)))
    like = np.zeros((1, 3)), np.zeros((1, 3))
    stream = streaming.stream(jmetrics.mean_squared_error, multioutput="raw_values", like=like)
    with pytest.raises(ValueError, match="numbers of shape \\(2,\\) where the stream holds"):
        stream.update(stream.init(), np.zeros((4, 2)), np.zeros((4, 2)))


# --- several streams, windows ------------------------------------------------------------


def test_a_collection_keeps_equal_statistics_once(rng: np.random.Generator) -> None:
    classes = {"average": "macro", "num_classes": 4}
    metrics: dict[str, tuple[Any, dict[str, Any]]] = {
        "f1": (jmetrics.f1_score, classes),
        "balanced": (jmetrics.balanced_accuracy_score, {"num_classes": 4}),
        "kappa": (jmetrics.cohen_kappa_score, {"num_classes": 4}),
        "accuracy": (jmetrics.accuracy_score, {}),
        "wrong": (jmetrics.zero_one_loss, {"normalize": False}),
    }
    streams = streaming.collection(
        {name: streaming.stream(metric, **options) for name, (metric, options) in metrics.items()}
    )
    y_true, y_pred = rng.integers(0, 4, (2, 24))
    state = streams.update(streams.init(), y_true[:12], y_pred[:12])
    other = streams.update(streams.init(), y_true[12:], y_pred[12:])
    state = streams.merge(state, other)
    assert list(state) == ["f1", "kappa", "accuracy"]
    expected = {n: metric(y_true, y_pred, **options) for n, (metric, options) in metrics.items()}
    assert_same(streams.compute(state), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        (jmetrics.accuracy_score, {}),
        (jmetrics.pearson_corrcoef, {}),
    ],
)
def test_decay_is_a_weight(metric: Any, options: Any, rng: np.random.Generator) -> None:
    recent = streaming.decayed(streaming.stream(metric, **options), half_life=2)
    y_true, y_pred = rng.integers(0, 4, (2, 5, 8))
    state = recent.init()
    for batch in zip(y_true, y_pred, strict=True):
        state = recent.update(state, *batch)
    weight = np.repeat(0.5 ** (np.arange(4, -1, -1) / 2), 8)
    expected = metric(y_true.ravel(), y_pred.ravel(), sample_weight=weight, **options)
    assert_same(recent.compute(state), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "metric",
    [
        jmetrics.r2_score,
        jmetrics.explained_variance_score,
        jmetrics.pearson_corrcoef,
        jmetrics.concordance_corrcoef,
    ],
)
def test_data_far_from_0(metric: Any, rng: np.random.Generator) -> None:
    """Steps of 1/8 are exact beside 1e6, so that the value is that of the steps alone."""
    y_true = rng.integers(-9, 10, 96) / 8
    y_pred = y_true + rng.integers(-3, 4, 96) / 8
    with jax.enable_x64(True):
        expected = np.asarray(metric(y_true, y_pred))
    far_true, far_pred = ((a + 1e6).astype(np.float32) for a in (y_true, y_pred))
    stream = streaming.stream(metric)
    state = stream.init()
    for part in np.split(np.arange(96), 4):
        state = stream.update(state, far_true[part], far_pred[part])
    assert_same(stream.compute(state), expected, rtol=1e-6)
    assert_same(metric(far_true, far_pred), expected, rtol=1e-6)


def test_decay_of_scores_needs_weights(rng: np.random.Generator) -> None:
    whole = streaming.roc_auc_score()
    kept = streaming.buffered(roc_auc_score, 8)
    window = streaming.last_updates(streaming.stream(accuracy_score), 2)
    for stream in (whole, kept, window, streaming.collection({"auc": whole})):
        with pytest.raises(ValueError, match="cannot decay"):
            streaming.decayed(stream, decay=0.5)
    recent = streaming.decayed(streaming.roc_auc_score(weighted=True), decay=0.5)
    y_true, y_score = np.tile([0, 1], (3, 4)), rng.normal(size=(3, 8)).astype(np.float32)
    state = recent.init()
    for batch in zip(y_true, y_score, strict=True):
        state = recent.update(state, *batch)
    weight = np.repeat([0.25, 0.5, 1], 8)
    expected = roc_auc_score(y_true.ravel(), y_score.ravel(), sample_weight=weight)
    low, high = (float(getattr(recent.compute(state), name)) for name in ("low", "high"))
    assert low <= float(expected) <= high and high - low < 0.02


def test_decay_must_be_a_fraction() -> None:
    stream = streaming.stream(jmetrics.mean_squared_error)
    for bad in ({"decay": 1.5}, {"decay": -0.5}, {"half_life": -1.0}, {"half_life": 0.0}):
        recent = streaming.decayed(stream, **bad)
        state = recent.update(recent.init(), [1.0], [2.0])
        assert np.isnan(recent.compute(recent.update(state, [1.0], [3.0])))


def test_areas_of_a_collection_share_a_table() -> None:
    streams = {"auc": streaming.roc_auc_score(), "ap": streaming.average_precision_score()}
    assert list(streaming.collection(streams).init()) == ["auc"]


def test_decay_or_half_life() -> None:
    stream = streaming.stream(jmetrics.max_error)
    with pytest.raises(ValueError, match="either `half_life` or `decay`"):
        streaming.decayed(stream)
    recent = streaming.decayed(stream, decay=0.5)
    state = recent.update(recent.update(recent.init(), [0.0], [2.0]), [0.0], [1.0])
    assert float(recent.compute(state)) == 2.0


def test_the_last_updates_alone(rng: np.random.Generator) -> None:
    recent = streaming.last_updates(streaming.stream(jmetrics.r2_score), 3)
    y_true, y_pred = rng.normal(size=(2, 5, 8)).astype(np.float32)
    state = recent.init()
    for batch in zip(y_true, y_pred, strict=True):
        state = recent.update(state, *batch)
    expected = jmetrics.r2_score(y_true[2:].ravel(), y_pred[2:].ravel())
    assert_same(recent.compute(state), expected, rtol=1e-6)
    assert_same(recent.compute(recent.merge(recent.init(), state)), expected, rtol=1e-6)


# --- elsewhere ---------------------------------------------------------------------------

REDUCED: list[tuple[Any, dict[str, Any]]] = [
    (jmetrics.r2_score, {}),
    (jmetrics.pearson_corrcoef, {}),
    (jmetrics.max_error, {}),
    (jmetrics.accuracy_score, {}),
]


@pytest.mark.parametrize(("metric", "options"), REDUCED)
def test_reduce_takes_one_collective_a_leaf(metric: Any, options: Any) -> None:
    stream = streaming.stream(metric, **options)
    rng = np.random.default_rng(3)
    y_true, y_pred = rng.integers(1, 5, (2, 4, 6)).astype(np.float32)

    def reduced(y_true: Any, y_pred: Any) -> Any:
        return stream.reduce(stream.update(stream.init(), y_true, y_pred), "data")

    states = jax.vmap(reduced, axis_name="data")(y_true, y_pred)
    values = jax.vmap(stream.compute)(states)
    assert str(jax.tree.structure(states)) == str(jax.tree.structure(stream.init()))
    expected = metric(y_true.ravel(), y_pred.ravel(), **options)
    assert_same(values, np.broadcast_to(expected, 4), rtol=1e-5)

    mesh = Mesh(np.array(jax.devices()[:1]), ("data",))
    rows = PartitionSpec("data")
    sharded = jax.shard_map(reduced, mesh=mesh, in_specs=(rows, rows), out_specs=PartitionSpec())
    text = str(jax.make_jaxpr(sharded)(y_true[0], y_pred[0]))
    collectives = sum(text.count(f" {name}") for name in ("psum", "pmin", "pmax"))
    assert "all_gather" not in text
    assert 0 < collectives <= len(jax.tree.leaves(stream.init())) + 1


def test_states_travel_as_numpy_arrays() -> None:
    stream = streaming.stream(jmetrics.r2_score)
    state = stream.update(stream.init(), [1.0, 2.0, 4.0], [1.0, 2.5, 3.0])
    arrays = streaming.to_numpy(state)
    assert all(type(array) is np.ndarray for array in arrays.values())
    back = streaming.from_numpy(stream, arrays)
    assert str(jax.tree.structure(back)) == str(jax.tree.structure(state))
    assert_same(back, state, rtol=0)
    name = next(iter(arrays))
    with pytest.raises(ValueError, match="got nothing"):
        streaming.from_numpy(stream, {key: a for key, a in arrays.items() if key != name})
    with pytest.raises(ValueError, match="got float64"):
        streaming.from_numpy(stream, arrays | {name: np.zeros(2)})


def test_streams_travel_themselves() -> None:
    metric = functools.partial(jmetrics.f1_score, average="macro")
    stream = streaming.stream(metric, num_classes=3)
    state = stream.update(stream.init(), [0, 1, 2], [0, 2, 2])
    there, arrived = pickle.loads(pickle.dumps((stream, state)))
    assert_same(there.compute(there.merge(arrived, arrived)), stream.compute(state), rtol=1e-6)


def test_limbs_of_a_batch_beyond_16_bits() -> None:
    count = Tally.zeros((), jnp.float32).plus(jnp.int32(2**31 - 1)).plus(jnp.int32(5))
    assert exact(count) == 2**31 + 4
    assert count.integers == Limbs(jnp.uint32(2**15), jnp.uint32(4))
