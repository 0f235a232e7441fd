"""Names for what travels through the library."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import jax
from jax import Array

ArrayLike: TypeAlias = jax.typing.ArrayLike | Sequence[Any]
"""What `jnp.asarray` accepts, lists included."""

Number: TypeAlias = jax.typing.ArrayLike
"""A traced option: a Python number or an array without axes."""

Tree: TypeAlias = Any
"""A tree of arrays, which JAX makes of any container that is registered: no type covers them."""

Value = TypeVar("Value")
"""An array or a tree of arrays: what a metric returns."""


class Metric(Protocol):
    """A function of truth and prediction that takes a weight and a mask."""

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        /,
        *,
        sample_weight: Any = None,
        where: Any = None,
    ) -> Array:
        """Value of the metric."""
        ...
