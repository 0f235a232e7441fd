"""The command line: what is wrong with a file, a column or a value, in one line."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

import jmetrics
from jmetrics._core import settings
from jmetrics.cli import cache, evaluate, main, pictures
from jmetrics.cli.engine import Engine, Refused

ROOT = Path(__file__).parents[1]
GOOD = "y_true,y_score\n0,0.2\n1,0.7\n"


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("", [], ["is empty"]),
        ("y_true,y_score\n", [], ["no rows"]),
        ("0,0.2\n1,0.7\n", [], ["first line", "numbers"]),
        ("y_true,y_score\n0,0.2\n1,high\n", [], ["row 2 (line 3)", "'y_score'", "'high'"]),
        ("y_true,y_score\n0,0.2\n1,nan\n", [], ["row 2 (line 3)", "'y_score'", "'nan'"]),
        ("y_true,y_score\n0,0.2\n1,\n", [], ["row 2 (line 3)", "'y_score'", "is empty"]),
        ("y_true,y_score\n0,0.2\n1\n", [], ["line 3", "1 cells", "2 columns"]),
        ("y_true,y_score\n0,0.2\n\n1,x\n", [], ["row 2, column 'y_score'"]),
        ("y_true,y_score\n,0.2\n1,0.7\n", [], ["row 1 (line 2)", "'y_true'", "empty"]),
        ("y_true,y_true,y_score\n0,1,0.2\n", [], ["two columns", "'y_true'"]),
        ("a,b\n1,2\n", [], ["--y-true", "a, b"]),
        ("y_true,b\n1,2\n", [], ["--y-score", "y_true, b"]),
        (GOOD, ["--y-score", "p"], ["no column 'p'", "--y-score", "y_true, y_score"]),
        (GOOD, ["--group", "region"], ["no column 'region'", "--group"]),
        (GOOD, ["--task", "ranking"], ["--query"]),
        (GOOD, ["--task", "quantile"], ["level", "y_score"]),
        (GOOD, ["--positive", "yes"], ["--positive", "'0', '1'"]),
        (GOOD, ["--weight", "y_true", "--cluster", "nobody"], ["'nobody'", "--cluster"]),
        ("y_true,y_score\n0,1\n1,2\n2,1\n", ["--task", "binary"], ["row 3", "'2'", "two"]),
        ("y_true,y_score\na,0.1\nb,0.2\n", [], ["'a', 'b'", "--positive"]),
        ("y_true,p_a,p_b\nc,1,0\n", ["--y-score", "p_*"], ["row 1", "'c'", "a, b"]),
        ("y_true,y_score,w\n0,1,1\n1,2,-1\n", ["--weight", "w"], ["row 2", "'-1'", "negative"]),
        ("query,y_true,y_score\n1,-1,2\n", [], ["row 1", "negative relevance"]),
        ("true_a,true_b,score_a,score_b\n0,2,1,1\n", [], ["row 1", "'true_b'", "neither 0 nor 1"]),
        (
            "query,y_true,y_score,w\n1,1,2,1\n1,0,2,2\n",
            ["--weight", "w"],
            ["row 2", "'w'", "list"],
        ),
    ],
)
def test_what_is_wrong_is_one_line(content, options, said, tmp_path, capsys):
    file = tmp_path / "a.csv"
    file.write_text(content, encoding="utf-8")
    refused(capsys, [str(file), *options], [*said, str(file)])


def refused(capsys, arguments, said):
    assert main(["evaluate", *arguments]) == 2
    printed, complaint = capsys.readouterr()
    assert printed == ""
    assert complaint.count("\n") == 1
    for part in said:
        assert part in complaint, complaint


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.csv", "no such file"),
        ("a.xlsx", "unknown kind of file '.xlsx'"),
        ("a.npz", "is not NPZ"),
        ("a.parquet", "Parquet"),
        ("b.csv", "is not text in UTF-8"),
        ("folder.csv", "without files"),
    ],
)
def test_files_that_cannot_be_read(name, said, tmp_path, capsys):
    for other in ("a.xlsx", "a.npz", "a.parquet"):
        (tmp_path / other).write_text(GOOD, encoding="utf-8")
    (tmp_path / "b.csv").write_bytes(b"y_true,y_score\n1,\xff\xfe\n")
    (tmp_path / "folder.csv").mkdir()
    refused(capsys, [str(tmp_path / name)], [said, name])


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("y_true,y_score\n0,0.2\n", "1 rows, but"),
        ("y_true,y_score\n0,0.2\n0,0.7\n", "row 2 (line 3), column 'y_true'"),
        ("y_score\n0.2\nx\n", "'x' is not a number"),
        ("y_true,p\n0,0.2\n1,0.7\n", "--y-score"),
    ],
)
def test_files_that_are_no_pair(other, said, tmp_path, capsys):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text(GOOD, encoding="utf-8")
    second.write_text(other, encoding="utf-8")
    refused(capsys, [str(first), "--compare", str(second)], [said, str(second)])


@pytest.mark.parametrize(
    "wrong",
    [
        ["--resamples", "5"],
        ["--confidence", "95"],
        ["--levels", "0.1,2"],
        ["--seed", "-1"],
        ["--threshold", "nan"],
        ["--html", "missing/a.html"],
        ["--task", "clustering"],
        ["--plot", str(Path(__file__) / "pictures")],
        ["--unknown", "--unknown"],
    ],
)
def test_options_are_refused_before_any_work(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "a.csv", *wrong])
    assert stopped.value.code == 2
    complaint = capsys.readouterr().err
    assert wrong[1] in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize("option", ["--resamples=50", "--compare=b.csv", "--task=binary"])
def test_options_are_refused_when_given_twice(option, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "a.csv", option, option])
    assert stopped.value.code == 2
    name = option.split("=")[0]
    assert f"argument {name}: is given twice" in capsys.readouterr().err


def test_the_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"jmetrics {jmetrics.__version__}\n"


class Closed(io.StringIO):
    """An output that nobody reads any more, which stands for the file of a number."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def write(self, text):
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    def fileno(self):
        return self.number


