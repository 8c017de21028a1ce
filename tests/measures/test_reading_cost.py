"""read: characters, words and tokens of the first results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from excerpt import Judgments, Policy, Result, Run, Span, evaluate, parse_measure
from excerpt.errors import MissingData

TEXTS = {"A": "One two.\n\nThree four.", "B": "Six"}
GOLD = Judgments.of([("1", Span("A", 4, 15)), ("2", Span("B", 0, 3))])
RUN = Run.of("r", [Result("1", "A", 0, 8), Result("1", "A", 2, 13), Result("1", "A", 2, 13)])


def test_characters_count_as_often_as_they_are_read() -> None:
    table = evaluate(GOLD, [RUN], ["read[1]", "read[2]", "read"])
    assert table.values.tolist() == [[[8, 19, 30], [0, 0, 0]]]


def test_words_are_those_of_the_text() -> None:
    """ "One two." has two words, "e two.\\n\\nThr" three."""
    table = evaluate(GOLD, [RUN], ["read(cost=words)[1]", "read(cost=words)[2]"], corpus=TEXTS)
    assert table.values.tolist() == [[[2, 5], [0, 0]]]


def test_a_column_of_the_run_is_believed() -> None:
    run = replace(RUN, costs={"tokens": np.array([5, 7, 7]), "words": np.array([1, 1, 1])})
    names = ["read(cost=tokens)[2]", "read(cost=words)"]
    assert evaluate(GOLD, [run], names, corpus=TEXTS).values[0, 0].tolist() == [12, 3]


def test_lost_results_have_the_length_of_their_text() -> None:
    run = Run.of("r", [Result("1", "A", -1, -1), Result("1", "A", -1, -1)])
    run = replace(run, lost=np.array([30, 0]))
    assert evaluate(GOLD, [run], ["read"]).values[0, 0].tolist() == [48]


def test_topics_without_relevant_text_are_read_where_they_count() -> None:
    """As 0 they would be cheap."""
    gold = Judgments.of([("1", Span("A", 4, 15))], irrelevant=[("2", "A")])
    run = Run.of("r", [Result("1", "A", 0, 8), Result("2", "A", 0, 9)])
    assert evaluate(gold, [run], ["read"]).means().tolist() == [[8]]
    assert evaluate(gold, [run], ["read"], policy=Policy(include_empty=True)).means().tolist() == [[8.5]]


NOWHERE = Run.of("r", [Result("1", "A", 0, 3), Result("1", "A", -1, -1)])
UNKNOWN = Run.of("r", [Result("1", "A", 0, 3), Result("1", "Z", 0, 3)])


@pytest.mark.parametrize(
    ("cost", "run", "corpus", "document", "hint"),
    [
        ("tokens", RUN, TEXTS, "A", "give a run with tokens beside its results"),
        ("words", RUN, None, "A", "give corpus=Corpus.read(…), or a run with words beside its results"),
        ("words", NOWHERE, TEXTS, "A", "give a run with words beside its results"),
        ("words", UNKNOWN, TEXTS, "Z", "give a run with words beside its results"),
    ],
)
def test_what_is_not_known_is_asked_for(
    cost: str, run: Run, corpus: dict[str, str] | None, document: str, hint: str
) -> None:
    with pytest.raises(MissingData) as caught:
        evaluate(GOLD, [run], [f"read(cost={cost})"], corpus=corpus)
    assert str(caught.value) == (
        f"r: read(cost={cost}) needs the {cost} of every result, but nothing tells those of topic 1, "
        f"document {document}; {hint}"
    )


def test_only_what_is_read_must_be_known() -> None:
    run = Run.of("r", [Result("1", "A", 0, 8), Result("1", "A", -1, -1)])
    found = evaluate(GOLD, [run], ["read(cost=words)[1]"], corpus=TEXTS)
    assert found.values[0, 0].tolist() == [2]


def test_it_is_no_share() -> None:
    assert not parse_measure("read@5").is_share
    assert parse_measure("found(share=0.5)@5").is_share
