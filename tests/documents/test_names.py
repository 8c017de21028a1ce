"""What documents may be called."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from excerpt.documents.names import kind_of, own_id, spellings, table_of

PATHS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "a/", "b/", "a/b/"]),
    st.sampled_from(["x", "y", "x.y", "a"]),
    st.sampled_from([".txt", ".md", ".xml", ".xml.gz", ".TXT"]),
)


@given(st.lists(PATHS, unique=True, max_size=6))
def test_a_spelling_means_the_surest_document_or_none(paths: list[str]) -> None:
    """Of the documents that may be called so, those count whose spelling is surest, and only one alone."""
    table = table_of(enumerate(paths))
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
    assert [kind_of(path) for path in (".txt", "a/.md", "a.gz", "a.txt.zip", "a.pdf", "txt")] == [""] * 6
    assert kind_of("a\nb.txt.gz") == "txt"


def test_own_ids_have_no_beginning_that_means_nothing() -> None:
    """`./` before a path, as archives have it, is no part of an id."""
    assert own_id(".//a/b.md", "path") == "a/b.md"
    assert spellings("./b.md") == ("b.md", "b")
