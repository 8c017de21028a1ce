"""Topics: a topic as a value, and topics by id."""

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
    """What was asked; texts that a file does not give are empty."""

    id: str
    #: A short name.
    title: str = ""
    #: The question, or the description.
    text: str = ""
    #: What counts as relevant.
    narrative: str = ""
    #: Where the topic begins in its file.
    line: int | None = None
    #: The query in NEXI, as it is written.
    castitle: str = ""
    keywords: str = ""
    phrasetitle: str = ""
    #: CO (content only), CAS (content and structure), CO+S (both), or what the file says.
    kind: str = ""
    #: Where the query stands in its file.
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
        """What the query in NEXI asks; None without one, an error with the column where it is none."""
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
        """The topic as JSON has it; a topic that names no target has none."""
        target = None if self.target is None else str(self.target)
        texts = {name: getattr(self, name) for name in TEXTS}
        first = {name: texts.pop(name) for name in ("title", "text", "narrative", "castitle")}
        return {"id": self.id, **first, "kind": self.kind, "target": target, **texts}


#: The texts that a file may give, beside the id.
TEXTS = ("title", "text", "narrative", "castitle", "keywords", "phrasetitle")


@dataclass(frozen=True)
class Topics(Mapping[str, Topic]):
    """Topics by id, in the order of their file.

    >>> topics = Topics.of({"7": "Who signed?"})
    >>> topics["7"].text, "8" in topics
    ('Who signed?', False)

    A number finds its topic with and without leading zeros, which files of one year may write differently.
    """

    topics: Mapping[str, Topic] = field(default_factory=dict)
    source: str = "topics"

    @classmethod
    def of(cls, given: Mapping[str, Topic | str], source: str = "topics") -> Topics:
        """Topics by id: as they are, or only their question."""
        if isinstance(given, Topics):
            return given
        for name, value in given.items():
            if not isinstance(name, str) or not isinstance(value, str | Topic):
                raise ExcerptError(
                    f"found {short(repr(name))}: {short(repr(value))} among the topics, "
                    "expected the text of each by its id"
                )
        found = {
            name: value if isinstance(value, Topic) else Topic(name, text=value)
            for name, value in given.items()
        }
        return cls(found, source)

    def __getitem__(self, name: str) -> Topic:
        if name in self.topics:
            return self.topics[name]
        found = self._numbers.get(_bare(name))
        if found is None:
            raise KeyError(name)
        return replace(found, id=name)

    @cached_property
    def _numbers(self) -> dict[str, Topic | None]:
        """Topics by their numbers without leading zeros; None where several have the same."""
        found: dict[str, Topic | None] = {}
        for name, topic in self.topics.items():
            if bare := _bare(name):
                found[bare] = None if bare in found else topic
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def chosen(self, choice: TopicChoice) -> Topics:
        """The topics that a choice keeps."""
        if not choice:
            return self
        return replace(self, topics={name: self[name] for name in choice.kept(tuple(self), known=True)})

    def check(self, judged: Iterable[str], notices: Notices) -> None:
        """Compare with what was judged: an error where no topic is here, a notice where some are not."""
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
            notices.add(
                "judged topic has neither title nor question",
                len(missing),
                where=f"topic {short(missing[0])} is not in {self.source}",
            )


def _bare(name: str) -> str:
    """A number without leading zeros; nothing for other names."""
    return (name.lstrip("0") or "0") if name.isascii() and name.isdecimal() else ""


class TopicCollector:
    """The topics of one file, checked as they come."""

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
        """A topic that begins in a line; what is wrong with it is a fault. A `bare` one has an id only."""
        faults = self.source.faults
        if not name:
            faults.add(line, "found a topic without id, expected one")
        elif name in self.topics:
            first = self.topics[name].line
            faults.add(
                line, f"found topic {short(name)} again (first in line {first}), expected each id once"
            )
        elif not bare and not any(texts.get(key) for key in ("title", "text", "castitle")):
            faults.add(line, f"found no text of topic {short(name)}, expected a title or a question")
        else:
            known = {key: texts.get(key, "") for key in TEXTS}
            place = {"line": line, "castitle_line": castitle_line, "file": self.source.name}
            self.topics[name] = Topic(name, kind=kind, **known, **place)  # type: ignore[arg-type]
