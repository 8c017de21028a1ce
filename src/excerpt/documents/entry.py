"""A document of a corpus before it is parsed: its id, its name in messages, and where its bytes are."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from excerpt.documents.cuts import Form

Ids = Literal["stem", "path"]

CHUNK = 1 << 20
LARGE = 1 << 22
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_DOCUMENT = re.compile(r"(.*/)?([^/]+?)\.xml(?:\.gz)?", re.IGNORECASE | re.DOTALL)


class FilePart(NamedTuple):
    """Where the bytes of a document are: a file from `offset` on, `size` bytes of it (-1: to the end)."""

    path: str
    offset: int = 0
    size: int = -1
    packed: bool = False
    missing: str = ""  # why there are none, where an archive does not hold them


class Packed(NamedTuple):
    """The bytes of a document, compressed: whether they are whole is found out where it is parsed."""

    data: bytes


class Cut(NamedTuple):
    """A document of a file of many: its bytes there, and how they become a document of their own."""

    part: bytes | FilePart
    form: Form


Content = bytes | Packed | FilePart | Cut | Iterator[bytes]


class Entry(NamedTuple):
    """A document of the corpus, not read yet or just read."""

    id: str
    name: str  # as messages show it: a file, or archive!member
    size: int  # bytes, as far as known before reading; only used to cut the work into pieces
    content: Content  # an iterator can be read once, in this process
    done: int  # how far the corpus was read after this document, for progress


class Corpus(NamedTuple):
    """The documents in order, the value of `Entry.done` at the end, and what is left out though named so."""

    entries: Iterator[Entry]
    total: int
    left_out: Sequence[str] = ()  # pipes, devices and sockets
    without: Sequence[str] = ()  # files of many documents that had none, known when they were read


def is_stream(batch: list[Entry]) -> bool:
    """Whether a batch is a large document out of an archive, which waits until it is read in this process."""
    return isinstance(batch[0].content, Iterator)


def whole(entry: Entry) -> bytes | None:
    """The bytes of a document that is at hand, or a file of the expected size; None: read it by `chunks`."""
    part = entry.content
    if isinstance(part, bytes):
        return part
    if isinstance(part, Cut) and entry.size <= LARGE:
        return b"".join(chunks(part))
    if not isinstance(part, FilePart) or part.packed or part.missing or entry.size > LARGE:
        return None
    handle = os.open(part.path, _READ)
    try:
        if part.offset:
            os.lseek(handle, part.offset, os.SEEK_SET)
        # Where a file goes on to its end, one byte more would tell that it has grown.
        content = os.read(handle, entry.size + (part.size < 0))
    finally:
        os.close(handle)
    return content if len(content) == entry.size else None


def file_part(content: Content) -> FilePart | None:
    """Where in a file a document is; None where it is not in one that others see, too."""
    part = content.part if isinstance(content, Cut) else content
    return part if isinstance(part, FilePart) else None


def chunks(content: Content) -> Iterator[bytes]:
    """The bytes of a document in pieces; raises OSError, EOFError or zlib.error where they cannot be read."""
    if isinstance(content, bytes):
        yield content
    elif isinstance(content, Packed):
        yield from pieces(_unpack(io.BytesIO(content.data)))
    elif isinstance(content, Cut):
        yield content.form.whole(b"".join(chunks(content.part)))
    elif isinstance(content, FilePart):
        if content.missing:
            raise OSError(content.missing)
        # A Path per document would cost a tenth of parsing it.
        with open(content.path, "rb", buffering=0) as raw:  # noqa: PTH123
            if not content.packed:
                yield from _part(content, raw)
            elif content.size < 0:
                yield from pieces(_unpack(raw))
            else:
                yield from chunks(Packed(b"".join(_part(content, raw))))
    else:
        yield from content


def _part(part: FilePart, stream: io.RawIOBase) -> Iterator[bytes]:
    if part.offset:
        stream.seek(part.offset)
    if part.size < 0:
        yield from pieces(stream)
        return
    left = part.size
    while left and (piece := stream.read(min(left, CHUNK))):
        left -= len(piece)
        yield piece


def _unpack(raw: Any) -> IO[bytes]:
    import gzip

    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))


def pieces(stream: IO[bytes] | io.RawIOBase) -> Iterator[bytes]:
    """What is left of a file, in pieces."""
    while piece := stream.read(CHUNK):
        yield piece


def is_document(name: str) -> bool:
    """Whether a file is a document, by its name."""
    return _DOCUMENT.fullmatch(name) is not None


def is_packed(name: str) -> bool:
    """Whether a document is compressed, by its name."""
    return name.lower().endswith(".gz")


def document_id(name: str, ids: Ids) -> str:
    """The id of a document from its place in the corpus, `/` between directories.

    >>> document_id("./tc/2001/t0111.xml", "stem"), document_id("./tc/2001/t0111.xml", "path")
    ('t0111', 'tc/2001/t0111')
    """
    stem = name[name.rfind("/") + 1 : -len(".xml")]
    if ids == "stem" and stem and name.endswith(".xml"):  # nearly always, and much faster
        return stem
    match = _DOCUMENT.fullmatch(name)
    folder, stem = match.groups("") if match else ("", name)
    if ids == "stem":
        return stem
    while folder.startswith("./"):
        folder = folder[2:].lstrip("/")
    return folder + stem
