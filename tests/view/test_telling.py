"""Folders leave warnings; ids and everything else stay as they are."""

from __future__ import annotations

import pytest

from excerpt.view.telling import without_folders


@pytest.mark.parametrize(
    ("files", "said", "told"),
    [
        (["."], "r.fol: line 3. ./c.txt is empty.", "r.fol: line 3. ./c.txt is empty."),
        (["/"], "a/b", "a/b"),
        (["docs/"], "docs/c.txt:1: no element found", "docs/c.txt:1: no element found"),
        (["x/docs/"], "x/docs/c.txt:1: no element", "docs/c.txt:1: no element"),
        (["a/b.fol"], "line is empty (a/b.fol:7)", "line is empty (b.fol:7)"),
        (["a/b"], "c/a/b, a/bc, a/b-c", "c/a/b, a/bc, a/b-c"),
        (["a/b", "a/b/c.fol"], "a/b/c.fol", "c.fol"),
        ([], "/data/x/c.xml:1: no element (C:\\data\\d.txt)", "c.xml:1: no element (d.txt)"),
        ([""], "and/or", "and/or"),
    ],
)
def test_folders_leave_where_a_path_begins(files: list[str], said: str, told: str) -> None:
    """Names of inputs become those of the files; what only contains them does not change."""
    assert without_folders(files, [])(said) == told


def test_ids_of_documents_stay() -> None:
    """They may look like paths, be long, or begin as an input does."""
    long = "/data/" + "x" * 80
    tell = without_folders(["data/docs"], ["/data/x/doc1", "data/docs/a.txt", long])
    said = f"/data/x/doc1, data/docs/a.txt, /data/{'x' * 53}… of data/docs: /data/x/doc12"
    assert tell(said) == f"/data/x/doc1, data/docs/a.txt, /data/{'x' * 53}… of docs: doc12"
