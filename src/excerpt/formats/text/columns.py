"""Text in columns: fast parser of all lines at once, with the line of each fault."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from excerpt.errors import plural, short
from excerpt.formats.source import Source
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray, distinct
from excerpt.notices import Faults

if TYPE_CHECKING:
    from numpy.typing import NDArray


_COLON, _PLUS, _MINUS, _POINT, _NEWLINE_BYTE = b":+-.\n"
_INTEGER_DIGITS = 18  # more than 2**31 needs, for numbers padded with zeros; sums stay below 2**63
_EXACT_DIGITS = 15  # integers with this many digits, and powers of ten up to 22, are exact doubles
_POWERS = np.array([10**power for power in range(_EXACT_DIGITS + 1)])
_WORD = 8  # bytes
_NAMES = 1 << 14  # names that are decoded at a time
_MOST_WORDS = 16  # of a name, so that one long name does not cost memory in every row

_BLOCK = 1 << 18  # bytes that are processed together, so that intermediate arrays stay in the cache
_SMALL = (1 << 31) - (1 << 16)  # offsets in smaller texts, plus short lengths, fit in 32 bits

Codes: TypeAlias = "NDArray[np.uint8]"
Words: TypeAlias = "NDArray[np.uint64]"


def _repeated(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


#: Masks of the first, and of the last, n bytes of a word (little-endian), n from 0 to 8.
_FIRST = np.array([(1 << (8 * count)) - 1 for count in range(_WORD + 1)], np.uint64)
_LAST = ~_FIRST[::-1]
_ZEROS, _SIXES, _HIGH_HALVES = _repeated(ord("0")), _repeated(6), _repeated(0xF0)
_ONES, _POINTS, _HIGHEST_BITS = _repeated(1), _repeated(ord(".")), _repeated(0x80)


class Fields:
    """Spans of a text, one per field; no field is empty unless it was split off another."""

    def __init__(self, data: bytes, start: IntArray, end: IntArray) -> None:
        self.data, self.start, self.end = data, start, end

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: IntArray | BoolArray) -> Fields:
        return Fields(self.data, self.start[rows], self.end[rows])

    def text(self, row: int) -> str:
        """Return one field, decoded."""
        return self.data[int(self.start[row]) : int(self.end[row])].decode()

    @cached_property
    def width(self) -> IntArray:
        """The number of bytes of each field."""
        return self.end - self.start

    @cached_property
    def widest(self) -> int:
        """The number of bytes of the longest field."""
        return int(self.width.max(initial=0))

    @cached_property
    def _words(self) -> Words:
        """The eight bytes from each offset of the text on, as one number whose lowest byte is the first."""
        data = self.data.ljust(_WORD, b"\n")
        return np.ndarray(len(data) - _WORD + 1, "<u8", data, strides=(1,))

    def _word(self, at: IntArray) -> Words:
        """Return the eight bytes from `at` on; bytes outside of the text are zero."""
        last = len(self._words) - 1
        if not len(at) or (int(at.min()) >= 0 and int(at.max()) <= last):
            return self._words[at]
        inside = np.minimum(np.maximum(at, 0), last)
        shift = 8 * (at - inside)
        after, before = np.maximum(shift, 0).astype(np.uint64), np.maximum(-shift, 0).astype(np.uint64)
        return self._words[inside] >> after << before

    def byte(self, place: int) -> Codes:
        """Return the byte at a position of each field; bytes after the end of a field have no meaning."""
        bytes_ = np.frombuffer(self.data or b"\n", np.uint8)
        return bytes_[np.minimum(self.start + place, len(bytes_) - 1)]

    def strings(self) -> list[bytes]:
        """Return the fields as byte strings."""
        return [self.data[a:b] for a, b in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def texts(self) -> list[str]:
        """Return the fields, decoded."""
        return [text.decode() for text in self.strings()]

    def encode(self) -> tuple[tuple[str, ...], IntArray]:
        """Return the distinct fields in order of first appearance, and the code of each field."""
        names = None if b"\0" in self.data else distinct_names([(slice(None), self)], len(self))
        return names or encode_texts(self.texts())

    def keys(self) -> list[Words]:
        """Return each field as numbers of eight bytes; bytes after its end are zero."""
        places = range(0, self.widest, _WORD)
        even = int(self.width.min(initial=self.widest)) == self.widest  # one mask for all fields
        left = [min(self.widest - place, _WORD) if even else self._left(place) for place in places]
        return [self._word(self.start + place) & _FIRST[left[place // _WORD]] for place in places]

    def _left(self, place: int) -> IntArray:
        """Return how many bytes of a word that begins, or ends, at a position belong to each field."""
        left = np.minimum(self.width - place, _WORD) if place else np.minimum(self.width, _WORD)
        return np.maximum(left, 0) if place else left

    def integers(self) -> tuple[IntArray, BoolArray]:
        """Return whole numbers from 0 to 2**31-1, `+` allowed; and which fields are such numbers."""
        value, good = self.digits()
        if good.all():
            return value, good
        signed = (self.width > 1) & (self.byte(0) == _PLUS)
        return Fields(self.data, self.start + signed, self.end).digits()

    def whole_decimals(self) -> tuple[IntArray, BoolArray]:
        """Return whole numbers that are written as decimals, such as 120.0; and which fields are such."""
        whole, decimals = self._at_point()
        (value, good), (below, fine) = whole.digits(), decimals._value()  # noqa: SLF001 - ours
        return value, good & fine & (below == 0) & (whole.width < self.width)

    def digits(self) -> tuple[IntArray, BoolArray]:
        """Return the value of fields of digits, up to 2**31-1; and which fields are such numbers."""
        value, good = self._value()
        return value, good & (self.width > 0) & (value <= MAX_OFFSET)

    def _value(self) -> tuple[IntArray, BoolArray]:
        """Return the value of fields of digits, or empty ones; eight digits at a time, from the last on."""
        # Digits become the numbers 0 to 9, neighbours become numbers of two digits, then four, then eight.
        value = np.zeros(len(self), np.int64)
        good = self.width <= _INTEGER_DIGITS
        for place in range(0, min(self.widest, _INTEGER_DIGITS), _WORD):
            word = self._word(self.end - (_WORD + place)) ^ _ZEROS
            word &= _LAST[self._left(place)]
            good &= ((word | (word + _SIXES)) & _HIGH_HALVES) == 0
            word = (word * np.uint64(10) + (word >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
            word = (word * np.uint64(100) + (word >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
            word = (word * np.uint64(10_000) + (word >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
            value += word.view(np.int64) * 10**place if place else word.view(np.int64)
        return value, good

    def signed_integers(self) -> tuple[IntArray, BoolArray]:
        """Return whole numbers below 2**31, `+` and `-` allowed; and which fields are such numbers."""
        sign = self.byte(0)
        minus, signed = sign == _MINUS, (sign == _MINUS) | (sign == _PLUS)
        value, good = Fields(self.data, self.start + signed, self.end).digits()
        return np.where(minus, -value, value), good

    def floats(self) -> tuple[FloatArray, BoolArray]:
        """Return numbers that are not NaN; and which fields are such numbers."""
        value, good = self.plain_decimals()
        rest = np.flatnonzero(~good)
        value[rest] = _decimals(self[rest].texts())
        good[rest] = ~np.isnan(value[rest])
        return value, good

    def plain_decimals(self) -> tuple[FloatArray, BoolArray]:
        """Return short numbers [-]digits[.digits], correctly rounded; and which fields have this form."""
        minus = self.byte(0) == _MINUS
        signed = Fields(self.data, self.start + minus, self.end) if minus.any() else self
        whole, decimals = signed._at_point()  # noqa: SLF001 - ours
        (above, good), (below, fine) = whole._value(), decimals._value()  # noqa: SLF001 - ours
        digits = whole.width + decimals.width
        plain = good & fine & (digits >= 1) & (digits <= _EXACT_DIGITS)
        power = _POWERS[np.minimum(decimals.width, _EXACT_DIGITS)]
        value = (above * power + below) / power
        return np.where(minus, -value, value), plain

    def _at_point(self) -> tuple[Fields, Fields]:
        """Split fields at their point; fast if it is among their first eight bytes."""
        word = self._word(self.start) ^ _POINTS
        # The lowest bit that is left belongs to the first byte that was a point; its shift counts bytes.
        word = (word - _ONES) & ~word & _HIGHEST_BITS
        word &= ~word + np.uint64(1)
        place = ((word >> np.uint64(7)) * np.uint64(0x0001020304050607) >> np.uint64(56)).view(np.int64)
        if bool(((word > 0) | (self.width <= _WORD)).all()):
            at = np.where(word > 0, np.minimum(self.start + place, self.end), self.end)
            after = np.minimum(at + 1, self.end)
            return Fields(self.data, self.start, at), Fields(self.data, after, self.end)
        return self.split(_POINT)[:2]

    def split(self, separator: int = _COLON) -> tuple[Fields, Fields, BoolArray]:
        """Return the parts before and after the first separator of fields; and which fields have one."""
        low, high = (int(self.start.min()), int(self.end.max())) if len(self) else (0, 0)
        codes = np.frombuffer(self.data, np.uint8)
        separators = np.append(find(codes[low:high], lambda block: block == separator), high)
        at = separators[np.searchsorted(separators, (self.start - low).astype(separators.dtype))] + low
        has_separator = at < self.end
        at = np.where(has_separator, at, self.end)
        after = np.where(has_separator, at + 1, self.end)
        return Fields(self.data, self.start, at), Fields(self.data, after, self.end), has_separator


def _decimals(texts: list[str]) -> list[float]:
    try:
        if _is_usual("".join(texts)):
            return list(map(float, texts))
    except ValueError:
        pass
    return [decimal(text) for text in texts]


def decimal(text: str) -> float:
    """Return a number as Python reads it; NaN if it is none, or has underscores or non-ASCII digits."""
    try:
        return float(text) if _is_usual(text) else math.nan
    except ValueError:
        return math.nan


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number without a sign, possibly written as a decimal.

    >>> is_whole("120"), is_whole("120.0"), is_whole("120.5")
    (True, True, False)
    """
    whole, _, decimals = text.partition(".")
    return whole.isdecimal() and not decimals.strip("0")


