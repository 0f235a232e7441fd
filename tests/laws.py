"""What is true of every metric, each law a function of a case that raises AssertionError."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

import jmetrics
from tests.compare import assert_nan, assert_raises, assert_same, assert_zero, largest
from tests.degrees import degree_of, in_unit
from tests.harness import (
    Data,
    K,
    N,
    blend,
    compiled,
    eager,
    evaluate,
    garbage,
    names,
    overwrite,
    rng_of,
    sample,
    some,
    sums,
)
from tests.row import (
    COPIES,
    COUNTS,
    EXTREMES,
    LOSS,
    OUTPUTS,
    POSITIVE,
    PROBABILITIES,
    QUADRATIC,
    SMOOTH,
    STEPPED_WEIGHTS,
    STEPS,
    SUPPORT,
    TOTAL,
    Case,
)

Law = Callable[[Case], None]

LAWS: list[Law] = []
ONCE_A_ROW: set[Law] = set()
"""Laws for which the first variant of a row speaks for all."""
APPLIES: dict[Law, Callable[[Case], bool]] = {}
"""Of which cases a law says something, if not of all."""
ONCE_A_KERNEL: set[Law] = set()
"""Laws of the call rather than of the numbers: one row speaks for all that are measured alike."""


def law(function: Law) -> Law:
    LAWS.append(function)
    return function


def law_of_the_row(function: Law) -> Law:
    ONCE_A_ROW.add(function)
    return law(function)


def law_of_the_kernel(function: Law) -> Law:
    ONCE_A_KERNEL.add(function)
    return law(function)


def only(applies: Callable[[Case], bool]) -> Callable[[Law], Law]:
    """Say of which cases a law says anything."""

    def note(function: Law) -> Law:
        APPLIES[function] = applies
        return function

    return note


def says_something(law: Law, case: Case) -> bool:
    return law not in APPLIES or APPLIES[law](case)


# --- transformations ---------------------------------------------------------------------


@law_of_the_kernel
def jit_is_eager(case: Case) -> None:
    data = sample(case)
    assert_same(evaluate(case, data).value, eager(case, data), rtol=1e-6)


@law_of_the_kernel
def vmap_is_a_loop(case: Case) -> None:
    """A batch over everything, with a batch over weights alone inside."""
    samples = [sample(case, seed=seed) for seed in (0, 1)]
    weights = [np.stack([s.weight, s.weight[::-1]]) for s in samples]

    def over_weights(y_true: Any, y_pred: Any, weights: Any, where: Any) -> Any:
        return jax.vmap(lambda w: eager(case, Data(y_true, y_pred, w, where)))(weights)

    stacked = [np.stack(arrays) for arrays in zip(*samples, strict=True)]
    stacked[2] = np.stack(weights)
    loop = [
        [eager(case, s._replace(weight=w)) for w in ws]
        for s, ws in zip(samples, weights, strict=True)
    ]
    rows = [jax.tree.map(lambda *a: np.stack(a), *row) for row in loop]
    expected = jax.tree.map(lambda *a: np.stack(a), *rows)
    assert_same(jax.vmap(over_weights)(*stacked), expected)


@law_of_the_row
def exports_to_every_platform(case: Case) -> None:
    program = exported(case, "cpu", "cuda", "tpu")
    assert export.deserialize(program.serialize()).platforms == program.platforms


def exported(case: Case, *platforms: str) -> export.Exported:
    """The program of a case for any number of samples, or of lists."""
    (n,) = export.symbolic_shape("n")
    arrays = [jax.ShapeDtypeStruct((n, *a.shape[1:]), a.dtype) for a in sample(case)]
    compiled = jax.jit(lambda *arrays: eager(case, Data(*arrays)))
    try:
        return export.export(compiled, platforms=platforms)(*arrays)
    except Exception as error:
        raise AssertionError("does not lower for every platform and length") from error


@law_of_the_kernel
def exports_for_any_length(case: Case) -> None:
    program, few, many = exported(case, "cpu"), sample(case).at(some(case)), sample(case, 2500)
    assert_same(program.call(*few), evaluate(case, few).value)
    assert_same(program.call(*many), case.expected(*many[:3]), rtol=1e-5)


@law_of_the_row
def explicit_axes_may_shard_samples(case: Case) -> None:
    """Traced for arrays on eight devices, with the gradients."""
    mesh = AbstractMesh((8,), ("data",), axis_types=(AxisType.Explicit,))
    sharding = NamedSharding(mesh, PartitionSpec("data"))
    data = sample(case, 8)
    arrays = [jax.ShapeDtypeStruct((8000, *a.shape[1:]), a.dtype, sharding=sharding) for a in data]

    def total(y_true: Any, y_pred: Any, weight: Any, where: Any) -> Any:
        return blend(eager(case, Data(y_true, y_pred, weight, where)))

    try:
        jax.eval_shape(jax.grad(total, argnums=(1, 2)), *arrays)
    except Exception as error:
        raise AssertionError("cannot be had of arrays that explicit axes shard") from error


@law_of_the_row
def leaves_no_effect(case: Case) -> None:
    """An effect takes every call of a user's jitted function off JAX's fast path."""
    effects = compiled(case).trace(*sample(case)).jaxpr.effects
    assert not effects, f"the program has effects: {effects}"


def has_traced_options(case: Case) -> bool:
    return bool(case.row.traced)


@law
@only(has_traced_options)
def traced_options_compile_once(case: Case) -> None:
    data = sample(case)
    for option, values in case.row.traced.items():
        calls = [functools.partial(eager, case, data, **{option: value}) for value in values]
        counts = [programs_compiled_by(call) for call in calls]
        assert counts[1] == 0, f"another value of {option} compiled {counts[1]} programs"

    options = {name: np.asarray(pair, np.float32) for name, pair in case.row.traced.items()}
    batch = jax.vmap(lambda chosen: eager(case, data, **chosen))(options)
    for i in range(2):
        chosen = {name: pair[i] for name, pair in case.row.traced.items()}
        expected = eager(case, data, **chosen)
        assert_same(jax.tree.map(lambda a, i=i: a[i], batch), expected)


def programs_compiled_by(call: Callable[[], Any]) -> int:
    with compilations() as records:
        jax.block_until_ready(call())
    return len(records)


@contextmanager
def compilations() -> Iterator[list[str]]:
    """Collect JAX's own notes of what it compiles."""
    records: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.getMessage().startswith("Compiling"):
                records.append(record.getMessage())

    logger, handler = logging.getLogger("jax"), Collect()
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False
    try:
        with jax.log_compiles(True):
            yield records
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


