"""Sums over pairs of points, against comparing every pair in double precision."""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

from jmetrics._core.pairs import KERNELS, grid, kernel_sum, pair_sum, prefix, sort_points
from tests.compare import assert_same
from tests.oracles.auc_losses import PENALTIES
from tests.programs import sorted_shapes

N = 150

LAWS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "normal": lambda rng: rng.normal(size=N),
    "far from 0": lambda rng: rng.normal(size=N) + 1e6,
    "wide": lambda rng: rng.normal(size=N) * 1e4,
    "tied": lambda rng: np.round(rng.normal(size=N)),
    "one value": lambda rng: np.full(N, 0.3),
    "two clusters": lambda rng: rng.normal(size=N) + 1000 * rng.choice([-1, 1], N),
}


@pytest.fixture
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many runs of a few points."""
    monkeypatch.setattr(prefix, "_SHORT", 4)
    monkeypatch.setattr(prefix, "_LONG", 6)


@pytest.fixture
def grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids for a few points, which are moved to them in several blocks."""
    monkeypatch.setattr(grid, "_FEWEST", 500)
    monkeypatch.setattr(grid, "_BLOCK", 300)


def brute(name: str, z: np.ndarray, temperature: float) -> np.ndarray:
    """φ((z_i − z_j) / τ) for all i and j."""
    z = z.astype(np.float64)
    return PENALTIES[name]((z[:, None] - z[None]) / temperature, 0.0, 1.0)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.usefixtures("short_runs")
def test_sums_are_those_of_all_pairs(name: str, rng: np.random.Generator) -> None:
    sums = jax.jit(lambda z, w, temperature: kernel_sum(name, z, w, temperature))
    for law, make in LAWS.items():
        z, w = make(rng).astype(np.float32), rng.random(N).astype(np.float32)
        w[::7] = 0
        for temperature in (1e-3, 1.0, 1e5):
            phi = brute(name, z, temperature)
            value = sums(z, w, temperature)
            np.testing.assert_allclose(value, phi @ w, rtol=2e-6, atol=1e-30, err_msg=law)


def sum_of_sums(name: str, points: Any, weight: Any, query: Any, temperature: Any) -> jax.Array:
    """What `pair_sum` is, in another way, which other rules differentiate."""
    p, k = jnp.where(query, weight, 0), jnp.where(query, 0, weight)
    return jnp.vdot(p, kernel_sum(name, points, k, temperature))


TOTALS = pytest.mark.parametrize("total", [pair_sum, sum_of_sums])


@TOTALS
@pytest.mark.parametrize("name", ["hinge", "squared_hinge", "laplace", "logistic", "sigmoid"])
@pytest.mark.usefixtures("short_runs")
def test_derivatives_are_those_of_all_pairs(
    total: Callable[..., jax.Array], name: str, rng: np.random.Generator
) -> None:
    """By points, weights on both sides and temperature; by points twice, forward over reverse."""

    def pairs(z, w, query, temperature):
        phi = PENALTIES_OF_ARRAYS[name]((z[:, None] - z[None]) / temperature)
        return jnp.where(query, w, 0) @ phi @ jnp.where(query, 0, w)

    def derivatives(f: Callable[..., Any]) -> Any:
        @jax.jit
        def run(z, *rest):
            twice = jax.jvp(lambda z: jax.grad(f)(z, *rest), (z,), (direction,))
            return jax.grad(f, argnums=(1, 3))(z, *rest), twice

        return run(*arguments)

    arguments = (rng.normal(size=8), rng.random(8), rng.random(8) < 0.5, np.array(0.7))
    direction = rng.normal(size=8)
    with jax.enable_x64(True):
        found = derivatives(functools.partial(total, name))
        assert_same(found, derivatives(pairs), rtol=1e-9)


@TOTALS
@pytest.mark.parametrize("name", ["laplace", "logistic", "sigmoid"])
def test_temperature_slopes_of_clusters(
    total: Callable[..., jax.Array], name: str, rng: np.random.Generator
) -> None:
    """Far apart, where a movement of the points would be much larger than the gaps that count."""
    side, noise = rng.choice([-1, 1], 300), rng.normal(size=300)
    w, query = rng.random(300).astype(np.float32), rng.random(300) < 0.5
    slope = jax.jit(jax.grad(functools.partial(total, name), argnums=3))
    for points, temperature in (
        (1e4 * side, 0.01),
        (1e4 * side + noise, 0.01),
        (1e4 * side + noise, 1.0),
        (20 * side + noise / 10, 1.0),
    ):
        z, scale = points.astype(np.float32), np.float32(temperature)
        t = (z[:, None].astype(np.float64) - z) / float(scale)
        tail = np.exp(-np.abs(t))
        by_gap = {
            "laplace": -tail / 2,
            "logistic": -np.where(t < 0, 1, tail) / (1 + tail),
            "sigmoid": -tail / (1 + tail) ** 2,
        }[name]
        terms = -(query * w)[:, None] * t * by_gap * (~query * w) / scale
        off = float(slope(z, w, query, scale)) - np.sum(terms)
        assert abs(off) <= 2e-6 * np.sum(np.abs(terms)), (temperature, off)


