"""Results of the parts: rows, figures and targets, as JSON and Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from measuring import Samples, ratio


@dataclass(frozen=True)
class Row:
    """Time and memory of a command; if it could not be run, only a note with the reason."""

    what: str
    cpu: float | None = None
    least: float | None = None
    wall: float | None = None
    peak: float | None = None
    ratio: float | None = None
    rounds: int = 0
    note: str = ""

    @classmethod
    def of(cls, what: str, samples: Samples, base: Samples | None = None, note: str = "") -> Row:
        """Make a row from medians; the ratio is that of CPU times to those of the base."""
        return cls(
            what=what,
            cpu=samples.cpu,
            least=samples.least,
            wall=samples.wall,
            peak=samples.peak,
            ratio=ratio(samples, base) if base else None,
            rounds=len(samples.usages),
            note=note,
        )


@dataclass(frozen=True)
class Figure:
    """A number other than time and memory: a marginal cost, bytes per element, an exponent."""

    what: str
    value: float
    unit: str = ""


@dataclass(frozen=True)
class Target:
    """A limit and the measured number."""

    what: str
    limit: float
    measured: float
    unit: str = ""
    #: "less than" instead of "at most"
    strictly: bool = False

    @property
    def met(self) -> bool:
        """True if the measured number is within the limit; NaN is not."""
        return self.measured < self.limit if self.strictly else self.measured <= self.limit

    @property
    def share(self) -> float:
        """Measured number over the limit; the number itself if the limit is 0."""
        return self.measured / (self.limit or 1)


@dataclass
class Part:
    """One part of the benchmarks."""

    letter: str
    title: str
    about: str
    #: Name of the row that ratios are relative to.
    base: str = ""
    rows: list[Row] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The part as an object of JSON, with unrounded numbers."""
        targets = [{**asdict(target), "met": target.met} for target in self.targets]
        return {**asdict(self), "targets": targets}


def number(value: float | None) -> str:
    """Format with three significant digits, without an exponent; empty if there is no number."""
    if value is None:
        return ""
    if not math.isfinite(value):
        return "none"
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 4)}f}"


def markdown(part: Part) -> str:
    """Section of a part: description, table and figures."""
    lines = [f"## ({part.letter}) {part.title}", "", part.about, ""]
    if part.rows:
        lines += _table(
            ["what", "CPU s", "least CPU s", "wall s", "peak MiB", f"CPU / {part.base}", "rounds", ""],
            [_cells(row) for row in part.rows],
        )
        lines.append("")
    lines += [f"- {figure.what}: {number(figure.value)} {figure.unit}".rstrip() for figure in part.figures]
    lines += [f"- {note}" for note in part.notes]
    return "\n".join(lines).rstrip() + "\n"


def targets_table(parts: Sequence[Part]) -> str:
    """Table of all targets: the limit, the measured number, and whether it is met."""
    rows = [
        [
            part.letter,
            target.what,
            f"{'<' if target.strictly else '≤'} {number(target.limit)} {target.unit}".rstrip(),
            f"{number(target.measured)} {target.unit}".rstrip(),
            "met" if target.met else f"**missed** ({number(target.share)} x the limit)",
        ]
        for part in parts
        for target in part.targets
    ]
    return "\n".join(_table(["part", "target", "limit", "measured", ""], rows)) + "\n"


def _cells(row: Row) -> list[str]:
    if row.cpu is None:
        return [row.what, "", "", "", "", "", "", row.note]
    numbers = [number(value) for value in (row.cpu, row.least, row.wall, row.peak, row.ratio)]
    return [row.what, *numbers, str(row.rounds), row.note]


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table with aligned columns; columns without any text are left out."""
    kept = [column for column in range(len(header)) if any(row[column] for row in rows)]
    cells = [[row[column] for column in kept] for row in [header, *rows]]
    widths = [max(3, *(len(line[column]) for line in cells)) for column in range(len(kept))]
    numeric = [
        column > 0 and header[kept[column]] not in {"", "target", "limit", "measured"}
        for column in range(len(kept))
    ]
    rule = ["-" * (width - 1) + (":" if right else "-") for width, right in zip(widths, numeric, strict=True)]
    return [
        "| "
        + " | ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        )
        + " |"
        for line in [cells[0], rule, *cells[1:]]
    ]
