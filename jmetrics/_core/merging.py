"""How statistics of parts of the data become that of all of them.

A statistic is an array or a tuple of statistics, and mostly a sum. A type of which some field
is something else says so by `kinds`; one whose fields depend on each other has a method
`joined` of its own. Parts are joined here, two by two, or across the devices along an axis.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar, cast

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike

from jmetrics._core import check
from jmetrics._core.bits import float_from_bits, sortable_bits
from jmetrics._core.exporting import exportable
from jmetrics._core.limbs import Compensated, Limbs

SUM = "sum over samples"
STEADY = "sum that does not fade with time"
PLACE = "place on the line, which is no sum"
LEAST, MOST = "least", "largest"
ALL = "whether it is so in all parts"


Class = TypeVar("Class", bound=type)


def kinds(**fields: str) -> Callable[[Class], Class]:
    """Say which fields of a type of statistics are not sums."""

    def note(cls: Class) -> Class:
        cls.KINDS = fields  # type: ignore[attr-defined]
        return cls

    return note


@exportable
@kinds(inside=ALL)
@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Legal:
    """Whether everything that counted was in the domain of the metric."""

    inside: Array
    reason: str = field(metadata={"static": True})
    """What the domain is."""

    def defined(self, value: Any) -> Any:
        """Turn one or several values into NaN unless it was."""
        return jax.tree.map(lambda v: check.defined(v, self.inside, self.reason), value)


def legal_value(value: Any, conditions: Iterable[Legal]) -> Any:
    """One or several values, NaN unless all was legal."""
    for condition in conditions:
        value = condition.defined(value)
    return value


@exportable
@kinds(number=MOST)
class Most(NamedTuple):
    """The largest number of all; −∞ if there is none."""

    number: Array


@exportable
class Tally(NamedTuple):
    """A sum of integers, exact, and of floats: what is counted may or may not be weighted."""

    whole: Limbs
    rest: Compensated

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: DTypeLike) -> Tally:
        """Return an empty sum."""
        return cls(Limbs.zeros(shape), Compensated.zeros(shape, dtype))

    def plus(self, number: Array) -> Tally:
        """Add numbers."""
        if jnp.issubdtype(number.dtype, jnp.floating):
            return Tally(self.whole, self.rest.plus(number))
        return Tally(self.whole.plus(number), self.rest)

    def merge(self, other: Tally) -> Tally:
        """Add another sum."""
        return Tally(self.whole.merge(other.whole), self.rest.merge(other.rest))

    def psum(self, axis_name: Any) -> Tally:
        """Add the sums of all devices."""
        return Tally(self.whole.psum(axis_name), self.rest.psum(axis_name))

    def to_float(self, dtype: DTypeLike) -> Array:
        """Return the sum as floats."""
        return self.whole.to_float(dtype) + self.rest.to_float(dtype)


Exact = Tally | Compensated
"""A sum that does not drift, however many numbers are added."""


def number(value: Array | Exact) -> Array:
    """Return a sum as a plain array."""
    if isinstance(value, Tally):
        return value.to_float(value.rest.total.dtype)
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
class Union:
    """How parts are taken together: those at hand and, along an axis, those of all devices."""

    axis_name: Any = None

    def sum(self, values: Iterable[Any]) -> Any:
        """Sum of arrays or sums."""
        total = functools.reduce(plus, values)
        if self.axis_name is None:
            return total
        if isinstance(total, Exact):
            return total.psum(self.axis_name)
        return lax.psum(total, self.axis_name)

    def least(self, values: Iterable[Array]) -> Array:
        """Least of each entry."""
        least = functools.reduce(jnp.minimum, values)
        return least if self.axis_name is None else -_largest(-least, self.axis_name)

    def most(self, values: Iterable[Array]) -> Array:
        """Largest of each entry."""
        most = functools.reduce(jnp.maximum, values)
        return most if self.axis_name is None else _largest(most, self.axis_name)

    def all(self, values: Iterable[Array]) -> Array:
        """Whether each entry is true in all parts."""
        inside = functools.reduce(jnp.logical_and, values)
        if self.axis_name is None:
            return inside
        return lax.psum((~inside).astype(jnp.int32), self.axis_name) == 0

    def of(self, kind: str, values: Iterable[Any]) -> Any:
        """Take together what is of one kind."""
        return {LEAST: self.least, MOST: self.most, ALL: self.all}.get(kind, self.sum)(values)


def _largest(x: Array, axis_name: Any) -> Array:
    """Largest number of all devices, of integers: of floats, `lax.pmax` may lose a NaN."""
    bits = sortable_bits(jnp.where(jnp.isnan(x), jnp.nan, x))
    return float_from_bits(lax.pmax(bits, axis_name), x.dtype)


def join(parts: Iterable[Any], union: Union) -> Any:
    """Statistic of all parts together."""

    def together(kind: str, *values: Any) -> Any:
        joined = getattr(values[0], "joined", None)
        return joined(values, union) if joined else union.of(kind, values)

    return map_fields(together, *parts, leaf=lambda node: hasattr(node, "joined"))


def merge(a: Any, b: Any) -> Any:
    """Statistic of two sets of samples taken together."""
    return join((a, b), Union())


def map_fields(
    function: Callable[..., Any],
    *trees: Any,
    kind: str = SUM,
    leaf: Callable[[Any], bool] = lambda node: False,
) -> Any:
    """Apply `function(kind, *leaves)` to the arrays or sums of statistics of one structure."""
    first = trees[0]
    below = functools.partial(map_fields, function, leaf=leaf)
    if first is None or isinstance(first, Exact) or leaf(first):
        return None if first is None else function(kind, *trees)
    if isinstance(first, dict):
        return {key: below(*(tree[key] for tree in trees), kind=kind) for key in first}
    known: Mapping[str, str] = getattr(first, "KINDS", {})
    if names := getattr(first, "_fields", tuple(known)):
        fields = {
            name: below(*(getattr(tree, name) for tree in trees), kind=known.get(name, kind))
            for name in names
        }
        return getattr(first, "_replace", functools.partial(replace, first))(**fields)
    if isinstance(first, tuple):
        return tuple(below(*items, kind=kind) for items in zip(*trees, strict=True))
    return function(kind, *trees)
