"""Streams of scores and numbers: the bounds hold, states add up, buffers say when they overflow."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sklearn.metrics

import jmetrics
from jmetrics import streaming
from jmetrics._core.limbs import Compensated, Limbs, cumsum
from tests.compare import assert_same

N = 24
AREAS = ("roc_auc_score", "average_precision_score")


@functools.cache
def stream(name: str, **options: Any) -> Any:
    """One stream for each choice of options, with compiled functions of batches of N."""
    return getattr(streaming, name)(**options)


def exact_area(
    name: str, y: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None
) -> float:
    """By definition, from all pairs of samples."""
    weight = np.ones(len(y)) if weight is None else weight.astype(np.float64)
    positive, negative = weight * (y == 1), weight * (y == 0)
    above, tied = score[None] > score[:, None], score[None] == score[:, None]
    if name == "roc_auc_score":
        right = (above + tied / 2) @ positive
        return float(negative @ right / (positive.sum() * negative.sum()))
    tp, fp = (above | tied) @ positive, (above | tied) @ negative
    return float(positive @ (tp / np.maximum(tp + fp, 1e-300)) / positive.sum())


@pytest.mark.parametrize("name", AREAS)
def test_the_definition_is_that_of_others(name: str) -> None:
    y, score, weight = next(itertools.islice(batches(2), 1))
    peer = getattr(sklearn.metrics, name)
    assert exact_area(name, y, score, weight) == pytest.approx(
        peer(y, score, sample_weight=weight), rel=1e-9
    )


def holds(bounded: streaming.Bounded, exact: float) -> None:
    low, estimate, high = (float(b) for b in (bounded.low, bounded.estimate, bounded.high))
    assert low <= exact <= high, (low, exact, high)
    assert low * (1 - 1e-6) <= estimate <= high * (1 + 1e-6)


def batches(count: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Labels, scores and weights, many of them in one bin of few bits, some not finite."""
    rng = np.random.default_rng(7)
    for case in range(count):
        y = np.append([0, 1], rng.random(N - 2) < rng.choice([0.1, 0.5, 0.9]))
        spread = (0.1, 1, 1e3, 1e30, 1e-42)[case % 5]
        score = rng.standard_normal(N) * spread * (1 + 0.5 * y)
        if case % 2:
            score = np.round(2 * score / spread) * spread / 2
        if case % 3 == 0:
            score[rng.integers(0, N, 3)] = rng.choice([np.inf, -np.inf, 0, -0.0], 3)
        weight = rng.choice([0.25, 1e-3, 1, 3, 0], N) * 10.0 ** rng.integers(-3, 4)
        weight[:2] = 1
        yield y.astype(np.int32), score.astype(np.float32), weight.astype(np.float32)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", AREAS)
def test_bounds_contain_the_exact_area(name: str, weighted: bool) -> None:
    """Also of few bins, in which nearly everything is undecided."""
    for bits in (4, 12):
        areas = stream(name, bits=bits, weighted=weighted)
        for y, score, weight in batches(30):
            given = weight if weighted else None
            state = areas.update(areas.init(), y, score, sample_weight=given)
            holds(areas.compute(state), exact_area(name, y, score, given))


@pytest.mark.parametrize("name", AREAS)
def test_bounds_are_those_of_all_orders_in_a_bin(name: str) -> None:
    """Of every order of the samples in a bin, ties included: the extremes are the bounds."""
    y = np.array([1, 0, 1, 0, 1, 0, 1, 0])
    score = np.array([4.0, 4.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0])
    assert len({np.float32(s).view(np.uint32) >> 23 for s in score}) == 3  # three powers of two
    spread = score + np.array([0, 0.1, 0, 0.1, 0.2, 0.3, 0, 0.1])
    areas = stream(name, bits=9)
    bounds = areas.compute(areas.update(areas.init(), y, spread.astype(np.float32)))
    found = []
    for order in itertools.product(range(4), repeat=4):
        for top, bottom in itertools.product([-1, 0, 1], repeat=2):
            here = np.concatenate([[40, 40 + top], 20 + np.array(order), [10, 10 + bottom]])
            found.append(exact_area(name, y, here))
    assert float(bounds.high) == pytest.approx(max(found), rel=1e-5)
    assert float(bounds.low) <= min(found)
    assert float(bounds.low) >= min(found) - (1e-5 if name == "roc_auc_score" else 0.01)


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize(
    ("dtype", "options"), [("bfloat16", {}), ("float16", {"dtype": "float16"})]
)
def test_sixteen_bits_are_exact(name: str, dtype: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, N)
    score = jnp.asarray(np.round(rng.standard_normal(N) + y, 1), dtype)
    areas = stream(name, **options)
    bounds = areas.compute(areas.update(areas.init(), y, score))
    exact = exact_area(name, y, np.asarray(score, np.float64))
    assert_same(np.stack(bounds), np.full(3, exact), rtol=5e-6)
    holds(bounds, exact)


