"""Many documents at once to elements, with numpy: well-formed without doubt, or left to the parser.

What is proven is stricter than XML: tags whose attributes have quotes of one kind, text, the five references
and those by number, comments, instructions; names in ASCII. Whatever else there is, however correct, makes
its document *doubtful*; nothing here says what is wrong with one. What stands before and after the root is
shown to expat itself, once for each distinct string. The shape of the argument:

1. `<` and `>` alternate, except for further `>` in the text; so tags are known by place (`_tags`).
2. Every tag is good by itself (`_Starts`, `_check_others`), every reference too (`_References`).
3. Tags balance inside each document, which has one root; names of partners are equal (`_nested`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.build.tree import Elements
from excerpt.index.parse.expat import MAX_DEPTH, IntArray, Unit
from excerpt.index.parse.verdicts import is_comment_or_instruction, is_epilog, is_prolog, reference_excess
from excerpt.index.parse.words import (
    LONGEST,
    PADDING,
    Flags,
    are,
    cut,
    narrow,
    numbered,
    stable_order,
    words_of,
)

_NAME = rb"[A-Za-z_:][A-Za-z0-9_:.\-]*"
_SIMPLE = re.compile(_NAME)
# What is outside of the values of attributes: from `<` or a closing quote to the next opening quote.
_BEFORE_VALUE = re.compile(rb"(?:<(%b)|[\"'])\s+(%b)\s*=\s*" % (_NAME, _NAME))
_PASSES = 5  # each leaves out what the one before found doubtful
_FIRST_BYTES = -64  # as signed bytes, those that continue a character in UTF-8 are below
_LT, _GT, _QUOTE, _APOSTROPHE, _AMPERSAND, _SLASH, _BRACKET = b"<>\"'&/]"


class Proven(NamedTuple):
    """Documents that are well-formed: which ones, their elements, and the names of the tags by code."""

    documents: list[int]
    elements: Elements
    names: list[bytes]


class _Doubtful(Exception):
    """Some documents need the parser."""

    def __init__(self, documents: Flags) -> None:
        super().__init__()
        self.documents = documents


def prove(documents: Sequence[bytes], unit: Unit) -> Proven | None:
    """What can be proven of the documents; all others, perhaps all, are for the parser."""
    sources = [_source(number, document, unit) for number, document in enumerate(documents)]
    left = [source for source in sources if source is not None]
    for _ in range(_PASSES):
        if not left:
            break
        try:
            elements, names = _Batch(left, unit).elements()
        except _Doubtful as doubt:
            left = [source for source, doubted in zip(left, doubt.documents, strict=True) if not doubted]
        else:
            return Proven([source.number for source in left], elements, names)
    return None


class _Source(NamedTuple):
    """A document with line feeds only, and its text with one byte for each unit of the index."""

    number: int
    document: bytes
    text: bytes


def _source(number: int, document: bytes, unit: Unit) -> _Source | None:
    """None where the document is doubtful at first sight."""
    if _has_brackets_in_markup(document):
        return None
    if b"\r" in document:
        document = document.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if document.isascii():
        return _Source(number, document, document)
    try:
        text = document.decode()
    except UnicodeDecodeError:
        return None
    if "\ufffe" in text or "\uffff" in text:
        return None
    return _Source(number, document, _first_bytes(document, text) if unit == "char" else document)


def _has_brackets_in_markup(document: bytes) -> bool:
    """Whether the first `[` is that of a document type or of CDATA; later ones are found out later."""
    at = document.find(b"[")
    if at < 0:
        return False
    markup = max(document.rfind(b"<", 0, at), 0)
    return document.startswith(b"<!", markup) and not document.startswith(b"<!--", markup)


def _first_bytes(document: bytes, text: str) -> bytes:
    """One byte for each character; which one does not matter where it is not ASCII."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        data = np.frombuffer(document, np.int8)
        return data[data >= _FIRST_BYTES].tobytes()


class _Tags(NamedTuple):
    """Everything from a `<` to its `>`; rows of each kind, and the depth after each tag."""

    opens: IntArray
    closes: IntArray
    is_empty: Flags
    starts: IntArray
    ends: IntArray
    others: IntArray
    depth: npt.NDArray[np.int32]


