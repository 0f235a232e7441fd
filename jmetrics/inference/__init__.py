"""How sure is it: standard errors, intervals and comparisons of any metric."""

# intervals      which interval suits a metric: at its head what is tried, in order, and its cost
# resampling     how a metric varies if its data are drawn again
# influences     what each sample contributes, and the standard error that follows
# comparison     whether one model is better than another
# delong         the area under the ROC curve, without resampling
# proportions    a proportion of samples, without resampling
# _reweighting/  one metric for many weights: at its head the fast routes, in order, and their cost
# _drawing/      what is resampled, and how often each of it is drawn
# _endpoints     the ends of an interval from the values in resamples
# _interval      the type of an interval, and normal ones

from jmetrics.inference._interval import Interval as Interval
from jmetrics.inference.comparison import (
    Comparison as Comparison,
    ModelTable as ModelTable,
    PermutationTest as PermutationTest,
    compare as compare,
    paired_bootstrap as paired_bootstrap,
    permutation_test as permutation_test,
)
from jmetrics.inference.delong import (
    DelongTest as DelongTest,
    delong_interval as delong_interval,
    delong_test as delong_test,
)
from jmetrics.inference.influences import (
    infinitesimal_jackknife as infinitesimal_jackknife,
    influence as influence,
    jackknife,  # noqa: F401 - deprecated, and not in `__all__`
    standard_error as standard_error,
)
from jmetrics.inference.intervals import confidence_interval as confidence_interval
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
