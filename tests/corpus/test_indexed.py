"""Documents of an index, against those of the files it was made from."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from corpus.conftest import Write
from hypothesis import given, settings
from hypothesis import strategies as st
from support.index_documents import BATCHES, UNITS

from excerpt import Corpus, ExcerptError, build_index, collection
from excerpt.errors import FormatError
from excerpt.model.document_names import Ids
from excerpt.model.judgments import OffsetUnit


def test_an_index_without_text(write: Write) -> None:
    """The error says how to make one with it."""
    folder = write({"a.xml": "<a>x</a>"})
    build_index(folder, folder / "index")
    message = r"index: found an index without text, expected an index with text; .*keep_text=True"
    with pytest.raises(ExcerptError, match=message):
        Corpus.read(folder / "index")


@settings(max_examples=60)
@given(BATCHES, UNITS, st.booleans())
def test_documents_are_those_of_the_files(documents: list[bytes], unit: OffsetUnit, paths: bool) -> None:
    """The same texts, titles, kinds and elements, in characters whatever the index counts."""
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(documents):
            file = Path(folder, "docs", str(number), f"{number}.xml")
            file.parent.mkdir(parents=True)
            file.write_bytes(document)
        try:
            ids: Ids = "path" if paths else "stem"
            report = build_index(
                Path(folder, "docs"), Path(folder, "index"), unit=unit, keep_text=True, ids=ids
            )
        except FormatError:  # all of them are broken
            return
        files = Corpus.read(Path(folder, "docs"), ids=ids)
        kept = Corpus.read(Path(folder, "index"))
        assert list(kept) == sorted({*files} - {broken.document for broken in report.broken})
        for identifier in kept:
            expected, found = files.document(identifier), kept.document(identifier)
            assert found[:4] == expected[:4]
            assert kept.length(identifier) == files.length(identifier) == len(kept[identifier])
            assert {*kept.names(identifier)} <= {*files.names(identifier)}
            assert found.elements is not None
            assert expected.elements is not None
            # Empty elements in one place may have been in any order, so they are compared as sets.
            assert sorted(element[:4] for element in found.elements) == sorted(
                element[:4] for element in expected.elements
            )
            filled = [element[:4] for element in expected.elements if element.start < element.end]
            assert [element[:4] for element in found.elements if element.start < element.end] == filled


def test_elements_are_in_the_order_of_their_start_tags(write: Write) -> None:
    """Children come after their parents and before what follows, however many are empty."""
    folder = write({"a.xml": "<r><x/><y><z/>one<z><x/></z></y><x/>two<y/></r>"})
    build_index(folder, folder / "index", keep_text=True)
    expected = Corpus.read(folder / "a.xml").document("a").elements
    found = Corpus.read(folder / "index").document("a").elements
    assert found is not None
    assert list(found) == list(expected or ())


def test_the_embedded_collection(tmp_path: Path) -> None:
    """Every document, by all its names."""
    build_index(collection.corpus(), tmp_path / "index", keep_text=True)
    files, kept = Corpus.read(collection.corpus()), Corpus.read(tmp_path / "index")
    assert list(files) == list(kept)
    for identifier in files:
        assert files.names(identifier) == kept.names(identifier)
        assert [element[:4] for element in files.document(identifier).elements or ()] == [
            element[:4] for element in kept.document(identifier).elements or ()
        ]
        assert files.hash(identifier) == kept.hash(identifier)


def test_the_fingerprint_is_that_of_the_index(write: Write) -> None:
    """The same index has the same one; one of another text has not."""
    folder = write({"a.xml": "<a>x</a>"})
    build_index(folder, folder.parent / "one", keep_text=True)
    write({"a.xml": "<a>y</a>"})
    build_index(folder, folder.parent / "two", keep_text=True)
    one, again, two = (Corpus.read(folder.parent / name).fingerprint() for name in ("one", "one", "two"))
    assert one == again != two
