"""Text in columns, all lines at once: fields, numbers and names of a file as arrays.

Nothing is decided line by line: the file is cut into fields by one comparison, columns are parsed as
matrices of digits, and because each row keeps the number of its physical line, every fault can be located.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from excerpt.formats.source import Faults, Source
from excerpt.model.run import encode
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray

_NEWLINE, _COLON, _PLUS, _MINUS, _POINT, _ZERO = b"\n:+-.0"
_MATRIX_LIMIT = 1 << 26
_EXACT_DIGITS = 15  # integers of so many digits, and powers of ten up to 22, are exact doubles


@dataclass(frozen=True, eq=False)
class Fields:
    """Stretches of the file's bytes, one per field."""

    data: bytes
    start: IntArray
    end: IntArray

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: IntArray | BoolArray) -> Fields:
        return Fields(self.data, self.start[rows], self.end[rows])

    def text(self, row: int) -> str:
        """One field, decoded."""
        return self.data[int(self.start[row]) : int(self.end[row])].decode()

    def matrix(self) -> NDArray[np.uint8]:
        """One row of bytes per field, filled up with zeros."""
        width = self.end - self.start
        columns = np.arange(int(width.max(initial=1)))
        places = np.minimum(self.start[:, None] + columns, max(len(self.data) - 1, 0))
        bytes_: NDArray[np.uint8] = np.frombuffer(self.data, np.uint8)[places]
        bytes_[columns >= width[:, None]] = 0
        return bytes_

    def fits(self) -> bool:
        """Whether a matrix of the fields is of a reasonable size."""
        return len(self) * int((self.end - self.start).max(initial=0)) <= _MATRIX_LIMIT

    def strings(self) -> list[bytes]:
        """The fields as byte strings."""
        if len(self) and self.fits():
            matrix = self.matrix()
            return matrix.view(f"S{matrix.shape[1]}").ravel().tolist()
        return [self.data[a:b] for a, b in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def encode(self) -> tuple[tuple[str, ...], IntArray]:
        """The distinct fields in order of first appearance, and the code of each field."""
        if not len(self):
            return (), np.zeros(0, np.int64)
        fresh = self._unlike_before()
        names = [name.decode() for name in self[fresh].strings()]
        vocabulary, codes = encode(names)
        return vocabulary, codes[np.cumsum(fresh) - 1]

    def _unlike_before(self) -> BoolArray:
        """Which fields differ from the one before (neighbouring lines often share topic and tag)."""
        fresh = np.ones(len(self), np.bool_)
        if self.fits():
            matrix = self.matrix()
            fresh[1:] = (matrix[1:] != matrix[:-1]).any(axis=1)
        return fresh

    def signed_integers(self) -> tuple[IntArray, BoolArray]:
        """Whole numbers below 2**31 in size, a sign before them allowed; and which fields are such."""
        minus = np.frombuffer(self.data, np.uint8)[self.start] == _MINUS
        digits = Fields(self.data, self.start + minus, self.end)
        value, good = digits.integers()
        signs = np.isin(
            np.frombuffer(self.data, np.uint8)[np.minimum(digits.start, self.end - 1)], (_PLUS, _MINUS)
        )
        return np.where(minus, -value, value), good & ~(minus & signs)

    def integers(self) -> tuple[IntArray, BoolArray]:
        """Whole numbers from 0 to 2**31-1, a `+` before them allowed; and which fields are such."""
        width = self.end - self.start
        signed = (width > 1) & (np.frombuffer(self.data, np.uint8)[self.start] == _PLUS)
        narrow = width <= 20
        fields = Fields(self.data, self.start + signed, np.where(narrow, self.end, self.start + signed))
        digits = fields.matrix().astype(np.int64) - _ZERO
        inside = np.arange(digits.shape[1]) < (fields.end - fields.start)[:, None]
        good = narrow & (((digits >= 0) & (digits <= 9)) | ~inside).all(axis=1) & inside.any(axis=1)
        value = np.zeros(len(self), np.int64)
        for column in range(digits.shape[1]):
            grown = np.minimum(value * 10 + digits[:, column], MAX_OFFSET + 1)
            value = np.where(inside[:, column] & good, grown, value)
        return value, good & (value <= MAX_OFFSET)

    def floats(self) -> tuple[FloatArray, BoolArray]:
        """Numbers that are not NaN; and which fields are such."""
        value, exact = self._plain_decimals()
        good = exact.copy()
        for row in np.flatnonzero(~exact).tolist():
            text = self.text(row)
            try:
                value[row] = float(text) if "_" not in text else np.nan
            except ValueError:
                value[row] = np.nan
            good[row] = not np.isnan(value[row])
        return value, good

    def _plain_decimals(self) -> tuple[FloatArray, BoolArray]:
        """Short numbers of the form [-]digits[.digits], correctly rounded; and which fields have it."""
        width = self.end - self.start
        narrow = width <= _EXACT_DIGITS + 2
        text = Fields(self.data, self.start, np.where(narrow, self.end, self.start)).matrix()
        inside = np.arange(text.shape[1]) < width[:, None]
        minus = text[:, 0] == _MINUS
        point = (text == _POINT) & inside
        digit = (text >= _ZERO) & (text <= _ZERO + 9) & inside
        count = digit.sum(axis=1)
        plain = narrow & (count >= 1) & (count <= _EXACT_DIGITS) & (point.sum(axis=1) <= 1)
        plain &= count + point.sum(axis=1) + minus == width
        mantissa, places = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        after = np.cumsum(point, axis=1) > 0
        for column in range(text.shape[1]):
            here = digit[:, column] & plain
            mantissa = np.where(here, mantissa * 10 + text[:, column] - _ZERO, mantissa)
            places += here & after[:, column]
        value = mantissa / np.power(10.0, places)
        return np.where(minus, -value, value), plain

    def split(self, separator: int = _COLON) -> tuple[Fields, Fields, BoolArray]:
        """The parts before and after the first separator of each field; and which fields have one."""
        places = np.flatnonzero(np.frombuffer(self.data, np.uint8) == separator)
        places = np.append(places, len(self.data))
        at = places[np.searchsorted(places, self.start)]
        found = at < self.end
        at = np.where(found, at, self.end)
        after = np.where(found, at + 1, self.end)
        return Fields(self.data, self.start, at), Fields(self.data, after, self.end), found


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
            self.faults.add(
                int(self.line[row]), f"found {self.width[row]} columns, expected {wanted} ({layout})"
            )
        return self if good.all() else self.take(good)

    def column(self, number: int) -> Fields:
        """A column (from 0); every row must have it."""
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
