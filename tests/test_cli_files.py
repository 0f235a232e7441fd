"""The command line on small nasty files: the right answer, or an error, but never a wrong one."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

from jmetrics.cli import evaluate, main, panels
from jmetrics.cli.evaluation import Difference, Part, Result
from tests.nasty import ANSWERS, ERRORS

FEW = ("ROC AUC", "accuracy", "recall", "MAE", "pinball loss, mean", "Hamming loss", "MRR")


def estimates(data, entries, settings):
    """Values alone, of all rows: what is tested here is how files are read."""
    names = [None, *data.group_names]
    return [Part(name, data.rows, [estimate(data, entry) for entry in entries]) for name in names]


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
