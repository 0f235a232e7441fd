"""Several streams that are updated together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from jmetrics._core.types import ArrayLike
from jmetrics.streaming.streams import State, Stream


@dataclass(frozen=True, eq=False)
class Collection:
    """Several streams that are updated together; `collection` makes it."""

    streams: Mapping[str, Stream]
    held: Mapping[str, str]
    """The stream that holds the statistic of each."""

    @property
    def supports_decay(self) -> bool:
        """Whether accumulated weights can be rescaled (decay)."""
        return all(stream.supports_decay for stream in self.streams.values())

    def init(self) -> State:
        """States of no data."""
        return {name: self.streams[name].init() for name in self._holders()}

    def update(
        self,
        state: State,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        **arrays: Any,
    ) -> State:
        """States with a batch added."""
        arrays |= {"sample_weight": sample_weight, "where": where}
        return {
            name: self.streams[name].update(state[name], y_true, y_pred, **arrays)
            for name in self._holders()
        }

    def merge(self, a: State, b: State) -> State:
        """States of the batches of both."""
        return {name: self.streams[name].merge(a[name], b[name]) for name in self._holders()}

    def compute(self, state: State) -> dict[str, Any]:
        """Value of each metric."""
        return {name: s.compute(state[self.held[name]]) for name, s in self.streams.items()}

    def reduce(self, state: State, axis_name: Hashable) -> State:
        """States of the batches of all devices along an axis."""
        return {name: self.streams[name].reduce(state[name], axis_name) for name in self._holders()}

    def _holders(self) -> list[str]:
        return [name for name, holder in self.held.items() if name == holder]


def collection(streams: Mapping[str, Stream]) -> Collection:
    """Make one stream of several, by name: one update, and shared statistics are kept once.

    Args:
        streams: Streams by name, which all take the same arrays.

    Returns:
        A stream. Its state is a dict of the states that are not shared, its value a dict with every
        name.

    Cost:
        One update for each different statistic.

    References:
        `torchmetrics.MetricCollection` with compute groups.

    Examples:
        >>> from jmetrics import f1_score, precision_score, streaming
        >>> streams = streaming.collection(
        ...     {"f1": streaming.stream(f1_score), "precision": streaming.stream(precision_score)}
        ... )
        >>> state = streams.update(streams.init(), [0, 1, 1], [1, 1, 1])
        >>> {name: round(float(value), 3) for name, value in streams.compute(state).items()}
        {'f1': 0.8, 'precision': 0.667}
        >>> list(state)
        ['f1']
    """
    holders: dict[Hashable, str] = {}
    held = {}
    for name, each in streams.items():
        key = each.key() if hasattr(each, "key") else id(each)
        held[name] = holders.setdefault(key, name)
    return Collection(dict(streams), held)
