"""Documents in archives: tar (plain or compressed) and zip, known by their content, read in one pass.

A link to a file of the archive is a document with the bytes of that file, as it is in a folder; for the links
of a tar it is read once more. Names that begin with `/` are looked for from the top of the archive.
"""

from __future__ import annotations

import contextlib
import errno
import io
import lzma
import os
import posixpath
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeVar

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe
from excerpt.files.compression import compression_of
from excerpt.index.corpus.entries import (
    CHUNK,
    LARGE,
    Content,
    Corpus,
    Entry,
    FilePart,
    Ids,
    Packed,
    document_id,
    is_document,
    is_packed,
    pieces,
)
from excerpt.index.corpus.tar import BLOCK, Damaged, Member, TarReader, is_tar

_ZIP = b"PK"
_DAMAGE = (
    Damaged,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,  # a zip method the standard library does not know
    RuntimeError,  # an encrypted zip member
)

_NOWHERE = "a link that leads to no file of the archive"
_GONE = "a link, and a stream is read once only; give the archive by its name"
_MOST_LINKS = 40  # of a chain, as systems have it: it may be a loop
_LONGEST_TARGET = 1 << 12

T = TypeVar("T")
Unpack = Callable[[IO[bytes]], Any]


def open_archive(name: str, ids: Ids, size: int) -> Corpus | None:
    """The documents of an archive of `size` bytes, or None where the file is none."""
    with Path(name).open("rb") as raw:
        head = raw.read(BLOCK)
    if is_tar(head):
        return Corpus(_tar(name, ids, None), size)
    if head.startswith(_ZIP):
        return _zip(name, ids)
    unpack = _unpack_of(head)
    if unpack is None:
        return None
    if is_tar(_first_block(name, unpack)):
        return Corpus(_tar(name, ids, unpack), size)
    if is_document(name):
        return None
    raise _damaged(name, "compressed", "it does not begin like a tar archive")


def open_stream(name: str, ids: Ids, raw: IO[bytes], *, close: bool) -> Corpus:
    """The documents of a stream: a tar, compressed or not, or one document, which gets the id `stdin`.

    With `close` it is closed after the last of them.
    """
    end = raw if close else contextlib.nullcontext()
    with _guarding(name, "compressed"):
        head, stream = _begun(raw)
        if unpack := _unpack_of(head):
            head, stream = _begun(unpack(stream))
    if head.startswith(_ZIP):
        raise FormatError(
            "found a zip archive, which cannot be read as a stream", path=name, hint="give its name"
        )
    if is_tar(head):
        return Corpus(_before(end, _stream_entries(name, ids, TarReader(stream))), 0)
    content = _before(end, _guarded(pieces(stream), name, "compressed"))
    return Corpus(iter([Entry("stdin", name, 0, content, 0)]), 0)


def _before(end: contextlib.AbstractContextManager[Any], items: Iterator[T]) -> Iterator[T]:
    with end:
        yield from items


def _unpack_of(head: bytes) -> Unpack | None:
    kind = compression_of(head)
    return kind.reader if kind else None


def _first_block(name: str, unpack: Unpack) -> bytes:
    with Path(name).open("rb") as raw, _guarding(name, "compressed"):
        block: bytes = unpack(raw).read(BLOCK)
        return block


def _begun(stream: IO[bytes]) -> tuple[bytes, IO[bytes]]:
    """The first bytes of a stream, and the stream from its beginning."""
    head = b""
    while len(head) < BLOCK and (piece := _read(stream, BLOCK - len(head))):
        head += piece
    return head, io.BufferedReader(_Again(head, stream), CHUNK)


def _read(stream: IO[bytes], size: int) -> bytes:
    """Some bytes, none at the end."""
    piece: bytes | None = stream.read(size)
    if piece is None:  # nothing just now, and the stream does not wait
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return piece


