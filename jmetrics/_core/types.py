"""Names for what travels through the library."""

from typing import Any, Protocol

from jax import Array
from jax.typing import ArrayLike

Number = ArrayLike
"""A traced option: a Python number or an array without axes."""


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
