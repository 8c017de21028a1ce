"""Alignment of two versions of documents: where the text of a span stands in the other one.

Words that are equal in both are paired by anchors, which occur once in each, longest first; what lies between
two pairs is searched again. Nothing is scored: a character is carried or it is not.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, short
from excerpt.model.spans import IntArray
from excerpt.model.texts import fold_characters, squeeze

#: Kept: the same text in the same surroundings. Moved: the same text elsewhere. Changed: text inside was
#: edited or inserted. Gone: nothing of it is there.
Carriage: TypeAlias = Literal["kept", "moved", "changed", "gone"]
CARRIAGES: tuple[Carriage, ...] = ("kept", "moved", "changed", "gone")
#: Least characters of a text that has moved elsewhere.
_LEAST_MOVED = 40
#: Numbers of words of anchors, in the order in which they are tried.
_SIZES = (12, 5, 2, 1)
_LETTERS = re.compile(r"\w")


class Carried(NamedTuple):
    """Where a span stands now; -1, -1 if it is gone. The share is that of its characters that are there."""

    document: str
    start: int
    end: int
    how: Carriage
    share: float


_Block: TypeAlias = tuple[int, int, int]
#: A folded text without white space, with the start and the end of each of its characters in the source.
_Squeezed: TypeAlias = tuple[str, IntArray, IntArray]
#: A text with what is around it, squeezed; the characters in front of it, and its own.
_TextInContext: TypeAlias = tuple[str, int, int]


def _squeezed(text: str) -> _Squeezed:
    from excerpt.quotes.text_index import FoldedText

    folded = FoldedText(text)
    return folded.squeezed.text, folded.offsets, folded.ends


def _blocks(one: Sequence[int], two: Sequence[int]) -> list[_Block]:
    """Equal stretches of two lists of numbers, ascending in both.

    >>> _blocks([1, 2, 3, 4], [1, 2, 9, 3, 4])
    [(0, 0, 2), (2, 3, 2)]
    """
    found: list[_Block] = []
    waiting = [(0, len(one), 0, len(two), 0)]
    while waiting:
        *bounds, first = waiting.pop()
        for level in range(first, len(_SIZES)):
            if anchors := _anchors(one, two, bounds, _SIZES[level]):
                found += anchors
                waiting += [(*gap, level) for gap in _between(anchors, bounds)]
                break
        else:
            found += _at_borders(one, two, bounds)
    return _joined(sorted(found))


def _between(anchors: list[_Block], bounds: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """What lies between anchors, as far as it is not empty on a side."""
    a, b, c, d = bounds
    for i, j, size in (*anchors, (b, d, 0)):
        if a < i and c < j:
            yield a, i, c, j
        a, c = i + size, j + size


def _at_borders(one: Sequence[int], two: Sequence[int], bounds: Sequence[int]) -> Iterator[_Block]:
    """Equal words at the beginning and at the end of what has no anchor."""
    a, b, c, d = bounds
    head = 0
    while a + head < b and c + head < d and one[a + head] == two[c + head]:
        head += 1
    tail = 0
    while a + head < b - tail and c + head < d - tail and one[b - tail - 1] == two[d - tail - 1]:
        tail += 1
    if head:
        yield a, c, head
    if tail:
        yield b - tail, d - tail, tail


def _anchors(one: Sequence[int], two: Sequence[int], bounds: Sequence[int], size: int) -> list[_Block]:
    """Stretches of some words that occur once on each side, in the order of both, as long as they are."""
    a, b, c, d = bounds
    if min(b - a, d - c) < size:
        return []
    keys = [_keys(one, a, b, size), _keys(two, c, d, size)]
    counts = [Counter(some) for some in keys]
    there = {key: place for place, key in enumerate(keys[1], c) if counts[1][key] == 1}
    once = ((place, key) for place, key in enumerate(keys[0], a) if counts[0][key] == 1)
    found: list[_Block] = []
    for i, j in _rising([(place, there[key]) for place, key in once if key in there]):
        if i < a or j < c:  # inside of the one before
            continue
        before, length = 0, size
        while i - before > a and j - before > c and one[i - before - 1] == two[j - before - 1]:
            before += 1
        while i + length < b and j + length < d and one[i + length] == two[j + length]:
            length += 1
        found.append((i - before, j - before, before + length))
        a, c = i + length, j + length
    return found


def _keys(words: Sequence[int], start: int, end: int, size: int) -> list[Hashable]:
    if size == 1:
        return list(words[start:end])
    return list(zip(*(words[start + at : end - size + 1 + at] for at in range(size)), strict=True))


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest choice of pairs, ascending by the first, that ascends by the second as well.

    >>> _rising([(0, 5), (1, 0), (2, 1), (3, 9)])
    [(1, 0), (2, 1), (3, 9)]
    """
    tails: list[int] = []
    last: list[int] = []
    before = [-1] * len(pairs)
    for number, (_, second) in enumerate(pairs):
        at = bisect_left(tails, second)
        before[number] = last[at - 1] if at else -1
        tails[at : at + 1] = [second]
        last[at : at + 1] = [number]
    chosen, number = [], last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _joined(blocks: list[_Block]) -> list[_Block]:
    found: list[_Block] = []
    for i, j, size in blocks:
        if found and found[-1][0] + found[-1][2] == i and found[-1][1] + found[-1][2] == j:
            found[-1] = (*found[-1][:2], found[-1][2] + size)
        else:
            found.append((i, j, size))
    return found


