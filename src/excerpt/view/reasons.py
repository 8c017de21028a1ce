"""Reasons why passages are missed, and positions that ignore whitespace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from excerpt.corpus.corpus import Recent
from excerpt.model.join import first_owners
from excerpt.model.samples import touched
from excerpt.model.spans import BoolArray, IntArray, KeyedSpans, keys
from excerpt.model.texts import Texts, blanks, fold
from excerpt.placing.duplicate_evidence import find_occurrences

#: Most characters of folded text, and most searches, in the caches.
_ROOM = 10_000_000
_MOST_SEARCHES = 100_000
_LONG_SEARCH = 50_000_000  # characters times texts: from there on one pass for all texts is faster


class _Folded:
    """A text with whitespace folded into single spaces, to search for others."""

    def __init__(self, text: str) -> None:
        self.text = fold(text)

    @cached_property
    def _blanks(self) -> IntArray:
        return blanks(self.text)

    def find(self, wanted: str) -> list[int]:
        """Positions of all occurrences of a folded text, whitespace not counted."""
        starts = []
        at = self.text.find(wanted) if wanted else -1
        while at >= 0:
            starts.append(at)
            at = self.text.find(wanted, at + 1)
        return self._compact(starts)

    def find_all(self, wanted: Collection[str]) -> dict[str, list[int]]:
        """Positions of the folded texts that occur; many are found in one pass over a long text."""
        if len(wanted) * len(self.text) < _LONG_SEARCH:
            return {each: starts for each in wanted if (starts := self.find(each))}
        texts, places = dict(enumerate(filter(None, wanted))), defaultdict(list)
        for number, _, start in find_occurrences(texts, [0], lambda _: self.text) or ():
            places[texts[number]].append(start)
        return {each: self._compact(sorted(starts)) for each, starts in places.items()}

    def _compact(self, starts: list[int]) -> list[int]:
        return (np.array(starts) - np.searchsorted(self._blanks, starts)).tolist() if starts else []


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions in documents (given by number) that do not count whitespace."""

    texts: Texts
    names: Sequence[str]
    #: Caches: texts with whitespace folded, and positions of search texts.
    _folded: Recent[_Folded] = field(
        default_factory=lambda: Recent(room=_ROOM, size=lambda kept: len(kept.text))
    )
    _searches: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def at(self, document: IntArray, position: IntArray) -> IntArray:
        """Number of non-whitespace characters before each position."""
        compact = position.copy()
        order = np.argsort(document, kind="stable")
        bounds = np.flatnonzero(np.diff(document[order], prepend=-1, append=-2))
        for low, high in pairwise(bounds.tolist()):
            rows = order[low:high]
            blanks = self.texts.blanks(self.names[int(document[rows[0]])])
            if blanks is not None:
                compact[rows] -= np.searchsorted(blanks, position[rows])
        return compact

    def text(self, document: int) -> str:
        """Text of a document; empty if it is missing."""
        return self.texts.read(self.names[document]) or ""

    def find_all(self, document: int, wanted: Collection[str]) -> dict[str, list[int]]:
        """Positions of all occurrences of the folded texts that occur in a document."""
        if len(self._searches) > _MOST_SEARCHES:
            self._searches.clear()
        if unknown := [each for each in wanted if (document, each) not in self._searches]:
            found = self._folded.get(document, lambda: _Folded(self.text(document))).find_all(unknown)
            self._searches.update(((document, each), found.get(each, [])) for each in unknown)
        return self._known(document, wanted)

    def _known(self, document: int, wanted: Collection[str]) -> dict[str, list[int]]:
        return {each: starts for each in wanted if (starts := self._searches.get((document, each)))}


@dataclass(frozen=True, eq=False)
class Survey(Positions):
    """Positions of texts that one pass over all documents has searched for."""

    #: Sets of folded texts by the documents to search for them.
    sought: dict[int, list[set[str]]] = field(default_factory=lambda: defaultdict(list))

    def search(self, document: int, text: str) -> None:
        """Search a document for all that is sought in it."""
        found = _Folded(text).find_all(set[str]().union(*self.sought.pop(document, ())))
        if found:
            self.texts.blanks(self.names[document])  # its positions would read it again
        self._searches.update(((document, each), starts) for each, starts in found.items())

    def find_all(self, document: int, wanted: Collection[str]) -> dict[str, list[int]]:
        """Positions of the sought texts that occur in a document that was searched."""
        return self._known(document, wanted)


