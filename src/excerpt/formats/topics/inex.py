"""Topics in XML: INEX 2002 to 2010, and the plain form of our own collections.

A topic is an element `<inex_topic>`, `<INEX-Topic>` or `<topic>` wherever it stands, so one file can hold one
or many. Its id is an attribute (`topic_id`, `topic-id`, `id`, `number`) or an element of such a name.
"""

from __future__ import annotations

from excerpt.formats.source import Source
from excerpt.formats.text.xml_events import Events, root_name
from excerpt.formats.topics._gathering import Gathered
from excerpt.formats.topics.topic import Topic
from excerpt.model.texts import fold

LAYOUT = '<inex_topic topic_id="…"> or <topic id="…">, with <title> and <description>'

_TOPICS = {"inex_topic", "inex-topic", "topic"}
_ROOTS = {"inex_topics", "inex-topics", "inex-topic-file", "inex_topic_file", "topics"}
_IDS = ("topic_id", "topic-id", "topicid", "id", "number", "num")
_FIELDS = {
    "title": "title",
    "query": "title",
    "description": "text",
    "desc": "text",
    "question": "text",
    "narrative": "narrative",
    "narr": "narrative",
    "castitle": "castitle",
    "keywords": "keywords",
    "phrasetitle": "phrasetitle",
}


def recognise(source: Source) -> bool:
    """Whether the root element is a topic or holds topics."""
    return root_name(source).lower() in _TOPICS | _ROOTS


class _Reader(Events):
    """Gathers topics, whatever is around them."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.gathered = Gathered(source)
        self._begun = 0  # the line of the topic at hand; 0 outside
        self._id = ""
        self._texts: dict[str, str] = {}
        self._field = ""
        self._depth = 0  # inside of the topic

    def start(self, name: str, attributes: dict[str, str]) -> None:
        lowered = name.lower()
        if not self._begun:
            if lowered in _TOPICS:
                self._begin(attributes)
            return
        self._depth += 1
        if self._depth == 1:
            self._end_own_text()
            self._field = "id" if lowered in _IDS else _FIELDS.get(lowered, "")
        if lowered in _TOPICS:
            self.faults.add(self.line, f"found <{name}> inside of <{name}>, expected one after the other")

    def _begin(self, attributes: dict[str, str]) -> None:
        self._begun, self._depth = self.line, 0
        lowered = {key.lower(): value for key, value in attributes.items()}
        self._id = fold(next((lowered[key] for key in _IDS if key in lowered), ""))
        self._texts = {}
        self.pieces.clear()

    def end(self, name: str) -> None:  # noqa: ARG002 - the depth tells which
        if not self._begun:
            return
        if self._depth > 1:
            self._depth -= 1
        elif self._depth == 1:
            self._depth = 0
            self._keep(self._field)
        else:
            self._end_own_text()
            text = self._texts.get("text") or self._texts.pop("", "")
            self.gathered.add(self._begun, self._id, {**self._texts, "text": text})
            self._begun = 0

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
