"""Files of many documents in a corpus: an index of them, by workers and parts too, and what is left out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from excerpt.documents.entry import chunks
from excerpt.documents.many import Opened, cut_entries, may_be_trec, trec_cutting
from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex, build_index, build_share

TREC = b"".join(
    b"<DOC>\n<DOCNO> T-%d </DOCNO><TEXT>one <P>two<P>three\n</TEXT></DOC>\n" % n for n in range(9)
)
XML = b"<all><page id='x1'><p>eins</p></page><page id='x2'><p>zwei</p></page></all>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with TREC's files, packed or not, an XML document and others."""
    corpus = tmp_path / "corpus"
    (corpus / "sub").mkdir(parents=True)
    (corpus / "sub" / "ft911_1").write_bytes(TREC)
    (corpus / "ft911_2.gz").write_bytes(gzip.compress(TREC.replace(b"T-", b"U-")))
    (corpus / "A.xml").write_text("<article><p>x</p></article>")
    (corpus / "readme").write_text("no document")
    (corpus / "empty").write_text("")
    return corpus


def spans(index: OffsetIndex, document: str, path: str) -> tuple[int, int]:
    """Where an element is."""
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
    """Every file is cut; those without a document are told."""
    (folder / "A.xml").write_bytes(XML)
    report = build_index(folder, tmp_path / "index", document_tag="page", id_from="@id")
    assert (report.documents, report.elements) == (2, 4)
    assert len(report.notices) == 1
    assert "without a document" in report.notices[0]
    assert str(folder / "empty") in report.notices[0]
    with pytest.raises(ExcerptError, match="holds no document <nothing>"):
        build_index(folder, tmp_path / "none", document_tag="nothing")


def test_single_files(folder: Path, tmp_path: Path) -> None:
    """TREC's file by its name; one called .xml only if it has several documents."""
    assert build_index(folder / "ft911_2.gz", tmp_path / "a").documents == 9
    several, single = folder / "several.xml", folder / "single.xml"
    several.write_bytes(TREC)
    single.write_bytes(b"<DOC><DOCNO>1</DOCNO></DOC>")
    assert build_index(several, tmp_path / "b").documents == 9
    build_index(single, tmp_path / "c")
    assert OffsetIndex.open(tmp_path / "c").document_codes(["single", "1"]).tolist() == [0, -1]


def test_what_cannot_be_cut(folder: Path, tmp_path: Path) -> None:
    """Archives, and two documents of one id."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.xml", XML)
    with pytest.raises(ExcerptError, match="found an archive, expected a folder or a file that can be cut"):
        build_index(tmp_path / "a.zip", tmp_path / "index", document_tag="page")
    (folder / "ft911_3").write_bytes(TREC)
    with pytest.raises(
        ExcerptError, match=r"two documents have the id 'T-0': .*ft911_3!T-0 and .*ft911_1!T-0; keep one"
    ):
        build_index(folder, tmp_path / "index")
    (tmp_path / "wide.xml").write_bytes(XML.decode().encode("utf-16"))
    with pytest.raises(ExcerptError, match=r"wide.xml: found another encoding than UTF-8"):
        build_index(tmp_path / "wide.xml", tmp_path / "index", document_tag="page")


def test_names_and_contents(folder: Path, tmp_path: Path) -> None:
    """What may be TREC's by its name must be so by its content; damaged files are not."""
    assert [may_be_trec(name) for name in ("fb396001", "paper.pdf")] == [True, False]
    (tmp_path / "bad.gz").write_bytes(gzip.compress(TREC)[:20])
    assert trec_cutting(str(tmp_path / "bad.gz")) is None
    assert trec_cutting(str(folder / "readme")) is None
    cutting = trec_cutting(str(folder / "ft911_2.gz"))
    assert cutting is not None
    entries = list(cut_entries(str(folder / "ft911_2.gz"), cutting, 100, []))
    assert (entries[0].id, entries[0].name) == ("U-0", f"{folder / 'ft911_2.gz'}!U-0")
    assert b"".join(chunks(entries[0].content)).startswith(b"<DOC>\n<DOCNO> U-0 </DOCNO>")
    with Opened(str(folder / "empty")) as data:
        assert data == b""
