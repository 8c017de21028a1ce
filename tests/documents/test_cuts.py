"""Files of many documents: how they are cut, an index of them, and what is left out."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from excerpt.documents.cuts import (
    Cutting,
    Form,
    IdPath,
    cut,
    cut_entries,
    has_several,
    is_trec,
    mapped,
    may_be_trec,
    trec_cutting,
)
from excerpt.documents.entry import chunks
from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index, build_share
from excerpt.parse.text import read_document

TREC = b"""<DOC>
<DOCNO> FT911-1 </DOCNO>
<TEXT>One <P>two</TEXT>
</DOC>

<DOC><DOCNO>FT911-2</DOCNO>no end
<doc id=x><docno>FT911-3</docno>AT&T</doc>
"""
XML = b"""<?xml version="1.0"?>
<!DOCTYPE docs [<!ENTITY who "World">]>
<docs><about><doc-id>9</doc-id></about>
<doc id="a"><head><id> 1 <b>x</b></id></head>Hello &who;<doc>inner</doc></doc>
<doc id="b" note=">"/><doc id="c"><head><id>3</id><id>4</id></head><br/></doc >
</docs>
"""


def documents(data: bytes, cutting: Cutting) -> dict[str, str]:
    """The text of each document by its id."""
    pieces = cut(data, cutting, "f")
    return {
        piece.id: read_document([piece.form.as_file(data[piece.start : piece.end])]).text for piece in pieces
    }


def chosen(tag: str, place: str | None = None) -> Cutting:
    """A cutting that there is."""
    found = Cutting.of(tag, place)
    assert found is not None
    return found


def test_trec() -> None:
    """From start tag to end tag, else to the next start tag; ids without blanks around them."""
    assert documents(TREC, Cutting()) == {
        "FT911-1": "\n FT911-1 \nOne two\n",
        "FT911-2": "FT911-2no end\n",
        "FT911-3": "FT911-3AT&T",
    }
    assert documents(TREC[TREC.index(b"<doc id") :], chosen("DOC", "@id")) == {"x": "FT911-3AT&T"}
    assert documents(TREC.replace(b"TEXT>", b"H><ID>7</ID>", 1), chosen("doc", "DOCNO")).keys() >= {"FT911-1"}
    nested = b"<DOC><H><ID n='5'>7</ID></H></DOC>"
    assert list(documents(nested, chosen("DOC", "H/ID"))) == ["7"]
    assert list(documents(nested, chosen("DOC", "h/id/@n"))) == ["5"]


def test_recognised() -> None:
    """By the first tag and an id near it, with any text before the tag."""
    assert is_trec(TREC)
    assert is_trec(b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- x -->\n<doc><docno>1</docno></doc>")
    for other in (
        b"<DOC>no id</DOC>",
        b"<docs><DOC><DOCNO>1</DOCNO></DOC></docs>",
        b"text <DOC><DOCNO>",
        b"",
    ):
        assert not is_trec(other)
    assert has_several(TREC)
    assert not has_several(b"<DOC><DOCNO>1</DOCNO></DOC>")


def test_xml() -> None:
    """The outermost elements of a tag, with the entities that the file declares, empty ones too."""
    expected = {"a": " 1 xHello Worldinner", "b": "", "c": "34"}
    for cutting in (chosen("doc"), chosen("doc", "@id")):
        assert documents(XML, cutting) == expected
    assert list(
        documents(b"\xef\xbb\xbf" + XML.replace(b'<doc id="b" note=">"/>', b""), chosen("doc", "head/id"))
    ) == [
        "1 x",
        "3",
    ]
    assert Form(b"<?xml?>").as_file(b"<a/>") == b"<?xml?><a/>"


def test_large_files() -> None:
    """Documents across the pieces that the parser is given."""
    data = b"<r>" + b"".join(b"<d><id>%d</id>%b</d>" % (n, b"x" * 70_000) for n in range(40)) + b"</r>"
    found = list(cut(data, chosen("d", "id"), "f"))
    assert [piece.id for piece in found] == [str(number) for number in range(40)]
    assert {len(data[piece.start : piece.end]) - len(piece.id) for piece in found} == {70_016}


def test_names_with_colons_and_capitals() -> None:
    """In SGML neither means anything: there are no namespaces, and ID is id."""
    one = b'<DOC ID="one"><x:y><a:b:c></x:y></DOC>'
    assert [piece.id for piece in cut(one, chosen("doc"), "f")] == ["one"]
    two = b'<doc><head xmlns:q=""><no N=two></head></doc>'
    assert [piece.id for piece in cut(two, chosen("DOC", "HEAD/no/@n"), "f")] == ["two"]


def test_documents_without_end_tags() -> None:
    """Each ends where the next begins; what comes later is not searched for an end again and again."""
    data = b"".join(b"<DOC><DOCNO>%d</DOCNO>\n" % number for number in range(30_000))
    begun = time.process_time()
    pieces = list(cut(data, Cutting(), "f"))
    assert time.process_time() - begun < 5
    assert (len(pieces), pieces[-2].end, pieces[-1].end) == (30_000, pieces[-1].start, len(data))


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (XML, "title", "f:4: found a document <doc> without an id, expected its id at title; give id_from=…"),
        (TREC, "@n", "f:1: found a document <doc> without an id, expected its id at @n; give id_from=…"),
        (
            XML.replace(b"</docs>", b""),
            None,
            (
                "f:7: found XML that is not well-formed (no element found), expected documents <doc> in it; "
                "repair the file, or split it into one file for each document"
            ),
        ),
        (
            '<?xml version="1.0" encoding="utf-16"?><a/>'.encode("utf-16"),
            None,
            "f: found an encoding other than UTF-8, expected a file of many documents in UTF-8",
        ),
    ],
)
def test_faults(data: bytes, place: str | None, message: str) -> None:
    """Each with its line."""
    with pytest.raises(ExcerptError) as caught:
        list(cut(data, chosen("doc", place), "f"))
    assert str(caught.value) == message


def test_what_users_say() -> None:
    """Paths and attributes; all else is one line."""
    assert chosen("doc").id_paths == (IdPath(("DOCNO",)), IdPath(attribute="id"))
    assert chosen("x:doc", "a/b/@c").id_paths == (IdPath(("a", "b"), "c"),)
    assert str(chosen("doc", "a/b/@c").id_paths[0]) == "a/b/@c"
    assert Cutting.of(None, None) is None
    for tag, place, message in (
        ("<a>", None, "found '<a>' as tag of documents, expected one such as DOC"),
        ("a", "a//b", "found 'a//b' as path of ids, expected one such as DOCNO, header/id or @id"),
        ("a", "", "found '' as path of ids, expected one such as DOCNO, header/id or @id"),
        (
            None,
            "a",
            'id_from="a" needs document_tag',
        ),
    ):
        with pytest.raises(ExcerptError) as caught:
            Cutting.of(tag, place)
        assert str(caught.value) == message
    with pytest.raises(ExcerptError, match='ids="path" and document_tag cannot be combined'):
        Cutting.of("a", None, "path")


COLLECTION = b"".join(
    b"<DOC>\n<DOCNO> T-%d </DOCNO><TEXT>one <P>two<P>three\n</TEXT></DOC>\n" % n for n in range(9)
)
PAGES = b"<all><page id='x1'><p>eins</p></page><page id='x2'><p>zwei</p></page></all>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with TREC's files, packed or not, an XML document and others."""
    corpus = tmp_path / "corpus"
    (corpus / "sub").mkdir(parents=True)
    (corpus / "sub" / "ft911_1").write_bytes(COLLECTION)
    (corpus / "ft911_2.gz").write_bytes(gzip.compress(COLLECTION.replace(b"T-", b"U-")))
    (corpus / "A.xml").write_text("<article><p>x</p></article>")
    (corpus / "readme").write_text("no document")
    (corpus / "empty").write_text("")
    return corpus


