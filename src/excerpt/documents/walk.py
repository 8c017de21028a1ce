"""Iteration over the documents of a corpus: a folder, an archive, a file or a stream."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from excerpt.documents.cuts import Cutting, cut_entries, may_be_trec, trec_cutting
from excerpt.documents.entry import CHUNK, LARGE, Cut, Entry, FilePart, Walk, pieces, unreadable
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import STDIN, Stamp, compression_of, display_name, is_root, read_once, require_path, stdin
from excerpt.model.document_names import Ids, document_id, duplicate_id, is_packed, is_xml

BATCH_DOCUMENTS = 256
BATCH_BYTES = LARGE
_HEAD = 512  # bytes that are examined to detect the kind of a file
#: First bytes of a zip.
ZIP = b"PK"

T = TypeVar("T")


class Listing(NamedTuple):
    """The files of a folder by their paths in it; the stamp of a dangling link is None."""

    documents: list[tuple[str, Stamp | None]]
    many: list[tuple[str, Stamp | None, Cutting]]  # files of many documents
    special: list[str]  # pipes, devices and sockets that are named like documents
    others: Counter[str]  # files that are not documents, by extension


def list_folder(folder: str, is_named: Callable[[str], object], cutting: Cutting | None = None) -> Listing:
    """List documents by path, and files of many: TREC's, or with `cutting` all that are not hidden."""
    if is_root(folder):
        raise ExcerptError("found the root of the file system, expected a folder of documents", path=folder)
    listing = Listing([], [], [], Counter())
    prefix = _prefix(folder)
    for path, item in _walk_files(folder):
        named = is_named(path)
        if named or (not item.name.startswith(".") and (cutting is not None or may_be_trec(item.name))):
            stamp, is_special = None, False
            with contextlib.suppress(OSError):  # a dangling link, reported when it is read
                stamp, is_special = Stamp.of(item.stat()), not stat.S_ISREG(item.stat().st_mode)
            if named and is_special:
                listing.special.append(path)
                continue
            if named and cutting is None:
                listing.documents.append((path, stamp))
                continue
            file_cutting = cutting or (trec_cutting(prefix + path) if stamp and stamp.size else None)
            if file_cutting is not None and not is_special:
                listing.many.append((path, stamp, file_cutting))
                continue
        listing.others[os.path.splitext(path)[1].lower()] += 1  # noqa: PTH122  a Path per file is slow
    return listing


def _prefix(folder: str) -> str:
    return os.path.join(folder, "")  # noqa: PTH118  a Path per document would cost a tenth of parsing it


