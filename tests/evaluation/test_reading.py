"""Reading of runs and judgments: arguments are rejected or used, never ignored."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import excerpt
from excerpt import (
    ExcerptError,
    Judgments,
    Notices,
    OffsetIndex,
    Result,
    Run,
    ScoreTable,
    Span,
    build_index,
    evaluate,
    pool,
    read_run,
)
from excerpt.corpus import Corpus
from excerpt.errors import UnknownName
from excerpt.evaluation import Reading
from excerpt.evaluation.reading import Named, list_runs, one_run, with_questions
from excerpt.experiments.curves import curve
from excerpt.model.judgments import Question

JUDGMENTS = Judgments.of([("1", Span("A", 0, 10))])
#: The better result has the lower score.
RUN = Run.of("r", [Result("1", "A", 0, 10, 1.0), Result("1", "B", 0, 10, 2.0)])
DISORDER = (
    "1 topic is not sorted by score; the given order is used, and order score would sort it (topic 1 of r)"
)


def test_an_unknown_order_is_refused() -> None:
    """A misspelt order is an error that suggests the right one, not another order."""
    with pytest.raises(UnknownName, match="unknown order 'scores'; did you mean 'score'"):
        evaluate(JUDGMENTS, RUN, order="scores")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown order 'scores'"):
        RUN.ordered("scores")  # type: ignore[arg-type]


def test_one_tag_is_one_tag() -> None:
    """A single name is not taken letter by letter."""
    assert Reading(drop_tags="weblink").drop_tags == ("weblink",)
    assert Reading(drop_tags=["a", "b"]).drop_tags == ("a", "b")


def test_order_of_runs_in_memory() -> None:
    """Runs in memory are put in the order asked for."""
    assert evaluate(JUDGMENTS, RUN, "iP[0.00]", order="file").means().tolist() == [[1.0]]
    assert evaluate(JUDGMENTS, RUN, "iP[0.00]", order="score").means().tolist() == [[0.5]]
    with pytest.raises(ExcerptError, match="r: some results have no rank; order by rank needs one for each"):
        evaluate(JUDGMENTS, RUN, order="rank")


def test_scores_out_of_order_are_noticed_in_memory() -> None:
    """A run in memory whose scores rise is doubtful, as one in a file is."""
    notices = Notices()
    evaluate(JUDGMENTS, RUN, notices=notices)
    assert list(notices) == [DISORDER]


def test_a_run_in_the_order_of_its_ranks_is_in_order(tmp_path: Path) -> None:
    """A run read in the order of its ranks gives no second warning about its scores."""
    (tmp_path / "r").write_text("1 Q0 A 1 1.0 r 0 10\n1 Q0 B 2 2.0 r 0 10\n")
    notices = Notices()
    run = Reading(order="rank").run(str(tmp_path / "r"), notices)
    evaluate(JUDGMENTS, run, notices=notices)
    assert list(notices) == []


@pytest.mark.parametrize("given", [None, 7])
def test_values_of_other_types_are_refused(given: object) -> None:
    """A value that is neither a run nor readable is rejected in one sentence."""
    for what in (given, [given]):
        with pytest.raises(
            ExcerptError, match=rf"found a value of type {type(given).__name__}, expected a Run"
        ):
            evaluate(JUDGMENTS, what)  # type: ignore[arg-type]
    with pytest.raises(
        ExcerptError, match=rf"type {type(given).__name__}, expected Judgments, a path, bytes"
    ):
        evaluate(given, RUN)  # type: ignore[arg-type]


ROWS = [("1", "A", 0, 10), ("1", "B", 0, 10)]
DICTS = [{"qid": topic, "doc": document, "start": start, "end": end} for topic, document, start, end in ROWS]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (ROWS, ["run"]),
        (DICTS, ["run"]),
        ([list(row) for row in ROWS], ["run"]),
        ([[list(row) for row in ROWS], DICTS], ["run", "run #2"]),
        (iter(DICTS), ["run"]),
        (pd.DataFrame(DICTS), ["run"]),
        ([pd.DataFrame(DICTS), ROWS, iter(DICTS)], ["run", "run #2", "run #3"]),
        ({"one": RUN, 2: DICTS, "three": b"1 Q0 A 1 1 r 0 10\n"}, ["one", "2", "three"]),
        ({"one": io.BytesIO(b"1 Q0 A 1 1 r 0 10\n")}, ["one"]),
    ],
)
def test_runs_in_rows_and_by_name(given: Any, names: list[str]) -> None:
    """Rows are a run, a mapping has runs by name, whatever each is."""
    table = evaluate(JUDGMENTS, given, "charR", notices=Notices())
    assert list(table.runs) == names
    assert set(table.means().ravel().tolist()) == {1.0}


@pytest.mark.parametrize("given", [[("1", "A", 0, 10)], {"1": [("A", 0, 10)]}, pd.DataFrame(DICTS[:1])])
def test_judgments_in_rows(given: Any) -> None:
    """So are judgments."""
    assert evaluate(given, ROWS, "charR").means().tolist() == [[1.0]]


def test_workers_read_rows_too() -> None:
    """They travel as they are, and a pool can be made from them."""
    runs = {"a": ROWS, "b": pd.DataFrame(DICTS), "c": b"1 Q0 A 1 1 r 0 10\n"}
    assert evaluate(JUDGMENTS, runs, "charR", workers=2).means().tolist() == [[1.0]] * 3
    assert [source.name for source in pool(runs).inputs] == ["a", "b", "c"]


def test_doubts_about_rows_are_in_the_table() -> None:
    """Scores that do not fall, and keys that are not known, as in files."""
    rows = [{**row, "score": score, "colour": 1} for row, score in zip(DICTS, (1, 2), strict=True)]
    table = evaluate(JUDGMENTS, rows, "charR", notices=Notices())
    assert [text.split(" (")[0] for text in table.warnings] == [
        "unknown keys are ignored: colour",
        "1 topic is not sorted by score; the given order is used, and order score would sort it",
    ]


def test_curves_read_as_evaluations_do(tmp_path: Path) -> None:
    """A curve takes the format of the judgments too."""
    (tmp_path / "q").write_text("1 0 A 1\n")
    with pytest.raises(UnknownName, match="unknown judgments format 'tree'"):
        curve(tmp_path / "q", RUN, "charP", qrels_format="tree")


def test_an_index_tells_how_long_documents_are(tmp_path: Path) -> None:
    """Whole documents in memory have the lengths that the index has, as those in files do."""
    (tmp_path / "docs").mkdir()
    for name, length in (("A", 40), ("B", 60)):
        (tmp_path / "docs" / f"{name}.xml").write_text(f"<a>{'x' * length}</a>")
    build_index(tmp_path / "docs", tmp_path / "index")
    (tmp_path / "r").write_text("1 Q0 A 1 2 r\n1 Q0 B 2 1 r\n")
    run = Run.of("r", [("1", "A", 0, 0), ("1", "B", 0, 0)], kind="documents")
    for given in (run, tmp_path / "r"):
        table = evaluate(JUDGMENTS, given, ["charP"], index=OffsetIndex.open(tmp_path / "index"))
        assert table.means().tolist() == [[10 / 100]]


def test_an_index_by_its_path(tmp_path: Path) -> None:
    """The path of an index is enough; a path without an index is an error that says so."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "A.xml").write_text("<article>0123456789</article>")
    build_index(tmp_path / "corpus", tmp_path / "i")
    run = b"1 Q0 A 1 1.0 r /article[1]"
    for given in (tmp_path / "i", str(tmp_path / "i"), OffsetIndex.open(tmp_path / "i")):
        assert evaluate(b"1 Q0 A 10 10 0 0:10", run, "charP", index=given).means().tolist() == [[1.0]]
        assert read_run(run, index=given).kind == "spans"
    with pytest.raises(ExcerptError, match="found 5 as index, expected an OffsetIndex or its path"):
        evaluate(JUDGMENTS, RUN, index=5)  # type: ignore[arg-type]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"workers": "2"}, "found '2' workers, expected a whole number"),
    ({"drop_tags": 3}, "found 3 as drop_tags, expected names of elements"),
    ({"measures": 3}, "found 3 as measure, expected a measure or the name of one"),
    ({"measures": [None]}, "found None as measure, expected a measure or the name of one"),
    ({"ordr": 3}, "unknown keyword argument 'ordr'; did you mean 'order'?"),
    ({"runs": []}, "no run given"),
    ({"policy": 3}, "found 3 as policy, expected a Policy"),
    ({"order": 3}, "unknown order '3'; known: file, rank, score"),
]


