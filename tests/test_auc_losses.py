"""Losses over pairs at extreme scores, at their limits, and beside one another."""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import metrics as sk

from jmetrics import losses, roc_auc_score
from tests.compare import assert_same, assert_zero
from tests.oracles import auc_losses as oracles
from tests.programs import sorted_shapes
from tests.row import binary, tied_scores

N = 300
SURROGATES = (*oracles.PENALTIES, "auc_margin")

LAWS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "normal": lambda rng, y: y + rng.normal(size=N),
    "saturated": lambda rng, y: 1e4 * np.where(y, 1, -1) * rng.choice([1, 1, -1], N),
    "right by far": lambda rng, y: 6 * y + rng.normal(size=N),
    "offset": lambda rng, y: 1e6 + y + rng.normal(size=N),
    "all equal": lambda rng, y: np.full(N, 0.7),
    "two clusters": lambda rng, y: 1000 * rng.choice([-1, 1], N) + y + rng.normal(size=N),
}
TOO_FAR = {"saturated", "two clusters"}
"""Where exp of a difference of scores overflows."""


def slopes(s: np.ndarray, y: np.ndarray, surrogate: str, margin: float) -> np.ndarray:
    """Gradient of the mean over pairs, in double precision."""
    s = s.astype(np.float64)
    t = s[:, None] - s[None]
    pairs = np.outer(y == 1, y == 0) / (np.sum(y == 1) * np.sum(y == 0))
    if surrogate == "auc_margin":
        of_y = [np.where(y == c, (s - np.mean(s[y == c])) / np.sum(y == c), 0) for c in (0, 1)]
        gap = np.mean(s[y == 1]) - np.mean(s[y == 0])
        side = np.where(y == 1, 1 / np.sum(y == 1), -1 / np.sum(y == 0))
        return 2 * (of_y[0] + of_y[1]) - 2 * max(margin - gap, 0) * side
    tail = np.exp(-np.abs(t))
    slope = {
        "squared_hinge": lambda: -2 * np.maximum(margin - t, 0),
        "hinge": lambda: -1.0 * (margin - t > 0),
        "square": lambda: -2 * (margin - t),
        "logistic": lambda: -oracles.PENALTIES["sigmoid"](t, 0, 1),
        "sigmoid": lambda: -tail / (1 + tail) ** 2,
        "exponential": lambda: -np.exp(-t),
        "laplace": lambda: -tail / 2,
    }[surrogate]()
    return np.sum(pairs * slope, axis=1) - np.sum(pairs * slope, axis=0)


@pytest.mark.parametrize("surrogate", SURROGATES)
def test_extreme_scores(surrogate: str, rng: np.random.Generator) -> None:
    """Value within 5e-6, norm of the gradient's error within 2e-6 of its own; NaN masked."""
    loss = functools.partial(losses.auc_loss, surrogate=surrogate)
    evaluate = jax.jit(jax.value_and_grad(loss, argnums=1))
    y = binary(rng, N).astype(np.float32)
    where = np.arange(N + 9) < N
    for law, make in LAWS.items():
        s = make(rng, y).astype(np.float32)
        if surrogate == "exponential" and law in TOO_FAR:
            continue
        padded = (np.append(a, np.full(9, np.nan, np.float32)) for a in (y, s))
        value, gradient = evaluate(*padded, margin=0.3, where=where)
        assert_zero(gradient[N:], "gradient under the mask")
        expected = oracles.auc_loss(y, s, surrogate=surrogate, margin=0.3)
        np.testing.assert_allclose(value, expected, rtol=5e-6, atol=1e-30, err_msg=law)
        reference = slopes(s, y, surrogate, 0.3)
        off, size = np.linalg.norm(gradient[:N] - reference), np.linalg.norm(reference)
        assert off <= 2e-6 * size + 1e-30, (law, off / size)


def test_a_million_scores() -> None:
    """Against sums of powers, which are exact enough in double precision."""
    rng = np.random.default_rng(3)
    y, s = rng.random(1_000_000) < 0.4, rng.normal(size=1_000_000).astype(np.float32)
    loss = functools.partial(losses.auc_loss, margin=0.5)
    value, gradient = jax.jit(jax.value_and_grad(loss, argnums=1))(y, s)
    z = s.astype(np.float64) - 0.5 * y
    item = np.argsort(-z)
    positive, z = y[item], z[item]
    n0, n1, n2 = (np.cumsum(~positive * z**p) for p in range(3))
    p0, p1 = (np.cumsum((positive * z**p)[::-1])[::-1] for p in range(2))
    pairs = float(y.sum()) * (~y).sum()
    expected = np.sum(positive * (n2 - 2 * z * n1 + z**2 * n0)) / pairs
    assert float(value) == pytest.approx(expected, rel=1e-6)
    slope = np.where(positive, -2 * (n1 - z * n0), 2 * (z * p0 - p1)) / pairs
    off = np.linalg.norm(np.asarray(gradient, np.float64)[item] - slope)
    assert off <= 2e-6 * np.linalg.norm(slope)