def _walk_files(folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The files by relative name; every directory once, even if links lead to it."""
    remaining = [(folder, "")]
    seen: set[tuple[int, int]] = set()
    while remaining:
        directory, prefix = remaining.pop()
        status = Path(directory).stat()
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        folders = []
        with os.scandir(directory) as items:
            for item in items:
                if item.is_dir():
                    folders.append(item)
                else:
                    yield prefix + item.name, item
        # Links come first, so the stack takes them last: a directory is named by its own path if it has one.
        folders.sort(key=lambda item: (not item.is_symlink(), item.name))
        remaining += [(item.path, f"{prefix}{item.name}/") for item in folders]


@contextlib.contextmanager
def opening(name: str) -> Iterator[None]:
    """Turn failures to open a corpus into one-line errors."""
    try:
        yield
    except OSError as error:
        raise unreadable(error.filename if isinstance(error.filename, str) else name, error) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None


def open_corpus(path: str | os.PathLike[str], ids: Ids, cutting: Cutting | None = None) -> Walk:
    """Open a folder, an archive, a file, or a stream (`-` is stdin) as a sequence of documents.

    `cutting` splits files into documents. Archives and TREC files are detected by their content.
    """
    name = require_path(path, "corpus")
    with opening(name):
        mode = 0 if name == STDIN else Path(name).stat().st_mode
        # A device such as /dev/zero may never end; a pipe ends with its writer.
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            message = "found a device or a socket, expected a folder, an archive or a file"
            raise ExcerptError(message, path=name)
        if read_once(path):
            if cutting is not None:
                raise _cannot_split("a stream", display_name(name))
            stream = stdin() if name == STDIN else Path(name).open("rb")  # noqa: SIM115  it closes itself
            corpus = _open_stream(display_name(name), ids, stream, close=name != STDIN)
        else:
            is_folder = Path(name).is_dir()
            corpus = _open_folder(name, ids, cutting) if is_folder else _open_file(name, ids, cutting)
    return corpus._replace(entries=_distinct(corpus.entries, ids))


def _cannot_split(kind: str, name: str) -> ExcerptError:
    message = f"found {kind}, expected a folder or a file to split into documents"
    return ExcerptError(message, path=name, hint="unpack it, or leave ⟨document_tag⟩ out")


def _distinct(entries: Iterator[Entry], ids: Ids) -> Iterator[Entry]:
    seen: dict[str, str] = {}
    for entry in entries:
        if entry.id in seen:
            by_name = ids == "stem" and not isinstance(entry.content, Cut)
            raise duplicate_id(entry.id, seen[entry.id], entry.name, by_name=by_name)
        seen[entry.id] = entry.name
        yield entry


def batches(entries: Iterator[Entry]) -> Iterator[list[Entry]]:
    """Group documents into batches, which do not depend on the number of workers.

    A large document is a batch of its own; it may be a stream that must be read before the next one.
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


def _open_folder(folder: str, ids: Ids, cutting: Cutting | None) -> Walk:
    listing = list_folder(folder, is_xml, cutting)
    cuttings = {path: cutting for path, _, cutting in listing.many}
    stamps = [*listing.documents, *(file[:2] for file in listing.many)]
    files = sorted((path, stamp.size if stamp else 0) for path, stamp in stamps)
    prefix = _prefix(folder)
    without: list[str] = []

    def entries() -> Iterator[Entry]:
        done = 0
        for relative, size in files:
            path = prefix + relative
            if relative in cuttings:
                yield from cut_entries(path, cuttings[relative], done, without)
                done += size
                continue
            done += size
            part = FilePart(path, 0, -1, is_packed(relative))
            yield Entry(document_id(relative, ids), path, size, part, done)

    special = sorted(prefix + path for path in listing.special)
    return Walk(entries(), sum(size for _, size in files), special, without)


def _open_file(name: str, ids: Ids, cutting: Cutting | None) -> Walk:
    """Open an archive (detected by content), a file of many documents, or a single document."""
    file = Path(name)
    size = file.stat().st_size
    with file.open("rb") as raw:
        head = raw.read(_HEAD)
    file_cutting = cutting or trec_cutting(name)
    is_cut, is_zip = file_cutting is not None, head.startswith(ZIP)
    archive = None if is_zip and cutting else _open_archive(name, ids, head, size, cut=is_cut)
    if cutting is not None and (is_zip or archive is not None):
        raise _cannot_split("an archive", name)
    if archive is not None:
        return archive
    if file_cutting is not None:
        without: list[str] = []
        return Walk(cut_entries(name, file_cutting, 0, without), size, without=without)
    part = FilePart(name, packed=is_packed(name))
    return Walk(iter([Entry(document_id(file.name, ids), name, size, part, size)]), size)


def _open_archive(name: str, ids: Ids, head: bytes, size: int, *, cut: bool) -> Walk | None:
    from excerpt.documents.archives import Tar, damage_error, guard, is_tar, open_zip

    if head.startswith(ZIP):
        return open_zip(name, ids)
    if is_tar(head):
        return Walk(Tar(name, ids).entries(), size)
    if (compression := compression_of(head)) is None:
        return None
    with Path(name).open("rb") as raw, guard(name, "compressed"):
        head = compression.reader(raw).read(_HEAD)
    if is_tar(head):
        return Walk(Tar(name, ids, unpack=compression.reader).entries(), size)
    if is_xml(name) or cut:
        return None
    raise damage_error(name, "compressed", "it does not begin like a tar archive")


def _open_stream(name: str, ids: Ids, raw: IO[bytes], *, close: bool) -> Walk:
    """The documents of a stream: a tar, compressed or not, or one document, which gets the id `stdin`."""
    from excerpt.documents.archives import Tar, guard, guard_pieces, is_tar

    end = raw if close else contextlib.nullcontext()
    with guard(name, "compressed"):
        head, stream = _begin(raw)
        if compression := compression_of(head):
            head, stream = _begin(compression.reader(stream))
    if head.startswith(ZIP):
        message = "found a zip archive, which cannot be read as a stream"
        raise FormatError(message, path=name, hint="give its file name")
    if is_tar(head):
        return Walk(_within(end, Tar(name, ids, plain=False).stream_entries(stream)), 0)
    content = _within(end, guard_pieces(pieces(stream), name, "compressed"))
    return Walk(iter([Entry("stdin", name, 0, content, 0)]), 0)


def _within(context: contextlib.AbstractContextManager[Any], items: Iterator[T]) -> Iterator[T]:
    with context:
        yield from items


def _begin(stream: IO[bytes]) -> tuple[bytes, IO[bytes]]:
    """Read the first bytes of a stream; return them and the stream from its beginning."""
    head = b""
    while len(head) < _HEAD and (piece := _read(stream, _HEAD - len(head))):
        head += piece
    return head, io.BufferedReader(_WithHead(head, stream), CHUNK)


def _read(stream: IO[bytes], size: int) -> bytes:
    """Read up to `size` bytes; none at the end."""
    piece: bytes | None = stream.read(size)
    if piece is None:  # no data yet in a stream that does not block
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return piece


class _WithHead(io.RawIOBase):
    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._head[: len(buffer)] or _read(self._rest, len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
