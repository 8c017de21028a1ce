"""Walking a corpus: a folder, an archive or one file becomes a stream of documents; nothing is extracted."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from excerpt.documents.entry import (
    CHUNK,
    LARGE,
    Corpus,
    Cut,
    Entry,
    FilePart,
    Ids,
    document_id,
    is_document,
    is_packed,
    pieces,
)
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import STDIN, describe, display_name, read_once, require_path, stdin
from excerpt.files.compression import compression_of

if TYPE_CHECKING:
    from excerpt.documents.cuts import Cutting

BATCH_DOCUMENTS = 256
BATCH_BYTES = LARGE
_HEAD = 512  # bytes that tell what a file is
_ZIP = b"PK"

T = TypeVar("T")


def open_corpus(path: str | os.PathLike[str], ids: Ids, cutting: Cutting | None = None) -> Corpus:
    """The documents of a folder, an archive (known by its content), a file, or a stream (`-` is stdin).

    `cutting` says that files have many documents each; those of TREC are known by their content.
    """
    name = require_path(path, "corpus")
    try:
        if name != STDIN and _is_endless(Path(name).stat().st_mode):
            raise ExcerptError(
                "found a device or a socket, expected a folder, an archive or a file", path=name
            )
        if read_once(path):
            if cutting is not None:
                raise _not_to_cut("a stream", display_name(name))
            stream = stdin() if name == STDIN else Path(name).open("rb")  # noqa: SIM115  it closes itself
            corpus = _open_stream(display_name(name), ids, stream, close=name != STDIN)
        else:
            is_folder = Path(name).is_dir()
            corpus = _open_folder(name, ids, cutting) if is_folder else _open_file(name, ids, cutting)
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    return corpus._replace(entries=_distinct(corpus.entries, ids))


def _is_endless(mode: int) -> bool:
    """Whether what has this mode may never end, such as /dev/zero; a pipe ends with its writer."""
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode)


def batches(entries: Iterator[Entry]) -> Iterator[list[Entry]]:
    """Pieces of work, cut by the documents alone: the same for any number of workers.

    A large document is a piece of its own; it may be a stream that must be read before the next one.
    """
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        if batch and (len(batch) == BATCH_DOCUMENTS or size + entry.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += entry.size
        if entry.size > LARGE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _distinct(entries: Iterator[Entry], ids: Ids) -> Iterator[Entry]:
    seen: dict[str, str] = {}
    for entry in entries:
        if entry.id in seen:
            raise ExcerptError(
                f"two documents have the id {entry.id!r}: {seen[entry.id]} and {entry.name}",
                hint="keep one of them"
                if ids == "path" or isinstance(entry.content, Cut) or entry.name == seen[entry.id]
                else "set ⟨ids=path⟩",
            )
        seen[entry.id] = entry.name
        yield entry


def _not_to_cut(what: str, name: str) -> ExcerptError:
    return ExcerptError(
        f"found {what}, expected a folder or a file that can be cut into documents",
        path=name,
        hint="unpack it, or leave ⟨document_tag⟩ out",
    )


def _open_folder(folder: str, ids: Ids, cutting: Cutting | None) -> Corpus:
    found: list[tuple[str, int]] = []
    left_out: list[str] = []
    many: dict[str, Cutting] = {}
    prefix = os.path.join(folder, "")  # noqa: PTH118  a Path per document would cost a tenth of parsing it
    for name, item in walk_files(folder, lambda name: not name.startswith(".") or is_document(name)):
        size, named = _size(item), is_document(name)
        if size is None:
            left_out += [prefix + name] if named else []
        elif cutting is not None or (not named and size):
            how = cutting if cutting is not None else _trec_cutting(prefix + name, item.name)
            if how is not None:
                many[name] = how
                found.append((name, size))
        elif named:
            found.append((name, size))
    found.sort()
    without: list[str] = []

    def entries() -> Iterator[Entry]:
        done = 0
        for relative, size in found:
            path = prefix + relative
            if relative in many:
                yield from _cut_entries(path, many[relative], done, without)
                done += size
                continue
            done += size
            part = FilePart(path, 0, -1, is_packed(relative))
            yield Entry(document_id(relative, ids), path, size, part, done)

    return Corpus(entries(), sum(size for _, size in found), sorted(left_out), without)


def walk_files(folder: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The wanted files, by relative name; every directory once, whatever links lead to it."""
    waiting = [(folder, "")]
    seen: set[tuple[int, int]] = set()
    while waiting:
        directory, prefix = waiting.pop()
        status = Path(directory).stat()
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        folders = []
        with os.scandir(directory) as items:
            for item in items:
                if item.is_dir():
                    folders.append(item)
                elif is_wanted(item.name):
                    yield prefix + item.name, item
        # Links come first, so the stack takes them last: a directory is known by its own name if it has one.
        folders.sort(key=lambda item: (not item.is_symlink(), item.name))
        waiting += [(item.path, f"{prefix}{item.name}/") for item in folders]