def test_one_value_is_exact_beside_others() -> None:
    """Scores that saturate, or of few leaves of trees, tie, and no bound says that they may not."""
    y = np.array([0, 1, 0, 1, 1, 0])
    score = np.array([0.97, 0.97, 0.97, 0.97, 0.3, 0.003], np.float32)
    areas = stream("roc_auc_score")
    bounds = areas.compute(areas.update(areas.init(), y, score))
    assert float(bounds.high) - float(bounds.low) < 1e-5
    holds(bounds, exact_area("roc_auc_score", y, score))


def split(arrays: tuple[np.ndarray, ...], cuts: list[int]) -> list[tuple[np.ndarray, ...]]:
    return list(zip(*(np.split(a, cuts) for a in arrays), strict=True))


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_add_up(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    y, score = rng.integers(0, 2, N), rng.standard_normal(N).astype(np.float32).round(1)
    weight = rng.random(N).astype(np.float32) if weighted else np.ones(N, bool)
    areas = stream("roc_auc_score", bits=8, weighted=weighted)

    def measure(y: np.ndarray, score: np.ndarray, weight: np.ndarray) -> Any:
        return areas.update(areas.init(), y, score, sample_weight=weight)

    whole = measure(y, score, weight)
    a, b, c = (measure(*part) for part in split((y, score, weight), [0, 7]))
    left, right = areas.merge(areas.merge(a, b), c), areas.merge(c, areas.merge(b, a))
    chained = areas.update(
        areas.update(a, y[:7], score[:7], sample_weight=weight[:7]),
        *(array[7:] for array in (y, score)),
        sample_weight=weight[7:],
    )
    rtol = 1e-6 if weighted else 0
    for state in (left, right, chained):
        for found, expected in zip(jax.tree.leaves(state), jax.tree.leaves(whole), strict=True):
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
    for found, expected in zip(
        jax.tree.leaves(areas.merge(areas.init(), whole)), jax.tree.leaves(whole), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_goes_through_scan_and_donation() -> None:
    rng = np.random.default_rng(5)
    y, score = rng.integers(0, 2, (3, N)), rng.standard_normal((3, N)).astype(np.float32)
    areas = stream("average_precision_score", weighted=True)

    @functools.partial(jax.jit, donate_argnums=0)
    def all_of(state: Any, y: Any, score: Any) -> Any:
        def step(state: Any, batch: Any) -> Any:
            return areas.update(state, *batch), None

        return jax.lax.scan(step, state, (y, score))[0]

    state = all_of(areas.init(), y, score)
    holds(
        areas.compute(state), exact_area("average_precision_score", y.ravel(), score.ravel(), None)
    )
    many = jax.vmap(lambda y, score: areas.update(areas.init(), y, score))(y, score)
    assert many.weight.total.shape == (3, 2, 1 << 16)
    assert float(jnp.sum(many.weight.total)) == 3 * N


def test_lowers_for_every_platform() -> None:
    for weighted in (False, True):
        areas = stream("average_precision_score", bits=8, weighted=weighted)

        def value(y: Any, score: Any, areas: Any = areas) -> Any:
            state = areas.update(areas.init(), y, score)
            return areas.compute(areas.merge(state, state))

        batch = np.zeros(N, np.int32), np.zeros(N, np.float32)
        exported = jax.export.export(jax.jit(value), platforms=("cpu", "cuda", "tpu"))(*batch)
        assert exported.platforms == ("cpu", "cuda", "tpu")


def test_what_does_not_count_changes_nothing() -> None:
    y, score = np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.35, 0.8], np.float32)
    areas = stream("roc_auc_score", bits=8, weighted=True)
    plain = areas.update(areas.init(), y, score)
    y, score = np.append(y, [7, 0]), np.append(score, np.float32([np.nan, np.nan]))
    weight = np.float32([1, 1, 1, 1, 0, 2])
    where = np.array([True] * 5 + [False])
    masked = areas.update(areas.init(), y, score, sample_weight=weight, where=where)
    for found, expected in zip(jax.tree.leaves(masked), jax.tree.leaves(plain), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_out_of_domain_is_nan() -> None:
    areas = stream("roc_auc_score", bits=8)
    fine = areas.update(areas.init(), [0, 1], [0.1, 0.2])
    assert np.isfinite(areas.compute(fine).estimate)
    for y, score, reason in (([0, 1], [np.nan, 0.2], "NaN"), ([0, 2], [0.1, 0.2], "0 or 1")):
        bad = areas.merge(fine, areas.update(areas.init(), y, score))
        assert np.isnan(np.stack(areas.compute(bad))).all()
        with pytest.raises(ValueError, match=reason):
            jmetrics.checked(areas.compute)(bad)
    one_class = areas.update(areas.init(), [1, 1], [0.1, 0.2])
    assert np.isnan(np.stack(areas.compute(one_class))).all()
    precision = stream("average_precision_score", bits=8)
    assert np.isnan(np.stack(precision.compute(precision.init()))).all()
    none = precision.update(precision.init(), [0, 0], [0.1, 0.2])
    assert np.stack(precision.compute(none)).tolist() == [0, 0, 0]


def test_counts_beyond_32_bits() -> None:
    """A state that is merged with itself again and again holds whole counts, and says the same."""
    y, score, _ = next(batches(1))
    for name in AREAS:
        areas = stream(name, bits=8)
        state = areas.update(areas.init(), y, score)
        before = areas.compute(state)
        double = jax.jit(lambda s, areas=areas: areas.merge(s, s))
        first = np.asarray(state.weight.low, np.uint64)
        for _ in range(41):
            state = double(state)
        total = np.asarray(state.weight.high, np.uint64) * 2**16 + np.asarray(state.weight.low)
        np.testing.assert_array_equal(total, first * 2**41)
        if name == "roc_auc_score":
            assert_same(np.stack(areas.compute(state)), np.stack(before), rtol=1e-6)
        plain = getattr(jmetrics, name)(y, score, sample_weight=np.full(N, 2.0**41, np.float32))
        holds(areas.compute(state), float(plain))


@pytest.mark.parametrize("name", ["roc_curve", "precision_recall_curve"])
def test_points_of_curves_are_exact(name: str) -> None:
    """Each is what scikit-learn finds at that threshold, and 16-bit scores give the whole curve."""
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, N)
    score = (rng.standard_normal(N) * np.where(rng.random(N) < 0.5, 1, 30)).astype(np.float32)
    curves = stream(name, bits=10)
    curve = curves.compute(curves.update(curves.init(), y, score))
    first, second, thresholds, size = (np.asarray(a) for a in curve)
    assert len(first) == size and len(np.unique(thresholds)) == len(thresholds) < N
    for place, threshold in enumerate(thresholds):
        hit = score >= threshold
        tp, fp = np.sum(hit & (y == 1)), np.sum(hit & (y == 0))
        recall = tp / np.sum(y)
        other = fp / np.sum(1 - y) if name == "roc_curve" else tp / (tp + fp)
        assert (first[place], second[place]) == pytest.approx((other, recall), abs=1e-6)
    rounded = score.astype(jnp.bfloat16)
    whole = stream(name, drop_intermediate=True)
    ours = whole.compute(whole.update(whole.init(), y, rounded))
    plain = getattr(jmetrics, name)(y, rounded, drop_intermediate=True)
    for found, expected in zip(ours, plain, strict=True):
        assert_same(found, expected, rtol=1e-6)


