"""Files: decompressed by content, written whole or not at all."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import display_name, read_bytes, read_once, write_bytes, writing

TEXT = b"a line\n" * 1000
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstandard.ZstdCompressor().compress,
}


def test_plain_files(tmp_path: Path) -> None:
    """Bytes are read as they are."""
    (tmp_path / "a").write_bytes(b"\0\xff")
    assert read_bytes(tmp_path / "a") == b"\0\xff"
    assert read_bytes(str(tmp_path / "a")) == b"\0\xff"


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


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is standard input, decompressed as well."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    assert read_bytes("-") == TEXT
    assert display_name("-") == "<stdin>"
    monkeypatch.setattr(sys, "stdin", None)  # a process may be started without one
    with pytest.raises(ExcerptError, match="<stdin>: cannot be read: it is closed"):
        read_bytes("-")


def test_what_can_be_read_once(tmp_path: Path) -> None:
    """Standard input by any name, pipes and devices, but neither files nor folders nor what is not there."""
    file, pipe = tmp_path / "a", tmp_path / "pipe"
    file.touch()
    os.mkfifo(pipe)
    for path in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/null", pipe):
        assert read_once(path)
    for path in (file, str(file), tmp_path, f"/proc/self/root{tmp_path}", tmp_path / "nowhere", "\0"):
        assert not read_once(path)


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is standard output; what was printed before comes first."""
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer))
    print("before")
    write_bytes("-", b"bytes")
    assert buffer.getvalue() == b"before\nbytes"


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("", b"a l"), (".gz", b"\x1f\x8b"), (".bz2", b"BZh"), (".xz", b"\xfd7z"), (".zst", b"\x28\xb5")],
)
def test_writing_compresses_by_suffix(tmp_path: Path, suffix: str, start: bytes) -> None:
    """The content comes back, and the same content gives the same bytes."""
    file, again = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    write_bytes(file, TEXT)
    write_bytes(again, TEXT)
    assert file.read_bytes().startswith(start)
    assert file.read_bytes() == again.read_bytes()
    assert read_bytes(file) == TEXT


def test_the_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    """Until the end the old content stays."""
    file = tmp_path / "a"
    file.write_bytes(b"old")
    with writing(file) as stream:
        stream.write(b"new")
        stream.flush()
        assert file.read_bytes() == b"old"
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]


def test_the_mask_of_the_user_is_kept(tmp_path: Path) -> None:
    """A new file may be read by whom the user's mask lets read."""
    before = os.umask(0o027)
    try:
        write_bytes(tmp_path / "a", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old file stays, no other file appears, the reason is given."""
    file = tmp_path / f"a{suffix}"
    file.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExcerptError) as caught:
        write_bytes(file, b"new")
    assert str(caught.value) == f"{file}: cannot be written: no space left on device; nothing was left behind"
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_disk_that_fills_while_writing(tmp_path: Path) -> None:
    """The stream itself may fail in the middle."""

    def fill(file: Path) -> None:
        with writing(file) as stream:
            stream.write(b"new")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ExcerptError, match=r"no space left on device; nothing was left behind$"):
        fill(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError("ours"), KeyboardInterrupt(), ExcerptError("said")])
def test_other_failures_leave_nothing_behind(tmp_path: Path, error: BaseException) -> None:
    """Whatever happens between, it is passed on and the folder is as before."""
    with pytest.raises(type(error)) as caught, writing(tmp_path / "a"):
        raise error
    assert caught.value is error
    assert list(tmp_path.iterdir()) == []


def test_links_are_followed(tmp_path: Path) -> None:
    """The file behind a link is replaced, not the link."""
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names of descriptors here")
def test_pipes_without_a_name_of_their_own_are_written_to() -> None:
    """What a shell puts in the place of `>(…)`."""
    end, other = os.pipe()
    with os.fdopen(end, "rb") as reader:
        write_bytes(f"/dev/fd/{other}", b"x")
        os.close(other)
        assert reader.read() == b"x"


def test_devices_are_written_to(tmp_path: Path) -> None:
    """A device is not replaced by a file, not even for the user who could."""
    write_bytes("/dev/null", b"x")
    assert Path("/dev/null").is_char_device()
    if Path("/dev/full").exists():
        with pytest.raises(ExcerptError) as caught:
            write_bytes("/dev/full", b"x")
        assert str(caught.value) == "/dev/full: cannot be written: no space left on device"
        assert Path("/dev/full").is_char_device()


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    """Folders, missing folders, files as folders and impossible names."""
    (tmp_path / "file").write_bytes(b"x")
    expected = {
        tmp_path: "is a directory, expected the name of a file to write",
        tmp_path / "no" / "a": "cannot be written: no such file or directory",
        tmp_path / "file" / "a": "cannot be written: not a directory",
        tmp_path / "a\0b": "is not a file name: ",
        tmp_path / ("x" * 300): "cannot be written: file name too long",
    }
    for name, message in expected.items():
        with pytest.raises(ExcerptError) as caught:
            write_bytes(name, b"x")
        assert str(caught.value).startswith(f"{name}: {message}".replace("\0", r"\x00"))
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_long_names_can_be_written(tmp_path: Path) -> None:
    """The temporary file does not need a longer name than the file."""
    write_bytes(tmp_path / ("x" * 255), b"content")
    assert (tmp_path / ("x" * 255)).read_bytes() == b"content"
