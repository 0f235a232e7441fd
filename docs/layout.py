"""The layers of the package, as `pyproject.toml` lists them."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def layers() -> list[list[str]]:
    """Names of modules and packages by layer, the lowest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return settings["tool"]["jmetrics"]["layers"]


def layout() -> str:
    """A table of the layers, the highest first, with the first line of each docstring."""
    rows = [
        f"| {rank} | `{path.relative_to(ROOT)}{'/' if path.is_dir() else ''}` | {summary(path)} |"
        for rank, layer in reversed(list(enumerate(layers())))
        for path in map(path_of, layer)
    ]
    return "\n".join(["| layer | where | what is in it |", "|---|---|---|", *rows]) + "\n"


def path_of(module: str) -> Path:
    """The file of a module, or the folder of a package."""
    path = ROOT / "jmetrics" / module.replace(".", "/")
    return path if path.is_dir() else path.with_suffix(".py")


def summary(path: Path) -> str:
    """The first line of the docstring of a module or package, without its full stop."""
    source = path / "__init__.py" if path.is_dir() else path
    docstring = ast.get_docstring(ast.parse(source.read_text())) or ""
    return docstring.split("\n")[0].removesuffix(".")
