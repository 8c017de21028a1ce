"""Reasons for missed passages; positions that ignore whitespace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from excerpt.model.join import first_owners
from excerpt.model.samples import touched
from excerpt.model.spans import BoolArray, IntArray, KeyedSpans, keys
from excerpt.model.texts import Texts, fold

#: Characters of folded text that are kept, and places that are remembered.
_ROOM = 10_000_000
_MOST_PLACES = 100_000


@dataclass(frozen=True, eq=False)
class Ink:
    """Positions in documents, by their numbers, as counts of the characters that are no white space."""

    texts: Texts
    names: Sequence[str]
    #: Texts with each stretch of white space as one blank, as far as there is room, and where words stand.
    _folded: dict[int, str] = field(default_factory=dict)
    _places: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def at(self, document: IntArray, position: IntArray) -> IntArray:
        """The characters that are no white space before each position."""
        found = position.copy()
        order = np.argsort(document, kind="stable")
        bounds = np.flatnonzero(np.diff(document[order], prepend=-1, append=-2))
        for low, high in pairwise(bounds.tolist()):
            rows = order[low:high]
            blanks = self.texts.blanks(self.names[int(document[rows[0]])])
            if blanks is not None:
                found[rows] -= np.searchsorted(blanks, position[rows])
        return found

    def text(self, document: int) -> str:
        """The text of a document, nothing where it is not there."""
        return self.texts.read(self.names[document]) or ""

    def places(self, document: int, wanted: str) -> list[int]:
        """Where a folded text stands in a document: characters before it that are no white space."""
        if (document, wanted) not in self._places:
            if len(self._places) > _MOST_PLACES:
                self._places.clear()
            self._places[document, wanted] = list(_occurrences(self._fold(document), wanted))
        return self._places[document, wanted]

    def _fold(self, document: int) -> str:
        if document not in self._folded:
            text = fold(self.text(document))
            if sum(map(len, self._folded.values())) + len(text) > _ROOM:
                self._folded.clear()
            self._folded[document] = text
        return self._folded[document]


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at, blanks, reached = text.find(wanted) if wanted else -1, 0, 0
    while at >= 0:
        blanks += text.count(" ", reached, at)
        reached = at
        yield at - blanks
        at = text.find(wanted, at + 1)


def covers(read: KeyedSpans, group: int, starts: Sequence[int], text: str) -> bool:
    """Whether all of a text was read at one of the places where it stands."""
    if not starts:  # as in most documents
        return False
    size = len(text) - text.count(" ")
    start = np.array(starts, np.int64)
    return bool((read.overlap(np.full(len(start), group), start, start + size) == size).any())


#: The reasons, exclusive: of those that apply the first one counts.
REASONS = (
    "not in any chunk",
    "cut by a chunk border",
    "at rank k+1…n",
    "same text at another place",
    "document found, passage not",
    "document not found",
)
NO_CHUNK, CUT, LATER, ELSEWHERE, NO_PASSAGE, NO_DOCUMENT = range(len(REASONS))
#: The reasons that only chunks tell.
OF_CHUNKS = REASONS[:2]


class Passages(NamedTuple):
    """Relevant passages, each once for every run that was to find it; places as in the text."""

    #: What is read together: a topic of a run. And the number of its document.
    query: IntArray
    document: IntArray
    start: IntArray
    end: IntArray


class Returned(NamedTuple):
    """Results in the order of their ranks inside each query; places as in the text."""

    query: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    rank: IntArray
    #: Which results are read, and where what is read of them ends.
    within: BoolArray
    until: IntArray


class Pieces(NamedTuple):
    """All chunks of a collection."""

    document: IntArray
    start: IntArray
    end: IntArray


class Missed(NamedTuple):
    """The passages that were missed, by their numbers, and why; all columns of one length."""

    passage: IntArray
    reason: IntArray
    #: Where the passage is complete at last, 0 where it never is.
    rank: IntArray
    #: Characters that are no white space, and how many of them were read.
    characters: IntArray
    found: IntArray


def find_missed(
    passages: Passages, returned: Returned, ink: Ink, pieces: Pieces | None = None, *, elsewhere: bool = True
) -> Missed:
    """The passages that are not wholly read, white space not counted, each with the reason.

    Without `elsewhere` nobody looks whether the same text was read at another place.
    """
    return _Search(passages, returned, ink).missed(pieces, elsewhere=elsewhere)


@dataclass(frozen=True, eq=False)
class _Search:
    passages: Passages
    returned: Returned
    ink: Ink

    def missed(self, pieces: Pieces | None, *, elsewhere: bool) -> Missed:
        read = np.flatnonzero(self.returned.within & np.isin(self._groups, self._group))
        found = self._spans(read).overlap(self._group, self._start, self._end)
        size = self._end - self._start
        rows = np.flatnonzero(found < size)
        rank = self._ranks(rows)
        near = np.isin(self._group[rows], self._groups[self.returned.within])
        reason = np.where(rank > 0, LATER, np.where(near, NO_PASSAGE, NO_DOCUMENT))
        if pieces is not None:
            whole, covered = self._held(rows, pieces)
            reason[~whole] = CUT
            reason[~covered] = NO_CHUNK
        if elsewhere:
            left = np.flatnonzero(reason > ELSEWHERE)
            reason[left[self._elsewhere(rows[left])]] = ELSEWHERE
        return Missed(rows, reason, rank, size[rows], found[rows])

    @cached_property
    def _numbered(self) -> tuple[IntArray, IntArray]:
        """A small number for the query and the document of each passage and each result."""
        columns = [np.concatenate(both) for both in zip(self.passages[:2], self.returned[:2], strict=True)]
        code = columns[0] * (1 + int(columns[1].max(initial=0))) + columns[1]
        numbers = np.unique(code, return_inverse=True)[1].astype(np.int64)
        return numbers[: len(self.passages.query)], numbers[len(self.passages.query) :]

    @property
    def _group(self) -> IntArray:
        return self._numbered[0]

    @property
    def _groups(self) -> IntArray:
        return self._numbered[1]

    @cached_property
    def _start(self) -> IntArray:
        return self.ink.at(self.passages.document, self.passages.start)

    @cached_property
    def _end(self) -> IntArray:
        return self.ink.at(self.passages.document, self.passages.end)

    def _spans(self, rows: IntArray) -> KeyedSpans:
        document = self.returned.document[rows]
        start = self.ink.at(document, self.returned.start[rows])
        end = self.ink.at(document, self.returned.until[rows])
        return KeyedSpans.union(self._groups[rows], start, end)

    def _ranks(self, missed: IntArray) -> IntArray:
        """The rank at which each of these passages is complete, 0 where it never is."""
        returned = self.returned
        rows = np.flatnonzero(np.isin(self._groups, self._group[missed]))
        document = returned.document[rows]
        ends = [self.ink.at(document, column[rows]) for column in (returned.start, returned.end)]
        segments = first_owners(self._groups[rows], *ends)
        spans = KeyedSpans(segments.group, segments.start, segments.end)
        place, segment = touched(spans, self._group[missed], self._start[missed], self._end[missed])
        low = np.maximum(spans.start[segment], self._start[missed][place])
        shown = np.minimum(spans.end[segment], self._end[missed][place]) - low
        total = np.bincount(place, shown, minlength=len(missed)).astype(np.int64)
        rank = np.zeros(len(missed), np.int64)
        np.maximum.at(rank, place, returned.rank[rows[segments.owner[segment]]])
        return np.where(total == (self._end - self._start)[missed], rank, 0)

    def _held(self, missed: IntArray, pieces: Pieces) -> tuple[BoolArray, BoolArray]:
        """Whether one chunk holds all of a passage, and whether all of its characters are in some chunk."""
        document, low, high = self.passages.document[missed], self._start[missed], self._end[missed]
        rows = np.flatnonzero(np.isin(pieces.document, document))
        named = pieces.document[rows]
        start, end = self.ink.at(named, pieces.start[rows]), self.ink.at(named, pieces.end[rows])
        covered = KeyedSpans.union(named, start, end).overlap(document, low, high) == high - low
        order = np.argsort(keys(named, start), kind="stable")
        reach = np.maximum.accumulate(np.append(-1, keys(named, end)[order]))
        before = np.searchsorted(keys(named, start)[order], keys(document, low), side="right")
        return reach[before] >= keys(document, high), covered

    def _elsewhere(self, missed: IntArray) -> BoolArray:
        """Whether the text of each of these passages, white space folded, was read at another place."""
        returned, queries = self.returned, self.passages.query[missed]
        rows = np.flatnonzero(returned.within & np.isin(returned.query, queries))
        read = self._spans(rows)
        documents: dict[int, list[tuple[int, int]]] = defaultdict(list)
        _, first = np.unique(self._groups[rows], return_index=True)
        for row in rows[first].tolist():
            documents[int(returned.query[row])].append((int(self._groups[row]), int(returned.document[row])))
        found = np.zeros(len(missed), np.bool_)
        for place, (passage, query) in enumerate(zip(missed.tolist(), queries.tolist(), strict=True)):
            wanted = self._folded(passage)
            found[place] = any(
                covers(read, group, self.ink.places(document, wanted), wanted)
                for group, document in documents[query]
            )
        return found

    def _folded(self, passage: int) -> str:
        given = self.passages
        text = self.ink.text(int(given.document[passage]))
        return fold(text[given.start[passage] : given.end[passage]])


def count_reasons(reasons: Iterable[int], *, chunks: bool) -> dict[str, int]:
    """How many passages have each reason; those of chunks only where there are chunks."""
    found = np.bincount(np.fromiter(reasons, np.int64), minlength=len(REASONS)).tolist()
    return {name: found[code] for code, name in enumerate(REASONS) if chunks or name not in OF_CHUNKS}