@pytest.mark.parametrize("surrogate", ["squared_hinge", "laplace", "logistic", "sigmoid"])
@pytest.mark.parametrize(
    "loss", [losses.auc_loss, functools.partial(losses.p_norm_push_loss, power=1)]
)
def test_a_million_tied_scores(loss: Callable[..., jax.Array], surrogate: str) -> None:
    """Equal weights at one place, added up one by one, would all be rounded the same way.

    The push of power 1 is the same loss, but differentiates through the sums of each negative.
    """
    rng, n, temperature = np.random.default_rng(4), 1_000_000, 1e-3
    y, level = rng.random(n) < 0.9, rng.integers(0, 100, n)
    loss = functools.partial(loss, surrogate=surrogate, temperature=temperature)
    gradient = jax.jit(jax.grad(loss, argnums=1))(y, (level / 100).astype(np.float32))
    places = np.arange(100, dtype=np.float32) / np.float32(100)
    positives, negatives = (np.bincount(level[y == c], minlength=100) for c in (True, False))
    t = places[:, None].astype(np.float64) - places
    tail = np.exp(-np.abs(t) / temperature)
    slope = {
        "squared_hinge": lambda: -2 * np.maximum(1 - t, 0),
        "laplace": lambda: -tail / 2 / temperature,
        "logistic": lambda: -np.where(t < 0, 1, tail) / (1 + tail) / temperature,
        "sigmoid": lambda: -tail / (1 + tail) ** 2 / temperature,
    }[surrogate]()
    pairs = float(y.sum()) * (~y).sum()
    expected = np.where(y, (slope @ negatives)[level], -(positives @ slope)[level]) / pairs
    off = np.linalg.norm(np.asarray(gradient, np.float64) - expected)
    assert off <= 2e-6 * np.linalg.norm(expected)


MANY: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "normal": lambda rng, y: y + rng.normal(size=y.size),
    "right by far": lambda rng, y: 9 * y + rng.normal(size=y.size),
    "offset": lambda rng, y: 1e6 + y + rng.normal(size=y.size),
    "tied": lambda rng, y: 0.37 * np.round(y + rng.normal(size=y.size)),
    "two clusters": lambda rng, y: 12 * rng.choice([-1, 1], y.size) + y + rng.normal(size=y.size),
    "saturated": lambda rng, y: 1e4 * np.where(y, 1, -1) * rng.choice([1, 1, -1], y.size),
}


@pytest.mark.parametrize("surrogate", ["logistic", "sigmoid"])
def test_many_scores(surrogate: str, rng: np.random.Generator) -> None:
    """To the same bounds, most of them without a sort: that is one side of a choice."""
    n = 5000
    loss = functools.partial(losses.auc_loss, surrogate=surrogate)
    evaluate = jax.jit(jax.value_and_grad(loss, argnums=1))
    y, weight = binary(rng, n), rng.choice([0.37, 1, 2.5], n).astype(np.float32)
    for law, make in MANY.items():
        s = make(rng, y).astype(np.float32)
        value, gradient = evaluate(y, s, sample_weight=weight)
        expected, reference = in_double(y == 1, s, weight, surrogate)
        assert float(value) == pytest.approx(expected, rel=5e-6), law
        off, size = np.linalg.norm(gradient - reference), np.linalg.norm(reference)
        assert off <= 2e-6 * size + 1e-30, (law, off / size)
    program = jax.make_jaxpr(loss)(y, s).jaxpr
    (whole,) = (
        e.params["jaxpr"].jaxpr for e in program.eqns if e.params.get("name") == "_auc_loss"
    )
    names = [e.primitive.name for e in whole.eqns]
    assert "cond" in names and "sort" not in names


