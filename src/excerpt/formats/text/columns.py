"""Text in columns, all lines at once.

Nothing is decided line by line: the file is cut into fields by one comparison, and because each row keeps
the number of its physical line, every fault can be located.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from excerpt.errors import plural, short
from excerpt.formats.source import Faults, Source
from excerpt.formats.text.fields import Fields, distinct_names, encode_texts, find
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray

_NEWLINE, _BLANK, _COMMENT = b"\n #"
_ALL = slice(None)
_ROWS = 1 << 14
#: Beyond any grade; sums of gains stay far below 2**53.
MAX_GRADE = 1_000_000


@dataclass(frozen=True, eq=False)
class Columns:
    """The lines of a file that are not blank, cut at white space."""

    fields: Fields
    #: Physical line number, number of fields and first field of each row.
    line: IntArray
    width: IntArray
    first: IntArray
    #: Where each physical line begins, and where one after the last would begin.
    begins: IntArray
    faults: Faults

    @classmethod
    def of(cls, source: Source, *, blank_lines: bool = False) -> Columns:
        """Cut a file into lines and fields; lines without fields are left out unless they are asked for."""
        data = source.text
        begins = _line_begins(data)
        fields = _fields(data)
        bounds = _bounds(fields, begins)
        width = np.diff(bounds)
        line, first = np.arange(1, len(width) + 1), bounds[:-1]
        if not blank_lines and not width.all():
            filled = np.flatnonzero(width)
            line, width, first = line[filled], width[filled], first[filled]
        return cls(fields, line, width, first, begins, source.faults)

    def __len__(self) -> int:
        return len(self.line)

    def take(self, rows: IntArray | BoolArray) -> Columns:
        """Only these rows."""
        return Columns(
            self.fields, self.line[rows], self.width[rows], self.first[rows], self.begins, self.faults
        )

    def without_comments(self) -> Columns:
        """The rows that do not begin with a `#`."""
        comments = self.column(0).byte(0) == _COMMENT
        return self.take(~comments) if comments.any() else self

    def text(self, line: int) -> str:
        """A physical line without its end."""
        return self.fields.data[int(self.begins[line - 1]) : int(self.begins[line]) - 1].decode()

    def expect_width(self, widths: range, layout: str) -> Columns:
        """The rows that have one of these numbers of fields; the others are faults."""
        good = (self.width >= widths.start) & (self.width < widths.stop)
        bounded = widths.stop - widths.start < 100
        wanted = f"{widths.start}" if len(widths) == 1 else f"{widths.start} to {widths.stop - 1}"
        wanted = wanted if bounded else f"at least {widths.start}"
        bad = self.width[~good]

        def describe(number: int) -> str:
            return f"found {plural(int(bad[number]), 'column')}, expected {wanted} ({layout})"

        self.faults.add_all(self.line[~good], describe)
        return self if good.all() else self.take(good)

    def column(self, number: int, rows: slice = _ALL) -> Fields:
        """A column (from 0); every row must have it."""
        first = self.first[rows] + number
        width = int(self.width[0]) if len(self) else 0
        if self._even:  # no need to look each field up
            chosen: slice | IntArray = slice(int(first[0]), int(first[-1]) + 1, width)
        else:
            chosen = first
        start, end = self.fields.start[chosen], self.fields.end[chosen]
        return Fields(self.fields.data, start.astype(np.int64), end.astype(np.int64))

    @cached_property
    def _even(self) -> bool:
        """Whether every line has the same number of fields and none is left out or moved."""
        return len(self) > 0 and bool((np.diff(self.first) == self.width[0]).all())

    def blocks(self, number: int) -> Iterator[tuple[slice, Fields]]:
        """A column in pieces, with their rows: what is computed of one stays in the cache."""
        for begin in range(0, len(self), _ROWS):
            rows = slice(begin, begin + _ROWS)
            yield rows, self.column(number, rows)

    def names(self, number: int) -> tuple[tuple[str, ...], IntArray]:
        """The distinct values of a column in order of first appearance, and the code of each row's."""
        found = distinct_names(self.blocks(number), len(self))
        return found or encode_texts([text for _, fields in self.blocks(number) for text in fields.texts()])

    def integers(self, number: int, name: str, *, missing: Collection[str] = ()) -> IntArray:
        """A column of whole numbers, -1 where it has one of the `missing` texts; the rest is a fault."""
        value = np.empty(len(self), np.int64)
        for rows, fields in self.blocks(number):
            value[rows] = self.check_integers(fields, name, self.line[rows], missing=missing)
        return value

    def check_integers(
        self, fields: Fields, name: str, line: IntArray, *, missing: Collection[str] = ()
    ) -> IntArray:
        """Whole numbers, faults located by `line`."""
        value, good = fields.integers()
        bad = np.flatnonzero(~good)
        if missing and len(bad):
            unknown = np.array([text in missing for text in fields[bad].texts()], np.bool_)
            value[bad[unknown]] = -1
            bad = bad[~unknown]

        def describe(number: int) -> str:
            text = fields.text(int(bad[number]))
            return f"found {name} {short(text)!r}, expected {_expect(text)}"

        self.faults.add_all(line[bad], describe)
        return value

    def floats(self, number: int, name: str) -> FloatArray:
        """A column of numbers; everything else, and NaN, is a fault."""
        value = np.empty(len(self))
        for rows, fields in self.blocks(number):
            value[rows], good = fields.floats()
            bad = np.flatnonzero(~good)
            self.faults.add_all(self.line[rows][bad], partial(_describe_float, fields[bad], name))
        return value

    def grades(self, number: int, name: str) -> FloatArray:
        """A column of grades; as gains they are whole numbers, and parts of one or huge ones are a fault."""
        grade, column = self.floats(number, name), self.column(number)
        far = np.abs(grade) > MAX_GRADE
        parted = ~far & (grade != np.trunc(grade)) & (grade == grade)  # noqa: PLR0124, not what is no number
        for bad, expected in ((parted, "a whole number"), (far, f"one from {-MAX_GRADE} to {MAX_GRADE}")):
            rows = np.flatnonzero(bad)
            self.faults.add_all(self.line[rows], partial(_describe_grade, column[rows], name, expected))
        return np.where(np.abs(grade) <= MAX_GRADE, grade, 0.0)


