"""What all tools share: from marked texts to the table of judgments, and back; what is lost is counted."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from excerpt.bridges.judged_rows import JudgedRow, judgments_of_rows
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, MissingData, json_text, short
from excerpt.formats.source import Source
from excerpt.model.dictionaries import spans_by_pair
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN
from excerpt.notices import Notices
from excerpt.records import rows as records
from excerpt.records.record import Odd, as_grade, is_text

#: Label of highlights where the topic is written beside them.
LABEL = "relevant"


class Mark(NamedTuple):
    """A highlight as a tool has it: its place and its label."""

    start: int
    end: int
    label: str = ""


class ToolText(NamedTuple):
    """One judgment of a tool: a text with its highlights, and what the tool says about it."""

    line: int
    marks: Sequence[Mark] = ()
    #: The text; None if the tool has none.
    text: str | None = None
    document: str = ""
    #: Its name where neither it nor its text names a document.
    name: str = ""
    topic: str = ""
    grade: int | None = None
    assessors: tuple[str, ...] = ()
    time: str = ""


class Destination(NamedTuple):
    """Where judgments go: the texts of documents, warnings, and whether it is a folder."""

    corpus: Corpus | None
    notices: Notices
    folder: bool


class Exchange:
    """Judgments gathered from the files of a tool; what is left out is counted."""

    def __init__(self, source: Source, *, predictions: bool = False, folder: Path | None = None) -> None:
        self._source = source
        #: The folder that was given, if its files are read.
        self.folder = folder
        #: Whether what a machine predicted is read, instead of what people judged.
        self.predictions = predictions
        self._rows: list[JudgedRow] = []
        self._lost: Counter[tuple[str, str]] = Counter()
        self._overlaps = 0
        self._named: dict[str, str] | None = None
        self._texts: dict[str, str | None] = {}

    def text_of(self, document: str) -> str | None:
        """Return the text that the corpus has of a document; None without one."""
        if document not in self._texts:
            self._texts[document] = self._source.text_of(document)
        return self._texts[document]

    def inner_folder(self, source: Source) -> str:
        """Return the name of the folder of a file inside of the given one; empty if it is in no other."""
        folder = PurePath(source.name).parent
        return "" if self.folder is None or folder == self.folder else unquote(folder.name)

    def leave_out(self, one: str, many: str, count: int = 1) -> None:
        """Count what is left out, with the reason in words for one and for many."""
        if count:
            self._lost[f"{one} and is left out", f"{many} and are left out"] += count

    def add(self, item: ToolText) -> None:
        """Add the judgment of each topic: that of the item, else those of its labels, else the given one."""
        source = self._source
        document, own = self._document(item)
        size = UNKNOWN if own is None else len(own)
        if not document:
            source.faults.add(item.line, "found no name of the document, expected document or source")
            return
        for mark in item.marks:
            if not 0 <= mark.start < mark.end or UNKNOWN < size < mark.end:
                most = "" if size == UNKNOWN else f" of the {size} characters of document {short(document)}"
                message = (
                    f"found a highlight from {mark.start} to {mark.end}, expected a part of the text{most}"
                )
                source.faults.add(item.line, message)
                return
        by_topic: dict[str, list[tuple[int, int]]] = {}
        for mark in item.marks:
            topic = item.topic or mark.label or source.topic
            by_topic.setdefault(topic, []).append((mark.start, mark.end))
        if not by_topic and (topic := item.topic or source.topic):
            by_topic[topic] = []
        elif not by_topic:
            text = "without a highlight"
            self.leave_out(f"judged text {text} names no topic", f"judged texts {text} name no topic")
        for topic, given in by_topic.items():
            if not topic:
                message = "found a highlight without a topic or a label, expected one"
                source.faults.add(item.line, message, "⟨topic=ID⟩ names the topic of all highlights")
                return
            spans = sorted(dict.fromkeys(given))
            self._overlaps += sum(one[1] > two[0] for one, two in pairwise(spans))
            who = item.assessors, item.time, size
            self._rows.append(JudgedRow(topic, document, tuple(spans), item.grade, *who))

    def _document(self, item: ToolText) -> tuple[str, str | None]:
        """Return the document of an item, by its name or its text, and its text."""
        corpus = self._source.corpus
        if item.document:
            own = self.text_of(item.document)
            if own is not None and item.text is not None and own != item.text:
                message = f"found another text of document {short(item.document)} than the corpus has"
                self._source.faults.add(item.line, message, "were both made from the same version?")
            return item.document, item.text if own is None else own
        if item.text is None or corpus is None:
            return item.name, item.text
        if self._named is None:
            self._named = {_digest(corpus[name]): name for name in corpus}
        return self._named.get(_digest(item.text), item.name), item.text

    def judgments(self) -> Judgments:
        """Return all judgments; warn about what was left out."""
        return judgments_of_rows(self.rows(), source=self._source.name)

    def rows(self) -> list[JudgedRow]:
        """Return the rows of all judgments; warn about what was left out."""
        source = self._source
        source.faults.settle()
        for (one, many), count in self._lost.items():
            source.notices.add(one, many, count, where=source.name)
        joined = "overlaps another one of its topic and is joined with it"
        several = "overlap others of their topic and are joined with them"
        source.notices.add(f"highlight {joined}", f"highlights {several}", self._overlaps, where=source.name)
        shown = [row for row in self._rows if row.grade is not None and row.grade > 0 and not row.spans]
        if len(shown) < len(self._rows) and any(row.spans for row in self._rows):
            source.notices.add(
                "judgment is relevant without a highlight; measures of text cannot count it",
                "judgments are relevant without a highlight; measures of text cannot count them",
                len(shown),
                where=source.name,
            )
        return self._rows


def objects_of(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a list, or of lines, with their numbers."""
    yield from (records.json_list if source.is_list else records.objects)(source.text, source.faults)


