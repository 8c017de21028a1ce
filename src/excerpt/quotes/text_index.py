"""Search in a folded text, with an n-gram index for many searches."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np

from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import (
    Hashes,
    blanks,
    combines,
    fold,
    fold_characters,
    folded_from,
    hashes_of,
    squeeze,
)

#: Characters of an n-gram.
SIZE = 12
#: Least characters, without whitespace, of the end or the beginning of a chunk that is enough to place it.
LEAST = 20


class NgramIndex:
    """N-gram index of a text of at least `SIZE` characters, for many searches.

    >>> NgramIndex("one line, one line, one line").find("line, one line").tolist()
    [4, 14]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        bits = len(text).bit_length()
        self._offset_bits = np.uint64((1 << bits) - 1)
        ngrams = Hashes(text).stretches(SIZE) & ~self._offset_bits
        ngrams |= np.arange(len(ngrams), dtype=np.uint64)
        self._keys = np.sort(ngrams)  # the offsets of an n-gram are together, ascending

    def _ranges(self, joined: str) -> tuple[IntArray, IntArray]:
        """Bounds of the keys of n-grams that are joined."""
        ngrams = hashes_of(joined, SIZE)
        ranges = np.concatenate((ngrams & ~self._offset_bits, ngrams | self._offset_bits))
        first, last = self._keys.searchsorted(ranges).reshape(2, -1)
        return first, last

    def may_have(self, ngrams: list[str]) -> BoolArray:
        """Whether n-grams may occur: all that do."""
        first, last = self._ranges("".join(ngrams))
        return first < last

    def find(self, part: str, low: int = 0, high: int | None = None) -> IntArray:
        """All offsets from `low` to `high` of a text of at least `SIZE` characters, ascending."""
        probes = [number * (len(part) - SIZE) // 3 for number in range(4)]
        first, last = self._ranges("".join([part[at : at + SIZE] for at in probes]))
        rarest = int((last - first).argmin())
        if first[rarest] == last[rarest]:
            return np.zeros(0, np.int64)
        keys = self._keys[first[rarest] : last[rarest]]
        offsets = (keys & self._offset_bits).astype(np.int64) - probes[rarest]
        most = len(self._text) - len(part)
        most = most if high is None else min(high, most)
        offsets = offsets[offsets.searchsorted(max(0, low)) : offsets.searchsorted(most, side="right")]
        same = [offset for offset in offsets.tolist() if self._text.startswith(part, offset)]
        return np.array(same, np.int64)


#: Characters that are scanned before an index is made.
_WORK = 1 << 26
#: Cost of one occurrence, in characters scanned.
_PER_OCCURRENCE = 500
#: Distance up to which an occurrence is near, in lengths of the part.
_NEAR = 4


class SearchedText:
    """A text to search, with an n-gram index as soon as it has been searched enough.

    >>> text = SearchedText("one two one")
    >>> text.find("one", 0, 8).tolist(), text.near("one", 1), text.first("six")
    ([0, 8], 8, -1)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._work_left = _WORK

    @cached_property
    def _ngrams(self) -> NgramIndex:
        return NgramIndex(self.text)

    def _index_for(self, part: str) -> NgramIndex | None:
        """The n-gram index, if the text has been searched enough and both are long enough."""
        return self._ngrams if self._work_left < 0 and SIZE <= len(part) <= len(self.text) else None

    def near(self, part: str, offset: int) -> int:
        """Next occurrence of a part from an offset on, -1 if it is not near."""
        return self.text.find(part, offset, offset + _NEAR * len(part))

    def first(self, part: str) -> int:
        """First occurrence of a part, -1 without one."""
        ngrams = self._index_for(part)
        if ngrams is not None:
            offsets = ngrams.find(part)
            return int(offsets[0]) if len(offsets) else -1
        self._work_left -= len(self.text)
        return self.text.find(part)

    def may_begin(self, parts: Sequence[str]) -> list[bool]:
        """Whether parts may occur, by the first n-gram of each; those of its size or shorter may."""
        self._work_left -= len(self.text) * len(parts)
        long = [part for part in parts if len(part) > SIZE]
        if self._work_left >= 0 or len(self.text) < SIZE:
            found = iter([part[:SIZE] in self.text for part in long])
        else:
            found = iter(self._ngrams.may_have([part[:SIZE] for part in long]).tolist())
        return [len(part) <= SIZE or next(found) for part in parts]

    def find(self, part: str, low: int, high: int) -> IntArray:
        """All offsets from `low` to `high` at which a part occurs, ascending."""
        ngrams = self._index_for(part)
        if ngrams is not None:
            return ngrams.find(part, low, high)
        offsets = find_all(self.text, part, low, high + len(part))
        self._work_left -= high + len(part) - low + (len(part) + _PER_OCCURRENCE) * len(offsets)
        return offsets


def find_all(text: str, part: str, low: int = 0, high: int | None = None) -> IntArray:
    """All offsets of a part in text[low:high], also of overlapping occurrences.

    >>> find_all("aaa", "aa").tolist()
    [0, 1]
    """
    offsets = []
    offset = text.find(part, low, high)
    while offset >= 0:
        offsets.append(offset)
        offset = text.find(part, offset + 1, high)
    return np.array(offsets, np.int64)


#: Differences that are not folded, each with the function that removes it; the last one removes all.
_DIFFERENCES: dict[str, Callable[[str], str]] = {
    "spacing": str,
    "case": str.casefold,
    "Unicode form": partial(unicodedata.normalize, "NFKC"),
    "case and Unicode form": lambda text: unicodedata.normalize("NFKC", text).casefold(),
}


class FoldedText:
    r"""A text, the same text folded, and the offsets of its solid characters (no whitespace) in both.

    >>> text = FoldedText("\u2018a\u2019\n\n b")
    >>> text.folded, text.solid(np.array([2])).tolist(), text.offsets.tolist()
    ("'a' b", [2], [0, 1, 2, 6])
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = fold_characters(text)
        #: True if the folding changes characters other than whitespace.
        self.differs = self._plain != text
        self.searched = SearchedText(fold(self._plain))
        self.folded = self.searched.text
        self._without: dict[str, SearchedText] = {}

    @cached_property
    def has_marks(self) -> bool:
        """Whether characters combine with those before them."""
        return self.differs and bool(combines(self.text).any())

    @cached_property
    def squeezed(self) -> SearchedText:
        """The text without whitespace, in which offsets are numbers of solid characters."""
        return SearchedText(squeeze(self._plain))

    @cached_property
    def _spans(self) -> tuple[IntArray, IntArray]:
        solid = _solid_offsets(self._plain)
        if not self.differs:
            return solid, solid + 1
        start, end = folded_from(self.text)
        return start[solid], end[solid]

    @property
    def offsets(self) -> IntArray:
        """Offset of each solid character in the text."""
        return self._spans[0]

    @property
    def ends(self) -> IntArray:
        """End of each solid character in the text, after the marks that combine with it."""
        return self._spans[1]

    def _text_without(self, name: str) -> SearchedText:
        if name not in self._without:
            self._without[name] = SearchedText(_DIFFERENCES[name](self.squeezed.text))
        return self._without[name]

    def _may_occur(self, part: str, name: str) -> bool:
        return self._text_without(name).first(_DIFFERENCES[name](squeeze(part))) >= 0

    def may_occur(self, part: str) -> bool:
        """Check if a folded part occurs apart from whitespace, case and Unicode form."""
        return self._may_occur(part, [*_DIFFERENCES][-1])

    def may_begin(self, parts: Sequence[str]) -> list[bool]:
        """The same for the beginnings of many folded parts."""
        name = [*_DIFFERENCES][-1]
        return self._text_without(name).may_begin([_DIFFERENCES[name](squeeze(part)) for part in parts])

    def difference(self, part: str) -> str:
        """Name the difference without which a folded part would occur; "" if there is no such difference.

        >>> FoldedText("One CO₂").difference("one"), FoldedText("One CO₂").difference("CO2")
        ('case', 'Unicode form')
        """
        return next((name for name in _DIFFERENCES if part and self._may_occur(part, name)), "")

    @cached_property
    def _folded_offsets(self) -> IntArray:
        return _solid_offsets(self.folded)

    @property
    def size(self) -> int:
        return len(self.offsets)

    def solid(self, folded: IntArray) -> IntArray:
        """Number of solid characters before offsets of the folded text."""
        return np.searchsorted(self._folded_offsets, folded)

    def to_folded(self, offset: int) -> int:
        """Offset in the folded text of the first solid character from an offset of the text on."""
        solid = int(self.offsets.searchsorted(offset))
        return int(self._folded_offsets[solid]) if solid < self.size else len(self.folded)

    def find(self, part: str, low: int, high: int) -> IntArray:
        """Numbers of solid characters, from `low` to `high`, before all occurrences of a folded part."""
        low, high = max(0, low), min(high, self.size - 1)
        if low > high:
            return np.zeros(0, np.int64)
        first, last = int(self._folded_offsets[low]), int(self._folded_offsets[high])
        return self.solid(self.searched.find(part, first, last))


def lead_of(chunk: str, passage: str) -> int:
    """Number of characters of a trimmed chunk in front of the passage of its document.

    >>> lead_of("Title: a  b", "a b")
    7
    """
    if (at := chunk.rfind(passage)) >= 0:
        return at
    own = FoldedText(chunk)
    solid = own.squeezed.text.rfind(squeeze(fold_characters(passage)))
    return int(own.offsets[solid]) if solid >= 0 else 0


def is_part(chunk: str, passage: str) -> bool:
    """Return whether a passage may be that of a chunk with text of its own in front or behind.

    >>> is_part("T: a b", "a  b"), is_part("A long title: a b", "a b")
    (True, False)
    """
    own, part = (squeeze(fold_characters(text)) for text in (chunk, passage))
    enough = len(part) >= LEAST and (own.startswith(part) or own.endswith(part))
    return enough or (2 * len(part) >= len(own) and part in own)


def _solid_offsets(text: str) -> IntArray:
    mask = np.ones(len(text), np.bool_)
    mask[blanks(text)] = False
    return np.flatnonzero(mask)
