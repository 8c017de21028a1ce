"""Without measures the input decides which are reported, and the table says which."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from excerpt import Judgments, Policy, Result, Run, Span, compare, curve, evaluate, load_scores, report
from excerpt.engine import Engine
from excerpt.evaluation.defaults import decide_first
from excerpt.evaluation.scoring import Scoring
from excerpt.measures import SETS
from excerpt.model.saved_scores import save_scores
from excerpt.notices import Notices

JUDGMENTS = Judgments.of([("1", Span("A", 0, 60)), ("2", Span("B", 0, 20))])
PLAIN = Run.of("plain", [Result("1", "A", 0, 40), Result("2", "B", 10, 30)])
OVERLAPPING = Run.of("overlapping", [Result("1", "A", 0, 40), Result("1", "A", 30, 60)])
CHUNKS = replace(PLAIN, name="chunks", task="chunks")
QRELS = b"1 0 A 2\n1 0 B 0\n"
DOCUMENTS = b"1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n"


def test_judgments_of_documents_ask_for_their_own() -> None:
    """What trec_eval's users look for, also for a run of passages."""
    table = evaluate(QRELS, DOCUMENTS)
    assert table.measures == SETS["trec"]
    assert table.choice == "measures: trec, since whole documents were judged"
    assert table.mean("r", "articleAP") == 1
    passages = evaluate(QRELS, Run.of("r", [("1", "A", 0, 5), ("1", "A", 3, 9)]), notices=Notices())
    assert passages.measures == SETS["trec"]


@pytest.mark.parametrize(
    ("runs", "name", "why"),
    [
        ([PLAIN], "inex", "none was asked for"),
        ([OVERLAPPING], "rag", "results of overlapping share text"),
        ([CHUNKS], "rag", "chunks is made of chunks"),
        ([PLAIN, CHUNKS, OVERLAPPING], "rag", "chunks is made of chunks"),
        ([PLAIN, OVERLAPPING], "rag", "results of overlapping share text"),
    ],
)
def test_runs_of_chunks_ask_for_their_own(runs: list[Run], name: str, why: str) -> None:
    """One run of chunks is enough; the scores are those of the set by name, warnings included."""
    table = evaluate(JUDGMENTS, runs, workers=len(runs) // 3 + 1, notices=Notices())
    asked = evaluate(JUDGMENTS, runs, name, notices=Notices())
    assert table.choice == f"measures: {name}, since {why}"
    assert asked.choice == ""
    assert table.measures == asked.measures == SETS[name]
    assert str(table.values.tolist()) == str(asked.values.tolist())
    assert sorted(table.warnings) == sorted(asked.warnings)
    assert table.aliases == asked.aliases
    assert table.choice in str(table)
    assert table.choice in table._repr_html_()


def test_who_says_what_overlap_means_asks_for_inex() -> None:
    """An overlap policy is of no use to the measures for chunks."""
    table = evaluate(JUDGMENTS, OVERLAPPING, policy=Policy(overlap="first"), notices=Notices())
    assert table.measures == SETS["inex"]


def test_nothing_is_read_twice(tmp_path: Path) -> None:
    """An open file is a run, too."""
    (tmp_path / "run").write_text("1 Q0 A 1 9 r 0 40\n1 Q0 A 2 8 r 30 30\n")
    with (tmp_path / "run").open("rb") as stream:
        table = evaluate(JUDGMENTS, stream, notices=Notices())
    assert table.choice == "measures: rag, since results of r share text"


def test_reports_and_experiments_choose_too() -> None:
    """A report, a comparison; a curve has its measure."""
    made = report(JUDGMENTS, [PLAIN, OVERLAPPING], text=False, notices=Notices())
    assert made.world.table.measures == SETS["rag"]
    outcome = compare(JUDGMENTS, [PLAIN, CHUNKS], samples=10, notices=Notices())
    assert {row["measure"] for row in outcome.rows} == set(SETS["rag"])
    text = curve(JUDGMENTS, PLAIN, "recall", points="1", notices=Notices())
    assert text.values.tolist() == curve(JUDGMENTS, PLAIN, "charR", points="1").values.tolist()
    assert curve(QRELS, b"1 Q0 B 1 3 r\n1 Q0 A 2 2 r\n", "recall", points="1:2").values.tolist() == [[0, 1]]


def test_no_topics_and_no_results() -> None:
    """Nothing to decide by is the usual set."""
    nothing = Judgments.of([])
    assert evaluate(nothing, PLAIN, notices=Notices()).measures == SETS["inex"]
    assert evaluate(JUDGMENTS, Run.of("r", []), notices=Notices()).measures == SETS["inex"]


def test_only_what_is_open_is_decided() -> None:
    """Measures that were asked for stay."""
    asked = Scoring.of(JUDGMENTS, "charP", notices=Notices())
    assert decide_first(asked, [CHUNKS], Engine(), Notices()) is asked
    usual = Scoring.of(JUDGMENTS, None, notices=Notices())
    assert decide_first(usual, [], Engine(), Notices()) is usual
    assert decide_first(usual, [PLAIN], Engine(), Notices()) is usual
    assert tuple(decide_first(usual, [PLAIN, CHUNKS], Engine(), Notices()).measures) == SETS["rag"]


def test_a_part_of_a_table_was_not_chosen(tmp_path: Path) -> None:
    """What was chosen is said of the whole set only; a saved table is as if it had been asked for."""
    table = evaluate(JUDGMENTS, PLAIN, notices=Notices())
    assert table.select(["MAiP"]).choice == ""
    save_scores(table, tmp_path / "scores.json")
    assert load_scores(tmp_path / "scores.json").choice == ""
