"""Topics in XML: INEX 2002 to 2010, the plain form of our own collections, parameter files of Indri.

A topic is an element `<inex_topic>`, `<INEX-Topic>` or `<topic>` wherever it stands, so one file can hold one
or many, or the assessments of a topic around it. Its id is an attribute (`topic_id`, `topic-id`, `id`,
`number`) or an element of such a name.
"""

from __future__ import annotations

from excerpt.formats.source import Source
from excerpt.formats.text.xml_events import Events, root_name
from excerpt.formats.topics._gathering import Gathered
from excerpt.formats.topics._terms_of_2002 import MARKS, castitle_of, words_of
from excerpt.formats.topics.topic import Topic
from excerpt.model.texts import fold

LAYOUT = '<inex_topic topic_id="…"> or <topic id="…">, with <title> and <description>'

_TOPICS = {"inex_topic", "inex-topic", "topic"}
_ROOTS = {"inex_topics", "inex-topics", "inex-topic-file", "inex_topic_file", "topics"}
_ASSESSMENTS = "assessments"
#: The parameters of Indri have queries.
_PARAMETERS, _QUERY = "parameters", "query"
_IDS = ("topic_id", "topic-id", "topicid", "id", "number", "num")
_KINDS = ("query_type", "query-type", "querytype", "kind")
_FIELDS = {
    "title": "title",
    "query": "title",
    "description": "text",
    "desc": "text",
    "question": "text",
    "text": "text",
    "narrative": "narrative",
    "narr": "narrative",
    "castitle": "castitle",
    "keywords": "keywords",
    "phrasetitle": "phrasetitle",
}


def recognise(source: Source) -> bool:
    """Whether the root element is a topic or holds topics."""
    return root_name(source).lower() in {*_TOPICS, *_ROOTS, _ASSESSMENTS, _PARAMETERS}


class _Reader(Events):
    """Gathers topics, whatever is around them."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.gathered = Gathered(source)
        self._topics = {_QUERY} if root_name(source).lower() == _PARAMETERS else _TOPICS
        self._assessed: tuple[str, int] | None = None  # id and line of the assessments around it
        self._begun = 0  # the line of the topic at hand; 0 outside
        self._id = self._kind = ""
        self._texts: dict[str, str] = {}
        self._lines: dict[str, int] = {}
        self._marked: list[tuple[str, str]] = []  # the terms of a title of 2002
        self._mark = 0  # how many pieces stand before one of them
        self._field = ""
        self._depth = 0  # inside of the topic

    def start(self, name: str, attributes: dict[str, str]) -> None:
        lowered = name.lower()
        if not self._begun:
            if lowered in self._topics:
                self._begin(attributes)
            elif lowered == _ASSESSMENTS:
                self._assessed = fold(attributes.get("topic", "")), self.line
            else:
                self.pieces.clear()  # what is no topic may be long
            return
        self._depth += 1
        self._mark = len(self.pieces)
        if self._depth == 1:
            self._end_own_text()
            self._mark = 0
            self._field = "id" if lowered in _IDS else _FIELDS.get(lowered, "")
            self._lines.setdefault(self._field, self.line)
        if lowered in self._topics:
            self.faults.add(self.line, f"found <{name}> inside of <{name}>, expected one after the other")

    def _begin(self, attributes: dict[str, str]) -> None:
        self._begun, self._depth = self.line, 0
        lowered = {key.lower(): fold(value) for key, value in attributes.items()}
        self._id = next((lowered[key] for key in _IDS if key in lowered), "")
        self._kind = next((lowered[key] for key in _KINDS if key in lowered), "")
        self._texts, self._lines, self._marked = {}, {}, []
        self.pieces.clear()

    def end(self, name: str) -> None:
        if not self._begun:
            if name.lower() == _ASSESSMENTS:
                self._end_assessments()
        elif self._depth > 1:
            if self._depth == 2 and name.lower() in MARKS and self._field == "title":
                self._marked.append((name.lower(), fold("".join(self.pieces[self._mark :]))))
            self._depth -= 1
        elif self._depth == 1:
            self._depth = 0
            self._keep(self._field)
        else:
            self._end_own_text()
            self._add()
            self._begun = 0

    def _add(self) -> None:
        """What was gathered is a topic."""
        texts = {**self._texts, "text": self._texts.get("text") or self._texts.pop("", "")}
        title, line = texts.get("title", ""), self._lines.get("castitle")
        if self._marked:
            texts["title"] = words_of(self._marked)
            texts["castitle"] = castitle_of(self._marked) if self._kind.upper() != "CO" else ""
        elif title.startswith("/") and not texts.get("castitle"):  # as CAS titles of 2003 and 2004
            texts["castitle"], line = title, self._lines.get("title")
        name = self._id or (self._assessed[0] if self._assessed else "")
        self.gathered.add(self._begun, name, texts, kind=self._kind.upper(), castitle_line=line)

    def _end_assessments(self) -> None:
        """A topic that has no more than assessments."""
        if self._assessed is not None and self._assessed[0] not in self.gathered.topics:
            self.gathered.add(self._assessed[1], self._assessed[0], {}, bare=True)
        self._assessed = None

    def _end_own_text(self) -> None:
        """Keep text of the topic that is in no element."""
        self._keep("")

    def _keep(self, field: str) -> None:
        text = fold("".join(self.pieces))
        self.pieces.clear()
        if field == "id":
            self._id = self._id or text
        elif text:
            before = self._texts.get(field)
            self._texts[field] = f"{before} {text}" if before else text


def read(source: Source) -> dict[str, Topic]:
    """The topics of a file."""
    reader = _Reader(source)
    reader.parse()
    if not reader.gathered.topics and not source.faults:
        source.faults.add(None, f"found no topic in it, expected {LAYOUT}")
    return reader.gathered.topics
