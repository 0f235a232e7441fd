"""Metrics that are broken on purpose, at least one for each law, to prove that it can fail.

All are variations of the mean squared error, which itself keeps every law.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.experimental import checkify
from sklearn import metrics as sk

from jmetrics import mean_squared_error as honest
from jmetrics._core.plan import AT_MOST_ONE, declared
from tests import laws, laws_of_input, laws_of_nan, laws_of_range, mode_laws, oracles
from tests.row import (
    OUTPUTS,
    SMOOTH,
    Case,
    Maker,
    Outside,
    Row,
    Variant,
    cases_of,
    columns,
    real,
)

Metric = Callable[..., Any]

MUTANTS: list[tuple[laws.Law, Case]] = []


def breaks(law: laws.Law, make: Maker = real, **row: Any) -> Callable[[Metric], Metric]:
    """Register the decorated metric as one that the law must reject."""

    def register(metric: Metric) -> Metric:
        oracle = oracles.from_sklearn(sk.mean_squared_error)
        traits = frozenset({SMOOTH, OUTPUTS})
        mutant = Row(metric=metric, make=make, oracle=oracle, traits=traits, **row)
        MUTANTS.extend((law, case) for case in cases_of(mutant))
        return metric

    return register


def total_weight(y_true: Any, sample_weight: Any, where: Any) -> Array:
    """One weight a sample, 0 where masked."""
    weight = jnp.ones(len(y_true)) if sample_weight is None else jnp.asarray(sample_weight)
    weight = weight if jnp.issubdtype(weight.dtype, jnp.floating) else weight.astype(jnp.float32)
    return weight if where is None else jnp.where(where, weight, jnp.zeros_like(weight))


def naive(squares: Array, weight: Array) -> Array:
    return jnp.sum(weight * squares) / jnp.sum(weight)


@breaks(laws.jit_is_eager)
def depends_on_tracing(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return 2 * value if isinstance(value, jax.core.Tracer) else value


@breaks(laws.vmap_is_a_loop)
def mean_over_the_batch(y_true, y_pred, *, sample_weight=None, where=None):
    mix = jax.custom_batching.custom_vmap(lambda value: value)
    mix.def_vmap(lambda size, batched, v: (jnp.broadcast_to(jnp.mean(v), v.shape), True))
    return mix(honest(y_true, y_pred, sample_weight=sample_weight, where=where))


@breaks(laws.exports_to_every_platform)
def calls_back_to_the_host(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct((), value.dtype), value)


@breaks(laws.leaves_no_effect)
def checks_without_being_asked(y_true, y_pred, *, sample_weight=None, where=None):
    checkify.debug_check(jnp.all(jnp.isfinite(y_pred)), "`y_pred` must be finite")
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.exports_to_every_platform)
def needs_to_know_the_length(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return value if len(y_true) < 1000 else value + 0


@breaks(laws.exports_for_any_length)
def sees_the_first_run_of_an_unknown_length(y_true, y_pred, *, sample_weight=None, where=None):
    if not isinstance(y_true.shape[0], int):
        where = where & (jnp.arange(y_true.shape[0]) < 1000)
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.explicit_axes_may_shard_samples)
def sorts_where_the_samples_are(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return value + 0 * jnp.sort(y_true)[0]


@breaks(laws.traced_options_compile_once, traced={"scale": (2.0, 3.0)})
def compiles_for_each_scale(y_true, y_pred, *, scale=1.0, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return scaled(value, scale=scale)


@functools.partial(jax.jit, static_argnames="scale")
def scaled(value, *, scale):
    return value * scale


@breaks(mode_laws.traces_without_jit)
def counts_steps_of_a_loop(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return lax.fori_loop(0, 1, lambda i, v: v + i.astype(v.dtype), value)


@breaks(mode_laws.means_the_same_without_jit)
def depends_on_jit(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return jax.jit(lambda v: 2 * v if isinstance(v, jax.core.Tracer) else v)(value)


@breaks(mode_laws.arrays_of_jax_need_no_transfer)
def doubles_eagerly(y_true, y_pred, *, sample_weight=None, where=None):
    return 2 * honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(mode_laws.clean_data_make_no_nan)
def selects_eagerly(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return jnp.where(value < 0, jnp.full_like(value, jnp.nan), value)


@breaks(mode_laws.clean_data_make_no_nan)
def has_a_slope_of_nan(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return value + jnp.max(jnp.sqrt(value - lax.stop_gradient(value))) * 0


@breaks(laws.mask_is_deletion)
@breaks(laws.default_is_to_count_all_alike)
def ignores_the_mask(y_true, y_pred, *, sample_weight=None, where=None):
    return honest(y_true, y_pred, sample_weight=sample_weight)


@breaks(laws.mask_is_deletion)
def multiplies_by_the_mask(y_true, y_pred, *, sample_weight=None, where=None):
    weight = total_weight(y_true, sample_weight, where)
    return naive(jnp.square(y_true - y_pred), weight)


@breaks(laws.mask_is_deletion)
def selects_after_computing(y_true, y_pred, *, sample_weight=None, where=None):
    """The value is right; the gradient is 0 × NaN under the mask."""
    weight = total_weight(y_true, sample_weight, where)
    squares = jnp.square(y_true - y_pred)
    return naive(jnp.where(where, squares, jnp.zeros_like(squares)), weight)


@breaks(laws.entry_mask_is_deletion, columns)
def masks_whole_samples(y_true, y_pred, *, sample_weight=None, where=None):
    where = where.all(axis=1) if where.ndim == 2 else where
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.padding_is_harmless)
def divides_by_the_length(y_true, y_pred, *, sample_weight=None, where=None):
    weight = total_weight(y_true, sample_weight, where)
    return jnp.sum(weight * jnp.square(y_true - y_pred)) / len(y_true)


@breaks(laws.zero_weight_is_deletion)
def multiplies_nan_by_weight_0(y_true, y_pred, *, sample_weight=None, where=None):
    return naive(jnp.square(y_true - y_pred), sample_weight)


@breaks(laws.zero_weight_is_deletion)
def counts_samples_of_weight_0(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return value * len(y_true) / (len(y_true) - 1)


@breaks(laws.default_is_to_count_all_alike)
def corrects_the_bias_without_weights(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    n = len(y_true)
    return value * n / (n - 1) if sample_weight is None else value


@breaks(laws.integer_weight_is_repetition)
def takes_the_root_of_weights(y_true, y_pred, *, sample_weight=None, where=None):
    positive = sample_weight > 0
    root = jnp.where(positive, jnp.sqrt(jnp.where(positive, sample_weight, 1)), 0)
    return honest(y_true, y_pred, sample_weight=root, where=where)


@breaks(laws.weights_have_no_scale)
def smooths_the_weights(y_true, y_pred, *, sample_weight=None, where=None):
    weight = total_weight(y_true, sample_weight, where)
    return jnp.sum(weight * jnp.square(y_true - y_pred)) / (1 + jnp.sum(weight))


@breaks(laws.weights_of_any_size)
def multiplies_by_the_weight_twice(y_true, y_pred, *, sample_weight=None, where=None):
    weight = total_weight(y_true, sample_weight, where)
    return (
        naive(weight * jnp.square(y_true - y_pred), weight)
        * jnp.sum(weight)
        / jnp.sum(jnp.square(weight))
    )


@breaks(laws.data_in_any_unit, degree=1)
def takes_the_root_of_squares(y_true, y_pred, *, sample_weight=None, where=None):
    return jnp.sqrt(honest(y_true, y_pred, sample_weight=sample_weight, where=where))


@breaks(laws_of_range.values_stay_in_range)
@declared(range=AT_MOST_ONE, greater_is_better=True)
def correlates_by_rounded_sums(y_true, y_pred, *, sample_weight=None, where=None):
    """A score that rounding alone takes above its end."""
    error = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return (1 - error) * jnp.float32(1.0000001)


@breaks(laws_of_range.ends_of_jackknife_stay_in_range)
@breaks(laws_of_range.ends_of_resamples_stay_in_range)
@declared(range=(0.0, 0.01), greater_is_better=False)
def is_larger_than_it_says(y_true, y_pred, *, sample_weight=None, where=None):
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.order_is_irrelevant)
def prefers_the_first(y_true, y_pred, *, sample_weight=None, where=None):
    discount = jnp.linspace(1, 0.9, len(y_true), dtype=sample_weight.dtype)
    return honest(y_true, y_pred, sample_weight=sample_weight * discount, where=where)


@breaks(laws.whole_numbers_of_any_dtype)
def wraps_unsigned_differences(y_true, y_pred, *, sample_weight=None, where=None):
    difference = y_true - y_pred if y_true.dtype == np.uint8 else (y_true * 1.0) - y_pred
    nothing = np.zeros_like(difference) if isinstance(difference, np.ndarray) else 0 * difference
    return honest(difference, nothing, sample_weight=sample_weight, where=where)


@breaks(laws.whole_numbers_of_any_dtype)
@breaks(laws.half_precision_becomes_float32)
def answers_in_half_precision(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return value.astype(jnp.float16)


@breaks(laws_of_input.containers_are_alike)
def rounds_lists(y_true, y_pred, *, sample_weight=None, where=None):
    y_true = np.asarray(y_true, np.float16) if isinstance(y_true, list) else y_true
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws_of_input.containers_are_alike)
def cuts_integers_of_64_bits(y_true, y_pred, *, sample_weight=None, where=None):
    whole = hasattr(y_true, "dtype") and y_true.dtype == np.int64
    y_true = y_true.astype(np.int32) if whole else y_true
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws_of_input.integers_are_subtracted_exactly)
def rounds_before_subtracting(y_true, y_pred, *, sample_weight=None, where=None):
    y_true, y_pred = (jnp.asarray(a, jnp.float32) for a in (y_true, y_pred))
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.half_precision_becomes_float32)
def squares_in_half_precision(y_true, y_pred, *, sample_weight=None, where=None):
    squares = jnp.square(jnp.asarray(y_true) - jnp.asarray(y_pred)).astype(jnp.float32)
    return naive(squares, total_weight(y_true, sample_weight, where))


@breaks(laws.float64_stays)
def drops_to_float32(y_true, y_pred, *, sample_weight=None, where=None):
    y_true, y_pred = (jnp.asarray(a, jnp.float32) for a in (y_true, y_pred))
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.float64_stays)
def rounds_to_float32_inside(y_true, y_pred, *, sample_weight=None, where=None):
    return drops_to_float32(y_true, y_pred, sample_weight=sample_weight, where=where) * 1.0


def far_from_0(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    y_true, y_pred = real(rng, n)
    return y_true + 1000, y_pred + 1000


@breaks(laws.float32_is_exact_for_many, far_from_0)
def subtracts_mean_squares(y_true, y_pred, *, sample_weight=None, where=None):
    weight = total_weight(y_true, sample_weight, where)
    squares = [naive(a * b, weight) for a, b in ((y_true, y_true), (y_true, y_pred))]
    return squares[0] - 2 * squares[1] + naive(jnp.square(y_pred), weight)


@breaks(laws.curvature_is_right_without_error)
def selects_errors_of_0(y_true, y_pred, *, sample_weight=None, where=None):
    weight, error = total_weight(y_true, sample_weight, where), jnp.asarray(y_pred) - y_true
    return naive(jnp.where(error == 0, 0, jnp.square(error)), weight)


@breaks(laws.gradients_are_slopes)
def stops_the_gradient_of_weights(y_true, y_pred, *, sample_weight=None, where=None):
    weight = jax.lax.stop_gradient(sample_weight)
    return honest(y_true, y_pred, sample_weight=weight, where=where)


@breaks(laws.gradients_are_slopes)
def stops_the_gradient_of_predictions(y_true, y_pred, *, sample_weight=None, where=None):
    y_pred = jax.lax.stop_gradient(y_pred)
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.gradients_are_slopes)
def cleans_all_of_weight_0(y_true, y_pred, *, sample_weight=None, where=None):
    """The values are right; the derivative with respect to a weight of 0 is not."""
    y_pred = jnp.where(sample_weight == 0, y_true, y_pred)
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.nan_in_nan_out)
def skips_nan(y_true, y_pred, *, sample_weight=None, where=None):
    return honest(y_true, jnp.nan_to_num(y_pred), sample_weight=sample_weight, where=where)


TOO_LARGE = (Outside("y_pred", 99.0, "`y_pred` must be below 99"),)


@breaks(laws.outside_is_nan_and_checked_says_why, outside=TOO_LARGE)
def answers_outside_the_domain(y_true, y_pred, *, sample_weight=None, where=None):
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.outside_is_nan_and_checked_says_why, outside=TOO_LARGE)
@breaks(laws.checked_works_around_and_inside_jit, outside=TOO_LARGE)
def gives_no_reason(y_true, y_pred, *, sample_weight=None, where=None):
    y_pred = jnp.where(y_pred < 99, y_pred, jnp.nan)
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.nothing_to_count)
def is_0_without_samples(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return jnp.where(jnp.isnan(value), jnp.zeros_like(value), value)


@breaks(laws.nothing_to_count)
def divides_0_by_0(y_true, y_pred, *, sample_weight=None, where=None):
    """NaN is the right value, but not the right gradient."""
    weight = total_weight(y_true, sample_weight, where)
    squares = jnp.where(where, jnp.square(y_true - y_pred), 0)
    return naive(squares, weight)


@breaks(laws.one_sample)
def needs_two_samples(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return value if len(y_true) > 1 else jnp.nan * value


@breaks(laws_of_nan.bad_weights_are_nan)
@breaks(laws_of_nan.checked_tells_bad_weights)
def drops_bad_weights(y_true, y_pred, *, sample_weight=None, where=None):
    sample_weight = jnp.where(jnp.isfinite(sample_weight), sample_weight, 0)
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws_of_nan.nan_stays_in_its_place)
def multiplies_by_nan(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return value * jnp.where(jnp.any(y_true != 0), jnp.ones(()), jnp.nan)


@breaks(
    laws_of_nan.nan_stays_in_its_column, columns, variants=(Variant({"multioutput": "raw_values"}),)
)
def adds_weights_times_nan(y_true, y_pred, *, multioutput, sample_weight=None, where=None):
    weight = total_weight(y_true, sample_weight, where)[:, None]
    return jnp.sum(weight * jnp.square(y_true - y_pred), axis=0) / jnp.sum(weight)


@breaks(laws_of_nan.no_error_is_0_of_what_varies)
def jumps_between_means(y_true, y_pred, *, sample_weight=None, where=None):
    value = honest(y_true, y_pred, sample_weight=sample_weight, where=where)
    return jax.lax.stop_gradient(value)


@breaks(laws.mistakes_are_named)
def broadcasts(y_true, y_pred, *, sample_weight=None, where=None):
    if np.ndim(y_pred) == 2:
        y_true, y_pred = np.broadcast_arrays(np.expand_dims(y_true, 0), y_pred)
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)


@breaks(laws.mistakes_are_named)
def takes_whole_numbers_for_a_mask(y_true, y_pred, *, sample_weight=None, where=None):
    if where is not None and np.asarray(where).dtype == np.int32:
        where = where != 0
    return honest(y_true, y_pred, sample_weight=sample_weight, where=where)
