"""TREC runs: whole documents, ordered by score as trec_eval does."""

from __future__ import annotations

import io
from collections.abc import Callable

from excerpt.formats import read_run
from excerpt.formats.runs import trec
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Result, Run

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]

RUN = "1 Q0 A 1 0.5 t\n1 Q0 B 2 0.7 t\n1 Q0 C 3 0.5 t\n1 Q0 D 4 inf t\n"


def test_order_is_by_score_then_document_descending(save: Save) -> None:
    """Ranks are ignored and equal scores ordered by document id, the last one first."""
    run = read_run(save("a.run", RUN))
    assert run.kind == "documents"
    assert [result.document for result in run] == ["D", "B", "C", "A"]
    assert run.line.tolist() == [4, 2, 3, 1]


def test_file_order_on_request(save: Save) -> None:
    """The user may ask for the order of the file."""
    assert [result.document for result in read_run(save("a.run", RUN), order="file")] == ["A", "B", "C", "D"]


def test_an_index_gives_documents_their_length(save: Save, index: OffsetIndex) -> None:
    """With an index a document is the span of its whole text; unknown documents do not exist."""
    run = read_run(save("a.run", RUN), index=index)
    assert run.kind == "spans"
    assert [(r.document, r.start, r.end) for r in run] == [
        ("D", -1, -1),
        ("B", 0, 4),
        ("C", -1, -1),
        ("A", 0, 22),
    ]


def test_recognise(opened: Open) -> None:
    """Six columns, the last without the colon of a passage."""
    assert trec.recognise(opened(RUN)) == 4
    assert trec.recognise(opened("1 Q0 A 5 20 0:5\n1 0 A 1\n")) == 0


def test_write_has_each_document_once() -> None:
    """A document stands where it first occurs; ranks are counted anew."""
    results = [Result("1", "A", 0, 5, 3.0), Result("1", "A", 7, 9, 2.0), Result("1", "B", 0, 1, 1.0)]
    stream = io.BytesIO()
    trec.write(Run.of("r", [*results, Result("2", "A", 0, 1, 1.0)]), stream)
    assert stream.getvalue() == b"1 Q0 A 1 3 r\n1 Q0 B 2 1 r\n2 Q0 A 1 1 r\n"
