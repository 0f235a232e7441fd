"""The command `evaluate`: metrics with intervals from a file of predictions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import jax

from jmetrics.cli import columns, html, options, pictures, text
from jmetrics.cli.evaluation import Settings, SubsetResults, evaluate
from jmetrics.cli.pairing import pair
from jmetrics.cli.panels import panel
from jmetrics.cli.reading import Refused, open_source
from jmetrics.cli.tasks import TASKS, Data, arrays, guess

_ABOUT = """
Print the metrics that people report, each with its standard error and an interval. Columns
with usual names (y_true, y_score, y_pred, query, ...) are found; others are named. Several
columns of scores, such as y_score_cat and y_score_dog, belong to classes, labels or levels.
"""
_LATER = """
Most of the time goes into compiling. With JAX_COMPILATION_CACHE_DIR set to a folder, later
calls take from there what earlier ones compiled.
"""


def add_parser(commands: Any) -> None:
    """Describe the command and its options."""
    parser = commands.add_parser(
        "evaluate",
        help="metrics of the predictions in a file, and how sure they are",
        description=_ABOUT,
        epilog=_LATER,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("file", help=".csv, .tsv, .parquet or .npz; - for CSV from standard input")
    add("--task", choices=TASKS, help="what is predicted (default: told from the columns)")
    add("--y-true", metavar="NAMES", help="true values; commas and * for several columns")
    add("--y-score", metavar="NAMES", help="predictions; commas and * for several columns")
    add("--query", metavar="NAME", help="the list of each row, for ranking")
    add("--group", metavar="NAME", help="report each group of rows too")
    add("--weight", metavar="NAME", help="weight of each row")
    add("--cluster", metavar="NAME", help="rows that depend on each other, drawn together")
    add("--compare", metavar="FILE", help="predictions of another model for the same rows")
    add("--positive", metavar="CLASS", help="the class that scores speak for, if binary")
    add("--threshold", type=options.number, metavar="T", help="scores from here on are positive")
    add("--levels", type=options.levels, metavar="Q,Q", help="levels of the columns of quantiles")
    add(
        "--resamples",
        type=options.resamples,
        metavar="N",
        help="bootstrap resamples, or 0 for derivatives (default: 1000, 0 for very many rows)",
    )
    add("--confidence", type=options.confidence, default=0.95, metavar="P", help="(default: 0.95)")
    add("--seed", type=options.seed, default=0, metavar="N", help="(default: 0)")
    add("--json", action="store_true", help="print JSON in place of tables")
    add("--html", type=options.new_file, metavar="FILE", help="write a report with pictures")
    add("--plot", type=options.folder, metavar="DIR", help="write the pictures into a folder")


def run(said: argparse.Namespace) -> int:
    """Evaluate, print, write."""
    try:
        # Differences of large numbers need more than the seven digits of float32.
        with jax.enable_x64(True):
            _run(said)
    except Refused as refused:
        print(f"jmetrics: {refused}", file=sys.stderr)
        return 2
    except OSError as error:  # of what is written; what is read was seen to
        print(f"jmetrics: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _run(said: argparse.Namespace) -> None:
    for option in ("html", "plot"):
        if getattr(said, option):
            pictures.need_matplotlib(f"--{option}")
    data, chosen, guessed = _read(said)
    settings = Settings(said.resamples, said.confidence, said.seed)
    parts = evaluate(data, panel(data), settings)
    lines = _lines(said, data, chosen, guessed)
    notes = [*_intervals(parts, data, settings, chosen), *data.notes]
    unit = "rows" if data.where is None else "lists"
    if said.json:
        to_statistic = {
            "file": said.file,
            "compare": said.compare,
            "task": data.task,
            "rows": data.rows,
            "columns": {**chosen._asdict()},
            "threshold": data.threshold,
            "positive": data.positive or None,
            "confidence": settings.level,
            "seed": settings.seed,
        }
        print(text.as_json(parts, to_statistic, notes))
    else:
        print(text.report(parts, lines, notes, unit, chosen.group, settings.level))
    if said.html or said.plot:
        images = pictures.rendered(data, parts, settings, _models(said))
        if said.plot:
            pictures.save(images, said.plot)
        if said.html:
            report = html.page(
                parts, lines, notes, images, unit=unit, group=chosen.group, level=settings.level
            )
            said.html.write_text(report, encoding="utf-8")


def _models(said: argparse.Namespace) -> list[str]:
    files = [said.file] if said.compare is None else [said.file, said.compare]
    names = [Path(file).stem if file != "-" else "standard input" for file in files]
    return names if len(set(names)) == len(names) else files


def _read(said: argparse.Namespace) -> tuple[Data, columns.Roles, bool]:
    source = open_source(said.file)
    chosen = columns.roles(source, said)
    table = columns.Columns(source, chosen.wanted())
    task = said.task or ("quantile" if said.levels else guess(table, chosen))
    data = arrays(table, chosen, task, said)
    if said.compare is not None:
        other = open_source(said.compare)
        theirs = chosen._replace(score=columns.score(other, said.y_score))
        # Roles that are not given are as in the first file.
        there = [name for name in theirs.wanted() if name in other.names]
        more = columns.Columns(other, there)
        more.borrow(table, theirs.wanted())
        again = arrays(more, theirs, task, said)
        pair(data, again, (source.path, other.path))
    return data, chosen, said.task is None


def _lines(said: argparse.Namespace, data: Data, chosen: columns.Roles, guessed: bool) -> list[str]:
    name = "standard input" if said.file == "-" else said.file
    against = "" if said.compare is None else f" against {said.compare}"
    told = "told from the columns; --task says otherwise"
    lines = [
        f"{name}{against}",
        f"{data.rows:,} {'row' if data.rows == 1 else 'rows'}, task {data.task}"
        + (f" ({told})" if guessed else ""),
    ]
    parts = [f"truth {', '.join(chosen.truth)}", f"predictions {', '.join(chosen.score)}"]
    for part in ("query", "weight", "cluster"):
        if getattr(chosen, part):
            parts.append(f"{part} {getattr(chosen, part)}")
    lines.append("; ".join(parts))
    if data.task == "binary":
        count = int(data.y_true.sum())
        lines.append(
            f"positive is {data.positive} ({count:,} rows); "
            f"predicted for scores from {data.threshold:g} on"
        )
    if said.compare is not None:
        lines.append(f"other is {said.compare}; difference is value − other")
    return lines


def _intervals(
    parts: list[SubsetResults], data: Data, settings: Settings, chosen: columns.Roles
) -> list[str]:
    """How the intervals were computed, and their limitations."""
    results = [result for part in parts for result in part.results]
    methods: dict[str, dict[str, None]] = {}
    for result in results:
        methods.setdefault(result.method, {})[result.name] = None
    notes = [
        f"Intervals by {method}" + (f": {', '.join(names)}." if len(methods) > 1 else ".")
        for method, names in methods.items()
    ]
    unit = "Rows" if data.where is None else "Lists"
    if chosen.cluster is not None:
        unit = f"{unit} of different {chosen.cluster}"
    notes.append(f"{unit} are taken as independent.")
    if any(result.low == result.high for result in results):
        notes.append("An interval without width: these rows hold nothing that varies.")
    lost = max(result.n_undefined for result in results)
    if lost:
        notes.append(f"Resamples without a value were left out, at most {lost} for a metric.")
    return notes
