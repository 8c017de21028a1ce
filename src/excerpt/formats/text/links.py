"""Links of the Link-the-Wiki track, as submissions and sets of judged links in XML have them.

A topic is a page. What is linked is another page and a best entry point in it; what it is linked from is an
anchor, a stretch of the topic's own text. Names of pages lose their `.xml`, which only some files write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.formats.text.xml_events import BLANKS, Events
from excerpt.model.spans import UNKNOWN

INCOMING = "link comes in from another page and was left out, since only outgoing links are read"
_NOWHERE = {"", "-1"}  # offsets of anchors that a file must have and does not mean


class Link(NamedTuple):
    """A link from an anchor (start is -1 where there is none) to an entry point of a page."""

    topic: str
    target: str
    entry: int
    start: int
    end: int
    line: int


def page(name: str | None) -> str:
    """The id of a page, as a file writes it.

    >>> page(" 531921.xml ")
    '531921'
    """
    return (name or "").strip(BLANKS).removesuffix(".xml")


def distinct(links: Iterable[Link], key: str) -> list[Link]:
    """The first link of each topic to each `target`, or from each anchor (`start` and `end`)."""
    found: dict[tuple[object, ...], Link] = {}
    for link in links:
        what = (link.target,) if key == "target" else (link.start, link.end)
        found.setdefault((link.topic, *what), link)
    return list(found.values())


class Links(Events):
    """Gathers links; subclasses say which elements open topics and links."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.links: list[Link] = []
        #: The name of each topic, empty where there is none.
        self.topics: dict[str, str] = {}
        self.incoming = 0
        self._topic = ""

    def open_topic(self, attributes: dict[str, str], key: str) -> None:
        """A topic begins; without an id it is a fault."""
        self._topic = page(attributes.get(key))
        if not self._topic:
            self.faults.add(self.line, f"found a topic without {key}, expected the page that links go from")
            self._topic = "?"
        self.topics.setdefault(self._topic, " ".join(attributes.get("name", "").split()))

    def close_topic(self) -> None:
        """A topic ends."""
        self._topic = ""

    def place(self, text: str | None, name: str) -> int:
        """An offset; unknown where a file has none, or -1."""
        return UNKNOWN if (text or "").strip(BLANKS) in _NOWHERE else self.whole(text, name)

    def anchor(self, offset: str | None, length: str | None) -> tuple[int, int]:
        """Start and end of an anchor; unknown where it has no text."""
        start = self.place(offset, "offset of an anchor")
        size = self.place(length, "length of an anchor") if start != UNKNOWN else 0
        return (start, start + size) if size > 0 else (UNKNOWN, UNKNOWN)

    def add(self, target: str, entry: str | None, anchor: tuple[int, int]) -> None:
        """A link; one outside of a topic, or to nowhere, is a fault."""
        if not self._topic:
            self.faults.add(self.line, "found a link outside a topic, expected it in one")
        elif not target:
            self.faults.add(self.line, "found a link to no page, expected the id of one")
        else:
            place = max(self.place(entry, "entry point"), 0)  # a link to a page leads to its beginning
            self.links.append(Link(self._topic, target, place, *anchor, self.line))

    def anchored(self) -> list[Link]:
        """The links that begin at an anchor; how many do not is told."""
        found = [link for link in self.links if link.start != UNKNOWN]
        self.source.notices.add(
            "link has no anchor and was left out", len(self.links) - len(found), where=self.source.name
        )
        return found

    def finish(self) -> None:
        """Read the file; say what was left out."""
        self.parse()
        self.source.faults.settle()
        self.source.notices.add(INCOMING, self.incoming, where=self.source.name)
        if not self.links and not self.source.faults:
            self.source.notices.add("there are no outgoing links", where=self.source.name)


def beginning(source: Source) -> str:
    """The first part of a file, as far as it is needed to tell such files apart."""
    return source.data[:HEAD_BYTES].decode("latin-1")