def test_a_curve_has_the_size_asked_for() -> None:
    y, score = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]
    for size, points in ((7, True), (3, False)):
        curves = stream("roc_curve", bits=8, size=size)
        curve = curves.compute(curves.update(curves.init(), y, score))
        assert curve.tpr.shape == (size,)
        assert bool(np.isfinite(curve.tpr).all()) == points


def exact_quantile(values: np.ndarray, weight: np.ndarray, level: float) -> float:
    """Type 2, in fractions."""
    order = np.argsort(values)
    values, parts = values[order], [Fraction(float(w)) for w in weight[order]]
    target, sofar = Fraction(level) * sum(parts), Fraction(0)
    kept = [(v, w) for v, w in zip(values, parts, strict=True) if w > 0]
    for place, (value, part) in enumerate(kept):
        sofar += part
        if sofar > target or place == len(kept) - 1:
            return float(value)
        if sofar == target:
            return float(value / 2 + kept[place + 1][0] / 2)
    raise AssertionError


@pytest.mark.parametrize("weighted", [False, True])
def test_bounds_contain_the_quantiles(weighted: bool) -> None:
    levels = [0.0, 0.125, 0.5, 0.75, 1.0]
    values = stream("quantile", level=tuple(levels), bits=11, weighted=weighted)
    for _, numbers, weight in batches(15):
        weight = weight if weighted else np.ones(N, np.float32)
        given = weight if weighted else None
        bounds = values.compute(values.update(values.init(), numbers, sample_weight=given))
        for place, level in enumerate(levels):
            exact = exact_quantile(numbers, weight, level)
            low, high = (np.asarray(a)[place] for a in (bounds.low, bounds.high))
            tiny = np.finfo(np.float32).tiny  # arithmetic takes what is smaller for 0
            assert low - tiny <= exact <= high + tiny or np.isnan(exact), (level, low, exact, high)


