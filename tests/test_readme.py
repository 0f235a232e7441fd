"""The snippets of the README run, one after the other, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_every_snippet_runs(capsys) -> None:
    snippets = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
    assert snippets and all(snippet.count("\n") <= 15 for snippet in snippets)
    names: dict = {}
    for snippet in snippets:
        exec(snippet, names)
    estimate, low, high, error, f1 = map(float, capsys.readouterr().out.split())
    assert 0 <= low <= estimate <= high <= 1 and 0 < error < 0.5
    assert f1 == pytest.approx(2 / 3)
    check_step(names)


def check_step(names: dict) -> None:
    """One step on a padded batch: the samples that count set the AUC, and the direction."""
    jnp, optax = names["jnp"], names["optax"]
    x, y = jnp.array([[1.0], [2.0], [3.0], [0.0]]), jnp.array([1.0, 0.0, 1.0, 0.0])
    where, weights = jnp.array([True, True, True, False]), jnp.ones(1)
    with names["jax"].numpy_dtype_promotion("standard"):  # for optax, which mixes dtypes
        stepped, _, auc = names["step"](weights, optax.adam(0.1).init(weights), x, y, where)
    assert float(auc) == 0.5
    assert np.all(np.isfinite(stepped))
