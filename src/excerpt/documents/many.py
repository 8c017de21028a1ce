"""Files of many documents in a corpus: which they are, and their documents one after the other."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from pathlib import Path

from excerpt.documents.archives import DAMAGE
from excerpt.documents.cuts import Bytes, Cutting, Piece, cut, has_several, is_trec
from excerpt.documents.entry import Cut, Entry, FilePart, is_document
from excerpt.files.compression import compression_of, decompress

_HEAD = 1 << 14
#: How files of TREC's collections are called: without an extension, with a number, or as what they are.
_CALLED = re.compile(r"[^.]+|.+\.(sgml?|trec|dat|\d+)", re.IGNORECASE)
_PACKED = re.compile(r"\.(gz|bz2|xz|zst)$", re.IGNORECASE)


def may_be_trec(name: str) -> bool:
    """Whether a file may be of a collection of TREC's, by its name.

    >>> [may_be_trec(name) for name in ("ft911_1", "fr940104.0.gz", "wt01.sgml", "read.me", "a.json")]
    [True, True, True, False, False]
    """
    return _CALLED.fullmatch(_PACKED.sub("", name)) is not None


def trec_cutting(path: str) -> Cutting | None:
    """How a file is cut that is TREC's by its content; a file named `.xml` must have several documents."""
    try:
        with Path(path).open("rb") as raw:
            head = raw.read(_HEAD)
            if (compression := compression_of(head)) is not None:
                raw.seek(0)
                head = compression.reader(raw).read(_HEAD)
    except DAMAGE:  # whoever reads it says so
        return None
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # zstandard is imported only where it is needed
            raise
        return None
    if not is_trec(head):
        return None
    if is_document(path):
        with Opened(path) as data:
            return Cutting() if has_several(data) else None
    return Cutting()


class Opened:
    """The bytes of a file: mapped, so that they take no memory; of a compressed one, unpacked."""

    def __init__(self, path: str) -> None:
        self.packed = False
        self._map: mmap.mmap | None = None
        with Path(path).open("rb") as raw:
            head = raw.read(8)
            if compression_of(head) is not None:
                self.packed = True
                self._data: Bytes = decompress(head + raw.read(), path)
            else:
                self._map = mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) if head else None
                self._data = self._map if self._map is not None else b""

    def __enter__(self) -> Bytes:
        return self._data

    def __exit__(self, *_: object) -> None:
        if self._map is not None:
            self._map.close()


def pieces_of(data: Bytes, cutting: Cutting, path: str) -> Iterator[Piece]:
    """The documents of a file; none where no tag of a document is in it, whatever it is."""
    tag = re.compile(rb"<%b[\s/>]" % re.escape(cutting.tag.encode()), re.IGNORECASE)
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")  # two bytes a character, and refused
    return cut(data, cutting, path) if wide or tag.search(data) else iter(())


def cut_entries(path: str, cutting: Cutting, done: int, without: list[str]) -> Iterator[Entry]:
    """The documents of a file, which are read where they are parsed; a file that has none joins `without`."""
    opened = Opened(path)
    count = 0
    with opened as data:
        for piece in pieces_of(data, cutting, path):
            count += 1
            size = piece.end - piece.start
            part = data[piece.start : piece.end] if opened.packed else FilePart(path, piece.start, size)
            yield Entry(piece.id, f"{path}!{piece.id}", size, Cut(part, piece.form), done + piece.end)
    if not count:
        without.append(path)
