"""`excerpt.topics`: what a file of topics holds, and which elements each asks for; written anew."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from excerpt.errors import ExcerptError, FormatError, plural
from excerpt.files import Input, write_bytes
from excerpt.formats.topics.reading import read_checked, read_topics
from excerpt.formats.topics.topic import Topic, Topics
from excerpt.formats.topics.writing import write
from excerpt.model.display import Showable
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices


@dataclass(frozen=True)
class TopicList(Showable):
    """Topics to be listed, written, and asked for by id."""

    topics: Topics
    warnings: tuple[str, ...] = ()
    #: Who hears of what other formats cannot hold; else it is a warning of Python.
    notices: Notices | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Topic:
        return self.topics[name]

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return f"<TopicList of {self.notes()[0]}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""
        return {
            "topics": [topic.to_dict() for topic in self.topics.values()],
            "warnings": list(self.warnings),
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Id, kind and title of each; where some have a query, what it asks for and the query itself."""
        structured = any(topic.castitle for topic in self.topics.values())
        rows = []
        for topic in self.topics.values():
            asked = ("", "") if topic.query is None else (str(topic.target), str(topic.query))
            words = topic.title if topic.title != topic.castitle else topic.text
            target, query = ((asked[0],), (asked[1],)) if structured else ((), ())
            rows.append((topic.id, topic.kind, *target, words or topic.text, *query))
        return ("id", "kind", *("target",) * structured, "title", *("castitle",) * structured), rows

    def notes(self) -> tuple[str, ...]:
        """How many there are of which kind."""
        kinds = Counter(topic.kind for topic in self.topics.values())
        return (
            f"{plural(len(self), 'topic')}: {', '.join(f'{kinds[kind]} {kind}' for kind in sorted(kinds))}",
        )

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
    """Read topics and check them: ids, texts, queries in NEXI; the first mistake is an error.

    `only` and `exclude` choose some, as in `201,205-210`. The list prints itself, has each topic by its id
    with the `target` of its query, and can `write` them in other formats.

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
    found, faults, said = examine(source, only=only, exclude=exclude, most=1)
    if faults:
        raise faults[0]
    with Gathering(notices) as gathered:
        gathered.extend(said)
    return TopicList(found, tuple(said), notices)


def examine(
    source: Input | Mapping[str, Topic | str],
    *,
    only: TopicIds = None,
    exclude: TopicIds = None,
    most: int = 1000,
) -> tuple[Topics, list[FormatError], Notices]:
    """The topics of a source, every fault of theirs (at most so many), and doubts."""
    notices = Notices()
    if isinstance(source, Mapping):
        found, faults = read_topics(source, only=only, exclude=exclude), _faults(Topics.of(source))
        return found, faults, notices
    whole, faults = read_checked(source, notices, most)
    choice = TopicChoice.of(only, exclude)
    return (whole if faults else whole.chosen(choice)), faults, notices


def _faults(given: Topics) -> list[FormatError]:
    """What is wrong with the queries of topics that were made in Python."""
    found = []
    for topic in given.values():
        try:
            topic.query  # noqa: B018 - which is read when it is asked for
        except ExcerptError as error:
            found.append(FormatError(error.message))
    return found
