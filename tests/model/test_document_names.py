"""Names of documents: kinds, ids and spellings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.model.document_names import Ids, document_id, is_xml, kind_of, spellings, unique_spellings


@pytest.mark.parametrize(
    ("name", "stem", "path"),
    [
        ("a.xml", "a", "a"),
        ("./tc/2001/t0111.xml", "t0111", "tc/2001/t0111"),
        ("b/c.XML", "c", "b/c"),
        ("x.y.xml.gz", "x.y", "x.y"),
        (".//d/a.xml", "a", "d/a"),
        ("a\nb.xml", "a\nb", "a\nb"),
    ],
)
def test_ids(name: str, stem: str, path: str) -> None:
    """A document is named by its file name or by its path, without the extension of XML."""
    kinds: tuple[Ids, Ids] = ("stem", "path")
    assert [document_id(name, ids) for ids in kinds] == [stem, path]
    assert is_xml(name)


@pytest.mark.parametrize("name", ["a.txt", "xml", ".xml", "a.xml.bz2", "a.xml/", "a.xmlx"])
def test_other_files(name: str) -> None:
    """Only names that end in .xml or .xml.gz are documents, and none is empty."""
    assert not is_xml(name)


PATHS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "a/", "b/", "a/b/"]),
    st.sampled_from(["x", "y", "x.y", "a"]),
    st.sampled_from([".txt", ".md", ".xml", ".xml.gz", ".TXT"]),
)


@given(st.lists(PATHS, unique=True, max_size=6))
def test_a_spelling_means_the_surest_document_or_none(paths: list[str]) -> None:
    """Of the documents that may be called so, those count whose spelling is surest, and only one alone."""
    table = unique_spellings(enumerate(paths))
    every = {name for path in paths for name in spellings(path)}
    for name in every:
        for way in range(4):
            called = [number for number, path in enumerate(paths) if _ways(path)[way] == name]
            if called:
                break
        assert table.get(name) == (called[0] if len(called) == 1 else None)
    assert table.keys() <= every


def _ways(path: str) -> list[str]:
    base = path.rsplit("/", 1)[-1]
    stem = base
    for suffix in (".gz", ".txt", ".md", ".xml", ".TXT"):
        stem = stem.removesuffix(suffix)
    return [path, path[: len(path) - len(base)] + stem, base, stem]


def test_other_files_are_no_documents() -> None:
    """A document has a name before its suffix."""
    assert [kind_of(path) for path in (".txt", "a/.md", "a.gz", "a.txt.zip", "a.doc", "txt")] == [""] * 6
    assert kind_of("a\nb.txt.gz") == "txt"


def test_own_ids_have_no_beginning_that_means_nothing() -> None:
    """`./` before a path, as archives have it, is no part of an id."""
    assert document_id(".//a/b.md", "path") == "a/b.md"
    assert spellings("./b.md") == ("b.md", "b")
