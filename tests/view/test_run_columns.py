"""Columns of runs for reports: policies, passages found, repeated text."""

from __future__ import annotations

from collections import defaultdict
from itertools import count

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import Case, cases

from excerpt import Judgments, Notices, Policy, Run, parse_measure
from excerpt.evaluation.scoring import Scoring, cutoff_of
from excerpt.model.join import join
from excerpt.view.run_columns import (
    NOWHERE,
    RunColumns,
    count_funnel,
    reach_of,
    reading_measure,
    score_run,
)

OVERLAPS = ("first", "penalise", "allow")


def kept_of(case: Case, overlap: str) -> RunColumns:
    """Columns of the run of a case."""
    policy = Policy(overlap=overlap, limit=None)  # type: ignore[arg-type]
    scoring = Scoring.of(case.judgments(), ["charP"], policy=policy, notices=Notices())
    return scoring.apply(score_run, case.run()).value[1]


def characters(rows: tuple[tuple[str, str, int, int], ...], topic: str) -> set[tuple[str, int]]:
    """The characters of a topic's rows."""
    return {(row[1], at) for row in rows if row[0] == topic for at in range(max(row[2], 0), row[3])}


@given(cases())
def test_results_stand_by_topic_and_rank(case: Case) -> None:
    """Every result of a judged topic is there, in its order; what does not exist is nowhere."""
    if not case.matches or not case.results:
        return
    kept = kept_of(case, "allow")
    for number, topic in enumerate(case.judgments().topics):
        rows = [row[1:] for row in case.results if row[0] == topic]
        part = slice(int(kept.first[number]), int(kept.first[number + 1]))
        names = [kept.documents[code] for code in kept.document[part]]
        starts = [-1 if start == NOWHERE else int(start) for start in kept.start[part]]
        ends = [start + int(length) for start, length in zip(starts, kept.length[part], strict=True)]
        assert list(zip(names, starts, ends, strict=True)) == rows


@given(cases())
def test_passages_found_agree_with_sets_of_characters(case: Case) -> None:
    """Of each relevant passage: the characters that the run shows, and the first rank that shows one."""
    if not case.matches or not case.results:
        return
    judgments = case.judgments()
    for overlap in OVERLAPS:
        hits = kept_of(case, overlap).hits
        found = {row[0]: row[1:] for row in zip(*(column.tolist() for column in hits), strict=True)}
        for passage in range(len(judgments.spans)):
            pair = int(judgments.spans.group[passage])
            topic = judgments.topics[int(judgments.pair_topic[pair])]
            document = judgments.documents[int(judgments.pair_document[pair])]
            text = {
                (document, at)
                for at in range(int(judgments.spans.start[passage]), int(judgments.spans.end[passage]))
            }
            shown = [characters((row,), topic) for row in case.results if row[0] == topic]
            ranks = [rank for rank, part in enumerate(shown, start=1) if part & text]
            expected = (len(text & set().union(*shown)), ranks[0]) if ranks else None
            assert found.get(passage) == expected


@given(cases())
def test_text_shown_again_is_text_of_both_results(case: Case) -> None:
    """A row for each result with text of an earlier one: the text that it has in common with the first."""
    if not case.matches or not case.results:
        return
    again = kept_of(case, "allow").again
    judgments, expected = case.judgments(), []
    for number, topic in enumerate(judgments.topics):
        shown = [characters((row,), topic) for row in case.results if row[0] == topic]
        for later, text in enumerate(shown):
            before = [rank for rank in range(later) if shown[rank] & text]
            if before:
                common = sorted(at for _, at in shown[before[0]] & text)
                expected.append((number, common[0], common[-1] + 1, later + 1, before[0] + 1))
    columns = (again.topic, again.start, again.end, again.rank, again.before)
    assert sorted(zip(*(column.tolist() for column in columns), strict=True)) == sorted(expected)
    assert again.total == len(expected)


