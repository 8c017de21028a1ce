"""From paths to corpora."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from corpus.conftest import Write

from excerpt import Corpus
from excerpt.errors import ExcerptError


def test_folders_leave_other_files_out(write: Write) -> None:
    """They are counted, and a corpus tells of them."""
    corpus = Corpus.read(write({"a.txt": "x", "b.pdf": "", "c/d.html": "", "e.md": "y"}))
    assert list(corpus) == ["a.txt", "e.md"]
    assert corpus.left_out == 2
    assert repr(corpus).endswith("docs: 2 documents, 2 other files left out>")


def test_patterns_stand_for_what_they_match(write: Write) -> None:
    """Ids are paths from the last folder without a star on."""
    folder = write({"a/x.txt": "1", "b/y.txt": "2", "b/z.md": "3", "l.jsonl": '{"id": "j", "text": "4"}'})
    assert list(Corpus.read(f"{folder}/*/*.txt")) == ["a/x.txt", "b/y.txt"]
    assert list(Corpus.read(f"{folder}/**/*.md")) == ["b/z.md"]
    assert list(Corpus.read(f"{folder}/b/?.*")) == ["y.txt", "z.md"]
    assert dict(Corpus.read(f"{folder}/*.jsonl")) == {"j": "4"}
    with pytest.raises(ExcerptError, match=r"\*.doc: matches no file; expected documents"):
        Corpus.read(f"{folder}/*.doc")


def test_patterns_of_the_working_folder(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative ones, and names that look like patterns but are there."""
    monkeypatch.chdir(write({"a.txt": "1", "[b].txt": "2"}))
    assert list(Corpus.read("*.txt")) == ["[b].txt", "a.txt"]
    assert dict(Corpus.read("[b].txt")) == {"[b].txt": "2"}


def test_several_paths_are_one_corpus(write: Write) -> None:
    """An id in two of them is an error that names both places."""
    folder = write({"a/x.xml": "<a/>", "b/y.txt": "", "c/x.xml": "<a/>"})
    corpus = Corpus.read(folder / "a", folder / "b")
    assert list(corpus) == ["x", "y.txt"]
    assert corpus.names("y") == ("y.txt", "y")
    with pytest.raises(ExcerptError, match=r"two documents have the id 'x': .*a/x.xml and .*c/x.xml"):
        Corpus.read(folder / "a", folder / "c")


def test_one_file_is_a_corpus(write: Write) -> None:
    """It is called by its file name."""
    folder = write({"in/a.xml": "<a>x</a>", "in/b.txt": "y"})
    assert Corpus.read(folder / "in" / "a.xml").names("a") == ("a", "a.xml")
    assert dict(Corpus.read(folder / "in" / "b.txt")) == {"b.txt": "y"}


def test_archives_are_known_by_what_they_hold(tmp_path: Path) -> None:
    """Whatever their names."""
    with zipfile.ZipFile(tmp_path / "corpus", "w") as archive:
        archive.writestr("a.txt", "x")
        archive.writestr("b.png", "")
    corpus = Corpus.read(tmp_path / "corpus")
    assert (dict(corpus), corpus.left_out) == ({"a.txt": "x"}, 1)


def test_what_is_no_corpus(write: Write, tmp_path: Path) -> None:
    """Missing, empty, of another kind: one line each."""
    folder = write({"a.html": "<html>", "b.jsonl": "{}"})
    os.mkfifo(tmp_path / "pipe")
    for path, message in {
        tmp_path / "nowhere": "nowhere: cannot be read: no such file or directory",
        folder: "docs: found no document, only 2 files of other kinds, expected .*; give the .jsonl file",
        folder / "a.html": "a.html: found a file of another kind, expected documents",
        tmp_path / "pipe": "pipe: found a pipe, a device or a socket",
        "-": "found standard input as corpus, expected the name of a file",
        "a\0b": "is not a file name",
        5: "found 5 as corpus, expected a path",
    }.items():
        with pytest.raises(ExcerptError, match=message):
            Corpus.read(path)  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match=r"ids is 'name', expected stem or path"):
        Corpus.read(folder, ids="name")  # type: ignore[arg-type]
