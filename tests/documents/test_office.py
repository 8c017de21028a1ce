"""Office files: paragraphs, tables, slides, sheets, chapters; files that are none, and hostile ones."""

from __future__ import annotations

import pytest
from support.document_files import docx, epub, odt, packed, paragraph, pptx, table, xlsx

from excerpt.documents.office import read_office
from excerpt.documents.unreadable import Unreadable


def test_paragraphs_and_tables_of_word() -> None:
    """In their order; with content controls and insertions, without deletions and fallbacks."""
    body = (
        paragraph("One.")
        + table([["a", "b"], ["c", ""]])
        + f"<w:sdt><w:sdtContent>{paragraph('Control.')}</w:sdtContent></w:sdt>"
        + "<w:p><w:r><w:t>kept </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins>"
        + "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        + "<w:r><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r></w:p>"
        + f"<w:p><w:r><w:t>around</w:t><mc:Choice>{paragraph('box')}</mc:Choice>"
        + f"<mc:Fallback>{paragraph('box')}</mc:Fallback></w:r></w:p>"
    )
    found = read_office(docx(body), "a.docx")
    assert found.text == "One.\n\na\tb\nc\n\nControl.\n\nkept new\tx\ny\n\nbox\n\naround"
    assert found.kind == "docx"


def test_notes_follow() -> None:
    """After the text."""
    more = {"word/footnotes.xml": paragraph("A note.")}
    assert read_office(docx(paragraph("Text."), more), "a.docx").text == "Text.\n\nA note."


def test_a_table_in_a_cell_is_text_of_the_cell() -> None:
    """Its rows are not mixed with those around it."""
    inner = table([["x", "y"]])
    body = f"<w:tbl><w:tr><w:tc>{paragraph('a')}{inner}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    assert read_office(docx(body), "a.docx").text == "a x y\tb"


def test_slides_are_pages() -> None:
    """In the order of the presentation, not of the files."""
    found = read_office(pptx(["First", "Second"]), "a.pptx")
    assert [found.text[start:end] for start, end in found.pages] == ["First", "Second"]


def test_cells_of_a_sheet() -> None:
    """Shared and own texts, numbers, truth, dates; empty cells are left out."""
    rows = (
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c/><c t="inlineStr"><is><t>own</t></is></c></row>'
        '<row><c><v>1.5</v></c><c t="b"><v>1</v></c><c s="1"><v>45000</v></c><c s="2"><v>3</v></c>'
        '<c t="str"><f>A1</f><v>made</v></c><c t="s"><v>99</v></c></row><row/>'
    )
    found = read_office(xlsx(rows), "a.xlsx")
    assert found.text == "Sums\nName\tAnna\town\n1.5\tTRUE\t2023-03-15\t3\tmade"
    later = read_office(xlsx('<row><c s="1"><v>45000</v></c></row>', dates=True), "a.xlsx")
    assert later.text == "Sums\n2027-03-16"


def test_a_sheet_of_few_cells_is_short() -> None:
    """However many rows and columns it claims."""
    rows = '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>'
    assert read_office(xlsx(rows), "a.xlsx").text == "Sums\n7"


def test_opendocument() -> None:
    """Headings, paragraphs, tables; blanks and tabs; no notes of changes."""
    body = (
        "<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:h>Head</text:h>"
        '<text:p>a<text:s text:c="2"/>b<text:tab/>c <text:span>d</text:span><text:line-break/>e</text:p>'
        "<table:table><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell>"
        "<table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>"
    )
    assert read_office(odt(body), "a.odt").text == "Head\n\na  b\tc d\ne\n\n1\t2"


def test_chapters_of_a_book() -> None:
    """In the order of the spine; a cover has no text."""
    found = read_office(epub(["<img src='cover.png'/>", "<h1>One</h1>", "<p>Two"]), "a.epub")
    assert (found.text, found.title) == ("One\n\nTwo", "A book")


_COMPOUND = b"\xd0\xcf\x11\xe0" + bytes(600)
_BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>'


@pytest.mark.parametrize(
    ("data", "name", "reason", "message"),
    [
        (b"", "a.docx", "damaged", "a.docx: is no zip, which every .docx file is"),
        (b"text", "a.xlsx", "damaged", "a.xlsx: is no zip"),
        (docx(paragraph("One"))[:-40], "a.docx", "damaged", "a.docx: is no zip"),
        (_COMPOUND, "a.docx", "encrypted", "a.docx: is encrypted, or of an Office before 2007"),
        (packed({"a.txt": "x"}), "a.docx", "damaged", "a.docx: is no .docx file: it names no main part"),
        (
            packed({"a.txt": "x"}),
            "a.epub",
            "damaged",
            "a.epub: is no .epub file: it has no META-INF/container.xml",
        ),
        (packed({"content.xml": "<a>"}), "a.odt", "damaged", "a.odt: is damaged in content.xml, line 1 "),
        (packed({"content.xml": _BOMB + "<a>&c;</a>"}), "a.odt", "damaged", "a.odt: has a document type"),
        (
            packed({"content.xml": "<a>" * 2000}),
            "a.odt",
            "damaged",
            "a.odt: has more than 1000 elements inside",
        ),
        (docx(""), "a.docx", "no text", "a.docx: no text: the .docx file has no paragraph with text"),
        (pptx(["", ""]), "a.pptx", "no text", "a.pptx: no text: the slides have none"),
        (
            packed({"content.xml": "<a/>", "META-INF/manifest.xml": "<m><encryption-data/></m>"}),
            "a.odt",
            "encrypted",
            "a.odt: is encrypted",
        ),
    ],
)
def test_what_cannot_be_read(data: bytes, name: str, reason: str, message: str) -> None:
    """One line each, and the reason by which a folder counts it."""
    with pytest.raises(Unreadable) as caught:
        read_office(data, name)
    assert str(caught.value).startswith(message)
    assert caught.value.reason == reason


def test_a_part_that_unpacks_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is not unpacked: the limit is that of archives, for all parts together."""
    monkeypatch.setenv("EXCERPT_MAX_SIZE", "1M")
    bomb = packed({"content.xml": "<a>" + " " * (2 << 20) + "</a>"})
    assert len(bomb) < 5000
    with pytest.raises(Unreadable, match="unpacks to more than 1 MiB, expected less") as caught:
        read_office(bomb, "a.odt")
    assert caught.value.reason == "too large"
