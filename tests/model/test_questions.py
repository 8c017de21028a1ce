"""Questions of judgments."""

from __future__ import annotations

from dataclasses import replace

from excerpt.model import Judgments, Span
from excerpt.model.questions import Question


def test_judgments_keep_questions_where_they_are_put_together() -> None:
    parts = [
        replace(Judgments.of([(topic, Span("A", 0, 5))]), questions={topic: Question(topic, f"{topic}?")})
        for topic in ("1", "2")
    ]
    together = Judgments.together(parts)
    assert [together.questions[topic].text for topic in together.topics] == ["1?", "2?"]
