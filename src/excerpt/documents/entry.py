"""A document before it is parsed: its kind, id and other names, and where its bytes are."""

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
#: Documents are known by the extensions of their names.
_KINDS = ("txt", "md", "xml")
EXTENSIONS = tuple(f".{kind}" for kind in _KINDS)
_DOCUMENT = re.compile(rf"(?s)(.*[^/])\.({'|'.join(_KINDS)})(?:\.gz)?", re.IGNORECASE)
_SEVERAL = -1


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


class Walk(NamedTuple):
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


def kind_of(path: str) -> str:
    """`txt`, `md` or `xml` by the end of a name, compressed or not; empty for all else.

    >>> kind_of("a/b.TXT"), kind_of("b.xml.gz"), kind_of("b.html")
    ('txt', 'xml', '')
    """
    dot = path.rfind(".")
    if path[dot + 1 :] in _KINDS and dot > 0 and path[dot - 1] != "/":  # nearly always, and much faster
        return path[dot + 1 :]
    match = _DOCUMENT.fullmatch(path)
    return match[2].lower() if match else ""


def is_xml(path: str) -> bool:
    """Whether a file is an XML document, by its name."""
    return kind_of(path) == "xml"


def is_packed(path: str) -> bool:
    """Whether a document is compressed, by its name."""
    return path.lower().endswith(".gz")


def document_id(path: str, ids: Ids) -> str:
    """The id of a document from its place in the corpus, `/` between directories; of plain text, its path.

    >>> document_id("./tc/2001/t0111.xml", "stem"), document_id("./tc/2001/t0111.xml", "path")
    ('t0111', 'tc/2001/t0111')
    >>> document_id("./a/b.txt", "stem")
    'a/b.txt'
    """
    stem = path[path.rfind("/") + 1 : -len(".xml")]
    if ids == "stem" and stem and path.endswith(".xml"):  # nearly always, and much faster
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


#: What a path may be written as, the surest first.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    _plain,
    lambda path: _without_extension(_plain(path)),
    posixpath.basename,
    lambda path: _without_extension(posixpath.basename(path)),
)


def spellings(path: str) -> tuple[str, ...]:
    """All that a document with this path may be called, the surest first.

    >>> spellings("a/b.txt")
    ('a/b.txt', 'a/b', 'b.txt', 'b')
    """
    return tuple(dict.fromkeys(spell(path) for spell in _SPELLINGS))


def table_of(paths: Iterable[tuple[int, str]]) -> dict[str, int]:
    """The document of every spelling that is of one document only; paths come with their documents.

    >>> table_of([(0, "a/x.txt"), (1, "b/x.txt")])
    {'a/x.txt': 0, 'b/x.txt': 1, 'a/x': 0, 'b/x': 1}
    """
    known = list(paths)
    table: dict[str, int] = {}
    for spell in _SPELLINGS:
        surer = set(table) if table else ()
        for number, path in known:
            name = spell(path)
            if name not in surer and table.setdefault(name, number) != number:
                table[name] = _SEVERAL
    return {name: number for name, number in table.items() if number != _SEVERAL}


class Stamp(NamedTuple):
    """The size of a file and the time of its last change, which tell whether it has changed."""

    size: int
    time: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp of a file."""
        return cls(status.st_size, status.st_mtime_ns)


def twice(identifier: str, first: str, second: str, *, by_name: bool = False) -> ExcerptError:
    """The error for an id that two documents have; ids `by_name` of files may be made longer."""
    return ExcerptError(
        f"two documents have the id {identifier!r}: {first} and {second}",
        hint="set ⟨ids=path⟩" if by_name and first != second else "keep one of them",
    )


def unreadable(name: str, error: OSError) -> ExcerptError:
    """The error for a file that the system does not read."""
    return ExcerptError(f"cannot be read: {describe(error)}", path=name)
