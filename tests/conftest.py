"""Strict settings for every test, and what many of them start from."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

from tests.programs import forget_programs

pytest.register_assert_rewrite(
    "tests.laws", "tests.laws_of_nan", "tests.laws_of_range", "tests.compare", "tests.harness"
)


_MAPPED = Path("/proc/self/maps")
_finished = itertools.count(1)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Let programs go with the file that they were compiled for, or before they are too many.

    They hold gigabytes; and each takes about ten of the 65,530 pieces of memory that Linux lets
    a process map, of which the one beyond crashes.
    """
    if (
        nextitem is None
        or nextitem.path != item.path
        or (
            next(_finished) % 50 == 0
            and _MAPPED.exists()
            and _MAPPED.read_text().count("\n") > 8_000
        )
    ):
        forget_programs()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that holds everything to everything."""
    parser.addoption("--full", action="store_true", help="run also what only repeats a mechanism")


LEFT_OUT = (
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
)
"""Files about the numbers of one chapter: laws and oracles hold them to the most."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out some files unless they are asked for."""
    asked = {Path(argument.partition("::")[0]).resolve() for argument in config.args}
    if config.getoption("full") or collection_path in asked:
        return None
    return any(collection_path.match(pattern) for pattern in LEFT_OUT) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, unless asked, what is held to a mechanism that another test stands for."""
    if config.getoption("full"):
        return
    left_out = {item for item in items if item.get_closest_marker("full") is not None}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


QUICK_COMPILER = (
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
"""With these JAX 0.10 compiles in a third of the time, by the generator of code that it had before;
later releases know one generator only, and refuse the option. Results may round differently."""


def pytest_configure(config: pytest.Config) -> None:
    """Make JAX refuse every silent conversion and broadcast, and compile quickly.

    The compiler reads its options when JAX starts, here and in every process that a test starts.
    With `--full` it is the one that users have.
    """
    jax.config.update("jax_numpy_dtype_promotion", "strict")
    jax.config.update("jax_numpy_rank_promotion", "raise")
    if jax.__version_info__[:2] == (0, 10) and not config.getoption("full"):
        os.environ["XLA_FLAGS"] = " ".join([*QUICK_COMPILER, os.environ.get("XLA_FLAGS", "")])


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
