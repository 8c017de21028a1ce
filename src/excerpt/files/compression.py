"""Compressed content: recognised by its first bytes, unpacked within a limit, written by suffix."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
from collections.abc import Callable
from typing import IO, Any, NamedTuple, cast

from excerpt.errors import ExcerptError, FormatError

#: The environment variable that says how much a file may unpack to.
LIMIT = "EXCERPT_MAX_SIZE"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = r"(?ai)(\d{1,15}) ?([KMGT]?)i?B?"
_LARGEST = 1 << 62  # that the libraries can be told
_MOST = 2 << 30
_ALWAYS = 256 << 20  # a small file may unpack to so much, however small it is
_RATIO = 100  # text of runs and judgments packs to a tenth, of the most uniform ones to a fiftieth
_WINDOW = 1 << 20  # packed bytes handed over at once


class Compression(NamedTuple):
    """How one kind of compressed file is known, read and written."""

    name: str
    magic: bytes
    suffix: str
    #: A new decompressor for one stream of the file.
    start: Callable[[], Any]
    #: Packed bytes to hand over at once, where a decompressor cannot be told how much to unpack at most.
    window: int
    reader: Callable[[IO[bytes]], IO[bytes]]
    writer: Callable[[IO[bytes]], contextlib.AbstractContextManager[io.BufferedIOBase]]


def _module(name: str) -> Any:
    """A library, imported when it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ExcerptError(f"zstandard files need the library {name}", hint=f"pip install {name}") from None


_COMPRESSIONS = (
    Compression(
        "gzip",
        b"\x1f\x8b",
        ".gz",
        lambda: _module("zlib").decompressobj(31),
        _WINDOW,
        lambda raw: cast("IO[bytes]", _module("gzip").GzipFile(fileobj=raw)),
        # No time stamp: the same content gives the same bytes.
        lambda raw: _module("gzip").GzipFile(fileobj=raw, mode="wb", filename="", mtime=0),
    ),
    Compression(
        "bzip2",
        b"BZh",
        ".bz2",
        lambda: _module("bz2").BZ2Decompressor(),
        _WINDOW,
        lambda raw: cast("IO[bytes]", _module("bz2").BZ2File(raw)),
        lambda raw: _module("bz2").BZ2File(raw, "wb"),
    ),
    Compression(
        "xz",
        b"\xfd7zXZ\x00",
        ".xz",
        lambda: _module("lzma").LZMADecompressor(),
        _WINDOW,
        lambda raw: cast("IO[bytes]", _module("lzma").LZMAFile(raw)),
        lambda raw: _module("lzma").LZMAFile(raw, "wb"),
    ),
    Compression(
        "zstandard",
        b"\x28\xb5\x2f\xfd",
        ".zst",
        lambda: _module("zstandard").ZstdDecompressor().decompressobj(),
        1 << 10,
        lambda raw: _module("zstandard").ZstdDecompressor().stream_reader(raw, read_across_frames=True),
        lambda raw: io.BufferedWriter(
            _module("zstandard").ZstdCompressor().stream_writer(raw, closefd=False)
        ),
    ),
)

#: How the names of compressed files end.
SUFFIXES = frozenset(kind.suffix for kind in _COMPRESSIONS)


def compression_of(head: bytes) -> Compression | None:
    """The kind of compressed file that starts like this, if any."""
    return next((kind for kind in _COMPRESSIONS if head.startswith(kind.magic)), None)


def compressing(raw: io.BufferedWriter, suffix: str) -> contextlib.AbstractContextManager[io.BufferedIOBase]:
    """A stream that compresses as the suffix of a file says."""
    kind = next((kind for kind in _COMPRESSIONS if kind.suffix == suffix), None)
    return kind.writer(raw) if kind else contextlib.nullcontext(raw)


def parse_size(text: str) -> int:
    """A number of bytes such as `500M` or `4G`.

    >>> parse_size("500M"), parse_size("4 GiB")
    (524288000, 4294967296)
    """
    match = re.fullmatch(_SIZE, text.strip())
    if not match or not int(match[1]):
        raise ExcerptError(f"found the size {text[:20]!r}, expected one such as 500M or 4G")
    return min(int(match[1]) * _UNITS[match[2].upper()], _LARGEST)


def _room(packed: int) -> int:
    """How many bytes a file of a size may unpack to."""
    given = os.environ.get(LIMIT)
    return parse_size(given) if given else min(_MOST, max(_ALWAYS, _RATIO * packed))


def room_for(packed: int) -> int:
    """How many bytes a file of a size may unpack to on disk, where there is more room than in memory."""
    given = os.environ.get(LIMIT)
    return parse_size(given) if given else max(_ALWAYS, _RATIO * packed)


class _TooLargeError(Exception):
    """There is more to unpack than is allowed."""


def decompress(data: bytes, name: str) -> bytes:
    """`data` itself, or what it holds when it starts like a compressed file."""
    kind = compression_of(data)
    if kind is None:
        return data
    room = _room(len(data))
    try:
        return _unpack(data, kind, room)
    except _TooLargeError:
        raise _too_large(kind.name, room, len(data), name) from None
    except ExcerptError as error:
        raise ExcerptError(error.message, path=name, hint=error.hint) from None
    except MemoryError:  # the file may well be whole
        raise
    except Exception as error:  # noqa: BLE001 - each library has its own kinds of error
        raise FormatError(
            f"found damaged or truncated {kind.name} data ({error}), expected a complete file",
            path=name,
            hint="copy or download the file again",
        ) from None


def require_room(size: int, packed: int, kind: str, name: str) -> None:
    """An error where data of a size unpacks to more than it may in memory."""
    if size > (room := _room(packed)):
        raise _too_large(kind, room, packed, name)


def _too_large(kind: str, room: int, packed: int, name: str) -> ExcerptError:
    return ExcerptError(
        f"found {kind} data that unpacks to more than {_shown(room)} ({_shown(packed)} packed), "
        "expected less",
        path=name,
        hint=f"if you trust the file, set ⟨max_size={4 * room // (1 << 30) or 1}G⟩",
    )


def _unpack(data: bytes, kind: Compression, room: int) -> bytes:
    pieces: list[bytes] = []
    view, place = memoryview(data), 0
    padding = re.compile(rb"\0*")  # between streams, as tapes have it
    while place < len(data):
        stream = kind.start()
        while not stream.eof:
            window = view[place : place + kind.window]
            if not window:
                raise EOFError("the last frame is not complete")
            # One byte more than allowed shows that there is more.
            limits = () if kind.window < _WINDOW else (room + 1,)
            pieces.append(stream.decompress(window, *limits))
            room -= len(pieces[-1])
            if room < 0:
                raise _TooLargeError
            place += len(window)
        place = padding.match(data, place - len(stream.unused_data)).end()  # type: ignore[union-attr]
    return b"".join(pieces)


def _shown(size: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
