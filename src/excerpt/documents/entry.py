"""Documents before parsing: kind, id and other names, and the location of their bytes."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from excerpt.errors import ExcerptError
from excerpt.files import describe

if TYPE_CHECKING:
    from excerpt.documents.cuts import Form

CHUNK = 1 << 20
LARGE = 1 << 22
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class FilePart(NamedTuple):
    """Location of the bytes of a document: `size` bytes of a file from `offset` (-1: to the end)."""

    path: str
    offset: int = 0
    size: int = -1
    packed: bool = False
    missing: str = ""  # the reason if an archive does not contain them


class Packed(NamedTuple):
    """Compressed bytes of a document, which are decompressed, and checked, when it is parsed."""

    data: bytes


class Cut(NamedTuple):
    """Document of a file of many documents: its bytes, and the form that makes them a file of their own."""

    part: bytes | FilePart
    form: Form


Content = bytes | Packed | FilePart | Cut | Iterator[bytes]


class Entry(NamedTuple):
    """A document of a corpus before parsing."""

    id: str
    name: str  # as messages show it: a file, or archive!member
    size: int  # bytes, as far as known before reading; used only to divide the work
    content: Content  # an iterator can be read only once and only in this process
    done: int  # bytes of the corpus read after this document, for progress


class Walk(NamedTuple):
    """The documents in order, the value of `Entry.done` at the end, and files without documents."""

    entries: Iterator[Entry]
    total: int
    left_out: Sequence[str] = ()  # pipes, devices and sockets that are named like documents
    without: Sequence[str] = ()  # files that were split and contain no document; complete after reading


def is_stream(batch: list[Entry]) -> bool:
    """Check if a batch is a large document of an archive, which must be read first, in this process."""
    return isinstance(batch[0].content, Iterator)


def read_whole(entry: Entry) -> bytes | None:
    """Read a small document whose size is as expected; None for others, which `chunks` reads."""
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
        # One byte more than expected shows that a file has grown.
        content = os.read(handle, entry.size + (part.size < 0))
    finally:
        os.close(handle)
    return content if len(content) == entry.size else None


def file_part(content: Content) -> FilePart | None:
    """Location of a document in a file, None if it is not in a file that other processes can read."""
    part = content.part if isinstance(content, Cut) else content
    return part if isinstance(part, FilePart) else None


def chunks(content: Content) -> Iterator[bytes]:
    """Read the bytes of a document in pieces; raises OSError, EOFError or zlib.error."""
    if isinstance(content, bytes):
        yield content
    elif isinstance(content, Packed):
        yield from pieces(_unpack(io.BytesIO(content.data)))
    elif isinstance(content, Cut):
        yield content.form.as_file(b"".join(chunks(content.part)))
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
    """Read the rest of a file in pieces."""
    while piece := stream.read(CHUNK):
        yield piece


def unreadable(name: str, error: OSError) -> ExcerptError:
    """Error for a file that cannot be opened or read."""
    return ExcerptError(f"cannot be read: {describe(error)}", path=name)
