"""Text by id."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
from corpus.conftest import Write
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus, ExcerptError
from excerpt.corpus import UnknownDocument
from excerpt.corpus.corpus import Recent


@pytest.fixture
def corpus(write: Write) -> Corpus:
    """XML and plain text in two folders."""
    return Corpus.read(
        write({"a/x.xml": "<r>é\U0001f600</r>", "a/y.txt": "why", "b/y.txt": "other", "b/z.md": "# Z"}),
        blocks={"r": "section"},
    )


def test_a_corpus_is_a_mapping(corpus: Corpus) -> None:
    """Ids to texts."""
    assert len(corpus) == 4
    assert list(corpus) == ["x", "a/y.txt", "b/y.txt", "b/z.md"]
    assert dict(corpus.items())["x"] == "é\U0001f600"
    assert corpus.get("a/y.txt") == "why"
    assert corpus.get("nothing") is None
    assert not corpus.__contains__(5)
    assert corpus.length("x") == 2
    assert corpus.hash("x") == hashlib.sha256("é\U0001f600".encode()).hexdigest()
    assert corpus == corpus  # noqa: PLR0124
    assert corpus != dict(corpus)
    assert len({corpus}) == 1
    assert corpus.blocks == {"r": "section"}
    assert repr(corpus).endswith("docs: 4 documents>")


def test_ids_by_the_rule(corpus: Corpus) -> None:
    """Every accepted spelling, and no other."""
    assert corpus.names("x") == ("x", "a/x.xml", "a/x", "x.xml")
    assert corpus.names("b/y") == ("b/y.txt", "b/y")
    assert corpus.names("z") == ("b/z.md", "b/z", "z.md", "z")
    assert corpus.resolve("z.md") == "b/z.md"
    assert corpus.resolve("y.txt") is None  # there are two
    assert "y" not in corpus
    assert corpus.document("z").id == "b/z.md"
    for identifier in corpus:
        for name in corpus.names(identifier):
            assert corpus.resolve(name) == identifier
            assert corpus[name] == corpus[identifier]


def test_whole_numbers_mean_their_digits() -> None:
    """Files of JSON and columns of numbers have such ids."""
    numbered = Corpus([{"id": 3, "text": "three"}, {"id": "04", "text": "four"}])
    assert numbered[3] == numbered.__getitem__(np.int64(3)) == "three"  # type: ignore[index]
    assert (numbered.resolve(3), numbered.resolve(4), numbered.resolve(5)) == ("3", "04", None)
    assert (numbered.length(3), numbered.document(3).text, numbered.names(3)) == (5, "three", ("3",))
    assert numbered.__contains__(3)
    assert not {True, 3.0, None} & set(filter(numbered.__contains__, [True, 3.0, None]))
    with pytest.raises(UnknownDocument, match="unknown document '7'"):
        numbered[7]


def test_own_ids_go_before_other_spellings(write: Write) -> None:
    """The id of one document is never another spelling of a second document."""
    corpus = Corpus.read(write({"a/x.txt": "text", "x.xml": "<a>xml</a>"}))
    assert corpus["x"] == "xml"
    assert corpus.names("a/x.txt") == ("a/x.txt", "a/x", "x.txt")


def test_unknown_documents(corpus: Corpus) -> None:
    """An error in one line, which is also a KeyError."""
    message = "unknown document 'n'; the corpus .* has 4 documents, such as 'x', 'a/y.txt', 'b/y.txt'"
    for ask in (corpus.__getitem__, corpus.document, corpus.length, corpus.hash, corpus.names):
        with pytest.raises(UnknownDocument, match=message):
            ask("n")
    with pytest.raises(KeyError):
        corpus[5]
    with pytest.raises(ExcerptError):
        corpus["n"]


def test_a_corpus_travels(corpus: Corpus) -> None:
    """Other processes open the files themselves; what is in memory goes with it."""
    other = pickle.loads(pickle.dumps(corpus))
    assert dict(other) == dict(corpus)
    assert other.blocks == corpus.blocks
    made = pickle.loads(pickle.dumps(Corpus({"a": "x"}, blocks={"p": "paragraph"})))
    assert (dict(made), made.blocks) == ({"a": "x"}, {"p": "paragraph"})


def test_a_corpus_of_what_is_gone_through_once_travels() -> None:
    """An iterator and a generator are at their end once the corpus is made; its records go with it."""
    records = [{"id": "a", "text": "x", "title": "A", "kind": "page"}, {"id": "b", "text": "y"}]
    for once in (iter(records), (record for record in records)):
        corpus = Corpus(once)
        other = pickle.loads(pickle.dumps(corpus))
        assert [other.document(name) for name in other] == [corpus.document(name) for name in corpus]
        assert dict(other) == {"a": "x", "b": "y"}


def test_names_of_files_that_are_no_text(write: Write) -> None:
    """A document may be found by them, but they are not listed: they cannot be written."""
    folder = write({"a/x.txt": "text"})
    (folder / "a").rename(folder / os.fsdecode(b"\xff"))
    corpus = Corpus.read(folder)
    assert corpus.names("x") == ("x.txt", "x")
    assert corpus.resolve("x") == os.fsdecode(b"\xff/x.txt")


def test_a_folder_that_may_not_be_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names it."""
    folder = write({"a/x.txt": "text"})
    scan = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("a"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ExcerptError, match=r"docs/a: cannot be read: permission denied"):
        Corpus.read(folder)


