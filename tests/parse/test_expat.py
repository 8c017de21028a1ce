"""Limits of XML: encodings, entities, depth, size; nothing outside the document is touched."""

from __future__ import annotations

import codecs
import pickle
import pyexpat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import BuildReport, build_index
from excerpt.parse import expat
from excerpt.parse.expat import Malformed

Indexed = Callable[..., OffsetIndex]
Write = Callable[[Mapping[str, str | bytes]], Path]


def span(index: OffsetIndex, path: str) -> tuple[int, int]:
    found = index.resolve([0], [path])
    return int(found.start[0]), int(found.end[0])


def broken(report: BuildReport) -> list[tuple[str, int | None, str]]:
    return [(document.document, document.line, document.message) for document in report.broken]


def test_internal_entities_are_expanded(indexed: Indexed) -> None:
    """An entity of the internal subset counts as long as its text, with the elements in it."""
    dtd = '<!DOCTYPE a [<!ENTITY co "A &amp; Co"><!ENTITY e "&#233;"><!ENTITY el "x<b>yz</b>">]>'
    index = indexed({"d.xml": f"{dtd}<a>&co;|&e;|&el;!</a>"})
    assert span(index, "/a[1]") == (0, 13)
    assert span(index, "/a[1]/b[1]") == (10, 12)


@pytest.mark.parametrize("body", ["&amp;&#233;", "&é;", "&e;", "&e;é", "&none;"])
def test_declared_and_undeclared_entities(indexed: Indexed, body: str) -> None:
    """References are as long as what was declared for them, or one character where that is elsewhere."""
    dtd = '<!DOCTYPE a SYSTEM "x.dtd" [<!ENTITY e "four"><!ENTITY é "éé">]>'
    index = indexed({"d.xml": f"{dtd}<a>{body}<b>x</b></a>"})
    size = {"&amp;&#233;": 2, "&é;": 2, "&e;": 4, "&e;é": 5, "&none;": 1}[body]
    assert span(index, "/a[1]/b[1]") == (size, size + 1)


def test_external_entities_are_not_read(write: Write, tmp_path: Path) -> None:
    """A reference to another file counts as one character; the file is not opened, and a notice says so."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret text")
    entity = (
        f'<!DOCTYPE a [<!ENTITY s SYSTEM "{secret.as_uri()}"><!ENTITY % p SYSTEM "{secret.as_uri()}">%p;]>'
    )
    folder = write({"d.xml": f'{entity}<a x="1">ab&s;<b>c</b></a>'})
    report = build_index(folder, tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    assert (span(index, "/a[1]"), span(index, "/a[1]/b[1]")) == ((0, 4), (3, 4))
    assert len(report.notices) == 1
    assert report.notices[0].startswith("1 external entity was not read and counts as one character (")


def test_external_dtd_is_not_read(write: Write, tmp_path: Path) -> None:
    """Entities that an external DTD may declare count as one character each; the DTD is not opened."""
    dtd = tmp_path / "x.dtd"
    dtd.write_text('<!ENTITY eacute "a very long text">')
    folder = write({"d.xml": f'<!DOCTYPE a SYSTEM "{dtd.as_uri()}"><a>&eacute;t&eacute;<b>&amp;</b></a>'})
    report = build_index(folder, tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    assert (span(index, "/a[1]"), span(index, "/a[1]/b[1]")) == ((0, 4), (3, 4))
    assert report.notices[0].startswith("2 external entities were not read and count as one character")


def test_undeclared_entities_break_a_document(write: Write, tmp_path: Path) -> None:
    """Without an external DTD the entity cannot be declared."""
    report = build_index(write({"bad.xml": "<a>\n&eacute;</a>", "good.xml": "<a/>"}), tmp_path / "index")
    assert broken(report) == [("bad", 2, "undefined entity")]


def test_entity_bombs_are_refused(write: Write, tmp_path: Path) -> None:
    """Billion laughs and quadratic blow-up break their documents and nothing else."""
    laughs = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    quadratic = f'<!ENTITY q "{"x" * 50_000}">'
    folder = write({
        "laughs.xml": f"<!DOCTYPE a [{laughs}]><a>&l11;</a>",
        "quadratic.xml": f"<!DOCTYPE a [{quadratic}]><a>{'&q;' * 20_000}</a>",
        "z.xml": "<a>fine</a>",
    })  # fmt: skip
    report = build_index(folder, tmp_path / "index")
    assert [document for document, _, _ in broken(report)] == ["laughs", "quadratic"]
    assert all("amplification" in message for _, _, message in broken(report))
    assert report.documents == 1


def test_an_old_expat_is_refused(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that does not stop entity bombs is not used."""
    monkeypatch.setattr(pyexpat, "version_info", (2, 4, 0))
    with pytest.raises(ExcerptError, match="entity bombs"):
        build_index(write({"a.xml": "<a/>"}), tmp_path / "index")