class TextAlignment:
    """Two versions of a text, and the stretches of solid characters that are equal in both.

    >>> TextAlignment("One two three.", "Zero. One 2 three.").carry(4, 14)
    (12, 18, 0.6666666666666666, False)
    """

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    @cached_property
    def _texts(self) -> list[_Squeezed]:
        return [_squeezed(self.old), _squeezed(self.new)]

    @cached_property
    def _columns(self) -> tuple[IntArray, IntArray, IntArray]:
        """First solid character of each equal stretch in both texts, and its length."""
        if self.old == self.new:
            size = len(self._texts[0][0])
            return np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([size])
        sides = [fold_characters(text).split() for text in (self.old, self.new)]
        codes: dict[str, int] = {}
        numbers = [[codes.setdefault(word, len(codes)) for word in side] for side in sides]
        sizes = [np.cumsum([0, *map(len, side)]) for side in sides]
        blocks = [
            (int(sizes[0][i]), int(sizes[1][j]), int(sizes[0][i + size] - sizes[0][i]))
            for i, j, size in _blocks(*numbers)
        ]
        whole = self._widened(blocks)
        columns = np.array(whole, np.int64).reshape(-1, 3).T
        return columns[0], columns[1], columns[2]

    def _widened(self, blocks: list[_Block]) -> list[_Block]:
        """Add to blocks of words the equal letters at the borders of what lies between them."""
        one, two = (text for text, _, _ in self._texts)
        found: list[_Block] = []
        ends = [*blocks, (len(one), len(two), 0)]
        a = c = 0
        for i, j, size in ends:
            head = _common(one[a:i], two[c:j])
            tail = _common(one[a + head : i][::-1], two[c + head : j][::-1])
            found += [(a, c, head)] if head else []
            found += [(i - tail, j - tail, tail)] if tail else []
            found += [(i, j, size)] if size else []
            a, c = i + size, j + size
        return _joined(found)

    def carry(self, start: int, end: int) -> tuple[int, int, float, bool]:
        """Start and end in the new text of what is carried of a span, its share, and whether it is kept.

        -1, -1 if no word of it is there.
        """
        (one, starts, ends), (_, new_starts, new_ends) = self._texts
        low, high = int(ends.searchsorted(start, side="right")), int(starts.searchsorted(end))
        first, other, size = self._columns
        rows = slice(int((first + size).searchsorted(low, side="right")), int(first.searchsorted(high)))
        begin = np.maximum(first[rows], low)
        last = np.minimum(first[rows] + size[rows], high)
        count = int((last - begin).sum())
        if (
            high <= low
            or not count
            or (count < high - low and not self._has_word(one[low:high], begin, last))
        ):
            return -1, -1, 0.0, False
        there = int(other[rows][0] + begin[0] - first[rows][0])
        beyond = int(other[rows][-1] + last[-1] - first[rows][-1])
        kept = count == high - low == beyond - there
        return int(new_starts[there]), int(new_ends[beyond - 1]), count / (high - low), kept

    def _has_word(self, text: str, begin: IntArray, end: IntArray) -> bool:
        """Return whether what is carried of a text has at least one whole word, if the text has any."""
        starts, ends = self._texts[0][1], self._texts[0][2]
        for low, high in zip(begin.tolist(), end.tolist(), strict=True):
            part = self.old[int(starts[low]) : int(ends[high - 1])]
            for match in re.finditer(r"\w+", part):
                before = self.old[int(starts[low]) + match.start() - 1 : int(starts[low]) + match.start()]
                after = self.old[int(starts[low]) + match.end() : int(starts[low]) + match.end() + 1]
                inside = (match.start() or not _LETTERS.match(before)) and (
                    match.end() < len(part) or not _LETTERS.match(after)
                )
                if inside:
                    return True
        return not any(map(str.isalnum, text))

    def places(self, part: str, lead: int, size: int) -> list[tuple[int, int]]:
        """Starts and ends in the new text of all places of a text in its window."""
        return list(_places(self._texts[1], part, lead, size))


