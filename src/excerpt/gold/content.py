"""Content of gold files: questions, evidence, documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from excerpt.errors import short
from excerpt.gold.file import GoldFile, Item
from excerpt.model.judgments import Question, Unit
from excerpt.model.spans import MAX_OFFSET
from excerpt.records.spellings import ROLES

NOWHERE = -1
#: Keys of the ids that questions of any file may have.
QUESTION_IDS = tuple(key for key in ROLES["question"]["topic"] if key.endswith("id") and key != "id")


class Evidence(NamedTuple):
    """A passage that answers a question, as the file gives it."""

    topic: str
    document: str
    #: -1 if the file has only the text.
    start: int
    end: int
    #: Empty if the file has only the offsets.
    quote: str
    item: Item
    #: The number of the need inside its question, shared by alternatives; -1 for a need of its own.
    need: int = -1
    #: The number of the alternative inside its need, shared by its parts; -1 for an alternative of its own.
    alternative: int = -1


@dataclass(eq=False)
class Gold:
    """The content of a gold file: questions by id, in the order of the file, evidence and documents."""

    file: GoldFile
    documents: dict[str, str] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)
    #: Pairs of question and document that were judged, with or without evidence.
    judged: list[tuple[str, str]] = field(default_factory=list)
    #: The unit of the offsets.
    unit: Unit = "char"
    _lines: dict[str, Item] = field(default_factory=dict)
    _asked: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Questions without an id that repeat an earlier question, each with the id of the first.
    repeated: list[tuple[str, str]] = field(default_factory=list)

    def add_question(self, item: Item, topic: str, text: str, group: str = "") -> str:
        """Add a question; report an id that is used already."""
        if topic in self.questions:
            first = self._lines[topic].line
            item.fault(f"found question {short(topic)} again (first in line {first}), expected each id once")
        elif topic:
            self.questions[topic] = Question(topic, text, group)
            self._lines[topic] = item
        return topic

    def add_numbered(self, item: Item, text: str, group: str = "") -> str:
        """Add a question, with its id if the file has one, else with its number, from 1, as id."""
        if key := next(filter(item.has, QUESTION_IDS), None):
            return self.add_question(item, item.name(key), text, group)
        topic = self.add_question(item, str(len(self.questions) + 1), text, group)
        first = self._asked.setdefault((text, group), topic)
        if first != topic:
            self.repeated.append((topic, first))
        return topic

    def add_evidence(
        self,
        item: Item,
        topic: str,
        document: str,
        start: int = NOWHERE,
        end: int = NOWHERE,
        quote: str = "",
        need: int = -1,
        alternative: int = -1,
    ) -> None:
        """Add evidence: its offsets, its text, or both; evidence of one need is alternative."""
        if start != NOWHERE and not 0 <= start < end <= MAX_OFFSET:
            item.fault(f"found a start at {start} and an end at {end}, expected an end after the start")
        elif topic and (document or quote):
            self.evidence.append(Evidence(topic, document, start, end, quote, item, need, alternative))

    def add_judged(self, topic: str, document: str) -> None:
        """Record that a document was judged for a question."""
        if topic and document:
            self.judged.append((topic, document))

    def add_document(self, item: Item, document: str, text: str) -> None:
        """Add the text of a document; report another text under the same id."""
        if document and self.documents.setdefault(document, text) != text:
            item.fault(f"found document {short(document)} again with another text, expected each id once")


class Titles:
    """Documents by title and text, numbered in the order of the file.

    >>> titles = Titles([("Bridges", "one"), ("Bridges", "two"), ("Locks", "three"), ("Locks", "three")])
    >>> titles.name("Bridges", "two"), titles.name("Locks", "three")
    ('Bridges#2', 'Locks')
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        #: The number of each text, by title.
        self.numbers: dict[str, dict[str, int]] = {}
        for title, text in documents:
            texts = self.numbers.setdefault(title, {})
            texts.setdefault(text, len(texts) + 1)

    def name(self, title: str, text: str) -> str:
        """Return the id of a document."""
        return numbered(title, self.numbers[title][text], len(self.numbers[title]))


def numbered(title: str, number: int, count: int) -> str:
    """Return the id of a paragraph or page: its title, and its number if several have the title.

    >>> numbered("Bridges", 2, 3), numbered("Bridges", 1, 1)
    ('Bridges#2', 'Bridges')
    """
    return title if count == 1 else f"{title}#{number}"


@dataclass(frozen=True)
class Kind:
    """A format of gold files."""

    name: str
    #: One line that shows its layout, and its description.
    layout: str
    description: str
    #: A small file in the format.
    example: str
    read: Callable[[GoldFile], Gold]
    #: Test of the first JSON value of a file.
    fits: Callable[[Any], bool] | None = None
    #: Keys at the beginning of such a file, by which a broken file is detected.
    keys: tuple[str, ...] = ()
    #: Test of a file that is not JSON.
    looks: Callable[[GoldFile], bool] | None = None
    #: True if files contain the text of the documents.
    has_texts: bool = False
    #: True if documents may be paragraphs or articles.
    has_articles: bool = False

    def recognise(self, file: GoldFile) -> bool:
        """Return whether a file is of this format."""
        if self.looks is not None:
            return self.looks(file)
        if file.first is not None:
            return self.fits is not None and self.fits(file.first)
        return bool(self.keys) and all(re.search(rf'"{key}"\s*:', file.head) is not None for key in self.keys)


def lists(value: Any, key: str, *keys: str) -> bool:
    """Return whether an object has a list under `key` whose first object, if any, has one of `keys`.

    >>> [lists(value, "data", "a", "b") for value in ({"data": [{"b": 1}]}, {"data": []}, {"data": [1]}, [])]
    [True, True, False, False]
    """
    values = value.get(key) if isinstance(value, dict) else None
    if not isinstance(values, list):
        return False
    return not values or (isinstance(values[0], dict) and any(key in values[0] for key in keys))


def has_record(value: Any, *keys: str) -> bool:
    """Return whether a value is an object with all of these keys, or a list that begins with one.

    >>> [has_record(value, "a", "b") for value in ({"a": 1, "b": 2}, [{"a": 1, "b": 2}], [], {"a": 1})]
    [True, True, False, False]
    """
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and first.keys() >= set(keys)