@pytest.mark.parametrize("packed", [False, True])
def test_many_threads_may_ask(corpus: Corpus, packed: bool, tmp_path: Path) -> None:
    """Each gets the text it asked for, from a folder or a zip."""
    if packed:
        with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(300):
                archive.writestr(f"{number}.txt", f"{number} " * 5000)
        corpus = Corpus.read(tmp_path / "a.zip")
    wrong: list[str] = []
    expected = dict(corpus)

    def ask() -> None:
        for _ in range(3 if packed else 50):
            wrong.extend(name for name, text in expected.items() if corpus.document(name).text != text)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("kind", ["folder", "zip", "tar", "jsonl"])
def test_what_was_read_before_is_an_error_when_its_file_has_changed(tmp_path: Path, kind: str) -> None:
    """Texts that are kept for the next time are not shown for what is there now."""
    (tmp_path / "docs").mkdir()
    changed = tmp_path / "docs" / "a.txt"
    changed.write_text("some text", encoding="utf-8")
    place = tmp_path / "docs"
    if kind == "jsonl":
        place = changed = tmp_path / "docs.jsonl"
        place.write_text('{"id": "a", "text": "some text"}\n', encoding="utf-8")
    elif kind != "folder":
        place = changed = Path(shutil.make_archive(str(tmp_path / "packed"), kind, tmp_path / "docs"))
    corpus = Corpus.read(place)
    assert corpus["a"] == corpus.document("a").text == "some text"
    with changed.open("ab") as file:
        file.write(b" ")
    for ask in (corpus.__getitem__, corpus.document):
        with pytest.raises(ExcerptError, match="has changed since the corpus was opened"):
            ask("a")


def test_fingerprints_tell_corpora_apart(write: Write) -> None:
    """The same documents have the same one; another text, id or border between texts has another."""
    folder = write({"a.txt": "one", "b/c.txt": "two"})
    before = Corpus.read(folder).fingerprint()
    write({"notes.pdf": "no document"})
    os.utime(folder / "a.txt", (1, 1))
    assert Corpus.read(folder).fingerprint() == before
    write({"a.txt": "onet", "b/c.txt": "wo"})
    assert Corpus.read(folder).fingerprint() != before
    write({"a.txt": "one", "b/c.txt": "two"})
    assert Corpus.read(folder).fingerprint() == before
    (folder / "a.txt").rename(folder / "aa.txt")
    assert Corpus.read(folder).fingerprint() != before


def test_fingerprints_of_archives_and_memory(write: Write) -> None:
    """A zip has that of its folder, however it was packed; texts in memory that of their files."""
    folder = write({"a.txt": "one", "b/c.txt": "two"})
    whole = Corpus.read(folder).fingerprint()
    packed = shutil.make_archive(str(folder.parent / "packed"), "zip", folder)
    assert Corpus.read(packed).fingerprint() == whole
    assert Corpus({"a.txt": "one", "b/c.txt": "two"}).fingerprint() == whole
    assert Corpus({"a.txt": "one", "b/c.txt": "tw"}).fingerprint() != whole


@given(st.lists(st.integers(0, 6), max_size=40))
def test_the_last_values_that_fit_are_kept(keys: list[int]) -> None:
    """The same values as of a plain model: the last distinct keys whose sizes fit into the room."""
    recent: Recent[str] = Recent(room=6, size=len)
    made: list[int] = []
    expected: list[int] = []  # the last used is the last
    for key in keys:

        def make(key: int = key) -> str:
            made.append(key)
            return "x" * (key + 1)

        known = key in expected
        before = len(made)
        assert recent.get(key, make) == "x" * (key + 1)
        assert (len(made) == before) is known
        if known:
            expected.remove(key)
        if key + 1 <= 6:
            expected.append(key)
        while sum(other + 1 for other in expected) > 6:
            del expected[0]
