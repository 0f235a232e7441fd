"""Run the benchmarks, each in a process of its own, and write the page that the docs show.

`python -m benchmarks` runs all of them, `python -m benchmarks curves losses` those named.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from datetime import date
from pathlib import Path

from benchmarks.measure import machine

QUESTIONS = sorted(
    path.stem
    for path in Path(__file__).parent.glob("*.py")
    if not path.stem.startswith("_") and path.stem != "measure"
)
NOT_OF_TIME = {"accelerators", "coverage", "training"}
"""Their results have pages of their own."""
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def output_of(question: str) -> str:
    """What a benchmark prints; the run goes on without one that fails, and says so."""
    print(f"--- {question}", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", f"benchmarks.{question}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    sys.stderr.write(done.stdout + done.stderr)
    return done.stdout if done.returncode == 0 else f"failed:\n{done.stderr[-2000:]}"


def page(outputs: dict[str, str]) -> str:
    sections = [
        f"## `python -m benchmarks.{name}`\n\n```text\n{output.strip()}\n```\n"
        for name, output in outputs.items()
    ]
    head = (
        f"# Benchmarks\n\nWritten by `python -m benchmarks` on {date.today()}: {machine()}.\n\n"
        "Time and error of each metric beside those of its peer, by turns in the same process.\n"
        "A ratio above 1 says that jmetrics is faster. Errors are relative: to a reference in\n"
        "float64, which judges the peer too in the column `of peer`, or else to the peer.\n"
        "`first call` includes the compilation.\n"
    )
    return "\n".join([head, *sections])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("question", nargs="*", metavar="question", help=", ".join(QUESTIONS))
    parser.add_argument("--page", type=Path, default=PAGE, help="file to write (%(default)s)")
    arguments = parser.parse_args()
    unknown = set(arguments.question) - set(QUESTIONS)
    if unknown:
        parser.error(f"no benchmark called {', '.join(sorted(unknown))}")
    chosen = arguments.question or [name for name in QUESTIONS if name not in NOT_OF_TIME]
    arguments.page.write_text(page({question: output_of(question) for question in chosen}))
    print(f"wrote {arguments.page}")


if __name__ == "__main__":
    main()