def test_depth(indexed: Indexed) -> None:
    """Two hundred and more levels are nothing special."""
    index = indexed({"d.xml": "<s>x" * 200 + "</s>" * 200, "e.xml": "<s>" * 9_999 + "<t/>y" + "</s>" * 9_999})
    assert span(index, "/s[1]" * 200) == (199, 200)
    assert span(index, "/s" * 150 + "/text()[1]") == (149, 150)
    deepest = "/s[1]" * 9_999 + "/t[1]"
    found = index.resolve([1], [deepest])
    assert index.path(found.element) == [deepest]
    assert index.statistics().max_depth == 10_000


@pytest.mark.parametrize("comment", ["", "<![CDATA[x]]>"])
def test_openings_without_end(write: Write, tmp_path: Path, comment: str) -> None:
    """Many openings that are never closed break a document at once; no pattern searches for their ends."""
    opening = "<![CDATA[" if comment else "<!--"
    report = build_index(
        write({"bad.xml": f"<a>{opening * 100_000}", "good.xml": "<a/>"}), tmp_path / "index"
    )
    assert [document for document, _, _ in broken(report)] == ["bad"]


@pytest.mark.parametrize("comment", ["", "<![CDATA[x]]>"])
def test_too_deep(write: Write, tmp_path: Path, comment: str) -> None:
    """More levels than documented break a document, at the line of the first element too deep."""
    deep = "<s>\n" * 10_001 + comment + "</s>" * 10_001
    report = build_index(write({"bad.xml": deep, "good.xml": "<a/>"}), tmp_path / "index")
    assert broken(report) == [("bad", 10_001, "elements are nested deeper than 10000 levels")]


