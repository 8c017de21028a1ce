"""Walking a corpus: a folder, an archive or one file becomes a stream of documents; nothing is extracted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from excerpt.errors import ExcerptError
from excerpt.files import STDIN, describe, display_name, read_once, stdin
from excerpt.index.corpus.entries import (
    LARGE,
    Corpus,
    Entry,
    FilePart,
    Ids,
    document_id,
    is_document,
    is_packed,
)

BATCH_DOCUMENTS = 256
BATCH_BYTES = LARGE


def open_corpus(path: str | os.PathLike[str], ids: Ids) -> Corpus:
    """The documents of a folder, an archive (known by its content), a file, or a stream (`-` is stdin)."""
    name = os.fspath(path)
    try:
        if read_once(path):
            from excerpt.index.corpus.archives import open_stream

            stream = stdin() if name == STDIN else Path(name).open("rb")  # noqa: SIM115  it closes itself
            corpus = open_stream(display_name(name), ids, stream, close=name != STDIN)
        else:
            corpus = _folder(name, ids) if Path(name).is_dir() else _file(name, ids)
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    return Corpus(_distinct(corpus.entries, ids), corpus.total)


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
                hint="set ⟨ids=path⟩"
                if ids == "stem" and entry.name != seen[entry.id]
                else "keep one of them",
            )
        seen[entry.id] = entry.name
        yield entry


def _folder(folder: str, ids: Ids) -> Corpus:
    found = sorted(_walk(folder))
    prefix = os.path.join(folder, "")  # noqa: PTH118  a Path per document would cost a tenth of parsing it

    def entries() -> Iterator[Entry]:
        done = 0
        for relative, size in found:
            done += size
            path = prefix + relative
            part = FilePart(path, 0, -1, is_packed(relative))
            yield Entry(document_id(relative, ids), path, size, part, done)

    return Corpus(entries(), sum(size for _, size in found))


def _walk(folder: str) -> Iterator[tuple[str, int]]:
    """Relative names and sizes of the documents; every directory once, whatever links lead to it."""
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
                elif is_document(item.name):
                    yield prefix + item.name, _size(item)
        # Links come first, so the stack takes them last: a directory is known by its own name if it has one.
        folders.sort(key=lambda item: (not item.is_symlink(), item.name))
        waiting += [(item.path, f"{prefix}{item.name}/") for item in folders]


def _size(item: os.DirEntry[str]) -> int:
    try:
        return item.stat().st_size
    except OSError:  # a dangling link: reported when it is read
        return 0


def _file(name: str, ids: Ids) -> Corpus:
    from excerpt.index.corpus.archives import (
        open_archive,
    )  # and everything that unpacks; a folder needs none of it

    file = Path(name)
    size = file.stat().st_size
    if (archive := open_archive(name, ids, size)) is not None:
        return archive
    part = FilePart(name, packed=is_packed(name))
    return Corpus(iter([Entry(document_id(file.name, ids), name, size, part, size)]), size)
