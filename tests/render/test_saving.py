"""Reports on disk: one file, a folder beyond a size, nothing half-written."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import Any

import pytest

from excerpt import ExcerptError
from excerpt.render import saving
from excerpt.render.page import shell
from excerpt.render.saving import folder_of, save

PARTS = [
    ("overview", {"a": 1}),
    ("documents", {"ids": []}),
    ("topic/0", {"b": "x" * 50}),
    ("document/0", {"text": "y"}),
]


def test_one_file(tmp_path: Path) -> None:
    """All parts inside, and its size told."""
    saved = save(tmp_path / "x.html", "X", PARTS)
    page = (tmp_path / "x.html").read_bytes()
    assert (saved.path, saved.size, saved.folder) == (str(tmp_path / "x.html"), len(page), False)
    assert re.findall(rb'<template data-part="([^"]*)">', page) == [name.encode() for name, _ in PARTS]
    assert [path.name for path in tmp_path.iterdir()] == ["x.html"]


def test_beyond_the_limit_a_folder(tmp_path: Path) -> None:
    """The page has what it shows first; every other part is a script that hands it over."""
    saved = save(tmp_path / "x.html", "X", PARTS, limit=100)
    folder = tmp_path / "x"
    assert (saved.path, saved.folder) == (str(folder), True)
    assert sorted(path.name for path in folder.rglob("*.*")) == ["document-0.js", "index.html", "topic-0.js"]
    page = (folder / "index.html").read_text()
    assert 'data-source="folder"' in page
    assert "'self'; style-src" in page
    assert "trusted-types excerpt-parts" in page
    script = (folder / "data" / "topic-0.js").read_text()
    assert re.fullmatch(r'excerptPart\("topic/0","[A-Za-z0-9+/=]+"\);\n', script)
    assert saved.size == sum(path.stat().st_size for path in folder.rglob("*.*"))
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_report_replaces_a_report_but_nothing_else(tmp_path: Path) -> None:
    """A folder of the user's is never touched."""
    save(tmp_path / "x.html", "X", PARTS, limit=100)
    save(tmp_path / "x.html", "X", PARTS[:3], limit=100)
    assert sorted(path.name for path in (tmp_path / "x").rglob("*.*")) == ["index.html", "topic-0.js"]
    (tmp_path / "x" / "notes.txt").write_text("mine")
    with pytest.raises(ExcerptError, match="found something else where the folder of a large report goes"):
        save(tmp_path / "x.html", "X", PARTS, limit=100)
    assert (tmp_path / "x" / "notes.txt").read_text() == "mine"
    (tmp_path / "y").write_text("a file")
    with pytest.raises(ExcerptError, match="found something else"):
        save(tmp_path / "y.html", "Y", PARTS, limit=100)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "y"]


def test_a_report_leaves_no_older_one_in_the_other_form(tmp_path: Path) -> None:
    """It grows into a folder and shrinks into a file; what is not a report stays."""
    for limit, left in ((10**9, "x.html"), (100, "x"), (10**9, "x.html")):
        save(tmp_path / "x.html", "X", PARTS, limit=limit)
        assert [path.name for path in tmp_path.iterdir()] == [left]
    (tmp_path / "y.html").write_text("<!DOCTYPE html><p>mine")
    save(tmp_path / "y.html", "Y", PARTS, limit=100)
    assert (tmp_path / "y.html").read_text() == "<!DOCTYPE html><p>mine"
    (tmp_path / "y" / "notes.txt").write_text("mine")
    save(tmp_path / "y.html", "Y", PARTS)
    assert (tmp_path / "y" / "notes.txt").read_text() == "mine"


def test_an_older_report_that_cannot_be_removed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the name of the new one."""
    save(tmp_path / "x.html", "X", PARTS, limit=100)

    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(ExcerptError, match=r"is an older report and cannot be removed: permission denied; "):
        save(tmp_path / "x.html", "X", PARTS)
    assert (tmp_path / "x.html").is_file()


def test_what_cannot_be_looked_at_is_an_error_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder in the place of the page is no report; a folder that may not be read is said."""
    for name in ("index.html", "data"):
        (tmp_path / "x" / name).mkdir(parents=True)
    with pytest.raises(ExcerptError, match="found something else"):
        save(tmp_path / "x.html", "X", PARTS, limit=100)

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(ExcerptError, match="cannot be written: permission denied"):
        save(tmp_path / "x.html", "X", PARTS, limit=100)
    save(tmp_path / "x.html", "X", PARTS)
    assert (tmp_path / "x" / "data").is_dir()


@pytest.mark.parametrize("limit", [10**9, 100])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """One line, and what was there stays."""
    (tmp_path / "x.html").write_text("before")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        ExcerptError, match=r"cannot be written: no space left on device; nothing was left behind"
    ):
        save(tmp_path / "x.html", "X", PARTS, limit=limit)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x.html", "before")]


def test_a_failure_while_parts_are_made_leaves_nothing(tmp_path: Path) -> None:
    """The old report keeps its place."""
    save(tmp_path / "x.html", "X", PARTS, limit=100)
    before = (tmp_path / "x" / "index.html").read_bytes()

    def parts() -> Any:
        yield from PARTS
        raise ExcerptError("a file changed")

    with pytest.raises(ExcerptError, match="a file changed"):
        save(tmp_path / "x.html", "X", parts(), limit=100)
    assert (tmp_path / "x" / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_standard_output_takes_one_file(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """A folder has no place there."""
    save("-", "X", PARTS)
    assert capsysbinary.readouterr().out.startswith(b"<!DOCTYPE html>")
    with pytest.raises(ExcerptError, match="too large for one file"):
        save("-", "X", PARTS, limit=100)


def test_the_limit_is_of_the_file() -> None:
    """25 MB."""
    assert saving.LIMIT == 25_000_000
    assert folder_of("x.HTM") == Path("x")
    assert len(shell.head("X")) < saving.LIMIT


@pytest.mark.parametrize("limit", [10**9, 100])
def test_no_report_is_compressed(tmp_path: Path, limit: int) -> None:
    """Its data is; and the folder of a large one is called by the name of a page."""
    with pytest.raises(ExcerptError, match=r"found a name that ends in \.gz, expected \.html or \.htm; "):
        save(tmp_path / "x.html.gz", "X", PARTS, limit=limit)
    assert not list(tmp_path.iterdir())
