"""Runs and qrels as inex_eval reads them, line by line."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from excerpt.errors import FormatError
from excerpt.formats.source import Source
from excerpt.model.policy import UNKNOWN_LENGTH
from excerpt.model.spans import MAX_OFFSET
from excerpt.records.fingerprints import beside

LEVELS = 101
_NUMBER = "a whole number below 2**31"
_LAYOUT = "topic Q0 article rsize size bep offset:length ..."
TaskLetter: TypeAlias = Literal["t", "f", "r", "b", "i"]
IN_CONTEXT: tuple[TaskLetter, ...] = ("r", "b", "i")
_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
#: All control characters separate columns.
_BLANKS = bytes(ord(" ") if code < ord(" ") and code != ord("\n") else code for code in range(256))
#: The entry point of a result whose passage does not exist.
_NOWHERE = -10000

Stretch: TypeAlias = tuple[int, int]


class _Sums:
    """Positions in order, and the sums of the first of them."""

    def __init__(self, positions: Iterable[int]) -> None:
        self._positions = sorted(positions)
        self._sums = [0, *accumulate(self._positions)]

    def beyond(self, position: int) -> int:
        """Sum of the distances from all positions that are before this one."""
        count = bisect_left(self._positions, position)
        return position * count - self._sums[count]


@dataclass(eq=False)
class JudgedArticle:
    """A judged article: sizes of its first line, entry point of its last (-1: unset), pairs of all."""

    rsize: int
    size: int
    bep: int = -1
    #: Relevant passages of the file, overlapping ones included.
    pairs: list[Stretch] = field(default_factory=list)

    @cached_property
    def _sums(self) -> tuple[_Sums, _Sums]:
        return _Sums(start for start, _ in self.pairs), _Sums(end for _, end in self.pairs)

    def relevant(self, start: int, end: int) -> int:
        """Characters in common with the pairs; a character in two pairs counts twice."""
        starts, ends = self._sums
        return starts.beyond(end) - ends.beyond(end) - starts.beyond(start) + ends.beyond(start)


@dataclass(eq=False)
class TopicQrels:
    """Judged articles of a topic, number of its relevant lines, and sum of their rsizes."""

    articles: dict[bytes, JudgedArticle] = field(default_factory=dict)
    num_rel: int = 0
    rel_size: int = 0


class ArticleQrels(NamedTuple):
    """Judgments by topic, name of their file, and the fingerprints beside it."""

    topics: Mapping[bytes, TopicQrels]
    source: str = ""
    fingerprints: Mapping[str, str] = {}


class _FileLine(NamedTuple):
    """A line of a file, with its columns."""

    source: Source
    number: int
    text: bytes
    row: list[bytes]

    def __str__(self) -> str:
        return self.source.text.split(b"\n")[self.number - 1].decode()

    def fault(self, message: str) -> FormatError:
        """Return the error for a line that would crash the official tool."""
        return FormatError(message, path=self.source.name or None, line=self.number)

    def whole(self, name: str, text: bytes, expected: str = "a whole number") -> int:
        """Return a whole number below 2**31, which may have a sign; raise for other texts."""
        if text.isdigit() and len(text) < 10:
            return int(text)
        value = int(text) if _WHOLE.fullmatch(text) else MAX_OFFSET + 1
        if abs(value) > MAX_OFFSET:
            raise self.fault(f"found {name} {text.decode()[:40]!r}, expected {expected}")
        return value


def _lines(source: Source) -> Iterator[_FileLine]:
    if source.text:
        texts = source.text.translate(_BLANKS).removesuffix(b"\n").split(b"\n")
        yield from (_FileLine(source, number, text, text.split()) for number, text in enumerate(texts, 1))


def read_qrels(source: Source) -> ArticleQrels:
    """Read the lines; one that would crash the official tool is an error."""
    topics: dict[bytes, TopicQrels] = {}
    for line in _lines(source):
        if len(line.row) < 5:
            raise line.fault(f"found {len(line.row)} columns, expected at least 5 ({_LAYOUT})")
        if line.text.startswith(b" "):
            raise line.fault(f"found whitespace before the topic, expected {_LAYOUT}")
        name, _, article_name, *numbers = line.row
        rsize, size = line.whole("rsize", numbers[0]), line.whole("size", numbers[1])
        topic = topics.setdefault(name, TopicQrels())
        article = topic.articles.setdefault(article_name, JudgedArticle(rsize, size))
        if len(line.row) >= 7:
            article.bep = line.whole("bep", numbers[2])
            article.pairs += _pairs(line)
        topic.num_rel += rsize > 0
        topic.rel_size += max(rsize, 0)
    return ArticleQrels(topics, source.name, beside(source.name))


def _pairs(line: _FileLine) -> list[Stretch]:
    """Start and end of each passage of a line; what follows a second colon is ignored."""
    parts = [text.split(b":") for text in line.row[6:]]
    for text, part in zip(line.row[6:], parts, strict=True):
        if not all(part[:2]) or len(part) < 2:
            raise line.fault(f"found passage {text.decode()[:40]!r}, expected offset:length")
    starts = [line.whole("passage offset", part[0]) for part in parts]
    lengths = [line.whole("passage length", part[1]) for part in parts]
    return [(start, start + length) for start, length in zip(starts, lengths, strict=True)]


class Rejection(NamedTuple):
    """The line for which the tool rejects a run, and the tool's message (one or two lines)."""

    line: int
    text: str


