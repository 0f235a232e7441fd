"""What to write instead, for arrays with an axis too many: the end of an error message."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterable, Mapping

from jax import Array

Shape = tuple[int, ...]


def is_column(shape: Shape) -> bool:
    """Whether this is one number a sample as neural networks give it."""
    return len(shape) == 2 and shape[1] == 1


def instead(
    given: Mapping[str, Array], wide: str = "", shapes: Collection[Shape] | None = None
) -> str:
    """Say how to give arrays of one length with one axis; nothing where that does not help.

    They lose an axis of length 1, or the axes of the first array become one. The array `wide`
    may have axes behind. What they get must be one of `shapes`, if there are any to get.
    """
    axes = next(iter(given.values())).ndim
    for change in (_without_axis, functools.partial(_flat, axes=axes)):
        changes = {name: change(a.shape) for name, a in given.items()}
        lengths = {left[:1] for _, left in changes.values()}
        ranks = {len(left) for name, (_, left) in changes.items() if name != wide}
        wanted = shapes is None or lengths <= set(shapes)
        if len(lengths) == 1 and ranks <= {1} and wanted:
            return _give(f"`{name}{code}`" for name, (code, _) in changes.items() if code)
    return ""


def as_one_list(given: Mapping[str, Array]) -> str:
    """Say how to give the items of one list as a row; nothing if they are not."""
    if {a.ndim for a in given.values()} != {1}:
        return ""
    return f"{_give(f'`{name}[None]`' for name in given)} for one list"


def _without_axis(shape: Shape) -> tuple[str, Shape]:
    """How to leave out an axis of length 1, and the shape that is left."""
    if is_column(shape):
        return "[:, 0]", shape[:1]
    if len(shape) == 2 and shape[0] == 1:
        return "[0]", shape[1:]
    return "", shape


def _flat(shape: Shape, axes: int) -> tuple[str, Shape]:
    """How to make the first axes one, and the shape that is left."""
    if axes < 2 or len(shape) < axes:
        return "", shape
    behind = shape[axes:]
    return f".reshape({', '.join(map(str, (-1, *behind)))})", (math.prod(shape[:axes]), *behind)


def _give(arrays: Iterable[str]) -> str:
    listed = list(arrays)
    if not listed:
        return ""
    *others, last = listed
    return f": give {', '.join(others)} and {last}" if others else f": give {last}"
