"""Assertions that the tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np


def assert_same(actual: Any, expected: Any, *, rtol: float = 2e-5, atol: float | None = None):
    """Equal nesting, shapes and numbers, where NaN equals NaN; containers may be of other types.

    By default an entry may also be off by what one rounding of the largest one makes of it.
    """
    assert nesting(actual) == nesting(expected)
    for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        a, e = np.asarray(a, np.float64), np.asarray(e, np.float64)
        assert a.shape == e.shape, f"shape {a.shape}, expected {e.shape}"
        slack = rtol * largest(e) / 10 if atol is None else atol
        np.testing.assert_allclose(a, e, rtol=rtol, atol=slack)


def nesting(tree: Any) -> Any:
    """Lists within lists of what a tree holds, None for each array."""
    parts = jax.tree.leaves(tree, is_leaf=lambda part: part is not tree)
    return None if parts and parts[0] is tree else [nesting(part) for part in parts]


def largest(a: np.ndarray) -> float:
    return float(np.max(np.abs(a), where=np.isfinite(a), initial=0.0))


def assert_zero(a: Any, why: str) -> None:
    assert not np.any(np.asarray(a)), f"{why}: expected exactly 0, got {a}"


def assert_nan(a: Any, why: str) -> None:
    for leaf in jax.tree.leaves(a):
        assert np.all(np.isnan(np.asarray(leaf))), f"{why}: expected NaN, got {leaf}"


def assert_raises(kind: type[Exception] | tuple, text: str, call: Callable[[], Any]) -> None:
    """Like `pytest.raises`, but what it raises itself is an AssertionError."""
    try:
        value = call()
    except kind as error:
        assert text in str(error), f"expected {text!r} in {str(error)!r}"
    else:
        raise AssertionError(f"expected an error about {text!r}, got {value}")


def assert_in_range(value: Any, ends: Any) -> None:
    """Not by an ulp beyond the ends, which are those of every entry or of each array."""
    leaves = jax.tree.leaves(value)
    pairs = ends if isinstance(ends[0], tuple) else (ends,) * len(leaves)
    for leaf, (low, high) in zip(leaves, pairs, strict=True):
        leaf = np.asarray(leaf)
        inside = ((leaf >= low) & (leaf <= high)) | np.isnan(leaf)
        assert np.all(inside), f"{leaf} is not in [{low}, {high}]"
