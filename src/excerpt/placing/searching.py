"""All places of all chunks of a document, and the choice among them.

Where an assignment has steps back of B characters in all, the chunks before a chunk take at most B characters
more than stand before it, and those after it at most B more than stand after it. So only places within these
bounds are looked for: first for the least B that there can be, then for one that was found.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.model.texts import fold, squeeze
from excerpt.placing.assigning import Occurrences, Prefer, assign
from excerpt.placing.folding import Folded
from excerpt.placing.places import LOST, Place, Wanted
from excerpt.placing.searched import find_all
from excerpt.placing.stepping import step_through
from excerpt.placing.trimming import longest_part

#: Of more places than these, a short way to the best ones is tried before all are compared.
_MANY = 1 << 18
#: How many places that cost the same are looked at for one where the chunk stands literally.
_LOOKS = 64


class Mistaken(Exception):
    """Two texts with the same hash were taken for one."""


class _Part(NamedTuple):
    """What of a chunk is looked for: its folded text, or as much of it as is there."""

    chunk: Wanted
    #: Folded; white space alone as it is.
    text: str
    #: Solid characters, and the white space before the first.
    length: int
    lead: int
    trimmed: bool = False
    #: Whether it stands there only without any white space, as `text` then is.
    squeezed: bool = False

    @property
    def key(self) -> Hashable:
        """The same for parts that have the same places."""
        if self.chunk.fixed:
            return self.chunk
        return self.text, self.squeezed, self.chunk.text if self.lead else ""


class _Window(NamedTuple):
    """The places of a part with so many solid characters before them."""

    low: int
    high: int
    found: Occurrences


#: Where a part starts, and how many solid characters stand before it.
_Start: TypeAlias = tuple[int, int]


class _Chosen(NamedTuple):
    """The places of an assignment, and its steps back."""

    starts: list[_Start]
    back: int


class Search:
    """The text of a document, searched for all its chunks."""

    def __init__(self, text: Folded) -> None:
        self._text = text
        self._known: dict[Hashable, _Window] = {}
        self._longest: dict[str, str] = {}
        self._stepped = False

    def places(self, chunks: Sequence[Wanted]) -> list[Place]:
        """Where each chunk stands."""
        there: list[int] = []
        parts: list[_Part] = []
        near = 0
        for number, chunk in enumerate(chunks):
            part, near = self._part(chunk, near)
            if part is not None:
                there.append(number)
                parts.append(part)
        found = [LOST] * len(chunks)
        for number, part, place in zip(there, parts, self._assigned(parts), strict=True):
            found[number] = self._place(part, *place)
        return found

    def _part(self, chunk: Wanted, near: int) -> tuple[_Part | None, int]:
        """What of a chunk stands somewhere, and near which place the next one does."""
        text = self._text
        if chunk.fixed:
            low, high = np.searchsorted(text.places, [chunk.start or 0, chunk.end or 0]).tolist()
            return _Part(chunk, "", high - low, 0), near
        part = fold(chunk.text)
        if not part:
            return (_Part(chunk, chunk.text, 0, 0) if chunk.text in text.text else None), near
        place = text.searched.near(part, near)
        if place < 0 and text.squeezed.first(solid := squeeze(part)) >= 0:
            place = text.searched.first(part)
            if place < 0:
                return _Part(chunk, solid, len(solid), 0, squeezed=True), near
        if place >= 0:
            lead = len(chunk.text) - len(chunk.text.lstrip())
            return _Part(chunk, part, len(part) - part.count(" "), lead), place
        if part not in self._longest:
            self._longest[part] = longest_part(text.searched, part)
        part = self._longest[part]
        if not part:
            return None, near
        return _Part(chunk, part, len(part) - part.count(" "), 0, trimmed=True), near

    def _assigned(self, parts: Sequence[_Part]) -> Iterable[_Start]:
        """The places of the parts in the assignment that costs least."""
        size = self._text.size
        least = max(0, sum(part.length for part in parts) - size)
        starts = self._step_through(parts, claims=True)
        if starts is not None and not any(map(self._is_better_elsewhere, parts, starts)):
            return starts
        for bound in (least, least + size // 64, least + size // 8):
            found = self._best(parts, bound)
            if found is not None and found.back > bound:
                found = self._best(parts, found.back)
            if found is not None:
                return found.starts
        some = [self._occurrences(part, 0, size) for part in parts]
        found = self._chosen(parts, some, rising=False)
        return found.starts if found else []

    def _best(self, parts: Sequence[_Part], bound: int) -> _Chosen | None:
        """The best assignment whose starts rise, among places of one whose steps back are so few."""
        before = [*accumulate((part.length for part in parts), initial=0)]
        room = self._text.size - before[-1] + bound
        some: list[Occurrences] = []
        many = 0
        for part, low in zip(parts, before, strict=False):
            some.append(self._occurrences(part, low - bound, low + room))
            if not len(some[-1].start):
                return None
            many += len(some[-1].start)
            if many > _MANY and not self._stepped:
                self._stepped = True
                if (starts := self._step_through(parts, claims=False)) is not None:
                    return _Chosen(starts, 0)
        return self._chosen(parts, some, rising=True)

    def _chosen(self, parts: Sequence[_Part], some: Sequence[Occurrences], *, rising: bool) -> _Chosen | None:
        found = assign(some, self._text.size, self._preference(parts, some), rising=rising)
        if found is None:
            return None
        chosen = zip(some, found.rows, strict=True)
        return _Chosen([(int(each.start[row]), int(each.solid[row])) for each, row in chosen], found.back)

    def _step_through(self, parts: Sequence[_Part], *, claims: bool) -> list[_Start] | None:
        """Places that are known to be best, if there is a short way to some."""
        text = self._text
        if any(part.chunk.fixed or part.squeezed or part.text.isspace() for part in parts):
            return None
        texts = [part.text for part in parts]
        said = [part.chunk.start for part in parts] if claims else []
        given = [None if start is None else text.to_folded(start) for start in said]
        for ahead in (0, max(map(len, texts), default=0)):
            found = step_through(text.folded, texts, given, ahead)
            if found is not None:
                solid = text.solid(np.array(found))
                starts = [self._starts(*pair)[0] for pair in zip(parts, solid[:, None], strict=True)]
                return [*zip(map(int, starts), solid.tolist(), strict=True)]
        return None

    def _is_better_elsewhere(self, part: _Part, start: _Start) -> bool:
        """Whether a chunk does not stand there literally, but does somewhere."""
        text = self._text.text
        if part.trimmed or text.startswith(part.chunk.text, start[0]):
            return False
        return part.chunk.text in text

    def _occurrences(self, part: _Part, low: int, high: int) -> Occurrences:
        """The places of a part with `low` to `high` solid characters before them."""
        size = self._text.size
        low, high = max(0, low), min(high, size)
        known = self._known.get(part.key)
        if known is None:
            known = self._known[part.key] = _Window(low, high, self._find(part, low, high))
        elif low < known.low or high > known.high:  # asked for more than once: everywhere
            known = self._known[part.key] = _Window(0, size, self._find(part, 0, size))
        found = known.found
        if known.low == low and known.high == high:
            return found
        first, last = np.searchsorted(found.solid, (low, high + 1))
        return Occurrences(found.start[first:last], found.solid[first:last], part.length)

    def _find(self, part: _Part, low: int, high: int) -> Occurrences:
        text, chunk = self._text, part.chunk
        if chunk.fixed or part.text.isspace():
            starts = np.array([chunk.start or 0]) if chunk.fixed else find_all(text.text, part.text)
            return Occurrences(starts, np.searchsorted(text.places, starts), part.length)
        solid = (text.squeezed if part.squeezed else text).find(part.text, low, high)
        return Occurrences(self._starts(part, solid), solid, part.length)

    def _starts(self, part: _Part, solid: IntArray) -> IntArray:
        """Where a part starts, by the solid characters before it; with its white space if literal."""
        starts = self._text.places[solid]
        if not part.lead:
            return starts
        return starts - np.where(self._literal(part.chunk, starts - part.lead), part.lead, 0)

    def _literal(self, chunk: Wanted, starts: IntArray) -> BoolArray:
        """At which starts a chunk stands as it is."""
        text, part = self._text.text, chunk.text
        return np.array([start >= 0 and text.startswith(part, start) for start in starts.tolist()], np.bool_)

    def _preference(self, parts: Sequence[_Part], some: Sequence[Occurrences]) -> Prefer:
        """Of places that cost the same: the claimed one, else the nearest literal one, else the nearest.

        Where chunks overlap, claims come last: they are often those of another copy.
        """
        overlap = sum(part.length for part in parts) > self._text.size

        def prefer(number: int, rows: IntArray, far: FloatArray) -> int:
            starts, chunk = some[number].start[rows], parts[number].chunk
            claimed = np.flatnonzero(starts == (-1 if chunk.start is None else chunk.start))
            if len(claimed) and (not overlap or far[claimed[0]] <= far.min()):
                return int(rows[claimed[0]])
            nearest = int(far.argmin())
            if self._text.text.startswith(chunk.text, int(starts[nearest])):
                return int(rows[nearest])
            order = np.argsort(far, kind="stable")
            literal = np.flatnonzero(self._literal(chunk, starts[order[:_LOOKS]]))
            return int(rows[order[literal[0]] if len(literal) else nearest])

        return prefer

    def _place(self, part: _Part, start: int, solid: int) -> Place:
        """The place of a part, by its start and the solid characters before it."""
        text, chunk = self._text, part.chunk
        if chunk.fixed or text.text.startswith(chunk.text, start):
            return chunk.at(start)
        if not text.stands(part.text, solid):
            raise Mistaken
        end = int(text.places[solid + part.length - 1]) + 1
        return Place(start, end, "trimmed" if part.trimmed else "folded")