GRIDS = {
    "normal": (lambda rng, n: rng.normal(size=n), 2.0),
    "hot": (lambda rng, n: rng.normal(size=n), 1e5),
    "one side": (lambda rng, n: rng.exponential(size=n) * 2, 4.0),
    "tied": (lambda rng, n: np.round(rng.normal(size=n)) * 0.37, 1.0),
    "one value": (lambda rng, n: np.zeros(n), 1e-3),
}
"""Points that are close enough together for a grid, in units of a temperature."""


@TOTALS
@pytest.mark.parametrize("name", ["logistic", "sigmoid"])
@pytest.mark.usefixtures("grids")
def test_sums_on_a_grid_are_those_of_all_pairs(
    total: Callable[..., jax.Array], name: str, rng: np.random.Generator
) -> None:
    """In value, and in what a weighted sum of them changes by; and so where no grid does."""
    n = 801

    @jax.jit
    def run(z, w, query, temperature):
        places = sort_points(z, smooth=temperature)

        def of_all(z, w, temperature):
            return total(name, places._replace(x=z[places.item]), w, query, temperature)

        slopes = jax.grad(of_all, argnums=(0, 1, 2))(z, w, temperature)
        even = jnp.asarray(places.step) > 0
        return even, kernel_sum(name, places, w, temperature), slopes

    w, query = rng.random(n).astype(np.float32), rng.random(n) < 0.3
    w[::7] = 0
    p, k = query * w, ~query * w
    cases = {**GRIDS, "cold": (GRIDS["normal"][0], 1e-2)}
    for law, (make, temperature) in cases.items():
        z = make(rng, n).astype(np.float32)
        even, sums, slopes = run(z, w, query, np.float32(temperature))
        assert bool(even) == (law != "cold")
        scale = float(np.float32(temperature))
        phi = brute(name, z, scale)
        np.testing.assert_allclose(sums, phi @ w, rtol=2e-6, err_msg=law)
        gap = z[:, None].astype(float) - z
        slope = -brute("sigmoid", z, scale) / scale
        if name == "sigmoid":
            slope = slope * brute("sigmoid", -z, scale)
        by_pair = p[:, None] * slope * k
        by_temperature = -np.sum(by_pair * gap) / scale
        # Between even points a gap of 0 is one to rounding only.
        turned = np.sum(np.abs(by_pair) * (np.abs(gap) + 1e-9 * scale)) / scale
        for found, expected, size in (
            (slopes[0], by_pair.sum(axis=1) - by_pair.sum(axis=0), 0.0),
            (slopes[1], np.where(query, phi @ k, p @ phi), 0.0),
            (slopes[2], by_temperature, turned),
        ):
            off = np.linalg.norm(np.asarray(found) - expected)
            assert off <= 2e-6 * max(np.linalg.norm(expected), size), (law, off)


@TOTALS
@pytest.mark.usefixtures("grids")
def test_second_derivatives_on_a_grid(
    total: Callable[..., jax.Array], rng: np.random.Generator
) -> None:
    z, w = rng.normal(size=(2, 799)).astype(np.float32)
    places = sort_points(jnp.asarray(z), smooth=jnp.float32(2))
    assert places.step is not None and places.step > 0

    def of_all(z: jax.Array) -> jax.Array:
        return total("logistic", places._replace(x=z), jnp.abs(w), w > 0, 2.0)

    _, found = jax.jit(lambda z: jax.jvp(jax.grad(of_all), (z,), (w,)))(places.x)
    share = brute("sigmoid", z, 2.0)
    across = (w > 0)[:, None] != (w > 0)
    curve = across * np.abs(w)[:, None] * np.abs(w) * share * (1 - share) / 4
    expected = curve.sum(axis=1) * w - curve @ w
    off = np.linalg.norm(np.asarray(found) - expected)
    assert off <= 2e-6 * np.linalg.norm(expected)


