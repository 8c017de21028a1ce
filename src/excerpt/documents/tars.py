"""Documents in tar archives, plain or compressed, read in one pass with the standard library's `tarfile`.

A link to a file of the archive is a document with the bytes of that file, as it is in a folder; for links the
archive is read once more.
"""

from __future__ import annotations

import contextlib
import io
import posixpath
import tarfile
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any

from excerpt.documents.archives import (
    NOWHERE,
    Damaged,
    follow,
    guard,
    guard_pieces,
    make_content,
    make_entry,
    simplify,
)
from excerpt.documents.entry import (
    CHUNK,
    LARGE,
    Content,
    Corpus,
    Entry,
    FilePart,
    Ids,
    is_document,
    is_packed,
    pieces,
)

BLOCK = tarfile.BLOCKSIZE
Unpack = Callable[[IO[bytes]], IO[bytes]]
IsWanted = Callable[[str], bool]

_GONE = "a link, which cannot be followed in a stream; give the name of the archive"
_REGULAR = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_EXTENDED = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_LONGEST_HEADER = 1 << 20
_MOST_DIGITS = 20


class Member(tarfile.TarInfo):
    """A member of an archive in which damage is an error, where `tarfile` would stop quietly or guess."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Member:
        """The next member."""
        try:
            member = super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            kind = type(error).__name__  # the standard library keeps these classes to itself
            if kind == "EOFHeaderError":  # the mark at the end
                raise
            short = kind in ("EmptyHeaderError", "TruncatedHeaderError")
            raise Damaged(
                "the archive ends too early" if short else f"a header is not readable: {error}"
            ) from None
        size = member.pax_headers.get("size", "0")
        if not size.isdigit() or len(size) > _MOST_DIGITS:
            raise Damaged("the size of a member is not a number")
        return member

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Member:
        """The member that a header describes."""
        member = super().frombuf(buf, encoding, errors)
        is_octal = buf[124] & 0x80 == 0
        if member.size < 0 or (is_octal and bytes(buf[124:136]).strip(b" \0").strip(b"01234567")):
            raise tarfile.HeaderError("its size is not a number")
        if member.type in _EXTENDED and member.size > _LONGEST_HEADER:
            raise tarfile.HeaderError("it is too long")
        if buf[257:263] != b"ustar\0":  # GNU archives keep times where others keep the beginning of a name
            member.name = bytes(buf[:100]).split(b"\0", 1)[0].decode(encoding, errors)
        return member


def is_tar(block: bytes) -> bool:
    """Whether `block`, the first 512 bytes of a file, is the header of an archive."""
    try:
        return Member.frombuf(block, "utf-8", "surrogateescape") is not None
    except tarfile.HeaderError:
        return False


def open_tar(name: str, ids: Ids, unpack: Unpack | None, size: int) -> Corpus:
    """The documents of a tar of `size` bytes."""
    return Corpus(_entries(name, ids, unpack, is_document), size)


def tar_members(name: str, is_wanted: IsWanted) -> Iterator[tuple[str, FilePart]]:
    """The wanted files of a tar that is not compressed, and where in it they are."""
    for entry in _entries(name, "path", None, is_wanted):
        assert isinstance(entry.content, FilePart), "it is not compressed"
        yield entry.name[len(name) + 1 :], entry.content


def open_tar_stream(name: str, ids: Ids, stream: IO[bytes]) -> Iterator[Entry]:
    """The documents of a tar that is read once."""
    links: dict[str, str] = {}
    with guard(name, "tar"):
        archive = _open_stream(stream)
        yield from _files(
            name, ids, archive, links, lambda: archive.offset, plain=False, is_wanted=is_document
        )
        _finish(stream)
    for link in filter(is_document, links):
        yield make_entry(name, ids, link, 0, FilePart(name, missing=_GONE), archive.offset)


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The members in order, of which none is kept."""
    while (member := archive.next()) is not None:
        vars(archive)["members"].clear()  # else the list would grow with the corpus
        yield member


def _open_stream(stream: IO[bytes]) -> tarfile.TarFile:
    return tarfile.open(fileobj=stream, mode="r|", tarinfo=Member, encoding="utf-8", errors="surrogateescape")


