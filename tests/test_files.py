"""Compression: known by the first bytes, refused where it is damaged or unpacks to too much."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import pyexpat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import excerpt
from excerpt import files
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import (
    FileContent,
    Input,
    display_name,
    expand,
    is_input,
    keep_content,
    read_beginning,
    read_bytes,
    read_once,
    stops_entity_bombs,
    write_bytes,
    writing,
)
from excerpt.quantise import read_quantisations

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
    """Bytes after a stream may be the rest of the content and are not skipped silently."""
    with pytest.raises(FormatError, match=f"<bytes>: found damaged or truncated {kind} data"):
        read_bytes(COMPRESS[kind](TEXT) + b"something else")


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_unpacks_to_too_much_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the limit is an error that says how to raise it; exactly the limit is none."""
    packed = COMPRESS[kind](TEXT)
    monkeypatch.setenv(files.LIMIT, "6999")
    with pytest.raises(ExcerptError) as caught:
        read_bytes(packed)
    assert str(caught.value).startswith(f"<bytes>: {kind} data unpacks to more than 6.83 KiB (")
    assert str(caught.value).endswith(" packed); if you trust the file, set EXCERPT_MAX_SIZE=1G")
    monkeypatch.setenv(files.LIMIT, "7000")
    assert read_bytes(packed) == TEXT


