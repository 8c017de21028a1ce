"""Documents in zip and tar archives: members, links, and one-line errors for damaged archives.

A link to a file of the archive is a document with the bytes of that file, as in a folder; for links a tar is
read once more. Names that begin with `/` are relative to the top of the archive.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import posixpath
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from excerpt.documents.entry import CHUNK, LARGE, Content, Entry, FilePart, Packed, Walk, pieces, unreadable
from excerpt.errors import FormatError
from excerpt.model.document_names import Ids, document_id, is_packed, is_xml

DANGLING = "a link to a file that is not in the archive"
_LINK_IN_STREAM = "a link, which cannot be followed in a stream; give the name of the archive"
_MOST_LINKS = 40  # in a chain, the limit of operating systems: it may be a loop
_LONGEST_TARGET = 1 << 12
_REGULAR = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_EXTENDED = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_LONGEST_HEADER = 1 << 20
_MOST_DIGITS = 20

Unpack = Callable[[IO[bytes]], IO[bytes]]
IsWanted = Callable[[str], object]


class Damaged(Exception):
    """An archive that breaks the rules of its format."""


#: Exceptions of the libraries that read damaged archives.
_DAMAGE = (
    Damaged,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,  # a zip method the standard library does not know
    RuntimeError,  # an encrypted zip member
    UnicodeDecodeError,  # a name in a zip archive
)


def is_damage(error: BaseException) -> bool:
    """Check if an error is one that libraries raise for damaged files."""
    # zstandard is imported only where it is needed.
    return isinstance(error, _DAMAGE) or type(error).__name__ == "ZstdError"


@contextlib.contextmanager
def guard(name: str, kind: str) -> Iterator[None]:
    """Turn the many exceptions for damaged archives into one-line errors."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # from the system, not from a library
            raise unreadable(name, error) from None
        if not is_damage(error):
            raise
        raise damage_error(name, kind, error) from None


def guard_pieces(parts: Iterator[bytes], name: str, kind: str) -> Iterator[bytes]:
    """Yield the same pieces; damage is a one-line error."""
    with guard(name, kind):
        yield from parts


def damage_error(name: str, kind: str, detail: object) -> FormatError:
    """Error for a damaged archive."""
    message = f"found damaged or truncated {kind} data ({detail}), expected a complete archive"
    return FormatError(message, path=name, hint="copy or download the file again")


def follow(name: str, links: Mapping[str, str] = MappingProxyType({})) -> str:
    """Resolve `.`, `..` and links in a name, also of folders; empty if the links form a loop.

    >>> follow("./a/../b/c.xml", {"b": "d/e"}), follow("a", {"a": "b", "b": "a"})
    ('d/e/c.xml', '')
    """
    path: list[str] = []
    remaining = name.split("/")[::-1]
    links_left = _MOST_LINKS
    while remaining:
        part = remaining.pop()
        if part == ".." and path and path[-1] != "..":
            path.pop()
        elif part not in ("", "."):
            path.append(part)
            if (target := links.get("/".join(path))) is not None:
                links_left -= 1
                if links_left < 0:
                    return ""
                path = []
                remaining += target.split("/")[::-1]
    return "/".join(path)


def _make_entry(archive: str, ids: Ids, name: str, size: int, content: Content, done: int) -> Entry:
    """Make the entry of a document in an archive; messages name it archive!name."""
    return Entry(document_id(name, ids), f"{archive}!{name}", size, content, done)


def _make_content(parts: Iterator[bytes], name: str, size: int) -> Content:
    """Read the bytes of a document; a large one stays a stream, which is to be read before the next one."""
    if is_packed(name):
        return Packed(b"".join(parts))
    return parts if size > LARGE else b"".join(parts)


def open_zip(name: str, ids: Ids) -> Walk:
    """The documents of a zip."""
    with guard(name, "zip"), zipfile.ZipFile(name) as archive:
        members = zip_members(archive, is_xml)
    total = sum(info.file_size for _, info in members if info is not None)
    return Walk(_zip_entries(name, ids, members), total)


def zip_members(archive: zipfile.ZipFile, is_wanted: IsWanted) -> list[tuple[str, zipfile.ZipInfo | None]]:
    """The wanted files of a zip and their descriptions; None for dangling links."""
    # A damaged directory may contain empty names, for which `is_dir` fails.
    files = [info for info in archive.infolist() if info.filename and not info.is_dir()]
    links = {follow(info.filename): _target(archive, info) for info in files if _is_link(info)}
    targets = {follow(info.filename): info for info in files if not _is_link(info)} if links else {}
    return [
        (info.filename, targets.get(follow(info.filename, links)) if _is_link(info) else info)
        for info in files
        if is_wanted(info.filename)
    ]


