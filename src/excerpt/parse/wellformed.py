"""Proof that many documents are well-formed, all at once."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.model.spans import BoolArray, IntArray, distinct
from excerpt.parse.expat import MAX_DEPTH, Malformed, create_parser, declares_utf8, feed
from excerpt.parse.tree import Elements, narrow, stable_order

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit


Words = npt.NDArray[np.uint64]

WORD = 8
LONGEST = 64  # bytes of a piece
PADDING = b" " * (LONGEST + WORD)  # after a text, so that words begin everywhere in it

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
# What of a word belongs to a piece of which so many bytes are left.
_MASKS = np.array([(1 << 8 * min(left, WORD)) - 1 for left in range(LONGEST + 1)], np.uint64)


def words_of(data: bytes) -> Words:
    """The eight bytes that begin at each place, as one number whose lowest byte is the first."""
    return np.ndarray(len(data) - WORD + 1, "<u8", data, strides=(1,))


def cut(words: Words, mark: bytes) -> tuple[Words, BoolArray]:
    """Each word up to the first byte that is `mark`, and whether there was none.

    The usual trick on words: the lowest bit of `(x - ones) & ~x & tops` is in the first byte that is zero.
    """
    other = words ^ (_ONES * np.uint64(mark[0]))
    ends = (other - _ONES) & ~other & _TOPS
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def are(
    words: Words, begin: IntArray, length: IntArray, pieces: Sequence[bytes], which: IntArray
) -> BoolArray:
    """Whether the `length` bytes (up to LONGEST) at each place are the piece of that length it names."""
    table = _table(pieces)
    equal: BoolArray = words[begin] & _MASKS[length] == table[0][which]
    for rows, left, at in _further(length):
        equal[rows] &= words[begin[rows] + at] & _MASKS[left] == table[at // WORD][which[rows]]
    return equal


def _table(pieces: Sequence[bytes]) -> Words:
    """The first words of all pieces, their second ones and so on; what a piece does not have is 0."""
    width = -(-max(map(len, pieces)) // WORD) * WORD
    padded = b"".join([piece.ljust(width, b"\0") for piece in pieces])
    return np.ascontiguousarray(np.frombuffer(padded, "<u8").reshape(len(pieces), -1).T)


def _further(length: IntArray) -> Iterator[tuple[IntArray, IntArray, int]]:
    """The rows of pieces that have a second word, a third one and so on; what is left there; where it is."""
    rows = np.flatnonzero(length > WORD)
    left = length[rows] - WORD
    at = WORD
    while len(rows):
        yield rows, left, at
        longer = left > WORD
        rows, left = rows[longer], left[longer] - WORD
        at += WORD


def number_pieces(data: bytes, begin: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
    """A number for each piece, equal for equal pieces, and the first place of each number, ascending.

    No piece has a NUL in it, so a shorter one is not a longer one that ends in them.
    """
    words = words_of(data)
    columns = [words[begin] & _MASKS[length]]
    for rows, left, at in _further(length):
        columns.append(np.zeros(len(begin), np.uint64))
        columns[-1][rows] = words[begin[rows] + at] & _MASKS[left]
    first, number = distinct(*columns)
    return number, first


class Doubtful(Exception):
    """Some documents need the parser."""

    def __init__(self, documents: BoolArray) -> None:
        super().__init__()
        self.documents = documents


class JoinedText:
    """Documents one after another, with one byte for each unit of the index.

    `data` and `text` are the same bytes, for Python and for numpy; `bounds` are where documents begin, and
    the end of the last.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.data = b"".join((*texts, PADDING))
        self.text = np.frombuffer(self.data, np.uint8)
        self.bounds: IntArray = np.cumsum([0, *map(len, texts)])
        self._doubted = np.zeros(len(texts), np.bool_)

    def documents_at(self, places: IntArray) -> IntArray:
        """The document that holds each place."""
        return np.searchsorted(self.bounds, places, "right") - 1

    def doubt(self, places: IntArray) -> None:
        """Documents that hold one of the places need the parser."""
        self._doubted[self.documents_at(places)] = True

    def doubt_documents(self, doubted: BoolArray) -> None:
        """These documents need the parser."""
        self._doubted |= doubted

    def settle(self) -> None:
        """Give up where there are doubts: one document may have misled what was found out about others."""
        if self._doubted.any():
            raise Doubtful(self._doubted)


