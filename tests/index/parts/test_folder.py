"""Parts of an index in files: the same index from any worker, and no outdated part is used."""

from __future__ import annotations

import contextlib
import filecmp
import gzip
import os
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from excerpt.cli import main
from excerpt.cli.console import ProgressBar
from excerpt.documents.entry import Entry, FilePart
from excerpt.documents.walk import batches, open_corpus
from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex
from excerpt.indexing import builder, shares
from excerpt.indexing.batch import IndexedBatch, index_batch
from excerpt.indexing.builder import build_index, build_share
from excerpt.model.judgments import OffsetUnit
from excerpt.notices import Notices

UNITS: tuple[OffsetUnit, ...] = ("char", "byte")
Write = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "BATCHES", 2)


@pytest.fixture
def corpus(write: Write) -> Path:
    """Six batches in four parts: documents of many kinds, broken ones, one with an undeclared entity."""
    documents: dict[str, str | bytes] = {
        f"{number:04}.xml": f"<a><b{number % 7}>t{number}</b{number % 7}>&#233;</a>" for number in range(1400)
    }
    documents["0003.xml"] = "<a>\n<b></a>"
    documents["0700.xml"] = '<!DOCTYPE a SYSTEM "a.dtd"><a>&nobody;</a>'
    documents["été.xml"] = "<a>\u00e9</a>".encode()
    return write(documents)


@pytest.fixture
def indexed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first documents of the batches that were indexed in this process for parts."""
    seen: list[str] = []

    def counting(entries: Sequence[Entry], unit: OffsetUnit, *, keep_text: bool) -> IndexedBatch:
        seen.append(entries[0].id)
        return index_batch(entries, unit, keep_text=keep_text)

    monkeypatch.setattr(shares, "index_batch", counting)
    return seen


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def same(first: Path, second: Path) -> bool:
    """Return whether two indexes have the same files with the same bytes."""
    compared = filecmp.cmpfiles(first, second, names(first), shallow=False)
    return names(first) == names(second) and compared[1:] == ([], [])


def test_shares_make_the_same_index(corpus: Path, tmp_path: Path, indexed: list[str]) -> None:
    """Shares, made in any order, put together: every byte and the report as without them."""
    expected = build_index(corpus, tmp_path / "plain")
    made = [build_share(corpus, tmp_path / "index", number, 2, workers=number) for number in (2, 1)]
    assert made == [2, 2]
    assert names(tmp_path / "index.parts") == [f"0000000{number}.npz" for number in range(4)]
    assert not (tmp_path / "index").exists()
    indexed.clear()
    assert build_index(corpus, tmp_path / "index") == expected
    assert indexed == []
    assert same(tmp_path / "plain", tmp_path / "index")
    assert names(tmp_path) == ["corpus", "index", "plain"]
    assert len(expected.broken) == 1
    assert len(expected.notices) == 1


def test_missing_parts_are_made(corpus: Path, tmp_path: Path, indexed: list[str]) -> None:
    """The command without a share makes what is missing, in this process or in others."""
    build_index(corpus, tmp_path / "plain")
    for workers in (1, 2):
        build_share(corpus, tmp_path / "index", 2, 3)
        indexed.clear()
        build_index(corpus, tmp_path / "index", workers=workers)
        assert indexed == ([] if workers == 2 else ["0000", "0512", "0768", "1024", "1280"])
        assert same(tmp_path / "plain", tmp_path / "index")


def test_other_files_are_left_alone(corpus: Path, tmp_path: Path) -> None:
    """A folder of the user's that has the name of ours is not taken for it."""
    (tmp_path / "index.parts").mkdir()
    (tmp_path / "index.parts" / "mine.npz").write_text("mine")
    build_index(corpus, tmp_path / "index")
    build_share(corpus, tmp_path / "index", 1, 1)
    build_index(corpus, tmp_path / "index")
    assert names(tmp_path / "index.parts") == ["mine.npz"]


