"""INEX assessments in XML: highlighted passages and graded elements of each judged file (2005 to 2007).

Pointers use raw offsets, so passages become spans through the index; the sizes in the file count each run
of white space once and are kept for the measures of elements only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from excerpt.formats.locate import encode_paths, locate
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.xml_events import BLANKS, Events, root_name
from excerpt.model.elements import NO_GRADE, GradedElements
from excerpt.model.judgments import MISSING, Judgments
from excerpt.model.run import encode
from excerpt.model.spans import BoolArray, IntArray

ROOT = "assessments"
LAYOUT = f"<{ROOT} topic=…><file name=…> <best-entry-point path=…/> <passage start= end=/> <element path=…/>"
_CERTAIN, _LIKELY = 1000, 500
_HEAD_BYTES = 1 << 16
#: How thoroughly an element treats the topic; `?` is too small to say.
_EXHAUSTIVITY = {"?": -1, "0": 0, "1": 1, "2": 2}
_HIGHLIGHTED = 2  # the only exhaustivity of years that asked for highlighting alone
_TOPICS = {"inex_topic", "inex-topic"}  # the topic's own text is repeated in some files


@dataclass
class _Gathered:
    """What the files of the assessments say; passages, elements and entry points name a file by its row."""

    files: list[tuple[str, str, int]] = field(default_factory=list)
    passages: list[tuple[int, str, int]] = field(default_factory=list)
    elements: list[tuple[int, str, int, int, int, int]] = field(default_factory=list)
    entries: list[tuple[int, str, int]] = field(default_factory=list)


class _Assessments(Events):
    """Gathers assessments of one topic or, under another root, of several."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.found = _Gathered()
        self.topic = ""
        self.topics: dict[str, int] = {}
        self.seen: dict[tuple[str, str], int] = {}
        self.in_file = self.in_topic = False
        self._begin: dict[str, Callable[[dict[str, str]], None]]
        self._begin = {ROOT: self._open_topic, "file": self._file, "passage": self._passage}
        self._begin |= {"element": self._element, "best-entry-point": self._entry, "path": self._older}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.pieces.clear()
        self.in_topic = self.in_topic or name in _TOPICS
        begin = self._begin.get(name)
        if begin and not self.in_topic:
            begin(attributes)

    def end(self, name: str) -> None:
        if name in _TOPICS:
            self.in_topic = False
        elif name == "file":
            self.in_file = False
        elif name == ROOT:
            self.topic = ""

    def _open_topic(self, attributes: dict[str, str]) -> None:
        self.topic = attributes.get("topic", "").strip(BLANKS)
        if not self.topic:
            self.faults.add(self.line, f"found assessments without topic, expected <{ROOT} topic=…>")
            self.topic = "?"
        elif self.topic in self.topics:
            self.faults.add(
                self.line,
                f"found topic {self.topic} again (first in line {self.topics[self.topic]}), expected it once",
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
                f"found document {name} of topic {self.topic} again (first in line {self.seen[pair]}), "
                "expected one file per topic and document",
                "remove one of the two",
            )
        self.seen.setdefault(pair, self.line)
        self.in_file = True
        self.found.files.append((self.topic, name, self.line))

    def _inside(self, what: str) -> int:
        """The row of the file at hand; -1 and a fault outside a file."""
        if not self.in_file:
            self.faults.add(self.line, f"found {what} outside a file, expected it in <file name=…>")
            return -1
        return len(self.found.files) - 1

    def _passage(self, attributes: dict[str, str]) -> None:
        ends = [self.pointer(attributes.get(key), f"passage {key}") for key in ("start", "end")]
        row = self._inside("a passage")
        self.found.passages.append((row, " ".join(ends), self.line))

    def _entry(self, attributes: dict[str, str]) -> None:
        row = self._inside("a best entry point")
        if self.found.entries and self.found.entries[-1][0] == row:
            self.faults.add(self.line, "found a second best entry point in a file, expected one")
        self.found.entries.append((row, self.pointer(attributes.get("path"), "path"), self.line))

    def _element(self, attributes: dict[str, str]) -> None:
        given = attributes.get("exhaustivity", "").strip(BLANKS)
        if given not in _EXHAUSTIVITY:
            self.faults.add(self.line, f"found exhaustivity {given[:40]!r}, expected 0, 1, 2 or ?")
        size, relevant = (self.whole(attributes.get(key), key) for key in ("size", "rsize"))
        path = self.pointer(attributes.get("path"), "path")
        grade = _EXHAUSTIVITY.get(given, 0)
        row = self._inside("an element")
        self.found.elements.append((row, path, grade, size, relevant, self.line))

    def _older(self, _attributes: dict[str, str]) -> None:
        self.faults.add(
            self.line, "found <path>, as in assessments of 2002 to 2004, expected <passage> or <element>"
        )