def _line_begins(data: bytes) -> IntArray:
    newlines = find(np.frombuffer(data, np.uint8), lambda block: block == _NEWLINE)
    ends = (
        newlines if data.endswith(b"\n") or not data else np.append(newlines, newlines.dtype.type(len(data)))
    )
    begins = np.zeros(len(ends) + 1, ends.dtype)
    np.add(ends, 1, out=begins[1:])
    return begins


def _fields(data: bytes) -> Fields:
    """What stands between blanks; a file of millions of fields keeps their places in 32 bits each."""
    end = find(np.frombuffer(data, np.uint8), lambda block: block <= _BLANK)
    if data and data[-1] > _BLANK:
        end = np.append(end, end.dtype.type(len(data)))
    start = np.zeros_like(end)
    np.add(end[:-1], 1, out=start[1:])
    filled = end > start
    return Fields(data, start, end) if filled.all() else Fields(data, start[filled], end[filled])


def _bounds(fields: Fields, begins: IntArray) -> IntArray:
    """The first field of each line, and the number of all fields."""
    lines = len(begins) - 1
    width, rest = divmod(len(fields), lines) if lines else (0, 0)
    if width and not rest and np.array_equal(fields.start[::width], begins[:-1]):
        return np.arange(0, len(fields) + 1, width)  # an even file: nothing to look for
    return np.searchsorted(fields.start, begins)


def _describe_float(fields: Fields, name: str, row: int) -> str:
    return f"found {name} {short(fields.text(row))!r}, expected a number"


def _describe_grade(fields: Fields, name: str, expected: str, row: int) -> str:
    return f"found {name} {short(fields.text(row))}, expected {expected}"


def _expect(text: str) -> str:
    if text.isascii() and text.lstrip("+-").isdecimal():
        return "a number that is not negative" if text.startswith("-") else f"a number up to {MAX_OFFSET}"
    return "a whole number"
