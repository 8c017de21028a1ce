"""What a gold file says: questions, the evidence for each, and the documents that the file carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from excerpt.errors import short
from excerpt.gold.file import GoldFile
from excerpt.gold.item import Item
from excerpt.model.judgments import Question, Unit

NOWHERE = -1


class Evidence(NamedTuple):
    """A passage that answers a question, as the file tells it."""

    topic: str
    document: str
    #: -1 where the file has only the text.
    start: int
    end: int
    #: Empty where the file has only the place.
    quote: str
    item: Item


@dataclass(eq=False)
class Gold:
    """Questions by id, in the order of the file."""

    file: GoldFile
    documents: dict[str, str] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)
    #: Pairs of question and document that were judged, with or without evidence.
    judged: list[tuple[str, str]] = field(default_factory=list)
    #: What the offsets count.
    unit: Unit = "char"
    _lines: dict[str, Item] = field(default_factory=dict)
    _asked: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Questions without an id that were asked before, each with the id of the first.
    again: list[tuple[str, str]] = field(default_factory=list)

    def ask(self, item: Item, topic: str, text: str, group: str = "") -> str:
        """Add a question; one that is there already is a fault."""
        if topic in self.questions:
            first = self._lines[topic].line
            item.fault(f"found question {short(topic)} again (first in line {first}), expected each id once")
        elif topic:
            self.questions[topic] = Question(topic, text, group)
            self._lines[topic] = item
        return topic

    def number(self, item: Item, text: str, group: str = "") -> str:
        """Add a question of a file without ids; its number, from 1 on, is its id."""
        topic = self.ask(item, str(len(self.questions) + 1), text, group)
        first = self._asked.setdefault((text, group), topic)
        if first != topic:
            self.again.append((topic, first))
        return topic

    def add(
        self, item: Item, topic: str, document: str, start: int = NOWHERE, end: int = NOWHERE, quote: str = ""
    ) -> None:
        """Add evidence: its place, its text, or both."""
        if topic and document:
            self.evidence.append(Evidence(topic, document, start, end, quote, item))

    def carry(self, item: Item, document: str, text: str) -> None:
        """Add a document; another text under the same id is a fault."""
        if document and self.documents.setdefault(document, text) != text:
            item.fault(f"found document {short(document)} again with another text, expected each id once")
