"""What only several devices can show. `test_distributed` runs this on eight virtual ones.

Each check prints its name when it has passed.
"""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from jax.sharding import NamedSharding, PartitionSpec

import jmetrics
from jmetrics import distributed, inference, streaming
from tests.compare import assert_same
from tests.harness import Data, eager, evaluate, sample
from tests.registry import kernel_cases, one_in

DEVICES = 8
N = 61
SPEC = PartitionSpec("data")
AREAS = ("roc_auc_score", "average_precision_score")


def samples(seed: int = 0, n: int = N) -> tuple[np.ndarray, ...]:
    """Labels, scores with ties across devices, infinities among them, weights, and a mask."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(np.int32)
    score = np.round(2 * (rng.standard_normal(n) + y)) / 2
    score[:4] = np.inf, -np.inf, np.inf, 0
    weight = rng.choice([0, 0.25, 1, 3], n)
    return y, score.astype(np.float32), weight.astype(np.float32), rng.random(n) < 0.8


def mesh() -> Any:
    return jax.make_mesh((DEVICES,), ("data",))


def on_mesh(function: Any, **options: Any) -> Any:
    return distributed.on_mesh(function, mesh(), "data", **options)


def check_areas() -> None:
    """Equal to those of one device, to the last tie, and to another library's."""
    y, score, weight, where = samples()
    for name in AREAS:
        ours = jax.jit(on_mesh(getattr(distributed, name)))
        peer = getattr(sklearn.metrics, name)
        ranks = scipy.stats.rankdata(score)
        np.testing.assert_allclose(ours(y, score), peer(y, ranks), rtol=1e-6)
        found = ours(y, score, sample_weight=weight, where=where)
        np.testing.assert_allclose(
            found, peer(y[where], ranks[where], sample_weight=weight[where]), rtol=1e-6
        )
        hidden = np.where(where, score, np.float32(np.nan))
        np.testing.assert_array_equal(
            ours(np.where(where, y, 7), hidden, sample_weight=weight, where=where), found
        )
        assert np.isnan(ours(y, np.append(score[1:], np.float32(np.nan))))
        assert np.isnan(ours(np.append(y[1:], 2), score))
        constant = ours(np.zeros_like(y), score)
        assert np.isnan(constant) if name == "roc_auc_score" else constant == 0
        assert "all_gather" not in ours.lower(y, score).as_text()


def check_ranks() -> None:
    _, score, weight, where = samples(n=64)
    ranks = jax.jit(on_mesh(distributed.ranks, per_sample=True))
    np.testing.assert_array_equal(ranks(score).average, scipy.stats.rankdata(score))
    assert ranks(score).below.dtype == jnp.int32
    found = ranks(score, sample_weight=weight, where=where)
    own = np.where(where, weight, 0)
    below, tied = ((score[None] < score[:, None]) @ own, (score[None] == score[:, None]) @ own)
    np.testing.assert_array_equal(found.below, np.where(own > 0, below, 0))
    np.testing.assert_array_equal(found.tied, np.where(own > 0, tied, 0))


def check_misuse() -> None:
    ranks = on_mesh(distributed.ranks, per_sample=True)
    with pytest.raises(ValueError, match="multiple of 8 samples, got 3"):
        ranks(np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="as many samples in each array"):
        on_mesh(distributed.roc_auc_score)(np.zeros(3, np.float32), np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="boolean"):
        ranks(np.zeros(8, np.float32), where=np.zeros(8, np.float32))


def check_gradients_and_standard_errors() -> None:
    y, score, weight, where = samples(n=64)
    for name in AREAS:
        plain, ours = getattr(jmetrics, name), on_mesh(getattr(distributed, name))

        def slope(metric: Any) -> Any:
            return jax.jit(jax.grad(lambda w: metric(y, score, sample_weight=w, where=where)))

        np.testing.assert_allclose(slope(ours)(weight), slope(plain)(weight), rtol=1e-5, atol=1e-7)
        error = on_mesh(distributed.standard_error(getattr(distributed, name)))
        expected = inference.standard_error(plain)
        np.testing.assert_allclose(
            error(y[:N], score[:N], sample_weight=weight[:N], where=where[:N]),
            expected(y[:N], score[:N], sample_weight=weight[:N], where=where[:N]),
            rtol=1e-5,
        )
        np.testing.assert_allclose(error(y, score), expected(y, score), rtol=1e-5)