def select_outside(places: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """The places, which ascend, that are in none of the ranges [begin, end), which ascend and do not meet."""
    low, high = np.searchsorted(places, begin), np.searchsorted(places, end)
    if (low == high).all():
        return places
    change = np.zeros(len(places) + 1, np.int64)
    np.add.at(change, low, 1)
    np.add.at(change, high, -1)
    outside: BoolArray = np.cumsum(change[:-1]) == 0
    return places[outside]


NAME = rb"[A-Za-z_:][A-Za-z0-9_:.\-]*+"
_LT, _GT, _SLASH, _BRACKET, _BANG, _QUESTION = b"<>/]!?"
_CDATA = b"<![CDATA["
_DOCUMENT_TYPE = b"<!DOCTYPE"
_EMPTY_CDATA = len(b"<![CDATA[]]>")
_INSTRUCTION = re.compile(rb"<\?(?!(?i:xml)[?\s])%b(?=\s|\?>)" % NAME)
_START_TAG = re.compile(
    rb"""<%b(?:\s+%b\s*=\s*(?:"[^"<]*"|'[^'<]*'))*+\s*/?>""" % (NAME, NAME)
)  # with a `>` in a value


class Sections(NamedTuple):
    """Comments, instructions and CDATA sections: where each begins and ends (exclusive)."""

    begin: IntArray
    end: IntArray
    is_cdata: BoolArray


class Markup(NamedTuple):
    """Everything from a `<` to its `>`: rows of each kind, the depth after each, how much is no text."""

    opens: IntArray
    closes: IntArray
    is_empty: BoolArray
    starts: IntArray
    ends: IntArray
    others: IntArray
    depth: npt.NDArray[np.int32]
    width: IntArray
    sections: Sections


def find_markup(joined: JoinedText) -> Markup:
    """All markup; documents in which brackets do not fit together are doubtful."""
    text = joined.text
    found = text | np.uint8(2)  # `<` and `>` differ in this one bit
    brackets = np.flatnonzero(np.equal(found, _GT, out=found.view(np.bool_)))
    alternate = _alternate(text, brackets)
    opens = brackets[::2] if alternate else brackets[text[brackets] == _LT]
    second = text[opens + 1]
    sections = _sections(joined, opens, second)
    outer = select_outside(brackets, sections.begin + 1, sections.end - 1)
    if not alternate or outer is not brackets:
        if not _alternate(text, outer):
            outer = _without_other_closes(joined, outer)
        opens = outer[::2]
        second = text[opens + 1]
    closes = outer[1::2]
    _check_bounds(joined, opens, closes)
    return _classify(text, opens.copy(), closes.copy(), second, sections)


def _alternate(text: npt.NDArray[np.uint8], brackets: IntArray) -> bool:
    """Whether the brackets are `<` and `>` in turn, as they nearly always are."""
    if len(brackets) % 2:
        return False
    return bool((text[brackets[::2]] == _LT).all() and (text[brackets[1::2]] == _GT).all())


def _sections(joined: JoinedText, opens: IntArray, second: npt.NDArray[np.uint8]) -> Sections:
    is_other = (second == _BANG) | (second == _QUESTION)
    others = opens[is_other]
    document = joined.documents_at(others)
    # Most documents begin with a declaration, which expat sees with all that is before the root.
    inner = (others != joined.bounds[document]) | (second[is_other] == _BANG)
    limits = joined.bounds[document[inner] + 1].tolist()
    begins, ends, wrong, end = [], [], [], 0
    for at, limit in zip(others[inner].tolist(), limits, strict=True):
        if at < end:
            continue
        if found := end_of_section(joined.data, at, limit):
            end = found
            begins.append(at)
            ends.append(end)
        elif not joined.data.startswith(_DOCUMENT_TYPE, at):
            wrong.append(at)
            end = limit  # else thousands of sections without an end would each be searched for one
    joined.doubt(np.array(wrong, np.int64))
    joined.settle()
    is_cdata = np.array([joined.data.startswith(_CDATA, at) for at in begins], np.bool_)
    return Sections(np.array(begins, np.int64), np.array(ends, np.int64), is_cdata)


def end_of_section(data: bytes, at: int, limit: int) -> int:
    """Where the comment, instruction or CDATA section that begins at a `<` ends, not after `limit`; 0: no.

    >>> end_of_section(b"<!-- <a> --> <!-- b -- -->", 0, 26), end_of_section(b"<!-- -- -->", 0, 11)
    (12, 0)
    """
    if data.startswith(b"<!--", at):
        end = _after(b"--", data, at + 4, limit)
        return end + 1 if end < limit and data.startswith(b">", end) else 0
    if data.startswith(_CDATA, at):
        return _after(b"]]>", data, at + len(_CDATA), limit)
    instruction = _INSTRUCTION.match(data, at)
    return _after(b"?>", data, instruction.end(), limit) if instruction else 0


def _after(mark: bytes, data: bytes, begin: int, limit: int) -> int:
    """Where the next mark ends; 0 where there is none before the limit."""
    found = data.find(mark, begin, limit)
    return found + len(mark) if found >= 0 else 0


def _without_other_closes(joined: JoinedText, brackets: IntArray) -> IntArray:
    """The brackets without any `>` in the value of an attribute or in the text."""
    text = joined.text
    brackets = _without_closes_in_values(joined, brackets)
    is_close = text[brackets] == _GT
    in_text = _follow_a_close(is_close)
    at = brackets[in_text]
    joined.doubt(at[(text[at - 1] == _BRACKET) & (text[at - 2] == _BRACKET)])
    brackets, is_close = brackets[~in_text], is_close[~in_text]
    joined.doubt(brackets[:-1][~is_close[1:] & ~is_close[:-1]])
    joined.doubt(brackets[:1][is_close[:1]])
    joined.doubt(brackets[-1:][~is_close[-1:]])
    joined.settle()
    return brackets


def _without_closes_in_values(joined: JoinedText, brackets: IntArray) -> IntArray:
    is_close = joined.text[brackets] == _GT
    # The first of several `>` ends the tag or is in a value of it.
    first = np.flatnonzero(_follow_a_close(is_close)) - 1
    first = first[(first > 0) & ~is_close[first - 1]]
    begins, ends = [], []
    for at, close in zip(brackets[first - 1].tolist(), brackets[first].tolist(), strict=True):
        tag = _START_TAG.match(joined.data, at)
        if tag is not None and tag.end() - 1 > close:
            begins.append(at + 1)
            ends.append(tag.end() - 1)
    return select_outside(brackets, np.array(begins, np.int64), np.array(ends, np.int64))


def _follow_a_close(is_close: BoolArray) -> BoolArray:
    return np.concatenate(([False], is_close[1:] & is_close[:-1]))


def _check_bounds(joined: JoinedText, opens: IntArray, closes: IntArray) -> None:
    """Every document has markup, and no markup reaches over its end."""
    first = np.searchsorted(opens, joined.bounds)
    is_open = np.searchsorted(closes, joined.bounds[1:]) != first[1:]
    joined.doubt_documents(is_open | (np.diff(first) == 0))
    joined.settle()


def _classify(
    text: npt.NDArray[np.uint8],
    opens: IntArray,
    closes: IntArray,
    second: npt.NDArray[np.uint8],
    sections: Sections,
) -> Markup:
    is_end = second == _SLASH
    is_other = (second == _BANG) | (second == _QUESTION)
    is_start = ~(is_end | is_other)
    is_empty = (text[closes - 1] == _SLASH) & is_start
    step = is_start.view(np.int8) - is_end.view(np.int8) - is_empty.view(np.int8)
    width = closes - opens + 1
    # What is inside of a CDATA section is text.
    width[np.searchsorted(opens, sections.begin[sections.is_cdata])] = _EMPTY_CDATA
    return Markup(
        opens,
        closes,
        is_empty,
        np.flatnonzero(is_start),
        np.flatnonzero(is_end),
        np.flatnonzero(is_other),
        np.cumsum(step, dtype=np.int32),
        width,
        sections,
    )


_SIMPLE = re.compile(NAME)
# What is outside of the values of attributes: from `<` or a closing quote to the next opening quote.
_BEFORE_VALUE = re.compile(rb"(?:<(%b)|[\"'])\s+(%b)\s*=\s*" % (NAME, NAME))
_MOST_QUOTES = 1000  # of a tag with quotes inside of values
_DOUBLE, _SINGLE = b"\"'"


class StartTags:
    """The code and the length of the name of each start tag, and the names by code."""

    def __init__(self, joined: JoinedText, markup: Markup, quotes: IntArray) -> None:
        self.names: list[bytes] = []
        self._joined = joined
        self._known: dict[bytes, int] = {}
        self._opens = markup.opens[markup.starts]
        stop = markup.closes[markup.starts] - markup.is_empty[markup.starts]
        stop -= joined.text[stop - 1] <= ord(" ")  # one blank may be before the end
        self._stop = stop
        last = joined.text[stop - 1]
        has_values = (last == _DOUBLE) | (last == _SINGLE)
        self.codes = np.empty(len(stop), np.int64)
        self.name_length = np.empty(len(stop), np.int64)
        self._take_simple(np.flatnonzero(~has_values))
        if has_values.any():
            self._take_with_values(np.flatnonzero(has_values), quotes)

    def _take_simple(self, rows: IntArray) -> None:
        """Tags that end with their name, or else are doubtful."""
        begin = self._opens[rows] + 1
        number, pieces = self._number(begin, self._stop[rows] - begin)
        self._name(rows, number, [piece if _SIMPLE.fullmatch(piece) else None for piece in pieces])

    def _take_with_values(self, rows: IntArray, quotes: IntArray) -> None:
        """Tags that end with the value of an attribute."""
        quotes, pairs = self._quotes_around_values(rows, quotes)
        opening, closing = quotes[::2], quotes[1::2]
        first = np.cumsum(pairs) - pairs
        begin = np.empty_like(opening)
        begin[1:] = closing[:-1]
        begin[first] = self._opens[rows]
        number, pieces = self._number(begin, opening - begin)
        matches = [_BEFORE_VALUE.fullmatch(piece) for piece in pieces]
        is_good = np.array([match is not None for match in matches])
        self._joined.doubt(begin[~is_good[number]])
        self._name(rows, number[first], [match and match[1] for match in matches])
        if len(number) > len(rows):
            names = [match[2] if match else b"" for match in matches]
            self._check_distinct(names, number, pairs, self._opens[rows])

    def _quotes_around_values(self, rows: IntArray, quotes: IntArray) -> tuple[IntArray, IntArray]:
        """The quotes around values, an opening and a closing one in turn, and how many pairs each tag has.

        The first quote of a tag opens a value. If the next one is of the same kind it closes it, and so on;
        few tags have quotes inside of a value.
        """
        low, high = (np.searchsorted(quotes, places) for places in (self._opens[rows], self._stop[rows]))
        count = high - low
        if int(count.sum()) < len(quotes):
            change = np.zeros(len(quotes) + 1, np.int8)
            change[low] += 1
            change[high] -= 1
            quotes = quotes[np.cumsum(change[:-1], dtype=np.int8) > 0]
        kind = self._joined.text[quotes]
        if (count % 2).any() or (kind[::2] != kind[1::2]).any():
            quotes, count = self._pair_mixed(rows, quotes, count)
        return quotes, count // 2

    def _pair_mixed(self, rows: IntArray, quotes: IntArray, count: IntArray) -> tuple[IntArray, IntArray]:
        """The quotes without those inside of values: a walk through all tags with such at once."""
        kind = self._joined.text[quotes]
        first = np.cumsum(count) - count
        is_around = np.ones(len(quotes), np.bool_)
        inside = np.zeros(len(count), np.uint8)  # the quote that a value began with, 0 outside of values
        left = np.flatnonzero(self._are_mixed(quotes, count))
        self._joined.doubt(self._opens[rows[left[count[left] > _MOST_QUOTES]]])
        self._joined.settle()
        for step in range(int(count[left].max(initial=0))):
            left = left[count[left] > step]
            place, current = first[left] + step, inside[left]
            is_around[place] = meets = (current == 0) | (kind[place] == current)
            inside[left] = np.where(meets, np.where(current == 0, kind[place], 0), current)
        self._joined.doubt(self._opens[rows[inside != 0]])
        self._joined.settle()
        tag = np.repeat(np.arange(len(count)), count)
        return quotes[is_around], np.bincount(tag[is_around], minlength=len(count))

    def _are_mixed(self, quotes: IntArray, count: IntArray) -> BoolArray:
        """Which tags have a quote whose partner, by its place, is missing or of the other kind."""
        kind = self._joined.text[quotes]
        tag = np.repeat(np.arange(len(count)), count)
        first = np.flatnonzero((np.arange(len(tag)) - (np.cumsum(count) - count)[tag]) % 2 == 0)
        second = np.minimum(first + 1, len(tag) - 1)
        wrong = (first == second) | (tag[first] != tag[second]) | (kind[first] != kind[second])
        is_mixed = np.zeros(len(count), np.bool_)
        is_mixed[tag[first[wrong]]] = True
        return is_mixed

    def _number(self, begin: IntArray, length: IntArray) -> tuple[IntArray, list[bytes]]:
        data = self._joined.data
        is_long = length > LONGEST
        if is_long.any():
            self._joined.doubt(begin[is_long])
            length = np.minimum(length, LONGEST)
        number, first = number_pieces(data, begin, length)
        places = zip(begin[first].tolist(), length[first].tolist(), strict=True)
        return number, [data[at : at + size] for at, size in places]

    def _name(self, rows: IntArray, number: IntArray, names: list[bytes | None]) -> None:
        """Give rows the names of their numbers; where there is none the tag is doubtful."""
        codes = [self._known.setdefault(name, len(self._known)) if name else -1 for name in names]
        self.names = list(self._known)
        self.codes[rows] = np.array(codes, np.int64)[number]
        self.name_length[rows] = np.array([len(name or b"") for name in names], np.int64)[number]
        if -1 in codes:
            self._joined.doubt(self._opens[rows][self.codes[rows] < 0])

    def _check_distinct(self, names: list[bytes], number: IntArray, pairs: IntArray, opens: IntArray) -> None:
        """No tag has two attributes of one name."""
        known: dict[bytes, int] = {}
        codes = np.array([known.setdefault(name, len(known)) for name in names])
        first = np.cumsum(pairs) - pairs
        two = first[pairs == 2]  # most tags with several have two
        self._joined.doubt(opens[pairs == 2][codes[number[two]] == codes[number[two + 1]]])
        many = np.repeat(pairs > 2, pairs)
        tag = np.repeat(np.arange(len(pairs)), pairs)[many]
        keys = np.sort(tag * len(known) + codes[number[many]])
        self._joined.doubt(opens[keys[1:][keys[1:] == keys[:-1]] // len(known)])


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

    def appearances(self) -> Iterator[tuple[int, int, bytes]]:
        """For each name the first document that has it, and where among these elements."""
        first = np.empty(len(self.names), np.int64)
        tag = self.elements.tag
        first[tag[::-1]] = np.arange(len(tag) - 1, -1, -1)  # of several values the last one stays
        roots = np.flatnonzero(self.elements.level == 0)
        documents = np.array(self.documents)[np.searchsorted(roots, first, "right") - 1]
        return zip(documents.tolist(), first.tolist(), self.names, strict=True)


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
