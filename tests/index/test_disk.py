"""Opening: a directory that is not a whole index of this version says so in one line."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex, disk
from excerpt.index.disk import pack
from excerpt.indexing import merge
from excerpt.indexing.builder import build_index, build_share
from excerpt.model.spans import AnyArray

HINT = "build it from the corpus with excerpt index (build_index in Python)"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A small index."""
    (tmp_path / "a.xml").write_text("<a><b>x</b></a>")
    build_index(tmp_path / "a.xml", tmp_path / "index")
    return tmp_path / "index"


def _error(path: Path) -> str:
    with pytest.raises(ExcerptError) as error:
        OffsetIndex.open(path)
    assert str(error.value).startswith(f"{path}: ")
    assert str(error.value).endswith(HINT)
    return str(error.value)


def test_no_index(tmp_path: Path, index: Path) -> None:
    """Nothing, a file, another directory: each is named as what it is."""
    assert "does not exist, expected the folder of an index" in _error(tmp_path / "nowhere")
    assert "found a file, expected the folder of an index" in _error(tmp_path / "a.xml")
    assert "found a folder of another kind, expected the folder of an index" in _error(tmp_path)
    (index / "index.json").write_text("{")
    assert "found a folder of another kind" in _error(index)
    with pytest.raises(ExcerptError, match="expected the folder of an index"):
        OffsetIndex.open("a\0b")


def test_newer_version(index: Path) -> None:
    """An index of another format version is not read."""
    content = json.loads((index / "index.json").read_text())
    (index / "index.json").write_text(json.dumps(content | {"version": 99}))
    assert "format version 99, expected 2" in _error(index)


@pytest.mark.parametrize("name", ["element_start.npy", "document_id.npy", "tags.json", "group_path.npy"])
def test_damaged_files(index: Path, name: str) -> None:
    """A file that is cut or missing is named when the index is opened."""
    content = (index / name).read_bytes()
    (index / name).write_bytes(content[:-1])
    assert f"{name} has the wrong size" in _error(index)
    (index / name).unlink()
    assert f"{name}: no such file" in _error(index)