def test_a_large_document(write: Write, tmp_path: Path) -> None:
    """A document of many chunks has the spans of its arithmetic, also when it breaks at its very end."""
    count = 120_000
    body = "".join(f"<p>é{number:06}<b>x</b>\n</p>" for number in range(count))
    folder = write({"big.xml": f"<a>{body}</a>", "cut.xml": f"<a>{body}", "small.xml": "<a><p>x</p></a>"})
    report = build_index(folder, tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    rows = [1, 2, 77_777, count]
    found = index.resolve([0] * 4, [f"/a[1]/p[{row}]/b[1]" for row in rows])
    assert found.start.tolist() == [9 * (row - 1) + 7 for row in rows]
    assert index.path(found.element[2:3]) == ["/a[1]/p[77777]/b[1]"]
    assert span(index, f"/a[1]/p[{count}]/text()[2]") == (9 * count - 1, 9 * count)
    assert broken(report) == [("cut", count + 1, "no element found")]
    assert index.document_sizes([0, 1]).tolist() == [9 * count, 1]


def test_too_long(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text too long for 32-bit offsets breaks its document (the limit lowered here)."""
    monkeypatch.setattr(expat, "MAX_SIZE", 5_000_000)
    texts = {"a.xml": 9_000_000, "b.xml": 5_000_001, "c.xml": 5_000_000}  # b: by its last piece alone
    folder = write({name: f"<a>{'x' * size}</a>" for name, size in texts.items()})
    report = build_index(folder, tmp_path / "index")
    message = "has more than 5000000 characters of text"
    assert broken(report) == [("a", 1, message), ("b", 1, message)]
    assert report.characters == 5_000_000


def test_too_many_attributes_by_declaration(write: Write, tmp_path: Path) -> None:
    """Defaults that multiply break their document; as many as its elements may need are nothing special."""
    declared = "".join(f'<!ATTLIST a x{number} CDATA "y">' for number in range(2000))
    bomb = f"<!DOCTYPE r [{declared}]><r>{'<a/>' * 5000}</r>"
    usual = f"<!DOCTYPE r [<!ATTLIST a x CDATA 'y' z CDATA #IMPLIED>]><r>{'<a/>' * 5000}</r>"
    report = build_index(write({"bomb.xml": bomb, "usual.xml": usual}), tmp_path / "index")
    assert broken(report) == [("bomb", 1, "declares too many default attributes")]
    assert report.elements == 5001


@pytest.mark.parametrize(
    "prolog", ["", '<?xml version="1.0"?>', '<?xml-stylesheet href="a>b"?>', codecs.BOM_UTF8.decode()]
)
def test_instructions_are_no_text(indexed: Indexed, prolog: str) -> None:
    """A single processing instruction contributes nothing, whatever brackets are in it."""
    index = indexed({"d.xml": f"{prolog}<a>1<?pi x > y <b> ?>2<b>3</b></a>"})
    assert (span(index, "/a[1]/text()[1]"), span(index, "/a[1]/b[1]")) == ((0, 2), (2, 3))


def test_namespaces(indexed: Indexed) -> None:
    """Names count as they are written, prefix included."""
    index = indexed({"d.xml": '<m:a xmlns:m="u" xmlns="v"><b>x</b><m:b>yz</m:b><b>q</b></m:a>'})
    assert [span(index, path) for path in ("/m:a[1]/b[2]", "/m:a[1]/m:b[1]", "/a[1]")] == [
        (3, 4),
        (1, 3),
        (-1, -1),
    ]


def test_white_space_outside_the_root_is_no_text(indexed: Indexed) -> None:
    """Prolog and epilog contribute nothing; line ends become one character."""
    index = indexed({"d.xml": "\n<!-- c -->\n<?p q?>\n<!DOCTYPE a>\n\n<a>1\r\n2\r3</a>\n<!-- d -->\n\n"})
    assert span(index, "/a[1]") == (0, 5)


def test_broken_documents_are_left_out(write: Write, tmp_path: Path) -> None:
    """Each broken document is listed with file, line and expat's words; the rest is indexed."""
    folder = write({
        "a.xml": "<a>\n<b>\n</a>",
        "b.xml": "",
        "c.xml": "<c>ok</c>",
        "d.xml": "<a/>\n\n<b/>",
        "e.xml": "<a x='1' x='2'/>",
        "f.xml": "just text",
        "g.xml": "<a>\n<!-- x -- y --></a>",
    })  # fmt: skip
    report = build_index(folder, tmp_path / "index", workers=1)
    assert broken(report) == [
        ("a", 3, "mismatched tag"),
        ("b", 1, "no element found"),
        ("d", 3, "junk after document element"),
        ("e", 1, "duplicate attribute"),
        ("f", 1, "syntax error"),
        ("g", 2, "not well-formed (invalid token)"),
    ]
    assert report.broken[0].path == str(folder / "a.xml")
    index = OffsetIndex.open(tmp_path / "index")
    assert index.broken == report.broken
    assert index.statistics().broken == 6
    assert index.document_codes(["a", "c"]).tolist() == [-1, 0]
    assert span(index, "/c[1]") == (0, 2)


def test_markup_that_is_stripped_leaves_no_trace(indexed: Indexed) -> None:
    """A document that goes the slow way after all is read as it was, with its document type."""
    dtd = '<!DOCTYPE article SYSTEM "article.dtd">'
    index = indexed({"d.xml": f'{dtd}<article><link title="a > b">x</link>caf&eacute;</article>'})
    assert (span(index, "/article[1]"), span(index, "/article[1]/link[1]")) == ((0, 5), (0, 1))
    index = indexed({"d.xml": '<a k="a>b">]]<!-- c -->></a>'})
    assert span(index, "/a[1]") == (0, 3)


@pytest.mark.parametrize("between", ["<!-- c -->", "<?p?>", "<![CDATA[]]>"])
def test_line_ends_around_markup(indexed: Indexed, between: str) -> None:
    """CR and LF with markup between them are two line ends."""
    assert span(indexed({"d.xml": f"<a>x\r{between}\ny</a>"}), "/a[1]") == (0, 4)
    assert span(indexed({"d.xml": f"<a>x\r\n{between}y</a>"}), "/a[1]") == (0, 3)


def test_errors_travel_to_other_processes() -> None:
    """An error of a worker arrives unchanged, with its line."""
    again = pickle.loads(pickle.dumps(Malformed(7, "no element found")))
    assert (type(again), again.line, again.message) == (Malformed, 7, "no element found")


@pytest.mark.parametrize(
    ("declarations", "size"),
    [
        ("<!ENTITY % p \"<!ENTITY e 'vvvv'>\"> %p;", 4),
        ("<!ENTITY % q \"<!ENTITY e 'vvvv'>\"><!ENTITY % p '&#37;q;'> %p;", 4),
        ("<!ENTITY % p '<!ENTITY f \"v\">'> %p;", 1),  # somebody might have declared e
        ('<!ENTITY % p SYSTEM "x.ent"> %p; <!ENTITY e "vvvv">', 1),  # XML 1.0, 5.1: not after an unread one
        ("<!ENTITY % p \"<!ENTITY e 'vvvv'>\"> %p; <!ENTITY % x SYSTEM 'x.ent'> %x;", 4),
    ],
)
@pytest.mark.parametrize("external", ["", 'SYSTEM "x.dtd"'])
def test_parameter_entities(indexed: Indexed, declarations: str, size: int, external: str) -> None:
    """Declarations inside of internal parameter entities count; external ones are never read."""
    index = indexed({"d.xml": f"<!DOCTYPE a {external} [{declarations}]><a>1&e;<b>2</b></a>"})
    assert (span(index, "/a[1]"), span(index, "/a[1]/b[1]")) == ((0, 2 + size), (1 + size, 2 + size))


def test_parameter_entities_that_nobody_declared(write: Write, tmp_path: Path) -> None:
    """Unread parameter entities and document types are no text; only references in the text are counted."""
    folder = write({
        "a.xml": '<!DOCTYPE a SYSTEM "x" [%q;]><a>1&e;&f;</a>',
        "b.xml": '<!DOCTYPE a SYSTEM "x" [%q;]><a>1é&é;</a>',
        "c.xml": '<?xml version="1.0" standalone="yes"?><!DOCTYPE a SYSTEM "x"><a>\n&e;</a>',
        "d.xml": '<!DOCTYPE a [<!ENTITY % p "&#37;p;"> %p;]><a/>',
    })  # fmt: skip
    report = build_index(folder, tmp_path / "index")
    assert OffsetIndex.open(tmp_path / "index").document_sizes([0, 1]).tolist() == [3, 3]
    assert report.notices[0].startswith("3 external entities were not read and count as one character")
    assert broken(report) == [("c", 2, "undefined entity"), ("d", 1, "recursive entity reference")]


def test_bombs_of_parameter_entities_are_refused(write: Write, tmp_path: Path) -> None:
    """Parameter entities that multiply break their document, used in the text or not."""
    first = f"<!ENTITY % p0 '<!-- {'x' * 100} -->'>"
    more = "".join(f"<!ENTITY % p{n} '{f'&#37;p{n - 1};' * 10}'>" for n in range(1, 9))
    bomb = f"<!DOCTYPE a [{first}{more}%p8;]>"
    folder = write({"a.xml": f"{bomb}<a/>", "b.xml": f"{bomb}<a>&e;</a>", "c.xml": "<a/>"})
    report = build_index(folder, tmp_path / "index")
    assert [document for document, _, _ in broken(report)] == ["a", "b"]
    assert all("amplification" in message for _, _, message in broken(report))


JAPANESE = "日本語 テキスト"


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
