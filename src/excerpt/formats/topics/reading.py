"""Topics from a file, a folder, bytes or a stream, in the format that their content shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import Input, display_name, expand, is_folder
from excerpt.formats.foreign import describe_foreign
from excerpt.formats.registry import shown_kind
from excerpt.formats.source import Source
from excerpt.formats.topics import inex, jsonl, trec, tsv
from excerpt.formats.topics.topic import Topic, Topics
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices


class _Format(NamedTuple):
    """How a file becomes topics."""

    #: What such a file is called.
    called: str
    layout: str
    recognise: Callable[[Source], bool]
    read: Callable[[Source], dict[str, Topic]]


_FORMATS = (
    _Format("TREC topics", trec.LAYOUT, trec.recognise, trec.read),
    _Format("topics in XML", inex.LAYOUT, inex.recognise, inex.read),
    _Format("topics in JSON Lines", jsonl.LAYOUT, jsonl.recognise, jsonl.read),
    _Format("topics in columns", tsv.LAYOUT, tsv.recognise, tsv.read),
)


def read_topics(
    source: Input | Mapping[str, Topic | str],
    *,
    only: TopicIds = None,
    exclude: TopicIds = None,
    notices: Notices | None = None,
) -> Topics:
    """Read topics: a path (a folder of files too), bytes or an open file; in Python also texts by id.

    `only` and `exclude` choose some of them, as in `201,205-210`.

    >>> topics = read_topics(b"7\\tWho signed?\\n8\\tWhen?\\n")
    >>> list(topics), topics["8"].text
    (['7', '8'], 'When?')
    """
    choice = TopicChoice.of(only, exclude)
    return _read_all(source, notices).chosen(choice)


def _read_all(source: Input | Mapping[str, Topic | str], notices: Notices | None) -> Topics:
    """Every topic of a source."""
    if isinstance(source, Mapping):
        return Topics.of(source)
    with Gathering(notices) as gathered:
        try:
            return read_checked(source, gathered, 0)[0]
        except FormatError as error:
            error.listed_by = "topics"
            raise


def read_checked(source: Input, notices: Notices, most: int) -> tuple[Topics, list[FormatError]]:
    """The topics of a source, and what is wrong with them: so many faults are kept instead of raised."""
    if isinstance(source, str | os.PathLike) and is_folder(source):
        return _read_folder(os.fspath(source), notices, most)
    opened = Source.open(source, notices=notices, expected="topics", keep_faults=most)
    return Topics(_read(opened, _format_of(opened)), display_name(source)), opened.faults.found


def _read(source: Source, format_: _Format) -> dict[str, Topic]:
    topics = format_.read(source)
    for topic in topics.values():
        try:
            topic.query  # noqa: B018 - which is read when it is asked for
        except FormatError as error:
            if source.faults.keep:
                source.faults.add(error.line, error.message)
            else:  # its words are a topic all the same
                source.notices.add("castitle is not NEXI, so it asks for no element", where=str(error))
        if not topic.castitle and {"CAS", "+S"} & {topic.kind[-3:], topic.kind[-2:]}:
            message = f"topic is of the kind {topic.kind}, but has no castitle"
            source.notices.add(message, where=f"{source.name}:{topic.line}")
    source.faults.settle()
    if not topics and not source.faults:
        raise FormatError(f"found no topics, expected {format_.layout}", path=source.name)
    return topics


def _format_of(source: Source) -> _Format:
    """The format that the content shows; an error that says what it is instead."""
    fitting = next((format_ for format_ in _FORMATS if format_.recognise(source)), None)
    if fitting:
        return fitting
    line, head = source.first_line
    raise FormatError(
        f"found {_describe(source) or repr(head)}, expected topics",
        path=source.name,
        line=line,
        hint="topics are lines of id TAB text, JSON Lines, or XML of INEX, TREC or Indri",
    )


def _describe(source: Source) -> str | None:
    """What a file is that holds no topics, where that can be told."""
    foreign = describe_foreign(source) if source.text else None
    if foreign:
        return foreign
    kind = shown_kind(source)
    return {"run": "a run", "judgments": "judgments"}[kind] if kind else None


def _read_folder(folder: str, notices: Notices, most: int) -> tuple[Topics, list[FormatError]]:
    """The topics of all files of a folder; a DTD beside them is none."""
    files = [file for file in expand([folder]) if not file.lower().endswith(".dtd")]
    found: dict[str, Topic] = {}
    places: dict[str, str] = {}
    first: tuple[_Format, str] | None = None
    faults: list[FormatError] = []
    for file in files:
        source = Source.open(file, notices=notices, expected="topics", keep_faults=most)
        format_ = _format_of(source)
        first = first or (format_, file)
        if format_ is not first[0]:
            raise ExcerptError(
                f"found {format_.called} ({file}) beside {first[0].called} ({first[1]}), expected one kind",
                path=folder,
            )
        topics = _read(source, format_)
        for name in (name for name in topics if name in found):
            message = f"found topic {short(name)} again (first in {places[name]}), expected each id once"
            source.faults.add(topics[name].line, message)
        source.faults.settle()
        faults += source.faults.found
        found |= topics
        places |= dict.fromkeys(topics, file)
    if not found and not faults:
        raise ExcerptError("found no files of topics, expected at least one", path=folder)
    return Topics(found, folder), faults