# --- masks, weights, order ---------------------------------------------------------------


@law
def mask_is_deletion(case: Case) -> None:
    data, keep = sample(case), some(case)
    expected = evaluate(case, data.at(keep))
    for bad in garbage(case):
        masked = overwrite(data, ~keep, bad)._replace(where=keep)
        masked.weight[~keep] = bad[0]
        result = evaluate(case, masked)
        assert_same(result.at(keep), expected)
        assert_zero(result.by_pred[~keep], f"gradient of predictions masked over {bad}")
        assert_zero(result.by_weight[~keep], f"gradient of weights masked over {bad}")


def may_mask_entries(case: Case) -> bool:
    return OUTPUTS in case.traits and sample(case).y_true.ndim == 2


@law
@only(may_mask_entries)
def entry_mask_is_deletion(case: Case) -> None:
    """Masks of the shape of the data, with as many entries left in each column."""
    data = sample(case)
    rng = rng_of(case, 2)
    keep = rng.permuted(np.repeat(some(case)[:, None], data.y_true.shape[1], axis=1), axis=0)
    data = data._replace(weight=np.ones_like(data.weight), where=keep)
    y_true, y_pred = (left_in_columns(a, keep) for a in data[:2])
    expected = evaluate(case, Data(y_true, y_pred, data.weight[:K], np.ones(K, bool)))
    for bad in garbage(case):
        result = evaluate(case, overwrite(data, ~keep, bad))
        assert_same(result.value, expected.value)
        assert_same(left_in_columns(result.by_pred, keep), expected.by_pred)
        assert_zero(result.by_pred[~keep], f"gradient of entries masked over {bad}")
        assert np.all(np.isfinite(result.by_weight))


