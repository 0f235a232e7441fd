"""Items in the order of their keys."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array, lax


def sort_items(*keys: Array, stable: bool = False) -> tuple[tuple[Array, ...], Array]:
    """Sort along the last axis: the first key decides, among its ties the next, and so on.

    Keys are whole numbers, none below 0. Returns them in order, and the item at each position.
    Where all are tied, items stay in order if `stable`.
    """
    at_once = functools.partial(_at_once, stable=stable)
    if any(key.dtype.itemsize > 4 for key in keys):
        return at_once(*keys)
    return lax.platform_dependent(*keys, cpu=_one_by_one, default=at_once)


def _at_once(*keys: Array, stable: bool) -> tuple[tuple[Array, ...], Array]:
    *ordered, item = lax.sort((*keys, _positions(keys[0])), num_keys=len(keys), is_stable=stable)
    return tuple(ordered), item


def _one_by_one(*keys: Array) -> tuple[tuple[Array, ...], Array]:
    """Sort by the last key, and then, with ties as they are, by those that matter more."""
    ordered, item = _packed(keys[-1])
    for key in keys[-2::-1]:
        ordered, position = _packed(_at(key, item))
        item = _at(item, position)
    return (ordered, *(_at(key, item) for key in keys[1:])), item


def _packed(key: Array) -> tuple[Array, Array]:
    """Sort by one key, which with the position makes one number.

    A CPU sorts one array several times faster than two.
    """
    position, half = _positions(key), jnp.full_like(key, 32, jnp.int32)  # no constant of 64 bits
    with jax.enable_x64(True):  # for this number alone, whatever the user's have
        high, low, half = (a.astype(jnp.uint64) for a in (key, position, half))
        number = lax.sort(lax.shift_left(high, half) | low)
        return lax.shift_right_logical(number, half).astype(key.dtype), number.astype(jnp.int32)


def _positions(key: Array) -> Array:
    return lax.broadcasted_iota(jnp.int32, key.shape, key.ndim - 1)


def _at(values: Array, position: Array) -> Array:
    return jnp.take_along_axis(values, position, axis=-1)