def spans(index: OffsetIndex, document: str, path: str) -> tuple[int, int]:
    """Span of an element."""
    found = index.resolve(index.document_codes([document]), [path])
    return int(found.start[0]), int(found.end[0])


def test_a_folder_of_trec(folder: Path, tmp_path: Path) -> None:
    """Files of TREC's are known by their content, documents by their DOCNO; others stay what they are."""
    report = build_index(folder, tmp_path / "index")
    assert (report.documents, report.broken, report.notices) == (19, (), ())
    index = OffsetIndex.open(tmp_path / "index")
    assert spans(index, "T-3", "/DOC[1]/DOCNO[1]") == (1, 6)
    assert spans(index, "U-8", "/DOC[1]/TEXT[1]/P[2]") == (13, 19)
    assert spans(index, "A", "/article[1]") == (0, 1)


def test_whoever_makes_it(folder: Path, tmp_path: Path) -> None:
    """Two workers and shares give the same index as one process."""
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    build_index(folder, one, keep_text=True)
    build_index(folder, two, keep_text=True, workers=2)
    for share in (1, 2):
        build_share(folder, three, share, 2, keep_text=True)
    build_index(folder, three, keep_text=True)
    fingerprints = {OffsetIndex.open(path).fingerprint for path in (one, two, three)}
    assert len(fingerprints) == 1


