"""Documents in zip archives, and what all archives have in common: names, links, damage in one line.

A link to a file of the archive is a document with the bytes of that file. Names that begin with `/` are
looked for from the top of the archive.
"""

from __future__ import annotations

import contextlib
import lzma
import posixpath
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping

from excerpt.documents.entry import (
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
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe

NOWHERE = "a link to a file that is not in the archive"
_MOST_LINKS = 40  # of a chain, as systems have it: it may be a loop


class Damaged(Exception):
    """The archive is not what its format promises."""


#: What readers of damaged archives raise.
DAMAGE = (
    Damaged,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,  # a zip method the standard library does not know
    RuntimeError,  # an encrypted zip member
)


def make_entry(archive: str, ids: Ids, name: str, size: int, content: Content, done: int) -> Entry:
    """A document of an archive, which messages call archive!name."""
    return Entry(document_id(name, ids), f"{archive}!{name}", size, content, done)


def make_content(parts: Iterator[bytes], name: str, size: int) -> Content:
    """The bytes of a document of that name; a large one stays a stream, and the archive waits for it."""
    if is_packed(name):
        return Packed(b"".join(parts))
    return parts if size > LARGE else b"".join(parts)


def follow(name: str, links: Mapping[str, str]) -> str:
    """The name without `.`, `..` and links, folders that are links included; empty if they form a loop.

    >>> follow("./a/../b/c.xml", {"b": "d/e"}), follow("a", {"a": "b", "b": "a"})
    ('d/e/c.xml', '')
    """
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


def simplify(name: str) -> str:
    """The name without `.` and `..`."""
    return follow(name, {})


def guard_pieces(parts: Iterator[bytes], name: str, kind: str) -> Iterator[bytes]:
    """The same pieces, with damage said in one line."""
    with guard(name, kind):
        yield from parts


@contextlib.contextmanager
def guard(name: str, kind: str) -> Iterator[None]:
    """Says in one line what readers of damaged archives raise in a dozen ways."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's, not a library's
            raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
        raise damage_error(name, kind, error) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # zstandard is imported only where it is needed
            raise
        raise damage_error(name, kind, error) from None


def damage_error(name: str, kind: str, detail: object) -> FormatError:
    """The error for an archive that is not what its format promises."""
    return FormatError(
        f"found damaged or truncated {kind} data ({detail}), expected a complete archive",
        path=name,
        hint="copy or download the file again",
    )


_LONGEST_TARGET = 1 << 12


def open_zip(name: str, ids: Ids) -> Corpus:
    """The documents of a zip."""
    with guard(name, "zip"), zipfile.ZipFile(name) as archive:
        members = zip_members(archive, is_document)
    total = sum(info.file_size for _, info in members if info is not None)
    return Corpus(_entries(name, ids, members), total)


def zip_members(
    archive: zipfile.ZipFile, is_wanted: Callable[[str], bool]
) -> list[tuple[str, zipfile.ZipInfo | None]]:
    """The wanted files of a zip and where they are; None for links that lead nowhere."""
    # A damaged list may hold empty names, which zipfile cannot ask whether they are folders.
    files = [info for info in archive.infolist() if info.filename and not info.is_dir()]
    links = {simplify(info.filename): _target(archive, info) for info in files if _is_link(info)}
    targets = {simplify(info.filename): info for info in files if not _is_link(info)} if links else {}
    return [
        (info.filename, targets.get(follow(info.filename, links)) if _is_link(info) else info)
        for info in files
        if is_wanted(info.filename)
    ]


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