def in_double(
    positive: np.ndarray, s: np.ndarray, weight: np.ndarray, surrogate: str
) -> tuple[float, np.ndarray]:
    """Value and gradient of the mean over pairs."""
    s, w = s.astype(np.float64), weight.astype(np.float64)
    t = s[positive, None] - s[~positive]
    pairs = np.outer(w[positive], w[~positive]) / (w[positive].sum() * w[~positive].sum())
    tail = np.exp(-np.abs(t))
    share = np.where(t > 0, tail, 1) / (1 + tail)
    value, slope = {
        "logistic": (np.maximum(-t, 0) + np.log1p(tail), -share),
        "sigmoid": (share, -tail / (1 + tail) ** 2),
    }[surrogate]
    gradient = np.zeros(s.size)
    gradient[positive] = np.sum(pairs * slope, axis=1)
    gradient[~positive] = -np.sum(pairs * slope, axis=0)
    return float(np.sum(pairs * value)), gradient


@pytest.mark.parametrize("surrogate", ["sigmoid", "laplace"])
def test_cold_losses_are_what_they_stand_for(surrogate: str, rng: np.random.Generator) -> None:
    """Ties among the scores as well."""
    y, s = tied_scores(rng, 40)
    weight = rng.integers(1, 5, 40).astype(np.float32)
    cold = functools.partial(losses.auc_loss, surrogate=surrogate, temperature=1e-3)
    for w in (None, weight):
        expected = 1 - sk.roc_auc_score(y, s, sample_weight=w)
        assert float(cold(y, s.astype(np.float32), sample_weight=w)) == pytest.approx(expected)


@pytest.mark.parametrize(("surrogate", "at_0"), [("hinge", 0.5), ("exponential", 1.0)])
def test_others_bound_it(surrogate: str, at_0: float, rng: np.random.Generator) -> None:
    for _ in range(3):
        y, s = tied_scores(rng, 20)
        loss = losses.auc_loss(y, s.astype(np.float32), surrogate=surrogate, margin=0.5)
        assert float(loss) / at_0 >= 1 - sk.roc_auc_score(y, s) - 1e-6


def test_derivatives_by_the_options(rng: np.random.Generator) -> None:
    y, s = binary(rng, 20), rng.normal(size=20)
    with jax.enable_x64(True):
        for surrogate, option in (("squared_hinge", "margin"), ("laplace", "temperature")):

            def at(value: Any, f: Any, surrogate: str = surrogate, option: str = option) -> Any:
                return f(y, s, surrogate=surrogate, **{option: value})

            slope = jax.grad(at)(0.8, losses.auc_loss)
            low, high = (at(0.8 + h, oracles.auc_loss) for h in (-1e-6, 1e-6))
            assert float(slope) == pytest.approx((high - low) / 2e-6, rel=1e-6)


def test_the_sum_of_all_pairs_may_leave_the_range(rng: np.random.Generator) -> None:
    """If their mean does not, nor what a sample adds to it."""
    y, s = np.arange(1000) % 2, np.where(rng.random(1000) < 0.5, 1e18, -1e18).astype(np.float32)
    call = jax.value_and_grad(lambda w: losses.auc_loss(y, s, sample_weight=w))
    value, by_weight = call(np.ones(1000, np.float32))
    lost = np.square(np.maximum(s[y == 0] - s[y == 1][:, None].astype(np.float64), 0))
    assert float(value) == pytest.approx(lost.mean(), rel=5e-6)
    share = np.zeros(1000)
    share[y == 1], share[y == 0] = lost.mean(axis=1), lost.mean(axis=0)
    np.testing.assert_allclose(by_weight, (share - lost.mean()) / 500, rtol=1e-5, atol=1e27)


def test_overflow_is_infinite_and_no_more() -> None:
    y = np.array([1, 0, 0])
    loss = functools.partial(losses.auc_loss, surrogate="exponential")
    assert float(loss(y, np.float32([0, 60, 0]), temperature=0.5)) == np.inf
    assert float(loss(y, np.float32([0, 80, 0]))) == pytest.approx(np.exp(80.0) / 2, rel=2e-6)
    keep = np.array([True, True, False])
    unseen = jax.grad(loss, argnums=1)(y, jnp.array([0, 1, 3000.0]), where=keep)
    assert np.all(np.isfinite(unseen))
    weightless = jax.grad(loss, argnums=1)(
        y, jnp.array([0, 1, 3000.0]), sample_weight=jnp.array([1, 1, 0])
    )
    assert np.all(np.isfinite(weightless))
    weights = jnp.ones(3)
    by_weight = jax.grad(lambda w: loss(1 - y, jnp.array([50, 0, 200.0]), sample_weight=w))(weights)
    high = np.exp(50.0) / 2
    np.testing.assert_allclose(by_weight, [0, high / 2, -high / 2], rtol=1e-5, atol=1e10)


