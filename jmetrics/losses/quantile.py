"""Losses whose minimisers are quantiles, expectiles, intervals and distributions."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import Array

from jmetrics._core import check
from jmetrics._core.numerics import accumulator, weighted_mean
from jmetrics._core.plan import NONNEGATIVE, declared
from jmetrics._core.quantiles import rising_levels
from jmetrics._core.types import ArrayLike, Number
from jmetrics._core.weights import relative, resolve_exactly
from jmetrics.losses._pinball import KERNELS, smooth_pinball


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="quantiles",
    surrogate_of="mean_pinball_loss",
)
def pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: ArrayLike = 0.5,
    smoothing: Number = 0.0,
    kernel: str = "logistic",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean smoothed pinball loss of predicted quantiles.

    E max(α (u + τ Z), (α − 1) (u + τ Z)) with u = y_true − y_pred, τ = `smoothing` and Z from
    `kernel`: the exact loss of a target with noise τ Z added, so its minimiser is the α-quantile of
    that, biased by −τ² Var(Z) f′ / 2 f for a target of density f. Surrogate of
    `jmetrics.mean_pinball_loss`, never below it, and at most τ E|Z| / 2 above, reached at u = 0: τ
    log 2 ("logistic"), τ / √(2 π) ("gaussian"), τ / 4 ("uniform") or τ / 2 ("laplace"). "huber" is
    below it instead, by at most τ max(α, 1 − α)² / 2: quadratic from (α − 1) τ to α τ. Its
    minimiser is biased to first order in τ, by −τ (2 α − 1) / 2.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predicted quantiles, shape (n,); or of several levels, shape (n, n_levels), over
            which the loss is averaged.
        alpha: Level α in [0, 1], a traced number, or traced levels, shape (n_levels,).
        smoothing: Scale τ of the noise, in units of y, a traced non-negative number; 0 for the
            exact loss.
        kernel: Distribution of the noise: "logistic", "gaussian", "uniform" on [−1, 1] or
            "laplace"; or "huber".
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for `alpha` outside [0, 1] or
        negative `smoothing`.

    Gradient:
        Smooth for positive `smoothing` ("uniform" and "huber": continuous), otherwise that of
        `jmetrics.mean_pinball_loss`; the loss is convex in `y_pred`.

    Cost:
        O(n n_levels) time, no temporary arrays.

    References:
        Zheng (2011) for "logistic"; Fernandes, Guerre & Horta (2021) and He, Pan, Tan & Zhou (2023)
        on smoothing by a kernel; Chen (2007) for "huber".

    Examples:
        >>> float(pinball_loss([1.0, 2.0, 3.0], [0.0, 2.0, 4.0], alpha=0.25))
        0.3333333432674408
        >>> y_pred = [[0.0, 1.0], [2.0, 2.5], [2.0, 4.0]]
        >>> round(float(pinball_loss([1.0, 2.0, 3.0], y_pred, alpha=[0.25, 0.75])), 6)
        0.145833
    """
    check.one_of("kernel", kernel, KERNELS)
    alpha, smoothing = _levels(alpha), check.number("smoothing", smoothing)
    if not isinstance(alpha, float) and alpha.ndim:
        y_true, y_pred = check.columns(y_true, y_pred, len(alpha), "a vector `alpha` of levels")
        arrays = _samples(y_true, y_pred, sample_weight, where)
        return _pinball_loss(*arrays, alpha[None], smoothing, kernel=kernel)
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return _pinball_loss(*arrays, alpha, smoothing, kernel=kernel)


def _levels(alpha: ArrayLike) -> float | Array:
    return check.number_or_vector("alpha", alpha)


def _samples(
    y_true: Array, y_pred: Array, sample_weight: ArrayLike | None, where: ArrayLike | None
) -> tuple[Array, Array, Array | None, Array | None]:
    """Targets, predictions with columns, already checked, weight and mask."""
    truth, weight, mask = check.samples(y_true=y_true, sample_weight=sample_weight, where=where)
    return truth, y_pred, weight, mask


