"""Runs and judgments from anywhere, and the order of results."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import ExcerptError, FormatError
from excerpt.formats import judgments_formats, read_judgments, read_run, run_formats
from excerpt.formats.reader import (
    NameColumn,
    ResultTable,
    find_spans,
    join_names,
    judgments_from,
    pair_names,
    run_from,
)
from excerpt.formats.runs import lines
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index
from excerpt.model import Span
from excerpt.notices import Notices

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]


def test_kept_faults_do_not_stop_the_reading(opened: Open) -> None:
    """A bad score in a run that is ordered by score is listed like any other fault."""
    source = opened("1 Q0 A 1 nan r\n1 Q0 B x 1 r\n", keep=True)
    assert len(run_from(source, "trec")) == 2
    assert [fault.line for fault in source.faults.found] == [1, 2]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, one in run_formats().items()
        if not one.by_name and name not in {"contexts", "langfuse", "traces"}
    ],
)
def test_runs_are_read(opened: Open, name: str) -> None:
    """Each is read without naming its format, as with its name."""
    example = run_formats()[name].example
    found = list(run_from(opened(example)))
    assert found == list(run_from(opened(example), name))
    assert found[0].topic
    assert found[0].document
    assert all(result.topic in example and result.document.partition("#")[0] in example for result in found)


@pytest.mark.parametrize("name", judgments_formats())
def test_judgments_are_read(opened: Open, name: str) -> None:
    """Each is read without naming its format."""
    example = judgments_formats()[name].example
    found = judgments_from(opened(example)).topics
    assert found == judgments_from(opened(example), name).topics
    assert all(found)


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
    assert said.startswith("qrels/b: found topic 1 again, expected it only in qrels/a")
    assert said.endswith("; keep one of the two assessments")


def test_a_folder_of_two_kinds(save: Save) -> None:
    """Whole documents and passages are not mixed."""
    save("qrels/a", "1 0 A 1\n")
    save("qrels/b", "2 Q0 A 5 20 0 0:5\n")
    with pytest.raises(
        ExcerptError, match=r"^qrels: judgments of whole documents and judgments of text cannot be combined"
    ):
        read_judgments("qrels")


def test_an_empty_folder(save: Save) -> None:
    """A folder without files is an error."""
    save("qrels/.hidden", "x")
    with pytest.raises(ExcerptError) as caught:
        read_judgments("qrels")
    assert str(caught.value) == "qrels: the folder is empty, expected one judgments file per topic"


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
        f"1 topic is not sorted by {what}; the given order is used, and order {what} would sort it "
        "(topic 1 of a.run)"
        for what in ("rank", "score")
    ]


def test_infinite_scores_do_not_disagree(save: Save) -> None:
    """Equal infinite scores are in order, and comparing them causes no warning."""
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
    assert str(caught.value) == (
        "a.xml: some results have no rank; order by rank needs one for each; "
        'try order="file" or order="score"'
    )
    with pytest.raises(ExcerptError) as caught:
        read_run(name, order="score")
    assert str(caught.value) == (
        "a.xml: some results have no score; order by score needs one for each; "
        'try order="file" or order="rank"'
    )


def names(*texts: str) -> NameColumn:
    """Names of rows; "" is none."""
    return NameColumn.of(texts)


def texts(given_names: NameColumn) -> list[str]:
    """The name of each row; names must be distinct and in order of first appearance."""
    listed = [given_names.distinct[code] if code >= 0 else "" for code in given_names.code.tolist()]
    assert tuple(dict.fromkeys(filter(None, listed))) == given_names.distinct
    return listed


lists = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=8)


@given(lists, lists, st.randoms(use_true_random=False))
def test_parts_and_orders(one: list[str], two: list[str], rng: object) -> None:
    """Rows keep their names in whatever order they are taken and from whatever part they come."""
    order = list(range(len(one) + len(two)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    both = join_names([names(*one), names(*two)], np.array(order, np.int64))
    assert texts(both) == [(one + two)[place] for place in order]
    kept = order[: len(order) // 2]
    assert texts(join_names([names(*one), names(*two)], np.array(kept, np.int64))) == [
        (one + two)[k] for k in kept
    ]


def test_pairs() -> None:
    """Each distinct pair is a name."""
    assert texts(pair_names(names("a", "b", "a", "a"), names("x", "x", "y", "x"))) == [
        "a x",
        "b x",
        "a y",
        "a x",
    ]
    assert texts(pair_names(names(), names())) == []


def test_fit() -> None:
    """Every name is looked at alone, whether or not others are odd; none is good in no row."""
    odd = re.compile("^-|-$", re.MULTILINE)
    assert names("a", "", "b").fit(odd).tolist() == [True, False, True]
    assert names("a", "-b", "c\nd", "c-", "a").fit(odd).tolist() == [True, False, False, False, True]
    assert names("").fit(odd).tolist() == [False]


def test_first() -> None:
    """The row of each name's first appearance."""
    assert names("", "b", "a", "b").first() == {"b": 1, "a": 2}