def _trec_cutting(path: str, name: str = "") -> Cutting | None:
    """How a file is cut that is TREC's by its name, where that is asked for, and by its content."""
    from excerpt.documents.many import may_be_trec, trec_cutting  # most folders have only documents

    return trec_cutting(path) if not name or may_be_trec(name) else None


def _cut_entries(path: str, cutting: Cutting, done: int, without: list[str]) -> Iterator[Entry]:
    from excerpt.documents.many import cut_entries

    return cut_entries(path, cutting, done, without)


def _size(item: os.DirEntry[str]) -> int | None:
    """The size of a file; None for pipes, devices and sockets, of which nobody knows when they end."""
    try:
        status = item.stat()
    except OSError:  # a dangling link: reported when it is read
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _open_file(name: str, ids: Ids, cutting: Cutting | None) -> Corpus:
    """An archive, known by its content, a file of many documents, or a single one."""
    file = Path(name)
    size = file.stat().st_size
    with file.open("rb") as raw:
        head = raw.read(_HEAD)
    how = _trec_cutting(name) if cutting is None else cutting
    if head.startswith(_ZIP):
        from excerpt.documents.archives import open_zip  # a folder needs nothing that unpacks

        if cutting is not None:
            raise _not_to_cut("an archive", name)
        return open_zip(name, ids)
    if (archive := _open_tar(name, ids, head, size, cut=how is not None)) is not None:
        if cutting is not None:
            raise _not_to_cut("an archive", name)
        return archive
    if how is not None:
        without: list[str] = []
        return Corpus(_cut_entries(name, how, 0, without), size, without=without)
    part = FilePart(name, packed=is_packed(name))
    return Corpus(iter([Entry(document_id(file.name, ids), name, size, part, size)]), size)


def _open_tar(name: str, ids: Ids, head: bytes, size: int, *, cut: bool) -> Corpus | None:
    from excerpt.documents.archives import damage_error, guard
    from excerpt.documents.tars import is_tar, open_tar

    if is_tar(head):
        return open_tar(name, ids, None, size)
    compression = compression_of(head)
    if compression is None:
        return None
    with Path(name).open("rb") as raw, guard(name, "compressed"):
        head = compression.reader(raw).read(_HEAD)
    if is_tar(head):
        return open_tar(name, ids, compression.reader, size)
    if is_document(name) or cut:
        return None
    raise damage_error(name, "compressed", "it does not begin like a tar archive")


def _open_stream(name: str, ids: Ids, raw: IO[bytes], *, close: bool) -> Corpus:
    """The documents of a stream: a tar, compressed or not, or one document, which gets the id `stdin`.

    With `close` it is closed after the last of them.
    """
    from excerpt.documents.archives import guard, guard_pieces
    from excerpt.documents.tars import is_tar, open_tar_stream

    end = raw if close else contextlib.nullcontext()
    with guard(name, "compressed"):
        head, stream = _begin(raw)
        if compression := compression_of(head):
            head, stream = _begin(compression.reader(stream))
    if head.startswith(_ZIP):
        raise FormatError(
            "found a zip archive, which cannot be read as a stream", path=name, hint="give its name"
        )
    if is_tar(head):
        return Corpus(_before(end, open_tar_stream(name, ids, stream)), 0)
    content = _before(end, guard_pieces(pieces(stream), name, "compressed"))
    return Corpus(iter([Entry("stdin", name, 0, content, 0)]), 0)


def _before(end: contextlib.AbstractContextManager[Any], items: Iterator[T]) -> Iterator[T]:
    with end:
        yield from items


def _begin(stream: IO[bytes]) -> tuple[bytes, IO[bytes]]:
    """The first bytes of a stream, and the stream from its beginning."""
    head = b""
    while len(head) < _HEAD and (piece := _read(stream, _HEAD - len(head))):
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
