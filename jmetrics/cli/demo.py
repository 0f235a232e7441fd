"""The command `demo`."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jmetrics.cli.options import new_file, seed

_EXTRAS = {
    "matplotlib": "matplotlib",
    "sklearn": "scikit-learn",
    "statsmodels": "statsmodels",
    "tqdm": "tqdm",
}
_PICTURES = (".png", ".pdf", ".svg")


def add_parser(commands: Any) -> None:
    """Describe the command and its options."""
    summary = "train on three real data sets, print how sure the metrics are, draw a picture"
    parser = commands.add_parser("demo", help=summary, description=f"{summary.capitalize()}.")
    parser.set_defaults(run=run)
    parser.add_argument(
        "--output",
        type=_picture,
        default="jmetrics-demo.png",
        metavar="FILE",
        help=f"the picture, {', '.join(_PICTURES)} (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="N", help="a whole number (default: %(default)s)"
    )


def _picture(text: str) -> Path:
    if not text.endswith(_PICTURES):
        raise argparse.ArgumentTypeError(f"{text!r} must end in {', '.join(_PICTURES)}")
    return new_file(text)


def run(options: argparse.Namespace) -> int:
    """Run the demo if all that it needs is there."""
    missing = [name for module, name in _EXTRAS.items() if find_spec(module) is None]
    if missing:
        hint = "pip install 'jmetrics-jax[demo]'"
        print(f"The demo also needs {', '.join(missing)}: {hint}", file=sys.stderr)
        return 2
    from jmetrics import demo

    demo.run(options.output, options.seed)
    return 0
