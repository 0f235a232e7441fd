"""What users hand in: shapes and types are checked while tracing, values on request.

Only this module raises for user input. Every message names the argument, what came and
what was expected.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.experimental import checkify

from jmetrics._core.types import Number


def array(name: str, value: Any) -> Array:
    """Return `value` as an array of real numbers."""
    _fits(name, value)
    try:
        converted = jnp.asarray(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must be an array of numbers: {error}") from error
    if jnp.issubdtype(converted.dtype, jnp.complexfloating):
        raise TypeError(f"`{name}` must hold real numbers, got {converted.dtype}")
    return converted


def _fits(name: str, value: Any) -> None:
    """Refuse NumPy integers that `jnp.asarray` would wrap around without a word."""
    if not isinstance(value, np.ndarray | np.integer) or value.dtype.kind not in "iu":
        return
    kept = jnp.iinfo(jax.dtypes.canonicalize_dtype(value.dtype))
    wide = value.dtype.itemsize * 8 > kept.bits and value.size > 0
    if wide and (value.min() < kept.min or value.max() > kept.max):
        raise ValueError(
            f"`{name}` holds integers beyond {kept.bits} bits; give floats, or turn on "
            "`jax_enable_x64`"
        )


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


def cutoffs(name: str, value: Any) -> int | tuple[int, ...] | None:
    """Return a static number of places, or several; None stands for all places."""
    if isinstance(value, (tuple, list)):
        require(len(value) > 0, f"`{name}` must have at least one entry, got {value!r}")
        return tuple(positive_integer(name, k) for k in value)
    return None if value is None else positive_integer(name, value)


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


def vector(name: str, value: Any) -> Array:
    """Return an array that must have one axis."""
    converted = array(name, value)
    if converted.ndim != 1:
        raise ValueError(f"`{name}` must have one axis, got shape {converted.shape}")
    return converted


def resampled(
    y_true: Any, y_pred: Any, sample_weight: Any, where: Any
) -> tuple[Array, Array, Array | None, Array | None]:
    """Check what a resample needs to know; the metric itself checks the rest.

    Samples lie along the first axis of everything.
    """
    y_true, y_pred = array("y_true", y_true), array("y_pred", y_pred)
    shapes = {"y_true": y_true.shape, "y_pred": y_pred.shape}
    if where is not None:
        where = array("where", where)
        shapes["where"] = where.shape
    if () in shapes.values() or len({shape[0] for shape in shapes.values()}) > 1:
        raise ValueError(f"expected as many samples in each array, got {_listing(shapes)}")
    weight = _sample_weight(sample_weight, y_true.shape)
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


def split_options(options: dict[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, Any], ...]]:
    """Split the options of a metric: numbers are traced, what picks a branch is static."""
    numbers = (float, np.floating, np.ndarray, jax.Array)
    traced = {k: v for k, v in options.items() if isinstance(v, numbers)}
    return traced, tuple((k, _hashable(v)) for k, v in options.items() if k not in traced)


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def level(name: str, value: Number) -> float | Array:
    """Return a traced share between 0 and 1; a plain number must be one."""
    converted = number(name, value)
    if isinstance(converted, float) and not 0 < converted < 1:
        raise ValueError(f"`{name}` must be between 0 and 1, got {value!r}")
    return converted


def number(name: str, value: Number) -> float | Array:
    """Return a traced option; a plain number stays one, so that its value compiles once."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    converted = array(name, value)
    if converted.shape != ():
        raise ValueError(f"`{name}` must be a single number, got shape {converted.shape}")
    return converted


def number_or_samples(name: str, value: Any, shape: tuple[int, ...]) -> float | Array:
    """Return a traced option that is one number or has one a sample."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    converted = array(name, value)
    if converted.shape not in ((), shape):
        raise ValueError(
            f"`{name}` must be a number or have one entry a sample, shape {shape}, "
            f"got {converted.shape}"
        )
    return converted


def number_for_each(
    name: str, value: Number | Mapping[str, Number], keys: tuple[str, ...]
) -> tuple[float | Array, ...]:
    """Return a traced option for each of `keys`, from a dict with just these or one number."""
    if not isinstance(value, Mapping):
        return (number(name, value),) * len(keys)
    if set(value) != set(keys):
        expected = " and ".join(map(repr, keys))
        raise ValueError(f"`{name}` must be a number or have the keys {expected}, got {value!r}")
    return tuple(number(name, value[key]) for key in keys)


def number_or_vector(name: str, value: Any) -> float | Array:
    """Return a traced option that may have one axis."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    converted = array(name, value)
    if converted.ndim > 1:
        raise ValueError(f"`{name}` must be a number or have one axis, got shape {converted.shape}")
    return converted


