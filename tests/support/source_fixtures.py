"""Fixtures of the tests of formats: sources made of text, an index, and a way to see faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index
from excerpt.notices import Faults, Notices

#: The document of the format notes; its text is "A & bHello big world⏎x", 22 characters.
CONVERSION = "<article><name>A &amp; b</name><bdy><p>Hello <b>big</b> world</p>\n<p>x</p></bdy></article>"

Open = Callable[..., Source]


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> OffsetIndex:
    """An index of document A (22 characters) and document B (4 characters)."""
    folder = tmp_path_factory.mktemp("indexed")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "A.xml").write_text(CONVERSION, encoding="utf-8")
    (corpus / "B.xml").write_text("<article><p>äöüß</p></article>", encoding="utf-8")
    build_index(corpus, folder / "index")
    return OffsetIndex.open(folder / "index")


@pytest.fixture(scope="session")
def opened() -> Open:
    """Makes a source called `f` of text or bytes."""

    def opened(content: str | bytes, *, index: OffsetIndex | None = None, keep: bool = False) -> Source:
        data = content if isinstance(content, bytes) else content.encode()
        return Source("f", data, index, Notices(), Faults("f", keep))

    return opened


@pytest.fixture
def save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], str]:
    """Writes a file into an empty current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def save(name: str, content: str | bytes) -> str:
        file = Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return save