def test_one_sort_serves_many_weights() -> None:
    y, s, w = np.array([0, 1, 1]), np.float32([0.1, 0.2, 0.3]), np.ones((4, 3), np.float32)
    for loss in (losses.auc_loss, losses.partial_auc_loss, losses.average_precision_loss):
        many = jax.vmap(lambda w, loss=loss: loss(y, s, sample_weight=w))
        shapes = [
            shape for shape in sorted_shapes(many, w) if shape != (4,)
        ]  # what `checked` reports
        assert shapes and not any(4 in shape for shape in shapes)


# --- parts of the curve, the top, classes and groups -------------------------------------


def test_the_whole_curve_is_a_part_of_it(rng: np.random.Generator) -> None:
    y, s = binary(rng, 30), rng.normal(size=30).astype(np.float32)
    whole = losses.auc_loss(y, s)
    assert_same(losses.partial_auc_loss(y, s, max_fpr=1.0), whole, rtol=1e-6)
    assert_same(losses.p_norm_push_loss(y, s, power=1.0), whole, rtol=1e-6)
    everyone = np.ones(30, bool)
    assert_same(losses.group_auc_loss(y, s, group=everyone), whole, rtol=1e-6)


def test_cold_partial_loss_is_the_area_that_is_missed(rng: np.random.Generator) -> None:
    y, s = binary(rng, 60), rng.normal(size=60).astype(np.float32)
    for max_fpr in (0.1, 0.33, 0.9):
        scaled = sk.roc_auc_score(y, s, max_fpr=max_fpr)
        chance = max_fpr**2 / 2
        area = (2 * scaled - 1) * (max_fpr - chance) + chance
        loss = losses.partial_auc_loss(y, s, max_fpr=max_fpr, surrogate="laplace", temperature=1e-4)
        assert float(loss) == pytest.approx(1 - area / max_fpr, rel=1e-5)


def test_cold_two_way_partial_loss_is_the_area_that_is_missed(rng: np.random.Generator) -> None:
    y, s = binary(rng, 60), (rng.normal(size=60)).astype(np.float32)
    options = {"max_fpr": 0.55, "min_tpr": 0.25}
    most, chance = 0.55 * 0.75, (0.55 - 0.25) ** 2 / 2
    area = (2 * float(roc_auc_score(y, s, **options)) - 1) * (most - chance) + chance
    loss = losses.partial_auc_loss(y, s, **options, surrogate="laplace", temperature=1e-4)
    assert float(loss) == pytest.approx(1 - area / most, rel=1e-5)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("tied", [False, True])
def test_derivatives_by_the_parts(tied: bool, rng: np.random.Generator) -> None:
    """Also at the ends, where there is a slope on one side only."""
    y, s, w = binary(rng, 30), rng.normal(size=30), rng.random(30)
    s = np.round(s) if tied else s
    for option, at, towards in (
        ("max_fpr", 1.0, -1e-7),
        ("max_fpr", 0.43, -1e-7),
        ("min_tpr", 0.0, 1e-7),
        ("min_tpr", 0.3, 1e-7),
    ):

        def loss(value: Any, option: str = option) -> jax.Array:
            options = {"max_fpr": 0.7, "min_tpr": 0.1, option: value}
            return losses.partial_auc_loss(y, s, **options, sample_weight=w)

        expected = (float(loss(at + towards)) - float(loss(at))) / towards
        assert float(jax.grad(loss)(at)) == pytest.approx(expected, rel=1e-5), (option, at)


def test_the_whole_has_the_weight_derivatives_of_all_pairs() -> None:
    """Of samples without weight at either end as well."""
    y, s = np.array([0, 1, 0, 1, 0, 1]), np.float32([0.1, 0.5, 0.2, 0.3, -1, 9])
    w = jnp.array([1.0, 1, 2, 1, 0, 0])
    part, whole = (
        jax.grad(lambda w, loss=loss: loss(y, s, sample_weight=w))(w)
        for loss in (functools.partial(losses.partial_auc_loss, max_fpr=1.0), losses.auc_loss)
    )
    np.testing.assert_allclose(part, whole, rtol=1e-5)


