"""Runs and judgments from anywhere, and the order of results."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError, FormatError
from excerpt.formats import judgments_formats, read_judgments, read_run, run_formats
from excerpt.formats.reading import judgments_from, run_from
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex, build_index
from excerpt.model import Span
from excerpt.notices import Notices

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]


def test_kept_faults_do_not_stop_the_reading(opened: Open) -> None:
    """A bad score in a run that is ordered by score is listed like any other fault."""
    source = opened("1 Q0 A 1 nan r\n1 Q0 B x 1 r\n", keep=True)
    assert len(run_from(source, "trec")) == 2
    assert [fault.line for fault in source.faults.found] == [1, 2]


@pytest.mark.parametrize("name", [name for name, one in run_formats().items() if not one.by_name])
def test_runs_are_read(opened: Open, name: str) -> None:
    """Each is read without naming its format, as with its name."""
    assert list(run_from(opened(run_formats()[name].example))) == list(
        run_from(opened(run_formats()[name].example), name)
    )
    assert run_from(opened(run_formats()[name].example))[0][:2] == ("1", "A")


@pytest.mark.parametrize("name", judgments_formats())
def test_judgments_are_read(opened: Open, name: str) -> None:
    """Each is read without naming its format."""
    assert judgments_from(opened(judgments_formats()[name].example)).topics == ("1",)


def test_a_folder_of_judgments(save: Save) -> None:
    """Topics come in the order of the file names; hidden files are not read."""
    save("qrels/b", "7 Q0 A 5 20 0 0:5\n7 Q0 B 0 9\n")
    save("qrels/a", "9 Q0 B 5 20 3 3:5\n")
    save("qrels/.DS_Store", b"\0\0")
    judgments = read_judgments("qrels")
    assert judgments.topics == ("9", "7")
    assert judgments.highlights("7") == [Span("A", 0, 5)]
    assert judgments.highlights("9") == [Span("B", 3, 8)]
    assert (judgments.source, len(judgments)) == ("qrels", 3)


def test_a_topic_in_two_files(save: Save) -> None:
    """Each topic is in one file of the folder."""
    save("qrels/a", "1 Q0 A 0 9\n")
    save("qrels/b", "1 Q0 B 0 9\n")
    with pytest.raises(FormatError) as caught:
        read_judgments("qrels")
    said = str(caught.value)
    assert said.startswith("qrels/b: found topic 1, which qrels/a has too, expected ")
    assert said.endswith("; keep one of the two assessments")


def test_a_folder_of_two_kinds(save: Save) -> None:
    """Whole documents and passages are not mixed."""
    save("qrels/a", "1 0 A 1\n")
    save("qrels/b", "2 Q0 A 5 20 0 0:5\n")
    with pytest.raises(
        ExcerptError, match=r"^qrels: found judgments of whole documents beside judgments of text"
    ):
        read_judgments("qrels")


def test_an_empty_folder(save: Save) -> None:
    """A folder without files is an error."""
    save("qrels/.hidden", "x")
    with pytest.raises(ExcerptError) as caught:
        read_judgments("qrels")
    assert str(caught.value) == "qrels: found an empty folder, expected one judgments file per topic"


def test_a_folder_is_no_run(save: Save) -> None:
    """A run is one file."""
    save("runs/a", "1 Q0 A 1 1.5 r 0 5\n")
    with pytest.raises(ExcerptError) as caught:
        read_run("runs")
    assert str(caught.value) == "runs: found a directory, expected a file; give the files in it one by one"


def test_offsets_count_what_the_index_counts(save: Save) -> None:
    """With an index of bytes the judgments are in bytes; without one in characters."""
    save("corpus/A.xml", "<a>x</a>")
    build_index("corpus", "bytes", unit="byte")
    name = save("q", "1 Q0 A 5 20 0 0:5\n1 Q0 B 0 20\n")
    assert read_judgments(name, index=OffsetIndex.open("bytes")).unit == "byte"
    assert read_judgments(name).unit == "char"


RUN = "1 Q0 A 2 0.5 r 0 5\n1 Q0 B 1 0.7 r 0 5\n2 Q0 C 1 0.9 r 0 5\n2 Q0 D 2 0.1 r 0 5\n"


@pytest.mark.parametrize(
    ("order", "documents"), [("file", "ABCD"), ("rank", "BACD"), ("score", "BACD"), (None, "ABCD")]
)
def test_orders(save: Save, order: str | None, documents: str) -> None:
    """Results are ordered inside their topic; the default is the order of the file."""
    run = read_run(save("a.run", RUN), order=order)  # type: ignore[arg-type]
    assert "".join(result.document for result in run) == documents


def test_equal_scores_keep_the_order_of_the_file(save: Save) -> None:
    """Sorting is stable for runs of passages."""
    run = read_run(save("a.run", "1 Q0 B 1 1 r 0 5\n1 Q0 A 2 1 r 0 5\n1 Q0 C 3 2 r 0 5\n"), order="score")
    assert [result.document for result in run] == ["C", "B", "A"]


def test_disagreement_is_mentioned(save: Save) -> None:
    """Ranks and scores that contradict the order of the file are counted by topic."""
    notices = Notices()
    read_run(save("a.run", RUN), notices=notices)
    assert list(notices) == [
        f"topic's results are not in the order of their {what}; the order given counts (topic 1 of a.run)"
        for what in ("ranks", "scores")
    ]


def test_infinite_scores_do_not_disagree(save: Save) -> None:
    """Equal infinite scores are in order, and comparing them warns nobody."""
    notices = Notices()
    scores = ("inf", "inf", "1", "-inf", "-inf")
    read_run(save("a.run", "".join(f"1 Q0 A 1 {score} r 0 5\n" for score in scores)), notices=notices)
    assert list(notices) == []


def test_missing_ranks_do_not_disagree(save: Save) -> None:
    """A result without rank says nothing about the order."""
    result = "<result><file>A</file><fol offset='0' length='5'/>{}</result>"
    ranks = ("<rank>1</rank>", "", "<rank>2</rank>")
    body = "".join(result.format(rank) for rank in ranks)
    notices = Notices()
    name = save("a.xml", f"<inex-submission run-id='r'><topic topic-id='1'>{body}</topic></inex-submission>")
    read_run(name, notices=notices)
    assert list(notices) == []
    with pytest.raises(ExcerptError) as caught:
        read_run(name, order="rank")
    assert (
        str(caught.value)
        == 'a.xml: found results without a rank, expected a rank for each; try order="file" or order="score"'
    )
    with pytest.raises(ExcerptError) as caught:
        read_run(name, order="score")
    assert (
        str(caught.value)
        == 'a.xml: found results without a score, expected a score for each; try order="file" or order="rank"'
    )
