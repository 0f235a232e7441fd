"""The command line: `jmetrics evaluate`, `jmetrics demo`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from jmetrics.cli import demo, evaluate

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; without a command, print the help."""
    parser = argparse.ArgumentParser(
        prog="jmetrics", description="Metrics as pure functions of JAX arrays."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    for command in (evaluate, demo):
        command.add_parser(commands)
    said = parser.parse_args(arguments)
    if said.command is None:
        parser.print_help()
        return 0
    return said.run(said)
