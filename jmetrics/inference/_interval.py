"""An interval, however it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import expit, logit, ndtri

from jmetrics._core import check
from jmetrics._core.exporting import exportable
from jmetrics._core.numerics import safe_divide
from jmetrics._core.types import Number, Tree

SCALES = ("linear", "logit")


@exportable
@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes:
        estimate: The metric of the data, of any shape.
        low: Lower end of the interval, shape of `estimate`.
        high: Upper end of the interval, shape of `estimate`.
        standard_error: Standard error of the estimate, shape of `estimate`.
        method: How the interval was found; static.
    """

    estimate: Array
    low: Array
    high: Array
    standard_error: Array
    method: str = field(metadata={"static": True})


def checked_level(confidence_level: Number, like: Array) -> Array:
    """Return the level in the dtype of `like`; NaN for one outside (0, 1)."""
    level = jnp.asarray(confidence_level, like.dtype)
    return check.nan_unless(
        level, (level > 0) & (level < 1), "`confidence_level` must be in (0, 1)"
    )


def wald(estimate: Array, error: Array, level: Array, scale: str) -> tuple[Array, Array]:
    """Normal interval of the estimate, or of its logit, which never leaves [0, 1]."""
    reach = ndtri((1 + level) / 2) * error
    if scale == "linear":
        return estimate - reach, estimate + reach
    reach = safe_divide(reach, estimate * (1 - estimate), 0.0)
    low, high = expit(logit(estimate) - reach), expit(logit(estimate) + reach)
    return jnp.where(jnp.isnan(error), jnp.nan, low), jnp.where(jnp.isnan(error), jnp.nan, high)


def within(low: Array, high: Array, least: Number, most: Number) -> tuple[Array, Array]:
    """Ends of an interval, moved to the nearest values that there are; NaN stays."""
    return jnp.clip(low, least, most), jnp.clip(high, least, most)


def short_repr(result: Any) -> str:
    """A named tuple as text, with no more of its `distribution` than dtypes and shapes."""
    fields = (
        (n, _kinds(v) if n == "distribution" else repr(v))
        for n, v in zip(result._fields, result, strict=True)
    )
    return f"{type(result).__name__}({', '.join(f'{name}={text}' for name, text in fields)})"


def _kinds(distribution: Tree) -> str:
    leaves = jax.tree.leaves(distribution)
    return ", ".join(
        f"{a.dtype}{list(a.shape)}" if hasattr(a, "shape") else repr(a) for a in leaves
    )