def mapping_of(value: Any) -> Mapping[str, Any]:
    """Return an object; for other values an empty one."""
    return value if isinstance(value, Mapping) else {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stem(name: str) -> str:
    """Return the name of a file without folders and ending; that of content without a name is `document`.

    >>> stem("export/doc%201.ann"), stem("<bytes>")
    ('doc 1', 'document')
    """
    return "document" if name.startswith("<") else unquote(PurePath(name).stem)


def text_of(value: Any) -> str:
    """Return a text or a number as text; empty for other values."""
    if isinstance(value, str):
        return value if is_text(value) else ""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def whole_of(value: Any) -> int:
    """Return an offset; -1 for what is none."""
    return value if type(value) is int and 0 <= value < 1 << 31 else -1


def grade_of(value: Any) -> int | None:
    """Return a grade; None for what is none."""
    if value is None or value == "":
        return None
    try:
        return as_grade(value)
    except Odd:
        return None


def names_of(value: Any) -> tuple[str, ...]:
    """Return names of assessors, from one or a list."""
    if isinstance(value, list | tuple):
        return tuple(name for one in value if (name := text_of(one)))
    name = text_of(value)
    return (name,) if name else ()


def metadata(holder: Mapping[str, Any]) -> dict[str, Any]:
    """Return topic, document, grade, assessors and time of an object with metadata."""
    return {
        "topic": text_of(holder.get("topic")),
        "document": text_of(holder.get("document")) or text_of(holder.get("source")),
        "grade": grade_of(holder.get("grade")),
        "assessors": names_of(holder.get("assessors")),
        "time": text_of(holder.get("time")),
    }


class UnitOffsets:
    """Positions of a text in UTF-16 units and in characters.

    >>> offsets = UnitOffsets("a😀b")
    >>> offsets.character(3), offsets.unit(2), offsets.character(2)
    (2, 3, -1)
    """

    def __init__(self, text: str) -> None:
        self._plain = text.isascii() or max(text, default="") <= "\uffff"
        self._length = len(text)
        if not self._plain:
            units = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) > 0xFFFF
            self._starts = np.concatenate(([0], np.cumsum(1 + units.astype(np.int64))))

    def character(self, unit: int) -> int:
        """Return the character at a unit; -1 inside of a character or beyond the end."""
        if self._plain:
            return unit if 0 <= unit <= self._length else -1
        at = int(np.searchsorted(self._starts, unit))
        return at if at <= self._length and self._starts[at] == unit else -1

    def unit(self, character: int) -> int:
        """Return the unit at which a character starts."""
        return character if self._plain else int(self._starts[character])


