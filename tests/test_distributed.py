"""Metrics on many devices, in processes that have them: here JAX has already started with one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from tests.eight_devices import CHECKS

ROOT = Path(__file__).parent.parent
SECONDS = 240
"""How long a run may take on a busy machine."""


def start(module: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", f"tests.{module}", *arguments],
        cwd=ROOT,
        env=os.environ | {"JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(*processes: subprocess.Popen[str]) -> list[str]:
    """What they print, once all have ended well; none outlives the test."""
    try:
        found = [process.communicate(timeout=SECONDS) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    for process, (_, errors) in zip(processes, found, strict=True):
        assert process.returncode == 0, errors
    return [output for output, _ in found]


def test_on_eight_devices() -> None:
    (output,) = finish(start("eight_devices"))
    assert output.split() == [check.__name__ for check in CHECKS]


def test_two_processes_evaluate_together() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    outputs = finish(*(start("two_processes", str(process), port) for process in range(2)))
    last = [output.splitlines()[-1] for output in outputs]
    assert last == ["process 0 agrees", "process 1 agrees"]
