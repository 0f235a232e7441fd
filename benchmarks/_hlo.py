"""What the text of a compiled XLA program says of its cost: sorts, loops, gathers, scatters."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

MANY = 20_000
"""Gathers and scatters of at least so many entries count as large: 80 MB of tiles on a TPU."""

_LAYOUT = re.compile(r"(?<=\])\{[^{}]*\}|/\*.*?\*/")
_INSTRUCTION = re.compile(r"\s+(?:ROOT )?%([\w.-]+) = (\(.*?\)|\S+) ([a-z][\w-]*)\((.*)")
_COMPUTATION = re.compile(r"(ENTRY )?%([\w.-]+) \(.*\{\s*$")
_CALLED = re.compile(
    r"(?:calls|body|condition|to_apply|\w+_computations?)=\{?(%[\w.-]+(?:, %[\w.-]+)*)"
)
_TRIPS = re.compile(r"known_trip_count\W+n\W+(\d+)")
_SHAPE = re.compile(r"([a-z]\w*)\[([\d,]*)\]")
_VENDOR_SORT = re.compile(r'custom_call_target="(?:xla\.gpu\.ext\.cub_sort|__cub\$)')


class Instruction(NamedTuple):
    name: str
    shapes: list[tuple[str, tuple[int, ...]]]
    """Dtype and shape of each result."""
    opcode: str
    rest: str
    """The operands and all that follows them."""

    @property
    def operands(self) -> list[str]:
        return re.findall(r"%([\w.-]+)", self.rest.partition(")")[0])

    @property
    def called(self) -> list[str]:
        return [name for group in _CALLED.findall(self.rest) for name in group[1:].split(", %")]

    @property
    def trips(self) -> int | None:
        known = _TRIPS.search(self.rest)
        return int(known[1]) if known else None


class Cost(NamedTuple):
    """Counts of what runs, so that an instruction in a loop counts once a round."""

    vendor_sorts: int
    own_sorts: dict[str, int]
    """How often XLA's own sort runs with operands of this kind."""
    own_length: int
    """Length of the longest row that XLA's own sort has to sort."""
    trips: int
    """Rounds of all loops together."""
    open_loops: int
    """Loops of which XLA does not know how often they go round: counted as one round."""
    scatters: int
    large_scatters: int
    gathers: int
    large_gathers: int


def cost_of(text: str) -> Cost:
    entry, computations = _parse(text)
    shapes = {i.name: i.shapes[0][1] for body in computations.values() for i in body if i.shapes}
    found: Counter[str] = Counter()
    sorts: Counter[str] = Counter()
    length = 0
    for instruction, times in _run(entry, computations):
        opcode = instruction.opcode
        if opcode == "sort":
            sorts[_description(instruction)] += times
            length = max(length, _row_length(instruction))
        elif opcode == "custom-call" and _VENDOR_SORT.search(instruction.rest):
            found["vendor"] += times
        elif opcode == "while":
            found["trips"] += times * (instruction.trips or 1)
            found["open"] += instruction.trips is None
        elif opcode in ("gather", "scatter"):
            found[opcode] += times
            found[f"large {opcode}"] += times * (_entries(instruction, shapes) >= MANY)
    return Cost(
        vendor_sorts=found["vendor"],
        own_sorts=dict(sorts),
        own_length=length,
        trips=found["trips"],
        open_loops=found["open"],
        scatters=found["scatter"],
        large_scatters=found["large scatter"],
        gathers=found["gather"],
        large_gathers=found["large gather"],
    )


def _parse(text: str) -> tuple[str, dict[str, list[Instruction]]]:
    """The name of the entry computation, and the instructions of every computation."""
    entry, body = "", list[Instruction]()
    computations: dict[str, list[Instruction]] = {}
    for line in text.splitlines():
        line = _LAYOUT.sub("", line)
        if opens := _COMPUTATION.match(line):
            body = computations[opens[2]] = []
            entry = opens[2] if opens[1] else entry
        elif found := _INSTRUCTION.match(line):
            name, kind, opcode, rest = found.groups()
            shapes = [
                (d, tuple(map(int, s.split(",") if s else ()))) for d, s in _SHAPE.findall(kind)
            ]
            body.append(Instruction(name, shapes, opcode, rest))
    return entry, computations


def _run(
    entry: str, computations: dict[str, list[Instruction]]
) -> Iterator[tuple[Instruction, int]]:
    """All instructions that are reached, and how often; both branches of a condition count."""
    reached = defaultdict[str, int](int)
    pending = [(entry, 1)]
    while pending:
        name, times = pending.pop()
        reached[name] += times
        for instruction in computations.get(name, ()):
            rounds = (instruction.trips or 1) if instruction.opcode == "while" else 1
            pending.extend((called, times * rounds) for called in instruction.called)
    for name, times in reached.items():
        for instruction in computations.get(name, ()):
            yield instruction, times


def _description(sort: Instruction) -> str:
    """Dtypes and shape, as in `u32,s32[5000,100]`."""
    dtypes = ",".join(dtype for dtype, _ in sort.shapes)
    return f"{dtypes}[{','.join(map(str, sort.shapes[0][1]))}]"


def _row_length(sort: Instruction) -> int:
    axis = re.search(r"dimensions=\{(\d+)\}", sort.rest)
    return sort.shapes[0][1][int(axis[1])] if axis else 0


def _entries(instruction: Instruction, shapes: dict[str, tuple[int, ...]]) -> int:
    """How many places a gather reads or a scatter writes: the length of its list of indices."""
    operands = instruction.operands
    indices = shapes.get(operands[len(operands) // 2], ())
    axis = re.search(r"index_vector_dim=(\d+)", instruction.rest)
    depth = indices[int(axis[1])] if axis and int(axis[1]) < len(indices) else 1
    return math.prod(indices) // max(depth, 1)
