"""Compile programs for a GPU or a TPU that is not there; print a line of JSON for each.

A process of its own, started by `benchmarks.accelerators`, since a compiler may hang or crash.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import jax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding

from benchmarks._hlo import cost_of
from benchmarks._programs import Program, programs

H100 = Path(__file__).with_name("h100.txtpb")
_TEMPORARY = re.compile(r"^allocation \d+: size (\d+),.*preallocated-temp", re.MULTILINE)


def device(target: str) -> Any:
    if target == "tpu":
        return topologies.get_topology_desc("v5e:2x2", platform="tpu").devices[0]
    return topologies.get_topology_desc(
        "H100", "cuda", target_config=H100.read_text(), topology="1x1x1"
    ).devices[0]


def figures(program: Program, where: SingleDeviceSharding, dump: Path) -> dict[str, Any]:
    """What the program costs; `problem` alone if it does not compile."""
    jax.clear_caches()  # or helpers that were traced for another program would be had for nothing
    shutil.rmtree(dump, ignore_errors=True)
    start, compiled, problem = time.process_time(), None, ""
    jitted = jax.jit(program.function, in_shardings=where, out_shardings=where)
    try:
        compiled = jitted.lower(*program.arguments).compile()
    except Exception as error:  # of any kind: this row is lost, and not the others
        problem = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    seconds = time.process_time() - start
    text, temporary = _dumped(dump) if compiled is None else (compiled.as_text(), 0)
    if not text:
        return {"problem": problem}
    operands = sum(a.size * a.dtype.itemsize for a in jax.tree.leaves(program.arguments))
    found = {"seconds": seconds, "operands": operands, **cost_of(text)._asdict()}
    if compiled is not None:
        memory, analysis = compiled.memory_analysis(), compiled.cost_analysis() or {}
        temporary = memory.temp_size_in_bytes if memory else 0
        found["moved"] = analysis.get("bytes accessed")
    return {**found, "temporary": temporary}


def _dumped(folder: Path) -> tuple[str, int]:
    """What XLA had written before a program failed: its text, and the bytes it needs beside.

    Calls of CUB are prepared by running CUB, which fails without a GPU, but only after the last
    pass over the program.
    """
    texts = sorted(folder.glob("*gpu_after_optimizations.txt"), key=lambda p: p.stat().st_size)
    if not texts:
        return "", 0
    buffers = texts[-1].with_name(f"{texts[-1].stem}-buffer-assignment.txt")
    sizes = _TEMPORARY.findall(buffers.read_text()) if buffers.exists() else []
    return texts[-1].read_text(), sum(map(int, sizes))


def main(target: str, dump: str, limit: str, *labels: str) -> None:
    where = SingleDeviceSharding(device(target))
    one = jax.ShapeDtypeStruct((8,), jax.numpy.float32)
    jax.jit(lambda x: x + 1, in_shardings=where, out_shardings=where).lower(one).compile()
    available = programs()
    for label in labels:
        signal.alarm(int(limit))  # ends this process, also from within the compiler
        found = figures(available[label], where, Path(dump))
        signal.alarm(0)
        print(json.dumps({label: found}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
