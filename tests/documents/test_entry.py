"""Documents before they are parsed: names, ids, bytes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from excerpt.documents import entry as entries
from excerpt.documents.entry import Entry, FilePart, Packed, chunks, read_whole


def test_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes at hand, a part of a file, a compressed one, a stream: the same bytes in pieces."""
    monkeypatch.setattr(entries, "CHUNK", 3)
    (tmp_path / "f").write_bytes(b"--<a>text</a>--")
    (tmp_path / "z").write_bytes(gzip.compress(b"<a>text</a>"))
    for content in (
        b"<a>text</a>",
        FilePart(str(tmp_path / "f"), 2, 11),
        FilePart(str(tmp_path / "z"), packed=True),
        Packed(gzip.compress(b"<a>text</a>")),
        iter([b"<a>", b"text</a>"]),
    ):
        assert b"".join(chunks(content)) == b"<a>text</a>"
    with pytest.raises(OSError, match="why"):
        list(chunks(FilePart("nowhere", missing="why")))


def test_a_file_of_the_expected_size_is_read_at_once(tmp_path: Path) -> None:
    """One that is longer or shorter than it was is not."""
    (tmp_path / "f").write_bytes(b"<a/>")
    part = FilePart(str(tmp_path / "f"))
    assert [read_whole(Entry("f", "f", size, part, 0)) for size in (3, 4, 5)] == [None, b"<a/>", None]
