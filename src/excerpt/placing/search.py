"""Occurrences of chunks in a document, and their best assignment."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.model.texts import Hashes, fold, squeeze
from excerpt.placing.chunks import LOST, Place, WantedChunk
from excerpt.placing.text_index import FEW, SIZE, Folded, Grams, Searched, find_all


class Evenly:
    """How much chunks of some lengths overlap where they do so evenly and end where the document does.

    >>> Evenly([5, 5, 5], 13).overlap(1, 5)
    1.0
    """

    def __init__(self, lengths: Sequence[int], size: int) -> None:
        self._rest = [*accumulate(reversed(lengths))][::-1]
        self._size = size

    def overlap(self, number: int, end: int) -> float:
        """What a chunk shares with the one before, which ends there."""
        steps = len(self._rest) - number
        return max(0.0, (end + self._rest[number] - self._size) / steps) if number else 0.0


def rise(text: str, parts: Sequence[str], start_of: Callable[[int, int, int], int]) -> list[int] | None:
    """Starts of parts that rise and cannot cost less, found in one go from the first to the last; else None.

    `start_of` a part's number, the start and the end of the one before. All steps sum up to the document
    without its chunks, so where none goes back, or none leaves a gap, no other assignment costs less.
    """
    found: list[int] = []
    last, end = -1, 0
    back = gap = False
    for number, part in enumerate(parts):
        start = start_of(number, last, end)
        if start <= last:
            return None
        back = back or _is_solid(text[start:end])
        gap = gap or _is_solid(text[end:start])
        if back and gap:
            return None
        found.append(start)
        last, end = start, start + len(part)
    return None if back and _is_solid(text[end:]) else found


def _is_solid(text: str) -> bool:
    return text != "" and not text.isspace()


def step_through(
    text: str, parts: Sequence[str], claims: Sequence[int | None] = (), ahead: int = 0
) -> list[int] | None:
    """Places of parts in a text, all folded, that rise and cost least; None where this way leads to none.

    Claims are taken where chunks need not overlap. The document may be taken for longer than it is, by
    `ahead`: then chunks at its end overlap more, rather than leave a gap.

    >>> step_through("aaaaaaaa", ["aaaa", "aaaa", "aaaa"])
    [0, 2, 4]
    """
    evenly = Evenly([*map(len, parts)], len(text) + ahead)
    apart = sum(map(len, parts)) <= len(text)

    def start_of(number: int, last: int, end: int) -> int:
        part, claim = parts[number], claims[number] if claims else None
        if not apart:
            return _near(text, part, last, end, end - evenly.overlap(number, end))
        if claim is None or claim < end or not text.startswith(part, claim):
            return text.find(part, end)
        return claim

    return rise(text, parts, start_of)


def _near(text: str, part: str, last: int, end: int, goal: float) -> int:
    """The place of a part after the last start, next to a goal, if possible before the end; else -1."""
    middle = int(goal)
    before = text.rfind(part, last + 1, middle + len(part))
    after = text.find(part, max(middle, last + 1), end + 1 + len(part))
    if after < 0 or (before >= 0 and goal - before < after - goal):
        return before if before >= 0 else text.find(part, last + 1)
    return after


_NEVER = 1 << 60
#: Occurrences whose costs are kept all at once.
_MOST = 1 << 23


class Occurrences(NamedTuple):
    """Where a chunk may stand, ascending, and the characters before that are no white space."""

    start: IntArray
    solid: IntArray
    #: How many characters of the chunk are no white space.
    length: int


class Assignment(NamedTuple):
    """An occurrence for each chunk, and the steps back of all together."""

    rows: list[int]
    back: int


#: Given a chunk, occurrences of it that cost the same, and how far each is from the likely one: what to take.
Prefer: TypeAlias = Callable[[int, IntArray, FloatArray], int]


def _nearest(_chunk: int, rows: IntArray, far: FloatArray) -> int:
    return int(rows[far.argmin()])


def assign(
    chunks: Sequence[Occurrences], size: int, prefer: Prefer = _nearest, *, rising: bool = False
) -> Assignment | None:
    """The assignment that costs least; None where starts cannot rise though `rising` says that they must.

    `size` is the number of characters of the document that are no white space. Of occurrences that cost the
    same `prefer` takes one, by default the nearest to where chunks that overlap evenly would stand.

    >>> def at(*places: int) -> Occurrences:
    ...     return Occurrences(np.array(places), np.array(places), 5)
    >>> assign([at(0, 10), at(5), at(0, 10)], 15)
    Assignment(rows=[0, 0, 1], back=0)
    """
    step = _NEVER if _can_rise(chunks) else size
    if rising and step != _NEVER:
        return None
    rows: list[int] = []
    evenly = Evenly([chunk.length for chunk in chunks], size)
    last, end, back = -1, 0, 0
    for number, (chunk, costs) in enumerate(zip(chunks, _following(chunks, step), strict=True)):
        row = 0
        if len(costs) > 1:
            whole = costs + 2 * np.maximum(end - chunk.solid, 0) + np.where(chunk.start <= last, step, 0)
            ties = np.flatnonzero(whole == whole.min())
            overlap = evenly.overlap(number, end) if step == _NEVER else 0.0
            far = np.abs(end - chunk.solid[ties] - overlap)
            row = prefer(number, ties, far) if len(ties) > 1 else int(ties[0])
        rows.append(row)
        solid = int(chunk.solid[row])
        back += max(0, end - solid)
        last, end = int(chunk.start[row]), solid + chunk.length
    return Assignment(rows, back)


def _can_rise(chunks: Sequence[Occurrences]) -> bool:
    """Whether there is an assignment whose starts rise."""
    last = -1
    for chunk in chunks:
        row = 0 if len(chunk.start) == 1 else int(chunk.start.searchsorted(last, side="right"))
        if row == len(chunk.start) or chunk.start[row] <= last:
            return False
        last = int(chunk.start[row])
    return True


def _following(chunks: Sequence[Occurrences], step: int) -> Iterator[IntArray]:
    """The least cost of all that follows each occurrence of each chunk, from the first chunk on.

    They are found from the last chunk on. Of very many only some are kept, and the others found again.
    """
    count = len(chunks)
    many = sum(len(chunk.start) for chunk in chunks) > _MOST
    block = math.isqrt(count) + 1 if many else max(1, count)
    kept: dict[int, IntArray] = {}
    costs: IntArray | None = None
    for number in range(count - 1, 0 if many else count, -1):
        costs = _costs(chunks, number, costs, step)
        if number % block == 0:
            kept[number] = costs
    for first in range(0, count, block):
        costs, some = kept.get(first + block), []
        for number in range(min(first + block, count) - 1, first - 1, -1):
            costs = _costs(chunks, number, costs, step)
            some.append(costs)
        yield from reversed(some)


def _costs(chunks: Sequence[Occurrences], number: int, costs: IntArray | None, step: int) -> IntArray:
    """The least cost of all that follows each occurrence of a chunk, by that of the next chunk."""
    this = chunks[number]
    if costs is None:
        return np.zeros(len(this.start), np.int64)
    following = chunks[number + 1]
    if len(this.start) == len(costs) == 1:  # nearly always
        back = max(0, int(this.solid[0]) + this.length - int(following.solid[0]))
        return costs + (2 * back + (step if following.start[0] <= this.start[0] else 0))
    return _before(this, following, costs, step)


def _before(this: Occurrences, following: Occurrences, costs: IntArray, step: int) -> IntArray:
    """The same for many occurrences at once."""
    end = this.solid + this.length
    later = np.searchsorted(following.start, this.start, side="right")
    after = np.maximum(later, np.searchsorted(following.solid, end))
    back = costs - 2 * following.solid  # to which twice the end is added
    least = np.minimum(np.append(costs, _NEVER)[after], _least(back, later, after) + 2 * end)
    if step != _NEVER:
        earlier = np.append(_NEVER, np.minimum.accumulate(back))
        least = np.minimum(least, earlier[later] + 2 * end + step)
    return np.asarray(np.minimum(least, _NEVER))


def _least(values: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """The least value of each range [first, last); `_NEVER` for empty ones.

    >>> _least(np.array([3, 1, 2]), np.array([0, 2, 1]), np.array([2, 3, 1])).tolist()[:2]
    [1, 2]
    """
    found = np.full(len(first), _NEVER, np.int64)
    width = last - first
    level, table = 1, values
    while True:  # the least of every stretch of 1, 2, 4, … values
        rows = np.flatnonzero((width >= level) & (width < 2 * level))
        if len(rows):
            found[rows] = np.minimum(table[first[rows]], table[last[rows] - level])
        level *= 2
        if not len(width) or level > width.max():
            return found
        table = np.minimum(table[: -level // 2], table[level // 2 :])


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


#: Of more places than these, a short way to the best ones is tried before all are compared.
_MANY = 1 << 18
#: How many places that cost the same are looked at for one where the chunk stands literally.
_LOOKS = 64


class Mistaken(Exception):
    """Two texts with the same hash were taken for one."""


class _Part(NamedTuple):
    """What of a chunk is looked for: its folded text, or as much of it as is there."""

    chunk: WantedChunk
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

    def places(self, chunks: Sequence[WantedChunk]) -> list[Place]:
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

    def _part(self, chunk: WantedChunk, near: int) -> tuple[_Part | None, int]:
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

    def _literal(self, chunk: WantedChunk, starts: IntArray) -> BoolArray:
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