class _Batch:
    """Documents one after another as one text, in which every unit of the index is one byte."""

    def __init__(self, sources: list[_Source], unit: Unit) -> None:
        self.unit = unit
        self._sources = sources
        self.data = b"".join((*(source.text for source in sources), PADDING))
        self.text = np.frombuffer(self.data, np.uint8)
        self.bounds = np.cumsum([0, *(len(source.text) for source in sources)])
        self._doubted = np.zeros(len(sources), np.bool_)

    def doubt(self, places: IntArray) -> None:
        """Documents that hold one of the places need the parser."""
        self._doubted[np.searchsorted(self.bounds, places, "right") - 1] = True

    def doubt_documents(self, doubted: Flags) -> None:
        """These documents need the parser."""
        self._doubted |= doubted

    def settle(self) -> None:
        """Give up where there are doubts: one document may have misled what was found out about others."""
        if self._doubted.any():
            raise _Doubtful(self._doubted)

    def elements(self) -> tuple[Elements, list[bytes]]:
        """The elements of all documents and the names of their tags; raises _Doubtful."""
        self._check_characters()
        tags = self._tags()
        self._check_others(tags)
        self.settle()  # here already: there are many documents that have something else all over
        quotes, ampersands = self._quotes_and_ampersands()
        starts = _Starts(self, tags, quotes)
        references = _References(self, tags, ampersands)
        self.settle()
        return self._nested(tags, starts, references), starts.names

    def _check_characters(self) -> None:
        """Of those below the blank only tabs and line feeds are left in XML; the rest was checked before."""
        text = self.text
        if text.min() < ord("\t") or (text - np.uint8(ord("\v"))).min() < ord(" ") - ord("\v"):
            self.doubt(np.flatnonzero((text < ord(" ")) & (text != ord("\t")) & (text != ord("\n"))))

    def _tags(self) -> _Tags:
        text = self.text
        opens, closes = self._brackets()
        second = text[opens + 1]
        is_end = second == _SLASH
        is_other = (second == ord("!")) | (second == ord("?"))
        is_start = ~(is_end | is_other)
        is_empty = (text[closes - 1] == _SLASH) & is_start
        step = is_start.view(np.int8) - is_end.view(np.int8) - is_empty.view(np.int8)
        depth = np.cumsum(step, dtype=np.int32)
        starts, ends, others = np.flatnonzero(is_start), np.flatnonzero(is_end), np.flatnonzero(is_other)
        return _Tags(opens, closes, is_empty, starts, ends, others, depth)

    def _brackets(self) -> tuple[IntArray, IntArray]:
        """Places of `<` and `>` in turn; no pair of them reaches over the end of a document."""
        text = self.text
        found = text | np.uint8(2)  # `<` and `>` differ in this one bit
        brackets = np.flatnonzero(np.equal(found, _GT, out=found.view(np.bool_)))
        opens, closes = brackets[::2], brackets[1::2]
        if len(opens) != len(closes) or (text[opens] == _GT).any() or (text[closes] == _LT).any():
            brackets = self._without_closes_in_text(brackets)
            opens, closes = brackets[::2], brackets[1::2]
        first = np.searchsorted(opens, self.bounds)
        count = np.diff(first)
        is_open = np.searchsorted(closes, self.bounds[1:]) != first[1:]
        # Whoever has so many tags may be too deep, which the parser tells with the line.
        self.doubt_documents(is_open | (count == 0) | (count > MAX_DEPTH))
        self.settle()
        return opens.copy(), closes.copy()

    def _quotes_and_ampersands(self) -> tuple[IntArray, IntArray]:
        found = self.text | np.uint8(4)  # these two differ in this one bit
        places = np.flatnonzero(np.equal(found, _AMPERSAND, out=found.view(np.bool_)))
        is_quote = self.text[places] == _QUOTE
        return places[is_quote], places[~is_quote]

    def _without_closes_in_text(self, brackets: IntArray) -> IntArray:
        text = self.text
        is_close = text[brackets] == _GT
        in_text = np.concatenate(([False], is_close[1:] & is_close[:-1]))
        at = brackets[in_text]
        self.doubt(at[(text[at - 1] == _BRACKET) & (text[at - 2] == _BRACKET)])
        brackets, is_close = brackets[~in_text], is_close[~in_text]
        self.doubt(brackets[:-1][~is_close[1:] & ~is_close[:-1]])
        self.doubt(brackets[:1][is_close[:1]])
        self.doubt(brackets[-1:][~is_close[-1:]])
        self.settle()
        return brackets

    def _check_others(self, tags: _Tags) -> None:
        """What is before the first start tag of a document and after its last end tag; others between."""
        starting, ending = tags.opens[tags.starts], tags.closes[tags.ends]
        first, last = np.searchsorted(starting, self.bounds), np.searchsorted(ending, self.bounds)
        self.doubt_documents((np.diff(first) == 0) | (np.diff(last) == 0))
        self.settle()
        begin, end = starting[first[:-1]], ending[last[1:] - 1]
        before, after = (begin - self.bounds[:-1]).tolist(), (end + 1 - self.bounds[1:]).tolist()
        rows = zip(self._sources, before, after, strict=True)
        pairs = [(document[:head], document[tail:] if tail else b"") for (_, document, _), head, tail in rows]
        # Most documents of a corpus begin and end alike.
        good = {pair: is_prolog(pair[0], self.unit) and is_epilog(pair[1]) for pair in set(pairs)}
        if not all(good.values()):
            self.doubt_documents(np.array([not good[pair] for pair in pairs]))
        self._check_comments(tags, begin, end)

    def _check_comments(self, tags: _Tags, begin: IntArray, end: IntArray) -> None:
        opens, closes = tags.opens[tags.others], tags.closes[tags.others]
        document = np.searchsorted(self.bounds, opens, "right") - 1
        inside = (opens > begin[document]) & (opens < end[document])
        places = zip(opens[inside].tolist(), closes[inside].tolist(), strict=True)
        wrong = [at for at, close in places if not is_comment_or_instruction(self.data[at : close + 1])]
        self.doubt(np.array(wrong, np.int64))

    def _nested(self, tags: _Tags, starts: _Starts, references: _References) -> Elements:
        is_empty = tags.is_empty[tags.starts]
        level = narrow(self._levels(tags, is_empty))
        by_level = stable_order(level)
        paired = by_level[~is_empty[by_level]] if is_empty.any() else by_level
        # The n-th start tag of a level is closed by the n-th end tag of that level.
        closing = tags.ends[stable_order(tags.depth[tags.ends])]
        self._check_names(tags, starts, paired, closing)
        self.settle()
        width = tags.closes - tags.opens + 1
        position = tags.opens - np.cumsum(width) + width - references.excess_before
        start = position[tags.starts]
        end = start.copy()
        end[paired] = position[closing]
        return Elements(starts.codes, start, end, level, by_level)

    def _levels(self, tags: _Tags, is_empty: Flags) -> npt.NDArray[np.int32]:
        """How deep each element is; tags balance inside each document, and there is one root."""
        last = np.searchsorted(tags.opens, self.bounds[1:]) - 1
        self.doubt_documents(np.diff(tags.depth[last], prepend=0) != 0)
        self.settle()
        self.doubt(tags.opens[tags.depth < 0])
        level = tags.depth[tags.starts] - 1 + is_empty
        roots = np.searchsorted(self.bounds, tags.opens[tags.starts[level == 0]], "right") - 1
        self.doubt_documents(np.bincount(roots, minlength=len(self._sources)) != 1)
        self.settle()
        return level

    def _check_names(self, tags: _Tags, starts: _Starts, paired: IntArray, closing: IntArray) -> None:
        begin, length = tags.opens[closing] + 2, starts.name_length[paired]
        good = tags.closes[closing] - begin == length
        good &= are(words_of(self.data), begin, length, starts.names, starts.codes[paired])
        self.doubt(begin[~good])