@dataclass(slots=True, eq=False)
class ReturnedArticle:
    """An article of a run: its judgments, its returned and its relevant characters, and its passages."""

    judged: JudgedArticle | None
    is_relevant: bool
    #: The offset of its first result.
    entry: int
    size: int = 0
    found: int = 0
    #: Passages that exist, in the order of the file.
    passages: list[Stretch] = field(default_factory=list)
    #: The same in the order of the text; with -t, the stretches that they cover together.
    taken: list[Stretch] = field(default_factory=list)

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether a passage overlaps an earlier one, or is empty inside of it."""
        place = bisect_left(self.taken, (start, end))
        near = self.taken[max(place - 1, 0) : place + 1]
        return any(start < high and low < end for low, high in near)

    def add(self, passage: Stretch | None, *, only_new: bool) -> Stretch:
        """Count a passage, or one that does not exist; return its returned and its relevant characters.

        In a relevant article only the new text counts with -t.
        """
        size, found, parts = UNKNOWN_LENGTH, 0, list[Stretch]()
        if passage is not None:
            self.passages.append(passage)
            size, parts = passage[1] - passage[0], [passage]
        if only_new and self.is_relevant:
            parts = [] if passage is None else self._new_parts(*passage)
            size = sum(end - start for start, end in parts)
        elif passage is not None:
            insort(self.taken, passage)
        if self.judged is not None and self.is_relevant:
            found = sum(self.judged.relevant(start, end) for start, end in parts if start < end)
        self.size += size
        self.found += found
        return size, found

    def _new_parts(self, start: int, end: int) -> list[Stretch]:
        """Return the parts of a passage that no earlier one covers, and cover them."""
        first = bisect_right(self.taken, start, key=itemgetter(1))
        last = bisect_left(self.taken, end, key=itemgetter(0))
        edges = [start, *chain.from_iterable(self.taken[first:last]), end]
        if start < end:
            self.taken[first:last] = [(min(edges[:2]), max(edges[-2:]))]
        return [(low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high]


@dataclass(eq=False)
class ReturnedTopic:
    """Results of a run for a judged topic, in the order of the file."""

    qrels: TopicQrels
    articles: dict[bytes, ReturnedArticle] = field(default_factory=dict)
    last: bytes = b""
    #: Returned and relevant characters so far, and the best precision at each level of recall.
    size: int = 0
    found: int = 0
    best: list[float] = field(default_factory=lambda: [0.0] * LEVELS)

    def add(self, size: int, found: int) -> int | None:
        """Count a result; return its level of recall if that is impossible.

        Precision is kept for floor(100 * recall), in doubles like the tool.
        """
        self.size += size
        self.found += found
        level = math.floor(100 * (self.found / self.qrels.rel_size)) if self.qrels.rel_size else 0
        if not 0 <= level < LEVELS:
            return level
        if self.size > 0:
            self.best[level] = max(self.best[level], self.found / self.size)
        return None

    def counts(self, *, sizes: bool = True) -> dict[str, int]:
        """Numbers of articles and of characters, which -b does not count."""
        return {
            "num_ret": len(self.articles),
            "num_rel": self.qrels.num_rel,
            "num_rel_ret": sum(article.is_relevant for article in self.articles.values()),
            "ret_size": self.size if sizes else 0,
            "rel_size": self.qrels.rel_size,
            "rel_ret_size": self.found if sizes else 0,
        }


@dataclass(eq=False)
class OfficialRun:
    """A run on all judged topics, up to the line for which the tool rejects it."""

    topics: dict[bytes, ReturnedTopic]
    #: Topic and run of the last line of a judged topic.
    topic: bytes = b""
    run_id: bytes = b""
    #: Topics whose lines are not adjacent in the file.
    joined: set[bytes] = field(default_factory=set)
    #: Levels of recall outside 0 to 100, in the order of the file.
    impossible: list[int] = field(default_factory=list)
    rejection: Rejection | None = None


def read_run(source: Source, name: str, qrels: ArticleQrels, task: TaskLetter) -> OfficialRun:
    """Read a run up to its first fault, which rejects it."""
    run = OfficialRun({topic: ReturnedTopic(one) for topic, one in qrels.topics.items()})
    for line in _lines(source):
        width = len(line.row) + (line.text.startswith(b" ") and bool(line.row))
        message = ""
        if width != 8:
            what = "too many fields" if width > 8 else "fields missing"
            message = f"Error *** ({{}}) {what} in line {line.number}: {line}"
        elif width == len(line.row) and line.row[0] in run.topics:
            message = _add_result(run, line, task)
        if message:
            run.rejection = Rejection(line.number, message.replace("{}", name, 1))
            break
    return run


def _add_result(run: OfficialRun, line: _FileLine, task: TaskLetter) -> str:
    """Add a result on a judged topic; return the tool's message if it rejects the run for this line."""
    topic_name, _, name, _, _, run_id, offset, length = line.row
    topic = run.topics[topic_name]
    article = topic.articles.get(name)
    if article is not None and task in IN_CONTEXT and name != topic.last:
        message = f"ERROR *** ({{}}) article results are interleaved in {_place(line)}"
        return f"{message}\n\tinterleaved results not allowed in inContext tasks!"
    if article is not None and task == "b":
        fault = "multiple results from single article"
        return f"ERROR *** ({{}}) {fault} in {_place(line)}\tin line: {line.number}"
    start = size = 0
    if exists := offset not in {b"X", b"-1"}:
        start, size = line.whole("offset", offset, _NUMBER), line.whole("length", length, _NUMBER)
        if article is not None and task != "t" and article.overlaps(start, start + size):
            fault = "passage overlaps with previously retrieved passages"
            return f"ERROR *** ({{}}) {fault} in {_place(line)}\tin line: {line.number}"
    if size < 0:
        return f"ERROR *** ({{}}) negative passage size {line.number}: {line}"
    if run.topic != topic_name and topic.articles:
        run.joined.add(topic_name)
    run.topic, run.run_id, topic.last = topic_name, run_id, name
    if article is None:
        judged = topic.qrels.articles.get(name)
        is_relevant = judged is not None and judged.rsize > 0
        article = ReturnedArticle(judged, is_relevant, start if exists else _NOWHERE)
        topic.articles[name] = article
    level = topic.add(*article.add((start, start + size) if exists else None, only_new=task == "t"))
    if level is not None and task not in IN_CONTEXT:
        run.impossible.append(level)
    return ""


def _place(line: _FileLine) -> str:
    return f"topic {line.row[0].decode()}\tarticle id: {line.row[2].decode()}"
