"""Text in columns, all lines at once.

Nothing is decided line by line: the file is cut into fields by one comparison, and because each row keeps
the number of its physical line, every fault can be located.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.formats.fields import Fields
from excerpt.formats.source import Faults, Source
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray

_NEWLINE = ord("\n")


@dataclass(frozen=True, eq=False)
class Columns:
    """The lines of a file that are not blank, cut at white space."""

    fields: Fields
    #: Physical line number, number of fields and first field of each row.
    line: IntArray
    width: IntArray
    first: IntArray
    faults: Faults

    @classmethod
    def of(cls, source: Source, *, blank_lines: bool = False) -> Columns:
        """Cut a file into lines and fields; lines without fields are left out unless they are asked for."""
        data = b"\n" + source.text + b"\n"
        bytes_ = np.frombuffer(data, np.uint8)
        blank = bytes_ <= 0x20
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
        start, end = edges[::2], edges[1::2]
        newlines = np.flatnonzero(bytes_ == _NEWLINE)
        bounds = np.searchsorted(start, newlines)
        width = np.diff(bounds)
        last = len(newlines) - 1 - data.endswith(b"\n\n")
        line = np.arange(last) if blank_lines else np.flatnonzero(width)
        return cls(Fields(data, start, end), line + 1, width[line], bounds[line], source.faults)

    def __len__(self) -> int:
        return len(self.line)

    def take(self, rows: IntArray | BoolArray) -> Columns:
        """Only these rows."""
        return Columns(self.fields, self.line[rows], self.width[rows], self.first[rows], self.faults)

    def expect_width(self, widths: range, layout: str) -> Columns:
        """The rows that have one of these numbers of fields; the others are faults."""
        good = (self.width >= widths.start) & (self.width < widths.stop)
        bounded = widths.stop - widths.start < 100
        wanted = f"{widths.start}" if len(widths) == 1 else f"{widths.start} to {widths.stop - 1}"
        wanted = wanted if bounded else f"at least {widths.start}"
        for row in np.flatnonzero(~good).tolist():
            columns = "1 column" if self.width[row] == 1 else f"{self.width[row]} columns"
            self.faults.add(int(self.line[row]), f"found {columns}, expected {wanted} ({layout})")
        return self if good.all() else self.take(good)

    def column(self, number: int) -> Fields:
        """A column (from 0); every row must have it."""
        width = int(self.width[0]) if len(self) else 0
        if width and bool((np.diff(self.first) == width).all()):
            # Every line has so many fields, none is left out or moved: no need to look each of them up.
            chosen = slice(int(self.first[0]) + number, int(self.first[-1]) + number + 1, width)
            return Fields(self.fields.data, self.fields.start[chosen].copy(), self.fields.end[chosen].copy())
        return self.fields[self.first + number]

    def integers(self, number: int, name: str) -> IntArray:
        """A column of whole numbers; everything else is a fault."""
        return self.checked_integers(self.column(number), name, self.line)

    def checked_integers(self, fields: Fields, name: str, line: IntArray) -> IntArray:
        """Whole numbers, faults located by `line`."""
        value, good = fields.integers()
        for row in np.flatnonzero(~good).tolist():
            self.faults.add(
                int(line[row]),
                f"found {name} {fields.text(row)[:40]!r}, expected {_wanted(fields.text(row))}",
            )
        return value

    def floats(self, number: int, name: str) -> FloatArray:
        """A column of numbers; everything else, and NaN, is a fault."""
        fields = self.column(number)
        value, good = fields.floats()
        for row in np.flatnonzero(~good).tolist():
            self.faults.add(int(self.line[row]), f"found {name} {fields.text(row)[:40]!r}, expected a number")
        return value


def _wanted(text: str) -> str:
    if text.lstrip("+-").isdecimal():
        return "a number that is not negative" if text.startswith("-") else f"a number up to {MAX_OFFSET}"
    return "a whole number"