def rows_of(judgments: Judgments) -> Iterator[JudgedRow]:
    """Yield the judgments, of each judge if they are known."""
    if judgments.rows:
        yield from judgments.rows
        return
    spans = spans_by_pair(judgments)
    whole = judgments.scale == "documents"
    grades = None if judgments.grades is None else judgments.grades.tolist()
    columns = (judgments.pair_topic, judgments.pair_document, judgments.pair_size)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for pair, (topic, document, size) in enumerate(rows):
        grade = None if grades is None else grades[pair]
        own = () if whole else tuple(spans[pair])
        known = UNKNOWN if whole else size
        yield JudgedRow(judgments.topics[topic], judgments.documents[document], own, grade, size=known)


class DocumentTexts:
    """Texts of documents for a tool that needs them; a missing one is an error."""

    def __init__(self, corpus: Corpus | None, tool: str) -> None:
        self._corpus, self._tool = corpus, tool
        self._texts: dict[str, str] = {}

    def __getitem__(self, document: str) -> str:
        if document not in self._texts:
            text = None if self._corpus is None else self._corpus.get(document)
            if text is None:
                lacks = "" if self._corpus is None else f", but the corpus lacks {short(document)}"
                message = f"format {self._tool} contains the texts of documents{lacks}"
                raise MissingData(message, hint="give ⟨corpus⟩")
            self._texts[document] = text
        return self._texts[document]

    def of(self, row: JudgedRow) -> str:
        """Return the text of a judged document; a passage beyond its end is an error."""
        text = self[row.document]
        last = max((end for _, end in row.spans), default=0)
        if last > len(text):
            raise ExcerptError(
                f"found relevant text up to {last} of document {short(row.document)}, expected at most "
                f"{len(text)}, its length",
                hint="is the corpus the same version?",
            )
        return text


def as_list(found: Sequence[Mapping[str, Any]], name: str, destination: Destination) -> dict[str, bytes]:
    """Return one file with a list of objects, with a name in a folder."""
    content = (json_text(found, indent=1) + "\n").encode(errors="replace")
    return {name if destination.folder else "": content}


def cannot_hold(notices: Notices, tool: str, counts: Mapping[str, int]) -> None:
    """Warn about what a tool's format cannot hold, with counts; each key is a plural noun."""
    for what, count in counts.items():
        notices.add(
            f"judgment has {what}, which format {tool} cannot hold",
            f"judgments have {what}, which format {tool} cannot hold",
            count,
        )


def as_moment(value: Any) -> str:
    """Return seconds or milliseconds since 1970 as a time of ISO 8601; other values as text.

    >>> as_moment(1577836800), as_moment("1577836800500"), as_moment("today")
    ('2020-01-01T00:00:00Z', '2020-01-01T00:00:00.500Z', 'today')
    """
    try:
        number = float(value)
        seconds = number / 1000 if abs(number) > 1e11 else number
        if not math.isfinite(seconds):
            return ""
        moment = datetime.fromtimestamp(seconds, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return text_of(value)
    written = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return written.replace("+00:00", "Z")


def as_seconds(time: str) -> int | None:
    """Return a time of ISO 8601 in seconds since 1970, or milliseconds if it has a fraction; None for others.

    >>> as_seconds("2020-01-01T00:00:00Z"), as_seconds("2020-01-01T00:00:00.500Z"), as_seconds("today")
    (1577836800, 1577836800500, None)
    """
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return int(seconds) if seconds == int(seconds) else round(seconds * 1000)


def grouped(rows: Iterable[JudgedRow]) -> dict[str, list[JudgedRow]]:
    """Return rows by document, in the order of the first one."""
    found: dict[str, list[JudgedRow]] = {}
    for row in rows:
        found.setdefault(row.document, []).append(row)
    return found