def covers(read: KeyedSpans, group: int, starts: Sequence[int], text: str) -> bool:
    """Return whether one of the occurrences of a text was read completely."""
    size = len(text) - text.count(" ")
    start = np.array(starts, np.int64)
    return bool((read.overlap(np.full(len(start), group), start, start + size) == size).any())


#: Reasons as keys of data; the first that applies counts.
REASONS = (
    "not in any chunk",
    "cut by a chunk border",
    "at rank k+1…n",
    "same text at another place",
    "document found, passage not",
    "document not found",
)
NO_CHUNK, CUT, LATER, ELSEWHERE, NO_PASSAGE, NO_DOCUMENT = range(len(REASONS))
#: Reasons in words.
LABELS = (
    *(*REASONS[:2], "ranked below the cut-off", "same text found elsewhere"),
    *("document found, passage missed", "document not found"),
)
#: Reasons that need chunks.
OF_CHUNKS = REASONS[:2]


class Passages(NamedTuple):
    """Relevant passages, repeated for every run; offsets of the text."""

    #: Number of the topic (of a run, if there are several runs), and of the document.
    query: IntArray
    document: IntArray
    start: IntArray
    end: IntArray


class RankedResults(NamedTuple):
    """Results sorted by rank within each query; offsets of the text."""

    query: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    rank: IntArray
    #: Whether a result is read, and the end of the part that is read.
    within: BoolArray
    until: IntArray


class ChunkSpans(NamedTuple):
    """Spans of all chunks of a collection."""

    document: IntArray
    start: IntArray
    end: IntArray


class Missed(NamedTuple):
    """Missed passages by number, with their reasons; one row per passage."""

    passage: IntArray
    reason: IntArray
    #: Rank of the result that completes the passage; 0 if no result does.
    rank: IntArray
    #: Characters of the passage, and those read, both without whitespace.
    characters: IntArray
    found: IntArray