def _is_usual(text: str) -> bool:
    return text.isascii() and "_" not in text


def name_keys(blocks: Iterable[tuple[slice, Fields]], rows: int) -> list[Words] | None:
    """Return the fields of a column as words of eight bytes, padded with zeros; None if one is too long."""
    keys: list[Words] = []
    for block, fields in blocks:
        if fields.widest > _WORD * _MOST_WORDS:
            return None
        for word, key in enumerate(fields.keys()):
            if word == len(keys):
                keys.append(np.zeros(rows, np.uint64))
            keys[word][block] = key
    return keys


def distinct_names(
    blocks: Iterable[tuple[slice, Fields]], rows: int
) -> tuple[tuple[str, ...], IntArray] | None:
    """Return the distinct fields of a column, which comes in blocks without NUL, and the code of each row's.

    They are in order of first appearance. Return None if a name is too long to be compared by words.
    """
    keys = name_keys(blocks, rows)
    if keys is None:
        return None
    if not keys:  # no rows, or all fields are empty
        return ("",) if rows else (), np.zeros(rows, np.int64)
    # Neighbouring lines often share topic and tag, so only changes are looked up.
    fresh = np.ones(rows, np.bool_)
    fresh[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    changes = np.flatnonzero(fresh)
    few = 2 * len(changes) < rows
    keys = [key[changes] for key in keys] if few else keys
    opens, codes = distinct(*keys)
    codes = np.repeat(codes, np.diff(changes, append=rows)) if few else codes
    # Adjacent words, read as bytes padded with NUL, are the name itself.
    names = np.stack([key[opens] for key in keys], axis=1).astype("<u8", copy=False)
    parts = (names[begin : begin + _NAMES] for begin in range(0, len(names), _NAMES))
    return tuple(chain.from_iterable(map(_decode, parts))), codes


def encode_texts(texts: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct texts in order of first appearance, and the code of each."""
    from excerpt.model.run import encode  # imported here: many callers need no run

    return encode(texts)


def _decode(names: Words) -> list[str]:
    lines = np.append(names, np.full((len(names), 1), _NEWLINE_BYTE, names.dtype), axis=1)
    texts = lines.tobytes().translate(None, b"\0").decode().split("\n")
    if len(texts) == len(names) + 1:
        return texts[:-1]
    padded = names.view(f"S{names.shape[1] * _WORD}").ravel()  # a name contains a line end
    return [name.decode() for name in padded.tolist()]


def find(codes: Codes, test: Callable[[Codes], BoolArray]) -> IntArray:
    """Return the offsets of bytes that pass a test; in 32 bits, except for very long texts.

    >>> find(np.frombuffer(b"a b c", np.uint8), lambda block: block == ord(" ")).tolist()
    [1, 3]
    """
    blocks = [codes[begin : begin + _BLOCK] for begin in range(0, len(codes), _BLOCK)]
    counts = [int(np.count_nonzero(test(block))) for block in blocks]  # cheaper than to join arrays later
    offsets: IntArray = np.empty(sum(counts), np.int32 if len(codes) < _SMALL else np.int64)
    done = 0
    for number, (block, count) in enumerate(zip(blocks, counts, strict=True)):
        in_block = np.flatnonzero(test(block))
        np.add(in_block, number * _BLOCK, out=offsets[done : done + count], casting="same_kind")
        done += count
    return offsets


def is_among(codes: Codes, chosen: bytes) -> BoolArray:
    """Return which bytes are among a few chosen ones."""
    return np.asarray(np.logical_or.reduce([codes == code for code in chosen]))


_NEWLINE, _BLANK, _COMMENT = b"\n #"
_ALL = slice(None)
_ROWS = 1 << 14
#: Larger than any grade; sums of gains stay far below 2**53.
MAX_GRADE = 1_000_000


@dataclass(frozen=True, eq=False)
class Columns:
    """The lines of a file that are not blank, split at whitespace."""

    fields: Fields
    #: Physical line number, number of fields and first field of each row.
    line: IntArray
    width: IntArray
    first: IntArray
    #: Offset of each physical line, and of the line that would follow the last.
    begins: IntArray
    faults: Faults

    @classmethod
    def of(cls, source: Source, *, blank_lines: bool = False) -> Columns:
        """Split a file into lines and fields; without `blank_lines`, lines without fields are left out."""
        data = source.text
        begins = _line_begins(data)
        fields = _fields(data)
        bounds = _bounds(fields, begins)
        width = np.diff(bounds)
        line, first = source.numbered(np.arange(1, len(width) + 1)), bounds[:-1]
        if not blank_lines and not width.all():
            filled = np.flatnonzero(width)
            line, width, first = line[filled], width[filled], first[filled]
        return cls(fields, line, width, first, begins, source.faults)

    def __len__(self) -> int:
        return len(self.line)

    def take(self, rows: IntArray | BoolArray) -> Columns:
        """Return only these rows."""
        return Columns(
            self.fields, self.line[rows], self.width[rows], self.first[rows], self.begins, self.faults
        )

    def without_comments(self) -> Columns:
        """Return the rows that do not begin with a `#`."""
        if b"#" not in self.fields.data:
            return self
        comments = self.column(0).byte(0) == _COMMENT
        return self.take(~comments) if comments.any() else self

    def text(self, line: int) -> str:
        """Return a physical line without its line end."""
        return self.fields.data[int(self.begins[line - 1]) : int(self.begins[line]) - 1].decode()

    def expect_width(self, widths: range, layout: str) -> Columns:
        """Return the rows with one of these numbers of fields; report the others."""
        good = (self.width >= widths.start) & (self.width < widths.stop)
        bounded = widths.stop - widths.start < 100
        expected = f"{widths.start}" if len(widths) == 1 else f"{widths.start} to {widths.stop - 1}"
        expected = expected if bounded else f"at least {widths.start}"
        bad = self.width[~good]

        def describe(number: int) -> str:
            return f"found {plural(int(bad[number]), 'column')}, expected {expected} ({layout})"

        self.faults.add_all(self.line[~good], describe)
        return self if good.all() else self.take(good)

    def column(self, number: int, rows: slice = _ALL) -> Fields:
        """Return a column (numbered from 0), which every row must have."""
        first = self.first[rows] + number
        width = int(self.width[0]) if len(self) else 0
        if self._even:  # a slice is faster than indices
            chosen: slice | IntArray = slice(int(first[0]), int(first[-1]) + 1, width)
        else:
            chosen = first
        start, end = self.fields.start[chosen], self.fields.end[chosen]
        return Fields(self.fields.data, start.astype(np.int64), end.astype(np.int64))

    @cached_property
    def _even(self) -> bool:
        """True if every line has the same number of fields and no line is left out or moved."""
        return len(self) > 0 and bool((np.diff(self.first) == self.width[0]).all())

    def blocks(self, number: int) -> Iterator[tuple[slice, Fields]]:
        """Yield a column in blocks of rows, so that intermediate arrays stay in the cache."""
        for begin in range(0, len(self), _ROWS):
            rows = slice(begin, begin + _ROWS)
            yield rows, self.column(number, rows)

    def names(self, number: int) -> tuple[tuple[str, ...], IntArray]:
        """Return the distinct values of a column in order of first appearance, and the code of each row's."""
        if number not in self._names:
            names = distinct_names(self.blocks(number), len(self))
            texts = (text for _, fields in self.blocks(number) for text in fields.texts())
            self._names[number] = names or encode_texts(list(texts))
        return self._names[number]

    @cached_property
    def _names(self) -> dict[int, tuple[tuple[str, ...], IntArray]]:
        return {}

    def integers(self, number: int, name: str, *, missing: Collection[str] = ()) -> IntArray:
        """Return a column of whole numbers, -1 for one of the `missing` texts; report all other texts."""
        value = np.empty(len(self), np.int64)
        for rows, fields in self.blocks(number):
            value[rows] = self.check_integers(fields, name, self.line[rows], missing=missing)
        return value

    def check_integers(
        self, fields: Fields, name: str, line: IntArray, *, missing: Collection[str] = ()
    ) -> IntArray:
        """Return fields as whole numbers; report all other texts in their `line`."""
        value, good = fields.integers()
        bad = np.flatnonzero(~good)
        if missing and len(bad):
            unknown = np.array([text in missing for text in fields[bad].texts()], np.bool_)
            value[bad[unknown]] = -1
            bad = bad[~unknown]
        if len(bad):
            value[bad], whole = fields[bad].whole_decimals()
            bad = bad[~whole]

        def describe(number: int) -> str:
            text = fields.text(int(bad[number]))
            return f"found {name} {short(text)!r}, expected {_expect(text)}"

        self.faults.add_all(line[bad], describe)
        return value

    def floats(self, number: int, name: str) -> FloatArray:
        """Return a column of numbers; report everything else, and NaN."""
        value = np.empty(len(self))
        for rows, fields in self.blocks(number):
            value[rows], good = fields.floats()
            bad = np.flatnonzero(~good)
            self.faults.add_all(self.line[rows][bad], partial(_describe_float, fields[bad], name))
        return value

    def grades(self, number: int, name: str) -> FloatArray:
        """Return a column of grades, which are whole numbers; report fractions and huge numbers."""
        grade, column = self.floats(number, name), self.column(number)
        huge = np.abs(grade) > MAX_GRADE
        fraction = ~huge & (grade != np.trunc(grade)) & (grade == grade)  # noqa: PLR0124 - False for NaN
        for bad, expected in ((fraction, "a whole number"), (huge, f"one from {-MAX_GRADE} to {MAX_GRADE}")):
            rows = np.flatnonzero(bad)
            self.faults.add_all(self.line[rows], partial(_describe_grade, column[rows], name, expected))
        return np.where(np.abs(grade) <= MAX_GRADE, grade, 0.0)


def _line_begins(data: bytes) -> IntArray:
    newlines = find(np.frombuffer(data, np.uint8), lambda block: block == _NEWLINE)
    complete = data.endswith(b"\n") or not data
    ends = newlines if complete else np.append(newlines, newlines.dtype.type(len(data)))
    begins = np.zeros(len(ends) + 1, ends.dtype)
    np.add(ends, 1, out=begins[1:])
    return begins


def _fields(data: bytes) -> Fields:
    end = find(np.frombuffer(data, np.uint8), lambda block: block <= _BLANK)
    if data and data[-1] > _BLANK:
        end = np.append(end, end.dtype.type(len(data)))
    start = np.zeros_like(end)
    np.add(end[:-1], 1, out=start[1:])
    filled = end > start
    return Fields(data, start, end) if filled.all() else Fields(data, start[filled], end[filled])


def _bounds(fields: Fields, begins: IntArray) -> IntArray:
    lines = len(begins) - 1
    width, rest = divmod(len(fields), lines) if lines else (0, 0)
    if width and not rest and np.array_equal(fields.start[::width], begins[:-1]):
        return np.arange(0, len(fields) + 1, width)  # all lines have the same number of fields
    return np.searchsorted(fields.start, begins)


def _describe_float(fields: Fields, name: str, row: int) -> str:
    return f"found {name} {short(fields.text(row))!r}, expected a number"


def _describe_grade(fields: Fields, name: str, expected: str, row: int) -> str:
    return f"found {name} {short(fields.text(row))}, expected {expected}"


def _expect(text: str) -> str:
    if text.isascii() and text.lstrip("+-").isdecimal():
        return "a number that is not negative" if text.startswith("-") else f"a number up to {MAX_OFFSET}"
    return "a whole number"
