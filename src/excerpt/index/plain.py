"""Documents to events with numpy, for the many documents that are nothing but tags, text and references.

expat (without handlers, so at full speed) has already found such a document well-formed; then every `<` and
`>` belongs to a tag, and counting bytes is enough. Anything unusual is left to `scan`; the two must agree.
"""

from __future__ import annotations

import pyexpat
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from excerpt.index.encodings import BOM, is_utf8
from excerpt.index.scan import END, MAX_DEPTH, Events, IntArray, Tags, Unit, feed

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_START_TAG = re.compile(rb"<([^\s/>?]+)")
_SHORTEST_TAG = 3

Bytes = npt.NDArray[np.uint8]


def simplified(data: bytes, unit: Unit) -> bytes | None:
    """The document as `scan_plain` wants it, or None; raises Malformed where it is not well-formed."""
    if not is_utf8(data) or data.rfind(b"<?") > len(BOM) or _may_be_too_deep(data):
        return None
    plain = _COMMENT.sub(b"", data) if b"<!--" in data else data
    # Declarations and CDATA; in bytes, how long the character of a numeric reference is.
    if b"<!" in plain or (unit == "byte" and b"&#" in plain):
        return None
    if b"\r" in plain:
        plain = plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if plain.count(b"<") != plain.count(b">"):  # `>` as text or in an attribute
        return None
    feed(pyexpat.ParserCreate("utf-8" if data.startswith(BOM) else None), data, final=True)
    return plain


def _may_be_too_deep(data: bytes) -> bool:
    return len(data) > _SHORTEST_TAG * MAX_DEPTH and data.count(b"<") > MAX_DEPTH


def scan_plain(documents: Sequence[bytes], tags: Tags, *, unit: Unit) -> Events:
    """The events of documents that went through `simplified`, one after another."""
    data = b"".join(documents)
    text = np.frombuffer(data, np.uint8)
    opens, closes = np.flatnonzero(text == ord("<")), np.flatnonzero(text == ord(">"))
    positions = np.cumsum(_text_before(text, opens, closes, unit))
    second = text[opens + 1]
    is_end = second == ord("/")
    is_tag = second != ord("?")
    is_empty = (text[closes - 1] == ord("/")) & is_tag
    codes = np.full(len(opens), END)
    codes[~is_end & is_tag] = _codes(data, tags)
    copies = is_tag.astype(np.int64) + is_empty
    return _with_ends_of_empty(np.repeat(codes, copies), np.repeat(positions, copies), copies, is_empty)


def _with_ends_of_empty(
    codes: IntArray, positions: IntArray, copies: IntArray, is_empty: npt.NDArray[np.bool_]
) -> Events:
    """`<a/>` stands twice in the arrays; its second copy is the end."""
    codes[(np.cumsum(copies) - 1)[is_empty]] = END
    return Events(codes, positions)


def _codes(data: bytes, tags: Tags) -> IntArray:
    names = _START_TAG.findall(data)
    known = {name: tags.code(name) for name in dict.fromkeys(names)}
    return np.fromiter(map(known.__getitem__, names), np.int64, len(names))


def _text_before(text: Bytes, opens: IntArray, closes: IntArray, unit: Unit) -> IntArray:
    """The length of the text between each tag and the one before it."""
    begins = np.concatenate(([0], closes[:-1] + 1))
    lengths = opens - begins
    if unit == "char":
        continuing = np.flatnonzero((text & 0xC0) == 0x80)
        if len(continuing):
            lengths -= np.searchsorted(continuing, opens) - np.searchsorted(continuing, begins)
    return lengths - _reference_excess(text, opens, closes)


def _reference_excess(text: Bytes, opens: IntArray, closes: IntArray) -> IntArray:
    """By how much the references before each tag are longer than the one character they stand for."""
    ampersands = np.flatnonzero(text == ord("&"))
    segment = np.searchsorted(opens, ampersands)
    # Before its tag closes a reference is inside an attribute.
    in_text = segment == np.searchsorted(closes, ampersands)
    semicolons = np.flatnonzero(text == ord(";")) if len(ampersands) else ampersands
    excess = semicolons[np.searchsorted(semicolons, ampersands)] - ampersands
    return np.bincount(segment[in_text], excess[in_text], len(opens)).astype(np.int64)
