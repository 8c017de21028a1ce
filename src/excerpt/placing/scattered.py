"""Chunks whose words stand together in their document, but in another order or with others between them.

Splitters of HTML put links and code behind their paragraph, leave out headings and join the cells of tables,
so that no long part of such a chunk occurs as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from excerpt.model.spans import IntArray
from excerpt.model.texts import fold_characters, fold_text
from excerpt.placing.chunk_places import LOST, Placement, UnplacedChunk
from excerpt.placing.dense_words import densest
from excerpt.placing.markup import ReadText, kind_of_document
from excerpt.placing.search import Search
from excerpt.quotes.text_index import FoldedText

_WORD = re.compile(r"\w+")
#: Least words of a chunk that is placed by them, and least share of the words at its place that are its own.
_LEAST_WORDS, _LEAST_DENSITY = 5, 0.75
#: Least share of the words of a chunk that are together: of one that is lost, and of one of which less than
#: half occurs as it is, or less than three quarters.
_OF_LOST, _OF_LITTLE, _OF_MUCH = 0.6, 0.75, 0.9
_HALF, _MUCH = 0.5, 0.75
#: Most places of a pair of words by which a chunk is searched, and most stretches that are examined.
_MOST_PLACES, _MOST_STRETCHES = 256, 4
_UNKNOWN = -1


class WordsPlace(NamedTuple):
    """A stretch of a text with words of a chunk: its start and end, and the share of the chunk's words."""

    start: int
    end: int
    share: float