def mean_errors(
    y_true: Any, y_pred: Any, *, axis_name: str, sample_weight: Any, where: Any = None
) -> Any:
    """Mean squared and mean absolute error, from sums over devices."""
    w = sample_weight if where is None else jnp.where(where, sample_weight, 0)
    gap = y_true - y_pred
    sums = jnp.stack([jnp.sum(w * jnp.square(gap)), jnp.sum(w * jnp.abs(gap)), jnp.sum(w)])
    squared, absolute, total = jax.lax.psum(sums, axis_name)
    return jnp.stack([squared, absolute]) / total


def check_standard_error_of_sums() -> None:
    _, y, weight, where = samples(n=64)
    y, prediction = np.nan_to_num(y, posinf=1, neginf=-1), np.sin(np.arange(64, dtype=np.float32))
    error = on_mesh(distributed.standard_error(mean_errors))
    found = error(y, prediction, sample_weight=weight, where=where)
    for place, metric in enumerate((jmetrics.mean_squared_error, jmetrics.mean_absolute_error)):
        expected = inference.standard_error(metric)(
            y, prediction, sample_weight=weight, where=where
        )
        np.testing.assert_allclose(found[place], expected, rtol=1e-5)


def check_standard_error_of_a_stream() -> None:
    """Any metric whose statistic adds up has one, from the gradient under `psum`."""
    _, _, weight, where = samples()
    y, prediction = np.random.default_rng(2).standard_normal((2, N)).astype(np.float32)
    parts = streaming.stream(jmetrics.r2_score)

    def metric(y_true: Any, y_pred: Any, *, axis_name: str, **rest: Any) -> Any:
        state = parts.update(parts.init(), y_true, y_pred, **rest)
        return parts.compute(parts.reduce(state, axis_name))

    np.testing.assert_allclose(
        on_mesh(distributed.standard_error(metric))(
            y, prediction, sample_weight=weight, where=where
        ),
        inference.standard_error(jmetrics.r2_score)(
            y, prediction, sample_weight=weight, where=where
        ),
        rtol=1e-5,
    )


def check_reduced_streams() -> None:
    """One collective a leaf makes the state of all samples on every device."""
    y, score, weight, where = samples(n=64)
    for weighted in (False, True):
        areas = streaming.roc_auc_score(bits=8, weighted=weighted)
        given = weight if weighted else np.ones(64, bool)

        def measure(y: Any, score: Any, given: Any, where: Any, areas: Any = areas) -> Any:
            local = areas.update(areas.init(), y, score, sample_weight=given, where=where)
            return areas.reduce(local, "data")

        reduced = shard_mapped(measure)
        state = reduced(*placed(y, score, given, where))
        whole = areas.update(areas.init(), y, score, sample_weight=given, where=where)
        alike = state._replace(rounding=whole.rounding)  # which adding over devices adds to
        for a, b in zip(jax.tree.leaves(alike), jax.tree.leaves(whole), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6 if weighted else 0, atol=0)
        text = reduced.lower(*placed(y, score, given, where)).as_text()
        assert text.count('"stablehlo.all_reduce"') == len(jax.tree.leaves(state))
        assert "all_gather" not in text
        bounds = areas.compute(state)
        peer = sklearn.metrics.roc_auc_score(
            y[where], scipy.stats.rankdata(score)[where], sample_weight=given[where]
        )
        assert float(bounds.low) <= peer <= float(bounds.high)


def check_a_device_computes_of_its_own() -> None:
    """A state that differs between devices has a result that does."""
    y, score, _, _ = samples(n=64)
    y = np.arange(64, dtype=np.int32) % 2
    areas = streaming.roc_auc_score()

    @shard_mapped
    def best(y: Any, score: Any) -> Any:
        own = areas.compute(areas.update(areas.init(), y, score))
        return jax.lax.pmax(own.estimate, "data")

    ranks = scipy.stats.rankdata(score)
    parts = zip(np.split(y, DEVICES), np.split(ranks, DEVICES), strict=True)
    expected = max(sklearn.metrics.roc_auc_score(*part) for part in parts)
    np.testing.assert_allclose(best(*placed(y, score)), expected, rtol=1e-6)


def check_reduced_buffers() -> None:
    """A buffer has room for the samples of all devices, or says that it has not."""
    y, score, _, where = samples(n=64)
    for capacity in (64, 30):
        kept = streaming.buffered(jmetrics.roc_auc_score, capacity)

        @shard_mapped
        def measure(y: Any, score: Any, where: Any, kept: Any = kept) -> Any:
            return kept.reduce(kept.update(kept.init(), y, score, where=where), "data")

        found = kept.compute(measure(*placed(y, score, where)))
        dropped = max(0, int(where.sum()) - capacity)
        assert float(found.n_dropped) == dropped
        if dropped:
            assert np.isnan(found.value)
        else:
            np.testing.assert_allclose(
                found.value, jmetrics.roc_auc_score(y, score, where=where), rtol=1e-6
            )


