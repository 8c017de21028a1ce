"""Writing: a whole file or none, compressed by its suffix, with the mode it had."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from excerpt.errors import ExcerptError
from excerpt.files import read_bytes, write_bytes, writing

TEXT = b"a line\n" * 1000


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
def test_writing_compresses_by_suffix(
    tmp_path: Path, suffix: str, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content comes back, and the same content gives the same bytes at another time."""
    file, again = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    monkeypatch.setattr(time, "time", lambda: 1e9)
    write_bytes(file, TEXT)
    monkeypatch.setattr(time, "time", lambda: 2e9)
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


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    """A private file stays private, whatever the user's mask says of new ones."""
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(mode)
    write_bytes(file, b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == mode


def test_the_mask_of_the_process_is_never_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread that writes at the same time must not see another mask."""

    def refuse(_mask: int) -> int:
        raise AssertionError("umask was set")

    monkeypatch.setattr(os, "umask", refuse)
    threads = [threading.Thread(target=write_bytes, args=(tmp_path / str(n), b"x")) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.iterdir())) == 4


def test_what_killed_commands_left_is_removed(tmp_path: Path) -> None:
    """The next file written in a folder takes away what a process that is gone had begun there."""
    code = (
        "import os, signal, sys\n"
        "from excerpt.files import writing\n"
        "with writing(sys.argv[1]) as stream: stream.write(b'x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".excerpt-")
    assert left.suffix == ".tmp"
    with writing(tmp_path / "b") as stream:
        stream.write(b"x")
        write_bytes(tmp_path / "c", b"x")  # what a living process has begun stays
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b", "c"]


def test_what_cannot_be_removed_keeps_nothing_else(tmp_path: Path) -> None:
    """A folder or a link that is called like a leftover stays; leftovers beside it go."""
    (tmp_path / f".excerpt-{'0' * 16}.tmp").mkdir()
    (tmp_path / f".excerpt-{'1' * 16}.tmp").symlink_to("kept")
    (tmp_path / f".excerpt-{'2' * 16}.tmp").write_bytes(b"x")
    (tmp_path / "kept").write_bytes(b"x")
    write_bytes(tmp_path / "a", b"x")
    assert sorted(file.name[:10] for file in tmp_path.iterdir()) == [".excerpt-0", ".excerpt-1", "a", "kept"]


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_lines_can_be_written(tmp_path: Path, suffix: str) -> None:
    """Every kind of compressed file takes lines one after the other."""
    with writing(tmp_path / f"a{suffix}") as stream:
        stream.writelines(b"%d\n" % number for number in range(3))
    assert read_bytes(tmp_path / f"a{suffix}") == b"0\n1\n2\n"


def test_standard_output_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where standard output takes no bytes, as under `redirect_stdout`, it gets the text."""
    text = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text)
    write_bytes("-", "ä\n".encode())
    assert text.getvalue() == "ä\n"


def test_standard_output_gets_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is held back until the end."""
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer))
    with writing("-") as stream:
        stream.write(b"first")
        assert buffer.getvalue() == b"first"


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
