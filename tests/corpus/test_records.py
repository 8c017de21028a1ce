"""Documents as records, with the names that people and frameworks use."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from excerpt.corpus.records import read_record
from excerpt.errors import FormatError


@pytest.mark.parametrize(
    "record",
    [
        {"_id": "d", "text": "T", "title": "", "metadata": {}},
        {"id": "d", "contents": "T"},
        {"doc_id": "d", "body": "T", "text": None},
        {"docno": "d", "text": "T", "metadata": {"source": "elsewhere"}},
        {"document": "d", "text": "T"},
        {"id": None, "page_content": "T", "metadata": {"source": "d", "page": 1}},
        {"id": "4f1c", "page_content": "T", "metadata": {"source": "d"}},
        {"id": "d", "page_content": "T", "metadata": {"page": 1}},
        {"id": "4f1c", "content": "T", "meta": {"source_id": "d"}},
        {"id_": "d", "text": "T"},
        ("d", "T"),
        SimpleNamespace(page_content="T", metadata={"source": "d"}, id=None, type="Document"),
        SimpleNamespace(text="T", ref_doc_id="d", id_="4f1c", metadata={"source": "elsewhere"}),
        SimpleNamespace(text="T", ref_doc_id=None, id_="d"),
        SimpleNamespace(content="T", id="d", meta={}),
    ],
)
def test_ids_and_texts_by_every_name(record: object) -> None:
    """The document that a text is of goes before the id of the text itself, where frameworks give both."""
    assert read_record(record, "here")[:3] == ("d", "T", "")


def test_titles_kinds_and_numbers() -> None:
    """Ids may be numbers; a kind is told by `kind` or `type`."""
    assert read_record({"id": 12, "text": "", "title": " A\nb ", "type": "report"}, "x")[:4] == (
        "12",
        "",
        "A b",
        "report",
    )
    assert read_record({"id": 0, "text": "T", "kind": "a", "type": "b"}, "x").kind == "a"
    assert read_record({"id": 0, "text": "T", "type": 3}, "x").kind == ""


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {},
            "a:2: found an empty object, expected a document with its id as _id, id, doc_id, docno, document",
        ),
        (
            {"id": "a", "words": "b"},
            "found the keys id, words, expected a document with its text as text, contents",
        ),
        ({"id": True, "text": "b"}, "with its id as"),
        ({"id": "", "text": "b"}, "with its id as"),
        ({"id": "a", "text": 5}, "found a value of type int as text of a document, expected text"),
        ({"id": "a", "text": "\udfff"}, "found half a surrogate pair at character 0"),
        (5, "found 5 of type int, expected a document"),
        (("a", "b", "c"), "of type tuple, expected a document"),
        (SimpleNamespace(text="T"), "found SimpleNamespace, expected a document with its id"),
    ],
)
def test_what_is_no_document(record: object, message: str) -> None:
    """One line says what was found and what was expected."""
    with pytest.raises(FormatError, match=message):
        read_record(record, "a", 2)
