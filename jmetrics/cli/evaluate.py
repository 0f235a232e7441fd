"""The command `evaluate`: metrics with intervals from a file of predictions."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from jmetrics.cli import html, options, pictures, roles, text
from jmetrics.cli.bounds import bound, failures, metric_of
from jmetrics.cli.classes import of_each
from jmetrics.cli.columns import Columns
from jmetrics.cli.data import Data
from jmetrics.cli.dialect import ENCODINGS, MISSING, Dialect
from jmetrics.cli.engine import Engine, Refused
from jmetrics.cli.evaluation import Settings, SubsetResults, evaluate
from jmetrics.cli.guessing import TASKS, guess, refuse_inapplicable
from jmetrics.cli.panels import panel
from jmetrics.cli.reading import Source
from jmetrics.cli.report import Report
from jmetrics.cli.tasks import arrays

_ABOUT = """
Print the metrics that people report, each with its standard error and an interval. Columns
with usual names (y_true, y_score, y_pred, query, ...) are found; others are named. Several
columns of scores, such as y_score_cat and y_score_dog, belong to classes, labels or levels.
"""
_LATER = """
Most of the time goes into compiling. Later calls take what earlier ones compiled from the
user's cache folder, or from that in JAX_COMPILATION_CACHE_DIR.
"""
_NO_MEMORY = "the memory does not suffice; --resamples 0 needs the least"


def add_parser(commands: Any) -> None:
    """Describe the command and its options."""
    parser = commands.add_parser(
        "evaluate",
        help="metrics of the predictions in a file, and how sure they are",
        description=_ABOUT,
        epilog=_LATER,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "file",
        help="CSV, JSON lines, Parquet, Arrow or NPZ; a folder or pattern of parts; - for "
        "standard input",
    )
    _add_columns(functools.partial(parser.add_argument, action=options.Once))
    _add_spellings(functools.partial(parser.add_argument, action=options.Once))
    _add_methods(functools.partial(parser.add_argument, action=options.Once))
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    for side, what in (("under", "below"), ("over", "above")):
        parser.add_argument(
            f"--fail-{side}",
            type=bound,
            action="append",
            default=[],
            metavar="METRIC=VALUE",
            help=f"exit with status 1 if the metric is {what} the value; may be repeated",
        )
    parser.add_argument(
        "--fail-by",
        action=options.Once,
        choices=("value", "interval"),
        default="value",
        help="judge the value, or the worse end of its interval (default: value)",
    )
    parser.add_argument("--no-cache", action="store_true", help="keep no compiled programs")


def _add_columns(add: Callable[..., Any]) -> None:
    """Options that say what the columns are."""
    add("--task", choices=TASKS, help="what is predicted (default: told from the columns)")
    add("--y-true", metavar="NAMES", help="true values; commas and * for several columns")
    add("--y-score", metavar="NAMES", help="predictions; commas and * for several columns")
    add("--query", metavar="NAME", help="the list of each row, for ranking")
    add("--group", metavar="NAME", help="report each group of rows too")
    add("--weight", metavar="NAME", help="weight of each row")
    add("--cluster", metavar="NAME", help="rows that depend on each other, drawn together")
    add("--model", metavar="NAMES", help="predictions of several models; commas between models")
    add("--compare", metavar="FILE", help="predictions of another model for the same rows")
    add("--id", metavar="NAMES", help="match rows of both files by these columns, not by position")
    add("--positive", metavar="CLASS", help="the class that scores speak for, if binary")
    add("--threshold", type=options.number, metavar="T", help="scores from here on are positive")
    add("--classes", type=options.names, metavar="NAMES", help="class of each column of scores")
    add("--levels", type=options.levels, metavar="Q,Q", help="levels of the columns of quantiles")


def _add_spellings(add: Callable[..., Any]) -> None:
    """Options that say how cells are written."""
    add(
        "--na",
        choices=("error", "drop"),
        default="error",
        help="what to do with rows in which a value is missing (default: error)",
    )
    add(
        "--na-values",
        type=options.spellings,
        default=MISSING,
        metavar="TEXTS",
        help=f"spellings of a missing value besides the empty cell (default: {','.join(MISSING)})",
    )
    add("--decimal", choices=(".", ","), default=".", help="the decimal separator (default: .)")
    add("--thousands", choices=(",", ".", " ", "'", "_"), default="", help="separator of thousands")
    add("--encoding", choices=ENCODINGS, help="of text (default: UTF-8, or told from its mark)")


def _add_methods(add: Callable[..., Any]) -> None:
    """Options that say what to compute and where to write it."""
    add(
        "--resamples",
        type=options.resamples,
        metavar="N",
        help="bootstrap resamples, or 0 for derivatives (default: 1000, 0 for very many rows)",
    )
    add("--confidence", type=options.confidence, default=0.95, metavar="P", help="(default: 0.95)")
    add("--seed", type=options.seed, default=0, metavar="N", help="(default: 0)")
    add("--format", choices=text.FORMATS, default="text", help="of what is printed")
    add("--html", type=options.new_file, metavar="FILE", help="write a report with pictures")
    add("--plot", type=options.folder, metavar="DIR", help="write the pictures into a folder")


def run(said: argparse.Namespace) -> int:
    """Evaluate, print, write."""
    try:
        # Differences of large numbers need more than the seven digits of float32.
        with jax.enable_x64(True):
            return _run(said)
    except Refused as refused:
        return _stopped(str(refused))
    except OSError as error:  # of what is written; what is read was seen to
        return _stopped(f"{error.filename}: {error.strerror}")
    except MemoryError:
        return _stopped(_NO_MEMORY)
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        return _stopped(_NO_MEMORY)


def _stopped(reason: str) -> int:
    print(f"jmetrics: {reason}", file=sys.stderr)
    return 2


def _run(said: argparse.Namespace) -> int:
    for option in ("html", "plot"):
        if getattr(said, option):
            pictures.need_matplotlib(f"--{option}")
    data, chosen = _read(said)
    entries = panel(data)
    for wanted in (*said.fail_under, *said.fail_over):
        metric_of(wanted, [entry.name for entry in entries])  # refused before the work starts
    if said.plot:
        said.plot.mkdir(parents=True, exist_ok=True)
    settings = Settings(said.resamples, said.confidence, said.seed)
    parts = evaluate(data, entries, settings)
    report = Report(
        parts,
        _lines(said, data, chosen),
        [*_intervals(parts, data, settings, chosen), *data.notes],
        "rows" if data.where is None else "lists",
        chosen.group,
        settings.level,
        chosen.names,
        of_each(data),
    )
    _write(said, data, settings, report)
    form = text.FORMATS["json" if said.json else said.format]
    _say(form(report, _settled(said, data, chosen)))
    failed = failures(parts[0].results, said.fail_under, said.fail_over, said.fail_by == "interval")
    for failure in failed:
        print(f"jmetrics: {failure}", file=sys.stderr)
    return 1 if failed else 0


def _say(report: str) -> None:
    """Print, as far as anybody reads."""
    try:
        print(report, flush=True)
    except BrokenPipeError:
        # What is left goes nowhere, at exit too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(said: argparse.Namespace, data: Data, settings: Settings, report: Report) -> None:
    """Write pictures, and the report with them."""
    if not (said.html or said.plot):
        return
    images = pictures.rendered(data, report.parts, settings, report.models)
    if said.plot:
        pictures.save(images, said.plot)
    if said.html:
        said.html.write_text(html.page(report, images), encoding="utf-8")


def _settled(said: argparse.Namespace, data: Data, chosen: roles.Roles) -> dict[str, Any]:
    """What was chosen, for JSON."""
    columns = chosen._asdict() | {"score": chosen.score}
    return {
        "file": said.file,
        "compare": said.compare,
        "task": data.task,
        "rows": data.rows,
        "columns": {k: names for k, names in columns.items() if k not in ("models", "names")},
        "threshold": data.threshold,
        "positive": data.positive or None,
        "confidence": said.confidence,
        "seed": said.seed,
    }


def _read(said: argparse.Namespace) -> tuple[Data, roles.Roles]:
    with Engine(_dialect(said)) as engine:
        source = Source(engine, said.file)
        other = None if said.compare is None else Source(engine, said.compare)
        if said.model is not None and other is not None:
            raise Refused("--model and --compare both name models; say one of them")
        for one in (source, other):
            _refuse_overwriting(said, one)
        if said.id is not None and other is None:
            raise Refused("--id matches the rows of --compare, which is not given")
        chosen = roles.roles(source, said)
        table = Columns(source, chosen.wanted())
        if other is not None:
            shared = [name for name in (*chosen.truth, chosen.query) if name in other.names]
            scores = roles.score(other, said.y_score)
            roles.ids(other, said.id)
            keys = table.join(other, scores, [n for n in shared if n not in scores], chosen.id)
            names = _different([*chosen.names, Path(other.path).stem], [source.path, other.path])
            chosen = chosen._replace(models=[chosen.score, keys], names=names)
        table.settle(said.na == "drop")
        task = said.task or guess(table, chosen, said)
        refuse_inapplicable(said, task)
        data = arrays(table, chosen, task, said)
        if other is not None and not chosen.id:
            data.notes.append("Rows of both files are matched by their position.")
        return data, chosen


def _different(names: list[str], paths: list[str]) -> list[str]:
    return names if len(set(names)) == len(names) else paths


def _dialect(said: argparse.Namespace) -> Dialect:
    if said.decimal == said.thousands:
        raise Refused(f"--decimal and --thousands cannot both be {said.decimal!r}")
    return Dialect(said.encoding, said.na_values, said.decimal, said.thousands)


def _refuse_overwriting(said: argparse.Namespace, source: Source | None) -> None:
    if source is not None and said.html is not None and said.html.exists():
        for part in source.parts:
            if said.html.samefile(part):
                raise Refused(f"--html {said.html}: would overwrite what is read")


def _lines(said: argparse.Namespace, data: Data, chosen: roles.Roles) -> list[str]:
    name = "standard input" if said.file == "-" else said.file
    against = "" if said.compare is None else f" against {said.compare}"
    told = "told from the columns; --task says otherwise"
    lines = [
        f"{name}{against}",
        f"{data.rows:,} {'row' if data.rows == 1 else 'rows'}, task {data.task}"
        + ("" if said.task else f" ({told})"),
    ]
    parts = [f"truth {', '.join(chosen.truth)}", f"predictions {', '.join(chosen.score)}"]
    for part in ("query", "weight", "cluster"):
        if getattr(chosen, part):
            parts.append(f"{part} {getattr(chosen, part)}")
    lines.append("; ".join(parts))
    if data.task == "binary":
        count = int(data.y_true.sum())
        line = f"positive is {data.positive} ({count:,} {'row' if count == 1 else 'rows'})"
        if data.threshold is not None:
            line += f"; predicted for scores from {data.threshold:g} on"
        lines.append(line)
    if said.compare is not None:
        lines.append(f"other is {said.compare}; difference is value − other")
    elif len(chosen.names) > 1:
        lines.append(f"{chosen.names[0]} is compared with {', '.join(chosen.names[1:])}")
    return lines


def _intervals(
    parts: list[SubsetResults], data: Data, settings: Settings, chosen: roles.Roles
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
