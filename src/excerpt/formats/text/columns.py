"""Text in columns: all lines at once, faults located."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from excerpt.errors import plural, short
from excerpt.formats.source import Faults, Source
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray, distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray


_COLON, _PLUS, _MINUS, _POINT, _NEWLINE_BYTE = b":+-.\n"
_INTEGER_DIGITS = 18  # more than 2**31 needs, for numbers padded with zeros; sums stay below 2**63
_EXACT_DIGITS = 15  # integers of so many digits, and powers of ten up to 22, are exact doubles
_POWERS = np.array([10**power for power in range(_EXACT_DIGITS + 1)])
_WORD = 8  # bytes
_NAMES = 1 << 14  # names that are bytes of their own at a time
_MOST_WORDS = 16  # of a name, so that one long name does not cost memory in every row

_BLOCK = 1 << 18  # bytes looked at together: what is computed of them stays in the cache
_SMALL = (1 << 31) - (1 << 16)  # places in smaller texts, and sums of them and short lengths, have 32 bits

Codes: TypeAlias = "NDArray[np.uint8]"
Words: TypeAlias = "NDArray[np.uint64]"


def _repeated(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


#: Masks of the first, and of the last, n bytes of a word (little-endian), n from 0 to 8.
_FIRST = np.array([(1 << (8 * count)) - 1 for count in range(_WORD + 1)], np.uint64)
_LAST = ~_FIRST[::-1]
_ZEROS, _SIXES, _HIGH_HALVES = _repeated(ord("0")), _repeated(6), _repeated(0xF0)


class Fields:
    """Stretches of a text, one per field; no field is empty unless it was split off another."""

    def __init__(self, data: bytes, start: IntArray, end: IntArray) -> None:
        self.data, self.start, self.end = data, start, end

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: IntArray | BoolArray) -> Fields:
        return Fields(self.data, self.start[rows], self.end[rows])

    def text(self, row: int) -> str:
        """One field, decoded."""
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
        """The eight bytes from each place of the text on, as one number whose lowest byte is the first."""
        data = self.data.ljust(_WORD, b"\n")
        return np.ndarray(len(data) - _WORD + 1, "<u8", data, strides=(1,))

    def _word(self, at: IntArray) -> Words:
        """The eight bytes from `at` on; what is not in the text is zero."""
        last = len(self._words) - 1
        if not len(at) or (int(at.min()) >= 0 and int(at.max()) <= last):
            return self._words[at]
        inside = np.minimum(np.maximum(at, 0), last)
        shift = 8 * (at - inside)
        after, before = np.maximum(shift, 0).astype(np.uint64), np.maximum(-shift, 0).astype(np.uint64)
        return self._words[inside] >> after << before

    def byte(self, place: int) -> Codes:
        """The byte at a place of each field; what stands behind a field is of no meaning."""
        bytes_ = np.frombuffer(self.data or b"\n", np.uint8)
        return bytes_[np.minimum(self.start + place, len(bytes_) - 1)]

    def strings(self) -> list[bytes]:
        """The fields as byte strings."""
        return [self.data[a:b] for a, b in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def texts(self) -> list[str]:
        """The fields, decoded."""
        return [text.decode() for text in self.strings()]

    def encode(self) -> tuple[tuple[str, ...], IntArray]:
        """The distinct fields in order of first appearance, and the code of each field."""
        found = None if b"\0" in self.data else distinct_names([(slice(None), self)], len(self))
        return found or encode_texts(self.texts())

    def keys(self) -> list[Words]:
        """Eight bytes after eight bytes of each field as numbers; bytes behind the end are zero."""
        return [self._key(place) for place in range(0, self.widest, _WORD)]

    def _key(self, place: int) -> Words:
        return self._word(self.start + place) & _FIRST[self._left(place)]

    def _left(self, place: int) -> IntArray:
        """How many bytes of a word that begins, or ends, at a place of each field are the field's."""
        left = np.minimum(self.width - place, _WORD) if place else np.minimum(self.width, _WORD)
        return np.maximum(left, 0) if place else left

    def integers(self) -> tuple[IntArray, BoolArray]:
        """Whole numbers from 0 to 2**31-1, a `+` before them allowed; and which fields are such."""
        value, good = self.digits()
        if good.all():
            return value, good
        signed = (self.width > 1) & (self.byte(0) == _PLUS)
        return Fields(self.data, self.start + signed, self.end).digits()

    def digits(self) -> tuple[IntArray, BoolArray]:
        """The value of fields that are digits only, up to 2**31-1; and which fields are such."""
        value, good = self._value()
        return value, good & (self.width > 0) & (value <= MAX_OFFSET)

    def _value(self) -> tuple[IntArray, BoolArray]:
        """The value of fields that are digits only, or empty; eight digits at a time, from the last on.

        Digits become the numbers 0 to 9, neighbours become numbers of two digits, then four, then eight.
        """
        value = np.zeros(len(self), np.int64)
        good = self.width <= _INTEGER_DIGITS
        for place in range(0, min(self.widest, _INTEGER_DIGITS), _WORD):
            word = self._word(self.end - (_WORD + place)) ^ _ZEROS
            word &= _LAST[self._left(place)]
            good &= ((word | (word + _SIXES)) & _HIGH_HALVES) == 0
            word = (word * np.uint64(10) + (word >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
            word = (word * np.uint64(100) + (word >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
            word = (word * np.uint64(10_000) + (word >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
            value += word.view(np.int64) * 10**place
        return value, good

    def signed_integers(self) -> tuple[IntArray, BoolArray]:
        """Whole numbers below 2**31 in size, a sign before them allowed; and which fields are such."""
        sign = self.byte(0)
        minus, signed = sign == _MINUS, (sign == _MINUS) | (sign == _PLUS)
        value, good = Fields(self.data, self.start + signed, self.end).digits()
        return np.where(minus, -value, value), good

    def floats(self) -> tuple[FloatArray, BoolArray]:
        """Numbers that are not NaN; and which fields are such."""
        value, good = self._plain_decimals()
        rest = np.flatnonzero(~good)
        value[rest] = _decimals(self[rest].texts())
        good[rest] = ~np.isnan(value[rest])
        return value, good

    def _plain_decimals(self) -> tuple[FloatArray, BoolArray]:
        """Short numbers of the form [-]digits[.digits], correctly rounded; and which fields have it."""
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
        """The parts before and after a point; mostly all have it at the same distance from their end."""
        place = self.data.find(b".", int(self.start[0]), int(self.end[0])) if len(self) else -1
        if place >= 0:
            at = self.end - (int(self.end[0]) - place)
            bytes_ = np.frombuffer(self.data, np.uint8)
            if bool((at >= self.start).all()) and bool((bytes_[at] == _POINT).all()):
                return Fields(self.data, self.start, at), Fields(self.data, at + 1, self.end)
        whole, decimals, _ = self.split(_POINT)
        return whole, decimals

    def split(self, separator: int = _COLON) -> tuple[Fields, Fields, BoolArray]:
        """The parts before and after the first separator of each field; and which fields have one."""
        low, high = (int(self.start.min()), int(self.end.max())) if len(self) else (0, 0)
        codes = np.frombuffer(self.data, np.uint8)
        found_at = np.append(find(codes[low:high], lambda block: block == separator), high)
        at = found_at[np.searchsorted(found_at, (self.start - low).astype(found_at.dtype))] + low
        found = at < self.end
        at = np.where(found, at, self.end)
        after = np.where(found, at + 1, self.end)
        return Fields(self.data, self.start, at), Fields(self.data, after, self.end), found


def _decimals(texts: list[str]) -> list[float]:
    try:
        if _is_usual("".join(texts)):
            return list(map(float, texts))
    except ValueError:
        pass
    return [decimal(text) for text in texts]


def decimal(text: str) -> float:
    """What Python makes of a number; NaN where it is none, has underscores or digits of other scripts."""
    try:
        return float(text) if _is_usual(text) else math.nan
    except ValueError:
        return math.nan


def _is_usual(text: str) -> bool:
    return text.isascii() and "_" not in text


def name_keys(blocks: Iterable[tuple[slice, Fields]], rows: int) -> list[Words] | None:
    """The fields of a column as words of eight bytes, padded with zeros; None where a name is too long."""
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
    """The distinct fields of a column in order of first appearance, and the code of each row's field.

    The column comes in blocks with their rows, without NUL characters. None where a name is too long to be
    compared by words.
    """
    keys = name_keys(blocks, rows)
    if keys is None:
        return None
    if not keys:  # no rows, or nothing in any of them
        return ("",) if rows else (), np.zeros(rows, np.int64)
    # Neighbouring lines often share topic and tag: only what differs from the line before is looked up.
    fresh = np.ones(rows, np.bool_)
    fresh[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    keys = [key[fresh] for key in keys]
    opens, codes = distinct(*keys)
    # Words side by side, read as bytes padded with NUL, are the name itself.
    names = np.stack([key[opens] for key in keys], axis=1).astype("<u8", copy=False)
    parts = (names[begin : begin + _NAMES] for begin in range(0, len(names), _NAMES))
    return tuple(chain.from_iterable(map(_decode, parts))), codes[np.cumsum(fresh) - 1]


def encode_texts(texts: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """The distinct texts in order of first appearance, and the code of each."""
    from excerpt.model.run import encode  # who counts documents needs no run

    return encode(texts)


def _decode(names: Words) -> list[str]:
    """Names, one in each row."""
    lines = np.append(names, np.full((len(names), 1), _NEWLINE_BYTE, names.dtype), axis=1)
    texts = lines.tobytes().translate(None, b"\0").decode().split("\n")
    if len(texts) == len(names) + 1:
        return texts[:-1]
    padded = names.view(f"S{names.shape[1] * _WORD}").ravel()  # one of several lines
    return [name.decode() for name in padded.tolist()]


def find(codes: Codes, test: Callable[[Codes], BoolArray]) -> IntArray:
    """Where bytes pass a test; of all but very long texts in integers of 32 bits, to be short.

    >>> find(np.frombuffer(b"a b c", np.uint8), lambda block: block == ord(" ")).tolist()
    [1, 3]
    """
    blocks = [codes[begin : begin + _BLOCK] for begin in range(0, len(codes), _BLOCK)]
    counts = [int(np.count_nonzero(test(block))) for block in blocks]  # cheaper than to move what is found
    found: IntArray = np.empty(sum(counts), np.int32 if len(codes) < _SMALL else np.int64)
    done = 0
    for number, (block, count) in enumerate(zip(blocks, counts, strict=True)):
        places = np.flatnonzero(test(block))
        np.add(places, number * _BLOCK, out=found[done : done + count], casting="same_kind")
        done += count
    return found


def is_among(codes: Codes, wanted: bytes) -> BoolArray:
    """Which bytes are among a few."""
    return np.asarray(np.logical_or.reduce([codes == code for code in wanted]))


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