def test_documents_are_numbered_together() -> None:
    """New names are added to the table of all documents."""
    case = Case((("1", "a", 0, 9),), (("1", "z", 0, 5), ("1", "a", 3, 5)))
    codes = defaultdict(count(2).__next__, {"a": 0, "b": 1})
    kept = kept_of(case, "allow").recoded(codes)
    assert codes == {"a": 0, "b": 1, "z": 2}
    assert kept.document.tolist() == [2, 0]
    assert kept.document.dtype == np.int32
    assert kept.unjudged == 1


JUDGMENTS = Judgments.of([("1", "A", 0, 5), ("2", "A", 0, 5), ("3", "A", 0, 5)])
ENDLESS = 2**63 - 1
RUN = Run.of("run", [("1", "A", 0, 10), ("1", "A", 5, 9), ("1", "B", 0, 3), ("2", "A", 0, 4)])


def reach(measure: str) -> tuple[list[int], list[int]]:
    """Results read of each topic, and characters of the last."""
    found = reach_of(parse_measure(measure), join(RUN, JUDGMENTS, Policy(), Notices()))
    return found.results.tolist(), found.last.tolist()


def test_only_ranks_are_cutoffs() -> None:
    """A level of recall is none."""
    assert [cutoff_of(parse_measure(name)) for name in ("charP@3", "iP@0.10", "AiP", "charR")] == [
        3,
        None,
        None,
        None,
    ]


def test_results_within_a_budget() -> None:
    """The one that crosses it counts with its first characters; a rank may end it before."""
    assert reach("charR(budget=12)") == ([2, 1, 0], [2, 12, ENDLESS])
    assert reach("charR(budget=14)") == ([2, 1, 0], [4, 14, ENDLESS])
    assert reach("charR(budget=15)") == ([3, 1, 0], [1, 15, ENDLESS])
    assert reach("charR(budget=15)@1") == ([1, 1, 0], [15, 15, ENDLESS])


def test_the_first_measure_that_stops_is_asked() -> None:
    """Else the first of all."""
    named = {name: parse_measure(name) for name in ("AiP", "charR(budget=9)", "charP@3")}
    assert reading_measure(named)[0] == "charR(budget=9)"
    assert reading_measure({"AiP": parse_measure("AiP")})[0] == "AiP"


def test_results_up_to_a_rank() -> None:
    """As many as there are, each in full."""
    assert reach("charR@2")[0] == [2, 1, 0]
    assert reach("charR")[0] == [3, 1, 0]


ROWS = st.lists(
    st.tuples(st.sampled_from(["t", "u"]), st.sampled_from("ABC"), st.integers(0, 12), st.integers(0, 6)).map(
        lambda row: (row[0], row[1], row[2], row[2] + row[3])
    ),
    max_size=6,
)


def funnel_counts_characters(rows: list[tuple[str, str, int, int]], topic: str) -> set[tuple[str, int]]:
    """The characters of a topic that some row has."""
    return {(name, at) for of, name, start, end in rows if of == topic for at in range(start, end)}


@settings(max_examples=80)
@given(ROWS.map(lambda rows: [("t", "A", 0, 5), ("u", "B", 2, 3), *rows]), ROWS, ROWS)
def test_counts_agree_with_sets_of_characters(
    relevant: list[tuple[str, str, int, int]],
    returned: list[tuple[str, str, int, int]],
    cited: list[tuple[str, str, int, int]],
) -> None:
    """Each topic by itself, every character once, whatever overlaps."""
    judgments = Judgments.of(relevant)
    joined = [join(Run.of("run", rows), judgments, Policy(), Notices()) for rows in (returned, cited)]
    for topic, flow in zip(judgments.topics, count_funnel(*joined), strict=True):
        wanted, read, told = (funnel_counts_characters(rows, topic) for rows in (relevant, returned, cited))
        assert flow == (
            len(wanted),
            len(wanted & read),
            len(wanted & read & told),
            len(told),
            len(told - wanted),
            len(told - read),
        )


def test_nothing_judged() -> None:
    """No topics, no counts."""
    judgments = Judgments.of([])
    empty = join(Run.of("run", []), judgments, Policy(), Notices())
    assert count_funnel(empty, empty) == ()
