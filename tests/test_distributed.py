"""Metrics on many devices, in processes that have them: here JAX has already started with one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

import jmetrics
from tests.eight_devices import CHECKS
from tests.registry import cases, parameters
from tests.row import QUADRATIC, SMOOTH, Case

ROOT = Path(__file__).parent.parent
SECONDS = 600
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


@pytest.mark.parametrize("case", parameters(cases()))
def test_each_device_may_evaluate_its_own(case: Case, rng: np.random.Generator) -> None:
    """Traced in `shard_map`, where all that is carried or chosen must vary over the mesh alike.

    Without weights, which would vary, and of many samples, for which there may be another way.
    The derivative of JAX's error function does not vary as it should, which is not ours.
    """

    def one(y_true: jax.Array, y_pred: jax.Array) -> jax.Array:
        def total(y_pred: jax.Array) -> jax.Array:
            parts = jax.tree.leaves(case(y_true, y_pred))
            return jnp.sum(jnp.stack([jnp.sum(part.astype(jnp.float32)) for part in parts]))

        smooth = SMOOTH in case.traits and case.row.metric is not jmetrics.crps_normal
        slope = jax.grad(total)(y_pred) if smooth else jnp.zeros(())
        return (total(y_pred) + jnp.sum(slope))[None]

    mesh, spec = Mesh(np.array(jax.devices()), ("data",)), PartitionSpec("data")
    each = jax.shard_map(one, mesh=mesh, in_specs=spec, out_specs=spec)
    data = case.make(rng, 12 if QUADRATIC in case.traits else 5000)
    floats = (a.astype(np.float32) if a.dtype == float else a for a in data)
    assert jax.jit(each).trace(*floats).out_info.shape == (1,)


def test_two_processes_evaluate_together() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    outputs = finish(*(start("two_processes", str(process), port) for process in range(2)))
    last = [output.splitlines()[-1] for output in outputs]
    assert last == ["process 0 agrees", "process 1 agrees"]