class _Starts:
    """Start tags: the code and the length of the name of each, and the names by code."""

    def __init__(self, batch: _Batch, tags: _Tags, quotes: IntArray) -> None:
        self._batch = batch
        self.names: list[bytes] = []
        self._codes: dict[bytes, int] = {}
        opens = tags.opens[tags.starts]
        stop = tags.closes[tags.starts] - tags.is_empty[tags.starts]
        stop -= batch.text[stop - 1] <= ord(" ")  # one blank may be before the end
        last = batch.text[stop - 1]
        is_quoted, is_single = last == _QUOTE, last == _APOSTROPHE
        self.codes = np.empty(len(opens), np.int64)
        self.name_length = np.empty(len(opens), np.int64)
        self._take_simple(np.flatnonzero(~(is_quoted | is_single)), opens, stop)
        if is_quoted.any():
            self._take_quoted(np.flatnonzero(is_quoted), opens, stop, quotes)
        if is_single.any():
            self._take_quoted(
                np.flatnonzero(is_single), opens, stop, np.flatnonzero(batch.text == _APOSTROPHE)
            )

    def _take_simple(self, rows: IntArray, opens: IntArray, stop: IntArray) -> None:
        """Tags that end with their name, or else are doubtful."""
        begin = opens[rows] + 1
        number, pieces = self._numbered(begin, stop[rows] - begin)
        names = [piece if _SIMPLE.fullmatch(piece) else None for piece in pieces]
        self._name(rows, opens, number, names)

    def _take_quoted(self, rows: IntArray, opens: IntArray, stop: IntArray, quotes: IntArray) -> None:
        """Tags that end with the value of an attribute; `quotes` are all of that kind."""
        quotes, pairs = self._pairs(quotes, opens[rows], stop[rows])
        opening, closing = quotes[::2], quotes[1::2]
        first = np.cumsum(pairs) - pairs
        begin = np.empty_like(opening)
        begin[1:] = closing[:-1]
        begin[first] = opens[rows]
        number, pieces = self._numbered(begin, opening - begin)
        matches = [_BEFORE_VALUE.fullmatch(piece) for piece in pieces]
        is_good = np.array([match is not None for match in matches])
        self._batch.doubt(begin[~is_good[number]])
        self._name(rows, opens, number[first], [match and match[1] for match in matches])
        if len(number) > len(rows):
            self._check_distinct(
                [match[2] if match else b"" for match in matches], number, pairs, opens[rows]
            )

    def _pairs(self, quotes: IntArray, opens: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
        """The quotes inside of tags, and how many pairs are in each tag."""
        low, high = np.searchsorted(quotes, opens), np.searchsorted(quotes, stop)
        count = high - low
        self._batch.doubt(opens[count % 2 == 1])
        self._batch.settle()
        if int(count.sum()) < len(quotes):
            change = np.zeros(len(quotes) + 1, np.int8)
            change[low] += 1
            change[high] -= 1
            quotes = quotes[np.cumsum(change[:-1], dtype=np.int8) > 0]
        return quotes, count // 2

    def _numbered(self, begin: IntArray, length: IntArray) -> tuple[IntArray, list[bytes]]:
        data = self._batch.data
        is_long = length > LONGEST
        if is_long.any():
            self._batch.doubt(begin[is_long])
            length = np.minimum(length, LONGEST)
        number, first = numbered(data, begin, length)
        places = zip(begin[first].tolist(), length[first].tolist(), strict=True)
        return number, [data[at : at + size] for at, size in places]

    def _name(self, rows: IntArray, opens: IntArray, number: IntArray, names: list[bytes | None]) -> None:
        """Give rows the names of their numbers; where there is none the tag is doubtful."""
        codes = [self._codes.setdefault(name, len(self._codes)) if name else -1 for name in names]
        self.names = list(self._codes)
        self.codes[rows] = np.array(codes, np.int64)[number]
        self.name_length[rows] = np.array([len(name or b"") for name in names], np.int64)[number]
        if -1 in codes:
            self._batch.doubt(opens[rows][self.codes[rows] < 0])

    def _check_distinct(self, names: list[bytes], number: IntArray, pairs: IntArray, opens: IntArray) -> None:
        """No tag has two attributes of one name."""
        known: dict[bytes, int] = {}
        codes = np.array([known.setdefault(name, len(known)) for name in names])[number]
        keys = np.sort(np.repeat(np.arange(len(pairs)), pairs) * len(known) + codes)
        self._batch.doubt(opens[keys[1:][keys[1:] == keys[:-1]] // len(known)])


class _References:
    """References, and by how much those in the text before each tag are longer than their one character."""

    def __init__(self, batch: _Batch, tags: _Tags, places: IntArray) -> None:
        self.excess_before = np.zeros(len(tags.opens), np.int64)
        if not len(places):
            return
        words, is_long = cut(words_of(batch.data)[places + 1], b";")
        batch.doubt(places[is_long])
        batch.settle()
        distinct, which = np.unique(words, return_inverse=True)
        excess = np.array([reference_excess(word, batch.unit) for word in distinct.tolist()])[which]
        batch.doubt(places[excess == 0])
        segment = np.searchsorted(tags.opens, places)
        # Before its tag closes a reference is inside an attribute.
        in_text = segment == np.searchsorted(tags.closes, places)
        sums = np.bincount(segment[in_text], excess[in_text], len(tags.opens) + 1)
        self.excess_before = np.cumsum(sums[: len(tags.opens)].astype(np.int64))
