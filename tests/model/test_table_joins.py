"""Tables that become one, and those that do not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from excerpt import ExcerptError, ScoreTable
from excerpt.model.questions import Question
from excerpt.model.table_joins import other_runs

SCORES = {
    ("a", "1", "AiP"): 0.5,
    ("a", "2", "AiP"): None,
    ("b", "1", "AiP"): 0.25,
    ("b", "2", "AiP"): 0.75,
}


def table(scores: dict[tuple[str, str, str], float | None]) -> ScoreTable:
    """A table of some scores."""
    return ScoreTable.from_scores(scores)


def part(run: str, measure: str = "AiP", topics: str = "12") -> ScoreTable:
    """The scores of one run, in another order of topics, by another name of the measure."""
    return table({(run, topic, measure): SCORES[run, topic, "AiP"] for topic in topics})


def test_runs_are_joined() -> None:
    """Also where topics are in another order and the measure is spelt otherwise."""
    joined = part("a", "iP@0.01") + part("b", "iP[0.01]", "21")
    assert (joined.runs, joined.topics, joined.measures) == (("a", "b"), ("1", "2"), ("iP@0.01",))
    assert joined["b", "2", "iP@0.01"] == 0.75
    assert math.isnan(joined["a", "2", "iP@0.01"])


def test_measures_are_joined() -> None:
    """What both tables have must agree; warnings and questions of both are kept."""
    first = replace(table(SCORES), warnings=("one", "two"), questions={"1": Question("1", "Who?")})
    more = {(run, topic, "charR"): 0.5 for run, topic, _ in SCORES}
    second = replace(table({**SCORES, **more}), warnings=("two", "three"), documents={"2": "D"})
    joined = first + second
    assert (joined.runs, joined.measures) == (("a", "b"), ("AiP", "charR"))
    assert joined.warnings == ("one", "two", "three")
    assert (joined.questions["1"].text, joined.documents) == ("Who?", {"2": "D"})
    assert joined["b", "1", "charR"] == 0.5
    assert (first + second + joined).to_json() == joined.to_json()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (table({("b", "1", "AiP"): 1.0}), "found topic 2 only in the first table, expected the same topics"),
        (
            table({("b", topic, "AiP"): 1.0 for topic in "123456"}),
            "found topics 3, 4, 5 and 1 more only in the second table",
        ),
        (
            table({("a", topic, "AiP"): 0.5 for topic in "12"}),
            "found other scores of run a by AiP in the second table, expected the same; two runs need two",
        ),
        (
            table({("b", topic, "charR"): 0.5 for topic in "12"}),
            "found no scores of run a by charR, expected scores of every run by every measure",
        ),
    ],
)
def test_what_cannot_be_joined(other: ScoreTable, said: str) -> None:
    """One sentence that says why."""
    with pytest.raises(ExcerptError, match=said):
        part("a") + other


def test_one_alias_of_two_measures() -> None:
    """An everyday name that means two things is refused."""
    first = replace(part("a", "recall@5"), aliases={"recall@5": "charR@5"})
    second = replace(part("b", "recall@5"), aliases={"recall@5": "charF@5"})
    with pytest.raises(ExcerptError, match="found recall@5 for two measures"):
        first + second
    same = first + replace(second, measures=("charR@5",), aliases={})
    assert same.measures == ("recall@5",)


def test_what_is_no_table() -> None:
    """Python says that they cannot be added."""
    with pytest.raises(TypeError, match="unsupported operand"):
        part("a") + 1  # type: ignore[operator]


def test_other_runs_of_a_name() -> None:
    """Those with other scores by a measure of both tables, whatever it is called and how topics stand."""
    assert other_runs(part("a", "iP@0.01"), part("a", "iP[0.01]", "21")) == []
    assert other_runs(part("a"), table({("a", topic, "AiP"): 0.5 for topic in "12"})) == ["a"]
    assert other_runs(part("a"), table({("a", topic, "charR"): 0.5 for topic in "12"})) == []
    assert other_runs(part("a"), part("b")) == []


def test_renamed_runs() -> None:
    """Two runs of one name can be compared under two."""
    renamed = part("a").rename({"a": "main"}) + part("a")
    assert renamed.runs == ("main", "a")
    with pytest.raises(ExcerptError, match="found the name b for two runs"):
        table(SCORES).rename({"a": "b"})
    with pytest.raises(ExcerptError, match="unknown run 'x'"):
        part("a").rename({"x": "y"})
