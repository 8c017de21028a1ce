"""Fast parser for many documents at once, which proves them well-formed or leaves them to expat."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.disk import narrow, stable_order
from excerpt.model.spans import BoolArray, IntArray, distinct
from excerpt.parse.expat import MAX_DEPTH, Malformed, create_parser, declares_utf8, feed
from excerpt.parse.tree import ElementColumns

if TYPE_CHECKING:
    from excerpt.model.judgments import OffsetUnit


WordArray = npt.NDArray[np.uint64]

WORD = 8
LONGEST = 64  # bytes of a piece
PADDING = b" " * (LONGEST + WORD)  # after a text, so that a word begins at each of its bytes

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
# Masks for the bytes of a word that belong to a piece, by the number of bytes left.
_MASKS = np.array([(1 << 8 * min(left, WORD)) - 1 for left in range(LONGEST + 1)], np.uint64)


def words_of(data: bytes) -> WordArray:
    """The eight bytes from each offset, as little-endian numbers."""
    return np.ndarray(len(data) - WORD + 1, "<u8", data, strides=(1,))


def cut(words: WordArray, mark: bytes) -> tuple[WordArray, BoolArray]:
    """Cut each word at the first byte that is `mark`; the second array is True for words without it."""
    # A well-known bit trick: the lowest bit of `(x - ones) & ~x & tops` is in the first byte that is zero.
    other = words ^ (_ONES * np.uint64(mark[0]))
    ends = (other - _ONES) & ~other & _TOPS
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def are_equal(
    words: WordArray, begin: IntArray, length: IntArray, pieces: Sequence[bytes], which: IntArray
) -> BoolArray:
    """Compare the `length` bytes (up to LONGEST) from each offset with the piece `which`, of that length."""
    table = _table(pieces)
    equal: BoolArray = words[begin] & _MASKS[length] == table[0][which]
    for rows, left, shift in _further_words(length):
        equal[rows] &= words[begin[rows] + shift] & _MASKS[left] == table[shift // WORD][which[rows]]
    return equal


def _table(pieces: Sequence[bytes]) -> WordArray:
    """The first words of all pieces, their second words and so on; 0 after the end of a piece."""
    width = -(-max(map(len, pieces)) // WORD) * WORD
    padded = b"".join([piece.ljust(width, b"\0") for piece in pieces])
    return np.ascontiguousarray(np.frombuffer(padded, "<u8").reshape(len(pieces), -1).T)


def _further_words(length: IntArray) -> Iterator[tuple[IntArray, IntArray, int]]:
    """For the second word, the third and so on: rows of pieces that have it, bytes left, and its offset."""
    rows = np.flatnonzero(length > WORD)
    left = length[rows] - WORD
    shift = WORD
    while len(rows):
        yield rows, left, shift
        longer = left > WORD
        rows, left = rows[longer], left[longer] - WORD
        shift += WORD


def number_pieces(data: bytes, begin: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
    """Number the pieces, equal for equal pieces; the second array is the first row of each number."""
    # No piece contains a NUL, so a piece padded with NULs is not equal to a longer one.
    words = words_of(data)
    columns = [words[begin] & _MASKS[length]]
    for rows, left, shift in _further_words(length):
        columns.append(np.zeros(len(begin), np.uint64))
        columns[-1][rows] = words[begin[rows] + shift] & _MASKS[left]
    first, number = distinct(*columns)
    return number, first


class Doubtful(Exception):
    """Raised if some documents need the parser."""

    def __init__(self, documents: BoolArray) -> None:
        super().__init__()
        self.documents = documents


class JoinedText:
    """Concatenated documents, in UTF-8, as bytes and as array; `bounds` are their starts and the last end."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.data = b"".join((*texts, PADDING))
        self.text = np.frombuffer(self.data, np.uint8)
        self.bounds: IntArray = np.cumsum([0, *map(len, texts)])
        self._doubted = np.zeros(len(texts), np.bool_)

    def documents_at(self, offsets: IntArray) -> IntArray:
        return np.searchsorted(self.bounds, offsets, "right") - 1

    def doubt(self, offsets: IntArray) -> None:
        """Mark the documents at these offsets as doubtful: they need the parser."""
        self._doubted[self.documents_at(offsets)] = True

    def doubt_documents(self, doubted: BoolArray) -> None:
        self._doubted |= doubted

    def require_no_doubts(self) -> None:
        """Raise Doubtful if a document is doubtful: conclusions about the others may be wrong."""
        if self._doubted.any():
            raise Doubtful(self._doubted)


