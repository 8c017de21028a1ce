"""Corpora of files of many documents: text and elements as the index has them."""

from __future__ import annotations

import gzip
import os
import pickle
from pathlib import Path

import pytest

from excerpt import Corpus
from excerpt.corpus.cut_files import CutFiles
from excerpt.documents.cuts import Cutting
from excerpt.errors import ExcerptError
from excerpt.index import build_index

TREC = (
    b"<DOC><DOCNO>T-1</DOCNO><HEADLINE>Big\nnews</HEADLINE><P>caf\xe9</DOC>\n<DOC><DOCNO>T-2</DOCNO>x</DOC>"
)
XML = b"<all><page><n>1</n>eins</page><page><n>2</n>zwei</page></all>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A collection in two files, one packed, beside a plain document and a picture."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "ft1").write_bytes(TREC)
    (corpus / "ft2.gz").write_bytes(gzip.compress(TREC.replace(b"T-", b"U-")))
    (corpus / "note.txt").write_text("plain")
    (corpus / "picture.png").write_bytes(b"\x89PNG")
    return corpus


def test_a_folder(folder: Path, tmp_path: Path) -> None:
    """Known by content beside other documents; an index that keeps the text says the same."""
    corpus = Corpus.read(folder)
    assert (set(corpus), corpus.left_out) == ({"note.txt", "T-1", "T-2", "U-1", "U-2"}, 1)
    assert corpus["U-1"] == corpus["T-1"].replace("T-", "U-") == "U-1Big\nnewscafé"
    document = corpus.document("T-1")
    assert (document.title, document.kind, document.id) == ("Big news", "DOC", "T-1")
    assert document.elements is not None
    assert [element[:4] for element in document.elements][2:] == [("HEADLINE", 1, 3, 11), ("P", 1, 11, 15)]
    build_index(folder, tmp_path / "index", keep_text=True)
    kept = Corpus.read(tmp_path / "index")
    assert {name: kept[name] for name in kept} == {
        name: corpus[name] for name in corpus if name != "note.txt"
    }


def test_a_tag_that_is_named(folder: Path) -> None:
    """Files without a document are counted as left out; a worker cuts them the same way."""
    (folder / "all.xml").write_bytes(XML)
    corpus = Corpus.read(folder, document_tag="page", id_from="n")
    with pytest.raises(ExcerptError, match="without an id, expected it at n"):
        Corpus.read(folder / "ft1", document_tag="doc", id_from="n")
    assert dict(corpus) == {"1": "1eins", "2": "2zwei"}
    again = pickle.loads(pickle.dumps(corpus))
    assert (dict(again), again.left_out, again.fingerprint()) == (dict(corpus), 4, corpus.fingerprint())


def test_a_changed_file(folder: Path) -> None:
    """It is an error that names the file."""
    corpus = Corpus.read(folder / "ft1")
    os.utime(folder / "ft1", (1, 1))
    with pytest.raises(ExcerptError, match="ft1: has changed since the corpus was opened"):
        corpus["T-1"]
    (folder / "ft1").unlink()
    with pytest.raises(ExcerptError, match="cannot be read"):
        corpus["T-1"]


def test_ids_and_places(folder: Path) -> None:
    """An id that two documents have is refused; messages name file and id."""
    files = CutFiles([(str(folder / "ft1"), Cutting())])
    assert (files.place(1), files.without, len(files)) == (f"{folder / 'ft1'}!T-2", [], 2)
    (folder / "ft3").write_bytes(TREC)
    with pytest.raises(ExcerptError, match=r"two documents have the id 'T-1': .*ft1 and .*ft3"):
        Corpus.read(folder)


def test_what_cannot_be_cut(folder: Path, tmp_path: Path) -> None:
    """An index and an archive are what they are."""
    build_index(folder, tmp_path / "index", keep_text=True)
    with pytest.raises(ExcerptError, match="found an index, expected files that can be cut into documents"):
        Corpus.read(tmp_path / "index", document_tag="DOC")
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("ft1", TREC)
    with pytest.raises(ExcerptError, match="found an archive, expected files"):
        Corpus.read(tmp_path / "a.zip", document_tag="DOC")
