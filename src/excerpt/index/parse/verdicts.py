"""Small pieces of documents judged one by one: references, comments, what stands around a root.

Each answer no may be wrong, and leaves the document to the parser; an answer yes never is.
"""

from __future__ import annotations

import functools
import re

from excerpt.index.parse.encodings import declares_utf8
from excerpt.index.parse.expat import Malformed, Unit, create_parser, feed

_PREDEFINED = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_BY_NUMBER = re.compile(rb"#(?:([0-9]+)|x([0-9A-Fa-f]+))")
_INSTRUCTION = re.compile(rb"<\?(?!(?i:xml)[?\s])[A-Za-z_:][A-Za-z0-9_:.\-]*(?:\s[^>]*)?\?>")
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


def is_comment_or_instruction(markup: bytes) -> bool:
    """Whether something from a `<` to the next `>` is a whole comment or processing instruction."""
    if markup.startswith(b"<?"):
        return _INSTRUCTION.fullmatch(markup) is not None
    return markup.startswith(b"<!--") and markup.find(b"--", 4) == len(markup) - 3 >= 4


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
