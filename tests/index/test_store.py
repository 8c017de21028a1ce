"""Opening: a directory that is not a whole index of this version says so in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex, build

HINT = "make it again: excerpt index CORPUS -o INDEX"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A small index."""
    (tmp_path / "a.xml").write_text("<a><b>x</b></a>")
    build(tmp_path / "a.xml", tmp_path / "index")
    return tmp_path / "index"


def _error(path: Path) -> str:
    with pytest.raises(ExcerptError) as error:
        OffsetIndex.open(path)
    assert str(error.value).startswith(f"{path}: ")
    assert str(error.value).endswith(HINT)
    return str(error.value)


def test_no_index(tmp_path: Path, index: Path) -> None:
    """Nothing, a file, another directory: each is named as what it is."""
    assert "there is nothing, expected an index" in _error(tmp_path / "nowhere")
    assert "found a file, expected an index" in _error(tmp_path / "a.xml")
    assert "found another directory, expected an index" in _error(tmp_path)
    (index / "index.json").write_text("{")
    assert "found another directory" in _error(index)
    with pytest.raises(ExcerptError, match="expected an index"):
        OffsetIndex.open("a\0b")


def test_newer_version(index: Path) -> None:
    """An index of another format version is not read."""
    content = json.loads((index / "index.json").read_text())
    (index / "index.json").write_text(json.dumps(content | {"version": 99}))
    assert "format version 99, expected 1" in _error(index)


@pytest.mark.parametrize("name", ["element_start.npy", "document_id.npy", "tags.json", "group_path.npy"])
def test_damaged_files(index: Path, name: str) -> None:
    """A file that is cut or missing is named when the index is opened."""
    content = (index / name).read_bytes()
    (index / name).write_bytes(content[:-1])
    assert f"{name} has the wrong size" in _error(index)
    (index / name).unlink()
    assert f"{name}: no such file" in _error(index)


def test_files_that_are_no_columns(index: Path) -> None:
    """A column with other bytes in its head, or a description without its parts, is damage too."""
    size = (index / "element_end.npy").stat().st_size
    (index / "element_end.npy").write_bytes(b"x" * size)
    assert "its files are not columns" in _error(index)
    (index / "index.json").write_text('{"format": "excerpt-index", "version": 1}')
    assert "its files are not columns" in _error(index)


def test_side_files(index: Path) -> None:
    """A damaged side file is an error where it is first needed."""
    opened = OffsetIndex.open(index)
    (index / "tags.json").write_text("[")
    with pytest.raises(ExcerptError, match=r"tags\.json cannot be read"):
        opened.resolve([0], ["/a[1]"])


def test_versions_and_units(index: Path) -> None:
    """An opened index says what it is."""
    opened = OffsetIndex.open(str(index))
    assert (opened.format_version, opened.unit, len(opened.fingerprint)) == (1, "char", 64)
