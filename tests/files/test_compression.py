"""Compression: known by the first bytes, refused where it is damaged or unpacks to too much."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import compression, read_bytes

TEXT = b"a line\n" * 1000
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("parts", [1, 2])
def test_compressed_files(tmp_path: Path, kind: str, parts: int) -> None:
    """The suffix does not matter; several streams in one file are read one after the other."""
    (tmp_path / "a.txt").write_bytes(COMPRESS[kind](TEXT) * parts)
    assert read_bytes(tmp_path / "a.txt") == TEXT * parts


@pytest.mark.parametrize("kind", COMPRESS)
def test_every_cut_is_noticed(tmp_path: Path, kind: str) -> None:
    """Wherever a compressed file ends too early, it is refused."""
    packed = COMPRESS[kind](b"short")
    shortest = 6 if kind == "xz" else 4
    for cut in range(shortest, len(packed)):
        (tmp_path / "a").write_bytes(packed[:cut])
        with pytest.raises(
            FormatError, match=f"found damaged or truncated {kind} data .*, expected a complete file"
        ):
            read_bytes(tmp_path / "a")


def test_zstandard_frames(tmp_path: Path) -> None:
    """Frames without a size, empty and skippable ones are read; a second frame that is cut is refused."""
    stream = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    unsized = stream.compress(TEXT) + stream.flush()
    skipped = struct.pack("<II", 0x184D2A50, 4) + b"skip"
    empty = COMPRESS["zstandard"](b"")
    file = tmp_path / "a"
    file.write_bytes(unsized + skipped + empty + unsized)
    assert read_bytes(file) == TEXT * 2
    file.write_bytes(unsized + unsized[:-1])
    with pytest.raises(FormatError, match="the last frame is not complete"):
        read_bytes(file)


@pytest.mark.parametrize("kind", COMPRESS)
def test_many_streams_and_padding(kind: str) -> None:
    """Streams that do not end where we happen to cut, and zeros between them, change nothing."""
    packed = b"".join(COMPRESS[kind](b"%d " % number * number) for number in range(300)) + b"\0" * 512
    assert read_bytes(packed) == b"".join(b"%d " % number * number for number in range(300))


@pytest.mark.parametrize("kind", COMPRESS)
def test_bytes_behind_the_end_are_refused(kind: str) -> None:
    """What follows a stream may be the rest of the content: it is not left out silently."""
    with pytest.raises(FormatError, match=f"<bytes>: found damaged or truncated {kind} data"):
        read_bytes(COMPRESS[kind](TEXT) + b"something else")


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_unpacks_to_too_much_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the limit is an error that says how to raise it; exactly the limit is none."""
    packed = COMPRESS[kind](TEXT)
    monkeypatch.setenv(compression.LIMIT, "6999")
    with pytest.raises(ExcerptError) as caught:
        read_bytes(packed)
    assert str(caught.value).startswith(f"<bytes>: found {kind} data that unpacks to more than 6.83 KiB (")
    assert str(caught.value).endswith("expected less; if you trust the file, set EXCERPT_MAX_SIZE=1G")
    monkeypatch.setenv(compression.LIMIT, "7000")
    assert read_bytes(packed) == TEXT


def test_small_files_that_unpack_to_very_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default a file may unpack to a hundred times its size, or to what is never too much."""
    packed = gzip.compress(bytes(3_000_000))
    assert len(read_bytes(packed)) == 3_000_000
    monkeypatch.setattr(compression, "_ALWAYS", 1_000_000)
    with pytest.raises(ExcerptError, match="unpacks to more than 977 KiB"):
        read_bytes(packed)
    monkeypatch.setattr(compression, "_MOST", 500_000)
    with pytest.raises(ExcerptError, match="unpacks to more than 488 KiB"):
        read_bytes(packed)


def test_lack_of_memory_is_not_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file may be whole where memory is short."""

    def fail(*_: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(compression, "_unpack", fail)
    with pytest.raises(MemoryError):
        read_bytes(gzip.compress(b"x"))


def test_a_limit_beyond_all_files_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that no library could be told still lets everything pass."""
    monkeypatch.setenv(compression.LIMIT, "999999999999999T")
    assert [read_bytes(pack(TEXT)) for pack in COMPRESS.values()] == [TEXT] * 4


@pytest.mark.parametrize("text", ["", "0", "-1", "2 X", "1.5G", "9" * 30])
def test_sizes_that_are_none(text: str) -> None:
    """Only whole numbers with a unit are sizes."""
    with pytest.raises(ExcerptError, match="expected one such as 500M or 4G"):
        compression.parse_size(text)
