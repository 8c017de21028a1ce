"""What is kept of runs: their columns, what policies count, which passages they found, what they repeat."""

from __future__ import annotations

from collections import defaultdict
from itertools import count

import numpy as np
from hypothesis import given
from strategies import Case, cases

from excerpt import Notices, Policy
from excerpt.evaluation.scoring import Scoring
from excerpt.view.kept import NOWHERE, Kept, keep

OVERLAPS = ("first", "penalise", "allow")


def kept_of(case: Case, overlap: str) -> Kept:
    """What is kept of the run of a case."""
    policy = Policy(overlap=overlap, limit=None)  # type: ignore[arg-type]
    scoring = Scoring.of(case.judgments(), ["charP"], policy=policy, notices=Notices())
    return scoring.apply(keep, case.run()).value[1]


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
