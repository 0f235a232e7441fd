"""Strict settings for every test, and what many of them start from."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

# CI spares the second interpreter most files that compare values, and most cases of the laws.
if "JMETRICS_SHORT" in os.environ:
    collect_ignore_glob = [
        "test_*_losses.py",
        "test_adversarial.py",
        "test_c[al]*.py",
        "test_curves.py",
        "test_forecasts.py",
        "test_inference_*.py",
        "test_p*.py",
        "test_ranking.py",
        "test_shapes.py",
        "test_sklearn_compat*.py",
        "test_score_streams.py",
    ]

pytest.register_assert_rewrite(
    "tests.laws", "tests.laws_of_nan", "tests.laws_of_range", "tests.compare", "tests.harness"
)


_MAPPED = Path("/proc/self/maps")
_finished = itertools.count(1)


def pytest_runtest_teardown() -> None:
    """Let programs go before they take all the pieces of memory that Linux lets a process map.

    Each program takes about ten of the 65,530, and the one beyond crashes.
    """
    if next(_finished) % 50 == 0 and _MAPPED.exists() and _MAPPED.read_text().count("\n") > 40_000:
        jax.clear_caches()


def pytest_configure() -> None:
    """Make JAX refuse every silent conversion and broadcast."""
    jax.config.update("jax_numpy_dtype_promotion", "strict")
    jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def x64() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.fixture(autouse=True)
def quick_compile(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let XLA optimise little, unless marked `optimised`: small programs compile twice as fast."""
    quick = request.node.get_closest_marker("optimised") is None
    jax.config.update("jax_disable_most_optimizations", quick)
    yield
    jax.config.update("jax_disable_most_optimizations", False)