def test_files_that_are_no_columns(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column with other bytes in its head, or a description without its parts, is damage too."""
    size = (index / "element_end.npy").stat().st_size
    (index / "element_end.npy").write_bytes(b"x" * size)
    assert "element_end.npy does not match its checksum" in _error(index)
    monkeypatch.setattr(disk, "CHECKED_AT_ONCE", -1)  # every file is a large one
    assert "element_end.npy is not a column" in _error(index)
    for rest in ("", ', "files": []', ', "crc32": 1'):
        (index / "index.json").write_text(f'{{"format": "excerpt-index", "version": 2{rest}}}')
        assert "index.json does not match its checksum" in _error(index)
    (index / "index.json").write_text("[" * 100_000)
    assert "expected the folder of an index" in _error(index)


def _describe(index: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Another description, with the right check sum."""
    content = json.loads((index / "index.json").read_text())
    del content["crc32"]
    change(content)
    content["crc32"] = disk._description_crc32(content)
    (index / "index.json").write_text(json.dumps(content))


@pytest.mark.parametrize("name", ["unit", "documents", "elements", "characters", "fingerprint", "files"])
def test_descriptions_that_lack_something(index: Path, name: str) -> None:
    """A description must say everything that is asked of it, in the right kind."""
    _describe(index, lambda content: content.update({name: None}))
    assert "index.json does not match its checksum" in _error(index)
    _describe(index, lambda content: content.pop(name))
    assert "index.json does not match its checksum" in _error(index)


@pytest.mark.parametrize("name", ["documents", "elements"])
def test_descriptions_that_do_not_fit(index: Path, name: str) -> None:
    """The columns must be as long as the description says."""
    _describe(index, lambda content: content.update({name: 7}))
    assert "its columns do not fit together" in _error(index)


@pytest.mark.parametrize("name", disk.COLUMNS)
@pytest.mark.parametrize("values", [np.zeros(40, "<u2"), np.zeros((2, 1), "<u2"), np.zeros(2, ">f8")])
def test_columns_of_another_shape(
    index: Path, monkeypatch: pytest.MonkeyPatch, name: str, values: AnyArray
) -> None:
    """Even with the right size in the description, a column of another kind or length is refused."""
    monkeypatch.setattr(disk, "CHECKED_AT_ONCE", -1)
    np.save(index / f"{name}.npy", values)
    size = (index / f"{name}.npy").stat().st_size
    _describe(index, lambda content: content["files"][f"{name}.npy"].update(size=size))
    assert "is damaged" in _error(index)


def _ask_everything(opened: OffsetIndex) -> list[object]:
    codes = opened.document_codes(["a", "b", "c", "x"])
    paths = ["/a[1]", "/a[1]/b[1]", "/a[1]/b[2]/c[1]", "/a[1]/b[2]/text()[1]"]
    found = opened.resolve([0, 1, 2, 0], paths)
    return [
        codes.tolist(),
        opened.document_ids([0, 1, 2]),
        opened.document_sizes([0, 1, 2]).tolist(),
        [column.tolist() for column in found],
        opened.path(np.arange(12)),
        opened.resolve_pointers([2], ["/a[1]/b[2]/text()[2].1"], end=True).tolist(),
        opened.statistics(),
        opened.broken,
    ]


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """An index of three documents and a broken one."""
    for name in "abc":
        (tmp_path / f"{name}.xml").write_text("<a><b>x</b><b>y<c>z</c>w</b></a>")
    (tmp_path / "d.xml").write_text("<a>")
    build_index(tmp_path, tmp_path / "index")
    return tmp_path / "index"


def _flipped(file: Path, rng: random.Random, count: int) -> Iterator[int]:
    """Change one byte of a file at a time; what was there comes back."""
    content = file.read_bytes()
    for place in sorted(rng.sample(range(len(content)), min(count, len(content)))):
        other = content[place] ^ rng.choice([1, 2, 16, 128, 255])
        file.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
        yield place
    file.write_bytes(content)


def test_every_changed_byte_is_found(three: Path) -> None:
    """A small index with one other byte anywhere does not open; blanks in the description do not matter."""
    whole = _ask_everything(OffsetIndex.open(three))
    for file in sorted(three.iterdir()):
        for _ in _flipped(file, random.Random(1), 30):
            try:
                opened = OffsetIndex.open(three)
            except ExcerptError as error:
                assert str(error).endswith(HINT)  # noqa: PT017
            else:
                assert file.name == "index.json"
                assert _ask_everything(opened) == whole
    assert _ask_everything(OffsetIndex.open(three)) == whole


def test_large_files_are_checked_when_asked(three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In files too large to be read at once damage is an answer or one line, and `verify` finds it."""
    monkeypatch.setattr(disk, "CHECKED_AT_ONCE", -1)
    OffsetIndex.open(three).verify()
    said = set()
    for name in disk.COLUMNS:
        file = three / f"{name}.npy"
        for _ in _flipped(file, random.Random(name), 40):
            try:
                opened = OffsetIndex.open(three)
                with pytest.raises(ExcerptError, match=f"{name}.npy does not match its checksum"):
                    opened.verify()
                _ask_everything(opened)
            except ExcerptError as error:
                assert str(error).endswith(HINT)  # noqa: PT017
                said.add(error.message)
    assert "is damaged: its columns contradict each other" in said


def test_no_way_up_without_end(three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that are each other's parents are damage, not a loop for ever."""
    monkeypatch.setattr(disk, "CHECKED_AT_ONCE", -1)
    column = np.load(three / "group_parent.npy")
    column[:2] = [1, 0]
    np.save(three / "group_parent.npy", column)
    with pytest.raises(ExcerptError, match="contradict each other"):
        OffsetIndex.open(three).path([0, 1, 2])


def test_side_files(index: Path) -> None:
    """A side file that changes after the index was opened is an error where it is first needed."""
    opened = OffsetIndex.open(index)
    (index / "tags.json").write_text("[")
    with pytest.raises(ExcerptError, match=r"tags\.json does not match its checksum"):
        opened.resolve([0], ["/a[1]"])
    (index / "broken.json").unlink()
    with pytest.raises(ExcerptError, match=r"broken\.json: no such file"):
        opened.broken  # noqa: B018
    with pytest.raises(ExcerptError, match=r"tags\.json has the wrong size"):
        opened.verify()


def test_versions_and_units(index: Path) -> None:
    """An opened index says what it is."""
    opened = OffsetIndex.open(str(index))
    assert (opened.format_version, opened.unit, len(opened.fingerprint)) == (2, "char", 64)


def test_an_index_that_was_never_made(tmp_path: Path) -> None:
    """The message for a missing index says to build it, not to rebuild it."""
    assert "; build it from the corpus with excerpt index" in _error(tmp_path / "nowhere")


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Documents for several batches, some long, some empty, one broken."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(600):
        text = f"é{number} " * (number % 50)
        (folder / f"{number:03}.xml").write_text(f"<a><b>{text}</b>&amp;</a>" if number % 90 else "<a/>")
    (folder / "010.xml").write_text("<a>")
    (folder / "long.xml").write_text(f"<a>{'日本 ' * 200_000}</a>")
    return folder


@given(st.lists(st.text(max_size=20), max_size=8), st.integers(1, 9))
def test_blocks_hold_the_texts(texts: list[str], size: int) -> None:
    """Whatever the size of blocks: all but the last are full, and together they are the texts."""
    import zstandard

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "BLOCK", size)
        packed = pack([text.encode() for text in texts])
    whole = "".join(texts).encode()
    assert packed.size.tolist() == [len(text.encode()) for text in texts]
    assert packed.block.tolist() == [len(whole[n : n + size]) for n in range(0, len(whole), size)]
    data, found = packed.data.tobytes(), b""
    for length in packed.packed.tolist():
        found += zstandard.ZstdDecompressor().decompress(data[:length])
        data = data[length:]
    assert (found, data) == (whole, b"")


def test_an_index_with_text_is_one_with_more_files(corpus: Path, tmp_path: Path) -> None:
    """All other files are the same, byte by byte, whichever way documents were read."""
    plain = build_index(corpus, tmp_path / "plain")
    assert build_index(corpus, tmp_path / "text", keep_text=True) == plain
    without, with_ = files_of(tmp_path / "plain"), files_of(tmp_path / "text")
    more = {"text.zst", "text_document.npy", "text_block.npy", "text_packed.npy"}
    assert with_.keys() - without.keys() == more
    assert {name for name in without if with_[name] != without[name]} == {"index.json"}
    assert not OffsetIndex.open(tmp_path / "plain").has_text


@pytest.mark.parametrize("unit", ["char", "byte"])
def test_the_same_bytes_for_any_number_of_workers(corpus: Path, tmp_path: Path, unit: str) -> None:
    """And in shares."""
    options = {"unit": unit, "keep_text": True}
    build_index(corpus, tmp_path / "one", **options)  # type: ignore[arg-type]
    build_index(corpus, tmp_path / "two", workers=2, **options)  # type: ignore[arg-type]
    for number in (2, 1):
        build_share(corpus, tmp_path / "shares", number, 2, **options)  # type: ignore[arg-type]
    build_index(corpus, tmp_path / "shares", **options)  # type: ignore[arg-type]
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two") == files_of(tmp_path / "shares")


def test_a_full_disk_leaves_nothing(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an index nor a part of its text."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(merge.TextWriter, "add", full)
    with pytest.raises(ExcerptError, match=r"cannot be written: no space left on device"):
        build_index(corpus, tmp_path / "index", keep_text=True)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


def test_documents_that_are_all_broken(tmp_path: Path) -> None:
    """A batch may have no text at all."""
    (tmp_path / "a").mkdir()
    for number in range(300):
        (tmp_path / "a" / f"{number:03}.xml").write_text("<a>" if number < 256 else "<a>x</a>")
    build_index(tmp_path / "a", tmp_path / "index", keep_text=True)
    assert OffsetIndex.open(tmp_path / "index").texts.text(0) == "x"


TEXTS = st.lists(st.text("aé日\U0001f600 ", max_size=12), min_size=1, max_size=6)


@settings(max_examples=40)
@given(TEXTS, st.integers(1, 40))
def test_every_text_is_found_in_its_blocks(texts: list[str], size: int) -> None:
    """Texts that share a block, or have several, in any order."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "BLOCK", size)
        Path(folder, "c").mkdir()
        for number, text in enumerate(texts):
            Path(folder, "c", f"{number}.xml").write_text(f"<a>{text}</a>", encoding="utf-8")
        build_index(Path(folder, "c"), Path(folder, "index"), keep_text=True)
        index = OffsetIndex.open(Path(folder, "index"))
        index.verify()
        assert index.has_text
        for number in reversed(range(len(texts))):
            assert index.texts.text(number) == texts[number]
            assert index.texts.encoded(number) == texts[number].encode()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """An index with the text of two documents."""
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "a.xml").write_text("<a>Some text.</a>")
    (tmp_path / "c" / "b.xml").write_text("<a>Some other text.</a>")
    build_index(tmp_path / "c", tmp_path / "index", keep_text=True)
    return tmp_path / "index"


def test_an_index_without_text_says_so(tmp_path: Path, kept: Path) -> None:
    """With what to try."""
    build_index(tmp_path / "c", kept)
    index = OffsetIndex.open(kept)
    assert not index.has_text
    message = (
        r"index: found an index without text, expected an index with text; rebuild it .* with keep_text=True"
    )
    with pytest.raises(ExcerptError, match=message):
        _ = index.texts


def test_no_damage_is_another_text(kept: Path) -> None:
    """A byte changed in the text or its columns is an error in one line, or changes nothing."""
    rng = random.Random(5)
    files = ["text.zst", "text_document.npy", "text_block.npy", "text_packed.npy"]
    for name in files:
        data = (kept / name).read_bytes()
        for _ in range(60):
            changed = bytearray(data)
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            (kept / name).write_bytes(changed)
            with pytest.raises(FormatError, match=r"index: is damaged: "):
                OffsetIndex.open(kept)  # small files are checked at once
        (kept / name).write_bytes(data)


def test_damage_of_large_files_is_found_when_they_are_read(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large files are not checked when an index is opened, so each block has a check sum of its own."""
    from excerpt.index import disk

    monkeypatch.setattr(disk, "CHECKED_AT_ONCE", 0)
    rng = random.Random(6)
    for name in ("text.zst", "text_document.npy", "text_block.npy", "text_packed.npy"):
        data = (kept / name).read_bytes()
        for _ in range(60):
            changed = bytearray(data)
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            (kept / name).write_bytes(changed)
            try:
                index = OffsetIndex.open(kept)
                texts = [index.texts.text(number) for number in range(2)]
            except FormatError as error:
                assert "is damaged" in str(error)  # noqa: PT017
            else:
                assert texts == ["Some text.", "Some other text."]
        (kept / name).write_bytes(data)
