"""The command line on small nasty files: the right answer, or an error, but never a wrong one."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

from jmetrics.cli import evaluate, main, panels
from jmetrics.cli.engine import Engine
from jmetrics.cli.evaluation import Difference, Result, SubsetResults
from tests.nasty import ANSWERS, AUC, ERRORS, File

FEW = ("ROC AUC", "accuracy", "recall", "MAE", "pinball loss, mean", "Hamming loss", "MRR")


def estimates(data, entries, settings):
    """Values alone, of all rows: what is tested here is how files are read."""
    names = [None, *data.group_names]
    return [
        SubsetResults(name, data.rows, [estimate(data, entry) for entry in entries])
        for name in names
    ]


def estimate(data, entry):
    first, *others = (
        entry.function(
            data.y_true,
            model.decided if entry.decided else model.prediction,
            where=data.where,
            **dict(entry.options),
        )
        for model in data.models
    )
    nan = float("nan")
    paired = [Difference(float(one), float(first - one), nan, nan, nan, nan) for one in others]
    return Result(entry.name, "", float(first), nan, nan, nan, "", 0, tuple(paired))


@pytest.fixture
def called(tmp_path, monkeypatch, capsys):
    """Run the command on a file in a folder of its own; its status, output and complaint."""
    monkeypatch.chdir(tmp_path)

    def call(file, *more):
        content = file.content if isinstance(file.content, dict) else {file.name: file.content}
        for name, text in content.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        stdin = SimpleNamespace(buffer=io.BytesIO(file.stdin))
        monkeypatch.setattr("sys.stdin", stdin)
        status = main(["evaluate", file.name, *file.options, *more])
        return status, *capsys.readouterr()

    return call


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name, called, monkeypatch):
    file = ANSWERS[name]
    reported: list[str] = []

    def few(data):
        entries = panels.panel(data)
        reported.extend(entry.name for entry in entries)
        return [entry for entry in entries if entry.name in FEW]

    monkeypatch.setattr(evaluate, "panel", few)
    monkeypatch.setattr(evaluate, "evaluate", estimates)
    status, printed, complaint = called(file, "--json", "--resamples", "0")
    assert (status, complaint) == (0, "")
    content = json.loads(printed)
    content |= {metric["name"]: metric["estimate"] for metric in content["metrics"]}
    for key, value in file.answer.items():
        if value is None:
            assert key not in reported
        else:
            assert content[key] == (pytest.approx(value) if isinstance(value, float) else value)
    for part in file.said:
        assert part in printed, printed


TYPED = """SELECT CAST(unnest([0, 1, 1, 0, 1, 0, 1]) AS BOOLEAN) AS y_true,
    unnest([0.2, 0.7, 0.4, 0.6, 0.9, 0.1, 'nan'::DOUBLE]) AS y_score,
    unnest([1, 2, 1, 2, 1, 2, NULL]) AS g"""


def written_by_duckdb(kind):
    with Engine() as engine:
        engine.run(f"COPY ({TYPED}) TO 'a.{kind}'")


def written_by_pyarrow(kind):
    feather = pytest.importorskip("pyarrow.feather")
    written_by_duckdb("parquet")
    feather.write_feather(
        pytest.importorskip("pyarrow.parquet").read_table("a.parquet"), f"a.{kind}"
    )


@pytest.mark.parametrize(
    ("kind", "write"), [("parquet", written_by_duckdb), ("feather", written_by_pyarrow)]
)
def test_columns_with_types(kind, write, called, monkeypatch):
    monkeypatch.setattr(evaluate, "evaluate", estimates)
    file = File({}, name=f"a.{kind}", options=["--group", "g"])
    write(kind)
    status, printed, complaint = called(file)
    assert (status, printed) == (2, "")
    assert "row 7, column 'y_score'" in complaint
    status, printed, complaint = called(file, "--na", "drop", "--json")
    assert (status, complaint) == (0, "")
    content = json.loads(printed)
    metrics = {metric["name"]: metric["estimate"] for metric in content["metrics"]}
    assert metrics["ROC AUC"] == pytest.approx(AUC)
    assert list(content["groups"]) == ["1", "2"]
    assert "1 of 7 rows have missing values and were left out: 1 in y_score, 1 in g." in printed


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, called):
    file = ERRORS[name]
    status, printed, complaint = called(file)
    assert (status, printed) == (2, "")
    assert complaint.count("\n") == 1, complaint
    for part in file.said:
        assert part in complaint, complaint


def test_the_table_is_large_enough():
    assert len(ANSWERS) + len(ERRORS) >= 80
