"""Lists of topics for display, and writers of topics."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from excerpt.errors import ExcerptError, FormatError, UnknownName, json_text, plural, short
from excerpt.files import Input, write_bytes
from excerpt.model.display import Showable
from excerpt.model.texts import fold
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices
from excerpt.queries.topic import TEXTS, Topic, Topics
from excerpt.queries.topic_files import read_checked, read_topics

#: Texts in the order of INEX, which calls the text a description.
_ELEMENTS = ("title", "castitle", "phrasetitle", "text", "narrative", "keywords")
#: Characters that XML cannot contain.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Form(NamedTuple):
    write: Callable[[Iterable[Topic]], str]
    keeps: tuple[str, ...] = TEXTS


def write(topics: Topics, format_: str, notices: Notices) -> str:
    """Return the topics in a format; warn of texts that it cannot store."""
    if format_ not in FORMS:
        raise UnknownName("format of topics", format_, FORMS)
    form = FORMS[format_]
    lost = {
        f"without {name}: format {format_} has none": [
            one.id for one in topics.values() if getattr(one, name)
        ]
        for name in TEXTS
        if name not in form.keeps
    }
    if format_ == "indri":
        both = [one.id for one in topics.values() if one.title and one.text]
        lost["with the title only: format indri has one text per topic"] = both
    for loss, names in lost.items():
        where = f"topic {short(names[0])}" if names else ""
        notices.add(f"topic is written {loss}", f"topics are written {loss}", len(names), where=where)
    return form.write(topics.values())


def _tsv(topics: Iterable[Topic]) -> str:
    """Return rows of id and question; with other texts, a first line names the columns."""
    listed = list(topics)
    used = [name for name in (*TEXTS, "kind") if any(_cell(topic, name) for topic in listed)]
    rows = [[topic.id, *(_cell(topic, name) for name in used)] for topic in listed]
    heading = [] if used == ["text"] else [["id", *used]]
    for topic in listed:
        _check_id(topic)
    return "".join("\t".join(map(fold, row)) + "\n" for row in (*heading, *rows))


def _check_id(topic: Topic) -> None:
    if not topic.id or fold(topic.id) != topic.id or _FORBIDDEN.search(topic.id):
        raise ExcerptError(
            f"found topic {short(repr(topic.id))}, expected an id without tabs, line ends, "
            "control characters and spaces around it"
        )


def _cell(topic: Topic, name: str) -> str:
    """Return a text, or the kind if it does not follow from the texts."""
    if name == "kind" and topic.kind == replace(topic, kind="").kind:
        return ""
    return str(getattr(topic, name))


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
        for name in (name for name in _ELEMENTS if getattr(topic, name)):
            tag = "description" if name == "text" else name
            lines.append(f"  <{tag}>{_xml(getattr(topic, name))}</{tag}>")
        lines.append("</topic>")
    return "\n".join([*lines, "</inex-topic-file>", ""])


def _indri(topics: Iterable[Topic]) -> str:
    """Return queries of words only, since Indri reads other characters as operators."""
    lines = ["<parameters>"]
    for topic in topics:
        _check_id(topic)
        words = " ".join(re.findall(r"\w+", topic.title or topic.text))
        if not words:
            raise ExcerptError(f"topic {short(topic.id)} has no words, which format indri needs")
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


@dataclass(frozen=True)
class TopicList(Showable):
    """Topics by id, to be listed and written."""

    topics: Topics
    warnings: tuple[str, ...] = ()
    #: Collector of warnings about writing; by default they are Python warnings.
    notices: Notices | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Topic:
        return self.topics[name]

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return f"<TopicList of {self.notes()[0]}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the object that the command line prints as JSON."""
        topics = [topic.to_dict() for topic in self.topics.values()]
        return {"topics": topics, "warnings": list(self.warnings)}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return id, kind and title of each topic; if some have a query, also its target and the query."""
        structured = any(topic.castitle for topic in self.topics.values())
        rows = []
        for topic in self.topics.values():
            nexi = ("", "") if topic.query is None else (str(topic.target), str(topic.query))
            words = topic.title if topic.title != topic.castitle else topic.text
            target, query = ((nexi[0],), (nexi[1],)) if structured else ((), ())
            rows.append((topic.id, topic.kind, *target, words or topic.text, *query))
        return ("id", "kind", *("target",) * structured, "title", *("castitle",) * structured), rows

    def notes(self) -> tuple[str, ...]:
        """Return the number of topics of each kind."""
        kinds = Counter(topic.kind for topic in self.topics.values())
        counts = ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds))
        return (f"{plural(len(self), 'topic')}: {counts}",)

    def write(self, path: str | os.PathLike[str], format: str) -> None:  # noqa: A002 - the users' word
        """Write the topics as tsv, jsonl, trec, inex or indri."""
        with Gathering(self.notices) as notices:
            write_bytes(path, write(self.topics, format, notices).encode(errors="backslashreplace"))


def topics(
    source: Input | Mapping[str, Topic | str],
    *,
    only: TopicIds = None,
    exclude: TopicIds = None,
    notices: Notices | None = None,
) -> TopicList:
    """Read topics and check their ids, texts and NEXI queries; the first fault is raised.

    `only` and `exclude` choose some, as in `201,205-210`. The list prints itself, has each topic by its id
    with the `target` of its query, and can `write` the topics in other formats.

    >>> found = topics(b'{"id": "7", "title": "stone", "castitle": "//article//sec[about(., stone)]"}')
    >>> print(found)
    id  kind  target  title  castitle
    --------------------------------------------------------
    7   CO+S  sec     stone  //article//sec[about(., stone)]
    <BLANKLINE>
    1 topic: 1 CO+S
    >>> found["7"].target.fits("/article[1]/bdy[1]/sec[3]")
    True
    """
    chosen, faults, warnings = examine(source, only=only, exclude=exclude, most=1)
    if faults:
        raise faults[0]
    with Gathering(notices) as gathered:
        gathered.extend(warnings)
    return TopicList(chosen, tuple(warnings), notices)


def examine(
    source: Input | Mapping[str, Topic | str] | list[str],
    *,
    only: TopicIds = None,
    exclude: TopicIds = None,
    most: int = 1000,
) -> tuple[Topics, list[FormatError], Notices]:
    """Return the topics of a source or several files, their first faults (at most `most`), and warnings."""
    notices = Notices()
    if isinstance(source, Mapping):
        chosen, faults = read_topics(source, only=only, exclude=exclude), _faults(Topics.of(source))
        return chosen, faults, notices
    every, faults = read_checked(source, notices, most)
    choice = TopicChoice.of(only, exclude)
    return (every if faults else every.chosen(choice)), faults, notices


def _faults(given: Topics) -> list[FormatError]:
    faults = []
    for topic in given.values():
        try:
            topic.query  # noqa: B018 - the property parses the query
        except ExcerptError as error:
            faults.append(FormatError(error.message))
    return faults