def left_in_columns(a: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Delete entries from each column; as many are left in each."""
    return np.stack([c[k] for c, k in zip(a.T, keep.T, strict=True)], axis=1)


@law_of_the_row
def padding_is_harmless(case: Case) -> None:
    for n in (N - 1, 13, 5):
        real = np.arange(N) < n
        data = sample(case)
        expected = case.expected(*data.at(real)[:3])
        padded = overwrite(data, ~real, (0.0, 0.0))._replace(where=real)
        assert_same(evaluate(case, padded).value, expected)


@law
def zero_weight_is_deletion(case: Case) -> None:
    data, keep = sample(case), some(case)
    data.weight[~keep] = 0
    expected = evaluate(case, data.at(keep))
    for bad in garbage(case):
        result = evaluate(case, overwrite(data, ~keep, bad))
        assert_same(result.at(keep), expected)
        assert_zero(result.by_pred[~keep], f"gradient of predictions of weight 0 over {bad}")


@law_of_the_kernel
def default_is_to_count_all_alike(case: Case) -> None:
    """Neither weight nor mask, or one of them: the same as ones, and as the oracle."""
    data = sample(case)
    y_true, y_pred, weight, ones = data
    plain = case(y_true, y_pred)
    assert_same(plain, case.expected(y_true, y_pred))
    assert_same(evaluate(case, data._replace(weight=np.ones_like(weight))).value, plain)
    assert_same(case(y_true, y_pred, where=ones), plain)
    keep = some(case)
    expected = case.expected(y_true[keep], y_pred[keep])
    assert_same(case(y_true, y_pred, where=keep), expected)
    assert_same(case(y_true, y_pred, sample_weight=weight), case.expected(*data[:3]))


@law
def integer_weight_is_repetition(case: Case) -> None:
    data, half = sample(case), N // 2
    counts = 1 + rng_of(case, 3).multinomial(half, np.full(half, 1 / half))
    weighted = data._replace(weight=np.append(counts, np.zeros(half)).astype(np.float32))
    repeated = data.at(np.repeat(np.arange(half), counts))
    repeated = repeated._replace(weight=np.ones(N, np.float32))
    result, expected = evaluate(case, weighted), evaluate(case, repeated)
    assert_same(result.value, expected.value)
    first = np.cumsum(counts) - counts
    assert_same(result.by_weight[:half], expected.by_weight[first])
    assert_same(
        result.by_pred[:half],
        counts.reshape(-1, *[1] * (data.y_pred.ndim - 1)) * expected.by_pred[first],
    )


def has_weights_of_any_scale(case: Case) -> bool:
    return COPIES not in case.traits


@law_of_the_row
@only(has_weights_of_any_scale)
def weights_have_no_scale(case: Case) -> None:
    data = sample(case)
    expected, result = (
        evaluate(case, data._replace(weight=data.weight * np.float32(c))) for c in (1, 3.7)
    )
    grown = jax.tree.map(
        lambda part, grows: np.float32(3.7) * part if grows else part,
        expected.value,
        sums(case, expected.value),
    )
    assert_same(result.value, grown)
    if SUPPORT in case.traits:  # the gradients are of all parts together
        return
    grows = np.float32(3.7) if TOTAL in case.traits else 1
    assert_same(result.by_pred, grows * expected.by_pred)
    assert_same(3.7 * result.by_weight, grows * expected.by_weight)


def has_ratios_of_weights(case: Case) -> bool:
    return not {COPIES, TOTAL, SUPPORT} & case.traits


@law_of_the_row
@only(has_ratios_of_weights)
def weights_of_any_size(case: Case) -> None:
    """c w is w; slopes in the weights are over c. Where sums overflow, no number comes out."""
    data = sample(case)
    expected = evaluate(case, data)
    for c in (np.float32(2.0**-100), np.float32(2.0**100)):
        result = evaluate(case, data._replace(weight=data.weight * c))
        assert_same(result.value, expected.value)
        assert_same(result.by_pred, expected.by_pred)
        assert_same(c * result.by_weight, expected.by_weight)
    for c in (np.float32(2.0**120), np.float32(2.0**124)):
        value = evaluate(case, data._replace(weight=data.weight * c)).value
        for found, right in zip(*map(jax.tree.leaves, (value, expected.value)), strict=True):
            assert_same(found, np.where(np.isfinite(found), right, found))


def has_degree(case: Case) -> bool:
    return degree_of(case) is not None


@law_of_the_row
@only(has_degree)
def data_in_any_unit(case: Case) -> None:
    """f(c y_true, c y_pred) = c^k f(y_true, y_pred), for powers of two over the range."""
    k = degree_of(case)
    assert k is not None
    data = sample(case)

    def of(unit: float) -> Any:
        c, options = np.float32(unit), in_unit(case, unit)

        @jax.jit
        def run(y_true: Any, y_pred: Any, weight: Any) -> Any:
            def total(y_pred: Any, weight: Any) -> Any:
                return blend(case(y_true, y_pred, sample_weight=weight, **options))

            return jax.value_and_grad(total, argnums=(0, 1))(y_pred, weight)

        value, (by_pred, by_weight) = run(data.y_true * c, data.y_pred * c, data.weight)
        # Over c^k in two steps, since that may be out of range itself.
        root = np.float64(unit) ** (k / 2)
        parts = (value, by_pred * np.float64(unit), by_weight)
        return [np.asarray(part, np.float64) / root / root for part in parts]

    expected = of(1.0)
    for exponent in (-100, 100):
        assert_same(of(2.0 ** int(exponent / max(abs(k), abs(k - 1), 1))), expected)


@law
def order_is_irrelevant(case: Case) -> None:
    data = sample(case)
    shuffle = rng_of(case, 4).permutation(N)
    assert_same(evaluate(case, data.at(shuffle)), evaluate(case, data).at(shuffle))


# --- dtypes and precision ----------------------------------------------------------------


@law_of_the_kernel
def whole_numbers_of_any_dtype(case: Case) -> None:
    """Integers and booleans, as data and as weights, are the floats of the same value."""
    data = sample(case)
    round_off = np.rint if PROBABILITIES in case.traits else np.ceil
    y_true, y_pred = (round_off(np.abs(a)) for a in data[:2])
    whole = Data(y_true, y_pred, np.ceil(data.weight), data.where)
    bits = whole.convert(lambda a: np.mod(a, 2))
    if POSITIVE in case.traits:
        bits = bits._replace(y_pred=np.ones_like(y_pred))
    for dtype, numbers in ((np.int32, whole), (np.uint8, whole), (np.bool_, bits)):
        value = eager(case, numbers.astype(dtype))
        counted = COUNTS in case.traits and dtype is np.bool_  # such weights are a mask
        assert_float32(value, dtype, sums(case, value) if counted else None)
        assert_same(value, evaluate(case, numbers.astype(np.float32)).value)


@law_of_the_kernel
def half_precision_becomes_float32(case: Case) -> None:
    y_true, y_pred, weight, where = sample(case)
    for dtype, sample_weight in ((jnp.bfloat16, None), (jnp.float16, weight)):
        rounded = [np.asarray(a.astype(dtype)) for a in (y_true, y_pred)]
        value = case(*rounded, sample_weight=sample_weight, where=where)
        assert_float32(value, dtype)
        exact = [a.astype(np.float64) for a in rounded]
        assert_same(value, case.expected(exact[0], exact[1], sample_weight), rtol=5e-6)


def assert_float32(value: Any, source: Any, counts: Any = None) -> None:
    """All but `counts`, which are integers."""
    leaves = jax.tree.leaves(value)
    for leaf, whole in zip(leaves, jax.tree.leaves(counts) or [False] * len(leaves), strict=True):
        expected = np.int32 if whole else np.float32
        assert leaf.dtype == expected, f"{np.dtype(source)} gave {leaf.dtype}"


@law_of_the_row
def float64_stays(case: Case) -> None:
    data = sample(case, dtype=np.float64)
    with jax.enable_x64(True):
        value = evaluate(case, data).value
    for leaf in jax.tree.leaves(value):
        assert leaf.dtype == np.float64, f"float64 gave {leaf.dtype}"
    assert_same(value, case.expected(*data[:3]), rtol=1e-12)


@law_of_the_row
def float32_is_exact_for_many(case: Case) -> None:
    y_true, y_pred, weight, _ = sample(case, 3_000 if QUADRATIC in case.traits else 1_000_000)
    value = case(y_true, y_pred, sample_weight=weight)
    assert_same(value, case.expected(y_true, y_pred, weight), rtol=1e-6, atol=0)


# --- derivatives -------------------------------------------------------------------------


@law
def gradients_are_slopes(case: Case) -> None:
    """In predictions and weights, also where a weight is 0."""
    data = sample(case, dtype=np.float64)
    data.weight[:] *= rng_of(case, 7).uniform(0.9, 1.1, N)  # sums of weights tie nowhere
    data.weight[[4, 9, 14]] = 0
    with jax.enable_x64(True):
        if SMOOTH in case.traits:
            assert_slope(case, data, "y_pred", rng_of(case, 5).normal(size=data.y_pred.shape))
        else:
            assert STEPS in case.traits
            assert_zero(evaluate(case, data).by_pred, "gradient of a step function")
        if STEPPED_WEIGHTS in case.traits:
            assert_zero(evaluate(case, data).by_weight, "gradient of stepped weights")
            return
        on = data.weight != 0
        assert_slope(case, data, "weight", np.where(on, rng_of(case, 6).normal(size=N), 0.0))
        if EXTREMES in case.traits:
            return
        for unseen in np.flatnonzero(~on):
            assert_slope(case, data, "weight", np.eye(N)[unseen], one_sided=True)


def may_have_no_error(case: Case) -> bool:
    y_true, y_pred, *_ = sample(case, 2)
    return (
        SMOOTH in case.traits
        and PROBABILITIES not in case.traits
        and (y_true.shape == y_pred.shape)
    )


@law_of_the_row
@only(may_have_no_error)
def curvature_is_right_without_error(case: Case) -> None:
    """The second derivative in a prediction that is its target, unless there is a kink."""
    data = sample(case, dtype=np.float64)
    data.y_pred[0] = data.y_true[0]
    first = np.zeros_like(data.y_pred)
    first[0] = 1

    def slope(y_pred: Any) -> Any:
        found = jax.grad(lambda p: blend(eager(case, data._replace(y_pred=p))))(y_pred)
        return jnp.sum(found * first)

    with jax.enable_x64(True):
        curvature = jnp.sum(jax.jit(jax.grad(slope))(data.y_pred) * first)
        moved = jax.jit(lambda step: slope(data.y_pred + step * first))
        below, above, far = [float(moved(h) - moved(0.0)) / h for h in (-1e-4, 1e-4, 2e-4)]
    # Unlike those of a kink, or of a curvature that jumps, these are about the same.
    if np.ptp([below, above, far]) < 0.1 * abs(above):
        assert_same(curvature, (below + above) / 2, rtol=1e-4)


def assert_slope(
    case: Case, data: Data, argument: str, direction: np.ndarray, *, one_sided: bool = False
) -> None:
    def height(step: float) -> float:
        moved = getattr(data, argument) + step * direction
        return float(blend(evaluate(case, data._replace(**{argument: moved})).value))

    h = 1e-5
    if one_sided:  # second order too, without a weight below 0
        slope = (4 * height(h) - height(2 * h) - 3 * height(0)) / (2 * h)
    else:
        slope = (height(h) - height(-h)) / (2 * h)
    result = evaluate(case, data)
    gradient = result.by_pred if argument == "y_pred" else result.by_weight
    scale = largest(gradient)
    np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-5, atol=1e-6 * scale)


# --- what is not a number, and what is not allowed ---------------------------------------


@law_of_the_row
def nan_in_nan_out(case: Case) -> None:
    for argument in ("y_true", "y_pred"):
        data = sample(case)
        getattr(data, argument)[5] = np.nan
        assert_nan(evaluate(case, data).value, f"NaN in {argument}")


@law
def outside_is_nan_and_checked_says_why(case: Case) -> None:
    checked = jmetrics.checked(case)
    data = sample(case)
    assert_same(eager_checked(checked, data), eager(case, data))
    for argument, value, reason in case.outside:
        bad, options = outside_of(case, data, argument, value)
        assert_nan(eager(case, bad, **options), f"{argument}={value}")
        call = functools.partial(eager_checked, checked, bad, **options)
        assert_raises(ValueError, reason, call)
        if not options:
            hidden = bad._replace(where=np.arange(N) != 3)
            for leaf in jax.tree.leaves(eager_checked(checked, hidden)):
                assert not np.any(np.isnan(leaf))


def has_a_domain(case: Case) -> bool:
    return bool(case.outside)


@law_of_the_kernel
@only(has_a_domain)
def checked_works_around_and_inside_jit(case: Case) -> None:
    argument, value, reason = case.outside[0]
    bad, options = outside_of(case, sample(case), argument, value)

    def call(*arrays: Any) -> Any:
        return eager(case, Data(*arrays), **options)

    assert_raises(ValueError, reason, lambda: jmetrics.checked(jax.jit(call))(*bad))

    def inside() -> None:
        jax.block_until_ready(jax.jit(jmetrics.checked(call))(*bad))
        jax.effects_barrier()

    assert_raises((ValueError, jax.errors.JaxRuntimeError), reason, inside)


def eager_checked(checked: Callable[..., Any], data: Data, **options: Any) -> Any:
    y_true, y_pred, weight, where = data
    return checked(y_true, y_pred, sample_weight=weight, where=where, **options)


def outside_of(
    case: Case, data: Data, argument: str, value: float
) -> tuple[Data, dict[str, float]]:
    """Put one value out of the domain into an array, or make it an option."""
    if argument not in names(case):
        return data, {argument: value}
    field = Data._fields[names(case).index(argument)]
    array = getattr(data, field).copy()
    array[3] = value
    return data._replace(**{field: array}), {}


@law_of_the_row
def nothing_to_count(case: Case) -> None:
    """All masked, all of weight 0, or empty: NaN, but 0 for losses and totals."""
    data = sample(case)
    nothing = {
        "masked": overwrite(data, np.ones(N, bool), (np.nan, np.nan))._replace(
            where=np.zeros(N, bool)
        ),
        "weight 0": data._replace(weight=np.zeros_like(data.weight)),
        "empty": data.at(slice(0)),
    }
    for why, none in nothing.items():
        result = evaluate(case, none)
        parts = zip(*map(jax.tree.leaves, (result.value, sums(case, result.value))), strict=True)
        for leaf, is_sum in parts:
            expected = 0.0 if is_sum or LOSS in case.traits else np.nan
            np.testing.assert_array_equal(leaf, np.full_like(leaf, expected), why)
        assert_zero(result.by_pred, f"gradient of predictions, {why}")
        if LOSS in case.traits or why == "masked":
            assert_zero(result.by_weight, f"gradient of weights, {why}")


@law_of_the_row
def one_sample(case: Case) -> None:
    data = sample(case, 1)
    assert_same(eager(case, data), case.expected(*data[:3]))


@law_of_the_row
def mistakes_are_named(case: Case) -> None:
    y_true, y_pred, weight, where = sample(case)
    first, second = names(case)
    column = (slice(None), None)

    def refuse(kind: type[Exception], text: str, *arrays: Any, **arguments: Any) -> None:
        assert_raises(kind, text, lambda: case(*arrays, **arguments))

    refuse(ValueError, first, y_true[:-1], y_pred)
    refuse(ValueError, second, y_true, y_pred[column])
    refuse(ValueError, first, y_true[column], y_pred)
    refuse(ValueError, first, np.float32(1), np.float32(1))
    refuse(TypeError, first, y_true + np.complex64(1j), y_pred)
    refuse(TypeError, second, y_true, ["cat"] * N)
    refuse(TypeError, second, y_true, None)
    for bad_weight in (weight[:-1], weight[column], np.float32(1)):
        refuse(ValueError, "sample_weight", y_true, y_pred, sample_weight=bad_weight)
    refuse(TypeError, "sample_weight", y_true, y_pred, sample_weight=["cat"] * N)
    for bad_mask in (where[:-1], where[column], np.True_):
        refuse(ValueError, "where", y_true, y_pred, where=bad_mask)
    for bad_mask in (where.astype(np.int32), weight):
        refuse(TypeError, "where", y_true, y_pred, where=bad_mask)
    refuse(TypeError, "positional", y_true, y_pred, weight)
    for option, value in case.row.refused.items():
        refuse(ValueError, option, y_true, y_pred, **{option: value})
    for option in case.row.traced:
        refuse(ValueError, option, y_true, y_pred, **{option: np.ones((2, 2), np.float32)})
        refuse(TypeError, option, y_true, y_pred, **{option: "cat"})
    trace = functools.partial(jax.eval_shape, case)
    assert_raises(ValueError, first, lambda: trace(y_true[:-1], y_pred))
