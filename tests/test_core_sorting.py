"""Items in the order of several keys, against NumPy's sort by several keys."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

from jmetrics._core import sorting
from jmetrics._core.sorting import sort_items

TYPES = [np.bool_, np.uint8, np.uint16, np.uint32, np.int32]
SHAPES = [(0,), (1,), (2,), (41,), (3, 0), (0, 3), (1, 1), (4, 25)]


def random_keys(dtype, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """The least and the largest key, and some in between, with many ties."""
    most = 1 if dtype == np.bool_ else np.iinfo(dtype).max
    return rng.choice(np.array([0, 1, most // 3, most - 1, most], dtype), shape)


def expected(*keys: np.ndarray) -> np.ndarray:
    return np.lexsort(keys[::-1], axis=-1)


def check_sorted(keys: tuple[np.ndarray, ...], ordered: tuple[jax.Array, ...], item) -> None:
    np.testing.assert_array_equal(item, expected(*keys))
    for key, found in zip(keys, ordered, strict=True):
        assert found.dtype == key.dtype
        np.testing.assert_array_equal(found, np.take_along_axis(key, np.asarray(item), axis=-1))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.__name__)
def test_one_key(dtype, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    keys = (random_keys(dtype, shape, rng),)
    check_sorted(keys, *sort_items(*map(jnp.asarray, keys), stable=True))


@pytest.mark.parametrize("types", [(np.bool_, np.uint32), (np.int32, np.uint32, np.uint8)], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_several_keys(types, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    keys = tuple(random_keys(dtype, shape, rng) for dtype in types)
    check_sorted(keys, *sort_items(*map(jnp.asarray, keys), stable=True))


@pytest.mark.parametrize("types", [(np.uint64,), (np.int32, np.uint64)], ids=str)
def test_keys_of_64_bits(types, rng: np.random.Generator, x64) -> None:
    keys = tuple(random_keys(dtype, (4, 25), rng) for dtype in types)
    check_sorted(keys, *sort_items(*map(jnp.asarray, keys), stable=True))


def test_another_platform_sorts_the_same(rng: np.random.Generator) -> None:
    keys = tuple(random_keys(dtype, (4, 25), rng) for dtype in (np.bool_, np.uint32))
    check_sorted(keys, *sorting._at_once(*map(jnp.asarray, keys), stable=True))


def in_scan(sort: Callable, rows: jax.Array) -> jax.Array:
    return lax.scan(lambda carry, row: (carry, sort(row)), 0, rows)[1]


def in_a_choice(sort: Callable, rows: jax.Array) -> jax.Array:
    return jax.vmap(lambda row: lax.cond(row[0] > 2, sort, lambda r: jnp.zeros_like(r), row))(rows)


def in_a_loop(sort: Callable, rows: jax.Array) -> jax.Array:
    def again(i: jax.Array, found: jax.Array) -> jax.Array:
        return found.at[i].set(sort(rows[i]))

    return lax.fori_loop(0, rows.shape[0], again, jnp.zeros_like(rows))


@pytest.mark.parametrize("x64_of_user", [False, True])
@pytest.mark.parametrize(
    "transformed",
    [
        lambda sort, rows: jax.vmap(sort)(rows),
        lambda sort, rows: jax.vmap(jax.jit(sort))(rows),
        lambda sort, rows: jax.jit(jax.vmap(jax.vmap(jax.jit(sort))))(rows[None])[0],
        lambda sort, rows: jax.vmap(jax.checkpoint(sort))(rows),
        lambda sort, rows: lax.map(sort, rows),
        in_scan,
        in_a_choice,
        in_a_loop,
    ],
)
def test_the_wide_number_lives_in_any_program(
    transformed: Callable, x64_of_user: bool, rng: np.random.Generator
) -> None:
    """A number of 64 bits is made and used up inside, in programs that have no others."""
    rows = rng.integers(3, 9, (3, 31)).astype(np.uint32)

    def sort(row: jax.Array) -> jax.Array:
        return sort_items(row)[1].astype(jnp.uint32)

    with jax.enable_x64(x64_of_user):
        found = transformed(sort, jnp.asarray(rows))
    np.testing.assert_array_equal(found, expected(rows))


@pytest.mark.parametrize("platforms", [("cpu",), ("cpu", "cuda", "tpu")], ids=len)
def test_exported_for_any_length(platforms: tuple[str, ...], rng: np.random.Generator) -> None:
    (n,) = export.symbolic_shape("n")
    shapes = [jax.ShapeDtypeStruct((2, n), dtype) for dtype in (np.uint8, np.uint32)]
    exported = export.export(jax.jit(sort_items), platforms=platforms)(*shapes)
    keys = tuple(random_keys(shape.dtype, (2, 25), rng) for shape in shapes)
    np.testing.assert_array_equal(exported.call(*keys)[1], expected(*keys))


def test_leaves_the_types_of_a_program_as_they_are() -> None:
    def run(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        _, item = sort_items(x)
        return item, jnp.arange(3) / 2

    for function in (run, jax.jit(run)):
        item, after = function(jnp.arange(4, dtype=jnp.uint32))
        assert (item.dtype, after.dtype) == (jnp.int32, jnp.float32)
