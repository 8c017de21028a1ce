"""Topics as text, in the formats that are read; what a format cannot hold is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from excerpt.errors import ExcerptError, UnknownName, json_text, short
from excerpt.formats.topics.topic import TEXTS, Topic, Topics
from excerpt.model.texts import fold
from excerpt.notices import Notices

#: Names of texts as INEX has them.
_ELEMENTS = {
    "title": "title",
    "castitle": "castitle",
    "phrasetitle": "phrasetitle",
    "text": "description",
    "narrative": "narrative",
    "keywords": "keywords",
}
#: What XML cannot hold.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Form(NamedTuple):
    """How topics are written, and which texts are kept."""

    write: Callable[[Iterable[Topic]], str]
    keeps: tuple[str, ...] = TEXTS


def write(topics: Topics, format_: str, notices: Notices) -> str:
    """The topics in a format; texts that it cannot hold are counted."""
    if format_ not in FORMS:
        raise UnknownName("format of topics", format_, FORMS)
    form = FORMS[format_]
    for name in (name for name in TEXTS if name not in form.keeps):
        lost = [topic.id for topic in topics.values() if getattr(topic, name)]
        message = f"{format_} has no {name}, so it was left out"
        notices.add(message, len(lost), where=f"topic {short(lost[0])}" if lost else "")
    if format_ == "indri":
        lost = [topic.id for topic in topics.values() if topic.title and topic.text]
        message = "indri has one text, so only the title was kept"
        notices.add(message, len(lost), where=f"topic {short(lost[0])}" if lost else "")
    return form.write(topics.values())


def _tsv(topics: Iterable[Topic]) -> str:
    """Plain where there are questions only, else with a first line that names the columns."""
    given = list(topics)
    used = [name for name in (*TEXTS, "kind") if any(_cell(topic, name) for topic in given)]
    rows = [[topic.id, *(_cell(topic, name) for name in used)] for topic in given]
    heading = [] if used == ["text"] else [["id", *used]]
    for topic in given:
        _check_id(topic)
    return "".join("\t".join(map(fold, row)) + "\n" for row in (*heading, *rows))


def _check_id(topic: Topic) -> None:
    """An error for an id that would be another one when it is read again."""
    if not topic.id or fold(topic.id) != topic.id or _FORBIDDEN.search(topic.id):
        raise ExcerptError(
            f"found topic {short(repr(topic.id))}, expected an id without tabs and line ends, "
            "spaces at its ends and control characters"
        )


def _cell(topic: Topic, name: str) -> str:
    if name == "kind" and topic.kind == _plain_kind(topic):
        return ""
    return str(getattr(topic, name))


def _plain_kind(topic: Topic) -> str:
    """The kind that the texts of a topic show by themselves."""
    return Topic(topic.id, title=topic.title, text=topic.text, castitle=topic.castitle).kind


def _jsonl(topics: Iterable[Topic]) -> str:
    rows = []
    for topic in topics:
        texts = {name: getattr(topic, name) for name in (*TEXTS, "kind")}
        rows.append({"id": topic.id, **{name: text for name, text in texts.items() if text}})
    return "".join(json_text(row) + "\n" for row in rows)


def _trec(topics: Iterable[Topic]) -> str:
    parts = []
    for topic in topics:
        if len(topic.id.split()) != 1:
            raise ExcerptError(f"found topic {short(repr(topic.id))}, expected an id without spaces for trec")
        lines = ["<top>", f"<num> Number: {_xml(topic.id)}", f"<title> {_xml(topic.title)}".rstrip()]
        lines += ["", "<desc> Description:", _xml(topic.text)] if topic.text else []
        lines += ["", "<narr> Narrative:", _xml(topic.narrative)] if topic.narrative else []
        parts.append("\n".join([*lines, "</top>", ""]))
    return "\n".join(parts)


def _inex(topics: Iterable[Topic]) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<inex-topic-file>"]
    for topic in topics:
        _check_id(topic)
        lines.append(f"<topic id={_attribute(topic.id)} query_type={_attribute(topic.kind)}>")
        texts = {tag: getattr(topic, name) for name, tag in _ELEMENTS.items()}
        lines += [f"  <{tag}>{_xml(text)}</{tag}>" for tag, text in texts.items() if text]
        lines.append("</topic>")
    return "\n".join([*lines, "</inex-topic-file>", ""])


def _indri(topics: Iterable[Topic]) -> str:
    """Words only: Indri takes other characters for operators."""
    lines = ["<parameters>"]
    for topic in topics:
        _check_id(topic)
        words = " ".join(re.findall(r"\w+", topic.title or topic.text))
        if not words:
            raise ExcerptError(f"found no words in topic {short(topic.id)}, expected some for indri")
        lines.append(f"<query><number>{_xml(topic.id)}</number><text>{_xml(words)}</text></query>")
    return "\n".join([*lines, "</parameters>", ""])


def _xml(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("\ufffd", text))


#: Every format that topics are written in.
FORMS = {
    "tsv": _Form(_tsv),
    "jsonl": _Form(_jsonl),
    "trec": _Form(_trec, ("title", "text", "narrative")),
    "inex": _Form(_inex),
    "indri": _Form(_indri, ("title", "text")),
}
