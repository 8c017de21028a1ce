"""Runs of links (INEX Link-the-Wiki 2007 to 2010, NTCIR CrossLink): entry points of pages, or anchors.

As `link-the-wiki` a topic is the page that links go from, and its results are the pages they lead to, each
with its best entry point, where it is first linked: what is measured is file to file, by measures of
documents, and file to BEP, by measures of entry points. As `link-anchors` the results are the
anchors, stretches of the topic's own text: whether links begin at the right words.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from excerpt.formats.registry import Format, recognise_nothing, register_run
from excerpt.formats.results import Results
from excerpt.formats.source import Source
from excerpt.formats.text.links import Link, Links, beginning, distinct, page
from excerpt.formats.text.xml_events import BLANKS, root_name
from excerpt.model.run import Kind, Run
from excerpt.model.spans import UNKNOWN

ROOTS = ("inexltw-submission", "crosslink-submission", "inex-submission")
LAYOUT = "<inexltw-submission><topic file=…><outgoing><anchor offset= length=><tobep offset=…>page"
EXAMPLE = """\
<inexltw-submission run-id="mine" task="LTW_A2B">
<topic file="1" name="Rent">
<outgoing><anchor offset="85" length="7" name="tremolo"><tobep offset="12">A</tobep></anchor></outgoing>
</topic>
</inexltw-submission>
"""
_CERTAIN = 1000
_OUTGOING = re.compile(r"<(outgoing|incoming)[\s/>]")
_TARGETS = {"tofile": "bep_offset", "tobep": "offset"}


class _Submission(Links):
    """Gathers the outgoing links of a submission, in the form of any year."""

    roots = ROOTS

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.name, self.task = source.name, ""
        self._incoming = False
        self._anchor = (UNKNOWN, UNKNOWN)
        #: What stands in an anchor, or in what it is linked to, of the years that wrote elements.
        self._fields: dict[str, str] = {}
        self._entry: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.pieces.clear()
        if name in ROOTS:
            names = (attributes.get(key, "").strip(BLANKS) for key in ("run-id", "participant-id"))
            self.name = next(filter(None, names), self.name)
            self.task = attributes.get("task", "").strip(BLANKS)
        elif name == "topic":
            self.open_topic(attributes, "file")
        elif name in {"outgoing", "incoming"}:
            self._incoming = name == "incoming"
        elif self._incoming:
            self.incoming += name in {"link", "fromanchor", "fromfile"}
        elif name in {"link", "anchor"}:
            self._fields.clear()
            if "offset" in attributes:
                self._anchor = self.anchor(attributes["offset"], attributes.get("length"))
        elif name in _TARGETS:
            self._entry = attributes.get(_TARGETS[name])

    def end(self, name: str) -> None:
        text = "".join(self.pieces).strip(BLANKS)
        if name == "topic":
            self.close_topic()
        elif self._incoming:
            self._incoming = name != "incoming"
        elif name in {"file", "offset", "length", "bep"}:
            self._fields[name] = text
        elif name in _TARGETS:
            self.add(page(text), self._entry, self._anchor)
        elif name == "anchor" and "offset" in self._fields:
            self._anchor = self.anchor(self._fields["offset"], self._fields.get("length"))
            self._fields.clear()
        elif name == "linkto":
            self._link_to(text)
        elif name in {"link", "anchor", "outgoing"}:
            self._anchor = (UNKNOWN, UNKNOWN)
        self.pieces.clear()

    def _link_to(self, text: str) -> None:
        """What an anchor is linked to; without elements it is a list of pages."""
        if "file" in self._fields:
            self.add(page(self._fields["file"]), self._fields.get("bep"), self._anchor)
        else:
            for name in text.split(","):
                self.add(page(name), None, self._anchor)
        self._fields.clear()


def read(source: Source) -> Run:
    """Read the pages that are linked, each where it is first linked, with its entry point."""
    submission = _read(source)
    links = distinct(submission.links, "target")
    source.notices.add(
        "link leads to a page that its topic links before; the first one counts",
        len(submission.links) - len(links),
        where=source.name,
    )
    return _run(submission, [(link, link.target, link.entry, link.entry) for link in links], "entry points")


def read_anchors(source: Source) -> Run:
    """Read the anchors that links begin at, each once."""
    submission = _read(source)
    anchors = distinct(submission.anchored(), "anchor")
    rows = [(link, link.topic, link.start, link.end) for link in anchors]
    return _run(submission, rows, "spans")


def _read(source: Source) -> _Submission:
    submission = _Submission(source)
    submission.finish()
    return submission


def _run(submission: _Submission, rows: list[tuple[Link, str, int, int]], kind: Kind) -> Run:
    results = Results.of(
        [
            (link.topic, document, "", start, end, True, UNKNOWN, math.nan, link.line)
            for link, document, start, end in rows
        ]
    )
    run = results.to_run(submission.source, submission.name, kind)
    return replace(run, task=submission.task)


def recognise(source: Source) -> int:
    """Whether the root element is that of a submission, and its topics have links."""
    root = root_name(source)
    certain = root in ROOTS[:-1] or (root == ROOTS[-1] and _OUTGOING.search(beginning(source)) is not None)
    return _CERTAIN if certain else 0


register_run(
    Format(
        "link-the-wiki",
        "run",
        LAYOUT,
        "links to entry points (INEX Link-the-Wiki 2007 to 2010)",
        read,
        recognise,
        example=EXAMPLE,
    )
)
register_run(
    Format(
        "link-anchors",
        "run",
        LAYOUT,
        "Link-the-Wiki files, read as the text that links begin at",
        read_anchors,
        recognise_nothing,
        example=EXAMPLE,
        by_name=True,
    )
)