def select_outside(offsets: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Select ascending offsets outside the ranges [begin, end), which are ascending and disjoint."""
    low, high = np.searchsorted(offsets, begin), np.searchsorted(offsets, end)
    if (low == high).all():
        return offsets
    change = np.zeros(len(offsets) + 1, np.int64)
    np.add.at(change, low, 1)
    np.add.at(change, high, -1)
    outside: BoolArray = np.cumsum(change[:-1]) == 0
    return offsets[outside]


NAME = rb"[A-Za-z_:][A-Za-z0-9_:.\-]*+"
_LT, _GT, _SLASH, _BRACKET, _BANG, _QUESTION = b"<>/]!?"
_CDATA = b"<![CDATA["
_DOCUMENT_TYPE = b"<!DOCTYPE"
_CDATA_END = b"]]>"
_EMPTY_CDATA = len(_CDATA + _CDATA_END)
_INSTRUCTION = re.compile(rb"<\?(?!(?i:xml)[?\s])%b(?=\s|\?>)" % NAME)
# With a `>` in a value.
_START_TAG = re.compile(rb"""<%b(?:\s+%b\s*=\s*(?:"[^"<]*"|'[^'<]*'))*+\s*/?>""" % (NAME, NAME))


class Sections(NamedTuple):
    """Begin and end (exclusive) of comments, instructions and CDATA sections."""

    begin: IntArray
    end: IntArray
    is_cdata: BoolArray


class Markup(NamedTuple):
    """Markup from `<` to `>`: rows of each kind, the depth after each, and the length that is not text."""

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
    """Find all markup; documents in which brackets do not match are doubtful."""
    text = joined.text
    masked = text | np.uint8(2)  # `<` and `>` differ in this one bit
    brackets = np.flatnonzero(np.equal(masked, _GT, out=masked.view(np.bool_)))
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
    """Check if `<` and `>` alternate, which is the usual case."""
    if len(brackets) % 2:
        return False
    return bool((text[brackets[::2]] == _LT).all() and (text[brackets[1::2]] == _GT).all())


def _sections(joined: JoinedText, opens: IntArray, second: npt.NDArray[np.uint8]) -> Sections:
    is_other = (second == _BANG) | (second == _QUESTION)
    others = opens[is_other]
    document = joined.documents_at(others)
    # Most documents begin with a declaration, which expat checks with everything before the root.
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
            end = limit  # otherwise thousands of sections without an end would each be searched for one
    joined.doubt(np.array(wrong, np.int64))
    joined.require_no_doubts()
    is_cdata = np.array([joined.data.startswith(_CDATA, at) for at in begins], np.bool_)
    return Sections(np.array(begins, np.int64), np.array(ends, np.int64), is_cdata)


def end_of_section(data: bytes, at: int, limit: int) -> int:
    """End of the comment, instruction or CDATA section that begins at a `<`; 0 if not before `limit`.

    >>> end_of_section(b"<!-- <a> --> <!-- b -- -->", 0, 26), end_of_section(b"<!-- -- -->", 0, 11)
    (12, 0)
    """
    if data.startswith(b"<!--", at):
        end = _after(b"--", data, at + 4, limit)
        return end + 1 if end < limit and data.startswith(b">", end) else 0
    if data.startswith(_CDATA, at):
        return _after(_CDATA_END, data, at + len(_CDATA), limit)
    instruction = _INSTRUCTION.match(data, at)
    return _after(b"?>", data, instruction.end(), limit) if instruction else 0


def _after(mark: bytes, data: bytes, begin: int, limit: int) -> int:
    """End of the next mark, 0 without one before the limit."""
    found = data.find(mark, begin, limit)
    return found + len(mark) if found >= 0 else 0


def _without_other_closes(joined: JoinedText, brackets: IntArray) -> IntArray:
    """Remove each `>` in the value of an attribute or in the text."""
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
    joined.require_no_doubts()
    return brackets


def _without_closes_in_values(joined: JoinedText, brackets: IntArray) -> IntArray:
    is_close = joined.text[brackets] == _GT
    # The first of several `>` ends the tag or is in one of its values.
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
    """Check that every document has markup, and that no markup crosses its end."""
    first = np.searchsorted(opens, joined.bounds)
    is_open = np.searchsorted(closes, joined.bounds[1:]) != first[1:]
    joined.doubt_documents(is_open | (np.diff(first) == 0))
    joined.require_no_doubts()


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
    # The content of a CDATA section is text.
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
# The part of a tag outside values: from `<` or a closing quote to the next opening quote.
_BEFORE_VALUE = re.compile(rb"(?:<(%b)|[\"'])\s+(%b)\s*=\s*" % (NAME, NAME))
_MOST_QUOTES = 1000  # of a tag with quotes in values
_DOUBLE, _SINGLE = b"\"'"


class StartTags:
    """The code and the length of the name of each start tag, and the names by code."""

    def __init__(self, joined: JoinedText, markup: Markup, quotes: IntArray) -> None:
        self.names: list[bytes] = []
        self._joined = joined
        self._codes: dict[bytes, int] = {}
        self._opens = markup.opens[markup.starts]
        stop = markup.closes[markup.starts] - markup.is_empty[markup.starts]
        stop -= joined.text[stop - 1] <= ord(" ")  # there may be one space before the end
        self._stop = stop
        last = joined.text[stop - 1]
        has_values = (last == _DOUBLE) | (last == _SINGLE)
        self.codes = np.empty(len(stop), np.int64)
        self.name_length = np.empty(len(stop), np.int64)
        self._take_simple(np.flatnonzero(~has_values))
        if has_values.any():
            self._take_with_values(np.flatnonzero(has_values), quotes)

    def _take_simple(self, rows: IntArray) -> None:
        """Name the tags that end with their name; others are doubtful."""
        begin = self._opens[rows] + 1
        number, pieces = self._number(begin, self._stop[rows] - begin)
        self._name(rows, number, [piece if _SIMPLE.fullmatch(piece) else None for piece in pieces])

    def _take_with_values(self, rows: IntArray, quotes: IntArray) -> None:
        """Name the tags that end with the value of an attribute."""
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
        """The quotes around values, opening and closing alternately, and the number of pairs of each tag."""
        # The first quote of a tag opens a value, and the next one of the same kind closes it, and so on.
        low, high = (np.searchsorted(quotes, ends) for ends in (self._opens[rows], self._stop[rows]))
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
        """Remove quotes in values: steps through the quotes of all tags that have some, at once."""
        kind = self._joined.text[quotes]
        first = np.cumsum(count) - count
        is_around = np.ones(len(quotes), np.bool_)
        open_quote = np.zeros(len(count), np.uint8)  # that began the current value, 0 outside values
        tags = self._mixed_tags(kind, count, first)
        left = count.copy()
        self._joined.doubt(self._opens[rows[tags[count[tags] > _MOST_QUOTES]]])
        self._joined.require_no_doubts()
        for step in range(int(count[tags].max(initial=0))):
            tags = tags[count[tags] > step]
            quote, current = first[tags] + step, open_quote[tags]
            is_around[quote] = around = (current == 0) | (kind[quote] == current)
            left[tags] -= ~around
            open_quote[tags] = np.where(around, np.where(current == 0, kind[quote], 0), current)
        self._joined.doubt(self._opens[rows[open_quote != 0]])
        self._joined.require_no_doubts()
        return quotes[is_around], left

    def _mixed_tags(self, kind: npt.NDArray[np.uint8], count: IntArray, first: IntArray) -> IntArray:
        """Tags in which quotes, taken in pairs, are incomplete or of different kinds."""
        is_mixed = count % 2 == 1
        changes = np.flatnonzero(kind[1:] != kind[:-1])  # a quote and the next one, perhaps of another tag
        tag = np.searchsorted(first, changes, "right") - 1
        place = changes - first[tag]
        is_mixed[tag[(place % 2 == 0) & (place + 1 < count[tag])]] = True
        return np.flatnonzero(is_mixed)

    def _number(self, begin: IntArray, length: IntArray) -> tuple[IntArray, list[bytes]]:
        data = self._joined.data
        is_long = length > LONGEST
        if is_long.any():
            self._joined.doubt(begin[is_long])
            length = np.minimum(length, LONGEST)
        number, first = number_pieces(data, begin, length)
        spans = zip(begin[first].tolist(), length[first].tolist(), strict=True)
        return number, [data[at : at + size] for at, size in spans]

    def _name(self, rows: IntArray, number: IntArray, names: list[bytes | None]) -> None:
        """Set the codes and name lengths of rows by their numbers; tags without a name are doubtful."""
        codes = [self._codes.setdefault(name, len(self._codes)) if name else -1 for name in names]
        self.names = list(self._codes)
        self.codes[rows] = np.array(codes, np.int64)[number]
        self.name_length[rows] = np.array([len(name or b"") for name in names], np.int64)[number]
        if -1 in codes:
            self._joined.doubt(self._opens[rows][self.codes[rows] < 0])

    def _check_distinct(self, names: list[bytes], number: IntArray, pairs: IntArray, opens: IntArray) -> None:
        distinct: dict[bytes, int] = {}
        codes = np.array([distinct.setdefault(name, len(distinct)) for name in names])
        first = np.cumsum(pairs) - pairs
        two = first[pairs == 2]  # the usual number if there are several
        self._joined.doubt(opens[pairs == 2][codes[number[two]] == codes[number[two + 1]]])
        many = np.repeat(pairs > 2, pairs)
        tag = np.repeat(np.arange(len(pairs)), pairs)[many]
        keys = np.sort(tag * len(distinct) + codes[number[many]])
        self._joined.doubt(opens[keys[1:][keys[1:] == keys[:-1]] // len(distinct)])


_PASSES = 5  # each without the documents that were doubtful in the pass before
_FIRST_BYTES = 0xC0  # least first byte of a character of several bytes in UTF-8
_FURTHER_BYTES = np.repeat([0, 1, 2, 3], [0xC0, 0x20, 0x10, 0x10])  # of a character, by its first byte
_QUOTE, _AMPERSAND, _APOSTROPHE = b"\"&'"
_PREDEFINED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}
_BY_NUMBER = re.compile(rb"#(?:([0-9]+)|x([0-9A-Fa-f]+))")
_LONGEST_PROLOG = 4096


class Proven(NamedTuple):
    """Documents proven well-formed: their numbers, their elements, tag names by code, texts in UTF-8."""

    documents: list[int]
    elements: ElementColumns
    names: list[bytes]
    texts: list[bytes]  # empty if they are not kept

    def appearances(self) -> Iterator[tuple[int, int, bytes]]:
        """For each name the first document and the first element that have it."""
        first = np.empty(len(self.names), np.int64)
        tag = self.elements.tag
        first[tag[::-1]] = np.arange(len(tag) - 1, -1, -1)  # of several values the last one stays
        roots = np.flatnonzero(self.elements.level == 0)
        documents = np.array(self.documents)[np.searchsorted(roots, first, "right") - 1]
        return zip(documents.tolist(), first.tolist(), self.names, strict=True)


def prove(documents: Sequence[bytes], unit: OffsetUnit, *, keep_text: bool = False) -> Proven | None:
    """Prove documents well-formed; all others, perhaps all, need the parser."""
    sources = {number: source for number, document in enumerate(documents) if (source := _source(document))}
    for _ in range(_PASSES):
        if not sources:
            break
        proof = _Proof(list(sources.values()), unit)
        try:
            elements, names = proof.elements()
        except Doubtful as doubt:
            rows = zip(sources.items(), doubt.documents, strict=True)
            sources = dict(source for source, is_doubtful in rows if not is_doubtful)
        else:
            return Proven(list(sources), elements, names, proof.texts() if keep_text else [])
    return None


def _source(document: bytes) -> bytes | None:
    """The document with line feeds only, None if it is clearly doubtful."""
    at = document.find(b"[")  # in a document type? other declarations are detected later
    if at >= 0 and document.startswith(b"<!DOCTYPE", max(document.rfind(b"<", 0, at), 0)):
        return None
    if b"\r" in document:
        document = document.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not document.isascii():
        try:
            text = document.decode()
        except UnicodeDecodeError:
            return None
        if "\ufffe" in text or "\uffff" in text:
            return None
    return document


class _Proof:
    """Proof that some documents are well-formed."""

    def __init__(self, sources: list[bytes], unit: OffsetUnit) -> None:
        self._unit = unit
        self._sources = sources
        self._joined = JoinedText(sources)

    def elements(self) -> tuple[ElementColumns, list[bytes]]:
        """The elements of all documents and the names of their tags; raises Doubtful."""
        joined = self._joined
        self._check_characters()
        self._markup = markup = find_markup(joined)
        self._check_surroundings(markup)
        joined.require_no_doubts()  # early, because some doubtful documents have other markup everywhere
        quotes, ampersands = self._quotes_and_ampersands(markup)
        starts = StartTags(joined, markup, quotes)
        excess = self._excess(markup, self._read_references(ampersands))
        joined.require_no_doubts()
        return self._nest(markup, starts, excess), starts.names

    def texts(self) -> list[bytes]:
        """The text of each document, after the proof: what is neither markup nor the rest of a reference."""
        markup, (at, length, characters) = self._markup, self._references
        text = self._joined.text.copy()
        # A reference has at least the four bytes of the longest character; bytes after a shorter one go.
        text[at[:, np.newaxis] + np.arange(4)] = characters.view(np.uint8).reshape(-1, 4)
        begin, end, is_cdata = markup.sections
        change = np.zeros(len(text), np.int8)  # of the number of begun pieces that go
        for going in (markup.opens, end[is_cdata] - len(_CDATA_END), at + np.char.str_len(characters)):
            change[going] += 1
        for staying in (markup.closes + 1, begin[is_cdata] + len(_CDATA), at + length):
            change[staying] -= 1
        is_text = np.cumsum(change, dtype=np.int8) == 0
        roots = zip(*(ends.tolist() for ends in self._roots), strict=True)
        return [text[begin:end][is_text[begin:end]].tobytes() for begin, end in roots]

    def _check_characters(self) -> None:
        """Check that tabs and line feeds are the only control characters; the others were checked before."""
        text = self._joined.text
        if text.min() < ord("\t") or (text - np.uint8(ord("\v"))).min() < ord(" ") - ord("\v"):
            self._joined.doubt(np.flatnonzero((text < ord(" ")) & (text != ord("\t")) & (text != ord("\n"))))

    def _check_surroundings(self, markup: Markup) -> None:
        """Check prologs, epilogs, and other markup between the first start tag and the last end tag."""
        joined, bounds = self._joined, self._joined.bounds
        starting, ending = markup.opens[markup.starts], markup.closes[markup.ends]
        first, last = np.searchsorted(starting, bounds), np.searchsorted(ending, bounds)
        joined.doubt_documents((np.diff(first) == 0) | (np.diff(last) == 0))
        joined.require_no_doubts()
        begin, end = self._roots = starting[first[:-1]], ending[last[1:] - 1]
        before, after = (begin - bounds[:-1]).tolist(), (end + 1 - bounds[1:]).tolist()
        rows = zip(self._sources, before, after, strict=True)
        pairs = [(document[:head], document[tail:] if tail else b"") for document, head, tail in rows]
        # Most documents of a corpus have the same prolog and epilog.
        valid = {pair: is_prolog(pair[0], self._unit) and is_epilog(pair[1]) for pair in set(pairs)}
        if not all(valid.values()):
            joined.doubt_documents(np.array([not valid[pair] for pair in pairs]))
        others = select_outside(markup.opens[markup.others], markup.sections.begin, markup.sections.end)
        document = joined.documents_at(others)
        joined.doubt(others[(others > begin[document]) & (others < end[document])])

    def _quotes_and_ampersands(self, markup: Markup) -> tuple[IntArray, IntArray]:
        masked = self._joined.text | np.uint8(5)  # these and `#` differ in two bits
        offsets = np.flatnonzero(np.equal(masked, _APOSTROPHE, out=masked.view(np.bool_)))
        kind = self._joined.text[offsets]
        ampersands = select_outside(offsets[kind == _AMPERSAND], markup.sections.begin, markup.sections.end)
        return offsets[(kind == _QUOTE) | (kind == _APOSTROPHE)], ampersands

    def _read_references(self, ampersands: IntArray) -> tuple[IntArray, IntArray, npt.NDArray[np.bytes_]]:
        """Offsets, lengths and characters of the references."""
        words, is_long = cut(words_of(self._joined.data)[ampersands + 1], b";")
        self._joined.doubt(ampersands[is_long])
        self._joined.require_no_doubts()
        distinct, which = np.unique(words, return_inverse=True)
        read = [read_reference(word, self._unit) for word in distinct.tolist()]
        length = np.array([length for length, _ in read], np.int64)[which]
        characters = np.array([character for _, character in read], "S4")[which]
        self._joined.doubt(ampersands[characters == b""])
        self._references = ampersands, length, characters
        return self._references

    def _excess(
        self, markup: Markup, references: tuple[IntArray, IntArray, npt.NDArray[np.bytes_]]
    ) -> IntArray:
        """Bytes by which the text before each tag is longer than its length in the unit of the index."""
        at, length, _ = references
        sums = self._sums_in_text(markup, at, length - 1)
        if self._unit == "char":
            text = self._joined.text
            at = np.flatnonzero(text >= _FIRST_BYTES)
            sums += self._sums_in_text(markup, at, _FURTHER_BYTES[text[at]])
        return np.cumsum(sums[:-1])

    def _sums_in_text(self, markup: Markup, at: IntArray, excess: IntArray) -> IntArray:
        """Sums by the number of the next tag; only CDATA sections contain text between brackets."""
        segment = np.searchsorted(markup.opens, at)
        in_text = markup.closes[segment - 1] < at
        inside, (begin, end, is_cdata) = at[~in_text], markup.sections
        low, high = np.searchsorted(end[is_cdata], inside), np.searchsorted(begin[is_cdata], inside)
        in_text[~in_text] = low < high
        return np.bincount(segment[in_text], excess[in_text], len(markup.opens) + 1).astype(np.int64)

    def _nest(self, markup: Markup, starts: StartTags, excess: IntArray) -> ElementColumns:
        is_empty = markup.is_empty[markup.starts]
        level = narrow(self._levels(markup, is_empty))
        by_level = stable_order(level)
        paired = by_level[~is_empty[by_level]] if is_empty.any() else by_level
        # The n-th start tag of a level is closed by the n-th end tag of that level.
        closing = markup.ends[stable_order(markup.depth[markup.ends])]
        self._check_names(markup, starts, paired, closing)
        self._joined.require_no_doubts()
        position = markup.opens - np.cumsum(markup.width) + markup.width - excess
        start = position[markup.starts]
        end = start.copy()
        end[paired] = position[closing]
        return ElementColumns(starts.codes, start, end, level, by_level)

    def _levels(self, markup: Markup, is_empty: BoolArray) -> npt.NDArray[np.int32]:
        """Depth of each element; checks that tags balance in each document and that it has one root."""
        joined = self._joined
        last = np.searchsorted(markup.opens, joined.bounds[1:]) - 1
        joined.doubt_documents(np.diff(markup.depth[last], prepend=0) != 0)
        joined.require_no_doubts()
        joined.doubt(markup.opens[markup.depth < 0])
        level = markup.depth[markup.starts] - 1 + is_empty
        joined.doubt(markup.opens[markup.starts[level >= MAX_DEPTH]])
        roots = joined.documents_at(markup.opens[markup.starts[level == 0]])
        joined.doubt_documents(np.bincount(roots, minlength=len(self._sources)) != 1)
        joined.require_no_doubts()
        return level

    def _check_names(self, markup: Markup, starts: StartTags, paired: IntArray, closing: IntArray) -> None:
        begin, length = markup.opens[closing] + 2, starts.name_length[paired]
        equal = markup.closes[closing] - begin == length
        equal &= are_equal(words_of(self._joined.data), begin, length, starts.names, starts.codes[paired])
        self._joined.doubt(begin[~equal])


# Checks of single pieces: a False may be wrong and leaves the document to the parser.


@functools.lru_cache(maxsize=4096)
def read_reference(word: int, unit: OffsetUnit) -> tuple[int, bytes]:
    """Length of a reference, whose name is given as a word, and its character, empty if doubtful."""
    name = word.to_bytes(8, "little").rstrip(b"\0")
    character = _PREDEFINED.get(name, "")
    if unit == "char" and (match := _BY_NUMBER.fullmatch(name)):
        code = int(match[1]) if match[1] else int(match[2], 16)
        usual = 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0xFFFF < code < 0x110000
        character = chr(code) if usual or code in (9, 10, 13) else ""
    return len(name) + 2, character.encode()


def is_prolog(head: bytes, unit: OffsetUnit) -> bool:
    """Check if expat accepts the bytes before the root, in UTF-8 and without declarations of entities."""
    return not head or (len(head) <= _LONGEST_PROLOG and _accepts(head, b"<a/>", unit))


def is_epilog(tail: bytes) -> bool:
    """Check if expat accepts the bytes after the root."""
    return tail in (b"", b"\n") or (len(tail) <= _LONGEST_PROLOG and _accepts(b"<a/>", tail, "char"))


@functools.lru_cache(maxsize=256)
def _accepts(head: bytes, tail: bytes, unit: OffsetUnit) -> bool:
    # A document type without an internal subset declares nothing by itself.
    if not (head.isascii() and tail.isascii() and declares_utf8(head)):
        return False
    if b"<!DOCTYPE" in head and (b"[" in head or unit == "byte"):
        return False
    try:
        feed(create_parser(None), head + tail, final=True)
    except Malformed:
        return False
    return True
