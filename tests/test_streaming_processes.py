"""States that other processes make, as a Beam, Spark, Ray or Dask reduction would."""

from __future__ import annotations

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import jmetrics
from jmetrics import streaming


def stream() -> streaming.MetricStream:
    return streaming.stream(jmetrics.r2_score)


def of_part(part: np.ndarray) -> dict[str, np.ndarray]:
    """What a worker sends back: the state of its part."""
    one = stream()
    return streaming.to_numpy(one.update(one.init(), *part))


def test_parts_of_a_process_pool() -> None:
    data = np.random.default_rng(0).normal(size=(2, 30)).astype(np.float32)
    parts = np.split(data, [20], axis=1)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        arrays = list(pool.map(of_part, parts))
    states = [streaming.from_numpy(stream(), part) for part in arrays]
    merged = functools.reduce(stream().merge, states)
    expected = float(jmetrics.r2_score(*data))
    assert float(stream().compute(merged)) == pytest.approx(expected, rel=1e-6)