class _Again(io.RawIOBase):
    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._head[: len(buffer)] or _read(self._rest, len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def _stream_entries(name: str, ids: Ids, reader: TarReader) -> Iterator[Entry]:
    links: dict[str, str] = {}
    with _guarding(name, "tar"):
        yield from _files(name, ids, reader, links, lambda: reader.offset, plain=False)
    for link in filter(is_document, links):
        yield _entry(name, ids, link, 0, FilePart(name, missing=_GONE), reader.offset)


def _tar(name: str, ids: Ids, unpack: Unpack | None) -> Iterator[Entry]:
    links: dict[str, str] = {}
    with _opened(name, unpack) as (raw, reader):
        yield from _files(name, ids, reader, links, raw.tell, plain=unpack is None)
        done = raw.tell()
    yield from _linked(name, ids, unpack, links, done)


@contextlib.contextmanager
def _opened(name: str, unpack: Unpack | None) -> Iterator[tuple[IO[bytes], TarReader]]:
    with _guarding(name, "tar"), Path(name).open("rb", buffering=CHUNK) as raw:
        yield raw, TarReader(io.BufferedReader(unpack(raw), CHUNK) if unpack else raw)


def _files(
    name: str, ids: Ids, reader: TarReader, links: dict[str, str], tell: Callable[[], int], *, plain: bool
) -> Iterator[Entry]:
    """The documents of a tar that are files; of its links it is kept where they lead."""
    for member in reader:
        if member.link is not None:
            links[member.name] = member.link
        elif is_document(member.name):
            content = _of_member(name, reader, member, member.name, plain=plain)
            yield _entry(name, ids, member.name, member.size, content, tell())


def _linked(
    name: str, ids: Ids, unpack: Unpack | None, links: Mapping[str, str], done: int
) -> Iterator[Entry]:
    """The documents of a tar that are links, in the order of the files they lead to."""
    plain_links = {_plain(link): target for link, target in links.items()}
    wanted: dict[str, list[str]] = {}
    for link in filter(is_document, links):
        wanted.setdefault(_followed(link, plain_links), []).append(link)
    lost = wanted.pop("", [])
    while wanted:
        # To keep the names of all members instead would take much memory, and links are rare.
        again: dict[str, list[str]] = {}
        with _opened(name, unpack) as (_, reader):
            for member in reader:
                target = _plain(member.name)
                if member.link is not None or target not in wanted:
                    continue
                found = wanted.pop(target)
                if unpack is not None and member.size > LARGE:  # a stream, for one of them at a time
                    again[target] = found[1:]
                    found = found[:1]
                for link, content in _contents(name, reader, member, found, plain=unpack is None):
                    yield _entry(name, ids, link, member.size, content, done)
        lost += chain.from_iterable(wanted.values())
        wanted = {target: left for target, left in again.items() if left}
    for link in lost:
        yield _entry(name, ids, link, 0, FilePart(name, missing=_NOWHERE), done)


def _contents(
    name: str, reader: TarReader, member: Member, links: list[str], *, plain: bool
) -> Iterator[tuple[str, Content]]:
    """The content of a member for each of its links."""
    if plain or len(links) == 1:
        for link in links:
            yield link, _of_member(name, reader, member, link, plain=plain)
    else:
        data = b"".join(reader.content())
        for link in links:
            yield link, _content(iter([data]), link, member.size)


def _of_member(name: str, reader: TarReader, member: Member, document: str, *, plain: bool) -> Content:
    """The content of the member that was just met, for a document of that name."""
    if plain:
        return FilePart(name, member.offset, member.size, is_packed(document))
    return _content(_guarded(reader.content(), name, "tar"), document, member.size)


def _entry(archive: str, ids: Ids, name: str, size: int, content: Content, done: int) -> Entry:
    return Entry(document_id(name, ids), f"{archive}!{name}", size, content, done)


def _followed(name: str, links: Mapping[str, str]) -> str:
    """The name without `.`, `..` and links, folders that are links included; empty if they form a loop."""
    path: list[str] = []
    waiting = name.split("/")[::-1]
    left = _MOST_LINKS
    while waiting:
        part = waiting.pop()
        if part == ".." and path and path[-1] != "..":
            path.pop()
        elif part not in ("", "."):
            path.append(part)
            if (target := links.get("/".join(path))) is not None:
                left -= 1
                if left < 0:
                    return ""
                path = []
                waiting += target.split("/")[::-1]
    return "/".join(path)


def _plain(name: str) -> str:
    return _followed(name, {})


def _zip(name: str, ids: Ids) -> Corpus:
    with _guarding(name, "zip"), zipfile.ZipFile(name) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        links = {_plain(info.filename): _zip_link(archive, info) for info in files if _is_link(info)}
    targets = {_plain(info.filename): info for info in files if not _is_link(info)} if links else {}
    documents = [info for info in files if is_document(info.filename)]
    members = [
        (info.filename, targets.get(_followed(info.filename, links)) if _is_link(info) else info)
        for info in documents
    ]

    def entries() -> Iterator[Entry]:
        done = 0
        with _guarding(name, "zip"), zipfile.ZipFile(name) as archive:
            for document, info in members:
                if info is None:
                    yield _entry(name, ids, document, 0, FilePart(name, missing=_NOWHERE), done)
                    continue
                done += info.file_size
                with archive.open(info) as stream:
                    content = _content(_guarded(pieces(stream), name, "zip"), document, info.file_size)
                    yield _entry(name, ids, document, info.file_size, content, done)

    return Corpus(entries(), sum(info.file_size for _, info in members if info is not None))


def _is_link(info: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


def _zip_link(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """Where a link leads; empty, which is nowhere, if that is damaged or longer than any name."""
    if info.file_size > _LONGEST_TARGET:
        return ""
    try:
        target = archive.read(info).decode("utf-8", "surrogateescape")
    except _DAMAGE:
        return ""
    return posixpath.join(posixpath.dirname(info.filename), target)


def _content(parts: Iterator[bytes], name: str, size: int) -> Content:
    if is_packed(name):
        return Packed(b"".join(parts))
    # A large document stays a stream; the archive waits at its place until it is parsed.
    return parts if size > LARGE else b"".join(parts)


def _guarded(parts: Iterator[bytes], name: str, kind: str) -> Iterator[bytes]:
    with _guarding(name, kind):
        yield from parts


@contextlib.contextmanager
def _guarding(name: str, kind: str) -> Iterator[None]:
    """Says in one line what readers of damaged archives raise in a dozen ways."""
    try:
        yield
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's, not a library's
            raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
        raise _damaged(name, kind, error) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # zstandard is imported only where it is needed
            raise
        raise _damaged(name, kind, error) from None


def _damaged(name: str, kind: str, detail: object) -> FormatError:
    return FormatError(
        f"found damaged or truncated {kind} data ({detail}), expected a complete archive",
        path=name,
        hint="copy or download the file again",
    )
