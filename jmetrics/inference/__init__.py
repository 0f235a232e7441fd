"""How sure is it: standard errors, intervals and comparisons of any metric."""

from jmetrics.inference._interval import Interval as Interval
from jmetrics.inference.choice import confidence_interval as confidence_interval
from jmetrics.inference.comparison import (
    Comparison as Comparison,
    ModelTable as ModelTable,
    PermutationTest as PermutationTest,
    compare as compare,
    paired_bootstrap as paired_bootstrap,
    permutation_test as permutation_test,
)
from jmetrics.inference.contributions import (
    infinitesimal_jackknife as infinitesimal_jackknife,
    influence as influence,
    jackknife,  # noqa: F401 - deprecated, and not in `__all__`
    standard_error as standard_error,
)
from jmetrics.inference.delong import (
    DelongTest as DelongTest,
    delong_interval as delong_interval,
    delong_test as delong_test,
)
from jmetrics.inference.proportions import proportion_interval as proportion_interval
from jmetrics.inference.resampling import Bootstrap as Bootstrap, bootstrap as bootstrap

__all__ = [
    "Bootstrap",
    "Comparison",
    "DelongTest",
    "Interval",
    "ModelTable",
    "PermutationTest",
    "bootstrap",
    "compare",
    "confidence_interval",
    "delong_interval",
    "delong_test",
    "infinitesimal_jackknife",
    "influence",
    "paired_bootstrap",
    "permutation_test",
    "proportion_interval",
    "standard_error",
]
