"""What users hand in: shapes and types are checked while tracing, values on request.

Only this package raises for user input. Every message names the argument, what came and
what was expected.
"""

from jmetrics._core.check.advice import instead as instead
from jmetrics._core.check.arrays import (
    any_ids as any_ids,
    as_vectors as as_vectors,
    class_scores as class_scores,
    columns as columns,
    ensemble as ensemble,
    group_count as group_count,
    group_ids as group_ids,
    lists as lists,
    masked as masked,
    one_each as one_each,
    resampled as resampled,
    samples as samples,
)
from jmetrics._core.check.classes import (
    class_averages as class_averages,
    class_count as class_count,
    class_labels as class_labels,
    class_pair as class_pair,
    column_labels as column_labels,
    fitting_average as fitting_average,
    label_count as label_count,
    table_size as table_size,
)
from jmetrics._core.check.numbers import NUMBERED as NUMBERED, array as array, vector as vector
from jmetrics._core.check.options import (
    PLAIN as PLAIN,
    cutoffs as cutoffs,
    default_key as default_key,
    flag_or_auto as flag_or_auto,
    level as level,
    levels as levels,
    number as number,
    number_for_each as number_for_each,
    number_or_samples as number_or_samples,
    number_or_vector as number_or_vector,
    one_of as one_of,
    output_weights as output_weights,
    positive_integer as positive_integer,
    random_key as random_key,
    require as require,
    split_options as split_options,
)
from jmetrics._core.check.tracing import TracingMode as TracingMode
from jmetrics._core.check.values import (
    checked as checked,
    nan_unless as nan_unless,
    unchecked as unchecked,
)
