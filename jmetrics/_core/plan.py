"""A metric in its parts, and the one record of what it is: range, direction, predictions.

A public function whose statistic can be kept returns a plan of its parts, checked arrays, a
kernel that measures them and a finisher, and `metric` runs it. What else needs the parts, such
as a stream or a bootstrap, asks for the plan instead.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import (
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
)

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jmetrics._core.types import Value

Function = TypeVar("Function", bound=Callable[..., Any])
Parameters = ParamSpec("Parameters")
Options = ParamSpec("Options")
Result = TypeVar("Result")
Statistic = TypeVar("Statistic")

Arrays: TypeAlias = tuple[Array, Array, Array | None, Array | None]
"""`y_true`, `y_pred`, `sample_weight` and `where`, samples or lists along the first axis."""

Ends: TypeAlias = tuple[float | np.ndarray | Array, float | np.ndarray | Array]
"""Least and largest value, infinite where there is none."""

Range: TypeAlias = Ends | tuple[Ends, ...]
"""Ends for every entry of a value, or for each of the arrays that it has."""

Predictions: TypeAlias = Literal[
    "labels",
    "scores",
    "logits",
    "probabilities",
    "lists",
    "numbers",
    "means",
    "linear predictors",
    "quantiles",
    "expectiles",
    "intervals",
    "ensembles",
    "distributions",
]
"""What the second array holds: "lists" are scores of the items of lists, "means" are positive, and
"distributions" are given by their location and a `scale`."""

UNIT = (0.0, 1.0)
SYMMETRIC = (-1.0, 1.0)
NONNEGATIVE = (0.0, math.inf)
AT_MOST_ONE = (-math.inf, 1.0)
REAL = (-math.inf, math.inf)

_STATIC = {"static": True}

SAME = 0
"""Instead of a number of classes, for a metric that only asks whether labels are the same."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Bound(Generic[Parameters, Result]):
    """A function with bound options: numbers are traced, everything else is static."""

    function: Callable[..., Result] = field(metadata=_STATIC)
    traced: tuple[Any, ...]
    static: tuple[tuple[str, Any], ...] = field(metadata=_STATIC)

    @staticmethod
    def of(function: Callable[..., Result], *traced: Any, **static: Any) -> Bound[..., Result]:
        """Bind options: the result calls `function(..., *traced, **static)`."""
        return Bound(function, traced, tuple(static.items()))

    @staticmethod
    def kernel(
        function: Callable[
            Concatenate[Array, Array, Array | None, Array | None, Options], Statistic
        ],
        *traced: Options.args,
        **static: Options.kwargs,
    ) -> Kernel[Statistic]:
        """Bind all options of a kernel."""
        return Bound(function, traced, tuple(static.items()))

    @staticmethod
    def finisher(
        function: Callable[Concatenate[Statistic, Options], Value],
        *traced: Options.args,
        **static: Options.kwargs,
    ) -> Finisher[Statistic, Value]:
        """Bind all options of a finisher."""
        return Bound(function, traced, tuple(static.items()))

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return self.function(*args, *self.traced, **kwargs, **dict(self.static))


Kernel: TypeAlias = Bound[[Array, Array, Array | None, Array | None], Statistic]
"""The four arrays to a statistic."""

