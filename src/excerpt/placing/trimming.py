"""The longest part of a chunk that stands in its document, where the whole of it does not.

Retrievers put titles and headings in front of chunks. A part that is less than half of a chunk tells too
little of where it is from.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from excerpt.model.spans import IntArray
from excerpt.placing.grams import FEW, SIZE, Grams, Hashes
from excerpt.placing.searched import Searched

#: So many letters of the end of a title may happen to stand before the chunk, too.
_CHANCE = 3
#: A part of fewer characters may happen to stand anywhere unless it consists of whole words.
_SURE = 24
#: So many characters are looked up at once to see what cannot stand in a text.
_FEW_CHARACTERS = (12, 8, 4)


def longest_part(text: Searched, chunk: str) -> str:
    """The longest part of a chunk that is in a text, at least half of it; both folded. Else "".

    Of equal ones it is the last. A few letters of a word at its borders are left out where the word is cut;
    a short part is one of whole words.

    >>> longest_part(Searched("Before. The text itself. After."), "My title The text itself.")
    'The text itself.'
    """
    half = (len(chunk) + 1) // 2
    if not half or half > len(text.text):
        return ""
    start, end = _longest(text, chunk, half)
    if end - start < half:
        return ""
    whole = chunk[start:end].strip()
    part = _without_cut_words(chunk, start, end, _CHANCE if len(whole) >= _SURE else _SURE)
    if 2 * len(part) >= len(chunk):
        return part
    return whole if len(whole) >= _SURE else ""


def _longest(text: Searched, chunk: str, half: int) -> tuple[int, int]:
    """Where the longest part starts and ends; it is in one of the stretches that may stand in the text."""
    best = (0, 0)
    for low, high in _stretches(text, chunk, half):
        if high - low < best[1] - best[0]:
            break
        part = chunk[low:high]
        if part in text.text:
            start, end = 0, len(part)
        elif half >= 2 * SIZE - 1 and (grams := text.grams) is not None:
            start, end = _by_grams(text.text, grams, part, half)
        else:
            start, end = _by_halving(text.text, part, half)
        best = max(best, (low + start, low + end), key=lambda found: (found[1] - found[0], found[0]))
    return best


def _stretches(text: Searched, chunk: str, half: int) -> list[tuple[int, int]]:
    """The stretches, at least half of a chunk, whose every few characters are in a text; longest first."""
    size = next((size for size in _FEW_CHARACTERS if size <= half), 0)
    if not size:
        return [(0, len(chunk))]
    there = np.concatenate(([False], text.may_have(chunk, size), [False]))
    first, last = np.flatnonzero(np.diff(there)).reshape(-1, 2).T
    found = zip(first.tolist(), (last + size - 1).tolist(), strict=True)
    long = [(low, high) for low, high in found if high - low >= half]
    return sorted(long, key=lambda each: each[0] - each[1])


def _by_halving(text: str, chunk: str, half: int) -> tuple[int, int]:
    """The longest part, by halving what its length may be."""
    found = (0, 0)
    size, low, high = half, half, min(len(chunk), len(text))  # first of all: is there any?
    while low <= high:
        starts = range(len(chunk) - size, -1, -1)
        start = next((start for start in starts if chunk[start : start + size] in text), None)
        if start is None:
            high = size - 1 if found[1] else -1
        else:
            found, low = (start, start + size), size + 1
        size = (low + high) // 2
    return found


def _by_grams(text: str, grams: Grams, chunk: str, half: int) -> tuple[int, int]:
    """The longest part, from stretches of which every part that is long enough has one."""
    seeds = range(0, len(chunk) - SIZE + 1, half - SIZE + 1)
    own: Hashes | None = None
    best = (0, 0, 0)
    for seed, places in zip(seeds, grams.seeds(chunk, seeds), strict=True):
        if not len(places):  # a part that was found may hold it, but another may be longer
            continue
        if len(places) <= FEW:
            both = [_around(chunk, text, seed, place) for place in places.tolist()]
            left, right = np.array(both, np.int64).T
        else:
            own = own or Hashes(chunk)
            left = _reach(own, grams.hashes, seed, places, forward=False)
            right = _reach(own, grams.hashes, seed, places, forward=True)
        row = int(np.argmax(left + right))
        length = int(left[row] + right[row])
        if length >= best[0]:
            best = (length, seed - int(left[row]), seed + int(right[row]))
    return best[1], best[2]


def _around(chunk: str, text: str, seed: int, place: int) -> tuple[int, int]:
    """How far a chunk and a text are the same before and after a place in each."""
    before = bisect_left(
        range(min(seed, place)), True, key=lambda n: chunk[seed - n - 1 : seed] != text[place - n - 1 : place]
    )
    after = bisect_left(
        range(min(len(chunk) - seed, len(text) - place)),
        True,
        key=lambda n: chunk[seed : seed + n + 1] != text[place : place + n + 1],
    )
    return before, after


def _reach(own: Hashes, text: Hashes, seed: int, places: IntArray, *, forward: bool) -> IntArray:
    """How far a chunk, from a place in it, and a text, from places in it, are the same."""
    most = np.minimum(own.length - seed, text.length - places) if forward else np.minimum(seed, places)
    low, high = np.zeros(len(places), np.int64), np.asarray(most, np.int64)
    while (low < high).any():
        middle = (low + high + 1) // 2
        shift = np.zeros_like(middle) if forward else middle
        same = own.of(seed - shift, middle) == text.of(places - shift, middle)
        low, high = np.where(same, middle, low), np.where(same, high, middle - 1)
    return low


def _without_cut_words(chunk: str, start: int, end: int, most: int) -> str:
    """A part without the letters, at most so many, at its borders that are of words which go on outside."""
    low, high = start, end
    if start and chunk[start - 1].isalnum():
        while low < end and chunk[low].isalnum():
            low += 1
    if end < len(chunk) and chunk[end].isalnum():
        while high > start and chunk[high - 1].isalnum():
            high -= 1
    return chunk[low if low - start <= most else start : high if end - high <= most else end].strip()
