"""Many documents at once to elements, with numpy: well-formed without doubt, or left to the parser.

What is proven is stricter than XML: tags with double-quoted attributes, text, the five references and those
by number, comments; names in ASCII. Whatever else there is, however correct, makes its document *doubtful*;
nothing here says what is wrong with a document. What stands before and after the root is shown to expat
itself, once for each distinct string. The shape of the argument:

1. `<` and `>` alternate, except for further `>` in the text; so tags are known by place (`_tags`).
2. Every tag is good by itself (`_Starts`, `_check_comments`), every reference too (`_References`).
3. Tags balance inside each document, which has one root; names of partners are equal (`_nested`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.encodings import declares_utf8
from excerpt.index.scan import MAX_DEPTH, IntArray, Malformed, Unit, create_parser, feed
from excerpt.index.tree import Elements
from excerpt.index.words import LONGEST, PADDING, Flags, cut, narrow, numbered, same, stable_order, words_of

_NAME = rb"[A-Za-z_:][A-Za-z0-9_:.\-]*"
_SIMPLE = re.compile(_NAME)
# What is outside of the values of attributes: from `<` or a closing quote to the next opening quote.
_BEFORE_VALUE = re.compile(rb'(?:<(%b)|")\s+(%b)\s*=\s*' % (_NAME, _NAME))
_PREDEFINED = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_BY_NUMBER = re.compile(rb"#(?:([0-9]+)|x([0-9A-Fa-f]+))")
_PASSES = 3
_LONGEST_PROLOG = 4096
_LT, _GT, _QUOTE, _AMPERSAND, _SLASH, _BRACKET = b'<>"&/]'


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
    left = list(range(len(documents)))
    for _ in range(_PASSES):
        if not left:
            break
        try:
            elements, names = _Batch([documents[number] for number in left], unit).elements()
        except _Doubtful as doubt:
            left = [number for number, doubted in zip(left, doubt.documents, strict=True) if not doubted]
        else:
            return Proven(left, elements, names)
    return None


class _Tags(NamedTuple):
    """Everything from a `<` to its `>`; rows of those that start and end elements, and depths after them."""

    opens: IntArray
    closes: IntArray
    is_empty: Flags
    starts: IntArray
    ends: IntArray
    depth: npt.NDArray[np.int32]


class _Batch:
    """Documents one after another as one text, in which every unit of the index is one byte."""

    def __init__(self, documents: Sequence[bytes], unit: Unit) -> None:
        self.unit = unit
        self.documents = [_with_line_feeds(document) for document in documents]
        texts = [_one_byte_per_unit(document, unit) for document in self.documents]
        self._doubted = np.array([text is None for text in texts])
        self.settle()
        self.data = b"".join((*filter(None, texts), PADDING))
        self.text = np.frombuffer(self.data, np.uint8)
        self.bounds = np.cumsum([0, *(len(text) for text in texts if text is not None)])

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
        starts = _Starts(self, tags)
        references = _References(self, tags)
        self._check_comments(tags)
        self.settle()
        return self._nested(tags, starts, references), starts.names

    def _check_characters(self) -> None:
        """Of those below the blank only tabs and line feeds are left in XML; the rest was checked before."""
        text = self.text
        if text.min() < ord("\t") or (text - np.uint8(ord("\v"))).min() < ord(" ") - ord("\v"):
            self.doubt(np.flatnonzero((text < ord(" ")) & (text != ord("\t")) & (text != ord("\n"))))
            self.settle()

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
        return _Tags(opens, closes, is_empty, np.flatnonzero(is_start), np.flatnonzero(is_end), depth)

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

    def _check_comments(self, tags: _Tags) -> None:
        """Inside of the root; what is before and after is looked at as a whole."""
        is_start_or_end = np.zeros(len(tags.opens), np.bool_)
        is_start_or_end[tags.starts] = True
        is_start_or_end[tags.ends] = True
        others = np.flatnonzero(~is_start_or_end & (tags.depth > 0))
        places = zip(tags.opens[others].tolist(), tags.closes[others].tolist(), strict=True)
        wrong = [begin for begin, end in places if not _is_comment(self.data, begin, end + 1)]
        self.doubt(np.array(wrong, np.int64))

    def _nested(self, tags: _Tags, starts: _Starts, references: _References) -> Elements:
        is_empty = tags.is_empty[tags.starts]
        level = narrow(self._levels(tags, is_empty))
        by_level = stable_order(level)
        paired = by_level[~is_empty[by_level]] if is_empty.any() else by_level
        # The n-th start tag of a level is closed by the n-th end tag of that level.
        closing = tags.ends[stable_order(tags.depth[tags.ends])]
        self._check_names(tags, starts, paired, closing)
        self._check_outside(tags, tags.starts[paired], closing)
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
        is_root = level == 0
        roots = np.searchsorted(self.bounds, tags.opens[tags.starts[is_root]], "right") - 1
        self.doubt_documents(np.bincount(roots, minlength=len(self.documents)) != 1)
        self.doubt(tags.opens[tags.starts[is_root & is_empty]])  # so that every root has a partner
        self.settle()
        return level

    def _check_names(self, tags: _Tags, starts: _Starts, paired: IntArray, closing: IntArray) -> None:
        length = starts.name_length[paired]
        begin, other = tags.opens[tags.starts[paired]] + 1, tags.opens[closing] + 2
        good = (tags.closes[closing] - other == length) & same(words_of(self.data), begin, other, length)
        self.doubt(begin[~good])

    def _check_outside(self, tags: _Tags, starting: IntArray, closing: IntArray) -> None:
        """Before and after the roots, which are the first elements of those sorted by level."""
        count = len(self.documents)
        before = tags.opens[starting[:count]] - self.bounds[:-1]
        after = self.bounds[1:] - tags.closes[closing[:count]] - 1
        rows = zip(self.documents, before.tolist(), after.tolist(), strict=True)
        good = [
            _is_prolog(document[:head], self.unit) and _is_epilog(document[len(document) - tail :])
            for document, head, tail in rows
        ]
        self.doubt_documents(~np.array(good))


class _Starts:
    """Start tags: the code and the length of the name of each, and the names by code."""

    def __init__(self, batch: _Batch, tags: _Tags) -> None:
        self._batch = batch
        self.names: list[bytes] = []
        self._codes: dict[bytes, int] = {}
        opens = tags.opens[tags.starts]
        stop = tags.closes[tags.starts] - tags.is_empty[tags.starts]
        stop -= batch.text[stop - 1] <= ord(" ")  # one blank may be before the end
        is_quoted = batch.text[stop - 1] == _QUOTE
        self.codes = np.empty(len(opens), np.int64)
        self.name_length = np.empty(len(opens), np.int64)
        self._take_simple(np.flatnonzero(~is_quoted), opens, stop)
        if is_quoted.any():
            self._take_quoted(np.flatnonzero(is_quoted), opens, stop)

    def _take_simple(self, rows: IntArray, opens: IntArray, stop: IntArray) -> None:
        """Tags that end with their name, or else are doubtful."""
        begin = opens[rows] + 1
        number, pieces = self._numbered(begin, stop[rows] - begin)
        names = [piece if _SIMPLE.fullmatch(piece) else b"" for piece in pieces]
        self._name(rows, opens, number, names)

    def _take_quoted(self, rows: IntArray, opens: IntArray, stop: IntArray) -> None:
        """Tags that end with the value of an attribute."""
        quotes, pairs = self._quotes(opens[rows], stop[rows])
        opening, closing = quotes[::2], quotes[1::2]
        first = np.cumsum(pairs) - pairs
        begin = np.empty_like(opening)
        begin[1:] = closing[:-1]
        begin[first] = opens[rows]
        number, pieces = self._numbered(begin, opening - begin)
        matches = [_BEFORE_VALUE.fullmatch(piece) for piece in pieces]
        is_good = np.array([match is not None for match in matches])
        self._batch.doubt(begin[~is_good[number]])
        self._name(rows, opens, number[first], [(match and match[1]) or b"" for match in matches])
        if len(number) > len(rows):
            self._check_distinct([match[2] if match else b"" for match in matches], number, pairs, opens[rows])

    def _quotes(self, opens: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
        """The quotes inside of tags, and how many pairs are in each tag."""
        quotes = np.flatnonzero(self._batch.text == _QUOTE)
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

    def _name(self, rows: IntArray, opens: IntArray, number: IntArray, names: list[bytes]) -> None:
        """Give rows the names of their numbers; an empty name is doubtful."""
        codes = [self._codes.setdefault(name, len(self._codes)) for name in names]
        self.names = list(self._codes)
        self.codes[rows] = np.array(codes, np.int64)[number]
        lengths = np.array([len(name) for name in names], np.int64)[number]
        self.name_length[rows] = lengths
        if b"" in self._codes:
            self._batch.doubt(opens[rows][lengths == 0])

    def _check_distinct(self, names: list[bytes], number: IntArray, pairs: IntArray, opens: IntArray) -> None:
        """No tag has two attributes of one name."""
        known: dict[bytes, int] = {}
        codes = np.array([known.setdefault(name, len(known)) for name in names])[number]
        keys = np.sort(np.repeat(np.arange(len(pairs)), pairs) * len(known) + codes)
        self._batch.doubt(opens[keys[1:][keys[1:] == keys[:-1]] // len(known)])


class _References:
    """References, and by how much those in the text before each tag are longer than their one character."""

    def __init__(self, batch: _Batch, tags: _Tags) -> None:
        self.excess_before: IntArray | int = 0
        places = np.flatnonzero(batch.text == _AMPERSAND)
        if not len(places):
            return
        words, is_long = cut(words_of(batch.data)[places + 1], b";")
        distinct, which = np.unique(words, return_inverse=True)
        excess = np.array([_reference_excess(word, batch.unit) for word in distinct.tolist()])[which]
        batch.doubt(places[is_long | (excess == 0)])
        segment = np.searchsorted(tags.opens, places)
        # Before its tag closes a reference is inside an attribute.
        in_text = segment == np.searchsorted(tags.closes, places)
        sums = np.bincount(segment[in_text], excess[in_text], len(tags.opens) + 1)
        self.excess_before = np.cumsum(sums[: len(tags.opens)].astype(np.int64))


@functools.lru_cache(maxsize=4096)
def _reference_excess(word: int, unit: Unit) -> int:
    """How much longer than one character the reference is whose name, as a word, is given; 0: doubtful."""
    name = word.to_bytes(8, "little").rstrip(b"\0")
    match = _BY_NUMBER.fullmatch(name)
    if name not in _PREDEFINED and not (match and unit == "char" and _is_character(match)):
        return 0
    return len(name) + 1


def _is_character(match: re.Match[bytes]) -> bool:
    code = int(match[1]) if match[1] else int(match[2], 16)
    return code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0xFFFF < code < 0x110000


def _with_line_feeds(document: bytes) -> bytes:
    if b"\r" not in document:
        return document
    return document.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _one_byte_per_unit(document: bytes, unit: Unit) -> bytes | None:
    """The text with one byte for each unit; markup stays as it is. None where it is not UTF-8 of XML."""
    if document.isascii():
        return document
    try:
        text = document.decode()
    except UnicodeDecodeError:
        return None
    if "\ufffe" in text or "\uffff" in text:
        return None
    # What Latin-1 does not have becomes `?`, which is markup in places only that are doubtful or ASCII.
    return text.encode("latin-1", "replace") if unit == "char" else document


def _is_comment(data: bytes, begin: int, end: int) -> bool:
    return end - begin >= len("<!---->") and data.startswith(b"<!--", begin) and data.find(b"--", begin + 4, end) == end - 3


def _is_prolog(head: bytes, unit: Unit) -> bool:
    """Whether expat reads on, in UTF-8 and with no more entities than before, after what precedes the root."""
    return not head or (len(head) <= _LONGEST_PROLOG and _accepts(head, b"<a/>", unit))


def _is_epilog(tail: bytes) -> bool:
    """Whether expat is content with what follows the root."""
    return tail in (b"", b"\n") or (len(tail) <= _LONGEST_PROLOG and _accepts(b"<a/>", tail, "char"))


@functools.lru_cache(maxsize=256)
def _accepts(head: bytes, tail: bytes, unit: Unit) -> bool:
    # A document type without a subset declares nothing by itself.
    if not (head.isascii() and tail.isascii() and declares_utf8(head)):
        return False
    if b"<!DOCTYPE" in head and (b"[" in head or unit == "byte"):
        return False
    try:
        feed(create_parser(None), head + tail, final=True)
    except Malformed:
        return False
    return True