@pytest.mark.parametrize(("given", "said"), WRONG, ids=str)
def test_wrong_arguments_are_named(given: dict[str, Any], said: str) -> None:
    """An argument of a wrong kind is an error in one sentence that names it."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        evaluate(**{"judgments": JUDGMENTS, "runs": RUN, **given})


def test_views_of_bytes_are_runs() -> None:
    """They become bytes, which can be sent to workers."""
    views: Any = [memoryview(b"ab"), bytearray(b"c")]
    assert [list_runs(views), list_runs(views[1])] == [[b"ab", b"c"], [b"c"]]


def test_quantisations_are_values_or_a_file() -> None:
    """Anything else is one sentence."""
    with pytest.raises(ExcerptError, match="found 1 as quantisations, expected values of"):
        Reading.of(quantisations=[1])  # type: ignore[list-item]


def test_topics_add_questions(tmp_path: Path) -> None:
    """Texts by id, or a file; a question in the judgments stays."""
    judgments = replace(JUDGMENTS, questions={"1": Question("1", "", "group")})
    table = evaluate(judgments, RUN, "charP", topics={"1": "Who signed?"}, notices=Notices())
    assert table.questions == {"1": Question("1", "Who signed?", "group", "Who signed?")}
    again = replace(JUDGMENTS, questions=table.questions)
    with BytesIO(b"1\tSomething else\n") as stream:
        table = evaluate(again, [RUN, RUN], "charP", topics=stream, workers=2, notices=Notices())
    assert table.questions["1"].text == "Who signed?"
    with pytest.raises(ExcerptError, match=r"found topics 7 and judgments of 1, expected the same ids"):
        evaluate(JUDGMENTS, RUN, "charP", topics={"7": "?"})


def test_runs_of_no_results_and_of_scores() -> None:
    """A run that finds nothing has a name, or is the one that is taken; scores by document are one run."""
    assert one_run([]) == Named(None, [])
    assert list_runs({"mine": []}) == [Named("mine", [])]
    with pytest.raises(ExcerptError, match=r"no run given; a run without results is \{name: \[\]\}"):
        list_runs([])
    scores = {"1": {"A": 0.5, "B": 0.7}}
    assert list_runs(scores) == [Named(None, scores)]
    assert list_runs({"mine": scores}) == [Named("mine", scores)]
    table = evaluate({"1": {"A": 1, "B": 0}}, scores, "AP")
    assert table.means().tolist() == [[0.5]]


TOPICS = b'{"id": "1", "title": "Signing", "text": "Who signed?"}\n{"id": "2", "text": "When?"}\n'


def test_titles_and_questions() -> None:
    """A title is the title, else the question; titles in the judgments stay."""
    judgments = Judgments.of([("1", "A", 0, 5), ("2", "A", 0, 5), ("3", "A", 0, 5)])
    notices = Notices()
    asked = with_questions(judgments, TOPICS, notices)
    assert asked.questions == {
        "1": Question("1", "Who signed?", "", "Signing"),
        "2": Question("2", "When?", "", "When?"),
    }
    assert [said.partition(" (")[0] for said in notices] == [
        "1 judged topic has neither title nor question and is shown by its id"
    ]


def test_tables() -> None:
    """Scores that were saved get titles as well, and keep them."""
    table = ScoreTable.from_scores({("r", "1", "P"): 0.5, ("r", "2", "P"): 0.25})
    asked = ScoreTable.from_json(with_questions(table, TOPICS, Notices()).to_json())
    assert str(asked.by_topic()).splitlines() == [
        "run  topic  title         P",
        "---------------------------",
        "r    1      Signing  0.5000",
        "r    2      When?    0.2500",
        "r    all             0.3750",
    ]
    assert asked.by_topic().to_dict()["titles"] == {"1": "Signing", "2": "When?"}
    assert "titles" not in asked.to_dict()


def test_topics_of_something_else() -> None:
    """No topic in common is a mistake."""
    table = ScoreTable.from_scores({("r", "7", "P"): 0.5})
    with pytest.raises(ExcerptError, match="found topics 1, 2 and judgments of 7, expected the same ids"):
        with_questions(table, TOPICS, Notices())


CORPUS = Corpus({"A": "some text"})
CHUNKS = CORPUS.place({"A": ["some"]})
GOLD = [("1", "A", 0, 4)]

REFUSALS_WRONG: list[tuple[Any, Any, str]] = [
    (GOLD, CHUNKS, r"found Chunks, expected a run or judgments; chunks\.run\(results\) makes a run"),
    (GOLD, {"mine": CHUNKS}, "found Chunks, expected"),
    (GOLD, [CHUNKS], "found Chunks, expected"),
    (GOLD, CORPUS, r"found Corpus, expected a run or judgments; give it as corpus="),
    (CORPUS, GOLD, "found Corpus, expected"),
    (GOLD, 5, "found a value of type int, expected a Run"),
    (5, GOLD, "found a value of type int, expected Judgments"),
]


@pytest.mark.parametrize(("gold", "run", "said"), REFUSALS_WRONG)
def test_what_is_no_run(gold: Any, run: Any, said: str) -> None:
    """One sentence that says what to do."""
    with pytest.raises(ExcerptError, match=said):
        excerpt.evaluate(gold, run, "recall@5")
