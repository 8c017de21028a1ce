"""Documents in zip archives; a link to a file of the archive is a document with the bytes of that file."""

from __future__ import annotations

import posixpath
import stat
import zipfile
from collections.abc import Iterator

from excerpt.index.corpus.entries import Corpus, Entry, FilePart, Ids, is_document, pieces
from excerpt.index.corpus.members import (
    DAMAGE,
    NOWHERE,
    follow,
    guard,
    guard_pieces,
    make_content,
    make_entry,
    simplify,
)

_LONGEST_TARGET = 1 << 12


def open_zip(name: str, ids: Ids) -> Corpus:
    """The documents of a zip."""
    with guard(name, "zip"), zipfile.ZipFile(name) as archive:
        # A damaged list may hold empty names, which zipfile cannot ask whether they are folders.
        files = [info for info in archive.infolist() if info.filename and not info.is_dir()]
        links = {simplify(info.filename): _target(archive, info) for info in files if _is_link(info)}
    targets = {simplify(info.filename): info for info in files if not _is_link(info)} if links else {}
    members = [
        (info.filename, targets.get(follow(info.filename, links)) if _is_link(info) else info)
        for info in files
        if is_document(info.filename)
    ]
    total = sum(info.file_size for _, info in members if info is not None)
    return Corpus(_entries(name, ids, members), total)


def _entries(name: str, ids: Ids, members: list[tuple[str, zipfile.ZipInfo | None]]) -> Iterator[Entry]:
    done = 0
    with guard(name, "zip"), zipfile.ZipFile(name) as archive:
        for document, info in members:
            if info is None:
                yield make_entry(name, ids, document, 0, FilePart(name, missing=NOWHERE), done)
                continue
            done += info.file_size
            with archive.open(info) as stream:
                content = make_content(guard_pieces(pieces(stream), name, "zip"), document, info.file_size)
                yield make_entry(name, ids, document, info.file_size, content, done)


def _is_link(info: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


def _target(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """Where a link leads; empty, which is nowhere, if that is damaged or longer than any name."""
    if info.file_size > _LONGEST_TARGET:
        return ""
    try:
        target = archive.read(info).decode("utf-8", "surrogateescape")
    except DAMAGE:
        return ""
    return posixpath.join(posixpath.dirname(info.filename), target)