def _zip_entries(name: str, ids: Ids, members: list[tuple[str, zipfile.ZipInfo | None]]) -> Iterator[Entry]:
    done = 0
    with guard(name, "zip"), zipfile.ZipFile(name) as archive:
        for document, info in members:
            if info is None:
                yield _make_entry(name, ids, document, 0, FilePart(name, missing=DANGLING), done)
                continue
            done += info.file_size
            with archive.open(info) as stream:
                content = _make_content(guard_pieces(pieces(stream), name, "zip"), document, info.file_size)
                yield _make_entry(name, ids, document, info.file_size, content, done)


def _is_link(info: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


def _target(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """Target of a link; empty if it is damaged or longer than any name."""
    if info.file_size > _LONGEST_TARGET:
        return ""
    try:
        target = archive.read(info).decode("utf-8", "surrogateescape")
    except _DAMAGE:
        return ""
    return posixpath.join(posixpath.dirname(info.filename), target)


class Member(tarfile.TarInfo):
    """Member of a tar for which damage is an error; `tarfile` would stop silently or guess."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Member:
        try:
            member = super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            kind = type(error).__name__  # the standard library keeps these classes to itself
            if kind == "EOFHeaderError":  # the end marker
                raise
            if kind in ("EmptyHeaderError", "TruncatedHeaderError"):
                raise Damaged("the archive ends too early") from None
            raise Damaged(f"a header is not readable: {error}") from None
        size = member.pax_headers.get("size", "0")
        if not size.isdigit() or len(size) > _MOST_DIGITS:
            raise Damaged("the size of a member is not a number")
        return member

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Member:
        return _proved(super().frombuf(buf, encoding, errors), buf, encoding, errors)

    @classmethod
    def _frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str, **how: bool) -> Member:
        """What newer Pythons (3.14) call in the place of `frombuf`."""
        member: Member = super()._frombuf(buf, encoding, errors, **how)  # type: ignore[misc]
        return _proved(member, buf, encoding, errors)


def _proved(member: Member, buf: bytes | bytearray, encoding: str, errors: str) -> Member:
    """The member, if its header says what a header may say."""
    is_octal = buf[124] & 0x80 == 0
    if member.size < 0 or (is_octal and bytes(buf[124:136]).strip(b" \0").strip(b"01234567")):
        raise tarfile.HeaderError("its size is not a number")
    if member.type in _EXTENDED and member.size > _LONGEST_HEADER:
        raise tarfile.HeaderError("it is too long")
    if buf[257:263] != b"ustar\0":  # GNU archives have times where others have the beginning of a name
        member.name = bytes(buf[:100]).split(b"\0", 1)[0].decode(encoding, errors)
    return member


def is_tar(head: bytes) -> bool:
    """Check by the first bytes of a file if it is a tar."""
    try:
        return Member.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape") is not None
    except tarfile.HeaderError:
        return False


def tar_members(file: IO[bytes], name: str, is_wanted: IsWanted) -> Iterator[tuple[str, FilePart]]:
    """The wanted files of an open, uncompressed tar and their positions in it."""
    for entry in Tar(name, "path", is_wanted=is_wanted, file=file).entries():
        assert isinstance(entry.content, FilePart), "it is not compressed"
        yield entry.name[len(name) + 1 :], entry.content


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members in order and keep none."""
    while (member := archive.next()) is not None:
        vars(archive)["members"].clear()  # otherwise the list would grow with the corpus
        yield member


class Tar:
    """The wanted members of a tar as documents; in an uncompressed tar they are parts of its file."""

    def __init__(
        self,
        name: str,
        ids: Ids,
        *,
        is_wanted: IsWanted = is_xml,
        unpack: Unpack | None = None,
        plain: bool = True,
        file: IO[bytes] | None = None,
    ) -> None:
        self._name, self._ids, self._is_wanted = name, ids, is_wanted
        self._unpack, self._file = unpack, file
        self._plain = plain and unpack is None
        self._links: dict[str, str] = {}

    def entries(self) -> Iterator[Entry]:
        """The documents of a file."""
        with self._open() as (raw, archive):
            yield from self._file_entries(archive, raw.tell)
            done = raw.tell()
        yield from self._link_entries(done)

    def stream_entries(self, stream: IO[bytes]) -> Iterator[Entry]:
        """The documents of a stream, which is read once."""
        with guard(self._name, "tar"):
            archive = _open_stream(stream)
            yield from self._file_entries(archive, lambda: archive.offset)
            _finish(stream)
        for link in filter(self._is_wanted, self._links):
            yield self._entry(link, 0, FilePart(self._name, missing=_LINK_IN_STREAM), archive.offset)

    @contextlib.contextmanager
    def _open(self) -> Iterator[tuple[IO[bytes], tarfile.TarFile]]:
        with guard(self._name, "tar"), contextlib.ExitStack() as opened:
            raw = self._file or opened.enter_context(Path(self._name).open("rb", buffering=CHUNK))
            raw.seek(0)
            if self._unpack is None:
                yield raw, tarfile.TarFile(fileobj=raw, mode="r", **_READING)
            else:
                stream: Any = io.BufferedReader(self._unpack(raw), CHUNK)
                yield raw, _open_stream(stream)
                _finish(stream)

    def _file_entries(self, archive: tarfile.TarFile, tell: Callable[[], int]) -> Iterator[Entry]:
        """Yield the documents that are files and note the targets of links."""
        for member in members(archive):
            if member.islnk():
                self._links[member.name] = member.linkname
            elif member.issym():
                self._links[member.name] = posixpath.join(posixpath.dirname(member.name), member.linkname)
            elif member.type in _REGULAR and not member.issparse() and self._is_wanted(member.name):
                content = self._content(archive, member, member.name)
                yield self._entry(member.name, member.size, content, tell())

    def _link_entries(self, done: int) -> Iterator[Entry]:
        """The documents that are links, in the order of their targets."""
        links = {follow(link): target for link, target in self._links.items()}
        by_target: dict[str, list[str]] = {}
        for link in filter(self._is_wanted, self._links):
            by_target.setdefault(follow(link, links), []).append(link)
        dangling = by_target.pop("", [])
        while by_target:
            # Keeping the names of all members instead would take much memory, and links are rare.
            postponed: dict[str, list[str]] = {}
            with self._open() as (_, archive):
                for member in members(archive):
                    target = follow(member.name)
                    if member.type not in _REGULAR or target not in by_target:
                        continue
                    names = by_target.pop(target)
                    if not self._plain and member.size > LARGE:  # a stream can be read for one link only
                        postponed[target] = names[1:]
                        names = names[:1]
                    for link, content in self._contents(archive, member, names):
                        yield self._entry(link, member.size, content, done)
            dangling += chain.from_iterable(by_target.values())
            by_target = {target: names for target, names in postponed.items() if names}
        for link in dangling:
            yield self._entry(link, 0, FilePart(self._name, missing=DANGLING), done)

    def _contents(
        self, archive: tarfile.TarFile, member: tarfile.TarInfo, links: list[str]
    ) -> Iterator[tuple[str, Content]]:
        if self._plain or len(links) == 1:
            for link in links:
                yield link, self._content(archive, member, link)
        else:
            data = b"".join(_pieces(archive, member))
            for link in links:
                yield link, _make_content(iter([data]), link, member.size)

    def _content(self, archive: tarfile.TarFile, member: tarfile.TarInfo, document: str) -> Content:
        """The content of the current member, for a document of that name."""
        if self._plain:
            return FilePart(self._name, member.offset_data, member.size, is_packed(document))
        parts = guard_pieces(_pieces(archive, member), self._name, "tar")
        return _make_content(parts, document, member.size)

    def _entry(self, document: str, size: int, content: Content, done: int) -> Entry:
        return _make_entry(self._name, self._ids, document, size, content, done)


_READING: Any = {"tarinfo": Member, "encoding": "utf-8", "errors": "surrogateescape"}


def _open_stream(stream: IO[bytes]) -> tarfile.TarFile:
    return tarfile.open(fileobj=stream, mode="r|", **_READING)


def _finish(stream: IO[bytes]) -> None:
    """Read to the end, where compressed streams have their checksum."""
    while stream.read(CHUNK):
        pass


def _pieces(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    stream = archive.extractfile(member)
    assert stream is not None, "it is a regular file"
    yield from pieces(stream)
