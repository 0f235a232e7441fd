"""Another process, with what `jax.export` has written: `test_exports` starts it.

`python -m tests.run_exports FOLDER` runs every program of the folder on the arrays beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import numpy as np
from jax import export

import jmetrics  # noqa: F401 - registers the types of results


def main(folder: Path) -> None:
    for file in sorted(folder.glob("*.exported")):
        program = export.deserialize(bytearray(file.read_bytes()))
        with np.load(file.with_suffix(".in.npz")) as arrays:
            leaves = [arrays[name] for name in sorted(arrays)]
        args, _ = jax.tree.unflatten(program.in_tree, leaves)
        value = program.call(*args)
        named = {str(i): leaf for i, leaf in enumerate(jax.tree.leaves(value))}
        np.savez(file.with_suffix(".out.npz"), kind=type(value).__name__, **named)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