def _common(one: str, two: str) -> int:
    """Number of characters in which two texts agree at their beginning."""
    most = min(len(one), len(two))
    if one[:most] == two[:most]:
        return most
    return bisect_left(range(most), True, key=lambda at: one[: at + 1] != two[: at + 1])


class Alignment:
    """Two versions of a corpus; documents are compared when a span of them is asked for."""

    def __init__(self, old: Corpus, new: Corpus) -> None:
        self.old, self.new = old, new
        self._texts: dict[tuple[str, str], TextAlignment] = {}
        if not any(name in new for name in old):
            names = short(next(iter(old))), short(next(iter(new)))
            raise ExcerptError(
                f"no document has the same id in both corpora (such as {names[0]} and {names[1]})",
                hint="are they two versions of the same documents?",
            )

    def __repr__(self) -> str:
        return f"<Alignment of {self.old!r} to {self.new!r}>"

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.new)

    @cached_property
    def _only_new(self) -> list[str]:
        known = set(self.old)
        return [name for name in self.new if name not in known]

    @cached_property
    def _renamed(self) -> Mapping[str, str]:
        """Documents of the new corpus alone by the hash of their text, if one alone has it."""
        counts = Counter(self.new.hash(name) for name in self._only_new)
        hashes = ((self.new.hash(name), name) for name in self._only_new)
        return {digest: name for digest, name in hashes if counts[digest] == 1}

    def _between(self, old: str, new: str) -> TextAlignment:
        if (old, new) not in self._texts:
            self._texts[old, new] = TextAlignment(self.old[old], self.new[new])
        return self._texts[old, new]

    def document(self, document: str) -> str | None:
        """Return the id of a document now: its own, or that of the one new document with its text."""
        if document not in self.old:
            return None
        own = self.old.resolve(document)
        assert own is not None
        if own not in self._names and (renamed := self._renamed.get(self.old.hash(own))) is not None:
            return renamed
        there = own if own in self._names else self.new.resolve(own)
        return document if there is not None and self.new.resolve(document) == there else there

    def span(self, document: str, start: int, end: int) -> Carried:
        """Return where a span of a document stands now."""
        own, text = self.old.resolve(document), self.old[document]
        if not 0 <= start <= end <= len(text):
            found = f"found a span from {start} to {end} of document {short(document)}"
            raise ExcerptError(f"{found}, expected one of its {len(text)} characters")
        assert own is not None
        there = own if own in self._names else None
        if there is None and (renamed := self._renamed.get(self.old.hash(own))) is not None:
            return Carried(renamed, start, end, "moved", 1.0)
        there = there or self.new.resolve(own)
        if there is None:
            return self._in_others(self._windows(text, start, end), "") or Carried(
                document, -1, -1, "gone", 0.0
            )
        aligned = self._between(own, there)
        name = document if self.new.resolve(document) == there else there
        if aligned.old == aligned.new:
            return Carried(name, start, end, "kept", 1.0)
        low, high, share, kept = aligned.carry(start, end)
        if kept:
            return Carried(name, *self._edges(text[start:end], (low, high), aligned.new), "kept", 1.0)
        gone = Carried(name, -1, -1, "gone", 0.0)
        partly = gone if low < 0 else Carried(name, low, high, "changed", share)
        near = start if low < 0 else low
        return self._moved(self._windows(text, start, end), aligned, name, near) or partly

    def _windows(self, text: str, start: int, end: int) -> list[_TextInContext]:
        """The text of a span, with what stands around it if it is too short to be known elsewhere."""
        lack = _LEAST_MOVED - (end - start)
        if not text[start:end].strip():
            return []
        sides = {(0, 0)} if lack <= 0 else ((lack, 0), (0, lack), (lack - lack // 2, lack // 2))
        found = []
        for before, after in sides:
            low, high = max(0, start - before), min(len(text), end + after)
            if high - low >= _LEAST_MOVED:
                lead, size = (
                    len(squeeze(fold_characters(part))) for part in (text[low:start], text[start:end])
                )
                found.append((squeeze(fold_characters(text[low:high])), lead, size))
        return found

    def _moved(
        self, windows: list[_TextInContext], aligned: TextAlignment, name: str, near: int
    ) -> Carried | None:
        """The place of a text elsewhere: the nearest in its document, else the only one in others."""
        for window in windows:
            if places := aligned.places(*window):
                return Carried(name, *min(places, key=lambda one: abs(one[0] - near)), "moved", 1.0)
        return self._in_others(windows, name)

    def _edges(self, old: str, place: tuple[int, int], new: str) -> tuple[int, int]:
        """Return the place with the white space at the borders of the old text, as far as it is there."""
        low, high = place
        lead, tail = len(old) - len(old.lstrip()), len(old) - len(old.rstrip())
        if lead and new[max(0, low - lead) : low] == old[:lead]:
            low -= lead
        if tail and new[high : high + tail] == old[len(old) - tail :]:
            high += tail
        return low, high

    def _in_others(self, windows: list[_TextInContext], own: str) -> Carried | None:
        """The only place of a text in documents of the new corpus alone, else in all others."""
        for names in (self._only_new, [name for name in self.new if name != own]):
            for window in windows:
                found = [(name, at) for name in names for at in self._found(name, window)]
                if len(found) == 1:
                    ((name, place),) = found
                    return Carried(name, *place, "moved", 1.0)
        return None

    @cached_property
    def _squeezed(self) -> dict[str, _Squeezed]:
        return {}

    def _found(self, name: str, window: _TextInContext) -> list[tuple[int, int]]:
        if name not in self._squeezed:
            self._squeezed[name] = _squeezed(self.new[name])
        return list(islice(_places(self._squeezed[name], *window), 2))


def _places(there: _Squeezed, part: str, lead: int, size: int) -> Iterator[tuple[int, int]]:
    """Starts and ends of a text in another one, wherever it stands with what is around it."""
    text, starts, ends = there
    at = text.find(part) if part else -1
    while at >= 0:
        yield int(starts[at + lead]), int(ends[at + lead + size - 1])
        at = text.find(part, at + 1)


def align(old: Corpus, new: Corpus) -> Alignment:
    """Compare two versions of a corpus; see `Corpus.align`."""
    return Alignment(old, new)
