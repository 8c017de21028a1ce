"""Many documents at once to elements, with numpy: well-formed without doubt, or left to the parser.

This is a door: with `prove` always None the index is the same, and takes about twice the time. Behind it are
the modules `joined_text`, `markup` and `start_tags`, which nothing else uses.

What is proven is stricter than XML: names in ASCII, tags without odd blanks, the five references and those by
number, no declarations of its own. Whatever else there is, however correct, makes its document *doubtful*;
nothing here says what is wrong with one. What stands before and after the root is shown to expat itself, once
for each distinct string. The shape of the argument:

1. Outside of comments, instructions, CDATA, values and text `<` and `>` alternate: markup is known by place.
2. Every section and every start tag is good by itself, every reference too.
3. Tags balance inside each document, which has one root; names of partners are equal.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.build.tree import Elements, narrow, stable_order
from excerpt.index.parse.expat import MAX_DEPTH, Malformed, create_parser, declares_utf8, feed
from excerpt.index.parse.joined_text import Doubtful, JoinedText, are, cut, select_outside, words_of
from excerpt.index.parse.markup import Markup, find_markup
from excerpt.index.parse.start_tags import StartTags
from excerpt.model.spans import BoolArray, IntArray

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit

_PASSES = 5  # each leaves out what the one before found doubtful
_FIRST_BYTES = -64  # as signed bytes, those that continue a character in UTF-8 are below
_QUOTE, _AMPERSAND, _APOSTROPHE = b"\"&'"
_PREDEFINED = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_BY_NUMBER = re.compile(rb"#(?:([0-9]+)|x([0-9A-Fa-f]+))")
_LONGEST_PROLOG = 4096


class Proven(NamedTuple):
    """Documents that are well-formed: which ones, their elements, and the names of the tags by code."""

    documents: list[int]
    elements: Elements
    names: list[bytes]


def prove(documents: Sequence[bytes], unit: Unit) -> Proven | None:
    """What can be proven of the documents; all others, perhaps all, are for the parser."""
    sources = [_source(number, document, unit) for number, document in enumerate(documents)]
    left = [source for source in sources if source is not None]
    for _ in range(_PASSES):
        if not left:
            break
        try:
            elements, names = _Proof(left, unit).elements()
        except Doubtful as doubt:
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
    if _declares_something(document):
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


def _declares_something(document: bytes) -> bool:
    """Whether the first `[` is in a document type; whatever else there is, is found out later."""
    at = document.find(b"[")
    return at >= 0 and document.startswith(b"<!DOCTYPE", max(document.rfind(b"<", 0, at), 0))


def _first_bytes(document: bytes, text: str) -> bytes:
    """One byte for each character; which one does not matter where it is not ASCII."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        data = np.frombuffer(document, np.int8)
        return data[data >= _FIRST_BYTES].tobytes()


