"""Search for the chunks of a document: their occurrences, and the assignment of least cost."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise, takewhile
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from excerpt._lazy import offered
from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.model.texts import fold_characters, fold_text, squeeze
from excerpt.placing.chunk_places import LOST, Placement, UnplacedChunk
from excerpt.quotes.text_index import LEAST, SIZE, FoldedText, SearchedText, find_all


class EvenOverlap:
    """Overlap of chunks of some lengths that overlap evenly and end at the end of the document.

    >>> EvenOverlap([5, 5, 5], 13).overlap(1, 5)
    1.0
    """

    def __init__(self, lengths: Sequence[int], size: int) -> None:
        self._length_from = [*accumulate(reversed(lengths))][::-1]
        self._size = size

    def overlap(self, number: int, end: int) -> float:
        """Overlap of a chunk with the one before, which ends at `end`."""
        steps = len(self._length_from) - number
        return max(0.0, (end + self._length_from[number] - self._size) / steps) if number else 0.0


def find_rising(
    text: str, parts: Sequence[str], start_of: Callable[[int, int, int], int]
) -> list[int] | None:
    """Find rising starts of least cost in one pass over the parts; None if this fails.

    `start_of` takes the number of a part, and the start and the end of the one before. The sum of all steps
    is fixed, so if none goes back, or none leaves a gap, no other assignment costs less.
    """
    starts: list[int] = []
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
        starts.append(start)
        last, end = start, start + len(part)
    return None if back and _is_solid(text[end:]) else starts


def _is_solid(text: str) -> bool:
    return text != "" and not text.isspace()


def step_through(
    text: str, parts: Sequence[str], claims: Sequence[int | None] = (), ahead: int = 0
) -> list[int] | None:
    """Find rising starts of least cost for parts in a text, all folded; None if this fast path fails.

    Claimed starts are used if chunks need not overlap. `ahead` makes the document longer than it is, so that
    chunks at its end overlap more instead of leaving a gap.

    >>> step_through("aaaaaaaa", ["aaaa", "aaaa", "aaaa"])
    [0, 2, 4]
    """
    even_overlap = EvenOverlap([*map(len, parts)], len(text) + ahead)
    apart = sum(map(len, parts)) <= len(text)

    def start_of(number: int, last: int, end: int) -> int:
        part, claim = parts[number], claims[number] if claims else None
        if not apart:
            return _near(text, part, last, end, end - even_overlap.overlap(number, end))
        if claim is None or claim < end or not text.startswith(part, claim):
            return text.find(part, end)
        return claim

    return find_rising(text, parts, start_of)


def _near(text: str, part: str, last: int, end: int, goal: float) -> int:
    """The occurrence of a part after the last start that is nearest to a goal, if possible before the end."""
    middle = int(goal)
    before = text.rfind(part, last + 1, middle + len(part))
    after = text.find(part, max(middle, last + 1), end + 1 + len(part))
    if after < 0 or (before >= 0 and goal - before < after - goal):
        return before if before >= 0 else text.find(part, last + 1)
    return after


_INFINITE = 1 << 60
#: Most occurrences whose costs are all kept in memory.
_MOST = 1 << 23


class Occurrences(NamedTuple):
    """Starts of the occurrences of a chunk, ascending, and the number of solid characters before each."""

    start: IntArray
    solid: IntArray
    #: Number of solid characters of the chunk.
    length: int


class Assignment(NamedTuple):
    """An occurrence for each chunk, and the sum of all steps back."""

    rows: list[int]
    back: int


#: Choice between occurrences of a chunk with the same cost, by their distance from the likely position.
Prefer: TypeAlias = Callable[[int, IntArray, FloatArray], int]


def _nearest(_chunk: int, rows: IntArray, distance: FloatArray) -> int:
    return int(rows[distance.argmin()])


def assign(
    chunks: Sequence[Occurrences], size: int, prefer: Prefer = _nearest, *, rising: bool = False
) -> Assignment | None:
    """The assignment of least cost; None if starts must be `rising` and cannot rise.

    `size` is the number of solid characters of the document. Of occurrences with the same cost `prefer`
    chooses one, by default the nearest to its position if all chunks overlapped evenly.

    >>> def at(*starts: int) -> Occurrences:
    ...     return Occurrences(np.array(starts), np.array(starts), 5)
    >>> assign([at(0, 10), at(5), at(0, 10)], 15)
    Assignment(rows=[0, 0, 1], back=0)
    """
    penalty = _INFINITE if _can_rise(chunks) else size
    if rising and penalty != _INFINITE:
        return None
    rows: list[int] = []
    even_overlap = EvenOverlap([chunk.length for chunk in chunks], size)
    last, end, back = -1, 0, 0
    for number, (chunk, costs) in enumerate(zip(chunks, _costs_after(chunks, penalty), strict=True)):
        row = 0
        if len(costs) > 1:
            total = costs + 2 * np.maximum(end - chunk.solid, 0) + np.where(chunk.start <= last, penalty, 0)
            ties = np.flatnonzero(total == total.min())
            overlap = even_overlap.overlap(number, end) if penalty == _INFINITE else 0.0
            distance = np.abs(end - chunk.solid[ties] - overlap)
            row = prefer(number, ties, distance) if len(ties) > 1 else int(ties[0])
        rows.append(row)
        solid = int(chunk.solid[row])
        back += max(0, end - solid)
        last, end = int(chunk.start[row]), solid + chunk.length
    return Assignment(rows, back)


def _can_rise(chunks: Sequence[Occurrences]) -> bool:
    last = -1
    for chunk in chunks:
        row = 0 if len(chunk.start) == 1 else int(chunk.start.searchsorted(last, side="right"))
        if row == len(chunk.start) or chunk.start[row] <= last:
            return False
        last = int(chunk.start[row])
    return True


def _costs_after(chunks: Sequence[Occurrences], penalty: int) -> Iterator[IntArray]:
    """Yield for each chunk the least cost of all following ones; many are computed twice, to save memory."""
    count = len(chunks)
    are_many = sum(len(chunk.start) for chunk in chunks) > _MOST
    block = math.isqrt(count) + 1 if are_many else max(1, count)
    kept: dict[int, IntArray] = {}
    costs: IntArray | None = None
    for number in range(count - 1, 0 if are_many else count, -1):
        costs = _costs(chunks, number, costs, penalty)
        if number % block == 0:
            kept[number] = costs
    for first in range(0, count, block):
        costs, in_block = kept.get(first + block), []
        for number in range(min(first + block, count) - 1, first - 1, -1):
            costs = _costs(chunks, number, costs, penalty)
            in_block.append(costs)
        yield from reversed(in_block)


def _costs(chunks: Sequence[Occurrences], number: int, costs: IntArray | None, penalty: int) -> IntArray:
    """The least cost of all chunks after each occurrence of a chunk, from the costs of the next chunk."""
    this = chunks[number]
    if costs is None:
        return np.zeros(len(this.start), np.int64)
    following = chunks[number + 1]
    if len(this.start) == len(costs) == 1:  # the usual case
        back = max(0, int(this.solid[0]) + this.length - int(following.solid[0]))
        return costs + (2 * back + (penalty if following.start[0] <= this.start[0] else 0))
    return _costs_of_many(this, following, costs, penalty)


def _costs_of_many(this: Occurrences, following: Occurrences, costs: IntArray, penalty: int) -> IntArray:
    """The same for many occurrences."""
    end = this.solid + this.length
    later = np.searchsorted(following.start, this.start, side="right")
    after = np.maximum(later, np.searchsorted(following.solid, end))
    back = costs - 2 * following.solid  # twice the end is added later
    least = np.minimum(np.append(costs, _INFINITE)[after], _least(back, later, after) + 2 * end)
    if penalty != _INFINITE:
        earlier = np.append(_INFINITE, np.minimum.accumulate(back))
        least = np.minimum(least, earlier[later] + 2 * end + penalty)
    return np.asarray(np.minimum(least, _INFINITE))


def _least(values: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """The least value of each range [first, last); `_INFINITE` for empty ones.

    >>> _least(np.array([3, 1, 2]), np.array([0, 2, 1]), np.array([2, 3, 1])).tolist()[:2]
    [1, 2]
    """
    least = np.full(len(first), _INFINITE, np.int64)
    width = last - first
    level, table = 1, values
    while True:  # the table has the least of every 1, 2, 4, … consecutive values
        rows = np.flatnonzero((width >= level) & (width < 2 * level))
        if len(rows):
            least[rows] = np.minimum(table[first[rows]], table[last[rows] - level])
        level *= 2
        if not len(width) or level > width.max():
            return least
        table = np.minimum(table[: -level // 2], table[level // 2 :])


#: Most letters of a word that may match by chance, and most characters of a word that is cut.
_CHANCE, _SURE = 3, 24
#: Length of the text in which the next chunk is likely, in lengths of the chunk.
_WINDOW = 4
#: Most chunks by which words that all chunks share are examined.
_SOME = 8


def longest_part(text: SearchedText, chunk: str) -> str:
    """The longest part of a chunk, at least half of it, that occurs in a text; both folded. Else "".

    The last one if several are equally long; without words that are cut at its borders.

    >>> longest_part(SearchedText("Before. The text itself. After."), "My title The text itself.")
    'The text itself.'
    """
    half = (len(chunk) + 1) // 2
    size = min(SIZE, (half + 1) // 2)
    best = (0, 0, 0)
    for seed in range(0, len(chunk) - size + 1 if size else 0, half - size + 1):  # each long part has one
        for offset in text.find(chunk[seed : seed + size], 0, len(text.text)).tolist():
            before, after = _around(chunk, text.text, seed, offset)
            best = max(best, (before + after, seed - before, seed + after))
    length, start, end = best
    part = _whole_words(text, chunk, start, end) if length >= half else ""
    if 2 * len(part) >= len(chunk):
        return part
    part = chunk[start:end].strip()  # the blanks at its borders are no text
    return part if len(part) >= max(half, _SURE) else ""


def _is_enough(part: str) -> bool:
    return len(part) - part.count(" ") >= LEAST


def _around(chunk: str, text: str, seed: int, offset: int) -> tuple[int, int]:
    """Number of characters in which a chunk and a text agree before and after an offset in each."""

    def differs_before(count: int) -> bool:
        return chunk[seed - count - 1 : seed] != text[offset - count - 1 : offset]

    def differs_after(count: int) -> bool:
        return chunk[seed : seed + count + 1] != text[offset : offset + count + 1]

    room = min(len(chunk) - seed, len(text) - offset)
    before = bisect_left(range(min(seed, offset)), True, key=differs_before)
    return before, bisect_left(range(room), True, key=differs_after)


def _whole_words(text: SearchedText, chunk: str, start: int, end: int) -> str:
    """A part of a chunk without pieces of words at its borders, which match by chance."""
    part = chunk[start:end]

    def is_cut(border: str, piece: str, word: str, *, at_end: bool) -> bool:
        if " " in border or len(border) < 2 or len(piece) > _SURE or at_end:
            return False
        chance = border.isalnum() or not any(map(str.isalnum, piece))  # such as the stop before a chunk
        return text.first(word) < 0 or (chance and len(piece) <= _CHANCE)

    piece = part.partition(" ")[0]
    if is_cut(chunk[:start][-1:] + part[:1], piece, " " + part, at_end=text.text.startswith(part)):
        part = part[len(piece) :]
    piece = part.rpartition(" ")[2]
    if is_cut(part[-1:] + chunk[end:][:1], piece, part + " ", at_end=text.text.endswith(part)):
        part = part[: len(part) - len(piece)]
    return part.strip()


#: With more occurrences than this, a fast path is tried before all are compared.
_MANY = 1 << 18
#: Most occurrences of the same cost that are examined for a literal one.
_MOST_EXAMINED = 64


class _ChunkPart(NamedTuple):
    """The part of a chunk that is searched for: its folded text, or the longest part that occurs."""

    chunk: UnplacedChunk
    #: FoldedText, except if it is literal.
    text: str
    #: Number of solid characters, and of whitespace characters before the first.
    length: int
    lead: int
    trimmed: bool = False
    #: True if it occurs only without any whitespace, as `text` then is.
    squeezed: bool = False
    #: True if it occurs only literally: whitespace alone, or a chunk that cuts a combining sequence.
    literal: bool = False
    #: Starts and ends of the places at which it occurs but for markup; none if it occurs otherwise.
    marked: tuple[tuple[int, int], ...] = ()

    @property
    def key(self) -> Hashable:
        """A key that is equal for parts with the same occurrences."""
        if self.chunk.fixed or self.marked:
            return self.chunk, self.marked
        return self.text, self.squeezed, self.chunk.text if self.lead else ""


class _Window(NamedTuple):
    """The occurrences of a part with `low` to `high` solid characters before them."""

    low: int
    high: int
    occurrences: Occurrences


#: Start of a part, and the number of solid characters before it.
_Start: TypeAlias = tuple[int, int]
#: Starts of all parts, and the sum of the steps back between them.
_Chosen: TypeAlias = tuple[list[_Start], int]


class _TextWord(NamedTuple):
    """A folded word of a text, with its place."""

    text: str
    start: int
    end: int


def words_in(text: str, start: int, end: int) -> list[_TextWord]:
    """Words of a stretch of a text, folded.

    >>> words_in("One two three", 3, 13)
    [_TextWord(text='two', start=4, end=7), _TextWord(text='three', start=8, end=13)]
    """
    matches = re.compile(r"\S+").finditer(text, start, min(end, len(text)))
    return [_TextWord(fold_characters(match[0]), match.start(), match.end()) for match in matches]


def _agreeing(words: Sequence[str], there: Sequence[_TextWord], own: int) -> int:
    """Number of words that agree from the first on, if they are enough or none of them is a chunk's `own`."""
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1].text, zip(words, there, strict=False)))
    return count if own <= 0 or _is_enough(" ".join(words[:count])) else 0


