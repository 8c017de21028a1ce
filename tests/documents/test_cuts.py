"""Files of many documents: TREC's, and XML with an element per document."""

from __future__ import annotations

import time

import pytest

from excerpt.documents.cuts import Cutting, Form, Place, cut, has_several, is_trec
from excerpt.errors import ExcerptError
from excerpt.index.parse.text import read_document

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
        piece.id: read_document([piece.form.whole(data[piece.start : piece.end])]).text for piece in pieces
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
    """By the first tag and an id near it; whatever stands before the tag."""
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
    assert Form(b"<?xml?>").whole(b"<a/>") == b"<?xml?><a/>"


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
        (XML, "title", "f:4: found a document <doc> without an id, expected it at title; give id_from=…"),
        (TREC, "@n", "f:1: found a document <doc> without an id, expected it at @n; give id_from=…"),
        (
            XML.replace(b"</docs>", b""),
            None,
            (
                "f:7: found XML that is not well-formed (no element found), expected documents <doc> in it; "
                "repair the file, or cut it into one file for each document"
            ),
        ),
        (
            '<?xml version="1.0" encoding="utf-16"?><a/>'.encode("utf-16"),
            None,
            "f: found another encoding than UTF-8, expected a file of many documents in UTF-8",
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
    assert chosen("doc").places == (Place(("DOCNO",)), Place(attribute="id"))
    assert chosen("x:doc", "a/b/@c").places == (Place(("a", "b"), "c"),)
    assert str(chosen("doc", "a/b/@c").places[0]) == "a/b/@c"
    assert Cutting.of(None, None) is None
    for tag, place, message in (
        ("<a>", None, "found '<a>' as tag of documents, expected one such as DOC"),
        ("a", "a//b", "found 'a//b' as place of ids, expected one such as DOCNO, header/id or @id"),
        ("a", "", "found '' as place of ids, expected one such as DOCNO, header/id or @id"),
        (
            None,
            "a",
            "found 'a' as place of ids without the tag of documents, expected both; give document_tag=…",
        ),
    ):
        with pytest.raises(ExcerptError) as caught:
            Cutting.of(tag, place)
        assert str(caught.value) == message
    with pytest.raises(
        ExcerptError, match="found ids by path with the tag of documents, expected ids of documents"
    ):
        Cutting.of("a", None, "path")