def test_the_edge_takes_tied_samples_alike() -> None:
    """Half of the negatives count: of two at 0.5, beside one at 1 and one at 0, half of each."""
    y, s = np.array([1, 0, 0, 0, 0]), np.float32([0, 1, 0.5, 0.5, 0])
    loss = losses.partial_auc_loss(y, s, max_fpr=0.5, surrogate="hinge")
    assert float(loss) == pytest.approx((2 + 1.5) / 2)
    slope = jax.grad(losses.partial_auc_loss, argnums=1)(y, s, max_fpr=0.5, surrogate="hinge")
    np.testing.assert_allclose(slope, [-1, 0.5, 0.25, 0.25, 0], rtol=1e-6)


def test_a_high_norm_looks_at_the_top(rng: np.random.Generator) -> None:
    """Its limit is the mean penalty of the hardest negative."""
    y, s = binary(rng, 30), rng.normal(size=30).astype(np.float32)
    top = losses.top_push_loss(y, s)
    assert float(losses.p_norm_push_loss(y, s, power=1000.0)) == pytest.approx(float(top), rel=5e-3)


def test_an_infinite_norm_is_the_largest_mean_penalty() -> None:
    y, s = np.array([0, 0, 1, 1]), jnp.array([0.1, 0.4, 0.35, 0.8])
    call = jax.value_and_grad(losses.p_norm_push_loss, argnums=1)
    for power in (1e30, np.inf):
        value, slope = call(y, s, power=power)
        assert float(value) == pytest.approx((1.05**2 + 0.6**2) / 2, rel=1e-6)
        np.testing.assert_allclose(slope, [0, 1.65, -1.05, -0.6], rtol=1e-6)
    assert np.isnan(losses.p_norm_push_loss(y, s, power=np.nan))


def test_tied_top_negatives_share_the_push() -> None:
    y, s = np.array([1, 0, 0, 0]), jnp.array([0.5, 1.0, 1.0, 0.0])
    slope = jax.grad(losses.top_push_loss, argnums=1)(y, s, surrogate="hinge")
    assert slope.tolist() == [-1, 0.5, 0.5, 0]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_cold_class_losses(multi_class: str, rng: np.random.Generator) -> None:
    y = np.append([0, 1, 2], rng.integers(0, 3, 37))
    s = rng.dirichlet([1, 1, 1], 40).astype(np.float32)
    cold = functools.partial(losses.multiclass_auc_loss, surrogate="laplace", temperature=1e-5)
    for average in ("macro", "weighted"):
        expected = 1 - sk.roc_auc_score(y, s, multi_class=multi_class, average=average)
        value = cold(y, s, multi_class=multi_class, average=average)
        assert float(value) == pytest.approx(expected, rel=1e-5)


def test_classes_that_do_not_occur_have_no_part(rng: np.random.Generator) -> None:
    y, s = binary(rng, 20) * 2, rng.normal(size=(20, 4)).astype(np.float32)
    for multi_class in ("ovr", "ovo"):
        value = losses.multiclass_auc_loss(y, s, multi_class=multi_class, surrogate="square")
        expected = oracles.multiclass_auc_loss(y, s, multi_class=multi_class, surrogate="square")
        assert float(value) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["subgroup", "bpsn", "bnsp"])
def test_groups_are_chosen_samples(kind: str, rng: np.random.Generator) -> None:
    y, s = binary(rng, 40), rng.normal(size=40).astype(np.float32)
    group = rng.random(40) < 0.5
    chosen = {
        "subgroup": group,
        "bpsn": np.where(y, ~group, group),
        "bnsp": np.where(y, group, ~group),
    }[kind]
    loss = losses.group_auc_loss(y, s, group=group, kind=kind, surrogate="square")
    expected = oracles.auc_loss(y[chosen], s[chosen], surrogate="square")
    assert float(loss) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("kind", "text", "call"),
    [
        (ValueError, "`kind`", lambda y, s: losses.group_auc_loss(y, s, group=y > 0, kind="a")),
        (TypeError, "`group` must be a bool", lambda y, s: losses.group_auc_loss(y, s, group=y)),
        (ValueError, "`group` must have", lambda y, s: losses.group_auc_loss(y, s, group=[True])),
        (ValueError, "`y_score` must be (n,", lambda y, s: losses.multiclass_auc_loss(y, s)),
        (ValueError, "`surrogate`", lambda y, s: losses.top_push_loss(y, s, surrogate="square")),
    ],
)
def test_mistakes_are_named(kind: type[Exception], text: str, call: Callable[..., Any]) -> None:
    with pytest.raises(kind, match=text.replace("(", r"\(")):
        call(np.array([0, 1]), np.float32([0.5, 1]))