@functools.partial(jax.jit, static_argnames="kernel")
def _pinball_loss(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    alpha: Array,
    smoothing: Array,
    *,
    kernel: str,
) -> Array:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, relative(sample_weight, where), where)
    error = y_true - y_pred if y_pred.ndim == 1 else y_true[:, None] - y_pred
    loss = _pinball(error, alpha, smoothing, kernel)
    return weighted_mean(loss if loss.ndim == 1 else jnp.mean(loss, axis=1), weight, undefined=0.0)


def _pinball(error: Array, alpha: Number, smoothing: Number, kernel: str) -> Array:
    alpha, smoothing = (
        jnp.broadcast_to(jnp.asarray(option, error.dtype), error.shape)
        for option in (alpha, smoothing)
    )
    return smooth_pinball(error, alpha, smoothing, kernel)


@declared(range=NONNEGATIVE, greater_is_better=False, predictions="expectiles")
def expectile_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: Number = 0.5,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean asymmetric squared error, minimised by an expectile as the pinball loss by a quantile.

    Σ w |α − [u < 0]| u² / Σ w with u = y_true − y_pred. For α = ½ it is half the mean squared
    error.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Predicted expectiles, shape (n,).
        alpha: Level α in [0, 1], a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in squared units of y; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for `alpha` outside [0, 1].

    Gradient:
        Continuous, −2 |α − [u < 0]| u per sample, so no smoothing is needed; the loss is convex in
        `y_pred`.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Newey & Powell (1987).

    Examples:
        >>> float(expectile_loss([1.0, 2.0, 3.0], [0.0, 2.0, 5.0], alpha=0.25))
        1.0833333730697632
    """
    arrays = check.samples(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, where=where)
    return _expectile_loss(*arrays, check.number("alpha", alpha))


@jax.jit
def _expectile_loss(
    y_true: Array, y_pred: Array, sample_weight: Array | None, where: Array | None, alpha: Array
) -> Array:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, relative(sample_weight, where), where)
    error, alpha = y_true - y_pred, jnp.asarray(alpha, y_true.dtype)
    alpha = check.nan_unless(alpha, (alpha >= 0) & (alpha <= 1), "`alpha` must be in [0, 1]")
    loss = jnp.where(error >= 0, alpha, 1 - alpha) * jnp.square(error)
    return weighted_mean(loss, weight, undefined=0.0)


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="intervals",
    surrogate_of="interval_score",
)
def interval_score_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: Number = 0.05,
    smoothing: Number = 0.0,
    kernel: str = "logistic",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean smoothed interval score: two pinball losses for the ends of an interval.

    2 / α (ρ_(α/2)(y − l) + ρ_(1−α/2)(y − u)) for the interval [l, u] that should contain y with
    probability 1 − α; ρ is that of `pinball_loss`. Surrogate of `jmetrics.interval_score`, never
    below it, and at most 4 / α times the bound of `pinball_loss` above. Crossed ends have a loss
    too, and a gradient that separates them.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Lower and upper ends of the intervals, shape (n, 2).
        alpha: One minus the nominal coverage, in (0, 1], a traced number.
        smoothing: Scale τ of the noise, in units of y, a traced non-negative number; 0 for the
            exact loss.
        kernel: Distribution of the noise: "logistic", "gaussian", "uniform" on [−1, 1] or
            "laplace"; or "huber".
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for `alpha` outside (0, 1] or
        negative `smoothing`.

    Gradient:
        Smooth for positive `smoothing`; the loss is convex in `y_pred`.

    Cost:
        O(n) time, no temporary arrays.

    References:
        Winkler (1972); Gneiting & Raftery (2007).

    Examples:
        >>> round(float(interval_score_loss([2.0, 5.0], [[1.0, 3.0], [1.0, 3.0]], alpha=0.5)), 6)
        6.0
    """
    check.one_of("kernel", kernel, KERNELS)
    y_true, y_pred = check.columns(y_true, y_pred, 2, "prediction intervals")
    options = check.number("alpha", alpha), check.number("smoothing", smoothing)
    arrays = _samples(y_true, y_pred, sample_weight, where)
    return _interval_score_loss(*arrays, *options, kernel=kernel)


