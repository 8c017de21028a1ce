"""Topics: titles, questions and NEXI queries, by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from excerpt.errors import ExcerptError, FormatError, short, short_list
from excerpt.formats.source import Source
from excerpt.model.topic_choice import TopicChoice
from excerpt.nexi import Query, Target, parse_nexi
from excerpt.notices import Notices

_SHOWN = 3  # ids of each side, in messages


@dataclass(frozen=True)
class Topic:
    """An information need; texts that a file does not give are empty."""

    id: str
    #: A short name.
    title: str = ""
    #: The question, or the description.
    text: str = ""
    #: The description of relevant text.
    narrative: str = ""
    #: The line in which the topic begins.
    line: int | None = None
    #: The query in NEXI, as it is written.
    castitle: str = ""
    keywords: str = ""
    phrasetitle: str = ""
    #: CO (content only), CAS (content and structure), CO+S (both), or as the file has it.
    kind: str = ""
    #: The line of the query.
    castitle_line: int | None = field(default=None, compare=False)
    #: The file that it was read from.
    file: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.kind:
            words = (self.title or self.text) and self.title != self.castitle
            kind = "CO" if not self.castitle else "CO+S" if words else "CAS"
            object.__setattr__(self, "kind", kind)

    @cached_property
    def query(self) -> Query | None:
        """The parsed NEXI query; None without one. An invalid query is an error that names the column."""
        if not self.castitle:
            return None
        try:
            return parse_nexi(self.castitle)
        except ExcerptError as error:
            line = self.castitle_line or self.line
            message = f"castitle of topic {short(self.id)}, {error.message}"
            raise FormatError(message, path=self.file or None, line=line if self.file else None) from None

    @property
    def target(self) -> Target | None:
        """The elements that the query asks for; None without a query."""
        return None if self.query is None else Target.of(self.query)

    def to_dict(self) -> dict[str, str | None]:
        """Return the topic as JSON has it; the target is null without a query."""
        target = None if self.target is None else str(self.target)
        texts = {name: getattr(self, name) for name in TEXTS}
        first = {name: texts.pop(name) for name in ("title", "text", "narrative", "castitle")}
        return {"id": self.id, **first, "kind": self.kind, "target": target, **texts}


#: The texts that a file may give in addition to the id.
TEXTS = ("title", "text", "narrative", "castitle", "keywords", "phrasetitle")


@dataclass(frozen=True)
class Topics(Mapping[str, Topic]):
    """Topics by id, in the order of their file.

    >>> topics = Topics.of({"7": "Who signed?"})
    >>> topics["7"].text, "8" in topics
    ('Who signed?', False)

    Numeric ids match with and without leading zeros, which files of one year may write differently.
    """

    topics: Mapping[str, Topic] = field(default_factory=dict)
    source: str = "topics"

    @classmethod
    def of(cls, given: Mapping[str, Topic | str], source: str = "topics") -> Topics:
        """Return topics by id, from topics or from the text of each question."""
        if isinstance(given, Topics):
            return given
        for name, value in given.items():
            if not isinstance(name, str) or not isinstance(value, str | Topic):
                raise ExcerptError(
                    f"found {short(repr(name))}: {short(repr(value))} among the topics, "
                    "expected the text of each by its id"
                )
        topics = (one if isinstance(one, Topic) else Topic(name, text=one) for name, one in given.items())
        return cls(dict(zip(given, topics, strict=True)), source)

    def __getitem__(self, name: str) -> Topic:
        if name in self.topics:
            return self.topics[name]
        topic = self._numbers.get(_bare(name))
        if topic is None:
            raise KeyError(name)
        return replace(topic, id=name)

    @cached_property
    def _numbers(self) -> dict[str, Topic | None]:
        """Topics by their numbers without leading zeros; None if several have the same number."""
        numbers: dict[str, Topic | None] = {}
        for name, topic in self.topics.items():
            if bare := _bare(name):
                numbers[bare] = None if bare in numbers else topic
        return numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def chosen(self, choice: TopicChoice) -> Topics:
        """Return the topics that a choice keeps."""
        if not choice:
            return self
        return replace(self, topics={name: self[name] for name in choice.kept(tuple(self), known=True)})

    def check(self, judged: Iterable[str], notices: Notices) -> None:
        """Compare with the judged topics: raise if all are missing here, warn if some are."""
        names = list(judged)
        missing = [name for name in names if name not in self]
        if names and len(missing) == len(names):
            raise ExcerptError(
                f"found topics {short_list(self.topics, _SHOWN) or 'without ids'} and judgments of "
                f"{short_list(names, _SHOWN)}, expected the same ids",
                path=self.source,
                hint="are they topics of these judgments?",
            )
        if missing:
            one = "judged topic has neither title nor question and is shown by its id"
            many = "judged topics have neither title nor question and are shown by their ids"
            notices.add(one, many, len(missing), where=f"topic {short(missing[0])} is not in {self.source}")


def _bare(name: str) -> str:
    """Return a number without leading zeros; empty for other names."""
    return (name.lstrip("0") or "0") if name.isascii() and name.isdecimal() else ""


class TopicCollector:
    """Collector of the topics of one file, which checks each of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.topics: dict[str, Topic] = {}

    def add(
        self,
        line: int,
        name: str,
        texts: Mapping[str, str],
        *,
        kind: str = "",
        castitle_line: int | None = None,
        bare: bool = False,
    ) -> None:
        """Add a topic that begins in a line, and report its faults. A `bare` topic has an id only."""
        faults = self.source.faults
        if not name:
            faults.add(line, "the id of a topic is missing")
        elif name in self.topics:
            first = self.topics[name].line
            again = f"found topic {short(name)} again (first in line {first})"
            faults.add(line, f"{again}, expected each id once")
        elif not bare and not any(texts.get(key) for key in ("title", "text", "castitle")):
            faults.add(line, f"topic {short(name)} has no text, expected a title or a question")
        else:
            known = {key: texts.get(key, "") for key in TEXTS}
            location = {"line": line, "castitle_line": castitle_line, "file": self.source.name}
            self.topics[name] = Topic(name, kind=kind, **known, **location)  # type: ignore[arg-type]