@TOTALS
@pytest.mark.usefixtures("grids")
def test_rows_may_choose_otherwise(
    total: Callable[..., jax.Array], rng: np.random.Generator
) -> None:
    """One on a grid and one in order, as each on its own; with one sort for many weights."""
    z, w = rng.normal(size=(2, 2, 803)).astype(np.float32)
    z[1] *= 1e4

    def slopes(z: jax.Array, w: jax.Array) -> jax.Array:
        def of_all(z: jax.Array) -> jax.Array:
            places = sort_points(z, smooth=jnp.float32(2))
            return total("sigmoid", places, jnp.abs(w), w > 0, 2.0)

        return jax.grad(of_all)(z)

    together = jax.jit(jax.vmap(slopes))(z, w)
    for row in range(2):
        assert_same(together[row], jax.jit(slopes)(z[row], w[row]), rtol=1e-5, atol=1e-4)
    assert sorted_shapes(jax.vmap(slopes, (None, 0)), z[0], w) == 2 * [(803,)]


@TOTALS
def test_each_device_may_have_a_grid_of_its_own(total: Callable[..., jax.Array]) -> None:
    """Traced in `shard_map`, where all that is carried or chosen must vary over the mesh alike."""

    def slope(z: jax.Array) -> jax.Array:
        def of_all(z: jax.Array) -> jax.Array:
            places, one = sort_points(z, smooth=jnp.float32(2)), jnp.ones_like(z)
            return total("sigmoid", places, one, z > 0, 2.0)

        return jax.grad(of_all)(z)

    mesh, spec = Mesh(np.array(jax.devices()), ("data",)), PartitionSpec("data")
    each = jax.jit(jax.shard_map(slope, mesh=mesh, in_specs=spec, out_specs=spec))
    assert each.trace(np.zeros(grid._FEWEST, np.float32)).out_info.shape == (grid._FEWEST,)


PENALTIES_OF_ARRAYS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "squared_hinge": lambda t: jnp.square(jnp.maximum(-t, 0)),
    "hinge": lambda t: jax.nn.relu(-t),
    "logistic": lambda t: jax.nn.softplus(-t),
    "sigmoid": lambda t: jax.nn.sigmoid(-t),
    "laplace": lambda t: jnp.where(
        t >= 0, jnp.exp(-jnp.maximum(t, 0)) / 2, 1 - jnp.exp(jnp.minimum(t, 0)) / 2
    ),
}


def test_rows_of_points_and_of_weights(rng: np.random.Generator) -> None:
    """Rows may be padded: what has no weight adds nothing."""
    z, w = rng.normal(size=(2, 3, 8)).astype(np.float32)
    w[:, 5:] = 0
    rows = jax.vmap(lambda z, w: kernel_sum("laplace", z, w, 0.5))(z, w)
    for i in range(3):
        expected = brute("laplace", z[i, :5], 0.5) @ w[i, :5]
        np.testing.assert_allclose(rows[i, :5], expected, rtol=1e-5)
    places = sort_points(jnp.asarray(z[0]))
    alike = jax.vmap(lambda w: kernel_sum("laplace", places, w, 0.5))(w)
    np.testing.assert_allclose(alike, w @ brute("laplace", z[0], 0.5).T, rtol=1e-5)


def test_one_sort_serves_many_weights() -> None:
    z, w = np.ones(6, np.float32), np.ones((4, 6), np.float32)
    many = jax.vmap(lambda w: kernel_sum("laplace", z, w, 1.0))
    assert sorted_shapes(many, w) == 2 * [(6,)]


@pytest.mark.parametrize("size", [0, 1])
def test_few_points(size: int) -> None:
    z, w = np.full(size, 3.0, np.float32), np.full(size, 2.0, np.float32)
    np.testing.assert_allclose(kernel_sum("sigmoid", z, w), [1.0] * size, rtol=1e-6)
    assert kernel_sum("squared_hinge", z, w).tolist() == [0.0] * size
    assert float(pair_sum("laplace", z, w, w > 0)) == 0


def test_what_rounding_cut_off_counts() -> None:
    """Points 10⁻⁴ apart at 1000, where a float32 steps by 6 · 10⁻⁵."""
    z, w = np.array([1000.0, 1000.0], np.float32), np.array([1.0, 0.0], np.float32)
    points = sort_points(jnp.asarray(z), jnp.asarray([1e-5, -1e-5], jnp.float32))
    np.testing.assert_allclose(kernel_sum("hinge", points, w), [0, 2e-5], rtol=1e-6)
