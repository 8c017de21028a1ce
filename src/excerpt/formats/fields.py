"""Fields of a text as stretches of its bytes: names and numbers parsed for all of them at once.

Instead of one field after the other, one byte position after the other is looked at in all fields: a file
has many lines, but its numbers and names are short.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from excerpt.model.run import encode
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray

_COLON, _PLUS, _MINUS, _POINT, _ZERO = b":+-.0"
_INTEGER_DIGITS = 18  # more than 2**31 needs, for numbers padded with zeros; sums stay below 2**63
_EXACT_DIGITS = 15  # integers of so many digits, and powers of ten up to 22, are exact doubles
_POWERS = np.array([float(10**power) for power in range(_EXACT_DIGITS + 1)])
_KEY_BYTES = 8
_MOST_KEYS = 4


@dataclass(frozen=True, eq=False)
class Fields:
    """Stretches of a text, one per field; no field is empty unless it was split off another."""

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

    @cached_property
    def width(self) -> IntArray:
        """The number of bytes of each field."""
        return self.end - self.start

    @cached_property
    def _bytes(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.data or b"\n", np.uint8)

    def byte(self, place: int) -> NDArray[np.uint8]:
        """The byte at a place of each field; what stands behind a field is of no meaning."""
        return self._bytes[np.minimum(self.start + place, len(self._bytes) - 1)]

    def strings(self) -> list[bytes]:
        """The fields as byte strings."""
        return [self.data[a:b] for a, b in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def texts(self) -> list[str]:
        """The fields, decoded."""
        return [text.decode() for text in self.strings()]

    def encode(self) -> tuple[tuple[str, ...], IntArray]:
        """The distinct fields in order of first appearance, and the code of each field."""
        if not len(self):
            return (), np.zeros(0, np.int64)
        if int(self.width.max()) > _KEY_BYTES * _MOST_KEYS:
            return encode(self.texts())
        keys = [self._key(place) for place in range(0, int(self.width.max()), _KEY_BYTES)]
        # Neighbouring lines often share topic and tag: only what differs from the line before is looked up.
        fresh = np.ones(len(self), np.bool_)
        fresh[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
        rows = np.flatnonzero(fresh)
        first, codes = _number([key[rows] for key in keys])
        return tuple(self[rows[first]].texts()), codes[np.cumsum(fresh) - 1]

    def _key(self, place: int) -> NDArray[np.uint64]:
        """Eight bytes of each field as one number; bytes behind the end are zero."""
        key = np.zeros(len(self), np.uint64)
        for byte in range(min(_KEY_BYTES, int(self.width.max()) - place)):
            here = np.where(self.width > place + byte, self.byte(place + byte), 0)
            key |= here.astype(np.uint64) << np.uint64(8 * byte)
        return key

    def integers(self) -> tuple[IntArray, BoolArray]:
        """Whole numbers from 0 to 2**31-1, a `+` before them allowed; and which fields are such."""
        signed = (self.width > 1) & (self.byte(0) == _PLUS)
        digits = Fields(self.data, self.start + signed, self.end) if signed.any() else self
        return digits.digits()

    def digits(self) -> tuple[IntArray, BoolArray]:
        """The value of fields that are digits only, from the last digit to the first."""
        value = np.zeros(len(self), np.int64)
        good = (self.width > 0) & (self.width <= _INTEGER_DIGITS)
        for place in range(min(int(self.width.max(initial=0)), _INTEGER_DIGITS)):
            digit = self._bytes[np.maximum(self.end - 1 - place, 0)] - np.uint8(_ZERO)
            inside = self.width > place
            good &= ~inside | (digit <= 9)
            value += np.where(inside, digit, 0) * np.int64(10**place)
        return value, good & (value <= MAX_OFFSET)

    def signed_integers(self) -> tuple[IntArray, BoolArray]:
        """Whole numbers below 2**31 in size, a sign before them allowed; and which fields are such."""
        sign = self.byte(0)
        minus, signed = sign == _MINUS, (sign == _MINUS) | (sign == _PLUS)
        value, good = Fields(self.data, self.start + signed, self.end).digits()
        return np.where(minus, -value, value), good

    def floats(self) -> tuple[FloatArray, BoolArray]:
        """Numbers that are not NaN; and which fields are such."""
        value, good = self._plain_decimals()
        for row in np.flatnonzero(~good).tolist():
            text = self.text(row)
            try:
                value[row] = np.nan if "_" in text else float(text)
            except ValueError:
                value[row] = np.nan
            good[row] = not np.isnan(value[row])
        return value, good

    def _plain_decimals(self) -> tuple[FloatArray, BoolArray]:
        """Short numbers of the form [-]digits[.digits], correctly rounded; and which fields have it."""
        minus = self.byte(0) == _MINUS
        plain = (self.width > 0) & (self.width <= _EXACT_DIGITS + 1)
        mantissa, places, points = (np.zeros(len(self), np.int64) for _ in range(3))
        for place in range(min(int(self.width.max(initial=0)), _EXACT_DIGITS + 1)):
            byte, inside = self.byte(place), self.width > place
            digit = byte - np.uint8(_ZERO)
            point, decimal = inside & (byte == _POINT), inside & (digit <= 9)
            plain &= ~inside | point | decimal | (minus if place == 0 else False)
            mantissa = np.where(decimal, mantissa * 10 + digit, mantissa)
            places += decimal & (points > 0)
            points += point
        digits = self.width - points - minus
        plain &= (points <= 1) & (digits >= 1) & (digits <= _EXACT_DIGITS)
        value = mantissa / _POWERS[np.minimum(places, _EXACT_DIGITS)]
        return np.where(minus, -value, value), plain

    def split(self, separator: int = _COLON) -> tuple[Fields, Fields, BoolArray]:
        """The parts before and after the first separator of each field; and which fields have one."""
        places = np.append(np.flatnonzero(self._bytes == separator), len(self.data))
        at = places[np.searchsorted(places, self.start)]
        found = at < self.end
        at = np.where(found, at, self.end)
        after = np.where(found, at + 1, self.end)
        return Fields(self.data, self.start, at), Fields(self.data, after, self.end), found


def _number(keys: list[NDArray[np.uint64]]) -> tuple[IntArray, IntArray]:
    """Rows where a new combination of keys first appears, and the number of each row's combination."""
    codes = np.unique(keys[0], return_inverse=True)[1].astype(np.int64)
    for key in keys[1:]:
        distinct, inverse = np.unique(key, return_inverse=True)
        codes = np.unique(codes * len(distinct) + inverse, return_inverse=True)[1].astype(np.int64)
    first = np.zeros(int(codes.max()) + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last assignment is the first appearance
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[codes]
