"""Documents in files, against the index."""

from __future__ import annotations

import gzip
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from corpus.conftest import Write
from hypothesis import given, settings
from index_documents import BATCHES

from excerpt import Corpus, OffsetIndex, build_index, collection, read_judgments
from excerpt.errors import ExcerptError, FormatError


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
    """What the index accepts has the same text and elements here; what it leaves out is an error here."""
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
