"""What is computed here is written to files, and computed again by a process that reads them."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
from jax import export

import jmetrics
from jmetrics import inference, losses, ragged, streaming
from jmetrics._core.plan import has_plan
from tests.compare import assert_same
from tests.harness import Data, eager, sample
from tests.registry import kernel_cases

LABELS = np.array([0, 1, 1, 0, 1, 0], np.int32)
SCORES = np.array([0.1, 0.4, 0.35, 0.8, 0.9, 0.3], np.float32)


class Program(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def of_metrics() -> Iterator[tuple[str, Program]]:
    for case in kernel_cases():
        data = sample(case)
        yield case.name, Program(lambda *a, case=case: eager(case, Data(*a)), data)


def of_streams() -> Iterator[tuple[str, Program]]:
    """A batch added to a state, which is taken and returned."""
    streams: dict[str, tuple[Any, tuple[Any, Any]]] = {
        "auc": (streaming.roc_auc_score(bits=8), (LABELS, SCORES)),
        "last": (
            streaming.last_updates(streaming.stream(jmetrics.r2_score), 3),
            (SCORES, SCORES[::-1]),
        ),
        "buffered": (streaming.buffered(jmetrics.roc_auc_score, capacity=8), (LABELS, SCORES)),
        "quantile": (streaming.quantile(bits=8), (SCORES, SCORES)),
    }
    for case in kernel_cases():
        if has_plan(case.row.metric):
            like = sample(case)[:2]
            try:
                stream = streaming.stream(case.row.metric, like=like, **case.options)
            except ValueError:
                continue  # it needs all data at once
            streams[case.name] = stream, like
    for name, (stream, batch) in streams.items():
        arrays = batch[: 1 if name == "quantile" else 2]
        yield f"{name}-update", Program(stream.update, (stream.init(), *arrays))
        yield f"{name}-compute", Program(stream.compute, (stream.update(stream.init(), *arrays),))


def of_results() -> Iterator[tuple[str, Program]]:
    auc, data, both = jmetrics.roc_auc_score, (LABELS, SCORES), (LABELS, SCORES, SCORES[::-1])
    yield "bootstrap", keyed(inference.bootstrap, *data)
    yield "paired", keyed(inference.paired_bootstrap, *both)
    yield "permutation", keyed(inference.permutation_test, *both)
    yield "table", keyed(functools.partial(of_two, inference.compare), *both)
    yield "jackknife", Program(inference.infinitesimal_jackknife(auc), data)
    yield "delong", Program(lambda y, *scores: inference.delong_test(y, scores), both)
    by_group = functools.partial(jmetrics.by_group, jmetrics.mean_squared_error, num_groups=2)
    yield "groups", Program(lambda y, s, g: by_group(y, s, groups=g), (*data, LABELS))
    lists = functools.partial(ragged.segments_from_lengths, size=6)
    yield "segments", Program(lists, (np.array([2, 4], np.int32),))
    yield (
        "soap",
        Program(
            lambda y, s, state, index: losses.soap_loss(y, s, state=state, index=index),
            (*data, losses.soap_init(6), np.arange(6, dtype=np.int32)),
        ),
    )


def of_two(compare: Any, key: Any, metric: Any, y: Any, a: Any, b: Any, **options: Any) -> Any:
    return compare(key, metric, y, a, [b], **options)


def keyed(function: Any, *arrays: Any) -> Program:
    """What resamples, with a key of raw bits: NumPy's files hold no typed ones."""
    auc = jmetrics.roc_auc_score
    bits = jax.random.key_data(jax.random.key(0))
    return Program(
        lambda bits, *arrays: function(jax.random.wrap_key_data(bits), auc, *arrays, n_resamples=8),
        (bits, *arrays),
    )


@pytest.mark.parametrize("of", [of_metrics, of_streams, of_results], ids=lambda of: of.__name__)
def test_another_process_computes_the_same(of: Any, tmp_path: Path) -> None:
    expected = {}
    for name, (function, arguments) in of():
        compiled = jax.jit(function)
        program = export.export(compiled)(*arguments)
        (tmp_path / f"{name}.exported").write_bytes(program.serialize())
        leaves = {f"{i:03}": leaf for i, leaf in enumerate(jax.tree.leaves(arguments))}
        np.savez(tmp_path / f"{name}.in.npz", **leaves)
        expected[name] = compiled(*arguments)
    command = [sys.executable, "-m", "tests.run_exports", str(tmp_path)]
    subprocess.run(command, check=True, env=os.environ, cwd=Path(__file__).parent.parent)
    assert expected
    for name, value in expected.items():
        with np.load(tmp_path / f"{name}.out.npz") as found:
            assert str(found["kind"]) == type(value).__name__
            values = [found[str(i)] for i in range(len(found) - 1)]
        assert_same(values, jax.tree.leaves(value), rtol=1e-6)
