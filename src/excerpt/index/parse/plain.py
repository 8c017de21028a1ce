"""Documents to events with numpy, for the many documents that are nothing but tags, text and references.

expat (without handlers, so at full speed) has already found such a document well-formed; then every `<` and
`>` belongs to a tag, and counting bytes is enough. Anything unusual is left to `scan`; the two must agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.parse.encodings import BOM, Undecodable, as_utf8, codec_for_expat, is_utf8
from excerpt.index.parse.expat import (
    END,
    MAX_DEPTH,
    Events,
    IntArray,
    Malformed,
    Tags,
    Unit,
    create_parser,
    feed,
)
from excerpt.index.parse.words import WORD, cut, words_of

_QUOTED = rb"""(?:"[^"]*"|'[^']*')"""
_SUBSET = rb"\[(?:[^\]\"'<]|" + _QUOTED + rb"|<!--.*?-->|<\?.*?\?>|<(?!!--|\?))*\]"
_EXTERNAL = rb"\s+(?:SYSTEM|PUBLIC\s+" + _QUOTED + rb")\s+" + _QUOTED
_DOCTYPE = rb"<!DOCTYPE\s+[^\s>\[]+(?:" + _EXTERNAL + rb")?\s*(?:" + _SUBSET + rb"\s*)?>"
# In a well-formed document `<!` and `<?` begin markup wherever they are not inside of other such markup.
_OTHER_MARKUP = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|" + _DOCTYPE, re.DOTALL)
_DECLARATION = (b"<?xml ", b"<?xml\t", b"<?xml\n")  # while `<?xml-stylesheet` may have anything in it
_CLOSE_IN_ATTRIBUTE = re.compile(rb"""=\s*(?:"[^"<>]*>|'[^'<>]*>)""")
_NAMED_REFERENCE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9a-fA-Fx]+);)")
_ODD_REFERENCE = re.compile(rb"&[^;<]*[\x80-\xff]")
_NAME = re.compile(rb"[^\s/>]+")
_SHORTEST_TAG = 3
_FIRST_BYTES = -64  # as signed bytes, those that continue a character in UTF-8 are below

Bytes = npt.NDArray[np.uint8]


class Plain(NamedTuple):
    """A document without anything but tags, text and references; and how many entities were left unread."""

    text: bytes
    unread: int


def simplified(data: bytes, unit: Unit) -> Plain | None:
    """The document as `scan_plain` wants it, or None; raises Malformed where it is not well-formed."""
    encoding = "utf-8" if data.startswith(BOM) else None
    if not is_utf8(data):
        if (codec := codec_for_expat(data)) is None:
            return None
        data, encoding = _decoded(data, codec), "utf-8"
    if _may_be_too_deep(data):
        return None
    unread = _check(data, encoding)
    if b"\r" in data:  # as long as CR and LF with markup between them are two line ends
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    # Only now: in a document that is not well-formed the patterns could search for ends that never come.
    plain = data
    # What is in the XML declaration does not matter: it is before the root.
    content = data.find(b"?>") if data.removeprefix(BOM).startswith(_DECLARATION) else 0
    if _has(data, b"<!") or _has(data, b"<?", content):
        plain = _OTHER_MARKUP.sub(_as_text, data)
        if b"<!" in plain or (b"<!DOCTYPE" in data and _has_entities(data, plain, unit)):
            return None
    if unit == "byte" and b"&#" in plain:  # how many bytes the character has is not seen
        return None
    return Plain(plain, unread)


def _has_entities(data: bytes, plain: bytes, unit: Unit) -> bool:
    """Whether a reference may stand for anything but one character, or its own name confuse the counting."""
    if b"<!ENTITY" in data and _NAMED_REFERENCE.search(plain):
        return True
    return unit == "byte" or _ODD_REFERENCE.search(plain) is not None


def _as_text(markup: re.Match[bytes]) -> bytes:
    """CDATA as text with references; nothing for comments, instructions and document types."""
    cdata = markup[1] or b""
    return cdata.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")


def _decoded(data: bytes, codec: str) -> bytes:
    try:
        return b"".join(as_utf8((data,), codec))
    except Undecodable as error:
        raise Malformed(error.line, error.message) from None


def _check(data: bytes, encoding: str | None) -> int:
    """Let expat say whether the document is well-formed; returns how many entities nobody declared."""
    skipped: list[bool] = []
    parser = create_parser(encoding)
    parser.SkippedEntityHandler = lambda _name, is_parameter: skipped.append(is_parameter)
    feed(parser, data, final=True)
    return skipped.count(False)