def shard_mapped(function: Any) -> Any:
    """Arrays along the axis in, the same on all devices out."""
    return jax.jit(jax.shard_map(function, mesh=mesh(), in_specs=SPEC, out_specs=PartitionSpec()))


def check_streams_of_metrics() -> None:
    """States of uneven shares, reduced, give the metric of all samples."""
    rng = np.random.default_rng(2)
    real, guess = rng.normal(100, 1, (2, 64)).astype(np.float32)
    labels, classes = rng.integers(0, 3, (2, 64))
    where = rng.random(64) < np.linspace(0, 1, 64)  # nothing on the first device
    where[:8] = False
    f1 = {"average": "macro", "num_classes": 3}
    cases: list[tuple[Any, Any, Any, dict[str, Any]]] = [
        (jmetrics.r2_score, real, guess, {}),
        (jmetrics.concordance_corrcoef, real, guess, {}),
        (jmetrics.max_error, real, guess, {}),
        (jmetrics.d2_tweedie_score, real, guess, {"power": 1.5}),
        (jmetrics.f1_score, labels, classes, f1),
    ]
    for metric, y_true, y_pred, options in cases:
        stream = streaming.stream(metric, **options)

        def total(y_true: Any, y_pred: Any, where: Any, stream: Any = stream) -> Any:
            state = stream.update(stream.init(), y_true, y_pred, where=where)
            return stream.compute(stream.reduce(state, "data"))

        evaluate = shard_mapped(total)
        arrays = placed(y_true, y_pred, where)
        expected = metric(y_true, y_pred, where=where, **options)
        np.testing.assert_allclose(evaluate(*arrays), expected, rtol=1e-5)
        assert "all_gather" not in evaluate.lower(*arrays).as_text()
        if metric is jmetrics.max_error:
            spoilt = np.where(np.arange(64) == 63, np.float32(np.nan), y_pred)
            assert np.isnan(evaluate(*placed(y_true, spoilt, where | np.isnan(spoilt))))


def placed(*arrays: np.ndarray) -> list[jax.Array]:
    return [jax.device_put(a, NamedSharding(mesh(), SPEC)) for a in arrays]


def check_metrics_of_explicit_axes() -> None:
    """A law traces every metric with its gradients; here programs of some run."""
    for case in one_in(4, kernel_cases()):
        data = sample(case)
        value = eager(case, Data(*placed(*data)))
        assert_same(value, case.expected(*data[:3]))
    for case in one_in(16, kernel_cases(), turn=4):
        data = sample(case)
        found, expected = evaluate(case, Data(*placed(*data))), evaluate(case, data)
        assert_same(found.by_pred, expected.by_pred)
        assert_same(found.by_weight, expected.by_weight)


