"""One metric of given samples, for many weights of them.

A resample, a derivative and an exchange of two models are other weights of the same samples.
`problem` checks a call and keeps all of it but the weights; `calls` wraps functions that have no
plan; `routes` finds the cheapest way to the values for other weights.

The routes, in the order in which they are tried. n is the number of samples, B that of resamples,
and a call is one evaluation of the metric with other weights:

| condition                                            | route          | cost                     |
|------------------------------------------------------|----------------|--------------------------|
| `resample="rows"`                                    | `RowCall`      | B calls on gathered rows |
| a plan of nothing but labels, integers or booleans   | `in_cells`     | O(n), then B calls on as |
| of shape (n,), of which there are at most 64         |                | many cells, of unknown   |
| combinations; neither lists nor groups; weights and  |                | labels too               |
| strata, if any, boolean                              |                |                          |
| declared with `presort`, called without options, on  | `SortedMetric` | one sort, then O(n B)    |
| arrays of shape (n,)                                 |                |                          |
| a plan whose statistic is made of sums, floating     | `SummedMetric` | a derivative of each     |
| and at most 32                                       |                | sum, then O(n B)         |
| any other plan                                       | `Plan`         | B calls                  |
| any other function, which must depend on the weights | `Call`         | B calls                  |

Calls run under `vmap`, which computes once what does not depend on the weights, such as a sort of
scores. `influence` and `standard_error` need one derivative of the metric and take no route.
"""
