"""The layout of the package, its signatures and its public lists."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import jmetrics
from docs.layout import layers
from jmetrics import inference, losses
from tests.registry import ROWS

ROOT = Path(jmetrics.__file__).parent

RANKS = {module: rank for rank, layer in enumerate(layers()) for module in layer}

MODULES = sorted(path for path in ROOT.rglob("*.py"))


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def unit(module: str) -> str:
    """The module, or the package of that name, that is in a layer."""
    parts = module.split(".")
    return ".".join(parts[:2] if parts[0] == "_core" else parts[:1])


UNITS = {unit(dotted(path)) for path in MODULES}


def imported(path: Path) -> Iterator[str]:
    """Every module or name that a file imports, with all its dots."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def from_package(path: Path) -> Iterator[str]:
    """The units of this package that a file imports from, its own left out."""
    for name in imported(path):
        if name.startswith("jmetrics."):
            target = unit(name.removeprefix("jmetrics."))
            target = target if target in UNITS else "__init__"  # a name, not a module
            if target != unit(dotted(path)):
                yield target


def check_imports(path: Path) -> None:
    here = unit(dotted(path))
    assert here in RANKS, f"{here} is in no layer of pyproject.toml"
    for target in from_package(path):
        assert target in RANKS, f"{target} is in no layer of pyproject.toml"
        allowed = RANKS[target] < RANKS[here]
        assert allowed, f"{here} (layer {RANKS[here]}) imports {target} (layer {RANKS[target]})"


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_imports_point_down(path: Path) -> None:
    if dotted(path) != "_core":
        check_imports(path)


def test_an_import_upwards_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    (tmp_path / "_core").mkdir()
    wrong = tmp_path / "_core" / "numerics.py"
    wrong.write_text("from jmetrics.curves import roc_auc_score\n")
    with pytest.raises(AssertionError, match="imports curves"):
        check_imports(wrong)


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_no_underscore_name_of_another_package(path: Path) -> None:
    """What several packages use is in `_core`, under a name without an underscore."""
    assert foreign_underscores(path) == []


def foreign_underscores(path: Path) -> list[str]:
    """What a file imports of another layer's unit by a name with an underscore."""
    names = (
        name.removeprefix("jmetrics.") for name in imported(path) if name.startswith("jmetrics.")
    )
    return [
        name
        for name in names
        if unit(name) != unit(dotted(path))
        and any(part[0] == "_" for part in name.removeprefix("_core.").split("."))
    ]


def test_an_underscore_name_of_another_package_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    wrong = tmp_path / "losses.py"
    wrong.write_text(
        "from jmetrics.ranking._lists import NOT_BINARY\n"
        "from jmetrics._core.lists import Lists, _count\n"
        "from jmetrics.losses._lists import Items\n"
    )
    assert foreign_underscores(wrong) == ["ranking._lists.NOT_BINARY", "_core.lists._count"]


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_no_private_module_of_another_library(path: Path) -> None:
    private = [
        name
        for name in imported(path)
        if not name.startswith(("jmetrics", "__future__"))
        and any(part.startswith("_") for part in name.split("."))
    ]
    assert private == []


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_files_are_short(path: Path) -> None:
    """Docstrings, as long as what they document has parameters, do not count."""
    lines = path.read_text().splitlines()
    assert len(lines) - documentation(path) <= 350


def documentation(path: Path) -> int:
    """The number of lines of docstrings in a file."""
    return sum(
        1 + (node.end_lineno or node.lineno) - node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_only_weights_selects_by_the_mask(path: Path) -> None:
    """`where` is passed on, but nothing is computed with it anywhere else."""
    if unit(dotted(path)) in ("_core.weights", "_core.check"):
        return
    for node in ast.walk(ast.parse(path.read_text())):
        used = [child for child in operands(node) if isinstance(child, ast.Name)]
        assert "where" not in [name.id for name in used], ast.unparse(node)


def operands(node: ast.AST) -> list[ast.expr]:
    """What a node computes with, if it is an operation or a selection."""
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Call(func=ast.Attribute(attr="where")):
            return node.args
        case ast.Subscript() | ast.Attribute():
            return [node.value]
        case ast.Compare() if not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return [node.left, *node.comparators]
    return []


def public_functions() -> dict[str, Callable]:
    """What the package exports."""
    found: dict[str, Callable] = {}
    for module in (jmetrics, losses, inference):
        for name, value in vars(module).items():
            if inspect.isfunction(value) and name in module.__all__:
                found[f"{value.__module__}.{name}"] = value
    return found


DOCUMENTED = public_functions()
METRICS = {f"{row.metric.__module__}.{row.metric.__name__}" for row in ROWS}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_everything_public_is_annotated(name: str) -> None:
    signature = inspect.signature(DOCUMENTED[name])
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty, parameter.name


@pytest.mark.parametrize("name", sorted(METRICS))
def test_only_the_arrays_are_positional(name: str) -> None:
    parameters = list(inspect.signature(DOCUMENTED[name]).parameters.values())
    kinds = [p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters]
    assert kinds == [False, False, *[True] * (len(kinds) - 2)]
    assert [p.name for p in parameters[-2:]] == ["sample_weight", "where"]
    assert parameters[0].name == "y_true"


PUBLIC = [
    path
    for path in MODULES
    if dotted(path) == "__init__" or ("." not in dotted(path) and dotted(path)[0] != "_")
]
"""What users import from: the package, and the modules and packages directly in it."""


@pytest.mark.parametrize("path", PUBLIC, ids=dotted)
def test_public_list_agrees_with_the_names(path: Path) -> None:
    found = importlib.import_module(f"jmetrics.{dotted(path)}".removesuffix(".__init__"))
    assert sorted(public_names(path)) == sorted(found.__all__)
    assert len(set(found.__all__)) == len(found.__all__)


def public_names(path: Path) -> Iterator[str]:
    """What a module defines or, by `import name as name`, passes on."""
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.ImportFrom():
                yield from (alias.name for alias in node.names if alias.asname == alias.name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name[0] != "_":
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) if name[0] != "_":
                yield name


def test_every_module_is_in_one_layer() -> None:
    assert sorted(module for layer in layers() for module in layer) == sorted(UNITS - {"_core"})
