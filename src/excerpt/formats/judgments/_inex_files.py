"""What all INEX assessments in XML have in common: topics, judged files, and how to tell them apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from excerpt.errors import short
from excerpt.formats.source import HEAD_BYTES, UTF16_XML, Source
from excerpt.formats.text.xml_events import BLANKS, Events, root_name
from excerpt.model.elements import GradedElements
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN, IntArray

ROOT = "assessments"
CERTAIN, LIKELY = 1000, 500
_TOPICS = {"inex_topic", "inex-topic"}  # the topic's own text is repeated in some files
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ASSESSED = re.compile(r"<(path|passage|element|best-entry-point)\s")
_OLDER_FILE = re.compile(r"<file\s+file\s*=")


class Assessments(Events):
    """Gathers assessments of one topic or, under another root, of several; subclasses add what files hold."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.topic = ""
        #: The line of each topic, and of each judged file of a topic.
        self.topics: dict[str, int] = {}
        self.seen: dict[tuple[str, str], int] = {}
        self.files: list[tuple[str, str]] = []
        self.in_file = self.in_topic = False
        #: The line of each element that the file at hand lists.
        self.listed: dict[str, int] = {}
        self.begin: dict[str, Callable[[dict[str, str]], None]] = {ROOT: self._open_topic, "file": self._file}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.pieces.clear()
        self.in_topic = self.in_topic or name in _TOPICS
        begin = self.begin.get(name)
        if begin and not self.in_topic:
            begin(attributes)

    def end(self, name: str) -> None:
        if name in _TOPICS:
            self.in_topic = False
        elif name == "file":
            self.in_file = False
        elif name == ROOT:
            self.topic = ""

    def parse(self) -> None:
        super().parse()
        if not self.topics:
            self.faults.add(None, f"found no <{ROOT}>, expected assessments of a topic")

    def _open_topic(self, attributes: dict[str, str]) -> None:
        self.topic = attributes.get("topic", "").strip(BLANKS)
        if not self.topic:
            self.faults.add(self.line, f"found assessments without topic, expected <{ROOT} topic=…>")
            self.topic = "?"
        elif self.topic in self.topics:
            self.faults.add(
                self.line,
                f"found topic {short(self.topic)} again (first in line {self.topics[self.topic]}), "
                "expected it once",
                "keep one of the two assessments",
            )
        self.topics.setdefault(self.topic, self.line)

    def _file(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name", attributes.get("file", "")).strip(BLANKS)
        pair = self.topic, name
        if not self.topic:
            self.faults.add(self.line, f"found a file outside <{ROOT}>, expected it in one")
        elif not name:
            self.faults.add(self.line, "found a file without name, expected <file name=…>")
        elif pair in self.seen:
            self.faults.add(
                self.line,
                f"found document {short(name)} of topic {short(self.topic)} again "
                f"(first in line {self.seen[pair]}), expected one file per topic and document",
            )
        self.seen.setdefault(pair, self.line)
        self.in_file = True
        self.listed.clear()
        self.files.append(pair)

    def inside(self, what: str) -> int:
        """The row of the file at hand; -1 and a fault outside a file."""
        if not self.in_file:
            self.faults.add(self.line, f"found {what} outside a file, expected it in <file name=…>")
            return -1
        return len(self.files) - 1

    def list_once(self, path: str) -> None:
        """Note that the file lists an element; a second time is a fault."""
        if path in self.listed:
            first = self.listed[path]
            self.faults.add(
                self.line,
                f"found element {short(path)} again (first in line {first}), expected it once per file",
            )
        self.listed.setdefault(path, self.line)


def document_sizes(source: Source, documents: Sequence[str]) -> IntArray:
    """Length of each document, as far as the index knows it."""
    if source.index is None:
        return np.full(len(documents), UNKNOWN, np.int64)
    codes = source.index.document_codes(documents)
    source.notices.add_marked(
        "judged document is not in the index; its length is unknown",
        codes < 0,
        lambda row: f"document {short(documents[row])} of {source.name}",
    )
    return source.index.document_sizes(codes)


def look_up(source: Source, judgments: Judgments, elements: GradedElements) -> GradedElements:
    """The assessed elements with their rows in the index, where there is one.

    Where assessors graded specificity, as until 2004, files give no sizes, and those of the index are taken.
    """
    if source.index is None:
        return elements
    from excerpt.index.elements import element_rows

    documents = judgments.pair_document[elements.pair]
    rows = element_rows(source.index, judgments.documents, documents, elements.paths, elements.path)

    def place(row: int) -> str:
        path, document = elements.paths[elements.path[row]], judgments.documents[documents[row]]
        return f"{short(path)} of document {short(document)} of {source.name}"

    source.notices.add_marked("assessed element is not in the index; no result can match it", rows < 0, place)
    start, end = source.index.spans(rows)
    unsized = (elements.specificity != UNKNOWN) & (rows >= 0)
    size = np.where(unsized, end - start, elements.size)
    # The paths tell what is inside what, also for elements that the index does not have.
    return replace(elements, row=rows, parent=elements.parents, size=size)


def two_grades(judgments: Judgments) -> bool:
    """Whether elements were graded and no text was highlighted, as until 2004."""
    return judgments.scale in {"relevance and coverage", "exhaustivity and specificity"}


def fit(source: Source, *, graded: bool) -> int:
    """How surely a file holds assessments, of 2002 to 2004 (`graded`) or later ones."""
    root = root_name(source)
    if not root:
        return 0
    head = _head(source)
    if root != ROOT and f"<{ROOT}" not in head:
        return 0
    return (CERTAIN if root == ROOT else LIKELY) if _is_graded(head) == graded else 0


def _head(source: Source) -> str:
    encoding = "utf-16" if source.data.startswith(UTF16_XML) else "latin-1"
    return _COMMENT.sub("", source.data[:HEAD_BYTES].decode(encoding, "ignore"))


def _is_graded(head: str) -> bool:
    """Whether the first thing assessed is a `<path …>`; where nothing is, files are named in another way."""
    assessed = _ASSESSED.search(head)
    return assessed[1] == "path" if assessed else bool(_OLDER_FILE.search(head))
