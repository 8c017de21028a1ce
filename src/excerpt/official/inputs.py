"""Readers of runs and qrels that follow inex_eval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import FormatError
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns, Fields
from excerpt.model.policy import UNKNOWN_LENGTH
from excerpt.model.spans import BoolArray, IntArray, keys, sums
from excerpt.records.fingerprints import beside

UNSET = -1
_LAYOUT = "topic Q0 article rsize size bep offset:length ..."
TaskLetter: TypeAlias = Literal["t", "f", "r", "b", "i"]
IN_CONTEXT: tuple[TaskLetter, ...] = ("r", "b", "i")


@dataclass(frozen=True, eq=False)
class ArticleQrels:
    """Judged articles: sizes from an article's first line, entry point from its last, pairs from all."""

    topics: tuple[str, ...]
    topic_codes: dict[str, int]
    article_codes: dict[tuple[int, str], int]
    #: Per judged article: its rsize, size and best entry point (-1: unset).
    rsize: IntArray
    size: IntArray
    bep: IntArray
    #: Per topic: number of relevant lines and the sum of their rsizes.
    num_rel: IntArray
    rel_size: IntArray
    #: Relevant passages of the file, overlapping ones included.
    pair_article: IntArray
    pair_start: IntArray
    pair_end: IntArray
    #: Name of the file, and the fingerprints of its documents' texts as far as they are beside it.
    source: str = ""
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _starts(self) -> tuple[IntArray, IntArray]:
        return _sorted_sums(self.pair_article, self.pair_start)

    @cached_property
    def _ends(self) -> tuple[IntArray, IntArray]:
        return _sorted_sums(self.pair_article, self.pair_end)

    def relevant(self, article: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """Characters in common with the pairs; a character in two pairs counts twice."""
        judged = np.flatnonzero((article >= 0) & (end > start))
        result = np.zeros(len(article), np.int64)
        group = article[judged]
        result[judged] = self._before(group, end[judged]) - self._before(group, start[judged])
        return result

    def _before(self, group: IntArray, position: IntArray) -> IntArray:
        """Sum over an article's pairs of the characters before the position, up to a constant per article."""
        at = keys(group, position)
        low, high = np.searchsorted(self._starts[0], at), np.searchsorted(self._ends[0], at)
        return np.asarray(at * (low - high) - (self._starts[1][low] - self._ends[1][high]))


def _sorted_sums(group: IntArray, position: IntArray) -> tuple[IntArray, IntArray]:
    """Sorted keys and their running sums; the sums may wrap, their differences do not."""
    ordered = np.sort(keys(group, position))
    return ordered, np.concatenate((np.zeros(1, np.int64), np.cumsum(ordered)))


def read_qrels(source: Source) -> ArticleQrels:
    """Read the lines; a line that would crash the official tool is a fault."""
    columns = _judgment_lines(source)
    topics, topic = columns.names(0)
    names = columns.column(2).texts()
    rsize = _read_integers(columns, columns.column(3), "rsize", columns.line)
    size = _read_integers(columns, columns.column(4), "size", columns.line)
    bep, row, start, end = _passages(columns)
    source.faults.settle()
    codes: dict[tuple[int, str], int] = {}
    article = np.fromiter(
        (codes.setdefault(key, len(codes)) for key in zip(topic.tolist(), names, strict=True)),
        np.int64,
        len(names),
    )
    first = np.unique(article, return_index=True)[1] if len(article) else article
    last_bep = np.full(len(codes), UNSET, np.int64)
    with_bep = np.flatnonzero(columns.width >= 7)
    last_bep[article[with_bep]] = bep[with_bep]  # later lines overwrite earlier ones
    relevant = rsize > 0
    return ArticleQrels(
        topics=topics,
        topic_codes={name: code for code, name in enumerate(topics)},
        article_codes=codes,
        rsize=rsize[first],
        size=size[first],
        bep=last_bep,
        num_rel=np.bincount(topic[relevant], minlength=len(topics)).astype(np.int64),
        rel_size=sums(topic[relevant], rsize[relevant], len(topics)),
        pair_article=article[row],
        pair_start=start,
        pair_end=end,
        source=source.name,
        fingerprints=beside(source.name),
    )


def _judgment_lines(source: Source) -> Columns:
    columns = Columns.of(source, blank_lines=True)
    for row in np.flatnonzero(columns.width < 5).tolist():
        source.faults.add(
            int(columns.line[row]), f"found {columns.width[row]} columns, expected at least 5 ({_LAYOUT})"
        )
    filled = np.flatnonzero(columns.width >= 5)
    for row in filled[leading_blank(columns)[filled]].tolist():
        source.faults.add(int(columns.line[row]), f"found whitespace before the topic, expected {_LAYOUT}")
    return columns.take(filled)


def leading_blank(columns: Columns) -> BoolArray:
    """Mask of the lines that start with whitespace (without lines that have no fields)."""
    filled = columns.width > 0
    result = np.zeros(len(columns), np.bool_)
    begin = columns.begins[columns.line[filled] - 1]
    result[filled] = columns.fields.start[columns.first[filled]] > begin
    return result


def _read_integers(columns: Columns, fields: Fields, name: str, line: IntArray) -> IntArray:
    value, good = fields.signed_integers()
    for row in np.flatnonzero(~good).tolist():
        columns.faults.add(int(line[row]), f"found {name} {fields.text(row)[:40]!r}, expected a whole number")
    return value


def _passages(columns: Columns) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Entry point of each line with seven or more columns; line, start and end of each passage."""
    bep = np.full(len(columns), UNSET, np.int64)
    long = np.flatnonzero(columns.width >= 7)
    bep[long] = _read_integers(columns, columns.fields[columns.first[long] + 5], "bep", columns.line[long])
    count = np.maximum(columns.width - 6, 0)
    row = np.repeat(np.arange(len(columns)), count)
    number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    fields = columns.fields[columns.first[row] + 6 + number]
    offset, rest, paired = fields.split()
    length, _, _ = rest.split()
    whole = paired & (length.end > length.start) & (offset.end > offset.start)
    for bad in np.flatnonzero(~whole).tolist():
        columns.faults.add(
            int(columns.line[row[bad]]), f"found passage {fields.text(bad)[:40]!r}, expected offset:length"
        )
    line = columns.line[row[whole]]
    start = _read_integers(columns, offset[whole], "passage offset", line)
    return bep, row[whole], start, start + _read_integers(columns, length[whole], "passage length", line)


class Rejection(NamedTuple):
    """The line for which the tool rejects a run, and the tool's message (one or two lines)."""

    line: int
    text: str


def overlap_row(
    article: IntArray, start: IntArray, end: IntArray, unknown: BoolArray, line: IntArray
) -> int | None:
    """Result on the earliest line that overlaps an earlier one of its article, or is empty inside it."""
    suspects = _articles_with_overlap(article[~unknown], start[~unknown], end[~unknown])
    overlapping: list[tuple[int, int]] = []
    for suspect in suspects.tolist():
        rows = np.flatnonzero((article == suspect) & ~unknown)
        for place in range(1, len(rows)):
            row, before = rows[place], rows[:place]
            if bool(((start[row] < end[before]) & (start[before] < end[row])).any()):
                overlapping.append((int(line[row]), int(row)))
                break
    return min(overlapping)[1] if overlapping else None


def _articles_with_overlap(article: IntArray, start: IntArray, end: IntArray) -> IntArray:
    filled = np.flatnonzero(end > start)
    order = filled[np.argsort(keys(article[filled], start[filled]), kind="stable")]
    begin, reach = keys(article, start), np.maximum.accumulate(keys(article, end)[order])
    overlapping = order[1:][reach[:-1] > begin[order[1:]]]
    empty = np.flatnonzero(end <= start)
    before = np.searchsorted(begin[order], begin[empty], side="left") - 1
    inside = empty[(before >= 0) & (np.append(reach, 0)[before] > begin[empty])]
    return np.unique(article[np.concatenate((overlapping, inside))])


@dataclass(frozen=True, eq=False)
class OfficialRun:
    """Results on judged topics, topic by topic in file order; articles are numbered by first occurrence."""

    run_id: str
    topic: IntArray
    article: IntArray
    start: IntArray
    length: IntArray
    #: Mask of the results that name a passage that does not exist; their start and length are 0.
    unknown: BoolArray
    line: IntArray
    #: Topic, name and judged article (-1: none) of each article.
    article_topic: IntArray
    article_name: tuple[str, ...]
    article_judged: IntArray
    joined_topics: tuple[str, ...]  # topics whose lines are not adjacent in the file

    def __len__(self) -> int:
        return len(self.topic)

    @property
    def end(self) -> IntArray:
        """End of each passage, exclusive."""
        return self.start + self.length

    @property
    def size(self) -> IntArray:
        """Number of characters of each result; fixed for a passage that does not exist."""
        return np.where(self.unknown, UNKNOWN_LENGTH, self.length)

    def before(self, line: int) -> OfficialRun:
        """Return the results on earlier lines of the file."""
        rows = np.flatnonzero(self.line < line)
        columns = ("topic", "article", "start", "length", "unknown", "line")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    def relevant_articles(self, qrels: ArticleQrels) -> BoolArray:
        """Mask of the relevant articles."""
        return np.asarray(np.append(qrels.rsize, 0)[self.article_judged] > 0)

    def in_relevant(self, qrels: ArticleQrels) -> IntArray:
        """Judged article of each result if it is relevant, else -1."""
        return np.where(self.relevant_articles(qrels)[self.article], self.judged, -1)

    @property
    def judged(self) -> IntArray:
        """Judged article of each result, -1 if it is unjudged."""
        return self.article_judged[self.article]


def read_run(
    source: Source, name: str, qrels: ArticleQrels, task: TaskLetter
) -> tuple[OfficialRun, Rejection | None]:
    """Read a run; the earliest fault of any kind rejects it, and only the lines before it are returned."""
    columns = Columns.of(source, blank_lines=True)
    shifted = leading_blank(columns)
    width = columns.width + shifted
    bad_width = np.flatnonzero(width != 8)
    stop = int(bad_width[0]) if len(bad_width) else len(columns)
    run = _results(columns.take(np.flatnonzero(~shifted[:stop])), qrels)
    rejection = _first_fault(run, qrels, name, task, columns, source.faults.found)
    if rejection is None and len(bad_width):
        what, line = "too many fields" if width[stop] > 8 else "fields missing", int(columns.line[stop])
        rejection = Rejection(line, f"Error *** ({name}) {what} in line {line}: {columns.text(line)}")
    return (run.before(rejection.line) if rejection else run), rejection


def _results(columns: Columns, qrels: ArticleQrels) -> OfficialRun:
    names, code = columns.names(0)
    judged_topic = np.array([qrels.topic_codes.get(topic, -1) for topic in names], np.int64)
    topic = judged_topic[code]
    kept = np.flatnonzero(topic >= 0)
    columns, topic = columns.take(kept), topic[kept]
    run_id = columns.column(5).text(len(columns) - 1) if len(columns) else ""
    codes, blocks = np.unique(topic[np.flatnonzero(np.diff(topic, prepend=-1) != 0)], return_counts=True)
    order = np.argsort(topic, kind="stable")
    columns, topic = columns.take(order), topic[order]
    start, length, unknown = _offsets(columns)
    documents, document = columns.names(2)
    base = max(len(documents), 1)
    distinct, first, inverse = np.unique(topic * base + document, return_index=True, return_inverse=True)
    by_first = np.argsort(first)
    place = np.empty_like(by_first)
    place[by_first] = np.arange(len(by_first))
    distinct = distinct[by_first]
    article_topic = distinct // base
    article_name = tuple(documents[code] for code in (distinct % base).tolist())
    judged = [
        qrels.article_codes.get(key, -1) for key in zip(article_topic.tolist(), article_name, strict=True)
    ]
    return OfficialRun(
        run_id=run_id,
        topic=topic,
        article=place[inverse],
        start=start,
        length=length,
        unknown=unknown,
        line=columns.line,
        article_topic=article_topic,
        article_name=article_name,
        article_judged=np.array(judged, np.int64),
        joined_topics=tuple(qrels.topics[code] for code in codes[blocks > 1].tolist()),
    )


def _offsets(columns: Columns) -> tuple[IntArray, IntArray, BoolArray]:
    """Offset and length of each result, and a mask of passages that do not exist (`X` or `-1`)."""
    offsets, lengths = columns.column(6), columns.column(7)
    start, good = offsets.signed_integers()
    unknown = np.zeros(len(columns), np.bool_)
    for row in np.flatnonzero(~good | (start == -1)).tolist():
        unknown[row] = offsets.text(row) in {"X", "-1"}
    length, fine = lengths.signed_integers()
    for fields, name, wrong in ((offsets, "offset", ~good & ~unknown), (lengths, "length", ~fine & ~unknown)):
        for row in np.flatnonzero(wrong).tolist():
            message = f"found {name} {fields.text(row)[:40]!r}, expected a whole number below 2**31"
            columns.faults.add(int(columns.line[row]), message)
    return np.where(unknown, 0, start), np.where(unknown, 0, length), unknown


def _first_fault(
    run: OfficialRun,
    qrels: ArticleQrels,
    name: str,
    task: TaskLetter,
    columns: Columns,
    numbers: list[FormatError],
) -> Rejection | None:
    """Return the fault of the earliest line; of several on one line, the first in the tool's order."""
    faults: list[Rejection | FormatError] = []
    if task in IN_CONTEXT:
        # Articles are numbered by first occurrence, so a decrease means that an article is not in one block.
        returns = np.append(False, np.diff(run.article) < 0)[: len(run)]
        for row in np.flatnonzero(returns).tolist():
            text = f"ERROR *** ({name}) article results are interleaved in {_place(run, qrels, row)}"
            text += "\n\tinterleaved results not allowed in inContext tasks!"
            faults.append(Rejection(int(run.line[row]), text))
    if task == "b":
        again = np.append(False, np.diff(run.article) == 0)[: len(run)]
        text = f"ERROR *** ({name}) multiple results from single article in "
        faults += [_reject(run, qrels, text, row) for row in np.flatnonzero(again).tolist()]
    faults += numbers
    if task != "t":
        text = f"ERROR *** ({name}) passage overlaps with previously retrieved passages in "
        row_ = overlap_row(run.article, run.start, run.end, run.unknown, run.line)
        faults += [] if row_ is None else [_reject(run, qrels, text, row_)]
    for row in np.flatnonzero(run.length < 0).tolist():
        line = int(run.line[row])
        faults.append(
            Rejection(line, f"ERROR *** ({name}) negative passage size {line}: {columns.text(line)}")
        )
    first = min(faults, key=lambda fault: fault.line or 0, default=None)
    if isinstance(first, FormatError):
        raise first
    return first


def _place(run: OfficialRun, qrels: ArticleQrels, row: int) -> str:
    article = int(run.article[row])
    return f"topic {qrels.topics[int(run.topic[row])]}\tarticle id: {run.article_name[article]}"


def _reject(run: OfficialRun, qrels: ArticleQrels, text: str, row: int) -> Rejection:
    line = int(run.line[row])
    return Rejection(line, f"{text}{_place(run, qrels, row)}\tin line: {line}")
