"""Merge the statistics of parts of the data into that of all of them.

A statistic is an array or a tuple of statistics, and mostly a sum. A type of which some field
is something else says so by `reductions`; one whose fields depend on each other has a method
`joined` of its own. Parts are joined here, two by two, or across the devices along an axis.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple, TypeVar, cast

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.bits import float_from_bits, sortable_bits
from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import Compensated, Limbs
from jmetrics._core.types import Value


class Reduction(Enum):
    """How the fields of statistics of parts of the data combine."""

    SUM = "sum over samples"
    COUNT = "sum over samples that decay leaves unchanged"
    LOCATION = "location, which its statistic combines itself"
    MIN = "minimum"
    MAX = "maximum"
    ALL = "whether true in all parts"


Class = TypeVar("Class", bound=type)


def reductions(**fields: Reduction) -> Callable[[Class], Class]:
    """Declare the reductions of the fields of a statistic that are not sums."""

    def note(cls: Class) -> Class:
        cls.REDUCTIONS = fields  # type: ignore[attr-defined]
        return cls

    return note


@exportable
@reductions(valid=Reduction.ALL)
@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class DomainCheck:
    """Whether everything of non-zero weight was in the domain of the metric."""

    valid: Array
    reason: str = field(metadata={"static": True})
    """What the domain is."""

    def apply(self, value: Value) -> Value:
        """Turn one or several values into NaN unless it was."""
        return jax.tree.map(lambda v: check.nan_unless(v, self.valid, self.reason), value)


def apply_checks(value: Value, checks: Iterable[DomainCheck]) -> Value:
    """One or several values, NaN unless all checks hold."""
    for domain in checks:
        value = domain.apply(value)
    return value


@exportable
@reductions(value=Reduction.MAX)
class Maximum(NamedTuple):
    """The largest number of all; −∞ if there is none."""

    value: Array


@exportable
class Tally(NamedTuple):
    """An exact sum of integers and a compensated sum of floats, for counts that may be weighted."""

    integers: Limbs
    floats: Compensated

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: DTypeLike) -> Tally:
        """Return an empty sum."""
        return cls(Limbs.zeros(shape), Compensated.zeros(shape, dtype))

    def plus(self, number: Array) -> Tally:
        """Add numbers."""
        if jnp.issubdtype(number.dtype, jnp.floating):
            return Tally(self.integers, self.floats.plus(number))
        return Tally(self.integers.plus(number), self.floats)

    def merge(self, other: Tally) -> Tally:
        """Add another sum."""
        return Tally(self.integers.merge(other.integers), self.floats.merge(other.floats))

    def psum(self, axis_name: Hashable) -> Tally:
        """Add the sums of all devices."""
        return Tally(self.integers.psum(axis_name), self.floats.psum(axis_name))

    def to_float(self, dtype: DTypeLike) -> Array:
        """Return the sum as floats."""
        return self.integers.to_float(dtype) + self.floats.to_float(dtype)


Exact = Tally | Compensated
"""A sum that does not drift, however many numbers are added."""


def number(value: Array | Exact) -> Array:
    """Return a sum as a plain array."""
    if isinstance(value, Tally):
        return value.to_float(value.floats.total.dtype)
    return value.to_float(value.total.dtype) if isinstance(value, Compensated) else value


def plus(a: Any, b: Any) -> Any:
    """Add two sums or arrays, of which the first decides what it is."""
    if not isinstance(a, Exact):
        return a + number(b)
    return cast(Any, a).merge(b) if isinstance(b, Exact) else a.plus(b)


def scale(value: Any, factor: Array) -> Any:
    """Multiply a sum or an array."""
    if isinstance(value, Tally):
        none = jax.tree.map(jnp.zeros_like, value)
        return none.plus(number(value) * factor)
    return jax.tree.map(lambda a: a * factor, value)


@dataclass(frozen=True)
class Reducer:
    """Reduces parts: those at hand and, along an axis, those of all devices."""

    axis_name: Hashable = None

    def sum(self, values: Iterable[Any]) -> Any:
        """Sum of arrays or sums."""
        total = functools.reduce(plus, values)
        if self.axis_name is None:
            return total
        if isinstance(total, Exact):
            return total.psum(self.axis_name)
        return lax.psum(total, self.axis_name)

    def min(self, values: Iterable[Array]) -> Array:
        """Least of each entry."""
        min = functools.reduce(jnp.minimum, values)
        return min if self.axis_name is None else -_largest(-min, self.axis_name)

    def max(self, values: Iterable[Array]) -> Array:
        """Largest of each entry."""
        max = functools.reduce(jnp.maximum, values)
        return max if self.axis_name is None else _largest(max, self.axis_name)

    def all(self, values: Iterable[Array]) -> Array:
        """Whether each entry is true in all parts."""
        inside = functools.reduce(jnp.logical_and, values)
        if self.axis_name is None:
            return inside
        return lax.psum((~inside).astype(jnp.int32), self.axis_name) == 0

    def of(self, reduction: Reduction, values: Iterable[Any]) -> Any:
        """Reduce values as declared."""
        return {Reduction.MIN: self.min, Reduction.MAX: self.max, Reduction.ALL: self.all}.get(
            reduction, self.sum
        )(values)


def _largest(x: Array, axis_name: Hashable) -> Array:
    """Largest number of all devices, of integers: of floats, `lax.pmax` may lose a NaN."""
    bits = sortable_bits(jnp.where(jnp.isnan(x), jnp.nan, x))
    return float_from_bits(lax.pmax(bits, axis_name), x.dtype)


def join(parts: Iterable[Any], reducer: Reducer) -> Any:
    """Statistic of all parts together."""

    def together(reduction: Reduction, *values: Any) -> Any:
        joined = getattr(values[0], "joined", None)
        return joined(values, reducer) if joined else reducer.of(reduction, values)

    return map_fields(together, *parts, leaf=lambda node: hasattr(node, "joined"))


def merge(a: Any, b: Any) -> Any:
    """Statistic of two sets of samples taken together."""
    return join((a, b), Reducer())


def map_fields(
    function: Callable[..., Any],
    *trees: Any,
    reduction: Reduction = Reduction.SUM,
    leaf: Callable[[Any], bool] = lambda node: False,
) -> Any:
    """Apply `function(kind, *leaves)` to the arrays or sums of statistics of one structure."""
    first = trees[0]
    below = functools.partial(map_fields, function, leaf=leaf)
    if first is None or isinstance(first, Exact) or leaf(first):
        return None if first is None else function(reduction, *trees)
    if isinstance(first, dict):
        return {key: below(*(tree[key] for tree in trees), reduction=reduction) for key in first}
    known: Mapping[str, Reduction] = getattr(first, "REDUCTIONS", {})
    if names := getattr(first, "_fields", tuple(known)):
        fields = {
            name: below(
                *(getattr(tree, name) for tree in trees), reduction=known.get(name, reduction)
            )
            for name in names
        }
        return getattr(first, "_replace", functools.partial(replace, first))(**fields)
    if isinstance(first, tuple):
        return tuple(below(*items, reduction=reduction) for items in zip(*trees, strict=True))
    return function(reduction, *trees)
