"""What XLA makes of every public metric, loss and interval on a GPU or a TPU, without one.

Compiles for an H100 or a TPU v5e and counts: sorts by the vendor and by XLA itself (which on a GPU
is many times slower for long rows), rounds of loops (on a GPU each is a launch or more), gathers
and scatters (on a TPU each entry moves a tile of 4 KB), bytes moved, and processor seconds of the
compiler.

In an environment of its own, since JAX looks for the device of any plugin that is installed:
`pip install -e '.[test,accelerators]'`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import IO, Any

import jax

from benchmarks._hlo import MANY
from benchmarks._limits import misses
from benchmarks._programs import LISTS, N_RESAMPLED, N_SEGMENTS, N, programs

PAGE = Path(__file__).parents[1] / "docs" / "accelerators.md"
DEVICES = {"gpu": "NVIDIA H100", "tpu": "TPU v5e"}
SURROUNDINGS = {
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_COMPILATION_CACHE": "0",  # what is read from a cache is not compiled
    "TPU_SKIP_MDS_QUERY": "1",  # there is no cloud to ask which TPU this is
    "TPU_ACCELERATOR_TYPE": "v5litepod-4",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",  # compiling takes no device from another process
}
Figures = dict[str, Any]
"""Those of `benchmarks._compiled`."""


def compiled(target: str, labels: list[str], limit: int) -> Iterator[tuple[str, Figures]]:
    """Figures as they come; a compiler that hangs or crashes loses its program only."""
    while labels:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
            with _process(target, labels, limit, folder, errors) as process:
                for text in process.stdout or ():
                    label, *labels = labels
                    yield label, json.loads(text)[label]
            if process.returncode > 0:
                errors.seek(0)
                sys.exit(errors.read()[-2000:])
        if labels:  # a signal ended it
            slow = process.returncode == -signal.SIGALRM
            problem = f"over {limit} s" if slow else f"compiler died, signal {-process.returncode}"
            label, *labels = labels
            yield label, {"problem": problem}


def _process(
    target: str, labels: list[str], limit: int, dump: str, errors: IO[str]
) -> subprocess.Popen[str]:
    surroundings = {**os.environ, **SURROUNDINGS}
    if target == "gpu":
        surroundings["XLA_FLAGS"] = f"--xla_dump_to={dump} --xla_dump_hlo_as_text"
    command = [sys.executable, "-m", "benchmarks._compiled", target, dump, str(limit), *labels]
    return subprocess.Popen(
        command, env=surroundings, stdout=subprocess.PIPE, stderr=errors, text=True
    )


def heading(width: int) -> str:
    return (
        f"{'':{width}} vendor  own (longest)  trips   scatters (large)    gathers (large) "
        " MB moved       of  temp MB  CPU s"
    )


def line(label: str, figures: Figures, width: int) -> str:
    if "problem" in figures:
        return f"{label:{width}} {figures['problem']}"
    own, moved = sum(figures["own_sorts"].values()), figures.get("moved")
    return (
        f"{label:{width}} {figures['vendor_sorts']:>6}"
        f" {own:>4} {_in_brackets(figures['own_length'])}"
        f" {figures['trips']:>6}{'+' if figures['open_loops'] else ' '}"
        f" {figures['scatters']:>8} {_in_brackets(figures['large_scatters'])}"
        f" {figures['gathers']:>8} {_in_brackets(figures['large_gathers'])}"
        f" {'' if moved is None else format(moved / 1e6, '.0f'):>8}"
        f" {figures['operands'] / 1e6:>8.1f} {figures['temporary'] / 1e6:>8.1f}"
        f" {figures['seconds']:>6.1f}"
    )


def _in_brackets(number: int) -> str:
    return f"{f'({number})' if number else '':9}"


def section(target: str, found: dict[str, Figures]) -> str:
    width = max(map(len, found), default=0)
    rows = [line(label, figures, width) for label, figures in found.items()]
    missed = {label: misses(target, label, figures) for label, figures in found.items()}
    above = [f"{label:{width}} {'; '.join(what)}" for label, what in missed.items() if what]
    table = "\n".join(["```text", heading(width), *rows, "```"])
    text = f"## {DEVICES[target]}\n\n{table}\n"
    if above:
        text += "\n".join(
            [f"\n### Above a limit: {len(above)} of {len(found)}\n\n```text", *above, "```\n"]
        )
    return text


def page(found: dict[str, dict[str, Figures]]) -> str:
    head = (
        f"# Compiled for a GPU and a TPU\n\nWritten by `python -m benchmarks.accelerators` on "
        f"{date.today()} with JAX {jax.__version__}: what XLA makes of\neach program for a device "
        f"that is not there, so no times. n is {N:,}, or {N_RESAMPLED:,} with resamples;\nlists "
        f"are {LISTS[0]:,} × {LISTS[1]}, or {N_SEGMENTS:,} segments. `slope` is value and "
        "gradient.\n\n"
        "* `vendor`, `own`: sorts by CUB's radix sort, and by XLA itself, with its longest row.\n"
        "  On a TPU all sorts are XLA's.\n"
        "* `trips`: rounds of all loops together; `+` if XLA does not know how many of one.\n"
        f"* `large`: gathers and scatters of {MANY:,} entries or more.\n"
        "* `MB moved`: as XLA estimates, which it does not for a GPU; `of`: the operands.\n"
        "* `CPU s`: processor seconds of tracing and compiling.\n\n"
        "What runs in a loop counts once a round, but in `MB moved`.\n"
    )
    return "\n".join([head, *(section(t, found[t]) for t in DEVICES if t in found)])


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accelerators",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("target", choices=DEVICES)
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="WORD", help="programs with one in their label"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep figures there, and go on")
    parser.add_argument("--again", action="store_true", help="compile what the file has, too")
    parser.add_argument("--page", action="store_true", help=f"write {PAGE.name} from the file")
    parser.add_argument("--limit", type=int, default=600, help="seconds a program may take")
    arguments = parser.parse_args()
    if arguments.page and not arguments.json:
        parser.error("--page needs --json")
    return arguments


def main() -> None:
    arguments = parsed()
    found: dict[str, dict[str, Figures]] = {}
    if arguments.json and arguments.json.exists():
        found = json.loads(arguments.json.read_text())
    known = found.setdefault(arguments.target, {})
    labels = [label for label in programs() if any(word in label for word in arguments.only)]
    width = max(map(len, labels), default=0)
    print(heading(width), flush=True)
    missing = [label for label in labels if arguments.again or label not in known]
    for label, figures in compiled(arguments.target, missing, arguments.limit):
        print(line(label, figures, width), flush=True)
        known[label] = figures
        if arguments.json:
            arguments.json.write_text(json.dumps(found, indent=1))
    print("\n" + section(arguments.target, {label: known[label] for label in labels}))
    if arguments.page:
        PAGE.write_text(page(found))
        print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
