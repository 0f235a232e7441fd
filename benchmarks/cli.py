"""How long does `jmetrics evaluate` take? `python -m benchmarks.cli [rows ...]`"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import machine

SIZES = (1_000_000,)
TASKS = ("binary", "multiclass", "regression", "ranking")


def main() -> None:
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    start = time.perf_counter()
    from jmetrics.cli import main as command

    print(f"\nThe command line: {machine()}")
    print(f"imports: {time.perf_counter() - start:.1f} s")
    print(f"{'task':12} {'rows':>9} {'first':>9} {'again':>9} {'of processors':>14}")
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            for task in TASKS:
                path = Path(folder) / f"{task}.csv"
                write(path, task, n)
                (first, _), (again, busy) = (
                    seconds(command, ["evaluate", str(path)]) for _ in range(2)
                )
                print(f"{task:12} {n:>9} {first:>7.1f} s {again:>7.1f} s {busy:>12.1f} s")


def seconds(command: Callable[[list[str]], int], arguments: list[str]) -> tuple[float, float]:
    """Time on the clock and of all processors; the first call compiles, the next does not."""
    start, busy = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        assert command(arguments) == 0
    return time.perf_counter() - start, time.process_time() - busy


def write(path: Path, task: str, n: int) -> None:
    rng = np.random.default_rng(0)
    noise = rng.standard_normal(n)
    if task == "ranking":
        relevance = rng.integers(0, 4, n)
        columns = {"query": np.arange(n) // 10, "relevance": relevance, "score": relevance + noise}
    elif task == "regression":
        columns = {"y_true": 100 + 10 * noise, "y_pred": 100 + 9 * noise + rng.standard_normal(n)}
    elif task == "multiclass":
        names = np.array([f"class {k}" for k in range(5)])
        y_true = rng.integers(0, 5, n)
        y_pred = np.where(rng.random(n) < 0.7, y_true, rng.integers(0, 5, n))
        columns = {"y_true": names[y_true], "y_pred": names[y_pred]}
    else:
        y_true = (rng.random(n) < 0.3).astype(int)
        columns = {"y_true": y_true, "y_score": 1 / (1 + np.exp(-noise - 2 * y_true))}
    cells = [
        [format(c, ".8g") if c.dtype.kind == "f" else str(c) for c in a] for a in columns.values()
    ]
    lines = map(",".join, zip(*cells, strict=True))
    path.write_text("\n".join([",".join(columns), *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
