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

#: Shorter passages occur repeatedly by chance.
SHORTEST = 40
#: A corpus with more characters is not searched.
MOST_TEXT = 20_000_000
#: Most positions that are compared for one beginning of a passage; a line of dashes has thousands.
_MOST_PLACES = 500
#: Least number of characters that are hashed together.
_BLOCK = 1 << 18

_HIGH = np.uint64(48)

TextOf = Callable[[int], str | None]


class _Head(NamedTuple):
    """The beginning of a passage: its length and its hash."""

    size: int
    hash: int


def count_elsewhere(
    judgments: Judgments, numbers: Sequence[int], text_of: TextOf, *, shortest: int = SHORTEST
) -> IntArray | None:
    """Number of other, unmarked occurrences of each relevant passage's text in the documents.

    Passages under `shortest` characters count 0. None if there is too much text to search.
    """
    passages = _long_passages(judgments, text_of, shortest)
    by_head: dict[_Head, list[int]] = defaultdict(list)
    for passage, text in passages.items():
        size = min(len(text), SHORTEST)
        by_head[_Head(size, int(Hashes(text[:size]).stretches(size)[0]))].append(passage)
    hashes: dict[int, list[int]] = defaultdict(list)
    for head in sorted(by_head):
        hashes[head.size].append(head.hash)
    left, compared = MOST_TEXT, Counter[_Head]()
    occurrences: list[tuple[int, int, int]] = []
    for block in _blocks(numbers if by_head else (), text_of):
        left -= sum(map(len, block.texts))
        if left < 0:
            return None
        for position, head in _candidates("".join(block.texts), hashes):
            compared[head] += 1
            if compared[head] <= _MOST_PLACES:
                place = bisect_right(block.begins, position) - 1
                text, start = block.texts[place], position - block.begins[place]
                same = (row for row in by_head[head] if text.startswith(passages[row], start))
                occurrences += [(passage, block.numbers[place], start) for passage in same]
    return _unmarked(judgments, occurrences)


class _Block(NamedTuple):
    """Documents that are hashed together: their numbers, their texts, and the position of each."""

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
    """Text of each passage that is long enough, by its number."""
    spans = judgments.spans
    document = judgments.pair_document[spans.group]
    long = np.flatnonzero(spans.length >= shortest)
    passages: dict[int, str] = {}
    number, text = -1, ""
    for passage in long[np.argsort(document[long], kind="stable")].tolist():
        if document[passage] != number:
            number = int(document[passage])
            text = text_of(number) or ""
        part = text[spans.start[passage] : spans.end[passage]]
        if len(part) == spans.length[passage]:
            passages[passage] = part
    return passages


def _candidates(text: str, hashes: dict[int, list[int]]) -> Iterator[tuple[int, _Head]]:
    """Positions of a text where a window has one of the sorted hashes, with that hash."""
    text_hashes = Hashes(text)
    for size, numbers in hashes.items():
        windows, sought = text_hashes.stretches(size), np.array(numbers, np.uint64)
        likely = np.zeros(1 << 16, np.bool_)
        likely[sought >> _HIGH] = True
        start = np.flatnonzero(likely[windows >> _HIGH])
        place = np.searchsorted(sought, windows[start]).clip(max=len(sought) - 1)
        start = _few(start[sought[place] == windows[start]], windows)
        for position, number in zip(start.tolist(), windows[start].tolist(), strict=True):
            yield position, _Head(size, number)


def _few(start: IntArray, windows: HashArray) -> IntArray:
    """First positions of each window, as many as are compared."""
    if len(start) <= _MOST_PLACES:
        return start
    order = np.argsort(windows[start], kind="stable")
    _, first, which = np.unique(windows[start[order]], return_index=True, return_inverse=True)
    return np.sort(start[order][np.arange(len(order)) - first[which] < _MOST_PLACES])


def _unmarked(judgments: Judgments, occurrences: Sequence[tuple[int, int, int]]) -> IntArray:
    """Number of occurrences by passage, without text that is marked as relevant to the passage's topic."""
    spans = judgments.spans
    passage, number, start = np.array(occurrences, np.int64).reshape(-1, 3).T
    document = np.where(number < len(judgments.documents), number, -1)
    pair = judgments.pairs(judgments.pair_topic[spans.group[passage]], document)
    free = spans.overlap(pair, start, start + spans.length[passage]) == 0
    return np.bincount(passage[free], minlength=len(spans)).astype(np.int64)
