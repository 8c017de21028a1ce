"""What was asked: from a file of topics, else from the judgments themselves."""

from __future__ import annotations

from excerpt.formats.topics import Topic, Topics
from excerpt.model.judgments import Judgments


def topic_of(name: str, judgments: Judgments, topics: Topics | None = None) -> Topic:
    """A topic with its texts: as `topics` have it, else with the question that the judgments tell.

    >>> from dataclasses import replace
    >>> from excerpt.model.judgments import Question
    >>> judgments = replace(Judgments.of([("7", "A", 0, 5)]), questions={"7": Question("7", "Who signed?")})
    >>> topic_of("7", judgments).text
    'Who signed?'
    """
    found = None if topics is None else topics.get(name)
    if found is not None and (found.title or found.text):
        return found
    question = judgments.questions.get(name)
    return Topic(name, text="" if question is None else question.text)
