"""One value for how runs are scored: it is the same for one run, for many and for samples."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from excerpt import (
    ExcerptError,
    Judgments,
    Notices,
    Policy,
    Result,
    Run,
    ScoreTable,
    Span,
    compare,
    curve,
    evaluate,
    load_scores,
    parse_measure,
    read_judgments,
    read_run,
    report,
)
from excerpt.engine import Engine
from excerpt.errors import OverlapError
from excerpt.evaluation import Reading, Scoring
from excerpt.evaluation.scoring import (
    OPTIONAL_INPUTS,
    Choice,
    read_names,
    unique_run_names,
    warn_optional_inputs,
)
from excerpt.measures import SETS, alias_of, parse, registry
from excerpt.model.samples import Masks
from excerpt.score_files.saved_scores import save_scores
from excerpt.view.run_columns import score_run

JUDGMENTS = Judgments.of(
    [("1", Span("a", 0, 10)), ("1", Span("a", 20, 30)), ("2", Span("b", 0, 5))], irrelevant=[("3", "a")]
)
RUN = Run.of("r", [Result("1", "a", 0, 25), Result("2", "b", 0, 10), Result("2", "a", 0, 10)])
MEASURES = ("MAiP", "charP", "articleAP")


def scoring(**policy: bool) -> Scoring:
    """Scoring of the tests."""
    return Scoring.of(JUDGMENTS, MEASURES, policy=Policy(**policy), reading=Reading(), notices=Notices())  # type: ignore[arg-type]


def test_a_run_scores_as_in_an_evaluation() -> None:
    """`scores` gives the values that `evaluate` puts into its table."""
    values = scoring().apply(Scoring.scores, RUN).value
    np.testing.assert_array_equal(values, evaluate(JUDGMENTS, RUN, MEASURES).values[0])


@pytest.mark.parametrize("workers", [1, 2])
def test_work_gives_any_value_in_the_order_of_the_runs(workers: int) -> None:
    """Such as scores with what is kept of a run, here or from another process."""
    runs = [replace(RUN, name="one"), Run.of("two", [Result("1", "a", 0, 25)])]
    done = list(scoring().map(score_run, runs, Engine(workers), None))
    assert [(part.name, part.value[1].name) for part in done] == [("one", "one"), ("two", "two")]
    assert [part.value[1].results for part in done] == [3, 1]
    table = scoring().table([part.having(part.value[0]) for part in done], Notices())
    np.testing.assert_array_equal(table.values, evaluate(JUDGMENTS, runs, MEASURES, notices=Notices()).values)


@pytest.mark.parametrize("only_run_topics", [True, False])
def test_samples_score_as_smaller_judgments(*, only_run_topics: bool) -> None:
    """Each sample gives the scores of judgments that have only its passages; what it lacks scores 0."""
    masks = np.array([[True, True, True], [False, True, False], [False, False, False], [True, False, True]])
    work = partial(Scoring.sample_scores, masks=Masks(masks))
    values = scoring(only_run_topics=only_run_topics).apply(work, RUN).value
    topic_without_results = values[:, 2]
    assert np.isnan(topic_without_results).all() if only_run_topics else not topic_without_results.any()
    marked = [("1", Span("a", 0, 10)), ("1", Span("a", 20, 30)), ("2", Span("b", 0, 5))]
    irrelevant = [("1", "a"), ("2", "b"), ("3", "a")]
    for mask, found in zip(masks, values, strict=True):
        kept = [item for item, keep in zip(marked, mask, strict=True) if keep]
        small = Judgments.of(kept, irrelevant=irrelevant)
        table = evaluate(small, RUN, MEASURES)
        for place, topic in enumerate(("1", "2")):
            expected = np.nan_to_num(table.values[0, table.topics.index(topic)])
            np.testing.assert_array_equal(found[place], expected)


def test_names_in_memory() -> None:
    """Two runs of one name in memory get a number, two files the names of their files."""
    assert unique_run_names([("r", ""), ("r", ""), ("r", "")]) == ("r", "r #2", "r #3")
    assert unique_run_names([("r", "x/a.fol"), ("r", "y/a.fol"), ("s", "")]) == (
        "r (a.fol)",
        "r (a.fol) #2",
        "s",
    )
    table = evaluate(JUDGMENTS, [RUN, RUN], "MAiP", notices=Notices())
    assert table.runs == ("r", "r #2")


def test_sets_are_measures() -> None:
    """Every set can be computed with the judgments that it is for."""
    text = Choice.of(Judgments.of([("1", Span("A", 0, 60))]))
    documents = Choice.of(read_judgments(b"1 0 A 1\n1 0 B 0\n"))
    assert tuple(text.measures) == SETS["inex"]
    assert [str(measure) for measure in documents.measures.values()] == [
        "articleAP",
        "articleP[10]",
        "articleNDCG[10]",
        "articleRR",
        "articleR[1000]",
        "articleRprec",
        "articleBpref",
    ]


def test_names_are_read_before_anything_else() -> None:
    """Sets are put in, measures stay, and what is neither is refused."""
    assert read_names([parse("charP"), "inex"]) == [parse("charP"), *SETS["inex"]]
    for wrong in ([], ["inex", "AiPP"], 5, [None]):
        with pytest.raises(ExcerptError):
            read_names(wrong)  # type: ignore[arg-type]


def test_only_everyday_names_have_aliases() -> None:
    """A name of the mean, or a cut-off in brackets, is our own."""
    names = ("recall@5", "charR@5", "MAiP", "MRR", "mrr", "ndcg[3]")
    aliases = {name: alias for name in names if (alias := alias_of(name, parse(name))) is not None}
    assert aliases == {"recall@5": "charR@5", "mrr": "RR", "ndcg[3]": "nDCG@3"}


GOLD = Judgments.of([("1", Span("A", 0, 3)), ("2", Span("A", 3, 4))], irrelevant=[("3", "A")])
DOUBTS_RUN = Run.of("r", [Result(topic, "A", 0, 9) for topic in "123"])


def test_every_wish_is_in_the_table() -> None:
    """Whatever a measure may wish for, the table knows; and nothing else is in it."""
    assert {wish for kind in registry().values() for wish in kind().wishes} == OPTIONAL_INPUTS.keys()


def test_wishes_are_told_once_for_all_measures() -> None:
    measures = {name: parse_measure(name) for name in ("found", "hit", "found[1]", "found[2]", "allfound")}
    notices = Notices()
    warn_optional_inputs(measures, (), notices)
    (said,) = notices
    assert said.startswith("whitespace counts as text under found, found[1], found[2] and 1 more; give")
    heard = Notices()
    warn_optional_inputs(measures, ("text",), heard)
    assert list(heard) == []


def test_each_topic_that_does_not_count_is_told_with_its_reason() -> None:
    """Topic 2 has whitespace only, topic 3 nothing relevant at all."""
    notices = Notices()
    evaluate(GOLD, [DOUBTS_RUN], ["found", "hit"], corpus={"A": "one two three"}, notices=notices)
    assert list(notices) == [
        "1 topic has no relevant text and is left out of the means (topic 3)",
        "1 topic has nothing relevant under found and is left out of its mean (topic 2)",
    ]


def test_documents_of_unknown_length_are_told() -> None:
    """The warning is for measures of characters, not of proportions of relevant text; a corpus avoids it."""
    qrels, run = read_judgments(b"1 0 A 1\n1 0 B 0\n"), read_run(b"1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n")
    names, notices = ["read@2", "charR(budget=7)", "charR@2"], Notices()
    assert evaluate(qrels, run, names, notices=notices)["r"]["read@2"] == 2
    (said,) = notices
    assert said.startswith(
        "lengths are unknown: each document counts as 1 character under read@2, charR(budget=7); give"
    )
    known = Notices()
    assert evaluate(qrels, run, names, corpus={"A": "one", "B": "four"}, notices=known)["r"]["read@2"] == 7
    assert list(known) == []


def test_elements_with_the_same_text_are_two_results() -> None:
    """A caption and its only paragraph are no repeat, the same path is one; nor are other spans around."""
    paths = ["/fig[1]/caption[1]", "/fig[1]/caption[1]/p[1]", "/fig[1]", "/fig[1]/caption[1]"]
    ends = [5, 5, 9, 5]
    run = Run.of("r", [Result("1", "A", 0, end, path=path) for path, end in zip(paths, ends, strict=True)])
    notices = Notices()
    evaluate(GOLD, [run], ["charP"], notices=notices)
    (said,) = (notice for notice in notices if "repeats" in notice)
    assert said.startswith(
        "1 result repeats an earlier result of its topic; its text counts as read twice (topic 1"
    )
    by_place = Notices()
    evaluate(GOLD, [Run.of("r", [Result("1", "A", 0, end) for end in ends])], ["charP"], notices=by_place)
    assert any(notice.startswith("2 results repeat") for notice in by_place)


DEFAULTS_JUDGMENTS = Judgments.of([("1", Span("A", 0, 60)), ("2", Span("B", 0, 20))])
PLAIN = Run.of("plain", [Result("1", "A", 0, 40), Result("2", "B", 10, 30)])
OVERLAPPING = Run.of("overlapping", [Result("1", "A", 0, 40), Result("1", "A", 30, 60)])
CHUNKS = replace(PLAIN, name="chunks", task="chunks")
QRELS = b"1 0 A 2\n1 0 B 0\n"
DOCUMENTS = b"1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n"


def test_judgments_of_documents_ask_for_their_own() -> None:
    """The default measures are those of trec_eval, also for a run of passages."""
    table = evaluate(QRELS, DOCUMENTS)
    assert table.measures == SETS["trec"]
    assert table.measure_note == "measures: trec, since whole documents were judged"
    assert table.decided() == {"set": "trec", "headline": "AP", "why": "whole documents were judged"}
    assert table.mean("r", "articleAP") == 1
    passages = evaluate(QRELS, Run.of("r", [("1", "A", 0, 5), ("1", "A", 3, 9)]), notices=Notices())
    assert passages.measures == SETS["trec"]


TEXTS = {"A": "One two three four. " * 10, "B": "Five six. " * 9}


@pytest.mark.parametrize(
    ("judgments", "name", "why"),
    [
        (DEFAULTS_JUDGMENTS, "inex", "the judgments are highlighted text"),
        (
            b'{"topic": "1", "document": "A", "spans": [[0, 9]]}\n',
            "inex",
            "the judgments are highlighted text",
        ),
        ([{"topic": "1", "document": "A", "start": 0, "end": 9, "corpus": "x"}], "inex", "highlighted text"),
        (
            [{"topic": "1", "document": "A", "start": 0, "end": 9, "question": "?"}],
            "rag",
            "gold of questions",
        ),
        ([{"topic": "1", "document": "A", "quote": "three"}], "rag", "gold of questions"),
        (b'{"topic": "1", "document": "A", "start": 4, "end": 7, "quote": "two"}\n', "rag", "gold"),
        (b'{"question": "What?", "document": "A", "quote": "three"}\n', "rag", "gold of questions"),
        (b"1 0 A 200 1 0 20 0\n", "trec", "whole documents"),
    ],
)
def test_the_judgments_alone_choose_the_measures(judgments: Any, name: str, why: str) -> None:
    """Neither chunks nor topics with questions change the set; its headline is its first measure."""
    if name == "trec":
        judgments, corpus = b"1 0 A 1\n", None
    else:
        corpus = TEXTS
    for run in (PLAIN, CHUNKS):
        for topics in (None, {"1": "What is asked?"}):
            table = evaluate(judgments, run, corpus=corpus, topics=topics, notices=Notices())
            assert (table.set, table.headline) == (name, SETS[name][0])
            assert why in table.why
            assert table.measure_note == f"measures: {name}, since {table.why}"
            assert table.measure_note in str(table)
            assert table.measure_note in table._repr_html_()


def test_the_scores_are_those_of_the_set_by_name() -> None:
    """Warnings included; measures that were named have no note."""
    table = evaluate(DEFAULTS_JUDGMENTS, [PLAIN, CHUNKS], workers=2, notices=Notices())
    asked = evaluate(DEFAULTS_JUDGMENTS, [PLAIN, CHUNKS], "inex", notices=Notices())
    assert table.measures == asked.measures == SETS["inex"]
    assert str(table.values.tolist()) == str(asked.values.tolist())
    assert (table.warnings, table.aliases) == (asked.warnings, asked.aliases)
    assert asked.measure_note == ""
    assert asked.decided() == {"set": None, "headline": "MAiP", "why": "it was named first"}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("measures", [None, "MAiP"])
def test_overlap_is_an_error_that_names_all_such_runs(measures: str | None, workers: int) -> None:
    """Both remedies stand there, with and without measures."""
    other = replace(OVERLAPPING, name="other")
    with pytest.raises(OverlapError) as caught:
        evaluate(
            DEFAULTS_JUDGMENTS, [PLAIN, OVERLAPPING, other], measures, workers=workers, notices=Notices()
        )
    assert "(results overlap in 2 of 3 runs: overlapping, other)" in str(caught.value)
    assert 'overlap="first"' in str(caught.value)
    assert 'measures="rag"' in str(caught.value)
    with pytest.raises(OverlapError, match=r"expected no common text; try"):
        evaluate(DEFAULTS_JUDGMENTS, OVERLAPPING, measures, notices=Notices())
    first = evaluate(
        DEFAULTS_JUDGMENTS, [PLAIN, OVERLAPPING], policy=Policy(overlap="first"), notices=Notices()
    )
    assert first.measures == SETS["inex"]
    assert evaluate(DEFAULTS_JUDGMENTS, OVERLAPPING, "rag", notices=Notices()).headline == SETS["rag"][0]


def test_reports_and_experiments_choose_too() -> None:
    """A report has the set, a comparison its headline; a curve has its measure."""
    made = report(DEFAULTS_JUDGMENTS, [PLAIN, CHUNKS], text=False, notices=Notices())
    assert made.world.table.measures == SETS["inex"]
    outcome = compare(DEFAULTS_JUDGMENTS, [PLAIN, CHUNKS], samples=40, notices=Notices())
    assert {row["measure"] for row in outcome.rows} == {"MAiP"}
    text = curve(DEFAULTS_JUDGMENTS, PLAIN, "recall", points="1", notices=Notices())
    assert text.values.tolist() == curve(DEFAULTS_JUDGMENTS, PLAIN, "charR", points="1").values.tolist()
    assert curve(QRELS, b"1 Q0 B 1 3 r\n1 Q0 A 2 2 r\n", "recall", points="1:2").values.tolist() == [[0, 1]]


def test_no_topics_and_no_results() -> None:
    """Nothing to decide by is the usual set."""
    nothing = Judgments.of([])
    assert evaluate(nothing, PLAIN, notices=Notices()).measures == SETS["inex"]
    assert evaluate(DEFAULTS_JUDGMENTS, Run.of("r", []), notices=Notices()).measures == SETS["inex"]


def test_a_second_opinion_is_scored_beside() -> None:
    """Only where it can differ: by the text at an equal budget, and the text read at a cut-off."""
    table = evaluate(DEFAULTS_JUDGMENTS, [PLAIN, CHUNKS], notices=Notices())
    assert table.beside is not None
    assert table.beside.measures == ("recall(budget=4000)",)
    assert table.beside.runs == table.runs
    cut = evaluate(DEFAULTS_JUDGMENTS, PLAIN, "recall@5", notices=Notices())
    assert cut.beside is not None
    assert cut.beside["plain"] == {"recall(budget=4000)": (40 / 60 + 10 / 20) / 2, "read@5": 30}
    assert evaluate(DEFAULTS_JUDGMENTS, PLAIN, "MAiP", notices=Notices()).beside is None
    assert evaluate(QRELS, DOCUMENTS, notices=Notices()).beside is None
    assert ScoreTable.from_json(cut.to_json()).beside is not None


def test_a_part_of_a_table_was_not_chosen(tmp_path: Path) -> None:
    """The note on the choice is for the whole set only; a saved table keeps it."""
    table = evaluate(DEFAULTS_JUDGMENTS, PLAIN, notices=Notices())
    assert table.select(["MAiP"]).measure_note == ""
    save_scores(table, tmp_path / "scores.json")
    assert load_scores(tmp_path / "scores.json").decided() == table.decided()