def _finish(stream: IO[bytes]) -> None:
    """Read on to the end: compressed streams keep their check sum there."""
    while stream.read(CHUNK):
        pass


@contextlib.contextmanager
def _open(name: str, unpack: Unpack | None) -> Iterator[tuple[IO[bytes], tarfile.TarFile]]:
    with guard(name, "tar"), Path(name).open("rb", buffering=CHUNK) as raw:
        if unpack is None:
            yield (
                raw,
                tarfile.TarFile(
                    fileobj=raw, mode="r", tarinfo=Member, encoding="utf-8", errors="surrogateescape"
                ),
            )
        else:
            stream: Any = io.BufferedReader(unpack(raw), CHUNK)
            yield raw, _open_stream(stream)
            _finish(stream)


def _entries(name: str, ids: Ids, unpack: Unpack | None, is_wanted: IsWanted) -> Iterator[Entry]:
    links: dict[str, str] = {}
    with _open(name, unpack) as (raw, archive):
        yield from _files(name, ids, archive, links, raw.tell, plain=unpack is None, is_wanted=is_wanted)
        done = raw.tell()
    yield from _link_entries(name, ids, unpack, links, done, is_wanted)


def _files(
    name: str,
    ids: Ids,
    archive: tarfile.TarFile,
    links: dict[str, str],
    tell: Callable[[], int],
    *,
    plain: bool,
    is_wanted: IsWanted,
) -> Iterator[Entry]:
    """The documents of a tar that are files; of its links it is kept where they lead."""
    for member in members(archive):
        if member.islnk():
            links[member.name] = member.linkname
        elif member.issym():
            links[member.name] = posixpath.join(posixpath.dirname(member.name), member.linkname)
        elif member.type in _REGULAR and not member.issparse() and is_wanted(member.name):
            content = _of_member(name, archive, member, member.name, plain=plain)
            yield make_entry(name, ids, member.name, member.size, content, tell())


def _link_entries(
    name: str,
    ids: Ids,
    unpack: Unpack | None,
    links: Mapping[str, str],
    done: int,
    is_wanted: IsWanted,
) -> Iterator[Entry]:
    """The documents of a tar that are links, in the order of the files they lead to."""
    simple_links = {simplify(link): target for link, target in links.items()}
    wanted: dict[str, list[str]] = {}
    for link in filter(is_wanted, links):
        wanted.setdefault(follow(link, simple_links), []).append(link)
    lost = wanted.pop("", [])
    while wanted:
        # To keep the names of all members instead would take much memory, and links are rare.
        again: dict[str, list[str]] = {}
        with _open(name, unpack) as (_, archive):
            for member in members(archive):
                target = simplify(member.name)
                if member.type not in _REGULAR or target not in wanted:
                    continue
                found = wanted.pop(target)
                if unpack is not None and member.size > LARGE:  # a stream, for one of them at a time
                    again[target] = found[1:]
                    found = found[:1]
                for link, content in _contents(name, archive, member, found, plain=unpack is None):
                    yield make_entry(name, ids, link, member.size, content, done)
        lost += chain.from_iterable(wanted.values())
        wanted = {target: left for target, left in again.items() if left}
    for link in lost:
        yield make_entry(name, ids, link, 0, FilePart(name, missing=NOWHERE), done)


def _contents(
    name: str, archive: tarfile.TarFile, member: tarfile.TarInfo, links: list[str], *, plain: bool
) -> Iterator[tuple[str, Content]]:
    """The content of a member for each of its links."""
    if plain or len(links) == 1:
        for link in links:
            yield link, _of_member(name, archive, member, link, plain=plain)
    else:
        data = b"".join(_pieces(archive, member))
        for link in links:
            yield link, make_content(iter([data]), link, member.size)


def _of_member(
    name: str, archive: tarfile.TarFile, member: tarfile.TarInfo, document: str, *, plain: bool
) -> Content:
    """The content of the member that was just met, for a document of that name."""
    if plain:
        return FilePart(name, member.offset_data, member.size, is_packed(document))
    return make_content(guard_pieces(_pieces(archive, member), name, "tar"), document, member.size)


def _pieces(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    stream = archive.extractfile(member)
    assert stream is not None, "it is a regular file"
    yield from pieces(stream)
