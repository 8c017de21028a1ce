"""Gathering questions, evidence and documents."""

from __future__ import annotations

from gold_files import faults, gold_file

from excerpt.gold.content import Gold
from excerpt.model.judgments import Question


def test_ids_are_there_once() -> None:
    """A question or a document that comes again is a fault; the same text again is none."""
    file = gold_file({"a": 1})
    one, gold = file.object(), Gold(file)
    assert gold.ask(one, "7", "Who?", "g") == "7"
    gold.ask(one, "7", "When?")
    gold.ask(one, "", "a fault was reported before")
    gold.carry(one, "d", "text")
    gold.carry(one, "d", "text")
    gold.carry(one, "d", "other")
    gold.add(one, "7", "", 0, 1)
    assert gold.questions == {"7": Question("7", "Who?", "g")}
    assert (gold.documents, gold.evidence) == ({"d": "text"}, [])
    assert faults(file) == [
        "f:1: found question 7 again (first in line 1), expected each id once",
        "f:1: found document d again with another text, expected each id once",
    ]


def test_questions_without_ids() -> None:
    """They are numbered; the same words again, in the same group, are remembered."""
    file = gold_file({"a": 1})
    one, gold = file.object(), Gold(file)
    asked = [("Who?", "a"), ("Who?", "b"), ("Who?", "a")]
    assert [gold.number(one, text, group) for text, group in asked] == ["1", "2", "3"]
    assert gold.again == [("3", "1")]