def positive_integer(name: str, value: Any) -> int:
    """Return a static count, which must be a whole number of at least 1."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be a whole number, got {value!r}") from None
    if count < 1:
        raise ValueError(f"`{name}` must be at least 1, got {count}")
    return count


def one_of(name: str, value: Any, options: Collection[str | None]) -> None:
    """Raise unless a static option is one of those that exist."""
    if not (isinstance(value, str | None) and value in options):
        raise ValueError(f"`{name}` must be one of {', '.join(map(repr, options))}, got {value!r}")


def fitting_average(average: str | None, shape: tuple[int, ...]) -> None:
    """Raise for a way of averaging that labels of this shape do not have."""
    if average == "samples" and len(shape) == 1:
        raise ValueError(
            f"`average='samples'` needs indicators of shape (n, n_labels), got shape {shape}"
        )
    if average == "binary" and len(shape) == 2:
        raise ValueError(
            f"`average='binary'` needs labels of shape (n,), got indicators of shape {shape}; "
            "choose another `average`"
        )


def class_labels(labels: Any) -> tuple[int, ...] | None:
    """Return static class labels, which must be distinct whole numbers of at least 0."""
    if labels is None:
        return None
    try:
        found = tuple(operator.index(label) for label in labels)
    except TypeError:
        raise TypeError(
            f"`labels` must be a sequence of whole numbers known while tracing, got {labels!r}"
        ) from None
    if not found or min(found) < 0 or len(set(found)) < len(found):
        raise ValueError(f"`labels` must be distinct whole numbers of at least 0, got {labels!r}")
    return found


def column_labels(labels: Any, columns: int) -> tuple[int, ...] | None:
    """Return the static labels of the columns, which must rise."""
    found = class_labels(labels)
    if found is not None and (len(found) != columns or list(found) != sorted(found)):
        raise ValueError(
            f"`labels` must rise, with one for each of the {columns} columns of `y_score`, "
            f"got {labels!r}"
        )
    return found


def class_averages(
    multi_class: str, average: str | None, options: Mapping[str, Collection[str | None]]
) -> None:
    """Raise unless there is a way to score classes, with an average that it has."""
    if multi_class not in options:
        expected = " or ".join(map(repr, options))
        raise ValueError(f"`multi_class` must be {expected} for classes, got {multi_class!r}")
    one_of("average", average, options[multi_class])


def class_pair(labels: Any) -> tuple[int, ...] | None:
    """Return the static labels of the negative and the positive class."""
    found = class_labels(labels)
    if found is not None and len(found) != 2:
        raise ValueError(f"`labels` must be a negative and a positive label, got {labels!r}")
    return found


def class_count(
    num_classes: Any,
    labels: tuple[int, ...] | None,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any = None,
    where: Any = None,
    *,
    exact: bool = False,
) -> int:
    """Return how many classes there are: as said, as `labels` need, or as the data show.

    A number read off the data is rounded up to a power of two unless it must be `exact`, so
    that batches of data share compiled programs.
    """
    if num_classes is not None:
        count = positive_integer("num_classes", num_classes)
        if labels is not None and max(labels) >= count:
            raise ValueError(f"`labels` must be below `num_classes`, {count}, got {labels}")
        return count
    if labels is not None:
        return 1 + max(labels)
    count = _classes_seen(y_true, y_pred, sample_weight, where)
    return count if exact else 1 << (count - 1).bit_length()


def label_count(num_classes: Any, labels: tuple[int, ...] | None, columns: int) -> int:
    """Return how many columns the indicators have, which `num_classes` and `labels` must fit."""
    if num_classes is not None and num_classes != columns:
        raise ValueError(f"`num_classes` must be the {columns} columns, got {num_classes!r}")
    if labels is not None and max(labels) >= columns:
        raise ValueError(f"`labels` must be below the number of columns, {columns}, got {labels}")
    return columns


_MOST_CLASSES = 2**24


def _classes_seen(y_true: Any, y_pred: Any, sample_weight: Any, where: Any) -> int:
    """One more than the largest label that counts; what is traced of the rest counts."""
    concrete = [None if isinstance(a, jax.core.Tracer) else a for a in (sample_weight, where)]
    try:
        with jax.ensure_compile_time_eval():
            arrays = [None if a is None else jnp.asarray(a) for a in (y_true, y_pred, *concrete)]
            count = 1 + int(_largest_label(*arrays))
    except jax.errors.ConcretizationTypeError:
        raise ValueError(
            "`num_classes` must be given where `y_true` and `y_pred` are traced, as inside `jit`"
        ) from None
    if count > _MOST_CLASSES:
        raise ValueError(f"`num_classes` must be given for labels as large as {count - 1}")
    return count


@jax.jit
def _largest_label(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None
) -> Array:
    counts = jnp.ones(y_true.shape, jnp.bool_) if where is None else where
    if sample_weight is not None:
        counts = counts & (sample_weight != 0)

    def largest(labels: Array) -> Array:
        on = counts
        if jnp.issubdtype(labels.dtype, jnp.floating):
            if jnp.finfo(labels.dtype).bits < 32:
                labels = labels.astype(jnp.float32)
            on = on & (jnp.abs(labels) < 2.0**31)
        whole = jnp.where(on, labels, jnp.zeros_like(labels)).astype(jnp.result_type(int))
        return jnp.max(whole, initial=0)

    return jnp.maximum(largest(y_true), largest(y_pred))


def table_size(num_classes: int) -> int:
    """Return a number of classes, all pairs of which an int32 must be able to number."""
    if num_classes**2 >= 2**31:
        raise ValueError(f"`num_classes` must be at most 46340 for a table, got {num_classes}")
    return num_classes


def flag_or_auto(name: str, value: Any, *, auto: bool) -> bool:
    """Return a static flag, for which "auto" stands for what suits the shapes."""
    if isinstance(value, str) and value == "auto":
        return auto
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"`{name}` must be True, False or 'auto', got {value!r}")


def require(condition: bool, message: str) -> None:
    """Raise for static options that do not go together."""
    if not condition:
        raise ValueError(message)


def one_each(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Return what a function that the user gave makes of arrays: one number for each entry."""
    converted = array(name, value)
    if converted.shape != shape:
        raise ValueError(
            f"`{name}` must return one number an entry, shape {shape}, got {converted.shape}"
        )
    return converted