class _Proof:
    """The argument for some documents."""

    def __init__(self, sources: list[_Source], unit: Unit) -> None:
        self._unit = unit
        self._sources = sources
        self._joined = JoinedText([source.text for source in sources])

    def elements(self) -> tuple[Elements, list[bytes]]:
        """The elements of all documents and the names of their tags; raises Doubtful."""
        joined = self._joined
        self._check_characters()
        markup = find_markup(joined)
        self._check_surroundings(markup)
        joined.settle()  # here already: there are many documents that have something else all over
        quotes, ampersands = self._quotes_and_ampersands(markup)
        starts = StartTags(joined, markup, quotes)
        excess = self._reference_excess(markup, ampersands)
        joined.settle()
        return self._nest(markup, starts, excess), starts.names

    def _check_characters(self) -> None:
        """Of those below the blank only tabs and line feeds are left in XML; the rest was checked before."""
        text = self._joined.text
        if text.min() < ord("\t") or (text - np.uint8(ord("\v"))).min() < ord(" ") - ord("\v"):
            self._joined.doubt(np.flatnonzero((text < ord(" ")) & (text != ord("\t")) & (text != ord("\n"))))

    def _check_surroundings(self, markup: Markup) -> None:
        """What is before the first start tag of a document and after its last end tag; sections between."""
        joined, bounds = self._joined, self._joined.bounds
        starting, ending = markup.opens[markup.starts], markup.closes[markup.ends]
        first, last = np.searchsorted(starting, bounds), np.searchsorted(ending, bounds)
        joined.doubt_documents((np.diff(first) == 0) | (np.diff(last) == 0))
        joined.settle()
        begin, end = starting[first[:-1]], ending[last[1:] - 1]
        before, after = (begin - bounds[:-1]).tolist(), (end + 1 - bounds[1:]).tolist()
        rows = zip(self._sources, before, after, strict=True)
        pairs = [(document[:head], document[tail:] if tail else b"") for (_, document, _), head, tail in rows]
        # Most documents of a corpus begin and end alike.
        good = {pair: is_prolog(pair[0], self._unit) and is_epilog(pair[1]) for pair in set(pairs)}
        if not all(good.values()):
            joined.doubt_documents(np.array([not good[pair] for pair in pairs]))
        others = select_outside(markup.opens[markup.others], markup.sections.begin, markup.sections.end)
        document = joined.documents_at(others)
        joined.doubt(others[(others > begin[document]) & (others < end[document])])

    def _quotes_and_ampersands(self, markup: Markup) -> tuple[IntArray, IntArray]:
        found = self._joined.text | np.uint8(5)  # these and `#` differ in two bits
        places = np.flatnonzero(np.equal(found, _APOSTROPHE, out=found.view(np.bool_)))
        kind = self._joined.text[places]
        ampersands = select_outside(places[kind == _AMPERSAND], markup.sections.begin, markup.sections.end)
        return places[(kind == _QUOTE) | (kind == _APOSTROPHE)], ampersands

    def _reference_excess(self, markup: Markup, places: IntArray) -> IntArray:
        """By how much the references in the text before each tag are longer than their one character."""
        if not len(places):
            return np.zeros(len(markup.opens), np.int64)
        words, is_long = cut(words_of(self._joined.data)[places + 1], b";")
        self._joined.doubt(places[is_long])
        self._joined.settle()
        distinct, which = np.unique(words, return_inverse=True)
        excess = np.array([reference_excess(word, self._unit) for word in distinct.tolist()])[which]
        self._joined.doubt(places[excess == 0])
        segment = np.searchsorted(markup.opens, places)
        # Before its tag closes a reference is inside an attribute.
        in_text = segment == np.searchsorted(markup.closes, places)
        sums = np.bincount(segment[in_text], excess[in_text], len(markup.opens) + 1)
        return np.cumsum(sums[: len(markup.opens)].astype(np.int64))

    def _nest(self, markup: Markup, starts: StartTags, excess: IntArray) -> Elements:
        is_empty = markup.is_empty[markup.starts]
        level = narrow(self._levels(markup, is_empty))
        by_level = stable_order(level)
        paired = by_level[~is_empty[by_level]] if is_empty.any() else by_level
        # The n-th start tag of a level is closed by the n-th end tag of that level.
        closing = markup.ends[stable_order(markup.depth[markup.ends])]
        self._check_names(markup, starts, paired, closing)
        self._joined.settle()
        position = markup.opens - np.cumsum(markup.width) + markup.width - excess
        start = position[markup.starts]
        end = start.copy()
        end[paired] = position[closing]
        return Elements(starts.codes, start, end, level, by_level)

    def _levels(self, markup: Markup, is_empty: BoolArray) -> npt.NDArray[np.int32]:
        """How deep each element is; tags balance inside each document, and there is one root."""
        joined = self._joined
        last = np.searchsorted(markup.opens, joined.bounds[1:]) - 1
        joined.doubt_documents(np.diff(markup.depth[last], prepend=0) != 0)
        joined.settle()
        joined.doubt(markup.opens[markup.depth < 0])
        level = markup.depth[markup.starts] - 1 + is_empty
        joined.doubt(markup.opens[markup.starts[level >= MAX_DEPTH]])
        roots = joined.documents_at(markup.opens[markup.starts[level == 0]])
        joined.doubt_documents(np.bincount(roots, minlength=len(self._sources)) != 1)
        joined.settle()
        return level

    def _check_names(self, markup: Markup, starts: StartTags, paired: IntArray, closing: IntArray) -> None:
        begin, length = markup.opens[closing] + 2, starts.name_length[paired]
        good = markup.closes[closing] - begin == length
        good &= are(words_of(self._joined.data), begin, length, starts.names, starts.codes[paired])
        self._joined.doubt(begin[~good])


# Small pieces judged one by one: an answer no may be wrong, and leaves the document to the parser.


@functools.lru_cache(maxsize=4096)
def reference_excess(word: int, unit: Unit) -> int:
    """How much longer than one character the reference is whose name, as a word, is given; 0: doubtful."""
    name = word.to_bytes(8, "little").rstrip(b"\0")
    match = _BY_NUMBER.fullmatch(name)
    if name not in _PREDEFINED and not (match and unit == "char" and _is_character(match)):
        return 0
    return len(name) + 1


def _is_character(match: re.Match[bytes]) -> bool:
    code = int(match[1]) if match[1] else int(match[2], 16)
    return code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0xFFFF < code < 0x110000


def is_prolog(head: bytes, unit: Unit) -> bool:
    """Whether expat accepts what stands before the root, as UTF-8 and without entities of its own."""
    return not head or (len(head) <= _LONGEST_PROLOG and _accepts(head, b"<a/>", unit))


def is_epilog(tail: bytes) -> bool:
    """Whether expat accepts what stands after the root."""
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
