"""Judged links (INEX Link-the-Wiki 2007 to 2010, NTCIR CrossLink): entry points of pages, or anchors.

As `link-the-wiki` a topic is a page, and relevant are the pages that it should link to: the character at each
best entry point, the first of which is the one that counts as entry point of its page. As
`link-anchors` relevant is the text of the anchors, in the topic's own page.
"""

from __future__ import annotations

import numpy as np

from excerpt.formats.registry import Format, recognise_nothing, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.text.links import Links, page
from excerpt.formats.text.xml_events import root_name
from excerpt.model.judgments import Judgments
from excerpt.model.questions import Question
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN

ROOT = "ltwResultsetType"
LAYOUT = f"<{ROOT}><ltw_Topic id=…><outgoingLinks><outLink aoffset= alength= boffset=…>page"
EXAMPLE = f"""\
<{ROOT}>
<ltw_Topic name="Rent" id="1">
<outgoingLinks><outLink aname="tremolo" aoffset="85" alength="7" boffset="12">A</outLink></outgoingLinks>
</ltw_Topic>
</{ROOT}>
"""
_CERTAIN = 1000


class _ResultSet(Links):
    """Gathers the outgoing links of a set."""

    roots = (ROOT,)

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._link: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.pieces.clear()
        if name == "ltw_Topic":
            self.open_topic(attributes, "id")
        elif name == "outLink":
            self._link = attributes
        elif name == "inLink":
            self.incoming += 1

    def end(self, name: str) -> None:
        if name == "ltw_Topic":
            self.close_topic()
        elif name == "outLink":
            anchor = self.anchor(self._link.get("aoffset"), self._link.get("alength"))
            self.add(page("".join(self.pieces)), self._link.get("boffset"), anchor)


def read(source: Source) -> Judgments:
    """Read the pages that should be linked, with their entry points."""
    links = _read(source)
    rows = [(link.topic, link.target, link.entry, link.entry + 1, link.entry) for link in links.links]
    return _judgments(source, links, rows)


def read_anchors(source: Source) -> Judgments:
    """Read the anchors that links should begin at."""
    links = _read(source)
    rows = [(link.topic, link.topic, link.start, link.end, UNKNOWN) for link in links.anchored()]
    return _judgments(source, links, rows)


def _read(source: Source) -> _ResultSet:
    links = _ResultSet(source)
    links.finish()
    return links


def _judgments(source: Source, links: _ResultSet, rows: list[tuple[str, str, int, int, int]]) -> Judgments:
    topics, codes = encode([*links.topics, *(row[0] for row in rows)])
    documents, document = encode([row[1] for row in rows])
    first: dict[tuple[str, str], int] = {}
    for topic, target, _, _, entry in rows:
        first.setdefault((topic, target), entry)
    return Judgments.collect(
        topics,
        documents,
        codes[len(links.topics) :],
        document,
        np.array([row[2] for row in rows], np.int64),
        np.array([row[3] for row in rows], np.int64),
        size=np.full(len(rows), UNKNOWN, np.int64),
        entry=np.array([first[row[:2]] for row in rows], np.int64),
        source=source.name,
        questions={topic: Question(topic, name) for topic, name in links.topics.items() if name},
    )


def recognise(source: Source) -> int:
    """Whether the root element is that of a set of judged links."""
    return _CERTAIN if root_name(source) == ROOT else 0


register_judgments(
    Format(
        "link-the-wiki",
        "judgments",
        LAYOUT,
        "links to entry points (INEX Link-the-Wiki 2007 to 2010)",
        read,
        recognise,
        example=EXAMPLE,
    )
)
register_judgments(
    Format(
        "link-anchors",
        "judgments",
        LAYOUT,
        "Link-the-Wiki files, read as the text that links begin at",
        read_anchors,
        recognise_nothing,
        example=EXAMPLE,
        by_name=True,
    )
)