def test_quantiles_of_few_digits_are_exact() -> None:
    rng = np.random.default_rng(1)
    numbers = np.round(rng.standard_normal(N), 1).astype(jnp.bfloat16)
    values = stream("quantile", level=(0.25, 0.5, 0.9))
    bounds = values.compute(values.update(values.init(), numbers))
    exact = [exact_quantile(np.float32(numbers), np.ones(N), q) for q in (0.25, 0.5, 0.9)]
    for found in bounds:
        assert_same(np.asarray(found), np.array(exact), rtol=1e-6)
    assert np.isnan(
        np.stack(streaming.quantile(1.5, bits=8).compute(streaming.quantile(bits=8).init()))
    ).all()


def test_median_absolute_error() -> None:
    rng = np.random.default_rng(2)
    y, prediction = rng.standard_normal((2, 501)).astype(np.float32)
    errors = stream("median_absolute_error")
    state = errors.init()
    for part in split((y, prediction), [100, 100]):
        state = errors.update(state, *part)
    bounds = errors.compute(state)
    exact = sklearn.metrics.median_absolute_error(y, prediction)
    assert float(bounds.low) <= exact <= float(bounds.high) <= float(bounds.low) * (1 + 2**-7)
    assert float(bounds.estimate) == pytest.approx(exact, rel=2**-8)


def test_a_buffer_gives_the_metric_until_it_overflows() -> None:
    rng = np.random.default_rng(4)
    y, p = rng.integers(0, 3, N), rng.dirichlet(np.ones(3), N).astype(np.float32)
    weight = rng.choice([0, 0.5, 2], N).astype(np.float32)
    where = rng.random(N) < 0.8
    metric = functools.partial(jmetrics.log_loss)
    sample = {
        "y_true": jax.ShapeDtypeStruct((), jnp.int32),
        "y_pred": jax.ShapeDtypeStruct((3,), jnp.float32),
    }
    count = int(np.sum(where & (weight > 0)))
    kept = streaming.buffered(metric, count, **sample, weighted=True)
    a, b, c = (
        kept.update(kept.init(), y, p, sample_weight=w, where=on)
        for y, p, w, on in split((y, p, weight, where), [0, 9])
    )
    expected = jmetrics.log_loss(y, p, sample_weight=weight, where=where)
    for state in (kept.merge(kept.merge(a, b), c), kept.merge(c, kept.merge(b, a))):
        found = kept.compute(state)
        assert float(found.value) == pytest.approx(float(expected), rel=1e-6)
        assert float(found.n_dropped) == 0
    full = kept.update(kept.merge(b, c), y[:9], p[:9], where=np.arange(9) < 2)
    assert np.isnan(kept.compute(full).value) and float(kept.compute(full).n_dropped) == 2
    assert float(kept.compute(kept.merge(full, full)).n_dropped) == 4 + count
    with pytest.raises(ValueError, match="capacity"):
        jmetrics.checked(kept.compute)(full)


