"""Types of options shared by several commands."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any


class Once(argparse.Action):
    """Store a value, and refuse a second one, which would silently replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value."""
        given = namespace.__dict__.setdefault("given", set())
        if self.dest in given:
            raise argparse.ArgumentError(self, "is given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def seed(said: str) -> int:
    """An integer in the range of seeds of a random key."""
    if not (said.isascii() and said.isdigit() and int(said) < 2**31):
        raise argparse.ArgumentTypeError(f"{said!r} is not a whole number from 0 to 2³¹ − 1")
    return int(said)


def new_file(said: str) -> Path:
    """A file to write, refused before the work starts if it cannot be written."""
    path = Path(said)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{said!r} is not a file in a folder that exists")
    return path


def folder(said: str) -> Path:
    """A folder to write into, which is made when there is something to write."""
    path = Path(said)
    above = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not above.is_dir():
        raise argparse.ArgumentTypeError(f"{said!r} cannot be a folder: {str(above)!r} is a file")
    return path


def names(said: str) -> list[str]:
    """Distinct names, separated by commas."""
    found = [part.strip() for part in said.split(",")]
    if not all(found) or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"{said!r} is not a list of different names")
    return found


def spellings(said: str) -> tuple[str, ...]:
    """Texts separated by commas, or none."""
    return tuple(part.strip() for part in said.split(",")) if said else ()


def levels(said: str) -> list[float]:
    """Distinct numbers between 0 and 1, separated by commas."""
    try:
        found = [float(part) for part in said.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 < level < 1 for level in found) or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"{said!r} is not a list of levels such as 0.1,0.5,0.9")
    return found


def resamples(said: str) -> int:
    """A number of resamples: 0, or enough to estimate quantiles."""
    number = int(said) if said.isascii() and said.isdigit() else 1
    if number and not 20 <= number <= 10**6:
        raise argparse.ArgumentTypeError(f"{said!r} is not 0 or a whole number from 20 to 1000000")
    return number


def confidence(said: str) -> float:
    """One number between 0 and 1."""
    try:
        (level,) = levels(said)
    except (ValueError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError(f"{said!r} is not between 0 and 1, as 0.95 is") from None
    return level


def number(said: str) -> float:
    """One finite number."""
    try:
        value = float(said)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{said!r} is not a number")
    return value
