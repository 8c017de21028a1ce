"""The text that an index keeps."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex, build_index
from excerpt.index.build import texts as module

TEXTS = st.lists(st.text("aé日\U0001f600 ", max_size=12), min_size=1, max_size=6)


@settings(max_examples=40)
@given(TEXTS, st.integers(1, 40))
def test_every_text_is_found_in_its_blocks(texts: list[str], size: int) -> None:
    """Texts that share a block, or have several, in any order."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", size)
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
        r"index: found an index without text, expected one with it; make it again .* with keep_text=True"
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
    from excerpt.index.build import store

    monkeypatch.setattr(store, "CHECKED_AT_ONCE", 0)
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