def test_a_buffer_of_labels_takes_no_fractions() -> None:
    label = jax.ShapeDtypeStruct((), jnp.int32)
    buffer = streaming.buffered(jmetrics.accuracy_score, 4, y_true=label, y_pred=label)
    with pytest.raises(ValueError, match="`y_true` must be whole numbers"):
        buffer.update(buffer.init(), [np.nan, 1.0], [0, 1])


def test_misuse_is_an_error() -> None:
    areas = stream("roc_auc_score", bits=8)
    with pytest.raises(ValueError, match="weighted=True"):
        areas.update(areas.init(), [0, 1], [0.1, 0.2], sample_weight=[1.0, 2.0])
    with pytest.raises(ValueError, match="one shape"):
        areas.update(areas.init(), [0, 1], [0.1])
    with pytest.raises(ValueError, match="at most 20"):
        streaming.roc_auc_score(bits=24)
    with pytest.raises(ValueError, match="float type"):
        streaming.quantile(dtype=jnp.int32)
    with pytest.raises(ValueError, match="x64"):
        streaming.quantile(dtype="float64")
    buffer = streaming.buffered(jmetrics.accuracy_score, 3)
    with pytest.raises(ValueError, match=r"`y_pred` must have shape \(n\)"):
        buffer.update(buffer.init(), [0, 1], [[0.1], [0.2]])
    with pytest.raises(ValueError, match="weighted=True"):
        buffer.update(buffer.init(), [0, 1], [0.1, 0.2], sample_weight=[1.0, 2.0])


@pytest.mark.usefixtures("x64")
def test_float64_scores_have_finer_bins() -> None:
    rng = np.random.default_rng(9)
    y, score = rng.integers(0, 2, N), 1 + 1e-3 * rng.standard_normal(N)
    areas = streaming.roc_auc_score(bits=20, dtype=np.float64)
    bounds = areas.compute(areas.update(areas.init(), y, score))
    assert bounds.estimate.dtype == np.float64
    holds(bounds, exact_area("roc_auc_score", y, score))


def test_sums_of_millions_lose_nothing() -> None:
    @jax.jit
    def many(x: Any) -> Any:
        def add(sums: Any, _: None) -> Any:
            return (sums[0].plus(x), sums[1].plus(jnp.int32(2**20 + 3))), None

        start = Compensated.zeros(), Limbs.zeros()
        return jax.lax.scan(add, start, None, length=2**21)[0]

    floats, whole = many(np.float32(0.1))
    assert float(floats.to_float(jnp.float32)) == pytest.approx(2**21 * np.float32(0.1), rel=1e-7)
    assert int(whole.high) * 2**16 + int(whole.low) == 2**21 * (2**20 + 3)
    assert float(whole.to_float(jnp.float32)) == pytest.approx(2**21 * (2**20 + 3), rel=1e-6)


def test_running_sums_carry() -> None:
    numbers = np.random.default_rng(0).integers(0, 2**37, 1000)
    sums = cumsum(
        Limbs(jnp.asarray(numbers >> 16, jnp.uint32), jnp.asarray(numbers % 2**16, jnp.uint32))
    )
    found = np.asarray(sums.high, np.int64) * 2**16 + np.asarray(sums.low, np.int64)
    np.testing.assert_array_equal(found, np.cumsum(numbers))
    assert np.isinf(
        Compensated.zeros().plus(jnp.float32(np.inf)).plus(jnp.float32(1)).to_float(float)
    )
