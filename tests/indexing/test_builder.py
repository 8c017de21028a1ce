"""Building: mistakes of the user in one line, and nothing left behind when it fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from excerpt.engine import Engine
from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex
from excerpt.indexing import builder, merge
from excerpt.indexing.builder import build_index, build_share

Write = Callable[[Mapping[str, str | bytes]], Path]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_stop_at_fault(write: Write, tmp_path: Path) -> None:
    """With stop_at_fault the first broken document is the error, and there is no index."""
    folder = write({"a.xml": "<a/>", "b.xml": "<a>\n<b></a>", "c.xml": "<"})
    with pytest.raises(FormatError, match=r"b\.xml:2: mismatched tag"):
        build_index(folder, tmp_path / "index", stop_at_fault=True)
    assert names(tmp_path) == ["corpus"]


@pytest.mark.parametrize("workers", [1, 2])
def test_two_documents_with_one_id(write: Write, tmp_path: Path, workers: int) -> None:
    """Both files are named, and what to do; with ids="path" they are different."""
    folder = write({"x/a.xml": "<a/>", "y/a.XML": "<b/>"})
    with pytest.raises(ExcerptError, match=r"id 'a': .*x/a\.xml and .*y/a\.XML; set ids=.path."):
        build_index(folder, tmp_path / "index", workers=workers)
    assert names(tmp_path) == ["corpus"]
    build_index(folder, tmp_path / "index", ids="path")
    assert OffsetIndex.open(tmp_path / "index").document_codes(["y/a", "x/a", "a"]).tolist() == [1, 0, -1]


@pytest.mark.parametrize(("least", "given", "used"), [(40, None, 3), (41, None, 1), (0, 1, 1), (41, 2, 2)])
def test_as_many_workers_as_pay(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, given: int | None, used: int
) -> None:
    """More than one only where nothing else is asked for and there are enough bytes of documents."""
    asked: list[int] = []

    def engine(workers: int, *_: object) -> Engine:
        asked.append(workers)
        return Engine()

    monkeypatch.setattr(builder, "Engine", engine)
    monkeypatch.setattr(builder, "_PAYS", least)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5}, raising=False)
    build_index(
        write({"a.xml": "<a>1234567890123</a>", "b.xml": "<a>1234567890123</a>"}),
        tmp_path / "i",
        workers=given,
    )
    assert asked[-1] == used


def test_no_documents(write: Write, tmp_path: Path) -> None:
    """A corpus without documents, or with broken ones only, is an error that says so."""
    folder = write({"readme.txt": "<a/>"})
    with pytest.raises(ExcerptError, match="contains no XML document"):
        build_index(folder, tmp_path / "index")
    write({"a.xml": "<a>", "b.xml": "<b>"})
    with pytest.raises(
        FormatError, match=r"a\.xml:1: none of the 2 documents could be read; first: no element"
    ):
        build_index(folder, tmp_path / "index")
    assert names(tmp_path) == ["corpus"]


def test_no_corpus(tmp_path: Path) -> None:
    """A corpus that is not there, or a name that is none, is an error in one line."""
    with pytest.raises(ExcerptError, match="nowhere: cannot be read: no such file"):
        build_index(tmp_path / "nowhere", tmp_path / "index")
    with pytest.raises(ExcerptError, match="is not a file name"):
        build_index("a\0b", tmp_path / "index")
    with pytest.raises(ExcerptError, match="is not a file name"):
        build_index(_one(tmp_path), "a\0b")
    with pytest.raises(ExcerptError, match="cannot be written: no such file"):
        build_index(_one(tmp_path), tmp_path / "no" / "index")


@pytest.mark.parametrize("output", ["/", "//", "", "n" * 300])
def test_no_name_for_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    """The top of the file system, nothing, a name that no system takes: one line, however it is built."""
    monkeypatch.chdir(tmp_path)
    file = _one(tmp_path)
    for call in (
        lambda: build_index(file, output),
        lambda: build_index(file, output, cluster="tcp://127.0.0.1:1"),
        lambda: build_share(file, output, 1, 2),
    ):
        with pytest.raises(ExcerptError, match=r"expected the name of a folder|: file name too long$"):
            call()
    assert names(tmp_path) == ["one.xml"]


@pytest.mark.parametrize("output", [".", "..", "sub", "sub/"])
def test_another_folder_for_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    """Folders that hold something else are left alone, however the index is built."""
    file = _one(tmp_path)
    (tmp_path / "here" / "sub").mkdir(parents=True)
    (tmp_path / "here" / "sub" / "mine").touch()
    monkeypatch.chdir(tmp_path / "here")
    for call in (
        lambda: build_index(file, output),
        lambda: build_index(file, output, cluster="tcp://127.0.0.1:1"),
        lambda: build_share(file, output, 1, 2),
    ):
        with pytest.raises(ExcerptError, match="exists and is not an index"):
            call()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["here", "mine", "one.xml", "sub"]


def _one(folder: Path) -> Path:
    file = folder / "one.xml"
    file.write_text("<a>text</a>")
    return file


def test_options_are_checked(tmp_path: Path) -> None:
    """Unknown options say what is known."""
    with pytest.raises(ExcerptError, match="unit is 'word', expected char or byte"):
        build_index(_one(tmp_path), tmp_path / "index", unit="word")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="ids is 'x', expected stem or path"):
        build_index(_one(tmp_path), tmp_path / "index", ids="x")  # type: ignore[arg-type]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_build_leaves_nothing(
    write: Write, tmp_path: Path, stop: type[BaseException], workers: int
) -> None:
    """Whatever is raised on the way, no directory stays; an older index stays as it was."""
    folder = write({f"{number}.xml": "<a/>" for number in range(600)})

    def progress(done: int, total: int) -> None:
        assert 0 < done < total
        raise stop

    with pytest.raises(stop):
        build_index(folder, tmp_path / "index", progress=progress, workers=workers)
    assert names(tmp_path) == ["corpus"]
    build_index(_one(tmp_path), tmp_path / "index")
    with pytest.raises(stop):
        build_index(folder, tmp_path / "index", progress=progress, workers=workers)
    assert names(tmp_path) == ["corpus", "index", "one.xml"]
    assert len(OffsetIndex.open(tmp_path / "index")) == 1


def test_progress(write: Write, tmp_path: Path) -> None:
    """Progress counts up to the total."""
    calls: list[tuple[int, int]] = []
    folder = write({f"{number}.xml": "<a/>" for number in range(600)})
    build_index(folder, tmp_path / "index", progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1024, 2400), (2048, 2400), (2400, 2400)]


def test_an_index_is_replaced(write: Write, tmp_path: Path) -> None:
    """Building again replaces an index, also one that is open or reached by a link."""
    file = _one(tmp_path)
    build_index(file, tmp_path / "index")
    old = OffsetIndex.open(tmp_path / "index")
    (tmp_path / "link").symlink_to("index")
    build_index(write({"a.xml": "<a/>", "b.xml": "<b/>"}), tmp_path / "link")
    assert len(OffsetIndex.open(tmp_path / "index")) == 2
    assert old.document_sizes([0]).tolist() == [4]
    assert names(tmp_path) == ["corpus", "index", "link", "one.xml"]


def test_anything_else_is_left_alone(tmp_path: Path) -> None:
    """A file or another directory under the name of the output is not touched; an empty directory will do."""
    file = _one(tmp_path)
    with pytest.raises(ExcerptError, match="exists and is not an index; nothing was changed"):
        build_index(file, file)
    assert file.read_text() == "<a>text</a>"
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.json").write_text('{"format": "something else"}')
    with pytest.raises(ExcerptError, match="not an index"):
        build_index(file, other)
    assert names(other) == ["index.json"]
    (tmp_path / "empty").mkdir()
    build_index(file, tmp_path / "empty")
    assert len(OffsetIndex.open(tmp_path / "empty")) == 1


@pytest.mark.parametrize("place", ["append", "finish"])
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """An error of writing gives the reason, and nothing is left."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(merge.Spool, place, full)
    with pytest.raises(
        ExcerptError, match="index: cannot be written: no space left on device; nothing was left"
    ):
        build_index(_one(tmp_path), tmp_path / "index")
    assert names(tmp_path) == ["one.xml"]


