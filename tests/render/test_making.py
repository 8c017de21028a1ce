"""How a report was made: names without folders, hashes, versions."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from excerpt import Corpus, ExcerptError, Run, __version__
from excerpt.files import keep_content
from excerpt.render import making
from excerpt.render.making import base_name, corpus_input, inputs, versions


def test_files_have_their_hash(tmp_path: Path) -> None:
    """Of the bytes as they lie on the disk."""
    (tmp_path / "q.fol").write_bytes(b"1 Q0 A")
    assert inputs([tmp_path / "q.fol", None]) == [
        {"name": "q.fol", "sha256": hashlib.sha256(b"1 Q0 A").hexdigest()}
    ]


def test_folders_have_a_hash_of_names_and_files(tmp_path: Path) -> None:
    """Another name or another byte is another hash; where the folder lies is not."""
    hashes = []
    for place, name, text in (("1", "a", "x"), ("2", "a", "x"), ("3", "b", "x"), ("4", "a", "y")):
        folder = tmp_path / place / "docs"
        folder.mkdir(parents=True)
        (folder / name).write_text(text)
        hashes.append(inputs([folder])[0]["sha256"])
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_what_is_no_file_has_a_name() -> None:
    """Content has a hash, values of Python have none."""
    given = [b"1 Q0 A", keep_content(io.BytesIO(b"1 Q0 A")), Run.of("mine", [])]
    first, second, third = inputs(given)
    assert first["sha256"] == second["sha256"] == hashlib.sha256(b"1 Q0 A").hexdigest()
    assert third == {"name": "mine", "sha256": ""}
    assert base_name(Run.of("mine", [])) == "mine"
    assert [base_name("."), base_name("./")] == [".", "./"]


def test_large_inputs_and_patterns_have_no_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing a library would take longer than the report."""
    (tmp_path / "a").write_text("text")
    monkeypatch.setattr(making, "_MOST", 3)
    assert inputs([tmp_path / "a", f"{tmp_path}/*.xml"])[0]["sha256"] == ""
    assert inputs([f"{tmp_path}/*.xml"]) == [{"name": "*.xml", "sha256": ""}]


def test_unreadable_files_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere."""
    (tmp_path / "a").write_text("text")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ExcerptError, match="cannot be read: permission denied"):
        inputs([tmp_path / "a"])


def test_versions() -> None:
    """Ours, and the one whose random numbers are used."""
    assert versions()["excerpt"] == __version__
    assert versions().keys() == {"excerpt", "numpy"}


def test_a_corpus_has_the_hash_of_its_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What else lies in its folder, such as the report itself, is no part of it."""
    (tmp_path / "a.txt").write_text("text")
    corpus = Corpus.read(tmp_path)
    found = corpus_input(tmp_path, corpus)
    assert found == [{"name": tmp_path.name, "sha256": corpus.fingerprint()}]
    (tmp_path / "report.html").write_text("<!DOCTYPE html>")
    assert corpus_input(tmp_path, Corpus.read(tmp_path)) == found
    pattern = f"{tmp_path}/*.txt"
    assert corpus_input(pattern, Corpus.read(pattern))[0]["sha256"] == found[0]["sha256"]
    assert corpus_input(corpus, corpus)[0]["sha256"] == found[0]["sha256"]
    assert corpus_input({"a": "text"}, Corpus({"a": "text"}))[0]["sha256"]
    assert corpus_input(None, None) == []
    monkeypatch.setattr(making, "_MOST", 3)
    assert corpus_input(tmp_path, corpus)[0]["sha256"] == ""


def test_a_corpus_that_cannot_be_read_has_no_hash(tmp_path: Path) -> None:
    """A report is made all the same."""
    (tmp_path / "a.txt").write_text("text")
    corpus = Corpus.read(tmp_path)
    (tmp_path / "a.txt").unlink()
    assert corpus_input(tmp_path, corpus) == [{"name": tmp_path.name, "sha256": ""}]
