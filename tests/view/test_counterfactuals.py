"""Counterfactuals: the worked examples exactly, and generated lists against sets of characters."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import counterfactual_oracle as slow
from support.oracle import Asked, Topic, score
from support.strategies import Highlight, highlights, results

from excerpt import ExcerptError, Judgments, Notices, Policy, Result, Run, Span, evaluate, read_run
from excerpt.view.counterfactuals import CAUSES, Counterfactuals, counterfactuals

Rows = list[tuple[str, int, int]]
A, B = ("a", 0, 100), ("b", 0, 100)
EXAMPLES: list[tuple[Rows, Rows, Rows, str, dict[str, Fraction]]] = [
    ([("a", 100, 200)], [("a", 100, 200)], [("a", 50, 250)], "MAiP", {"around": Fraction(1)}),
    (
        [("a", 100, 200), B],
        [("a", 100, 200), B],
        [("a", 100, 200)],
        "MAiP",
        {"missed": Fraction(1)},
    ),
    (
        [("a", 0, 90), ("b", 0, 10)],
        [("a", 0, 90), ("b", 0, 10)],
        [("b", 0, 10), ("a", 0, 90)],
        "nDCG@10",
        {"late": Fraction(1)},
    ),
    ([A], [A], [("x", 0, 300), A], "charP", {"before": Fraction(1)}),
    ([A, B], [A, B], [A, A, B], "charP", {"repeated": Fraction(1), "before": Fraction(1)}),
    (
        [A, B],
        [A, B],
        [("a", 0, 200)],
        "MAiP",
        {
            "around": (Fraction(51, 101) - Fraction(51, 202)) / (1 - Fraction(51, 202)),
            "missed": (Fraction(2, 3) - Fraction(51, 202)) / (1 - Fraction(51, 202)),
        },
    ),
]


def run_of(name: str, rows: Rows, topic: str = "t") -> Run:
    """A run of one topic."""
    return Run.of(name, [(topic, *row) for row in rows])


@pytest.mark.parametrize(("gold", "better", "worse", "measure", "shares"), EXAMPLES)
@pytest.mark.parametrize("swapped", [False, True])
def test_worked_examples(
    gold: Rows, better: Rows, worse: Rows, measure: str, shares: dict[str, Fraction], swapped: bool
) -> None:
    """By exact value, whichever run is named first; the others are 0."""
    judgments = [("t", *row) for row in gold]
    one, two = run_of("good", better), run_of("bad", worse)
    one, two = (two, one) if swapped else (one, two)
    policy = Policy(overlap="first")
    found = counterfactuals(judgments, one, two, measure, policy=policy, notices=Notices())
    (topic,) = found.to_dict()["topics"]
    assert (topic["better"], topic["worse"]) == ("good", "bad")
    assert topic["gap"] == topic["score_better"] - topic["score_worse"]
    for cause in topic["causes"]:
        assert cause["share"] == pytest.approx(float(shares.get(cause["cause"], Fraction(0))), abs=1e-12)
    assert [cause["cause"] for cause in topic["causes"]] == list(CAUSES)


def named(shares: dict[str, float]) -> str:
    """The sentence on a worse list whose causes close these shares."""
    good, bad = run_of("g", [("a", 0, 9)]), run_of("b", [("a", 0, 18)])
    (one,) = counterfactuals([("t", "a", 0, 9)], good, bad, "charP").topics
    causes = tuple(cause._replace(share=shares.get(cause.cause, 0.0)) for cause in one.causes)
    return replace(one, causes=causes).sentence("g", "b")


def test_the_sentence_names_the_largest_cause() -> None:
    """And a second one that closes at least half as much; none that closes less than a fifth."""
    assert (
        named({"late": 0.6, "missed": 0.29}) == "b has relevant text at later ranks than g (60 % of the gap)."
    )
    assert named({"late": 0.6, "missed": 0.3}) == (
        "b has relevant text at later ranks than g (60 % of the gap); it lacks relevant text that g has "
        "(30 % of the gap)."
    )
    assert named({"late": 0.19}).startswith("b: several small things")
    assert named({"around": 0.2}) == "b returns text around relevant text (20 % of the gap)."


@given(highlights(), st.data())
def test_generated_lists_agree_with_sets_of_characters(marked: list[Highlight], data: st.DataObject) -> None:
    """Lists and scores of every cause, by measures of text read, found and ranked."""
    first, second = data.draw(results(marked)), data.draw(results(marked))
    asked = data.draw(
        st.sampled_from(
            [Asked("charP"), Asked("charR", "2"), Asked("AiP"), Asked("nDCG", "3"), Asked("charF")]
        )
    )
    judgments = Judgments.of([(row[0], Span(*row[1:])) for row in marked])
    known = {row[0] for row in marked}
    first, second = ([row for row in rows if row[0] in known] for rows in (first, second))
    one, two = (Run.of(name, [Result(*row) for row in rows]) for name, rows in (("x", first), ("y", second)))
    policy = Policy(overlap="first")
    try:
        found = counterfactuals(judgments, one, two, str(asked), policy=policy, notices=Notices())
    except ExcerptError:
        return  # no common document, no text
    lists = {"x": first, "y": second}
    for said in found.topics:
        better, worse = (
            [row[1:] for row in lists[name] if row[0] == said.topic] for name in found.names(said)
        )
        passages: dict[str, list[tuple[int, int]]] = {}
        for topic, document, start, end in marked:
            if topic == said.topic:
                passages.setdefault(document, []).append((start, end))
        relevant = {
            (document, place)
            for document, spans in passages.items()
            for start, end in spans
            for place in range(start, end)
        }
        for (cause, rows), scored in zip(
            slow.changed(better, worse, relevant).items(), said.causes, strict=True
        ):
            mine = [
                (row.document, row.start, row.end) for row in found.changed[cause] if row.topic == said.topic
            ]
            assert mine == rows, cause
            exact = score(asked, Topic(rows, passages), policy) if rows else Fraction(0)
            assert exact is not None
            assert scored.score == pytest.approx(float(exact), abs=1e-12)
            assert scored.share == pytest.approx((float(exact) - said.score_worse) / said.gap, abs=1e-9)


def pair() -> Counterfactuals:
    """Three topics: each run is better once, and one is equal."""
    gold = [(topic, "a", 0, 100) for topic in "123"] + [("1", "b", 0, 100)]
    one = [("1", "a", 0, 100), ("1", "b", 0, 100), ("2", "c", 0, 300), ("2", "a", 0, 200), ("3", "a", 0, 50)]
    two = [("1", "a", 0, 200), ("2", "a", 0, 100), ("3", "a", 0, 50)]
    return counterfactuals(gold, Run.of("one", one), Run.of("two", two), "MAiP", notices=Notices())


def test_written_lists_score_the_same(tmp_path: Path) -> None:
    """Anybody can score them again; topics with equal scores keep their lists out of it."""
    made = pair()
    made.write(tmp_path / "new" / "folder")
    gold = [(topic, "a", 0, 100) for topic in "123"] + [("1", "b", 0, 100)]
    for place, cause in enumerate(CAUSES):
        run = read_run(tmp_path / "new" / "folder" / f"{cause}.jsonl")
        table = evaluate(gold, run, "MAiP", policy=Policy(overlap="first"), notices=Notices())
        for one in made.topics:
            assert table[cause, one.topic, "MAiP"] == one.causes[place].score


def test_a_run_as_a_whole() -> None:
    """Mean closure by cause over the topics on which it is worse, and topics by largest cause."""
    made = pair()
    assert made.equal == 1
    assert [one.topic for one in made.topics] == sorted(
        (one.topic for one in made.topics), key=lambda topic: -{"1": 0.7, "2": 0.8}[topic]
    )
    for whole in made.to_dict()["runs"]:
        own = [one for one in made.topics if made.names(one)[1] == whole["worse"]]
        assert whole["topics"] == len(own) == 1
        for entry, cause in zip(whole["causes"], own[0].causes, strict=True):
            assert entry["share"] == cause.share
            assert entry["of_mean_gap"] == pytest.approx(cause.share)
        assert sum(entry["topics"] for entry in whole["causes"]) + whole["several"] == 1


def test_measures_of_elements_have_none() -> None:
    """One line says what to do."""
    with pytest.raises(ExcerptError, match="has no counterfactuals"):
        counterfactuals([("1", "a", 0, 9)], run_of("x", [A], "1"), run_of("y", [A], "1"), "read")
