"""Data for the laws, and the calls that they share.

The laws share a few shapes, N samples and K of them kept, so that each case compiles
little: mostly one function that gives the value and both gradients.
"""

from __future__ import annotations

import functools
import inspect
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tests.row import SUPPORT, TOTAL, Case

N, K = 24, 16


class Data(NamedTuple):
    y_true: Any
    y_pred: Any
    weight: Any
    where: Any

    def at(self, index: Any) -> Data:
        return Data(*[a[index] for a in self])

    def convert(self, change: Callable[[Any], Any]) -> Data:
        """Change everything but the mask."""
        return Data(change(self.y_true), change(self.y_pred), change(self.weight), self.where)

    def astype(self, dtype: Any) -> Data:
        return self.convert(lambda a: a.astype(dtype))


class Result(NamedTuple):
    value: Any
    by_pred: np.ndarray
    by_weight: np.ndarray

    def at(self, index: Any) -> Result:
        return Result(self.value, self.by_pred[index], self.by_weight[index])


def sample(case: Case, n: int = N, seed: int = 0, dtype: Any = np.float32) -> Data:
    """Data with weights of a few binary digits, nothing masked."""
    rng = rng_of(case, seed)
    y_true, y_pred = case.make(rng, n)
    weight = rng.integers(1, 12, n) / 4
    return Data(y_true, y_pred, weight, np.ones(n, bool)).astype(dtype)


def rng_of(case: Case, seed: int = 0) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(case.name.encode()), seed])


def some(case: Case) -> np.ndarray:
    """A mask that keeps K of N samples, the first two among them."""
    mask = np.arange(N) < 2
    mask[2 + rng_of(case, 1).permutation(N - 2)[: K - 2]] = True
    return mask


def evaluate(case: Case, data: Data) -> Result:
    """Value and gradients, with every argument traced."""
    return jax.tree.map(np.asarray, compiled(case)(*data))


@functools.cache
def compiled(case: Case) -> jax.stages.Wrapped:
    """Value and gradients as one jitted function of the arrays."""

    @jax.jit
    def run(y_true: Array, y_pred: Array, weight: Array, where: Array) -> Result:
        def total(y_pred: Array, weight: Array) -> tuple[Array, Any]:
            value = case(y_true, y_pred, sample_weight=weight, where=where)
            return blend(value), value

        gradients = jax.value_and_grad(total, argnums=(0, 1), has_aux=True)
        (_, value), (by_pred, by_weight) = gradients(y_pred, weight)
        return Result(value, by_pred, by_weight)

    return run


def forget_compiled() -> None:
    """Drop the programs that `evaluate` holds."""
    compiled.cache_clear()


def blend(value: Any) -> Any:
    """One number that depends on each entry of a value in its own way."""
    return sum(
        jnp.sum(leaf * jnp.linspace(1, 2, leaf.size, dtype=leaf.dtype).reshape(leaf.shape))
        for leaf in jax.tree.leaves(value)
    )


def sums(case: Case, value: Any) -> Any:
    """Which parts of a value are sums over samples: all, the last, or none."""
    leaves, structure = jax.tree.flatten(value)
    first = 0 if TOTAL in case.traits else len(leaves) - (SUPPORT in case.traits)
    return jax.tree.unflatten(structure, [i >= first for i in range(len(leaves))])


def eager(case: Case, data: Data, **arguments: Any) -> Any:
    """The call of a user who has a weight and a mask."""
    y_true, y_pred, weight, where = data
    return case(y_true, y_pred, **{"sample_weight": weight, "where": where, **arguments})


def garbage(case: Case) -> Iterator[tuple[float, float]]:
    """Pairs to overwrite y_true and y_pred with where they do not count."""
    yield from ((bad, bad) for bad in (np.nan, np.inf, -np.inf))
    yield from finite_garbage(case)


def finite_garbage(case: Case) -> Iterator[tuple[float, float]]:
    first, second = names(case)
    yield -3.5, 1e30
    for outside in case.outside:
        if outside.argument in (first, second) and np.isfinite(outside.value):
            yield outside.value, outside.value


def names(case: Case) -> list[str]:
    """What the metric calls its two arrays."""
    return list(inspect.signature(case.row.metric).parameters)[:2]


def overwrite(data: Data, off: np.ndarray, bad: tuple[float, float]) -> Data:
    y_true, y_pred = data.y_true.copy(), data.y_pred.copy()
    y_true[off], y_pred[off] = bad
    return data._replace(y_true=y_true, y_pred=y_pred)
