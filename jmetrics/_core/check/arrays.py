"""Arrays: one shape, real numbers, and the weight and the mask that go with them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.check.advice import Shape, as_one_list, instead, is_column
from jmetrics._core.check.numbers import NUMBERED, array, fits, vector
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
    have the shape of the arrays. Arrays that must have one axis may all have shape (n, 1), and
    the weight and the mask of any arrays (n, 1) may have that shape too.
    """
    given = _given(values, sample_weight, where)
    arrays, first, shape = _of_one_shape(values, given)
    if 1 in ndim and 2 not in ndim and is_column(shape):
        arrays = [a[:, 0] for a in arrays]
    elif len(shape) not in ndim:
        expected = " or ".join(map(str, ndim)) + (" axis" if ndim == (1,) else " axes")
        raise ValueError(f"`{first}` must have {expected}, got shape {shape}{instead(given)}")
    masks = (shape[:1], shape) if entry_mask else (shape[:1],)
    return *arrays, *_weight_and_mask(given, shape, masks)


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
    given = _given(values, None, where)
    arrays, first, shape = _of_one_shape(values, given)
    if (segment_ids is None) != (num_segments is None):
        raise ValueError("`segment_ids` and `num_segments` must be given together")
    axes = 2 if segment_ids is None else 1
    if len(shape) != axes:
        expected = "(n_lists, list_size) without" if axes == 2 else "(n,) with"
        advice = instead(given) if axes == 1 else as_one_list(given)
        raise ValueError(f"`{first}` must have shape {expected} `segment_ids`, got {shape}{advice}")
    if segment_ids is None:
        count, masks = shape[0], [shape, shape[:1]]
    else:
        count, masks = positive_integer("num_segments", num_segments), [shape]
        segment_ids = group_ids("segment_ids", segment_ids, shape)
    weight = _sample_weight(_optional("sample_weight", sample_weight), (count,), "list")
    return *arrays, weight, _mask(given.get("where"), masks), segment_ids, count


def as_vectors(y_true: Any, y_pred: Any, sample_weight: Any, where: Any) -> tuple[Any, ...]:
    """Return what goes with two arrays (n, 1) as (n,), and anything else as it is."""
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    if y_true.shape == y_pred.shape and is_column(y_true.shape):
        return samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return y_true, y_pred, sample_weight, where


def _given(values: Mapping[str, Any], sample_weight: Any, where: Any) -> dict[str, Array]:
    """Return all that is not None as arrays."""
    named = {**values, "sample_weight": sample_weight, "where": where}
    return {
        name: array(name, a, compared=name in values)
        for name, a in named.items()
        if name in values or a is not None
    }


def _optional(name: str, value: Any) -> Array | None:
    return None if value is None else array(name, value, compared=False)


def _of_one_shape(
    values: Collection[str], given: Mapping[str, Array]
) -> tuple[list[Array], str, Shape]:
    """Return the arrays that are values, and the name and shape of the first."""
    shapes = {name: given[name].shape for name in values}
    if len(set(shapes.values())) > 1:
        listing = _listing(shapes)
        raise ValueError(f"expected arrays of one shape, got {listing}{instead(given)}")
    return [given[name] for name in values], *next(iter(shapes.items()))


def _listing(shapes: dict[str, Shape]) -> str:
    return ", ".join(f"`{name}` {shape}" for name, shape in shapes.items())


def _weight_and_mask(
    given: Mapping[str, Array], shape: Shape, masks: Collection[Shape], wide: str = ""
) -> tuple[Array | None, Array | None]:
    """Return the weight and the mask that go with arrays of a shape, or None."""
    weight, mask = (
        a[:, 0] if a is not None and a.shape == shape and is_column(shape) else a
        for a in (given.get("sample_weight"), given.get("where"))
    )
    otherwise = functools.partial(instead, given, wide)
    return _sample_weight(weight, shape, otherwise=otherwise), _mask(
        mask, masks, otherwise=otherwise
    )


def _sample_weight(
    sample_weight: Array | None,
    shape: Shape,
    unit: str = "sample",
    *,
    otherwise: Callable[[], str] = str,
) -> Array | None:
    """Return a weight with one entry a unit; `otherwise` says how to change all arrays instead."""
    if sample_weight is None:
        return None
    if sample_weight.shape != shape[:1]:
        advice = instead({"sample_weight": sample_weight}, shapes=[shape[:1]]) or otherwise()
        raise ValueError(
            f"`sample_weight` must have one entry a {unit}, shape {shape[:1]}, "
            f"got {sample_weight.shape}{advice}"
        )
    return sample_weight


def _mask(
    where: Array | None,
    shapes: Collection[Shape],
    name: str = "where",
    *,
    otherwise: Callable[[], str] = str,
) -> Array | None:
    """Return a boolean array of one of the shapes; `otherwise` says how to change all instead."""
    if where is None:
        return None
    if where.dtype != jnp.bool_:
        raise TypeError(f"`{name}` must be a boolean array, got {where.dtype}")
    if where.shape not in shapes:
        expected = " or ".join(map(str, dict.fromkeys(shapes)))
        advice = instead({name: where}, shapes=shapes) or otherwise()
        raise ValueError(f"`{name}` must have shape {expected}, got {where.shape}{advice}")
    return where


