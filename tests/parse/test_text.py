"""The text of documents is what the index counts."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from support.index_documents import BATCHES, parse_documents

from excerpt.parse.expat import MAX_DEPTH, Malformed
from excerpt.parse.text import read_document
from excerpt.parse.tree import pair_tags


@given(BATCHES)
def test_text_and_elements_are_those_that_the_index_counts(documents: list[bytes]) -> None:
    """The same documents are read, with the same lengths and places of elements."""
    for document in documents:
        tape, good, broken = parse_documents([document], "char")
        if broken:
            with pytest.raises(Malformed) as caught:
                read_document([document])
            assert (caught.value.line, caught.value.message) == broken[0][1:]
            continue
        assert good == [0]
        parsed = read_document([document])
        expected = pair_tags(tape.events())
        assert len(parsed.text) == expected.end[0]
        for mine, other in zip(parsed.elements, expected, strict=True):
            assert mine.tolist() == other.tolist()


@given(BATCHES)
def test_text_is_that_of_another_reader(documents: list[bytes]) -> None:
    """The text of every element is what the standard library finds in it."""
    for document in documents:
        try:
            root = ET.fromstring(document)
            parsed = read_document([document])
        except (ET.ParseError, Malformed, ValueError, LookupError):
            continue  # names without a declared prefix, encodings: not every reader accepts them
        texts = ["".join(element.itertext()) for element in root.iter()]
        spans = zip(parsed.elements.start.tolist(), parsed.elements.end.tolist(), strict=True)
        assert [parsed.text[start:end] for start, end in spans] == texts


def test_pieces_of_a_document_make_the_same_text() -> None:
    """Wherever the bytes are cut, the text is the same."""
    document = '<a>é<b x="1">日本\r\n</b>&#x1F600; &amp; &nowhere;</a>'.encode()
    document = b"<!DOCTYPE a SYSTEM 'none.dtd'>" + document
    whole = read_document([document])
    assert whole.text == "é日本\n\U0001f600 & \ufffd"
    assert whole.unread == 1
    for cut in range(len(document)):
        assert read_document([document[:cut], document[cut:]]).text == whole.text


def test_only_asked_attributes_are_kept() -> None:
    """Attributes are found by the number of their element; those that a declaration gives do not count."""
    document = b'<!DOCTYPE t [<!ATTLIST td rowspan CDATA "9">]><t id="1"><td colspan="2" id="3"/><td/></t>'
    assert read_document([document], keep=("colspan", "rowspan")).attributes == {1: {"colspan": "2"}}
    assert read_document([document]).attributes == {}


def test_depth_has_the_limit_of_the_index() -> None:
    """Documents that the index rejects are rejected here."""
    document = b"<a>" * (MAX_DEPTH + 1) + b"</a>" * (MAX_DEPTH + 1)
    with pytest.raises(Malformed, match=r"nested deeper"):
        read_document([document], keep=("colspan",))