def test_a_failed_rename_keeps_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the new index cannot get its name, the old one has it again."""
    build_index(_one(tmp_path), tmp_path / "index")
    rename = Path.rename

    def fail_once(self: Path, target: Path) -> Path:
        if self.name.endswith(".tmp") and ".old" not in self.name:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(ExcerptError, match="input/output error"):
        build_index(_one(tmp_path), tmp_path / "index")
    assert len(OffsetIndex.open(tmp_path / "index")) == 1
    assert names(tmp_path) == ["index", "one.xml"]


def test_unreadable_files_are_broken(write: Write, tmp_path: Path) -> None:
    """A file that cannot be read is listed like a broken document, without a line."""
    folder = write({"a.xml": "<a/>"})
    (folder / "gone.xml").symlink_to("nowhere")
    report = build_index(folder, tmp_path / "index")
    assert [(document.document, document.line) for document in report.broken] == [("gone", None)]
    assert report.broken[0].message == "cannot be read: no such file or directory"


def test_ids_of_any_kind(write: Write, tmp_path: Path) -> None:
    """Ids may hold blanks, other scripts and dots, and a very long name."""
    wanted = ["a b", "été", "x.y", "日本", "n" * 200]
    folder = write({f"{name}.xml": "<a/>" for name in wanted} | {"sub/.xml": "<a/>"})
    build_index(folder, tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    codes = index.document_codes(wanted)
    assert index.document_ids(codes) == wanted
    assert sorted(codes.tolist()) == [0, 1, 2, 3, 4]
