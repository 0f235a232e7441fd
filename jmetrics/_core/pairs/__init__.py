"""Weighted sums over pairs of points on a line, in O(n log n) time and O(n) memory.

Σ_j w_j φ((z_i − z_j) / τ) for every point i, by one sort and one pass in each direction; or, for
many points and a smooth φ, by an even grid without a sort.
"""

from jmetrics._core.pairs.kernels import KERNELS as KERNELS
from jmetrics._core.pairs.sums import (
    SortedPoints as SortedPoints,
    arrange as arrange,
    kernel_sum as kernel_sum,
    pair_sum as pair_sum,
    sort_points as sort_points,
)
