"""Small pieces of documents judged one by one: references, comments, what stands around a root.

Each answer no may be wrong, and leaves the document to the parser; an answer yes never is.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from excerpt.index.parse.encodings import declares_utf8
from excerpt.index.parse.expat import Malformed, create_parser, feed

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit

NAME = rb"[A-Za-z_:][A-Za-z0-9_:.\-]*+"
_PREDEFINED = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_BY_NUMBER = re.compile(rb"#(?:([0-9]+)|x([0-9A-Fa-f]+))")
_INSTRUCTION = re.compile(rb"<\?(?!(?i:xml)[?\s])%b(?=\s|\?>)" % NAME)
_CDATA = b"<![CDATA["
_LONGEST_PROLOG = 4096


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
