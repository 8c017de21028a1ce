"""Which encoding a document is in, and UTF-8 made of those that expat cannot read (XML 1.0, appendix F)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

_DECLARED = re.compile(rb"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._\-]*)["']""")
BOM = b"\xef\xbb\xbf"
_EBCDIC = b"\x4c\x6f\xa7\x94"
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_UTF32 = {
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\x00<": "utf-32-be",
    b"<\x00\x00\x00": "utf-32-le",
}
_EXPAT_NAMES = frozenset({"utf-8", "us-ascii", "utf-16", "utf-16le", "utf-16be"})
HEAD = 1024  # bytes; a declaration is at the very beginning


class Malformed(Exception):
    """A document that cannot be indexed, with the line where that became clear."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message

    def __reduce__(self) -> tuple[object, ...]:
        return (Malformed, (self.line, self.message))  # errors travel between worker processes


def declares_utf8(head: bytes) -> bool:
    """Whether what stands before the root says that the document is UTF-8, or says nothing."""
    if b"encoding" not in head:
        return True
    declared = _DECLARED.match(head, 0, HEAD)
    return declared is not None and declared[1].lower() == b"utf-8"


def codec_for_expat(head: bytes) -> str | None:
    """The codec that must decode a document before expat, or None where expat is left to read it by itself.

    >>> codec_for_expat(b'<?xml version="1.0" encoding="Shift_JIS"?><a/>')
    'Shift_JIS'
    >>> codec_for_expat(b'<?xml version="1.0" encoding="US-ASCII"?><a/>')
    """
    if head.startswith(BOM):
        return None  # the mark is certain, a declaration beside it may be stale
    if head[:4] in _UTF32:
        return _UTF32[head[:4]]
    if head.startswith(_UTF16):
        return None
    if head.startswith(_EBCDIC):
        head = head[:HEAD].decode("cp037").encode("utf-8", "replace")
    declared = _DECLARED.match(head, 0, HEAD)
    if declared is None or declared[1].decode().lower() in _EXPAT_NAMES:
        return None
    return declared[1].decode()


def as_utf8(chunks: Iterable[bytes], codec: str) -> Iterator[bytes]:
    """The same text in UTF-8; raises Malformed with the line."""
    try:
        "x".encode(codec)  # refuses codecs that do not make text, such as base64
        decoder = codecs.getincrementaldecoder(codec)()
    except (LookupError, ValueError):
        raise Malformed(1, f"unknown encoding {codec!r}") from None
    lines = 1
    for chunk in chunks:
        text = _decode(decoder, codec, chunk, lines)
        lines += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")
    yield _decode(decoder, codec, None, lines).encode("utf-8", "surrogatepass")


def _decode(decoder: codecs.IncrementalDecoder, codec: str, chunk: bytes | None, lines: int) -> str:
    try:
        return decoder.decode(b"", final=True) if chunk is None else decoder.decode(chunk)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(codec, "ignore")
        raise Malformed(lines + before.count("\n"), f"not valid {codec}: {error.reason}") from None
    except UnicodeError as error:
        raise Malformed(lines, f"not valid {codec}: {error}") from None