def test_a_tag_that_is_named(folder: Path, tmp_path: Path) -> None:
    """Every file is cut; a warning counts files without a document."""
    (folder / "A.xml").write_bytes(PAGES)
    report = build_index(folder, tmp_path / "index", document_tag="page", id_from="@id")
    assert (report.documents, report.elements) == (2, 4)
    assert len(report.notices) == 1
    assert "4 files contain no document" in report.notices[0]
    assert str(folder / "empty") in report.notices[0]
    with pytest.raises(ExcerptError, match="contains no document <nothing>"):
        build_index(folder, tmp_path / "none", document_tag="nothing")


def test_single_files(folder: Path, tmp_path: Path) -> None:
    """TREC's file by its name; one called .xml only if it has several documents."""
    assert build_index(folder / "ft911_2.gz", tmp_path / "a").documents == 9
    several, single = folder / "several.xml", folder / "single.xml"
    several.write_bytes(COLLECTION)
    single.write_bytes(b"<DOC><DOCNO>1</DOCNO></DOC>")
    assert build_index(several, tmp_path / "b").documents == 9
    build_index(single, tmp_path / "c")
    assert OffsetIndex.open(tmp_path / "c").document_codes(["single", "1"]).tolist() == [0, -1]


def test_what_cannot_be_cut(folder: Path, tmp_path: Path) -> None:
    """Archives, and two documents of one id."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.xml", PAGES)
    with pytest.raises(ExcerptError, match="found an archive, expected a folder or a file to split"):
        build_index(tmp_path / "a.zip", tmp_path / "index", document_tag="page")
    (folder / "ft911_3").write_bytes(COLLECTION)
    with pytest.raises(
        ExcerptError, match=r"two documents have the id 'T-0': .*ft911_3!T-0 and .*ft911_1!T-0; keep one"
    ):
        build_index(folder, tmp_path / "index")
    (tmp_path / "wide.xml").write_bytes(PAGES.decode().encode("utf-16"))
    with pytest.raises(ExcerptError, match=r"wide.xml: found an encoding other than UTF-8"):
        build_index(tmp_path / "wide.xml", tmp_path / "index", document_tag="page")


def test_names_and_contents(folder: Path, tmp_path: Path) -> None:
    """A file that may be TREC's by its name must be so by its content; damaged files are not."""
    assert [may_be_trec(name) for name in ("fb396001", "paper.pdf")] == [True, False]
    (tmp_path / "bad.gz").write_bytes(gzip.compress(COLLECTION)[:20])
    assert trec_cutting(str(tmp_path / "bad.gz")) is None
    assert trec_cutting(str(folder / "readme")) is None
    cutting = trec_cutting(str(folder / "ft911_2.gz"))
    assert cutting is not None
    entries = list(cut_entries(str(folder / "ft911_2.gz"), cutting, 100, []))
    assert (entries[0].id, entries[0].name) == ("U-0", f"{folder / 'ft911_2.gz'}!U-0")
    assert b"".join(chunks(entries[0].content)).startswith(b"<DOC>\n<DOCNO> U-0 </DOCNO>")
    with (folder / "empty").open("rb") as file, mapped(file) as data:
        assert data == b""
    with pytest.raises(ExcerptError, match=r"gone: cannot be read: no such file"):
        list(cut_entries(str(folder / "gone"), cutting, 0, []))
