"""hit, RR, nDCG, found and allfound against worked examples, their definition and what must always hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import Asked, Topic, assert_agreement
from support.strategies import DOCUMENTS, STRANGERS, Case, cases, evidence_measures, policies

from excerpt import (
    ExcerptError,
    Judgments,
    Notices,
    Policy,
    Result,
    Run,
    Span,
    evaluate,
    parse_measure,
)
from excerpt.errors import MissingData

#: A passage whose middle is white space, one of white space only, and one in another document.
TEXTS = {"A": "One two.\n\nThree four.   Five.", "B": "Six seven."}
GOLD = Judgments.of([("1", Span("A", 4, 15)), ("1", Span("A", 21, 23)), ("1", Span("B", 0, 3))])
STRIPPED = Run.of(
    "stripped",
    [Result("1", "A", 0, 8), Result("1", "B", 4, 10), Result("1", "A", 10, 21), Result("1", "B", 0, 4)],
)


def scores(names: list[str], run: Run = STRIPPED, **how: object) -> list[float]:
    return list(evaluate(GOLD, [run], names, **how).means()[0])  # type: ignore[arg-type]


def test_worked_example() -> None:
    """Text counts from rank 1 on; the passage in A is found at rank 3, that in B at rank 4."""
    assert scores(["hit[1]", "hit", "RR", "MRR[1]"]) == [1, 1, 1, 1]
    names = ["found[1]", "found[2]", "found[3]", "found[4]", "found"]
    assert scores(names, corpus=TEXTS) == [0, 0, 0.5, 1, 1]
    assert scores(["allfound[3]", "allfound[4]", "allfound"], corpus=TEXTS) == [0, 1, 1]


def test_white_space_counts_without_a_corpus_and_that_is_said_once() -> None:
    """The stripped paragraph break and the passage of whitespace only are then never found."""
    notices = Notices()
    assert scores(["found", "allfound", "found(share=0.8)"], notices=notices) == [1 / 3, 0, 2 / 3]
    (said,) = notices
    assert said.startswith("whitespace counts as text under found, allfound, found(share=0.8); give")
    heard = Notices()
    scores(["hit", "RR", "nDCG", "charR"], notices=heard)
    scores(["found"], notices=heard, corpus=TEXTS)
    assert list(heard) == []


def test_shares_are_compared_exactly() -> None:
    """Three of seven characters are 3/7 and not a bit more."""
    gold = Judgments.of([("1", Span("A", 0, 7))])
    run = Run.of("r", [Result("1", "A", 0, 3)])
    near = [
        "3/7",
        "0.42857142857142855",
        "0.42857142857142857",
        "0.42857142857142858",
        "0.428571428571428572",
    ]
    found = evaluate(gold, [run], [f"found(share={share})" for share in near], corpus={"A": "abcdefgh"})
    assert found.means().tolist() == [[1, 1, 1, 0, 0]]


def test_passages_that_touch_are_one() -> None:
    gold = Judgments.of([("1", Span("A", 0, 5)), ("1", Span("A", 5, 9)), ("1", Span("A", 20, 25))])
    run = Run.of("r", [Result("1", "A", 0, 5), Result("1", "A", 20, 25)])
    assert evaluate(gold, [run], ["found"], corpus={"A": 30 * "a"}).means().tolist() == [[0.5]]


def test_a_topic_of_white_space_only_has_nothing_to_find() -> None:
    gold = Judgments.of([("1", Span("A", 21, 23)), ("2", Span("B", 0, 3))])
    run = Run.of("r", [Result("1", "A", 0, 30), Result("2", "B", 0, 3)])
    notices = Notices()
    table = evaluate(gold, [run], ["found", "allfound", "hit"], corpus=TEXTS, notices=notices)
    assert str(table.values.tolist()) == "[[[nan, nan, 1.0], [1.0, 1.0, 1.0]]]"
    assert "1 topic has nothing relevant under found and is left out of its mean (topic 1)" in notices


def test_documents_that_the_corpus_lacks_count_in_full() -> None:
    gold = Judgments.of([("1", Span("A", 4, 15)), ("1", Span("C", 0, 3))])
    run = Run.of("r", [Result("1", "A", 0, 8), Result("1", "A", 10, 21), Result("1", "C", 0, 2)])
    assert evaluate(gold, [run], ["found"], corpus=TEXTS).means().tolist() == [[0.5]]


def test_gains_are_discounted_by_log2() -> None:
    """30 relevant characters in A, 10 in B: the most is 30 + 10/log2(3); a repeat gains nothing."""
    gold = Judgments.of([("1", Span("A", 0, 20)), ("1", Span("A", 40, 50)), ("1", Span("B", 0, 10))])
    rows = [
        Result("1", "B", 0, 99),
        Result("1", "A", 0, 20),
        Result("1", "A", 10, 30),
        Result("1", "A", 0, 60),
    ]
    found = evaluate(gold, [Run.of("r", rows)], ["nDCG", "nDCG[2]", "nDCG[1]"]).means()[0].tolist()
    most = 30 + 10 / math.log2(3)
    gained = 10 + 20 / math.log2(3)
    assert found == pytest.approx([(gained + 10 / math.log2(5)) / most, gained / most, 10 / 30], rel=1e-12)


@settings(max_examples=80)
@given(
    st.lists(st.lists(st.integers(1, 10**6), min_size=1, max_size=12), min_size=1, max_size=3),
    st.integers(1, 14),
)
def test_the_ideal_order_scores_exactly_1_and_no_other_more(topics: list[list[int]], top: int) -> None:
    """One result per document with all that is relevant there; with the worst first it is at most 1."""
    amounts = {(str(t), f"d{d}"): size for t, sizes in enumerate(topics) for d, size in enumerate(sizes)}
    gold = Judgments.of([(*pair, 5, 5 + size) for pair, size in amounts.items()])
    best = sorted(amounts, key=lambda pair: (pair[0], -amounts[pair]))
    runs = [
        Run.of(name, [Result(*pair, 0, 2 * 10**6) for pair in order])
        for name, order in (("best", best), ("worst", best[::-1]))
    ]
    table = evaluate(gold, runs, ["nDCG", f"nDCG[{top}]"])
    assert (table.values[0] == 1).all()
    assert (table.values <= 1).all()


@pytest.mark.parametrize("name", ["hit", "RR", "nDCG", "found", "allfound", "read"])
def test_topics_without_results_score_0_and_lost_results_find_nothing(name: str) -> None:
    gold = Judgments.of([("1", Span("A", 0, 3)), ("2", Span("A", 0, 3))])
    run = Run.of("r", [Result("2", "A", -1, -1)]).with_text(lost=np.array([7]))
    expected = 7.0 if name == "read" else 0.0
    assert evaluate(gold, [run], [name], corpus=TEXTS).values.tolist() == [[[0.0], [expected]]]


@pytest.mark.parametrize("name", ["hit", "RR", "nDCG", "found", "allfound", "read", "charR(budget=9)"])
def test_entry_points_are_no_text(name: str) -> None:
    run = Run.of("r", [Result("1", "A", 3, 3)], kind="entry points")
    with pytest.raises(MissingData, match="needs spans, but the run has none"):
        evaluate(GOLD, [run], [name])


def test_results_beyond_the_end_find_what_is_there() -> None:
    gold = Judgments.of([("1", Span("B", 4, 10))])
    run = Run.of("r", [Result("1", "B", 4, 400)])
    assert evaluate(gold, [run], ["found", "hit", "nDCG"], corpus=TEXTS).means().tolist() == [[1, 1, 1]]


def test_whole_documents_find_all_of_it() -> None:
    run = Run.of("r", [Result("1", "B", -1, -1), Result("1", "A", -1, -1)], kind="documents")
    assert scores(["found[1]", "found[2]", "RR", "hit", "read"], run, corpus=TEXTS) == [0.5, 1, 1, 1, 39]


def test_offsets_in_bytes_are_not_taken_for_characters() -> None:
    """The corpus gives positions of whitespace in characters, so it is not used for offsets in bytes."""
    notices = Notices()
    gold = replace(GOLD, unit="byte")
    found = evaluate(gold, [STRIPPED], ["found"], corpus=TEXTS, notices=notices).means()
    assert found.tolist() == [[1 / 3]]
    assert any("whitespace counts as text under found" in warning for warning in notices)


@pytest.mark.parametrize("share", ["0", "1.1", "-1", "x", "nan"])
def test_a_share_lies_above_0(share: str) -> None:
    with pytest.raises(ExcerptError, match="as parameter share of found, expected a number above 0, up to 1"):
        parse_measure(f"found(share={share})")


_TEXT = st.text(alphabet="ab \n\u3000", max_size=60)


@settings(max_examples=80)
@given(
    cases(),
    evidence_measures(),
    policies(),
    st.fixed_dictionaries(dict.fromkeys((*DOCUMENTS, *STRANGERS[1]), _TEXT)),
)
def test_agrees_with_the_definition(
    case: Case, asked: list[Asked], rules: list[Policy], texts: dict[str, str]
) -> None:
    """Scores and means are the exact ones with and without a corpus, whatever the policy for overlap."""
    judgments, run = case.judgments(), case.run()
    assert_agreement(judgments, run, case.topics(Topic), asked, rules[0])
    # Relevant text beyond the end is refused, and so are runs of which all results begin there.
    first = min((start for start in run.start.tolist() if start >= 0), default=0)
    end = max(int(judgments.spans.end.max(initial=0)), first + 1)
    texts = {name: text.ljust(end, "b") for name, text in texts.items()}
    topics = replace(case, texts=texts).topics(Topic)
    assert_agreement(judgments, run, topics, asked, rules[3], corpus=texts)


@settings(max_examples=40)
@given(cases(), st.integers(1, 9))
def test_what_must_always_hold(case: Case, top: int) -> None:
    """More results never find less, all found is at most found, hit is where RR is above 0."""
    names = [f"{name}[{k}]" for k in (top, top + 1) for name in ("found", "allfound", "hit", "RR", "nDCG")]
    for row in np.nan_to_num(evaluate(case.judgments(), [case.run()], names).values[0]).tolist():
        now, more = row[:5], row[5:]
        assert all(one <= other for one, other in zip(now[:4], more[:4], strict=True))
        assert now[1] <= now[0]
        assert (now[2] > 0) == (now[3] > 0)
        assert max(row) <= 1
