"""Pointers of text: those of the specification's example, and any, as an index reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.corpus import Corpus
from excerpt.corpus.indexed import indexed_elements
from excerpt.formats.judgments._text_nodes import Structure
from excerpt.index import OffsetIndex, build_index

#: Elements that begin and end in all the ways they can: empty, nested, side by side, around no text.
_PIECES = (
    "a&amp;b", "<b/>", "<b>😀</b>", "<b><c/><c>x</c></b>", "<c>y<b>z</b>w</c>", "\n",
    "<!-- no text -->", "<b></b>", "é", "<d><d><d>k</d></d></d>",
)  # fmt: skip


def test_the_example_of_the_format(index: OffsetIndex) -> None:
    """Start and end pointers name the text nodes that hold the first and the last character."""
    structure = Structure(indexed_elements(index, "A") or ())
    assert structure.pointer(15) == "/article[1]/bdy[1]/p[1]/text()[2].1"
    assert structure.pointer(22, end=True) == "/article[1]/bdy[1]/p[2]/text()[1].1"
    assert structure.pointer(14) == "/article[1]/bdy[1]/p[1]/text()[2].0"
    assert structure.pointer(14, end=True) == "/article[1]/bdy[1]/p[1]/b[1]/text()[1].3"
    spans = {part.path: (part.start, part.end) for part in structure.parts}
    assert spans["/article[1]/bdy[1]/p[1]/b[1]"] == (11, 14)
    assert indexed_elements(index, "nobody") is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the documents of all generated cases go."""
    return tmp_path_factory.mktemp("documents")


@given(st.lists(st.sampled_from(_PIECES), max_size=12))
def test_an_index_reads_every_pointer(folder: Path, pieces: list[str]) -> None:
    """Every character of a document is found again, as start and as end, with its path."""
    place = folder / str(len(list(folder.iterdir())))
    place.mkdir()
    (place / "d.xml").write_text(f"<r>{''.join(pieces)}.</r>", encoding="utf-8")
    build_index(place / "d.xml", place / "index")
    index = OffsetIndex.open(place / "index")
    document = Corpus.read(place / "d.xml").document("d")
    structure = Structure(document.elements or ())
    every = range(len(document.text))
    starts = index.resolve_pointers([0] * len(every), [structure.pointer(at) for at in every], end=False)
    ends = index.resolve_pointers(
        [0] * len(every), [structure.pointer(at + 1, end=True) for at in every], end=True
    )
    assert starts.tolist() == list(every)
    assert ends.tolist() == [at + 1 for at in every]
    found = index.resolve([0] * len(structure.parts), [part.path for part in structure.parts])
    assert found.start.tolist() == [part.start for part in structure.parts]
    assert found.end.tolist() == [part.end for part in structure.parts]
