"""The area under the ROC curve for many weights of samples that are sorted once."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from jmetrics._core.bits import sortable_bits
from jmetrics._core.counts import are_binary, is_positive
from jmetrics._core.numerics import safe_divide
from jmetrics._core.plan import Bound, PresortedMetric
from jmetrics._core.sorting import sort_items

_BLOCK = 32


def presorted_auc(y_true: Array, y_score: Array) -> PresortedMetric:
    """Sort by falling score, the negatives first among ties."""
    (bits, positive), item = sort_items(~sortable_bits(y_score), is_positive(y_true))
    positions = lax.iota(jnp.int32, bits.shape[0])
    opens = jnp.append(jnp.ones(1, jnp.bool_), bits[1:] != bits[:-1])[: bits.shape[0]]
    start = lax.cummax(jnp.where(opens, positions, 0))
    valid = are_binary(y_true) & ~jnp.isnan(y_score)
    domain = "`y_true` must be 0 or 1, and `y_score` must not be NaN"
    return PresortedMetric(item, valid[item], domain, Bound.finisher(_auc, positive, start))


def _auc(weight: Array, positive: Array, start: Array) -> Array:
    """Fraction of pairs ranked correctly, from weights in sorted order.

    A positive loses to the negatives before its ties, and to half of those in its ties, which
    all come before it.
    """
    none = jnp.zeros_like(weight)
    positives, negatives = jnp.where(positive, weight, none), jnp.where(positive, none, weight)
    running = _running_sums(negatives)
    beaten = (running + (running - negatives)[start]) / 2
    lost = safe_divide(jnp.sum(positives * beaten), jnp.sum(positives), jnp.nan)
    return 1 - safe_divide(lost, jnp.sum(negatives), jnp.nan)


def _running_sums(x: Array) -> Array:
    """Cumulative sums: within blocks by a matrix product, then over blocks."""
    blocks = -(-x.shape[0] // _BLOCK)
    padded = jnp.pad(x, (0, blocks * _BLOCK - x.shape[0])).reshape(blocks, _BLOCK)
    up_to = jnp.triu(jnp.ones((_BLOCK, _BLOCK), x.dtype))
    within = jnp.matmul(padded, up_to, precision=lax.Precision.HIGHEST)
    whole = within[:, -1]
    before = jnp.cumsum(whole) - whole
    return (within + before[:, None]).ravel()[: x.shape[0]]