def levels(name: str, value: Any, count: int) -> Array:
    """Return `count` traced levels, one for each column of the predictions."""
    converted = array(name, value)
    if converted.shape != (count,):
        raise ValueError(
            f"`{name}` must have one entry a column of `y_pred`, shape {(count,)}, "
            f"got {converted.shape}"
        )
    return converted


def group_ids(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Return the group of each sample, a whole number."""
    converted = array(name, value)
    if jnp.issubdtype(converted.dtype, jnp.floating):
        raise TypeError(f"`{name}` must hold whole numbers, got {converted.dtype}")
    if converted.shape != shape:
        raise ValueError(
            f"`{name}` must have one entry a sample, shape {shape}, got {converted.shape}"
        )
    return converted.astype(jnp.result_type(int))


def output_weights(
    multioutput: Any, shape: tuple[int, ...], options: Collection[str]
) -> tuple[str, Array | None]:
    """Split `multioutput` into the static way of averaging and traced weights of outputs."""
    if isinstance(multioutput, str):
        one_of("multioutput", multioutput, options)
        return multioutput, None
    weights = array("multioutput", multioutput)
    if len(shape) < 2 or weights.shape != shape[1:]:
        raise ValueError(
            f"`multioutput` as weights needs one entry an output of a target with 2 axes; "
            f"got shape {weights.shape} for a target of shape {shape}"
        )
    return "weights", weights


def defined(value: Array, inside: Array, reason: str) -> Array:
    """Turn `value` into NaN, with NaN gradient, wherever `inside` is False.

    Integers, which have no NaN, become the least there is. Under `checked` the call raises
    with `reason` instead. Otherwise this costs one select.
    """
    checkify.debug_check(jnp.all(inside), reason)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.where(inside, value, jnp.iinfo(value.dtype).min)
    return value * jnp.where(inside, jnp.ones_like(value), jnp.full_like(value, jnp.nan))


def checked(metric: Callable[..., Any]) -> Callable[..., Any]:
    """Make a metric raise where it would answer NaN because a value is out of its domain.

    Wraps any function of this library, or any function that calls some, jitted or not.

    Shapes: those of `metric`; the result is the same.
    Raises: ValueError with the reason. Inside someone else's `jit` the error is raised by
    the running program, and JAX wraps it in its own runtime error; the reason is in the text.
    Cost: that of `metric`, plus one host synchronisation a call.
    Source: `jax.experimental.checkify`, which this puts to use.

    >>> import jmetrics
    >>> jmetrics.checked(jmetrics.log_loss)([0, 1], [0.5, 1.5])
    Traceback (most recent call last):
        ...
    ValueError: `y_proba` must be probabilities in [0, 1]
    """

    @functools.wraps(metric)
    def run(*args: Any, **kwargs: Any) -> Any:
        call = checkify.checkify(lambda: metric(*args, **kwargs), errors=checkify.user_checks)
        error, value = call()
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(error)):
            jax.debug.callback(_raise, error)
        else:
            _raise(error)
        return value

    return run


def _raise(error: checkify.Error) -> None:
    message = error.get()
    if message:
        raise ValueError(message.removesuffix(" (`check` failed)"))
