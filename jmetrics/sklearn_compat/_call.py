"""Calls of the core: lengths padded to few sizes, in 64 bits, with results as NumPy arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.experimental import checkify

from jmetrics._core.types import Tree
from jmetrics.ragged import bucket_size


def bucket(n: int) -> int:
    """Round a number of samples up to one of few sizes."""
    return bucket_size(n, steps=2, minimum=128)


def padded(array: np.ndarray, *sizes: int) -> np.ndarray:
    """Pad an array with zeros at the end of its first axes."""
    shape = sizes + array.shape[len(sizes) :]
    if shape == array.shape:
        return array
    whole = np.zeros(shape, array.dtype)
    whole[tuple(map(slice, array.shape[: len(sizes)]))] = array
    return whole


def in_64_bits(function: Callable[..., Tree], *arrays: Any, **options: Any) -> Tree:
    """Call with 64-bit types, whatever the user's setting, and return arrays on the host."""
    numbers = float, np.ndarray
    traced = {name: value for name, value in options.items() if isinstance(value, numbers)}
    static = tuple((name, v) for name, v in options.items() if name not in traced)
    with jax.enable_x64(True):
        return jax.tree.map(np.asarray, _compiled(function, static, arrays, traced))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _compiled(
    function: Callable[..., Tree],
    static: tuple[tuple[str, Any], ...],
    arrays: tuple[np.ndarray, ...],
    traced: dict[str, float | np.ndarray],
) -> Tree:
    # Values have been checked on the host; checking them again would slow every call.
    call = checkify.checkify(
        lambda: function(*arrays, **dict(static), **traced), errors=frozenset()
    )
    return call()[1]


def of_samples(
    metric: Callable[..., Tree],
    *arrays: np.ndarray,
    sample_weight: np.ndarray | None = None,
    **options: Any,
) -> Tree:
    """Call a metric of samples, which lie along the first axis of all arrays."""
    n = len(arrays[0])
    size = bucket(n)
    if sample_weight is not None:
        sample_weight = padded(sample_weight, size)
    return in_64_bits(
        metric,
        *(padded(a, size) for a in arrays),
        sample_weight=sample_weight,
        where=np.arange(size) < n,
        **options,
    )


def of_lists(
    metric: Callable[..., Tree],
    y_true: np.ndarray,
    y_score: np.ndarray,
    sample_weight: np.ndarray | None,
    **options: Any,
) -> Tree:
    """Call a metric of lists, the rows, padding both their number and their length."""
    sizes = tuple(bucket_size(n, steps=2) for n in y_true.shape)
    if sample_weight is not None:
        sample_weight = padded(sample_weight, sizes[0])
    return in_64_bits(
        metric,
        padded(y_true, *sizes),
        padded(y_score, *sizes),
        sample_weight=sample_weight,
        where=padded(np.ones(y_true.shape, np.bool_), *sizes),
        **options,
    )


def of_curve(
    curve: Callable[..., Tree],
    y_true: np.ndarray,
    y_score: np.ndarray,
    sample_weight: np.ndarray | None,
    **options: Any,
) -> tuple[np.ndarray, ...]:
    """Call a function of all thresholds, and return only the actual points."""
    size = bucket(len(y_true)) + 1
    arrays = y_true, y_score
    *fields, count = of_samples(curve, *arrays, sample_weight=sample_weight, size=size, **options)
    surplus = max(map(len, fields)) - int(count)
    return tuple(field[: len(field) - surplus] for field in fields)