def masked(name: str, value: Any, mask_name: str, mask: Any) -> tuple[Array, Array | None]:
    """Return an array with one axis and the mask that goes with it."""
    converted = vector(name, value)
    return converted, _mask(_optional(mask_name, mask), (converted.shape,), mask_name)


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
        given = _given({"y_true": y_true}, sample_weight, None)
        weight, _ = _weight_and_mask(given, y_true.shape, ())
    else:
        weight = _sample_weight(_optional("sample_weight", sample_weight), (num_lists,), "list")
    return y_true, y_pred, weight, _mask(where, [shapes.get("where", ())])


def columns(y_true: Any, y_pred: Any, count: int | None, meaning: str) -> tuple[Array, Array]:
    """Check that `y_pred` has `count` columns (any number if None) for every entry of `y_true`."""
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    fits = y_pred.ndim == 2 and y_true.shape == y_pred.shape[:1]
    if not fits or (count is not None and y_pred.shape[1] != count):
        raise ValueError(
            f"with {meaning}, `y_true` must have shape (n,) and `y_pred` "
            f"(n, {'n_levels' if count is None else count}); got {y_true.shape} and {y_pred.shape}"
            f"{_instead_of_truth(y_true, y_pred)}"
        )
    return y_true, y_pred


def _instead_of_truth(y_true: Array, y_pred: Array) -> str:
    """How to give the truth, or both, where predictions have one axis more."""
    truth = {"y_true": y_true}
    return instead(truth, shapes=[y_pred.shape[:1]]) or instead(
        truth | {"y_pred": y_pred}, "y_pred"
    )


def ensemble(y_true: Any, y_pred: Any, *, axes: int, at_least: int) -> tuple[Array, Array]:
    """Check that `y_pred` has members, on its second axis, of what `y_true` has `axes` of."""
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    fits = y_true.ndim == axes and y_pred.ndim == axes + 1
    if not fits or y_pred.shape[:1] + y_pred.shape[2:] != y_true.shape:
        expected = ("(n,)", "(n, n_members)") if axes == 1 else ("(n, d)", "(n, n_members, d)")
        raise ValueError(
            f"`y_true` must have shape {expected[0]} and `y_pred` {expected[1]}; "
            f"got {y_true.shape} and {y_pred.shape}{_instead_of_truth(y_true, y_pred)}"
        )
    if y_pred.shape[1] < at_least:
        raise ValueError(f"`y_pred` must have {at_least} or more members, got {y_pred.shape[1]}")
    return y_true, y_pred


def class_scores(
    *,
    y_true: Any,
    sample_weight: Any,
    where: Any,
    indicators: bool = False,
    entry_mask: bool = False,
    **scores: Any,
) -> tuple[Array, Array, Array | None, Array | None]:
    """Check scores of shape (n,) for two classes, or (n, n_classes), with what goes with them.

    With `indicators` the labels may also be indicators of the shape of the scores, and then
    with `entry_mask` the mask too; without, (n, 1) stands for (n,) where both have it.
    """
    given = _given({"y_true": y_true, **scores}, sample_weight, where)
    (name,) = scores
    labels, score = given["y_true"], given[name]
    shape = labels.shape
    if shape == score.shape and len(shape) == 2 and (indicators or is_column(shape)):
        axes = (2,) if indicators else (1,)
        beside = {"sample_weight": sample_weight, "where": where}
        return samples(**given | beside, ndim=axes, entry_mask=entry_mask)
    fits = labels.ndim == 1 and score.ndim in (1, 2) and score.shape[:1] == shape
    if not fits or (score.ndim == 2 and score.shape[1] < 2):
        both = ", or both (n, n_labels)" if indicators else ""
        raise ValueError(
            f"`y_true` must have shape (n,) and `{name}` (n,) for two classes, or (n, n_classes) "
            f"with 2 or more columns{both}; got {shape} and {score.shape}{instead(given, name)}"
        )
    return labels, score, *_weight_and_mask(given, shape, (shape,), name)


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
    converted = array(name, value, if_wide=NUMBERED)
    if jnp.issubdtype(converted.dtype, jnp.floating):
        raise TypeError(f"`{name}` must hold whole numbers, got {converted.dtype}")
    if converted.shape != shape:
        raise ValueError(
            f"`{name}` must have one entry a {unit}, shape {shape}, got {converted.shape}"
            f"{instead({name: converted}, shapes=[shape])}"
        )
    return converted.astype(jnp.result_type(int))


def any_ids(name: str, value: Any, shape: tuple[int, ...], unit: str) -> Array:
    """Return the group of each sample, for which any whole numbers may stand, booleans too.

    Those of 64 bits, such as hashes, are numbered where JAX has none.
    """
    if not isinstance(value, Array):
        value = np.asarray(value)
        if not fits(value):
            value = np.unique(value, return_inverse=True)[1].astype(np.int32)
    if value.dtype == jnp.bool_ and value.shape == shape:
        return array(name, value)
    return group_ids(name, value, shape, unit)


def group_count(num_groups: Any, groups: Array) -> int:
    """Return how many groups there are: as said, or as the data show."""
    if num_groups is not None:
        return positive_integer("num_groups", num_groups)
    if isinstance(groups, jax.core.Tracer):
        raise ValueError("`num_groups` must be given where `groups` is traced, as inside `jit`")
    return 1 + int(jax.device_get(_largest(groups)))


@jax.jit
def _largest(groups: Array) -> Array:
    return jnp.max(groups, initial=0)