class MissedSearch:
    """Search for passages that were not read completely (whitespace ignored), and for the reasons."""

    def __init__(self, passages: Passages, returned: RankedResults, positions: Positions) -> None:
        self.passages, self.returned, self.positions = passages, returned, positions
        columns = [np.concatenate(both) for both in zip(passages[:2], returned[:2], strict=True)]
        code = columns[0] * (1 + int(columns[1].max(initial=0))) + columns[1]
        numbers = np.unique(code, return_inverse=True)[1].astype(np.int64)
        #: Number of the pair of query and document of each passage and of each result.
        self._group, self._groups = np.split(numbers, [len(passages.query)])
        self._start, self._end = (positions.at(passages.document, offset) for offset in passages[2:])

    def missed(self, chunks: ChunkSpans | None = None, *, elsewhere: bool = True) -> Missed:
        """Missed passages; `elsewhere` searches the texts read for their text."""
        read = np.flatnonzero(self.returned.within & np.isin(self._groups, self._group))
        found = self._spans(read).overlap(self._group, self._start, self._end)
        size = self._end - self._start
        rows = np.flatnonzero(found < size)
        rank = self._ranks(rows)
        near = np.isin(self._group[rows], self._groups[self.returned.within])
        reason = np.where(rank > 0, LATER, np.where(near, NO_PASSAGE, NO_DOCUMENT))
        if chunks is not None:
            complete, covered = self._in_chunks(rows, chunks)
            reason[~complete] = CUT
            reason[~covered] = NO_CHUNK
        if elsewhere:
            left = np.flatnonzero(reason > ELSEWHERE)
            reason[left[self._elsewhere(rows[left])]] = ELSEWHERE
        return Missed(rows, reason, rank, size[rows], found[rows])

    def _spans(self, rows: IntArray) -> KeyedSpans:
        document = self.returned.document[rows]
        start = self.positions.at(document, self.returned.start[rows])
        end = self.positions.at(document, self.returned.until[rows])
        return KeyedSpans.union(self._groups[rows], start, end)

    def _ranks(self, missed: IntArray) -> IntArray:
        """Rank of the result that completes each missed passage; 0 if no result does."""
        returned = self.returned
        rows = np.flatnonzero(np.isin(self._groups, self._group[missed]))
        document = returned.document[rows]
        ends = [self.positions.at(document, column[rows]) for column in (returned.start, returned.end)]
        segments = first_owners(self._groups[rows], *ends)
        spans = KeyedSpans(segments.group, segments.start, segments.end)
        place, segment = touched(spans, self._group[missed], self._start[missed], self._end[missed])
        low = np.maximum(spans.start[segment], self._start[missed][place])
        shown = np.minimum(spans.end[segment], self._end[missed][place]) - low
        total = np.bincount(place, shown, minlength=len(missed)).astype(np.int64)
        rank = np.zeros(len(missed), np.int64)
        np.maximum.at(rank, place, returned.rank[rows[segments.owner[segment]]])
        return np.where(total == (self._end - self._start)[missed], rank, 0)

    def _in_chunks(self, missed: IntArray, chunks: ChunkSpans) -> tuple[BoolArray, BoolArray]:
        """Masks of passages contained in one chunk, and of passages covered by all chunks together."""
        document, low, high = self.passages.document[missed], self._start[missed], self._end[missed]
        rows = np.flatnonzero(np.isin(chunks.document, document))
        named = chunks.document[rows]
        start, end = self.positions.at(named, chunks.start[rows]), self.positions.at(named, chunks.end[rows])
        covered = KeyedSpans.union(named, start, end).overlap(document, low, high) == high - low
        order = np.argsort(keys(named, start), kind="stable")
        reach = np.maximum.accumulate(np.append(-1, keys(named, end)[order]))
        before = np.searchsorted(keys(named, start)[order], keys(document, low), side="right")
        return reach[before] >= keys(document, high), covered

    def _elsewhere(self, missed: IntArray) -> BoolArray:
        """Mask of missed passages whose text, with whitespace folded, was read elsewhere."""
        returned, queries = self.returned, self.passages.query[missed]
        rows = np.flatnonzero(returned.within & np.isin(returned.query, queries))
        documents: dict[int, list[tuple[int, int]]] = defaultdict(list)
        _, first = np.unique(self._groups[rows], return_index=True)
        for row in rows[first].tolist():
            documents[int(returned.query[row])].append((int(self._groups[row]), int(returned.document[row])))
        folded = cache(self._folded)
        passages = zip(*(column[missed].tolist() for column in self.passages[1:]), strict=True)
        wanted = [folded(*passage) for passage in passages]
        places: dict[int, list[int]] = defaultdict(list)
        for place, query in enumerate(queries.tolist()):
            places[query].append(place)
        hits = []
        for query, several in places.items():
            texts = {wanted[place] for place in several}
            for group, document in documents[query]:
                if occurring := self.positions.find_all(document, texts):
                    hits += [
                        (place, group, occurring[wanted[place]])
                        for place in several
                        if wanted[place] in occurring
                    ]
        read = self._spans(rows[np.isin(self._groups[rows], [group for _, group, _ in hits])])
        found = np.zeros(len(missed), np.bool_)
        for place, group, starts in hits:
            found[place] |= covers(read, group, starts, wanted[place])
        return found

    def _folded(self, document: int, start: int, end: int) -> str:
        return fold(self.positions.text(document)[start:end])


def count_reasons(reasons: Iterable[int], *, chunks: bool) -> dict[str, int]:
    """Number of passages by reason; reasons that need chunks only with `chunks`."""
    counts = np.bincount(np.fromiter(reasons, np.int64), minlength=len(REASONS)).tolist()
    return {name: counts[code] for code, name in enumerate(REASONS) if chunks or name not in OF_CHUNKS}


def reason_label(code: int, cutoff: int | None) -> str:
    """Reason in words, with the cut-off of the measure if it has one.

    >>> reason_label(LATER, 5), reason_label(LATER, None), reason_label(NO_PASSAGE, 5)
    ('below rank 5', 'beyond the budget', 'document found, passage missed')
    """
    if code != LATER:
        return LABELS[code]
    return "beyond the budget" if cutoff is None else f"below rank {cutoff}"
