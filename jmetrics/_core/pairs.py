"""Weighted sums over pairs of scores, in O(n) memory."""

from __future__ import annotations

from collections.abc import Callable

import jax
from jax import Array

from jmetrics._core.numerics import weighted_sum

_BLOCK_ENTRIES = 2**18


def kernel_sum(phi: Callable[[Array], Array], query: Array, key: Array, weight: Array) -> Array:
    """Σ_j weight_j φ(query_i − key_j) for every i, by blocks of rows in O(n²) time.

    Each block is computed again in the backward pass, so that its entries are never stored.
    """

    @jax.checkpoint
    def row(q: Array) -> Array:
        return weighted_sum(phi(q - key), weight)

    block = max(1, _BLOCK_ENTRIES // max(key.size, 1))
    return jax.lax.map(row, query, batch_size=block)
