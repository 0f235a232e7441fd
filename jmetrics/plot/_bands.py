"""Bootstrap bands of curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike as Grid

from jmetrics.inference import Interval, bootstrap
from jmetrics.plot._style import curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ENTRIES = 50_000_000
_FEWEST = 50


class Data(NamedTuple):
    """Targets and predictions, and how to resample them."""

    y_true: Any
    y_pred: Any
    key: Array | None
    n_resamples: int
    confidence_level: float
    groups: Any
    sample_weight: Any
    where: Any

    @property
    def weighted(self) -> dict[str, Any]:
        """Weight and mask, as every metric takes them."""
        return {"sample_weight": self.sample_weight, "where": self.where}

    def resampled(self, metric: Callable[..., Any], **options: Any) -> Any:
        """Estimate and interval of a metric; fewer resamples of very many samples.

        A standard error takes fewer of them than a quantile does. Without any, the interval
        has no width.
        """
        if self.n_resamples == 0:
            value = metric(self.y_true, self.y_pred, **self.weighted, **options)
            return Interval(value, value, value, jnp.zeros_like(value), "none")
        size = np.size(self.y_pred)
        fewer = min(self.n_resamples, max(_FEWEST, _ENTRIES // max(size, 1)))
        return bootstrap(
            jax.random.key(0) if self.key is None else self.key,
            metric,
            self.y_true,
            self.y_pred,
            n_resamples=fewer,
            confidence_level=self.confidence_level,
            method="percentile" if fewer == self.n_resamples else "normal",
            groups=self.groups,
            **self.weighted,
            **options,
        )

    def band(self, metric: Callable[..., Any], grid: Grid) -> Any:
        """Estimate and interval of a metric at each point of `grid`; None without resamples."""
        if self.n_resamples == 0:
            return None
        return self.resampled(metric, grid=np.asarray(grid, np.float32))


def draw(ax: Axes, x: Any, y: Any, grid: Any, band: Any, label: str | None, **options: Any) -> None:
    """Draw a curve with its band, if it has one."""
    color = curve(ax, x, y, label, **options)
    if band is not None:
        low, high = (np.asarray(end) for end in (band.low, band.high))
        ax.fill_between(grid, low, high, color=color, alpha=0.2, linewidth=0)
