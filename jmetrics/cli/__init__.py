"""The command line: `jmetrics evaluate`, `jmetrics demo`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

import jmetrics
from jmetrics.cli import cache, demo, evaluate


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, without a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Stop."""
        self.exit(2, f"{self.prog}: {message}; --help lists the options\n")


__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; without a command, print the help."""
    parser = _Parser(prog="jmetrics", description="Metrics as pure functions of JAX arrays.")
    parser.add_argument("--version", action="version", version=f"jmetrics {jmetrics.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    for command in (evaluate, demo):
        command.add_parser(commands)
    said = parser.parse_args(arguments)
    if said.command is None:
        parser.print_help()
        return 0
    if arguments is None and not getattr(said, "no_cache", False):
        cache.keep_programs()
    try:
        return said.run(said)
    except KeyboardInterrupt:
        print("jmetrics: interrupted", file=sys.stderr)
        return 130
