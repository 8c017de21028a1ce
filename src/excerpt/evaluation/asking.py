"""What was asked, beside judgments and scores that do not tell it: titles and questions of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from excerpt.errors import short
from excerpt.files import Input
from excerpt.model.judgments import Judgments, Question
from excerpt.model.scores import ScoreTable
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.formats.topics import Topic

#: Topics as functions take them: a file of them, or themselves or their texts by id.
AnyTopics: TypeAlias = "Mapping[str, Topic | str] | Input"


def ask_judgments(judgments: Judgments, topics: AnyTopics, notices: Notices) -> Judgments:
    """Judgments with the titles of their topics, and the questions that they do not tell."""
    return replace(judgments, questions=_questions(judgments.topics, judgments.questions, topics, notices))


def ask_table(table: ScoreTable, topics: AnyTopics, notices: Notices) -> ScoreTable:
    """Scores with the titles of their topics, and the questions that they do not tell."""
    return replace(table, questions=_questions(table.topics, table.questions, topics, notices))


def name_topic(table: ScoreTable, topic: str) -> str:
    """A topic as figures name it: with its title, where a file tells it.

    >>> asked = {"1": Question("1", title="Signing")}
    >>> name_topic(replace(ScoreTable.from_scores({("r", "1", "P"): 0.5}), questions=asked), "1")
    'topic 1: Signing'
    """
    title = table.questions[topic].title if topic in table.questions else ""
    return f"topic {topic}" + (f": {short(title, 40)}" if title else "")


def _questions(
    names: Iterable[str], known: Mapping[str, Question], topics: AnyTopics, notices: Notices
) -> dict[str, Question]:
    from excerpt.formats.topics import read_topics

    asked = read_topics(topics, notices=notices)
    asked.check(names, notices)
    questions = dict(known)
    for name in names:
        told, topic = questions.get(name, Question(name)), asked.get(name)
        if topic is not None:
            text = told.text or topic.text or topic.title
            questions[name] = told._replace(text=text, title=topic.title or topic.text)
    return questions
