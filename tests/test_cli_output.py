"""The command line: several models, bounds, and the forms of a report."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
import sklearn.metrics as peer

from jmetrics.cli import evaluate, main, panels, report, text
from jmetrics.cli.classes import Classes
from jmetrics.cli.evaluation import Difference, Result, SubsetResults
from jmetrics.cli.report import Report

N = 40


@pytest.fixture
def few_metrics(monkeypatch):
    """Keep two metrics, of scores and of classes."""
    wanted = ("ROC AUC", "accuracy", "MAE")
    monkeypatch.setattr(
        evaluate, "panel", lambda data: [e for e in panels.panel(data) if e.name in wanted]
    )


@pytest.fixture
def models(tmp_path, rng):
    """A file with scores of three models, and its columns."""
    y_true = np.arange(N) % 2
    columns = {"y_true": y_true}
    for name, skill in (("lr", 1.0), ("rf", 3.0), ("no", 0.0)):
        columns[f"p_{name}"] = 1 / (1 + np.exp(-rng.standard_normal(N) - skill * (y_true - 0.5)))
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(repr, map(float, row))) for row in rows)]
    file = tmp_path / "models.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file), columns


def test_several_models_are_compared_with_the_first(models, few_metrics, capsys):
    file, columns = models
    options = ["--model", "p_lr,p_rf,p_no", "--resamples", "0"]
    assert main(["evaluate", file, *options, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["models"] == ["p_lr", "p_rf", "p_no"]
    metrics = {metric["name"]: metric for metric in content["metrics"]}
    auc = {name: peer.roc_auc_score(columns["y_true"], columns[name]) for name in content["models"]}
    compared = metrics["ROC AUC"]["comparisons"]
    assert metrics["ROC AUC"]["estimate"] == pytest.approx(auc["p_lr"])
    for one in compared:
        assert one["other"] == pytest.approx(auc[one["model"]])
        assert one["difference"] == pytest.approx(auc["p_lr"] - auc[one["model"]])
        assert one["low"] < one["difference"] < one["high"]
    low, high = sorted(one["p_value"] for one in compared)
    adjusted = sorted(one["adjusted_p_value"] for one in compared)
    assert adjusted == pytest.approx([min(2 * low, 1), min(max(2 * low, high), 1)])
    accuracy = content["classes"]["p_rf"]["confusion_matrix"]
    expected = peer.confusion_matrix(columns["y_true"], columns["p_rf"] >= 0.5)
    np.testing.assert_array_equal(accuracy, expected)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model", "p_lr"], "does not name the columns of different models"),
        (["--model", "p_*,p_lr"], "does not name the columns of different models"),
        (["--model", "p_lr,p_x"], "no column 'p_x' for --model"),
        (["--model", "p_lr,p_rf", "--y-score", "p_no"], "--y-score"),
        (["--model", "p_lr,p_rf", "--compare", "models.csv"], "--compare"),
    ],
)
def test_models_that_are_none(options, said, models, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", models[0], *options]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def results(**more):
    """A metric whose value is 0.8, with an interval from 0.7 to 0.9, and an error of 3."""
    auc = Result("ROC AUC", "higher", 0.8, 0.05, 0.7, 0.9, "derivative", 0)
    error = Result("MAE", "lower", 3.0, 0.5, 2.0, 4.0, "derivative", 0)
    nan = float("nan")
    nothing = Result("F1", "higher", nan, nan, nan, nan, "derivative", 0)
    return [one._replace(**more) for one in (auc, error, nothing)]


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--fail-under", "auc=0.79"], 0, ""),
        (["--fail-under", "roc_auc=0.8"], 0, ""),
        (["--fail-under", "AUC=0.81"], 1, "ROC AUC is 0.8, not at least 0.81"),
        (["--fail-under", "auc=0.71", "--fail-by", "interval"], 1, "lower end of the interval"),
        (["--fail-under", "auc=0.7", "--fail-by", "interval"], 0, ""),
        (["--fail-over", "mae=3"], 0, ""),
        (["--fail-over", "mae=2.9"], 1, "MAE is 3, not at most 2.9"),
        (["--fail-over", "mae=3.9", "--fail-by", "interval"], 1, "upper end of the interval"),
        (["--fail-under", "f1=0"], 1, "F1 is nan"),
        (["--fail-under", "auc=0.9", "--fail-over", "mae=1"], 1, "MAE is 3"),
    ],
)
def test_bounds(options, status, said, tmp_path, capsys, monkeypatch):
    file = tmp_path / "a.csv"
    file.write_text("y_true,y_score\n0,0.2\n1,0.7\n", encoding="utf-8")
    monkeypatch.setattr(evaluate, "panel", lambda data: results())  # only names are asked for
    monkeypatch.setattr(
        evaluate, "evaluate", lambda *arguments: [SubsetResults(None, 2, results())]
    )
    assert main(["evaluate", str(file), *options]) == status
    printed, complaint = capsys.readouterr()
    assert "ROC AUC" in printed
    assert said in complaint
    assert complaint.count("\n") == (len(options) // 2 if status and "=" in options[-1] else status)


def test_a_bound_on_no_metric_is_refused_before_the_work(tmp_path, capsys):
    file = tmp_path / "a.csv"
    file.write_text("y_true,y_score\n0,0.2\n1,0.7\n", encoding="utf-8")
    assert main(["evaluate", str(file), "--fail-under", "rmse=1"]) == 2
    assert "no metric 'rmse'" in capsys.readouterr().err


def whole(*others, classes=None):
    """A report on two models, or more with the differences from others."""
    compared = (Difference(0.6, 0.2, 0.1, 0.3, 0.05, 0.01, 0.02), *others)
    (auc, *_) = results(comparisons=compared)
    models = ["first", "second", "third"][: 1 + len(compared)]
    rates = np.array([[0.5, 1.0, 2 / 3], [1.0, 0.5, 2 / 3]])
    matrix = np.array([[1, 0], [1, 1]])
    two = Classes(["no | cat", "cat"], rates, np.array([1, 2]), matrix)
    return Report(
        parts=[SubsetResults(None, 3, [auc])],
        lines=["a.csv"],
        notes=["A note."],
        unit="rows",
        group=None,
        level=0.95,
        models=models,
        classes=[classes or two] * len(models),
    )


def test_csv_has_all_digits_of_each_model():
    printed = text.as_csv(whole(), {})
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [(row["model"], row["metric"], float(row["value"])) for row in rows] == [
        ("first", "ROC AUC", 0.8),
        ("second", "ROC AUC", 0.6),
    ]
    assert (float(rows[0]["low"]), float(rows[0]["high"])) == (0.7, 0.9)
    assert (float(rows[1]["difference_low"]), float(rows[1]["adjusted_p_value"])) == (0.1, 0.02)


def test_markdown_and_latex_are_tables():
    markdown = text.as_markdown(whole(), {})
    assert "| ROC AUC ↑ | 0.800 | 0.050 | 0.700 to 0.900 | 0.600 | +0.200 |" in markdown
    assert r"| no \| cat | 0.500 | 1.000 | 0.667 | 1 |" in markdown
    latex = text.as_latex(whole(), {})
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 5
    assert r"ROC AUC $\uparrow$ & 0.800" in latex
    assert r"95 \% interval" in latex
    assert latex.splitlines()[0] == "% a.csv"


def test_the_better_side_is_named_where_it_is_clear():
    auc, error, _ = results()
    clear = Difference(0.6, 0.2, 0.1, 0.3, 0.05, 0.01, 0.02)
    assert report.better(auc, clear, 0.95) == "first"
    assert report.better(error, clear, 0.95) == "other"
    assert report.better(auc, clear, 0.99) is None
    assert report.better(auc, clear._replace(adjusted_p_value=float("nan")), 0.95) is None
    (table, *_) = report.tables(whole())
    assert table.rows[0][-2:] == ["0.02", "first"]


def test_more_models_have_a_table_of_their_own():
    third = Difference(0.9, -0.1, -0.2, 0.1, 0.05, 0.3, 0.3)
    values, compared, *_ = report.tables(whole(third))
    assert len(values.rows[0]) == 4
    assert [row[1:4] + row[-1:] for row in compared.rows] == [
        ["second", "0.600", "+0.200", "first"],
        ["third", "0.900", "−0.100", "–"],
    ]


def test_very_many_classes_are_left_to_json():
    many = Classes([str(k) for k in range(31)], np.ones((31, 3)), np.ones(31), np.eye(31))
    assert len(report.tables(whole(classes=many))) == 1
    content = json.loads(text.as_json(whole(classes=many), {}))
    assert len(content["classes"]["first"]["by_class"]) == 31
