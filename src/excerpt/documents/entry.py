"""Documents before parsing: kind, id and other names, and the location of their bytes."""

from __future__ import annotations

import io
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, cast

from excerpt.errors import ExcerptError
from excerpt.files import describe

if TYPE_CHECKING:
    from excerpt.documents.cuts import Form

Ids = Literal["stem", "path"]

CHUNK = 1 << 20
LARGE = 1 << 22
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
#: Kinds of documents, which are their file extensions.
_KINDS = ("txt", "md", "xml")
EXTENSIONS = tuple(f".{kind}" for kind in _KINDS)
_DOCUMENT = re.compile(rf"(?s)(.*[^/])\.({'|'.join(_KINDS)})(?:\.gz)?", re.IGNORECASE)
_AMBIGUOUS = -1


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


def kind_of(path: str) -> str:
    """Kind of a document by its extension, compressed or not: `txt`, `md` or `xml`; empty for others.

    >>> kind_of("a/b.TXT"), kind_of("b.xml.gz"), kind_of("b.html")
    ('txt', 'xml', '')
    """
    dot = path.rfind(".")
    if path[dot + 1 :] in _KINDS and dot > 0 and path[dot - 1] != "/":  # the usual case, much faster
        return path[dot + 1 :]
    match = _DOCUMENT.fullmatch(path)
    return match[2].lower() if match else ""


def is_xml(path: str) -> bool:
    """Check by its name if a file is an XML document."""
    return kind_of(path) == "xml"


def is_packed(path: str) -> bool:
    """Check by its name if a document is compressed."""
    return path.lower().endswith(".gz")


def document_id(path: str, ids: Ids) -> str:
    """Id of a document by its path in the corpus, with `/` between folders; of plain text, the path itself.

    >>> document_id("./tc/2001/t0111.xml", "stem"), document_id("./tc/2001/t0111.xml", "path")
    ('t0111', 'tc/2001/t0111')
    >>> document_id("./a/b.txt", "stem")
    'a/b.txt'
    """
    stem = path[path.rfind("/") + 1 : -len(".xml")]
    if ids == "stem" and stem and path.endswith(".xml"):  # the usual case, much faster
        return stem
    if not is_xml(path):
        return _plain(path)
    return _without_extension(posixpath.basename(path) if ids == "stem" else _plain(path))


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _without_extension(path: str) -> str:
    match = _DOCUMENT.fullmatch(path)
    return match[1] if match else path


#: Forms of a path that refer to its document, the most reliable first.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    _plain,
    lambda path: _without_extension(_plain(path)),
    posixpath.basename,
    lambda path: _without_extension(posixpath.basename(path)),
)


def spellings(path: str) -> tuple[str, ...]:
    """All names of a document with this path, the most reliable first.

    >>> spellings("a/b.txt")
    ('a/b.txt', 'a/b', 'b.txt', 'b')
    """
    return tuple(dict.fromkeys(spell(path) for spell in _SPELLINGS))


def unique_spellings(paths: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Documents by those spellings of their paths that refer to only one; paths come with their documents.

    >>> unique_spellings([(0, "a/x.txt"), (1, "b/x.txt")])
    {'a/x.txt': 0, 'b/x.txt': 1, 'a/x': 0, 'b/x': 1}
    """
    documents = list(paths)
    table: dict[str, int] = {}
    for spell in _SPELLINGS:
        more_reliable = set(table) if table else ()
        for number, path in documents:
            name = spell(path)
            if name not in more_reliable and table.setdefault(name, number) != number:
                table[name] = _AMBIGUOUS
    return {name: number for name, number in table.items() if number != _AMBIGUOUS}


class Stamp(NamedTuple):
    """Size and modification time of a file, to detect changes."""

    size: int
    time: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_size, status.st_mtime_ns)


def duplicate_id(identifier: str, first: str, second: str, *, by_name: bool = False) -> ExcerptError:
    """Error for an id that two documents have; `by_name` suggests paths as ids instead of file names."""
    return ExcerptError(
        f"two documents have the id {identifier!r}: {first} and {second}",
        hint="set ⟨ids=path⟩" if by_name and first != second else "keep one of them",
    )


def unreadable(name: str, error: OSError) -> ExcerptError:
    """Error for a file that cannot be opened or read."""
    return ExcerptError(f"cannot be read: {describe(error)}", path=name)
