"""Weighted sums over pairs of points on a line, in O(n log n) time and O(n) memory.

For points z with weights w, a kernel φ and a temperature τ, two sums are wanted:

    S_i(φ, w) = Σ_j w_j φ(t_ij)               at every point i                   `kernel_sum`
    T = Σ_{i ∈ Q} Σ_{j ∉ Q} w_i w_j φ(t_ij)   over queries Q and other points    `pair_sum`

with t_ij = (z_i − z_j) / τ. The first gives soft ranks, the second losses of ranking positives
above negatives.

What is summed. On either side of 0 every φ of `kernels` is a power of |t| plus a polynomial in
exp(−|t|), to the precision of floats. Take the points in falling order, and let m ≥ 0 be the gap
from the point before to this one. Sums over all points passed, at distances d, become

    Σ w (d + m) = Σ w d + m Σ w,      Σ w exp(−(d + m) / τ) = exp(−m / τ) Σ w exp(−d / τ),

and so on: linear in the sums at the point before, with factors of the gap alone (`prefix`). A pass
in falling order sees the points with t < 0, and a pass in rising order those with t > 0. Points
that are tied are at distance 0, in whichever pass sees them. For weights of one sign nothing
cancels, whereas z_i Σ w_j − Σ w_j z_j would, for points that are close together and far from 0.

In which order. One weight-independent sort; then runs of at most 128 points, side by side, so that
neither the steps nor the rounding grow with n; then the sums over whole runs are carried to later
ones, by doubling. For a smooth φ and many points in float32 that span few temperatures there
is no sort: the weights are moved to an even grid, convolved with φ and interpolated (`grid`).
Which it is depends on values, so both are in the program and `lax.cond` takes one.

Why derivatives have rules. Differentiating the passes would keep every state for the way back.
But the derivative of a kernel sum is made of kernel sums, of φ′ at the same points. With dots for
tangents,

    Ṡ_i = S_i(φ, ẇ) + (ż_i S_i(φ′, w) − S_i(φ′, w ż)) / τ + τ̇ ∂S_i/∂τ,

where S(φ, w) and S(φ′, w) take one set of passes together. Three functions of `sums` have rules of
their own, nested: the rules of 1 and 2 call 2 and 3, and that of 3 calls 2 for φ′.

1. `_total`, for T. By the above a gradient of T would transpose passes. But T is bilinear: its
   derivative by w_i is S_i over the other side, and by z_i it is w_i S_i(φ′) / τ over the other
   side, with φ taken at −t where i is no query. All this comes from the forward passes.
2. `_sums`, for S: the formula above. It is linear in the tangents through sums that are linear in
   their weights, so that reverse mode transposes passes but never goes through a state's gaps.
3. `_by_scale`, for ∂S/∂τ. To divide all differences by more is to move all points to any centre
   c, ż_i = (c − z_i) / τ, so the formula above would do. Between distant clusters its two terms
   are large and cancel, so the passes are differentiated by τ, gap by gap. The derivative of the
   result, which is of second order, does use the formula.

Hence derivatives of all orders exist, in forward and in reverse mode, where φ has them. Where φ has
a kink, those of its order at tied points depend on the order in which the points are stored: second
ones for "laplace". Tangents that are known to be zero (`symbolic_zeros`) cost no pass.
"""

from jmetrics._core.pairs.kernels import KERNELS as KERNELS
from jmetrics._core.pairs.sums import (
    SortedPoints as SortedPoints,
    arrange as arrange,
    kernel_sum as kernel_sum,
    pair_sum as pair_sum,
    sort_points as sort_points,
)
