"""Laws of the modes in which JAX can be told to run: no jit, no transfers, no NaN."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.compare import assert_same
from tests.harness import Data, blend, eager, sample
from tests.laws import law_of_the_kernel, law_of_the_row
from tests.row import Case


@contextmanager
def unharmed(mode: AbstractContextManager[Any], name: str) -> Iterator[None]:
    """Fail for whatever a mode makes of a call that works without it."""
    try:
        with mode:
            yield
    except Exception as error:
        raise AssertionError(f"fails under {name}: {error}") from error


def on_device(tree: Any) -> Any:
    """Arrays where JAX keeps its own, so that nothing is left to transfer."""
    return jax.tree.map(lambda a: jnp.asarray(a) if isinstance(a, np.ndarray) else a, tree)


@law_of_the_row
def traces_without_jit(case: Case) -> None:
    data = sample(case, 6)
    with unharmed(jax.disable_jit(), "`jax.disable_jit`"):
        jax.eval_shape(lambda *arrays: eager(case, Data(*arrays)), *data)


@law_of_the_kernel
def means_the_same_without_jit(case: Case) -> None:
    data = sample(case, 6)
    with unharmed(jax.disable_jit(), "`jax.disable_jit`"):
        value = eager(case, data)
    assert_same(value, eager(case, data), rtol=1e-6)


@law_of_the_row
def arrays_of_jax_need_no_transfer(case: Case) -> None:
    """Plain options and defaults go to the device explicitly."""
    data, options = on_device((sample(case), dict(case.options)))
    with unharmed(jax.transfer_guard("disallow"), "`jax.transfer_guard`"):
        jax.block_until_ready(eager(case, data, **options))


@law_of_the_kernel
def clean_data_make_no_nan(case: Case) -> None:
    """In no array that a program or a single operation returns, nor in gradients."""
    data = on_device(sample(case))

    def total(y_pred: Any, weight: Any) -> Any:
        return blend(case(data.y_true, y_pred, sample_weight=weight, where=data.where))

    with unharmed(jax.debug_nans(True), "`jax_debug_nans`"):
        jax.block_until_ready(eager(case, data))
        jax.block_until_ready(jax.jit(jax.grad(total, argnums=(0, 1)))(data.y_pred, data.weight))