@functools.partial(jax.jit, static_argnames="kernel")
def _interval_score_loss(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    alpha: Array,
    smoothing: Array,
    *,
    kernel: str,
) -> Array:
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, relative(sample_weight, where), where)
    alpha = jnp.asarray(alpha, y_pred.dtype)
    alpha = check.nan_unless(alpha, (alpha > 0) & (alpha <= 1), "`alpha` must be in (0, 1]")
    # The noise is symmetric, ρ_(1−α/2)(u) = ρ_(α/2)(−u): 1 − α/2 would round a small α away.
    error = (y_true[:, None] - y_pred) * jnp.asarray([[1, -1]], y_pred.dtype)
    loss = _pinball(error, alpha / 2, smoothing, kernel)
    return weighted_mean(2 / alpha * jnp.sum(loss, axis=1), weight, undefined=0.0)


@declared(
    range=NONNEGATIVE,
    greater_is_better=False,
    predictions="ensembles",
    surrogate_of="crps_ensemble",
)
def crps_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha: ArrayLike | None = None,
    fair: bool = False,
    smoothing: Number = 0.0,
    kernel: str = "logistic",
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean smoothed continuous ranked probability score (CRPS) of an ensemble or of quantiles.

    Without `alpha` the columns are the members x of an ensemble, in any order: the mean of 2
    ρ_k(y − x_(k)) over the sorted members, at the levels (k − ½) / m, or with `fair`
    (k − 1) / (m − 1). Surrogate of `jmetrics.crps_ensemble`. With `alpha` the columns are quantiles
    of these levels, and the loss is 2 ∫ ρ_α(y − q_α) dα by the trapezoidal rule, as in
    `jmetrics.crps_quantiles`. ρ is that of `pinball_loss`, and the loss differs from the exact one
    by at most twice the bound given there.

    Args:
        y_true: Targets, shape (n,).
        y_pred: Ensemble members or predicted quantiles, shape (n, m).
        alpha: Increasing levels of the quantiles in [0, 1], traced, shape (m,); None for an
            ensemble.
        fair: Whether to use the unbiased (fair) levels of an ensemble; static.
        smoothing: Scale τ of the noise, in units of y, a traced non-negative number; 0 for the
            exact loss.
        kernel: Distribution of the noise: "logistic", "gaussian", "uniform" on [−1, 1] or
            "laplace"; or "huber".
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better.

    Undefined:
        0 with zero gradient if no sample has positive weight; NaN for levels that decrease or lie
        outside [0, 1] and for negative `smoothing`.

    Gradient:
        Smooth for positive `smoothing`, as long as the order of the members does not change.

    Cost:
        O(n m log m) time for an ensemble, O(n m) for quantiles.

    Raises:
        ValueError: If `fair` is given with a single member or with `alpha`.

    References:
        Gneiting & Raftery (2007); Laio & Tamea (2007); Ferro (2014) for `fair`.

    Examples:
        >>> round(float(crps_loss([0.1], [[0.1, 0.3, 0.2]])), 6)
        0.055556
        >>> y_pred = [[1.0, 2.0, 4.0], [0.0, 1.0, 2.0]]
        >>> round(float(crps_loss([2.0, 3.0], y_pred, alpha=[0.25, 0.5, 0.75])), 6)
        0.8125
    """
    check.one_of("kernel", kernel, KERNELS)
    smoothing, fair = check.number("smoothing", smoothing), bool(fair)
    if alpha is None:
        y_true, y_pred = check.ensemble(y_true, y_pred, axes=1, at_least=1 + fair)
    else:
        check.require(not fair, "`fair` is for an ensemble, without `alpha`")
        y_true, y_pred = check.columns(y_true, y_pred, None, "predicted quantiles")
        alpha = check.levels("alpha", alpha, y_pred.shape[1])
    arrays = _samples(y_true, y_pred, sample_weight, where)
    return _crps_loss(*arrays, alpha, smoothing, kernel=kernel, fair=fair)


@functools.partial(jax.jit, static_argnames=("kernel", "fair"))
def _crps_loss(
    y_true: Array,
    y_pred: Array,
    sample_weight: Array | None,
    where: Array | None,
    alpha: Array | None,
    smoothing: Array,
    *,
    kernel: str,
    fair: bool,
) -> Array:
    y_pred = jnp.sort(y_pred, axis=1) if alpha is None else y_pred
    y_true, y_pred, weight = resolve_exactly(y_true, y_pred, relative(sample_weight, where), where)
    m, dtype = y_pred.shape[1], y_pred.dtype
    if alpha is None:
        index = jnp.arange(m).astype(dtype)
        alpha = index / max(m - 1, 1) if fair else (index + 0.5) / m
        fraction = jnp.full(m, 2 / m, dtype)
    else:
        alpha, fraction, rising = rising_levels(alpha.astype(dtype))
        alpha = check.nan_unless(alpha, rising, "`alpha` must rise within [0, 1]")
    loss = _pinball(y_true[:, None] - y_pred, alpha[None], smoothing, kernel)
    return weighted_mean(jnp.sum(fraction[None] * loss, axis=1), weight, undefined=0.0)


def non_crossing_quantiles(raw: ArrayLike) -> Array:
    """Quantiles that do not cross, from any outputs of a model: the first, plus positive steps.

    q_1 = r_1 and q_k = q_(k−1) + log(1 + exp(r_k)).

    Args:
        raw: Outputs r of a model, shape (..., n_levels), levels increasing along the last axis.

    Returns:
        Non-decreasing quantiles along the last axis, with the shape of `raw`.

    Gradient:
        Smooth.

    Cost:
        O(n n_levels) time.

    Raises:
        ValueError: If `raw` has no axis.

    References:
        Gasthaus et al. (2019); Park, Maddix, Aubet et al. (2022).

    Examples:
        >>> non_crossing_quantiles([1.0, 0.0, -100.0])
        Array([1.       , 1.6931472, 1.6931472], dtype=float32)
    """
    raw = check.array("raw", raw)
    check.require(raw.ndim > 0, f"`raw` must have one or more axes, got shape {raw.shape}")
    return _rising(raw.astype(accumulator(raw)))


@jax.jit
def _rising(raw: Array) -> Array:
    steps = jnp.concatenate([raw[..., :1], jax.nn.softplus(raw[..., 1:])], axis=-1)
    return jnp.cumsum(steps, axis=-1)


def crossing_penalty(
    y_pred: ArrayLike,
    *,
    margin: Number = 0.0,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Mean over samples of how far predicted quantiles cross, Σ_k max(q_k − q_(k+1) + margin, 0).

    To be added to a `pinball_loss` of several levels, each with its own output.

    Args:
        y_pred: Predicted quantiles, shape (n, n_levels), levels increasing along the columns.
        margin: Least gap between neighbouring quantiles, in units of y, a traced number.
        sample_weight: Weights, shape (n,).
        where: Mask, shape (n,); samples where it is False are ignored.

    Returns:
        Scalar in [0, ∞), in units of y; lower is better; 0 if nothing crosses.

    Undefined:
        0 with zero gradient if no sample has positive weight.

    Gradient:
        Piecewise constant; smooth in the weights.

    Cost:
        O(n n_levels) time, no temporary arrays.

    References:
        Bondell, Reich & Wang (2010) on quantiles that do not cross.

    Examples:
        >>> float(crossing_penalty([[1.0, 2.0, 1.5], [0.0, 1.0, 2.0]]))
        0.25
    """
    y_pred, sample_weight, where = check.samples(
        y_pred=y_pred, sample_weight=sample_weight, where=where, ndim=(2,)
    )
    return _crossing_penalty(y_pred, sample_weight, where, check.number("margin", margin))


@jax.jit
def _crossing_penalty(
    y_pred: Array, sample_weight: Array | None, where: Array | None, margin: Array
) -> Array:
    y_pred, _, weight = resolve_exactly(y_pred, y_pred, relative(sample_weight, where), where)
    over = jax.nn.relu(y_pred[:, :-1] - y_pred[:, 1:] + jnp.asarray(margin, y_pred.dtype))
    return weighted_mean(jnp.sum(over, axis=1), weight[:, 0], undefined=0.0)
