"""From paths to corpora: folders, patterns, archives, files of documents."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import os
import pickle
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from corpus.conftest import Write
from hypothesis import given, settings
from support.gold_files import SAMPLES
from support.index_documents import BATCHES

from excerpt import Corpus, OffsetIndex, build_index, collection, read_judgments
from excerpt.documents.cuts import Cutting
from excerpt.documents.sources import CutFiles
from excerpt.errors import ExcerptError, FormatError


def test_folders_leave_other_files_out(write: Write) -> None:
    """They are counted, and the corpus lists the counts."""
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
    folder = write({"a.doc": "x\0", "b.jsonl": "{}"})
    os.mkfifo(tmp_path / "pipe")
    for path, message in {
        tmp_path / "nowhere": "nowhere: cannot be read: no such file or directory",
        folder: "docs: contains no documents, only 2 files of other kinds; expected .*; give the .jsonl file",
        folder / "a.doc": "a.doc: found a file of an unknown kind, expected documents",
        tmp_path / "pipe": "pipe: found a pipe, a device or a socket",
        "-": "cannot be read from standard input; give a file",
        "a\0b": "is not a file name",
        5: "found 5 as corpus, expected a path",
    }.items():
        with pytest.raises(ExcerptError, match=message):
            Corpus.read(path)  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match=r"ids is 'name', expected stem or path"):
        Corpus.read(folder, ids="name")  # type: ignore[arg-type]


def assert_same(corpus: Corpus, index: OffsetIndex) -> None:
    """The corpus has the documents of the index, with texts and elements of the same places."""
    codes = range(len(index))
    ids = index.document_ids(codes)
    names = index.tag_names
    for code, identifier, size in zip(codes, ids, index.document_sizes(codes).tolist(), strict=True):
        document = corpus.document(identifier)
        assert len(document.text) == size == corpus.length(identifier)
        assert document.elements is not None
        _, rows = index.elements_of([code])
        starts, ends = index.spans(rows)
        found = zip(
            index.tags(rows).tolist(),
            index.depths(rows).tolist(),
            starts.tolist(),
            ends.tolist(),
            strict=True,
        )
        expected = Counter((names[tag], depth - 1, start, end) for tag, depth, start, end in found)
        assert Counter(element[:4] for element in document.elements) == expected


@settings(max_examples=60)
@given(BATCHES)
def test_documents_are_those_of_the_index(documents: list[bytes]) -> None:
    """Documents that the index accepts have the same text and elements here; others are errors here."""
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder, "docs")
        docs.mkdir()
        for number, document in enumerate(documents):
            (docs / f"{number}.xml").write_bytes(document)
        corpus = Corpus.read(docs)
        assert len(corpus) == len(documents)
        try:
            report = build_index(docs, Path(folder, "index"))
        except FormatError:  # all of them are broken
            for identifier in corpus:
                with pytest.raises(FormatError):
                    corpus[identifier]
            return
        assert_same(corpus, OffsetIndex.open(Path(folder, "index")))
        for broken in report.broken:
            with pytest.raises(FormatError) as caught:
                corpus[broken.document]
            assert (caught.value.path, caught.value.line, caught.value.message) == (
                broken.path, broken.line, broken.message,
            )  # fmt: skip


def test_the_embedded_collection_is_that_of_the_index(tmp_path: Path) -> None:
    """Texts and elements, and what runs and judgments point to."""
    build_index(collection.corpus(), tmp_path / "index")
    corpus = Corpus.read(collection.corpus())
    assert_same(corpus, OffsetIndex.open(tmp_path / "index"))
    judgments = read_judgments(collection.qrels())
    sizes = judgments.document_sizes.tolist()
    assert sizes == [corpus.length(name) for name in judgments.documents]


@pytest.mark.parametrize("name", ["cuad-mini/docs", "cuad/docs.tar.gz", "evidence/docs.tar.gz"])
def test_real_collections_are_those_of_the_index(name: str, tmp_path: Path, shared: Path) -> None:
    """The same for hundreds of thousands of elements of articles and contracts."""
    build_index(shared / name, tmp_path / "index")
    assert_same(Corpus.read(shared / name), OffsetIndex.open(tmp_path / "index"))


@pytest.mark.parametrize("name", ["cuad", "evidence", "ragtext"])
def test_highlighted_text_is_cut_out_of_the_corpus(name: str, shared: Path) -> None:
    """The offsets of judgments give the passages that were highlighted."""
    corpus = Corpus.read(shared / name / "docs.tar.gz")
    with gzip.open(shared / name / "spans.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    assert len(rows) > 400
    for _topic, document, start, length, text in rows:
        cut = corpus[document][int(start) : int(start) + int(length)]
        for character, written in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
            cut = cut.replace(character, written)
        assert cut == text


def test_plain_text_is_as_it_is_in_the_file(write: Write) -> None:
    """Only a byte order mark is no text; kinds are suffixes."""
    folder = write(
        {"a.txt": b"\xef\xbb\xbfone\r\ntwo\t", "b.MD": "# é", "c.txt.gz": gzip.compress(b"three\r")}
    )
    corpus = Corpus.read(folder)
    assert dict(corpus) == {"a.txt": "one\r\ntwo\t", "b.MD": "# é", "c.txt.gz": "three\r"}
    assert [corpus.document(name).kind for name in corpus] == ["txt", "md", "txt"]
    assert corpus.document("a.txt").elements is None
    assert corpus.document("a.txt").title == ""


def test_xml_in_any_container_is_the_same(write: Write, tmp_path: Path) -> None:
    """Folder, zip, tar and packed files."""
    content = b'<a><title>T</title>x<td colspan="2">&amp;</td></a>'
    folder = write({"in/a.xml": content})
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("in/a.xml", content)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tar:
        tar.add(folder / "in", "in")
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(content))
    documents = [
        Corpus.read(path).document("a")
        for path in (folder, tmp_path / "a.zip", tmp_path / "a.tar.gz", tmp_path / "a.xml.gz")
    ]
    assert len({(*document[:4], tuple(map(str, document.elements or ()))) for document in documents}) == 1
    assert documents[0].text == "Tx&"
    assert documents[0].title == "T"


def test_an_id_twice_is_an_error_that_names_both(write: Write) -> None:
    """And says what to try."""
    folder = write({"a/x.xml": "<a/>", "b/x.xml": "<a/>"})
    with pytest.raises(
        ExcerptError, match=r"two documents have the id 'x': .*a/x.xml and .*b/x.xml; set ids=\"path\""
    ):
        Corpus.read(folder)
    assert list(Corpus.read(folder, ids="path")) == ["a/x", "b/x"]


def test_broken_documents_do_not_break_others(write: Write) -> None:
    """Each is an error when it is asked for."""
    corpus = Corpus.read(write({"a.xml": "<a>\n<b></a>", "b.txt": b"\xff", "c.txt": "good"}))
    with pytest.raises(FormatError, match=r"a.xml:2: mismatched tag; repair the document or leave it out"):
        corpus["a"]
    with pytest.raises(FormatError, match=r"b.txt: found 0xff at byte 0"):
        corpus.length("b")
    assert corpus["c"] == "good"


TREC = (
    b"<DOC><DOCNO>T-1</DOCNO><HEADLINE>Big\nnews</HEADLINE><P>caf\xe9</DOC>\n<DOC><DOCNO>T-2</DOCNO>x</DOC>"
)
XML = b"<all><page><n>1</n>eins</page><page><n>2</n>zwei</page></all>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A collection in two files, one packed, together with a plain document and a picture."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "ft1").write_bytes(TREC)
    (corpus / "ft2.gz").write_bytes(gzip.compress(TREC.replace(b"T-", b"U-")))
    (corpus / "note.txt").write_text("plain")
    (corpus / "picture.png").write_bytes(b"\x89PNG")
    return corpus


def test_a_folder(folder: Path, tmp_path: Path) -> None:
    """Detected by content among other documents; an index that keeps the text gives the same."""
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
    with pytest.raises(ExcerptError, match="without an id, expected its id at n"):
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
    assert (files.location(1), files.without, len(files)) == (f"{folder / 'ft1'}!T-2", [], 2)
    (folder / "ft3").write_bytes(TREC)
    with pytest.raises(ExcerptError, match=r"two documents have the id 'T-1': .*ft1 and .*ft3"):
        Corpus.read(folder)


def test_what_cannot_be_cut(folder: Path, tmp_path: Path) -> None:
    """An index and an archive are what they are."""
    build_index(folder, tmp_path / "index", keep_text=True)
    with pytest.raises(ExcerptError, match="found an index, expected files to split into documents"):
        Corpus.read(tmp_path / "index", document_tag="DOC")
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("ft1", TREC)
    with pytest.raises(ExcerptError, match="found an archive, expected files"):
        Corpus.read(tmp_path / "a.zip", document_tag="DOC")


def test_paragraphs_and_articles(tmp_path: Path) -> None:
    """The same file gives either; line ends stay as they are."""
    path = SAMPLES / "squad.json"
    corpus = Corpus.read(path)
    assert list(corpus) == ["Bridges#1", "Bridges#2", "Locks"]
    assert "\r\n" in corpus["Bridges#2"]
    assert corpus.document("Locks").kind == "gold"
    whole = Corpus.read(path, context="article")
    assert whole["Bridges"] == corpus["Bridges#1"] + "\n\n" + corpus["Bridges#2"]
    assert list(pickle.loads(pickle.dumps(whole))) == ["Bridges", "Locks"]
    assert corpus.hash("Locks") == whole.hash("Locks")
    assert corpus.fingerprint() != whole.fingerprint()


def test_files_of_other_kinds(tmp_path: Path) -> None:
    """JSON Lines of documents stay what they are; questions without texts are no corpus."""
    lines = tmp_path / "corpus.jsonl"
    lines.write_text('{"_id": "1", "text": "a", "context": "b"}\n{"_id": "2", "text": "c"}\n')
    assert dict(Corpus.read(lines)) == {"1": "a", "2": "c"}
    with pytest.raises(
        ExcerptError, match=r"found questions without the text of their documents .legalbench-rag."
    ):
        Corpus.read(SAMPLES / "legalbench-rag.json")
    with pytest.raises(ExcerptError, match="found questions without the text of their documents"):
        Corpus.read(SAMPLES / "chunking-evaluation.csv")
    broken = tmp_path / "squad.json"
    broken.write_text(json.dumps({"data": [{"title": "T", "paragraphs": [{"context": 7, "qas": []}]}]}))
    with pytest.raises(ExcerptError, match=r"squad.json:1: found context 7, expected text"):
        Corpus.read(broken)


def test_files_of_many_documents_are_those_of_the_index(folder: Path, tmp_path: Path) -> None:
    """Hidden ones only if they are named like XML; a collection may say late what it is."""
    (folder / ".hidden.sgml").write_bytes(TREC.replace(b"T-", b"H-"))
    (folder / ".all.xml").write_bytes(XML)
    (folder / "late").write_bytes(b"<DOC>" + b" " * 600 + b"<DOCNO>L-1</DOCNO></DOC>")
    assert set(Corpus.read(folder / "late")) == {"L-1"}
    assert "H-1" not in Corpus.read(folder)
    build_index(folder, tmp_path / "index", document_tag="page", id_from="n", keep_text=True)
    corpus = Corpus.read(folder, document_tag="page", id_from="n")
    assert dict(Corpus.read(tmp_path / "index")) == dict(corpus) == {"1": "1eins", "2": "2zwei"}
    (folder / "lost.xml").symlink_to("nowhere")
    with pytest.raises(ExcerptError, match=r"lost.xml: cannot be read: no such file"):
        build_index(folder, tmp_path / "index", document_tag="page", id_from="n")


@pytest.mark.parametrize("first", ["hash", "text", "length"])
@pytest.mark.parametrize("room", [0, 1 << 20])
def test_hashes_are_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, room: int
) -> None:
    """Whatever the bytes are, whatever was read before, and whether texts are kept."""
    monkeypatch.setattr("excerpt.corpus.corpus._ROOM", room)
    texts = {"plain.txt": "Naïve\r\ntext. ", "ascii.md": "One two.", "empty.txt": ""}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "mark.txt").write_bytes(codecs.BOM_UTF8 + b"One.")
    (tmp_path / "wide.txt").write_bytes("Öne.".encode("utf-16"))
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(b"Packed."))
    (tmp_path / "tree.xml").write_bytes(b"<a>One <b>two</b>&amp;</a>")
    (tmp_path / "page.html").write_bytes(b"<p>One <b>two</b>&amp;</p>")
    corpus = Corpus.read(tmp_path)
    for name in corpus:
        if first != "hash":
            _ = corpus[name] if first == "text" else corpus.length(name)
        assert corpus.hash(name) == hashlib.sha256(corpus[name].encode()).hexdigest()
        assert corpus.length(name) == len(corpus[name])
    assert texts.items() <= dict(corpus).items()


def test_only_text_has_a_hash(tmp_path: Path) -> None:
    """Bytes that are no text have none, and are an error as they are for a reader."""
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    corpus = Corpus.read(tmp_path)
    with pytest.raises(ExcerptError, match=r"a.txt: found 0xe9 at byte 3, expected UTF-8 text; .*encoding"):
        corpus.hash("a.txt")
    assert corpus.known_hash("a.txt") is None
    named = Corpus.read(tmp_path, encoding="cp1252")
    assert named.hash("a.txt") == hashlib.sha256("café".encode()).hexdigest()
