"""Order-preserving bits of numbers: integers that compare as the numbers do."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike


def sortable_bits(x: Array) -> Array:
    """Map numbers to unsigned integers of the same order; −0 and 0 become one."""
    kind = jnp.dtype(f"uint{8 * x.dtype.itemsize}")
    if x.dtype == jnp.bool_ or jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return x.astype(kind)
    bits = lax.bitcast_convert_type(lax.stop_gradient(x), kind)
    sign = jnp.asarray(1 << (8 * x.dtype.itemsize - 1), kind)
    if jnp.issubdtype(x.dtype, jnp.signedinteger):
        return bits ^ sign
    bits = jnp.where(bits == sign, jnp.zeros_like(bits), bits)
    return jnp.where(bits >= sign, ~bits, bits | sign)


def float_from_bits(bits: Array, dtype: DTypeLike) -> Array:
    """Undo `sortable_bits` for a float type; 0 comes back as +0."""
    sign = jnp.asarray(1 << (8 * bits.dtype.itemsize - 1), bits.dtype)
    return lax.bitcast_convert_type(jnp.where(bits >= sign, bits ^ sign, ~bits), dtype)
