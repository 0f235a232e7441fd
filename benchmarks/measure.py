"""Time beside error: one row a case, against a peer that runs in the same process."""

from __future__ import annotations

import functools
import os
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np


class Row(NamedTuple):
    name: str
    n: int
    first_call_s: float
    seconds: float
    peer_seconds: float
    error: float
    peer_error: float | None
    """Where something else than the peer is the reference."""
    temporary_mb: float
    bandwidth: float | None
    """How fast the arguments are read, as a fraction of what a copy reaches; on a GPU."""


def compare(
    name: str,
    ours: Callable[..., jax.Array],
    arguments: tuple[Any, ...],
    peer: Callable[..., Any],
    peer_arguments: tuple[Any, ...],
    *,
    exact: Any = None,
    rounds: int = 5,
) -> Row:
    """Run both by turns, so that a busy moment of the machine hits both; medians of `rounds`.

    The error is relative to `exact`, or to the peer's value where none is given.
    """
    arguments = jax.block_until_ready(jax.tree.map(jax.numpy.asarray, arguments))
    start = time.perf_counter()
    compiled = jax.jit(ours).lower(*arguments).compile()
    value = jax.block_until_ready(compiled(*arguments))
    first_call = time.perf_counter() - start
    peer_value = peer(*peer_arguments)
    our_times, peer_times = [], []
    for _ in range(rounds):
        our_times.append(_seconds(lambda: jax.block_until_ready(compiled(*arguments))))
        peer_times.append(_seconds(lambda: peer(*peer_arguments)))
    memory = compiled.memory_analysis()  # not every platform tells
    seconds = statistics.median(our_times)
    return Row(
        name=name,
        n=len(arguments[0]),
        first_call_s=first_call,
        seconds=seconds,
        peer_seconds=statistics.median(peer_times),
        error=relative_error(value, peer_value if exact is None else exact),
        peer_error=None if exact is None else relative_error(peer_value, exact),
        temporary_mb=memory.temp_size_in_bytes / 2**20 if memory else float("nan"),
        bandwidth=_bytes_of(arguments) / seconds / _copy_speed() if on_gpu() else None,
    )


def on_gpu() -> bool:
    return jax.devices()[0].platform == "gpu"


def _bytes_of(arrays: Any) -> int:
    return sum(array.nbytes for array in jax.tree.leaves(arrays))


@functools.cache
def _copy_speed() -> float:
    """Bytes a second that a copy of a large array reads and writes."""
    x = jax.numpy.zeros(2**27, jax.numpy.float32)
    copy = jax.jit(lambda x: x + 1).lower(x).compile()
    times = [_seconds(lambda: jax.block_until_ready(copy(x))) for _ in range(9)]
    return 2 * x.nbytes / statistics.median(times)


def relative_error(value: Any, reference: Any) -> float:
    value, reference = np.asarray(value, np.float64), np.asarray(reference, np.float64)
    scale = np.maximum(np.abs(reference), np.finfo(np.float64).tiny)
    return float(np.max(np.abs(value - reference) / scale))


def _seconds(call: Callable[[], Any]) -> float:
    """Median of as many calls, up to nine, as a tenth of a second has room for."""
    call()  # brings back the data that the other side has driven out of the caches
    times: list[float] = []
    while len(times) < 9 and sum(times) < 0.1:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def print_table(title: str, rows: list[Row], peer: str) -> None:
    judged = any(row.peer_error is not None for row in rows)
    width = max((len(row.name) for row in rows), default=0)
    print(f"\n{title}: {machine()}")
    print(
        f"{'':{width}} {'n':>8} {'first call':>11} {'ms':>9} {peer + ' ms':>15} {'ratio':>8} "
        f"{'rel. error':>11}"
        + f"{'of peer':>9}" * judged
        + f" {'temp MB':>8}"
        + " bandwidth" * on_gpu()
    )
    for row in rows:
        peer_error = f"{row.peer_error:>9.1e}" if row.peer_error is not None else " " * 9 * judged
        print(
            f"{row.name:{width}} {row.n:>8} {row.first_call_s:>9.2f} s {1e3 * row.seconds:>9.2f} "
            f"{1e3 * row.peer_seconds:>15.2f} {row.peer_seconds / row.seconds:>7.1f}x "
            f"{row.error:>11.1e}{peer_error} {row.temporary_mb:>8.1f}"
            + (f" {row.bandwidth:>8.0%}" if row.bandwidth is not None else "")
        )


def said(error: Exception) -> str:
    """The first line of an error, for a table that goes on without it."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def machine() -> str:
    device = jax.devices()[0]
    return (
        f"{device.platform} ({device.device_kind}), {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, JAX {jax.__version__}"
    )