def check_metrics_of_automatic_axes() -> None:
    """The compiler partitions any of them, under `jit` and with gradients."""
    automatic = jax.make_mesh((DEVICES,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    for case in one_in(4, kernel_cases(), turn=1):
        data = sample(case)
        arrays = (jax.device_put(a, NamedSharding(automatic, SPEC)) for a in data)
        found, expected = evaluate(case, Data(*arrays)), evaluate(case, data)
        assert_same(found.value, expected.value)
        assert_same(found.by_pred, expected.by_pred)
        assert_same(found.by_weight, expected.by_weight)


def check_inference_streams_and_groups_of_explicit_axes() -> None:
    """What takes a metric further takes arrays along the axis, too."""
    rng = np.random.default_rng(3)
    y, score, weight, _ = samples(n=64)
    real, guess, other = rng.standard_normal((3, 64)).astype(np.float32)
    group = rng.integers(0, 3, 64)
    key, few = jax.random.key(0), {"n_resamples": 20}
    mse, auc = jmetrics.mean_squared_error, jmetrics.roc_auc_score

    def ends(found: Any) -> Any:
        return found.low, found.high, found.standard_error

    def of_stream(stream: Any) -> Any:
        return lambda *arrays: stream.compute(stream.update(stream.init(), *arrays))

    cases: list[tuple[Any, ...]] = [
        (lambda a, b: ends(inference.bootstrap(key, auc, a, b, **few)), y, score),
        (lambda a, b, w: ends(inference.bootstrap(key, mse, a, b, sample_weight=w, **few)),
         real, guess, weight),
        (lambda a, b, g: ends(inference.bootstrap(key, mse, a, b, groups=g, **few)),
         real, guess, group),
        (lambda a, b, g: ends(inference.bootstrap(key, mse, a, b, strata=g, **few)),
         real, guess, group),
        (lambda *a: ends(inference.paired_bootstrap(key, mse, *a, **few)), real, guess, other),
        (lambda *a: inference.permutation_test(key, mse, *a, **few).p_value, real, guess, other),
        (inference.standard_error(auc), y, score),
        (lambda a, b: ends(inference.infinitesimal_jackknife(mse)(a, b)), real, guess),
        (lambda a, b: ends(inference.confidence_interval(auc, a, b)), y, score),
        (lambda a, b, g: jmetrics.by_group(mse, a, b, groups=g, num_groups=3).values,
         real, guess, group),
        (of_stream(streaming.stream(jmetrics.r2_score)), real, guess),
        (of_stream(streaming.buffered(auc, 64)), y, score),
        (of_stream(streaming.roc_auc_score(bits=8)), y, score),
        (of_stream(streaming.quantile(bits=8)), real),
    ]  # fmt: skip
    for function, *arrays in cases:
        assert_same(jax.jit(function)(*placed(*arrays)), function(*arrays))


def check_sums_stay_where_they_are() -> None:
    """Nothing of the length of the samples is sent for a weighted sum."""
    samples = jax.ShapeDtypeStruct((8000,), jnp.float32, sharding=NamedSharding(mesh(), SPEC))
    cases: list[tuple[Any, dict[str, Any]]] = [
        (jmetrics.r2_score, {}),
        (jmetrics.log_loss, {}),
        (jmetrics.f1_score, {"average": "macro", "num_classes": 3}),
        (jmetrics.calibration_error, {}),
    ]
    for metric, options in cases:

        def value(y_true: Any, y_pred: Any, w: Any, metric: Any = metric, options: Any = options):
            return metric(y_true, y_pred, sample_weight=w, **options)

        text = str(jax.jit(value).lower(samples, samples, samples).compile().as_text())
        assert "all-gather" not in text
        assert "collective-permute" not in text


def check_plain_metrics_of_global_arrays() -> None:
    """Under `jit`, a metric of arrays that lie on many devices is that of one device."""
    rng = np.random.default_rng(1)
    y, score, weight, _ = samples(n=64)
    where = np.arange(64) < N  # uneven: the last device has samples that are only padding
    labels, classes = rng.integers(0, 3, (2, 64))
    real, guess = rng.standard_normal((2, 64)).astype(np.float32)
    gains = rng.integers(0, 3, (64, 5)).astype(np.float32)
    ranked = rng.standard_normal((64, 5)).astype(np.float32)
    lists = np.broadcast_to(where[:, None], (64, 5))
    f1 = functools.partial(jmetrics.f1_score, average="macro", num_classes=3)
    cases: list[tuple[Any, Any, Any, Any]] = [
        (jmetrics.roc_auc_score, y, score, where),
        (jmetrics.average_precision_score, y, score, where),
        (f1, labels, classes, where),
        (jmetrics.r2_score, real, guess, where),
        (jmetrics.median_absolute_error, real, guess, where),
        (jmetrics.ndcg_score, gains, ranked, lists),
    ]
    sharding = NamedSharding(
        jax.make_mesh((DEVICES,), ("data",), axis_types=(jax.sharding.AxisType.Auto,)), SPEC
    )
    for metric, *arrays in cases:
        whole = [np.asarray(a) for a in (*arrays, weight)]

        def value(y_true: Any, y_pred: Any, where: Any, w: Any, metric: Any = metric) -> Any:
            return metric(y_true, y_pred, sample_weight=w, where=where)

        found = jax.jit(value)(*(jax.device_put(a, sharding) for a in whole))
        assert len(found.sharding.device_set) == DEVICES
        np.testing.assert_allclose(found, value(*whole), rtol=1e-5)


CHECKS = [value for name, value in sorted(globals().items()) if name.startswith("check_")]


def main() -> None:
    assert jax.device_count() == DEVICES
    for check in CHECKS:
        check()
        print(check.__name__, flush=True)


if __name__ == "__main__":
    jax.config.update("jax_num_cpu_devices", DEVICES)
    jax.config.update("jax_numpy_dtype_promotion", "strict")
    jax.config.update("jax_numpy_rank_promotion", "raise")
    jax.config.update("jax_disable_most_optimizations", True)
    main()
