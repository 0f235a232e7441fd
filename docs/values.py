"""Shows what a metric returns: the value, where the source says the plan that computes it."""

from __future__ import annotations

from typing import Any

import griffe


class ValueOfPlan(griffe.Extension):
    """Take `Plan[Array]` for `Array` where the decorator `metric` runs the plan."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Replace the annotation of one function."""
        returns = func.returns
        if (
            isinstance(returns, griffe.ExprSubscript)
            and returns.canonical_path == "jmetrics._core.plan.Plan"
            and "jmetrics._core.plan.metric" in {d.callable_path for d in func.decorators}
        ):
            func.returns = returns.slice
