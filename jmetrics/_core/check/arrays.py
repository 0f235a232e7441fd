"""Arrays: one shape, real numbers, and the weight and the mask that go with them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core.check.numbers import array, vector
from jmetrics._core.check.options import positive_integer


def samples(
    *,
    sample_weight: Any,
    where: Any,
    ndim: Collection[int] = (1,),
    entry_mask: bool = False,
    **values: Any,
) -> tuple[Any, ...]:
    """Check arrays of one shape with the weight and the mask that go with them.

    Returns the arrays of `values` in order, then `sample_weight` and `where` (or None).
    Both have one entry a sample, along the first axis; with `entry_mask` the mask may also
    have the shape of the arrays.
    """
    arrays, first, shape = _of_one_shape(values)
    if len(shape) not in ndim:
        expected = " or ".join(map(str, ndim))
        raise ValueError(f"`{first}` must have {expected} axes, got shape {shape}")
    weight = _sample_weight(sample_weight, shape)
    masks = (shape[:1], shape) if entry_mask else (shape[:1],)
    return *arrays, weight, _mask(where, masks)


def lists(
    *,
    segment_ids: Any,
    num_segments: Any,
    sample_weight: Any,
    where: Any,
    **values: Any,
) -> tuple[Any, ...]:
    """Check arrays of one shape that hold lists: the rows, or the segments of a flat array.

    Returns the arrays, `sample_weight`, `where`, `segment_ids` (or None), how many lists.
    """
    arrays, first, shape = _of_one_shape(values)
    if (segment_ids is None) != (num_segments is None):
        raise ValueError("`segment_ids` and `num_segments` must be given together")
    axes = 2 if segment_ids is None else 1
    if len(shape) != axes:
        expected = "(n_lists, list_size) without" if axes == 2 else "(n,) with"
        raise ValueError(f"`{first}` must have shape {expected} `segment_ids`, got {shape}")
    if segment_ids is None:
        count, masks = shape[0], [shape, shape[:1]]
    else:
        count, masks = positive_integer("num_segments", num_segments), [shape]
        segment_ids = group_ids("segment_ids", segment_ids, shape)
    weight = _sample_weight(sample_weight, (count,), "list")
    return *arrays, weight, _mask(where, masks), segment_ids, count


def _of_one_shape(values: dict[str, Any]) -> tuple[list[Array], str, tuple[int, ...]]:
    """Return the values as arrays, and the name and shape of the first."""
    arrays = [array(name, value) for name, value in values.items()]
    shapes = {name: a.shape for name, a in zip(values, arrays, strict=True)}
    if len(set(shapes.values())) > 1:
        raise ValueError(f"expected arrays of one shape, got {_listing(shapes)}")
    return arrays, *next(iter(shapes.items()))


def _listing(shapes: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"`{name}` {shape}" for name, shape in shapes.items())


def _sample_weight(
    sample_weight: Any, shape: tuple[int, ...], unit: str = "sample"
) -> Array | None:
    if sample_weight is None:
        return None
    weight = array("sample_weight", sample_weight)
    if weight.shape != shape[:1]:
        raise ValueError(
            f"`sample_weight` must have one entry a {unit}, shape {shape[:1]}, got {weight.shape}"
        )
    return weight


def _mask(where: Any, shapes: Collection[tuple[int, ...]], name: str = "where") -> Array | None:
    if where is None:
        return None
    mask = array(name, where)
    if mask.dtype != jnp.bool_:
        raise TypeError(f"`{name}` must be a boolean array, got {mask.dtype}")
    if mask.shape not in shapes:
        expected = " or ".join(map(str, dict.fromkeys(shapes)))
        raise ValueError(f"`{name}` must have shape {expected}, got {mask.shape}")
    return mask


def masked(name: str, value: Any, mask_name: str, mask: Any) -> tuple[Array, Array | None]:
    """Return an array with one axis and the mask that goes with it."""
    converted = vector(name, value)
    return converted, _mask(mask, (converted.shape,), mask_name)


def resampled(
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
    where: Any,
    name: str = "y_pred",
    *,
    num_lists: int | None = None,
) -> tuple[Array, Array, Array | None, Array | None]:
    """Check what a resample needs to know; the metric itself checks the rest.

    Samples lie along the first axis of everything, or there is one weight for each of so many
    lists that they are items of.
    """
    y_true, y_pred = array("y_true", y_true), array(name, y_pred)
    shapes = {"y_true": y_true.shape, name: y_pred.shape}
    if where is not None:
        where = array("where", where)
        shapes["where"] = where.shape
    if () in shapes.values() or len({shape[0] for shape in shapes.values()}) > 1:
        raise ValueError(f"expected as many samples in each array, got {_listing(shapes)}")
    if num_lists is None:
        weight = _sample_weight(sample_weight, y_true.shape)
    else:
        weight = _sample_weight(sample_weight, (num_lists,), "list")
    return y_true, y_pred, weight, _mask(where, [shapes.get("where", ())])


def columns(y_true: Any, y_pred: Any, count: int | None, meaning: str) -> tuple[Array, Array]:
    """Check that `y_pred` has `count` columns (any number if None) for every entry of `y_true`."""
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    fits = y_pred.ndim == 2 and y_true.shape == y_pred.shape[:1]
    if not fits or (count is not None and y_pred.shape[1] != count):
        raise ValueError(
            f"with {meaning}, `y_true` must have shape (n,) and `y_pred` "
            f"(n, {'n_levels' if count is None else count}); got {y_true.shape} and {y_pred.shape}"
        )
    return y_true, y_pred


def ensemble(y_true: Any, y_pred: Any, *, axes: int, at_least: int) -> tuple[Array, Array]:
    """Check that `y_pred` has members, on its second axis, of what `y_true` has `axes` of."""
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    fits = y_true.ndim == axes and y_pred.ndim == axes + 1
    if not fits or y_pred.shape[:1] + y_pred.shape[2:] != y_true.shape:
        expected = ("(n,)", "(n, n_members)") if axes == 1 else ("(n, d)", "(n, n_members, d)")
        raise ValueError(
            f"`y_true` must have shape {expected[0]} and `y_pred` {expected[1]}; "
            f"got {y_true.shape} and {y_pred.shape}"
        )
    if y_pred.shape[1] < at_least:
        raise ValueError(f"`y_pred` must have {at_least} or more members, got {y_pred.shape[1]}")
    return y_true, y_pred


def class_scores(
    *, y_true: Any, sample_weight: Any, where: Any, **scores: Any
) -> tuple[Array, Array, Array | None, Array | None]:
    """Check scores of shape (n,) for two classes, or (n, n_classes), with what goes with them."""
    ((name, score),) = scores.items()
    y_true, score = array("y_true", y_true), array(name, score)
    fits = y_true.ndim == 1 and score.ndim in (1, 2) and score.shape[:1] == y_true.shape
    if not fits or (score.ndim == 2 and score.shape[1] < 2):
        raise ValueError(
            f"`y_true` must have shape (n,) and `{name}` (n,) for two classes, or (n, n_classes) "
            f"with 2 or more columns; got {y_true.shape} and {score.shape}"
        )
    weight = _sample_weight(sample_weight, y_true.shape)
    return y_true, score, weight, _mask(where, (y_true.shape,))


def one_each(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Return what a function that the user gave makes of arrays: one number for each entry."""
    converted = array(name, value)
    if converted.shape != shape:
        raise ValueError(
            f"`{name}` must return one number an entry, shape {shape}, got {converted.shape}"
        )
    return converted


def group_ids(name: str, value: Any, shape: tuple[int, ...], unit: str = "sample") -> Array:
    """Return the group of each sample, or what `unit` says, a whole number."""
    converted = array(name, value)
    if jnp.issubdtype(converted.dtype, jnp.floating):
        raise TypeError(f"`{name}` must hold whole numbers, got {converted.dtype}")
    if converted.shape != shape:
        raise ValueError(
            f"`{name}` must have one entry a {unit}, shape {shape}, got {converted.shape}"
        )
    return converted.astype(jnp.result_type(int))


def group_count(num_groups: Any, groups: Array) -> int:
    """Return how many groups there are: as said, or as the data show."""
    if num_groups is not None:
        return positive_integer("num_groups", num_groups)
    if isinstance(groups, jax.core.Tracer):
        raise ValueError("`num_groups` must be given where `groups` is traced, as inside `jit`")
    return 1 + int(jnp.max(groups, initial=0))
