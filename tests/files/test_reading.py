"""Reading: paths, bytes, open files and streams alike."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import excerpt
from excerpt.errors import ExcerptError
from excerpt.files import (
    Content,
    Input,
    display_name,
    expand,
    is_input,
    keep_content,
    read_beginning,
    read_bytes,
    read_once,
)
from excerpt.quantise import read_quantisations

TEXT = b"a line\n" * 1000
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
    """What a web framework hands over: something to read, without more."""

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
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    assert read_bytes("-") == TEXT
    assert display_name("-") == "<stdin>"
    monkeypatch.setattr(sys, "stdin", None)  # a process may be started without one
    with pytest.raises(ExcerptError, match="<stdin>: cannot be read: it is closed"):
        read_bytes("-")


def test_content_is_kept(tmp_path: Path) -> None:
    """A stream can be read twice once it is kept, under its own name; all else is as it was."""
    kept = keep_content(io.BytesIO(gzip.compress(TEXT)))
    assert is_input(kept)
    assert (read_bytes(kept), read_bytes(kept), display_name(kept)) == (TEXT, TEXT, "<stream>")
    assert keep_content(tmp_path) is tmp_path
    assert keep_content(TEXT) is TEXT


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
        (Later(), "<stream>: gave dict, expected bytes or text from its read()"),
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
    for given, message in (
        ("empty", "empty: found a folder without files, expected at least one"),
        ("@blank", "blank: found an empty list, expected names of files"),
        ("@no", "no: cannot be read: no such file or directory"),
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
    for given in (tmp_path / "plain", tmp_path / "packed", Content("x", b"0123456789")):
        assert read_beginning(given, 4) == b"0123"
    assert read_beginning(tmp_path / "absent") == b""


def test_content_is_unpacked_once(tmp_path: Path) -> None:
    """Under the name of its file, however often it is read."""
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"abc"))
    content = Content.of(tmp_path / "packed.gz")
    assert (content.name, content.read(), read_bytes(content)) == (
        str(tmp_path / "packed.gz"),
        b"abc",
        b"abc",
    )
