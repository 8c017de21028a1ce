"""Encodings: offsets count characters, whatever a document is written in."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from excerpt.index import BuildReport, OffsetIndex, build_index

Indexed = Callable[..., OffsetIndex]
Write = Callable[[Mapping[str, str | bytes]], Path]

JAPANESE = "日本語 テキスト"


def span(index: OffsetIndex, path: str) -> tuple[int, int]:
    found = index.resolve([0], [path])
    return int(found.start[0]), int(found.end[0])


def broken(report: BuildReport) -> list[tuple[str, int | None, str]]:
    return [(document.document, document.line, document.message) for document in report.broken]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("UTF-8", JAPANESE + "\U0001f600"),
        ("UTF8", JAPANESE),
        ("us-ascii", "plain"),
        ("ISO-8859-1", "déjà"),
        ("latin-1", "déjà"),
        ("iso-8859-15", "5 €"),
        ("windows-1252", "5 € “é”"),
        ("windows-1251", "Привет"),
        ("KOI8-R", "Привет"),
        ("Shift_JIS", JAPANESE),
        ("EUC-JP", JAPANESE),
        ("ISO-2022-JP", JAPANESE),
        ("GB18030", "汉字\U0001f600"),
        ("Big5", "漢字"),
        ("EUC-KR", "한국어"),
        ("UTF-16", JAPANESE + "\U0001f600"),
        ("UTF-16LE", JAPANESE),
        ("UTF-16BE", JAPANESE),
        ("UTF-32", JAPANESE + "\U0001f600"),
        ("UTF-32LE", JAPANESE),
        ("UTF-32BE", JAPANESE),
        ("cp037", "deja"),
        ("cp500", "déjà"),
    ],
)
def test_encodings(indexed: Indexed, encoding: str, text: str) -> None:
    """Offsets count characters, whatever encoding the document declares."""
    document = f'<?xml version="1.0" encoding="{encoding}"?>\r\n<a>{text}<b>{text}</b>x</a>'
    index = indexed({"d.xml": document.encode(encoding)})
    size = len(text)
    assert span(index, "/a[1]") == (0, 2 * size + 1)
    assert span(index, "/a[1]/b[1]") == (size, 2 * size)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="{}"?>'])
def test_byte_order_marks(indexed: Indexed, mark: bytes, encoding: str, declaration: str) -> None:
    """A byte order mark names the encoding and is no text."""
    declaration = declaration.format(encoding[:6])
    index = indexed({"d.xml": mark + f"{declaration}<a>é<b>€</b></a>".encode(encoding)})
    assert span(index, "/a[1]/b[1]") == (1, 2)


def test_a_byte_order_mark_beats_the_declaration(indexed: Indexed) -> None:
    """A document saved again as UTF-8 with a mark is UTF-8, though it still declares something else."""
    index = indexed(
        {"d.xml": codecs.BOM_UTF8 + '<?xml version="1.0" encoding="windows-1252"?><a>é</a>'.encode()}
    )
    assert span(index, "/a[1]") == (0, 1)


def test_an_encoding_is_decoded_once(indexed: Indexed) -> None:
    """A document that goes both ways through the scanners, for its `>` in an attribute, is not spoilt."""
    head = '<?xml version="1.0" encoding="windows-1252"?>'
    index = indexed({"d.xml": f'{head}<a x="b>c">é > €<b>ü</b></a>'.encode("windows-1252")})
    assert (span(index, "/a[1]"), span(index, "/a[1]/b[1]")) == ((0, 6), (5, 6))


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-8"])
def test_a_declaration_that_is_far_away(indexed: Indexed, encoding: str) -> None:
    """Expat finds it behind any number of blanks, so the counting has to."""
    head = f'<?xml version="1.0" {" " * 2000} encoding="{encoding}"?>'
    index = indexed({"d.xml": f"{head}<a>Ã©<b>y</b></a>".encode(encoding)})
    assert (span(index, "/a[1]"), span(index, "/a[1]/b[1]")) == ((0, 3), (2, 3))


def test_wrong_encodings(write: Write, tmp_path: Path) -> None:
    """Bytes that are not in the encoding of their document break it, with the right line."""
    head = b'<?xml version="1.0" encoding="%s"?>\n<a>\n'
    folder = write({
        "ascii.xml": head % b"us-ascii" + "é</a>".encode(),
        "base64.xml": head % b"base64" + b"</a>",
        "good.xml": "<a/>",
        "jis.xml": head % b"Shift_JIS" + b"\n\x81\xff\n</a>",
        "nobody.xml": head % b"x-nobody" + b"</a>",
        "utf16.xml": head % b"UTF-16" + b"</a>",
        "utf8.xml": b"<a>\n\n\xe9</a>",
    })  # fmt: skip
    report = build_index(folder, tmp_path / "index")
    assert [(document, line) for document, line, _ in broken(report)] == [
        ("ascii", 3), ("base64", 1), ("jis", 4), ("nobody", 1), ("utf16", 1), ("utf8", 3),
    ]  # fmt: skip
    assert [message for _, _, message in broken(report)][1::2] == [
        "unknown encoding 'base64'",
        "unknown encoding 'x-nobody'",
        "not well-formed (invalid token)",
    ]
    assert report.documents == 1


def test_a_broken_document_in_another_encoding(write: Write, tmp_path: Path) -> None:
    """It leaves nothing behind among those before and after it."""
    latin = b'<?xml version="1.0" encoding="ISO-8859-15"?>'
    folder = write(
        {"a.xml": latin + b"<a>\xa4</a>", "b.xml": latin + b"<a><b>x</b>", "c.xml": latin + b"<c/>"}
    )
    report = build_index(folder, tmp_path / "index")
    assert broken(report) == [("b", 1, "no element found")]
    index = OffsetIndex.open(tmp_path / "index")
    assert index.path([0, 1]) == ["/a[1]", "/c[1]"]
    assert index.document_sizes([0, 1]).tolist() == [1, 0]
