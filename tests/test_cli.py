"""The command line: files in, numbers with intervals out."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as peer

from jmetrics.cli import evaluate, evaluation, main, report, tasks
from jmetrics.cli.columns import Columns, class_names
from jmetrics.cli.data import Data, Predictions
from jmetrics.cli.engine import Engine
from jmetrics.cli.evaluation import Settings
from jmetrics.cli.guessing import guess
from jmetrics.cli.panels import panel, several_label_metrics
from jmetrics.cli.reading import Source
from jmetrics.cli.roles import roles
from jmetrics.inference._drawing.units import SampleInfo
from jmetrics.inference._reweighting.problem import make_problem
from jmetrics.inference._reweighting.routes import in_cells

N = 48


def write(path, **columns):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def binary(rng):
    y_true = (rng.random(N) < 0.4).astype(int)
    score = 1 / (1 + np.exp(-rng.standard_normal(N) - 1.5 * y_true + 1))
    return y_true, score.round(6)


def run(capsys, *arguments):
    """JSON that the command prints, by names of metrics."""
    assert main(["evaluate", *map(str, arguments), "--json"]) == 0
    printed, complaint = capsys.readouterr()
    assert complaint == "", "a progress bar is for terminals"
    content = json.loads(printed)
    return content, {metric["name"]: metric for metric in content["metrics"]}


def estimates(metrics):
    return {name: metric["estimate"] for name, metric in metrics.items()}


def test_binary_scores_with_groups_and_another_model(tmp_path, capsys, rng):
    # One test, since one compiled program serves all of it.
    y_true, score = binary(rng)
    _, other = binary(np.random.default_rng(1))
    region = np.where(np.arange(N) % 3, "north", "south")
    file = write(tmp_path / "a.csv", y_true=y_true, y_score=score, region=region)
    second = write(tmp_path / "b.csv", y_score=other)
    content, metrics = run(capsys, file, "--group", "region", "--compare", second, "--resamples", 0)
    assert (content["task"], content["rows"], content["threshold"]) == ("binary", N, 0.5)
    decided = score >= 0.5
    expected = {
        "ROC AUC": peer.roc_auc_score(y_true, score),
        "average precision": peer.average_precision_score(y_true, score),
        "log loss": peer.log_loss(y_true, score),
        "Brier score": peer.brier_score_loss(y_true, score),
        "accuracy": peer.accuracy_score(y_true, decided),
        "balanced accuracy": peer.balanced_accuracy_score(y_true, decided),
        "precision": peer.precision_score(y_true, decided),
        "recall": peer.recall_score(y_true, decided),
        "specificity": peer.recall_score(y_true, decided, pos_label=0),
        "F1": peer.f1_score(y_true, decided),
        "MCC": peer.matthews_corrcoef(y_true, decided),
    }
    found = estimates(metrics)
    assert set(found) - set(expected) == {"KS statistic", "calibration error"}
    np.testing.assert_allclose([found[name] for name in expected], list(expected.values()), 1e-12)
    for metric in metrics.values():
        assert metric["low"] <= metric["estimate"] <= metric["high"], metric
        assert metric["low"] < metric["high"]
    north = {m["name"]: m["estimate"] for m in content["groups"]["north"]["metrics"]}
    inside = region == "north"
    assert content["groups"]["north"]["rows"] == inside.sum()
    expected_north = peer.average_precision_score(y_true[inside], score[inside])
    assert north["average precision"] == pytest.approx(expected_north, rel=1e-12)
    compared = metrics["ROC AUC"]["comparisons"][0]
    difference = found["ROC AUC"] - peer.roc_auc_score(y_true, other)
    assert compared["difference"] == pytest.approx(difference, rel=1e-9)
    assert compared["low"] < difference < compared["high"]
    assert 0 < compared["p_value"] <= 1
    assert metrics["calibration error"]["comparisons"][0]["standard_error"] > 0


def test_resamples_of_both_models(tmp_path, capsys, rng, monkeypatch):
    wanted = ("ROC AUC", "F1")
    monkeypatch.setattr(
        evaluate, "panel", lambda data: [e for e in panel(data) if e.name in wanted]
    )
    y_true, score = binary(rng)
    worse = (score / 2 + np.random.default_rng(1).random(N) / 2).round(6)
    file = write(tmp_path / "a.csv", y_true=y_true, y_score=score)
    second = write(tmp_path / "b.csv", y_true=y_true, y_score=worse)
    _, metrics = run(capsys, file, "--compare", second, "--resamples", 400, "--seed", 3)
    assert set(metrics) == set(wanted)
    for metric in metrics.values():
        assert metric["method"] == "BCa bootstrap, 400 resamples"
        assert metric["low"] < metric["estimate"] < metric["high"]
        compared = metric["comparisons"][0]
        assert compared["low"] < compared["difference"] < compared["high"]
        assert 1 / 401 <= compared["p_value"] <= 1
    delong = delong_error(y_true, score)
    assert metrics["ROC AUC"]["standard_error"] == pytest.approx(delong, rel=0.2)


def delong_error(y_true, score):
    positive, negative = score[y_true == 1], score[y_true == 0]
    wins = (positive[:, None] > negative) + (positive[:, None] == negative) / 2
    by_class = (wins.mean(axis=axis).var() / wins.shape[1 - axis] for axis in (0, 1))
    return sum(by_class) ** 0.5


def test_derivatives_in_place_of_resamples(tmp_path, capsys, rng):
    y_true, score = binary(rng)
    file = write(tmp_path / "a.csv", y_true=np.where(y_true, "sick", "well"), y_score=score)
    _, metrics = run(capsys, file, "--resamples", 0, "--positive", "sick", "--threshold", 0.3)
    delong = delong_error(y_true, score)
    assert metrics["ROC AUC"]["standard_error"] == pytest.approx(delong, rel=1e-9)
    positive = score[y_true == 1]
    recall = np.mean(positive >= 0.3)
    assert metrics["recall"]["estimate"] == pytest.approx(recall)
    expected = np.sqrt(recall * (1 - recall) / len(positive))
    assert metrics["recall"]["standard_error"] == pytest.approx(expected, rel=1e-9)
    assert metrics["recall"]["method"] == "derivative, logit scale"


def test_a_share_of_all_rows_has_an_interval_too(tmp_path, capsys, monkeypatch):
    wanted = ("accuracy", "recall", "F1")
    monkeypatch.setattr(
        evaluate, "panel", lambda data: [e for e in panel(data) if e.name in wanted]
    )
    file = write(tmp_path / "a.csv", y_true=[0, 1, 1] * 8, y_score=[0.1, 0.8, 0.9] * 8)
    content, metrics = run(capsys, file, "--resamples", 0)
    for name, n in (("accuracy", 24), ("recall", 16)):
        assert metrics[name]["low"] == pytest.approx(n / (n + 1.959964**2), rel=1e-5)
        assert metrics[name]["high"] == 1
    note = "Intervals by Wilson's formula for proportions of 0 and 1: accuracy, recall."
    assert note in content["notes"]
    assert metrics["F1"]["low"] == metrics["F1"]["high"] == 1
    assert any("without width" in note for note in content["notes"])


def test_labels_that_are_texts(tmp_path, capsys, rng):
    names = np.array(["cat", "dog", "cow"])
    y_true = rng.integers(0, 3, N)
    y_pred = np.where(rng.random(N) < 0.7, y_true, rng.integers(0, 3, N))
    file = write(tmp_path / "a.csv", truth=names[y_true], pred=names[y_pred])
    other = write(tmp_path / "b.csv", truth=names[y_true], pred=["pig", *names[y_pred][1:]])
    html, folder = tmp_path / "report.html", tmp_path / "new" / "pictures"
    options = ("--resamples", 0, "--html", html, "--plot", folder)
    content, metrics = run(capsys, file, "--compare", other, *options)
    assert content["task"] == "multiclass"
    found = estimates(metrics)
    assert found["accuracy"] == pytest.approx(np.mean(y_true == y_pred))
    expected = peer.f1_score(y_true, y_pred, average="macro")
    assert found["macro F1"] == pytest.approx(expected, rel=1e-12)
    assert found["Cohen's kappa"] == pytest.approx(peer.cohen_kappa_score(y_true, y_pred))
    with_pig = np.array([3, *y_pred[1:]])
    expected = peer.f1_score(y_true, with_pig, average="macro", labels=[0, 1, 2, 3])
    compared = metrics["macro F1"]["comparisons"][0]
    assert compared["other"] == pytest.approx(expected, rel=1e-12)
    by_class = content["classes"]["a"]["by_class"]
    values = peer.precision_recall_fscore_support(y_true, y_pred)
    for k, name in enumerate(names):
        expected = dict(
            zip(("precision", "recall", "F1", "support"), (v[k] for v in values), strict=True)
        )
        assert by_class[name] == pytest.approx(expected)
    matrix = content["classes"]["b"]["confusion_matrix"]
    expected_matrix = peer.confusion_matrix(y_true, with_pig, labels=[0, 2, 1, 3])
    np.testing.assert_array_equal(matrix, expected_matrix)
    page = html.read_text(encoding="utf-8")
    assert page.count("<table>") == 5 and "true classes (rows) as predicted, b" in page
    assert "http" not in page and "<script" not in page and "<link" not in page
    assert page.count('src="data:image/png;base64,') >= 3
    assert "Cohen&#x27;s kappa" in page
    assert (folder / "confusion.png").read_bytes().startswith(b"\x89PNG")


def test_numbers_with_weights_and_clusters(tmp_path, capsys, rng):
    y_true = rng.gamma(2.0, 10.0, N) + 1e6
    y_pred = y_true + rng.standard_normal(N)
    weight, user = rng.integers(0, 4, N), np.arange(N) // 4
    file = write(tmp_path / "a.csv", y_true=y_true, y_pred=y_pred, w=weight, user=user)
    options = ("--weight", "w", "--cluster", "user", "--resamples", 0)
    content, metrics = run(capsys, file, *options)
    assert content["task"] == "regression"
    expected = peer.root_mean_squared_error(y_true, y_pred, sample_weight=weight)
    assert metrics["RMSE"]["estimate"] == pytest.approx(expected, rel=1e-9)
    share = weight * (np.abs(y_true - y_pred) - metrics["MAE"]["estimate"]) / weight.sum()
    error = np.sqrt(np.sum(np.bincount(user, share) ** 2))
    assert metrics["MAE"]["standard_error"] == pytest.approx(error, rel=1e-9)
    assert any("12 clusters" in note for note in content["notes"])
    assert metrics["median absolute error"]["low"] < metrics["median absolute error"]["high"]


def test_lists_of_unequal_length(tmp_path, capsys, rng):
    query = np.repeat(np.arange(6), [3, 12, 1, 5, 7, 20])
    query = rng.permutation(query)
    relevance, score = rng.integers(0, 3, N), rng.standard_normal(N)
    file = write(tmp_path / "a.csv", qid=query, relevance=relevance, score=score)
    content, metrics = run(capsys, file, "--resamples", 0)
    assert content["task"] == "ranking"
    lists = [(relevance[query == q][None], score[query == q][None]) for q in range(6)]
    values = [
        peer.ndcg_score(*one, k=5) if one[0].size > 1 else float(one[0].item() > 0) for one in lists
    ]
    assert metrics["NDCG@5"]["estimate"] == pytest.approx(np.mean(values), rel=1e-9)
    error = np.std(values) / 6**0.5
    assert metrics["NDCG@5"]["standard_error"] == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("named", [False, True])
def test_quantiles_by_their_levels(named, tmp_path, capsys, rng):
    y_true = rng.standard_normal(N)
    file = write(
        tmp_path / "a.csv",
        **{"y_true": y_true, "q0.9": np.full(N, 1.0), "q0.1": np.full(N, -1.5)},
    )
    options = ("--y-score", "q0.*", "--levels", "0.9,0.1") if named else ()
    content, metrics = run(capsys, file, "--resamples", 0, *options)
    assert content["task"] == "quantile"
    below = np.mean(y_true <= -1.5)
    assert metrics["coverage of quantile 0.1"]["estimate"] == pytest.approx(below)
    covered = np.mean(y_true <= 1.0) - below
    assert metrics["coverage of 0.1 to 0.9"]["estimate"] == pytest.approx(covered)
    losses = [
        peer.mean_pinball_loss(y_true, np.full(N, q), alpha=alpha)
        for q, alpha in ((-1.5, 0.1), (1.0, 0.9))
    ]
    assert metrics["pinball loss, mean"]["estimate"] == pytest.approx(np.mean(losses))


def test_several_labels_a_row(tmp_path, capsys, rng):
    y_true = rng.integers(0, 2, (N, 2))
    score = rng.random((N, 2)).round(4)
    columns = {f"true_{k}": c for k, c in zip("ab", y_true.T, strict=True)}
    columns |= {f"score_{k}": c for k, c in zip("ba", score.T[::-1], strict=True)}
    content, metrics = run(capsys, write(tmp_path / "a.csv", **columns), "--resamples", 0)
    assert content["task"] == "multilabel"
    expected = peer.roc_auc_score(y_true, score)
    assert metrics["ROC AUC, macro"]["estimate"] == pytest.approx(expected, rel=1e-9)
    expected = peer.hamming_loss(y_true, score >= 0.5)
    assert metrics["Hamming loss"]["estimate"] == pytest.approx(expected)


def chosen_task(path, **said):
    columns = ("y_true", "y_score", "query", "group", "weight", "cluster", "id", "model")
    others = ("task", "positive", "threshold", "levels", "classes")
    options = argparse.Namespace(**dict.fromkeys(columns + others) | said)
    with Engine() as engine:
        source = Source(engine, str(path))
        found = roles(source, options)
        return guess(Columns(source, found.wanted()), found, options)


@pytest.mark.parametrize(
    ("columns", "task"),
    [
        ({"y_true": [0, 1, 1], "y_score": [0.1, 3.5, -1]}, "binary"),
        ({"y_true": [-1, 1, 1], "y_score": [0.1, 3.5, -1]}, "binary"),
        ({"y_true": [-1, 1, 1], "y_pred": [-1, 1, -1]}, "binary"),
        ({"Label": ["no", "yes", "no"], "Score": [0.1, 0.5, 0.2]}, "binary"),
        ({"y_true": [0, 2, 1], "y_pred": [0, 1, 1]}, "multiclass"),
        ({"y_true": ["a", "b"], "y_pred": ["b", "b"]}, "multiclass"),
        ({"y_true": ["0", "1"], "prob_0": [0.5, 0.1], "prob_1": [0.5, 0.9]}, "multiclass"),
        ({"y_true": [0, 2, 1], "y_pred": [0.5, 1.5, 1]}, "regression"),
        ({"y_true": [1.5, 2.5], "q10": [1, 1], "q90": [3, 3]}, "quantile"),
        ({"y_true": [1.5, 2.5], "y_pred_0.1": [1, 1], "y_pred_0.9": [3, 3]}, "quantile"),
        ({"true_a": [0, 1], "true_b": [1, 0], "p": [1, 1], "score_a": [1, 0]}, "multilabel"),
        ({"query_id": [1, 1], "relevance": [0, 1], "score": [1, 2]}, "ranking"),
    ],
)
def test_the_task_is_told_from_the_columns(columns, task, tmp_path):
    if task == "multilabel":
        columns["score_b"] = [0, 1]
    assert chosen_task(write(tmp_path / "a.csv", **columns)) == task


def test_other_kinds_of_files_hold_the_same(tmp_path):
    content: dict[str, Any] = {
        "y_true": [0, 1, 1],
        "y_score": [0.25, 0.5, 0.75],
        "name": ["a", "b", "a"],
    }
    np.savez(tmp_path / "a.npz", **content, more=np.ones((3, 2)))
    (tmp_path / "a.tsv").write_text(
        '\ufeff"y_true"\ty_score\tname\n0\t.25\ta\n1\t 0.5\t"b"\n1\t75e-2\ta\n', encoding="utf-8"
    )
    with Engine() as engine:
        for kind in ("a.parquet", "b.csv.zst"):
            engine.run(f"COPY (FROM read_csv('{tmp_path}/a.tsv')) TO '{tmp_path}/{kind}'")
        for name in ("a.npz", "a.tsv", "a.parquet", "b.csv.zst"):
            columns = Columns(Source(engine, str(tmp_path / name)), list(content))
            np.testing.assert_array_equal(columns.numbers("y_score"), content["y_score"])
            code, names = columns.texts("name")
            assert ([names[k] for k in code], names) == (content["name"], ["a", "b"])
            assert columns.texts("y_true")[1] == ["0", "1"]
        assert Source(engine, str(tmp_path / "a.npz")).names[-2:] == ["more_0", "more_1"]


def of_size(n):
    y_true = np.arange(n) % 2
    predictions = Predictions(np.full(n, 0.25), np.zeros(n, np.int32))
    return Data("binary", y_true, [predictions], names=["0", "1"], threshold=0.5)


def test_very_many_rows_are_not_resampled():
    def methods(data, **settings):
        batches = evaluation._batches(data, panel(data), Settings(**settings))
        return {
            entry.name: (batch.method, batch.cells) for batch in batches for entry in batch.entries
        }

    few, many = of_size(100), of_size(60_000)
    assert methods(few)["ROC AUC"] == methods(few)["F1"] == ("bootstrap", False)
    assert methods(few, resamples=0)["F1"] == ("jackknife", False)
    assert methods(many)["ROC AUC"] == ("jackknife", False)
    assert methods(many)["F1"] == ("bootstrap", True)
    assert methods(many, resamples=50)["ROC AUC"] == ("bootstrap", False)
    many.weight = np.ones(60_000)
    assert methods(many)["F1"] == ("jackknife", False)
    many.task = "regression"
    assert methods(many)["median absolute error"] == ("few", False)


def test_labels_of_few_classes_are_resampled_as_counts(rng: np.random.Generator) -> None:
    y_true, y_pred = rng.integers(0, 2, (2, 50))
    entries = [entry for entry in panel(of_size(100)) if entry.decided]
    metrics = tuple((entry.function, entry.options) for entry in entries)
    problem = make_problem(
        several_label_metrics,
        y_true,
        {"y_pred": y_pred},
        SampleInfo(None, None, None, None),
        {"metrics": metrics},
    )
    assert in_cells(problem).table is not None


def test_classes_with_separators_in_their_names():
    names = ["p_very_bad", "p_very_good"]
    assert tasks._suffixes(names) == ["bad", "good"]
    assert tasks._suffixes(names, ["very_good"]) == ["very_bad", "very_good"]


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["1.0", "2.0"], ["1", "2"]),
        (["1", "+1", "-1"], ["1", "1", "-1"]),
        (["1.0", "1.5"], ["1.0", "1.5"]),
        (["1.0", "01"], ["1.0", "01"]),
        (["9007199254740993"], ["9007199254740993"]),
    ],
)
def test_names_of_classes(cells, names):
    assert class_names(cells) == names


def test_numbers_have_the_digits_that_their_errors_leave():
    assert [report.decimals(*pair) for pair in ((0.5, 0.012), (1234.0, 56.0), (0.5, 0.0))] == [
        3,
        0,
        4,
    ]
    assert [report.p_text(p) for p in (0.5, 0.012, 1e-9, np.nan)] == [
        "0.50",
        "0.012",
        "< 0.0001",
        "nan",
    ]


def test_tables_name_groups_and_say_how_intervals_were_found(tmp_path, capsys):
    y_true, y_pred = [1.0, 2.0, 4.0, 7.0] * 12, [1.5, 2.0, 3.0, 9.0] * 12
    file = write(tmp_path / "a.csv", y_true=y_true, y_pred=y_pred, g=["a", "b"] * 24)
    arguments = [file, "--task", "regression", "--group", "g", "--resamples", "0"]
    assert main(["evaluate", *arguments]) == 0
    printed = capsys.readouterr().out
    for part in ("48 rows, task regression\n", "g = b: 24 rows", "RMSE ↓", "95 % interval"):
        assert part in printed
    assert "Intervals by normal bootstrap, 100 resamples: median absolute error.\n" in printed
    assert "Rows are taken as independent.\n" in printed
    assert "nan" not in printed
