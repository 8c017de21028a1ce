"""Documents in archives: tar (plain or compressed) and zip, known by their content, read in one pass."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from excerpt.errors import FormatError
from excerpt.index.entries import (
    CHUNK,
    LARGE,
    Content,
    Corpus,
    Entry,
    FilePart,
    Ids,
    document_id,
    is_document,
    is_packed,
    pieces,
)
from excerpt.index.tar import BLOCK, Damaged, Member, TarReader, is_tar

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

Unpack = Callable[[IO[bytes]], Any]


def open_archive(name: str, ids: Ids, size: int) -> Corpus | None:
    """The documents of an archive of `size` bytes, or None where the file is none."""
    with Path(name).open("rb") as raw:
        head = raw.read(BLOCK)
    if is_tar(head):
        return Corpus(_tar(name, ids, None), size)
    if head.startswith(_ZIP):
        return _zip(name, ids)
    unpack = next((unpack for magic, unpack in _UNPACK.items() if head.startswith(magic)), None)
    if unpack is None:
        return None
    if is_tar(_first_block(name, unpack)):
        return Corpus(_tar(name, ids, unpack), size)
    if is_document(name):
        return None
    raise _damaged(name, "compressed", "it does not begin like a tar archive")


def _unzstd(raw: IO[bytes]) -> IO[bytes]:
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)


_UNPACK: dict[bytes, Unpack] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _unzstd,
}


def _first_block(name: str, unpack: Unpack) -> bytes:
    with Path(name).open("rb") as raw, _guarding(name, "compressed"):
        block: bytes = unpack(raw).read(BLOCK)
        return block


def _tar(name: str, ids: Ids, unpack: Unpack | None) -> Iterator[Entry]:
    with Path(name).open("rb", buffering=CHUNK) as raw, _guarding(name, "tar"):
        reader = TarReader(io.BufferedReader(unpack(raw), CHUNK) if unpack else raw)
        for member in reader:
            if is_document(member.name):
                content = _tar_content(name, reader, member, plain=unpack is None)
                shown = f"{name}!{member.name}"
                yield Entry(document_id(member.name, ids), shown, member.size, content, raw.tell())


def _tar_content(name: str, reader: TarReader, member: Member, *, plain: bool) -> Content:
    if plain and not is_packed(member.name):
        return FilePart(name, member.offset, member.size)
    return _content(_guarded(reader.content(), name, "tar"), member.name, member.size)


def _zip(name: str, ids: Ids) -> Corpus:
    with _guarding(name, "zip"), zipfile.ZipFile(name) as archive:
        members = [info for info in archive.infolist() if not info.is_dir() and is_document(info.filename)]

    def entries() -> Iterator[Entry]:
        done = 0
        with _guarding(name, "zip"), zipfile.ZipFile(name) as archive:
            for info in members:
                done += info.file_size
                with archive.open(info) as stream:
                    content = _content(_guarded(pieces(stream), name, "zip"), info.filename, info.file_size)
                    shown = f"{name}!{info.filename}"
                    yield Entry(document_id(info.filename, ids), shown, info.file_size, content, done)

    return Corpus(entries(), sum(info.file_size for info in members))


def _content(parts: Iterator[bytes], name: str, size: int) -> bytes | Iterator[bytes]:
    if is_packed(name):
        return gzip.decompress(b"".join(parts))
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
