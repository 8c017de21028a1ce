"""TREC runs: whole documents, ordered by score as trec_eval does."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

import excerpt
from excerpt.formats import read_run
from excerpt.formats.reading import run_from
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


def test_comments_and_further_columns(opened: Open) -> None:
    """As trec_eval does, lines that begin with # are skipped, and columns after the sixth, with a warning."""
    text = "# made by hand\n1 Q0 A 1 2 r and more of it\n#\n1 Q0 B 2 1 r\n"
    source = opened(text)
    assert [result.document for result in run_from(source)] == ["A", "B"]
    assert list(source.notices) == [
        "line has more than the six columns of a TREC run; the others were ignored (f:2)"
    ]


@pytest.mark.parametrize(
    ("scores", "written"),
    [
        ((3.0, 2.0, 1.0), ["3", "2", "1"]),
        ((1.0, 1.0, 1.0), ["3", "2", "1"]),
        ((1.0, 2.0, 3.0), ["3", "2", "1"]),
        ((0.5, 0.5, 0.25), ["3", "2", "1"]),
        ((2.0000000002, 2.0000000001, 1.0), ["3", "2", "1"]),
        ((None, None, None), ["3", "2", "1"]),
        ((0.75, 0.5, 0.25), ["0.75", "0.5", "0.25"]),
    ],
)
def test_scores_keep_the_order(scores: tuple[float | None, ...], written: list[str]) -> None:
    """Where scores would not keep the order of the run, also in single precision, others are written."""
    run = Run.of("r", [Result("1", name, 0, 5, score) for name, score in zip("ABC", scores, strict=True)])
    stream = io.BytesIO()
    trec.write(run, stream)
    lines = [line.split() for line in stream.getvalue().decode().splitlines()]
    assert [line[2] for line in lines] == ["A", "B", "C"]
    assert [line[4] for line in lines] == written


def test_ties_that_keep_the_order_stay(opened: Open) -> None:
    """Equal scores are ordered by document id, descending."""
    run = Run.of("r", [Result("1", name, 0, 5, 1.0) for name in "CBA"])
    stream = io.BytesIO()
    trec.write(run, stream)
    assert [line.split()[4] for line in stream.getvalue().decode().splitlines()] == ["1", "1", "1"]


def test_converting_does_not_change_the_ranking(tmp_path: Path) -> None:
    """Whole documents of a run that has ties score the same before and after."""
    folder = excerpt.collection.folder()
    excerpt.convert(folder / "runs" / "p-bm25.fol.gz", tmp_path / "run.trec", "trec")
    runs = [folder / "runs" / "p-bm25.fol.gz", tmp_path / "run.trec"]
    table = excerpt.evaluate(folder / "qrels.fol", runs, "articleAP")
    assert [round(mean, 4) for (mean,) in table.means().tolist()] == [0.5269, 0.5269]
