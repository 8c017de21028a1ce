"""Tables of segments: in columns, in JSON Lines as TREC RAG has them, in memory; and none of these."""

from __future__ import annotations

import re
from typing import Any

import pytest

from excerpt.errors import ExcerptError
from excerpt.formats.segments import Segment, list_segments, read_segments


@pytest.mark.parametrize(
    "table",
    [
        b"s1 A 0 9\ns2 A 5 20\n",
        b"id\tdocument\tstart\tend\ns1\tA\t0\t9\n\ns2\tA\t5\t20",
        b"""{"id": "s1", "document": "A", "start": 0, "end": 9}
            {"segment_id": "s2", "doc_id": "A", "start_char": 5, "end_char": 20}""",
    ],
    ids=["blanks", "tabs", "json"],
)
def test_tables(table: bytes) -> None:
    """Columns with or without a head, and JSON Lines."""
    assert read_segments(table) == {"s1": Segment("A", 0, 9), "s2": Segment("A", 5, 20)}


def test_ids_with_blanks_need_tabs() -> None:
    """Between tabs a name may have blanks."""
    assert read_segments(b"a b\tthe document\t0\t9\n") == {"a b": Segment("the document", 0, 9)}


def test_segments_of_trec_rag() -> None:
    """The document of a segment is what its id names before #; its text is kept."""
    line = (
        b'{"docid": "msmarco_v2.1_doc_29_1#3_7", "url": "u", "title": "t", "headings": "h", '
        b'"segment": "some text", "start_char": 10, "end_char": 19}\n'
    )
    assert read_segments(line) == {
        "msmarco_v2.1_doc_29_1#3_7": Segment("msmarco_v2.1_doc_29_1", 10, 19, "some text")
    }


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (b"s1 A 0\n", "<bytes>:1: found 's1 A 0', expected id document start end"),
        (b"s1 A 0 9\ns2 A 9 5\n", "<bytes>:2: found 's2 A 9 5', expected id document start end"),
        (b"s1 A 0 9\ns1 A 1 9\n", "<bytes>:2: found segment s1 again at another place, expected it once"),
        (b'{"id": "s1", "start": 0, "end": 9}\n', "expected id document start end as JSON"),
        (b'{"id": "s1",\n', "expected id document start end as JSON"),
        (b'{"document": "A", "start": 0, "end": 9}\n', "expected id document start end as JSON"),
        (b"", "found an empty file, expected a table of segments"),
    ],
)
def test_tables_that_are_none(table: bytes, said: str) -> None:
    """The first line that is wrong is told."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        read_segments(table)


def test_segments_in_memory() -> None:
    """Spans by id, as tuples or dictionaries."""
    given: dict[Any, Any] = {"s1": ("A", 0, 9), 2: {"document": "A", "start": 5, "end": 20}}
    assert list_segments(given) == {"s1": Segment("A", 0, 9), "2": Segment("A", 5, 20)}
    for wrong, said in (
        (7, "found 7 as segments"),
        ({"s": ("A", 0)}, "as segment s, expected (document, start"),
    ):
        with pytest.raises(ExcerptError, match=re.escape(said)):
            list_segments(wrong)  # type: ignore[arg-type]