class ScatteredWords:
    """The words of a document, in which those of chunks are searched in any order.

    >>> words = ScatteredWords("Intro. Pass an int or a str to the function, always. The end.")
    >>> words.find("Pass an or a to the function, always. int str")
    WordsPlace(start=7, end=51, share=1.0)
    """

    def __init__(self, text: str, name: str | None = None) -> None:
        """Take the words of a text; the name of its document tells whether they have markup between them."""
        kind = None if name is None else kind_of_document(name)
        self._seen = ReadText(text, kind) if kind else None
        matches = list(_WORD.finditer(self._seen.seen if self._seen else text))
        self._starts, self._ends = (
            np.array([getattr(match, side)() for match in matches], np.int64) for side in ("start", "end")
        )
        self._codes: dict[str, int] = {}
        self._words = np.array(
            [self._codes.setdefault(fold_characters(match[0]), len(self._codes)) for match in matches],
            np.int64,
        )

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """Pairs of neighbours, ascending, and their places."""
        pairs = self._pairs_of(self._words)
        order = np.argsort(pairs, kind="stable")
        return pairs[order], order

    def _pairs_of(self, words: IntArray) -> IntArray:
        """A number for each pair of neighbours that are words of the document."""
        one, two = words[:-1], words[1:]
        return np.asarray(np.where((one < 0) | (two < 0), _UNKNOWN, one * len(self._codes) + two))

    def find(self, chunk: str, near: int = 0) -> WordsPlace | None:
        """Return the stretch with most words of a chunk and few others, of equal ones the nearest."""
        if len(_WORD.findall(chunk)) < _LEAST_WORDS:
            return None
        return self._best(chunk, _LEAST_DENSITY, near)

    def nearest(self, chunk: str) -> WordsPlace | None:
        """Return the stretch with most words of a chunk, whatever others it has; None without two of them."""
        return self._best(chunk, 0.0, 0)

    def _best(self, chunk: str, density: float, near: int) -> WordsPlace | None:
        words = [self._codes.get(fold_characters(word), _UNKNOWN) for word in _WORD.findall(chunk)]
        stretches = self._stretches(np.array(words, np.int64))
        places = filter(None, (self._densest(words, first, density) for first in stretches))
        return max(places, key=lambda one: (one.share, -abs(one.start - near)), default=None)

    def _stretches(self, words: IntArray) -> list[int]:
        """First words of the stretches, as long as a chunk, that have most of its pairs of neighbours."""
        pairs, places = self._pairs
        asked = np.unique(self._pairs_of(words))
        asked = asked[asked != _UNKNOWN]
        low, high = (pairs.searchsorted(asked, side) for side in ("left", "right"))
        rows = [
            places[one:two]
            for one, two in zip(low.tolist(), high.tolist(), strict=True)
            if two - one <= _MOST_PLACES
        ]
        hits = np.sort(np.concatenate([np.zeros(0, np.int64), *rows]))
        width, found = len(words) + len(words) // 4, list[int]()
        counts = hits.searchsorted(hits + width) - np.arange(len(hits))
        for row in np.argsort(-counts, kind="stable").tolist():
            first = int(hits[row])
            if all(abs(first - other) > width // 2 for other in found):
                found.append(first)
            if len(found) == _MOST_STRETCHES:
                break
        return found

    def _densest(self, words: Sequence[int], first: int, density: float) -> WordsPlace | None:
        """The stretch near a place of which most words are those of a chunk; None if too few are."""
        begin = max(0, first - len(words) // 2)
        there = self._words[begin : first + 2 * len(words)].tolist()
        low, high, _ = densest([word for word in words if word >= 0], there)
        low, high, count = _trimmed(words, there, low, high)
        if not count or count < density * (high - low):
            return None
        one, two = int(self._starts[begin + low]), int(self._ends[begin + high - 1])
        if self._seen is not None:
            one, two = self._seen.span(one, two)
        return WordsPlace(one, two, count / len(words))


def _trimmed(words: Sequence[int], there: Sequence[int], low: int, high: int) -> tuple[int, int, int]:
    """The part of a stretch with the most words of a chunk more than others: first, end, and their number."""
    left = Counter(words)
    best, begin, total, count = (low, low, 0, 0), low, 0, 0
    for at in range(low, high + 1):
        own = left[there[at]] > 0
        left[there[at]] -= own
        total, count = total + (1 if own else -1), count + own
        if total < 0:
            begin, total, count = at + 1, 0, 0
        if total > best[2]:
            best = begin, at + 1, total, count
    return best[0], best[1], best[3]


#: The words of a text are asked for the chunks of a document, one after the other.
words_of = lru_cache(maxsize=2)(ScatteredWords)


def are_words_of(chunk: str, passage: str) -> bool:
    """Return whether most words of a passage, and enough to place it, are those of a chunk.

    >>> are_words_of("Pass an or a to the function, always. int str", "Pass an int or a str to the function")
    True
    """
    asked, there = (Counter(map(fold_characters, _WORD.findall(text))) for text in (chunk, passage))
    count = (asked & there).total()
    return count >= max(_LEAST_DENSITY * there.total(), _OF_LOST * asked.total(), 1)


def place_scattered(
    text: FoldedText, chunks: Sequence[UnplacedChunk], placements: list[Placement], name: str | None
) -> list[Placement]:
    """Return placements with those of chunks that are lost, or of which a part occurs, by their words.

    Such a chunk is `trimmed`: most of its words are at its place, and most words there are its own. One that
    differs from its document only in case or Unicode form stays lost.
    """
    found, near = list(placements), 0
    for row, (chunk, placed) in enumerate(zip(chunks, placements, strict=True)):
        least = _least_share(chunk, placed)
        if least < 1 and not (placed == LOST and text.difference(fold_text(chunk.text))):
            there = words_of(text.text, name).find(chunk.text, near)
            if there is not None and there.share >= least:
                found[row] = _joined(placed, there)
        near = max(near, found[row].start)
    return found


def find_part(text: FoldedText, name: str | None, quote: str) -> tuple[int, int]:
    """Start and end of a quote that has text of its own in the text of a document; -1, -1 if it is lost."""
    chunks = [UnplacedChunk(quote)]
    return place_scattered(text, chunks, Search(text, name).locate(chunks), name)[0][:2]


def _least_share(chunk: UnplacedChunk, placed: Placement) -> float:
    """Share of the words of a chunk that must be together for its place; 1 if it stays where it is."""
    if placed == LOST:
        return _OF_LOST
    part = (placed.end - placed.start) / max(len(chunk.text), 1)
    if placed.how != "trimmed" or part >= _MUCH:
        return 1
    return _OF_LITTLE if part < _HALF else _OF_MUCH


def _joined(placed: Placement, there: WordsPlace) -> Placement:
    """The place of the words of a chunk, with that of its part; the latter if they are apart."""
    if placed == LOST:
        return Placement(there.start, there.end, "trimmed")
    if there.end <= placed.start or there.start >= placed.end:
        return placed
    return placed._replace(start=min(there.start, placed.start), end=max(there.end, placed.end))