def test_no_name() -> None:
    """An empty text is -1 and no part of the names, in any row."""
    assert NameColumn.of(["a", "", "b", "a"]).code.tolist() == [0, -1, 1, 0]
    assert NameColumn.of(["", "a"]).distinct == ("a",)
    assert NameColumn.of([""]).code.tolist() == [-1]


ResultsOpen = Callable[..., Source]


def test_merge() -> None:
    """Others keep their positions; without others nothing changes."""
    row = ("1", "A", "", 0, 5, True, 1, 0.5)
    some = ResultTable.of([(*row, line) for line in (1, 4)])
    others = ResultTable.of([("2", "B", "/a", -1, -1, False, 1, 0.5, line) for line in (2, 3, 5)])
    both = some.merge(others, np.array([0, 2]))
    assert both.line.tolist() == [1, 2, 3, 4, 5]
    assert both.topics.code.tolist() == [0, 1, 1, 0, 1]
    assert both.paths.code.tolist() == [-1, 0, 0, -1, 0]
    assert some.merge(ResultTable.of([]), np.array([0, 0])) is some


def test_only_rows_without_a_span_are_looked_up(opened: ResultsOpen, index: OffsetIndex) -> None:
    """Spans that the file gives stay; without an index the run is one of elements if a path is needed."""
    given = ("1", "A", "", 3, 9, True, 1, 0.5, 1)
    path = ("1", "A", "/article[1]/name[1]", -1, -1, False, 2, 0.4, 2)
    results = ResultTable.of([given, path])
    run = results.to_run(opened("x", index=index), "r")
    assert (run.start.tolist(), run.end.tolist(), run.kind) == ([3, 0], [9, 5], "spans")
    assert results.start.tolist() == [3, -1]
    run = results.to_run(opened("x"), "r")
    assert (run.start.tolist(), run.end.tolist(), run.kind) == ([3, -1], [9, -1], "elements")
    assert ResultTable.of([given]).to_run(opened("x"), "r").kind == "spans"


def test_blocks_of_a_topic_are_joined(opened: ResultsOpen) -> None:
    """Results of a topic that are not adjacent are joined in the order of the file, with a warning."""
    source = opened(
        "".join(f"{topic} Q0 {document} 1 1 r 0 5\n" for topic, document in ("1A", "2B", "1C", "2D"))
    )
    run = lines.read_fol(source)
    assert [(result.topic, result.document) for result in run] == [
        ("1", "A"),
        ("1", "C"),
        ("2", "B"),
        ("2", "D"),
    ]
    assert run.line.tolist() == [1, 3, 2, 4]
    assert list(source.notices) == [
        "2 topics have their results in several blocks, which are joined (first: topic 1 of f)"
    ]


@pytest.mark.parametrize(
    ("topics", "count"),
    [("112233", 0), ("121", 1), ("1212", 2), ("12321", 2), ("1", 0), ("", 0), ("11211", 1)],
)
def test_notice_counts_topics_not_blocks(opened: ResultsOpen, topics: str, count: int) -> None:
    """Every topic with more than one block counts once."""
    source = opened("x")
    ResultTable.of([(topic, "A", "", 0, 5, True, 1, 0.5, 1) for topic in topics]).to_run(source, "r")
    assert sum(source.notices._kinds[kind].times for kind in source.notices._kinds) == count


PATHS = ("/article[1]/name[1]", "/article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[1]/text()[2].2", "/x[1]")


def test_paths_and_pointers_mixed(index: OffsetIndex) -> None:
    """Each row gets its own span; unknown paths and documents get -1."""
    document, path = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1])
    start, end = find_spans(index, ("A", "nowhere"), document, PATHS, path)
    assert start.tolist() == [0, 5, -1, -1, -1]
    assert end.tolist() == [5, 16, -1, -1, -1]


def test_no_rows(index: OffsetIndex) -> None:
    """An empty run has no spans."""
    none = np.zeros(0, np.int64)
    start, end = find_spans(index, (), none, (), none)
    assert len(start) == len(end) == 0