def test_a_closed_pipe_is_no_error(tmp_path, capsys, monkeypatch):
    with open(tmp_path / "output", "w") as output:
        monkeypatch.setattr(sys, "stdout", Closed(output.fileno()))
        evaluate._say("a report")
        os.write(output.fileno(), b"what is left")
    assert (tmp_path / "output").read_text() == ""
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MemoryError(), 2, "memory"),
        (jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory"), 2, "memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_what_stops_the_work_is_one_line(error, status, said, capsys, monkeypatch):
    def stop(namespace):
        raise error

    monkeypatch.setattr(evaluate, "_run", stop)
    assert main(["evaluate", "a.csv"]) == status
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_what_the_database_cannot_do_is_one_line():
    with pytest.raises(Refused, match=r"^[^\n]*nothing[^\n]*$"), Engine() as engine:
        engine.run("SELECT * FROM nothing")


def test_files_without_the_database_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    refused(capsys, ["a.csv"], ["duckdb", "jmetrics-jax[cli]"])


def test_programs_are_kept_in_the_cache_of_the_user(tmp_path, monkeypatch):
    updates: dict[str, object] = {}
    monkeypatch.setattr(jax.config, "update", updates.__setitem__)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(settings, "compilation_cache_folder", lambda: "elsewhere")
    cache.keep_programs()
    assert updates == {}
    monkeypatch.setattr(settings, "compilation_cache_folder", lambda: None)
    cache.keep_programs()
    assert updates["jax_compilation_cache_dir"] == str(tmp_path / "jmetrics")
    assert (tmp_path / "jmetrics").is_dir()


@pytest.mark.parametrize("more", [[], ["--no-cache"]])
def test_programs_are_kept_when_the_command_is_a_program(more, monkeypatch):
    kept = []
    monkeypatch.setattr(cache, "keep_programs", lambda: kept.append(True))
    monkeypatch.setattr(evaluate, "_run", lambda said: 0)
    monkeypatch.setattr(sys, "argv", ["jmetrics", "evaluate", "a.csv", *more])
    assert main() == main(["evaluate", "a.csv"]) == 0
    assert kept == ([] if more else [True])


def test_pictures_without_matplotlib_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    (tmp_path / "a.csv").write_text(GOOD, encoding="utf-8")
    refused(
        capsys, [str(tmp_path / "a.csv"), "--plot", str(tmp_path)], ["jmetrics-jax[plot]", "--plot"]
    )


def test_a_report_that_cannot_be_written(tmp_path, capsys, monkeypatch):
    def refuse(*args):
        raise PermissionError(13, "Permission denied", "report.html")

    monkeypatch.setattr(evaluate, "_run", refuse)
    refused(capsys, ["a.csv"], ["report.html: Permission denied"])


def test_standard_input_by_the_module():
    command = [sys.executable, "-m", "jmetrics", "evaluate", "-"]
    done = subprocess.run(
        command, input="y_true,y_score\n1,many\n", capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 2
    assert done.stdout == ""
    said = "jmetrics: standard input: row 1 (line 2), column 'y_score': 'many' is not a number"
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1


def test_standard_input_in_process(monkeypatch, capsys):
    stdin = io.TextIOWrapper(io.BytesIO(b"y_true,y_pred\n1.5,2\n2.5,x\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    refused(capsys, ["-"], ["standard input: row 2 (line 3)", "'x' is not a number"])
