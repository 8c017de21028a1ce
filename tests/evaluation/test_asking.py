"""Titles and questions of topics beside judgments and scores."""

from __future__ import annotations

import pytest

from excerpt import ExcerptError, Judgments, Notices, ScoreTable
from excerpt.evaluation.asking import ask_judgments, ask_table
from excerpt.model.judgments import Question

TOPICS = b'{"id": "1", "title": "Signing", "text": "Who signed?"}\n{"id": "2", "text": "When?"}\n'


def test_titles_and_questions() -> None:
    """A title is the title, else the question; what judgments tell stays."""
    judgments = Judgments.of([("1", "A", 0, 5), ("2", "A", 0, 5), ("3", "A", 0, 5)])
    notices = Notices()
    asked = ask_judgments(judgments, TOPICS, notices)
    assert asked.questions == {
        "1": Question("1", "Who signed?", "", "Signing"),
        "2": Question("2", "When?", "", "When?"),
    }
    assert [said.partition(" (")[0] for said in notices] == ["judged topic has neither title nor question"]


def test_tables() -> None:
    """Scores that were saved get titles as well, and keep them."""
    table = ScoreTable.from_scores({("r", "1", "P"): 0.5, ("r", "2", "P"): 0.25})
    asked = ScoreTable.from_json(ask_table(table, TOPICS, Notices()).to_json())
    assert str(asked.by_topic()).splitlines() == [
        "run  topic  title         P",
        "---------------------------",
        "r    1      Signing  0.5000",
        "r    2      When?    0.2500",
        "r    all             0.3750",
    ]
    assert asked.by_topic().to_dict()["titles"] == {"1": "Signing", "2": "When?"}
    assert "titles" not in asked.to_dict()


def test_topics_of_something_else() -> None:
    """No topic in common is a mistake."""
    table = ScoreTable.from_scores({("r", "7", "P"): 0.5})
    with pytest.raises(ExcerptError, match="found topics 1, 2 and judgments of 7, expected the same ids"):
        ask_table(table, TOPICS, Notices())
