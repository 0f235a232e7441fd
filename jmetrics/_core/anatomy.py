"""A metric in its parts: checked arrays, a kernel that measures them, a finisher.

A public function whose statistic can be kept returns a plan of these parts, and `metric` runs
it. What else needs the parts, such as a stream or a bootstrap, asks for the plan instead.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import jax
from jax import Array

from jmetrics._core.weights import relative

Function = TypeVar("Function", bound=Callable[..., Any])

_STATIC = {"static": True}

SAME = 0
"""Instead of a number of classes, for a metric that only asks whether labels are the same."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Step:
    """A function with the options to call it with, of which the numbers are traced."""

    function: Callable[..., Any] = field(metadata=_STATIC)
    traced: tuple[Any, ...]
    static: tuple[tuple[str, Any], ...] = field(metadata=_STATIC)

    @classmethod
    def of(cls, function: Callable[..., Any], *traced: Any, **static: Any) -> Step:
        """Return the step that calls `function(..., *traced, **static)`."""
        return cls(function, traced, tuple(static.items()))

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments, *self.traced, **dict(self.static))


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Plan:
    """How a metric is computed from arrays that are checked."""

    arrays: tuple[Array, Array, Array | None, Array | None]
    """`y_true`, `y_pred`, `sample_weight` and `where`, samples or lists along the first axis."""
    measure: Step
    """Kernel: the four arrays to a statistic."""
    finish: Step
    """Finisher: the statistic to the value of the metric."""
    merges: bool = field(default=True, metadata=_STATIC)
    """Whether the statistics of parts of the data make up that of all, see `merging.join`."""
    labels: int | None = field(default=None, metadata=_STATIC)
    """How many classes a metric of nothing but labels has, `SAME` if it asks only which agree."""
    totals: bool = field(default=False, metadata=_STATIC)
    """Whether the value depends on the sums of weights, not on their ratios alone."""

    def statistic(self) -> Any:
        """Measure the arrays."""
        return self.measure(*self.arrays)

    def value(self) -> Any:
        """Measure the arrays and finish."""
        return self.finish(self.statistic())

    def scaled(self) -> Plan:
        """Return the plan for weights whose sums stay in range, if only their ratios matter."""
        *_, sample_weight, where = self.arrays
        weight = None if self.totals else relative(sample_weight, where)
        return self if weight is None else self.reweighted(weight)

    def reweighted(self, sample_weight: Array) -> Plan:
        """Return the plan for other weights of the same samples."""
        y_true, y_pred, _, where = self.arrays
        return dataclasses.replace(self, arrays=(y_true, y_pred, sample_weight, where))


def plan(
    arrays: Any,
    measure: Step,
    finish: Step,
    *,
    merges: bool = True,
    labels: int | None = None,
    totals: bool = False,
) -> Any:
    """Return a plan, as what a metric returns."""
    return Plan(tuple(arrays), measure, finish, merges, labels, totals)


@dataclass(frozen=True)
class Declaration:
    """What is known of a function besides how to call it."""

    owner: Callable[..., Any]
    """The very function. Wrappers copy attributes of what they wrap, but are another function."""
    plan: Callable[..., Plan] | None = None
    in_order: Callable[[Array, Array], InOrder] | None = None


def declare(function: Callable[..., Any], **known: Any) -> None:
    """Say what is known of a function: fields of its declaration."""
    vars(function)["declaration"] = Declaration(function, **known)


def _declaration(function: Callable[..., Any]) -> Declaration:
    """What was declared of a function; nothing of one that wraps or transforms a metric."""
    found = getattr(function, "declaration", None)
    if isinstance(found, Declaration) and found.owner is function:
        return found
    return Declaration(function)


def metric(planned: Function) -> Function:
    """Make a metric of a function that returns its plan."""

    @functools.wraps(planned)
    def run(*args: Any, **kwargs: Any) -> Any:
        return _run(planned(*args, **kwargs))

    declare(run, plan=planned)
    return cast(Function, run)


@jax.jit
def _run(plan: Plan) -> Any:
    return plan.scaled().value()


def has_plan(function: Callable[..., Any]) -> bool:
    """Whether a function is a metric that can be had in its parts, with or without options."""
    return _declaration(_unbound(function)).plan is not None


def plan_of(function: Callable[..., Any]) -> Callable[..., Plan]:
    """Return the function that makes the plan of a metric, with the arguments of the metric."""
    metric = _unbound(function)
    make = _declaration(metric).plan
    if make is None:
        name = getattr(metric, "__name__", repr(metric))
        raise ValueError(f"`{name}` keeps no statistic that could be merged")
    if isinstance(function, functools.partial):
        return functools.partial(make, *function.args, **function.keywords)
    return make


def _unbound(function: Callable[..., Any]) -> Callable[..., Any]:
    """The metric that `functools.partial` gave options."""
    return function.func if isinstance(function, functools.partial) else function


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class InOrder:
    """A metric for any weights of its samples, in an order in which these are needed."""

    item: Array
    """The sample at each place."""
    legal: Array
    """Whether what is at each place is in the domain of the metric."""
    domain: str = field(metadata=_STATIC)
    weigh: Step
    """Weights by place to the value of the metric, if all that has weight is legal."""


def share_of_pairs(
    in_order: Callable[[Array, Array], InOrder],
) -> Callable[[Function], Function]:
    """Declare what a metric is without options, for labels and scores (n,).

    It is the share of pairs of a positive and a negative that the scores rank right, for which
    there are intervals in closed form, and `in_order` makes it of the two arrays.
    """

    def note(function: Function) -> Function:
        declare(function, in_order=in_order)
        return function

    return note


def in_order_of(function: Callable[..., Any]) -> Callable[[Array, Array], InOrder] | None:
    """Return what sorts the samples of a metric that was declared a share of pairs."""
    return _declaration(function).in_order