Finisher: TypeAlias = Bound[[Statistic], Value]
"""A statistic to the value of a metric."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Plan(Generic[Value]):
    """How a metric is computed from arrays that are checked."""

    arrays: Arrays
    kernel: Kernel[Any]
    finisher: Finisher[Any, Value]
    """Of the statistic that the kernel gives, as `plan` makes sure."""
    merges: bool = field(default=True, metadata=_STATIC)
    """Whether the statistics of parts of the data make up that of all, see `merging.join`."""
    labels: int | None = field(default=None, metadata=_STATIC)
    """How many classes a metric of nothing but labels has, `SAME` if it asks only which agree."""
    proportion: Callable[[Any], tuple[Array, Array]] | None = field(default=None, metadata=_STATIC)
    """Statistic to two counts of samples, of which the value is the fraction hits / total."""

    def statistic(self) -> Any:
        """Measure the arrays."""
        return self.kernel(*self.arrays)

    def value(self) -> Value:
        """Measure the arrays and finish."""
        return self.finisher(self.statistic())

    def reweighted(self, sample_weight: Array) -> Plan[Value]:
        """Return the plan for other weights of the same samples."""
        y_true, y_pred, _, where = self.arrays
        return dataclasses.replace(self, arrays=(y_true, y_pred, sample_weight, where))


def plan(
    arrays: Arrays,
    kernel: Kernel[Statistic],
    finisher: Finisher[Statistic, Value],
    *,
    merges: bool = True,
    labels: int | None = None,
    proportion: Callable[[Statistic], tuple[Array, Array]] | None = None,
) -> Plan[Value]:
    """Return a plan, as what a metric returns."""
    return Plan(arrays, kernel, finisher, merges, labels, proportion)


@dataclass(frozen=True)
class Declaration:
    """The record of a metric or loss.

    What depends on the data or the options is in its plan: whether statistics merge, whether it is
    a proportion, how many classes there are.
    """

    owner: Callable[..., Any]
    """The very function. Wrappers copy attributes of what they wrap, but are another function."""
    range: Range | Callable[..., Range | None] | None = None
    """The closed hull of what the value can be, or a function of those options that it depends
    on, by name."""
    greater_is_better: bool | None = None
    """None where neither greater nor smaller is better."""
    predictions: Predictions | None = None
    smooth_in_weights: bool = True
    """Whether derivatives with respect to the weights tell how it varies with the sample."""
    noise_increases: bool = False
    """Whether noise increases it, as it does a distance from 0, so that resamples lie above it."""
    surrogate_of: str | None = None
    """The metric that a loss stands for."""
    plan: Callable[..., Plan[Any]] | None = None
    presort: Callable[[Array, Array], PresortedMetric] | None = None
    """Makes of two arrays (n,) what the metric is without options: the fraction of pairs of a
    positive and a negative that the scores rank right, for which there are intervals in closed
    form."""


def declare(function: Callable[..., Any], **known: Any) -> None:
    """Say what is known of a function: fields of its declaration."""
    vars(function)["declaration"] = Declaration(function, **known)


def _declaration(function: Callable[..., Any]) -> Declaration:
    """What was declared of a function; nothing of one that wraps or transforms a metric."""
    found = getattr(function, "declaration", None)
    if isinstance(found, Declaration) and found.owner is function:
        return found
    return Declaration(function)


def declaration_of(function: Callable[..., Any]) -> Declaration:
    """Return what was declared of a metric or loss, with or without options."""
    return _declaration(_unbound(function))


def declared(
    *,
    range: Range | Callable[..., Range | None],
    greater_is_better: bool | None,
    predictions: Predictions | None = None,
    smooth_in_weights: bool = True,
    surrogate_of: str | None = None,
    presort: Callable[[Array, Array], PresortedMetric] | None = None,
) -> Callable[[Function], Function]:
    """Declare what is known of a metric or loss that has no plan."""

    def note(function: Function) -> Function:
        declare(
            function,
            range=range,
            greater_is_better=greater_is_better,
            predictions=predictions,
            smooth_in_weights=smooth_in_weights,
            surrogate_of=surrogate_of,
            presort=presort,
        )
        return function

    return note


def metric(
    *,
    range: Range | Callable[..., Range | None],
    greater_is_better: bool | None,
    predictions: Predictions | None = None,
    smooth_in_weights: bool = True,
    noise_increases: bool = False,
) -> Callable[[Callable[Parameters, Plan[Value]]], Callable[Parameters, Value]]:
    """Make a metric of a function that returns its plan."""

    def run_planned(planned: Callable[Parameters, Plan[Value]]) -> Callable[Parameters, Value]:
        @functools.wraps(planned)
        def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Value:
            return _run(planned(*args, **kwargs))

        _annotate_value(run, planned)
        declare(
            run,
            plan=planned,
            range=range,
            greater_is_better=greater_is_better,
            predictions=predictions,
            smooth_in_weights=smooth_in_weights,
            noise_increases=noise_increases,
        )
        return run

    return run_planned


def _annotate_value(run: Callable[..., Any], planned: Callable[..., Any]) -> None:
    """Annotate what runs a plan as returning the value instead of the plan."""
    signature = inspect.signature(planned)
    returns = signature.return_annotation
    if isinstance(returns, str):
        returns = re.sub(r"^Plan\[(.*)\]$", r"\1", returns)
    elif get_origin(returns) is Plan:
        (returns,) = get_args(returns)
    run.__annotations__ = {**planned.__annotations__, "return": returns}
    vars(run)["__signature__"] = signature.replace(return_annotation=returns)


@jax.jit
def _run(plan: Plan[Value]) -> Value:
    return plan.value()


def has_plan(function: Callable[..., Any]) -> bool:
    """Whether a function is a metric that can be had in its parts, with or without options."""
    return declaration_of(function).plan is not None


def plan_of(function: Callable[..., Any]) -> Callable[..., Plan[Any]]:
    """Return the function that makes the plan of a metric, with the arguments of the metric."""
    make = declaration_of(function).plan
    if make is None:
        metric = _unbound(function)
        name = getattr(metric, "__name__", repr(metric))
        raise ValueError(f"`{name}` keeps no statistic that could be merged")
    if isinstance(function, functools.partial):
        return functools.partial(make, *function.args, **function.keywords)
    return make


def is_proportion(function: Callable[..., Any], *arrays: Any, **options: Any) -> bool:
    """Whether a metric of these arrays is a proportion of samples."""
    return has_plan(function) and plan_of(function)(*arrays, **options).proportion is not None


def range_of(
    function: Callable[..., Any], options: Mapping[str, Any] | None = None
) -> Range | None:
    """Return the range of a metric with these options; None where nothing is known of it."""
    metric = _unbound(function)
    declared = _declaration(metric).range
    if not callable(declared):
        return declared
    bound = function.keywords if isinstance(function, functools.partial) else {}
    given = {**bound, **(options or {})}
    defaults = _defaults(metric, declared)
    return declared(**{name: given.get(name, default) for name, default in defaults.items()})


@functools.cache
def _defaults(metric: Callable[..., Any], of_options: Callable[..., Any]) -> dict[str, Any]:
    """The options that a range depends on, as the metric has them."""
    parameters = inspect.signature(metric).parameters
    return {name: parameters[name].default for name in inspect.signature(of_options).parameters}


def including(value: Any, low: float = 0.0, high: float = 1.0) -> Ends:
    """Return the hull of [low, high] and the number that stands for an undefined value.

    Neither NaN nor a string, which says what else is done, is such a number. The value is any that
    a user gives, and checked only when the metric is called.
    """
    if isinstance(value, jax.Array):
        value = value.astype(jnp.result_type(float))
        return jnp.fmin(value, low), jnp.fmax(value, high)
    if isinstance(value, str) or math.isnan(value):
        return low, high
    return min(low, float(value)), max(high, float(value))


def _unbound(function: Callable[..., Any]) -> Callable[..., Any]:
    """The metric that `functools.partial` gave options."""
    return function.func if isinstance(function, functools.partial) else function


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class PresortedMetric:
    """A metric of samples that are sorted once, evaluated for any weights of them."""

    item: Array
    """The sample at each position."""
    valid: Array
    """Whether what is at each position is in the domain of the metric."""
    domain: str = field(metadata=_STATIC)
    evaluate: Bound[..., Array]
    """Weights by position to the value of the metric, if all that has weight is valid."""


def presort_of(function: Callable[..., Any]) -> Callable[[Array, Array], PresortedMetric] | None:
    """Return what sorts the samples of a metric that was declared a Mann-Whitney statistic."""
    return _declaration(function).presort
