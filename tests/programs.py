"""What a traced function is made of, and what compiled ones hold."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import jax


def forget_programs() -> None:
    """Drop all that JAX has compiled, and give back its memory, which glibc would keep."""
    jax.clear_caches()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def equations(function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
    """Every equation of a function, with those inside of others."""
    return _within(jax.make_jaxpr(function)(*arguments))


def sorted_shapes(function: Callable[..., Any], *arguments: Any) -> list[tuple[int, ...]]:
    """Shapes of all that a function sorts: `sort_items` in one way on a CPU, in one elsewhere."""
    sorts = (e for e in equations(function, *arguments) if e.primitive.name == "sort")
    return [equation.invars[0].aval.shape for equation in sorts]


def _within(jaxpr: Any) -> Iterator[Any]:
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                if hasattr(inner, "eqns") or hasattr(inner, "jaxpr"):
                    yield from _within(inner)