def read(source: Source) -> Judgments:
    """Read assessments; without an index only the elements they list are kept."""
    assessments = _Assessments(source)
    assessments.parse()
    found = assessments.found
    if not assessments.topics:
        source.faults.add(None, f"found no <{ROOT}>, expected assessments of a topic")
    _refuse_repeats(source, found)
    source.faults.settle()
    # Topics without files are judged, too: they have no relevant text.
    topics, codes = encode([*assessments.topics, *(row[0] for row in found.files)])
    topic = codes[len(assessments.topics) :]
    documents, document = encode([row[1] for row in found.files])
    if source.faults.found:  # kept: what follows would work with what is wrong
        return _empty(source, topics)
    rows, start, end = _spans(source, found, documents, document)
    every = np.arange(len(topic))
    at = np.concatenate((every, rows))
    judgments = Judgments.collect(
        topics,
        documents,
        topic[at],
        document[at],
        np.concatenate((np.zeros_like(every), start)),
        np.concatenate((np.zeros_like(every), end)),
        size=_sizes(source, documents)[document[at]],
        entry=_entries(source, found, documents, document)[at],
        unit=source.index.unit if source.index else "char",
        source=source.name,
    )
    return _graded(source, found, judgments, judgments.pairs(topic, document))


def _empty(source: Source, topics: tuple[str, ...]) -> Judgments:
    none = np.zeros(0, np.int64)
    return Judgments.collect(topics, (), none, none, none, none, size=none, entry=none, source=source.name)


def _refuse_repeats(source: Source, found: _Gathered) -> None:
    seen: dict[tuple[int, str], int] = {}
    for row, path, _, _, _, line in found.elements:
        first = seen.setdefault((row, path), line)
        if first != line:
            source.faults.add(
                line, f"found element {path} again (first in line {first}), expected it once per file"
            )


def _spans(
    source: Source, found: _Gathered, documents: tuple[str, ...], document: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """File, start and end of each passage that exists; none without an index."""
    none = np.zeros(0, np.int64)
    if not found.passages:
        return none, none, none
    if source.index is None:
        _say_unplaced(source, found)
        return none, none, none
    row = np.array([passage[0] for passage in found.passages], np.int64)
    paths, path = encode_paths([passage[1] for passage in found.passages])
    start, end = locate(source.index, documents, document[row], paths, path)
    _notice(source, "highlight names text that does not exist and was left out", start < 0, found.passages)
    there = start >= 0
    return row[there], start[there], end[there]


def _say_unplaced(source: Source, found: _Gathered) -> None:
    """Passages without an index: fine for measures of elements, if there are elements."""
    if not found.elements:
        source.need_index("highlighted text")
    source.notices.add(
        "highlighted text was left out: it needs --index (the listed elements were read)",
        len(found.passages),
        where=f"{source.name}:{found.passages[0][2]}",
    )


def _notice(source: Source, message: str, mask: BoolArray, rows: list[tuple[int, str, int]]) -> None:
    bad = np.flatnonzero(mask)
    if len(bad):
        source.notices.add(message, len(bad), where=f"{source.name}:{rows[int(bad[0])][2]}")


def _sizes(source: Source, documents: tuple[str, ...]) -> IntArray:
    """Length of each document, as far as the index knows it."""
    if source.index is None:
        return np.full(len(documents), MISSING, np.int64)
    codes = source.index.document_codes(documents)
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        source.notices.add(
            "judged document is not in the index, its length is not known",
            len(missing),
            where=f"document {documents[int(missing[0])]} of {source.name}",
        )
    return np.where(codes >= 0, source.index.document_sizes(np.maximum(codes, 0)), MISSING)


def _entries(source: Source, found: _Gathered, documents: tuple[str, ...], document: IntArray) -> IntArray:
    """The best entry point of each file, as far as it is given and the index finds it."""
    entry = np.full(len(document), MISSING, np.int64)
    if source.index is None or not found.entries:
        return entry
    row = np.array([point[0] for point in found.entries], np.int64)
    codes = source.index.document_codes(documents)[document[row]]
    entry[row] = source.index.resolve_pointers(codes, [point[1] for point in found.entries], end=False)
    _notice(
        source,
        "best entry point names text that does not exist and was left out",
        entry[row] < 0,
        found.entries,
    )
    return entry


def _graded(source: Source, found: _Gathered, judgments: Judgments, pair: IntArray) -> Judgments:
    """The judgments with the elements that the files list."""
    if not found.elements:
        return judgments
    row, path, grade, size, relevant, _ = zip(*found.elements, strict=True)
    paths, code = encode(path)
    elements = GradedElements(
        pair=pair[np.array(row, np.int64)],
        path=code,
        paths=paths,
        exhaustivity=np.array(grade, np.int64),
        specificity=np.full(len(code), NO_GRADE, np.int64),
        size=np.array(size, np.int64),
        relevant=np.array(relevant, np.int64),
    )
    graded = source.index is None or bool((elements.exhaustivity != _HIGHLIGHTED).any())
    return replace(judgments, elements=elements, scale="exhaustivity 0-2" if graded else "highlights")


def recognise(source: Source) -> int:
    """Whether the root element is that of assessments, or assessments stand under another root."""
    root = root_name(source)
    if root == ROOT:
        return _CERTAIN
    return _LIKELY if root and f"<{ROOT}".encode() in source.data[:_HEAD_BYTES] else 0


register_judgments(
    Format("inex", "judgments", LAYOUT, "assessments in XML (INEX 2005 to 2007)", read, recognise)
)
