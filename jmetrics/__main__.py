"""The command line: `python -m jmetrics demo`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

_EXTRAS = {
    "matplotlib": "matplotlib",
    "sklearn": "scikit-learn",
    "statsmodels": "statsmodels",
    "tqdm": "tqdm",
}
_PICTURES = (".png", ".pdf", ".svg")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; without a command, print the help."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    return _demo(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m jmetrics", description="Metrics as pure functions of JAX arrays."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    summary = "train on three real data sets, print how sure the metrics are, draw a picture"
    demo = commands.add_parser("demo", help=summary, description=f"{summary.capitalize()}.")
    demo.add_argument(
        "--output",
        type=_picture,
        default="jmetrics-demo.png",
        metavar="FILE",
        help=f"the picture, {', '.join(_PICTURES)} (default: %(default)s)",
    )
    demo.add_argument(
        "--seed", type=_seed, default=0, metavar="N", help="a whole number (default: %(default)s)"
    )
    return parser


def _picture(text: str) -> Path:
    """Refuse a file that cannot be written now, not after the work is done."""
    path = Path(text)
    if path.suffix not in _PICTURES:
        raise argparse.ArgumentTypeError(f"{text!r} must end in {', '.join(_PICTURES)}")
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a file in a folder that exists")
    return path


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 2**31):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2³¹ − 1")
    return int(text)


def _demo(options: argparse.Namespace) -> int:
    missing = [name for module, name in _EXTRAS.items() if find_spec(module) is None]
    if missing:
        hint = "pip install 'jmetrics-jax[demo]'"
        print(f"The demo also needs {', '.join(missing)}: {hint}", file=sys.stderr)
        return 2
    from jmetrics import demo

    demo.run(options.output, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
