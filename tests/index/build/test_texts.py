"""Texts in blocks, while an index is built."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex, build_index, build_share
from excerpt.index.build import texts as module
from excerpt.index.build.texts import pack


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
        patch.setattr(module, "BLOCK", size)
        packed = pack(texts)
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

    monkeypatch.setattr(module.TextWriter, "add", full)
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