def _continuing(words: Sequence[str], there: Sequence[str]) -> int:
    """Number of words of a text that are the beginning of a chunk, or its end.

    >>> _continuing(["Title", "a", "b"], ["a", "b", "c"]), _continuing(["a", "b", "key"], ["a", "b", "c"])
    (2, 2)
    """
    begins = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, there, strict=False)))
    ends = (len(words) - at for at in range(len(words)) if words[at] == there[0]) if there else ()
    ended = next((size for size in ends if list(words[len(words) - size :]) == list(there[:size])), 0)
    return max(begins, ended)


class Search:
    """Search in the text of a document for all its chunks."""

    def __init__(self, text: FoldedText, name: str | None = None) -> None:
        """Search in a text; the name of its document tells whether it has markup, without one it has none."""
        self._text, self._name = text, name
        self._windows: dict[Hashable, _Window] = {}
        self._words: list[list[str]] = []
        self._tried_fast_path = False

    def locate(self, chunks: Sequence[UnplacedChunk]) -> list[Placement]:
        numbers: list[int] = []
        parts: list[_ChunkPart] = []
        near = 0
        self._words = [fold_text(chunk.text).split(" ") for chunk in chunks]
        for number, chunk in enumerate(chunks):
            part, near = self._part(number, chunk, near)
            if part is not None:
                numbers.append(number)
                parts.append(part)
        placements = [LOST] * len(chunks)
        for number, part, start in zip(numbers, parts, self._assigned(parts), strict=True):
            placements[number] = self._place(part, *start)
        for row in [row for row, one in enumerate(placements) if one.how == "trimmed"]:
            placements[row] = self._give_back(row, placements[row])
        self._separate(placements)
        self._fill(placements)
        self._continue(placements)
        return placements

    def _give_back(self, row: int, placed: Placement) -> Placement:
        """Give a trimmed chunk back the words that were set aside and that the text has just beside it.

        These are words that all chunks share, or enough words to place a chunk by them.
        """
        text, words = self._text.text, self._words[row]
        part = fold_text(text[placed.start : placed.end]).split(" ")
        at = next((at for at in range(len(words)) if words[at : at + len(part)] == part), -1)
        if at < 0:
            return placed
        reach = 2 * len(" ".join(words)) + 2 * len(words)
        before = words_in(text, max(0, placed.start - reach), placed.start)[::-1]
        after = words_in(text, placed.end, placed.end + reach)
        rest = len(words) - at - len(part)
        shared = self._common
        head = _agreeing(words[:at][::-1], before, at - shared[0])
        tail = _agreeing(words[len(words) - rest :] if rest else [], after, rest - shared[1])
        return placed._replace(
            start=before[head - 1].start if head else placed.start,
            end=after[tail - 1].end if tail else placed.end,
        )

    @cached_property
    def _common(self) -> tuple[int, int]:
        """Number of words, at the beginning and at the end, that all chunks share, if there are several."""
        words = [*dict.fromkeys(map(tuple, self._words))]
        if len(words) < 2:
            return 0, 0
        head = sum(1 for _ in takewhile(lambda one: len({*one}) == 1, zip(*words, strict=False)))
        ends = zip(*map(reversed, words), strict=False)
        return head, sum(1 for _ in takewhile(lambda one: len({*one}) == 1, ends))

    def _continue(self, placements: list[Placement]) -> None:
        """Place lost chunks of which a part continues the sequence exactly, however short it is."""
        row = 0
        while row < len(placements):
            if placements[row] != LOST:
                row += 1
                continue
            first = row
            while row < len(placements) and placements[row] == LOST:
                row += 1
            low = placements[first - 1].end if first else 0
            high = placements[row].start if row < len(placements) else len(self._text.text)
            if row - first < len(placements):  # else there is no sequence
                placements[first:row] = self._chain(range(first, row), low, high) or placements[first:row]

    def _chain(self, rows: range, low: int, high: int) -> list[Placement] | None:
        """Parts of lost chunks, one after the other, that are all of the text between their neighbours."""
        there = words_in(self._text.text, low, high) if 0 <= low < high else []
        found, at = list[Placement](), 0
        for row in rows:
            count = _continuing(
                self._words[row], [one.text for one in there[at : at + len(self._words[row])]]
            )
            if not count:
                return None
            found.append(Placement(there[at].start, there[at + count - 1].end, "trimmed"))
            at += count
        return found if at == len(there) else None

    def _fill(self, placements: list[Placement]) -> None:
        """Place lost chunks that end with all of the text between their neighbours, however short it is."""
        text = self._text.text
        around = [Placement(0, 0, "exact"), *placements, Placement(len(text), len(text), "exact")]
        for row, (one, lost, two) in enumerate(zip(around, placements, around[2:], strict=False)):
            gap = text[one.end : two.start] if lost == LOST and 0 <= one.end < two.start else ""
            if gap.strip() and " ".join(["", *self._words[row]]).endswith(" " + fold_text(gap)):
                start = two.start - len(gap.lstrip())
                placements[row] = Placement(start, start + len(gap.strip()), "trimmed")

    def _separate(self, placements: list[Placement]) -> None:
        """Remove words of trimmed chunks that are also in a neighbour, by chance, if few chunks overlap."""
        text, pairs = self._text.text, pairwise(placements)
        common = np.array([one.end - two.start if 0 <= one.start < two.start else 0 for one, two in pairs])
        for row in np.flatnonzero((common > 0) & (common <= _SURE)).tolist():
            if 2 * (common > 0).sum() > len(common):
                break
            one, two = placements[row : row + 2]
            words = self._words[row + 1][self._shared[0] :]
            begins = " ".join(words).startswith(fold_text(text[two.start : two.end]))
            if two.how == "trimmed" and not begins:
                after = text[one.end : two.end]
                placements[row + 1] = two._replace(start=two.end - len(after.lstrip()))
            elif one.how == "trimmed":
                before = text[one.start : two.start]
                placements[row] = one._replace(end=one.start + len(before.rstrip()))

    def _part(self, number: int, chunk: UnplacedChunk, near: int) -> tuple[_ChunkPart | None, int]:
        """The part of a chunk that occurs, None without one, and an offset near which the next may occur."""
        text, words = self._text, self._words[number]
        part = " ".join(words)
        if chunk.fixed:
            low, high = np.searchsorted(text.offsets, [chunk.start or 0, chunk.end or 0]).tolist()
            return _ChunkPart(chunk, "", high - low, 0), near
        literal = _ChunkPart(chunk, chunk.text, len(squeeze(part)), 0, literal=True)
        if not part:
            return (literal if chunk.text in text.text else None), near
        offset = text.searched.near(part, near)
        begins = offset < 0 and self._begins[number]
        if may_occur := begins and text.may_occur(part):
            offset = text.searched.first(part)
        if offset >= 0:
            lead = len(chunk.text) - len(chunk.text.replace("\N{SOFT HYPHEN}", " ").lstrip())
            return _ChunkPart(chunk, part, len(part) - part.count(" "), lead), offset
        if text.has_marks and chunk.text in text.text:
            return literal, near
        return self._changed_part(number, chunk, near, begins=begins, may_occur=may_occur)

    def _changed_part(
        self, number: int, chunk: UnplacedChunk, near: int, *, begins: bool, may_occur: bool
    ) -> tuple[_ChunkPart | None, int]:
        """The same of a chunk that occurs without white space, without markup or without text of its own."""
        text, words = self._text, self._words[number]
        solid = squeeze(" ".join(words))
        if may_occur and text.squeezed.first(solid) >= 0:
            return _ChunkPart(chunk, solid, len(solid), 0, squeezed=True), near
        if (marked := self._without_markup(chunk)) is not None:
            return marked, max(near, text.to_folded(marked.marked[0][1]) if len(marked.marked) == 1 else near)
        if may_occur:  # it differs in case or Unicode form
            return None, near
        part, offset = self._without_own(words, near, begins=begins)
        return (
            _ChunkPart(chunk, part, len(part) - part.count(" "), 0, trimmed=True) if part else None
        ), offset

    @cached_property
    def _marked(self) -> Any:
        """The text as a reader sees it; None if it has no markup."""
        markup: Any = None if self._name is None else offered("markup")
        kind = None if markup is None else markup.kind_of_document(self._name)
        return markup.MarkedText(self._text.text, kind) if kind else None

    def _without_markup(self, chunk: UnplacedChunk) -> _ChunkPart | None:
        """A chunk that occurs but for markup; None otherwise."""
        if self._marked is None:
            return None
        start, end = self._marked.find(chunk.text)
        if not len(start):
            return None
        low, high = self._text.offsets.searchsorted((int(start[0]), int(end[0]))).tolist()
        places = tuple(zip(start.tolist(), end.tolist(), strict=True))
        return _ChunkPart(chunk, "", high - low, 0, marked=places)

    def _without_own(self, words: list[str], near: int, *, begins: bool) -> tuple[str, int]:
        """The part of a chunk without text of its own, "" without one, and an offset near the next chunk."""
        text = self._text.searched
        (head, tail), part = self._shared, " ".join(words)
        core = " ".join(words[head : len(words) - tail])
        if core != part and text.first(core) >= 0:
            return core, max(near, text.near(core, near))
        window = text.text[near : near + _WINDOW * len(part)] if len(self._words) > 1 else ""
        ends = [(part, 1), *[(part, -1)] * begins, *[(core, 1)] * (tail > 0), *[(core, -1)] * (head > 0)]
        found = max((self._end(*end, window) for end in ends), key=len)
        if not found:  # chunks may also share text of the document
            both = longest_part(text, core), longest_part(text, part) if core != part else ""
            found = max(both, key=len)
        return found, near + max(0, window.find(found))

    def _end(self, part: str, turn: int, window: str) -> str:
        """The longest end (`turn` 1) or beginning (-1) that is enough to place a part of a chunk, else ""."""
        text = self._text.searched

        def end(at: int) -> str:
            return part[at:] if turn > 0 else part[: len(part) - at]

        def longest(occurs: Callable[[str], bool]) -> int:
            return bisect_left(range(len(part)), True, key=lambda at: occurs(end(at)))

        least = end(max(0, len(part) - LEAST))
        if least not in window and text.first(least) < 0:
            return ""
        at = longest(window.__contains__)
        if not _is_enough(end(at)) or text.first(end(max(0, at - _SURE))) >= 0:
            at = longest(lambda end: text.first(end) >= 0)
        found = _whole_words(text, part, *((at, len(part)) if turn > 0 else (0, len(part) - at)))
        there = _is_enough(found) and (found in window or len(text.find(found, 0, len(text.text))) == 1)
        return found if there else ""

    @cached_property
    def _begins(self) -> list[bool]:
        """Whether the beginning of each chunk may occur, apart from whitespace, case and Unicode form."""
        return self._text.may_begin([" ".join(words)[:LEAST] for words in self._words])

    @cached_property
    def _shared(self) -> tuple[int, int]:
        """Number of words, at the beginning and at the end, that all chunks share and that do not occur."""
        words = [*dict.fromkeys(map(tuple, self._words))]
        if len(words) < 2:
            return 0, 0
        head, tail = self._common
        some = words[:: len(words) // _SOME + 1]
        tail = max(0, min(tail, min(map(len, words)) - head - 1))

        def occur(head: int, tail: int) -> bool:
            return all(self._text.searched.first(" ".join(one[head : len(one) - tail])) >= 0 for one in some)

        while head and occur(head - 1, tail):
            head -= 1
        while tail and occur(head, tail - 1):
            tail -= 1
        return head, tail

    def _assigned(self, parts: Sequence[_ChunkPart]) -> Iterable[_Start]:
        size = self._text.size
        least = max(0, sum(part.length for part in parts) - size)
        starts = self._step_through(parts, claims=True)
        if starts is not None and not any(map(self._is_better_elsewhere, parts, starts)):
            return starts
        for bound in (least, least + size // 64, least + size // 8):
            chosen = self._best(parts, bound)
            if chosen is not None and chosen[1] > bound:
                chosen = self._best(parts, chosen[1])
            if chosen is not None:
                return chosen[0]
        occurrences = [self._occurrences(part, 0, size) for part in parts]
        chosen = self._chosen(parts, occurrences, rising=False)
        return chosen[0] if chosen else []

    def _best(self, parts: Sequence[_ChunkPart], bound: int) -> _Chosen | None:
        """The best assignment with rising starts, among those whose steps back may be up to `bound`."""
        before = [*accumulate((part.length for part in parts), initial=0)]
        room = self._text.size - before[-1] + bound
        occurrences: list[Occurrences] = []
        count = 0
        for part, low in zip(parts, before, strict=False):
            occurrences.append(self._occurrences(part, low - bound, low + room))
            if not len(occurrences[-1].start):
                return None
            count += len(occurrences[-1].start)
            if count > _MANY and not self._tried_fast_path:
                self._tried_fast_path = True
                if (starts := self._step_through(parts, claims=False)) is not None:
                    return starts, 0
        return self._chosen(parts, occurrences, rising=True)

    def _chosen(
        self, parts: Sequence[_ChunkPart], occurrences: Sequence[Occurrences], *, rising: bool
    ) -> _Chosen | None:
        prefer = self._preference(parts, occurrences)
        assignment = assign(occurrences, self._text.size, prefer, rising=rising)
        if assignment is None:
            return None
        rows = zip(occurrences, assignment.rows, strict=True)
        starts = [(int(chunk.start[row]), int(chunk.solid[row])) for chunk, row in rows]
        return starts, assignment.back

    def _step_through(self, parts: Sequence[_ChunkPart], *, claims: bool) -> list[_Start] | None:
        """Starts by the fast path, which are known to be best; None if it fails."""
        text = self._text
        if any(part.chunk.fixed or part.squeezed or part.literal or part.marked for part in parts):
            return None
        texts = [part.text for part in parts]
        claimed = [part.chunk.start for part in parts] if claims else []
        folded = [None if start is None else text.to_folded(start) for start in claimed]
        for ahead in (0, max(map(len, texts), default=0)):
            offsets = step_through(text.folded, texts, folded, ahead)
            if offsets is not None:
                solid = text.solid(np.array(offsets))
                starts = [self._starts(*pair)[0] for pair in zip(parts, solid[:, None], strict=True)]
                return [*zip(map(int, starts), solid.tolist(), strict=True)]
        return None

    def _is_better_elsewhere(self, part: _ChunkPart, start: _Start) -> bool:
        text = self._text.text
        if part.trimmed or part.marked or text.startswith(part.chunk.text, start[0]):
            return False
        return part.chunk.text in text

    def _occurrences(self, part: _ChunkPart, low: int, high: int) -> Occurrences:
        """The occurrences of a part with `low` to `high` solid characters before them."""
        size = self._text.size
        low, high = max(0, low), min(high, size)
        window = self._windows.get(part.key)
        if window is None:
            window = self._windows[part.key] = _Window(low, high, self._find(part, low, high))
        elif low < window.low or high > window.high:  # needed several times, so everywhere
            window = self._windows[part.key] = _Window(0, size, self._find(part, 0, size))
        start, solid, _ = window.occurrences
        if window.low == low and window.high == high:
            return window.occurrences
        first, last = np.searchsorted(solid, (low, high + 1))
        return Occurrences(start[first:last], solid[first:last], part.length)

    def _find(self, part: _ChunkPart, low: int, high: int) -> Occurrences:
        text, chunk = self._text, part.chunk
        if part.marked:
            starts = np.array([start for start, _ in part.marked])
            return Occurrences(starts, np.searchsorted(text.offsets, starts), part.length)
        if chunk.fixed or part.literal:
            starts = np.array([chunk.start or 0]) if chunk.fixed else find_all(text.text, part.text)
            return Occurrences(starts, np.searchsorted(text.offsets, starts), part.length)
        solid = (text.squeezed if part.squeezed else text).find(part.text, low, high)
        return Occurrences(self._starts(part, solid), solid, part.length)

    def _starts(self, part: _ChunkPart, solid: IntArray) -> IntArray:
        """Starts of a part by the solid characters before it, including its own whitespace if literal."""
        starts = self._text.offsets[solid]
        if not part.lead:
            return starts
        return starts - np.where(self._literal(part.chunk, starts - part.lead), part.lead, 0)

    def _literal(self, chunk: UnplacedChunk, starts: IntArray) -> BoolArray:
        text, part = self._text.text, chunk.text
        return np.array([start >= 0 and text.startswith(part, start) for start in starts.tolist()], np.bool_)

    def _preference(self, parts: Sequence[_ChunkPart], occurrences: Sequence[Occurrences]) -> Prefer:
        """Of occurrences of one cost: the claimed one, else the nearest literal one, else the nearest."""
        # If chunks overlap, claims come last, because they are often the offsets of another copy.
        overlap = sum(part.length for part in parts) > self._text.size

        def prefer(number: int, rows: IntArray, distance: FloatArray) -> int:
            starts, chunk = occurrences[number].start[rows], parts[number].chunk
            claimed = np.flatnonzero(starts == (-1 if chunk.start is None else chunk.start))
            if len(claimed) and (not overlap or distance[claimed[0]] <= distance.min()):
                return int(rows[claimed[0]])
            nearest = int(distance.argmin())
            if self._text.text.startswith(chunk.text, int(starts[nearest])):
                return int(rows[nearest])
            order = np.argsort(distance, kind="stable")
            literal = np.flatnonzero(self._literal(chunk, starts[order[:_MOST_EXAMINED]]))
            return int(rows[order[literal[0]] if len(literal) else nearest])

        return prefer

    def _place(self, part: _ChunkPart, start: int, solid: int) -> Placement:
        """The placement of a part, by its start and the solid characters before it."""
        text, chunk = self._text, part.chunk
        if chunk.fixed or text.text.startswith(chunk.text, start):
            return chunk.at(start)
        if part.marked:
            return Placement(start, dict(part.marked)[start], "markup")
        end = int(text.ends[solid + part.length - 1])
        if not part.trimmed:
            return Placement(start, end, "folded")
        return Placement(self._after_line(chunk.text, start, end), end, "trimmed")

    def _after_line(self, chunk: str, start: int, end: int) -> int:
        """The start of a trimmed chunk without words that its context shares with the text by chance."""
        text = self._text.text
        for at in range(start + 1, min(start + _SURE, end) if not chunk.endswith(text[start:end]) else 0):
            if text[at - 1].isspace() and chunk.endswith("\n" + text[at:end]):
                return at
        return start
