"""Short pieces of a text compared as 64-bit words: equal pieces get equal numbers, without a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

WORD = 8
LONGEST = 64  # bytes of a piece
PADDING = b" " * (LONGEST + WORD)  # after a text, so that words begin everywhere in it

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
# What of a word belongs to a piece of which so many bytes are left.
_MASKS = np.array([(1 << 8 * min(left, WORD)) - 1 for left in range(LONGEST + 1)], np.uint64)
_SLOTS = 16  # bits
# Odd numbers with bits everywhere; should two pieces share a slot with one of them, the next one is tried.
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93], np.uint64)


def words_of(data: bytes) -> Words:
    """The eight bytes that begin at each place, as one number whose lowest byte is the first."""
    return np.ndarray(len(data) - WORD + 1, "<u8", data, strides=(1,))


def cut(words: Words, marks: bytes, *, blanks: bool = False) -> tuple[Words, Flags]:
    """Each word up to the first byte that is one of `marks` (or a blank), and whether there was none.

    The usual trick on words: the lowest bit of `(x - ones) & ~x & tops` is in the first byte that is zero;
    with `0x21 * ones` instead of `ones`, in the first one that is a blank or a line end.
    """
    ends = (words - _ONES * np.uint64(0x21)) & ~words if blanks else np.zeros_like(words)
    for mark in marks:
        other = words ^ (_ONES * np.uint64(mark))
        ends |= (other - _ONES) & ~other
    ends &= _TOPS
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def same(words: Words, one: IntArray, other: IntArray, length: IntArray) -> Flags:
    """Whether the `length` bytes (up to LONGEST) at `one` are those at `other`."""
    equal: Flags = (words[one] ^ words[other]) & _MASKS[length] == 0
    for rows, left, at in _further(length):
        equal[rows] &= (words[one[rows] + at] ^ words[other[rows] + at]) & _MASKS[left] == 0
    return equal


def _further(length: IntArray) -> Iterator[tuple[IntArray, IntArray, int]]:
    """The rows of pieces that have a second word, a third one and so on; what is left there; where it is."""
    rows = np.flatnonzero(length > WORD)
    left = length[rows] - WORD
    at = WORD
    while len(rows):
        yield rows, left, at
        longer = left > WORD
        rows, left = rows[longer], left[longer] - WORD
        at += WORD


def numbered(data: bytes, begin: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
    """A number for each piece, equal for equal pieces, and the first place of each number, ascending.

    Pieces go to the slots of a table by a mixture of their words. A slot that two different pieces share is
    found by comparing every piece with the first one of its slot.
    """
    words = words_of(data)
    word = words[begin] & _MASKS[length]
    further = [
        (rows, at, _MASKS[left], words[begin[rows] + at] & _MASKS[left])
        for rows, left, at in _further(length)
    ]
    for factor in _FACTORS:
        mixed = word * factor
        for rows, _, _, more in further:
            mixed[rows] = (mixed[rows] ^ more) * factor
        first = _first_in_slot((mixed >> np.uint64(64 - _SLOTS)).astype(np.int64))
        if (word[first] == word).all() and (length[first] == length).all():
            places = begin[first]
            if all((words[places[rows] + at] & mask == more).all() for rows, at, mask, more in further):
                return _dense(first)
    return _dense(_first_by_dictionary(data, begin, length))


def _first_in_slot(slot: IntArray) -> IntArray:
    first = np.empty(1 << _SLOTS, np.int64)
    # Of several values for one slot the last one stays: backwards, the first.
    first[slot[::-1]] = np.arange(len(slot) - 1, -1, -1)
    return first[slot]


def _dense(first: IntArray) -> tuple[IntArray, IntArray]:
    is_first = np.zeros(len(first), np.bool_)
    is_first[first] = True
    return (np.cumsum(is_first) - 1)[first], np.flatnonzero(is_first)


def _first_by_dictionary(data: bytes, begin: IntArray, length: IntArray) -> IntArray:
    seen: dict[bytes, int] = {}
    places = zip(begin.tolist(), (begin + length).tolist(), strict=True)
    return np.array([seen.setdefault(data[a:b], row) for row, (a, b) in enumerate(places)], np.int64)


def stable_order(values: npt.NDArray[Any]) -> IntArray:
    """The rows sorted by small numbers, equal ones in their order."""
    return np.argsort(narrow(values), kind="stable")


def narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers from 0 on in as few bytes as they fit: numpy sorts those of one or two bytes in linear time."""
    largest = values.max(initial=0)
    if values.dtype.itemsize == 1 or largest >= 1 << 16:
        return values
    return values.astype(np.uint8 if largest < 1 << 8 else np.uint16)
