"""Duplicate evidence: relevant passages whose text also occurs unmarked."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray
from excerpt.model.texts import HashArray, Hashes

#: Shorter passages stand at many places by chance. More text than that is not looked through.
SHORTEST = 40
MOST_TEXT = 20_000_000
#: Places that are compared for one beginning of a passage; a line of dashes has thousands.
_MOST_PLACES = 500

#: Characters that are hashed together, at least.
_BLOCK = 1 << 18

_HIGH = np.uint64(48)

TextOf = Callable[[int], str | None]


class _Head(NamedTuple):
    """The beginning of a passage: its length, and its number."""

    size: int
    hash: int


def count_elsewhere(
    judgments: Judgments, numbers: Sequence[int], text_of: TextOf, *, shortest: int = SHORTEST
) -> IntArray | None:
    """For each relevant passage, at how many other places of the documents its text stands unmarked.

    Passages under `shortest` characters count 0; None where there is too much text to look through.
    """
    said = _long_passages(judgments, text_of, shortest)
    by_head: dict[_Head, list[int]] = defaultdict(list)
    for passage, text in said.items():
        size = min(len(text), SHORTEST)
        by_head[_Head(size, int(Hashes(text[:size]).stretches(size)[0]))].append(passage)
    wanted: dict[int, list[int]] = defaultdict(list)
    for head in sorted(by_head):
        wanted[head.size].append(head.hash)
    left, compared = MOST_TEXT, Counter[_Head]()
    places: list[tuple[int, int, int]] = []
    for block in _blocks(numbers if by_head else (), text_of):
        left -= sum(map(len, block.texts))
        if left < 0:
            return None
        for found, head in _candidates("".join(block.texts), wanted):
            compared[head] += 1
            if compared[head] <= _MOST_PLACES:
                place = bisect_right(block.begins, found) - 1
                whole, start = block.texts[place], found - block.begins[place]
                same = (row for row in by_head[head] if whole.startswith(said[row], start))
                places += [(passage, block.numbers[place], start) for passage in same]
    return _unmarked(judgments, places)


class _Block(NamedTuple):
    """Documents that are hashed together: their numbers, their texts, and where each begins."""

    numbers: list[int]
    texts: list[str]
    begins: list[int]


def _blocks(numbers: Iterable[int], text_of: TextOf) -> Iterator[_Block]:
    block, length = _Block([], [], []), 0
    for number in numbers:
        text = text_of(number)
        if text:
            block.numbers.append(number)
            block.texts.append(text)
            block.begins.append(length)
            length += len(text)
        if length >= _BLOCK:
            yield block
            block, length = _Block([], [], []), 0
    yield block


def _long_passages(judgments: Judgments, text_of: TextOf, shortest: int) -> dict[int, str]:
    """The text of each passage that is long enough, by its number."""
    spans = judgments.spans
    document = judgments.pair_document[spans.group]
    long = np.flatnonzero(spans.length >= shortest)
    found: dict[int, str] = {}
    number, text = -1, ""
    for passage in long[np.argsort(document[long], kind="stable")].tolist():
        if document[passage] != number:
            number = int(document[passage])
            text = text_of(number) or ""
        part = text[spans.start[passage] : spans.end[passage]]
        if len(part) == spans.length[passage]:
            found[passage] = part
    return found


def _candidates(text: str, wanted: dict[int, list[int]]) -> Iterator[tuple[int, _Head]]:
    """Places of a text where a window has one of the sorted numbers, with that number."""
    whole = Hashes(text)
    for size, numbers in wanted.items():
        windows, sought = whole.stretches(size), np.array(numbers, np.uint64)
        likely = np.zeros(1 << 16, np.bool_)
        likely[sought >> _HIGH] = True
        start = np.flatnonzero(likely[windows >> _HIGH])
        place = np.searchsorted(sought, windows[start]).clip(max=len(sought) - 1)
        start = _few(start[sought[place] == windows[start]], windows)
        for found, number in zip(start.tolist(), windows[start].tolist(), strict=True):
            yield found, _Head(size, number)


def _few(start: IntArray, windows: HashArray) -> IntArray:
    """The first places of each window, as many as are compared."""
    if len(start) <= _MOST_PLACES:
        return start
    order = np.argsort(windows[start], kind="stable")
    _, first, which = np.unique(windows[start[order]], return_index=True, return_inverse=True)
    return np.sort(start[order][np.arange(len(order)) - first[which] < _MOST_PLACES])


def _unmarked(judgments: Judgments, places: Sequence[tuple[int, int, int]]) -> IntArray:
    """Places by passage, without those where text is marked as relevant to the passage's topic."""
    spans = judgments.spans
    passage, number, start = np.array(places, np.int64).reshape(-1, 3).T
    document = np.where(number < len(judgments.documents), number, -1)
    pair = judgments.pairs(judgments.pair_topic[spans.group[passage]], document)
    free = spans.overlap(pair, start, start + spans.length[passage]) == 0
    return np.bincount(passage[free], minlength=len(spans)).astype(np.int64)
