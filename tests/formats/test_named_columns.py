"""Columns that the user names: runs and judgments in any order of columns."""

from __future__ import annotations

from pathlib import Path

import pytest

import excerpt
from excerpt.cli import main
from excerpt.errors import ExcerptError
from excerpt.formats.named_columns import NamedColumns
from excerpt.model import Result, Span

PLACES = "columns:topic,document,start,end,score,tag"


def test_runs() -> None:
    """Spans by end or length, entry points, paths, documents by score."""
    run = excerpt.read_run(b"1 A 5 9 0.5 mine\n1 B 0 3 0.4 mine\n", format=PLACES)
    assert (run.name, run.kind) == ("mine", "spans")
    assert list(run) == [Result("1", "A", 5, 9, 0.5), Result("1", "B", 0, 3, 0.4)]
    run = excerpt.read_run(b"A 1 x 5 4 2\n", format="columns:docno,topic,-,offset,length,rank")
    assert (list(run), run.rank.tolist()) == ([Result("1", "A", 5, 9)], [2])
    assert excerpt.read_run(b"1 A 7\n", format="columns:topic,document,start").kind == "entry points"
    run = excerpt.read_run(b"1 A /a[1]\n", format="columns:topic,document,path")
    assert (run.kind, run[0].path) == ("elements", "/a[1]")
    run = excerpt.read_run(b"1 A 1\n1 B 2\n", format="columns:topic,document,score")
    assert (run.kind, [result.document for result in run]) == ("documents", ["B", "A"])


def test_judgments() -> None:
    """Passages, graded or not; grades of documents."""
    name = "columns:topic,document,offset,length,relevance"
    found = excerpt.read_judgments(b"1 A 5 4 1\n1 B 0 3 0\n", format=name)
    assert (found.highlights("1"), found.documents) == ([Span("A", 5, 9)], ("A", "B"))
    found = excerpt.read_judgments(b"1 A 5 9\n", format="columns:topic,document,start,end")
    assert found.highlights("1") == [Span("A", 5, 9)]
    found = excerpt.read_judgments(b"A 1 2\n", format="columns:document,topic,grade")
    assert (found.scale, found.topics) == ("documents", ("1",))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("columns:topic,document,begn", "found column 'begn', expected one of: topic, document, start"),
        ("columns:topic,start", "column document is missing, expected topic and document"),
        ("columns:topic,topic,document", "found column topic twice, expected each column once"),
        ("columns:topic,document,end", "column end needs column start"),
        ("columns:topic,document,start,end,length", "columns end and length cannot be combined"),
        ("columns:topic,document,relevance", "found column relevance, which this kind of file does not have"),
    ],
)
def test_names_that_make_no_sense(name: str, message: str) -> None:
    """Each is one line."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.read_run(b"1 A 1\n", format=name)
    assert str(caught.value).startswith(message)


def test_faults() -> None:
    """Lines of another width, ends before starts; judgments without anything to judge by."""
    with pytest.raises(
        ExcerptError, match=r"<bytes>:1: found 2 columns, expected 3 \(topic document score\)"
    ):
        excerpt.read_run(b"1 A\n", format="columns:topic,document,score")
    with pytest.raises(ExcerptError, match="<bytes>:1: found an end before the start"):
        excerpt.read_run(b"1 A 5 4\n", format="columns:topic,document,start,end")
    with pytest.raises(ExcerptError, match="expected relevance or start for judgments"):
        excerpt.read_judgments(b"1 A\n", format="columns:topic,document")
    with pytest.raises(
        ExcerptError, match=r"<bytes>:2: found document A of topic 7 again \(first in line 1\)"
    ):
        excerpt.read_judgments(b"A 7 1\nA 7 0\n", format="columns:document,topic,relevance")


def test_kinds() -> None:
    """Columns may show the kind of a file."""
    assert NamedColumns.of("columns:topic,document,rank").kind() == "run"
    assert NamedColumns.of("columns:topic,document,grade").kind() == "judgments"
    assert NamedColumns.of("columns:topic,document,start").kind() is None


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever a format is named."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text("1 A 0 10 2 mine\n")
    qrels.write_text("1 A 5 10\n")
    judged = "columns:topic,document,offset,length"
    assert main(["convert", str(run), "-", "--to", "fol", "--from", PLACES]) == 0
    assert capsys.readouterr().out == "1 Q0 A 1 2 mine 0 10\n"
    assert (
        main(
            [
                "evaluate",
                str(qrels),
                str(run),
                "-m",
                "charR",
                "--run-format",
                PLACES,
                "--qrels-format",
                judged,
            ]
        )
        == 0
    )
    assert "0.5000" in capsys.readouterr().out
    assert main(["check", str(run), "--run-format", PLACES]) == 0
    assert main(["convert", str(qrels), "-", "--to", "fol", "--from", judged]) == 2
    assert "a run and judgments may both have these columns; give --kind run" in capsys.readouterr().err
    assert main(["convert", str(qrels), "-", "--to", "fol", "--from", judged, "--kind", "judgments"]) == 0
    assert main(["convert", str(run), "-", "--to", PLACES]) == 2
