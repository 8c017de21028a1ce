"""Reading tar archives as a stream: one pass, any size, and damage is an error rather than an early end.

The standard library's reader stops quietly at a damaged header; documents would be missing and nobody told.
Format: POSIX.1-2001 (pax) with the GNU extensions for long names and large sizes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple, Protocol

BLOCK = 512
_CHUNK = 1 << 20
_REGULAR = b"\x000 7"
_HARD_LINK, _SYMBOLIC_LINK = b"1", b"2"
_LONG_NAME, _LONG_LINK, _PAX = b"L", b"K", b"x"
_NO_CONTENT = b"123456"
_MOST_DIGITS = 20


class Damaged(Exception):
    """The archive is not what its format promises."""


class Stream(Protocol):
    """What is needed of a file: reading forwards."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; nothing at the end."""
        ...


class Member(NamedTuple):
    """A file in the archive, whose content starts at `offset` of the unpacked stream, or a link."""

    name: str
    size: int
    offset: int
    link: str | None = None  # where a link leads, seen from the top of the archive


class TarReader:
    """The members of an archive in order; `content` reads the member that was last yielded.

    `offset` tells how many bytes were read.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.offset = 0
        self._unread = 0

    def __iter__(self) -> Iterator[Member]:
        extended: dict[str, str] = {}
        while (block := self._exactly(BLOCK)).strip(b"\0"):
            header = _header(block)
            if header.kind in (_LONG_NAME, _LONG_LINK, _PAX):
                extended |= _extension(header.kind, self._padded(header.size))
                continue
            size = int(extended.get("size", header.size))
            self._unread = 0 if header.kind in _NO_CONTENT else size
            padding = -self._unread % BLOCK
            name = extended.get("path", header.name)
            if header.kind in _REGULAR:
                yield Member(name, size, self.offset)
            elif header.kind in (_HARD_LINK, _SYMBOLIC_LINK):
                link = extended.get("linkpath", header.link)
                if header.kind == _SYMBOLIC_LINK:
                    link = posixpath.join(posixpath.dirname(name), link)
                yield Member(name, 0, self.offset, link)
            for _ in self.content():
                pass
            self._exactly(padding)
            extended = {}
        self._finish()

    def content(self) -> Iterator[bytes]:
        """What is left of the current member, in pieces of at most 1 MB."""
        while self._unread:
            piece = self._exactly(min(self._unread, _CHUNK))
            self._unread -= len(piece)
            yield piece

    def _padded(self, size: int) -> bytes:
        if size > _CHUNK:
            raise Damaged("an extended header is too long")
        return self._exactly(size + -size % BLOCK)[:size]

    def _exactly(self, size: int) -> bytes:
        pieces = []
        missing = size
        while missing:
            piece = self._stream.read(missing)
            if not piece:
                raise Damaged("the archive ends too early")
            pieces.append(piece)
            missing -= len(piece)
        self.offset += size
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _finish(self) -> None:
        # Compressed streams keep their check sum at the very end.
        while self._stream.read(_CHUNK):
            pass


class _Header(NamedTuple):
    name: str
    size: int
    kind: bytes
    link: str


def is_tar(block: bytes) -> bool:
    """Whether `block`, the first 512 bytes of a file, is the header of an archive."""
    try:
        return len(block) == BLOCK and _header(block) is not None
    except Damaged:
        return False


def _header(block: bytes) -> _Header:
    try:
        expected = _number(block[148:156])
        size = _number(block[124:136])
    except ValueError:
        raise Damaged("a header is not readable") from None
    if sum(block) - sum(block[148:156]) + 8 * ord(" ") != expected:
        raise Damaged("the check sum of a header is wrong")
    name = block[:100].split(b"\0", 1)[0]
    prefix = block[345:500].split(b"\0", 1)[0]
    # GNU archives keep times where POSIX ones keep the prefix.
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    return _Header(_text(name), size, block[156:157], _text(block[157:257].split(b"\0", 1)[0]))


def _number(field: bytes) -> int:
    if field[0] & 0x80:  # GNU: too large for octal digits
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0") or b"0"
    if not digits.isdigit():  # int() takes signs and underscores too
        raise ValueError
    return int(digits, 8)


def _extension(kind: bytes, content: bytes) -> dict[str, str]:
    if kind in (_LONG_NAME, _LONG_LINK):
        return {"path" if kind == _LONG_NAME else "linkpath": _text(content.rstrip(b"\0"))}
    return dict(_pax_records(content))


def _pax_records(content: bytes) -> Iterator[tuple[str, str]]:
    while content:
        digits, _, _ = content.partition(b" ")
        if not digits[:9].isdigit() or not len(digits) < int(digits[:9]) <= len(content):
            raise Damaged("an extended header is not readable")
        record, content = content[: int(digits)], content[int(digits) :]
        key, _, value = record[len(digits) + 1 : -1].partition(b"=")
        if key == b"size" and not (value.isdigit() and len(value) <= _MOST_DIGITS):
            raise Damaged("the size of a member is not a number")
        if key in (b"path", b"linkpath", b"size"):
            yield key.decode(), _text(value)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
