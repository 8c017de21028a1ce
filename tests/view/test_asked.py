"""Whose words a question has."""

from __future__ import annotations

from dataclasses import replace

from excerpt import Judgments
from excerpt.formats.topics import Topic, Topics
from excerpt.model.judgments import Question
from excerpt.view.asked import topic_of

JUDGMENTS = replace(
    Judgments.of([("1", "A", 0, 5), ("2", "A", 0, 5)]), questions={"1": Question("1", "Who?", "law")}
)


def test_topics_come_before_the_judgments() -> None:
    """But one that says nothing does not hide a question."""
    assert topic_of("1", JUDGMENTS).text == "Who?"
    assert topic_of("1", JUDGMENTS, Topics.of({"1": "What?"})).text == "What?"
    assert topic_of("1", JUDGMENTS, Topics.of({"1": Topic("1")})).text == "Who?"
    assert topic_of("2", JUDGMENTS, Topics.of({"1": "What?"})) == Topic("2")
