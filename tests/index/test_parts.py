"""Parts of an index in files: the same index whoever made them, and nothing stale is taken."""

from __future__ import annotations

import filecmp
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from excerpt.cli import main
from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex, build, build_shard, parts
from excerpt.index.corpus import batches, open_corpus
from excerpt.index.entries import Entry
from excerpt.index.scan import Unit
from excerpt.index.shard import Shard, index_batch

Write = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "BATCHES", 2)


@pytest.fixture
def corpus(write: Write) -> Path:
    """Six batches: documents of many kinds, broken ones, one with an entity nobody declared."""
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

    def counting(entries: Sequence[Entry], unit: Unit) -> Shard:
        seen.append(entries[0].id)
        return index_batch(entries, unit)

    monkeypatch.setattr(parts, "index_batch", counting)
    return seen


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def same(first: Path, second: Path) -> bool:
    """Whether two indexes have the same files with the same bytes."""
    compared = filecmp.cmpfiles(first, second, names(first), shallow=False)
    return names(first) == names(second) and compared[1:] == ([], [])


def test_shares_make_the_same_index(corpus: Path, tmp_path: Path, indexed: list[str]) -> None:
    """Shares, made in any order, put together: every byte and the report as without them."""
    expected = build(corpus, tmp_path / "plain")
    made = [build_shard(corpus, tmp_path / "index", number, 2, workers=number) for number in (2, 1)]
    assert made == [1, 2]
    assert names(tmp_path / "index.shards") == [f"0000000{number}.npz" for number in range(3)]
    assert not (tmp_path / "index").exists()
    indexed.clear()
    assert build(corpus, tmp_path / "index") == expected
    assert indexed == []
    assert same(tmp_path / "plain", tmp_path / "index")
    assert names(tmp_path) == ["corpus", "index", "plain"]
    assert len(expected.broken) == 1
    assert len(expected.notices) == 1


def test_missing_parts_are_made(corpus: Path, tmp_path: Path, indexed: list[str]) -> None:
    """The command without a share makes what is missing, in this process or in others."""
    build(corpus, tmp_path / "plain")
    for workers in (1, 2):
        build_shard(corpus, tmp_path / "index", 2, 3)
        indexed.clear()
        build(corpus, tmp_path / "index", workers=workers)
        assert indexed == ([] if workers == 2 else ["0000", "0256", "1024", "1280"])
        assert same(tmp_path / "plain", tmp_path / "index")


def test_other_files_are_left_alone(corpus: Path, tmp_path: Path) -> None:
    """A folder of the user's that has the name of ours is not taken for it."""
    (tmp_path / "index.shards").mkdir()
    (tmp_path / "index.shards" / "mine.npz").write_text("mine")
    build(corpus, tmp_path / "index")
    build_shard(corpus, tmp_path / "index", 1, 1)
    build(corpus, tmp_path / "index")
    assert names(tmp_path / "index.shards") == ["mine.npz"]


@pytest.mark.parametrize("change", ["text", "time", "unit", "flip", "cut", "other"])
def test_nothing_stale_is_taken(corpus: Path, tmp_path: Path, indexed: list[str], change: str) -> None:
    """A part whose documents, options or bytes are not the same any more is made again."""
    build_shard(corpus, tmp_path / "index", 1, 1)
    file = tmp_path / "index.shards" / "00000001.npz"
    document = corpus / "0600.xml"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    changes: dict[str, Callable[[], object]] = {
        "text": lambda: document.write_text("<other/>"),
        "time": lambda: os.utime(document, ns=(1, 1)),
        "unit": lambda: None,
        "flip": lambda: file.write_bytes(data),
        "cut": lambda: os.truncate(file, len(data) // 2),
        "other": lambda: file.write_bytes((file.parent / "00000000.npz").read_bytes()),
    }
    changes[change]()
    indexed.clear()
    unit: Unit = "byte" if change == "unit" else "char"
    build(corpus, tmp_path / "index", unit=unit)
    everything = ["0000", "0256", "0512", "0768", "1024", "1280"]
    assert indexed == (everything if change == "unit" else ["0512", "0768"])
    build(corpus, tmp_path / "plain", unit=unit)
    assert same(tmp_path / "plain", tmp_path / "index")


def test_a_part_that_breaks_after_it_was_checked(corpus: Path, tmp_path: Path) -> None:
    """Damage between check and merge, or a file that never comes, is an error that says what to do."""
    folder = parts.PartFolder.beside(tmp_path / "index", str(corpus), "char")
    part = next(parts.parts_of(batches(open_corpus(corpus, "stem").entries)))
    with folder.created():
        made = folder.make(part)
    file = tmp_path / "index.shards" / made.name
    assert [shard.ids[0] for shard, _ in folder.read(made)] == ["0000", "0256"]
    file.write_bytes(b"x" * made.size)
    with pytest.raises(FormatError, match=r"00000000\.npz: is not as it was written; remove .*index\.shards"):
        next(folder.read(made))


def test_a_part_that_never_comes(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that a worker wrote and that is not here tells of file systems that are not shared."""
    monkeypatch.setattr(parts, "_PATIENCE", 0.1)
    folder = parts.PartFolder.beside(tmp_path / "index", str(corpus), "char")
    with folder.created(), pytest.raises(ExcerptError, match=r"was written by a worker and is not here; all"):
        next(folder.read(parts.Made("00000000.npz", 100, [1])))


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_archives(corpus: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of archives, also with a document so large that it is read as a stream."""
    for name in ("corpus.LARGE", "corpus.BATCH_BYTES", "archives.LARGE"):
        monkeypatch.setattr(f"excerpt.index.{name}", 5000)
    (corpus / "0800.xml").write_text("<a>" + "<b>text</b>" * 500 + "</a>")
    archive = tmp_path / f"corpus.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            for path in sorted(corpus.iterdir()):
                zipped.write(path, path.name)
    else:
        with tarfile.open(archive, "w:gz" if kind == "tar.gz" else "w") as packed:
            packed.add(corpus, "corpus")
    build(archive, tmp_path / "plain")
    for number in (1, 2, 3):
        build_shard(archive, tmp_path / "index", number, 3, workers=2)
    build(archive, tmp_path / "index")
    assert same(tmp_path / "plain", tmp_path / "index")


def test_the_command(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--shard I/N on the command line; mistakes in one line."""
    monkeypatch.chdir(tmp_path)
    assert main(["index", "corpus", "-o", "x.index", "--shard", "1/2"]) == 0
    assert capsys.readouterr().out.split() == ["shard", "1/2", "of", "index", "x.index", "parts", "2"]
    assert main(["index", "corpus", "-o", "x.index"]) == 0
    assert "documents       1400" in capsys.readouterr().out
    for text in ("0/2", "3/2", "2", "a/b", "1/0"):
        assert main(["index", "corpus", "-o", "y.index", "--shard", text]) == 2
        assert "expected I/N such as 3/16" in capsys.readouterr().err
    assert main(["index", "corpus", "-o", "y.index", "--shard", "1/2", "--strict"]) == 2
    assert "put together" in capsys.readouterr().err
    with pytest.raises(ExcerptError, match="found shard 3/2, expected one of 1/2 to 2/2"):
        build_shard("corpus", "y.index", 3, 2)
    with pytest.raises(ExcerptError, match="exists and is not an index"):
        build_shard("corpus", "corpus", 1, 2)
    with pytest.raises(ExcerptError, match="cannot be written: no such file"):
        build_shard("corpus", "nowhere/y.index", 1, 2)
    assert names(Path()) == ["corpus", "x.index"]
    assert len(OffsetIndex.open("x.index")) == 1400