def test_small_files_that_unpack_to_very_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default a file may unpack to a hundred times its size, or to what is never too much."""
    packed = gzip.compress(bytes(3_000_000))
    assert len(read_bytes(packed)) == 3_000_000
    monkeypatch.setattr(files, "_ALWAYS", 1_000_000)
    with pytest.raises(ExcerptError, match="unpacks to more than 977 KiB"):
        read_bytes(packed)
    monkeypatch.setattr(files, "_MOST", 500_000)
    with pytest.raises(ExcerptError, match="unpacks to more than 488 KiB"):
        read_bytes(packed)


def test_lack_of_memory_is_not_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file may be whole where memory is short."""

    def fail(*_: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(files, "_unpack", fail)
    with pytest.raises(MemoryError):
        read_bytes(gzip.compress(b"x"))


def test_a_limit_beyond_all_files_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit too large for any library allows all files."""
    monkeypatch.setenv(files.LIMIT, "999999999999999T")
    assert [read_bytes(pack(TEXT)) for pack in COMPRESS.values()] == [TEXT] * 4


@pytest.mark.parametrize("text", ["", "0", "-1", "2 X", "1.5G", "9" * 30])
def test_sizes_that_are_none(text: str) -> None:
    """Only whole numbers with a unit are sizes."""
    with pytest.raises(ExcerptError, match="expected a size such as 500M or 4G"):
        files.parse_size(text)


@pytest.mark.parametrize(
    ("version", "safe"), [((2, 4, 0), False), ((2, 4, 1), True), ((1, 95, 8), False), ((2, 10, 0), True)]
)
def test_versions(monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], safe: bool) -> None:
    """Entity bombs are stopped since expat 2.4.1."""
    monkeypatch.setattr(pyexpat, "version_info", version)
    assert stops_entity_bombs() == safe


READING_TEXT = b"a line\n" * 1000
QRELS = b"1 Q0 A 40 200 10 10:40\n"
RUN = b"1 Q0 A 1 1 mine 0 50\n"
PACK: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstandard.ZstdCompressor().compress,
}


class Upload:
    """An upload of a web framework: an object with only a read method."""

    def __init__(self, data: bytes, name: object = None) -> None:
        self._data = data
        self.name = name

    def read(self) -> bytes:
        """Everything."""
        return self._data


def opened(data: bytes, tmp_path: Path) -> dict[str, Input]:
    """The same content in every way in which it can be given."""
    file = tmp_path / "content"
    file.write_bytes(data)
    return {
        str(file): file,
        "<bytes>": data,
        "<stream>": io.BytesIO(data),
        "upload.gz": Upload(data, "upload.gz"),
    }


def test_plain_files(tmp_path: Path) -> None:
    """Bytes are read as they are."""
    (tmp_path / "a").write_bytes(b"\0\xff")
    assert read_bytes(tmp_path / "a") == b"\0\xff"
    assert read_bytes(str(tmp_path / "a")) == b"\0\xff"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is standard input, decompressed as well."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(READING_TEXT))))
    assert read_bytes("-") == READING_TEXT
    assert display_name("-") == "<stdin>"
    monkeypatch.setattr(sys, "stdin", None)  # a process may be started without one
    with pytest.raises(ExcerptError, match="<stdin>: cannot be read: it is closed"):
        read_bytes("-")


def test_content_is_kept(tmp_path: Path) -> None:
    """A stream can be read twice once it is kept, under its own name; all else is as it was."""
    kept = keep_content(io.BytesIO(gzip.compress(READING_TEXT)))
    assert is_input(kept)
    assert (read_bytes(kept), read_bytes(kept), display_name(kept)) == (
        READING_TEXT,
        READING_TEXT,
        "<stream>",
    )
    assert keep_content(tmp_path) is tmp_path
    assert keep_content(READING_TEXT) is READING_TEXT


def test_what_can_be_read_once(tmp_path: Path) -> None:
    """Standard input by any name, pipes and devices, but neither files nor folders nor what is not there."""
    file, pipe = tmp_path / "a", tmp_path / "pipe"
    file.touch()
    os.mkfifo(pipe)
    for path in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/null", pipe):
        assert read_once(path)
    for path in (file, str(file), tmp_path, f"/proc/self/root{tmp_path}", tmp_path / "nowhere", "\0"):
        assert not read_once(path)


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
def test_every_reader_reads_from_anywhere(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """A path, bytes, a stream and anything with `read` give the same, compressed or not."""
    for name, given in opened(pack(RUN), tmp_path).items():
        run = excerpt.read_run(given)
        assert (run.name, run.source, len(run)) == ("mine", name, 1)
    for name, given in opened(pack(QRELS), tmp_path).items():
        judgments = excerpt.read_judgments(given)
        assert (judgments.source, len(judgments.spans)) == (name, 1)
    for name, given in opened(pack(RUN), tmp_path).items():
        assert str(excerpt.check(given)).startswith(f"{name}: a run of spans, mine: 1 result,")
    saved = excerpt.evaluate(QRELS, RUN, "charP").to_json().encode()
    for given in opened(pack(saved), tmp_path).values():
        assert excerpt.load_scores(given).mean("mine", "charP") == 0.8
    table = b'[from_anywhere]\nscale = "exhaustivity and specificity"\nvalues = {"33" = 1}\n'
    for name, given in opened(pack(table), tmp_path).items():
        assert [made.description for made in read_quantisations(given)] == [f"from {name}"]


def test_text_files_are_read_too(tmp_path: Path) -> None:
    """An open text file is as good as a binary one; what is no character is found where it is."""
    (tmp_path / "run").write_bytes(RUN)
    with (tmp_path / "run").open(encoding="utf-8") as file, (tmp_path / "run").open("rb") as binary:
        for given in (file, binary):
            assert excerpt.read_run(given).source == str(tmp_path / "run")
    assert len(excerpt.read_run(io.StringIO(RUN.decode()))) == 1
    with pytest.raises(ExcerptError, match="<stream>:2: found byte 0xed, expected UTF-8 text"):
        excerpt.read_run(io.StringIO("1 Q0 A 1 1 mine 0 50\n1 Q0 \ud800 1 1 mine 0 50\n"))
    (tmp_path / "latin").write_bytes("ä".encode("latin-1"))
    with (
        (tmp_path / "latin").open(encoding="utf-8") as file,
        pytest.raises(ExcerptError, match=r"latin: cannot be read as text: .*; open it as a binary file"),
    ):
        read_bytes(file)


@pytest.mark.parametrize("workers", [1, 2])
def test_evaluating_from_anywhere(tmp_path: Path, workers: int) -> None:
    """Runs are scored alike wherever they come from; processes share what can travel."""
    (tmp_path / "run").write_bytes(RUN)
    runs: list[Input] = [tmp_path / "run", RUN, io.BytesIO(RUN), io.StringIO(RUN.decode())]
    table = excerpt.evaluate(io.BytesIO(QRELS), runs, ["charP"], workers=workers)
    assert table.means().tolist() == [[0.8]] * 4
    assert table.files == (str(tmp_path / "run"), "<bytes>", "<stream>", "<stream>")
    assert excerpt.evaluate(QRELS, io.BytesIO(RUN), "charP").means().tolist() == [[0.8]]


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """Other objects, closed files and streams that give something else are named."""
    with (tmp_path / "a").open("wb") as closed:
        pass

    class Later:
        def read(self) -> object:
            return {}

    for given, message in (
        ({"1": {}}, "found dict, expected a path, bytes or an open file"),
        (closed, f"{tmp_path / 'a'}: cannot be read: read"),
        (Later(), "<stream>: read() returned dict, expected bytes or text"),
    ):
        with pytest.raises(ExcerptError) as caught:
            read_bytes(given)  # type: ignore[arg-type]
        assert str(caught.value).startswith(message.removesuffix("read")), caught.value


def test_names_of_streams() -> None:
    """The name of a stream is its own if that is a text: a descriptor's number is none."""
    assert display_name(Upload(b"", "a.fol")) == "a.fol"
    assert [display_name(Upload(b"", name)) for name in (None, 3, "")] == ["<stream>"] * 3
    assert read_once(io.BytesIO())
    assert not read_once(b"")
    assert not is_input([RUN])


def test_folders_and_lists_stand_for_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is its files by name, `@FILE` the names in it; other names stay as they are."""
    for name in ("runs/b", "runs/a", "runs/.hidden", "runs/deeper/c", "one"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    inside = [f"runs{os.sep}a", f"runs{os.sep}b"]
    (tmp_path / "list").write_text("# ours\none\n\nruns\r\n nowhere \n")
    assert expand(["one", "runs", "-"]) == ["one", *inside, "-"]
    assert expand(["@list"]) == ["one", *inside, "nowhere"]
    (tmp_path / "empty").mkdir()
    (tmp_path / "blank").write_text("\n # none\n")
    (tmp_path / "nul").write_text("one\n\nr\0n\n")
    hint = "save the list as UTF-8, one name per line"
    for given, message in (
        ("empty", "empty: the folder contains no files"),
        ("@blank", "blank: found an empty list, expected names of files"),
        ("@no", "no: cannot be read: no such file or directory"),
        ("@nul", rf"nul:3: found a NUL character in 'r\x00n', expected the name of a file; {hint}"),
    ):
        with pytest.raises(ExcerptError) as caught:
            expand([given])
        assert str(caught.value) == message


def test_content_is_no_name() -> None:
    """Text of a file in the place of its name is said to be that, in a short sentence."""
    content = 500 * "1 Q0 A 0 10\n"
    for use in (excerpt.read_judgments, excerpt.read_run, excerpt.check):
        for text in (content, content[:24]):
            with pytest.raises(ExcerptError) as caught:
                use(text)
            expected = f"found text of {len(text)} characters, expected the name of a file"
            assert str(caught.value) == f"{expected}; give content as bytes"
    with pytest.raises(ExcerptError, match="expected the name of a file"):
        excerpt.evaluate(content, content)


def test_a_long_name_is_cut() -> None:
    """An error about a file of a very long name is short."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.read_judgments(3000 * "a")
    assert len(str(caught.value)) < 500


def test_beginnings(tmp_path: Path) -> None:
    """Of a file, packed or not, or of what was kept; a file that is not there begins with nothing."""
    (tmp_path / "plain").write_bytes(b"0123456789")
    (tmp_path / "packed").write_bytes(gzip.compress(b"0123456789"))
    for given in (tmp_path / "plain", tmp_path / "packed", FileContent("x", b"0123456789")):
        assert read_beginning(given, 4) == b"0123"
    assert read_beginning(tmp_path / "absent") == b""


def test_content_is_unpacked_once(tmp_path: Path) -> None:
    """Under the name of its file, however often it is read."""
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"abc"))
    content = FileContent.of(tmp_path / "packed.gz")
    assert (content.name, content.read(), read_bytes(content)) == (
        str(tmp_path / "packed.gz"),
        b"abc",
        b"abc",
    )


WRITING_TEXT = b"a line\n" * 1000


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
    write_bytes(file, WRITING_TEXT)
    monkeypatch.setattr(time, "time", lambda: 2e9)
    write_bytes(again, WRITING_TEXT)
    assert file.read_bytes().startswith(start)
    assert file.read_bytes() == again.read_bytes()
    assert read_bytes(file) == WRITING_TEXT


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
    """A folder or a link that is named like a leftover stays; leftovers next to it are removed."""
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
    """A standard output that takes no bytes, as under `redirect_stdout`, gets the text."""
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
    """A shell replaces `>(…)` by such a name."""
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