@pytest.mark.parametrize(
    "change",
    ["text", "time", "unit", "keep", "flip", "cut", "other", "encrypted", "unpacked", "unknown method"],
)
def test_nothing_stale_is_taken(corpus: Path, tmp_path: Path, indexed: list[str], change: str) -> None:
    """A part whose documents, options or bytes are not the same any more is made again."""
    build_share(corpus, tmp_path / "index", 1, 1)
    file = tmp_path / "index.parts" / "00000002.npz"
    document = corpus / "0600.xml"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    changes: dict[str, Callable[[], object]] = {
        "text": lambda: document.write_text("<other/>"),
        "time": lambda: os.utime(document, ns=(1, 1)),
        "unit": lambda: None,
        "keep": lambda: None,
        "flip": lambda: file.write_bytes(data),
        "cut": lambda: os.truncate(file, len(data) // 2),
        "other": lambda: file.write_bytes((file.parent / "00000000.npz").read_bytes()),
        "encrypted": lambda: file.write_bytes(_with_field(file, 8, 1)),
        "unpacked": lambda: file.write_bytes(_with_field(file, 10, 8)),
        "unknown method": lambda: file.write_bytes(_with_field(file, 10, 99)),
    }
    changes[change]()
    indexed.clear()
    unit: OffsetUnit = "byte" if change == "unit" else "char"
    keep = change == "keep"
    build_index(corpus, tmp_path / "index", unit=unit, keep_text=keep)
    everything = ["0000", "0256", "0512", "0768", "1024", "1280"]
    assert indexed == (everything if change in {"unit", "keep"} else ["0512", "0768"])
    build_index(corpus, tmp_path / "plain", unit=unit, keep_text=keep)
    assert same(tmp_path / "plain", tmp_path / "index")


def _with_field(file: Path, field: int, value: int) -> bytes:
    """A part whose zip directory says of the first member what is not true: how it is packed."""
    data = bytearray(file.read_bytes())
    data[data.index(b"PK\1\2") + field] = value
    return bytes(data)


def third_part(corpus: Path) -> shares.Part:
    """The documents 0512 to 1023."""
    return list(shares.parts_of(batches(open_corpus(corpus, "stem").entries)))[2]


def made_of(folder: shares.PartFolder, part: shares.Part) -> shares.FinishedPart:
    """The part, made and not refused."""
    made = folder.make(part)
    assert isinstance(made, shares.FinishedPart)
    return made


def test_a_part_that_breaks_after_it_was_checked(corpus: Path, tmp_path: Path) -> None:
    """Damage between check and merge, or a file that never comes, is an error that says what to do."""
    folder = shares.PartFolder.for_index(tmp_path / "index", str(corpus), "char")
    with folder.create():
        made = made_of(folder, third_part(corpus))
    file = tmp_path / "index.parts" / made.name
    assert [batch.ids[0] for batch, _ in folder.read(made)] == ["0512", "0768"]
    file.write_bytes(b"x" * made.size)
    with pytest.raises(FormatError, match=r"00000002\.npz: is damaged; remove .*index\.parts"):
        next(folder.read(made))


def test_a_part_that_never_comes(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that a worker wrote and that is missing here means that file systems are not shared."""
    monkeypatch.setattr(shares, "_TIMEOUT", 0.1)
    folder = shares.PartFolder.for_index(tmp_path / "index", str(corpus), "char")
    with (
        folder.create(),
        pytest.raises(ExcerptError, match=r"was written by a worker but is not visible"),
    ):
        next(folder.read(shares.FinishedPart("00000000.npz", 100, [1], "key", [])))


def test_the_part_of_somebody_else(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the same name and size that was made from something else is not read."""
    monkeypatch.setattr(shares, "_TIMEOUT", 0.1)
    chars, bytes_ = (shares.PartFolder.for_index(tmp_path / "index", str(corpus), unit) for unit in UNITS)
    with chars.create():
        made = made_of(chars, third_part(corpus))
        other = made_of(bytes_, third_part(corpus))
        assert other.size == made.size
        with pytest.raises(ExcerptError, match=r"2\.npz: was written by a worker but is not visible"):
            next(chars.read(made))
        next(bytes_.read(other))


def test_other_documents_are_refused(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that sees other documents than the command makes nothing, but it may look twice."""
    folder = shares.PartFolder.for_index(tmp_path / "index", str(corpus), "char")
    part = third_part(corpus)
    part = part._replace(key=folder.key(part))
    document = corpus / "0600.xml"
    times = document.stat().st_atime_ns, document.stat().st_mtime_ns
    os.utime(document, ns=(1, 1))
    monkeypatch.setattr(shares, "_LAG", 0.1)
    with folder.create():
        refused = folder.make(part)
        assert isinstance(refused, shares.RejectedPart)
        assert (refused.part, refused.unreadable) == (part, [])
        assert names(tmp_path / "index.parts") == []
        monkeypatch.setattr(time, "sleep", lambda _: os.utime(document, ns=times))
        assert made_of(folder, part).key == part.key


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """A disk that has a fault in one document."""
    intact = os.open

    def fail(path: str | Path, *arguments: Any, **options: Any) -> int:
        if str(path).endswith("0600.xml"):
            raise OSError(5, "Input/output error", path)
        return intact(path, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", fail)
        yield


def test_unreadable_documents_are_refused(corpus: Path, tmp_path: Path) -> None:
    """A worker returns no part that lacks a document; the command does."""
    folder = shares.PartFolder.for_index(tmp_path / "index", str(corpus), "char")
    part = third_part(corpus)
    with folder.create(), failing():
        refused = folder.make(part._replace(key=folder.key(part)))
        assert isinstance(refused, shares.RejectedPart)
        assert refused.unreadable == [str(corpus / "0600.xml")]
        assert names(tmp_path / "index.parts") == []
        assert made_of(folder, part).unreadable == refused.unreadable


def test_parts_with_unreadable_documents_are_made_again(corpus: Path, tmp_path: Path) -> None:
    """Documents that one machine could not read may be read by the one that joins the shards."""
    expected = build_index(corpus, tmp_path / "plain")
    with failing():
        build_share(corpus, tmp_path / "index", 1, 1)
    assert build_index(corpus, tmp_path / "index") == expected
    assert same(tmp_path / "plain", tmp_path / "index")


MB = 1 << 20


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([MB] * 70, [1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 8]),
        ([25 * MB] * 7, [1, 1, 2, 2, 1]),
        ([58 * MB] * 4, [1, 1, 1, 1]),
        ([4 * MB] * 30 + [500 * MB, 1], [1, 1, 2, 2, 4, 4, 8, 8, 1, 1]),
    ],
)
def test_how_parts_are_cut(sizes: list[int], expected: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ones are small; the others have many batches, but 64 MB at most."""
    monkeypatch.undo()
    cut = list(shares.parts_of([Entry(str(size), "", size, FilePart(""), 0)] for size in sizes))
    assert [len(part.batches) for part in cut] == expected
    assert [part.number for part in cut] == list(range(len(cut)))
    assert [entry.size for part in cut for (entry,) in part.batches] == sizes


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
def test_what_cannot_be_shared(corpus: Path, tmp_path: Path, kind: str) -> None:
    """Anybody can read the documents of a plain tar; those of a compressed one are counted, and stay here."""
    (corpus / "0600.xml").rename(corpus / "0600.xml.gz")
    (corpus / "0600.xml.gz").write_bytes(gzip.compress(b"<a/>"))
    archive = tmp_path / f"corpus.{kind}"
    with tarfile.open(archive, "w:gz" if kind == "tar.gz" else "w") as packed:
        for path in sorted(corpus.iterdir()):
            packed.add(path, path.name)
    folder = shares.PartFolder.for_index(tmp_path / "index", str(archive), "char")
    notices = Notices()
    cut = shares.parts_of(batches(open_corpus(archive, "path").entries))
    keys = [part.key is not None for part in builder._with_keys(cut, folder, notices)]
    assert keys == [kind == "tar"] * 4
    documents = len(list(corpus.iterdir()))
    shown = (
        f"{documents} documents of an archive were indexed by this process alone; "
        f"unpack the archive to share the work (first: {archive}!0000.xml)"
    )
    assert list(notices) == [shown] * (kind == "tar.gz")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_archives(corpus: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards of archives, also with a document so large that it is read as a stream."""
    for name in ("walk.LARGE", "walk.BATCH_BYTES", "archives.LARGE"):
        monkeypatch.setattr(f"excerpt.documents.{name}", 5000)
    (corpus / "0800.xml").write_text("<a>" + "<b>text</b>" * 500 + "</a>")
    archive = tmp_path / f"corpus.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            for path in sorted(corpus.iterdir()):
                zipped.write(path, path.name)
    else:
        with tarfile.open(archive, "w:gz" if kind == "tar.gz" else "w") as packed:
            packed.add(corpus, "corpus")
    build_index(archive, tmp_path / "plain")
    for number in (1, 2, 3):
        build_share(archive, tmp_path / "index", number, 3, workers=2)
    build_index(archive, tmp_path / "index")
    assert same(tmp_path / "plain", tmp_path / "index")


def test_an_interrupt_tells_what_stays(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C says where finished parts are, if there are any."""

    def interrupt(*_: object, **_how: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    build_share("corpus", "y.index", 1, 1)
    monkeypatch.setattr(ProgressBar, "__call__", interrupt)
    for name, expected in (("x", ""), ("y", f"; finished parts stay in {tmp_path / 'y.index.parts'}")):
        assert main(["index", "corpus", "-o", f"{name}.index"]) == 130
        assert capsys.readouterr().err == f"excerpt: interrupted{expected}\n"
    monkeypatch.setattr(shares, "index_batch", interrupt)
    assert main(["index", "corpus", "-o", "x.index", "--share", "1/2"]) == 130
    assert capsys.readouterr().err == "excerpt: interrupted\n"
    assert names(Path()) == ["corpus", "y.index.parts"]


def test_places_that_cannot_be_written(corpus: Path, tmp_path: Path) -> None:
    """The file that is in the way is named, and nothing is said to stay where nothing is."""
    nobody = "tcp://127.0.0.1:1"
    with pytest.raises(ExcerptError, match=r"no/index: cannot be written: no such file.*; nothing was left"):
        build_index(corpus, tmp_path / "no" / "index", cluster=nobody)
    (tmp_path / "index.parts").write_text("mine")
    message = r"index\.parts: cannot be written: file exists; this path must be a folder"
    with pytest.raises(ExcerptError, match=message):
        build_index(corpus, tmp_path / "index", cluster=nobody)
    with pytest.raises(ExcerptError, match=message):
        build_share(corpus, tmp_path / "index", 1, 1)
    build_index(corpus, tmp_path / "index")
    assert (tmp_path / "index.parts").read_text() == "mine"


def test_no_documents(tmp_path: Path) -> None:
    """A shard of nothing is the same error as an index of nothing."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(ExcerptError, match="empty: contains no XML document; documents are files"):
        build_share(tmp_path / "empty", tmp_path / "index", 1, 2)
    assert names(tmp_path) == ["empty"]


def test_the_command(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--share I/N on the command line; mistakes in one line."""
    monkeypatch.chdir(tmp_path)
    assert main(["index", "corpus", "-o", "x.index", "--shard", "1/2"]) == 0  # as in version 0.1
    assert capsys.readouterr().out.split() == ["share", "1/2", "of", "index", "x.index", "parts", "2"]
    assert main(["index", "corpus", "-o", "x.index", "--share", "1/2"]) == 0
    assert capsys.readouterr().out.split() == ["share", "1/2", "of", "index", "x.index", "parts", "2"]
    assert main(["index", "corpus", "-o", "x.index"]) == 0
    assert "documents       1400" in capsys.readouterr().out
    for text in ("0/2", "3/2", "2", "a/b", "1/0"):
        assert main(["index", "corpus", "-o", "y.index", "--share", text]) == 2
        assert "expected I/N such as 3/16" in capsys.readouterr().err
    assert main(["index", "corpus", "-o", "y.index", "--share", "1/2", "--stop-at-fault"]) == 2
    assert "joins the shards" in capsys.readouterr().err
    with pytest.raises(ExcerptError, match="found shard 3/2, expected one of 1/2 to 2/2"):
        build_share("corpus", "y.index", 3, 2)
    with pytest.raises(ExcerptError, match="exists and is not an index"):
        build_share("corpus", "corpus", 1, 2)
    with pytest.raises(ExcerptError, match="cannot be written: no such file"):
        build_share("corpus", "nowhere/y.index", 1, 2)
    assert names(Path()) == ["corpus", "x.index"]
    assert len(OffsetIndex.open("x.index")) == 1400
