"""Files as people have them, made in a few lines: PDF, Office, notebooks."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence

#: The entry of a PDF that opens only with a password.
ENCRYPTION = (
    b"/Encrypt << /Filter /Standard /V 1 /R 2 /O (" + b"o" * 32 + b") /U (" + b"u" * 32 + b") /P -4 >> "
    b"/ID [(a) (b)] "
)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OPENDOCUMENT = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def pdf(pages: Sequence[str], trailer: bytes = b"") -> bytes:
    """A PDF with these lines on its pages; an empty page is like one with an image."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages))), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        lines = (line.replace("(", r"\(").replace(")", r"\)") for line in page.split("\n"))
        shown = " ".join(f"({line}) '" for line in lines) if page else ""
        content = f"BT /F1 11 Tf 50 740 Td 14 TL {shown} ET".encode("cp1252")
        box = b"/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(b"<< /Type /Page /Parent 2 0 R %s /Contents %d 0 R >>" % (box, 5 + 2 * number))
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    made, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer << /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, len(made))
    return made + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these parts."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return data.getvalue()


def _relations(parts: Mapping[str, tuple[str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="{key}" Type="{_R}/{kind}" Target="{target}"/>'
        for key, (kind, target) in parts.items()
    )
    return f"<Relationships {_RELATIONS}>{entries}</Relationships>"


def docx(body: str, more: Mapping[str, str] | None = None) -> bytes:
    """A Word file with this body, in its XML."""
    main = f'<w:document {_W} xmlns:mc="urn:mc"><w:body>{body}</w:body></w:document>'
    relations = {"r1": ("footnotes", "footnotes.xml")} if more else {}
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": _relations({"r1": ("officeDocument", "word/document.xml")}),
        "word/document.xml": main,
        "word/_rels/document.xml.rels": _relations(relations),
        **{name: f"<w:notes {_W}>{text}</w:notes>" for name, text in (more or {}).items()},
    }
    return packed(parts)


def paragraph(text: str) -> str:
    """A paragraph of a Word file."""
    return f'<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table of a Word file."""
    cells = ("".join(f"<w:tc><w:tcPr/>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl><w:tblPr/>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def pptx(slides: Sequence[str]) -> bytes:
    """A presentation with a paragraph per slide, whose files are in another order."""
    count = len(slides)
    ids = "".join(f'<p:sldId r:id="s{number}" id="{256 + number}"/>' for number in range(count))
    space = f'xmlns:p="urn:p" xmlns:r="{_R}"'
    files = {number: f"slides/slide{count - number}.xml" for number in range(count)}
    return packed(
        {
            "_rels/.rels": _relations({"r1": ("officeDocument", "ppt/presentation.xml")}),
            "ppt/presentation.xml": f"<p:all {space}><p:sldIdLst>{ids}</p:sldIdLst></p:all>",
            "ppt/_rels/presentation.xml.rels": _relations(
                {f"s{number}": ("slide", file) for number, file in files.items()}
            ),
            **{
                f"ppt/{files[number]}": f"<p:sld {space} {_A}><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>"
                for number, text in enumerate(slides)
            },
        }
    )


def xlsx(rows: str, *, dates: bool = False) -> bytes:
    """A workbook with one sheet `Sums` of these rows, in its XML; style 1 is of dates.

    Its conditional formats (`dxfs`) number formats of their own, which no cell has.
    """
    date = ' date1904="1"' if dates else ""
    return packed(
        {
            "_rels/.rels": _relations({"r1": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": f'<workbook {_SHEET} xmlns:r="{_R}"><workbookPr{date}/><sheets>'
            '<sheet name="Sums" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _relations(
                {
                    "r1": ("worksheet", "worksheets/sheet1.xml"),
                    "r2": ("sharedStrings", "sharedStrings.xml"),
                    "r3": ("styles", "styles.xml"),
                }
            ),
            "xl/sharedStrings.xml": f"<sst {_SHEET}><si><t>Name</t></si><si><r><t>An</t></r><r><t>na</t></r>"
            "<rPh><t>no</t></rPh></si></sst>",
            "xl/styles.xml": f"<styleSheet {_SHEET}><numFmts>"
            '<numFmt numFmtId="164" formatCode="0.0&quot;d&quot;"/></numFmts><cellXfs>'
            '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>'
            '<dxfs><dxf><numFmt numFmtId="14" formatCode="0.00"/></dxf>'
            '<dxf><numFmt numFmtId="0" formatCode="yyyy"/></dxf></dxfs></styleSheet>',
            "xl/worksheets/sheet1.xml": f"<worksheet {_SHEET}><sheetData>{rows}</sheetData></worksheet>",
        }
    )


def odt(body: str) -> bytes:
    """An OpenDocument text with this body, in its XML."""
    content = f"<office:document-content {_OPENDOCUMENT}>{body}</office:document-content>"
    return packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def epub(chapters: Sequence[str]) -> bytes:
    """A book with these chapters, in HTML."""
    files = {f"c {number}.xhtml": chapter for number, chapter in enumerate(chapters)}
    items = "".join(
        f'<item id="i{number}" href="{name.replace(" ", "%20")}"/>' for number, name in enumerate(files)
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(files)))
    return packed(
        {
            "META-INF/container.xml": '<container><rootfile full-path="OEBPS/book.opf"/></container>',
            "OEBPS/book.opf": "<package><metadata><title>A book</title></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            **{f"OEBPS/{name}": chapter for name, chapter in files.items()},
        }
    )


def notebook(*cells: str | list[str], version: int = 4) -> bytes:
    """A notebook with these cells, each with an output."""
    made = [{"cell_type": "code", "source": cell, "outputs": [{"text": "output"}]} for cell in cells]
    return json.dumps({"nbformat": version, "cells": made} if version > 3 else {"nbformat": version}).encode()