def _has(data: bytes, mark: bytes, start: int = 0) -> bool:
    # One byte is found many times as fast as two, and mostly there is none.
    return data.find(mark[1:], start) >= 0 and data.find(mark, start) >= 0


def _may_be_too_deep(data: bytes) -> bool:
    return len(data) > _SHORTEST_TAG * MAX_DEPTH and data.count(b"<") > MAX_DEPTH


def has_close_in_attribute(data: bytes) -> bool:
    """Whether a `>` may be in an attribute; the answer yes can be wrong, and costs time only."""
    return _CLOSE_IN_ATTRIBUTE.search(data) is not None


def scan_plain(documents: Sequence[bytes], tags: Tags, *, unit: Unit) -> Events | None:
    """The events of documents that went through `simplified`; None where `has_close_in_attribute` matters."""
    data = b"".join((*documents, bytes(2 * WORD)))  # so that words begin at every tag
    text = np.frombuffer(data, np.uint8)
    brackets = np.flatnonzero((text | 2) == ord(">"))  # `<` and `>` differ in this one bit
    is_close = text[brackets] == ord(">")
    is_text = is_close[1:] & is_close[:-1]
    if is_text.any():
        if has_close_in_attribute(data):
            return None
        brackets = brackets[np.concatenate(([True], ~is_text))]
    opens, closes = brackets[::2], brackets[1::2]
    positions = np.cumsum(_text_before(data, text, opens, closes, unit))
    second = text[opens + 1]
    is_tag = second != ord("?")
    is_empty = (text[closes - 1] == ord("/")) & is_tag
    codes = np.full(len(opens), END)
    is_start = (second != ord("/")) & is_tag
    codes[is_start] = _codes(data, opens[is_start] + 1, tags)
    # `<a/>` stands twice in the arrays; its second copy is the end.
    copies = is_tag.astype(np.int64) + is_empty
    codes = np.repeat(codes, copies)
    codes[(np.cumsum(copies) - 1)[is_empty]] = END
    return Events(codes, np.repeat(positions, copies))


class _Codes(dict[bytes, int]):
    """Codes of tags by their names in UTF-8."""

    def __init__(self, tags: Tags) -> None:
        self._tags = tags

    def __missing__(self, name: bytes) -> int:
        code = self[name] = self._tags.code(name)
        return code


def _codes(data: bytes, starts: IntArray, tags: Tags) -> IntArray:
    """The codes of the tags whose names begin at `starts`."""
    words = words_of(data)
    first, is_long = cut(words[starts], b"/>", blanks=True)
    rest, is_longer = cut(words[starts + WORD], b"/>", blanks=True)
    rest[~is_long] = 0
    # Two words side by side, read as sixteen bytes padded with NUL, are the name itself.
    names = np.stack((first, rest), axis=1).astype("<u8").view("S16").ravel().tolist()
    for row in np.flatnonzero(is_long & is_longer).tolist():
        match = _NAME.match(data, int(starts[row]))
        assert match is not None
        names[row] = match[0]
    return np.fromiter(map(_Codes(tags).__getitem__, names), np.int64, len(names))


def _text_before(data: bytes, text: Bytes, opens: IntArray, closes: IntArray, unit: Unit) -> IntArray:
    """The length of the text between each tag and the one before it."""
    begins = np.concatenate(([0], closes[:-1] + 1))
    lengths = opens - begins
    if unit == "char" and not data.isascii():
        continuing = np.flatnonzero(text.view(np.int8) < _FIRST_BYTES)
        lengths -= np.searchsorted(continuing, opens) - np.searchsorted(continuing, begins)
    return lengths - _reference_excess(text, opens, closes) if b"&" in data else lengths


def _reference_excess(text: Bytes, opens: IntArray, closes: IntArray) -> IntArray:
    """By how much the references before each tag are longer than the one character they stand for."""
    ampersands, semicolons = np.flatnonzero(text == ord("&")), np.flatnonzero(text == ord(";"))
    segment = np.searchsorted(opens, ampersands)
    # Before its tag closes a reference is inside an attribute.
    in_text = segment == np.searchsorted(closes, ampersands)
    excess = semicolons[np.searchsorted(semicolons, ampersands)] - ampersands
    return np.bincount(segment[in_text], excess[in_text], len(opens)).astype(np.int64)
