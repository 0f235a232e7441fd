"""Arrays that explicit axes of a mesh shard, of which JAX asks how each result is to be sharded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax
from jax import Array
from jax.sharding import NamedSharding, PartitionSpec

Function = TypeVar("Function", bound=Callable[..., Any])


def with_auto_axes(function: Function) -> Function:
    """Leave to the compiler how to partition a function, as it does for axes that are automatic.

    For functions that sort, gather, scatter or cumulate along the samples, which JAX refuses for
    explicit axes. Their results are on every device. Other arrays take no notice of it.
    """

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = jax.tree.flatten((args, kwargs))
        arrays = {i: leaf for i, leaf in enumerate(leaves) if isinstance(leaf, Array)}
        meshes = [jax.typeof(a).sharding.mesh for a in arrays.values() if _is_sharded(a)]
        if not meshes:
            return function(*args, **kwargs)

        def of_arrays(arrays: dict[int, Array]) -> Any:
            args, kwargs = jax.tree.unflatten(
                structure, [arrays.get(i, leaf) for i, leaf in enumerate(leaves)]
            )
            return function(*args, **kwargs)

        everywhere = NamedSharding(meshes[0], PartitionSpec())
        return jax.sharding.auto_axes(of_arrays, out_sharding=everywhere)(arrays)

    return cast(Function, run)


def shards(x: Array) -> int:
    """How many parts explicit axes cut the first axis into: 1 without any."""
    return x.shape[0] // jax.typeof(x).sharding.shard_shape(x.shape)[0]


def _is_sharded(x: Array) -> bool:
    return any(axes is not None for axes in jax.typeof(x).sharding.spec)
